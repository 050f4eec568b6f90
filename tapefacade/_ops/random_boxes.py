"""Parts of images chosen at random, so that they show enough of the objects."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import generators
from tapefacade._core.convert import convert, convert_to_tensor
from tapefacade._core.dtypes import float32
from tapefacade._core.keys import checked_seed, unwrap
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import first_bad, invalid, written
from tapefacade._ops.op import (
    Check,
    FreeTensor,
    NoGradient,
    NotDifferentiable,
    TensorLike,
    function,
    op,
)
from tapefacade._ops.parameters import frozen_value

SIZES = ("uint8", "int8", "int16", "int32", "int64")
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

    Unlike TensorFlow, a call with `seed=0` can be repeated after `tf.random.set_seed`.

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
    key = generators.next_key("bounding box", seed or None)
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
        raise invalid(f"image_size must be 1-dimensional{written(image_size.shape)}")
    if image_size.shape[0] != 3:
        raise invalid(f"image_size must contain 3 elements{written(image_size.shape)}")
    if boxes.ndim != 3:
        raise invalid(
            f"input boxes must be 3-dimensional [batch, num_boxes, coords]: {written(boxes.shape)}"
        )
    if boxes.size and boxes.shape[2] != 4:
        raise invalid(f"bounding boxes must have shape [4] or [*, 4], got {written(boxes.shape)}")
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
    dtypes=SIZES,
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
    dtypes=SIZES,
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
