"""Quotients and remainders of two tensors."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, errors, kernel_dtypes
from tapefacade._core.kernel_dtypes import COMPLEX
from tapefacade._definition.argument_checks import check_broadcast, refuse_missing_kernel
from tapefacade._definition.op import Check, NoGradient, NotDifferentiable, TensorLike, op

QUOTIENT = (
    *kernel_dtypes.FLOATS, "uint8", "int8", "uint16", "int16", "int32", "uint32", "uint64", "int64",
    *COMPLEX,
)  # fmt: skip
# The dtype in which integers are divided.
TRUE_DIVISION: dict[dtypes.DType, dtypes.DType | None] = {
    dtypes.uint8: dtypes.float32,
    dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.uint32: dtypes.float64,
    dtypes.int32: dtypes.float64,
    dtypes.uint64: dtypes.float64,
    dtypes.int64: dtypes.float64,
    dtypes.bfloat16: None,
    dtypes.float16: None,
    dtypes.float32: None,
    dtypes.float64: None,
    dtypes.complex64: None,
    dtypes.complex128: None,
}


def _to_divide(x: jax.Array, y: jax.Array, function: str) -> tuple[jax.Array, jax.Array]:
    """Converts integers to the floating dtype in which they are divided."""
    given = dtypes.from_numpy(np.dtype(x.dtype))
    if given not in TRUE_DIVISION:
        known = ", ".join(repr(dtype) for dtype in TRUE_DIVISION)
        raise TypeError(f"Invalid dtype {given!r} in {function}. Expected one of {{{known}}}.")
    check_broadcast(x, y)
    dtype = TRUE_DIVISION[given]
    if dtype is None:
        return x, y
    return x.astype(dtype.as_numpy_dtype), y.astype(dtype.as_numpy_dtype)


def _different_dtypes(x: dtypes.DType, y: dtypes.DType) -> Exception:
    return TypeError(f"`x` and `y` must have the same dtype, got {x!r} != {y!r}.")


@op(
    "math.truediv",
    "truediv",
    "math.divide",
    "divide",
    kernel="RealDiv",
    mismatch=_different_dtypes,
    elementwise=2,
)
def truediv(x: TensorLike, y: TensorLike) -> jax.Array:
    """Divides two tensors element by element, as `x / y`.

    Args:
        x: a tensor of numbers.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape: float64 of 32 and 64 bit integers, float32 of shorter ones.

    Raises:
        TypeError: if the dtypes differ or are boolean.
        InvalidArgumentError: if the shapes do not fit.

    >>> tf.divide([3, 4], 2).numpy()
    array([1.5, 2. ])
    """
    return jnp.divide(*_to_divide(x, y, "__truediv__"))


@op("realdiv", kernel="RealDiv", dtypes=QUOTIENT, elementwise=2, raw_op=True)
def realdiv(x: TensorLike, y: TensorLike) -> jax.Array:
    """Divides two floating or complex tensors element by element.

    Args:
        x: a floating or complex tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape.

    Raises:
        InvalidArgumentError: if the dtypes differ or the shapes do not fit.
        NotFoundError: if `x` is an integer tensor.

    >>> tf.realdiv(3.0, 2.0).numpy()
    np.float32(1.5)
    """
    refuse_missing_kernel(x, "RealDiv", jnp.integer)
    check_broadcast(x, y)
    return jnp.divide(x, y)


def _quotient_no_nan(x: jax.Array, y: jax.Array) -> jax.Array:
    zero = y == 0
    quotient = x / jnp.where(zero, jnp.ones_like(y), y)
    return jnp.where(zero, jnp.zeros_like(quotient), quotient)


@op("math.divide_no_nan", kernel="DivNoNan", mismatch=_different_dtypes, elementwise=2, raw_op=True)
def divide_no_nan(x: TensorLike, y: TensorLike) -> jax.Array:
    """Divides two tensors element by element, and gives 0 where `y` is 0.

    Args:
        x: a tensor of numbers.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape, with the dtypes of `tf.divide`. Where `y` is 0 the
        derivatives are 0, too.

    Raises:
        TypeError: if the dtypes differ or are boolean.
        InvalidArgumentError: if the shapes do not fit.

    >>> tf.math.divide_no_nan([3.0, 4.0], [2.0, 0.0]).numpy()
    array([1.5, 0. ], dtype=float32)
    """
    return _quotient_no_nan(*_to_divide(x, y, "tf.math.divide_no_nan"))


def _is_integer(array: Any) -> bool:
    return jnp.issubdtype(array.dtype, jnp.integer)


def _no_zero_divisor(x: Any, y: Any) -> tuple[Any, ...]:
    if not _is_integer(y) or 0 in (*x.shape, *y.shape):
        return (True,)
    return (jnp.all(y != 0),)


def _division_by_zero() -> Exception:
    return errors.InvalidArgumentError(None, None, "Integer division by zero")


def _unexpected_division_by_zero() -> Exception:
    return errors.InternalError(
        None,
        None,
        "Unexpected error in binary operator (only integer div and mod should have errors)",
    )


@op(
    "math.floordiv",
    kernel="FloorDiv",
    dtypes=QUOTIENT,
    gradient=NotDifferentiable(),
    host=np.floor_divide,
    check=Check(values=("y",), test=_no_zero_divisor, error=_division_by_zero),
    elementwise=2,
    raw_op=True,
)
def floordiv(x: TensorLike, y: TensorLike) -> jax.Array:
    """Divides two tensors and rounds down, as `x // y`.

    Args:
        x: a floating or integer tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape; its gradient is None.

    Raises:
        InvalidArgumentError: if the dtypes differ, if an integer is divided by zero, or if the
            shapes do not fit.

    >>> tf.math.floordiv([7, -7], 2).numpy()
    array([ 3, -4], dtype=int32)
    """
    refuse_missing_kernel(x, "FloorDiv", jnp.complexfloating)
    check_broadcast(x, y)
    return jnp.floor_divide(x, y) if _is_integer(x) else lax.floor(jnp.divide(x, y))


@jax.custom_jvp
def _floormod(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.remainder(x, y)


@_floormod.defjvp
def _floormod_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """The quotient is a constant for a second derivative, which therefore is None."""
    (x, y), (dx, dy) = primals, tangents
    quotient = lax.floor(jnp.divide(*lax.stop_gradient((x, y))))
    return _floormod(x, y), dx - dy * quotient


@op(
    "math.floormod",
    "math.mod",
    kernel="FloorMod",
    dtypes=(*kernel_dtypes.INTEGERS, *kernel_dtypes.FLOATS),
    host=np.remainder,
    check=Check(values=("y",), test=_no_zero_divisor, error=_division_by_zero),
    elementwise=2,
    raw_op=True,
)
def floormod(x: TensorLike, y: TensorLike) -> jax.Array:
    """Computes the remainder of a division that rounds down, as `x % y`.

    Args:
        x: a floating or integer tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape with the signs of `y`.

    Raises:
        InvalidArgumentError: if the dtypes differ, if an integer is divided by zero, or if the
            shapes do not fit.

    >>> tf.math.floormod([7, -7], 3).numpy()
    array([1, 2], dtype=int32)
    """
    check_broadcast(x, y)
    return jnp.remainder(x, y) if _is_integer(x) else _floormod(x, y)


@op(
    "truncatediv",
    kernel="TruncateDiv",
    dtypes=QUOTIENT,
    gradient=NotDifferentiable(),
    check=Check(values=("y",), test=_no_zero_divisor, error=_unexpected_division_by_zero),
    elementwise=2,
    raw_op=True,
)
def truncatediv(x: TensorLike, y: TensorLike) -> jax.Array:
    """Divides two tensors and rounds towards zero, as C does.

    Args:
        x: a floating or integer tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape; its gradient is None.

    Raises:
        InvalidArgumentError: if the dtypes differ or the shapes do not fit.
        InternalError: if an integer is divided by zero.

    >>> tf.truncatediv([7, -7], 2).numpy()
    array([ 3, -3], dtype=int32)
    """
    refuse_missing_kernel(x, "TruncateDiv", jnp.complexfloating)
    check_broadcast(x, y)
    if _is_integer(x):
        return lax.div(*jnp.broadcast_arrays(x, y))
    quotient = jnp.divide(x, y)
    return jnp.where(quotient < 0, lax.ceil(quotient), lax.floor(quotient))


@op(
    "truncatemod",
    kernel="TruncateMod",
    dtypes=("int32", "int64", *kernel_dtypes.FLOATS),
    gradient=NoGradient("TruncateMod"),
    check=Check(values=("y",), test=_no_zero_divisor, error=_unexpected_division_by_zero),
    elementwise=2,
    raw_op=True,
)
def truncatemod(x: TensorLike, y: TensorLike) -> jax.Array:
    """Computes the remainder of a division that rounds towards zero, as C does.

    Args:
        x: a floating tensor, or one of dtype int32 or int64.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape with the signs of `x`.

    Raises:
        InvalidArgumentError: if the dtypes differ or the shapes do not fit.
        InternalError: if an integer is divided by zero.

    >>> tf.truncatemod([7, -7], 3).numpy()
    array([ 1, -1], dtype=int32)
    """
    check_broadcast(x, y)
    return lax.rem(*jnp.broadcast_arrays(x, y))
