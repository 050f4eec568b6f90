"""Discrete cosine transforms: `tf.signal.dct`, `tf.signal.mdct` and their inverses."""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import inconvertible_argument, invalid, no_real_input
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import TensorLike, function, op
from tapefacade._ops.signal.frames import MESSAGE_ZERO_STEP, frame, overlap_and_add
from tapefacade._ops.signal.windows import scalar_of, vorbis_window

INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


def _turned(size: int, sign: int, dtype: Any) -> jax.Array:
    """Returns the factors that shift a transform by half a sample."""
    angles = sign * math.pi * 0.5 * np.arange(size) / max(size, 1)
    return jnp.asarray(np.exp(1j * angles), np.result_type(dtype, np.complex64))


def _first(x: jax.Array) -> jax.Array:
    mirrored = jnp.concatenate([x, jnp.flip(x[..., 1:-1], -1)], -1)
    return jnp.fft.rfft(mirrored).real


def _second(x: jax.Array) -> jax.Array:
    size = x.shape[-1]
    spectrum = jnp.fft.rfft(x, 2 * size)[..., :size]
    return 2 * (spectrum * _turned(size, -1, x.dtype)).real


def _third(x: jax.Array) -> jax.Array:
    size = x.shape[-1]
    spectrum = x.astype(np.result_type(x.dtype, np.complex64)) * _turned(size, 1, x.dtype)
    return 2 * size * jnp.fft.irfft(spectrum, 2 * size)[..., :size]


def _fourth(x: jax.Array) -> jax.Array:
    size = x.shape[-1]
    padded = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, size)])
    return _second(padded)[..., 1::2]


TRANSFORMS: dict[int, Callable[[jax.Array], jax.Array]] = {
    1: _first, 2: _second, 3: _third, 4: _fourth,
}  # fmt: skip


@op("_cosine_transform", kernel="RFFT")
def _cosine_transform(input: TensorLike, kind: int, n: int | None, norm: str | None) -> jax.Array:
    """Transforms the last dimension, after it was cut or padded to `n`."""
    x, size = input, n or input.shape[-1]
    if size <= x.shape[-1]:
        x = x[..., :size]
    else:
        x = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, size - x.shape[-1])])
    if x.size == 0:
        return x
    if norm is None:
        return TRANSFORMS[kind](x)
    even = np.full(size, math.sqrt(0.5 / size))
    if kind == 4:
        return _fourth(x) * jnp.asarray(even, x.dtype)
    even[0] = math.sqrt((0.25 if kind == 2 else 1) / size)
    factors = jnp.asarray(even, x.dtype)
    return _second(x) * factors if kind == 2 else _third(x * factors)


def _check(kind: Any, n: Any, axis: Any, norm: Any, tensor: EagerTensor) -> None:
    if axis is not None and axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if kind not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if kind == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if not len(tensor.shape):
        raise IndexError("tuple index out of range")
    last: Any = tensor.shape[-1]
    if kind == 1 and last < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def _check_dtype(kind: int, tensor: EagerTensor) -> None:
    dtype = tensor.dtype
    if dtype in (dtypes.float32, dtypes.float64):
        return
    if kind == 1:
        raise no_real_input(tensor)
    if dtype.is_floating or dtype.is_complex:
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {dtype.name} {dtype.name}. "
            "They must be consistent, and one of [tf.float32, tf.float64]"
        )
    raise inconvertible_argument(0.0, dtype.kernel_name)


def _cosine(value: Any, kind: Any, n: Any, axis: Any, norm: Any, inverse: bool) -> EagerTensor:
    tensor = convert_to_tensor(value)
    _check(kind, n, axis, norm, tensor)
    kind = INVERSES[kind] if inverse else kind
    _check_dtype(kind, tensor)
    return _cosine_transform(tensor, kind, n, norm)


@function("signal.dct")
def dct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> EagerTensor:
    r"""Computes a discrete cosine transform of the last dimension.

    Type II, the usual one, is $y_k = 2 \sum_n x_n \cos(\pi k (2 n + 1) / (2 N))$; type III is its
    inverse but for a factor; types I and IV are their own inverses but for a factor.

    Args:
        input: a tensor `[..., N]` of type float32 or float64.
        type: 1, 2, 3 or 4.
        n: the length to which the last dimension is cut or padded with zeros.
        axis: -1.
        norm: "ortho" makes the transform orthogonal; not for type I.
        name: ignored.

    Returns:
        A tensor of the type of `input`.

    Raises:
        ValueError: if there is no such type or norm, or the dimension is too small for type I.
        TypeError: if `input` has another dtype.
        NotImplementedError: for another axis.

    >>> tf.signal.dct([1.0, 2.0, 3.0]).numpy().round(3)
    array([12.   , -3.464,  0.   ], dtype=float32)
    """
    return _cosine(input, type, n, axis, norm, inverse=False)


