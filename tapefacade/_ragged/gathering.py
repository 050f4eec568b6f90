"""Elements of ragged tensors by their positions: `gather`, `gather_nd`, `where`, masks."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import handles
from tapefacade._core.error_texts import invalid, kernel_prefix, refused_type
from tapefacade._core.kernel_dtypes import INDICES
from tapefacade._core.string_arrays import StringTensor
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.argument_checks import subscript
from tapefacade._definition.op import function
from tapefacade._ops.array.gathering import gather as dense_gather, gather_nd as dense_gather_nd
from tapefacade._ops.array.selecting import boolean_mask as dense_boolean_mask, where as dense_where
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.debugging.values import assert_equal
from tapefacade._ops.math.comparison import equal
from tapefacade._ragged.broadcasting import broadcast, dense_or_ragged, operand, rank_of
from tapefacade._ragged.joining import not_uniform, with_rank
from tapefacade._ragged.partition import Array, nested_ragged, of_lengths
from tapefacade._ragged.rows import select
from tapefacade._ragged.tensor import RaggedTensor, length_of


def _checked(indices: EagerTensor, limit: int, kernel: str) -> Array:
    """Looks at positions, all of which have to be within the rows."""
    if indices.dtype.name not in INDICES:
        raise refused_type("Tindices", indices.dtype.kernel_name, INDICES)
    places = np.asarray(indices)
    bad = np.argwhere((places < 0) | (places >= limit))
    if len(bad):
        value = places[tuple(bad[0])]
        raise invalid(
            f"{kernel_prefix(kernel)}indices{subscript(bad[0])} = {value} is not in "
            f"[0, {limit}) [Op:{kernel.partition('_')[0]}] name: "
        )
    return places


def rows_at(params: Any, indices: Any) -> Any:
    """Gathers rows of a ragged or dense tensor, at positions that may be ragged themselves."""
    if isinstance(indices, RaggedTensor):
        return not_uniform(indices._make(rows_at(params, indices._values), indices._partition))
    if not isinstance(params, RaggedTensor):
        return dense_gather(params, indices, axis=0)
    rank = params.ragged_rank
    kernel = f"RaggedGather_OUTPUT_RAGGED_RANK_{rank}_PARAMS_RAGGED_RANK_{rank}"
    places = _checked(indices, length_of(params), kernel)
    if places.ndim == 0:
        return params[int(places)]
    rows = not_uniform(select(params, places.ravel()))
    if places.ndim == 1:
        return rows
    dtype = params._partition.splits.dtype
    partitions = with_rank(indices, places.ndim - 1, dtype)._partitions
    return not_uniform(nested_ragged(rows, partitions, RaggedTensor))


@handles(StringTensor, "gather")
def _texts_at(*args: Any, **kwargs: Any) -> Any:
    """Gathers texts at positions that may be ragged."""
    if any(isinstance(value, RaggedTensor) for value in (*args, *kwargs.values())):
        return gather(*args, **kwargs)
    return NotImplemented


@handles(StringTensor, "gather_nd")
def _texts_at_each(*args: Any, **kwargs: Any) -> Any:
    """Gathers texts at positions in several dimensions, which may be ragged."""
    if any(isinstance(value, RaggedTensor) for value in (*args, *kwargs.values())):
        return gather_nd(*args, **kwargs)
    return NotImplemented


@handles(RaggedTensor, "gather")
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: Any = 0,
    name: str | None = None,
) -> Any:
    """Takes slices at given positions along a dimension."""
    params, indices = dense_or_ragged(params), dense_or_ragged(indices)
    if batch_dims < 0:
        batch_dims += rank_of(indices)
    axis = batch_dims if axis is None else axis
    axis = axis + rank_of(params) if axis < 0 else axis
    if axis == 0:
        return rows_at(params, indices)
    dtype = (params if isinstance(params, RaggedTensor) else indices)._partition.splits.dtype
    if not isinstance(params, RaggedTensor):
        params = with_rank(params, min(axis, rank_of(params) - 1), dtype)
    return _along(params, indices, axis, batch_dims, dtype)


def _along(params: Any, indices: Any, axis: int, batch_dims: int, dtype: Any) -> Any:
    if not isinstance(params, RaggedTensor):
        return dense_gather(params, indices, axis=axis, batch_dims=batch_dims)
    if axis == 0:
        return rows_at(params, indices)
    partition = params._partition
    if batch_dims == 0:
        if axis > 1:
            inner = _along(params._values, indices, axis - 1, 0, dtype)
            return not_uniform(params._make(inner, partition))
        return _in_every_row(params, indices)
    if not isinstance(indices, RaggedTensor):
        if indices.shape.rank == 1:
            return _one_of_each(params, indices)
        indices = with_rank(indices, 1, dtype)
    _check_batch(params, indices)
    if batch_dims > 1 or axis > 1:
        inner = _along(params._values, indices._values, axis - 1, batch_dims - 1, dtype)
        return not_uniform(params._make(inner, indices._partition))
    starts = partition.splits[:-1][indices._partition.ids]
    below = _shifted(indices._values, starts)
    return not_uniform(indices._make(rows_at(params._values, below), indices._partition))


def _check_batch(params: RaggedTensor, indices: Any) -> None:
    if length_of(indices) != length_of(params):
        raise ValueError(
            f"batch shape from indices {indices.shape} does not match params shape {params.shape}"
        )


def _shifted(indices: Any, starts: Array) -> Any:
    """Adds to positions where their rows begin."""
    if isinstance(indices, RaggedTensor):
        return indices._make(
            _shifted(indices._values, starts[indices._partition.ids]), indices._partition
        )
    places = np.asarray(indices)
    return from_host(places + starts.reshape(-1, *[1] * (places.ndim - 1)))


def _one_of_each(params: RaggedTensor, indices: EagerTensor) -> Any:
    """Takes one element of each row."""
    _check_batch(params, indices)
    return rows_at(params._values, _shifted(indices, params._partition.splits[:-1]))


def _in_every_row(params: RaggedTensor, indices: Any) -> Any:
    """Takes elements at the same positions in every row."""
    starts = params._partition.splits[:-1]
    if isinstance(indices, RaggedTensor):
        count, partitions = len(starts), indices._partitions
        flat = np.asarray(indices.flat_values)
        below = from_host((starts[:, None] + flat).ravel())
        repeated = [of_lengths(np.tile(p.lengths, count), starts.dtype) for p in partitions]
        outer = of_lengths([partitions[0].nrows] * count, starts.dtype, partitions[0].nrows)
        return nested_ragged(rows_at(params._values, below), [outer, *repeated], RaggedTensor)
    places = np.asarray(indices)
    below = starts.reshape(-1, *[1] * places.ndim) + places
    return rows_at(params._values, from_host(below))


@handles(RaggedTensor, "gather_nd")
def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: Any = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    """Takes slices at positions in several dimensions."""
    if batch_dims:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    params, indices = dense_or_ragged(params), dense_or_ragged(indices)
    if isinstance(indices, RaggedTensor):
        if len(indices.flat_values._type.shape) < 2:
            raise ValueError("The innermost dimension of indices may not be ragged")
        return indices.with_flat_values(gather_nd(params, indices.flat_values))
    if not isinstance(params, RaggedTensor):
        return dense_gather_nd(params, indices)
    places = np.asarray(indices)
    if places.shape[-1] == 0 and places.ndim == 1:
        return params
    if places.ndim == 1:
        return params[tuple(int(p) for p in places)]
    found = _at(params, places.reshape(-1, places.shape[-1]))
    if places.ndim == 2:
        return found
    if isinstance(found, RaggedTensor):
        dtype = params._partition.splits.dtype
        return nested_ragged(
            found, with_rank(indices, places.ndim - 2, dtype)._partitions, RaggedTensor
        )
    return reshape(found, (*places.shape[:-1], *found._type.shape[1:]))


def _at(params: Any, places: Array) -> Any:
    """Takes what is at each row of positions."""
    row, rest = places[:, 0], places[:, 1:]
    if not isinstance(params, RaggedTensor):
        if not rest.shape[1]:
            return dense_gather(params, from_host(row))
        return dense_gather_nd(params, from_host(places))
    if not rest.shape[1]:
        return rows_at(params, from_host(row))
    _checked(from_host(row), length_of(params), "GatherV2")
    below = params._partition.splits[:-1][row] + rest[:, 0]
    return _at(params._values, np.concatenate([below[:, None], rest[:, 1:]], axis=1))


# Conditions.


@handles(RaggedTensor, "where")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Takes elements where a condition holds, or says where it does."""
    if (x is None) != (y is None):
        raise ValueError("x and y must be either both None or both non-None")
    if x is None:
        return _coordinates(condition)
    values = [value if isinstance(value, RaggedTensor) else None for value in (x, y)]
    like = next((value for value in values if value is not None), None)
    if like is None:
        other = next((v for v in (x, y) if hasattr(v, "dtype")), None)
        dtype = None if other is None else other.dtype
        x, y = convert(x, dtype), convert(y, dtype)
    else:
        x, y = _operand(x, like), _operand(y, like)
    return _selected(dense_or_ragged(condition), x, y)


