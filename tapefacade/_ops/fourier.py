"""Discrete Fourier transforms of complex tensors: `tf.signal.fft` and its inverse."""

from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core import dtypes
from tapefacade._core.convert import convert, is_tensor
from tapefacade._core.errors import InvalidArgumentError
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import as_axes, invalid
from tapefacade._ops.op import FreeTensor, TensorLike, function, op

COMPLEX = ("complex64", "complex128")
SUFFIXES = {1: "", 2: "2D", 3: "3D"}


def refusal(message: str, kernel: str) -> InvalidArgumentError:
    """Makes the exception of a kernel; several kernels share an op here."""
    return invalid(f"{message} [Op:{kernel}] name: ")


def _complex_tensor(value: Any, kernel: str) -> EagerTensor:
    """Converts Python numbers, and NumPy arrays that are real, to complex64."""
    tensor: Any = value if is_tensor(value) else convert(value)
    name = tensor.dtype.kernel_name
    if not is_tensor(value) and not tensor.dtype.is_complex and name != "string":
        return convert(value, dtypes.complex64)
    if name not in COMPLEX:
        raise refusal(
            f"Value for attr 'Tcomplex' of {name} is not in the list of allowed values: "
            f"{', '.join(COMPLEX)}\n\t; NodeDef: {{{{node {kernel}}}}}",
            kernel,
        )
    return tensor


def _transform(value: Any, rank: int, inverse: bool) -> EagerTensor:
    tensor = _complex_tensor(value, f"{'I' * inverse}FFT{SUFFIXES[rank]}")
    return _fourier(tensor, rank, inverse)


@op("_fourier", kernel="FFT")
def _fourier(input: TensorLike, rank: int, inverse: bool) -> jax.Array:
    """Transforms the innermost dimensions."""
    if input.ndim < rank:
        shape = ",".join(map(str, input.shape))
        kernel = f"{'I' * inverse}FFT{SUFFIXES[rank]}"
        raise refusal(f"Input must have rank of at least {rank} but got: [{shape}]", kernel)
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
            raise invalid(f"slice index {axis} of dimension 0 out of bounds.")
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
