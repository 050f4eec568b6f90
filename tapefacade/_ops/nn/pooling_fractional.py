"""Pooling by fractional ratios, over regions whose sizes are drawn at random."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import errors, random_keys
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid, kernel_suffix, refused_value
from tapefacade._core.jax_keys import unwrap
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import FreeTensor, NotDifferentiable, TensorLike, function, op

DTYPES = ("float", "double", "int32", "int64")


class FractionalMaxPool(NamedTuple):
    """What `tf.nn.fractional_max_pool` returns."""

    output: Any
    row_pooling_sequence: Any
    col_pooling_sequence: Any


class FractionalAvgPool(NamedTuple):
    """What `tf.nn.fractional_avg_pool` returns."""

    output: Any
    row_pooling_sequence: Any
    col_pooling_sequence: Any


def _edges(key: jax.Array, size: int, count: int, pseudo_random: bool) -> jax.Array:
    """Draws the ends of `count` regions that make up `size` and whose sizes differ by 1 at most.

    Source: Graham, Fractional max-pooling (2014), the random and the pseudorandom sequences.
    """
    small, extra = divmod(size, count)
    if extra == 0:
        return jnp.arange(count + 1, dtype=np.int64) * small
    if not pseudo_random:
        sizes = small + (np.arange(count) < extra)
        drawn = jax.random.permutation(key, jnp.asarray(sizes, np.int64))
        return jnp.concatenate([jnp.zeros((1,), np.int64), jnp.cumsum(drawn)])
    ratio = size / count
    limit = min((small + 2) / ratio - 1, (size + 1 - small) / ratio - (count - 1))
    start = jax.random.uniform(key, (), np.float64, 0.0, limit)
    places = jnp.floor(ratio * (jnp.arange(count) + start)) - jnp.floor(ratio * start)
    return jnp.concatenate([places.astype(np.int64), jnp.full((1,), size, np.int64)])


@op("_pooling_sequences", kernel="FractionalMaxPool", gradient=NotDifferentiable())
def _pooling_sequences(
    key: FreeTensor, sizes: Any, counts: Any, pseudo_random: bool
) -> tuple[jax.Array, jax.Array]:
    """Draws the ends of the regions along rows and along columns."""
    first, second = jax.random.split(unwrap(key))
    return (
        _edges(first, sizes[0], counts[0], pseudo_random),
        _edges(second, sizes[1], counts[1], pseudo_random),
    )


def _regions(
    x: jax.Array, edges: jax.Array, axis: int, overlapping: bool
) -> tuple[jax.Array, jax.Array]:
    """Takes the regions along a dimension, and says which of their places count."""
    size, count = x.shape[axis], edges.shape[0] - 1
    longest = -(-size // count) + overlapping
    places = edges[:-1, None] + jnp.arange(longest, dtype=np.int64)
    ends = jnp.minimum(edges[1:] + int(overlapping), size)
    return jnp.take(x, places, axis=axis, mode="clip"), places < ends[:, None]


@op("_fractional_pool", kernel="FractionalMaxPool", dtypes=DTYPES)
def _fractional_pool(
    value: TensorLike, rows: FreeTensor, columns: FreeTensor, overlapping: bool, average: bool
) -> jax.Array:
    """Takes the greatest value, the first of equal ones, or the average of each region."""
    taken, in_rows = _regions(value, rows, 1, overlapping)
    taken, in_columns = _regions(taken, columns, 3, overlapping)
    batch, height, tall, width, wide, depth = taken.shape
    counts = in_rows[:, :, None, None] & in_columns
    counts = jnp.moveaxis(counts, 1, 2).reshape(1, height, width, tall * wide, 1)
    elements = jnp.moveaxis(taken, 2, 3).reshape(batch, height, width, tall * wide, depth)
    if average:
        total = jnp.where(counts, elements, jnp.zeros((), value.dtype)).sum(3, value.dtype)
        number = counts.sum(3, np.int64).astype(value.dtype)
        integer = jnp.issubdtype(value.dtype, jnp.integer)
        return (
            jax.lax.div(total, jnp.broadcast_to(number, total.shape))
            if integer
            else (total / number)
        )
    floating = jnp.issubdtype(value.dtype, jnp.floating)
    lowest = jnp.asarray((jnp.finfo if floating else jnp.iinfo)(value.dtype).min, value.dtype)
    elements = jnp.where(counts & (elements > lowest), elements, lowest)
    best = jnp.argmax(elements, axis=3, keepdims=True)
    return jnp.take_along_axis(elements, best, axis=3)[:, :, :, 0]


def _pooled(
    value: Any, ratio: Any, pseudo_random: Any, overlapping: Any, seed: Any, average: bool
) -> tuple[EagerTensor, EagerTensor, EagerTensor]:
    kernel = "FractionalAvgPool" if average else "FractionalMaxPool"
    tensor = convert_to_tensor(value)
    if tensor.dtype.kernel_name not in DTYPES:
        text = refused_value("T", tensor.dtype.kernel_name, DTYPES, kernel)
        raise invalid(text + kernel_suffix(kernel))
    shape: Any = tensor.shape
    if len(shape) != 4:
        raise invalid(f"tensor_in must be 4-dimensional [Op:{kernel}] name: ")
    for axis in (1, 2):
        if shape[axis] < ratio[axis]:
            raise invalid(
                f"Pooling ratio is higher than input dimension size for dimension {axis}. Input "
                f"dim size: {shape[axis]} pooling ratio: {ratio[axis]:g} [Op:{kernel}] name: "
            )
    counts = tuple(int(shape[axis] / ratio[axis]) for axis in (1, 2))
    key = random_keys.next_key(kernel, seed or None)
    rows, columns = _pooling_sequences(key, tuple(shape[1:3]), counts, bool(pseudo_random))
    output = _fractional_pool(tensor, rows, columns, bool(overlapping), average)
    return output, rows, columns


def _ratios(pooling_ratio: Any) -> list[float]:
    if isinstance(pooling_ratio, list | tuple):
        if pooling_ratio[0] != 1.0 or pooling_ratio[-1] != 1.0:
            raise ValueError(
                "`pooling_ratio` should have first and last elements with value 1.0. Received: "
                f"{pooling_ratio=!s}"
            )
        if any(ratio < 1.0 for ratio in pooling_ratio):
            raise ValueError(
                f"`pooling_ratio` elements should be >= 1.0. Received: {pooling_ratio=!s}"
            )
        ratios = list(pooling_ratio)
        return ratios if len(ratios) == 4 else [1.0, ratios[0], ratios[0], 1.0]
    if pooling_ratio < 1.0:
        raise ValueError(f"`pooling_ratio` should be >= 1.0. Received: {pooling_ratio=!s}")
    return [1.0, pooling_ratio, pooling_ratio, 1.0]


@function("nn.fractional_max_pool")
def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalMaxPool:
    """Takes the greatest value of regions whose sizes are drawn at random around a ratio.

    Unlike TensorFlow, the sizes are drawn by JAX's generator, and the function can be
    differentiated more than once.

    Args:
        value: a tensor of shape `[B, H, W, C]` and type float32, float64, int32 or int64.
        pooling_ratio: the ratio of the old and the new size, a number or `[1, rows, columns, 1]`.
        pseudo_random: draw one shift for all regions instead of the order of their sizes.
        overlapping: whether the regions share their borders.
        seed: makes the draws repeatable together with `tf.random.set_seed`; 0 is no seed.
        name: ignored.

    Returns:
        The values, and the beginnings and ends of the regions along rows and along columns.

    Raises:
        ValueError: if a ratio is smaller than 1, or is not 1 for the batch and the channels.
        InvalidArgumentError: if a ratio is too large, or `value` has another rank.

    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.fractional_max_pool(x, 2.0).output.numpy()[0, :, :, 0]
    array([[ 5.,  7.],
           [13., 15.]], dtype=float32)
    """
    ratio = _ratios(pooling_ratio)
    found = _pooled(value, ratio, pseudo_random, overlapping, seed, average=False)
    return FractionalMaxPool(*found)


@function("nn.fractional_avg_pool")
def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalAvgPool:
    """Takes the average of regions whose sizes are drawn at random around a ratio.

    Unlike TensorFlow, the sizes are drawn by JAX's generator, and the function can be
    differentiated more than once.

    Args:
        value: a tensor of shape `[B, H, W, C]` and type float32, float64, int32 or int64.
        pooling_ratio: the ratio of the old and the new size, `[1, rows, columns, 1]`.
        pseudo_random: draw one shift for all regions instead of the order of their sizes.
        overlapping: whether the regions share their borders.
        seed: makes the draws repeatable together with `tf.random.set_seed`; 0 is no seed.
        name: ignored.

    Returns:
        The values, and the beginnings and ends of the regions along rows and along columns.

    Raises:
        TypeError: if `pooling_ratio` is no list.
        InvalidArgumentError: if a ratio is too small or too large, or `value` has another rank.
        UnimplementedError: if the ratio of the batch or the channels is not 1.

    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.fractional_avg_pool(x, [1, 2, 2, 1]).output.numpy()[0, :, :, 0]
    array([[ 2.5,  4.5],
           [10.5, 12.5]], dtype=float32)
    """
    if not isinstance(pooling_ratio, list | tuple):
        raise TypeError(
            "Expected list for 'pooling_ratio' argument to 'fractional_avg_pool' Op, not "
            f"{pooling_ratio}."
        )
    suffix = " [Op:FractionalAvgPool] name: "
    if len(pooling_ratio) < 4:
        raise invalid(
            f"Length for attr 'pooling_ratio' of {len(pooling_ratio)} must be at least minimum 4"
            + suffix
        )
    for ratio in pooling_ratio:
        if ratio < 1:
            raise invalid(f"pooling_ratio cannot be smaller than 1, got: {ratio:g}{suffix}")
    if pooling_ratio[0] != 1 or pooling_ratio[3] != 1:
        raise errors.UnimplementedError(
            None,
            None,
            "Fractional average pooling is not yet supported on the batch nor channel "
            f"dimension.{suffix}",
        )
    found = _pooled(value, pooling_ratio, pseudo_random, overlapping, seed, average=True)
    return FractionalAvgPool(*found)
