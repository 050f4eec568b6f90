"""Windows at given places of images, filled with noise outside: `tf.image.extract_glimpse`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes, generators
from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.keys import unwrap
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import invalid, mapped, written
from tapefacade._ops.op import FreeTensor, NoGradient, TensorLike, function, op

NOISES = ("uniform", "gaussian", "zero")
SUFFIX = " [Op:ExtractGlimpseV2] name: "


def _check(input: Any, size: Any, offsets: Any, noise: Any) -> None:
    if noise not in NOISES:
        raise invalid(f"The noise could only be uniform, gaussian, or zero, got{noise}{SUFFIX}")
    if len(input.shape) != 4:
        raise invalid(
            "input must be 4-dimensional (batch_size, height, width, depth)"
            f"{written(input.shape)}{SUFFIX}"
        )
    if list(size.shape) != [2]:
        raise invalid(
            f"input must be a vector of size 2 (height, width){written(size.shape)}{SUFFIX}"
        )
    shape = offsets.shape
    if len(shape) != 2:
        raise invalid(f"input must be a matrix{written(shape)}{SUFFIX}")
    if shape[0] != input.shape[0]:
        raise invalid(f"first dimension should be batch{written(shape)}{SUFFIX}")
    if shape[1] != 2:
        raise invalid(f"second dimension should be of size 2 (y,x){written(shape)}{SUFFIX}")


def _filling(key: jax.Array, image: jax.Array, shape: tuple[int, ...], noise: str) -> jax.Array:
    """Draws what lies outside of an image, in the range of its values."""
    if noise == "zero":
        return jnp.zeros(shape, image.dtype)
    low, high = image.min(), image.max()
    if noise == "uniform":
        return jax.random.uniform(key, shape, image.dtype, low, high)
    drawn = image.mean() + image.std() * jax.random.normal(key, shape, image.dtype)
    return jnp.clip(drawn, low, high)


@op("_glimpse", kernel="ExtractGlimpseV2", gradient=NoGradient("ExtractGlimpseV2"))
def _glimpse(
    key: FreeTensor,
    input: TensorLike,
    offsets: TensorLike,
    size: Any,
    centered: bool,
    normalized: bool,
    noise: str,
) -> jax.Array:
    """Takes a window of each image."""
    batch, height, width, depth = input.shape
    sizes, window = np.array([height, width], np.float32), np.array(size, np.float32)
    starts = offsets * sizes if normalized else offsets
    if centered and normalized:
        starts = (starts + sizes) / np.float32(2) - window / np.float32(2)
    elif centered:
        starts = starts + sizes / np.float32(2)
    # A window that does not touch the image has no pixels of it, however its place is rounded.
    outside = ((starts <= -window) | (starts >= sizes)).any(axis=1)
    corners = jnp.trunc(starts).astype(np.int32)
    keys = jax.random.split(unwrap(key), batch)

    def single(key: jax.Array, image: jax.Array, corner: jax.Array, out: jax.Array) -> jax.Array:
        rows = corner[0] + jnp.arange(size[0], dtype=np.int32)
        columns = corner[1] + jnp.arange(size[1], dtype=np.int32)
        found = jnp.take(jnp.take(image, rows, axis=0, mode="clip"), columns, axis=1, mode="clip")
        inside = ((rows >= 0) & (rows < height))[:, None] & (columns >= 0) & (columns < width)
        filling = _filling(key, image, (*size, depth), noise)
        return jnp.where((inside & ~out)[..., None], found, filling)

    return mapped(single, 1)(keys, input, corners, outside)


@function("image.extract_glimpse")
def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> EagerTensor:
    """Takes a window of each image, at a place of its own.

    It has no gradient, as in TensorFlow. Unlike TensorFlow, the noise comes from JAX's generator
    and follows `tf.random.set_seed`.

    Args:
        input: a float32 tensor of shape `[B, H, W, C]`.
        size: the height and width of the window.
        offsets: the place of the window in each image, `[B, 2]`, rows first.
        centered: whether the place is counted from the middle of the image, and (if `normalized`)
            to the middle of the window, instead of between their upper left corners.
        normalized: whether the place is given in parts of the image; centered ones go from -1 to 1.
        noise: what lies outside of the image: "uniform" or "gaussian" noise in the range of its
            values, or "zero".
        name: ignored.

    Returns:
        A tensor of shape `[B, *size, C]`.

    Raises:
        InvalidArgumentError: if an argument has another form.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> y = tf.image.extract_glimpse(x, [2, 2], [[1, 1]], centered=False, normalized=False)
    >>> y.numpy()[0, :, :, 0]
    array([[4., 5.],
           [7., 8.]], dtype=float32)
    """
    image = convert_to_tensor(input, dtypes.float32)
    sizes = convert_to_tensor(size, dtypes.int32)
    places = convert_to_tensor(offsets, dtypes.float32)
    _check(image, sizes, places, noise)
    key = generators.next_key("extract_glimpse")
    window = tuple(int(n) for n in sizes.numpy())
    return _glimpse(key, image, places, window, bool(centered), bool(normalized), noise)
