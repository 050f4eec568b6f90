"""Images cut, padded, turned and mirrored, and how much they differ."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.dtypes import as_dtype
from tapefacade._core.error_texts import incompatible_shapes, inconvertible_argument
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import FreeTensor, TensorLike, function, op
from tapefacade._ops.array.casting import cast as cast_op, saturate_cast


def no_images(shape: Any) -> str:
    """Words that a shape is neither that of an image nor that of a batch."""
    return f"'image' (shape {shape}) must have either 3 or 4 dimensions."


def _flat_image(shape: Any) -> str:
    return f"'image' (shape {shape}) must be at least three-dimensional."


def check_rank(image: Any, space: str = " ") -> None:
    """Raises if a tensor is neither an image nor a batch of images."""
    rank = len(image.shape)
    if rank < 3:
        raise ValueError(_flat_image(image.shape))
    if rank > 4:
        raise ValueError(f"'image' (shape {image.shape}){space}must have either 3 or 4 dimensions.")


@op("image.flip_left_right", kernel="ReverseV2")
def flip_left_right(image: FreeTensor) -> jax.Array:
    """Mirrors images along their width.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `image` has another rank.

    >>> tf.image.flip_left_right([[[1], [2]]]).numpy().ravel()
    array([2, 1], dtype=int32)
    """
    check_rank(image, "")
    return jnp.flip(image, -2)


@op("image.flip_up_down", kernel="ReverseV2")
def flip_up_down(image: FreeTensor) -> jax.Array:
    """Mirrors images along their height.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `image` has another rank.

    >>> tf.image.flip_up_down([[[1]], [[2]]]).numpy().ravel()
    array([2, 1], dtype=int32)
    """
    check_rank(image, "")
    return jnp.flip(image, -3)


@op("image.transpose", kernel="Transpose")
def transpose(image: FreeTensor) -> jax.Array:
    """Exchanges the height and the width of images.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.

    Returns:
        A tensor of shape `[B, W, H, C]` or `[W, H, C]`.

    Raises:
        ValueError: if `image` has another rank.

    >>> tf.image.transpose([[[1], [2]]]).shape
    TensorShape([2, 1, 1])
    """
    check_rank(image)
    return jnp.swapaxes(image, -3, -2)


@op("image.rot90", kernel="Transpose")
def rot90(image: FreeTensor, k: int = 1) -> jax.Array:
    """Turns images counter-clockwise by right angles.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        k: how many right angles to turn by.

    Returns:
        A tensor like `image`, with height and width exchanged if `k` is odd.

    Raises:
        ValueError: if `image` has another rank.
        TypeError: if `k` is no integer.

    >>> tf.image.rot90([[[1], [2]]]).numpy().ravel()
    array([2, 1], dtype=int32)
    """
    check_rank(image)
    if not isinstance(k, int):
        raise inconvertible_argument(k)
    return jnp.rot90(image, k % 4, (-3, -2))


@op("image.crop_to_bounding_box", kernel="Slice")
def crop_to_bounding_box(
    image: FreeTensor,
    offset_height: int,
    offset_width: int,
    target_height: int,
    target_width: int,
) -> jax.Array:
    """Cuts a rectangle out of images.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        offset_height: the first row to keep.
        offset_width: the first column to keep.
        target_height: how many rows to keep.
        target_width: how many columns to keep.

    Returns:
        A tensor of the type of `image`.

    Raises:
        ValueError: if the rectangle does not lie within the image.

    >>> tf.image.crop_to_bounding_box(tf.ones([4, 4, 1]), 1, 1, 2, 3).shape
    TensorShape([2, 3, 1])
    """
    _check_image(image)
    height, width = image.shape[-3:-1]
    for name, offset in (("width", offset_width), ("height", offset_height)):
        if offset < 0:
            raise ValueError(f"offset_{name} must be >= 0.")
    for name, size in (("width", target_width), ("height", target_height)):
        if size <= 0:
            raise ValueError(f"target_{name} must be > 0.")
    bottom, right = offset_height + target_height, offset_width + target_width
    for name, old, end in (("width", width, right), ("height", height, bottom)):
        if old < end:
            raise ValueError(f"{name} must be >= target + offset.")
    return image[..., offset_height:bottom, offset_width:right, :]


def _check_image(image: Any) -> None:
    if len(image.shape) not in (3, 4):
        raise ValueError(no_images(image.shape))


@op("image.pad_to_bounding_box", kernel="Pad")
def pad_to_bounding_box(
    image: FreeTensor,
    offset_height: int,
    offset_width: int,
    target_height: int,
    target_width: int,
) -> jax.Array:
    """Surrounds images with zeros.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        offset_height: how many rows of zeros to put on top.
        offset_width: how many columns of zeros to put on the left.
        target_height: the height of the result.
        target_width: the width of the result.

    Returns:
        A tensor of the type of `image`.

    Raises:
        ValueError: if the image does not fit in.

    >>> tf.image.pad_to_bounding_box(tf.ones([1, 1, 1]), 1, 0, 2, 2).numpy()[:, :, 0]
    array([[0., 0.],
           [1., 0.]], dtype=float32)
    """
    _check_image(image)
    height, width = image.shape[-3:-1]
    below = target_height - offset_height - height
    right = target_width - offset_width - width
    for name, offset in (("height", offset_height), ("width", offset_width)):
        if offset < 0:
            raise ValueError(f"offset_{name} must be >= 0")
    for name, rest in (("width", right), ("height", below)):
        if rest < 0:
            raise ValueError(f"{name} must be <= target - offset")
    edges = [(0, 0)] * (image.ndim - 3)
    return jnp.pad(image, [*edges, (offset_height, below), (offset_width, right), (0, 0)])


@op("image.central_crop", kernel="StridedSlice")
def central_crop(image: FreeTensor, central_fraction: float) -> jax.Array:
    """Keeps the middle of images.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        central_fraction: the share of the height and of the width to keep, in (0, 1].

    Returns:
        A tensor of the type of `image`.

    Raises:
        ValueError: if `central_fraction` is outside of (0, 1], or `image` has another rank.

    >>> tf.image.central_crop(tf.ones([4, 4, 1]), 0.5).shape
    TensorShape([2, 2, 1])
    """
    check_rank(image)
    if not 0 < central_fraction <= 1:
        raise ValueError("central_fraction must be within (0, 1]")
    height, width = image.shape[-3:-1]
    top, left = (int((n - n * central_fraction) / 2) for n in (height, width))
    return image[..., top : height - top, left : width - left, :]


@function("image.resize_with_crop_or_pad")
def resize_with_crop_or_pad(
    image: TensorLike, target_height: int, target_width: int
) -> EagerTensor:
    """Cuts images, or surrounds them with zeros, so that they get a given size.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        target_height: the height of the result.
        target_width: the width of the result.

    Returns:
        A tensor of the type of `image`, with the same middle.

    Raises:
        ValueError: if `image` has another rank, or a size is not positive.

    >>> tf.image.resize_with_crop_or_pad(tf.ones([4, 1, 1]), 2, 3).shape
    TensorShape([2, 3, 1])
    """
    image = convert_to_tensor(image)
    _check_image(image)
    for name, size in (("target_width", target_width), ("target_height", target_height)):
        if size <= 0:
            raise ValueError(f"{name} must be > 0.")
    height, width = image.shape[-3], image.shape[-2]
    over, under = ((height - target_height), (width - target_width))
    cut = crop_to_bounding_box(
        image,
        max(over // 2, 0),
        max(under // 2, 0),
        min(target_height, height),
        min(target_width, width),
    )
    top, left = max(-over // 2, 0), max(-under // 2, 0)
    return pad_to_bounding_box(cut, top, left, target_height, target_width)


@op("image.per_image_standardization", kernel="RealDiv")
def per_image_standardization(image: FreeTensor) -> jax.Array:
    """Shifts and scales each image so that its mean is 0 and its standard deviation 1.

    Args:
        image: a tensor of shape `[..., H, W, C]`.

    Returns:
        A float32 tensor of the shape of `image`. Nearly constant images are scaled less.

    Raises:
        ValueError: if `image` has fewer than three dimensions or no elements.

    >>> tf.image.per_image_standardization([[[1.0], [3.0]]]).numpy().ravel()
    array([-1.,  1.], dtype=float32)
    """
    if image.ndim < 3:
        raise ValueError(_flat_image(image.shape))
    if 0 in image.shape:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")
    image = image.astype(np.float32)
    centred = image - jnp.mean(image, (-3, -2, -1), keepdims=True)
    variance = jnp.mean(centred * centred, (-3, -2, -1), keepdims=True)
    smallest = np.float32(1 / np.prod(image.shape[-3:]))
    # The root is taken of the greater variance: the derivative of the root of 0 is infinite.
    return centred / jnp.sqrt(jnp.where(variance < smallest, smallest, variance))


@function("image.psnr")
def psnr(a: TensorLike, b: TensorLike, max_val: Any, name: None = None) -> EagerTensor:
    """Computes the ratio between the largest possible signal and the difference of two images.

    Args:
        a: a tensor of shape `[..., H, W, C]`.
        b: another one of the same shape.
        max_val: the largest value that the type of the images can have.
        name: ignored.

    Returns:
        A float32 tensor of shape `[...]`, in decibels; infinite for equal images.

    Raises:
        ValueError: if the shapes differ.

    >>> tf.image.psnr(tf.zeros([2, 2, 1]), tf.ones([2, 2, 1]), max_val=10.0).numpy()
    np.float32(20.0)
    """
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    convert = convert_image_dtype
    limit = convert(cast_op(max_val, a.dtype), "float32")
    unit = 1.0
    if a.dtype.is_integer and b.dtype is a.dtype:
        # Scaled after the subtraction, so that the difference of equal images is exactly 0.
        a, b, unit = cast_op(a, "float32"), cast_op(b, "float32"), a.dtype.max
    return _psnr(convert(a, "float32"), convert(b, "float32"), limit, 1.0 / unit)


@op("_psnr", kernel="Sub")
def _psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, unit: float) -> jax.Array:
    """Computes `tf.image.psnr` of images in single precision."""
    if a.shape != b.shape:
        raise ValueError(incompatible_shapes(a.shape, b.shape))
    error = jnp.mean(((a - b) * np.float32(unit)) ** 2, (-3, -2, -1))
    ten = np.float32(10 / np.log(10))
    return np.float32(20 / np.log(10)) * jnp.log(max_val) - ten * jnp.log(error)


@function("image.convert_image_dtype", dispatch=True, elementwise=1)
def convert_image_dtype(
    image: TensorLike, dtype: Any, saturate: bool = False, name: None = None
) -> EagerTensor:
    """Converts images to another dtype and scales them to its range.

    Floating images have values in [0, 1), integer images between 0 and the largest number.

    Args:
        image: a tensor of a floating or integer type.
        dtype: the new dtype.
        saturate: replace values beyond the limits of an integer type by these.
        name: ignored.

    Returns:
        A tensor of the shape of `image`.

    Raises:
        AttributeError: if one of the dtypes is neither floating nor integer.

    >>> tf.image.convert_image_dtype(tf.constant([0, 255], tf.uint8), tf.float32).numpy()
    array([0., 1.], dtype=float32)
    """
    image = convert_to_tensor(image)
    wanted = as_dtype(dtype)
    if not (wanted.is_floating or wanted.is_integer):
        raise AttributeError("dtype must be either floating point or integer")
    given = image.dtype
    if not (given.is_floating or given.is_integer):
        raise AttributeError("image dtype must be either floating point or integer")
    if wanted is given:
        return image
    cast = saturate_cast if saturate else cast_op
    if given.is_integer and wanted.is_integer:
        if given.max > wanted.max:
            return cast(image // ((given.max + 1) // (wanted.max + 1)), wanted)
        return cast(image, wanted) * ((wanted.max + 1) // (given.max + 1))
    if given.is_floating and wanted.is_floating:
        return cast_op(image, wanted)
    if given.is_integer:
        return cast_op(image, wanted) * (1.0 / given.max)
    return cast(image * (wanted.max + 0.5), wanted)
