"""Sequences of numbers and grids: `arange`, `linspace`, `logspace`, `geomspace`, `meshgrid`."""

import math
from typing import Any

import numpy as np

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid, wrong_input
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import function
from tapefacade._numpy.promotion import (
    SETTINGS,
    as_tensor,
    inexact,
    known_dtype,
    numpy_result_type,
    promoted,
)
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import wrong_indexing
from tapefacade._ops.array.creation import linspace as linspace_op, range as range_op
from tapefacade._ops.array.indexing import getitem
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shaping import broadcast_to, expand_dims, reshape
from tapefacade._ops.math.elementary import log, pow


@function("experimental.numpy.arange")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Makes a vector of numbers in equal steps.

    Args:
        start: the first number; without `stop` the end, and the first number is 0.
        stop: the end, which is not in it.
        step: the step.
        dtype: the dtype, by default the common one of the arguments.

    Returns:
        A vector.

    Raises:
        ValueError: if `step` is 0.

    >>> tf.experimental.numpy.arange(3).numpy()
    array([0, 1, 2])
    """
    if not step:
        raise ValueError("step must be non-zero.")
    given = [start, step] if stop is None else [start, step, stop]
    wanted = numpy_result_type(*given) if dtype is None else known_dtype(dtype).as_numpy_dtype
    ends: list[Any] = [0, start, step] if stop is None else [start, stop, step]
    first, end, step = (v.numpy() if hasattr(v, "numpy") else v for v in ends)
    if (step > 0 and end <= first) or (step < 0 and end >= first):
        return from_host(np.zeros((0,), wanted))
    common = known_dtype(numpy_result_type(first, end, step))
    numbers = range_op(*(convert_to_tensor(v, common) for v in (first, end, step)), dtype=common)
    return cast(numbers, wanted)


@function("experimental.numpy.linspace")
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: Any = 0,
) -> Any:
    """Makes numbers at equal distances from one number to another.

    Args:
        start: the first number, or a tensor of them.
        stop: the last number, or a tensor that broadcasts with `start`.
        num: how many numbers.
        endpoint: whether `stop` is the last number, or what comes after it.
        retstep: whether to return the distance as well.
        dtype: has no effect, as in TensorFlow: the dtype is the common one of `start` and `stop`,
            float64 if that is none of floating numbers.
        axis: where the new dimension is in the result.

    Returns:
        A tensor; with `retstep` a tuple of two.

    Raises:
        ValueError: if `num` is negative.

    >>> tf.experimental.numpy.linspace(0, 1, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    num = int(num)
    if num < 0:
        raise ValueError(
            "Argument `num` (number of samples) must be a non-negative integer. "
            f"Received: num={num}"
        )
    floating = numpy_result_type(start, stop, 1.0)
    first, last = (inexact(value, floating) for value in promoted(start, stop))
    pieces = num - 1 if endpoint else num
    step = (last - first) / pieces if num and pieces else convert_to_tensor(float("nan"))
    if endpoint or num < 2:
        result = linspace_op(first, last, num or 1, axis=axis)
    else:
        result = linspace_op(first, last - step, num, axis=axis)
    if num == 0:
        result = getitem(result, (slice(None),) * (axis % result.ndim) + (slice(0, 0),))
    return (result, step) if retstep else result


@function("experimental.numpy.logspace")
def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: Any = 0,
) -> Any:
    """Makes powers of a base whose exponents are at equal distances.

    Args:
        start: the first exponent, or a tensor of them.
        stop: the last exponent, or a tensor that broadcasts with `start`.
        num: how many numbers.
        endpoint: whether `stop` is the last exponent, or what comes after it.
        base: the base.
        dtype: has no effect, as for `linspace`.
        axis: where the new dimension is in the result.

    Returns:
        A tensor.

    Raises:
        ValueError: if `num` is negative.

    >>> tf.experimental.numpy.logspace(0, 2, 3).numpy()
    array([  1.,  10., 100.])
    """
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    return pow(as_tensor(base, exponents.dtype), exponents)


