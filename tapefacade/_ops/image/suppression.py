"""Non-maximum suppression: of boxes that overlap, those with the highest scores."""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.dtypes import as_dtype, float32, int32
from tapefacade._core.error_texts import (
    MESSAGE_BOXES,
    falling_range,
    invalid,
    refused_input,
    shape_text,
)
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import (
    FreeTensor,
    NoGradient,
    NotDifferentiable,
    TensorLike,
    function,
    op,
)
from tapefacade._definition.parameters import frozen_value
from tapefacade._trace.open_sizes import with_unknown_axes

MESSAGE_OUTPUT_SIZE = "output size must be non-negative"
MESSAGE_IOU_THRESHOLD = "iou_threshold must be in [0, 1]"
TYPES = ("half", "float")


def overlaps(boxes: jax.Array, others: jax.Array) -> jax.Array:
    """Returns the intersections of boxes with others, divided by the unions.

    Args:
        boxes: an array of shape `[..., N, 4]`: two opposite corners, each `y, x`.
        others: an array of shape `[..., M, 4]`.

    Returns:
        An array of shape `[..., N, M]`; 0 for boxes without an area.
    """
    (low, high), (low2, high2) = _corners(boxes), _corners(others)
    low, high, low2, high2 = (
        low[..., :, None, :],
        high[..., :, None, :],
        low2[..., None, :, :],
        high2[..., None, :, :],
    )
    area, area2 = (jnp.prod(b - a, -1) for a, b in ((low, high), (low2, high2)))
    sides = jnp.maximum(jnp.minimum(high, high2) - jnp.maximum(low, low2), 0)
    common = jnp.prod(sides, -1)
    union = area + area2 - common
    real = (area > 0) & (area2 > 0)
    return jnp.where(real, common / jnp.where(real, union, jnp.ones_like(union)), 0)


def _corners(boxes: jax.Array) -> tuple[jax.Array, jax.Array]:
    first, second = boxes[..., :2], boxes[..., 2:]
    return jnp.minimum(first, second), jnp.maximum(first, second)