@function("signal.idct")
def idct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> EagerTensor:
    """Computes the inverse of `tf.signal.dct`; without `norm`, but for a factor.

    The factor is `0.5 / (N - 1)` for type I and `0.5 / N` for the others.

    Args:
        input: a tensor `[..., N]` of type float32 or float64.
        type: the type of the transform that is inverted, 1, 2, 3 or 4.
        n: the length to which the last dimension is cut or padded with zeros.
        axis: -1.
        norm: "ortho" if the transform was orthogonal.
        name: ignored.

    Returns:
        A tensor of the type of `input`.

    Raises:
        ValueError: if there is no such type or norm, or the dimension is too small for type I.
        TypeError: if `input` has another dtype.
        NotImplementedError: for another axis.

    >>> x = tf.signal.dct([1.0, 2.0, 3.0], norm="ortho")
    >>> tf.signal.idct(x, norm="ortho").numpy().round(3)
    array([1., 2., 3.], dtype=float32)
    """
    return _cosine(input, type, n, axis, norm, inverse=True)


@op("_folded", kernel="ConcatV2")
def _folded(frames: TensorLike) -> jax.Array:
    """Folds each frame, of the quarters a b c d, to one of half its length: -c' - d, a - b'."""
    a, b, c, d = jnp.split(frames, 4, axis=-1)
    return jnp.concatenate([-jnp.flip(c, -1) - d, a - jnp.flip(b, -1)], -1)


@op("_unfolded", kernel="ConcatV2")
def _unfolded(halves: TensorLike) -> jax.Array:
    """Unfolds halves p q of frames to q, -q', -p', -p."""
    p, q = jnp.split(halves, 2, axis=-1)
    return jnp.concatenate([q, -jnp.flip(q, -1), -jnp.flip(p, -1), -p], -1)


@function("signal.mdct")
def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: Any = False,
    norm: str | None = None,
    name: str | None = None,
) -> EagerTensor:
    """Computes the modified discrete cosine transform of frames that overlap by one half.

    Source: Princen, Johnson and Bradley, Subband/transform coding using filter bank designs based
    on time domain aliasing cancellation (1987).

    Args:
        signals: a tensor `[..., samples]` of type float32 or float64.
        frame_length: the length of a frame, a multiple of 4.
        window_fn: makes, of a length and a `dtype`, what the frames are multiplied with; None is a
            rectangle.
        pad_end: whether frames that reach beyond the end count too, filled with zeros.
        norm: "ortho" makes the transform orthogonal.
        name: ignored.

    Returns:
        A tensor `[..., frames, frame_length // 2]`.

    Raises:
        ValueError: if `frame_length` is no multiple of 4, or there is no such norm.
        InvalidArgumentError: if `frame_length` is 0.

    >>> tf.signal.mdct(tf.ones([8]), 4).shape
    TensorShape([3, 2])
    """
    signals = convert_to_tensor(signals)
    signals.shape.with_rank_at_least(1)
    length = scalar_of(frame_length)
    if isinstance(length, float):
        raise ValueError("a must be an integer type. Got: <dtype: 'float32'>")
    if length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    if length == 0:
        raise invalid(MESSAGE_ZERO_STEP)
    framed = frame(signals, length, length // 2, pad_end)
    if window_fn is None:
        framed = framed * math.sqrt(0.5)
    else:
        framed = framed * window_fn(length, dtype=framed.dtype)
    return dct(_folded(framed), type=4, norm=norm)


@function("signal.inverse_mdct")
def inverse_mdct(
    mdcts: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> EagerTensor:
    """Computes signals from the modified discrete cosine transforms of their frames.

    The signals come back, but for their ends, with the same power complementary window.

    Args:
        mdcts: a tensor `[..., frames, half]` of type float32 or float64.
        window_fn: makes, of a length and a `dtype`, what the frames are multiplied with; None is a
            rectangle.
        norm: "ortho" if the transform was orthogonal.
        name: ignored.

    Returns:
        A tensor `[..., (frames + 1) * half]`.

    Raises:
        ValueError: if `mdcts` has no two dimensions, or there is no such norm.

    >>> x = tf.range(12.0)
    >>> tf.signal.inverse_mdct(tf.signal.mdct(x, 4))[2:-2].numpy().round(3)
    array([2., 3., 4., 5., 6., 7., 8., 9.], dtype=float32)
    """
    mdcts = convert_to_tensor(mdcts)
    mdcts.shape.with_rank_at_least(2)
    half: Any = mdcts.shape[-1]
    if norm is None and mdcts.dtype.is_integer:
        raise inconvertible_argument(0.5, mdcts.dtype.kernel_name)
    halves = dct(mdcts, type=4, norm=norm)
    if norm is None:
        halves = halves * (0.5 / max(half, 1))
    frames = _unfolded(halves)
    if window_fn is None:
        frames = frames * math.sqrt(0.5)
    else:
        frames = frames * window_fn(2 * half, dtype=frames.dtype)
    return overlap_and_add(frames, half)
