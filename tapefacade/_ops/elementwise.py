"""Elementary functions of each element: absolute value, exponentials, logarithms, roots."""

import jax
import jax.numpy as jnp
from jax import lax

from tapefacade._ops import kinds
from tapefacade._ops.op import TensorLike, op
from tapefacade._ops.refusals import refuse_dtype, refuse_missing_kernel

REALS = (*kinds.FLOATS, *kinds.SIGNED)
SIGNED = (*REALS, "complex64", "complex128")
NUMBERS = (*kinds.FLOATS, *kinds.INTEGERS, "complex64", "complex128")
DIVISIBLE = ("half", "float", "bfloat16", "double", "complex64", "complex128")


@jax.custom_jvp
def _abs(x: jax.Array) -> jax.Array:
    return lax.abs(x)


@_abs.defjvp
def _abs_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """Multiplies with the sign, which is 0 at 0, where JAX takes the derivative from the right."""
    (x,), (tangent,) = primals, tangents
    size = _abs(x)
    if jnp.iscomplexobj(x):
        return size, lax.real(lax.conj(_unit(x)) * tangent)
    return size, tangent * lax.sign(x)


def _unit(x: jax.Array) -> jax.Array:
    """Divides complex numbers by their absolute values; 0 stays 0."""
    size = _abs(x)
    zero = size == 0
    divisor = lax.complex(jnp.where(zero, jnp.ones_like(size), size), jnp.zeros_like(size))
    return jnp.where(zero, jnp.zeros_like(x), x / divisor)


@op("math.abs", "abs", kernel="Abs")
def abs(x: TensorLike) -> jax.Array:
    """Computes the absolute value of each element.

    The derivative at 0 is 0.

    Args:
        x: a floating, signed integer or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`; real if `x` is complex.

    Raises:
        InvalidArgumentError: if `x` is boolean or unsigned.

    >>> tf.abs([-2.0, 3.0]).numpy()
    array([2., 3.], dtype=float32)
    """
    if jnp.iscomplexobj(x):
        return _abs(x)
    refuse_dtype(x, "Abs", REALS)
    return lax.abs(x) if jnp.issubdtype(x.dtype, jnp.integer) else _abs(x)


@op("math.negative", "negative", kernel="Neg", dtypes=SIGNED)
def negative(x: TensorLike) -> jax.Array:
    """Changes the sign of each element.

    Args:
        x: a floating, signed integer or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is boolean or unsigned.

    >>> tf.negative([1, -2]).numpy()
    array([-1,  2], dtype=int32)
    """
    return lax.neg(x)


@op("math.sign", "sign", kernel="Sign", dtypes=SIGNED)
def sign(x: TensorLike) -> jax.Array:
    """Gives -1, 0 or 1 by the sign of each element; a complex number over its absolute value.

    Args:
        x: a floating, signed integer or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`. The derivative of a real `x` is zero, not None.

    Raises:
        InvalidArgumentError: if `x` is boolean or unsigned.

    >>> tf.sign([-2.5, 0.0, 4.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)
    """
    return _unit(x) if jnp.iscomplexobj(x) else lax.sign(x)


@op("math.exp", "exp", kernel="Exp", dtypes=kinds.FLOATS_COMPLEX)
def exp(x: TensorLike) -> jax.Array:
    """Computes the exponential of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.exp([0.0, 1.0]).numpy().round(4)
    array([1.    , 2.7183], dtype=float32)
    """
    return lax.exp(x)


@op("math.expm1", kernel="Expm1", dtypes=kinds.FLOATS_COMPLEX)
def expm1(x: TensorLike) -> jax.Array:
    """Computes `exp(x) - 1` of each element, also where `x` is tiny.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.math.expm1([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.7183], dtype=float32)
    """
    return lax.expm1(x)


@op("math.log", kernel="Log", dtypes=kinds.FLOATS_COMPLEX)
def log(x: TensorLike) -> jax.Array:
    """Computes the natural logarithm of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`: -inf at 0, NaN where a real `x` is negative.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.math.log([1.0, 10.0]).numpy().round(4)
    array([0.    , 2.3026], dtype=float32)
    """
    return lax.log(x)


@op("math.log1p", kernel="Log1p", dtypes=kinds.FLOATS_COMPLEX)
def log1p(x: TensorLike) -> jax.Array:
    """Computes `log(1 + x)` of each element, also where `x` is tiny.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.math.log1p([0.0, 9.0]).numpy().round(4)
    array([0.    , 2.3026], dtype=float32)
    """
    return lax.log1p(x)


@op("math.sqrt", "sqrt", kernel="Sqrt", dtypes=kinds.FLOATS_COMPLEX)
def sqrt(x: TensorLike) -> jax.Array:
    """Computes the square root of each element.

    The derivative at 0 is infinite, and a product of it and a zero gradient is NaN.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`: NaN where a real `x` is negative.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)
    """
    return lax.sqrt(x)


@op("math.rsqrt", kernel="Rsqrt", dtypes=kinds.FLOATS_COMPLEX)
def rsqrt(x: TensorLike) -> jax.Array:
    """Computes one over the square root of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`: inf at 0, NaN where a real `x` is negative.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.math.rsqrt([4.0, 0.25]).numpy()
    array([0.5, 2. ], dtype=float32)
    """
    return lax.rsqrt(x)


@op("math.square", "square", kernel="Square", dtypes=NUMBERS)
def square(x: TensorLike) -> jax.Array:
    """Multiplies each element with itself.

    Args:
        x: a tensor of numbers.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is boolean.

    >>> tf.square([2, -3]).numpy()
    array([4, 9], dtype=int32)
    """
    return lax.square(x)


@op("math.reciprocal", kernel="Reciprocal", dtypes=SIGNED)
def reciprocal(x: TensorLike) -> jax.Array:
    """Computes one over each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`: inf at 0.

    Raises:
        InvalidArgumentError: if `x` is boolean or unsigned.
        NotFoundError: if `x` is an integer tensor.

    >>> tf.math.reciprocal([2.0, -4.0]).numpy()
    array([ 0.5 , -0.25], dtype=float32)
    """
    refuse_missing_kernel(x, "Reciprocal", jnp.integer)
    return lax.integer_pow(x, -1)


@op("math.reciprocal_no_nan", kernel="DivNoNan", dtypes=DIVISIBLE)
def reciprocal_no_nan(x: TensorLike) -> jax.Array:
    """Computes one over each element, and 0 for an element that is 0.

    The derivative where the element is 0 is 0, too.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy()
    array([0.5, 0. ], dtype=float32)
    """
    zero = x == 0
    return jnp.where(zero, jnp.zeros_like(x), 1 / jnp.where(zero, jnp.ones_like(x), x))
