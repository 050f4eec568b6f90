"""Images of other sizes as TensorFlow 1 has them: `tf.compat.v1.image.resize_images` and its like.

Where `tf.image.resize` lays the centres of pixels at halves, these lay the first pixels of both
images over each other, or the pixels at all corners.
"""

from typing import Any

from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.dtypes import int32
from tapefacade._core.error_texts import invalid, no_batch_of_images, shape_text
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._ops.image.resizing import (
    CORNERS,
    HALVES,
    STARTS,
    check_positive,
    padded_to_size,
    resize_on_grid,
    unknown_method,
    wanted_size,
)


@function("compat.v1.image.ResizeMethod")
class ResizeMethodV1:
    """The numbers of the ways to resize an image in TensorFlow 1.

    >>> tf.compat.v1.image.ResizeMethod.AREA
    3
    """

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


METHODS = ("bilinear", "nearest", "bicubic", "area")


@function("compat.v1.image.resize", "compat.v1.image.resize_images")
def resize_images(
    images: Any,
    size: Any,
    method: Any = ResizeMethodV1.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> EagerTensor:
    """Resizes images; the first pixels of old and new images lie over each other.

    Args:
        images: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        size: the new height and width.
        method: a `tf.compat.v1.image.ResizeMethod`, or the first four of `tf.image.ResizeMethod`.
        align_corners: whether the pixels at all corners lie over each other.
        preserve_aspect_ratio: shrink the height or the width further, so that their ratio stays.
        name: ignored.

    Returns:
        A float32 tensor; of the type of `images` if the method is the nearest neighbour, or the
        images have the size.

    Raises:
        ValueError: if `images` or `size` has another form, or there is no such method.
        InvalidArgumentError: if a size is not positive.

    >>> tf.compat.v1.image.resize_images([[[0.0], [1.0]]], [1, 4]).numpy().ravel()
    array([0. , 0.5, 1. , 1. ], dtype=float32)
    """
    images = convert_to_tensor(images)
    height, width = wanted_size(images, size, preserve_aspect_ratio)
    if (height, width) == (images.shape[-3], images.shape[-2]):
        return images
    number = METHODS.index(method) if method in METHODS else method
    if number not in range(len(METHODS)):
        raise unknown_method(method)
    grid = CORNERS if align_corners else STARTS
    return resize_on_grid(images, height, width, METHODS[number], grid)


@function("compat.v1.image.resize_image_with_pad")
def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethodV1.BILINEAR,
    align_corners: bool = False,
) -> EagerTensor:
    """Resizes images without changing their proportions, and pads them with zeros.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        target_height: the new height, an integer or a scalar tensor.
        target_width: the new width, in the same form.
        method: see `tf.compat.v1.image.resize_images`, as for `align_corners`.
        align_corners: whether the pixels at all corners lie over each other.

    Returns:
        A tensor of the type that `tf.compat.v1.image.resize_images` gives.

    Raises:
        ValueError: if `image` has another form, or a size is not positive.

    >>> tf.compat.v1.image.resize_image_with_pad(tf.ones([2, 2, 1]), 2, 4).shape
    TensorShape([2, 4, 1])
    """

    def resized(image: EagerTensor, size: list[int]) -> EagerTensor:
        return resize_images(image, size, method, align_corners)

    return padded_to_size(image, target_height, target_width, resized)


def _resized(
    images: Any, size: Any, method: str, align_corners: bool, half_pixel_centers: bool = False
) -> EagerTensor:
    """Resizes a batch of images as the kernels do."""
    images, size = convert_to_tensor(images), convert(size, int32)
    if half_pixel_centers and align_corners:
        raise invalid("If half_pixel_centers is True, align_corners must be False.")
    if len(images.shape) != 4:
        raise invalid(no_batch_of_images(images.shape))
    if tuple(size.shape) != (2,):
        raise invalid(f"shape_t must have two elements{shape_text(size.shape)}")
    height, width = size.numpy().tolist()
    check_positive(height, width)
    grid = HALVES if half_pixel_centers else CORNERS if align_corners else STARTS
    return resize_on_grid(images, height, width, method, grid)


@function("compat.v1.image.resize_area")
def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> EagerTensor:
    """Resizes images by averages over areas.

    Args:
        images: a tensor of shape `[B, H, W, C]`.
        size: the new height and width.
        align_corners: whether the pixels at all corners lie over each other.
        name: ignored.

    Returns:
        A float32 tensor; it has no gradient.

    Raises:
        InvalidArgumentError: if a shape does not fit, or a size is not positive.

    >>> tf.compat.v1.image.resize_area([[[[0.0], [1.0]]]], [1, 1]).numpy().ravel()
    array([0.5], dtype=float32)
    """
    return _resized(images, size, "area", align_corners)


@function("compat.v1.image.resize_bicubic")
def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> EagerTensor:
    """Resizes images by bicubic interpolation.

    Args:
        images: a tensor of shape `[B, H, W, C]`.
        size: the new height and width.
        align_corners: whether the pixels at all corners lie over each other.
        name: ignored.
        half_pixel_centers: whether the centres of pixels lie at halves, as in `tf.image.resize`.

    Returns:
        A float32 tensor.

    Raises:
        InvalidArgumentError: if a shape does not fit, a size is not positive, or both of the
            options are true.

    >>> tf.compat.v1.image.resize_bicubic([[[[0.0], [1.0]]]], [1, 4]).numpy().ravel().round(3)
    array([0.   , 0.5  , 1.   , 1.094], dtype=float32)
    """
    return _resized(images, size, "bicubic", align_corners, half_pixel_centers)


@function("compat.v1.image.resize_bilinear")
def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> EagerTensor:
    """Resizes images by bilinear interpolation.

    Args:
        images: a tensor of shape `[B, H, W, C]`.
        size: the new height and width.
        align_corners: whether the pixels at all corners lie over each other.
        name: ignored.
        half_pixel_centers: whether the centres of pixels lie at halves, as in `tf.image.resize`.

    Returns:
        A float32 tensor.

    Raises:
        InvalidArgumentError: if a shape does not fit, a size is not positive, or both of the
            options are true.

    >>> x = [[[[0.0], [1.0]]]]
    >>> tf.compat.v1.image.resize_bilinear(x, [1, 3], align_corners=True).numpy().ravel()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    return _resized(images, size, "bilinear", align_corners, half_pixel_centers)


@function("compat.v1.image.resize_nearest_neighbor")
def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> EagerTensor:
    """Resizes images by taking the nearest pixels.

    Args:
        images: a tensor of shape `[B, H, W, C]`.
        size: the new height and width.
        align_corners: whether the pixels at all corners lie over each other.
        name: ignored.
        half_pixel_centers: whether the centres of pixels lie at halves, as in `tf.image.resize`.

    Returns:
        A tensor of the type of `images`.

    Raises:
        InvalidArgumentError: if a shape does not fit, a size is not positive, or both of the
            options are true.

    >>> tf.compat.v1.image.resize_nearest_neighbor([[[[1], [2]]]], [1, 3]).numpy().ravel()
    array([1, 1, 2], dtype=int32)
    """
    return _resized(images, size, "nearest", align_corners, half_pixel_centers)
