"""Signals cut into frames that overlap, and the spectra of these: `tf.signal.frame`, `stft`."""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import falling_range, invalid, kernel_suffix, refused_input
from tapefacade._core.kernel_dtypes import NUMBERS
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import Differentiable, TensorLike, function, op
from tapefacade._ops.array.padding import pad
from tapefacade._ops.array.shaping import reshape, tile
from tapefacade._ops.math.division import divide_no_nan
from tapefacade._ops.math.reduction import reduce_sum
from tapefacade._ops.signal.fourier import irfft, rfft
from tapefacade._ops.signal.windows import hann_window, scalar_of

MESSAGE_ZERO_STEP = "Integer division by zero [Op:FloorDiv] name: "


def frame_count(size: int, length: int, step: int, pad_end: bool) -> int:
    """Returns how many frames a signal of `size` samples has.

    Raises:
        InvalidArgumentError: if `step` is 0.
    """
    if step == 0:
        raise invalid(MESSAGE_ZERO_STEP)
    return max(-(-size // step) if pad_end else 1 + (size - length) // step, 0)


def _whole(values: tuple[Any, ...]) -> tuple[int, ...]:
    """Checks that the length and the step of frames are integers."""
    kinds = ["float" if isinstance(value, float) else "int32" for value in values]
    if "float" in kinds:
        raise refused_input("FloorDiv", 1, *kinds)
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
        raise invalid(falling_range(0, length) + kernel_suffix("Range"))
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


def _enclosing_power_of_two(length: int) -> int:
    return 2 ** (length - 1).bit_length() if length > 0 else 0


@function("signal.stft")
def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window,
    pad_end: Any = False,
    name: str | None = None,
) -> EagerTensor:
    """Computes the short-time Fourier transform: the spectra of frames of signals.

    Args:
        signals: a tensor `[..., samples]` of type float32 or float64.
        frame_length: the length of a frame, an integer.
        frame_step: the distance of the beginnings of two frames, an integer.
        fft_length: the length to which the frames are padded, by default the next power of 2.
        window_fn: makes, of a length and a `dtype`, what the frames are multiplied with; or None.
        pad_end: whether frames that reach beyond the end count too, filled with zeros.
        name: ignored.

    Returns:
        A complex tensor `[..., frames, fft_length // 2 + 1]`.

    Raises:
        ValueError: if `signals` has another dtype, or is a scalar.
        InvalidArgumentError: if `frame_step` is 0.

    >>> tf.signal.stft([1.0, 2.0, 3.0, 4.0], 2, 1, window_fn=None).numpy()
    array([[ 3.+0.j, -1.+0.j],
           [ 5.+0.j, -1.+0.j],
           [ 7.+0.j, -1.+0.j]], dtype=complex64)
    """
    signals = convert_to_tensor(signals)
    signals.shape.with_rank_at_least(1)
    length, step = scalar_of(frame_length), scalar_of(frame_step)
    framed = frame(signals, length, step, pad_end)
    if fft_length is None:
        fft_length = _enclosing_power_of_two(length)
    if window_fn is not None:
        framed = framed * window_fn(length, dtype=framed.dtype)
    return rfft(framed, [fft_length])


@function("signal.inverse_stft")
def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window,
    name: str | None = None,
) -> EagerTensor:
    """Computes signals from the spectra of their frames, whose inverses it adds.

    The signals come back, but for their ends, if the products of the windows of `tf.signal.stft`
    and of this function sum to 1: use `tf.signal.inverse_stft_window_fn`.

    Args:
        stfts: a complex tensor `[..., frames, fft_length // 2 + 1]`.
        frame_length: the length of a frame, an integer.
        frame_step: the distance of the beginnings of two frames, an integer.
        fft_length: the length of the transforms, by default the power of 2 after `frame_length`.
        window_fn: makes, of a length and a `dtype`, what the frames are multiplied with; or None.
        name: ignored.

    Returns:
        A real tensor `[..., (frames - 1) * frame_step + frame_length]`.

    Raises:
        ValueError: if `stfts` is not complex, or has no two dimensions.
        InvalidArgumentError: if `frame_step` is not positive.

    >>> x = tf.range(12.0)
    >>> spectra = tf.signal.stft(x, 4, 2)
    >>> window_fn = tf.signal.inverse_stft_window_fn(2)
    >>> tf.signal.inverse_stft(spectra, 4, 2, window_fn=window_fn)[2:-2].numpy().round(2)
    array([2., 3., 4., 5., 6., 7., 8., 9.], dtype=float32)
    """
    stfts = convert_to_tensor(stfts)
    stfts.shape.with_rank_at_least(2)
    length = scalar_of(frame_length)
    convert_to_tensor(frame_step).shape.assert_has_rank(0)
    if fft_length is None:
        fft_length = _enclosing_power_of_two(length)
    frames = irfft(stfts, [fft_length])
    size = frames.shape[-1]
    if length > size:
        margins = [[0, 0]] * (len(frames.shape) - 1) + [[0, length - size]]
        frames = pad(frames, margins)
    elif length < size:
        frames = frames[..., :length]
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


@function("signal.inverse_stft_window_fn")
def inverse_stft_window_fn(
    frame_step: Any,
    forward_window_fn: Callable[..., Any] = hann_window,
    name: str | None = None,
) -> Callable[[Any, Any], EagerTensor]:
    """Makes the `window_fn` for `tf.signal.inverse_stft` with which the signals come back.

    It divides the window of the frames by the sum of the squares of all windows that overlap at a
    sample (Griffin and Lim, 1984).

    Args:
        frame_step: the distance of the beginnings of two frames, an integer.
        forward_window_fn: the `window_fn` of `tf.signal.stft`.
        name: ignored.

    Returns:
        A function of a frame length and a dtype that returns a vector.

    >>> tf.signal.inverse_stft_window_fn(2)(4, tf.float32).numpy()
    array([0., 1., 1., 1.], dtype=float32)
    """

    def window_fn(frame_length: Any, dtype: Any) -> EagerTensor:
        """Makes the window of an inverse transform, of the given length and dtype."""
        step, length = scalar_of(frame_step), scalar_of(frame_length)
        if step == 0:
            raise invalid(MESSAGE_ZERO_STEP)
        window = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        squares = pad(window * window, [[0, overlaps * step - length]])
        sums = reduce_sum(reshape(squares, [overlaps, step]), 0)
        repeated = tile(sums, [overlaps])[:length]
        return divide_no_nan(window, repeated)

    return window_fn
