"""Powers, by a tensor and by an integer known beforehand, and polynomials."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_derivatives import SymbolicZero

from tapefacade._core import errors
from tapefacade._core.convert import convert
from tapefacade._core.registry import FUNCTIONS
from tapefacade._ops import kinds
from tapefacade._ops.op import Check, TensorLike, function, op
from tapefacade._ops.refusals import check_broadcast

POW = ("bfloat16", "float", "half", "double", *kinds.SIGNED, "complex64", "complex128")


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
        return FUNCTIONS["zeros_like"](x)
    terms = [term if hasattr(term, "_type") else convert(term) for term in coeffs]
    result = terms[0]
    for term in terms[1:]:
        result = term + result * x
    return result
