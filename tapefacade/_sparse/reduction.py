"""What becomes of the rows of sparse tensors: `reduce_sum`, `reduce_max`, `softmax`."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import errors
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import kernel_prefix, shape_text
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import IndexLike, NoGradient, TensorLike, function, op
from tapefacade._ops.array.copying import stop_gradient
from tapefacade._ops.array.gathering import take
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.math.elementary import exp
from tapefacade._ops.math.segments import unsorted_segment_max, unsorted_segment_sum
from tapefacade._sparse.arrangement import kernel_error
from tapefacade._sparse.tensor import (
    SparseTensor,
    ravelled_places,
    sparse,
    sparse_at_places,
    unravelled_places,
)


class _Groups:
    """Which elements of a sparse tensor fall together when axes are reduced."""

    def __init__(self, given: SparseTensor, axis: Any, keepdims: Any) -> None:
        rank = len(given._static)
        axes = range(rank) if axis is None else np.atleast_1d(np.asarray(convert(axis))).tolist()
        gone = set()
        for one in axes:
            if not -rank <= one < rank:
                raise kernel_error(
                    "SparseReduceSum", f"Invalid reduction dimension {one}, for input with {rank} "
                    "dimensions.",
                )  # fmt: skip
            gone.add(one % rank)
        left = [i for i in range(rank) if i not in gone]
        self.kept = [given._static[i] for i in left]
        self.shape = [
            1 if i in gone else n for i, n in enumerate(given._static) if keepdims or i not in gone
        ]
        self.ids = ravelled_places(given._located()[:, left], self.kept)
        self.count = int(np.prod(self.kept, dtype=np.int64))


@function("sparse.reduce_sum")
def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Adds up the elements of a sparse tensor.

    Args:
        sp_input: a sparse tensor of numbers.
        axis: the axes to add up, an integer or a list; all if None.
        keepdims: whether these axes stay, with size 1.
        output_is_sparse: whether the result is sparse.
        name: ignored.

    Returns:
        A tensor, dense unless `output_is_sparse`.

    Raises:
        InvalidArgumentError: if an axis is out of range.

    >>> tf.sparse.reduce_sum(tf.sparse.from_dense([[1, 0], [2, 3]]), axis=1).numpy()
    array([1, 5], dtype=int32)
    """
    return _reduced(sp_input, axis, keepdims, output_is_sparse, "math.unsorted_segment_sum")


@op("_sparse_maxima", kernel="SparseReduceMax", gradient=NoGradient("SparseReduceMax"))
def _maxima(values: TensorLike, ids: IndexLike, count: int) -> jax.Array:
    """Takes the largest element of each group, 0 where there is none."""
    found = jax.ops.segment_max(values, ids, count)
    return jnp.where(jnp.bincount(ids, length=count) > 0, found, jnp.zeros_like(found))


@function("sparse.reduce_max")
def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Takes the largest of the elements of a sparse tensor; what it does not hold does not count.

    Args:
        sp_input: a sparse tensor of numbers.
        axis: the axes to reduce, an integer or a list; all if None.
        keepdims: whether these axes stay, with size 1.
        output_is_sparse: whether the result is sparse.
        name: ignored.

    Returns:
        A tensor, dense unless `output_is_sparse`; 0 where there is no element. It has no gradient.

    Raises:
        InvalidArgumentError: if an axis is out of range.

    >>> tf.sparse.reduce_max(tf.sparse.from_dense([[-1, 0], [2, 3]]), axis=1).numpy()
    array([-1,  3], dtype=int32)
    """
    return _reduced(sp_input, axis, keepdims, output_is_sparse, "")


def _reduced(given: Any, axis: Any, keepdims: Any, output_is_sparse: bool, segment: str) -> Any:
    if not isinstance(given, SparseTensor):
        given.indices  # noqa: B018  as TensorFlow fails
        given = sparse(given)
    groups = _Groups(given, axis, keepdims)
    ids, count, present = groups.ids, groups.count, groups.ids
    outside = (ids < 0) | (ids >= count)
    if outside.any():
        kernel = "SparseReduceSum" if segment else "SparseReduceMax"
        message = (
            f"{kernel_prefix(kernel)}Obtained a write index of {ids[outside][0]} which "
            f"is outside of bounds of [0, {count}) [Op:{kernel}] name: "
        )
        raise errors.InternalError(None, None, message)
    if output_is_sparse:
        present, ids = np.unique(ids, return_inverse=True)
        count = len(present)
    if segment:
        values = FUNCTIONS[segment](given.values, from_host(ids), count)
    else:
        values = _maxima(given.values, from_host(ids), count)
    if output_is_sparse:
        places = unravelled_places(present, groups.kept)
        if keepdims:
            places = _with_zeros(places, groups.shape, groups.kept)
        return sparse_at_places(places, values, groups.shape)
    return reshape(values, groups.shape)


def _with_zeros(
    places: np.ndarray[Any, Any], shape: Sequence[int], kept: Sequence[int]
) -> np.ndarray[Any, Any]:
    """Adds the column of zeros that each axis of size 1 has."""
    columns, rest = [], iter(places.T)
    left = len(kept)
    for size in shape:
        is_kept = left and (size != 1 or len(shape) - len(columns) == left)
        columns.append(next(rest) if is_kept else np.zeros(len(places), np.int64))
        left -= bool(is_kept)
    return np.stack(columns, axis=1)


@function("sparse.softmax")
def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Applies softmax to each row: its elements become positive and add up to 1.

    Args:
        sp_input: a floating sparse tensor `[..., rows, columns]` of rank 2 or more.
        name: ignored.

    Returns:
        A sparse tensor with elements at the same places.

    Raises:
        InvalidArgumentError: if the rank is less than 2.

    >>> tf.sparse.softmax(tf.sparse.from_dense([[1.0, 1.0], [0.0, 5.0]])).values.numpy()
    array([0.5, 0.5, 1. ], dtype=float32)
    """
    given = sparse(sp_input)
    shape = given._static
    if len(shape) < 2:
        raise kernel_error(
            "SparseSoftmax",
            f"Input should have rank >= 2, but received shape: {shape_text(shape).strip('[]')}",
        )
    ids = ravelled_places(given._located()[:, :-1], shape[:-1])
    present, ids = np.unique(ids, return_inverse=True)
    rows, count, values = from_host(ids), len(present), given.values
    largest = unsorted_segment_max(values, rows, count)
    shifted = values - take(stop_gradient(largest), rows, 0)
    powers = exp(shifted)
    totals = unsorted_segment_sum(powers, rows, count)
    return given.with_values(powers / take(totals, rows, 0))
