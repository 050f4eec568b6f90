"""Boxes drawn on images."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.dtypes import as_dtype, float32
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import invalid, written
from tapefacade._ops.op import FreeTensor, NoGradient, NotDifferentiable, TensorLike, function, op

# The colours of boxes that are given none: yellow, blue, red, lime, purple, olive, maroon, navy,
# aqua and fuchsia, in this order.
COLOURS = (
    (1, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0.5, 0, 0.5),
    (0.5, 0.5, 0), (0.5, 0, 0), (0, 0, 0.5), (0, 1, 1), (1, 0, 1),
)  # fmt: skip
FARTHEST = np.float32(-(2**31))  # where TensorFlow sees an edge that is not finite


@function("image.draw_bounding_boxes")
def draw_bounding_boxes(
    images: TensorLike, boxes: Any, colors: Any, name: None = None
) -> EagerTensor:
    """Draws boxes, one pixel wide, on images.

    Args:
        images: a float32 or float16 tensor of shape `[B, H, W, C]` with 1, 3 or 4 channels.
        boxes: float32 `[B, N, 4]`, each `y1, x1, y2, x2`, where 0 and 1 are the first and the last
            row or column of the image. Edges outside of the image are not drawn, nor boxes with
            `y1 > y2` or `x1 > x2`.
        colors: float32 `[M, C]` or with more channels, which the boxes of an image have in turn;
            None for ten colours from yellow to fuchsia.
        name: ignored.

    Returns:
        A tensor of the shape and type of `images`.

    Raises:
        InvalidArgumentError: if the shapes or dtypes do not fit.
        LookupError: if a gradient is asked for and `colors` are given; else it is None.

    >>> image = tf.zeros([1, 3, 4, 1])
    >>> tf.image.draw_bounding_boxes(image, [[[0.0, 0.0, 1.0, 1.0]]], [[1.0]])[0, :, :, 0].numpy()
    array([[1., 1., 1., 1.],
           [1., 0., 0., 1.],
           [1., 1., 1., 1.]], dtype=float32)
    """
    boxes = convert_to_tensor(boxes, dtype_hint=float32)
    if colors is None:
        return _draw_in_ten_colours(images, boxes)
    return _draw(images, boxes, convert_to_tensor(colors, dtype_hint=float32))


@op(
    "_draw_bounding_boxes",
    kernel="DrawBoundingBoxesV2",
    dtypes=("float", "half"),
    gradient=NoGradient("DrawBoundingBoxesV2"),
)
def _draw(images: TensorLike, boxes: FreeTensor, colors: FreeTensor) -> jax.Array:
    """Draws boxes in colours that are given."""
    _check_single((boxes, colors), "DrawBoundingBoxesV2")
    _check_boxes(images, boxes)
    if colors.ndim != 2:
        raise invalid(f"colors must be a 2-D matrix{written(colors.shape)}")
    depth = images.shape[3]
    if colors.shape[1] < depth:
        raise invalid(
            "colors must have equal or more channels than the image provided: "
            f"{written(colors.shape)}"
        )
    if colors.shape[0] == 0:
        return _drawn(images, boxes, _ten_colours(depth))
    return _drawn(images, boxes, colors[:, :depth])


@op(
    "_draw_bounding_boxes_in_ten_colours",
    kernel="DrawBoundingBoxes",
    dtypes=("float", "half"),
    gradient=NotDifferentiable(),
)
def _draw_in_ten_colours(images: TensorLike, boxes: FreeTensor) -> jax.Array:
    """Draws boxes in the default colours."""
    _check_single((boxes,), "DrawBoundingBoxes")
    _check_boxes(images, boxes)
    return _drawn(images, boxes, _ten_colours(images.shape[3]))


def _ten_colours(depth: int) -> jax.Array:
    table = np.array([(*colour, 1) for colour in COLOURS], np.float32)
    return jnp.asarray(np.ones((1, 1), np.float32) if depth == 1 else table[:, :depth])


def _check_single(tensors: tuple[Any, ...], kernel: str) -> None:
    for place, tensor in enumerate(tensors):
        if tensor.dtype != np.float32:
            given = as_dtype(tensor.dtype).kernel_name
            raise invalid(
                f"cannot compute {kernel} as input #{place + 1}(zero-based) was expected to be a "
                f"float tensor but is a {given} tensor [Op:{kernel}] name: "
            )


def _check_boxes(images: Any, boxes: Any) -> None:
    if images.ndim != 4:
        raise invalid("The rank of the images should be 4")
    if boxes.ndim != 3:
        raise invalid("The rank of the boxes tensor should be 3")
    if images.shape[0] != boxes.shape[0]:
        raise invalid("The batch sizes should be the same")
    if boxes.shape[2] != 4:
        raise invalid(
            f"The size of the third dimension of the box must be 4. Received: {boxes.shape[2]}"
        )
    if images.shape[3] not in (1, 3, 4):
        raise invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")


def _drawn(images: jax.Array, boxes: jax.Array, colours: jax.Array) -> jax.Array:
    height, width = images.shape[1:3]
    lasts = np.array([height - 1, width - 1] * 2, np.float32)
    places = boxes * lasts
    finite = jnp.abs(places) < -FARTHEST
    edges = jnp.where(finite, places, FARTHEST).astype(np.int32)
    y, x = (np.arange(size, dtype=np.int32) for size in (height, width))
    y, x = y[:, None], x[None, :]

    def draw(image: jax.Array, box: Any) -> tuple[jax.Array, None]:
        (top, left, bottom, right), colour = box
        within = (y >= top) & (y <= bottom) & (x >= left) & (x <= right)
        edge = (y == top) | (y == bottom) | (x == left) | (x == right)
        pixels = within & edge & (top <= bottom) & (left <= right)
        return jnp.where(pixels[..., None], colour.astype(image.dtype), image), None

    chosen = colours[np.arange(boxes.shape[1]) % colours.shape[0]]
    return jax.vmap(lambda image, some: lax.scan(draw, image, (some, chosen))[0])(images, edges)
