"""Patches and windows of images and volumes: `tf.image.extract_patches`, `extract_glimpse`."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, errors, random_keys
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid, refused_choice, shape_text
from tapefacade._core.jax_keys import unwrap
from tapefacade._core.kernel_dtypes import REALS
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import mapped_over_axes, require_room
from tapefacade._definition.op import FreeTensor, NoGradient, TensorLike, function, op

IMAGES = (
    "bfloat16", "half", "float", "double", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64", "complex64", "complex128", "bool",
)  # fmt: skip


def positions(size: int, window: int, step: int, rate: int, padding: str) -> np.ndarray[Any, Any]:
    """Returns which places of a dimension each window covers.

    Args:
        size: the size of the dimension.
        window: the number of places in a window.
        step: how far it moves.
        rate: the distance of its places.
        padding: `"SAME"` or `"VALID"`.

    Returns:
        Integers `[windows, window]`; those outside of the dimension are negative or too large.

    Raises:
        InvalidArgumentError: if a window is too large.
    """
    stretched = (window - 1) * rate + 1
    if padding == "SAME":
        count = -(-size // step)
        before = max((count - 1) * step + stretched - size, 0) // 2
    else:
        require_room([size], [window], [step], [rate], padding)
        count, before = int((size - stretched + step) / step), 0
    return np.arange(count)[:, None] * step - before + np.arange(window) * rate


def windows_of(x: jax.Array, first: int, places: Sequence[np.ndarray[Any, Any]]) -> jax.Array:
    """Takes windows, zeros where they lie outside.

    Args:
        x: an array.
        first: the first of the dimensions along which windows move.
        places: for each of these dimensions what `positions` returns.

    Returns:
        An array in which each of these dimensions is replaced by two, `[windows, window]`.
    """
    for number, indices in enumerate(places):
        axis = first + 2 * number
        size = x.shape[axis]
        before = max(-int(indices.min(initial=0)), 0)
        after = max(int(indices.max(initial=0)) + 1 - size, 0)
        if before or after:
            margins = [(before, after, 0) if a == axis else (0, 0, 0) for a in range(x.ndim)]
            x = lax.pad(x, jnp.zeros((), x.dtype), margins)
        x = jnp.take(x, jnp.asarray(indices + before, np.int32), axis=axis, mode="clip")
    return x


def _check_lists(lists: dict[str, Any], kernel: str, length: int) -> None:
    for name, given in lists.items():
        if not isinstance(given, tuple):
            raise TypeError(f"Expected list for '{name}' argument to '{kernel}' Op, not {given}.")
        if len(given) < length:
            raise invalid(
                f"Length for attr '{name}' of {len(given)} must be at least minimum {length}"
            )
    for name, given in lists.items():
        if given[0] != 1 or given[-1] != 1:
            raise errors.UnimplementedError(None, None, f"Only support {name} across space.")
        if min(given) < 1:
            raise errors.OutOfRangeError(None, None, f"{name} is out of range.")


def check_padding(padding: Any) -> None:
    """Raises unless the padding is one of the two without numbers."""
    if padding not in ("SAME", "VALID"):
        raise invalid(refused_choice("padding", padding, ("SAME", "VALID")))


def _patches(input: jax.Array, sizes: Any, strides: Any, rates: Any, padding: Any) -> jax.Array:
    """Takes patches along all dimensions but the first and the last one."""
    check_padding(padding)
    if input.ndim != len(sizes):
        raise invalid(f"input must be {len(sizes)}-dimensional{shape_text(input.shape)}")
    inner = range(1, input.ndim - 1)
    places = [
        positions(input.shape[axis], sizes[axis], strides[axis], rates[axis], padding)
        for axis in inner
    ]
    found = windows_of(input, 1, places)
    counts = [2 * number + 1 for number in range(len(places))]
    order = [0, *counts, *(axis + 1 for axis in counts), found.ndim - 1]
    shape = [input.shape[0], *(found.shape[axis] for axis in counts)]
    depth = int(np.prod([*sizes, input.shape[-1]]))
    return jnp.reshape(jnp.transpose(found, order), (*shape, depth))


@op("image.extract_patches", kernel="ExtractImagePatches", dtypes=IMAGES)
def extract_patches(
    images: TensorLike, sizes: Any, strides: Any, rates: Any, padding: str
) -> jax.Array:
    """Takes patches of images and puts each into the channels.

    Beyond TensorFlow, patches of booleans work too.

    Args:
        images: a tensor of shape `[B, H, W, C]`.
        sizes: the size of a patch, `[1, rows, columns, 1]`.
        strides: the distance of two patches, likewise.
        rates: the distance of the pixels in a patch, likewise.
        padding: `"VALID"`, or `"SAME"` for patches that reach beyond the image, with zeros.

    Returns:
        A tensor of shape `[B, H', W', rows * columns * C]`.

    Raises:
        TypeError: if one of the numbers is no list.
        InvalidArgumentError: if a list is too short, or `images` has another rank.
        UnimplementedError: if a list does not begin and end with 1.
        OutOfRangeError: if a number is not positive.

    >>> x = tf.reshape(tf.range(6), [1, 2, 3, 1])
    >>> tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID").numpy()
    array([[[[0, 1, 3, 4],
             [1, 2, 4, 5]]]], dtype=int32)
    """
    lists = {"ksizes": sizes, "strides": strides, "rates": rates}
    _check_lists(lists, "extract_image_patches", 4)
    return _patches(images, sizes, strides, rates, padding)


@op("extract_volume_patches", kernel="ExtractVolumePatches", dtypes=REALS, raw_op=True)
def extract_volume_patches(input: TensorLike, ksizes: Any, strides: Any, padding: str) -> jax.Array:
    """Takes patches of volumes and puts each into the channels.

    Args:
        input: a tensor of shape `[B, D, H, W, C]`.
        ksizes: the size of a patch, `[1, planes, rows, columns, 1]`.
        strides: the distance of two patches, likewise.
        padding: `"VALID"`, or `"SAME"` for patches that reach beyond the volume, with zeros.

    Returns:
        A tensor of shape `[B, D', H', W', planes * rows * columns * C]`.

    Raises:
        TypeError: if one of the numbers is no list.
        InvalidArgumentError: if a list is too short, or `input` has another rank.
        UnimplementedError: if a list does not begin and end with 1.
        OutOfRangeError: if a number is not positive.

    >>> x = tf.reshape(tf.range(4), [1, 1, 2, 2, 1])
    >>> tf.extract_volume_patches(x, [1, 1, 2, 2, 1], [1, 1, 1, 1, 1], "VALID").numpy().ravel()
    array([0, 1, 2, 3], dtype=int32)
    """
    _check_lists({"ksizes": ksizes, "strides": strides}, "extract_volume_patches", 5)
    return _patches(input, ksizes, strides, (1,) * 5, padding)


NOISES = ("uniform", "gaussian", "zero")
OP_SUFFIX = " [Op:ExtractGlimpseV2] name: "


def _check(input: Any, size: Any, offsets: Any, noise: Any) -> None:
    if noise not in NOISES:
        raise invalid(f"The noise could only be uniform, gaussian, or zero, got{noise}{OP_SUFFIX}")
    if len(input.shape) != 4:
        raise invalid(
            "input must be 4-dimensional (batch_size, height, width, depth)"
            f"{shape_text(input.shape)}{OP_SUFFIX}"
        )
    if list(size.shape) != [2]:
        raise invalid(
            f"input must be a vector of size 2 (height, width){shape_text(size.shape)}{OP_SUFFIX}"
        )
    shape = offsets.shape
    if len(shape) != 2:
        raise invalid(f"input must be a matrix{shape_text(shape)}{OP_SUFFIX}")
    if shape[0] != input.shape[0]:
        raise invalid(f"first dimension should be batch{shape_text(shape)}{OP_SUFFIX}")
    if shape[1] != 2:
        raise invalid(f"second dimension should be of size 2 (y,x){shape_text(shape)}{OP_SUFFIX}")


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

    return mapped_over_axes(single, 1)(keys, input, corners, outside)


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
    key = random_keys.next_key("extract_glimpse")
    window = tuple(int(n) for n in sizes.numpy())
    if min(window) < 0:
        raise invalid(f"Expected a non-negative size, got {min(window)}{OP_SUFFIX}")
    return _glimpse(key, image, places, window, bool(centered), bool(normalized), noise)
