"""The messages of TensorFlow's formats: classes of protobuf's, made from tables of fields.

They are made when one of them is first used, in a pool of definitions of their own: where
TensorFlow is loaded as well, its definitions and these do not meet.
"""

import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tapefacade._core.optional_imports import optional_module


class MessageField(NamedTuple):
    """A field of a message.

    Attributes:
        name: its name.
        number: its number on the wire.
        kind: a type as .proto files name it: "int64", "string", ...; "enum" or "message"; or "map",
            from texts, or from `key`, to messages or to what a plain type holds.
        type_name: the name of the enumeration or message, as in `MessageType.name`; of a map also
            that of a plain type.
        repeated: whether it holds many.
        oneof: the name of the group of which one field at most is set.
        key: the type of the keys of a map.
    """

    name: str
    number: int
    kind: str
    type_name: str = ""
    repeated: bool = False
    oneof: str = ""
    key: str = "string"


class MessageType(NamedTuple):
    """A type of messages.

    Attributes:
        name: its name; within another type, behind that one's name and a dot.
        doc: the docstring.
        fields: its fields.
    """

    name: str
    doc: str
    fields: tuple[MessageField, ...]


class MessageFile:
    """What a .proto file says, and the classes that come of it, by their names.

    Args:
        path: the path of TensorFlow's file.
        types: the messages; one within another comes after that.
        enums: the names of numbers, by the name of their enumeration.
        uses: the files whose types fields have.
        package: what stands in front of the names of types.
        module: the module in which users find the classes.
        extra: the extra that installs protobuf for whoever uses these messages.
        use: what these messages are for; see `optional_module`.
    """

    def __init__(
        self,
        path: str,
        *types: MessageType,
        enums: Mapping[str, Mapping[int, str]] = {},
        uses: tuple["MessageFile", ...] = (),
        package: str = "tensorflow",
        module: str = __name__,
        extra: str = "records",
        use: str = "Examples, tensors and other messages",
    ) -> None:
        self.path = path
        self.package = package
        self._types = types
        self._enums = enums
        self._uses = uses
        self._module = module
        self._extra, self._use = extra, use
        self._classes: dict[str, Any] = {}
        MESSAGE_FILES[path] = self

    def __getitem__(self, name: str) -> Any:
        """Returns a class.

        Raises:
            ImportError: if protobuf is not installed.
        """
        if not self._classes:
            self._make()
        return self._classes[name]

    def makers(self) -> dict[str, Callable[[], Any]]:
        """Returns what makes each class, by the names of the classes; nothing is made yet."""
        return {kind.name: lambda name=kind.name: self[name] for kind in self._types}

    def docs(self) -> dict[str, str]:
        """Returns the docstrings of the classes, by their names."""
        return {kind.name: inspect.cleandoc(kind.doc) for kind in self._types}

    def decode_error(self) -> type[Exception]:
        """Returns the error that `FromString` raises; ask for it when one is there."""
        return self.library("message").DecodeError

    def library(self, name: str) -> Any:
        """Returns a module of protobuf.

        Raises:
            ImportError: if protobuf is not installed.
        """
        return optional_module(f"google.protobuf.{name}", self._extra, self._use, "protobuf")

    def full_name(self, name: str) -> str:
        """Returns the name of one of the types with the package in front, or ""."""
        own = {kind.name for kind in self._types} | set(self._enums)
        return f".{self.package}.{name}" if name in own else ""

    def _make(self) -> None:
        factory = self.library("message_factory")
        pool = self._pool()
        made = {}
        for kind in self._types:
            found = pool.FindMessageTypeByName(f"{self.package}.{kind.name}")
            made[kind.name] = factory.GetMessageClass(found)
            self._describe(made[kind.name], kind)
        self._classes = made

    def _describe(self, made: Any, kind: MessageType) -> None:
        """Gives a class what protobuf leaves out; with `__reduce__` its messages can be pickled."""
        made.__doc__ = inspect.cleandoc(kind.doc)
        made.__module__ = self._module
        made.__qualname__ = kind.name
        path, name = self.path, kind.name
        made.__reduce__ = lambda message: (unpickled, (path, name, message.SerializeToString()))

    def _pool(self) -> Any:
        """Returns the pool, in which this file is."""
        with LOCK:
            if not POOL:
                POOL.append(self.library("descriptor_pool").DescriptorPool())
            self._add(POOL[0], self.library("descriptor_pb2").FileDescriptorProto)
        return POOL[0]

    def _add(self, pool: Any, definition: Any) -> None:
        if self.path in IN_POOL:
            return
        for other in self._uses:
            other._add(pool, definition)
        file = definition(name=self.path, package=self.package, syntax="proto3")
        file.dependency.extend([other.path for other in self._uses])
        held: dict[str, Any] = {"": file}
        for kind in self._types:
            outer, _, name = kind.name.rpartition(".")
            types = held[outer].nested_type if outer else file.message_type
            held[kind.name] = types.add(name=name)
            for field in kind.fields:
                self._add_field(held[kind.name], kind, field)
        for full, numbers in self._enums.items():
            outer, _, name = full.rpartition(".")
            enum = held[outer].enum_type.add(name=name)
            for number, text in numbers.items():
                enum.value.add(name=text, number=number)
        pool.AddSerializedFile(file.SerializeToString())
        IN_POOL.add(self.path)

    def _add_field(self, made: Any, kind: MessageType, field: MessageField) -> None:
        name = next(filter(None, [f.full_name(field.type_name) for f in (self, *self._uses)]), None)
        if field.kind == "map":
            entry = made.nested_type.add(name=f"{field.name.title().replace('_', '')}Entry")
            entry.options.map_entry = True
            entry.field.add(name="key", number=1, type=TYPES[field.key], label=SINGLE)
            kind_of_value = "message" if name else field.type_name
            entry.field.add(
                name="value", number=2, type=TYPES[kind_of_value], type_name=name, label=SINGLE
            )
            name = f".{self.package}.{kind.name}.{entry.name}"
        added = made.field.add(
            name=field.name,
            number=field.number,
            type=TYPES["message" if field.kind == "map" else field.kind],
            label=REPEATED if field.repeated or field.kind == "map" else SINGLE,
            type_name=name,
        )
        if field.oneof:
            groups = [group.name for group in made.oneof_decl]
            if field.oneof not in groups:
                made.oneof_decl.add(name=field.oneof)
                groups.append(field.oneof)
            added.oneof_index = groups.index(field.oneof)


# The numbers that descriptors have for types and labels; descriptor.proto.
TYPES = {
    "double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "fixed64": 6, "fixed32": 7,
    "bool": 8, "string": 9, "message": 11, "bytes": 12, "uint32": 13, "enum": 14, "sint64": 18,
}  # fmt: skip
SINGLE, REPEATED = 1, 3
MESSAGE_FILES: dict[str, MessageFile] = {}
LOCK = threading.Lock()
POOL: list[Any] = []
IN_POOL: set[str] = set()


def unpickled(path: str, name: str, data: bytes) -> Any:
    """Makes a message of what `pickle` has kept."""
    return MESSAGE_FILES[path][name].FromString(data)
