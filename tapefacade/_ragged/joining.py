"""Ragged tensors put together and taken apart: `concat`, `stack`, `split`, `tile`."""

import itertools
from typing import Any

import numpy as np

from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import handles
from tapefacade._core.error_texts import wrong_rank
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import function
from tapefacade._ops.array.joining import (
    concat as dense_concat,
    split as dense_split,
    stack as dense_stack,
)
from tapefacade._ops.array.shaping import tile as dense_tile
from tapefacade._ops.debugging.values import assert_equal as dense_assert_equal
from tapefacade._ragged.broadcasting import dense_or_ragged, rank_of, splits_dtype
from tapefacade._ragged.dense_conversion import merged_axes
from tapefacade._ragged.partition import (
    Partition,
    assert_equal,
    assert_not_negative,
    nested_ragged,
    of_lengths,
    of_uniform,
)
from tapefacade._ragged.rows import ranges, select
from tapefacade._ragged.tensor import RaggedTensor, axis_from_front, length_of


def not_uniform(value: Any) -> Any:
    """Forgets which dimensions of a ragged tensor are known to be uniform."""
    if not isinstance(value, RaggedTensor):
        return value
    partitions = [Partition(partition.splits) for partition in value._partitions]
    return nested_ragged(value.flat_values, partitions, RaggedTensor)


def with_rank(value: Any, depth: int, dtype: Any) -> Any:
    """Partitions further dimensions of a tensor, until so many are."""
    if depth <= 0:
        return value
    if isinstance(value, RaggedTensor):
        below = with_rank(value._values, depth - 1, dtype)
        return value._make(below, value._partition)
    count, width = value._type.shape[:2]
    below = with_rank(merged_axes(value, 2), depth - 1, dtype)
    return RaggedTensor._make(below, of_uniform(width, count, dtype))


def _prepared(values: Any) -> list[Any]:
    """Converts what is joined; all get the rank of the first and the highest ragged rank."""
    if isinstance(values, RaggedTensor):
        values = [values]
    values = [dense_or_ragged(value) for value in values]
    rank = rank_of(values[0])
    for value in values:
        if rank_of(value) != rank:
            raise ValueError(wrong_rank(value.shape, rank))
    return values


def _alike(values: list[Any]) -> list[Any]:
    dtype = splits_dtype(values) if any(isinstance(v, RaggedTensor) for v in values) else np.int64
    depth = max([v.ragged_rank for v in values if isinstance(v, RaggedTensor)], default=1)
    return [with_rank(value, depth, dtype) for value in values]


def concatenated_rows(values: list[Any]) -> Any:
    """Joins the rows of tensors of one ragged rank."""
    if not isinstance(values[0], RaggedTensor):
        return dense_concat(values, 0)
    dtype = values[0]._partition.splits.dtype
    lengths = np.concatenate([value._partition.lengths for value in values])
    inner = concatenated_rows([value._values for value in values])
    return RaggedTensor._make(inner, of_lengths(lengths, dtype))


def _check_rows(values: list[Any]) -> int:
    count = length_of(values[0])
    for place, value in enumerate(values[1:], 1):
        text = f"Input tensors at index 0 (=x) and {place} (=y) have incompatible shapes."
        assert_equal(count, length_of(value), text)
    return count


def _check_splits(values: list[Any]) -> None:
    first = values[0]._partition
    for value in values[1:]:
        if value._partition != first:
            dense_assert_equal(
                first.tensor,
                value._partition.tensor,
                message="Inputs must have identical ragged splits",
            )


def joined_values(values: list[Any], axis: int, stacked: bool) -> Any:
    """Concatenates or stacks tensors of one ragged rank along any dimension."""
    if not isinstance(values[0], RaggedTensor):
        return (dense_stack if stacked else dense_concat)(values, axis)
    dtype = values[0]._partition.splits.dtype
    if axis == 0:
        rows = concatenated_rows(values)
        if not stacked:
            return rows
        return RaggedTensor._make(rows, of_lengths([length_of(v) for v in values], dtype))
    if axis > 1:
        _check_splits(values)
        inner = joined_values([value._values for value in values], axis - 1, stacked)
        return RaggedTensor._make(inner, Partition(values[0]._partition.splits))
    count, number = _check_rows(values), len(values)
    order = np.arange(count * number).reshape(number, count).T.ravel()
    rows = select(concatenated_rows(values), order)
    if stacked:
        return RaggedTensor._make(rows, of_lengths([number] * count, dtype))
    lengths = rows._partition.lengths.reshape(count, number).sum(axis=1)
    return RaggedTensor._make(rows._values, of_lengths(lengths, dtype))


@handles(RaggedTensor, "concat")
def concat(values: Any, axis: Any, name: str | None = None) -> Any:
    """Concatenates ragged and dense tensors."""
    values = _prepared(values)
    axis = axis_from_front(axis, rank_of(values[0]))
    if len(values) == 1:
        return values[0]
    return joined_values(_alike(values), axis, stacked=False)


