"""Elements chosen by conditions: `where`, `boolean_mask`, `dynamic_partition`, `dynamic_stitch`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import (
    below_minimum,
    invalid,
    kernel_suffix,
    refused_input,
    shape_text,
)
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import BoolLike, IndexLike, TensorLike, TensorList, function, op
from tapefacade._ops.array.gathering import take
from tapefacade._ops.array.shaping import reshape
from tapefacade._trace.open_sizes import with_unknown_axes


def _check_select(condition: Any, x: Any, y: Any) -> None:
    try:
        np.broadcast_shapes(condition.shape, x.shape, y.shape)
    except ValueError:
        raise invalid(
            f"condition {shape_text(condition.shape)}, then {shape_text(x.shape)}, and else "
            f"{shape_text(y.shape)} must be broadcastable"
        ) from None


def _select_host(condition: Any, x: Any, y: Any) -> Any:
    return np.where(condition, x, y)


@op("_select", kernel="SelectV2", host=_select_host, moves=True)
def select(condition: BoolLike, x: TensorLike, y: TensorLike) -> jax.Array:
    """Takes elements of `x` where the condition holds, and of `y` elsewhere."""
    _check_select(condition, x, y)
    return jnp.where(condition, x, y)


@op("_select_older", kernel="Select", raw_op=True)
def select_older(condition: BoolLike, x: TensorLike, y: TensorLike) -> jax.Array:
    """Takes elements of `x` where the condition holds, and of `y` elsewhere: nothing broadcasts.

    Args:
        condition: a boolean tensor of the shape of `x`; a scalar, or a vector which chooses rows.
        x: a tensor.
        y: a tensor of the same shape and dtype.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: if the shapes do not fit.

    >>> tf.raw_ops.Select(condition=[True, False], x=[[1, 2], [3, 4]], y=[[5, 6], [7, 8]]).numpy()
    array([[1, 2],
           [7, 8]], dtype=int32)
    """
    if condition.ndim == 1 and x.ndim != 1:
        if x.ndim == 0:
            raise invalid("'then' must be at least a vector, but saw shape: []")
        if x.shape[0] != condition.shape[0]:
            raise invalid(
                "Number of batches of 'then' must match size of 'cond', but saw: "
                f"{x.shape[0]} vs. {condition.shape[0]}"
            )
    elif condition.ndim and condition.shape != x.shape:
        raise invalid(
            "Inputs to operation Select of type Select must have the same size and shape.  "
            f"Input 0: {shape_text(condition.shape)} != input 1: {shape_text(x.shape)}"
        )
    if x.shape != y.shape:
        raise invalid(
            "'then' and 'else' must have the same size.  but received: "
            f"{shape_text(x.shape)} vs. {shape_text(y.shape)}"
        )
    if condition.ndim == 1:
        condition = condition.reshape(-1, *[1] * (x.ndim - 1))
    return jnp.where(condition, x, y)


@function("where", dispatch=True)
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Takes elements of `x` where a condition holds and of `y` elsewhere, or says where it holds.

    Without `x` and `y` the condition is looked at, for it decides the shape of the result.

    Args:
        condition: a boolean tensor; without `x` and `y` any tensor, whose elements other than 0
            count.
        x: a tensor that broadcasts with the others.
        y: a tensor of the same dtype.
        name: ignored.

    Returns:
        A tensor of the common shape; without `x` and `y` the positions, int64 `[count, rank]`.

    Raises:
        ValueError: if only one of `x` and `y` is given.
        InvalidArgumentError: if the shapes or dtypes do not fit.

    >>> tf.where([True, False], [1, 2], [3, 4]).numpy()
    array([1, 4], dtype=int32)
    >>> tf.where([[True, False], [True, True]]).numpy()
    array([[0, 0],
           [1, 0],
           [1, 1]])
    """
    if x is not None and y is not None:
        return select(condition, x, y)
    if x is not None or y is not None:
        raise ValueError("x and y must both be non-None or both be None.")
    values = convert_to_tensor(condition, dtype_hint=dtypes.bool).numpy()
    if np.ndim(values) == 0:
        raise invalid("WhereOp : Unhandled input dimensions: 0 [Op:Where] name: ")
    return with_unknown_axes(from_host(np.argwhere(values).astype(np.int64)), 0)


