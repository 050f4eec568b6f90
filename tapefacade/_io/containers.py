"""The repeated fields and maps of messages."""

import operator
import struct
from collections.abc import Callable, Iterable, Iterator, MutableMapping, MutableSequence
from typing import Any

import numpy as np

RANGES = {
    "int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1), "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1), "sint32": (-(2**31), 2**31 - 1), "sint64": (-(2**63), 2**63 - 1),
    "enum": (-(2**31), 2**31 - 1), "fixed32": (0, 2**32 - 1), "fixed64": (0, 2**64 - 1),
    "sfixed32": (-(2**31), 2**31 - 1), "sfixed64": (-(2**63), 2**63 - 1),
}  # fmt: skip
_FLOAT = struct.Struct("<f")


def checked(kind: str, value: Any, place: str) -> Any:
    """Returns a value as a field of this type holds it.

    Args:
        kind: the name of the type.
        value: what is assigned.
        place: the full name of the field, for messages.

    Raises:
        TypeError: if it is of another type.
        ValueError: if it is a number that the type cannot hold.
    """
    if kind in RANGES:
        return _integer(kind, value, place)
    if kind == "bool":
        return bool(operator.index(value))
    if kind in ("float", "double"):
        return _real(kind, value)
    if kind == "bytes":
        if isinstance(value, bytes):
            return bytes(value)
        raise TypeError(f"expected bytes, {_class_name(value)} found")
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"bad argument type for built-in operation: {_class_name(value)}")


def _class_name(value: Any) -> str:
    kind = type(value)
    module = kind.__module__
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"


def _integer(kind: str, value: Any, place: str) -> int:
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"Field {place}: Expected an int, got a boolean.")
    number = operator.index(value)
    low, high = RANGES[kind]
    if not low <= number <= high:
        raise ValueError(f"Value out of range: {number}")
    return number


def _real(kind: str, value: Any) -> float:
    if isinstance(value, str | bytes) or not (
        hasattr(value, "__float__") or hasattr(value, "__index__")
    ):
        raise TypeError(f"must be real number, not {_class_name(value)}")
    number = float(value)
    if kind == "double":
        return number
    try:
        return _FLOAT.unpack(_FLOAT.pack(number))[0]
    except OverflowError:
        return float(np.copysign(np.inf, number))


class Repeated(MutableSequence[Any]):
    """The values of a repeated field: a list that checks what it is given."""

    __slots__ = ("_changed", "_items")
    __hash__ = None  # type: ignore[assignment]  # it changes

    def __init__(self, changed: Callable[[], None]) -> None:
        self._items: list[Any] = []
        self._changed = changed

    def _checked(self, value: Any) -> Any:
        return value

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __delitem__(self, key: Any) -> None:
        del self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Repeated):
            return self._items == other._items
        return self._items == other

    def __repr__(self) -> str:
        return repr(self._items)

    def insert(self, index: int, value: Any) -> None:
        """Puts a value in front of another."""
        self._items.insert(index, self._checked(value))
        self._changed()

    def append(self, value: Any) -> None:
        """Adds a value at the end."""
        self._items.append(self._checked(value))
        self._changed()

    def extend(self, values: Any) -> None:
        """Adds values at the end."""
        if not isinstance(values, Iterable):
            raise TypeError("must assign iterable")
        self._items.extend([self._checked(value) for value in values])
        self._changed()

    def take(self, values: list[Any]) -> None:
        """Adds values that are known to be good."""
        self._items.extend(values)
        self._changed()

    def sort(self, *args: Any, **kwargs: Any) -> None:
        """Puts the values in order."""
        self._items.sort(*args, **kwargs)

    def MergeFrom(self, other: Any) -> None:  # noqa: N802 - protobuf's name
        """Adds the values of another."""
        self.extend(other)


class RepeatedScalarContainer(Repeated):
    """The numbers or texts of a repeated field."""

    __slots__ = ("_kind", "_place")

    def __init__(self, changed: Callable[[], None], kind: str, place: str) -> None:
        super().__init__(changed)
        self._kind = kind
        self._place = place

    def _checked(self, value: Any) -> Any:
        return checked(self._kind, value, self._place)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            self._items[key] = [self._checked(v) for v in value]
        else:
            self._items[key] = self._checked(value)
        self._changed()


class RepeatedCompositeContainer(Repeated):
    """The messages of a repeated field."""

    __slots__ = ("_message",)

    def __init__(self, changed: Callable[[], None], message: Any) -> None:
        super().__init__(changed)
        self._message = message

    def _checked(self, value: Any) -> Any:
        copy = self._message()
        if isinstance(value, dict):
            copy = self._message(**value)
        else:
            copy.CopyFrom(value)
        return copy

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(f"{type(self).__name__!r} object does not support item assignment")

    def add(self, **fields: Any) -> Any:
        """Adds a message with these fields; returns it."""
        made = self._message(**fields)
        self._items.append(made)
        self._changed()
        return made


class MessageMapContainer(MutableMapping[str, Any]):
    """A map from texts to messages, which come into being when they are asked for."""

    __slots__ = ("_changed", "_items", "_message")
    __hash__ = None

    def __init__(self, changed: Callable[[], None], message: Any) -> None:
        self._items: dict[str, Any] = {}
        self._changed = changed
        self._message = message

    def _key(self, key: Any) -> str:
        if isinstance(key, bytes):
            return key.decode()
        if not isinstance(key, str):
            raise TypeError("bad argument type for built-in operation")
        return str(key)

    def __getitem__(self, key: Any) -> Any:
        key = self._key(key)
        if key not in self._items:
            self._items[key] = self._message()
            self._changed()
        return self._items[key]

    def __contains__(self, key: object) -> bool:
        return self._key(key) in self._items

    def __setitem__(self, key: Any, value: Any) -> None:
        raise ValueError("Message objects may not be assigned")

    def __delitem__(self, key: Any) -> None:
        del self._items[self._key(key)]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MessageMapContainer) and self._items == other._items

    def __repr__(self) -> str:
        return repr(self._items)

    def get(self, key: Any, default: Any = None) -> Any:
        """Returns the message of a key that is there, else `default`."""
        return self._items.get(self._key(key), default)

    def fresh(self, key: str) -> Any:
        """Returns a new message, in place of the one that the key may have had."""
        self._items[key] = self._message()
        self._changed()
        return self._items[key]

    def get_or_create(self, key: Any) -> Any:
        """Returns the message of a key."""
        return self[key]

    def MergeFrom(self, other: Any) -> None:  # noqa: N802 - protobuf's name
        """Takes over the messages of another map."""
        for key, value in other.items():
            self[key].CopyFrom(value)