def selected_boxes(
    boxes: Any,
    scores: jax.Array,
    count: int,
    limit: float,
    lowest: float,
    sigma: float | None = None,
    included: bool = True,
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Takes boxes one after the other, always the one with the highest score.

    A box that overlaps one that has been taken by more than `limit` is left out; or, with `sigma`,
    its score becomes lower: Bodla et al., "Soft-NMS: Improving Object Detection With One Line of
    Code", 2017.

    Args:
        boxes: an array of shape `[N, 4]`, or a function of a position that gives all overlaps.
        scores: an array of shape `[N]`.
        count: how many boxes to take at most.
        limit: the greatest overlap.
        lowest: boxes with a score that is not above it are left out.
        sigma: a positive number, how slowly scores become lower with the overlap.
        included: whether an overlap may be as great as `limit`.

    Returns:
        The positions, the scores and whether there is such a box, all of shape `[count]`. What
        there is not is 0.
    """
    nothing = jnp.asarray(-jnp.inf, scores.dtype)
    places = jnp.arange(scores.shape[0], dtype=np.int32)

    def take(left: jax.Array, _: Any) -> tuple[jax.Array, Any]:
        best = jnp.argmax(left).astype(np.int32)
        score = left[best]
        found = score > nothing
        common: Any = boxes(best) if callable(boxes) else overlaps(boxes[best][None], boxes)[0]
        if sigma is None:
            rest = jnp.where(common > limit if included else common >= limit, nothing, left)
        else:
            rest = left * jnp.exp(-common * common / (2 * sigma)).astype(left.dtype)
            rest = jnp.where(rest > lowest, rest, nothing)
        rest = jnp.where(places == best, nothing, rest)
        zero = jnp.zeros_like(score)
        return rest, (jnp.where(found, best, 0), jnp.where(found, score, zero), found)

    first = jnp.where(scores > lowest, scores, nothing)
    if scores.shape[0] == 0:
        empty = jnp.zeros((count,), np.int32)
        return empty, empty.astype(scores.dtype), empty > 0
    return lax.scan(take, first, length=count)[1]


# What the functions have in common.


def _scalar(value: Any, name: str) -> float:
    """Returns a threshold, a Python number or a scalar tensor."""
    number = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    if number.ndim:
        shape, rank = shape_text(number.shape), number.ndim
        raise invalid(
            f"{name} must be 0-D, got shape {shape} (Shape must be rank 0 but is rank {rank})"
        )
    return float(number)


def _size(value: Any, kernel: str) -> int:
    if hasattr(value, "_type") and value.dtype is not int32:
        raise refused_input(kernel, 2, "int32", value.dtype.kernel_name)
    size = convert(value, int32).numpy()
    if size.ndim:
        shape, rank = shape_text(size.shape), size.ndim
        raise invalid(
            f"max_output_size must be 0-D, got shape {shape} (Shape must be rank 0 but is rank "
            f"{rank})"
        )
    return int(size)


def _check(boxes: Any, scores: Any, size: int, limit: float, sigma: float = 0.0) -> None:
    if boxes.ndim != 2:
        raise invalid(
            f"boxes must be 2-D{shape_text(boxes.shape)} (Shape must be rank 2 but is rank "
            f"{boxes.ndim})"
        )
    if boxes.shape[1] != 4:
        raise invalid(f"boxes must have 4 columns (Dimension must be 4 but is {boxes.shape[1]})")
    _check_scores(scores, boxes.shape[0])
    if not 0 <= limit <= 1:
        raise invalid(MESSAGE_IOU_THRESHOLD)
    if sigma < 0:
        raise invalid("soft_nms_sigma_val must be >= 0")
    if size < 0:
        raise invalid(MESSAGE_OUTPUT_SIZE)


def _check_scores(scores: Any, count: int) -> None:
    if scores.ndim != 1:
        raise invalid(
            f"scores must be 1-D{shape_text(scores.shape)} (Shape must be rank 1 but is rank "
            f"{scores.ndim})"
        )
    if scores.shape[0] != count:
        raise invalid(
            "scores has incompatible shape (Dimensions must be equal, but are "
            f"{count} and {scores.shape[0]})"
        )


Found = tuple[jax.Array, jax.Array]


@op(
    "_non_max_suppression",
    kernel="NonMaxSuppressionV3",
    dtypes=TYPES,
    gradient=NoGradient("NonMaxSuppressionV3"),
)
def _suppressed(
    boxes: TensorLike, scores: TensorLike, size: int, limit: float, lowest: float
) -> Found:
    """Returns the positions of the boxes that are taken, with zeros behind, and their number."""
    _check(boxes, scores, size, limit)
    wide = boxes.astype(np.float32)
    places, _, found = selected_boxes(wide, scores, min(size, boxes.shape[0]), limit, lowest)
    return places, jnp.sum(found, dtype=np.int32)


@op(
    "_non_max_suppression_with_scores",
    kernel="NonMaxSuppressionV5",
    dtypes=TYPES,
    gradient=NoGradient("NonMaxSuppressionV5"),
)
def _suppressed_softly(
    boxes: TensorLike, scores: TensorLike, size: int, limit: float, lowest: float, sigma: float
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Returns the positions of the boxes that are taken, their scores, and their number."""
    if boxes.dtype != np.float32:
        raise refused_input("NonMaxSuppressionV5", 3, "half", "float")
    _check(boxes, scores, size, limit, sigma)
    count = min(size, boxes.shape[0])
    places, kept, found = selected_boxes(boxes, scores, count, limit, lowest, sigma or None)
    return places, kept, jnp.sum(found, dtype=np.int32)


@op(
    "_non_max_suppression_overlaps",
    kernel="NonMaxSuppressionWithOverlaps",
    gradient=NotDifferentiable(),
)
def _suppressed_by_overlaps(
    overlaps: FreeTensor, scores: FreeTensor, size: int, limit: float, lowest: float
) -> Found:
    """Returns the positions that are taken, with zeros behind, and their number."""
    for place, tensor in enumerate((overlaps, scores)):
        if tensor.dtype != np.float32:
            given = as_dtype(tensor.dtype).kernel_name
            raise refused_input("NonMaxSuppressionWithOverlaps", place, "float", given)
    if overlaps.ndim != 2:
        raise invalid(f"overlaps must be 2-D{shape_text(overlaps.shape)}")
    if overlaps.shape[0] != overlaps.shape[1]:
        raise invalid(f"overlaps must be square{shape_text(overlaps.shape)}")
    _check_scores(scores, overlaps.shape[0])
    if size < 0:
        raise invalid(MESSAGE_OUTPUT_SIZE)
    count = min(size, overlaps.shape[0])
    places, _, found = selected_boxes(lambda best: overlaps[best], scores, count, limit, lowest)
    return places, jnp.sum(found, dtype=np.int32)


def _first(values: EagerTensor, count: Any) -> EagerTensor:
    return with_unknown_axes(values[: int(count)], 0)


@function("image.non_max_suppression")
def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: None = None,
) -> EagerTensor:
    """Takes the boxes with the highest scores, and leaves out those that overlap one of them.

    The scores are looked at, for they decide the shape of the result.

    Args:
        boxes: float32 or float16 `[N, 4]`, each `y1, x1, y2, x2`: any two opposite corners.
        scores: a tensor of shape `[N]` and the type of `boxes`.
        max_output_size: how many boxes to take at most.
        iou_threshold: the greatest overlap, intersection over union, in [0, 1].
        score_threshold: boxes whose score is not above it are left out.
        name: ignored.

    Returns:
        The positions of the boxes that are taken, int32 of shape `[M]`, highest score first.

    Raises:
        InvalidArgumentError: if the shapes, the types or a number do not fit.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 5.0, 1.0, 6.0]]
    >>> tf.image.non_max_suppression(boxes, [0.6, 0.9, 0.8], max_output_size=3).numpy()
    array([1, 2], dtype=int32)
    """
    size = _size(max_output_size, "NonMaxSuppressionV3")
    limit, lowest = (
        _scalar(iou_threshold, "iou_threshold"),
        _scalar(score_threshold, "score_threshold"),
    )
    places, count = _suppressed(boxes, scores, size, limit, lowest)
    return _first(places, count)


