"""Images of other sizes: `tf.image.resize`, and boxes cut out and resized: `crop_and_resize`."""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import errors
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.dtypes import float32, int32
from tapefacade._core.error_texts import (
    MESSAGE_BOXES,
    invalid,
    negative_dimension,
    refused_choice,
    shape_text,
)
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import type_of
from tapefacade._definition.argument_checks import as_integer
from tapefacade._definition.op import Check, FreeTensor, NoGradient, TensorLike, function, op
from tapefacade._definition.parameters import frozen_value
from tapefacade._ops.image.geometry import no_images, pad_to_bounding_box
from tapefacade._ops.image.sums_of_pixels import sums_of_pixels, weighted

IMAGES = (
    "int8", "uint8", "int16", "uint16", "int32", "int64", "bfloat16", "half", "float", "double",
)  # fmt: skip
# Where the pixels of both images lie over each other: their centres, at halves; the starts of the
# first ones; the centres of those at the corners.
HALVES, STARTS, CORNERS = "halves", "starts", "corners"
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


@function("image.resize", dispatch=True, elementwise=1)
def resize(
    images: TensorLike,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: None = None,
) -> EagerTensor:
    """Resizes images; the centres of pixels lie at halves.

    Beyond TensorFlow, every method but `"area"` can be differentiated more than once.

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
        ValueError: if `images` or `size` has another form, a size is negative, or there is no such
            method.
        InvalidArgumentError: if a size is 0.

    >>> tf.image.resize([[[0.0], [1.0]]], [1, 4]).numpy().ravel()
    array([0.  , 0.25, 0.75, 1.  ], dtype=float32)
    """
    images, size = convert_to_tensor(images), convert_to_tensor(size)
    height, width = wanted_size(images, size, preserve_aspect_ratio)
    method = getattr(method, "value", method)
    if method == "area":
        return _resize_area(images, height, width)
    if method not in METHODS:
        raise unknown_method(method)
    return _resize(images, height, width, method, bool(antialias))


def wanted_size(images: Any, size: Any, preserve_aspect_ratio: bool) -> tuple[int, int]:
    """Returns the new height and width.

    Args:
        images: a tensor.
        size: what was given for them.
        preserve_aspect_ratio: as of `resize`.

    Raises:
        ValueError: if `images` or `size` has another form, or a size is negative.
        InvalidArgumentError: if a size is 0.
    """
    if len(images.shape) not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    height, width = _new_size(convert_to_tensor(size))
    if preserve_aspect_ratio:
        return _inside(images.shape[-3], images.shape[-2], height, width)
    return height, width


def resize_on_grid(images: Any, height: int, width: int, method: str, grid: str) -> EagerTensor:
    """Resizes images.

    Args:
        images: a tensor of 3 or 4 dimensions.
        height: the new height.
        width: the new width.
        method: `"bilinear"`, `"nearest"`, `"bicubic"` or `"area"`.
        grid: where the pixels lie: `HALVES`, `STARTS` or `CORNERS`.

    Returns:
        A tensor as of `resize`.
    """
    if method == "area":
        return _resize_area(images, height, width, grid)
    return _resize(images, height, width, method, False, grid)


def _new_size(size: Any) -> tuple[int, int]:
    if not size.dtype.is_integer:
        raise ValueError("'size' must be a 1-D int32 Tensor")
    if tuple(size.shape) != (2,):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    height, width = size.numpy().tolist()
    for length in (height, width):
        if length < -1:
            raise ValueError(negative_dimension(length))
    check_positive(height, width)
    return height, width


def check_positive(height: int, width: int) -> None:
    """Raises if an image would have no pixels."""
    if height <= 0 or width <= 0:
        raise invalid("output dimensions must be positive")


def unknown_method(method: Any) -> ValueError:
    """Makes the error for a way to resize that there is none of."""
    return ValueError(f"Resize method is not implemented: {method}")


def _inside(height: int, width: int, new_height: int, new_width: int) -> tuple[int, int]:
    """Returns the greatest size within the new one that has the ratio of the old."""
    scales = np.float32(new_height) / np.float32(height), np.float32(new_width) / np.float32(width)
    smallest = min(scales)
    return round(float(smallest * np.float32(height))), round(float(smallest * np.float32(width)))


