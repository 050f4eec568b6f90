"""The buckets of a histogram, as TensorBoard shows them."""

import jax
import jax.numpy as jnp

from tapefacade._core.gradient_rules import NotDifferentiable
from tapefacade._definition.op import FreeTensor, op


@op("_summary_buckets", gradient=NotDifferentiable())
def summary_buckets(values: FreeTensor, count: int) -> jax.Array:
    """Counts the values in equal parts of their range.

    Where all values are equal, only the last bucket has any.

    Args:
        values: numbers of any shape, in double precision.
        count: the number of buckets.

    Returns:
        A tensor `[count, 3]`: in each row where a bucket begins and ends, and the number of values.
    """
    flat = values.reshape(-1)
    if count == 0 or flat.size == 0:
        return jnp.zeros((count, 3), flat.dtype)
    low, high = flat.min(), flat.max()
    width = high - low
    same = width == 0
    scaled = jnp.floor((flat - low) / jnp.where(same, 1.0, width / count))
    places = jnp.where(same, count - 1, jnp.minimum(scaled, count - 1))
    valid = jnp.isfinite(places)
    rows = jnp.where(valid, places, 0.0).astype(jnp.int32)
    counts = jnp.zeros((count,), flat.dtype).at[rows].add(valid.astype(flat.dtype))
    edges = low + jnp.arange(count + 1, dtype=flat.dtype) * (width / count)
    edges = edges.at[count].set(high)
    left = jnp.where(same, high, edges[:-1])
    right = jnp.where(same, high, edges[1:])
    return jnp.stack([left, right, counts], axis=1)
