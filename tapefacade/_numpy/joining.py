"""Tensors joined and taken apart: `concatenate`, `stack`, `hstack`, `split`, `append`."""

from typing import Any

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._definition.op import function
from tapefacade._numpy.promotion import as_tensor, is_tensor_like, promoted
from tapefacade._numpy.shaping import atleast_1d, atleast_2d, atleast_3d, ravel
from tapefacade._ops.array import joining
from tapefacade._ops.array.indexing import getitem


@function("experimental.numpy.concatenate")
def concatenate(arys: Any, axis: Any = 0) -> Any:
    """Joins tensors along one of their dimensions.

    Args:
        arys: a list of tensors whose shapes differ in that dimension at most.
        axis: the dimension.

    Returns:
        A tensor of the common dtype.

    Raises:
        ValueError: if there is no tensor.
        InvalidArgumentError: if the shapes do not fit.

    >>> tf.experimental.numpy.concatenate([[1, 2], [3.5]]).numpy()
    array([1. , 2. , 3.5])
    """
    if not isinstance(arys, list | tuple):
        arys = [arys]
    if not arys:
        raise ValueError(
            f"Need at least one array to concatenate. Received empty input: arys={arys}"
        )
    values = promoted(*arys)
    if len(values) == 1 and values[0].ndim == 0:
        return values[0]
    return joining.concat(values, axis)


@function("experimental.numpy.stack")
def stack(arrays: Any, axis: Any = 0) -> Any:
    """Joins tensors of one shape along a new dimension.

    Args:
        arrays: a list of tensors, or a tensor, which is taken apart along its first dimension.
        axis: where the new dimension is in the result.

    Returns:
        A tensor of the common dtype.

    Raises:
        ValueError: if `axis` is out of range.
        InvalidArgumentError: if the shapes differ.

    >>> tf.experimental.numpy.stack([1, 2.5]).numpy()
    array([1. , 2.5])
    """
    if is_tensor_like(arrays):
        value = as_tensor(arrays)
        return value if axis == 0 else joining.stack(joining.unstack(value), axis)
    values = promoted(*arrays)
    return joining.stack(values, axis) if values else convert_to_tensor([])


def _apart(tup: Any) -> list[Any]:
    return joining.unstack(tup) if is_tensor_like(tup) else list(tup)


@function("experimental.numpy.hstack")
def hstack(tup: Any) -> Any:
    """Joins tensors side by side: along the second dimension, vectors along the only one.

    Args:
        tup: a list of tensors.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not fit.

    >>> tf.experimental.numpy.hstack([[1, 2], [3]]).numpy()
    array([1, 2, 3])
    """
    values = [atleast_1d(value) for value in _apart(tup)]
    return concatenate(values, 0 if values and values[0].ndim == 1 else 1)


@function("experimental.numpy.vstack")
def vstack(tup: Any) -> Any:
    """Joins tensors one below the other: along the first dimension, vectors as rows.

    Args:
        tup: a list of tensors.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not fit.

    >>> tf.experimental.numpy.vstack([[1, 2], [3, 4]]).numpy()
    array([[1, 2],
           [3, 4]])
    """
    return concatenate([atleast_2d(value) for value in _apart(tup)], 0)


@function("experimental.numpy.dstack")
def dstack(tup: Any) -> Any:
    """Joins tensors along the third dimension.

    Args:
        tup: a list of tensors.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not fit.

    >>> tf.experimental.numpy.dstack([[1, 2], [3, 4]]).numpy()
    array([[[1, 3],
            [2, 4]]])
    """
    return concatenate([atleast_3d(value) for value in _apart(tup)], 2)


@function("experimental.numpy.append")
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Joins two tensors along a dimension.

    Args:
        arr: a tensor or what converts to one.
        values: what comes after it.
        axis: the dimension; by default both are flattened.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not fit.

    >>> tf.experimental.numpy.append([1, 2], 3).numpy()
    array([1, 2, 3])
    """
    parts = [as_tensor(arr), as_tensor(values)]
    if axis is None:
        return concatenate([ravel(part) for part in parts])
    return concatenate(parts, axis)


# Taken apart.


def _at_boundaries(value: Any, boundaries: Any, axis: Any) -> list[Any]:
    if is_tensor_like(boundaries):
        boundaries = boundaries.numpy()
    before = (slice(None),) * (axis % value.ndim)
    pieces, start = [], 0
    for place, end in enumerate(boundaries):
        if end < start:
            raise ValueError(
                f"The {place}-th boundary {end} is smaller than the previous boundary {start}"
            )
        pieces.append(getitem(value, (*before, slice(start, int(end)))))
        start = int(end)
    return [*pieces, getitem(value, (*before, slice(start, None)))]


@function("experimental.numpy.split")
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Any]:
    """Takes a tensor apart along a dimension.

    Args:
        ary: a tensor or what converts to one.
        indices_or_sections: how many equal parts, or a list of the places where parts begin.
        axis: the dimension.

    Returns:
        A list of tensors.

    Raises:
        InvalidArgumentError: if the parts would not be equal.
        ValueError: if the places do not increase.

    >>> [part.numpy() for part in tf.experimental.numpy.split([1, 2, 3, 4], [1, 3])]
    [array([1]), array([2, 3]), array([4])]
    """
    value = as_tensor(ary)
    if isinstance(indices_or_sections, int):
        return joining.split(value, indices_or_sections, axis)
    return _at_boundaries(value, indices_or_sections, axis)


@function("experimental.numpy.hsplit")
def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Takes a tensor apart along the second dimension, a vector along its only one.

    Args:
        ary: a tensor or what converts to one.
        indices_or_sections: how many equal parts, or a list of the places where parts begin.

    Returns:
        A list of tensors.

    Raises:
        InvalidArgumentError: if the parts would not be equal.

    >>> [part.numpy() for part in tf.experimental.numpy.hsplit([[1, 2], [3, 4]], 2)]
    [array([[1],
           [3]]), array([[2],
           [4]])]
    """
    value = as_tensor(ary)
    return split(value, indices_or_sections, 1 if value.ndim > 1 else 0)


@function("experimental.numpy.vsplit")
def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Takes a tensor apart along the first dimension.

    Args:
        ary: a tensor or what converts to one.
        indices_or_sections: how many equal parts, or a list of the places where parts begin.

    Returns:
        A list of tensors.

    Raises:
        InvalidArgumentError: if the parts would not be equal.

    >>> [part.numpy() for part in tf.experimental.numpy.vsplit([[1, 2], [3, 4]], 2)]
    [array([[1, 2]]), array([[3, 4]])]
    """
    return split(ary, indices_or_sections, 0)


@function("experimental.numpy.dsplit")
def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Takes a tensor apart along the third dimension.

    Args:
        ary: a tensor of three dimensions or more.
        indices_or_sections: how many equal parts, or a list of the places where parts begin.

    Returns:
        A list of tensors.

    Raises:
        IndexError: if there is no third dimension.
        InvalidArgumentError: if the parts would not be equal.

    >>> [part.numpy() for part in tf.experimental.numpy.dsplit([[[1, 2]]], 2)]
    [array([[[1]]]), array([[[2]]])]
    """
    value = as_tensor(ary)
    if value.ndim < 3:
        raise IndexError("tuple index out of range")
    return split(value, indices_or_sections, 2)
