"""Data that was compressed by Snappy.

Snappy, format: https://github.com/google/snappy/blob/main/format_description.txt
"""

from tapefacade._io.wire import WireError, read_varint


def uncompressed(data: bytes) -> bytes:
    r"""Returns the data.

    Raises:
        WireError: if it is damaged.

    >>> uncompressed(b"\x05\x00a\x01\x01")
    b'aaaaa'
    """
    size, at = read_varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            length, at = _length(data, at, tag >> 2)
            out += data[at : at + length]
            at += length
            continue
        length, offset, at = _copy(data, at, tag)
        if not 0 < offset <= len(out):
            raise WireError("a copy begins before the data")
        start = len(out) - offset
        if offset >= length:
            out += out[start : start + length]
        else:
            piece = bytes(out[start:])
            out += (piece * (length // offset + 1))[:length]
    if len(out) != size:
        raise WireError("the data has another length")
    return bytes(out)


def _length(data: bytes, at: int, length: int) -> tuple[int, int]:
    if length < 60:
        return length + 1, at
    count = length - 59
    return int.from_bytes(data[at : at + count], "little") + 1, at + count


def _copy(data: bytes, at: int, tag: int) -> tuple[int, int, int]:
    if tag & 3 == 1:
        if at >= len(data):
            raise WireError("a copy does not end")
        return (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at], at + 1
    count = 2 if tag & 3 == 2 else 4
    return (tag >> 2) + 1, int.from_bytes(data[at : at + count], "little"), at + count