@function("experimental.numpy.geomspace")
def geomspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: Any = 0,
) -> Any:
    """Makes numbers from one to another, each the same multiple of the one before.

    Args:
        start: the first number, or a tensor of them, not 0.
        stop: the last number, of the same sign, or a tensor that broadcasts with `start`.
        num: how many numbers.
        endpoint: whether `stop` is the last number, or what comes after it.
        dtype: the dtype, by default float64.
        axis: where the new dimension is in the result.

    Returns:
        A tensor, nan for numbers of different signs.

    Raises:
        ValueError: if `num` is negative.

    >>> tf.experimental.numpy.geomspace(1, 1000, 4).numpy().round(6)
    array([   1.,   10.,  100., 1000.])
    """
    common = numpy_result_type(start, stop, 1.0)
    if common.kind == "c":
        raise invalid(wrong_input("Mul", 1, "double", common.name))
    wide = common if SETTINGS.prefer_float32 else np.dtype(np.float64)
    first, last = as_tensor(start, wide), as_tensor(stop, wide)
    one = convert_to_tensor(1.0, first.dtype)
    sign = where((first < 0) & (last < 0), -one, one)
    low, high = (log(value * sign) / math.log(10.0) for value in (first, last))
    result = logspace(low, high, num, endpoint, axis=axis)
    if sign.ndim:
        sign = expand_dims(sign, axis)
    return as_tensor(result * sign, dtype)


@function("experimental.numpy.meshgrid")
def meshgrid(*xi: Any, **kwargs: Any) -> list[Any]:
    """Makes the coordinates of a grid.

    Args:
        *xi: the coordinates along each dimension, vectors.
        **kwargs: `indexing`, "xy" by default: the first vector belongs to the second dimension;
            with "ij" it belongs to the first. `sparse` must be false and `copy` true.

    Returns:
        A list of tensors, one for each vector, of the shape of the grid.

    Raises:
        ValueError: if a keyword argument is another value.

    >>> first, second = tf.experimental.numpy.meshgrid([1, 2], [3, 4])
    >>> first.numpy()
    array([[1, 2],
           [1, 2]])
    """
    if kwargs.get("sparse", False):
        raise ValueError(
            "Function `meshgrid` does not support returning sparse arrays yet. "
            f"Received: sparse={kwargs['sparse']}"
        )
    if not kwargs.get("copy", True):
        raise ValueError(
            f"Function `meshgrid` only supports copy=True. Received: copy={kwargs['copy']}"
        )
    indexing = kwargs.get("indexing", "xy")
    if indexing not in ("xy", "ij"):
        raise ValueError(wrong_indexing(indexing))
    vectors = [reshape(as_tensor(x), (-1,)) for x in xi]
    axes = list(range(len(vectors)))
    if indexing == "xy":
        axes[:2] = axes[:2][::-1]
    shape = [vectors[axis].shape[0] for axis in axes]
    around = [[-1 if axis == a else 1 for a in axes] for axis in range(len(vectors))]
    pairs = zip(vectors, around, strict=True)
    return [broadcast_to(reshape(vector, sizes), shape) for vector, sizes in pairs]


@function("experimental.numpy.ix_")
def ix_(*args: Any) -> list[Any]:
    """Makes index vectors that broadcast to the grid of their elements.

    Args:
        *args: vectors of integers, or of booleans, which stand for the places of the true ones.

    Returns:
        A list of tensors, one for each vector, each along a dimension of its own.

    Raises:
        ValueError: if an argument is no vector, or of another dtype.

    >>> [index.numpy().tolist() for index in tf.experimental.numpy.ix_([0, 1], [2, 3])]
    [[[0], [1]], [[2, 3]]]
    """
    indices = []
    for place, argument in enumerate(args):
        value = as_tensor(argument)
        if value.ndim != 1:
            raise ValueError(f"Arguments must be 1-d, got arg {place} of rank {value.ndim}")
        if value.dtype.is_bool:
            value = reshape(where(value), [-1])
        elif not value.dtype.is_integer:
            raise ValueError(f"Only integer and bool dtypes are supported, got {value.dtype}")
        shape = [1] * len(args)
        shape[place] = -1
        indices.append(reshape(value, shape))
    return indices
