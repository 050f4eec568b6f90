"""Operations on the bits of integers."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import kernel_dtypes
from tapefacade._definition.argument_checks import check_broadcast
from tapefacade._definition.op import NoGradient, TensorLike, op

BITS = kernel_dtypes.INTEGERS


@op(
    "bitwise.bitwise_and",
    kernel="BitwiseAnd",
    dtypes=BITS,
    gradient=NoGradient("BitwiseAnd"),
    host=np.bitwise_and,
    elementwise=2,
    raw_op=True,
)
def bitwise_and(x: TensorLike, y: TensorLike) -> jax.Array:
    """Keeps the bits that are set in both elements.

    Args:
        x: an integer tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape.

    Raises:
        InvalidArgumentError: if an input is no integer tensor, or if the shapes do not fit.

    >>> tf.bitwise.bitwise_and([5], [3]).numpy()
    array([1], dtype=int32)
    """
    check_broadcast(x, y)
    return jnp.bitwise_and(x, y)


@op(
    "bitwise.bitwise_or",
    kernel="BitwiseOr",
    dtypes=BITS,
    gradient=NoGradient("BitwiseOr"),
    host=np.bitwise_or,
    elementwise=2,
    raw_op=True,
)
def bitwise_or(x: TensorLike, y: TensorLike) -> jax.Array:
    """Joins the bits that are set in one of two elements.

    Args:
        x: an integer tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape.

    Raises:
        InvalidArgumentError: if an input is no integer tensor, or if the shapes do not fit.

    >>> tf.bitwise.bitwise_or([5], [3]).numpy()
    array([7], dtype=int32)
    """
    check_broadcast(x, y)
    return jnp.bitwise_or(x, y)


@op(
    "bitwise.bitwise_xor",
    kernel="BitwiseXor",
    dtypes=BITS,
    gradient=NoGradient("BitwiseXor"),
    host=np.bitwise_xor,
    elementwise=2,
    raw_op=True,
)
def bitwise_xor(x: TensorLike, y: TensorLike) -> jax.Array:
    """Keeps the bits that are set in exactly one of two elements.

    Args:
        x: an integer tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape.

    Raises:
        InvalidArgumentError: if an input is no integer tensor, or if the shapes do not fit.

    >>> tf.bitwise.bitwise_xor([5], [3]).numpy()
    array([6], dtype=int32)
    """
    check_broadcast(x, y)
    return jnp.bitwise_xor(x, y)


@op(
    "bitwise.invert",
    kernel="Invert",
    dtypes=BITS,
    gradient=NoGradient("Invert"),
    host=np.invert,
    elementwise=1,
    raw_op=True,
)
def invert(x: TensorLike) -> jax.Array:
    """Flips every bit.

    Args:
        x: an integer tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no integer tensor.

    >>> tf.bitwise.invert([5, -6]).numpy()
    array([-6,  5], dtype=int32)
    """
    return jnp.invert(x)


def _clamped_shift(x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Limits the number of places to those that the dtype has."""
    check_broadcast(x, y)
    places = jnp.iinfo(x.dtype).bits - 1
    x, y = jnp.broadcast_arrays(x, y)
    return x, jnp.clip(y, 0, places).astype(x.dtype)


@op(
    "bitwise.left_shift",
    kernel="LeftShift",
    dtypes=BITS,
    gradient=NoGradient("LeftShift"),
    elementwise=2,
    raw_op=True,
)
def left_shift(x: TensorLike, y: TensorLike) -> jax.Array:
    """Moves the bits of each element towards the higher ones.

    Args:
        x: an integer tensor.
        y: the numbers of places, limited to those that the dtype has; a tensor of the same dtype.

    Returns:
        A tensor of the common shape.

    Raises:
        InvalidArgumentError: if an input is no integer tensor, or if the shapes do not fit.

    >>> tf.bitwise.left_shift([1, 3], [4, 1]).numpy()
    array([16,  6], dtype=int32)
    """
    return lax.shift_left(*_clamped_shift(x, y))


@op(
    "bitwise.right_shift",
    kernel="RightShift",
    dtypes=BITS,
    gradient=NoGradient("RightShift"),
    elementwise=2,
    raw_op=True,
)
def right_shift(x: TensorLike, y: TensorLike) -> jax.Array:
    """Moves the bits of each element towards the lower ones, and keeps the sign.

    Args:
        x: an integer tensor.
        y: the numbers of places, limited to those that the dtype has; a tensor of the same dtype.

    Returns:
        A tensor of the common shape.

    Raises:
        InvalidArgumentError: if an input is no integer tensor, or if the shapes do not fit.

    >>> tf.bitwise.right_shift([16, -6], [4, 1]).numpy()
    array([ 1, -3], dtype=int32)
    """
    x, places = _clamped_shift(x, y)
    if jnp.issubdtype(x.dtype, jnp.unsignedinteger):
        return lax.shift_right_logical(x, places)
    return lax.shift_right_arithmetic(x, places)
