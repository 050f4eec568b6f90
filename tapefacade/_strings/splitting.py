"""Texts in parts: split, bytes_split, ngrams."""

import itertools
from typing import Any

import numpy as np

from tapefacade._definition.op import function
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._strings.arguments import attribute_text, text_array, text_scalar, texts
from tapefacade._strings.rows import by_rows, in_rows
from tapefacade._trace.open_sizes import with_unknown_axes


def _texts(values: list[bytes]) -> Any:
    return text_array(values, (len(values),))


@function("strings.split", on_values=True)
def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """Splits texts at a separator.

    Args:
        input: texts of any shape, or a ragged tensor of texts.
        sep: the separator; without one, texts are split at white space, of which there may be
            more than one.
        maxsplit: how often a text is split at most; -1 for no limit.
        name: ignored.

    Returns:
        A string tensor with one more dimension than `input`: ragged, unless `input` is a scalar.

    >>> tf.strings.split(["two words", "one"])
    <tf.RaggedTensor [[b'two', b'words'], [b'one']]>
    """
    separator = b"" if sep is None else text_scalar(sep, "StringSplitV2", 1, "sep")

    def cut(given: Any) -> Any:
        array = texts(given, "StringSplitV2")
        rows = [_parts(text, separator, maxsplit) for text in array.flat]
        return in_rows(rows, array.shape, _texts)

    return by_rows(cut, input)


def _parts(text: bytes, separator: bytes, limit: int) -> list[bytes]:
    if separator:
        return text.split(separator, limit)
    return text.split(None, limit) if limit else [text]


@function("strings.bytes_split", on_values=True)
def bytes_split(input: Any, name: str | None = None) -> Any:
    """Splits texts into their bytes.

    Args:
        input: texts of any shape, or a ragged tensor of texts.
        name: ignored.

    Returns:
        A string tensor with one more dimension than `input`: ragged, unless `input` is a scalar.

    >>> tf.strings.bytes_split("hello").numpy()
    array([b'h', b'e', b'l', b'l', b'o'], dtype=object)
    """

    def cut(given: Any) -> Any:
        array = texts(given, "StringSplitV2")
        rows = [[text[k : k + 1] for k in range(len(text))] for text in array.flat]
        return in_rows(rows, array.shape, _texts)

    return by_rows(cut, input)


@function("strings.ngrams", on_values=True)
def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Joins texts that follow one another.

    Args:
        data: texts of shape `[..., n]`, a tensor or ragged tensor.
        ngram_width: how many texts are joined, an integer or several.
        separator: what is put between them.
        pad_values: what is put in front of and behind each row: a text, or a tuple of two.
        padding_width: how often; by default one less than the width.
        preserve_short_sequences: whether a row that is too short becomes one n-gram.
        name: ignored.

    Returns:
        A string tensor of the n-grams of each row, those of the first width first; ragged if
        `data` is.

    Raises:
        ValueError: if `data` is a scalar, or a width is not positive.
        TypeError: if an argument is of another type.

    >>> tf.strings.ngrams(["a", "b", "c"], 2).numpy()
    array([b'a b', b'b c'], dtype=object)
    """
    widths = list(ngram_width) if isinstance(ngram_width, list | tuple) else [ngram_width]
    for width in widths:
        if width < 1:
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    if padding_width is not None and padding_width < 1:
        raise ValueError("padding_width must be greater than 0.")
    pads = pad_values if isinstance(pad_values, list | tuple) else (pad_values, pad_values)
    left, right = (None if p is None else attribute_text(p, "pad") for p in pads[:2])
    glue = attribute_text(separator, "separator")

    def grams(row: list[bytes]) -> list[bytes]:
        found: list[bytes] = []
        for width in widths:
            count = 0 if left is None else min(padding_width or width - 1, width - 1)
            found += _grams(row, width, glue, left or b"", right or b"", count)
        if not found and preserve_short_sequences and row:
            width = min(widths)
            count = 0 if left is None else min(padding_width or width - 1, width - 1)
            found = [glue.join([left or b""] * count + row + [right or b""] * count)]
        return found

    if isinstance(data, RaggedTensor):
        return _ragged_grams(data, grams)
    array = texts(data, "StringNGrams")
    if array.ndim == 0:
        raise ValueError("Data must have rank>0")
    count = int(np.prod(array.shape[:-1], dtype=np.int64))
    rows = [grams(list(row)) for row in array.reshape(count, array.shape[-1])]
    width = len(rows[0]) if rows else len(grams([b""] * array.shape[-1]))
    made = text_array([g for row in rows for g in row], (*array.shape[:-1], width))
    return with_unknown_axes(made, -1)


def _grams(
    row: list[bytes], width: int, glue: bytes, left: bytes, right: bytes, count: int
) -> list[bytes]:
    padded = [left] * count + row + [right] * count
    return [glue.join(padded[k : k + width]) for k in range(len(padded) - width + 1)]


def _ragged_grams(data: Any, grams: Any) -> Any:
    values = data.values
    if isinstance(values, RaggedTensor):
        return data.with_values(_ragged_grams(values, grams))
    array = texts(values, "StringNGrams").tolist()
    splits = data.row_splits._numpy_array().tolist()
    rows = [grams(array[a:b]) for a, b in itertools.pairwise(splits)]
    return in_rows(rows, (len(rows),), _texts)
