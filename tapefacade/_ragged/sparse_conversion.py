"""Between ragged and sparse tensors: `from_sparse` and `to_sparse`."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.error_texts import invalid
from tapefacade._core.tensor import from_host
from tapefacade._ops.array.shaping import reshape
from tapefacade._ragged.partition import of_lengths
from tapefacade._sparse.tensor import SparseTensor

if TYPE_CHECKING:
    from tapefacade._ragged.tensor import RaggedTensor


def from_sparse(cls: Any, st_input: Any, row_splits_dtype: Any) -> Any:
    """Makes a ragged tensor of the elements of a sparse one; see `RaggedTensor.from_sparse`."""
    if not isinstance(st_input, SparseTensor):
        raise TypeError(
            "Argument `st_input` must be of type SparseTensor, but is of type "
            f"{type(st_input).__name__}."
        )
    shape = st_input.dense_shape.numpy()
    if len(shape) != 2:
        raise ValueError("rank(st_input) must be 2.")
    indices = np.asarray(st_input.indices)
    rows, columns = indices[:, 0], indices[:, 1]
    lengths = np.bincount(rows, minlength=int(shape[0]))
    starts = np.cumsum(lengths) - lengths
    ordered = bool((np.diff(rows) >= 0).all())
    if not ordered or (columns != np.arange(len(rows)) - starts[rows]).any():
        shown = ", ".join(str(n) for n in indices.ravel()[:3])
        raise invalid(
            "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
            "b'SparseTensor is not right-ragged'\nb'SparseTensor.indices ='\n"
            f"{shown}{', ...' if indices.size > 3 else ''}"
        )
    dtype = dtypes.as_dtype(row_splits_dtype).as_numpy_dtype
    return cls._make(st_input.values, of_lengths(lengths, dtype))


def to_sparse(ragged: "RaggedTensor") -> SparseTensor:
    """Lists the elements and their places; see `RaggedTensor.to_sparse`."""
    flat = ragged.flat_values
    inner = flat._type.shape[1:]
    places = np.indices(flat._type.shape).reshape(1 + len(inner), -1)
    rows, columns = places[0], list(places[1:])
    for partition in reversed(ragged._partitions):
        above = partition.ids[rows]
        columns.insert(0, rows - partition.splits[above])
        rows = above
    indices = np.stack([rows, *columns], axis=1).astype(np.int64)
    values = reshape(flat, (-1,)) if inner else flat
    bounds = ragged.bounding_shape(out_type=dtypes.int64)
    return SparseTensor(from_host(indices), values, bounds)
