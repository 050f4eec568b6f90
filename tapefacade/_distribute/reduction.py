"""How the values of replicas are combined."""

import enum
import math
from typing import Any

import numpy as np
from jax.sharding import Mesh

from tapefacade._core import errors, nest
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._definition.op import function
from tapefacade._distribute.collectives import (
    ALL_REDUCE,
    ROWS_JOINED,
    record_collective,
    record_gathering,
)
from tapefacade._distribute.replica_values import ReplicaValues
from tapefacade._function.function.recorded_program import slot_in
from tapefacade._ops.array.joining import concat
from tapefacade._ops.math.arithmetic import add_n, multiply
from tapefacade._ops.math.division import truediv
from tapefacade._ops.math.reduction import reduce_sum
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._trace.recording import THREAD

HINT_REDUCED = (
    "Give `reduce` what `run` has returned: a value of which each replica has its own. A value "
    "that is the same for all replicas need not be reduced."
)

MESSAGE_KIND = "{} is no tf.distribute.ReduceOp: write tf.distribute.ReduceOp.SUM, or MEAN."
MESSAGE_AXIS = "Invalid reduction dimension {} for input with {} dimensions."
MESSAGE_SLICES = "{} does not support IndexedSlices"
HINT_SLICES = "Gather their `values` and their `indices`, or write `tf.convert_to_tensor(slices)`."
NOT_ADDED = ("bool", "string")
MESSAGE_NOT_ADDED = (
    "Value for attr 'T' of {} is not in the list of allowed values: bfloat16, float, half, double, "
    "int32, int64\n\t; NodeDef: {{{{node CollectiveReduceV2}}}}; Op<name=CollectiveReduceV2>"
)
HINT_SCALARS = "Scalars have no axis: write `tf.reshape(x, [1])`."


@function("distribute.ReduceOp")
class ReduceOp(enum.Enum):
    """How values are brought together.

    >>> tf.distribute.ReduceOp.SUM
    <ReduceOp.SUM: 'SUM'>
    """

    SUM = "SUM"
    MEAN = "MEAN"


def reduce_op(given: Any) -> ReduceOp:
    """Returns the kind of reduction that is meant: texts in any case will do.

    Raises:
        ValueError: if there is none of that name.
        AssertionError: if it is neither a `ReduceOp` nor a name.
    """
    if not isinstance(given, str | ReduceOp):
        raise AssertionError(MESSAGE_KIND.format(given))
    return ReduceOp(given.upper() if isinstance(given, str) else given)


def as_tensors(value: Any) -> Any:
    """Returns a structure with tensors in the place of variables and numbers."""
    kept = IndexedSlices | ReplicaValues
    return nest.map_structure(
        lambda part: part if isinstance(part, kept) else convert_to_tensor(part), value
    )


def reduced(given: Any, value: Any, axis: Any, count: int) -> Any:
    """Reduces what the replicas have, along an axis unless it is None.

    Args:
        given: a `ReduceOp`, or its name.
        value: a structure of `PerReplica` values.
        axis: the axis, or several.
        count: the number of replicas.

    Raises:
        ValueError: if a value is not of the replicas, and no axis is given.
    """
    kind = reduce_op(given)
    if count == 1 and axis is None:
        return value
    return nest.map_structure(lambda part: _reduced(kind, part, axis, count), value)


def _reduced(kind: ReduceOp, part: Any, axis: Any, count: int) -> Any:
    if axis is not None:
        return _reduced_along(kind, part, axis, count)
    if isinstance(part, ReplicaValues):
        return _over_replicas(kind, part, count)
    if kind is ReduceOp.MEAN or (isinstance(part, int | float) and part == 0):
        return part
    raise hinted(
        ValueError(
            f"A non-DistributedValues value {part!s} cannot be reduced with the given reduce op "
            f"{kind}."
        ),
        HINT_REDUCED,
    )


def _over_replicas(kind: ReduceOp, part: ReplicaValues, count: int) -> Any:
    """Adds the values of the replicas up; divides by their number for the mean."""
    if part._row is not None:
        return all_reduced(kind, part._row, count)
    if part._stacked is not None:
        return _divided(kind, reduce_sum(part._stacked, 0), count)
    values = [
        value if isinstance(value, IndexedSlices) else convert(value) for value in part._every()
    ]
    if not isinstance(values[0], IndexedSlices):
        return _divided(kind, add_n(values), count)
    indices = concat([value.indices for value in values], 0)
    joined = concat([value.values for value in values], 0)
    return IndexedSlices(_divided(kind, joined, count), indices, values[0].dense_shape)


