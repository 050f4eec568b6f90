"""Random numbers from gamma, Poisson and binomial distributions."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, random_keys
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.error_texts import invalid
from tapefacade._core.jax_keys import checked_seed, unwrap
from tapefacade._core.kernel_dtypes import FLOATS_EXCEPT_BFLOAT16
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import broadcast_shape
from tapefacade._definition.op import (
    FreeTensor,
    NoGradient,
    NotDifferentiable,
    OptionalTensor,
    TensorLike,
    function,
    op,
)
from tapefacade._ops.random.stateful import MESSAGE_SAMPLE_SHAPE, POISSON, dimensions, require


@function("random.gamma")
def gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: None = None,
) -> EagerTensor:
    """Draws numbers from gamma distributions.

    Unlike TensorFlow, the numbers are those of JAX's generator.

    Args:
        shape: how many numbers to draw for each distribution.
        alpha: the shape parameter, positive.
        beta: the rate, which broadcasts with `alpha`; by default 1.
        dtype: float16, float32 or float64.
        seed: makes the numbers repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        A tensor whose shape is `shape` followed by that of `alpha` and `beta` broadcast, different
        at each call. Gradients flow to `alpha` (once) and `beta`.

    Raises:
        InvalidArgumentError: if `shape` is no vector of sizes, or `dtype` is unsuitable.

    >>> tf.random.gamma([3], [1.0, 2.0]).shape
    TensorShape([3, 2])
    """
    dtype = dtypes.as_dtype(dtype)
    key = random_keys.next_key("gamma", seed)
    alpha = convert_to_tensor(alpha, dtype)
    return _gamma(key, alpha, None if beta is None else convert(beta, dtype), shape, False)


@function("random.stateless_gamma")
def stateless_gamma(
    shape: Any,
    seed: FreeTensor,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    name: None = None,
) -> EagerTensor:
    """Draws numbers from gamma distributions, the same for the same `seed`.

    Unlike TensorFlow, the numbers are those of JAX's generator.

    Args:
        shape: the shape of the result, which ends with that of `alpha` and `beta` broadcast.
        seed: two integers.
        alpha: the shape parameter, positive.
        beta: the rate; by default 1.
        dtype: float16, float32 or float64.
        name: ignored.

    Returns:
        A tensor of `shape` and `dtype`. Gradients flow to `alpha` (once) and `beta`.

    Raises:
        InvalidArgumentError: if `seed` is no pair of integers, or the shapes do not fit together.

    >>> tf.random.stateless_gamma([3, 2], [1, 2], [1.0, 2.0]).shape
    TensorShape([3, 2])
    """
    dtype = dtypes.as_dtype(dtype)
    alpha = convert_to_tensor(alpha, dtype)
    return _gamma(seed, alpha, None if beta is None else convert(beta, dtype), shape, True)


@op("_gamma", kernel="RandomGamma", dtypes=None)
def _gamma(
    key: FreeTensor, alpha: TensorLike, beta: OptionalTensor, shape: Any, stateless: bool
) -> jax.Array:
    """Draws for `tf.random.gamma` and `tf.random.stateless_gamma`."""
    require(dtypes.as_dtype(alpha.dtype), FLOATS_EXCEPT_BFLOAT16)
    inner = alpha.shape if beta is None else broadcast_shape(alpha.shape, beta.shape)
    outer = _outer(shape, inner) if stateless else (*dimensions(shape), *inner)
    drawn = _gamma_draws(_key(key, stateless), jnp.broadcast_to(alpha, outer))
    tiny = jnp.asarray(jnp.finfo(alpha.dtype).tiny, alpha.dtype)
    drawn = drawn if beta is None else drawn / beta
    return jnp.where(drawn < tiny, tiny, drawn)


def _key(key: jax.Array, stateless: bool) -> jax.Array:
    return checked_seed(key) if stateless else unwrap(key)


def _outer(shape: Any, inner: tuple[int, ...]) -> tuple[int, ...]:
    outer = dimensions(shape)
    try:
        fits = np.broadcast_shapes(outer, inner) == outer
    except ValueError:
        fits = False
    if not fits:
        raise invalid(MESSAGE_SAMPLE_SHAPE)
    return outer


@jax.custom_jvp
def _gamma_draws(key: jax.Array, alpha: jax.Array) -> jax.Array:
    # JAX's sampler would not end for parameters that are not positive.
    usable = jnp.where(alpha > 0, alpha, jnp.ones((), alpha.dtype))
    drawn = jax.random.gamma(key, usable, alpha.shape, alpha.dtype)
    nan, zero = (jnp.asarray(x, alpha.dtype) for x in (np.nan, 0))
    return jnp.where(alpha > 0, drawn, jnp.where(alpha == 0, zero, nan))


@_gamma_draws.defjvp
def _gamma_draws_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    key, alpha = primals
    drawn = _gamma_draws(key, alpha)
    return drawn, tangents[1] * _gamma_slope(alpha, drawn)


@jax.custom_jvp
def _gamma_slope(alpha: jax.Array, drawn: jax.Array) -> jax.Array:
    """Returns the derivative of a draw for its parameter."""
    return lax.random_gamma_grad(alpha, drawn)  # pyright: ignore[reportCallIssue]


@_gamma_slope.defjvp
def _gamma_slope_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    raise LookupError("gradient registry has no entry for: RandomGammaGrad")


@function("random.poisson")
def poisson(
    shape: Any, lam: Any, dtype: Any = dtypes.float32, seed: Any = None, name: None = None
) -> EagerTensor:
    """Draws numbers from Poisson distributions.

    Unlike TensorFlow, the numbers are those of JAX's generator.

    Args:
        shape: how many numbers to draw for each distribution.
        lam: the means.
        dtype: float16, float32, float64, int32 or int64.
        seed: makes the numbers repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        A tensor whose shape is `shape` followed by that of `lam`, different at each call.

    Raises:
        InvalidArgumentError: if `shape` is no vector of sizes, or `dtype` is unsuitable.
        LookupError: if a gradient for `lam` is asked for.

    >>> tf.random.poisson([3], [1.0, 2.0]).shape
    TensorShape([3, 2])
    """
    key = random_keys.next_key("poisson", seed)
    return _poisson(key, convert(lam), shape, dtypes.as_dtype(dtype))


@op("_poisson", kernel="RandomPoissonV2", gradient=NoGradient("RandomPoissonV2"))
def _poisson(key: FreeTensor, lam: TensorLike, shape: Any, dtype: dtypes.DType) -> jax.Array:
    """Draws for `tf.random.poisson`."""
    require(dtype, POISSON)
    lam = jnp.broadcast_to(lam, (*dimensions(shape), *lam.shape))
    return _poisson_draws(unwrap(key), lam, dtype)


def _poisson_draws(key: jax.Array, lam: jax.Array, dtype: dtypes.DType) -> jax.Array:
    rates = lam.astype(np.float64 if lam.dtype == np.float64 else np.float32)
    drawn = jax.random.poisson(key, jnp.maximum(rates, jnp.zeros((), rates.dtype)), lam.shape)
    return drawn.astype(dtype.as_numpy_dtype)


@function("random.stateless_poisson")
def stateless_poisson(
    shape: Any, seed: FreeTensor, lam: Any, dtype: Any = dtypes.int32, name: None = None
) -> EagerTensor:
    """Draws numbers from Poisson distributions, the same for the same `seed`.

    Unlike TensorFlow, the numbers are those of JAX's generator.

    Args:
        shape: the shape of the result, which ends with that of `lam`.
        seed: two integers.
        lam: the means.
        dtype: float16, float32, float64, int32 or int64.
        name: ignored.

    Returns:
        A tensor of `shape` and `dtype`. No gradient flows to `lam`.

    Raises:
        InvalidArgumentError: if `seed` is no pair of integers, or the shapes do not fit together.

    >>> tf.random.stateless_poisson([3], [1, 2], 2.0).shape
    TensorShape([3])
    """
    return _stateless_poisson(seed, convert(lam), shape, dtypes.as_dtype(dtype))


@op("_stateless_poisson", kernel="StatelessRandomPoisson", gradient=NotDifferentiable())
def _stateless_poisson(
    seed: FreeTensor, lam: TensorLike, shape: Any, dtype: dtypes.DType
) -> jax.Array:
    """Draws for `tf.random.stateless_poisson`."""
    require(dtype, POISSON)
    lam = jnp.broadcast_to(lam, _outer(shape, lam.shape))
    return _poisson_draws(checked_seed(seed), lam, dtype)


@function("random.stateless_binomial")
def stateless_binomial(
    shape: Any,
    seed: FreeTensor,
    counts: Any,
    probs: Any,
    output_dtype: Any = dtypes.int32,
    name: None = None,
) -> EagerTensor:
    """Draws how many of `counts` trials succeed, the same for the same `seed`.

    Unlike TensorFlow, the numbers are those of JAX's generator.

    Args:
        shape: the shape of the result, to which `counts` and `probs` broadcast.
        seed: two integers.
        counts: the numbers of trials.
        probs: the probabilities of a success.
        output_dtype: float16, float32, float64, int32 or int64.
        name: ignored.

    Returns:
        A tensor of `shape` and `output_dtype`. No gradient flows to the parameters.

    Raises:
        InvalidArgumentError: if `seed` is no pair of integers, or the shapes do not fit together.

    >>> tf.random.stateless_binomial([2], [1, 2], 10.0, 1.0).numpy()
    array([10, 10], dtype=int32)
    """
    dtype = dtypes.as_dtype(output_dtype)
    counts = convert(counts)
    return _stateless_binomial(seed, counts, convert(probs, counts.dtype), shape, dtype)


@op("_stateless_binomial", kernel="StatelessRandomBinomial", gradient=NotDifferentiable())
def _stateless_binomial(
    seed: FreeTensor, counts: TensorLike, probs: TensorLike, shape: Any, dtype: dtypes.DType
) -> jax.Array:
    """Draws for `tf.random.stateless_binomial`."""
    require(dtype, POISSON)
    outer = _outer(shape, broadcast_shape(counts.shape, probs.shape))
    wide = np.float64 if counts.dtype == np.float64 else np.float32
    trials, chances = (jnp.broadcast_to(x.astype(wide), outer) for x in (counts, probs))
    key = checked_seed(seed)
    drawn = jax.random.binomial(key, trials, chances, outer, wide)
    return drawn.astype(dtype.as_numpy_dtype)
