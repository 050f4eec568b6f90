"""The tensors of parsed features: dense, padded, sparse and ragged."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.error_texts import incompatible_dimensions
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_shape import as_shape
from tapefacade._io import features as kinds
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._sparse.tensor import SparseTensor
from tapefacade._strings.arguments import Array, text_array

EMPTY_VALUES = {dtypes.string: b"", dtypes.float32: 0.0, dtypes.int64: 0}
Rows = Sequence[Sequence[Any]]


def tensor_of(values: Sequence[Any], dtype: dtypes.DType, shape: tuple[int, ...]) -> EagerTensor:
    """Makes a dense tensor of its values, row by row."""
    if dtype is dtypes.string:
        return text_array(values, shape)
    return from_host(np.array(values, dtype._numpy).reshape(shape))


def sizes_of(shape: Any) -> tuple[int, ...]:
    """Returns the sizes of a shape that is known."""
    return tuple([size or 0 for size in as_shape(shape).as_list()])


def integers(values: Any, dtype: dtypes.DType = dtypes.int64) -> EagerTensor:
    """Makes a vector of integers."""
    return from_host(np.array(values, dtype._numpy).reshape(-1))


def sparse_of(indices: Array, values: Sequence[Any], dtype: dtypes.DType, shape: Any) -> Any:
    """Makes a sparse tensor."""
    return SparseTensor(
        from_host(indices.astype(np.int64)),
        tensor_of(values, dtype, (len(values),)),
        integers(shape),
    )


def sparse_rows(rows: Rows, dtype: dtypes.DType, batched: bool) -> Any:
    """Makes the sparse tensor of rows of values; of one only, if they are no batch."""
    values = [value for row in rows for value in row]
    columns = np.array([k for row in rows for k in range(len(row))], np.int64)
    if not batched:
        return sparse_of(columns[:, None], values, dtype, [len(values)])
    numbers = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    indices = np.stack([numbers, columns], axis=1)
    return sparse_of(indices, values, dtype, [len(rows), max(map(len, rows), default=0)])


def sparse_feature(
    feature: kinds.SparseFeature, indices: Sequence[Rows], values: Rows, batched: bool
) -> Any:
    """Makes the sparse tensor whose indices and values are features.

    Args:
        feature: its description.
        indices: for each dimension, the indices in each example.
        values: the values in each example.
        batched: whether there is a dimension of examples.

    Raises:
        TypeError: if there is no size for each dimension.
        ValueError: if there are not as many indices as values.
    """
    sizes = feature.size
    if isinstance(feature.index_key, list | tuple):
        if not isinstance(sizes, list | tuple):
            raise TypeError(
                f"vocab_size has to be a list of Tensors or Python ints. Found {type(sizes)}"
            )
        if len(sizes) != len(feature.index_key):
            raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    else:
        sizes = [sizes]
    flat = [value for row in values for value in row]
    columns = [[i for row in rows for i in row] for rows in indices]
    for column in columns:
        if len(column) != len(flat):
            raise ValueError(incompatible_dimensions(len(column), len(flat)))
    shape = [int(size) for size in sizes]
    if batched:
        numbers = [k for k, row in enumerate(values) for _ in row]
        columns, shape = [numbers, *columns], [len(values), *shape]
    places = np.array(columns, np.int64).reshape(len(columns), len(flat)).T
    if not feature.already_sorted:
        order = np.lexsort(places.T[::-1])
        places, flat = places[order], [flat[k] for k in order]
    return sparse_of(places, flat, dtypes.as_dtype(feature.dtype), shape)


def ragged_feature(
    feature: kinds.RaggedFeature, values: Rows, partitions: dict[str, Rows], batched: bool
) -> Any:
    """Makes the ragged tensor of a feature.

    Args:
        feature: its description.
        values: the values in each example.
        partitions: by name, the features that cut them, in each example.
        batched: whether there is a dimension of examples.
    """
    flat = [value for row in values for value in row]
    made: Any = tensor_of(flat, feature.dtype, (len(flat),))
    counts = [len(row) for row in values]
    splits = feature.row_splits_dtype
    for partition in reversed(feature.partitions):
        if isinstance(partition, kinds.UniformRowLength):
            length = int(partition.length)
            made = RaggedTensor.from_uniform_row_length(made, integers([length], splits)[0])
            counts = [count // length if length else 0 for count in counts]
            continue
        rows = partitions[partition.key]
        lengths = [_lengths(partition, row, n) for row, n in zip(rows, counts, strict=True)]
        every = integers([n for row in lengths for n in row], splits)
        made = RaggedTensor.from_row_lengths(made, every, validate=feature.validate)
        counts = [len(row) for row in lengths]
    if batched:
        made = RaggedTensor.from_row_lengths(made, integers(counts, splits), validate=False)
    return made


def _lengths(partition: Any, given: Sequence[int], count: int) -> list[int]:
    """Returns how long the rows of one example are.

    Args:
        partition: the kind of partition.
        given: the values of the feature that cuts.
        count: how many values are cut.
    """
    if isinstance(partition, kinds.RowLengths):
        return list(given)
    if isinstance(partition, kinds.ValueRowIds):
        return np.bincount(np.array(given, np.int64)).tolist()
    edges = list(given)
    if isinstance(partition, kinds.RowStarts):
        edges = [*edges, count]
    elif isinstance(partition, kinds.RowLimits):
        edges = [0, *edges]
    return [b - a for a, b in itertools.pairwise(edges)]
