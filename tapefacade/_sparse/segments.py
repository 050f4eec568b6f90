"""Sums of some rows of a tensor by segment: `segment_sum`, `segment_mean`, `segment_sqrt_n`."""

from typing import Any

import numpy as np

from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import invalid
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import function
from tapefacade._ops.array.gathering import gather, take
from tapefacade._ops.math.segments import unsorted_segment_sum


def _segmented(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any, sparse_gradient: bool, kernel: str
) -> tuple[Any, np.ndarray[Any, Any]]:
    """Returns the sums of the segments, and how many rows each has."""
    ids = np.asarray(convert(segment_ids)).astype(np.int64)
    if (np.diff(ids) < 0).any():
        raise invalid(f"segment ids are not increasing [Op:{kernel}] name: ")
    found = int(ids[-1]) + 1 if len(ids) else 0
    count = found if num_segments is None else int(num_segments)
    if found > count:
        raise invalid(f"segment ids must be < num_segments [Op:{kernel}] name: ")
    data = data if hasattr(data, "_type") else convert(data)
    places = np.asarray(convert(indices))
    bad = np.flatnonzero((places < 0) | (places >= data._type.shape[0]))
    if len(bad):
        raise invalid(
            f"Segment id {places[bad[0]]} out of range [0, {data._type.shape[0]}) [Op:{kernel}] "
            "name: "
        )
    chosen = from_host(places)
    rows = gather(data, chosen) if sparse_gradient else take(data, chosen, 0)
    sums = unsorted_segment_sum(rows, from_host(ids), count)
    return sums, np.bincount(ids, minlength=count)


def _divided(sums: Any, divisors: np.ndarray[Any, Any]) -> Any:
    shape = [len(divisors)] + [1] * (len(sums.shape) - 1)
    wide = np.maximum(divisors, 1).astype(sums.dtype.as_numpy_dtype)
    return sums / from_host(wide.reshape(shape))


@function("sparse.segment_sum")
def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Adds up rows of a tensor, segment by segment.

    Args:
        data: a tensor of rank 1 or more.
        indices: which rows to take, `[n]`.
        segment_ids: the segment of each of them, `[n]`, increasing.
        num_segments: how many segments there are; by default as many as occur.
        name: ignored.
        sparse_gradient: whether the gradient for `data` is a `tf.IndexedSlices`.

    Returns:
        A tensor with one row for each segment; zeros where there is none.

    Raises:
        InvalidArgumentError: if the ids do not increase or a position is out of range.

    >>> tf.sparse.segment_sum([[1], [2], [3]], [0, 2], [0, 0]).numpy()
    array([[4]], dtype=int32)
    """
    return _segmented(
        data, indices, segment_ids, num_segments, sparse_gradient, "SparseSegmentSum"
    )[0]


@function("sparse.segment_mean")
def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Averages rows of a tensor, segment by segment; see `tf.sparse.segment_sum`.

    Args:
        data: a floating tensor of rank 1 or more.
        indices: which rows to take, `[n]`.
        segment_ids: the segment of each of them, `[n]`, increasing.
        num_segments: how many segments there are; by default as many as occur.
        name: ignored.
        sparse_gradient: whether the gradient for `data` is a `tf.IndexedSlices`.

    Returns:
        A tensor with one row for each segment; zeros where there is none.

    >>> tf.sparse.segment_mean([[1.0], [2.0], [3.0]], [0, 2], [0, 0]).numpy()
    array([[2.]], dtype=float32)
    """
    kernel = "SparseSegmentMean"
    return _divided(*_segmented(data, indices, segment_ids, num_segments, sparse_gradient, kernel))


@function("sparse.segment_sqrt_n")
def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Adds up rows by segment and divides by the root of their number; see `tf.sparse.segment_sum`.

    Args:
        data: a floating tensor of rank 1 or more.
        indices: which rows to take, `[n]`.
        segment_ids: the segment of each of them, `[n]`, increasing.
        num_segments: how many segments there are; by default as many as occur.
        name: ignored.
        sparse_gradient: whether the gradient for `data` is a `tf.IndexedSlices`.

    Returns:
        A tensor with one row for each segment; zeros where there is none.

    >>> tf.sparse.segment_sqrt_n([[1.0], [2.0], [3.0]], [0, 2], [0, 0]).numpy()
    array([[2.828427]], dtype=float32)
    """
    kernel = "SparseSegmentSqrtN"
    sums, counts = _segmented(data, indices, segment_ids, num_segments, sparse_gradient, kernel)
    return _divided(sums, np.sqrt(counts))
