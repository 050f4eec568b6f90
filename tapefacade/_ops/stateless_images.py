"""Random changes of images that depend only on a seed, and of the quality of their files."""

from typing import Any

from tapefacade._core.convert import convert, convert_to_tensor
from tapefacade._core.dtypes import int32, uint8
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.colours import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
)
from tapefacade._ops.imaging import convert_image_dtype
from tapefacade._ops.jpeg_files import quality_adjusted
from tapefacade._ops.op import TensorLike, function
from tapefacade._ops.random_images import (
    Seed,
    brightness_interval,
    drawn_between,
    factor_interval,
    hue_interval,
)
from tapefacade._ops.sampling import uniform
from tapefacade._ops.stateless import stateless_uniform


@function("image.stateless_random_brightness")
def stateless_random_brightness(image: TensorLike, max_delta: float, seed: Seed) -> EagerTensor:
    """Adds a random number to all pixels, the same for the same `seed`.

    Args:
        image: a tensor.
        max_delta: the limit of the number's absolute value.
        seed: two integers.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `max_delta` is negative.
        InvalidArgumentError: if `seed` is no pair of integers.

    >>> tf.image.stateless_random_brightness(tf.ones([2, 2, 3]), 0.1, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return adjust_brightness(image, drawn_between(seed, *brightness_interval(max_delta), True))


@function("image.stateless_random_contrast")
def stateless_random_contrast(
    image: TensorLike, lower: float, upper: float, seed: Seed
) -> EagerTensor:
    """Adjusts the contrast by a random factor, the same for the same `seed`.

    Args:
        image: a tensor of shape `[..., H, W, C]`.
        lower: the lower limit of the factor.
        upper: its upper limit.
        seed: two integers.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `lower` is negative or not below `upper`.
        InvalidArgumentError: if `seed` is no pair of integers.

    >>> tf.image.stateless_random_contrast(tf.ones([2, 2, 3]), 0.5, 1.5, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return adjust_contrast(image, drawn_between(seed, *factor_interval(lower, upper), True))


@function("image.stateless_random_hue")
def stateless_random_hue(image: TensorLike, max_delta: float, seed: Seed) -> EagerTensor:
    """Turns the hue by a random number, the same for the same `seed`.

    Args:
        image: a tensor of shape `[..., 3]`.
        max_delta: the limit of the number's absolute value, at most 0.5.
        seed: two integers.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `max_delta` is outside of [0, 0.5].
        InvalidArgumentError: if `seed` is no pair of integers.

    >>> tf.image.stateless_random_hue(tf.ones([2, 2, 3]), 0.1, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return adjust_hue(convert_to_tensor(image), drawn_between(seed, *hue_interval(max_delta), True))


@function("image.stateless_random_saturation")
def stateless_random_saturation(
    image: TensorLike, lower: float, upper: float, seed: Seed = None
) -> EagerTensor:
    """Multiplies the saturation with a random factor, the same for the same `seed`.

    Args:
        image: a tensor of shape `[..., 3]`.
        lower: the lower limit of the factor.
        upper: its upper limit.
        seed: two integers.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `lower` is negative or not below `upper`, or there is no `seed`.
        InvalidArgumentError: if `seed` is no pair of integers.

    >>> tf.image.stateless_random_saturation(tf.ones([2, 2, 3]), 0.5, 1.5, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return adjust_saturation(image, drawn_between(seed, *factor_interval(lower, upper), True))


@function("image.adjust_jpeg_quality")
def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: Any, dct_method: str = "", name: None = None
) -> EagerTensor:
    """Encodes an image as JPEG and decodes it again, for noise as compression makes it.

    No gradient flows to the image. Unlike TensorFlow, `dct_method` is ignored, see
    `tf.io.decode_jpeg`.

    Args:
        image: a tensor of shape `[H, W, 1]` or `[H, W, 3]`.
        jpeg_quality: a scalar integer from 0 to 100.
        dct_method: ignored.
        name: ignored.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        InvalidArgumentError: if the shape or the quality is wrong.
        ImportError: if Pillow is not installed.

    >>> tf.image.adjust_jpeg_quality(tf.ones([8, 8, 3]), 50).numpy().min()
    np.float32(1.0)
    """
    image = convert_to_tensor(image)
    quality = convert(jpeg_quality, int32).numpy()
    pixels = convert_image_dtype(image, uint8, saturate=True)
    return convert_image_dtype(quality_adjusted(pixels, int(quality)), image.dtype, saturate=True)


def _check_qualities(lowest: int, highest: int) -> None:
    if lowest < 0 or highest < 0 or lowest > 100 or highest > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if lowest >= highest:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")


@function("image.random_jpeg_quality")
def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any = None
) -> EagerTensor:
    """Encodes an image as JPEG in a random quality and decodes it again.

    Args:
        image: a tensor of shape `[H, W, 1]` or `[H, W, 3]`.
        min_jpeg_quality: the lowest quality.
        max_jpeg_quality: the highest quality, which is excluded.
        seed: makes the quality repeatable together with `tf.random.set_seed`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if a quality is outside of [0, 100], or there is none between them.
        ImportError: if Pillow is not installed.

    >>> tf.image.random_jpeg_quality(tf.ones([8, 8, 3]), 50, 80).shape
    TensorShape([8, 8, 3])
    """
    _check_qualities(min_jpeg_quality, max_jpeg_quality)
    limits = min_jpeg_quality, max_jpeg_quality
    return adjust_jpeg_quality(image, uniform([], *limits, dtype=int32, seed=seed))


@function("image.stateless_random_jpeg_quality")
def stateless_random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: Seed
) -> EagerTensor:
    """Encodes an image as JPEG in a random quality, the same for one `seed`, and decodes it again.

    Args:
        image: a tensor of shape `[H, W, 1]` or `[H, W, 3]`.
        min_jpeg_quality: the lowest quality.
        max_jpeg_quality: the highest quality, which is excluded.
        seed: two integers.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if a quality is outside of [0, 100], or there is none between them.
        InvalidArgumentError: if `seed` is no pair of integers.
        ImportError: if Pillow is not installed.

    >>> tf.image.stateless_random_jpeg_quality(tf.ones([8, 8, 3]), 50, 80, [1, 2]).shape
    TensorShape([8, 8, 3])
    """
    _check_qualities(min_jpeg_quality, max_jpeg_quality)
    limits = min_jpeg_quality, max_jpeg_quality
    return adjust_jpeg_quality(image, stateless_uniform([], seed, *limits, dtype=int32))
