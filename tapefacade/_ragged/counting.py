"""Counts and partitions of the elements of ragged tensors, and lookups at ragged positions."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import handles
from tapefacade._core.tensor import from_host
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import ones_like
from tapefacade._ops.array.positions import bincount as dense_bincount
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.math.arithmetic import add_n as dense_add_n
from tapefacade._ops.math.segments import unsorted_segment_sum
from tapefacade._ops.nn.dropout import (
    dropout as dense_dropout,
    stateless_dropout as dense_stateless_dropout,
)
from tapefacade._ops.nn.embedding import embedding_lookup as dense_embedding_lookup
from tapefacade._ragged.mapping import check_same
from tapefacade._ragged.partition import nested
from tapefacade._ragged.segments import stack_dynamic_partitions
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._sparse.lookups import combined


@handles(RaggedTensor, "math.bincount")
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Any:
    """Counts how often each integer occurs, in all rows or in each of them."""
    flat = arr.flat_values
    weights = weights.flat_values if isinstance(weights, RaggedTensor) else weights
    if axis in (None, 0):
        return dense_bincount(
            flat, weights, minlength, maxlength, dtype, axis=axis, binary_output=binary_output
        )
    if axis != -1:
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    counts = dense_bincount(flat, None, minlength, maxlength)
    width, rows = counts._type.size, arr._partition
    values = np.asarray(flat)
    places = np.where(values < width, rows.ids * width + values, -1)
    ones = ones_like(flat) if weights is None else convert(weights)
    wanted = dtypes.as_dtype(dtype) if weights is None else ones.dtype
    ones = cast(ones, wanted)
    size = rows.nrows * width
    total = unsorted_segment_sum(ones, from_host(places), size)
    if binary_output:
        total = cast(total > 0, wanted)
    return reshape(total, (rows.nrows, width))


@handles(RaggedTensor, "dynamic_partition")
def dynamic_partition(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> list[Any]:
    """Sorts rows or elements into parts."""
    stacked = stack_dynamic_partitions(data, partitions, num_partitions)
    return [stacked[place] for place in range(int(np.asarray(num_partitions)))]


@handles(RaggedTensor, "nn.dropout")
def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: Any = None) -> Any:
    """Replaces elements by 0 at random."""
    if noise_shape is not None:
        raise ValueError("noise_shape is not supported yet for RaggedTensor x")
    return x.with_flat_values(dense_dropout(x.flat_values, rate, seed=seed))


@handles(RaggedTensor, "nn.experimental.stateless_dropout")
def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = None, noise_shape: Any = None, name: Any = None
) -> Any:
    """Replaces elements by 0 at random."""
    if noise_shape is not None:
        raise ValueError("noise_shape is not supported yet for RaggedTensor x")
    options = {} if rng_alg is None else {"rng_alg": rng_alg}
    return x.with_flat_values(dense_stateless_dropout(x.flat_values, rate, seed, **options))


@handles(RaggedTensor, "nn.embedding_lookup")
def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: Any = None) -> Any:
    """Takes a row of the parameters for each element."""
    if not isinstance(ids, RaggedTensor):
        return NotImplemented
    rows = dense_embedding_lookup(params, ids.flat_values, max_norm)
    return ids.with_flat_values(rows)


@handles(RaggedTensor, "nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: Any = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Combines the rows of the parameters for the elements of each row."""
    weights = None
    if sp_weights is not None:
        check_same([sp_ids, sp_weights])
        weights = sp_weights.flat_values
    rows = sp_ids._partition.ids
    return combined(params, sp_ids.flat_values, rows, weights, combiner or "mean", max_norm)


@handles(RaggedTensor, "math.add_n")
def add_n(inputs: Any, name: str | None = None) -> Any:
    """Adds tensors of the same partitions."""
    ragged = [value for value in inputs if isinstance(value, RaggedTensor)]
    partitions = check_same(ragged)
    flat = [value.flat_values if isinstance(value, RaggedTensor) else value for value in inputs]
    return nested(dense_add_n(flat), partitions, RaggedTensor)
