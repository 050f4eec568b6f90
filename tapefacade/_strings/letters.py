"""Texts by their letters: length, case, strip, substr."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core.error_texts import shape_text, unequal_shapes
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._strings.arguments import (
    UNITS,
    WHITE_SPACE,
    Array,
    each,
    failed,
    indices,
    require,
    text_array,
    texts,
)


@function("strings.length", dispatch=True, elementwise=1, on_values=True)
def length(input: Any, unit: str = "BYTE", name: str | None = None) -> EagerTensor:
    """Counts the bytes or the characters of each text.

    Args:
        input: texts of any shape.
        unit: "BYTE", or "UTF8_CHAR" for the characters of texts in UTF-8.
        name: ignored.

    Returns:
        An int32 tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if `unit` is another.

    >>> tf.strings.length(["abc", "é"]).numpy(), tf.strings.length("é", unit="UTF8_CHAR").numpy()
    (array([3, 2], dtype=int32), np.int32(1))
    """
    require("StringLength", "unit", unit, UNITS)
    count: Callable[[bytes], int] = len if unit == "BYTE" else characters
    array = texts(input, "StringLength")
    counts = [count(text) for text in array.flat]
    return from_host(np.array(counts, np.int32).reshape(array.shape))


def characters(text: bytes) -> int:
    """Counts the bytes that begin a character."""
    return sum(byte & 0xC0 != 0x80 for byte in text)


@function("strings.lower", dispatch=True, elementwise=1, on_values=True)
def lower(input: Any, encoding: str = "", name: str | None = None) -> EagerTensor:
    r"""Makes the letters of each text small.

    Args:
        input: texts of any shape.
        encoding: empty for the letters of ASCII only, or "utf-8".
        name: ignored.

    Returns:
        A string tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if `encoding` is another.

    >>> tf.strings.lower("ÀB"), tf.strings.lower("ÀB", encoding="utf-8").numpy().decode()
    (<tf.Tensor: shape=(), dtype=string, numpy=b'\xc3\x80b'>, 'àb')
    """
    return _cased("StringLower", input, encoding, bytes.lower, str.lower)


@function("strings.upper", dispatch=True, elementwise=1, on_values=True)
def upper(input: Any, encoding: str = "", name: str | None = None) -> EagerTensor:
    """Makes the letters of each text large.

    Args:
        input: texts of any shape.
        encoding: empty for the letters of ASCII only, or "utf-8".
        name: ignored.

    Returns:
        A string tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if `encoding` is another.

    >>> tf.strings.upper(["ab", "C"]).numpy()
    array([b'AB', b'C'], dtype=object)
    """
    return _cased("StringUpper", input, encoding, bytes.upper, str.upper)


def _cased(
    kernel: str,
    input: Any,
    encoding: str,
    of_bytes: Callable[[bytes], bytes],
    of_text: Callable[[str], str],
) -> EagerTensor:
    array = texts(input, kernel)
    if encoding not in ("", "utf-8"):
        raise failed(kernel, f"only utf-8 or '' (no encoding) is supported, received {encoding}")
    if encoding == "":
        return each(of_bytes, array)
    return each(lambda text: of_text(text.decode(errors="replace")).encode(), array)


@function("strings.strip", dispatch=True, elementwise=1, on_values=True)
def strip(input: Any, name: str | None = None) -> EagerTensor:
    r"""Takes the white space off both ends of each text.

    Args:
        input: texts of any shape.
        name: ignored.

    Returns:
        A string tensor of the shape of `input`.

    >>> tf.strings.strip(["  a b\n", "c"]).numpy()
    array([b'a b', b'c'], dtype=object)
    """
    return each(lambda text: text.strip(WHITE_SPACE), texts(input, "StringStrip"))


@function("strings.substr", dispatch=True, elementwise=1, on_values=True)
def substr(
    input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None
) -> EagerTensor:
    """Takes a part of each text.

    Args:
        input: texts of any shape.
        pos: where the parts begin, int32 or int64; negative counts from the end. It broadcasts
            with `input`.
        len: how long the parts are at most, of the dtype and shape of `pos`.
        unit: "BYTE", or "UTF8_CHAR" to count the characters of texts in UTF-8.
        name: ignored.

    Returns:
        A string tensor of the broadcast shape.

    Raises:
        InvalidArgumentError: if a position is outside of its text, if shapes do not fit, or if
            `unit` is another.

    >>> tf.strings.substr(["hello", "world"], 1, 3).numpy()
    array([b'ell', b'orl'], dtype=object)
    >>> tf.strings.substr("hello", -3, 2).numpy()
    b'll'
    """
    require("Substr", "unit", unit, UNITS)
    array = texts(input, "Substr")
    starts, lengths = indices(pos, "Substr"), indices(len, "Substr")
    if starts.shape != lengths.shape:
        shapes = [shape_text(a.shape) for a in (starts, lengths)]
        raise failed(
            "Substr", f"pos and len should have the same shape, got: {shapes[0]} vs. {shapes[1]}"
        )
    given = starts
    try:
        texts_, starts, lengths = np.broadcast_arrays(array, starts, lengths)
    except ValueError:
        shapes = [shape_text(a.shape) for a in (array, starts)]
        raise failed("Substr", unequal_shapes(*shapes)) from None
    cut = _part if unit == "BYTE" else _part_of_characters
    shown = () if array.shape == given.shape or given.ndim == 0 else texts_.shape
    triples = zip(texts_.flat, starts.flat, lengths.flat, strict=True)
    parts = [
        cut(text, int(start), int(size), _place(k, shown))
        for k, (text, start, size) in enumerate(triples)
    ]
    return text_array(parts, texts_.shape)


def _place(k: int, shape: tuple[int, ...]) -> str:
    """Names a text as TensorFlow does: by its number, or by row and column if it broadcasts."""
    if len(shape) < 2:
        return str(k)
    return f"({', '.join(str(int(p)) for p in np.unravel_index(k, shape))})"


def _part(text: bytes, start: int, size: int, place: str) -> bytes:
    if not -len(text) <= start <= len(text):
        shown = str(text)
        raise failed("Substr", f"pos {start} out of range for string {shown} at index {place}")
    first = start + len(text) if start < 0 else start
    return text[first:] if size < 0 else text[first : first + size]


def _part_of_characters(text: bytes, start: int, size: int, place: str) -> bytes:
    # A byte in the middle of a character begins one only at the start of the text.
    begins: Array = np.array(
        [k for k, byte in enumerate(text) if byte & 0xC0 != 0x80 or not k], np.int64
    )
    count = len(begins)
    if not -count <= start <= count:
        raise failed("Substr", f"pos {start} out of range for string at index {place}")
    first = start + count if start < 0 else start
    last = count if size < 0 else min(first + size, count)
    edges = [*begins.tolist(), len(text)]
    return text[edges[first] : edges[last]]