# TensorFlow lists one dtype twice.
@op("_resize", kernel="ResizeBilinear", dtypes=(*IMAGES, "bfloat16"))
def _resize(
    images: TensorLike, height: int, width: int, method: str, antialias: bool, grid: str = HALVES
) -> jax.Array:
    """Resizes by interpolation."""
    _check_pixels(images, height, width)
    sizes = ((images.ndim - 3, height), (images.ndim - 2, width))
    if method == "nearest":
        for axis, size in sizes:
            places = _nearest(images.shape[axis], size, grid)
            images = sums_of_pixels(images, places[None], None, axis)
        return images
    images = images.astype(np.float32)
    for axis, size in sizes:
        if antialias or method not in ("bilinear", "bicubic"):
            weights = _spread_weights(images.shape[axis], size, method, antialias)
            images = weighted(images, weights, axis)
        elif images.shape[axis] != size:
            taps = _bilinear if method == "bilinear" else _bicubic
            images = sums_of_pixels(images, *taps(images.shape[axis], size, grid), axis)
    return images


@op("_resize_area", kernel="ResizeArea", dtypes=IMAGES, gradient=NoGradient("ResizeArea"))
def _resize_area(images: TensorLike, height: int, width: int, grid: str = STARTS) -> jax.Array:
    """Resizes by averages over areas."""
    _check_pixels(images, height, width)
    images = images.astype(np.float32)
    images = weighted(images, _area_weights(images.shape[-3], height, grid), images.ndim - 3)
    return weighted(images, _area_weights(images.shape[-2], width, grid), images.ndim - 2)


def _check_pixels(images: jax.Array, height: int, width: int) -> None:
    # Weights are computed before there is a result whose size could be refused.
    type_of((*images.shape[:-3], height, width, images.shape[-1]), np.dtype(np.float32))
    if 0 in images.shape[-3:]:
        raise invalid("input image must be of non-zero size")


def _scale(old: int, new: int, grid: str) -> np.float32:
    """Returns how far apart new pixels lie among the old."""
    if grid == CORNERS and new > 1:
        return np.float32(old - 1) / np.float32(new - 1)
    return np.float32(old) / np.float32(new)


def _centres(old: int, new: int, grid: str) -> np.ndarray:
    """Returns where the centres of the new pixels lie among those of the old, from 0."""
    scale, pixels = _scale(old, new, grid), np.arange(new, dtype=np.float32)
    if grid == HALVES:
        return (pixels + np.float32(0.5)) * scale - np.float32(0.5)
    return pixels * scale


def _nearest(old: int, new: int, grid: str) -> np.ndarray:
    half = np.float32(0 if grid == STARTS else 0.5)
    places = np.floor(_centres(old, new, grid) + half).astype(np.int32)
    return np.clip(places, 0, old - 1)


def _bilinear(old: int, new: int, grid: str) -> tuple[np.ndarray, np.ndarray]:
    centres = _centres(old, new, grid)
    left = np.floor(centres)
    right_weight = centres - left
    places = np.stack([np.maximum(left, 0), np.minimum(np.ceil(centres), old - 1)])
    weights = np.stack([1 - right_weight, right_weight])
    return places.astype(np.int32), weights.astype(np.float32)


def _bicubic(old: int, new: int, grid: str) -> tuple[np.ndarray, np.ndarray]:
    centres = _centres(old, new, grid)
    left = np.floor(centres)
    step = np.rint((centres - left) * TABLE_SIZE) / TABLE_SIZE
    offsets = np.arange(-1, 3)[:, None]
    places = left + offsets
    weights = _cubic(np.abs(step - offsets), -0.5 if grid == HALVES else -0.75)
    if grid == HALVES:  # else pixels at the edge stand for those beyond
        weights = np.where((places >= 0) & (places < old), weights, 0)
        weights /= weights.sum(0)
    return np.clip(places, 0, old - 1).astype(np.int32), weights.astype(np.float32)


def _cubic(x: np.ndarray, slope: float = -0.5) -> np.ndarray:
    near = (((slope + 2) * x - (slope + 3)) * x) * x + 1
    far = ((slope * x - 5 * slope) * x + 8 * slope) * x - 4 * slope
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
def _area_weights(old: int, new: int, grid: str) -> np.ndarray:
    """Returns the share of each old pixel in the area of each new one."""
    corners = grid == CORNERS and new > 1
    scale = (old - 1) / (new - 1) if corners else old / new
    starts = np.arange(new)[:, None] * scale
    pixels = np.arange(old + math.ceil(scale))
    covered = np.minimum(pixels + 1, starts + scale) - np.maximum(pixels, starts)
    weights = np.maximum(covered, 0) / scale
    weights[:, old - 1] = weights[:, old - 1 :].sum(1)  # it stands for those beyond the edge
    return weights[:, :old].astype(np.float32)


