"""Sums of embeddings: `tf.nn.embedding_lookup_sparse`."""

from typing import Any

import numpy as np

from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor, HandOver
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import function
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import zeros_like
from tapefacade._ops.array.gathering import take
from tapefacade._ops.array.selecting import where as dense_where
from tapefacade._ops.array.shaping import reshape as dense_reshape
from tapefacade._ops.array.sorting import unique as dense_unique
from tapefacade._ops.math.division import divide_no_nan
from tapefacade._ops.math.elementary import sqrt
from tapefacade._ops.math.histograms import unsupported_axis
from tapefacade._ops.math.segments import unsorted_segment_sum
from tapefacade._ops.nn.embedding import embedding_lookup
from tapefacade._sparse.arrangement import fill_empty_rows, reshape, retain
from tapefacade._sparse.tensor import SparseTensor, sparse, sparse_at_places

COMBINERS = ("mean", "sqrtn", "sum")


@function("nn.embedding_lookup_sparse", dispatch=True)
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Looks up the embeddings of the ids in each row of a sparse tensor and combines them.

    Args:
        params: the embeddings, `[ids, ...]`, or a list with one such tensor.
        sp_ids: the ids, a sparse tensor `[rows, columns]` of integers; no row may be empty.
        sp_weights: a factor for each id, a sparse tensor with elements at the same places, or None.
        combiner: "sum", "mean" (the sum divided by that of the weights), which is the default, or
            "sqrtn" (the sum divided by the root of the sum of the squared weights).
        max_norm: the largest norm of an embedding; longer ones are scaled down.
        name: ignored.
        allow_fast_lookup: accepted.

    Returns:
        A tensor `[rows, ...]`. Its gradient for `params` is a `tf.IndexedSlices`.

    Raises:
        TypeError: if the ids are not sparse.
        ValueError: if the combiner is unknown.

    >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 1], [2, 2])
    >>> tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum").numpy()
    array([[4., 6.],
           [3., 4.]], dtype=float32)
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    if isinstance(sp_ids, CompositeTensor) and not isinstance(sp_ids, SparseTensor):
        raise HandOver(sp_ids)
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    segments = sp_ids._located()[:, 0]
    weights = None if sp_weights is None else sparse(sp_weights).values
    return combined_embeddings(params, sp_ids.values, segments, weights, combiner, max_norm)


def combined_embeddings(
    params: Any,
    ids: Any,
    segments: np.ndarray[Any, Any],
    weights: Any,
    combiner: str,
    max_norm: float | None,
) -> Any:
    """Looks up embeddings and combines those of each segment."""
    unique, places = dense_unique(ids)
    embeddings = embedding_lookup(params, unique, max_norm=max_norm)
    rows = take(embeddings, places, 0)
    count = int(segments[-1]) + 1 if len(segments) else 0
    where = from_host(np.ascontiguousarray(segments, np.int64))
    tail = [1] * (len(rows.shape) - 1)
    if weights is None:
        counts = np.bincount(segments, minlength=count).astype(rows.dtype.as_numpy_dtype)
        total = from_host(counts)
        squares = total
    else:
        weights = cast(weights, rows.dtype)
        rows = rows * dense_reshape(weights, [-1, *tail])
        total, squares = (
            unsorted_segment_sum(weights, where, count),
            unsorted_segment_sum(weights * weights, where, count),
        )
    sums = unsorted_segment_sum(rows, where, count)
    if combiner == "sum":
        return sums
    divisor = total if combiner == "mean" else sqrt(squares)
    return divide_no_nan(sums, dense_reshape(divisor, [-1, *tail]))


