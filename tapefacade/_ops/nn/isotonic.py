"""Isotonic regression: the nearest values that only fall, or only rise."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid, kernel_suffix, refused_value
from tapefacade._core.kernel_dtypes import REALS
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import FreeTensor, NotDifferentiable, TensorLike, function, op
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import identity
from tapefacade._ops.array.creation import zeros

NARROW_DTYPES = ("int8", "int16", "uint16")


class IsotonicRegression(NamedTuple):
    """What `tf.nn.isotonic_regression` returns, for falling values along the last dimension."""

    output: Any
    segments: Any


class _PooledBlocks(NamedTuple):
    """The blocks found so far: the sums and lengths of the first `top`, zeros after them."""

    sums: jax.Array
    counts: jax.Array
    top: jax.Array
    seen: jax.Array


def _segments(row: jax.Array) -> jax.Array:
    """Numbers the blocks of equal values, by pooling adjacent violators.

    Source: Best and Chakravarti, Active set algorithms for isotonic regression (1990).
    """
    size = row.shape[0]

    def violated(blocks: _PooledBlocks) -> jax.Array:
        sums, counts, top, _ = blocks
        last, before = jnp.maximum(top - 1, 0), jnp.maximum(top - 2, 0)
        return (top > 1) & (sums[before] / counts[before] < sums[last] / counts[last])

    def merged(blocks: _PooledBlocks) -> _PooledBlocks:
        sums, counts, top, seen = blocks
        zero = jnp.zeros((), row.dtype)
        sums = sums.at[top - 2].add(sums[top - 1]).at[top - 1].set(zero)
        counts = counts.at[top - 2].add(counts[top - 1]).at[top - 1].set(zero)
        return _PooledBlocks(sums, counts, top - 1, seen)

    def pushed(blocks: _PooledBlocks) -> _PooledBlocks:
        sums, counts, top, seen = blocks
        sums = sums.at[top].set(row[seen])
        return _PooledBlocks(sums, counts.at[top].set(jnp.ones((), row.dtype)), top + 1, seen + 1)

    empty, zero = jnp.zeros((size,), row.dtype), jnp.zeros((), np.int32)
    blocks = lax.while_loop(
        lambda blocks: (blocks.seen < size) | violated(blocks),
        lambda blocks: lax.cond(violated(blocks), merged, pushed, blocks),
        _PooledBlocks(empty, empty, zero, zero),
    )
    ends = jnp.cumsum(blocks.counts)
    places = jnp.arange(size).astype(row.dtype)
    return jnp.searchsorted(ends, places, side="right").astype(np.int32)


@op("_isotonic_segments", kernel="IsotonicRegression", gradient=NotDifferentiable())
def _isotonic_segments(input: TensorLike) -> jax.Array:
    """Numbers the blocks of each row."""
    if input.size == 0:
        return jnp.zeros(input.shape, np.int32)
    wide = input.astype(np.float64)
    rows = jax.vmap(_segments)(jnp.reshape(wide, (-1, input.shape[-1])))
    return jnp.reshape(rows, input.shape)


@op("_block_means", kernel="IsotonicRegression")
def _block_means(input: TensorLike, segments: FreeTensor) -> jax.Array:
    """Puts the mean of its block in the place of each element."""
    if input.size == 0:
        return input
    size = input.shape[-1]
    wide = input.astype(np.float32) if input.dtype.itemsize < 4 else input

    def single(row: jax.Array, ids: jax.Array) -> jax.Array:
        sums = jax.ops.segment_sum(row, ids, size)
        counts = jax.ops.segment_sum(jnp.ones_like(row), ids, size)
        return sums[ids] / counts[ids]

    rows = jax.vmap(single)(jnp.reshape(wide, (-1, size)), jnp.reshape(segments, (-1, size)))
    return jnp.reshape(rows, input.shape).astype(input.dtype)


@op("_swapped", kernel="Transpose")
def _swapped(x: TensorLike, axis: int) -> jax.Array:
    """Exchanges a dimension with the last one."""
    return jnp.swapaxes(x, axis, -1)


@function("nn.isotonic_regression")
def isotonic_regression(
    inputs: Any, decreasing: bool = True, axis: int = -1
) -> tuple[EagerTensor, EagerTensor]:
    """Finds the nearest values, by the sum of squares, that never rise or never fall.

    The gradient of an element is spread over all elements of its block.

    Args:
        inputs: a numeric tensor.
        decreasing: whether the values fall, or else rise.
        axis: the dimension along which they do.

    Returns:
        The values, of a floating type, and the number of the block of equal values that each
        belongs to, int32: two tensors of the shape of `inputs`.

    Raises:
        InvalidArgumentError: if `inputs` has another dtype, or no such dimension.

    >>> values, blocks = tf.nn.isotonic_regression([3.0, 1.0, 2.0])
    >>> values.numpy(), blocks.numpy()
    (array([3. , 1.5, 1.5], dtype=float32), array([0, 1, 1], dtype=int32))
    """
    x = convert_to_tensor(inputs)
    kind = x.dtype.kernel_name
    if kind not in REALS:
        text = refused_value("T", kind, REALS, "IsotonicRegression")
        raise invalid(text + kernel_suffix("IsotonicRegression"))
    if not x.dtype.is_floating:
        x = cast(x, dtypes.float32 if kind in NARROW_DTYPES else dtypes.float64)
    rank = len(x.shape)
    if rank and not -rank <= axis < rank:
        raise invalid(
            f"`dim` must be in the range [-{rank}, {rank}) where {rank} is the number of "
            f"dimensions in the input. Received: dim={axis}"
        )
    if not rank:
        zero = zeros([], "int32")
        return IsotonicRegression(identity(x), zero)
    last = axis in (-1, rank - 1)
    rows = x if last else _swapped(x, axis)
    rows = rows if decreasing else -rows
    segments = _isotonic_segments(rows)
    values = _block_means(rows, segments)
    values = values if decreasing else -values
    if not last:
        return _swapped(values, axis), _swapped(segments, axis)
    return IsotonicRegression(values, segments) if decreasing else (values, segments)
