"""Conversion between dtypes, and between complex and real numbers."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.error_texts import inconvertible_argument, refused_type
from tapefacade._core.logging import get_logger
from tapefacade._definition.argument_checks import check_broadcast
from tapefacade._definition.op import (
    REGISTRY,
    NoGradient,
    NotDifferentiable,
    TensorLike,
    function,
    op,
)
from tapefacade._ops.array.copying import zeros_like

MESSAGE_IMAGINARY = (
    "You are casting an input of type %s to an incompatible dtype %s.  This will discard the "
    "imaginary part and may not be what you intended."
)
BITS = (
    "bfloat16", "half", "float", "double", "int64", "int32", "uint8", "uint16", "uint32", "uint64",
    "int8", "int16", "complex64", "complex128", "qint8", "quint8", "qint16", "quint16", "qint32",
)  # fmt: skip


def _tensor(value: Any) -> Any:
    """Converts what is neither a tensor nor a variable."""
    return value if hasattr(value, "_type") else convert(value)


def _float_to_integer(x: jax.Array, dtype: Any) -> jax.Array:
    """Drops the fraction; what does not fit becomes what an x86 processor makes of it."""
    if x.dtype.itemsize < 4:
        x = x.astype(np.float32)
    wide = np.int64 if np.dtype(dtype).itemsize == 8 or dtype == np.uint32 else np.int32
    limit = 2.0 ** (np.iinfo(wide).bits - 1)
    fits = (x >= -limit) & (x < limit)
    result = jnp.where(fits, x, jnp.full_like(x, -limit)).astype(wide).astype(dtype)
    return jnp.where(x >= limit, x.astype(dtype), result) if dtype == np.uint64 else result


def _converted(x: jax.Array, dtype: Any) -> jax.Array:
    if jnp.iscomplexobj(x) and not jnp.issubdtype(dtype, jnp.complexfloating):
        x = lax.real(x)
    if jnp.issubdtype(x.dtype, jnp.floating) and jnp.issubdtype(dtype, jnp.integer):
        return _float_to_integer(x, dtype)
    return x.astype(dtype)


@op("_cast", kernel="Cast", host=lambda x, dtype: x.astype(dtype.as_numpy_dtype))
def _cast(x: TensorLike, dtype: dtypes.DType) -> jax.Array:
    """Converts to another dtype; see `cast`."""
    return _converted(x, dtype.as_numpy_dtype)


@function("cast", "dtypes.cast")
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Converts a tensor to another dtype.

    Floats lose their fraction when they become integers. A gradient passes through floating and
    complex dtypes only.

    Args:
        x: a tensor, a variable or what makes a tensor.
        dtype: the new dtype.
        name: ignored.

    Returns:
        A tensor of that dtype; `x` itself if it has the dtype already.

    Raises:
        TypeError: if `dtype` is no dtype.

    >>> tf.cast([1.8, -1.8], tf.int32).numpy()
    array([ 1, -1], dtype=int32)
    """
    wanted = dtypes.as_dtype(dtype)
    if isinstance(x, CompositeTensor):
        return x._with_gradient(cast(x._differentiated(), wanted))
    x = _tensor(x)
    given = dtypes.as_dtype(x.dtype)
    if given is wanted:
        return x
    if given.is_complex and wanted.is_floating:
        get_logger().warning(MESSAGE_IMAGINARY, given.name, wanted.name)
    if wanted is dtypes.string:
        message = f"Cast {given.kernel_name} to string is not supported"
        raise REGISTRY["_cast"].named(errors.UnimplementedError(None, None, message))
    return _cast(x, wanted)


def _limits(given: Any, wanted: Any) -> tuple[Any, Any]:
    """Returns the least and the largest number of `given` that `wanted` can hold."""
    kind = given.as_numpy_dtype
    try:
        promoted = np.promote_types(kind, wanted.as_numpy_dtype)
    except TypeError:
        promoted = np.dtype(float)
    with np.errstate(all="ignore"):
        low = kind(np.maximum(given.min, wanted.min))
        both = np.array([low, wanted.min], promoted)
        if both[0] < both[1]:
            low = np.nextafter(low, kind(0), dtype=kind)
        high = kind(np.minimum(float(given.max), float(wanted.max)))
        both = np.array([high, wanted.max], promoted)
        if both[0] > both[1]:
            high = np.nextafter(high, kind(0), dtype=kind)
    return low, high


@jax.custom_jvp
def _clamped(x: jax.Array, low: jax.Array, high: jax.Array) -> jax.Array:
    return jnp.minimum(jnp.maximum(x, low), high)


