"""Ragged tensors of texts: `tf.strings.join` and the like, and `tf.ragged.cross`."""

import functools
import itertools
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import handles
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.string_arrays import string_tensor, text_tensor
from tapefacade._core.tensor import MESSAGE_COMPUTING, from_host
from tapefacade._definition.checks import invalid
from tapefacade._definition.op import function
from tapefacade._ops.array.shaping import expand_dims, reshape
from tapefacade._ragged.broadcasting import dense_or_ragged
from tapefacade._ragged.mapping import check_same
from tapefacade._ragged.partition import RowPartition, nested, of_lengths
from tapefacade._ragged.segments import by_segment
from tapefacade._ragged.tensor import RaggedTensor, placed


@handles(RaggedTensor, "strings.join")
def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Joins texts at the same places."""
    values = [dense_or_ragged(value) for value in inputs]
    ragged = [value for value in values if isinstance(value, RaggedTensor)]
    sizes = {value.flat_values._type.shape[0] for value in ragged}
    if len(sizes) > 1:
        raise ValueError(
            "Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got "
            f"sizes: {sizes}"
        )
    partitions = check_same(ragged)
    flat = [value.flat_values if isinstance(value, RaggedTensor) else value for value in values]
    return nested(FUNCTIONS["strings.join"](flat, separator), partitions, RaggedTensor)


@handles(RaggedTensor, "strings.reduce_join")
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Joins texts along dimensions."""
    plain = FUNCTIONS["strings.reduce_join"]
    if axis is None:
        result = plain(inputs.flat_values, separator=separator)
        return reshape(result, [1] * inputs._rank) if keepdims else result
    given = axis if isinstance(axis, list | tuple) else [axis]
    result = inputs
    for a in sorted({placed(a, inputs._rank) for a in given}, reverse=True):
        result = _joined(result, a, keepdims, separator)
    return result


def _joined(value: Any, axis: int, keepdims: bool, separator: str) -> Any:
    if not isinstance(value, RaggedTensor):
        function_ = FUNCTIONS["strings.reduce_join"]
        return function_(value, axis=axis, keepdims=keepdims, separator=separator)
    partition = value._partition
    if axis > 1:
        return value._make(_joined(value._values, axis - 1, keepdims, separator), partition)
    rows = functools.partial(FUNCTIONS["strings.unsorted_segment_join"], separator=separator)
    if axis == 1:
        result = by_segment(rows, value._values, partition.ids, partition.nrows)
    else:
        within = np.arange(partition.nvals) - partition.splits[:-1][partition.ids]
        result = by_segment(rows, value._values, within, int(partition.lengths.max(initial=0)))
    return expand_dims(result, axis) if keepdims else result


@handles(RaggedTensor, "strings.format")
def format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Any:
    """Writes ragged tensors into a template, and has the others written."""
    given = [inputs] if hasattr(inputs, "dtype") else list(inputs)
    parts = template.split(placeholder)
    if len(parts) - 1 != len(given):
        given = [value.flat_values if isinstance(value, RaggedTensor) else value for value in given]
        return FUNCTIONS["strings.format"](template, given, placeholder, summarize)
    mark = "\0"  # no text of a template has it
    text, dense = parts[0], []
    for value, part in zip(given, parts[1:], strict=True):
        if isinstance(value, RaggedTensor):
            text += value._printed(summarize) + part
        else:
            dense.append(value)
            text += mark + part
    return FUNCTIONS["strings.format"](text, dense, mark, summarize)


# Crosses.

DEFAULT_KEY = 0xDECAFCAFFE
FACTOR = 0xC6A4A7935BD1E995
WORD = 0xFFFFFFFFFFFFFFFF


def _rows(value: Any) -> list[list[Any]]:
    """Returns the texts or numbers of each row of a feature."""
    if (value._rank if isinstance(value, RaggedTensor) else len(value._type.shape)) != 2:
        raise ValueError("tf.ragged.cross only supports inputs with rank=2")
    if not (value.dtype is dtypes.string or value.dtype.is_integer):
        raise ValueError(f"Unexpected dtype for inputs: {value.dtype}")
    rows = value.to_list() if isinstance(value, RaggedTensor) else value.numpy().tolist()
    return rows


