"""Where a program is: in the scope of which strategy, and whether in its replica."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.thread_state import ThreadState
from tapefacade._definition.op import function
from tapefacade._distribute.reduction import as_tensors, reduced
from tapefacade._ops.array.joining import concat

if TYPE_CHECKING:
    from tapefacade._distribute.strategies import Strategy


class ReplicaPlace(NamedTuple):
    """Where a thread is.

    Attributes:
        strategy: the strategy.
        replica: the context of its replica; None across the replicas.
    """

    strategy: "Strategy"
    replica: "ReplicaContext | None"


class _ReplicaThread(ThreadState):
    """The places that this thread has entered, the innermost last."""

    def __init__(self) -> None:
        self.places: list[ReplicaPlace] = []


THREAD = _ReplicaThread()


@contextlib.contextmanager
def entered(strategy: "Strategy", replica: "ReplicaContext | None") -> Iterator["Strategy"]:
    """Makes a block in another place."""
    with THREAD.temporarily(places=[*THREAD.places, ReplicaPlace(strategy, replica)]):
        yield strategy


@function("distribute.ReplicaContext")
class ReplicaContext:
    """What a function that `Strategy.run` calls knows of its replica.

    Args:
        strategy: the strategy.
        replica_id_in_sync_group: the number of the replica, 0.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> context = strategy.run(tf.distribute.get_replica_context)
    >>> context.num_replicas_in_sync
    1
    """

    def __init__(self, strategy: "Strategy", replica_id_in_sync_group: int = 0) -> None:
        self._strategy = strategy
        self._replica = replica_id_in_sync_group

    @property
    def strategy(self) -> "Strategy":
        """The strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas: 1."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> EagerTensor:
        """The number of this replica: 0, as a tensor."""
        return convert(self._replica)

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the replica's devices."""
        return self._strategy.extended.worker_devices

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Brings the values of all replicas together, and gives each the result.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`, or its name.
            value: a structure of tensors.
            options: ignored.

        Returns:
            The same structure: the tensors are what they were, for there is one replica.

        Raises:
            ValueError: if there is no such reduction.
        """
        return as_tensors(reduced(reduce_op, value, None))

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Joins the values of all replicas along an axis.

        Args:
            value: a structure of tensors of rank 1 or more.
            axis: the axis.
            options: ignored.

        Returns:
            The same structure: the tensors are what they were, for there is one replica.
        """
        return nest.map_structure(lambda part: concat([part], axis), value)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Calls a function once for all replicas.

        Args:
            merge_fn: called as `merge_fn(strategy, *args, **kwargs)`, outside of the replica.
            args: its arguments.
            kwargs: those by name.

        Returns:
            What it returns.
        """
        with entered(self._strategy, None):
            return merge_fn(self._strategy, *args, **(kwargs or {}))


@function("distribute.has_strategy")
def has_strategy() -> bool:
    """Says whether the program is in the scope of a strategy, or in a function that it runs.

    >>> tf.distribute.has_strategy()
    False
    """
    return bool(THREAD.places)


@function("distribute.in_cross_replica_context")
def in_cross_replica_context() -> bool:
    """Says whether the program is in the scope of a strategy, and not in a function that it runs.

    >>> with tf.distribute.MirroredStrategy().scope():
    ...     tf.distribute.in_cross_replica_context()
    True
    """
    return bool(THREAD.places) and THREAD.places[-1].replica is None
