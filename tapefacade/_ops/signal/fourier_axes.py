"""Fourier transforms over any dimensions: `tf.signal.fftnd` and its relatives."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid, no_complex_input, no_real_input
from tapefacade._core.kernel_dtypes import COMPLEX, FLOATS_WIDE
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import as_axes, as_sizes, numpy_type
from tapefacade._definition.op import TensorLike, function, op

NORMS = ("backward", "forward", "ortho")


def _arguments(input: jax.Array, lengths: Any, axes: Any, norm: Any) -> tuple[Any, Any, str]:
    """Checks the lengths, the axes and the normalization of a transform."""
    places = as_axes(axes or None, input.ndim)
    for axis in places:
        if not -input.ndim <= axis < input.ndim:
            raise invalid(f"Axis {axis} is not among the {input.ndim} dimensions of the input.")
    if len({axis % input.ndim for axis in places}) < len(places):
        raise invalid(f"The axes {list(places)} name a dimension twice.")
    sizes = None if lengths is None else as_sizes(lengths)
    if sizes is not None and len(sizes) != len(places):
        raise invalid(f"fft_length has {len(sizes)} numbers for {len(places)} axes.")
    if sizes is not None and min(sizes, default=1) < 1:
        raise invalid(f"fft_length must be positive, not {list(sizes)}.")
    norm = norm or "backward"
    if norm not in NORMS:
        raise ValueError(f"Invalid norm value {norm!r}; it is one of {', '.join(NORMS)}.")
    return sizes, places, norm


def _transformed(
    transform: Callable[..., jax.Array], input: jax.Array, lengths: Any, axes: Any, norm: Any
) -> jax.Array:
    sizes, places, norm = _arguments(input, lengths, axes, norm)
    return transform(input, sizes, places, norm) if places else input


@op("_fourier_axes", kernel="FFTND", dtypes=COMPLEX)
def _fourier_axes(input: TensorLike, lengths: Any, axes: Any, norm: Any) -> jax.Array:
    """Transforms complex tensors."""
    return _transformed(jnp.fft.fftn, input, lengths, axes, norm)


@op("_inverse_fourier_axes", kernel="IFFTND", dtypes=COMPLEX)
def _inverse_fourier_axes(input: TensorLike, lengths: Any, axes: Any, norm: Any) -> jax.Array:
    """Transforms complex tensors back."""
    return _transformed(jnp.fft.ifftn, input, lengths, axes, norm)


@op("_real_fourier_axes", kernel="RFFTND", dtypes=FLOATS_WIDE)
def _real_fourier_axes(
    input: TensorLike, lengths: Any, axes: Any, norm: Any, result: Any
) -> jax.Array:
    """Transforms real tensors."""
    dtype = numpy_type(result) if result else np.result_type(input.dtype, np.complex64)
    return _transformed(jnp.fft.rfftn, input, lengths, axes, norm).astype(dtype)


@op("_inverse_real_fourier_axes", kernel="IRFFTND", dtypes=COMPLEX)
def _inverse_real_fourier_axes(
    input: TensorLike, lengths: Any, axes: Any, norm: Any, result: Any
) -> jax.Array:
    """Transforms half spectra back."""
    dtype = numpy_type(result) if result else np.finfo(input.dtype).dtype
    spectrum = _transformed(jnp.fft.irfftn, input, lengths, axes, norm)
    return spectrum.real.astype(dtype) if not spectrum.ndim else spectrum.astype(dtype)


@function("signal.fftnd")
def fftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> EagerTensor:
    """Computes the discrete Fourier transform along any dimensions.

    Beyond TensorFlow, which has no kernel for it on a CPU, it works on every device.

    Args:
        input_tensor: a complex tensor.
        fft_length: the size of each transformed dimension, to which it is cut or padded with
            zeros.
        axes: the dimensions, by default all.
        norm: "backward" (the default), "ortho" or "forward": the inverse, both or this transform
            are divided by the number of elements, or by its root for "ortho".
        name: ignored.

    Returns:
        A tensor of the type of `input_tensor`.

    Raises:
        InvalidArgumentError: if the arguments do not fit together.
        ValueError: if there is no such norm.

    >>> tf.signal.fftnd(tf.constant([[1 + 0j, 0j]]), axes=[1], norm="forward").numpy()
    array([[0.5+0.j, 0.5+0.j]])
    """
    return _fourier_axes(convert_to_tensor(input_tensor), fft_length, axes, norm)


@function("signal.ifftnd")
def ifftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> EagerTensor:
    """Computes the inverse of `tf.signal.fftnd`.

    Args:
        input_tensor: a complex tensor.
        fft_length: the size of each transformed dimension.
        axes: the dimensions, by default all.
        norm: the normalization; see `tf.signal.fftnd`.
        name: ignored.

    Returns:
        A tensor of the type of `input_tensor`.

    Raises:
        InvalidArgumentError: if the arguments do not fit together.
        ValueError: if there is no such norm.

    >>> tf.signal.ifftnd(tf.constant([[2 + 0j, 0j]])).numpy()
    array([[1.+0.j, 1.+0.j]])
    """
    return _inverse_fourier_axes(convert_to_tensor(input_tensor), fft_length, axes, norm)


@function("signal.rfftnd")
def rfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> EagerTensor:
    """Computes the discrete Fourier transform of a real tensor along any dimensions.

    Beyond TensorFlow, which has no kernel for it on a CPU, it works on every device.

    Args:
        input_tensor: a tensor of type float32 or float64.
        fft_length: the size of each transformed dimension.
        axes: the dimensions, by default all; of the last one the result holds one half.
        norm: the normalization; see `tf.signal.fftnd`.
        name: ignored.

    Returns:
        A complex tensor.

    Raises:
        InvalidArgumentError: if the arguments do not fit together.
        ValueError: if there is no such norm, or `input_tensor` has another dtype.

    >>> tf.signal.rfftnd([[1.0, 0.0, 0.0]]).numpy()
    array([[1.+0.j, 1.+0.j]], dtype=complex64)
    """
    tensor = convert_to_tensor(input_tensor, dtype_hint="float32")
    if tensor.dtype not in (dtypes.float32, dtypes.float64):
        raise no_real_input(tensor)
    return _real_fourier_axes(tensor, fft_length, axes, norm, None)


@function("signal.irfftnd")
def irfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> EagerTensor:
    """Computes a real tensor from the half of its spectrum; the inverse of `tf.signal.rfftnd`.

    Args:
        input_tensor: a complex tensor.
        fft_length: the size of each transformed dimension in the result, by default
            `2 * (K - 1)` for the last one.
        axes: the dimensions, by default all.
        norm: the normalization; see `tf.signal.fftnd`.
        name: ignored.

    Returns:
        A real tensor.

    Raises:
        InvalidArgumentError: if the arguments do not fit together.
        ValueError: if there is no such norm, or `input_tensor` is not complex.

    >>> tf.signal.irfftnd([[1.0, 1.0, 1.0]]).numpy()
    array([[1., 0., 0., 0.]], dtype=float32)
    """
    tensor = convert_to_tensor(input_tensor, dtype_hint="complex64")
    if not tensor.dtype.is_complex:
        raise no_complex_input(tensor)
    return _inverse_real_fourier_axes(tensor, fft_length, axes, norm, None)


@function("fftnd")
def fftnd_kernel(input: Any, fft_length: Any, axes: Any, name: str | None = None) -> EagerTensor:
    """Computes what `tf.signal.fftnd` does, without defaults.

    Args:
        input: a complex tensor.
        fft_length: the size of each transformed dimension.
        axes: the dimensions.
        name: ignored.

    Returns:
        A tensor of the type of `input`.

    >>> tf.fftnd(tf.constant([[1 + 0j, 0j]]), [2], [1]).numpy()
    array([[1.+0.j, 1.+0.j]])
    """
    return _fourier_axes(convert_to_tensor(input), fft_length, axes, None)


@function("ifftnd")
def ifftnd_kernel(input: Any, fft_length: Any, axes: Any, name: str | None = None) -> EagerTensor:
    """Computes what `tf.signal.ifftnd` does, without defaults.

    Args:
        input: a complex tensor.
        fft_length: the size of each transformed dimension.
        axes: the dimensions.
        name: ignored.

    Returns:
        A tensor of the type of `input`.

    >>> tf.ifftnd(tf.constant([[2 + 0j, 0j]]), [2], [1]).numpy()
    array([[1.+0.j, 1.+0.j]])
    """
    return _inverse_fourier_axes(convert_to_tensor(input), fft_length, axes, None)


@function("rfftnd")
def rfftnd_kernel(
    input: Any,
    fft_length: Any,
    axes: Any,
    Tcomplex: Any = dtypes.complex64,  # noqa: N803 - TensorFlow's name
    name: str | None = None,
) -> EagerTensor:
    """Computes what `tf.signal.rfftnd` does, without defaults but for the dtype.

    Args:
        input: a tensor of type float32 or float64.
        fft_length: the size of each transformed dimension.
        axes: the dimensions.
        Tcomplex: the dtype of the result.
        name: ignored.

    Returns:
        A tensor of that dtype.

    >>> tf.rfftnd([1.0, 0.0], [2], [0]).numpy()
    array([1.+0.j, 1.+0.j], dtype=complex64)
    """
    return _real_fourier_axes(convert_to_tensor(input), fft_length, axes, None, Tcomplex)


@function("irfftnd")
def irfftnd_kernel(
    input: Any,
    fft_length: Any,
    axes: Any,
    Treal: Any = dtypes.float32,  # noqa: N803 - TensorFlow's name
    name: str | None = None,
) -> EagerTensor:
    """Computes what `tf.signal.irfftnd` does, without defaults but for the dtype.

    Args:
        input: a complex tensor.
        fft_length: the size of each transformed dimension in the result.
        axes: the dimensions.
        Treal: the dtype of the result.
        name: ignored.

    Returns:
        A tensor of that dtype.

    >>> tf.irfftnd(tf.constant([2 + 0j, 0j]), [2], [0]).numpy()
    array([1., 1.], dtype=float32)
    """
    return _inverse_real_fourier_axes(convert_to_tensor(input), fft_length, axes, None, Treal)