@_clamped.defjvp
def _clamped_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x, low, high), (tangent, *_) = primals, tangents
    outside = (x < low) | (x > high)
    return _clamped(x, low, high), jnp.where(outside, jnp.zeros_like(tangent), tangent)


@op("_saturate_cast", kernel="Cast")
def _saturate_cast(x: TensorLike, dtype: dtypes.DType) -> jax.Array:
    """Converts to another dtype within its limits; see `saturate_cast`."""
    if jnp.iscomplexobj(x) and dtype.is_complex:
        return x.astype(dtype.as_numpy_dtype)
    if jnp.iscomplexobj(x):
        x = lax.real(x)
    given = dtypes.from_numpy(np.dtype(x.dtype))
    low, high = _limits(given, dtype.real_dtype)
    bounds = jnp.asarray(low, x.dtype), jnp.asarray(high, x.dtype)
    x = jnp.clip(x, *bounds) if given.is_integer else _clamped(x, *bounds)
    return _converted(x, dtype.as_numpy_dtype)


@function("saturate_cast", "dtypes.saturate_cast", dispatch=True, elementwise=1)
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """Converts a tensor to another dtype, and numbers beyond its limits to these.

    Args:
        value: a tensor of numbers.
        dtype: the new dtype.
        name: ignored.

    Returns:
        A tensor of that dtype and the shape of `value`.

    Raises:
        TypeError: if `dtype` has no limits.

    >>> tf.saturate_cast([1.8, 300.0, -5.0], tf.uint8).numpy()
    array([  1, 255,   0], dtype=uint8)
    """
    wanted = dtypes.as_dtype(dtype)
    value = _tensor(value)
    if value.dtype.is_complex and not wanted.is_complex:
        get_logger().warning("Casting complex to real discards imaginary part.")
    wanted.real_dtype.min  # noqa: B018  raises if there are no limits
    return _saturate_cast(value, wanted)


@op("_complex", kernel="Complex", elementwise=2)
def _complex(real: TensorLike, imag: TensorLike) -> jax.Array:
    """Makes complex numbers of two parts; see `complex`."""
    check_broadcast(real, imag)
    return lax.complex(*jnp.broadcast_arrays(real, imag))


@function("complex", "dtypes.complex", dispatch=True, elementwise=2)
def complex(real: Any, imag: Any, name: str | None = None) -> Any:
    """Makes complex numbers of their real and imaginary parts.

    Args:
        real: a tensor of dtype float32 or float64.
        imag: a tensor of the same dtype that can be broadcast with `real`.
        name: ignored.

    Returns:
        A tensor of the common shape, complex64 or complex128.

    Raises:
        TypeError: if the dtypes differ or are others.
        InvalidArgumentError: if the shapes do not fit.

    >>> tf.complex([1.0, 2.0], 3.0).numpy()
    array([1.+3.j, 2.+3.j], dtype=complex64)
    """
    real, imag = _tensor(real), _tensor(imag)
    given = real.dtype, imag.dtype
    if given not in ((dtypes.float32,) * 2, (dtypes.float64,) * 2):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {given[0].name} "
            f"{given[1].name}. They must be consistent, and one of "
            f"{[dtypes.float32, dtypes.float64]}"
        )
    return _complex(real, imag)


@op("_real", kernel="Real")
def _real(input: TensorLike) -> jax.Array:
    """Takes the real part of complex numbers; see `real`."""
    return lax.real(input)


@op("_imag", kernel="Imag")
def _imag(input: TensorLike) -> jax.Array:
    """Takes the imaginary part of complex numbers; see `imag`."""
    return lax.imag(input)


@op("_angle", kernel="Angle")
def _angle(input: TensorLike) -> jax.Array:
    """Computes the argument of complex numbers; see `angle`."""
    return jnp.arctan2(lax.imag(input), lax.real(input))


@op("_angle_of_real", kernel="SelectV2", gradient=NotDifferentiable())
def _angle_of_real(input: TensorLike) -> jax.Array:
    """Computes the argument of real numbers; see `angle`."""
    return jnp.where(input < 0, jnp.full_like(input, np.pi), jnp.zeros_like(input))


@op("_conj", kernel="Conj")
def _conj(x: TensorLike) -> jax.Array:
    """Computes the conjugate of complex numbers; see `conj`."""
    return lax.conj(x)


@function("math.real", dispatch=True, elementwise=1)
def real(input: Any, name: str | None = None) -> Any:
    """Takes the real part of each element.

    Args:
        input: a tensor of numbers.
        name: ignored.

    Returns:
        A tensor of the shape of `input`; `input` itself if it is real.

    Raises:
        TypeError: if `input` is boolean.

    >>> tf.math.real(tf.constant([1.0 + 2.0j])).numpy()
    array([1.])
    """
    input = _tensor(input)
    if input.dtype.is_complex:
        return _real(input)
    if not (input.dtype.is_floating or input.dtype.is_integer):
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {input.dtype}")
    return convert(input)


