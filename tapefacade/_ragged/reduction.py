"""Reductions of ragged tensors along their dimensions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.dispatch import handles
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import ones_like, stop_gradient
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shaping import expand_dims, reshape, squeeze
from tapefacade._ops.math.comparison import equal, logical_not
from tapefacade._ops.math.elementary import exp, is_finite, log, sqrt, square
from tapefacade._ops.math.reduction import reduce_max, reduce_sum
from tapefacade._ragged.segments import by_segment
from tapefacade._ragged.tensor import RaggedTensor, axis_from_front

PLAIN_REDUCTIONS = ("sum", "prod", "max", "min")


def _axes(axis: Any, rank: int) -> list[int] | None:
    """Reads the dimensions that are reduced, the last one first; None for all of them."""
    if axis is None:
        return None
    if isinstance(axis, EagerTensor | np.ndarray) and len(axis.shape):
        axis = np.asarray(axis).tolist()
    if isinstance(axis, list | tuple):
        return sorted({axis_from_front(a, rank) for a in axis}, reverse=True)
    if isinstance(axis, EagerTensor):
        raise TypeError(f"axis must be an int; got {axis.dtype.name}")
    return [axis_from_front(axis, rank)]


def _reduce(kind: str, value: Any, axes: list[int] | None, keepdims: bool) -> Any:
    """Reduces a ragged tensor along some dimensions."""
    if not isinstance(value, RaggedTensor):
        return FUNCTIONS[f"math.reduce_{kind}"](value, axis=axes, keepdims=keepdims)
    if axes is None:
        result = FUNCTIONS[f"math.reduce_{kind}"](value.flat_values)
        return reshape(result, [1] * value._rank) if keepdims else result
    result: Any = value
    for axis in axes:
        result = _along(kind, result, axis, keepdims)
    return result


def _along(kind: str, value: Any, axis: int, keepdims: bool) -> Any:
    if not isinstance(value, RaggedTensor):
        return FUNCTIONS[f"math.reduce_{kind}"](value, axis=axis, keepdims=keepdims)
    partition = value._partition
    if axis > 1:
        return value._make(_along(kind, value._values, axis - 1, keepdims), partition)
    reduce = FUNCTIONS[f"math.unsorted_segment_{kind}"]
    if axis == 1:
        result = by_segment(reduce, value._values, partition.ids, partition.nrows)
    else:
        within = np.arange(partition.nvals) - partition.splits[:-1][partition.ids]
        longest = int(partition.lengths.max(initial=0))
        result = by_segment(reduce, value._values, within, longest)
    return expand_dims(result, axis) if keepdims else result


def _plain(kind: str) -> Callable[..., Any]:
    def handler(
        input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
    ) -> Any:
        return _reduce(kind, input_tensor, _axes(axis, input_tensor._rank), keepdims)

    return handler


for _kind in PLAIN_REDUCTIONS:
    handles(RaggedTensor, f"math.reduce_{_kind}")(_plain(_kind))


@handles(RaggedTensor, "math.reduce_mean")
def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Divides the sum by the number of elements: those of integers are floats."""
    axes = _axes(axis, input_tensor._rank)
    if axes == []:
        return input_tensor
    total = _reduce("sum", input_tensor, axes, keepdims)
    counted = input_tensor.with_flat_values(ones_like(input_tensor.flat_values))
    return total / _reduce("sum", counted, axes, keepdims)


@handles(RaggedTensor, "math.reduce_variance")
def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Subtracts the square of the mean from the mean of the squares."""
    mean_of_squares = reduce_mean(square(input_tensor), axis, keepdims)
    return mean_of_squares - square(reduce_mean(input_tensor, axis, keepdims))


@handles(RaggedTensor, "math.reduce_std")
def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Takes the square root of the variance."""
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


@handles(RaggedTensor, "math.reduce_any")
def reduce_any(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Counts the elements that are true."""
    true = cast(cast(input_tensor, dtypes.bool), dtypes.int32)
    return reduce_sum(true, axis, keepdims) > 0


@handles(RaggedTensor, "math.reduce_all")
def reduce_all(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Counts the elements that are false."""
    false = cast(logical_not(cast(input_tensor, dtypes.bool)), dtypes.int32)
    return equal(reduce_sum(false, axis, keepdims), 0)


@handles(RaggedTensor, "math.reduce_logsumexp")
def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Subtracts the maximum before the exponential is taken."""
    largest = reduce_max(input_tensor, axis, True)
    shift = stop_gradient(where(is_finite(largest), largest, 0.0 * largest))
    powers = exp(input_tensor - shift)
    total = log(reduce_sum(powers, axis, True)) + shift
    if keepdims:
        return total
    axes = _axes(axis, input_tensor._rank)
    return squeeze(total, axes if axes is not None else list(range(input_tensor._rank)))
