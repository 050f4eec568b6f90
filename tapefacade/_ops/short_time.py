"""Spectra of short frames of signals: `tf.signal.stft` and its inverse."""

from collections.abc import Callable
from typing import Any

from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import invalid
from tapefacade._ops.framing import frame, overlap_and_add
from tapefacade._ops.op import function
from tapefacade._ops.real_fourier import irfft, rfft
from tapefacade._ops.windows import hann_window, scalar_of


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
        frames = FUNCTIONS["pad"](frames, margins)
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
            raise invalid("Integer division by zero [Op:FloorDiv] name: ")
        window = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        squares = FUNCTIONS["pad"](window * window, [[0, overlaps * step - length]])
        sums = FUNCTIONS["reduce_sum"](FUNCTIONS["reshape"](squares, [overlaps, step]), 0)
        repeated = FUNCTIONS["tile"](sums, [overlaps])[:length]
        return FUNCTIONS["math.divide_no_nan"](window, repeated)

    return window_fn
