"""Boxes cut out of images and resized: `crop_and_resize`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import errors
from tapefacade._core.convert import convert, convert_to_tensor
from tapefacade._core.dtypes import float32, int32
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import invalid, written
from tapefacade._ops.op import Check, FreeTensor, TensorLike, function, op
from tapefacade._ops.parameters import frozen_value

IMAGES = ("uint8", "uint16", "int8", "int16", "int32", "int64", "half", "float", "double")


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

    Unlike TensorFlow, the gradients can be differentiated.

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
        raise invalid(
            f"Value for attr 'method' of \"{method}\" is not in the list of allowed values: "
            '"bilinear", "nearest"'
        )
    if image.ndim != 4:
        raise invalid(f"input image must be 4-D{written(image.shape)}")
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
        raise invalid(f"boxes must be 2-D, got: {written(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise invalid("boxes must have 4 columns")
    if indices.ndim != 1:
        raise invalid(f"box_indices must be rank 1 but is shape {written(indices.shape)}")
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
    dtypes=IMAGES,
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
            _nearest(image, index, rows, columns), _bilinear(kept, index, rows, columns)
        )
    else:
        pixels = _bilinear(image, index, rows, columns)
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


def _bilinear(image: jax.Array, index: jax.Array, rows: jax.Array, columns: jax.Array) -> jax.Array:
    above, left = jnp.floor(rows), jnp.floor(columns)
    below, right = jnp.ceil(rows), jnp.ceil(columns)
    down, across = (rows - above)[:, None, None], (columns - left)[None, :, None]
    first, second = (_read(image, index, row, left) for row in (above, below))
    top = first + (_read(image, index, above, right) - first) * across
    bottom = second + (_read(image, index, below, right) - second) * across
    return top + (bottom - top) * down


def _nearest(image: jax.Array, index: jax.Array, rows: jax.Array, columns: jax.Array) -> jax.Array:
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
