"""Sets in the rows of tensors: `tf.sets`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import shape_text
from tapefacade._core.string_arrays import text_tensor
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import function
from tapefacade._sparse.arrangement import kernel_error
from tapefacade._sparse.tensor import (
    SparseTensor,
    row_major,
    sparse,
    sparse_at_places,
    with_unknown_count,
)

TYPES = (
    dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16,
    dtypes.string,
)  # fmt: skip
Rows = dict[tuple[int, ...], list[Any]]


def _converted(a: Any, b: Any) -> tuple[Any, Any]:
    a = a if isinstance(a, SparseTensor) else convert(a)
    if a.dtype not in TYPES:
        names = ", ".join(repr(dtype) for dtype in TYPES)
        raise TypeError(
            f"'a' has invalid dtype `{a.dtype!s}` not in supported dtypes: "
            f"`frozenset({{{names}}})`."
        )
    b = b if isinstance(b, SparseTensor) else convert(b)
    if b.dtype is not a.dtype:
        raise TypeError(f"Types don't match, {a.dtype!s} vs {b.dtype!s}.")
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise ValueError(
            "If `a` is a SparseTensor, `b` must be a SparseTensor too: they may be given the other "
            "way round."
        )
    return a, b


def _rows(value: Any) -> tuple[Rows, tuple[int, ...]]:
    """Returns the elements of each row by its index, and the shape of the rows' indices."""
    if isinstance(value, SparseTensor):
        shape = value._static
        places, elements = value._located(), np.asarray(value.values._numpy_array())
        order = row_major(places)
        places, elements = places[order], elements[order]
    else:
        array = np.asarray(value._numpy_array())
        shape = array.shape
        places = np.stack([axis.ravel() for axis in np.indices(shape)], 1) if array.ndim else None
        elements = array.reshape(-1)
    if len(shape) < 2:
        raise kernel_error(
            "DenseToDenseSetOperation", f"Shape {shape_text(shape)} has rank "
            f"{len(shape)} < 2",
        )  # fmt: skip
    rows: Rows = {}
    for place, element in zip(places.tolist(), elements.tolist(), strict=True):  # type: ignore[union-attr]
        rows.setdefault(tuple(place[:-1]), []).append(element)
    return rows, tuple(shape[:-1])


def _operation(a: Any, b: Any, combine: Callable[[set[Any], set[Any]], set[Any]]) -> SparseTensor:
    a, b = _converted(a, b)
    (ours, shape), (theirs, other) = _rows(a), _rows(b)
    if shape != other:
        raise kernel_error(
            "DenseToDenseSetOperation",
            f"Mismatched group shapes {shape_text(shape)} vs. {shape_text(other)}",
        )
    places: list[Any] = []
    elements: list[Any] = []
    width = 0
    for row in sorted({*ours, *theirs}):
        found = sorted(combine(set(ours.get(row, ())), set(theirs.get(row, ()))))
        width = max(width, len(found))
        places += [(*row, column) for column in range(len(found))]
        elements += found
    if a.dtype is dtypes.string:
        values: Any = text_tensor(np.array(elements, object))
    else:
        values = from_host(np.array(elements, a.dtype.as_numpy_dtype))
    array = np.array(places, np.int64).reshape(len(places), len(shape) + 1)
    return with_unknown_count(sparse_at_places(array, values, (*shape, width)))


@function("sets.intersection")
def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Finds the elements that two rows have in common, for each pair of rows.

    Args:
        a: integers or texts `[..., columns]`, a tensor or sparse tensor; the last dimension holds
            the elements of a set.
        b: another one of the same dtype, alike in all dimensions but the last.
        validate_indices: accepted; the order of the elements does not matter.

    Returns:
        A sparse tensor of the sets, each in order.

    Raises:
        TypeError: if the dtypes differ or are not of integers or texts.
        InvalidArgumentError: if the shapes do not fit.

    >>> tf.sets.intersection([[1, 2, 3]], [[3, 4, 1]]).values.numpy()
    array([1, 3], dtype=int32)
    """
    return _operation(a, b, lambda x, y: x & y)


@function("sets.union")
def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Finds the elements that one of two rows has, for each pair; see `tf.sets.intersection`.

    Args:
        a: integers or texts `[..., columns]`, a tensor or sparse tensor.
        b: another one of the same dtype, alike in all dimensions but the last.
        validate_indices: accepted.

    Returns:
        A sparse tensor of the sets, each in order.

    >>> tf.sets.union([[1, 2]], [[2, 5]]).values.numpy()
    array([1, 2, 5], dtype=int32)
    """
    return _operation(a, b, lambda x, y: x | y)


@function("sets.difference")
def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """Finds the elements that only one of two rows has, for each pair; see `tf.sets.intersection`.

    Args:
        a: integers or texts `[..., columns]`, a tensor or sparse tensor.
        b: another one of the same dtype, alike in all dimensions but the last.
        aminusb: whether those of `a` are kept; else those of `b`.
        validate_indices: accepted.

    Returns:
        A sparse tensor of the sets, each in order.

    >>> tf.sets.difference([[1, 2, 3]], [[2]]).values.numpy()
    array([1, 3], dtype=int32)
    """
    return _operation(a, b, lambda x, y: x - y if aminusb else y - x)


@function("sets.size")
def size(a: Any, validate_indices: bool = True) -> Any:
    """Counts the different elements of each row.

    Args:
        a: a sparse tensor `[..., columns]` of integers or texts.
        validate_indices: accepted.

    Returns:
        An int32 tensor `[...]`.

    Raises:
        TypeError: if the argument is not sparse or of another dtype.

    >>> tf.sets.size(tf.sparse.from_dense([[1, 1], [2, 3]])).numpy()
    array([1, 2], dtype=int32)
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    if a.dtype not in TYPES:
        raise TypeError(f"Invalid dtype `{a.dtype!s}` not in supported dtypes: `{TYPES}`.")
    rows, shape = _rows(sparse(a))
    counts = np.zeros(shape, np.int32)
    for row, elements in rows.items():
        counts[row] = len(set(elements))
    return from_host(counts)