@function("image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: None = None,
) -> tuple[EagerTensor, EagerTensor]:
    """Takes the boxes with the highest scores, and lowers the scores of those that overlap them.

    The scores are looked at, for they decide the shape of the result.

    Args:
        boxes: float32 `[N, 4]`, each `y1, x1, y2, x2`: any two opposite corners.
        scores: float32 `[N]`.
        max_output_size: how many boxes to take at most.
        iou_threshold: the greatest overlap, intersection over union, if `soft_nms_sigma` is 0.
        score_threshold: boxes whose score is not above it are left out.
        soft_nms_sigma: scores are multiplied with `exp(-overlap**2 / (2 * soft_nms_sigma))` for
            each box that is taken; 0 leaves overlapping boxes out instead.
        name: ignored.

    Returns:
        The positions of the boxes that are taken, int32 of shape `[M]`, and their scores.

    Raises:
        InvalidArgumentError: if the shapes, the types or a number do not fit.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 5.0, 1.0, 6.0]]
    >>> places, scores = tf.image.non_max_suppression_with_scores(
    ...     boxes, [0.5, 0.9, 0.8], 3, soft_nms_sigma=0.5)
    >>> places.numpy(), scores.numpy()
    (array([1, 2, 0], dtype=int32), array([0.9 , 0.8 , 0.18393973], dtype=float32))
    """
    size = _size(max_output_size, "NonMaxSuppressionV5")
    limit, lowest = (
        _scalar(iou_threshold, "iou_threshold"),
        _scalar(score_threshold, "score_threshold"),
    )
    sigma = _scalar(soft_nms_sigma, "soft_nms_sigma")
    places, kept, count = _suppressed_softly(boxes, scores, size, limit, lowest, sigma)
    return _first(places, count), _first(kept, count)