def _flattened(tensor: Any, axis: int, count: int) -> Any:
    """Merges `count` dimensions of a tensor from `axis` on."""
    shape = tensor.shape.as_list()
    size = int(np.prod(shape[axis : axis + count], dtype=np.int64))
    if count == 1:
        return tensor
    return reshape(tensor, [*shape[:axis], size, *shape[axis + count :]])


@function("boolean_mask", dispatch=True)
def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Any:
    """Keeps the elements of a tensor at which a mask holds.

    The mask is looked at, for it decides the shape of the result.

    Args:
        tensor: a tensor.
        mask: a tensor whose elements other than False (or 0) count. Its shape is that of `tensor`
            from `axis` on, or the beginning of that.
        axis: the first dimension of the mask, by default 0.
        name: ignored.

    Returns:
        A tensor in which the dimensions of the mask are replaced by one.

    Raises:
        ValueError: if the mask is a scalar or has another shape.

    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy()
    array([1, 3], dtype=int32)
    """
    tensor, mask = convert_to_tensor(tensor), convert_to_tensor(mask)
    rank = mask.ndim
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    start = 0 if axis is None else int(axis)
    tensor.shape[start : start + rank].assert_is_compatible_with(mask.shape)
    start = start + tensor.ndim if start < 0 else start
    places = from_host(np.flatnonzero(mask.numpy()))
    return with_unknown_axes(take(_flattened(tensor, start, rank), places, start), start)


