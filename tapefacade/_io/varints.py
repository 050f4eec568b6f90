"""Protocol Buffers' numbers of variable length: in front of texts in tensors and in tables.

Protocol Buffers, "Encoding": https://protobuf.dev/programming-guides/encoding/
"""


class VarintError(ValueError):
    """Says that a number does not end."""


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
        VarintError: if the bytes end before, or it is too long.

    >>> read_varint(b"\xac\x02", 0)
    (300, 2)
    """
    result = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise VarintError("a varint does not end")
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
