"""Positions in tensors: `argmax`, `argmin`, `count_nonzero`, `unravel_index`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes
from tapefacade._core.dispatch import handles
from tapefacade._core.error_texts import invalid, shape_text
from tapefacade._core.kernel_dtypes import INDICES, REALS_QUANTIZED_BOOL
from tapefacade._core.string_arrays import StringTensor
from tapefacade._definition.argument_checks import (
    Axis,
    array_module,
    as_integer,
    numpy_type,
    require_type,
)
from tapefacade._definition.op import (
    Check,
    NoGradient,
    NotDifferentiable,
    TensorLike,
    op,
)
from tapefacade._ops.math.comparison import not_equal
from tapefacade._ops.math.reduction import reduced_axes


@op("math.count_nonzero", kernel="NotEqual", gradient=NotDifferentiable())
def count_nonzero(
    input: TensorLike, axis: Axis = None, keepdims: Any = None, dtype: Any = dtypes.int64
) -> jax.Array:
    """Counts the elements that are not zero (not False, not "") over the dimensions in `axis`.

    Args:
        input: a tensor of any shape.
        axis: the dimensions to reduce; None reduces all of them.
        keepdims: keep the reduced dimensions with size 1.
        dtype: the dtype of the result.

    Returns:
        A tensor of counts.

    Raises:
        InvalidArgumentError: if `axis` is out of range or repeats.

    >>> tf.math.count_nonzero([[0.0, 1.0], [2.0, 3.0]], axis=0).numpy()
    array([1, 2])
    """
    axes = reduced_axes(input.shape, axis)
    nonzero = (input != jnp.zeros_like(input)).astype(np.int64)
    return jnp.sum(nonzero, axis=axes, keepdims=bool(keepdims)).astype(numpy_type(dtype))


@handles(StringTensor, "math.count_nonzero")
def _count_texts(
    input: Any, axis: Any = None, keepdims: Any = None, dtype: Any = dtypes.int64, name: Any = None
) -> Any:
    return count_nonzero(not_equal(input, ""), axis, keepdims, dtype)


def _position_of_extreme(find: Any, input: jax.Array, axis: Any, worst: float) -> jax.Array:
    if isinstance(axis, tuple | float):
        raise TypeError("axis must be int or Tensor with integer datatype")
    rank = input.ndim
    axis = 0 if axis is None else as_integer(axis)
    if not -rank <= axis < rank:
        low = f"-{rank}" if rank else "0"
        raise invalid(f"Expected dimension in the range [{low}, {rank}), but got {axis}")
    if input.shape[axis] == 0:
        raise invalid(f"Reduction axis {axis % rank} is empty in shape {shape_text(input.shape)}")
    if jnp.issubdtype(input.dtype, jnp.floating):
        input = jnp.where(jnp.isnan(input), jnp.full_like(input, worst), input)
    elif input.dtype == np.bool_:
        input = input.astype(np.int8)
    return find(input, axis=axis)


@op(
    "math.argmax",
    "argmax",
    kernel="ArgMax",
    gradient=NotDifferentiable(),
    dtypes=REALS_QUANTIZED_BOOL,
)
def argmax(input: TensorLike, axis: Any = None, output_type: Any = dtypes.int64) -> jax.Array:
    """Finds the position of the largest element along one axis; of several, the first.

    Args:
        input: a real or boolean tensor of rank 1 or more. nan counts as -inf.
        axis: the axis to reduce; None is the first.
        output_type: the dtype of the result: int16, uint16, int32 or int64.

    Returns:
        A tensor of positions, with that axis removed.

    Raises:
        InvalidArgumentError: if `axis` is out of range or has no elements.
        TypeError: if `axis` is no integer.

    >>> tf.argmax([[1.0, 5.0], [3.0, 4.0]], axis=1).numpy()
    array([1, 1])
    """
    dtype = require_type("output_type", output_type, ("int16", "uint16", "int32", "int64"))
    return _position_of_extreme(jnp.argmax, input, axis, -np.inf).astype(dtype)


@op(
    "math.argmin",
    "argmin",
    kernel="ArgMin",
    gradient=NotDifferentiable(),
    dtypes=REALS_QUANTIZED_BOOL,
)
def argmin(input: TensorLike, axis: Any = None, output_type: Any = dtypes.int64) -> jax.Array:
    """Finds the position of the smallest element along one axis; of several, the first.

    Args:
        input: a real or boolean tensor of rank 1 or more. nan counts as inf.
        axis: the axis to reduce; None is the first.
        output_type: the dtype of the result: int32 or int64.

    Returns:
        A tensor of positions, with that axis removed.

    Raises:
        InvalidArgumentError: if `axis` is out of range or has no elements.
        TypeError: if `axis` is no integer.

    >>> tf.argmin([[1.0, 5.0], [3.0, 4.0]], axis=1).numpy()
    array([0, 0])
    """
    dtype = require_type("output_type", output_type, INDICES)
    return _position_of_extreme(jnp.argmin, input, axis, np.inf).astype(dtype)


def _check(indices: Any, dims: Any) -> None:
    require_type("Tidx", indices.dtype, INDICES)
    if indices.ndim > 1:
        raise invalid(
            f'The indices can only be scalar or vector, got "{shape_text(indices.shape)}"'
        )
    if dims.ndim != 1:
        raise invalid(f'The indices can only be 1-D, got "{shape_text(dims.shape)}"')
    if indices.size == 0:
        kind = np.dtype(indices.dtype).name
        raise invalid(f"received empty tensor indices: Tensor<type: {kind} shape: [0] values: >")


def _test(indices: Any, dims: Any) -> tuple[Any, ...]:
    _check(indices, dims)
    xp = array_module(indices, dims)
    zero = dims == 0
    total = xp.prod(dims, dtype=dims.dtype)
    # With no dimensions the product is 1, so 0 is the only position.
    sizes = dims.astype(np.float64)
    overflow = xp.any(xp.cumprod(sizes) > float(np.iinfo(np.dtype(dims.dtype)).max))
    bad = xp.any(zero) | xp.any(dims < 0) | overflow
    ok = xp.logical_not(bad) & xp.all(indices < total)
    place = xp.argmax(dims <= 0) if dims.size else np.int64(0)
    return ok, overflow, xp.asarray(place, np.int64), dims


def _error(overflow: Any, place: Any, dims: Any) -> Exception:
    sizes = np.asarray(dims)
    if sizes.size and sizes[place] == 0:
        return invalid(
            f"Input dims cannot contain a dim of zero, but dims contains zero at index {int(place)}"
        )
    if sizes.size and sizes[place] < 0:
        return invalid(
            f"Input dims cannot be negative. Got dim = {sizes[place]} at index {int(place)}"
        )
    if overflow:
        width = max(len(str(size)) for size in sizes)
        shown = " ".join(f"{size:>{width}}" for size in sizes)
        return invalid(f"Input dims product is causing integer overflow: ({shown})")
    return invalid("index is out of bound as with dims")


def _unravelled(xp: Any, indices: Any, dims: Any) -> Any:
    """Divides as C does: towards zero."""
    count = dims.shape[0]
    flat = xp.reshape(indices, (1, -1))
    if count == 0:
        return xp.zeros((0, *(indices.shape or (1,))), indices.dtype)
    ends = xp.cumprod(dims[::-1], dtype=dims.dtype)[::-1][:, None]
    steps = xp.concatenate([ends[1:], xp.ones((1, 1), dims.dtype)])
    within = xp.fmod(flat, ends) if xp is np else lax.rem(*jnp.broadcast_arrays(flat, ends))
    within = xp.concatenate([flat, within[1:]])
    if xp is np:
        found = (within - np.fmod(within, steps)) // steps
    else:
        found = lax.div(*jnp.broadcast_arrays(within, steps))
    return xp.reshape(found, (count, *indices.shape))


@op(
    "unravel_index",
    host=lambda indices, dims: _unravelled(np, indices, dims),
    gradient=NoGradient("UnravelIndex"),
    check=Check(("indices", "dims"), _test, _error),
)
def unravel_index(indices: TensorLike, dims: TensorLike) -> jax.Array:
    """Finds the positions in a shape that flat positions mean.

    Args:
        indices: positions in a flattened tensor, int32 or int64, a scalar or a vector `[N]`.
        dims: the shape, of the type of `indices`.

    Returns:
        A tensor `[rank]` or `[rank, N]`: a column for each position.

    Raises:
        InvalidArgumentError: if a position is too large, or the shape has a 0 in it.

    >>> tf.unravel_index([3, 5], [2, 3]).numpy()
    array([[1, 1],
           [0, 2]], dtype=int32)
    """
    _check(indices, dims)
    return _unravelled(jnp, indices, dims)
