"""Dimensions of ragged tensors: added, removed, reversed, counted."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.dispatch import handles
from tapefacade._core.error_texts import invalid
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._ops.array.copying import identity as dense_identity, stop_gradient
from tapefacade._ops.array.creation import one_hot as dense_one_hot
from tapefacade._ops.array.gathering import take
from tapefacade._ops.array.shaping import (
    expand_dims as dense_expand_dims,
    reshape as dense_reshape,
    reverse as dense_reverse,
    squeeze as dense_squeeze,
)
from tapefacade._ops.math.cumulative import cumsum as dense_cumsum
from tapefacade._ops.math.elementary import exp
from tapefacade._ops.math.reduction import reduce_max, reduce_sum
from tapefacade._ops.nn.activation import softmax as dense_softmax
from tapefacade._ragged.partition import Partition, nested_ragged, of_uniform
from tapefacade._ragged.tensor import RaggedTensor, axis_from_front, length_of, scalar


@handles(RaggedTensor, "identity")
def identity(input: Any) -> Any:
    """Gives the same ragged tensor."""
    return input.with_flat_values(dense_identity(input.flat_values))


@handles(RaggedTensor, "expand_dims")
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """Inserts a dimension of size 1."""
    return _expanded(input, axis_from_front(axis, input._rank + 1))


def _expanded(value: Any, axis: int) -> Any:
    if not isinstance(value, RaggedTensor):
        return dense_expand_dims(value, axis)
    dtype = value._partition.splits.dtype
    if axis == 0:
        return value._make(value, of_uniform(length_of(value), 1, dtype))
    if axis == 1:
        return value._make(value, of_uniform(1, length_of(value), dtype))
    return value._make(_expanded(value._values, axis - 1), value._partition)


@handles(RaggedTensor, "squeeze")
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """Removes dimensions of size 1."""
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    given = [axis] if isinstance(axis, int) else list(axis)
    rank, depth = input._rank, input.ragged_rank
    axes = sorted(
        {axis_from_front(a, rank, f"axis[{i}]") for i, a in enumerate(given)}, reverse=True
    )
    partitions, flat = list(input._partitions), input.flat_values
    inner = tuple(a - depth for a in axes if a > depth)
    if inner:
        flat = dense_squeeze(flat, inner)
    for a in axes:
        if not 0 < a <= depth:
            continue
        if (partitions[a - 1].lengths != 1).any():
            raise _not_squeezable(a)
        del partitions[a - 1]
    if 0 in axes:
        rows = partitions[0].nrows if partitions else flat._type.shape[0]
        if rows != 1:
            raise _not_squeezable(0)
        if not partitions:
            return dense_squeeze(flat, (0,))
        del partitions[0]
    if not axes:
        return input
    return nested_ragged(flat, [Partition(p.splits) for p in partitions], RaggedTensor)


def _not_squeezable(axis: int) -> Exception:
    return invalid(
        "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
        f"b'the given axis (axis = {axis}) is not squeezable!'"
    )


@handles(RaggedTensor, "reverse")
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """Reverses the rows, or the elements of rows."""
    if isinstance(axis, int):
        raise TypeError(
            "`axis` must be a list of int or a constant tensor"
            "when reversing axes in a ragged tensor"
        )
    given = np.asarray(axis).tolist()
    axes = sorted({axis_from_front(a, tensor._rank, f"axis[{i}]") for i, a in enumerate(given)})
    result, depth = tensor, tensor.ragged_rank
    inner = tuple(a - depth for a in axes if a > depth)
    if inner:
        flat = dense_reverse(tensor.flat_values, inner)
        result = tensor.with_flat_values(flat)
    for a in axes:
        if a <= depth:
            result = result[(*[slice(None)] * a, slice(None, None, -1))]
    return result


@handles(RaggedTensor, "size")
def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Counts the elements."""
    dtype = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    return scalar(input.flat_values._type.size, dtype)


@handles(RaggedTensor, "rank")
def rank(input: Any, name: str | None = None) -> Any:
    """Counts the dimensions."""
    return scalar(input._rank, dtypes.int32)


@handles(RaggedTensor, "one_hot")
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Makes a vector of each element."""
    if isinstance(axis, int) and axis >= 0:
        if axis <= indices.ragged_rank:
            raise ValueError(
                f"axis ({axis}) must be greater than indices.ragged_rank ({indices.ragged_rank})."
            )
        axis -= indices.ragged_rank
    vectors = dense_one_hot(indices.flat_values, depth, on_value, off_value, axis, dtype)
    return indices.with_flat_values(vectors)


@handles(RaggedTensor, "math.cumsum")
def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """Adds up along a dimension; rows that are too short count as 0."""
    axis = axis_from_front(axis, x._rank)
    dense = dense_cumsum(x.to_tensor(), axis, exclusive, reverse)
    return like(x, dense)


def like(ragged: Any, dense: EagerTensor) -> Any:
    """Takes what lies within a ragged tensor out of a dense one of its bounding shape."""
    partitions = ragged._partitions
    places = np.arange(partitions[0].nrows)
    for partition in partitions:
        width = int(partition.lengths.max(initial=0))
        within = np.arange(partition.nvals) - partition.splits[:-1][partition.ids]
        places = places[partition.ids] * width + within
    merged = dense_reshape(dense, (-1, *dense._type.shape[len(partitions) + 1 :]))
    return ragged.with_flat_values(take(merged, from_host(places), 0))


@handles(RaggedTensor, "nn.softmax")
def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Divides exponentials by their sum."""
    axis = axis_from_front(-1 if axis is None else axis, logits._rank)
    if axis > logits.ragged_rank:
        flat = dense_softmax(logits.flat_values, axis - logits.ragged_rank)
        return logits.with_flat_values(flat)
    largest = reduce_max(logits, axis, True)
    powers = exp(logits - stop_gradient(largest))
    return powers / reduce_sum(powers, axis, True)
