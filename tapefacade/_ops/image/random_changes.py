"""Random changes of images, for the augmentation of data, also with given seeds."""

from typing import Annotated, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, random_keys
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.dtypes import int32, uint8
from tapefacade._core.error_texts import invalid, shape_text
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import FreeTensor, TensorLike, function, op
from tapefacade._ops.image.colours import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
)
from tapefacade._ops.image.geometry import check_rank, convert_image_dtype
from tapefacade._ops.image.jpeg_files import quality_adjusted
from tapefacade._ops.random import philox
from tapefacade._ops.random.stateful import uniform
from tapefacade._ops.random.stateless import stateless_uniform

MESSAGE_MAX_DELTA = "max_delta must be non-negative."

Seed = Annotated[Any, "free"]


@function("image.random_flip_left_right")
def random_flip_left_right(image: TensorLike, seed: Any = None) -> EagerTensor:
    """Mirrors each image along its width with a probability of one half.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        seed: makes the choice repeatable together with `tf.random.set_seed`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `image` has another rank.

    >>> tf.image.random_flip_left_right(tf.ones([2, 3, 1])).shape
    TensorShape([2, 3, 1])
    """
    return _flipped_at_random(image, seed, -2)


@function("image.random_flip_up_down")
def random_flip_up_down(image: TensorLike, seed: Any = None) -> EagerTensor:
    """Mirrors each image along its height with a probability of one half.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        seed: makes the choice repeatable together with `tf.random.set_seed`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `image` has another rank.

    >>> tf.image.random_flip_up_down(tf.ones([2, 3, 1])).shape
    TensorShape([2, 3, 1])
    """
    return _flipped_at_random(image, seed, -3)


@function("image.stateless_random_flip_left_right")
def stateless_random_flip_left_right(image: TensorLike, seed: Seed) -> EagerTensor:
    """Mirrors each image along its width or not, the same for the same `seed`.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        seed: two integers.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `image` has another rank.

    >>> tf.image.stateless_random_flip_left_right(tf.ones([2, 3, 1]), [1, 2]).shape
    TensorShape([2, 3, 1])
    """
    return _random_flip(seed, image, -2, True)


@function("image.stateless_random_flip_up_down")
def stateless_random_flip_up_down(image: TensorLike, seed: Seed) -> EagerTensor:
    """Mirrors each image along its height or not, the same for the same `seed`.

    Args:
        image: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        seed: two integers.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `image` has another rank.

    >>> tf.image.stateless_random_flip_up_down(tf.ones([2, 3, 1]), [1, 2]).shape
    TensorShape([2, 3, 1])
    """
    return _random_flip(seed, image, -3, True)


def _flipped_at_random(image: Any, seed: Any, axis: int) -> EagerTensor:
    image = convert_to_tensor(image)
    state = random_keys.next_state("RandomUniform", dtypes.float32, seed, image.shape[:-3])
    return _random_flip(state, image, axis, False)


@op("_random_flip", kernel="ReverseV2")
def _random_flip(key: FreeTensor, image: FreeTensor, axis: int, stateless: bool) -> jax.Array:
    """Mirrors each image with a probability of one half."""
    check_rank(image, "")
    batch = image.shape[:-3]
    drawn = philox.uniform(philox.seeded_state(key) if stateless else key, batch, np.float32)
    mirrored = drawn > 0.5 if batch else drawn < 0.5  # as TensorFlow, which rounds for batches
    return jnp.where(mirrored.reshape(*batch, 1, 1, 1), jnp.flip(image, axis), image)


@function("image.random_crop")
def random_crop(value: TensorLike, size: Any, seed: Any = None, name: None = None) -> EagerTensor:
    """Cuts a part of a given size out of a tensor, at a random place.

    Args:
        value: a tensor.
        size: the shape of the part.
        seed: makes the place repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        A tensor of shape `size` and the type of `value`.

    Raises:
        InvalidArgumentError: if the part is larger than `value`.

    >>> tf.image.random_crop(tf.ones([4, 4, 3]), [2, 2, 3]).shape
    TensorShape([2, 2, 3])
    """
    value = convert_to_tensor(value)
    state = random_keys.next_state("RandomUniformInt", dtypes.int32, seed, [len(value.shape)])
    return _random_crop(state, value, size, False)