@function("math.imag", dispatch=True, elementwise=1)
def imag(input: Any, name: str | None = None) -> Any:
    """Takes the imaginary part of each element.

    Args:
        input: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of `input`: zeros, whose gradient is None, if it is real.

    >>> tf.math.imag(tf.constant([1.0 + 2.0j])).numpy()
    array([2.])
    """
    input = _tensor(input)
    return _imag(input) if input.dtype.is_complex else zeros_like(input)


@function("math.angle", dispatch=True, elementwise=1)
def angle(input: Any, name: str | None = None) -> Any:
    """Computes the argument of each element, from -pi to pi.

    Args:
        input: a floating or complex tensor.
        name: ignored.

    Returns:
        A real tensor of the shape of `input`: pi for a negative real number, 0 for another one.

    Raises:
        TypeError: if `input` is an integer tensor.

    >>> tf.math.angle(tf.constant([1.0j, -2.0])).numpy().round(4)
    array([1.5708, 3.1416])
    """
    input = _tensor(input)
    if input.dtype.is_complex:
        return _angle(input)
    if not input.dtype.is_floating:
        number = np.pi if input.dtype.is_integer else 0
        raise inconvertible_argument(number, input.dtype.name)
    return _angle_of_real(input)


@function("math.conj", dispatch=True, elementwise=1)
def conj(x: Any, name: str | None = None) -> Any:
    """Changes the sign of the imaginary part of each element.

    Args:
        x: a tensor of numbers.
        name: ignored.

    Returns:
        A tensor of the shape and dtype of `x`; `x` itself if it is real.

    Raises:
        TypeError: if `x` is boolean.

    >>> tf.math.conj(tf.constant([1.0 + 2.0j])).numpy()
    array([1.-2.j])
    """
    x = _tensor(x)
    if x.dtype.is_complex:
        return _conj(x)
    if not (x.dtype.is_floating or x.dtype.is_integer):
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")
    return convert(x)


def _bits(x: jax.Array) -> jax.Array:
    """Splits complex numbers into their two parts, along a new last axis."""
    return jnp.stack([lax.real(x), lax.imag(x)], axis=-1) if jnp.iscomplexobj(x) else x


@op("_bitcast", kernel="Bitcast", dtypes=BITS, gradient=NoGradient("Bitcast"))
def _bitcast(input: TensorLike, dtype: dtypes.DType) -> jax.Array:
    """Reads the bits of a tensor as another dtype; see `bitcast`."""
    if dtype.kernel_name not in BITS:
        raise refused_type("type", dtype.kernel_name, BITS, "Bitcast")
    target = np.dtype(dtype.as_numpy_dtype)
    if input.dtype == target:
        return input
    count, rest = divmod(target.itemsize, input.dtype.itemsize)
    if count > 1 and (rest or input.shape[-1:] != (count,)):
        source = dtypes.from_numpy(np.dtype(input.dtype))
        numbers = f"{source.as_datatype_enum} to {dtype.as_datatype_enum}"
        raise errors.InvalidArgumentError(None, None, f"Cannot bitcast from {numbers}")
    shape = input.shape[:-1] if count > 1 else input.shape
    if count == 0:
        shape = (*shape, input.dtype.itemsize // target.itemsize)
    octets = lax.bitcast_convert_type(_bits(input), np.uint8).reshape(*shape, target.itemsize)
    if not dtype.is_complex:
        return lax.bitcast_convert_type(octets, target).reshape(shape)
    parts = octets.reshape(*shape, 2, target.itemsize // 2)
    values = lax.bitcast_convert_type(parts, dtype.real_dtype.as_numpy_dtype)
    return lax.complex(values[..., 0], values[..., 1])


@function("bitcast", dispatch=True, elementwise=1)
def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """Reads the bits of a tensor as another dtype.

    Args:
        input: a tensor of numbers.
        type: the dtype to read. If it is smaller, a last axis is added; if it is larger, the last
            axis must have as many elements as make one.
        name: ignored.

    Returns:
        A tensor of that dtype. There is no gradient: asking for it is a LookupError.

    Raises:
        InvalidArgumentError: if the last axis does not fit, or for booleans.

    >>> tf.bitcast([1.0, -2.0], tf.int32).numpy()
    array([ 1065353216, -1073741824], dtype=int32)
    """
    return _bitcast(input, type)
