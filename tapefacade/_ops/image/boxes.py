"""Boxes drawn on images, and parts of images chosen at random so that they show the objects."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import random_keys
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.dtypes import as_dtype, float32
from tapefacade._core.error_texts import invalid, refused_input, shape_text
from tapefacade._core.jax_keys import checked_seed, unwrap
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import first_bad
from tapefacade._definition.op import (
    Check,
    FreeTensor,
    NoGradient,
    NotDifferentiable,
    TensorLike,
    function,
    op,
)
from tapefacade._definition.parameters import frozen_value

# The colours of boxes that are given none: yellow, blue, red, lime, purple, olive, maroon, navy,
# aqua and fuchsia, in this order.
COLOURS = (
    (1, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0.5, 0, 0.5),
    (0.5, 0.5, 0), (0.5, 0, 0), (0, 0, 0.5), (0, 1, 1), (1, 0, 1),
)  # fmt: skip
FARTHEST_EDGE = np.float32(-(2**31))  # where TensorFlow sees an edge that is not finite


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
        raise invalid(f"colors must be a 2-D matrix{shape_text(colors.shape)}")
    depth = images.shape[3]
    if colors.shape[1] < depth:
        raise invalid(
            "colors must have equal or more channels than the image provided: "
            f"{shape_text(colors.shape)}"
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
            raise refused_input(kernel, place + 1, "float", given)


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
    finite = jnp.abs(places) < -FARTHEST_EDGE
    edges = jnp.where(finite, places, FARTHEST_EDGE).astype(np.int32)
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


SIZE_DTYPES = ("uint8", "int8", "int16", "int32", "int64")
# What TensorFlow's kernels take for None.
ASPECT_RATIOS, AREAS, ATTEMPTS = (0.75, 1.33), (0.05, 1.0), 100


class SampleDistortedBoundingBoxV2(NamedTuple):
    """A part of an image: `begin` and `size` for `tf.slice`, and `bboxes`, the same as one box."""

    begin: EagerTensor
    size: EagerTensor
    bboxes: EagerTensor


class StatelessSampleDistortedBoundingBox(NamedTuple):
    """A part of an image: `begin` and `size` for `tf.slice`, and `bboxes`, the same as one box."""

    begin: EagerTensor
    size: EagerTensor
    bboxes: EagerTensor


@function("image.sample_distorted_bounding_box")
def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int = 0,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: None = None,
) -> SampleDistortedBoundingBoxV2:
    """Chooses a part of an image at random that shows enough of at least one object.

    Beyond TensorFlow, a call with `seed=0` can be repeated after `tf.random.set_seed`.

    Args:
        image_size: three integers: height, width, channels.
        bounding_boxes: float32 `[..., N, 4]` with the objects, each `y1, x1, y2, x2` in [0, 1].
        seed: makes the choice repeatable together with `tf.random.set_seed`, unless it is 0.
        min_object_covered: the share of an object that the part has to show.
        aspect_ratio_range: the limits of width / height, by default 0.75 and 1.33.
        area_range: the limits of the part's share of the image, by default 0.05 and 1.
        max_attempts: how often to try, by default 100, before the whole image is taken.
        use_image_if_no_bounding_boxes: take the whole image for an object if there is none.
        name: ignored.

    Returns:
        A named tuple: `begin`, `[top, left, 0]`, and `size`, `[height, width, -1]`, of the type of
        `image_size`, for `tf.slice`; and `bboxes`, float32 of shape `[1, 1, 4]`, the part as a box.

    Raises:
        InvalidArgumentError: if the arguments do not fit, or there is no bounding box.

    >>> part = tf.image.sample_distorted_bounding_box([20, 30, 3], [[[0.1, 0.1, 0.9, 0.9]]])
    >>> tf.slice(tf.zeros([20, 30, 3]), part.begin, part.size).shape[-1], part.bboxes.shape
    (3, TensorShape([1, 1, 4]))
    """
    key = random_keys.next_key("bounding box", seed or None)
    limits = _limits(min_object_covered, aspect_ratio_range, area_range, max_attempts)
    boxes = convert_to_tensor(bounding_boxes, dtype_hint=float32)
    use = bool(use_image_if_no_bounding_boxes)
    return SampleDistortedBoundingBoxV2(*_sample(image_size, boxes, key, limits, use))


@function("image.stateless_sample_distorted_bounding_box")
def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: None = None,
) -> StatelessSampleDistortedBoundingBox:
    """Chooses a part of an image that shows enough of at least one object, the same for one `seed`.

    Args:
        image_size: three integers: height, width, channels.
        bounding_boxes: float32 `[..., N, 4]` with the objects, each `y1, x1, y2, x2` in [0, 1].
        seed: two integers.
        min_object_covered: the share of an object that the part has to show.
        aspect_ratio_range: the limits of width / height, by default 0.75 and 1.33.
        area_range: the limits of the part's share of the image, by default 0.05 and 1.
        max_attempts: how often to try, by default 100, before the whole image is taken.
        use_image_if_no_bounding_boxes: take the whole image for an object if there is none.
        name: ignored.

    Returns:
        A named tuple `(begin, size, bboxes)`, see `tf.image.sample_distorted_bounding_box`.

    Raises:
        InvalidArgumentError: if the arguments do not fit, or there is no bounding box.

    >>> box = [[[0.1, 0.1, 0.9, 0.9]]]
    >>> first, second = (
    ...     tf.image.stateless_sample_distorted_bounding_box([20, 30, 3], box, [1, 2]).begin
    ...     for _ in range(2)
    ... )
    >>> bool(tf.reduce_all(first == second))
    True
    """
    limits = _limits(min_object_covered, aspect_ratio_range, area_range, max_attempts)
    boxes, seed = convert_to_tensor(bounding_boxes, dtype_hint=float32), convert(seed)
    use = bool(use_image_if_no_bounding_boxes)
    return StatelessSampleDistortedBoundingBox(
        *_stateless_sample(image_size, boxes, seed, limits, use)
    )


Limits = tuple[float, tuple[float, ...], tuple[float, ...], int]


def _limits(covered: Any, aspect_ratios: Any, areas: Any, attempts: Any) -> Limits:
    """Returns the static arguments, with the defaults in the place of None."""
    return (
        float(frozen_value(covered)),
        ASPECT_RATIOS if aspect_ratios is None else frozen_value(aspect_ratios),
        AREAS if areas is None else frozen_value(areas),
        ATTEMPTS if attempts is None else int(frozen_value(attempts)),
    )


def _check_limits(limits: Limits) -> None:
    covered, aspect_ratios, areas, attempts = limits
    for name, values in (("Aspect ratio", aspect_ratios), ("Area", areas)):
        if len(values) != 2:
            raise invalid(f"{name} range field must specify 2 dimensions")
        shown = f"[{values[0]:g}, {values[1]:g}]"
        if min(values) <= 0:
            raise invalid(f"{name} range must be non-negative: {shown}")
        if name == "Area" and max(values) > 1:
            raise invalid(f"Area range must be less then or equal to 1.0: {shown}")
    if attempts <= 0:
        raise invalid(f"Max attempts must be non-negative: {attempts}")
    if covered < 0:
        raise invalid(f"Min object covered must be non-negative: {covered:g}")


def _check_shapes(image_size: Any, boxes: Any, use_image: bool) -> None:
    if image_size.ndim != 1:
        raise invalid(f"image_size must be 1-dimensional{shape_text(image_size.shape)}")
    if image_size.shape[0] != 3:
        raise invalid(f"image_size must contain 3 elements{shape_text(image_size.shape)}")
    if boxes.ndim != 3:
        raise invalid(
            "input boxes must be 3-dimensional [batch, num_boxes, coords]: "
            f"{shape_text(boxes.shape)}"
        )
    if boxes.size and boxes.shape[2] != 4:
        raise invalid(
            f"bounding boxes must have shape [4] or [*, 4], got {shape_text(boxes.shape)}"
        )
    if boxes.size == 0 and not use_image:
        raise invalid(
            "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes "
            "if you wish to not provide any bounding boxes."
        )


def _test(
    image_size: Any, boxes: Any, key: Any, limits: Limits, use_image: bool
) -> tuple[Any, ...]:
    _check_limits(limits)
    _check_shapes(image_size, boxes, use_image)
    ok, _, value = first_bad(~((boxes >= 0) & (boxes <= 1)), boxes)
    return ok, value


def _error(value: Any, **static: Any) -> Exception:
    return invalid(f"All bounding box coordinates must be in [0.0, 1.0]: {float(value):g}")


@op(
    "_sample_distorted_bounding_box",
    kernel="SampleDistortedBoundingBoxV2",
    dtypes=SIZE_DTYPES,
    gradient=NotDifferentiable(),
    check=Check(("boxes",), _test, _error),
)
def _sample(
    image_size: TensorLike, boxes: FreeTensor, key: FreeTensor, limits: Limits, use_image: bool
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Chooses a part with a key of the global generator."""
    return _chosen(image_size, boxes, unwrap(key), limits, use_image)


