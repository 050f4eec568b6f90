"""Brightness, contrast and colour spaces of images."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import errors
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.dtypes import as_dtype, float32
from tapefacade._core.error_texts import inconvertible_argument, invalid, matrix_sizes, shape_text
from tapefacade._core.kernel_dtypes import FLOATS_HALF_FIRST
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import (
    FreeTensor,
    NoGradient,
    NotDifferentiable,
    TensorLike,
    function,
    op,
)
from tapefacade._ops.image.geometry import convert_image_dtype

LUMINANCE = (0.2989, 0.5870, 0.1140)


def _no_image(shape: str) -> str:
    return f"input must be at least 3-D, got shape{shape}"


def _as_float(images: Any) -> tuple[Any, Any]:
    """Converts images to single precision; returns them and their dtype before."""
    images = convert_to_tensor(images)
    given = images.dtype
    return images if given.name == "float16" else convert_image_dtype(images, float32), given


@function("image.adjust_contrast")
def adjust_contrast(images: TensorLike, contrast_factor: Any) -> EagerTensor:
    """Moves each channel of images away from its mean, or towards it.

    Args:
        images: a tensor of shape `[..., H, W, C]`.
        contrast_factor: what the differences from the mean are multiplied with.

    Returns:
        A tensor of the shape and type of `images`.

    Raises:
        InvalidArgumentError: if `images` has fewer than three dimensions, or the factor is no
            scalar.
        LookupError: if a gradient is asked for.

    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().ravel()
    array([0., 4.], dtype=float32)
    """
    floating, given = _as_float(images)
    return convert_image_dtype(_adjust_contrast(floating, contrast_factor), given, saturate=True)


@op(
    "_adjust_contrast",
    kernel="AdjustContrastv2",
    dtypes=("half", "float"),
    gradient=NoGradient("AdjustContrastv2"),
)
def _adjust_contrast(images: TensorLike, contrast_factor: FreeTensor) -> jax.Array:
    """Adjusts the contrast of floating images."""
    if images.ndim < 3:
        raise invalid(_no_image(shape_text(images.shape)))
    if contrast_factor.ndim:
        raise invalid(f"contrast_factor must be scalar: {shape_text(contrast_factor.shape)}")
    factor = contrast_factor.astype(images.dtype)
    mean = jnp.mean(images, (-3, -2), keepdims=True)
    return (images - mean) * factor + mean


@function("image.adjust_brightness", dispatch=True, elementwise=1)
def adjust_brightness(image: TensorLike, delta: Any) -> EagerTensor:
    """Adds a number to all pixels.

    Args:
        image: a tensor.
        delta: what to add, on the scale of floating images.

    Returns:
        A tensor of the shape and type of `image`.

    >>> tf.image.adjust_brightness([1.0, 2.0], 0.5).numpy()
    array([1.5, 2.5], dtype=float32)
    """
    floating, given = _as_float(image)
    return convert_image_dtype(_add(floating, delta), given, saturate=True)


@op("_add_to_image", kernel="AddV2")
def _add(image: TensorLike, delta: FreeTensor) -> jax.Array:
    """Adds a number of any type."""
    return image + delta.astype(image.dtype)


@function("image.adjust_gamma", dispatch=True, elementwise=1)
def adjust_gamma(image: TensorLike, gamma: Any = 1, gain: Any = 1) -> EagerTensor:
    """Raises all pixels to a power and multiplies them with a number.

    Args:
        image: a tensor.
        gamma: the exponent, not negative.
        gain: the factor.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `gamma` is negative.

    >>> tf.image.adjust_gamma([0.25], 0.5).numpy()
    array([0.5], dtype=float32)
    """
    if isinstance(gamma, int | float) and gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    floating, given = _as_float(image)
    return convert_image_dtype(_power(floating, gamma, gain), given, saturate=True)


@op("_power_of_image", kernel="Pow")
def _power(image: TensorLike, gamma: FreeTensor, gain: FreeTensor) -> jax.Array:
    """Computes `gain * image ** gamma` with numbers of any type."""
    return gain.astype(image.dtype) * image ** gamma.astype(image.dtype)


@function("image.rgb_to_grayscale")
def rgb_to_grayscale(images: TensorLike, name: None = None) -> EagerTensor:
    """Computes how bright colours appear.

    Args:
        images: a tensor of shape `[..., 3]`.
        name: ignored.

    Returns:
        A tensor of shape `[..., 1]` and the type of `images`.

    Raises:
        InvalidArgumentError: if there are not three channels.

    >>> tf.image.rgb_to_grayscale([1.0, 1.0, 1.0]).numpy().round(4)
    array([0.9999], dtype=float32)
    """
    images = convert_to_tensor(images)
    floating = convert_image_dtype(images, float32)
    return convert_image_dtype(_luminance(floating), images.dtype)


@op("_luminance", kernel="MatMul")
def _luminance(images: TensorLike) -> jax.Array:
    """Sums the channels of floating images with their weights."""
    if images.ndim == 0:
        raise IndexError("list index out of range")
    if images.shape[-1] != 3:
        pixels = int(np.prod(images.shape[:-1], dtype=np.int64))
        raise invalid(matrix_sizes(f"[{pixels},{images.shape[-1]}]", "[3,1]"))
    weights = jnp.asarray(LUMINANCE, images.dtype)
    return jnp.sum(images * weights, -1, keepdims=True)


@op("image.grayscale_to_rgb", kernel="Tile")
def grayscale_to_rgb(images: FreeTensor) -> jax.Array:
    """Gives all three channels the same values.

    Args:
        images: a tensor of shape `[..., 1]`.

    Returns:
        A tensor of shape `[..., 3]`.

    Raises:
        ValueError: if there is more than one channel.

    >>> tf.image.grayscale_to_rgb([[1.0]]).numpy()
    array([[1., 1., 1.]], dtype=float32)
    """
    if images.ndim == 0:
        raise ValueError("A grayscale image must be at least two-dimensional.")
    if images.shape[-1] != 1:
        raise ValueError("Last dimension of a grayscale image should be size 1.")
    return jnp.broadcast_to(images, (*images.shape[:-1], 3))


def _check_channels(images: jax.Array, kind: Callable[..., Exception], verb: str) -> None:
    if images.ndim == 0 or images.shape[-1] != 3:
        count = images.shape[-1] if images.ndim else 0
        raise kind(None, None, f"input must have 3 channels but {verb} {count} channels.")


@op("image.rgb_to_hsv", kernel="RGBToHSV", dtypes=FLOATS_HALF_FIRST, raw_op=True)
def rgb_to_hsv(images: TensorLike) -> jax.Array:
    """Converts red, green and blue to hue, saturation and value.

    Args:
        images: a floating tensor of shape `[..., 3]` with values in [0, 1].

    Returns:
        A tensor of the shape and type of `images`, with values in [0, 1].

    Raises:
        FailedPreconditionError: if there are not three channels.

    >>> tf.image.rgb_to_hsv([0.0, 1.0, 0.0]).numpy().round(4)
    array([0.3333, 1.    , 1.    ], dtype=float32)
    """
    _check_channels(images, errors.FailedPreconditionError, "input only has")
    return _hue_saturation_value(images)


def _hue_saturation_value(images: jax.Array) -> jax.Array:
    red, green, blue = (images[..., channel] for channel in range(3))
    value = jnp.maximum(red, jnp.maximum(green, blue))
    span = value - jnp.minimum(red, jnp.minimum(green, blue))
    zero, one, six = (jnp.asarray(x, images.dtype) for x in (0, 1, 6))
    saturation = jnp.where(value > 0, span / jnp.where(value > 0, value, one), zero)
    norm = one / (six * jnp.where(span > 0, span, one))
    third = jnp.asarray(1 / 3, images.dtype)
    hue = jnp.where(
        value == red,
        norm * (green - blue),
        jnp.where(
            value == green, norm * (blue - red) + third, norm * (red - green) + third + third
        ),
    )
    hue = jnp.where(span > 0, hue, zero)
    hue = jnp.where(hue < 0, hue + one, hue)
    return jnp.stack([hue, saturation, value], -1)


@op(
    "image.hsv_to_rgb",
    kernel="HSVToRGB",
    dtypes=FLOATS_HALF_FIRST,
    gradient=NotDifferentiable(),
    raw_op=True,
)
def hsv_to_rgb(images: TensorLike) -> jax.Array:
    """Converts hue, saturation and value to red, green and blue.

    Args:
        images: a floating tensor of shape `[..., 3]` with values in [0, 1].

    Returns:
        A tensor of the shape and type of `images`. No gradient flows to it.

    Raises:
        FailedPreconditionError: if there are not three channels.

    >>> tf.image.hsv_to_rgb([0.0, 1.0, 1.0]).numpy()
    array([1., 0., 0.], dtype=float32)
    """
    _check_channels(images, errors.FailedPreconditionError, "input only has")
    return _coloured(images)


def _coloured(images: jax.Array) -> jax.Array:
    hue, saturation, value = (images[..., channel] for channel in range(3))
    zero, one = (jnp.asarray(x, images.dtype) for x in (0, 1))
    sixths = hue * jnp.asarray(6, images.dtype)
    three, two, four = (jnp.asarray(x, images.dtype) for x in (3, 2, 4))
    channels = (
        jnp.abs(sixths - three) - one,
        two - jnp.abs(sixths - two),
        two - jnp.abs(sixths - four),
    )
    parts = [((one - saturation) + saturation * jnp.clip(x, zero, one)) * value for x in channels]
    return jnp.stack(parts, -1)


@function("image.adjust_hue")
def adjust_hue(image: TensorLike, delta: Any, name: None = None) -> EagerTensor:
    """Turns the hue of coloured images.

    Args:
        image: a tensor of shape `[..., 3]`.
        delta: what to add to the hue, in [-1, 1].
        name: ignored.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `delta` is outside of [-1, 1].
        LookupError: if a gradient is asked for.

    >>> tf.image.adjust_hue([[[1.0, 0.0, 0.0]]], 0.5).numpy()
    array([[[0., 1., 1.]]], dtype=float32)
    """
    if isinstance(delta, int | float) and not -1 <= delta <= 1:
        raise ValueError("delta must be in the interval [-1, 1]")
    floating, given = _as_float(image)
    return convert_image_dtype(_adjust_hue(floating, delta), given)


@op("_adjust_hue", kernel="AdjustHue", gradient=NoGradient("AdjustHue"))
def _adjust_hue(images: TensorLike, delta: FreeTensor) -> jax.Array:
    """Turns the hue of floating images."""
    _check_three(images)
    wide = _hue_saturation_value(images.astype(np.float32))
    hue = wide[..., :1] + delta.astype(np.float32)
    turned = jnp.concatenate([hue - jnp.floor(hue), wide[..., 1:]], -1)
    return _coloured(turned).astype(images.dtype)


def _check_three(images: jax.Array) -> None:
    if images.ndim < 3:
        raise invalid(_no_image(shape_text(images.shape)))
    _check_channels(images, errors.InvalidArgumentError, "instead has")


@function("image.adjust_saturation")
def adjust_saturation(image: TensorLike, saturation_factor: Any, name: None = None) -> EagerTensor:
    """Multiplies the saturation of coloured images.

    Args:
        image: a tensor of shape `[..., 3]`.
        saturation_factor: the factor.
        name: ignored.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        LookupError: if a gradient is asked for.

    >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 0.0).numpy()
    array([[[1., 1., 1.]]], dtype=float32)
    """
    floating, given = _as_float(image)
    return convert_image_dtype(_adjust_saturation(floating, saturation_factor), given)


@op("_adjust_saturation", kernel="AdjustSaturation", gradient=NoGradient("AdjustSaturation"))
def _adjust_saturation(images: TensorLike, saturation_factor: FreeTensor) -> jax.Array:
    """Multiplies the saturation of floating images."""
    _check_three(images)
    wide = _hue_saturation_value(images.astype(np.float32))
    factor = saturation_factor.astype(np.float32)
    saturation = jnp.clip(wide[..., 1:2] * factor, np.float32(0), np.float32(1))
    mixed = lax.concatenate([wide[..., :1], saturation, wide[..., 2:]], wide.ndim - 1)
    return _coloured(mixed).astype(images.dtype)


Matrix = list[list[float]]

# What a colour (a row) is multiplied with, as TensorFlow rounds it.
RGB_TO_YIQ: Matrix = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
YIQ_TO_RGB: Matrix = [
    [1, 1, 1],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
RGB_TO_YUV: Matrix = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
YUV_TO_RGB: Matrix = [
    [1, 1, 1],
    [0, -0.394642334, 2.03206185],
    [1.13988303, -0.58062185, 0],
]


def _converted(images: Any, matrix: Matrix) -> jax.Array:
    kind = as_dtype(images.dtype)
    if not (kind.is_floating or kind.is_complex):
        raise inconvertible_argument(matrix, kind.kernel_name)
    if images.ndim == 0:
        raise IndexError("list index out of range")
    if images.shape[-1] != 3:
        pixels = int(np.prod(images.shape[:-1], dtype=np.int64))
        raise invalid(matrix_sizes(f"[{pixels},{images.shape[-1]}]", "[3,3]"))
    weights = jnp.asarray(matrix, images.dtype)
    # A sum of three products, which no accelerator rounds as it may round those of a matmul.
    return sum(images[..., c, None] * weights[c] for c in range(3))  # pyright: ignore[reportReturnType]


@op("image.rgb_to_yiq", kernel="MatMul")
def rgb_to_yiq(images: TensorLike) -> jax.Array:
    """Converts red, green and blue to brightness, in-phase and quadrature (YIQ, as in NTSC).

    Args:
        images: a floating tensor of shape `[..., 3]` with values in [0, 1].

    Returns:
        A tensor of the shape and type of `images`.

    Raises:
        TypeError: if `images` is not floating.
        InvalidArgumentError: if there are not three channels.

    >>> tf.image.rgb_to_yiq([1.0, 0.0, 0.0]).numpy()
    array([0.299    , 0.5959006, 0.2115   ], dtype=float32)
    """
    return _converted(images, RGB_TO_YIQ)


@op("image.yiq_to_rgb", kernel="MatMul")
def yiq_to_rgb(images: TensorLike) -> jax.Array:
    """Converts brightness, in-phase and quadrature (YIQ, as in NTSC) to red, green and blue.

    Args:
        images: a floating tensor of shape `[..., 3]`.

    Returns:
        A tensor of the shape and type of `images`.

    Raises:
        TypeError: if `images` is not floating.
        InvalidArgumentError: if there are not three channels.

    >>> tf.image.yiq_to_rgb([0.5, 0.0, 0.0]).numpy()
    array([0.5, 0.5, 0.5], dtype=float32)
    """
    return _converted(images, YIQ_TO_RGB)


@op("image.rgb_to_yuv", kernel="MatMul")
def rgb_to_yuv(images: TensorLike) -> jax.Array:
    """Converts red, green and blue to brightness and two colour differences (YUV, as in PAL).

    Args:
        images: a floating tensor of shape `[..., 3]` with values in [0, 1].

    Returns:
        A tensor of the shape and type of `images`.

    Raises:
        TypeError: if `images` is not floating.
        InvalidArgumentError: if there are not three channels.

    >>> tf.image.rgb_to_yuv([0.0, 0.0, 1.0]).numpy()
    array([ 0.114     ,  0.43601036, -0.10001026], dtype=float32)
    """
    return _converted(images, RGB_TO_YUV)


@op("image.yuv_to_rgb", kernel="MatMul")
def yuv_to_rgb(images: TensorLike) -> jax.Array:
    """Converts brightness and two colour differences (YUV, as in PAL) to red, green and blue.

    Args:
        images: a floating tensor of shape `[..., 3]`.

    Returns:
        A tensor of the shape and type of `images`.

    Raises:
        TypeError: if `images` is not floating.
        InvalidArgumentError: if there are not three channels.

    >>> tf.image.yuv_to_rgb([0.5, 0.0, 0.0]).numpy()
    array([0.5, 0.5, 0.5], dtype=float32)
    """
    return _converted(images, YUV_TO_RGB)
