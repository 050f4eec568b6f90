"""From dense to sparse and back: `from_dense`, `to_dense`, `to_indicator`, `eye`."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import handles
from tapefacade._core.error_texts import invalid, kernel_prefix, refused_type, shape_text
from tapefacade._core.kernel_dtypes import INDICES
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import function
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.creation import fill, ones as dense_ones, zeros
from tapefacade._ops.array.gathering import gather_nd
from tapefacade._ops.array.scattering import tensor_scatter_nd_update
from tapefacade._ops.math.reduction import reduce_prod
from tapefacade._sparse.tensor import (
    SparseTensor,
    ravelled_places,
    sparse,
    sparse_at_places,
    with_unknown_count,
)

MESSAGE_ORDER = (
    "{} is out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to "
    "create a correctly ordered copy.\n\n"
)


@function("sparse.from_dense")
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Makes a sparse tensor of the elements that are not zero.

    Looks at the tensor, for its values decide how many elements there are.

    Args:
        tensor: a tensor of any dtype; of texts, the empty ones are left out.
        name: ignored.

    Returns:
        A sparse tensor, row by row.

    >>> tf.sparse.from_dense([0, 3, 4]).indices.numpy()
    array([[1],
           [2]])
    """
    dense = convert(tensor)
    array = dense._numpy_array()
    places = np.argwhere(array != (b"" if dense.dtype is dtypes.string else 0))
    found = sparse_at_places(places, gather_nd(dense, from_host(places)), dense._type.shape)
    return with_unknown_count(found)


@function("sparse.to_dense")
def to_dense(
    sp_input: Any,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Makes the dense tensor that a sparse one stands for.

    Args:
        sp_input: a sparse tensor.
        default_value: the value of all other elements, a scalar; zero, False or "" if None.
        validate_indices: whether places that repeat or are out of order are errors.
        name: ignored.

    Returns:
        A tensor of the shape and dtype of `sp_input`.

    Raises:
        TypeError: if the input is not sparse.
        InvalidArgumentError: if a place is out of range, and with `validate_indices` if the places
            are not in the order of the elements.

    >>> tf.sparse.to_dense(tf.SparseTensor([[1]], [5], [3])).numpy()
    array([0, 5, 0], dtype=int32)
    """
    given = sparse(sp_input)
    _check_places(given, validate_indices, "SparseToDense")
    if default_value is None:
        whole = zeros(given._static, given.dtype)
    else:
        whole = fill(given._static, convert(default_value, given.dtype))
    return tensor_scatter_nd_update(whole, given.indices, given.values)


def _check_places(given: SparseTensor, ordered: bool, kernel: str) -> None:
    places, shape = given._located(), given._static
    inside = ((places >= 0) & (places < np.array(shape, np.int64))).all(axis=1)
    prefix, suffix = kernel_prefix(kernel), f" [Op:{kernel}] name: "
    if not inside.all():
        first = int(np.flatnonzero(~inside)[0])
        if not ordered:
            raise invalid(
                f"{prefix}Indices are not valid (out of bounds).  Shape: "
                f"{shape_text(shape)}{suffix}"
            )
        raise invalid(
            f"{prefix}indices[{first}] = {shape_text(places[first].tolist())} is out of bounds: "
            "need "
            f"0 <= index < {shape_text(shape)}{suffix}"
        )
    if not ordered or len(places) < 2:
        return
    steps = np.diff(ravelled_places(places, shape))
    if (steps > 0).all():
        return
    first = int(np.flatnonzero(steps <= 0)[0])
    shown = f"indices[{first + 1}] = {shape_text(places[first + 1].tolist())}"
    if steps[first] == 0:
        raise invalid(f"{prefix}{shown} is repeated{suffix}")
    raise invalid(f"{prefix}{MESSAGE_ORDER.format(shown)}{suffix}")


@function("sparse.to_indicator")
def to_indicator(sp_input: Any, vocab_size: int, name: str | None = None) -> Any:
    """Makes a dense tensor of booleans: which numbers occur in each row.

    Args:
        sp_input: a sparse tensor of integers.
        vocab_size: how many numbers there are: 0 up to it.
        name: ignored.

    Returns:
        A bool tensor, whose last dimension is `vocab_size`.

    Raises:
        TypeError: if the input is not sparse.

    >>> rows = tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1])
    >>> tf.sparse.to_indicator(rows, 3).numpy()
    array([[False, False,  True],
           [ True, False, False]])
    """
    given = sparse(sp_input)
    numbers = given.values._numpy_array().astype(np.int64)
    whole = np.zeros((*given._static[:-1], vocab_size), bool)
    rows = given._located()[:, :-1]
    whole[(*rows.T, numbers)] = True
    return from_host(whole)


@function("sparse.eye")
def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> SparseTensor:
    """Makes a sparse identity matrix.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns, by default that of rows.
        dtype: the dtype.
        name: ignored.

    Returns:
        A sparse tensor `[num_rows, num_columns]`, 1 on the diagonal.

    >>> tf.sparse.to_dense(tf.sparse.eye(2)).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    rows = int(num_rows)
    columns = rows if num_columns is None else int(num_columns)
    diagonal = np.arange(min(rows, columns))
    ones = dense_ones([len(diagonal)], dtype)
    return sparse_at_places(np.stack([diagonal, diagonal], axis=1), ones, (rows, columns))


@handles(SparseTensor, "shape")
def _shape(input: Any, out_type: Any = None, name: Any = None) -> Any:
    dtype = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    if dtype.name not in INDICES:
        raise refused_type("out_type", dtype.kernel_name, INDICES)
    return cast(input.dense_shape, dtype)


@handles(SparseTensor, "size")
def _size(input: Any, out_type: Any = dtypes.int32, name: Any = None) -> Any:
    return cast(reduce_prod(input.dense_shape), out_type)


@handles(SparseTensor, "rank")
def _rank(input: Any, name: Any = None) -> Any:
    return from_host(np.array(len(input._static), np.int32))
