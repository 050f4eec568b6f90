"""Discrete Fourier transforms over the last dimensions: `tf.signal.fft`, `rfft`, inverses."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert, convert_to_tensor, is_tensor
from tapefacade._core.error_texts import (
    invalid,
    kernel_suffix,
    negative_dimension,
    no_complex_input,
    no_real_input,
    refused_value,
    shape_text,
    slice_out_of_bounds,
)
from tapefacade._core.errors import InvalidArgumentError
from tapefacade._core.kernel_dtypes import COMPLEX
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._core.traced_errors import mark_as_of_types
from tapefacade._definition.argument_checks import as_axes
from tapefacade._definition.op import FreeTensor, NoGradient, TensorLike, function, op

SUFFIXES = {1: "", 2: "2D", 3: "3D"}


def refusal(message: str, kernel: str) -> InvalidArgumentError:
    """Makes the exception of a kernel; several kernels share an op here."""
    return invalid(message + kernel_suffix(kernel))


def _complex_tensor(value: Any, kernel: str) -> EagerTensor:
    """Converts Python numbers, and NumPy arrays that are real, to complex64."""
    tensor: Any = value if is_tensor(value) else convert(value)
    name = tensor.dtype.kernel_name
    if not is_tensor(value) and not tensor.dtype.is_complex and name != "string":
        return convert(value, dtypes.complex64)
    if name not in COMPLEX:
        error = refusal(refused_value("Tcomplex", name, COMPLEX, kernel), kernel)
        raise mark_as_of_types(error)
    return tensor


def _transform(value: Any, rank: int, inverse: bool) -> EagerTensor:
    tensor = _complex_tensor(value, f"{'I' * inverse}FFT{SUFFIXES[rank]}")
    return _fourier(tensor, rank, inverse)


@op("_fourier", kernel="FFT")
def _fourier(input: TensorLike, rank: int, inverse: bool) -> jax.Array:
    """Transforms the innermost dimensions."""
    if input.ndim < rank:
        shape = shape_text(input.shape)
        kernel = f"{'I' * inverse}FFT{SUFFIXES[rank]}"
        raise refusal(f"Input must have rank of at least {rank} but got: {shape}", kernel)
    if input.size == 0:
        return input
    axes = tuple(range(-rank, 0))
    return jnp.fft.ifftn(input, axes=axes) if inverse else jnp.fft.fftn(input, axes=axes)


@function("signal.fft")
def fft(input: Any, name: str | None = None) -> EagerTensor:
    r"""Computes the discrete Fourier transform of the last dimension.

    The result is $y_k = \sum_n x_n e^{-2 \pi i k n / N}$; `tf.signal.ifft` is the inverse.

    Args:
        input: a complex tensor `[..., N]`; Python numbers become complex64.
        name: ignored.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if `input` is a tensor that is not complex, or a scalar.

    >>> tf.signal.fft([1.0, 0.0, 0.0, 0.0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    return _transform(input, 1, inverse=False)


@function("signal.ifft")
def ifft(input: Any, name: str | None = None) -> EagerTensor:
    """Computes the inverse of `tf.signal.fft`.

    Args:
        input: a complex tensor `[..., N]`; Python numbers become complex64.
        name: ignored.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if `input` is a tensor that is not complex, or a scalar.

    >>> tf.signal.ifft([1.0, 1.0, 1.0, 1.0]).numpy()
    array([1.+0.j, 0.+0.j, 0.+0.j, 0.+0.j], dtype=complex64)
    """
    return _transform(input, 1, inverse=True)


@function("signal.fft2d")
def fft2d(input: Any, name: str | None = None) -> EagerTensor:
    """Computes the discrete Fourier transform of the last two dimensions.

    Args:
        input: a complex tensor `[..., M, N]`; Python numbers become complex64.
        name: ignored.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if `input` is a tensor that is not complex, or has fewer dimensions.

    >>> tf.signal.fft2d([[1.0, 0.0], [0.0, 0.0]]).numpy()
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex64)
    """
    return _transform(input, 2, inverse=False)


@function("signal.ifft2d")
def ifft2d(input: Any, name: str | None = None) -> EagerTensor:
    """Computes the inverse of `tf.signal.fft2d`.

    Args:
        input: a complex tensor `[..., M, N]`; Python numbers become complex64.
        name: ignored.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if `input` is a tensor that is not complex, or has fewer dimensions.

    >>> tf.signal.ifft2d([[4.0, 0.0], [0.0, 0.0]]).numpy()
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex64)
    """
    return _transform(input, 2, inverse=True)


@function("signal.fft3d")
def fft3d(input: Any, name: str | None = None) -> EagerTensor:
    """Computes the discrete Fourier transform of the last three dimensions.

    Args:
        input: a complex tensor `[..., L, M, N]`; Python numbers become complex64.
        name: ignored.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if `input` is a tensor that is not complex, or has fewer dimensions.

    >>> tf.signal.fft3d([[[1.0, 0.0]]]).numpy()
    array([[[1.+0.j, 1.+0.j]]], dtype=complex64)
    """
    return _transform(input, 3, inverse=False)


@function("signal.ifft3d")
def ifft3d(input: Any, name: str | None = None) -> EagerTensor:
    """Computes the inverse of `tf.signal.fft3d`.

    Args:
        input: a complex tensor `[..., L, M, N]`; Python numbers become complex64.
        name: ignored.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if `input` is a tensor that is not complex, or has fewer dimensions.

    >>> tf.signal.ifft3d([[[2.0, 0.0]]]).numpy()
    array([[[1.+0.j, 1.+0.j]]], dtype=complex64)
    """
    return _transform(input, 3, inverse=True)


def _rolled(x: jax.Array, axes: Any, inverse: bool) -> jax.Array:
    if x.ndim == 0 and axes is None:
        return x
    places = as_axes(axes, x.ndim)
    for axis in places:
        if not -x.ndim <= axis < x.ndim:
            raise invalid(slice_out_of_bounds(axis, 0))
    halves = [x.shape[axis] // 2 for axis in places]
    return jnp.roll(x, [-n for n in halves] if inverse else halves, places)


@op("signal.fftshift", kernel="Roll")
def fftshift(x: FreeTensor, axes: Any = None) -> jax.Array:
    """Moves the frequency 0 from the first place to the middle.

    Args:
        x: a tensor.
        axes: the dimension or dimensions, by default all.

    Returns:
        A tensor of the shape and type of `x`.

    Raises:
        InvalidArgumentError: if `x` has no such dimension.

    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy()
    array([-2, -1,  0,  1,  2], dtype=int32)
    """
    return _rolled(x, axes, inverse=False)


@op("signal.ifftshift", kernel="Roll")
def ifftshift(x: FreeTensor, axes: Any = None) -> jax.Array:
    """Moves the frequency 0 back from the middle; the inverse of `tf.signal.fftshift`.

    Args:
        x: a tensor.
        axes: the dimension or dimensions, by default all.

    Returns:
        A tensor of the shape and type of `x`.

    Raises:
        InvalidArgumentError: if `x` has no such dimension.

    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy()
    array([ 0,  1,  2, -2, -1], dtype=int32)
    """
    return _rolled(x, axes, inverse=True)


def _converted(value: Any, rank: int, inverse: bool) -> EagerTensor:
    """Converts the input, and checks its dtype and its rank."""
    tensor = convert_to_tensor(value, dtype_hint="complex64" if inverse else "float32")
    if inverse and not tensor.dtype.is_complex:
        raise no_complex_input(tensor)
    if not inverse and tensor.dtype not in (dtypes.float32, dtypes.float64):
        raise no_real_input(tensor)
    tensor.shape.with_rank_at_least(rank)
    return tensor


def _given_lengths(fft_length: Any) -> tuple[int, ...] | None:
    if fft_length is None:
        return None
    lengths = convert_to_tensor(fft_length, "int32").numpy()
    if np.ndim(lengths) == 0:
        error = TypeError("'numpy.int32' object is not iterable")
        raise hinted(error, "fft_length has a number for each dimension: write [n].")
    if np.ndim(lengths) > 1:
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    for length in lengths:
        if length < -1:  # which TensorFlow takes for a size that is not known, up to the kernel
            raise ValueError(negative_dimension(length))
    return tuple(int(length) for length in lengths)


def _lengths(
    input: jax.Array, given: Sequence[int] | None, rank: int, inverse: bool
) -> tuple[int, ...]:
    """Returns the length of the signal along each transformed dimension."""
    kernel = f"{'I' * inverse}RFFT{SUFFIXES[rank]}"
    if given is not None and len(given) != rank:
        raise refusal(f"fft_length must have shape [{rank}]", kernel)
    for place, length in enumerate(given or ()):
        if length < 0:
            raise refusal(f"fft_length[{place}] must >= 0, but got: {length}", kernel)
    sizes = input.shape[input.ndim - rank :]
    if given is None:
        return (*sizes[:-1], max(2 * (sizes[-1] - 1), 0)) if inverse else sizes
    if input.size == 0:
        needed = (*given[:-1], given[-1] // 2 + 1) if inverse else given
        for place, (size, least) in enumerate(zip(sizes, needed, strict=True)):
            if size < least:
                raise refusal(
                    f"Input dimension {input.ndim - rank + place} must have length of at least "
                    f"{least} but got: {size}",
                    kernel,
                )
    return tuple(given)


def _transformed(input: jax.Array, given: Any, rank: int, inverse: bool) -> jax.Array:
    lengths = _lengths(input, given, rank, inverse)
    result = np.finfo(input.dtype).dtype if inverse else np.result_type(input.dtype, np.complex64)
    if input.size == 0 or 0 in lengths:
        last = lengths[-1] if inverse or lengths[-1] == 0 else lengths[-1] // 2 + 1
        return jnp.zeros((*input.shape[: input.ndim - rank], *lengths[:-1], last), result)
    axes = tuple(range(-rank, 0))
    if inverse:
        return jnp.fft.irfftn(input, lengths, axes)
    return jnp.fft.rfftn(input, lengths, axes)


@op("_real_fourier", kernel="RFFT")
def _real_fourier(input: TensorLike, lengths: Any, rank: int) -> jax.Array:
    """Transforms real signals."""
    return _transformed(input, lengths, rank, inverse=False)


@op("_inverse_real_fourier", kernel="IRFFT")
def _inverse_real_fourier(input: TensorLike, lengths: Any, rank: int) -> jax.Array:
    """Transforms half spectra back."""
    return _transformed(input, lengths, rank, inverse=True)


@op("_real_fourier_3d", kernel="RFFT3D", gradient=NoGradient("RFFT3D"))
def _real_fourier_3d(input: TensorLike, lengths: Any) -> jax.Array:
    """Transforms real volumes."""
    return _transformed(input, lengths, 3, inverse=False)


@op("_inverse_real_fourier_3d", kernel="IRFFT3D", gradient=NoGradient("IRFFT3D"))
def _inverse_real_fourier_3d(input: TensorLike, lengths: Any) -> jax.Array:
    """Transforms half spectra of volumes back."""
    return _transformed(input, lengths, 3, inverse=True)


@function("signal.rfft")
def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> EagerTensor:
    """Computes the discrete Fourier transform of real signals along the last dimension.

    The spectrum of a real signal is symmetric; the result holds its first half and the middle.

    Args:
        input_tensor: a tensor `[..., N]` of type float32 or float64.
        fft_length: a list of the length to which the signals are cut or padded with zeros.
        name: ignored.

    Returns:
        A complex tensor `[..., N // 2 + 1]`.

    Raises:
        ValueError: if `input_tensor` has another dtype, or is a scalar.
        InvalidArgumentError: if `fft_length` is not one number.

    >>> tf.signal.rfft([1.0, 0.0, 0.0, 0.0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    return _real_fourier(_converted(input_tensor, 1, False), _given_lengths(fft_length), 1)


@function("signal.irfft")
def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> EagerTensor:
    """Computes real signals from the halves of their spectra; the inverse of `tf.signal.rfft`.

    Args:
        input_tensor: a complex tensor `[..., K]`.
        fft_length: a list of the length of the signals, by default `2 * (K - 1)`.
        name: ignored.

    Returns:
        A real tensor `[..., 2 * (K - 1)]`.

    Raises:
        ValueError: if `input_tensor` is not complex, or is a scalar.
        InvalidArgumentError: if `fft_length` is not one number.

    >>> tf.signal.irfft([1.0, 1.0, 1.0]).numpy()
    array([1., 0., 0., 0.], dtype=float32)
    """
    return _inverse_real_fourier(_converted(input_tensor, 1, True), _given_lengths(fft_length), 1)


@function("signal.rfft2d")
def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> EagerTensor:
    """Computes the discrete Fourier transform of real images, the last two dimensions.

    Args:
        input_tensor: a tensor `[..., M, N]` of type float32 or float64.
        fft_length: the two sizes to which the images are cut or padded with zeros.
        name: ignored.

    Returns:
        A complex tensor `[..., M, N // 2 + 1]`.

    Raises:
        ValueError: if `input_tensor` has another dtype, or fewer dimensions.
        InvalidArgumentError: if `fft_length` is not two numbers.

    >>> tf.signal.rfft2d([[1.0, 0.0], [0.0, 0.0]]).numpy()
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex64)
    """
    return _real_fourier(_converted(input_tensor, 2, False), _given_lengths(fft_length), 2)


@function("signal.irfft2d")
def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> EagerTensor:
    """Computes real images from the halves of their spectra; the inverse of `tf.signal.rfft2d`.

    Args:
        input_tensor: a complex tensor `[..., M, K]`.
        fft_length: the two sizes of the images, by default `[M, 2 * (K - 1)]`.
        name: ignored.

    Returns:
        A real tensor `[..., M, 2 * (K - 1)]`.

    Raises:
        ValueError: if `input_tensor` is not complex, or has fewer dimensions.
        InvalidArgumentError: if `fft_length` is not two numbers.

    >>> tf.signal.irfft2d([[1.0, 1.0], [1.0, 1.0]]).numpy()
    array([[1., 0.],
           [0., 0.]], dtype=float32)
    """
    return _inverse_real_fourier(_converted(input_tensor, 2, True), _given_lengths(fft_length), 2)


@function("signal.rfft3d")
def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> EagerTensor:
    """Computes the discrete Fourier transform of real volumes, the last three dimensions.

    It has no gradient, as in TensorFlow.

    Args:
        input_tensor: a tensor `[..., L, M, N]` of type float32 or float64.
        fft_length: the three sizes to which the volumes are cut or padded with zeros.
        name: ignored.

    Returns:
        A complex tensor `[..., L, M, N // 2 + 1]`.

    Raises:
        ValueError: if `input_tensor` has another dtype, or fewer dimensions.
        InvalidArgumentError: if `fft_length` is not three numbers.

    >>> tf.signal.rfft3d([[[1.0, 0.0]]]).numpy()
    array([[[1.+0.j, 1.+0.j]]], dtype=complex64)
    """
    return _real_fourier_3d(_converted(input_tensor, 3, False), _given_lengths(fft_length))


@function("signal.irfft3d")
def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> EagerTensor:
    """Computes real volumes from the halves of their spectra; the inverse of `tf.signal.rfft3d`.

    It has no gradient, as in TensorFlow.

    Args:
        input_tensor: a complex tensor `[..., L, M, K]`.
        fft_length: the three sizes of the volumes, by default `[L, M, 2 * (K - 1)]`.
        name: ignored.

    Returns:
        A real tensor `[..., L, M, 2 * (K - 1)]`.

    Raises:
        ValueError: if `input_tensor` is not complex, or has fewer dimensions.
        InvalidArgumentError: if `fft_length` is not three numbers.

    >>> tf.signal.irfft3d([[[1.0, 1.0]]]).numpy()
    array([[[1., 0.]]], dtype=float32)
    """
    return _inverse_real_fourier_3d(_converted(input_tensor, 3, True), _given_lengths(fft_length))
