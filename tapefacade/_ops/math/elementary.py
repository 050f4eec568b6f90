"""Elementary functions of each element: `abs`, `exp`, `log`, `sqrt`, `pow`, `round`, `is_nan`."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_derivatives import SymbolicZero

from tapefacade._core import errors, kernel_dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.kernel_dtypes import FLOATS_SIGNED, FLOATS_SIGNED_COMPLEX
from tapefacade._definition.argument_checks import (
    check_broadcast,
    refuse_dtype,
    refuse_missing_kernel,
)
from tapefacade._definition.op import Check, NoGradient, NotDifferentiable, TensorLike, function, op
from tapefacade._ops.array.copying import zeros_like

NUMBERS = (*kernel_dtypes.FLOATS, *kernel_dtypes.INTEGERS, *kernel_dtypes.COMPLEX)
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


@op("math.abs", "abs", kernel="Abs", host=np.abs, elementwise=1, keeps_zeros=True, raw_op=True)
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
    refuse_dtype(x, "Abs", FLOATS_SIGNED)
    return lax.abs(x) if jnp.issubdtype(x.dtype, jnp.integer) else _abs(x)


@op(
    "math.negative",
    "negative",
    kernel="Neg",
    host=np.negative,
    dtypes=FLOATS_SIGNED_COMPLEX,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
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


@op(
    "math.sign",
    "sign",
    kernel="Sign",
    host=np.sign,
    dtypes=FLOATS_SIGNED_COMPLEX,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
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


@op(
    "math.exp", "exp", kernel="Exp", dtypes=kernel_dtypes.FLOATS_COMPLEX, elementwise=1, raw_op=True
)
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


@op("math.expm1", kernel="Expm1", dtypes=kernel_dtypes.FLOATS_COMPLEX, elementwise=1, raw_op=True)
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


@op("math.log", kernel="Log", dtypes=kernel_dtypes.FLOATS_COMPLEX, elementwise=1, raw_op=True)
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


@op("math.log1p", kernel="Log1p", dtypes=kernel_dtypes.FLOATS_COMPLEX, elementwise=1, raw_op=True)
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


@op(
    "math.sqrt",
    "sqrt",
    kernel="Sqrt",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
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


@op("math.rsqrt", kernel="Rsqrt", dtypes=kernel_dtypes.FLOATS_COMPLEX, elementwise=1, raw_op=True)
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


@op(
    "math.square",
    "square",
    kernel="Square",
    dtypes=NUMBERS,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
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


@op(
    "math.reciprocal", kernel="Reciprocal", dtypes=FLOATS_SIGNED_COMPLEX, elementwise=1, raw_op=True
)
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


@op("math.reciprocal_no_nan", kernel="DivNoNan", dtypes=DIVISIBLE, elementwise=1)
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


POW = ("bfloat16", "float", "half", "double", *kernel_dtypes.SIGNED, "complex64", "complex128")


@jax.custom_jvp
def _pow(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.power(x, y)


@functools.partial(_pow.defjvp, symbolic_zeros=True)
def _pow_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, Any]:
    """TensorFlow's rule: `y * x**(y - 1)`, and the logarithm counts as 0 where `x <= 0`.

    A constant exponent must not contribute the 0 * inf of a base that is 0.
    """
    (x, y), (dx, dy) = primals, tangents
    power = _pow(x, y)
    tangent = jnp.zeros_like(power)
    if not isinstance(dx, SymbolicZero):
        tangent = dx * (y * _pow(x, y - 1))
    if not isinstance(dy, SymbolicZero):
        counts = x != 0 if jnp.iscomplexobj(x) else x > 0
        log = jnp.where(counts, lax.log(jnp.where(counts, x, jnp.ones_like(x))), jnp.zeros_like(x))
        by_exponent = dy * (power * log)
        tangent = by_exponent if isinstance(dx, SymbolicZero) else tangent + by_exponent
    return power, tangent


def _no_negative_exponent(x: Any, y: Any) -> tuple[Any, ...]:
    if not jnp.issubdtype(y.dtype, jnp.integer) or 0 in (*x.shape, *y.shape):
        return (True,)
    return (jnp.all(y >= 0),)


def _negative_exponent() -> Exception:
    message = "Integers to negative integer powers are not allowed"
    return errors.InvalidArgumentError(None, None, message)


@op(
    "math.pow",
    "pow",
    kernel="Pow",
    dtypes=POW,
    host=np.power,
    check=Check(values=("y",), test=_no_negative_exponent, error=_negative_exponent),
    elementwise=2,
    raw_op=True,
)
def pow(x: TensorLike, y: TensorLike) -> jax.Array:
    """Raises each element to a power, as `x ** y`.

    The derivative by `y` is 0 where `x` is not positive.

    Args:
        x: a floating, signed integer or complex tensor.
        y: the exponents, a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape; NaN where a negative real number has a fractional exponent.

    Raises:
        InvalidArgumentError: if the dtypes differ, if an integer has a negative exponent, or if the
            shapes do not fit.

    >>> tf.pow([2.0, 3.0], [3.0, 2.0]).numpy()
    array([8., 9.], dtype=float32)
    """
    check_broadcast(x, y)
    return jnp.power(x, y) if jnp.issubdtype(x.dtype, jnp.integer) else _pow(x, y)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _integer_power(x: jax.Array, exponent: int) -> jax.Array:
    return lax.integer_pow(x, exponent)


@_integer_power.defjvp
def _integer_power_jvp(
    exponent: int, primals: tuple, tangents: tuple
) -> tuple[jax.Array, jax.Array]:
    """Depends on `x` at every order, so that no derivative of `x**2` is None."""
    (x,), (tangent,) = primals, tangents
    slope = exponent * _integer_power(x, exponent - 1)
    return _integer_power(x, exponent), tangent * slope


@op("_pow_integer", kernel="Pow", dtypes=POW)
def power_by_integer(x: TensorLike, exponent: int) -> jax.Array:
    """Raises each element to a power that is known beforehand, by multiplications.

    It is `x ** exponent` for a Python integer: exact and fast, with the derivatives of `tf.pow`
    (also the NaN of the derivatives of `x**0` where `x` is 0).

    Args:
        x: a floating or complex tensor.
        exponent: a small integer.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> (tf.constant([1.5, -2.0]) ** 3).numpy()
    array([ 3.375, -8.   ], dtype=float32)
    """
    return _integer_power(x, exponent)


@function("math.polyval")
def polyval(coeffs: list[Any], x: Any, name: str | None = None) -> Any:
    """Evaluates a polynomial.

    Args:
        coeffs: a list of the coefficients, that of the highest power first.
        x: where, a tensor of numbers.
        name: ignored.

    Returns:
        A tensor of the shape of `x`, broadcast with the coefficients; the coefficient itself if
        there is only one.

    Raises:
        ValueError: if `coeffs` is no list.

    >>> tf.math.polyval([1.0, 0.0, -2.0], [2.0, 3.0]).numpy()
    array([2., 7.], dtype=float32)
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = x if hasattr(x, "_type") else convert(x)
    if not coeffs:
        return zeros_like(x)
    terms = [term if hasattr(term, "_type") else convert(term) for term in coeffs]
    result = terms[0]
    for term in terms[1:]:
        result = term + result * x
    return result


