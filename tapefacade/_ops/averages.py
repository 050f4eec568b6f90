"""Averages of losses over batches."""

from typing import Annotated, Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._ops.arguments import invalid, written
from tapefacade._ops.op import FreeTensor, op

OptionalFree = Annotated[Any, "free", "optional"]


@op("nn.compute_average_loss", kernel="Mul")
def compute_average_loss(
    per_example_loss: FreeTensor, sample_weight: OptionalFree = None, global_batch_size: Any = None
) -> jax.Array:
    """Sums the losses of examples and divides by the size of the batch.

    Args:
        per_example_loss: a tensor of shape `[B, ...]`.
        sample_weight: weights that broadcast to it, possibly without its last dimension.
        global_batch_size: the divisor, by default B.

    Returns:
        A scalar of the type of `per_example_loss`, float64 if it holds integers; 0 for an empty
        batch.

    Raises:
        ValueError: if `per_example_loss` is a scalar, or `global_batch_size` is none.
        TypeError: if `global_batch_size` is no integer.
        InvalidArgumentError: if it is negative, or the shapes do not fit together.

    >>> tf.nn.compute_average_loss([1.0, 2.0], global_batch_size=4).numpy()
    np.float32(0.75)
    """
    if per_example_loss.ndim == 0:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            "Received per_example_loss of shape () with rank 0"
        )
    losses = per_example_loss
    if sample_weight is not None:
        losses = _scaled(losses, sample_weight)
    total = jnp.sum(losses, dtype=losses.dtype)
    size = losses.shape[0] if global_batch_size is None else _checked_size(global_batch_size)
    if jnp.issubdtype(total.dtype, jnp.integer):
        total = total.astype(np.float64)
    return total / jnp.asarray(size, total.dtype) if size else total * jnp.zeros((), total.dtype)


def _checked_size(size: Any) -> int:
    if isinstance(size, tuple):
        raise ValueError(
            "global_batch_size must be scalar..  Expected scalar shape, saw shape: "
            f"{np.shape(size)}."
        )
    if not isinstance(size, int):
        raise TypeError(
            'global_batch_size must be an integer..  Expected "x" to be integer type.  Found: '
            "tensor of dtype <dtype: 'float32'>"
        )
    if size < 0:
        raise invalid(
            "global_batch_size must be non-negative..  \nCondition x >= 0 did not hold "
            f"element-wise:\nx (shape=() dtype=int32) = \n{size}",
        )
    return size


def _scaled(losses: jax.Array, weights: jax.Array) -> jax.Array:
    """Multiplies in single precision, as TensorFlow does."""
    result, scale = losses.astype(np.float32), weights.astype(np.float32)
    if scale.ndim == result.ndim + 1 and scale.shape[-1] == 1:
        scale = scale[..., 0]
    elif scale.ndim and scale.ndim == result.ndim - 1:
        scale = scale[..., None]
    try:
        np.broadcast_shapes(result.shape, scale.shape)
    except ValueError:
        raise invalid(
            f"Incompatible shapes: {written(result.shape)} vs. {written(scale.shape)}",
        ) from None
    return (result * scale).astype(losses.dtype)


@op("nn.scale_regularization_loss", kernel="RealDiv")
def scale_regularization_loss(regularization_loss: FreeTensor) -> jax.Array:
    """Sums losses that do not depend on the examples, each replica's share of them.

    Args:
        regularization_loss: a tensor of any shape.

    Returns:
        A scalar of the type of `regularization_loss`, float64 if it holds integers.

    >>> tf.nn.scale_regularization_loss([1.0, 2.0]).numpy()
    np.float32(3.0)
    """
    total = jnp.sum(regularization_loss, dtype=regularization_loss.dtype)
    return total.astype(np.float64) if jnp.issubdtype(total.dtype, jnp.integer) else total
