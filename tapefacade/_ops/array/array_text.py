"""Arrays as text, as TensorFlow's kernels write them: for `tf.print` and `tf.strings.format`."""

from collections.abc import Iterator
from typing import Any

import numpy as np

ESCAPES = {b"\n": b"\\n", b"\r": b"\\r", b"\t": b"\\t", b'"': b'\\"', b"'": b"\\'", b"\\": b"\\\\"}
ESCAPES |= {
    bytes([b]): f"\\{b:03o}".encode() for b in (*range(32), 127) if bytes([b]) not in ESCAPES
}


def summary(array: Any, limit: int) -> bytes:
    """Writes an array without commas, and with `...` between the ends.

    Args:
        array: numbers or texts.
        limit: how many elements are shown at both ends of each axis; -1 for all.

    Returns:
        The text, in several lines for several axes.

    >>> summary(np.arange(7), 2)
    b'[0 1 ... 5 6]'
    """
    if array.ndim == 0:
        return _element(array[()]) if limit else b"..."
    if len(array) == 0:
        return b"[]"
    if array.size == 0 or limit == 0:
        return b"[" + b"\n" * (array.ndim - 1) + b" ...]"
    return _rows(array, limit, b"")


def _rows(array: Any, limit: int, indent: bytes) -> bytes:
    if isinstance(array, bytes) or array.ndim == 0:
        return _element(array if isinstance(array, bytes) else array[()])
    inner = indent + b" "
    separator = b" " if array.ndim == 1 else b"\n" * (array.ndim - 1) + inner
    return b"[" + separator.join(_shown_rows(array, limit, inner)) + b"]"


def _shown_rows(array: Any, limit: int, indent: bytes) -> Iterator[bytes]:
    count = len(array)
    if limit < 0 or count <= 2 * limit:
        yield from (_rows(row, limit, indent) for row in array)
        return
    yield from (_rows(row, limit, indent) for row in array[:limit])
    yield b"..."
    yield from (_rows(row, limit, indent) for row in array[count - limit :])


def _element(value: Any) -> bytes:
    if isinstance(value, bytes):
        return b'"' + b"".join(ESCAPES.get(bytes([b]), bytes([b])) for b in value) + b'"'
    if isinstance(value, np.bool_ | np.integer):
        return str(int(value)).encode()
    if isinstance(value, np.complexfloating):
        return b"?"  # the kernel has no form for them
    # As many digits as are always right; if they do not give the value back, all there are.
    wide = isinstance(value, np.float64)
    kind = float if wide else np.float32
    short = f"{float(value):.{15 if wide else 6}g}"
    text = short if kind(short) == value else f"{float(value):.{17 if wide else 9}g}"
    return text.encode()