@function("image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: None = None,
) -> EagerTensor:
    """Takes the highest scores, and leaves out what overlaps one of them, given all overlaps.

    The scores are looked at, for they decide the shape of the result.

    Args:
        overlaps: float32 `[N, N]`.
        scores: float32 `[N]`.
        max_output_size: how many to take at most.
        overlap_threshold: the greatest overlap.
        score_threshold: what has a score that is not above it is left out.
        name: ignored.

    Returns:
        The positions that are taken, int32 of shape `[M]`, highest score first.

    Raises:
        InvalidArgumentError: if the shapes, the types or a number do not fit.

    >>> tf.image.non_max_suppression_overlaps([[1.0, 0.9], [0.9, 1.0]], [0.3, 0.7], 2).numpy()
    array([1], dtype=int32)
    """
    size = _size(max_output_size, "NonMaxSuppressionWithOverlaps")
    limit, lowest = (
        _scalar(overlap_threshold, "overlap_threshold"),
        _scalar(score_threshold, "score_threshold"),
    )
    overlaps = convert_to_tensor(overlaps, dtype_hint=float32)
    scores = convert_to_tensor(scores, dtype_hint=float32)
    places, count = _suppressed_by_overlaps(overlaps, scores, size, limit, lowest)
    return _first(places, count)


@function("image.non_max_suppression_padded")
def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[EagerTensor, EagerTensor]:
    """Takes the boxes with the highest scores, and leaves out those that overlap one of them.

    Other than with `tf.image.non_max_suppression`, an overlap of exactly `iou_threshold` is too
    much, and a threshold of 0 leaves nothing out. Beyond TensorFlow, boxes may be given by any two
    opposite corners, not all by the same ones.

    Args:
        boxes: a floating tensor of shape `[..., N, 4]`, each box `y1, x1, y2, x2`.
        scores: a tensor of shape `[..., N]` and the same type.
        max_output_size: how many boxes to take at most.
        iou_threshold: the greatest overlap, intersection over union.
        score_threshold: boxes whose score is not above it are left out.
        pad_to_max_output_size: fill the result up with zeros; needed for batches.
        name: ignored.
        sorted_input: the boxes are in the order of their scores already, the highest first.
        canonicalized_coordinates: `y1 <= y2` and `x1 <= x2`; it makes no difference here.
        tile_size: ignored.

    Returns:
        The positions of the boxes that are taken, int32 of shape `[..., max_output_size]`, highest
        score first, and how many there are, int32 of shape `[...]`.

    Raises:
        ValueError: if there is a batch but no padding, or the shapes do not fit.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 5.0, 1.0, 6.0]]
    >>> places, count = tf.image.non_max_suppression_padded(
    ...     boxes, [0.6, 0.9, 0.8], 4, pad_to_max_output_size=True)
    >>> places.numpy(), count.numpy()
    (array([1, 2, 0, 0], dtype=int32), np.int32(2))
    """
    boxes = convert_to_tensor(boxes, dtype_hint=float32)
    scores = convert_to_tensor(scores, dtype_hint=float32)
    if len(boxes.shape) > 2 and not pad_to_max_output_size:
        raise ValueError(
            f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched "
            "input"
        )
    size = int(frozen_value(convert(max_output_size, int32)))
    limit, lowest = float(frozen_value(iou_threshold)), float(frozen_value(score_threshold))
    places, count = _padded(boxes, scores, size, limit, lowest, bool(sorted_input))
    return (places if pad_to_max_output_size else _first(places, count)), count


