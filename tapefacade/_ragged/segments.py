"""Groups of rows of ragged tensors: `unsorted_segment_*`, row ids, `dynamic_partition`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.dispatch import handles
from tapefacade._core.error_texts import invalid, wrong_rank
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._ops.array.gathering import gather
from tapefacade._ops.array.shaping import expand_dims, reshape
from tapefacade._ops.debugging.values import assert_equal
from tapefacade._ops.math.histograms import MESSAGE_NEGATIVE
from tapefacade._ops.math.segments import unsorted_segment_max
from tapefacade._ragged.partition import (
    SPLITS_DTYPES,
    Array,
    Partition,
    assert_not_negative,
    nested_ragged,
    of_lengths,
)
from tapefacade._ragged.rows import ranges
from tapefacade._ragged.tensor import RaggedTensor

SEGMENT_REDUCTIONS = ("sum", "prod", "max", "min", "mean", "sqrt_n")
MESSAGE_PREFIX = "segment_ids.shape must be a prefix of data.shape"


def by_segment(reduce: Callable[..., Any], data: Any, ids: Array, count: int) -> Any:
    """Reduces rows of a ragged or dense tensor.

    Args:
        reduce: what reduces a dense tensor, such as `tf.math.unsorted_segment_sum`.
        data: the rows, `[n, ...]`.
        ids: the group of each row.
        count: the number of groups.

    Returns:
        A tensor `[count, ...]`; where rows are ragged, those of a group are laid upon each other.
    """
    if not isinstance(data, RaggedTensor):
        return reduce(data, from_host(np.array(ids)), count)
    unsorted_segment_max(data._partition.lengths, from_host(ids), count)
    partition = data._partition
    lengths = np.zeros(count, partition.splits.dtype)
    inside = ids >= 0
    np.maximum.at(lengths, ids[inside], partition.lengths[inside])
    rows = of_lengths(lengths, partition.splits.dtype)
    starts = np.where(inside, rows.splits[np.where(inside, ids, 0)], -partition.nvals)
    places = ranges(starts, partition.lengths)
    below = np.where(places < 0, -1, places)
    return data._make(by_segment(reduce, data._values, below, rows.nvals), rows)


def _segments(kind: str) -> Callable[..., Any]:
    def handler(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> Any:
        while isinstance(segment_ids, RaggedTensor):
            if not isinstance(data, RaggedTensor):
                raise ValueError(f"{MESSAGE_PREFIX}, but segment_ids is ragged and data is not.")
            _check_prefix(segment_ids._partition, data._partition)
            data, segment_ids = data._values, segment_ids._values
        ids = segment_ids if isinstance(segment_ids, EagerTensor) else convert(segment_ids)
        count = int(np.asarray(num_segments))
        if not isinstance(data, RaggedTensor):
            return FUNCTIONS[f"math.unsorted_segment_{kind}"](data, ids, count)
        return by_segment(FUNCTIONS[f"math.unsorted_segment_{kind}"], data, ids.numpy(), count)

    return handler


def _check_prefix(ids: Partition, data: Partition) -> None:
    if ids != data:
        assert_equal(ids.tensor, data.tensor, message=MESSAGE_PREFIX)


for _kind in SEGMENT_REDUCTIONS:
    handles(RaggedTensor, f"math.unsorted_segment_{_kind}")(_segments(_kind))


def _splits_type(out_type: Any, *values: Any) -> dtypes.DType:
    """Returns the dtype of splits or ids: that of the tensors, by default int64."""
    if out_type is not None:
        return dtypes.as_dtype(out_type)
    found = {value.dtype for value in values if hasattr(value, "dtype")}
    found = {dtype for dtype in map(dtypes.as_dtype, found) if dtype in SPLITS_DTYPES}
    return found.pop() if len(found) == 1 else dtypes.int64


def _integers(value: Any) -> EagerTensor:
    """Converts integers, those of Python to int64."""
    return convert_to_tensor(value, dtype_hint=dtypes.int64)


@function("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """Computes the row of each value from the splits of rows.

    Args:
        splits: a sorted vector of int32 or int64, from 0 to the number of values.
        name: ignored.
        out_type: the dtype of the result, by default that of `splits`.

    Returns:
        A vector of integers, as many as there are values.

    Raises:
        ValueError: if `splits` is no such vector.

    >>> tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]).numpy()
    array([0, 0, 0, 2, 2])
    """
    given = _integers(splits)
    if given.dtype not in SPLITS_DTYPES:
        raise ValueError("splits must have dtype int32 or int64")
    if given.shape.rank != 1:
        raise ValueError(wrong_rank(given.shape, 1))
    if given._type.size == 0:
        raise ValueError("Invalid row_splits: []")
    dtype = _splits_type(out_type, given)
    ids = Partition(given.numpy().astype(dtype.as_numpy_dtype)).ids
    return from_host(ids)


@function("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Any:
    """Computes the splits of rows from the row of each value.

    Args:
        segment_ids: a sorted vector of integers.
        num_segments: the number of rows, by default the last id + 1.
        out_type: the dtype of the result, by default that of `segment_ids`.
        name: ignored.

    Returns:
        A vector of one integer more than there are rows.

    Raises:
        InvalidArgumentError: if an id is negative.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2]).numpy()
    array([0, 3, 3, 5])
    """
    given = _integers(segment_ids)
    if not given.dtype.is_integer:
        raise TypeError(
            "Argument `tensor` (name: segment_ids) must be of type integer. Received `tensor` = "
            f"{given.numpy()} of dtype: {given.dtype}"
        )
    if given.shape.rank != 1:
        raise ValueError(wrong_rank(given.shape, 1))
    dtype = _splits_type(out_type, given)
    ids = given.numpy()
    if ids.size and ids.min() < 0:
        raise invalid(MESSAGE_NEGATIVE)
    count = int(ids.max(initial=-1)) + 1
    if num_segments is not None:
        count = int(np.asarray(num_segments))
    lengths = np.bincount(ids[ids < count], minlength=count)[:count] if ids.size else [0] * count
    return from_host(of_lengths(lengths, dtype.as_numpy_dtype).splits)


@function("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> Any:
    """Sorts values into rows.

    Args:
        data: a tensor or ragged tensor; its shape begins with that of `partitions`.
        partitions: the row of each value, integers.
        num_partitions: the number of rows.
        name: ignored.

    Returns:
        A ragged tensor `[num_partitions, (length), ...]`.

    Raises:
        InvalidArgumentError: if a row is not within the number of rows.

    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [1, 0, 1], 2)
    <tf.RaggedTensor [[b'b'], [b'a', b'c']]>
    """
    data = data if isinstance(data, RaggedTensor) else convert(data)
    if isinstance(partitions, RaggedTensor):
        shape = data.shape[: partitions._rank]
        partitions.shape.assert_is_compatible_with(shape)
        if not isinstance(data, RaggedTensor):
            data = RaggedTensor.from_tensor(data)
        _check_data_prefix(partitions._partition, data._partition)
        stacked = stack_dynamic_partitions(data._values, partitions._values, num_partitions)
        return stacked.with_row_splits_dtype(partitions._partition.dtype)
    given = convert(partitions)
    count = int(np.asarray(num_partitions))
    rank = given.shape.rank
    assert rank is not None
    given.shape.assert_is_compatible_with(data.shape[:rank])
    if rank != 1:
        given, data = _one_dimension(given, data, rank)
    rows = given.numpy()
    _check_rows(rows, count)
    order = np.argsort(rows, kind="stable")
    lengths = np.bincount(rows, minlength=count)
    dtype = data._partition.dtype if isinstance(data, RaggedTensor) else given.dtype
    values = gather(data, from_host(order))
    return nested_ragged(values, [of_lengths(lengths, dtype.as_numpy_dtype)], RaggedTensor)


def _check_data_prefix(partitions: Partition, data: Partition) -> None:
    if partitions != data:
        assert_equal(data.tensor, partitions.tensor)


def _one_dimension(given: EagerTensor, data: Any, rank: int) -> tuple[EagerTensor, Any]:
    """Merges or adds dimensions, so that there is one row id for each row of `data`."""
    if rank == 0:
        return expand_dims(given, 0), expand_dims(data, 0)
    flat = reshape(given, [-1])
    if isinstance(data, RaggedTensor):
        return flat, data.merge_dims(0, rank - 1)
    shape = data._type.shape
    return flat, reshape(data, (flat._type.size, *shape[rank:]))


def _check_rows(rows: Array, count: int) -> None:
    assert_not_negative(rows, "partitions must be non-negative.")
    if rows.size and rows.max() >= count:
        raise errors.InvalidArgumentError(
            None,
            None,
            "partitions must be less than num_partitions\nCondition x < y did not hold.\n"
            f"First 1 elements of x:\n[{rows.max()}]\nFirst 1 elements of y:\n[{count}]",
        )


@handles(RaggedTensor, "dynamic_partition")
def dynamic_partition(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> list[Any]:
    """Sorts rows or elements into parts."""
    stacked = stack_dynamic_partitions(data, partitions, num_partitions)
    return [stacked[place] for place in range(int(np.asarray(num_partitions)))]