@function("dynamic_partition", dispatch=True)
def dynamic_partition(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> list[Any]:
    """Distributes the slices of a tensor among several.

    The partitions are looked at, for they decide the shapes of the results.

    Args:
        data: a tensor.
        partitions: for each slice the number of the tensor it goes to, an int32 tensor whose shape
            is the beginning of that of `data`.
        num_partitions: the number of tensors.
        name: ignored.

    Returns:
        A list of tensors.

    Raises:
        InvalidArgumentError: if a number is out of range, or the shapes do not fit.

    >>> [t.numpy() for t in tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2)]
    [array([1, 3], dtype=int32), array([2], dtype=int32)]
    """
    data = convert_to_tensor(data)
    if not hasattr(partitions, "_type"):
        partitions = convert_to_tensor(partitions, dtypes.int32)
    if partitions.dtype != dtypes.int32:
        raise refused_input("DynamicPartition", 1, "int32", partitions.dtype.kernel_name)
    number = int(num_partitions)
    if number < 1:
        raise invalid(
            below_minimum("num_partitions", number, 1) + kernel_suffix("DynamicPartition")
        )
    rank = partitions.shape.rank
    if data.shape[:rank] != partitions.shape:
        raise invalid(
            "data.shape must start with partitions.shape, got data.shape = "
            f"{shape_text(data.shape)}, partitions.shape = {shape_text(partitions.shape)} "
            "[Op:DynamicPartition] name: "
        )
    values = partitions.numpy()
    for place in np.argwhere((values < 0) | (values >= number))[:1]:
        where_ = shape_text(place) if rank else ""
        raise invalid(
            f"partitions{where_} = {values[tuple(place)]} is not in [0, {number}) "
            "[Op:DynamicPartition] name: "
        )
    rows = _flattened(data, 0, rank)
    flat = np.ravel(values)
    places = [with_unknown_axes(from_host(np.flatnonzero(flat == i)), 0) for i in range(number)]
    return [take(rows, own, 0) for own in places]


@jax.custom_jvp
def _stitched(rows: jax.Array, winners: jax.Array, places: jax.Array) -> jax.Array:
    taken = jnp.take(rows, winners, axis=0, mode="clip")
    missing = jnp.reshape(winners < 0, (-1,) + (1,) * (rows.ndim - 1))
    return jnp.where(missing, jnp.zeros_like(taken), taken)


@_stitched.defjvp
def _stitched_jvp(primals: Any, tangents: Any) -> Any:
    """Gives every row its derivative, overwritten or not, as TensorFlow does."""
    result = _stitched(*primals)
    return result, jnp.zeros_like(result).at[primals[2]].add(tangents[0])


@op("_stitch", kernel="DynamicStitch", moves=True)
def _stitch(data: TensorList, winners: IndexLike, places: IndexLike, ranks: Any) -> jax.Array:
    """Puts rows in their places: `winners` names for each place the row that it gets, or -1."""
    rows = [
        jnp.reshape(
            d, (-1, *d.shape[rank:]) if d.size else (int(np.prod(d.shape[:rank])), *d.shape[rank:])
        )
        for d, rank in zip(data, ranks, strict=True)
    ]
    joined = jnp.concatenate(rows, axis=0)
    if joined.shape[0] == 0:
        return joined
    return _stitched(joined, winners, places)


def _check_stitched(indices: list[Any], data: list[Any]) -> None:
    for place, (at, values) in enumerate(zip(indices, data, strict=True)):
        rank = at.ndim
        if values.shape[:rank] != at.shape:
            raise invalid(
                f"data[{place}].shape = {shape_text(values.shape)} does not start with "
                f"indices[{place}].shape = {shape_text(at.shape)} [Op:DynamicStitch] name: "
            )
        if values.shape[rank:] != data[0].shape[indices[0].ndim :]:
            raise invalid(
                f"Need data[0].shape[{indices[0].ndim}:] = data[{place}].shape[{rank}:], got "
                f"data[0].shape = {shape_text(data[0].shape)}, data[{place}].shape = "
                f"{shape_text(values.shape)}, indices[0].shape = {shape_text(indices[0].shape)}, "
                f"indices[{place}].shape = {shape_text(at.shape)} [Op:DynamicStitch] name: "
            )


@function("dynamic_stitch")
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Any:
    """Puts the slices of several tensors in their places in one.

    The positions are looked at, for they decide the shape of the result.

    Args:
        indices: a list of int32 tensors: the position of each slice. Of several slices for one
            position the last one counts; positions that nothing is said about are 0.
        data: a list of tensors of one dtype, whose shapes begin with those of `indices`.
        name: ignored.

    Returns:
        A tensor `[largest position + 1, ...]`.

    Raises:
        ValueError: if the lists differ in length.
        InvalidArgumentError: if a position is negative or the shapes do not fit.

    >>> tf.dynamic_stitch([[0, 2], [1]], [[1, 3], [2]]).numpy()
    array([1, 2, 3], dtype=int32)
    """
    if len(indices) != len(data):
        raise ValueError(
            f"List argument 'data' to 'dynamic_stitch' Op with length {len(data)} must match "
            f"length {len(indices)} of argument 'indices'."
        )
    if not indices:
        raise invalid(
            "OpKernel 'DynamicStitch' has constraint on attr 'T' not in NodeDef '[N=0]': the lists "
            "are empty [Op:DynamicStitch] name: "
        )
    indices = [convert_to_tensor(at, dtypes.int32) for at in indices]
    wanted = next((d.dtype for d in data if hasattr(d, "_type")), None)
    wanted = convert_to_tensor(data[0]).dtype if wanted is None else wanted
    data = [convert_to_tensor(d, wanted) for d in data]
    _check_stitched(indices, data)
    flat = [np.ravel(at.numpy()) for at in indices]
    places = np.concatenate(flat)
    for at, tensor in zip(flat, indices, strict=True):
        for bad in np.argwhere(at < 0)[:1]:
            position = shape_text(np.unravel_index(bad[0], tensor.numpy().shape))
            raise invalid(f"indices{position} is out of range [Op:DynamicStitch] name: ")
    winners = np.full(int(places.max(initial=-1)) + 1, -1, np.int32)
    winners[places] = np.arange(len(places), dtype=np.int32)
    ranks = tuple(at.ndim for at in indices)
    return _stitch(data, from_host(winners), from_host(places), ranks)
