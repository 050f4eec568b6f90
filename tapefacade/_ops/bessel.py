"""Bessel functions and integrals without an elementary form."""

import math

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import special

from tapefacade._ops import kinds
from tapefacade._ops.dawson import dawson
from tapefacade._ops.op import TensorLike, op


@jax.custom_jvp
def _i0(x: jax.Array) -> jax.Array:
    return special.i0(x)


@_i0.defjvp
def _i0_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    return _i0(x), tangent * _i1(x)


@jax.custom_jvp
def _i1(x: jax.Array) -> jax.Array:
    return special.i1(x)


@_i1.defjvp
def _i1_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    y = _i1(x)
    # The derivative at 0 is 0.5, but TensorFlow says 1.
    return y, tangent * jnp.where(x == 0, jnp.ones_like(x), _i0(x) - y / x)


@jax.custom_jvp
def _i0e(x: jax.Array) -> jax.Array:
    return lax.bessel_i0e(x)


@_i0e.defjvp
def _i0e_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    y = _i0e(x)
    return y, tangent * (_i1e(x) - lax.sign(x) * y)


@jax.custom_jvp
def _i1e(x: jax.Array) -> jax.Array:
    return lax.bessel_i1e(x)


@_i1e.defjvp
def _i1e_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    y = _i1e(x)
    slope = _i0e(x) - y * (lax.sign(x) + 1 / x)
    return y, tangent * jnp.where(x == 0, jnp.full_like(x, 0.5), slope)


@op("math.bessel_i0", "math.special.bessel_i0", kernel="BesselI0", dtypes=kinds.FLOATS)
def bessel_i0(x: TensorLike) -> jax.Array:
    """Computes the modified Bessel function of order 0 of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.bessel_i0([0.0, 1.0]).numpy().round(4)
    array([1.    , 1.2661], dtype=float32)
    """
    return _i0(x)


@op("math.bessel_i1", "math.special.bessel_i1", kernel="BesselI1", dtypes=kinds.FLOATS)
def bessel_i1(x: TensorLike) -> jax.Array:
    """Computes the modified Bessel function of order 1 of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`. Its derivative at 0 is 1, as TensorFlow has it,
        where 0.5 would be right.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.bessel_i1([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.5652], dtype=float32)
    """
    return _i1(x)


@op("math.bessel_i0e", "math.special.bessel_i0e", kernel="BesselI0e", dtypes=kinds.FLOATS)
def bessel_i0e(x: TensorLike) -> jax.Array:
    """Computes `exp(-abs(x)) * bessel_i0(x)` of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.bessel_i0e([0.0, 1.0]).numpy().round(4)
    array([1.    , 0.4658], dtype=float32)
    """
    return _i0e(x)


@op("math.bessel_i1e", "math.special.bessel_i1e", kernel="BesselI1e", dtypes=kinds.FLOATS)
def bessel_i1e(x: TensorLike) -> jax.Array:
    """Computes `exp(-abs(x)) * bessel_i1(x)` of each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.bessel_i1e([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.2079], dtype=float32)
    """
    return _i1e(x)


@jax.custom_jvp
def _dawsn(x: jax.Array) -> jax.Array:
    return dawson(x)


@_dawsn.defjvp
def _dawsn_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    y = _dawsn(x)
    return y, tangent * (1 - 2 * x * y)


@op("math.special.dawsn", kernel="Dawsn", dtypes=kinds.FLOATS)
def dawsn(x: TensorLike) -> jax.Array:
    """Computes Dawson's integral `exp(-x**2)` times the integral of `exp(t**2)` from 0 to `x`.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.dawsn([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.5381], dtype=float32)
    """
    return _dawsn(x)


@jax.custom_jvp
def _expint(x: jax.Array) -> jax.Array:
    inside = jnp.where(x < 0, jnp.full_like(x, jnp.nan), special.expi(x))
    return jnp.where(x == 0, jnp.full_like(x, -jnp.inf), inside)


@_expint.defjvp
def _expint_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    return _expint(x), tangent * lax.exp(x) / x


@op("math.special.expint", kernel="Expint", dtypes=kinds.FLOATS)
def expint(x: TensorLike) -> jax.Array:
    """Computes the exponential integral, the principal value of that of `exp(t) / t` up to `x`.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: -inf at 0, NaN where `x` is negative.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.expint([0.5, 1.0]).numpy().round(4)
    array([0.4542, 1.8951], dtype=float32)
    """
    return _expint(x)


@jax.custom_jvp
def _fresnel_cos(x: jax.Array) -> jax.Array:
    return special.fresnel(x)[1]


@_fresnel_cos.defjvp
def _fresnel_cos_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    return _fresnel_cos(x), tangent * lax.cos(math.pi / 2 * lax.square(x))


@op("math.special.fresnel_cos", kernel="FresnelCos", dtypes=kinds.FLOATS)
def fresnel_cos(x: TensorLike) -> jax.Array:
    """Computes the Fresnel integral of `cos(pi / 2 * t**2)` from 0 to each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.fresnel_cos([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.7799], dtype=float32)
    """
    return _fresnel_cos(x)


@jax.custom_jvp
def _fresnel_sin(x: jax.Array) -> jax.Array:
    return special.fresnel(x)[0]


@_fresnel_sin.defjvp
def _fresnel_sin_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    return _fresnel_sin(x), tangent * lax.sin(math.pi / 2 * lax.square(x))


@op("math.special.fresnel_sin", kernel="FresnelSin", dtypes=kinds.FLOATS)
def fresnel_sin(x: TensorLike) -> jax.Array:
    """Computes the Fresnel integral of `sin(pi / 2 * t**2)` from 0 to each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.fresnel_sin([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.4383], dtype=float32)
    """
    return _fresnel_sin(x)


@jax.custom_jvp
def _spence(x: jax.Array) -> jax.Array:
    return special.spence(x)


@_spence.defjvp
def _spence_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    slope = jnp.where(x == 1, -jnp.ones_like(x), lax.log(x) / (1 - x))
    return _spence(x), tangent * slope


@op("math.special.spence", kernel="Spence", dtypes=kinds.FLOATS)
def spence(x: TensorLike) -> jax.Array:
    """Computes Spence's integral of `log(t) / (1 - t)` from 1 to each element.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`: NaN where `x` is negative.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.special.spence([0.5, 1.0]).numpy().round(4)
    array([0.5822, 0.    ], dtype=float32)
    """
    return _spence(x)
