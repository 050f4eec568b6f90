"""The same elements at other places: `reorder`, `transpose`, `reshape`, `slice`, `retain`, ..."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import incompatible_dimensions, invalid, kernel_prefix, shape_text
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import function
from tapefacade._ops.array.copying import stop_gradient
from tapefacade._ops.array.creation import fill
from tapefacade._ops.array.gathering import gather, take
from tapefacade._ops.array.joining import concat as dense_concat
from tapefacade._sparse.tensor import (
    SparseTensor,
    ravelled_places,
    row_major,
    sparse,
    sparse_at_places,
    unravelled_places,
)


def taken_values(values: Any, order: np.ndarray[Any, Any]) -> Any:
    """Returns the elements in another order, or some of them."""
    if len(order) == values._type.size and (order == np.arange(len(order))).all():
        return values
    return take(values, from_host(np.ascontiguousarray(order, np.int64)), 0)


def sorted_rows(places: np.ndarray[Any, Any], values: Any, shape: Sequence[int]) -> SparseTensor:
    """Makes a sparse tensor whose elements follow each other row by row."""
    order = row_major(places)
    return sparse_at_places(places[order], taken_values(values, order), shape)


def kernel_error(kernel: str, message: str) -> Exception:
    """Makes the error of a kernel."""
    return invalid(f"{kernel_prefix(kernel)}{message} [Op:{kernel}] name: ")


@function("sparse.reorder")
def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Sorts the elements row by row, the order that most functions on sparse tensors need.

    Args:
        sp_input: a sparse tensor.
        name: ignored.

    Returns:
        A sparse tensor of the same elements at the same places.

    Raises:
        TypeError: if the input is not sparse.

    >>> tf.sparse.reorder(tf.SparseTensor([[1], [0]], [5, 6], [2])).values.numpy()
    array([6, 5], dtype=int32)
    """
    given = sparse(sp_input)
    return sorted_rows(given._located(), given.values, given._static)


