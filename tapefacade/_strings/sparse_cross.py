"""Combinations of the elements of rows, as sparse tensors: `tf.sparse.cross`."""

import itertools
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import below_minimum, invalid, kernel_prefix, shape_text
from tapefacade._core.string_arrays import string_tensor
from tapefacade._core.tensor import Tensor, from_host
from tapefacade._definition.op import function
from tapefacade._ops.array.casting import cast
from tapefacade._ragged.cross import as_text, hashes
from tapefacade._sparse.tensor import SparseTensor, row_major, sparse_at_places

KERNEL = "SparseCrossV2_N_{}_dense_types_{}_sparse_types_{}"


def _features(inputs: Any) -> list[list[list[Any]]]:
    """Returns the elements of each row of each input."""
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(value, SparseTensor | Tensor) for value in inputs):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    sparse = sum(isinstance(value, SparseTensor) for value in inputs)
    prefix = kernel_prefix(KERNEL.format(sparse, len(inputs) - sparse, sparse))
    found, size = [], None
    for place, value in enumerate(inputs):
        shape = value.shape.as_list()
        kind = "sparse" if isinstance(value, SparseTensor) else "dense"
        if len(shape) != 2:
            raise invalid(
                f"{prefix}{kind.capitalize()} inputs should be a matrix but received shape "
                f"{shape_text(shape)} at position {place} [Op:SparseCrossV2] name: "
            )
        size = shape[0] if size is None else size
        if shape[0] != size:
            raise invalid(
                f"{prefix}Expected batch size {size} got {shape[0]} at {kind} tensor {place} "
                "[Op:SparseCrossV2] name: "
            )
        found.append(_rows(value))
    return found


def _rows(value: Any) -> list[list[Any]]:
    values = value.values if isinstance(value, SparseTensor) else convert(value)
    if values.dtype is not dtypes.string:
        values = cast(values, dtypes.int64)
    elements = values.numpy().tolist()
    if not isinstance(value, SparseTensor):
        return elements
    rows: list[list[Any]] = [[] for _ in range(value._static[0])]
    places = value._located()
    for place in row_major(places).tolist():
        rows[places[place, 0]].append(elements[place])
    return rows


def _combined(inputs: Any) -> tuple[list[tuple[Any, ...]], np.ndarray[Any, Any], list[int]]:
    """Returns the combinations of all rows, their places, and the shape they fill."""
    features = _features(inputs)
    rows = [list(itertools.product(*parts)) for parts in zip(*features, strict=True)]
    places = [(row, column) for row, parts in enumerate(rows) for column in range(len(parts))]
    shape = [len(rows), max(map(len, rows), default=0)]
    array = np.array(places, np.int64).reshape(len(places), 2)
    return [parts for row in rows for parts in row], array, shape


@function("sparse.cross", on_values=True)
def cross(inputs: Any, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """Joins all combinations of the elements of rows.

    Args:
        inputs: a list of tensors and sparse tensors `[rows, columns]` of texts or numbers.
        name: ignored.
        separator: what stands between the parts, `_X_` by default.

    Returns:
        A sparse tensor of texts.

    Raises:
        TypeError: if the inputs are no list of tensors.
        InvalidArgumentError: if one is no matrix, or they differ in their number of rows.

    >>> tf.sparse.cross([tf.sparse.from_dense([["a", "b"]]), tf.constant([["c"]])]).values.numpy()
    array([b'a_X_c', b'b_X_c'], dtype=object)
    """
    between = "_X_" if separator is None else separator
    combinations, places, shape = _combined(inputs)
    texts = np.empty(len(combinations), object)
    texts[:] = [between.encode().join(map(as_text, parts)) for parts in combinations]
    return sparse_at_places(places, string_tensor(texts), shape)


@function("sparse.cross_hashed", on_values=True)
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Hashes all combinations of the elements of rows; see `tf.sparse.cross`.

    Args:
        inputs: a list of tensors and sparse tensors `[rows, columns]` of texts or numbers.
        num_buckets: the number of different results; 0 for all integers.
        hash_key: what the hash begins with.
        name: ignored.

    Returns:
        A sparse tensor of int64, as `tf.ragged.cross_hashed` computes them.

    Raises:
        TypeError: if the inputs are no list of tensors.
        InvalidArgumentError: if one is no matrix, or they differ in their number of rows.

    >>> tf.sparse.cross_hashed([tf.constant([["a"]]), tf.constant([["c"]])], 100).values.numpy()
    array([66])
    """
    if num_buckets < 0:
        raise invalid(below_minimum("num_buckets", num_buckets, 0))
    combinations, places, shape = _combined(inputs)
    return sparse_at_places(places, from_host(hashes(combinations, num_buckets, hash_key)), shape)