def _operand(value: Any, like: RaggedTensor) -> Any:
    return dense_or_ragged(operand(value, like))


def _selected(condition: Any, x: Any, y: Any) -> Any:
    """Brings three values to one shape."""
    flat, partitions = broadcast(condition, x, y)
    return nested_ragged(dense_where(*flat), partitions, RaggedTensor)


def _coordinates(condition: RaggedTensor) -> EagerTensor:
    """Lists the positions at which a condition holds."""
    inner = np.argwhere(np.asarray(condition.flat_values))
    places, rest = inner[:, 0], inner[:, 1:]
    columns = []
    for partition in reversed(condition._partitions):
        rows = partition.ids[places]
        columns.append(places - partition.splits[rows])
        places = rows
    columns.append(places)
    return from_host(np.column_stack([*columns[::-1], rest]).astype(np.int64))


@function("ragged.boolean_mask")
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Keeps the elements at which a mask holds, in their rows.

    Args:
        data: a tensor or ragged tensor.
        mask: booleans, a tensor or ragged tensor; the shape of `data` begins with its shape.
        name: ignored.

    Returns:
        A ragged tensor of the rank of `data`; a tensor if `mask` is a vector and `data` dense.

    Raises:
        ValueError: if `mask` is a scalar, or its shape does not fit.

    >>> tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, True]])
    <tf.RaggedTensor [[1, 3], [6]]>
    """
    mask = mask if isinstance(mask, RaggedTensor) else convert(mask, dtypes.bool)
    data = dense_or_ragged(data)
    if rank_of(mask) == 0:
        raise ValueError("mask cannot be scalar.")
    return _masked(data, mask)


def _masked(data: Any, mask: Any) -> Any:
    if rank_of(mask) == 1:
        if not isinstance(data, RaggedTensor):
            return dense_boolean_mask(data, mask)
        return not_uniform(select(data, np.flatnonzero(np.asarray(mask))))
    dtype = next((v._partition for v in (mask, data) if isinstance(v, RaggedTensor)), None)
    numpy_dtype = np.int64 if dtype is None else dtype.splits.dtype
    data, mask = with_rank(data, 1, numpy_dtype), with_rank(mask, 1, numpy_dtype)
    partition = mask._partition
    if partition != data._partition:
        equal(partition.tensor, data._partition.tensor)
        assert_equal(partition.tensor, data._partition.tensor)
    if rank_of(mask) > 2:
        return not_uniform(data._make(_masked(data._values, mask._values), partition))
    kept = np.asarray(mask._values)
    sums = np.concatenate([[0], np.cumsum(kept)])
    lengths = np.diff(sums[partition.splits])
    return data._make(_masked(data._values, mask._values), of_lengths(lengths, numpy_dtype))