@function("sparse.transpose")
def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Puts the axes of a sparse tensor into another order.

    Args:
        sp_input: a sparse tensor.
        perm: the axes in their new order; reversed if None.
        name: ignored.

    Returns:
        A sparse tensor, row by row.

    Raises:
        ValueError: if `perm` has a wrong length.

    >>> tf.sparse.transpose(tf.sparse.from_dense([[1, 2], [0, 3]])).values.numpy()
    array([1, 2, 3], dtype=int32)
    """
    given = sparse(sp_input)
    rank = len(given._static)
    axes = list(range(rank))[::-1] if perm is None else np.asarray(convert(perm)).tolist()
    if len(axes) != rank:
        raise ValueError(incompatible_dimensions(len(axes), rank))
    shape = [given._static[axis] for axis in axes]
    return sorted_rows(given._located()[:, axes], given.values, shape)


@function("sparse.reshape")
def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Gives a sparse tensor another shape of as many elements.

    Args:
        sp_input: a sparse tensor.
        shape: the new shape, where one size may be -1 for what is left.
        name: ignored.

    Returns:
        A sparse tensor of the same elements in the same order.

    Raises:
        InvalidArgumentError: if the shapes do not agree.

    >>> tf.sparse.reshape(tf.sparse.eye(2), [4]).indices.numpy()
    array([[0],
           [3]])
    """
    given = sparse(sp_input)
    old, new = given._static, np.asarray(convert(shape)).astype(np.int64).tolist()
    size = int(np.prod(old, dtype=np.int64))
    known = int(np.prod([n for n in new if n != -1], dtype=np.int64))
    if new.count(-1) > 1:
        raise kernel_error("SparseReshape", "only one output dimension may be -1, not both")
    if -1 in new and (known == 0 or size % known):
        raise kernel_error(
            "SparseReshape",
            f"Input to reshape is a SparseTensor with {size} dense values, but the requested shape "
            f"requires a multiple of {known}. input_shape={shape_text(old)} "
            f"output_shape={shape_text(new)}",
        )
    result = [size // known if n == -1 else n for n in new]
    if int(np.prod(result, dtype=np.int64)) != size:
        raise kernel_error(
            "SparseReshape",
            f"Input to reshape is a tensor with {size} dense values, but the requested shape has "
            f"{known}. input_shape={shape_text(old)} output_shape={shape_text(new)}",
        )
    places = unravelled_places(ravelled_places(given._located(), old), result)
    return sparse_at_places(places, given.values, result)


@function("sparse.slice")
def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """Takes a block out of a sparse tensor.

    Args:
        sp_input: a sparse tensor of rank n.
        start: the first index of the block in each dimension, n integers.
        size: its size in each dimension; what lies outside of the tensor is left out.
        name: ignored.

    Returns:
        A sparse tensor of the shape of the block.

    Raises:
        InvalidArgumentError: if `start` or `size` is no vector of n numbers.

    >>> tf.sparse.slice(tf.sparse.eye(3), [1, 1], [2, 1]).dense_shape.numpy()
    array([2, 1])
    """
    given = sparse(sp_input)
    shape = np.array(given._static, np.int64)
    first, wanted = (np.asarray(convert(value)).astype(np.int64) for value in (start, size))
    for title, value in (("start", first), ("size", wanted)):
        if value.shape != shape.shape:
            raise invalid(
                f"Expected {title} to be a vector of length {len(shape)} but got length "
                f"{value.size}"
            )
    sizes = np.clip(wanted, 0, np.maximum(shape - first, 0))
    places = given._located()
    inside = ((places >= first) & (places < first + sizes)).all(axis=1)
    kept = np.flatnonzero(inside)
    return sparse_at_places(places[kept] - first, taken_values(given.values, kept), sizes.tolist())


@function("sparse.retain")
def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Keeps some of the elements.

    Args:
        sp_input: a sparse tensor of n elements.
        to_retain: which to keep, `[n]`, bool.

    Returns:
        A sparse tensor of the same shape.

    Raises:
        ValueError: if `to_retain` has another length.

    >>> tf.sparse.retain(tf.sparse.from_dense([1, 2]), [False, True]).values.numpy()
    array([2], dtype=int32)
    """
    given = sparse(sp_input)
    chosen = np.asarray(convert(to_retain))
    count = len(given._located())
    if chosen.shape != (count,):
        raise ValueError(incompatible_dimensions(count, chosen.size))
    kept = np.flatnonzero(chosen)
    values = gather(given.values, from_host(kept))
    return sparse_at_places(given._located()[kept], values, given._static)


@function("sparse.expand_dims")
def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Adds a dimension of size 1.

    Args:
        sp_input: a sparse tensor of rank n.
        axis: where it is in the result, -n - 1 up to n; -1, the last, if None.
        name: ignored.

    Returns:
        A sparse tensor of rank n + 1.

    Raises:
        InvalidArgumentError: if `axis` is out of range.

    >>> tf.sparse.expand_dims(tf.sparse.eye(2), 0).dense_shape.numpy()
    array([1, 2, 2])
    """
    given = sparse(sp_input)
    rank = len(given._static)
    place = -1 if axis is None else int(axis)
    place = place + rank + 1 if place < 0 else place
    if not 0 <= place <= rank:
        raise invalid(
            f"{kernel_prefix('Slice')}Expected size[1] in [0, {rank}], but got {place} [Op:Slice]"
        )
    shape = [*given._static[:place], 1, *given._static[place:]]
    return sparse_at_places(np.insert(given._located(), place, 0, axis=1), given.values, shape)


@function("sparse.reset_shape")
def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """Gives a sparse tensor another shape and leaves the elements where they are.

    Args:
        sp_input: a sparse tensor.
        new_shape: the shape, nowhere smaller than the old one; the smallest that holds all
            elements if None.

    Returns:
        A sparse tensor of the same elements at the same places.

    Raises:
        ValueError: if the new shape is smaller, or of another rank.

    >>> tf.sparse.reset_shape(tf.sparse.eye(2, 9)).dense_shape.numpy()
    array([2, 2])
    """
    given = sparse(sp_input)
    places, old = given._located(), given._static
    if new_shape is None:
        shape = (places.max(axis=0) + 1).tolist() if len(places) else [0] * len(old)
        return sparse_at_places(places, given.values, shape)
    shape = np.asarray(convert(new_shape)).astype(np.int64).tolist()
    if len(shape) != len(old):
        raise ValueError(incompatible_dimensions(len(old), len(shape)))
    if any(n < m for n, m in zip(shape, old, strict=True)):
        raise ValueError(
            "Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape "
            f"({np.array(old)}), sp_input.shape ({np.array(shape)})."
        )
    return sparse_at_places(places, given.values, shape)


@function("sparse.concat")
def concat(
    axis: int, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Joins sparse tensors along one of their dimensions. It has no gradient.

    Args:
        axis: the dimension.
        sp_inputs: a list of sparse tensors of one dtype and rank.
        expand_nonconcat_dims: whether the other dimensions may differ; the largest counts.
        name: ignored.

    Returns:
        A sparse tensor, row by row.

    Raises:
        TypeError: if an input is not sparse.
        InvalidArgumentError: if another dimension differs.

    >>> both = tf.sparse.concat(0, [tf.sparse.eye(1), tf.sparse.eye(1)])
    >>> tf.sparse.to_dense(both).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    inputs = [sparse(one) for one in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    rank = len(inputs[0]._static)
    if not -rank <= axis < rank:
        message = f"Concat dimension must be in range [{-rank}, {rank}), got {axis}"
        raise kernel_error(f"SparseConcat_N_{len(inputs)}", message)
    place = axis + rank if axis < 0 else axis
    shape = list(inputs[0]._static)
    for number, one in enumerate(inputs[1:], start=1):
        for i, size in enumerate(one._static):
            if i != place and size != shape[i] and not expand_nonconcat_dims:
                raise kernel_error(
                    f"SparseConcat_N_{len(inputs)}",
                    f"Input shapes must match: expected {shape[i]} for dimension {i} but got "
                    f"{size} at position {number}",
                )
            shape[i] = max(shape[i], size)
    places, offset = [], 0
    for one in inputs:
        moved = one._located().copy()
        moved[:, place] += offset
        offset += one._static[place]
        places.append(moved)
    shape[place] = offset
    values = stop_gradient(dense_concat([one.values for one in inputs], 0))
    return sorted_rows(np.concatenate(places), values, shape)


@function("sparse.split")
def split(
    sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """Cuts a sparse tensor into pieces along one dimension.

    Beyond TensorFlow's, the pieces are differentiable.

    Args:
        sp_input: a sparse tensor.
        num_split: how many pieces; the first are larger by one where they cannot be equal.
        axis: the dimension.
        name: ignored.

    Returns:
        A list of sparse tensors.

    Raises:
        ValueError: if an argument is missing.

    >>> [part.dense_shape.numpy().tolist() for part in tf.sparse.split(tf.sparse.eye(3), 2, 0)]
    [[2, 3], [1, 3]]
    """
    for label, value in (("num_split", num_split), ("axis", axis), ("sp_input", sp_input)):
        if value is None:
            raise ValueError(f"{label} is required")
    given = sparse(sp_input)
    place, parts = int(axis) % len(given._static), int(num_split)
    size, places = given._static[place], given._located()
    each, larger = divmod(size, parts)
    pieces, begin = [], 0
    for number in range(parts):
        width = each + (number < larger)
        kept = np.flatnonzero((places[:, place] >= begin) & (places[:, place] < begin + width))
        moved = places[kept]
        moved[:, place] -= begin
        shape = [*given._static[:place], width, *given._static[place + 1 :]]
        pieces.append(sparse_at_places(moved, taken_values(given.values, kept), shape))
        begin += width
    return pieces


@function("sparse.fill_empty_rows")
def fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> Any:
    """Puts one element at the beginning of each row that has none.

    Args:
        sp_input: a sparse tensor `[rows, columns]`.
        default_value: the element, a scalar of the same dtype.
        name: ignored.

    Returns:
        A sparse tensor, row by row, and a bool vector that tells which rows were empty.

    Raises:
        TypeError: if the input is not sparse.

    >>> filled, empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 0]], [5], [2, 2]), 0)
    >>> tf.sparse.to_dense(filled).numpy().tolist(), empty.numpy().tolist()
    ([[0, 0], [5, 0]], [True, False])
    """
    given = sparse(sp_input)
    places = given._located()
    is_empty = np.ones(given._static[0], bool)
    is_empty[places[:, 0]] = False
    added = np.zeros((int(is_empty.sum()), len(given._static)), np.int64)
    added[:, 0] = np.flatnonzero(is_empty)
    value = convert(default_value, given.dtype)
    values = dense_concat([given.values, fill([len(added)], value)], 0)
    every = np.concatenate([places, added])
    order = np.argsort(every[:, 0], kind="stable")
    filled = sparse_at_places(every[order], taken_values(values, order), given._static)
    return filled, from_host(is_empty)


@function("sparse.mask")
def mask(a: Any, mask_indices: Any, name: str | None = None) -> Any:
    """Leaves out some rows of a `tf.IndexedSlices`.

    Args:
        a: the `tf.IndexedSlices`.
        mask_indices: the positions of the rows to leave out.
        name: ignored.

    Returns:
        A `tf.IndexedSlices`.

    >>> rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 5]), [6, 1])
    >>> tf.sparse.mask(rows, [5]).indices.numpy()
    array([0], dtype=int32)
    """
    indices = np.asarray(convert(a.indices))
    kept = from_host(np.flatnonzero(~np.isin(indices, np.asarray(convert(mask_indices)))))
    return type(a)(gather(a.values, kept), gather(convert(a.indices), kept), a.dense_shape)