@op(
    "math.floor",
    "floor",
    kernel="Floor",
    dtypes=kernel_dtypes.FLOATS,
    gradient=NotDifferentiable(),
    elementwise=1,
    raw_op=True,
)
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


@op(
    "math.ceil",
    kernel="Ceil",
    dtypes=kernel_dtypes.FLOATS,
    gradient=NotDifferentiable(),
    elementwise=1,
    raw_op=True,
)
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


@op("math.round", "round", kernel="Round", gradient=NotDifferentiable(), elementwise=1, raw_op=True)
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
    refuse_dtype(x, "Round", FLOATS_SIGNED_COMPLEX)
    refuse_missing_kernel(x, "Round", jnp.complexfloating)
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)


@op(
    "math.rint",
    kernel="Rint",
    dtypes=kernel_dtypes.FLOATS,
    gradient=NotDifferentiable(),
    elementwise=1,
    raw_op=True,
)
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


@op(
    "math.is_nan",
    kernel="IsNan",
    dtypes=kernel_dtypes.FLOATS,
    gradient=NoGradient("IsNan"),
    elementwise=1,
    raw_op=True,
)
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


@op(
    "math.is_inf",
    kernel="IsInf",
    dtypes=kernel_dtypes.FLOATS,
    gradient=NoGradient("IsInf"),
    elementwise=1,
    raw_op=True,
)
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


@op(
    "math.is_finite",
    kernel="IsFinite",
    dtypes=kernel_dtypes.FLOATS,
    gradient=NoGradient("IsFinite"),
    elementwise=1,
    raw_op=True,
)
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