@op("_non_max_suppression_padded", kernel="While", gradient=NotDifferentiable())
def _padded(
    boxes: TensorLike, scores: TensorLike, size: int, limit: float, lowest: float, ordered: bool
) -> tuple[jax.Array, jax.Array]:
    """Returns the positions of the boxes that are taken, with zeros behind, and their number."""
    if boxes.ndim < 2 or boxes.shape[-1] != 4 or boxes.shape[:-1] != scores.shape:
        raise ValueError(
            f"Boxes of shape [..., N, 4] need scores of shape [..., N]. Received: {boxes.shape} "
            f"and {scores.shape}"
        )
    if size < 0:
        raise invalid(falling_range(0, size))
    batch, count = scores.shape[:-1], scores.shape[-1]

    def one(box: jax.Array, score: jax.Array) -> tuple[jax.Array, jax.Array]:
        if ordered:
            falling = -jnp.arange(count, dtype=score.dtype)
            score = jnp.where(score > lowest, falling, -jnp.inf)
        # TensorFlow takes boxes of zeros for padding.
        score = jnp.where(jnp.any(box > 0, -1), score, -jnp.inf)
        least = -math.inf if ordered else lowest
        places, _, found = selected_boxes(
            box, score, size, limit or math.inf, least, included=False
        )
        return places, jnp.sum(found, dtype=np.int32)

    total = math.prod(batch)
    places, found = jax.vmap(one)(boxes.reshape((total, count, 4)), scores.reshape((total, count)))
    return places.reshape((*batch, size)), found.reshape(batch)


class CombinedNonMaxSuppression(NamedTuple):
    """What `tf.image.combined_non_max_suppression` returns."""

    nmsed_boxes: EagerTensor
    nmsed_scores: EagerTensor
    nmsed_classes: EagerTensor
    valid_detections: EagerTensor


@function("image.combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: None = None,
) -> CombinedNonMaxSuppression:
    """Takes for each class the boxes with the highest scores, and of these the highest of all.

    Args:
        boxes: float32 `[B, N, Q, 4]`, each `y1, x1, y2, x2`; `Q` is 1 (the same boxes for all
            classes) or the number of classes.
        scores: float32 `[B, N, classes]`.
        max_output_size_per_class: how many boxes to take at most of one class.
        max_total_size: how many boxes to return of one image, `T`.
        iou_threshold: the greatest overlap, intersection over union, of boxes of a class.
        score_threshold: boxes whose score is not above it are left out.
        pad_per_class: return no more than `max_output_size_per_class * classes` boxes.
        clip_boxes: replace coordinates outside of [0, 1] by 0 and 1.
        name: ignored.

    Returns:
        A named tuple: `nmsed_boxes`, float32 `[B, T, 4]`, highest score first; `nmsed_scores` and
        `nmsed_classes`, float32 `[B, T]`; and `valid_detections`, int32 `[B]`, how many there are:
        the rest are zeros.

    Raises:
        InvalidArgumentError: if the shapes, the types or a number do not fit.
        LookupError: if a gradient is asked for.

    >>> boxes = tf.constant([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.1, 1.0, 1.0]]]])
    >>> found = tf.image.combined_non_max_suppression(boxes, [[[0.9, 0.2], [0.8, 0.7]]], 2, 3)
    >>> found.nmsed_classes.numpy(), found.valid_detections.numpy()
    (array([[0., 1., 0.]], dtype=float32), array([2], dtype=int32))
    """
    sizes = [convert(size, int32).numpy() for size in (max_output_size_per_class, max_total_size)]
    for size, argument in zip(sizes, ("max_size_per_class", "max_total_size"), strict=True):
        if size.ndim:
            raise invalid(
                f"{argument} must be 0-D, got shape {shape_text(size.shape)} "
                "[Op:CombinedNonMaxSuppression]"
            )
    found = _combined(
        convert_to_tensor(boxes, dtype_hint=float32), convert_to_tensor(scores, dtype_hint=float32),
        int(sizes[0]), int(sizes[1]),
        float(frozen_value(iou_threshold)), float(frozen_value(score_threshold)),
        bool(pad_per_class), bool(clip_boxes),
    )  # fmt: skip
    return CombinedNonMaxSuppression(*found)