@function("image.stateless_random_crop")
def stateless_random_crop(
    value: TensorLike, size: Any, seed: Seed, name: None = None
) -> EagerTensor:
    """Cuts a part of a given size out of a tensor, at the same place for the same `seed`.

    Args:
        value: a tensor.
        size: the shape of the part.
        seed: two integers.
        name: ignored.

    Returns:
        A tensor of shape `size` and the type of `value`.

    Raises:
        InvalidArgumentError: if the part is larger than `value`.

    >>> tf.image.stateless_random_crop(tf.ones([4, 4, 3]), [2, 2, 3], [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return _random_crop(seed, value, size, True)


@op("_random_crop", kernel="Slice")
def _random_crop(key: FreeTensor, value: FreeTensor, size: Any, stateless: bool) -> jax.Array:
    """Cuts out a part at a random place."""
    if not isinstance(size, tuple) or len(size) != value.ndim:
        count = len(size) if isinstance(size, tuple) else 1
        raise invalid(f"Incompatible shapes: [{value.ndim}] vs. {shape_text((count,))}")
    if any(part > whole for part, whole in zip(size, value.shape, strict=True)):
        given, wanted = (", ".join(map(str, x)) for x in (value.shape, size))
        raise invalid(
            "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
            f"b'Need value.shape >= size, got '\n{given}\n{wanted}"
        )
    limits = np.array(value.shape, np.int32) - np.array(size, np.int32) + np.int32(1)
    low, high = (jnp.asarray(limit, np.int32) for limit in (0, 2**31 - 1))
    state = philox.seeded_state(key) if stateless else key
    starts = philox.integers(state, low, high, (value.ndim,)) % limits
    return lax.dynamic_slice(value, [starts[axis] for axis in range(value.ndim)], size)


def drawn_between(seed: Any, low: float, high: float, stateless: bool) -> Any:
    """Draws a number of an interval."""
    if stateless:
        return stateless_uniform([], seed, low, high)
    return uniform([], low, high, seed=seed)


def brightness_interval(max_delta: float) -> tuple[float, float]:
    """Returns the interval of what is added to the pixels."""
    if max_delta < 0:
        raise ValueError(MESSAGE_MAX_DELTA)
    return -max_delta, max_delta


def factor_interval(lower: float, upper: float, may_be_equal: bool = False) -> tuple[float, float]:
    """Returns the interval of a factor."""
    if upper < lower or (upper == lower and not may_be_equal):
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return lower, upper


def hue_interval(max_delta: float) -> tuple[float, float]:
    """Returns the interval of a turn of the hue."""
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError(MESSAGE_MAX_DELTA)
    return -max_delta, max_delta


@function("image.random_brightness", dispatch=True, elementwise=1)
def random_brightness(image: TensorLike, max_delta: float, seed: Any = None) -> EagerTensor:
    """Adds a random number to all pixels.

    Args:
        image: a tensor.
        max_delta: the limit of the number's absolute value.
        seed: makes the number repeatable together with `tf.random.set_seed`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `max_delta` is negative.

    >>> tf.image.random_brightness(tf.ones([2, 2, 3]), 0.1).shape
    TensorShape([2, 2, 3])
    """
    return adjust_brightness(image, drawn_between(seed, *brightness_interval(max_delta), False))


@function("image.random_contrast")
def random_contrast(image: TensorLike, lower: float, upper: float, seed: Any = None) -> EagerTensor:
    """Adjusts the contrast by a random factor.

    Args:
        image: a tensor of shape `[..., H, W, C]`.
        lower: the lower limit of the factor.
        upper: its upper limit.
        seed: makes the factor repeatable together with `tf.random.set_seed`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `lower` is negative or not below `upper`.

    >>> tf.image.random_contrast(tf.ones([2, 2, 3]), 0.5, 1.5).shape
    TensorShape([2, 2, 3])
    """
    return adjust_contrast(image, drawn_between(seed, *factor_interval(lower, upper), False))


@function("image.random_hue")
def random_hue(image: TensorLike, max_delta: float, seed: Any = None) -> EagerTensor:
    """Turns the hue by a random number.

    Args:
        image: a tensor of shape `[..., 3]`.
        max_delta: the limit of the number's absolute value, at most 0.5.
        seed: makes the number repeatable together with `tf.random.set_seed`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `max_delta` is outside of [0, 0.5].

    >>> tf.image.random_hue(tf.ones([2, 2, 3]), 0.1).shape
    TensorShape([2, 2, 3])
    """
    return adjust_hue(
        convert_to_tensor(image), drawn_between(seed, *hue_interval(max_delta), False)
    )


@function("image.random_saturation")
def random_saturation(
    image: TensorLike, lower: float, upper: float, seed: Any = None
) -> EagerTensor:
    """Multiplies the saturation with a random factor.

    Args:
        image: a tensor of shape `[..., 3]`.
        lower: the lower limit of the factor.
        upper: its upper limit.
        seed: makes the factor repeatable together with `tf.random.set_seed`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `lower` is negative or not below `upper`.

    >>> tf.image.random_saturation(tf.ones([2, 2, 3]), 0.5, 1.5).shape
    TensorShape([2, 2, 3])
    """
    return adjust_saturation(image, drawn_between(seed, *factor_interval(lower, upper), False))


@function("image.stateless_random_brightness", elementwise=1)
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
