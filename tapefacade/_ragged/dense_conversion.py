"""Between ragged and dense tensors: `from_tensor` and `to_tensor`."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.error_texts import (
    invalid,
    kernel_prefix,
    rank_too_low,
    shape_text,
    wrong_rank,
)
from tapefacade._core.operands import is_operand
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_type import type_of
from tapefacade._ops.array.creation import zeros
from tapefacade._ops.array.gathering import take as dense_take
from tapefacade._ops.array.joining import concat
from tapefacade._ops.array.shapes import shape as dense_shape
from tapefacade._ops.array.shaping import broadcast_to, expand_dims, reshape
from tapefacade._ragged.partition import (
    SPLITS_DTYPES,
    Array,
    Partition,
    nested_ragged,
    no_ragged_rank,
    of_lengths,
    of_uniform,
)
from tapefacade._trace.open_sizes import with_unknown_axes

if TYPE_CHECKING:
    from tapefacade._ragged.tensor import RaggedTensor


def take(values: Any, places: Array) -> EagerTensor:
    """Takes rows of a tensor at places that are known to be within it."""
    return dense_take(values, from_host(np.asarray(places)), 0)


# From dense to ragged.


def _from_lengths(cls: Any, tensor: EagerTensor, lengths: Any, dtype: Any) -> Any:
    """Keeps the first elements of each row."""
    lengths = convert_to_tensor(lengths, dtype_hint=dtype)
    if not lengths.dtype.is_integer:
        raise TypeError(
            "Argument `tensor` (name: lengths) must be of type integer. Received `tensor` = "
            f"{lengths.numpy()} of dtype: {lengths.dtype}"
        )
    if lengths.shape.rank != 1:
        raise ValueError(wrong_rank(lengths.shape, 1))
    rows, width = tensor._type.shape[:2]
    counts = np.clip(lengths._numpy_array(), 0, width)
    if len(counts) != rows:
        TensorShape([rows, width]).assert_is_compatible_with(TensorShape([len(counts), width]))
    places = np.flatnonzero(np.arange(width) < counts[:, None])
    return cls._make(take(merged_axes(tensor, 2), places), of_lengths(counts, dtype.as_numpy_dtype))


def merged_axes(tensor: EagerTensor, count: int) -> EagerTensor:
    """Merges the first axes of a tensor."""
    shape = tensor._type.shape
    return reshape(tensor, (math.prod(shape[:count]), *shape[count:]))


def _without_padding(tensor: EagerTensor, padding: Any) -> Array:
    """Counts for each row the elements up to the last one that is no padding."""
    padding = convert(padding, tensor.dtype)
    TensorShape(padding.shape).assert_is_compatible_with(tensor.shape[2:])
    rows, width = tensor._type.shape[:2]
    other = (
        np.asarray(tensor._numpy_array() != padding._numpy_array()).reshape(rows, width, -1).any(-1)
    )
    return np.where(other, np.arange(1, width + 1), 0).max(axis=1, initial=0)


def from_nested_lengths(cls: Any, tensor: EagerTensor, lengths: Any, dtype: Any) -> Any:
    """Keeps the first elements of each row, in several dimensions."""
    result: Any = tensor
    partitions = []
    for level in lengths:
        ragged = _from_lengths(cls, result, level, dtype)
        partitions.append(ragged._partition)
        result = ragged._values
    return nested_ragged(result, partitions, cls)


def _is_nested(lengths: Any) -> bool:
    return isinstance(lengths, list | tuple) and any(
        not isinstance(item, int | float | np.generic) for item in lengths
    )


def _check_from_tensor(tensor: EagerTensor, lengths: Any, padding: Any, ragged_rank: Any) -> None:
    rank = tensor.shape.rank
    assert rank is not None
    if rank <= 1:
        raise ValueError(
            "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't "
            f"have ragged dimensions. Received argument `tensor` with rank {rank}."
        )
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(no_ragged_rank(ragged_rank))
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    if rank <= ragged_rank:
        raise ValueError(rank_too_low(tensor.shape, ragged_rank + 1))


def from_dense(
    cls: Any, tensor: Any, lengths: Any, padding: Any, ragged_rank: Any, splits_dtype: Any
) -> Any:
    """Makes a ragged tensor of a dense one; see `from_tensor`."""
    dtype = dtypes.as_dtype(splits_dtype)
    tensor = convert(tensor)
    _check_from_tensor(tensor, lengths, padding, ragged_rank)
    if dtype not in SPLITS_DTYPES:
        dense_shape(tensor, dtype)
    if lengths is not None and _is_nested(lengths):
        return from_nested_lengths(cls, tensor, lengths, dtype)
    outer, inner = _outer_partitions(tensor, ragged_rank, dtype)
    if lengths is not None:
        return nested_ragged(_from_lengths(cls, inner, lengths, dtype), outer, cls)
    if padding is not None:
        counts = _without_padding(inner, padding)
        return nested_ragged(_from_lengths(cls, inner, from_host(counts), dtype), outer, cls)
    count, width = inner._type.shape[:2]
    last = of_uniform(width, count, dtype.as_numpy_dtype)
    return nested_ragged(merged_axes(inner, 2), [*outer, last], cls)


def _outer_partitions(
    tensor: EagerTensor, ragged_rank: int, dtype: Any
) -> tuple[list[Partition], EagerTensor]:
    """Returns uniform partitions for all ragged dimensions but the last, and what they divide."""
    shape = tensor._type.shape
    partitions = [
        of_uniform(shape[axis], math.prod(shape[:axis]), dtype.as_numpy_dtype)
        for axis in range(1, ragged_rank)
    ]
    return partitions, merged_axes(tensor, ragged_rank) if ragged_rank > 1 else tensor


# From ragged to dense.


def _refused(ragged: "RaggedTensor", message: str) -> Exception:
    kernel = f"RaggedTensorToTensor_num_row_partition_tensors_{ragged.ragged_rank}"
    return invalid(f"{kernel_prefix(kernel)}{message} [Op:RaggedTensorToTensor] name: ")


def _wanted_shape(ragged: "RaggedTensor", shape: Any) -> list[int | None]:
    """Reads the shape that the dense tensor shall have; None for as much as is needed."""
    rank = ragged._rank
    if is_operand(shape):
        shape = [None if n < 0 else int(n) for n in np.ravel(np.asarray(shape))]
    else:
        shape = TensorShape(shape)
        if shape.rank is None:
            return [None] * rank
        shape = shape.as_list()
    shown = "[" + ",".join("?" if n is None else str(n) for n in shape) + "]"
    together = f"rt_input.shape and shape={shown} are incompatible: rt_input"
    if len(shape) != rank:
        raise _refused(ragged, f"{together}.rank = {rank} but shape.rank = {len(shape)}")
    inner = ragged.flat_values._type.shape[1:]
    for axis, size in enumerate(inner, rank - len(inner)):
        if shape[axis] not in (None, size):
            text = f"{together}.shape[{axis}] = {size} but shape[{axis}] = {shape[axis]}"
            raise _refused(ragged, text)
    return shape


def _default(ragged: "RaggedTensor", value: Any) -> EagerTensor:
    """Converts the value of missing elements, and broadcasts it to what a flat value is."""
    flat = ragged.flat_values
    if value is None:
        return zeros(flat._type.shape[1:], flat.dtype)
    try:
        default = convert(value, flat.dtype)
    except ValueError as error:
        raise ValueError(f"default_value: {error}") from None
    have, need = default._type.shape, flat._type.shape
    prefix = f"default_value.shape={_shown(have)} and rt_input.flat_values.shape={_shown(need)} "
    if len(have) >= len(need):
        raise _refused(
            ragged,
            f"{prefix}are incompatible: default_value.rank = {len(have)}  must be less than "
            f"rt_input.flat_values.rank = {len(need)}",
        )
    for axis in range(-1, -len(have) - 1, -1):
        if have[axis] not in (1, need[axis]):
            raise _refused(
                ragged,
                f"{prefix}are incompatible: default_value.shape[{axis}] = {have[axis]} but "
                f"rt_input.flat_values.shape[{axis}] = {need[axis]}",
            )
    return broadcast_to(default, need[1:])


def _shown(shape: Any) -> str:
    return shape_text(shape)


def places_of(partitions: list[Partition], sizes: list[int | None]) -> Array:
    """Lays the positions of the flat values out in a dense array, -1 where there is none."""
    count = partitions[0].nrows
    outer = count if sizes[0] is None else sizes[0]
    type_of(
        (outer, *[size or 1 for size in sizes[1:]]), np.dtype(np.int64)
    )  # there is place for it
    places = np.full(outer, -1, np.int64)
    places[: min(count, outer)] = np.arange(min(count, outer))
    for partition, size in zip(partitions, sizes[1:], strict=False):
        lengths = partition.lengths
        if size is None:
            size = int(lengths.max(initial=0))
        # A row that is missing is the last of these, which is empty.
        starts, lengths = partition.splits, np.append(lengths, np.array(0, lengths.dtype))
        steps = np.arange(size)
        below = starts[places][..., None] + steps
        places = np.where(steps < lengths[places][..., None], below, -1)
    return places


def to_dense(ragged: "RaggedTensor", default_value: Any, shape: Any) -> EagerTensor:
    """Fills rows up to the length of the longest; see `to_tensor`."""
    partitions, flat = ragged._partitions, ragged.flat_values
    sizes = _wanted_shape(ragged, shape)
    default = _default(ragged, default_value)
    places = places_of(partitions, sizes)
    if places.size == flat._type.shape[0] and _in_order(places):
        rows = flat
    else:
        missing = places < 0
        if missing.any():
            flat = concat([flat, expand_dims(default, 0)], 0)
            places = np.where(missing, flat._type.shape[0] - 1, places)
        rows = take(flat, places.ravel())
    made = reshape(rows, (*places.shape, *flat._type.shape[1:]))
    pairs = enumerate(zip(partitions, sizes[1:], strict=False), 1)
    return with_unknown_axes(
        made, *[axis for axis, (one, size) in pairs if size is None and one.uniform is None]
    )


def _in_order(places: Array) -> bool:
    return bool(np.array_equal(places.ravel(), np.arange(places.size)))
