"""Collectives: ops in which all replicas of a run take part, and the number of a replica.

They are instructions of the recording of a replica, where JAX knows the axis `replica`. Gradients
pass them as in TensorFlow: the gradient of a sum over the replicas is the sum of their gradients.
"""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

from tapefacade._core.gradient_rules import NOT_DIFFERENTIABLE
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._core.thread_state import ThreadState
from tapefacade._function.function.recorded_program import slot_in
from tapefacade._trace.operation import Operation
from tapefacade._trace.recording import THREAD

AXIS = "replica"
SHAPE_OF_SCALAR = ()


class AllReduce(Operation):
    """The sum over the replicas, for each of them."""

    name = "all_reduce"
    kernel = "CollectiveReduceV2"
    is_collective = True

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return tuple(types), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return [lax.psum(array, AXIS) for array in arrays]


class AllGather(Operation):
    """The values of the replicas joined along an axis, for each of them."""

    name = "all_gather"
    kernel = "CollectiveGatherV2"
    is_collective = True

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        axis, sizes = static
        (type_,) = types
        shape = [*type_.shape]
        shape[axis] = sum(sizes)
        return (type_of(tuple(shape), type_.numpy_dtype),), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        axis, sizes = static
        (array,) = arrays
        most = max(sizes)
        if min(sizes) == most:
            return [lax.all_gather(array, AXIS, axis=axis, tiled=True)]
        margins = [(0, 0)] * array.ndim  # collectives are of values of one shape
        margins[axis] = (0, most - array.shape[axis])
        every = lax.all_gather(jnp.pad(array, margins), AXIS)
        parts = [lax.slice_in_dim(every[r], 0, size, axis=axis) for r, size in enumerate(sizes)]
        return [jnp.concatenate(parts, axis)]


class ReplicaStack(Operation):
    """The values of the replicas, stacked, for each of them."""

    name = "replica_stack"
    kernel = "CollectiveGatherV2"
    is_collective = True

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        (count,), (type_,) = static, types
        return (type_of((count, *type_.shape), type_.numpy_dtype),), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return [lax.all_gather(arrays[0], AXIS)]


class RowsJoined(Operation):
    """The rows of a tensor, one of each replica, joined along an axis, for all processes."""

    name = "gather"
    kernel = "CollectiveGatherV2"
    is_collective = True

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        (axis, _), (type_,) = static, types
        count, *shape = type_.shape
        shape[axis] *= count
        return (type_of(tuple(shape), type_.numpy_dtype),), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        axis, mesh = static
        (rows,) = arrays
        found = lax.with_sharding_constraint(rows, NamedSharding(mesh, PartitionSpec()))
        count, *shape = rows.shape
        shape[axis] *= count
        return [jnp.moveaxis(found, 0, axis).reshape(shape)]


class FirstReplica(Operation):
    """The value of the first replica, for each of them."""

    name = "first_replica"
    kernel = "CollectiveBcastRecvV2"
    is_collective = True

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return tuple(types), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        (array,) = arrays
        summed = array.astype(np.int8) if array.dtype == np.bool_ else array
        mine = jnp.where(lax.axis_index(AXIS) == 0, summed, jnp.zeros_like(summed))
        return [lax.psum(mine, AXIS).astype(array.dtype)]


class ReplicaNumber(Operation):
    """The number of the replica."""

    name = "replica_id_in_sync_group"
    kernel = "ReplicaId"
    gradient = NOT_DIFFERENTIABLE

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return (type_of(SHAPE_OF_SCALAR, np.dtype(np.int32)),), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return [jnp.asarray(lax.axis_index(AXIS), np.int32)]


ALL_REDUCE, ALL_GATHER, REPLICA_STACK = AllReduce(), AllGather(), ReplicaStack()
ROWS_JOINED = RowsJoined()
FIRST_REPLICA, REPLICA_NUMBER = FirstReplica(), ReplicaNumber()
# What all replicas get the same of, whatever they give.
AGREEING = (AllReduce, AllGather, ReplicaStack, FirstReplica)


class GatherSizes:
    """The sizes that the replicas gather along an axis, while one of them is recorded.

    Its own are seen here. Those of the others are known if all have been recorded before, and are
    taken to be the same until then.

    Attributes:
        own: for each gathering in turn the size of this replica.
        assumed: for each gathering the sizes of all replicas that its result is made of.
    """

    def __init__(self, known: Sequence[tuple[int, ...]]) -> None:
        self.own: list[int] = []
        self.assumed: list[tuple[int, ...]] = []
        self._known = known

    def every(self, own: int, count: int) -> tuple[int, ...]:
        """Returns the sizes of all replicas in the next gathering."""
        place = len(self.own)
        found = self._known[place] if place < len(self._known) else (own,) * count
        self.own.append(own)
        self.assumed.append(found)
        return found


class _GatheringThread(ThreadState):
    """The sizes of the replica that this thread records, if these may differ."""

    sizes: GatherSizes | None = None


GATHERING = _GatheringThread()


def record_gathering(tensor: EagerTensor, axis: int, count: int) -> EagerTensor:
    """Records that the values of the replicas are joined along an axis, which is not negative."""
    own = tensor._type.shape[axis]
    known = GATHERING.sizes
    sizes = (own,) * count if known is None else known.every(own, count)
    return record_collective(ALL_GATHER, tensor, (axis, sizes))


def record_collective(
    operation: Operation, tensor: EagerTensor, static: tuple[Any, ...] = ()
) -> EagerTensor:
    """Records a collective in the recording of this thread, which is that of a replica."""
    recording = THREAD.recording
    (result,) = recording.apply(operation, static, (slot_in(recording, tensor),), [tensor._type])
    return result


def replica_number() -> EagerTensor:
    """Records the number of the replica."""
    (number,) = THREAD.recording.apply(REPLICA_NUMBER, (), (), ())
    return number
