"""Protocol Buffers' encoding of single values: varints, fixed numbers, texts.

Protocol Buffers, "Encoding": https://protobuf.dev/programming-guides/encoding/
"""

import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

VARINT, FIXED64, BYTES, GROUP, END_GROUP, FIXED32 = range(6)
MASK = 0xFFFFFFFFFFFFFFFF


class WireError(ValueError):
    """Says that bytes are no message."""


class Kind(NamedTuple):
    """How values of one type are written.

    Attributes:
        wire: the wire type.
        default: the value of a field that is not there.
        encode: writes a value.
        decode: makes the value of what was read: an integer, or the bytes.
        array: the dtype of many numbers of fixed size, if they are that.
    """

    wire: int
    default: Any
    encode: Callable[[Any], bytes]
    decode: Callable[[Any], Any]
    array: np.dtype[Any] | None = None


def varint(number: int) -> bytes:
    r"""Writes a number that is not negative, seven bits a byte.

    >>> varint(300)
    b'\xac\x02'
    """
    if number < 0x80:
        return bytes((number,))
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    written.append(number)
    return bytes(written)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    r"""Reads a number; returns it and the place behind it.

    Raises:
        WireError: if the bytes end before, or it is too long.

    >>> read_varint(b"\xac\x02", 0)
    (300, 2)
    """
    result = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise WireError("a varint does not end")
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result & MASK, at
        shift += 7


def tag(number: int, wire: int) -> bytes:
    """Writes what stands in front of a value: the number of the field and the wire type."""
    return varint(number << 3 | wire)


def delimited(data: bytes) -> bytes:
    """Writes bytes with their length in front."""
    return varint(len(data)) + data


def fields(data: bytes) -> Iterator[tuple[int, int, Any, bytes]]:
    r"""Reads a message.

    Args:
        data: the bytes of the message.

    Yields:
        The number of a field, its wire type, what was read (an integer for a varint, else the
        bytes), and all bytes of the field.

    Raises:
        WireError: if these are no bytes of a message.

    >>> list(fields(b"\x08\x03"))
    [(1, 0, 3, b'\x08\x03')]
    """
    at = 0
    while at < len(data):
        start = at
        key, at = read_varint(data, at)
        number, wire = key >> 3, key & 7
        if number == 0 or number >= 1 << 29:
            raise WireError(f"there is no field {number}")
        value, at = _value(data, at, number, wire)
        yield number, wire, value, data[start:at]


def _value(data: bytes, at: int, number: int, wire: int) -> tuple[Any, int]:
    if wire == VARINT:
        return read_varint(data, at)
    if wire == GROUP:
        return _group(data, at, number)
    if wire == BYTES:
        length, at = read_varint(data, at)
    elif wire in (FIXED32, FIXED64):
        length = 4 if wire == FIXED32 else 8
    else:
        raise WireError(f"there is no wire type {wire}")
    if at + length > len(data):
        raise WireError("a value does not end")
    return data[at : at + length], at + length


def _group(data: bytes, at: int, number: int) -> tuple[bytes, int]:
    start = at
    while True:
        key, inner = read_varint(data, at)
        if key & 7 == END_GROUP:
            if key >> 3 != number:
                raise WireError("a group does not end")
            return data[start:at], inner
        _, at = _value(data, inner, key >> 3, key & 7)


def _signed(bits: int) -> Callable[[int], int]:
    half, full = 1 << bits - 1, 1 << bits

    def decode(number: int) -> int:
        number &= full - 1
        return number - full if number >= half else number

    return decode


def _unsigned(bits: int) -> Callable[[int], int]:
    return lambda number: number & (1 << bits) - 1


def _negative(number: int) -> bytes:
    """Writes a number that may be negative: then in ten bytes."""
    return varint(int(number) & MASK)


def _zigzag(bits: int) -> Kind:
    def encode(number: int) -> bytes:
        return varint((number << 1 ^ number >> bits - 1) & (1 << bits) - 1)

    return Kind(VARINT, 0, encode, lambda n: (n & (1 << bits) - 1) >> 1 ^ -(n & 1))


def _packed(letter: str, default: Any) -> Kind:
    form = struct.Struct("<" + letter)
    wire = FIXED32 if form.size == 4 else FIXED64

    def decode(data: bytes) -> Any:
        return form.unpack(data)[0]

    return Kind(wire, default, form.pack, decode, np.dtype("<" + letter))


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise WireError("a text is not in UTF-8") from None


# The types of fields by the names they have in .proto files.
KINDS: dict[str, Kind] = {
    "int32": Kind(VARINT, 0, _negative, _signed(32)),
    "int64": Kind(VARINT, 0, _negative, _signed(64)),
    "uint32": Kind(VARINT, 0, _negative, _unsigned(32)),
    "uint64": Kind(VARINT, 0, _negative, _unsigned(64)),
    "sint32": _zigzag(32),
    "sint64": _zigzag(64),
    "bool": Kind(VARINT, False, _negative, bool),
    "enum": Kind(VARINT, 0, _negative, _signed(32)),
    "float": _packed("f", 0.0),
    "double": _packed("d", 0.0),
    "fixed32": _packed("I", 0),
    "fixed64": _packed("Q", 0),
    "sfixed32": _packed("i", 0),
    "sfixed64": _packed("q", 0),
    "string": Kind(BYTES, "", lambda text: delimited(text.encode()), _text),
    "bytes": Kind(BYTES, b"", delimited, bytes),
}


def encode_packed(kind: Kind, values: list[Any]) -> bytes:
    """Writes many numbers one after another."""
    if kind.array is not None:
        return np.array(values, kind.array).tobytes()
    return b"".join(map(kind.encode, values))


def decode_packed(kind: Kind, data: bytes) -> list[Any]:
    """Reads many numbers.

    Raises:
        WireError: if the bytes end within one.
    """
    if kind.array is not None:
        if len(data) % kind.array.itemsize:
            raise WireError("a number does not end")
        return np.frombuffer(data, kind.array).tolist()
    return [kind.decode(number) for number in read_varints(data)]


def read_varints(data: bytes) -> list[int]:
    r"""Reads numbers one after another.

    Raises:
        WireError: if the bytes end within one.

    >>> read_varints(b"\x03\xac\x02")
    [3, 300]
    """
    if data.isascii():  # each is in a byte of its own
        return list(data)
    values, at = [], 0
    while at < len(data):
        number, at = read_varint(data, at)
        values.append(number)
    return values
