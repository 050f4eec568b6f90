"""Batch normalization as one kernel, which gives the statistics of the batch as well."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._ops.arguments import invalid, require_type, written
from tapefacade._ops.op import Differentiable, FreeTensor, TensorLike, op

CHANNELS = {"NHWC": (4, -1), "NCHW": (4, 1), "NDHWC": (5, -1), "NCDHW": (5, 1)}
KINDS = ("half", "bfloat16", "float")
GIVEN = ("mean", "variance")


class FusedBatchNorm(NamedTuple):
    """The result of `tf.raw_ops.FusedBatchNormV2`."""

    y: jax.Array
    batch_mean: jax.Array
    batch_variance: jax.Array
    reserve_space_1: jax.Array
    reserve_space_2: jax.Array


class FusedBatchNormV3(NamedTuple):
    """The result of `tf.raw_ops.FusedBatchNormV3`, whose last part is always empty."""

    y: jax.Array
    batch_mean: jax.Array
    batch_variance: jax.Array
    reserve_space_1: jax.Array
    reserve_space_2: jax.Array
    reserve_space_3: jax.Array


@op("_fused_batch_norm", kernel="FusedBatchNormV2", gradient=Differentiable(except_for=GIVEN))
def _fused_batch_norm(
    x: FreeTensor, scale: TensorLike, offset: TensorLike, mean: TensorLike, variance: TensorLike,
    epsilon: float = 1e-4, exponential_avg_factor: float = 1.0, data_format: str = "NHWC",
    is_training: bool = True,
) -> FusedBatchNorm:  # fmt: skip
    """Normalizes each channel with the mean and the variance of the batch, or with given ones.

    Only `y` has a gradient that is not 0, for `x`, `scale` and `offset`.

    Args:
        x: a float32, float16 or bfloat16 tensor of rank 4, or 5 for the formats with "D".
        scale: a float32 vector with a number for each channel.
        offset: likewise.
        mean: likewise; may be empty in training.
        variance: likewise.
        epsilon: what is added to the variance.
        exponential_avg_factor: the weight of the batch in the second and third result, which
            beside it have `mean` and `variance` in them.
        data_format: "NHWC", "NCHW", "NDHWC" or "NCDHW".
        is_training: whether the batch is normalized with its own statistics.

    Returns:
        The normalized tensor, the mean and the variance (with Bessel's correction in training), and
        those that it was normalized with.

    Raises:
        InvalidArgumentError: if the shapes or dtypes do not fit.

    >>> x = tf.constant([1.0, 3.0], shape=[2, 1, 1, 1])
    >>> one, none = tf.ones([1]), tf.constant([], tf.float32)
    >>> norm = tf.raw_ops.FusedBatchNormV2
    >>> norm(x=x, scale=one, offset=one, mean=none, variance=none).batch_mean.numpy()
    array([2.], dtype=float32)
    """
    return FusedBatchNorm(*_normalized(
        x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training
    ))  # fmt: skip


@op("_fused_batch_norm_v3", kernel="FusedBatchNormV3", gradient=Differentiable(except_for=GIVEN))
def _fused_batch_norm_v3(
    x: FreeTensor, scale: TensorLike, offset: TensorLike, mean: TensorLike, variance: TensorLike,
    epsilon: float = 1e-4, exponential_avg_factor: float = 1.0, data_format: str = "NHWC",
    is_training: bool = True,
) -> FusedBatchNormV3:  # fmt: skip
    """Does what `tf.raw_ops.FusedBatchNormV2` does, and gives an empty tensor as well.

    Args:
        x: a float32, float16 or bfloat16 tensor of rank 4, or 5 for the formats with "D".
        scale: a float32 vector with a number for each channel.
        offset: likewise.
        mean: likewise; may be empty in training.
        variance: likewise.
        epsilon: what is added to the variance.
        exponential_avg_factor: the weight of the batch in the second and third result.
        data_format: "NHWC", "NCHW", "NDHWC" or "NCDHW".
        is_training: whether the batch is normalized with its own statistics.

    Returns:
        What `tf.raw_ops.FusedBatchNormV2` does, and an empty tensor.

    Raises:
        InvalidArgumentError: if the shapes or dtypes do not fit.

    >>> x = tf.constant([1.0, 3.0], shape=[2, 1, 1, 1])
    >>> one, none = tf.ones([1]), tf.constant([], tf.float32)
    >>> norm = tf.raw_ops.FusedBatchNormV3
    >>> norm(x=x, scale=one, offset=one, mean=none, variance=none).batch_variance.numpy()
    array([2.], dtype=float32)
    """
    found = _normalized(
        x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training
    )
    return FusedBatchNormV3._make((*found, jnp.zeros((0,), np.float32)))


def _normalized(
    x: jax.Array, scale: jax.Array, offset: jax.Array, mean: jax.Array, variance: jax.Array,
    epsilon: float, exponential_avg_factor: float, data_format: str, is_training: bool,
) -> tuple[jax.Array, ...]:  # fmt: skip
    rank, place = CHANNELS.get(data_format, (0, 0))
    if not rank:
        raise invalid(f"Value for attr 'data_format' of \"{data_format}\" is not allowed")
    require_type("T", x.dtype, KINDS)
    if x.ndim != rank:
        raise invalid(f"input must be 4 or 5-dimensional{written(x.shape)}")
    channels = x.shape[place]
    weighted = exponential_avg_factor != 1.0
    _check_sizes(channels, {"scale": scale, "offset": offset})
    if weighted or not is_training:
        why = "exponential_avg_factor != 1" if is_training else "is_training=false"
        _check_sizes(channels, {"mean": mean, "variance": variance}, f"When {why}, ")
    axes = tuple(axis for axis in range(rank) if axis != place % rank)
    wide = x.astype(np.float32)
    first, second = mean, variance
    unbiased = variance
    if is_training:
        first = jnp.mean(wide, axes)
        second = jnp.mean(jnp.square(wide - jnp.expand_dims(first, axes)), axes)
        count = max(x.size // max(channels, 1), 1)
        unbiased = second * np.float32(count / max(count - 1, 1))
    factor = lax.rsqrt(second + np.float32(epsilon)) * scale
    y = (wide - jnp.expand_dims(first, axes)) * jnp.expand_dims(factor, axes)
    y = (y + jnp.expand_dims(offset, axes)).astype(x.dtype)
    rest = lax.stop_gradient((first, unbiased, first, second))
    if is_training and weighted:
        new = np.float32(exponential_avg_factor)
        running = [(1 - new) * a + new * b for a, b in zip((mean, variance), rest, strict=False)]
        rest = lax.stop_gradient((*running, *rest[2:]))
    return y, *rest


def _check_sizes(channels: int, given: dict[str, jax.Array], when: str = "") -> None:
    for name, array in given.items():
        if array.shape != (channels,):
            raise invalid(
                f"{when}{name} must have the same number of elements as the channels of x, got "
                f"{array.size} and {channels}"
            )
