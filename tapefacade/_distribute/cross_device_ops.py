"""How strategies may combine values of several devices: there is one replica, whose value it is."""

from collections.abc import Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._definition.op import function
from tapefacade._distribute.reduction import as_tensors, reduce_op


@function("distribute.CrossDeviceOps")
class CrossDeviceOps:
    """The base class of what reduces values of several devices, and copies them there.

    As there is one replica, its value is the result.

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
            per_replica_value: the value of the replica.
            destinations: ignored.
            options: ignored.

        Returns:
            The value as a tensor.

        Raises:
            ValueError: if there is no such reduction.
        """
        return _reduced(reduce_op, per_replica_value)

    def batch_reduce(
        self, reduce_op: Any, value_destination_pairs: Sequence[Any], options: Any = None
    ) -> list[Any]:
        """Reduces several values; see `reduce`.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`, or its name.
            value_destination_pairs: pairs of a value and where it goes, which is ignored.
            options: ignored.

        Returns:
            The values.
        """
        return [_reduced(reduce_op, value) for value, _ in value_destination_pairs]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """Returns the tensor, which is where it is needed.

        Args:
            tensor: a tensor.
            destinations: ignored.
        """
        return nest.map_structure(as_tensors, tensor)


def _reduced(kind: Any, value: Any) -> Any:
    reduce_op(kind)  # raises if there is none
    return as_tensors(value)


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