@function("image.resize_with_pad")
def resize_with_pad(
    image: TensorLike,
    target_height: Any,
    target_width: Any,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> EagerTensor:
    """Resizes images without changing their proportions, and pads them with zeros.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        target_height: the new height, an integer or a scalar tensor.
        target_width: the new width, in the same form.
        method: see `tf.image.resize`.
        antialias: see `tf.image.resize`.

    Returns:
        A float32 tensor; of the type of `image` if the method is `"nearest"`.

    Raises:
        ValueError: if `image` has another form, or a size is not positive.

    >>> tf.image.resize_with_pad(tf.ones([2, 2, 1]), 2, 4).shape
    TensorShape([2, 4, 1])
    """

    def resized(image: EagerTensor, size: list[int]) -> EagerTensor:
        return resize(image, size, method, antialias=antialias)

    return padded_to_size(image, target_height, target_width, resized)


def padded_to_size(
    image: Any,
    target_height: Any,
    target_width: Any,
    resized: Callable[[EagerTensor, list[int]], EagerTensor],
) -> EagerTensor:
    """Resizes images without changing their proportions, and pads them with zeros.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        target_height: the new height.
        target_width: the new width.
        resized: resizes images to a height and a width.

    Returns:
        A tensor.

    Raises:
        ValueError: if `image` has another form, or a size is not positive.
    """
    image = convert_to_tensor(image)
    if len(image.shape) not in (3, 4):
        raise ValueError(no_images(image.shape))
    new_height, new_width = (as_integer(frozen_value(n)) for n in (target_height, target_width))
    for name, size in (("target_height", new_height), ("target_width", new_width)):
        if size <= 0:
            raise ValueError(f"{name} must be > 0.")
    height, width = np.float32(image.shape[-3]), np.float32(image.shape[-2])
    ratio = max(height / np.float32(new_height), width / np.float32(new_width))
    inner_height, inner_width = math.floor(height / ratio), math.floor(width / ratio)
    top = max(0, math.floor((new_height - height / ratio) / 2))
    left = max(0, math.floor((new_width - width / ratio) / 2))
    image = resized(image, [inner_height, inner_width])
    return pad_to_bounding_box(image, top, left, new_height, new_width)


BOX_IMAGES = ("uint8", "uint16", "int8", "int16", "int32", "int64", "half", "float", "double")


@function("image.crop_and_resize")
def crop_and_resize(
    image: TensorLike,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: None = None,
) -> EagerTensor:
    """Cuts boxes out of images and resizes all of them to the same size.

    The corners of a box are placed on the centres of the corner pixels of its crop.

    Beyond TensorFlow, the gradients can be differentiated.

    Args:
        image: a tensor of shape `[B, H, W, C]`.
        boxes: float32 `[N, 4]`, each `y1, x1, y2, x2`, where 0 and 1 are the first and the last
            row or column of the image. `y1 > y2` mirrors the crop, and so does `x1 > x2`.
        box_indices: int32 `[N]`: which image each box is from.
        crop_size: two integers, the height and the width of the crops.
        method: `"bilinear"` or `"nearest"`.
        extrapolation_value: the value of pixels outside of the image.
        name: ignored.

    Returns:
        A float32 tensor of shape `[N, crop_height, crop_width, C]`. The gradient for `boxes` is
        that of bilinear interpolation with both methods.

    Raises:
        InvalidArgumentError: if the shapes or dtypes do not fit, or a box is not finite.
        OutOfRangeError: if there is no image of a number in `box_indices`.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.crop_and_resize(image, [[0.0, 0.0, 0.5, 0.5]], [0], [3, 3])[0, :, :, 0].numpy()
    array([[0. , 0.5, 1. ],
           [1.5, 2. , 2.5],
           [3. , 3.5, 4. ]], dtype=float32)
    """
    image = convert_to_tensor(image)
    boxes, box_indices = convert(boxes, float32), convert(box_indices, int32)
    size = frozen_value(convert(crop_size, int32))
    return _crop_and_resize(image, boxes, box_indices, size, method, float(extrapolation_value))


def _check_shapes(image: Any, boxes: Any, indices: Any, size: Any, method: str) -> None:
    if method not in ("bilinear", "nearest"):
        raise invalid(refused_choice("method", method, ("bilinear", "nearest")))
    if image.ndim != 4:
        raise invalid(f"input image must be 4-D{shape_text(image.shape)}")
    if not isinstance(size, tuple):
        raise invalid("crop_size must be 1-D[]")
    if len(size) != 2:
        raise invalid(f"crop_size must have two elements[{len(size)}]")
    if min(image.shape[1:3]) < 1:
        raise invalid("image dimensions must be positive")
    _check_boxes(boxes, indices)
    if min(size) < 1:
        raise invalid("crop dimensions must be positive")


def _check_boxes(boxes: Any, indices: Any) -> None:
    if boxes.size == 0 and indices.size == 0:
        return
    if boxes.ndim != 2:
        raise invalid(f"boxes must be 2-D, got: {shape_text(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise invalid(MESSAGE_BOXES)
    if indices.ndim != 1:
        raise invalid(f"box_indices must be rank 1 but is shape {shape_text(indices.shape)}")
    if indices.shape[0] != boxes.shape[0]:
        raise invalid("box_index has incompatible shape")


def _test(
    image: Any, boxes: Any, box_indices: Any, size: Any, method: str, outside: float
) -> tuple[Any, ...]:
    _check_shapes(image, boxes, box_indices, size, method)
    known = jnp.all((box_indices >= 0) & (box_indices < image.shape[0]))
    return known & jnp.all(jnp.isfinite(boxes)), known


def _error(known: Any, **static: Any) -> Exception:
    if not known:
        message = "box_index has values outside [0, batch_size)"
        return errors.OutOfRangeError(None, None, message)
    return invalid("Boxes contains at least one element that is not finite")


@op(
    "_crop_and_resize",
    kernel="CropAndResize",
    dtypes=BOX_IMAGES,
    check=Check(("boxes", "box_indices"), _test, _error),
)
def _crop_and_resize(
    image: TensorLike,
    boxes: FreeTensor,
    box_indices: FreeTensor,
    size: Any,
    method: str,
    outside: float,
) -> jax.Array:
    """Crops and resizes with arguments that have been converted."""
    _check_shapes(image, boxes, box_indices, size, method)
    if boxes.size == 0:
        return jnp.zeros((0, *size, image.shape[3]), np.float32)
    crops = jax.vmap(lambda box, index: _crop(image, box, index, size, method, outside))
    return crops(boxes, box_indices)


def _crop(
    image: jax.Array, box: jax.Array, index: jax.Array, size: Any, method: str, outside: float
) -> jax.Array:
    rows = _positions(box[0], box[2], image.shape[1], size[0])
    columns = _positions(box[1], box[3], image.shape[2], size[1])
    if method == "nearest":
        kept = jax.lax.stop_gradient(image)
        pixels = _with_gradient_of(
            _nearest_boxes(image, index, rows, columns), _bilinear_boxes(kept, index, rows, columns)
        )
    else:
        pixels = _bilinear_boxes(image, index, rows, columns)
    below = (rows >= 0) & (rows <= image.shape[1] - 1)
    right = (columns >= 0) & (columns <= image.shape[2] - 1)
    return jnp.where((below[:, None] & right[None, :])[..., None], pixels, np.float32(outside))


def _positions(start: jax.Array, stop: jax.Array, length: int, count: int) -> jax.Array:
    """Returns where the rows of a crop lie in the image."""
    last = np.float32(length - 1)
    if count == 1:
        return (np.float32(0.5) * (start + stop) * last)[None]
    step = (stop - start) * last / np.float32(count - 1)
    return start * last + jnp.arange(count, dtype=np.float32) * step


def _read(image: jax.Array, index: jax.Array, rows: jax.Array, columns: jax.Array) -> jax.Array:
    """Takes pixels as float32, those at the edge for positions outside of the image."""
    row = jnp.clip(rows, 0, image.shape[1] - 1).astype(np.int32)
    column = jnp.clip(columns, 0, image.shape[2] - 1).astype(np.int32)
    return image[index, row[:, None], column[None, :]].astype(np.float32)


def _bilinear_boxes(
    image: jax.Array, index: jax.Array, rows: jax.Array, columns: jax.Array
) -> jax.Array:
    above, left = jnp.floor(rows), jnp.floor(columns)
    below, right = jnp.ceil(rows), jnp.ceil(columns)
    down, across = (rows - above)[:, None, None], (columns - left)[None, :, None]
    first, second = (_read(image, index, row, left) for row in (above, below))
    top = first + (_read(image, index, above, right) - first) * across
    bottom = second + (_read(image, index, below, right) - second) * across
    return top + (bottom - top) * down


def _nearest_boxes(
    image: jax.Array, index: jax.Array, rows: jax.Array, columns: jax.Array
) -> jax.Array:
    half = np.float32(0.5)  # rounds away from zero; what is negative is outside of the image
    return _read(image, index, jnp.floor(rows + half), jnp.floor(columns + half))


@jax.custom_jvp
def _with_gradient_of(value: jax.Array, source: jax.Array) -> jax.Array:
    """Returns `value`; the derivatives are those of `value + source`.

    TensorFlow interpolates in the gradient for boxes with the method "nearest" as well.
    """
    return value


@_with_gradient_of.defjvp
def _with_gradient_of_jvp(primals: Any, tangents: Any) -> Any:
    return primals[0], tangents[0] + tangents[1]
