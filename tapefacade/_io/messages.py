"""Protocol Buffers' messages, as far as TensorFlow's formats need them, without that library."""

from typing import Any, ClassVar, NamedTuple, TypeVar

from tapefacade._io import coding, wire
from tapefacade._io.containers import (
    MessageMapContainer,
    RepeatedCompositeContainer,
    RepeatedScalarContainer,
    checked,
)

Self = TypeVar("Self", bound="Message")


class DecodeError(Exception):
    """Says that bytes are no message of a type."""


class Field(NamedTuple):
    """A field of a message.

    Attributes:
        name: its name.
        number: its number on the wire.
        kind: a type in `wire.KINDS`, "message" or "map" (from texts to messages).
        message: the class, for messages and maps.
        repeated: whether it holds many.
        group: the name of the oneof it belongs to.
        enum: the names of numbers, for enumerations.
    """

    name: str
    number: int
    kind: str
    message: Any = None
    repeated: bool = False
    group: str | None = None
    enum: dict[int, str] | None = None

    @property
    def has_presence(self) -> bool:
        """Whether a message knows that the field was set to its default."""
        return not self.repeated and (self.kind == "message" or self.group is not None)


class Descriptor(NamedTuple):
    """What a class of messages says about itself."""

    name: str
    full_name: str
    fields_by_name: dict[str, Field]


class _Access:
    """The attribute of a message that stands for a field."""

    def __init__(self, field: Field) -> None:
        self.field = field

    def __get__(self, message: Any, owner: Any = None) -> Any:
        return self if message is None else message._get(self.field)

    def __set__(self, message: Any, value: Any) -> None:
        field = self.field
        if field.repeated or field.kind in ("message", "map"):
            kind = "repeated" if field.repeated else field.kind
            raise AttributeError(
                f'Assignment not allowed to {kind} field "{field.name}" in protocol message object.'
            )
        message._set(field, checked(field.kind, value, message._place(field)))


