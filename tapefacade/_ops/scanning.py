"""Logarithms of running sums: `cumulative_logsumexp`."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._ops import kinds
from tapefacade._ops.arguments import as_integer, invalid
from tapefacade._ops.op import TensorLike, op


@op("math.cumulative_logsumexp", kernel="CumulativeLogsumexp", dtypes=kinds.FLOATS)
def cumulative_logsumexp(
    x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> jax.Array:
    """Computes the logarithm of the sum of the exponentials up to each element.

    Unlike TensorFlow, what comes after a nan is nan too.

    Args:
        x: a floating tensor of rank 1 or more.
        axis: the axis along which the sums are taken.
        exclusive: leave out the element itself; the first result is then -inf.
        reverse: sum from the end.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `axis` is out of range.

    >>> tf.math.cumulative_logsumexp([0.0, 0.0, 0.0]).numpy().round(4)
    array([0.    , 0.6931, 1.0986], dtype=float32)
    """
    rank = x.ndim
    axis = as_integer(axis)
    if not -rank <= axis < rank:
        low = f"-{rank}" if rank else "0"
        raise invalid(f"ScanOp: Expected scan axis in the range [{low}, {rank}), but got {axis}")
    axis %= rank
    if exclusive and x.shape[axis]:
        edge = jnp.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), -np.inf, x.dtype)
        inner = lax.slice_in_dim(x, 1 if reverse else 0, x.shape[axis] - (not reverse), axis=axis)
        x = jnp.concatenate([inner, edge] if reverse else [edge, inner], axis=axis)
    return lax.cumlogsumexp(x, axis=axis, reverse=bool(reverse))
