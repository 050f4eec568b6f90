"""Windows for the frames of signals: `tf.signal.hann_window` and others."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import falling_range, inconvertible, invalid, kernel_suffix
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.argument_checks import numpy_type
from tapefacade._definition.op import FreeTensor, function, op


def scalar_of(value: Any, dtype: Any = None) -> Any:
    """Returns the Python number that a scalar argument holds.

    Raises:
        ValueError: if it is no scalar.
        TypeError: if it cannot have that dtype.
    """
    tensor = convert_to_tensor(value, dtype)
    tensor.shape.assert_has_rank(0)
    if tensor.dtype is dtypes.string:
        raise inconvertible(value, "int32")
    return tensor.numpy().item()


def _check_dtype(dtype: Any) -> np.dtype[Any]:
    known = dtypes.as_dtype(dtype)
    if not known.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {known}")
    return numpy_type(known)


def _no_range(start: float, limit: float) -> Exception:
    return invalid(falling_range(f"{start:g}", f"{limit:g}") + kernel_suffix("Range"))


def _length(window_length: Any) -> int:
    length = scalar_of(window_length, "int32")
    if length < 0:
        raise _no_range(0, length)
    return length


def _raised_cosine(
    window_length: Any, periodic: Any, dtype: Any, middle: float, swing: float
) -> EagerTensor:
    kind = _check_dtype(dtype)
    length = _length(window_length)
    if length == 1:
        return from_host(np.ones(1, kind))
    last = length if bool(periodic) and length % 2 == 0 else length - 1
    angles = 2 * math.pi * np.arange(length) / last
    return from_host((middle - swing * np.cos(angles)).astype(kind))


@function("signal.hann_window")
def hann_window(
    window_length: Any,
    periodic: Any = True,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> EagerTensor:
    r"""Makes a Hann window, $(1 - \cos(2 \pi n / N)) / 2$.

    Args:
        window_length: the number of samples, an integer.
        periodic: whether windows of an even length N have the period N, instead of N - 1.
        dtype: a floating dtype.
        name: ignored.

    Returns:
        A vector of that length and dtype.

    Raises:
        ValueError: if `dtype` is not floating, or `window_length` is no scalar.
        InvalidArgumentError: if `window_length` is negative.

    >>> tf.signal.hann_window(4).numpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


@function("signal.hamming_window")
def hamming_window(
    window_length: Any,
    periodic: Any = True,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> EagerTensor:
    r"""Makes a Hamming window, $0.54 - 0.46 \cos(2 \pi n / N)$.

    Args:
        window_length: the number of samples, an integer.
        periodic: whether windows of an even length N have the period N, instead of N - 1.
        dtype: a floating dtype.
        name: ignored.

    Returns:
        A vector of that length and dtype.

    Raises:
        ValueError: if `dtype` is not floating, or `window_length` is no scalar.
        InvalidArgumentError: if `window_length` is negative.

    >>> tf.signal.hamming_window(4).numpy()
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


@function("signal.vorbis_window")
def vorbis_window(
    window_length: Any, dtype: Any = dtypes.float32, name: str | None = None
) -> EagerTensor:
    r"""Makes the window of the Vorbis codec, $\sin(\pi / 2 \sin^2(\pi (n + 1/2) / N))$.

    Its halves are power complementary, as `tf.signal.mdct` needs it.

    Args:
        window_length: the number of samples, an integer.
        dtype: a floating dtype.
        name: ignored.

    Returns:
        A vector of that length and dtype.

    Raises:
        ValueError: if `dtype` is not floating, or `window_length` is no scalar.
        InvalidArgumentError: if `window_length` is negative.

    >>> tf.signal.vorbis_window(4).numpy().round(3)
    array([0.228, 0.974, 0.974, 0.228], dtype=float32)
    """
    kind = _check_dtype(dtype)
    length = _length(window_length)
    angles = math.pi * (np.arange(length) + 0.5) / max(length, 1)
    return from_host(np.sin(math.pi / 2 * np.sin(angles) ** 2).astype(kind))


def dtype_of_computation(kind: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the dtype to compute in for results of the dtype `kind`: at least 32 bits."""
    return kind if kind.itemsize >= 4 else np.dtype(np.float32)


@op("_kaiser", kernel="BesselI0e")
def _kaiser(beta: FreeTensor, length: int, kind: Any) -> jax.Array:
    """Computes a Kaiser window of `length` samples."""
    wide = dtype_of_computation(kind)
    parameter = beta.astype(wide)
    half = (length - 1) / 2
    places = (np.arange(length) - half) / half
    arch = jnp.asarray(np.sqrt(np.maximum(1 - places**2, 0)), wide) * parameter
    ratio = jax.scipy.special.i0e(arch) / jax.scipy.special.i0e(parameter)
    return (jnp.exp(arch - parameter) * ratio).astype(kind)


@function("signal.kaiser_window")
def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> EagerTensor:
    r"""Makes a Kaiser window, $I_0(\beta \sqrt{1 - t^2}) / I_0(\beta)$ for t from -1 to 1.

    Args:
        window_length: the number of samples, an integer.
        beta: the greater, the narrower is the window; 0 makes a rectangle.
        dtype: a floating dtype.
        name: ignored.

    Returns:
        A vector of that length and dtype.

    Raises:
        ValueError: if `dtype` is not floating, or `window_length` is no scalar.
        InvalidArgumentError: if `window_length` is not positive.

    >>> tf.signal.kaiser_window(5, beta=2.0).numpy().round(2)
    array([0.44, 0.83, 1.  , 0.83, 0.44], dtype=float32)
    """
    kind = _check_dtype(dtype)
    length = scalar_of(window_length, "int32")
    if length < 1:
        raise _no_range((1 - length) / 2, (length - 1) / 2 + 0.1)
    if length == 1:
        return from_host(np.ones(1, kind))
    return _kaiser(beta, length, kind)


@op("_complementary", kernel="Sqrt")
def _complementary(window: FreeTensor) -> jax.Array:
    """Makes a window of an even length, the squares of whose halves sum to 1."""
    sums = jnp.cumsum(window)
    half = jnp.sqrt(sums[:-1] / sums[-1])
    return jnp.concatenate([half, jnp.flip(half)])


@function("signal.kaiser_bessel_derived_window")
def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> EagerTensor:
    """Makes a window from the sums of a Kaiser window, power complementary for `tf.signal.mdct`.

    Args:
        window_length: the number of samples, an even integer; of an odd one, one less.
        beta: that of the Kaiser window.
        dtype: a floating dtype.
        name: ignored.

    Returns:
        A vector of that length and dtype.

    Raises:
        ValueError: if `dtype` is not floating, or `window_length` is no scalar.
        InvalidArgumentError: if `window_length` is negative.

    >>> tf.signal.kaiser_bessel_derived_window(4, beta=2.0).numpy().round(3)
    array([0.483, 0.875, 0.875, 0.483], dtype=float32)
    """
    length = scalar_of(window_length, "int32")
    return _complementary(kaiser_window(length // 2 + 1, beta, dtype))