class Message:
    """A message; its subclasses say which `FIELDS` there are.

    Args:
        **fields: values of fields; messages may be given as dictionaries.

    Raises:
        ValueError: if there is no such field.
        TypeError: if a value is of another type.
    """

    FIELDS: ClassVar[tuple[Field, ...]] = ()
    PACKAGE: ClassVar[str] = "tensorflow"
    DESCRIPTOR: ClassVar[Descriptor]
    __slots__ = ("__weakref__", "_owner", "_unknown", "_values")
    __hash__ = None  # type: ignore[assignment]  # it changes

    def __init_subclass__(cls) -> None:
        full_name = f"{cls.PACKAGE}.{cls.__qualname__}"
        cls.DESCRIPTOR = Descriptor(cls.__name__, full_name, {f.name: f for f in cls.FIELDS})
        for field in cls.FIELDS:
            setattr(cls, field.name, _Access(field))

    def __init__(self, *args: Any, **fields: Any) -> None:
        if args:
            raise TypeError("No positional arguments allowed")
        self._start()
        for name, value in fields.items():
            if value is not None:
                self._fill(self._field(name), value)

    def _start(self) -> None:
        self._values: dict[str, Any] = {}
        self._owner: tuple[Message, Field] | None = None
        self._unknown = b""

    # Fields.

    @classmethod
    def _field(cls, name: str) -> Field:
        field = cls.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise ValueError(f'Protocol message {cls.__name__} has no "{name}" field.')
        return field

    def _place(self, field: Field) -> str:
        return f"{self.DESCRIPTOR.full_name}.{field.name}"

    def __setattr__(self, name: str, value: Any) -> None:
        if name[0] != "_" and name not in self.DESCRIPTOR.fields_by_name:
            raise AttributeError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def _get(self, field: Field) -> Any:
        value = self._values.get(field.name)
        if value is not None:
            return value
        if field.kind != "message" and field.kind != "map" and not field.repeated:
            return wire.KINDS[field.kind].default
        made: Any
        if field.kind == "map":
            made = MessageMapContainer(self._changed, field.message)
        elif field.kind == "message" and field.repeated:
            made = RepeatedCompositeContainer(self._changed, field.message)
        elif field.kind == "message":
            made = field.message()
            made._owner = (self, field)
            return made
        else:
            made = RepeatedScalarContainer(self._changed, field.kind, self._place(field))
        self._values[field.name] = made
        return made

    def _set(self, field: Field, value: Any) -> None:
        if field.group is not None:
            for other in self.FIELDS:
                if other.group == field.group and other is not field:
                    self._values.pop(other.name, None)
        self._values[field.name] = value
        self._changed()

    def _changed(self) -> None:
        """Becomes a part of the message it was asked of."""
        if self._owner is not None:
            owner, field = self._owner
            self._owner = None
            owner._set(field, self)

    def _fill(self, field: Field, value: Any) -> None:
        if field.kind == "map":
            self._fill_map(field, value)
        elif field.repeated:
            self._get(field).extend(value)
        elif field.kind == "message":
            if isinstance(value, dict):
                value = field.message(**value)
            elif not isinstance(value, field.message):
                raise TypeError(
                    "Parameter to initialize message field must be dict or instance of same "
                    f"class: expected {field.message!r} got {type(value)!r}."
                )
            part = field.message()
            part.MergeFrom(value)
            self._set(field, part)
        else:
            setattr(self, field.name, value)

    def _fill_map(self, field: Field, value: Any) -> None:
        entries = self._get(field)
        for key, item in value.items():
            entries[key].CopyFrom(field.message(**item) if isinstance(item, dict) else item)

    def _is_set(self, field: Field) -> bool:
        value = self._values.get(field.name)
        if value is None:
            return False
        if field.repeated or field.kind == "map":
            return len(value) > 0
        return field.has_presence or value != wire.KINDS[field.kind].default

    def _set_fields(self) -> list[Field]:
        return [f for f in sorted(self.FIELDS, key=lambda f: f.number) if self._is_set(f)]

    # What protobuf's messages offer, under its names.

    def HasField(self, name: str) -> bool:  # noqa: N802 - protobuf's name
        """Returns whether a field that knows it, or one of a oneof, is set."""
        if any(field.group == name for field in self.FIELDS):
            return self.WhichOneof(name) is not None
        field = self._field(name)
        if not field.has_presence:
            raise ValueError(f"Field {self._place(field)} does not have presence.")
        return self._is_set(field)

    def WhichOneof(self, group: str) -> str | None:  # noqa: N802 - protobuf's name
        """Returns the name of the field of a oneof that is set, or None."""
        members = [field for field in self.FIELDS if field.group == group]
        if not members:
            raise ValueError(f'Protocol message {type(self).__name__} has no "{group}" field.')
        return next((field.name for field in members if self._is_set(field)), None)

    def ListFields(self) -> list[tuple[Field, Any]]:  # noqa: N802 - protobuf's name
        """Lists the fields that are set, with their values."""
        return [(field, self._get(field)) for field in self._set_fields()]

    def ClearField(self, name: str) -> None:  # noqa: N802 - protobuf's name
        """Empties a field."""
        field = next((f.name for f in self.FIELDS if f.group == name), None)
        name = (self.WhichOneof(name) or field) if field else self._field(name).name
        self._values.pop(name, None)

    def Clear(self) -> None:  # noqa: N802 - protobuf's name
        """Empties the message."""
        self._values.clear()
        self._unknown = b""

    def SetInParent(self) -> None:  # noqa: N802 - protobuf's name
        """Sets the field that the message was read from, even if it is empty."""
        self._changed()

    def IsInitialized(self) -> bool:  # noqa: N802 - protobuf's name
        """Returns True: no field is required."""
        return True

    def CopyFrom(self, other: Any) -> None:  # noqa: N802 - protobuf's name
        """Becomes a copy of another message of the class."""
        if other is self:
            return
        self._require_same(other, "CopyFrom")
        self.Clear()
        self.MergeFrom(other)

    def MergeFrom(self, other: Any) -> None:  # noqa: N802 - protobuf's name
        """Takes over what is set in another message of the class."""
        self._require_same(other, "MergeFrom")
        self._changed()
        for field, value in other.ListFields():
            if field.kind == "map" or field.repeated or field.kind == "message":
                self._get(field).MergeFrom(value)
            else:
                self._set(field, value)
        self._unknown += other._unknown

    def _require_same(self, other: Any, method: str) -> None:
        if type(other) is not type(self):
            raise TypeError(
                f"Parameter to {method}() must be instance of same class: expected "
                f"{type(self)!r} got {type(other)!r}."
            )

    def SerializeToString(self, deterministic: bool = False) -> bytes:  # noqa: N802
        """Writes the message as bytes; maps in the order of their keys if `deterministic`."""
        return b"".join(coding.written(self, deterministic)) + self._unknown

    SerializePartialToString = SerializeToString

    def ByteSize(self) -> int:  # noqa: N802 - protobuf's name
        """Returns how many bytes the message takes."""
        return len(self.SerializeToString())

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802 - protobuf's name
        """Takes over what bytes hold; returns how many there are."""
        try:
            coding.read(self, bytes(serialized))
        except wire.WireError:
            raise DecodeError(
                f"Error parsing message with type '{self.DESCRIPTOR.full_name}': "
                "Wire format was corrupt"
            ) from None
        return len(serialized)

    def ParseFromString(self, serialized: bytes) -> int:  # noqa: N802 - protobuf's name
        """Becomes the message that bytes hold; returns how many there are."""
        self.Clear()
        return self.MergeFromString(serialized)

    @classmethod
    def FromString(cls: type[Self], serialized: bytes) -> Self:  # noqa: N802 - protobuf's name
        """Makes the message that bytes hold."""
        made = cls()
        made.MergeFromString(serialized)
        return made

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, Message)
        return self.SerializeToString(deterministic=True) == other.SerializeToString(
            deterministic=True
        )

    def __repr__(self) -> str:
        return "".join(f"{line}\n" for line in coding.lines(self))

    def __deepcopy__(self: Self, memo: Any) -> Self:
        made = type(self)()
        made.MergeFrom(self)
        return made

    def __reduce__(self) -> Any:
        return type(self).FromString, (self.SerializeToString(),)