@op(
    "_stateless_sample_distorted_bounding_box",
    kernel="StatelessSampleDistortedBoundingBox",
    dtypes=SIZE_DTYPES,
    gradient=NoGradient("StatelessSampleDistortedBoundingBox"),
    check=Check(("boxes",), _test, _error),
)
def _stateless_sample(
    image_size: TensorLike, boxes: FreeTensor, key: FreeTensor, limits: Limits, use_image: bool
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Chooses a part with a seed."""
    return _chosen(image_size, boxes, checked_seed(key), limits, use_image)


def _chosen(
    image_size: jax.Array, boxes: jax.Array, key: jax.Array, limits: Limits, use_image: bool
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Tries many parts at once and takes the first that will do, or the whole image."""
    _check_limits(limits)
    _check_shapes(image_size, boxes, use_image)
    height, width = (image_size[k].astype(np.int32) for k in range(2))
    parts, good = _parts(key, height, width, limits)
    if boxes.size == 0:
        boxes = jnp.asarray([[0.0, 0.0, 1.0, 1.0]], np.float32)
    sizes = jnp.stack([height, width, height, width]).astype(np.float32)
    objects = (boxes.reshape((-1, 4)) * sizes).astype(np.int32)
    good &= _shows_enough(parts, objects, limits[0])
    whole = jnp.stack([jnp.zeros_like(height), jnp.zeros_like(width), height, width])
    part = jnp.where(jnp.any(good), parts[jnp.argmax(good)], whole)
    top, left, bottom, right = part.astype(image_size.dtype)
    begin = jnp.stack([top, left, jnp.zeros_like(top)])
    size = jnp.stack([bottom - top, right - left, jnp.zeros_like(top) - 1])
    return begin, size, (part.astype(np.float32) / sizes).reshape((1, 1, 4))


def _parts(
    key: jax.Array, height: jax.Array, width: jax.Array, limits: Limits
) -> tuple[jax.Array, jax.Array]:
    """Draws parts of an image; tells which of them have the right size and lie within it."""
    _, aspect_ratios, areas, attempts = limits
    for_ratio, for_size, for_top, for_left = jax.random.split(key, 4)
    draw = (attempts,)
    low, high = (np.float32(value) for value in aspect_ratios)
    ratio = low + jax.random.uniform(for_ratio, draw, np.float32) * (high - low)
    pixels = height.astype(np.float32) * width.astype(np.float32)
    least, most = (np.float32(share) * pixels for share in areas)
    # The height is uniform among those for which neither the area nor the width is too great.
    widest = jnp.floor((width.astype(np.float32) + np.float32(0.5)) / ratio)
    highest = jnp.minimum(jnp.round(jnp.sqrt(most / ratio)), widest)
    highest = jnp.minimum(highest, height.astype(np.float32))
    lowest = jnp.minimum(jnp.round(jnp.sqrt(least / ratio)), highest)
    some = jax.random.uniform(for_size, draw, np.float32)
    rows = jnp.minimum(lowest + jnp.floor(some * (highest - lowest + 1)), highest)
    # What rounding has made too small or too great by a row becomes right.
    rows = jnp.where(rows * jnp.round(rows * ratio) < least, rows + 1, rows)
    rows = jnp.where(rows * jnp.round(rows * ratio) > most, rows - 1, rows)
    columns = jnp.round(rows * ratio)
    area = rows * columns
    good = (area > 0) & (area >= least) & (area <= most)
    good &= (rows <= height.astype(np.float32)) & (columns <= width.astype(np.float32))
    rows, columns = rows.astype(np.int32), columns.astype(np.int32)
    places = [
        jnp.floor(jax.random.uniform(which, draw, np.float32) * (free + 1).astype(np.float32))
        for which, free in ((for_top, height - rows), (for_left, width - columns))
    ]
    top, left = (place.astype(np.int32) for place in places)
    top, left = jnp.minimum(top, height - rows), jnp.minimum(left, width - columns)
    return jnp.stack([top, left, top + rows, left + columns], -1), good


def _shows_enough(parts: jax.Array, objects: jax.Array, covered: float) -> jax.Array:
    """Tells which parts show at least so much of one of the objects."""
    begin = jnp.maximum(parts[:, None, :2], objects[None, :, :2])
    end = jnp.minimum(parts[:, None, 2:], objects[None, :, 2:])
    shown = jnp.prod(jnp.maximum(end - begin, 0).astype(np.float32), -1)
    extents = objects[:, 2:] - objects[:, :2]
    area = jnp.where(jnp.all(extents > 0, -1), jnp.prod(extents.astype(np.float32), -1), 0)
    return jnp.any((area > 0) & (shown >= np.float32(covered) * area), -1)
