"""What a function that a strategy runs knows of its replica, and where a program is."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.replica_places import THREAD, entered
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._definition.op import function
from tapefacade._distribute.collectives import FIRST_REPLICA, record_collective, replica_number
from tapefacade._distribute.reduction import (
    ReduceOp,
    all_gathered,
    all_reduced,
    as_tensors,
    reduce_op,
    require_dense,
)
from tapefacade._distribute.replica_values import PerReplica, ReplicaValues
from tapefacade._ops.array.joining import concat
from tapefacade._trace.recording import THREAD as RECORDING_THREAD

if TYPE_CHECKING:
    from tapefacade._distribute.strategies import Strategy

MESSAGE_IN_BODY = (
    "`merge_call` called while defining a new graph or a tf.function. This can often happen if the "
    "function `fn` passed to `strategy.run()` contains a nested `@tf.function`, and the nested "
    "`@tf.function` contains a synchronization point, such as aggregating gradients (e.g, "
    "optimizer.apply_gradients), or if the function `fn` uses a control flow statement which "
    "contains a synchronization point in the body. Such behaviors are not yet supported. Instead, "
    "please avoid nested `tf.function`s or control flow statements that may potentially cross a "
    "synchronization boundary, for example, wrap the `fn` passed to `strategy.run` or the entire "
    "`strategy.run` inside a `tf.function` or move the control flow out of `fn`. If you are "
    "subclassing a `tf.keras.Model`, please avoid decorating overridden methods `test_step` and "
    "`train_step` in `tf.function`."
)
HINT_IN_BODY = (
    "Here a nested tf.function may synchronize the replicas, but no branch and no loop on tensors."
)
MESSAGE_LOOKED = (
    "A tape is open around `strategy.run`, or a tf.function is recorded, so that the replicas run "
    "one after the other, and cannot wait for each other where they {}. This is because of their "
    "function: {}."
)
OUTSIDE = "made outside of `strategy.scope()`"
HINT_OUTSIDE = (
    "Make what has the variable in the scope: with strategy.scope(): ... (models, optimizers, "
    "metrics, variables)."
)
HINT_LOOKED = (
    "Open the tape in the function that the replicas run. Or write the function such that its "
    "Python is not needed: make variables in the scope of the strategy, and give the replicas "
    "batches of one size; return what the Python looks at, and look at it outside of "
    "`strategy.run`; or use tf.cond, tf.while_loop and tf.print in the place of Python's `if`, "
    "`while` and `print`."
)


@function("distribute.ReplicaContext")
class ReplicaContext:
    """What a function that `Strategy.run` calls knows of its replica.

    Args:
        strategy: the strategy.
        replica_id_in_sync_group: the number of the replica.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> context = strategy.run(tf.distribute.get_replica_context)
    >>> context.num_replicas_in_sync
    1
    """

    def __init__(self, strategy: "Strategy", replica_id_in_sync_group: Any = 0) -> None:
        self._strategy = strategy
        self._replica: Any = replica_id_in_sync_group
        self._same: list[EagerTensor] = []  # what `merge_call` has given all replicas

    @property
    def strategy(self) -> "Strategy":
        """The strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> EagerTensor:
        """The number of this replica, as a tensor."""
        return convert(self._replica)

    @property
    def devices(self) -> Any:
        """The name of the replica's device; where all are recorded at once, of the first's.

        A list that holds a list of it, as in TensorFlow; without replicas a tuple that holds it.
        """
        names = self._strategy._devices or ("",)
        name = names[self._replica if isinstance(self._replica, int) else 0]
        return [[name]] if self._strategy._groups_values else (name,)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Brings the values of all replicas together, and gives each the result.

        Gradients pass it: the gradient of a sum is the sum of the gradients of the replicas.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`, or its name.
            value: a structure of tensors.
            options: ignored.

        Returns:
            The same structure of reduced tensors.

        Raises:
            ValueError: if there is no such reduction.
            RuntimeError: in the body of a branch or a loop on tensors.
        """
        kind = _reduce_op(reduce_op)
        count = self.num_replicas_in_sync
        if count == 1:
            return as_tensors(value)
        self._require_replicas("reduce values")
        return self._all_reduced(kind, value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Joins the values of all replicas along an axis, and gives each the result.

        Args:
            value: a structure of tensors of rank 1 or more, whose other dimensions are the same in
                all replicas.
            axis: the axis.
            options: ignored.

        Returns:
            The same structure of joined tensors.

        Raises:
            NotImplementedError: if there are `tf.IndexedSlices`.
            ValueError: if there is no such axis.
            RuntimeError: in the body of a branch or a loop on tensors.
        """
        require_dense(value, "all_gather")
        count = self.num_replicas_in_sync
        if count == 1:
            return nest.map_structure(lambda part: concat([part], axis), value)
        self._require_replicas("gather values")
        return self._all_gathered(value, axis)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Calls a function once for all replicas.

        Args:
            merge_fn: called as `merge_fn(strategy, *args, **kwargs)`, outside of the replicas. Of
                tensors, each replica has its own: they are `PerReplica` values there.
            args: its arguments.
            kwargs: those by name.

        Returns:
            What it returns; of `PerReplica` values what belongs to this replica.

        Raises:
            RuntimeError: in the body of a branch or a loop on tensors.
        """
        given: Any = (args, kwargs or {})
        if self.num_replicas_in_sync > 1:
            self._require_replicas("call `merge_call`")
            given = nest.map_structure(self._merged, given)
        args, kwargs = given
        with entered(self._strategy, None):
            result = merge_fn(self._strategy, *args, **(kwargs or {}))
        if self.num_replicas_in_sync == 1:
            return result
        self._same += [part for part in nest.flatten(result) if isinstance(part, EagerTensor)]
        return nest.map_structure(own_part, result)

    def _merged(self, part: Any) -> Any:
        """Returns what a merging function gets for a value of this replica."""
        if not isinstance(part, EagerTensor):
            return part
        return PerReplica(row=part, count=self.num_replicas_in_sync)

    # What a context of several replicas does.

    def _require_replicas(self, what: str) -> None:
        """Raises if the replicas cannot synchronize here: those that are recorded can."""

    def _all_reduced(self, kind: ReduceOp, value: Any) -> Any:
        count = self.num_replicas_in_sync
        return nest.map_structure(lambda part: all_reduced(kind, part, count), value)

    def _all_gathered(self, value: Any, axis: int) -> Any:
        count = self.num_replicas_in_sync
        return nest.map_structure(lambda part: all_gathered(part, axis, count), value)

    def _of_first(self, tensor: EagerTensor) -> EagerTensor:
        """Returns what the first replica has for a tensor."""
        return record_collective(FIRST_REPLICA, tensor)


_reduce_op = reduce_op


class RecordedReplica(ReplicaContext):
    """The context in which a function is recorded, for all replicas at once."""

    def __init__(self, strategy: "Strategy") -> None:
        super().__init__(strategy, replica_number())
        self._recording = RECORDING_THREAD.recording

    def _require_replicas(self, what: str) -> None:
        if RECORDING_THREAD.recording is not self._recording:
            raise hinted(RuntimeError(MESSAGE_IN_BODY), HINT_IN_BODY)


class SingleReplica(ReplicaContext):
    """The context of one of several replicas that run one after the other, within a tape."""

    def __init__(self, strategy: "Strategy", replica: int, why: str) -> None:
        super().__init__(strategy, replica)
        self.number = replica
        self._why = why

    def _require_replicas(self, what: str) -> None:
        hint = HINT_OUTSIDE if OUTSIDE in self._why else HINT_LOOKED
        raise hinted(RuntimeError(MESSAGE_LOOKED.format(what, self._why)), hint)


def own_part(value: Any) -> Any:
    """Returns what an argument of `merge_call` is in a replica."""
    if isinstance(value, ReplicaValues) and value._row is not None:
        return value._row
    return value


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
