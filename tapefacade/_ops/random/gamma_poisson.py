"""Random numbers from gamma, Poisson and binomial distributions."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, random_keys
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.error_texts import invalid
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
from tapefacade._ops.random import philox, rejection
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

    The numbers are TensorFlow's, see `tf.random.set_seed`.

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
    alpha = convert_to_tensor(alpha, dtype)
    beta = None if beta is None else convert(beta, dtype)
    state = random_keys.next_state("RandomGamma", dtype, seed, _whole_shape(shape, alpha, beta))
    return _gamma(state, alpha, beta, shape, False)


def _whole_shape(shape: Any, *parameters: EagerTensor | None) -> Any:
    """Returns the shape of all numbers that are drawn for parameters; 0 if it is not known."""
    try:
        inner = np.broadcast_shapes(*(p._type.shape for p in parameters if p is not None))
        return (*np.asarray(shape, np.int64).tolist(), *inner)
    except (TypeError, ValueError):  # the op will say what is wrong with it
        return 0


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

    The numbers are TensorFlow's, see `tf.random.set_seed`.

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
    state: FreeTensor, alpha: TensorLike, beta: OptionalTensor, shape: Any, stateless: bool
) -> jax.Array:
    """Draws for `tf.random.gamma` and `tf.random.stateless_gamma`."""
    require(dtypes.as_dtype(alpha.dtype), FLOATS_EXCEPT_BFLOAT16)
    inner = alpha.shape if beta is None else broadcast_shape(alpha.shape, beta.shape)
    outer = _outer(shape, inner) if stateless else (*dimensions(shape), *inner)
    state = philox.seeded_state(state) if stateless else state
    drawn = _gamma_draws(state, jnp.broadcast_to(alpha, inner), outer)
    tiny = jnp.asarray(jnp.finfo(alpha.dtype).tiny, alpha.dtype)
    drawn = drawn if beta is None else drawn / beta
    return jnp.where(drawn < tiny, tiny, drawn)


def _outer(shape: Any, inner: tuple[int, ...]) -> tuple[int, ...]:
    outer = dimensions(shape)
    if outer[len(outer) - len(inner) :] != inner:
        raise invalid(MESSAGE_SAMPLE_SHAPE)
    return outer


def _sizes(outer: tuple[int, ...], inner: tuple[int, ...]) -> tuple[int]:
    """Returns how many numbers are drawn for each distribution."""
    return (int(np.prod(outer[: len(outer) - len(inner)], dtype=np.int64)),)


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _gamma_draws(state: jax.Array, alpha: jax.Array, outer: tuple[int, ...]) -> jax.Array:
    drawn = rejection.gamma(state, alpha.reshape(-1), _sizes(outer, alpha.shape))
    return drawn.reshape(outer)


@_gamma_draws.defjvp
def _gamma_draws_jvp(
    outer: tuple[int, ...], primals: tuple, tangents: tuple
) -> tuple[jax.Array, jax.Array]:
    state, alpha = primals
    drawn = _gamma_draws(state, alpha, outer)
    return drawn, tangents[1] * _gamma_slope(jnp.broadcast_to(alpha, outer), drawn)


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

    The numbers are TensorFlow's, see `tf.random.set_seed`.

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
    lam, dtype = convert(lam), dtypes.as_dtype(dtype)
    state = random_keys.next_state("RandomPoissonV2", dtype, seed, _whole_shape(shape, lam))
    return _poisson(state, lam, shape, dtype)


@op("_poisson", kernel="RandomPoissonV2", gradient=NoGradient("RandomPoissonV2"))
def _poisson(state: FreeTensor, lam: TensorLike, shape: Any, dtype: dtypes.DType) -> jax.Array:
    """Draws for `tf.random.poisson`."""
    require(dtype, POISSON)
    return _poisson_draws(state, lam, (*dimensions(shape), *lam.shape), dtype)


def _poisson_draws(
    state: jax.Array, lam: jax.Array, outer: tuple[int, ...], dtype: dtypes.DType
) -> jax.Array:
    sizes = _sizes(outer, lam.shape)
    return rejection.poisson(state, lam.reshape(-1), sizes, dtype.as_numpy_dtype).reshape(outer)


@function("random.stateless_poisson")
def stateless_poisson(
    shape: Any, seed: FreeTensor, lam: Any, dtype: Any = dtypes.int32, name: None = None
) -> EagerTensor:
    """Draws numbers from Poisson distributions, the same for the same `seed`.

    The numbers are TensorFlow's, see `tf.random.set_seed`.

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
    return _poisson_draws(philox.seeded_state(seed), lam, _outer(shape, lam.shape), dtype)


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

    The numbers are TensorFlow's, see `tf.random.set_seed`.

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
    return _binomial_draws(philox.seeded_state(seed), counts, probs, shape, dtype)


@op("_binomial", kernel="StatefulRandomBinomial", gradient=NotDifferentiable())
def binomial(
    state: FreeTensor, counts: TensorLike, probs: TensorLike, shape: Any, dtype: dtypes.DType
) -> jax.Array:
    """Draws for `tf.random.Generator.binomial`."""
    return _binomial_draws(state, counts, probs, shape, dtype)


def _binomial_draws(
    state: jax.Array, counts: jax.Array, probs: jax.Array, shape: Any, dtype: dtypes.DType
) -> jax.Array:
    require(dtype, POISSON)
    inner = broadcast_shape(counts.shape, probs.shape)
    outer = _outer(shape, inner)
    counts, probs = (jnp.broadcast_to(x, inner).reshape(-1) for x in (counts, probs))
    sizes = _sizes(outer, inner)
    return rejection.binomial(state, counts, probs, sizes, dtype.as_numpy_dtype).reshape(outer)