@function("nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Looks up embeddings as `tf.nn.embedding_lookup_sparse`; ids may be invalid, rows empty.

    Args:
        embedding_weights: the embeddings, `[ids, ...]`, or a list with one such tensor.
        sparse_ids: the ids, a sparse tensor `[..., columns]`; negative ones are left out.
        sparse_weights: a factor for each id, likewise, or None; ids with a factor of 0 or less are
            left out, unless the combiner is "sum".
        combiner: "mean", "sqrtn" or "sum".
        default_id: the id that a row without ids has; such a row is zero if None.
        max_norm: the largest norm of an embedding.
        name: ignored.
        allow_fast_lookup: accepted.

    Returns:
        A tensor `[..., the dimensions of an embedding]`.

    Raises:
        ValueError: if there are no embeddings, or the combiner is unknown.

    >>> ids = tf.SparseTensor([[0, 0], [2, 0]], [1, -1], [3, 1])
    >>> tf.nn.safe_embedding_lookup_sparse(tf.constant([[1.0], [5.0]]), ids).numpy()
    array([[5.],
           [0.],
           [0.]], dtype=float32)
    """
    given = sparse(sparse_ids)
    weights = None if sparse_weights is None else sparse(sparse_weights)
    shape = given._static
    flat_shape = [int(np.prod(shape[:-1], dtype=np.int64)), shape[-1]]
    ids = reshape(given, flat_shape)
    valid = np.asarray(ids.values._numpy_array()) >= 0
    if weights is not None:
        weights = reshape(weights, flat_shape)
        if combiner != "sum":
            valid = valid & (np.asarray(weights.values._numpy_array()) > 0)
        weights = retain(weights, valid)
    ids = retain(ids, valid)
    ids, empty = fill_empty_rows(ids, default_id or 0)
    if weights is not None:
        weights, _ = fill_empty_rows(weights, 1.0)
    result = embedding_lookup_sparse(embedding_weights, ids, weights, combiner, max_norm)
    tail = result.shape.as_list()[1:]
    if default_id is None:
        keep = dense_reshape(empty, [-1] + [1] * len(tail))
        result = dense_where(keep, zeros_like(result), result)
    return dense_reshape(result, [*shape[:-1], *tail])


@function("sparse.bincount")
def bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Counts how often each number occurs, and keeps only the numbers that do.

    Args:
        values: non-negative integers, a tensor or sparse tensor.
        weights: what each of them counts, of the same shape, or None.
        axis: None or 0 to count all together, -1 to count each row.
        minlength: the least size of the last dimension.
        maxlength: numbers of this size and more are left out.
        binary_output: 1 for a number that occurs, however often.
        name: ignored.

    Returns:
        A sparse tensor `[numbers]` or `[rows, numbers]`: int32 (int64 for values of int64), or of
        the dtype of the weights.

    Raises:
        ValueError: if the axis is another one, or weights are given for a binary output.

    >>> tf.sparse.to_dense(tf.sparse.bincount([1, 1, 3])).numpy()
    array([0, 2, 0, 1], dtype=int32)
    """
    if axis not in (None, 0, -1):
        raise ValueError(unsupported_axis(axis))
    if binary_output and weights is not None:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive.")
    numbers, rows, count, factors, dtype = _counted(values, weights, axis)
    kept = numbers >= 0 if maxlength is None else (numbers >= 0) & (numbers < maxlength)
    width = max(int(numbers.max(initial=-1)) + 1, minlength or 0)
    width = width if maxlength is None else min(width, maxlength)
    flat, where = np.unique(rows[kept] * max(width, 1) + numbers[kept], return_inverse=True)
    if factors is None:
        totals = np.bincount(where, minlength=len(flat)).astype(dtype)
        sums = from_host(np.minimum(totals, 1) if binary_output else totals)
    else:
        taken = take(factors, from_host(np.flatnonzero(kept)), 0)
        sums = unsorted_segment_sum(taken, from_host(where), len(flat))
    places = np.stack(np.divmod(flat, max(width, 1)), axis=1)
    if axis is None or count is None:
        return sparse_at_places(places[:, 1:], sums, [width])
    return sparse_at_places(places, sums, [count, width])


def _counted(values: Any, weights: Any, axis: int | None) -> tuple[Any, ...]:
    """Returns the numbers, the row of each, how many rows, what each counts, and the dtype."""
    if isinstance(values, SparseTensor):
        numbers = np.asarray(values.values._numpy_array())
        by_row = axis == -1 and len(values._static) == 2
        rows = values._located()[:, 0] if by_row else np.zeros(len(numbers), np.int64)
        count = values._static[0] if by_row else None
        factors = None if weights is None else sparse(weights).values
    else:
        array = np.asarray(convert(values)._numpy_array())
        by_row = axis == -1 and array.ndim == 2
        rows = np.repeat(np.arange(len(array)), array.shape[1]) if by_row else None
        numbers = array.reshape(-1)
        rows = np.zeros(len(numbers), np.int64) if rows is None else rows
        count = len(array) if by_row else None
        factors = None if weights is None else dense_reshape(weights, [-1])
    dtype = np.int64 if numbers.dtype == np.int64 else np.int32
    return numbers.astype(np.int64), rows, count, factors, dtype
