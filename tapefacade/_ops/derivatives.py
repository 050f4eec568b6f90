"""Functions whose derivative rule is TensorFlow's, at poles and at infinity too.

JAX's rules are the same in some of its versions.
"""

import math

import jax
import jax.numpy as jnp
from jax import lax


@jax.custom_jvp
def error_function(x: jax.Array) -> jax.Array:
    """Computes the Gauss error function."""
    return lax.erf(x)


@error_function.defjvp
def _erf_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    scale = jnp.asarray(2 / math.sqrt(math.pi), x.dtype)
    return error_function(x), tangent * scale * lax.exp(-lax.square(x))


@jax.custom_jvp
def lgamma_function(x: jax.Array) -> jax.Array:
    """Computes the logarithm of the absolute gamma function."""
    return lax.lgamma(x)


@lgamma_function.defjvp
def _lgamma_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    return lgamma_function(*primals), tangents[0] * digamma_function(*primals)


@jax.custom_jvp
def digamma_function(x: jax.Array) -> jax.Array:
    """Computes the derivative of the logarithm of the gamma function, NaN at its poles."""
    pole = (x <= 0) & (x == lax.floor(x))
    return jnp.where(pole, jnp.full_like(x, jnp.nan), lax.digamma(x))


@digamma_function.defjvp
def _digamma_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    return digamma_function(x), tangent * lax.polygamma(jnp.ones_like(x), x)