def _divided(kind: ReduceOp, total: EagerTensor, count: int) -> EagerTensor:
    if kind is ReduceOp.SUM:
        return total
    return truediv(total, np.asarray(count, total._type.numpy_dtype))


def _reduced_along(kind: ReduceOp, part: Any, axis: Any, count: int) -> Any:
    """Reduces all elements along an axis or several, of all replicas together.

    Raises:
        ValueError: if there is no such axis.
    """
    axes = [axis] if isinstance(axis, int) else axis
    every = part._every() if isinstance(part, ReplicaValues) else [part]
    values = [convert(value) for value in every]
    rank = len(values[0]._type.shape)
    for place in axes:
        if not -rank <= place < rank:
            known = f"The axis is one of {list(range(rank))}." if rank else HINT_SCALARS
            raise hinted(ValueError(MESSAGE_AXIS.format(place, rank)), known)
    if isinstance(part, ReplicaValues) and part._here is not None and part._stacked is not None:
        total = reduce_sum(part._stacked, (0, *(k % rank + 1 for k in axes)))
    else:
        total = add_n([reduce_sum(value, axis) for value in values])
    dtype = total._type.numpy_dtype
    if kind is ReduceOp.SUM:
        is_own = isinstance(part, ReplicaValues) or count == 1  # else all replicas have it
        return total if is_own else multiply(total, np.asarray(count, dtype))
    size = sum(math.prod(value._type.shape[k] for k in axes) for value in values)
    return truediv(total, np.asarray(size).astype(dtype))


def all_reduced(kind: ReduceOp, value: Any, count: int) -> Any:
    """Records the reduction of a value of a replica, whose recording is this thread's."""
    if isinstance(value, IndexedSlices):
        rows, indices = (all_gathered(part, 0, count) for part in (value.values, value.indices))
        return IndexedSlices(_divided(kind, rows, count), indices, value.dense_shape)
    return _divided(kind, record_collective(ALL_REDUCE, added(value)), count)


def added(value: Any) -> EagerTensor:
    """Returns what replicas add up as a tensor.

    Raises:
        InvalidArgumentError: if it cannot be added.
    """
    tensor = convert_to_tensor(value)
    if tensor.dtype.name in NOT_ADDED:
        raise errors.InvalidArgumentError(None, None, MESSAGE_NOT_ADDED.format(tensor.dtype.name))
    return tensor


def require_dense(value: Any, name: str) -> None:
    """Raises if there are slices in what is gathered by the method of a name.

    Raises:
        NotImplementedError: if so.
    """
    if any(isinstance(part, IndexedSlices) for part in nest.flatten(value)):
        raise hinted(NotImplementedError(MESSAGE_SLICES.format(name)), HINT_SLICES)


def all_gathered(value: Any, axis: int, count: int) -> EagerTensor:
    """Records that the values of the replicas are joined along an axis."""
    tensor = convert_to_tensor(value)
    require_axis(axis, len(tensor._type.shape))
    return record_gathering(tensor, axis, count)


def require_axis(axis: int, rank: int) -> None:
    """Raises what TensorFlow raises, which brings the axis to the front, if there is none."""
    if 0 <= axis < rank:
        return
    between = f"0/{axis}" if axis < 0 else f"{axis + 1}/{rank}"
    raise hinted(
        ValueError(f"Requires start <= limit when delta > 0: {between}"),
        f"The axis is one of {list(range(rank))}." if rank else HINT_SCALARS,
    )


def gathered(value: Any, axis: int, mesh: Mesh | None = None) -> Any:
    """Joins what the replicas have along an axis.

    Args:
        value: what they have.
        axis: the axis.
        mesh: the devices of the replicas, if some belong to other processes.
    """
    if not isinstance(value, ReplicaValues):
        return value
    if value._row is not None:
        return all_gathered(value._row, axis, value._count)
    stacked = value._stacked
    if stacked is None or value._here is None or len(stacked._type.shape) == 1:
        every = [convert_to_tensor(each) for each in value._every()]
        rank = len(every[0]._type.shape)
        if rank or every[0].dtype != "int32":  # these are on the host: `concat` refuses scalars
            require_axis(axis, rank)
        return concat(every, axis)
    require_axis(axis, len(stacked._type.shape) - 1)
    recording = THREAD.recording
    static = (axis, mesh)
    (result,) = recording.apply(
        ROWS_JOINED, static, (slot_in(recording, stacked),), [stacked._type]
    )
    return result
