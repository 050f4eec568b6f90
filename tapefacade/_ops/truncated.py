"""Normal numbers between any limits."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import ndtr, ndtri

from tapefacade._core.tensor import EagerTensor
from tapefacade._ops import philox
from tapefacade._ops.arguments import invalid
from tapefacade._ops.op import Check, FreeTensor, TensorLike, function, op
from tapefacade._ops.sampling import dimensions

DTYPES = ("half", "float", "double")


@function("random.stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(
    shape: Any, seed: Any, means: Any = 0.0, stddevs: Any = 1.0, minvals: Any = -2.0,
    maxvals: Any = 2.0, name: None = None,
) -> EagerTensor:  # fmt: skip
    """Draws normal numbers between limits, the same for the same `seed`.

    The parameters broadcast; the last dimensions of `shape` are those of the parameters. Unlike
    TensorFlow, which rejects candidates, the distribution is inverted; the numbers are others.

    Args:
        shape: the shape of the result.
        seed: two integers.
        means: the means of the whole distributions.
        stddevs: their standard deviations, positive.
        minvals: the lower limits.
        maxvals: the upper limits.
        name: ignored.

    Returns:
        A tensor of `shape` and the dtype of `means`. Gradients flow to the parameters: those of
        `means` and `stddevs` leave the limits in units of `stddevs` alone, as in TensorFlow.

    Raises:
        InvalidArgumentError: if a standard deviation is not positive, a lower limit not below the
            upper one, `seed` no pair of integers, or the shapes do not fit together.

    >>> drawn = tf.random.stateless_parameterized_truncated_normal([99], [1, 2], 0.0, 1.0, 3.0, 4.0)
    >>> bool(tf.reduce_all((drawn >= 3) & (drawn <= 4)))
    True
    """
    return _draw(seed, means, stddevs, minvals, maxvals, shape)


def _valid(stddevs: Any, minvals: Any, maxvals: Any, **_: Any) -> tuple[Any, ...]:
    return (jnp.all(stddevs > 0) & jnp.all(minvals < maxvals),)


def _invalid(**_: Any) -> Exception:
    return invalid("Invalid parameters")


@op(
    "_stateless_parameterized_truncated_normal",
    kernel="StatelessParameterizedTruncatedNormal",
    dtypes=DTYPES,
    check=Check(("stddevs", "minvals", "maxvals"), test=_valid, error=_invalid),
)
def _draw(
    seed: FreeTensor, means: TensorLike, stddevs: TensorLike, minvals: TensorLike,
    maxvals: TensorLike, shape: Any,
) -> jax.Array:  # fmt: skip
    """Draws for `tf.random.stateless_parameterized_truncated_normal`."""
    if not isinstance(shape, tuple):
        raise invalid("Input shape should be a vector, got shape: []")
    shape = dimensions(shape)
    parameters = (means, stddevs, minvals, maxvals)
    try:
        inner = np.broadcast_shapes(*(x.shape for x in parameters))
    except ValueError:
        given = " vs. ".join(f"[{','.join(map(str, x.shape))}]" for x in parameters)
        raise invalid(
            f"means, stddevs, minvals, maxvals must have compatible batch dimensions: {given}"
        ) from None
    if shape[len(shape) - len(inner) :] != inner or len(inner) > len(shape):
        raise invalid("Shape passed in must end with broadcasted shape.")
    fraction = philox.uniform(philox.seeded(seed), shape, np.float64)
    return _inverse(fraction, *(x.astype(np.float64) for x in parameters)).astype(means.dtype)


@jax.custom_jvp
def _inverse(
    fraction: jax.Array, mean: jax.Array, stddev: jax.Array, low: jax.Array, high: jax.Array
) -> jax.Array:
    """Inverts the distribution function.

    What lies above the mean is mirrored, since the distribution function is precise below.
    """
    low, high = (low - mean) / stddev, (high - mean) / stddev
    above = low > 0
    start, end = jnp.where(above, -high, low), jnp.where(above, -low, high)
    fraction = jnp.where(above, 1 - fraction, fraction)
    first, last = ndtr(start), ndtr(end)
    z = jnp.clip(ndtri(first + fraction * (last - first)), start, end)
    return mean + stddev * jnp.where(above, -z, z)


@_inverse.defjvp
def _inverse_jvp(primals: Any, tangents: Any) -> tuple[jax.Array, jax.Array]:
    """Differentiates as TensorFlow does, with the limits in units of the standard deviation."""
    fraction, mean, stddev, low, high = primals
    _, by_mean, by_stddev, by_low, by_high = tangents
    drawn = _inverse(*primals)
    z, low, high = ((x - mean) / stddev for x in (drawn, low, high))
    above = jnp.exp((z * z - low * low) / 2) * (1 - fraction)
    below = jnp.exp((z * z - high * high) / 2) * fraction
    return drawn, by_mean + z * by_stddev + above * by_low + below * by_high