@handles(RaggedTensor, "stack")
def stack(values: Any, axis: Any = 0, name: str | None = None) -> Any:
    """Stacks ragged and dense tensors."""
    values = _prepared(values)
    axis = axis_from_front(axis, rank_of(values[0]) + 1)
    return joined_values(_alike(values), axis, stacked=True)


@function("ragged.stack")
def ragged_stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Stacks tensors, which may differ in shape.

    Args:
        values: a list of ragged or dense tensors of one rank and dtype.
        axis: the new dimension.
        name: ignored.

    Returns:
        A ragged tensor with one more dimension; a tensor if the values are scalars.

    Raises:
        ValueError: if the ranks differ, or there are no values.

    >>> tf.ragged.stack([tf.constant([1, 2]), tf.constant([3])])
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    if not isinstance(values, list | tuple):
        values = [values]
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    values = _prepared(values)
    rank = rank_of(values[0])
    axis = axis_from_front(axis, rank + 1)
    if not any(isinstance(value, RaggedTensor) for value in values):
        if rank == 0 or axis:
            return dense_stack(values, axis)
        if rank == 1:
            lengths = of_lengths([length_of(value) for value in values], np.int32)
            return RaggedTensor._make(dense_concat(values, 0), lengths)
    return not_uniform(joined_values(_alike(values), axis, stacked=True))


@handles(RaggedTensor, "tile")
def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Repeats rows, and the elements of each row."""
    given = multiples if hasattr(multiples, "dtype") else convert(multiples)
    if not given.dtype.is_integer:
        raise TypeError(
            "Argument `tensor` (name: multiples) must be of type integer. Received `tensor` = "
            f"{given.numpy()} of dtype: {given.dtype}"
        )
    counts = np.asarray(given)
    if np.all(counts == 1) and len(counts) == input._rank:
        return input
    return _tiled(input, counts, input.ragged_rank)


def _tiled(value: Any, counts: Any, depth: int) -> Any:
    """Repeats rows by the first count, and what is below them by the others."""
    if not isinstance(value, RaggedTensor):
        return dense_tile(value, from_host(np.array(counts)))
    if counts[0] < 0:
        dense_tile(value.flat_values, from_host(np.array(counts[:1])))
    partition = value._partition
    inner = counts.copy()
    inner[1] = 1
    below = _tiled(value._values, inner[1:], depth - 1)
    starts = np.repeat(partition.splits[:-1], counts[1])
    lengths = np.repeat(partition.lengths, counts[1])
    rows = select(below, ranges(starts, lengths))
    once = of_lengths(partition.lengths * counts[1], partition.splits.dtype)
    result = not_uniform(RaggedTensor._make(rows, once))
    if counts[0] == 1:
        return result
    return select(result, np.tile(np.arange(partition.nrows), counts[0]))


@handles(RaggedTensor, "split")
def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str = "split"
) -> Any:
    """Splits along a dimension in which all rows have the same length."""
    if not isinstance(value, RaggedTensor):
        return NotImplemented
    axis = axis_from_front(axis, value._rank)
    if axis > value.ragged_rank:
        inner = axis - value.ragged_rank
        parts = dense_split(value.flat_values, num_or_size_splits, inner, num)
        return [value.with_flat_values(part) for part in parts]
    if axis > 1:
        parts = split(value._values, num_or_size_splits, axis - 1, num)
        return [value._make(part, value._partition) for part in parts]
    size = value._partition.nrows if axis == 0 else value._partition.uniform
    sizes = _sizes(num_or_size_splits, size)
    starts = np.cumsum([0, *sizes])
    parts = []
    for start, end in itertools.pairwise(starts):
        rows = slice(int(start), int(end))
        parts.append(value[rows] if axis == 0 else value[:, rows])
    return parts


def _sizes(given: Any, size: int | None) -> list[int]:
    """Returns the sizes of the parts."""
    text = (
        "Cannot exactly split the `axis` dimension of `value` with the given `num_or_size_split`."
    )
    counts = np.asarray(given)
    if counts.ndim == 0 and int(counts) == 1 and size is None:
        return [2**62]
    if size is None:
        raise ValueError(
            "ragged_rank dimension cannot be split: its rows may have different lengths."
        )
    if counts.ndim == 0:
        number = int(counts)
        if number <= 0:
            raise ValueError(f"num_or_size_splits must be positive, got {number}")
        if size % number:
            assert_equal(size, size // number * number, text)
        return [size // number] * number
    assert_not_negative(counts, "`num_or_size_splits` must be non-negative.")
    if int(counts.sum()) != size:
        assert_equal(size, int(counts.sum()), text)
    return [int(n) for n in counts]
