"""Normal numbers between any limits."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
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
    values = [lax.stop_gradient(x).astype(np.float64) for x in parameters]
    low, high = ((x - values[0]) / values[1] for x in values[2:])
    z, by_low, by_high = _inverse(fraction, low, high)
    drawn = means + stddevs * z.astype(means.dtype)
    # What the limits contribute is zero; its derivative is not.
    for limit, slope in ((minvals, by_low), (maxvals, by_high)):
        change = limit - lax.stop_gradient(limit)
        part = slope.astype(means.dtype) * change
        drawn = drawn + jnp.where(jnp.isfinite(limit), part, jnp.zeros((), means.dtype))
    return jnp.clip(drawn, lax.stop_gradient(minvals), lax.stop_gradient(maxvals))


def _inverse(
    fraction: jax.Array, low: jax.Array, high: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Inverts the distribution function; returns the derivatives by the limits, too.

    What lies above zero is mirrored: the distribution function is precise below.
    """
    above = low > 0
    start, end = jnp.where(above, -high, low), jnp.where(above, -low, high)
    fraction = jnp.where(above, 1 - fraction, fraction)
    first, last = ndtr(start), ndtr(end)
    z = ndtri(first + fraction * (last - first))
    z = jnp.clip(z, start, end)
    by_start = (1 - fraction) * jnp.exp((z * z - start * start) / 2)
    by_end = fraction * jnp.exp((z * z - end * end) / 2)
    by_low, by_high = jnp.where(above, by_end, by_start), jnp.where(above, by_start, by_end)
    return jnp.where(above, -z, z), by_low, by_high
