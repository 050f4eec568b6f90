"""Images of other sizes: interpolation and averages."""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import invalid
from tapefacade._ops.op import NoGradient, TensorLike, function, op

IMAGES = (
    "int8", "uint8", "int16", "uint16", "int32", "int64", "bfloat16", "half", "float", "double",
)  # fmt: skip
# TensorFlow takes the weights of bicubic interpolation from a table with this many steps.
TABLE_SIZE = 1024


class ResizeMethod:
    """The names of the ways to resize an image.

    >>> tf.image.ResizeMethod.BILINEAR
    'bilinear'
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


function("image.ResizeMethod")(ResizeMethod)


@function("image.resize", dispatch=True)
def resize(
    images: TensorLike,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: None = None,
) -> EagerTensor:
    """Resizes images; the centres of pixels lie at halves.

    Unlike TensorFlow, every method but `"area"` can be differentiated more than once.

    Args:
        images: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        size: the new height and width.
        method: `"bilinear"`, `"nearest"`, `"bicubic"`, `"area"`, `"lanczos3"`, `"lanczos5"`,
            `"gaussian"` or `"mitchellcubic"`; see `tf.image.ResizeMethod`.
        preserve_aspect_ratio: shrink the height or the width further, so that their ratio stays.
        antialias: average over more pixels where the image becomes smaller.
        name: ignored.

    Returns:
        A float32 tensor; of the type of `images` if the method is `"nearest"`.

    Raises:
        ValueError: if `images` or `size` has another form, or there is no such method.
        InvalidArgumentError: if a size is not positive.

    >>> tf.image.resize([[[0.0], [1.0]]], [1, 4]).numpy().ravel()
    array([0.  , 0.25, 0.75, 1.  ], dtype=float32)
    """
    images = convert_to_tensor(images)
    rank = len(images.shape)
    if rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    height, width = _new_size(size)
    if preserve_aspect_ratio:
        height, width = _inside(images.shape[-3], images.shape[-2], height, width)
    method = getattr(method, "value", method)
    if method == "area":
        return _resize_area(images, height, width)
    if method not in METHODS:
        raise ValueError(f"Resize method is not implemented: {method}")
    return _resize(images, height, width, method, bool(antialias))


def _new_size(size: Any) -> tuple[int, int]:
    size = convert_to_tensor(size)
    if not size.dtype.is_integer:
        raise ValueError("'size' must be a 1-D int32 Tensor")
    if tuple(size.shape) != (2,):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    height, width = size.numpy().tolist()
    if height <= 0 or width <= 0:
        raise invalid("output dimensions must be positive")
    return height, width


def _inside(height: int, width: int, new_height: int, new_width: int) -> tuple[int, int]:
    """Returns the greatest size within the new one that has the ratio of the old."""
    scales = np.float32(new_height) / np.float32(height), np.float32(new_width) / np.float32(width)
    smallest = min(scales)
    return round(float(smallest * np.float32(height))), round(float(smallest * np.float32(width)))


# TensorFlow lists one dtype twice.
@op("_resize", kernel="ResizeBilinear", dtypes=(*IMAGES, "bfloat16"))
def _resize(images: TensorLike, height: int, width: int, method: str, antialias: bool) -> jax.Array:
    """Resizes by interpolation."""
    _check_pixels(images)
    sizes = ((images.ndim - 3, height), (images.ndim - 2, width))
    if method == "nearest":
        for axis, size in sizes:
            images = jnp.take(images, _nearest(images.shape[axis], size), axis)
        return images
    images = images.astype(np.float32)
    for axis, size in sizes:
        if antialias or method not in ("bilinear", "bicubic"):
            weights = _spread_weights(images.shape[axis], size, method, antialias)
            images = _weighted(images, weights, axis)
        elif images.shape[axis] != size:
            taps = _bilinear if method == "bilinear" else _bicubic
            images = _tapped(images, *taps(images.shape[axis], size), axis)
    return images


@op("_resize_area", kernel="ResizeArea", dtypes=IMAGES, gradient=NoGradient("ResizeArea"))
def _resize_area(images: TensorLike, height: int, width: int) -> jax.Array:
    """Resizes by averages over areas."""
    _check_pixels(images)
    images = images.astype(np.float32)
    images = _weighted(images, _area_weights(images.shape[-3], height), images.ndim - 3)
    return _weighted(images, _area_weights(images.shape[-2], width), images.ndim - 2)


def _check_pixels(images: jax.Array) -> None:
    if 0 in images.shape[-3:]:
        raise invalid("input image must be of non-zero size")


def _weighted(images: jax.Array, weights: np.ndarray, axis: int) -> jax.Array:
    product = lax.dot_general(
        images, jnp.asarray(weights), (((axis,), (1,)), ((), ())), precision=lax.Precision.HIGHEST
    )
    return jnp.moveaxis(product, -1, axis)


def _tapped(images: jax.Array, places: np.ndarray, weights: np.ndarray, axis: int) -> jax.Array:
    """Sums `weights[k]` times the pixels at `places[k]`."""
    shape = [1] * images.ndim
    shape[axis] = places.shape[1]
    parts = [
        jnp.take(images, place, axis) * weight.reshape(shape)
        for place, weight in zip(places, weights, strict=True)
    ]
    return functools.reduce(jnp.add, parts)


def _centres(old: int, new: int) -> np.ndarray:
    """Returns where the centres of the new pixels lie among those of the old, from 0."""
    scale = np.float32(old) / np.float32(new)
    return (np.arange(new, dtype=np.float32) + np.float32(0.5)) * scale - np.float32(0.5)


def _nearest(old: int, new: int) -> np.ndarray:
    places = np.floor(_centres(old, new) + np.float32(0.5)).astype(np.int32)
    return np.clip(places, 0, old - 1)


def _bilinear(old: int, new: int) -> tuple[np.ndarray, np.ndarray]:
    centres = _centres(old, new)
    left = np.floor(centres)
    right_weight = centres - left
    places = np.stack([np.maximum(left, 0), np.minimum(np.ceil(centres), old - 1)])
    weights = np.stack([1 - right_weight, right_weight])
    return places.astype(np.int32), weights.astype(np.float32)


def _bicubic(old: int, new: int) -> tuple[np.ndarray, np.ndarray]:
    centres = _centres(old, new)
    left = np.floor(centres)
    step = np.rint((centres - left) * TABLE_SIZE) / TABLE_SIZE
    offsets = np.arange(-1, 3)[:, None]
    places = left + offsets
    weights = _cubic(np.abs(step - offsets))
    weights = np.where((places >= 0) & (places < old), weights, 0)
    weights /= weights.sum(0)
    return np.clip(places, 0, old - 1).astype(np.int32), weights.astype(np.float32)


def _cubic(x: np.ndarray) -> np.ndarray:
    near = ((1.5 * x - 2.5) * x) * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x >= 2, 0, np.where(x >= 1, far, near))


def _mitchell(x: np.ndarray) -> np.ndarray:
    near = ((7 / 6 * x - 2) * x) * x + 8 / 9
    far = ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x >= 2, 0, np.where(x >= 1, far, near))


def _gaussian(x: np.ndarray) -> np.ndarray:
    return np.where(x >= 1.5, 0, np.exp(-2 * x * x))


def _lanczos(radius: float) -> Callable[[np.ndarray], np.ndarray]:
    def kernel(x: np.ndarray) -> np.ndarray:
        safe = np.where(x <= 1e-3, 1, x)
        wave = radius * np.sin(np.pi * safe) * np.sin(np.pi * safe / radius)
        inside = np.where(x <= 1e-3, 1, wave / (np.pi * safe) ** 2)
        return np.where(x > radius, 0, inside)

    return kernel


METHODS: dict[str, tuple[float, Callable[[np.ndarray], np.ndarray]]] = {
    "bilinear": (1, lambda x: np.maximum(0, 1 - x)),
    "nearest": (0.5, lambda x: x),
    "bicubic": (2, _cubic),
    "lanczos3": (3, _lanczos(3)),
    "lanczos5": (5, _lanczos(5)),
    "gaussian": (1.5, _gaussian),
    "mitchellcubic": (2, _mitchell),
}


@functools.lru_cache(maxsize=256)
def _spread_weights(old: int, new: int, method: str, antialias: bool) -> np.ndarray:
    """Returns the weight of each old pixel in each new one."""
    radius, kernel = METHODS[method]
    scale = old / new
    stretch = max(scale, 1) if antialias else 1
    centres = (np.arange(new) + 0.5) * scale
    distances = np.abs(np.arange(old) + 0.5 - centres[:, None]) / stretch
    weights = np.where(distances <= radius, kernel(distances), 0)
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)


@functools.lru_cache(maxsize=256)
def _area_weights(old: int, new: int) -> np.ndarray:
    """Returns the share of each old pixel in the area of each new one."""
    scale = old / new
    starts = np.arange(new)[:, None] * scale
    pixels = np.arange(old)
    covered = np.minimum(pixels + 1, starts + scale) - np.maximum(pixels, starts)
    return (np.maximum(covered, 0) / scale).astype(np.float32)


@function("image.resize_with_pad")
def resize_with_pad(
    image: TensorLike,
    target_height: int,
    target_width: int,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> EagerTensor:
    """Resizes images without changing their proportions, and pads them with zeros.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        target_height: the new height.
        target_width: the new width.
        method: see `tf.image.resize`.
        antialias: see `tf.image.resize`.

    Returns:
        A float32 tensor; of the type of `image` if the method is `"nearest"`.

    Raises:
        ValueError: if `image` has another form, or a size is not positive.

    >>> tf.image.resize_with_pad(tf.ones([2, 2, 1]), 2, 4).shape
    TensorShape([2, 4, 1])
    """
    image = convert_to_tensor(image)
    if len(image.shape) not in (3, 4):
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    for name, size in (("target_height", target_height), ("target_width", target_width)):
        if size <= 0:
            raise ValueError(f"{name} must be > 0.")
    height, width = image.shape[-3], image.shape[-2]
    ratio = max(height / target_height, width / target_width)
    inner_height, inner_width = math.floor(height / ratio), math.floor(width / ratio)
    top = max(0, math.floor((target_height - height / ratio) / 2))
    left = max(0, math.floor((target_width - width / ratio) / 2))
    image = resize(image, [inner_height, inner_width], method, antialias=antialias)
    return FUNCTIONS["image.pad_to_bounding_box"](image, top, left, target_height, target_width)