def _check_combined(boxes: Any, scores: Any, per_class: int, total: int, limit: float) -> None:
    for place, tensor in enumerate((boxes, scores)):
        if tensor.dtype != np.float32:
            given = as_dtype(tensor.dtype).kernel_name
            raise refused_input("CombinedNonMaxSuppression", place, "float", given)
    _check_combined_shapes(boxes, scores)
    if per_class <= 0:
        raise invalid("max_size_per_class must be positive")
    if total <= 0:
        raise invalid("max_total_size must be > 0")
    if not 0 <= limit <= 1:
        raise invalid(MESSAGE_IOU_THRESHOLD)


def _check_combined_shapes(boxes: Any, scores: Any) -> None:
    if boxes.shape[:1] != scores.shape[:1]:
        raise invalid("boxes and scores must have same batch size")
    if boxes.ndim != 4:
        raise invalid(f"boxes must be 4-D{shape_text(boxes.shape)}")
    if scores.ndim != 3:
        raise invalid(f"scores must be 3-D{shape_text(scores.shape)}")
    if boxes.shape[3] != 4:
        raise invalid(MESSAGE_BOXES)
    if boxes.shape[2] not in (1, scores.shape[2]):
        raise invalid("third dimension of boxes must be either 1 or num classes")
    if boxes.shape[1] != scores.shape[1]:
        raise invalid("scores has incompatible shape")


@op(
    "_combined_non_max_suppression",
    kernel="CombinedNonMaxSuppression",
    gradient=NoGradient("CombinedNonMaxSuppression"),
)
def _combined(
    boxes: FreeTensor,
    scores: FreeTensor,
    per_class: int,
    total: int,
    limit: float,
    lowest: float,
    pad_per_class: bool,
    clip: bool,
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Suppresses boxes of each class and merges the classes."""
    _check_combined(boxes, scores, per_class, total, limit)
    classes = scores.shape[2]
    if pad_per_class:
        total = min(total, per_class * classes)
    kept = min(per_class, boxes.shape[1])

    def of_class(box: jax.Array, score: jax.Array) -> tuple[jax.Array, jax.Array]:
        places, values, found = selected_boxes(box, score, kept, limit, lowest)
        return box[places], jnp.where(found, values, -jnp.inf)

    def of_image(box: jax.Array, score: jax.Array) -> tuple[jax.Array, ...]:
        box = jnp.broadcast_to(jnp.moveaxis(box, 1, 0), (classes, score.shape[0], 4))
        corners, values = jax.vmap(of_class)(box, score.T)
        missing = max(0, total - classes * kept)
        corners = jnp.pad(corners.reshape((-1, 4)), [(0, missing), (0, 0)])
        values = jnp.pad(values.ravel(), (0, missing), constant_values=-jnp.inf)
        kinds = jnp.repeat(jnp.arange(classes, dtype=np.float32), kept)
        kinds = jnp.pad(kinds, (0, missing))
        order = jnp.argsort(-values, stable=True)[:total]
        there = values[order] > -jnp.inf
        corners = jnp.clip(corners, 0, 1) if clip else corners
        return (
            jnp.where(there[:, None], corners[order], 0),
            jnp.where(there, values[order], 0),
            jnp.where(there, kinds[order], 0),
            jnp.sum(there, dtype=np.int32),
        )

    found: Any = jax.vmap(of_image)(boxes, scores)
    return found
