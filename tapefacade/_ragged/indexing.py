"""Subscripts of ragged tensors: `rt[1]`, `rt[:, 1:]`, `rt[..., 0]`."""

from typing import Any

import numpy as np

from tapefacade._core.conversion import is_tensor
from tapefacade._core.error_texts import invalid
from tapefacade._core.kernel_dtypes import INDICES
from tapefacade._definition.op import function
from tapefacade._ops.array.indexing import MESSAGE_TYPE, out_of_bounds, slicing_error
from tapefacade._ops.array.shaping import expand_dims
from tapefacade._ragged.partition import Array, Partition, assert_equal, of_lengths, of_uniform
from tapefacade._ragged.rows import ranges, select
from tapefacade._ragged.tensor import RaggedTensor, length_of

WHOLE_AXIS = slice(None)


@function("_ragged_getitem")
def getitem(x: Any, key: Any) -> Any:
    """Takes `x[key]` of a ragged tensor.

    Args:
        x: a ragged tensor.
        key: integers, slices, `...`, `tf.newaxis`, scalar integer tensors, or a tuple of these. An
            inner ragged dimension takes slices only: not every row need have an element at an
            index.

    Returns:
        A ragged tensor, or a tensor if no ragged dimension is left.

    Raises:
        ValueError: for an index into an inner ragged dimension.
        IndexError: for an index after the last row.
        InvalidArgumentError: if another index is out of bounds, or there are too many.
        TypeError: if something is no index.

    >>> rt = tf.ragged.constant([[1, 2], [], [3]])
    >>> rt[0].numpy(), rt[1:, :1]
    (array([1, 2], dtype=int32), <tf.RaggedTensor [[], [3]]>)
    """
    keys = list(key) if isinstance(key, tuple | list) else [key]
    if isinstance(key, bool | np.bool_):
        raise ValueError("mask cannot be scalar.")
    return _outer(x, [_read(item) for item in keys])


def _read(item: Any) -> Any:
    """Checks an item of a subscript; looks at tensors."""
    if item is None or item is Ellipsis:
        return item
    if isinstance(item, slice):
        bounds = [None if b is None else _index(b) for b in (item.start, item.stop, item.step)]
        return slice(*bounds)
    return _index(item)


def _index(item: Any) -> int:
    if isinstance(item, bool):
        raise TypeError(MESSAGE_TYPE.format(item))
    if isinstance(item, int | np.integer):
        return int(item)
    if is_tensor(item) and not isinstance(item, RaggedTensor):
        if item.dtype.name in INDICES and item.shape.rank == 0:
            return int(item.numpy())
    elif isinstance(item, np.ndarray) and item.ndim == 0 and item.dtype.kind == "i":
        return int(item)
    raise TypeError(MESSAGE_TYPE.format(item))


def _expanded(keys: list[Any], rank: int) -> list[Any]:
    """Puts full slices in place of the first ellipsis."""
    at = next(i for i, key in enumerate(keys) if key is Ellipsis)
    used = sum(key is not None and key is not Ellipsis for key in keys)
    return [*keys[:at], *[WHOLE_AXIS] * (rank - used), *[k for k in keys[at:] if k is not Ellipsis]]


def _rank(x: Any) -> int:
    return x._rank if isinstance(x, RaggedTensor) else len(x._type.shape)


def _outer(x: Any, keys: list[Any]) -> Any:
    """Takes `x[keys]`, of which the first is about the rows."""
    if not isinstance(x, RaggedTensor):
        return x[tuple(keys)] if keys else x
    if any(key is Ellipsis for key in keys):
        keys = _expanded(keys, x._rank)
    if not keys:
        return x
    key, *rest = keys
    if key is None:
        inner = _outer(x, rest)
        if not isinstance(inner, RaggedTensor):
            return expand_dims(inner, 0)
        dtype = x._partition.splits.dtype
        return x._make(inner, of_uniform(length_of(inner), 1, dtype))
    partition = x._partition
    if isinstance(key, slice):
        if key.step == 0:
            raise slicing_error("strides[0] must be non-zero")
        return _inner(select(x, np.arange(partition.nrows)[key]), rest)
    row = _row(key, partition.nrows)
    start, end = partition.splits[row : row + 2]
    return _outer(select(x._values, np.arange(start, end)), rest)


def _row(key: int, count: int) -> int:
    if key >= count:
        raise IndexError(f"Row key {key} out of bounds")
    row = key + count if key < 0 else key
    if row < 0:
        raise out_of_bounds(row, 0)
    return row


def _inner(x: Any, keys: list[Any]) -> Any:
    """Takes `x[:, keys]`."""
    if not keys:
        return x
    if not isinstance(x, RaggedTensor):
        return x[(WHOLE_AXIS, *keys)]
    key, *rest = keys
    partition = x._partition
    if key is None:
        inner = _inner(x, rest)
        return x._make(inner, of_uniform(1, partition.nrows, partition.splits.dtype))
    if key == WHOLE_AXIS:
        return x._make(_inner(x._values, rest), partition)
    if isinstance(key, slice):
        places, chosen = sliced_rows(partition, key)
        return x._make(_inner(select(x._values, places), rest), chosen)
    return _inner(_column(x, key), rest)


def _column(x: RaggedTensor, key: int) -> Any:
    """Takes one element of each row, all of which have the same length."""
    partition = x._partition
    length = partition.uniform
    if length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    text = "Index out of bounds when indexing into a ragged tensor"
    if key >= length:
        raise invalid(
            f"{text}\nCondition x < y did not hold.\nFirst 1 elements of x:\n[{key}]\n"
            f"First 1 elements of y:\n[{length}]"
        )
    assert_equal(-length, key, text, "<=")
    return select(x._values, partition.splits[:-1] + key % length)


def sliced_rows(partition: Partition, key: slice) -> tuple[Array, Partition]:
    """Slices every row; returns the positions of what is left of the values, and its partition."""
    if key.step == 0:
        raise invalid("Requires delta != 0 [Op:RaggedRange] name: ")
    lengths, dtype = partition.lengths, partition.splits.dtype
    known, which = np.unique(lengths, return_inverse=True)
    found = [range(*key.indices(n)) for n in known.tolist()]
    counts = np.array([len(part) for part in found], dtype)[which]
    firsts = np.array([part.start for part in found], dtype)[which]
    step = 1 if key.step is None else key.step
    within = ranges(np.zeros_like(counts), counts) * step
    places = within + np.repeat(partition.splits[:-1] + firsts, counts)
    uniform = partition.uniform
    if uniform is not None:
        uniform = len(range(*key.indices(uniform)))
    return places, of_lengths(counts, dtype, uniform)
