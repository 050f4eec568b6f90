"""Signals cut into frames that overlap, and put together again."""

import math
from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import NUMBERS, invalid
from tapefacade._ops.op import Differentiable, TensorLike, function, op
from tapefacade._ops.windows import scalar_of


def frame_count(size: int, length: int, step: int, pad_end: bool) -> int:
    """Returns how many frames a signal of `size` samples has.

    Raises:
        InvalidArgumentError: if `step` is 0.
    """
    if step == 0:
        raise invalid("Integer division by zero [Op:FloorDiv] name: ")
    return max(-(-size // step) if pad_end else 1 + (size - length) // step, 0)


def _whole(values: tuple[Any, ...]) -> tuple[int, ...]:
    """Checks that the length and the step of frames are integers."""
    kinds = ["float" if isinstance(value, float) else "int32" for value in values]
    if "float" in kinds:
        raise invalid(
            f"cannot compute FloorDiv as input #1(zero-based) was expected to be a {kinds[0]} "
            f"tensor but is a {kinds[1]} tensor [Op:FloorDiv] name: "
        )
    return tuple(int(value) for value in values)


@op("_frame", kernel="GatherV2", gradient=Differentiable(except_for=("pad_value",)))
def _frame(
    signal: TensorLike,
    pad_value: TensorLike,
    length: int,
    step: int,
    pad_end: bool,
    axis: int,
) -> jax.Array:
    """Cuts frames out of a signal by the blocks that all of them are made of."""
    size = signal.shape[axis]
    count = frame_count(size, length, step, pad_end)
    shape = (*signal.shape[:axis], count, length, *signal.shape[axis + 1 :])
    if count == 0 or length == 0 or signal.size == 0:
        return jnp.zeros(shape, signal.dtype)
    block = math.gcd(length, step)
    needed = (count - 1) * step + length
    if needed > size:
        margins = [(0, needed - size if a == axis else 0, 0) for a in range(signal.ndim)]
        signal = jax.lax.pad(signal, pad_value, margins)
    used = needed // block * block
    signal = jax.lax.slice_in_dim(signal, 0, used, axis=axis)
    blocks = jnp.reshape(signal, (*shape[:axis], used // block, block, *shape[axis + 2 :]))
    firsts = jnp.arange(count, dtype=jnp.int32)[:, None] * (step // block)
    places = firsts + jnp.arange(length // block, dtype=jnp.int32)
    return jnp.reshape(jnp.take(blocks, places, axis=axis, mode="clip"), shape)


@function("signal.frame")
def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: Any = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> EagerTensor:
    """Cuts a signal into frames, which overlap if `frame_step` is smaller than `frame_length`.

    Args:
        signal: a tensor of rank 1 or more.
        frame_length: the length of a frame, an integer.
        frame_step: the distance of the beginnings of two frames, an integer.
        pad_end: whether also frames that reach beyond the end of the signal count.
        pad_value: what then follows the signal, a scalar; its gradient is None.
        axis: the dimension of the samples.
        name: ignored.

    Returns:
        A tensor in which the dimension `axis` of `signal` is replaced by two,
        `[frames, frame_length]`.

    Raises:
        ValueError: if `signal` is a scalar, or one of the numbers is none.
        InvalidArgumentError: if `frame_step` is 0.

    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy()
    array([[1, 2, 3],
           [3, 4, 5]], dtype=int32)
    """
    signal = convert_to_tensor(signal)
    length, step, place = (scalar_of(value) for value in (frame_length, frame_step, axis))
    signal.shape.with_rank_at_least(1)
    if not isinstance(place, int):
        raise TypeError("list indices must be integers or slices, not numpy.float32")
    rank = len(signal.shape)
    if not -rank <= place < rank:
        raise IndexError("list index out of range")
    length, step = _whole((length, step))
    pads = bool(pad_end)
    if pads:
        pad_value = convert_to_tensor(pad_value, signal.dtype)
        pad_value.shape.assert_has_rank(0)
    else:
        pad_value = convert_to_tensor(0, signal.dtype) if signal.dtype.is_numeric else False
    count = frame_count(signal.shape[place], length, step, pads)
    if length < 0 and count >= 0:
        raise invalid(f"Requires start <= limit when delta > 0: 0/{length} [Op:Range] name: ")
    return _frame(signal, pad_value, length, step, pads, place % rank)


def _segments(length: int, step: int) -> int:
    """Returns how many steps a frame is long."""
    segments = 0 if step == 0 else -(-length // step)
    for margin in (segments, segments * step - length):
        if margin < 0:
            raise invalid(f"Paddings must be non-negative: 0 {margin} [Op:Pad] name: ")
    return segments


@op("_overlap_and_add", kernel="Sum", dtypes=NUMBERS)
def _overlap_and_add(signal: TensorLike, step: int) -> jax.Array:
    """Adds frames that begin a step after one another.

    Each frame is cut into segments of one step; segment `s` of frame `f` belongs to place `f + s`.
    """
    *outer, count, length = signal.shape
    segments = _segments(length, step)
    size = max((count - 1) * step + length, 0)
    if signal.size == 0:
        return jnp.zeros((*outer, size), signal.dtype)
    margins = [(0, 0, 0)] * len(outer) + [(0, 0, 0), (0, segments * step - length, 0)]
    padded = jax.lax.pad(signal, jnp.zeros((), signal.dtype), margins)
    cut = jnp.reshape(padded, (*outer, count, segments, step))
    places = count + segments - 1
    total = jnp.zeros((*outer, places, step), signal.dtype)
    for segment in range(segments):
        total = total.at[..., segment : segment + count, :].add(cut[..., segment, :])
    return jnp.reshape(total, (*outer, places * step))[..., :size]


@function("signal.overlap_and_add")
def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> EagerTensor:
    """Puts frames together to a signal; where they overlap, they are added.

    Args:
        signal: a tensor `[..., frames, frame_length]`.
        frame_step: the distance of the beginnings of two frames, an integer.
        name: ignored.

    Returns:
        A tensor `[..., (frames - 1) * frame_step + frame_length]`.

    Raises:
        ValueError: if `signal` has no two dimensions, or `frame_step` is no integer.
        InvalidArgumentError: if `frame_step` is not positive.

    >>> tf.signal.overlap_and_add([[1, 2, 3], [10, 20, 30]], 2).numpy()
    array([ 1,  2, 13, 20, 30], dtype=int32)
    """
    signal = convert_to_tensor(signal)
    signal.shape.with_rank_at_least(2)
    step = convert_to_tensor(frame_step)
    step.shape.assert_has_rank(0)
    if not step.dtype.is_integer:
        raise ValueError(f"frame_step must be an integer. Got {step.dtype!s}")
    return _overlap_and_add(signal, int(step.numpy()))
