"""Rounding, and the tests for infinities and NaN."""

import jax
import jax.numpy as jnp
from jax import lax

from tapefacade._ops import kinds
from tapefacade._ops.op import NoGradient, NotDifferentiable, TensorLike, op
from tapefacade._ops.refusals import refuse_dtype, refuse_missing_kernel

ROUND = (*kinds.FLOATS, *kinds.SIGNED, "complex64", "complex128")


@op("math.floor", "floor", kernel="Floor", dtypes=kinds.FLOATS, gradient=NotDifferentiable())
def floor(x: TensorLike) -> jax.Array:
    """Rounds each element down to an integer.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`; its gradient is None.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.floor([1.7, -1.2]).numpy()
    array([ 1., -2.], dtype=float32)
    """
    return lax.floor(x)


@op("math.ceil", kernel="Ceil", dtypes=kinds.FLOATS, gradient=NotDifferentiable())
def ceil(x: TensorLike) -> jax.Array:
    """Rounds each element up to an integer.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`; its gradient is None.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.ceil([1.2, -1.7]).numpy()
    array([ 2., -1.], dtype=float32)
    """
    return lax.ceil(x)


@op("math.round", "round", kernel="Round", gradient=NotDifferentiable())
def round(x: TensorLike) -> jax.Array:
    """Rounds each element to the nearest integer, and halves to the even one.

    Args:
        x: a floating or integer tensor.

    Returns:
        A tensor of the shape and dtype of `x`; its gradient is None.

    Raises:
        InvalidArgumentError: if `x` is boolean.

    >>> tf.round([0.5, 1.5, -2.6]).numpy()
    array([ 0.,  2., -3.], dtype=float32)
    """
    if jnp.issubdtype(x.dtype, jnp.integer):
        return x
    refuse_dtype(x, "Round", ROUND)
    refuse_missing_kernel(x, "Round", jnp.complexfloating)
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)


@op("math.rint", kernel="Rint", dtypes=kinds.FLOATS, gradient=NotDifferentiable())
def rint(x: TensorLike) -> jax.Array:
    """Rounds each element to the nearest integer, and halves to the even one.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`; its gradient is None.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.rint([0.5, 1.5, -2.6]).numpy()
    array([ 0.,  2., -3.], dtype=float32)
    """
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)


@op("math.is_nan", kernel="IsNan", dtypes=kinds.FLOATS, gradient=NoGradient("IsNan"))
def is_nan(x: TensorLike) -> jax.Array:
    """Tells which elements are NaN.

    Args:
        x: a floating tensor.

    Returns:
        A boolean tensor of the shape of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.is_nan([1.0, np.nan]).numpy()
    array([False,  True])
    """
    return jnp.isnan(x)


@op("math.is_inf", kernel="IsInf", dtypes=kinds.FLOATS, gradient=NoGradient("IsInf"))
def is_inf(x: TensorLike) -> jax.Array:
    """Tells which elements are infinite.

    Args:
        x: a floating tensor.

    Returns:
        A boolean tensor of the shape of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.is_inf([1.0, -np.inf]).numpy()
    array([False,  True])
    """
    return jnp.isinf(x)


@op("math.is_finite", kernel="IsFinite", dtypes=kinds.FLOATS, gradient=NoGradient("IsFinite"))
def is_finite(x: TensorLike) -> jax.Array:
    """Tells which elements are neither infinite nor NaN.

    Args:
        x: a floating tensor.

    Returns:
        A boolean tensor of the shape of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.is_finite([1.0, np.nan, np.inf]).numpy()
    array([ True, False, False])
    """
    return lax.is_finite(x)
