"""`tf.ragged.constant`: ragged tensors of nested Python lists."""

import operator
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import constant as dense_constant
from tapefacade._definition.op import function
from tapefacade._ragged.partition import SPLITS_DTYPES, Partition, nested_ragged, of_lengths
from tapefacade._ragged.tensor import RaggedTensor


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | range) or (
        isinstance(value, np.ndarray) and value.ndim > 0
    )


def _scalar_depth(value: Any) -> int | None:
    """Returns how deep numbers and texts are nested, None if there are none.

    Raises:
        ValueError: if that differs within the value.
    """
    if not _is_list(value):
        return 0
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.ndim if value.size else None
    depths = {_scalar_depth(item) for item in value} - {None}
    if len(depths) > 1:
        raise ValueError("all scalar values must have the same nesting depth")
    return 1 + depths.pop() if depths else None  # type: ignore[operator]


def _list_depth(value: Any) -> int:
    """Returns how deep lists are nested."""
    if not _is_list(value):
        return 0
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.ndim if value.size else int(np.count_nonzero(np.cumprod(value.shape))) + 1
    return 1 + max((_list_depth(item) for item in value), default=0)


def _inner_shape(value: Any, ragged_rank: int) -> tuple[int, ...]:
    """Returns the shape that what lies below the ragged dimensions has.

    Raises:
        ValueError: if it differs.
    """

    def below(item: Any, depth: int) -> tuple[int, ...] | None:
        if depth:
            found = [shape for part in item if (shape := below(part, depth - 1)) is not None]
            return _same(found)
        if not _is_list(item):
            return ()
        inner = [below(part, 0) for part in item]
        return (len(item), *(_same(inner) or ()))

    shape = below(value, ragged_rank + 1)
    return shape or ()


def _same(shapes: list[Any]) -> Any:
    if any(shape != shapes[0] for shape in shapes):
        raise ValueError("inner values have inconsistent shape")
    return shapes[0] if shapes else None


def _check_depths(
    scalar_depth: int | None, list_depth: int, ragged_rank: int | None, inner_shape: Any
) -> None:
    if scalar_depth is not None and list_depth > scalar_depth:
        raise ValueError("Invalid pylist: empty list nesting is greater than scalar value nesting")
    if ragged_rank is None:
        return
    if ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank}: must be nonnegative")
    if scalar_depth is not None and scalar_depth < ragged_rank + 1:
        raise ValueError(
            f"pylist has scalar values depth {scalar_depth}, but ragged_rank={ragged_rank} "
            f"requires scalar value depth greater than {ragged_rank}"
        )


def _ranks(
    pylist: Any, scalar_depth: int | None, list_depth: int, ragged_rank: Any, inner_shape: Any
) -> tuple[int, tuple[int, ...]]:
    """Decides how many dimensions are ragged, and the shape of what lies below them."""
    if inner_shape is not None:
        inner_shape = tuple(inner_shape)
        if ragged_rank is None:
            return max(list_depth - 1 - len(inner_shape), 0), inner_shape
        if scalar_depth is not None and scalar_depth != ragged_rank + 1 + len(inner_shape):
            raise ValueError(
                f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank} and "
                f"dim(inner_shape)={len(inner_shape)}"
            )
        return ragged_rank, inner_shape
    if ragged_rank is None:
        return list_depth - 1, ()
    return ragged_rank, _inner_shape(pylist, ragged_rank)


def _integers(value: Any) -> Any:
    """Replaces NumPy's integers, which within lists are like Python's to TensorFlow."""
    if isinstance(value, np.integer) or (
        isinstance(value, np.ndarray) and value.dtype.kind in "iu"
    ):
        return value.tolist()
    if _is_list(value) and not (isinstance(value, np.ndarray) and value.dtype != object):
        return [_integers(item) for item in value]
    return value


@function("ragged.constant")
def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """Makes a ragged tensor of nested Python lists.

    Args:
        pylist: nested lists, tuples or arrays; all numbers and texts in it are nested as deep.
        dtype: the dtype, by default that of `tf.constant` for the same values.
        ragged_rank: the number of ragged dimensions, by default as many as possible.
        inner_shape: the shape of what lies below the ragged dimensions.
        name: ignored.
        row_splits_dtype: int32 or int64.

    Returns:
        A ragged tensor; a tensor if there is no ragged dimension.

    Raises:
        ValueError: if values are nested differently, or `ragged_rank` or `inner_shape` does not
            go with them.
        TypeError: if values cannot have `dtype`.

    >>> tf.ragged.constant([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>
    >>> tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1).shape
    TensorShape([2, None, 2])
    """
    splits_dtype = dtypes.as_dtype(row_splits_dtype)
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if not _is_list(pylist):
        if ragged_rank:
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}"
            )
        if inner_shape:
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with dim(inner_shape)={len(inner_shape)}"
            )
        return dense_constant(pylist, dtype)
    if ragged_rank is not None:
        operator.index(ragged_rank)  # raises for what is no integer
    scalar_depth, list_depth = _scalar_depth(pylist), _list_depth(pylist)
    _check_depths(scalar_depth, list_depth, ragged_rank, inner_shape)
    pylist = _integers(pylist)
    if ragged_rank == 0 and inner_shape is None:
        return dense_constant(pylist, dtype)
    rank, inner = _ranks(pylist, scalar_depth, list_depth, ragged_rank, inner_shape)
    partitions, values = _partitioned(pylist, rank, splits_dtype)
    if not rank and inner_shape is None:
        return dense_constant(pylist, dtype)
    shape = (len(values), *inner) if rank else inner
    flat = dense_constant(values, dtype, shape if inner or inner_shape is not None else None)
    return nested_ragged(flat, partitions, RaggedTensor)


def _partitioned(pylist: Any, rank: int, dtype: dtypes.DType) -> tuple[list[Partition], Any]:
    """Takes nested lists apart: the partitions, and the values one after the other."""
    partitions, values = [], pylist
    for _ in range(rank):
        if dtype not in SPLITS_DTYPES:
            raise ValueError("row_splits must have dtype int32 or int64")
        partitions.append(of_lengths([len(row) for row in values], dtype.as_numpy_dtype))
        values = [value for row in values for value in row]
    return partitions, values
