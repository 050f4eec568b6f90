"""How strategies may combine values of several devices: XLA does, whatever is chosen here."""

from collections.abc import Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.missing_members import lacks
from tapefacade._core.replica_places import is_in_run
from tapefacade._definition.op import function
from tapefacade._distribute.distributed_variables import MirroredVariable
from tapefacade._distribute.reduction import as_tensors, reduce_op, reduced
from tapefacade._distribute.replica_values import Mirrored, ReplicaValues


@function("distribute.CrossDeviceOps")
@lacks(
    {
        "batch_reduce_implementation broadcast_implementation reduce_implementation": (
            "Override `reduce`, `batch_reduce` and `broadcast`."
        ),
    }
)
class CrossDeviceOps:
    """The base class of what reduces values of several devices, and copies them there.

    >>> ops = tf.distribute.ReductionToOneDevice()
    >>> ops.reduce(tf.distribute.ReduceOp.SUM, tf.constant(1.0), tf.constant(0.0)).numpy()
    np.float32(1.0)
    """

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """Reduces the values of all replicas.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`, or its name.
            per_replica_value: the values of the replicas, or one for all of them.
            destinations: where the result goes: to each replica, if this is of the replicas.
            options: ignored.

        Returns:
            The result as a tensor, or a `Mirrored` value.

        Raises:
            ValueError: if there is no such reduction.
        """
        return _reduced(reduce_op, per_replica_value, destinations)

    def batch_reduce(
        self, reduce_op: Any, value_destination_pairs: Sequence[Any], options: Any = None
    ) -> list[Any]:
        """Reduces several values; see `reduce`.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`, or its name.
            value_destination_pairs: pairs of a value and where it goes.
            options: ignored.

        Returns:
            The values.
        """
        return [_reduced(reduce_op, *pair) for pair in value_destination_pairs]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """Returns the tensor, for each replica if that is wanted.

        Args:
            tensor: a tensor.
            destinations: where it goes: to each replica, if this is of the replicas.
        """
        return sent_to(destinations, as_tensors(tensor))


def _reduced(kind: Any, value: Any, destinations: Any) -> Any:
    reduce_op(kind)  # raises if there is none
    if isinstance(value, ReplicaValues):
        value = reduced(kind, value, None, value._count)
    return sent_to(destinations, as_tensors(value))


def sent_to(destinations: Any, value: Any) -> Any:
    """Returns tensors, for each replica if the destinations are of replicas."""
    if isinstance(destinations, MirroredVariable):
        count = destinations._strategy.num_replicas_in_sync
    elif isinstance(destinations, ReplicaValues):
        count = destinations._count
    else:
        return value
    if count == 1:
        return value
    in_run = is_in_run()
    return nest.map_structure(
        lambda part: Mirrored(row=part, count=count) if in_run else Mirrored([part] * count), value
    )


@function("distribute.ReductionToOneDevice")
class ReductionToOneDevice(CrossDeviceOps):
    """Reduces on one device.

    Args:
        reduce_to_device: ignored.
        accumulation_fn: ignored.
    """

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn


@function("distribute.NcclAllReduce")
class NcclAllReduce(CrossDeviceOps):
    """Reduces on all devices.

    Args:
        num_packs: how many values travel together; ignored.

    Raises:
        ValueError: if the number is negative.
    """

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(
                f"NCCL all-reduce requires num_packs >= 0, but {num_packs} is specified"
            )


@function("distribute.HierarchicalCopyAllReduce")
class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Reduces in groups of devices, and then their results.

    Args:
        num_packs: how many values travel together; ignored.

    Raises:
        ValueError: if the number is negative.
    """

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(
                f"HierarchicalCopy requires num_packs >= 0, but {num_packs} is specified"
            )