def as_text(part: Any) -> bytes:
    """Returns a part of a combination as a text."""
    return part if isinstance(part, bytes) else str(part).encode()


def _crossed(inputs: Any) -> tuple[list[tuple[Any, ...]], RowPartition]:
    """Lists the combinations of all rows, and their partition."""
    tensors = [value if isinstance(value, RaggedTensor) else convert(value) for value in inputs]
    features = [_rows(value) for value in tensors]
    if len({len(rows) for rows in features}) > 1:
        message = "inputs must all have the same batch dimension size."
        raise invalid(f"{MESSAGE_COMPUTING.format('RaggedCross')}{message} [Op:RaggedCross] name: ")
    rows = [list(itertools.product(*parts)) for parts in zip(*features, strict=True)]
    flat = [combination for row in rows for combination in row]
    return flat, of_lengths([len(row) for row in rows], np.int64)


@function("ragged.cross")
def cross(inputs: Any, name: str | None = None) -> Any:
    """Joins all combinations of the elements of rows.

    Args:
        inputs: a list of tensors and ragged tensors of texts or integers, `[rows, (length)]`.
        name: ignored.

    Returns:
        A ragged tensor of texts, the parts of which are separated by `_X_`.

    Raises:
        ValueError: if an input is no matrix.
        InvalidArgumentError: if the inputs differ in their number of rows.

    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), [["d"], ["e"]]])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>
    """
    combinations, partition = _crossed(inputs)
    flat = np.empty(len(combinations), object)
    flat[:] = [b"_X_".join(as_text(part) for part in parts) for parts in combinations]
    return RaggedTensor._make(string_tensor(flat), partition)


@function("ragged.cross_hashed")
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> Any:
    """Hashes all combinations of the elements of rows.

    Args:
        inputs: a list of tensors and ragged tensors of texts or integers, `[rows, (length)]`.
        num_buckets: the number of different results; 0 for all integers.
        hash_key: what the hash begins with.
        name: ignored.

    Returns:
        A ragged tensor of int64.

    Raises:
        ValueError: if an input is no matrix.
        InvalidArgumentError: if the inputs differ in their number of rows.

    Texts are hashed with FarmHash (https://github.com/google/farmhash), integers are taken as they
    are, and both combined with the mixing step of MurmurHash.

    >>> tf.ragged.cross_hashed([tf.ragged.constant([["a"], ["b", "c"]]), [["d"], ["e"]]], 10)
    <tf.RaggedTensor [[2], [1, 1]]>
    """
    combinations, partition = _crossed(inputs)
    found = hashes(combinations, num_buckets, hash_key)
    return RaggedTensor._make(from_host(found), partition)


def hashes(
    combinations: list[tuple[Any, ...]], num_buckets: int, hash_key: int | None
) -> np.ndarray[Any, Any]:
    """Hashes combinations of texts and integers; see `cross_hashed`."""
    texts = sorted({part for parts in combinations for part in parts if isinstance(part, bytes)})
    prints: dict[Any, int] = dict(zip(texts, _fingerprints(texts), strict=True))
    limit = num_buckets or 2**63 - 1
    found = []
    for parts in combinations:
        value = DEFAULT_KEY if hash_key is None else hash_key
        for part in parts:
            value = _mixed(value, prints[part] if isinstance(part, bytes) else part & WORD)
        found.append(value % limit)
    return np.array(found, np.int64)


def _fingerprints(texts: list[bytes]) -> list[int]:
    if not texts:
        return []
    digits = FUNCTIONS["fingerprint"](text_tensor(np.array(texts, object))).numpy()
    return [int.from_bytes(bytes(row.tolist()), "little") for row in digits]


def _mixed(first: int, second: int) -> int:
    """Combines two hashes."""
    value = (second * FACTOR) & WORD
    value = ((value ^ (value >> 47)) * FACTOR) & WORD
    value = ((first ^ FACTOR ^ value) * FACTOR) & WORD
    value = ((value ^ (value >> 47)) * FACTOR) & WORD
    return value ^ (value >> 47)
