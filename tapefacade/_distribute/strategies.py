"""The strategies: programs run in replicas, each on a device of its own."""

import contextlib
import functools
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from jax.sharding import Mesh

from tapefacade._config.device_placement import device, other_device
from tapefacade._config.devices import list_logical_devices
from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.missing_members import NO_SESSION, lacks
from tapefacade._core.process_group import PROCESSES
from tapefacade._core.replica_places import (
    THREAD,
    ReplicaPlace,
    entered,
    is_in_replica,
    is_in_run,
)
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.tensor_type import TensorType
from tapefacade._definition.op import function
from tapefacade._distribute.cross_device_ops import sent_to
from tapefacade._distribute.distributed_variables import (
    DistributedVariable,
    MirroredVariable,
    ReplicaVariable,
    SyncOnReadVariable,
    distributed,
    values_of_variable,
)
from tapefacade._distribute.input_datasets import (
    DistributedDataset,
    InputContext,
    InputReplicationMode,
    ValueContext,
    cut_for_replicas,
)
from tapefacade._distribute.reduction import (
    ReduceOp,
    as_tensors,
    gathered,
    reduce_op as kind_of_reduction,
    reduced,
    require_dense,
)
from tapefacade._distribute.replica_calls import ReplicaCall
from tapefacade._distribute.replica_contexts import RecordedReplica, ReplicaContext, own_part
from tapefacade._distribute.replica_devices import default_devices, full_name, mesh_of
from tapefacade._distribute.replica_run_op import ReplicaPlan
from tapefacade._distribute.replica_values import (
    Mirrored,
    PerReplica,
    ReplicaValues,
    regrouped,
    selected,
)
from tapefacade._distribute.worker_datasets import own_batches_of
from tapefacade._function.function.decorator import function as tf_function
from tapefacade._function.function.function_types import PolymorphicFunction
from tapefacade._ops.array.joining import stack
from tapefacade._state.scopes import set_variable_creator, variable_creator_below
from tapefacade._state.variable import Variable
from tapefacade._trace.recording import THREAD as RECORDING_THREAD

MESSAGE_MIXED = (
    "Mixing different tf.distribute.Strategy objects: {} is not {}. Leave the scope of the one "
    "before you enter that of the other."
)
MESSAGE_IN_REPLICA = (
    "Method requires being in cross-replica context, use get_replica_context().merge_call()"
)
MESSAGE_GATHER_IN_REPLICA = (
    "tf.distribute.Strategy.gather method requires cross-replica context, use "
    "get_replica_context().all_gather() instead"
)
MESSAGE_NOT_OWN = (
    "`extended.update` changes variables that the strategy has made, which {!r} is not. Make it in "
    "the scope: with strategy.scope(): ..."
)
MESSAGE_PER_REPLICA = (
    "InputReplicationMode.PER_REPLICA is only supported in `distribute_datasets_from_function`."
)
MESSAGE_NO_DATASET = (
    "{0!r} object has no attribute '_variant_tensor'\n`experimental_distribute_dataset` takes a "
    "tf.data.Dataset, and was given {0!r}. Write tf.data.Dataset.from_tensor_slices(x).batch(size)."
)
HINT_BATCHES = (
    "The elements of the dataset are single numbers, which cannot be divided among the replicas: "
    "write `dataset.batch(size)` with the size of a batch of all replicas together."
)
MESSAGE_IN_SCOPE = "Must not be called inside a `tf.distribute.Strategy` scope."
HINT_IN_SCOPE = "Leave the scope first; within it, its strategy is the current one."
MESSAGE_SERVERS = (
    "Parameter servers are not there: the replicas of a program run in step. Use "
    "tf.distribute.MirroredStrategy() for the devices of this machine, which needs no other change "
    "of a program that calls `strategy.run` (in the place of `ClusterCoordinator.schedule`)."
)


def _require_positions(args: Any) -> None:
    if not isinstance(args, list | tuple):
        raise hinted(
            ValueError(f"positional args must be a list or tuple, got {type(args)}"),
            "Write args=(x,) for one argument x.",
        )


def _is_mirrored(part: Any) -> bool:
    """Whether all replicas have the same of a variable: it is not of each of them."""
    return isinstance(part, DistributedVariable) and not isinstance(part, SyncOnReadVariable)


def _differs(part: Any) -> bool:
    """Whether replicas may have different values of a variable or an argument."""
    if isinstance(part, DistributedVariable):
        return part.has_own_values or isinstance(part, SyncOnReadVariable)
    if not isinstance(part, ReplicaValues) or part._row is not None:
        return False
    return part._stacked is not None or any(v is not part.values[0] for v in part.values)


def _same_part(part: Any) -> Any:
    """Returns what all replicas have of an argument, or the one does that is recorded."""
    if not isinstance(part, ReplicaValues) or _differs(part):
        return part
    return part._row if part._row is not None else part.values[0]


def _part_of(replica: int, part: Any) -> Any:
    """Returns what a replica has of an argument, or of a variable among these."""
    return part.values[replica] if isinstance(part, ReplicaValues | MirroredVariable) else part


def _as_tuple(leaves: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the results of the replicas; a Python value that all of them have, once."""
    is_tensor = isinstance(leaves[0], EagerTensor | Variable)
    is_one = not is_tensor and all(leaf is leaves[0] for leaf in leaves)
    return tuple(leaves[:1] if is_one else leaves)


def _as_mirrored(leaves: Sequence[Any]) -> Any:
    """Returns the results of the replicas as one value."""
    if not isinstance(leaves[0], EagerTensor | Variable):
        return leaves[0]
    return Mirrored([convert(leaf) for leaf in leaves])


def _of_one_replica(value: Any) -> Any:
    """Returns a structure in which the one replica there is has its values."""
    is_own = any(isinstance(part, ReplicaValues) for part in nest.flatten(value))
    return selected(value, 0) if is_own else value


def require_across_replicas(message: str = MESSAGE_IN_REPLICA) -> None:
    """Raises if the thread is in a replica.

    Raises:
        RuntimeError: if so, with the message.
    """
    if is_in_replica():
        raise RuntimeError(message)


@function("distribute.StrategyExtended")
@lacks(
    {
        "experimental_make_numpy_dataset": "Write `tf.data.Dataset.from_tensor_slices`.",
        "experimental_run_steps_on_iterator": "Write a loop over the dataset, with `strategy.run`.",
        "experimental_enable_get_next_as_optional worker_devices_by_replica": (
            "Leave it out: batches may be cut unevenly, and are on the strategy's devices."
        ),
    }
)
class StrategyExtended:
    """What libraries ask of a strategy: `strategy.extended`.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> with strategy.scope():
    ...     v = tf.Variable(1.0)
    >>> strategy.extended.update(v, lambda v, x: v.assign(x), args=(2.0,)).numpy()
    np.float32(2.0)
    """

    experimental_require_static_shapes = False
    experimental_between_graph = False

    def __init__(self, container_strategy: "Strategy") -> None:
        self._strategy = container_strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The names of the devices that the replicas run on."""
        return self._strategy._devices or (convert(0.0).device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The names of the devices that variables are on."""
        return self._strategy._parameter_devices or self.worker_devices

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether the strategy has made a variable."""
        return getattr(v, "_strategy", DEFAULT) is self._strategy

    def read_var(self, v: Any) -> EagerTensor:
        """Returns the value of a variable, as it is seen outside of the replicas."""
        return v.value()

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """Brings the values of the replicas together.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`, or its name.
            value: a structure of values of the replicas.
            destinations: where the result goes: to each replica, if this is of the replicas.
            options: ignored.
        """
        require_across_replicas()
        count = self._strategy.num_replicas_in_sync
        if _is_mirrored(value) and kind_of_reduction(reduce_op) is ReduceOp.MEAN:
            return value
        if count == 1:
            value = _of_one_replica(value)
        result = as_tensors(reduced(reduce_op, value, None, count))
        return result if count == 1 else sent_to(destinations, result)

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Does what `reduce_to` does for each pair of a value and a destination."""
        return [self.reduce_to(reduce_op, *pair) for pair in value_destination_pairs]

    def update(
        self, var: Any, fn: Callable[..., Any], args: Any = (),
        kwargs: dict[str, Any] | None = None, group: bool = True,
    ) -> Any:  # fmt: skip
        """Calls `fn(var, *args, **kwargs)`, which changes the variable, across the replicas.

        Where a replica has its own value of the variable or of an argument, the function is called
        for each of them, with what this has. Unlike TensorFlow, it is called once for all replicas
        that have the same.

        Args:
            var: a variable, made in the strategy's scope.
            fn: the function.
            args: its other arguments.
            kwargs: those by name.
            group: whether the results of the replicas come as one value.

        Returns:
            What the function returns; if they are not grouped, a tuple of what it returns for each
            replica in the place of each tensor.

        Raises:
            AssertionError: if the strategy has not made the variable.
        """
        strategy = self._strategy
        if is_in_replica():
            return THREAD.places[-1].replica.merge_call(
                lambda _, *args, **kwargs: self.update(var, fn, args, kwargs, group), args, kwargs
            )
        if strategy.requires_own_variables and not isinstance(var, DistributedVariable):
            raise AssertionError(MESSAGE_NOT_OWN.format(var))
        if is_in_run() and isinstance(var, SyncOnReadVariable):  # each replica changes its own
            result = strategy.run(fn, (var, *args), kwargs)
            return result if group else strategy.experimental_local_results(result)
        with contextlib.nullcontext() if strategy is DEFAULT else entered(strategy, None):
            each = self._updates(var, fn, (tuple(args), kwargs or {}))
        if group and (len(each) == 1 or is_in_run()):
            return each[0]
        put = _as_mirrored if group else _as_tuple
        return nest.map_structure(lambda *leaves: put(leaves), *each)

    def _updates(self, var: Any, fn: Callable[..., Any], given: Any) -> list[Any]:
        """Returns what a function of a variable returns for each replica."""
        strategy = self._strategy
        parts = var.values if isinstance(var, MirroredVariable) else (var,)
        is_apart = not is_in_run() and any(map(_differs, (var, *nest.flatten(given))))
        if not is_apart:
            args, kwargs = nest.map_structure(_same_part, given)
            return [fn(var, *args, **kwargs)] * len(parts)
        if strategy.here is not None:  # what a process has of them is a row of all
            result = strategy.run(fn, (var, *given[0]), given[1])
            return [selected(result, place) for place in range(len(parts))]
        found = []
        for replica, part in enumerate(parts):
            args, kwargs = nest.map_structure(functools.partial(_part_of, replica), given)
            found.append(fn(part, *args, **kwargs))
        return found

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Any = (),
        kwargs: dict[str, Any] | None = None, group: bool = True,
    ) -> Any:  # fmt: skip
        """Calls `fn(*args, **kwargs)`, which changes what belongs to no variable."""
        args, kwargs = nest.map_structure(own_part, (args, kwargs or {}))
        result = fn(*args, **(kwargs or {}))
        return result if group else (result,)

    def non_slot_devices(self, var_list: Any) -> tuple[str, ...]:
        """Returns the names of the devices of what belongs to no variable."""
        return self.parameter_devices

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """Returns a tensor where the destinations are: for each of them, or once."""
        return sent_to(destinations, convert(tensor))

    def value_container(self, value: Any) -> Any:
        """Returns what holds the value of a replica: a variable, if it is one of its `values`."""
        return value._whole if isinstance(value, ReplicaVariable) else value

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Calls a function in each replica: the older name of `Strategy.run`."""
        return self._strategy.run(fn, args, kwargs)

    @property
    def _num_replicas_in_sync(self) -> int:
        return self._strategy.num_replicas_in_sync

    @property
    def should_checkpoint(self) -> bool:
        """Whether this process is to write checkpoints: the chief is."""
        return PROCESSES.is_chief

    @property
    def should_save_summary(self) -> bool:
        """Whether this process is to write summaries: the chief is."""
        return PROCESSES.is_chief

    experimental_should_init = True

    def _in_multi_worker_mode(self) -> bool:
        return self._strategy.here is not None

    @contextlib.contextmanager
    def colocate_vars_with(self, colocate_with_variable: Any) -> Iterator[None]:
        """Makes a block whose variables are where that variable is."""
        yield


@function("distribute.RunOptions")
class RunOptions(NamedTuple):
    """How `Strategy.run` calls a function; without effect: there is one way.

    Attributes:
        experimental_enable_dynamic_batch_size: without effect.
        experimental_bucketizing_dynamic_shape: without effect.
        experimental_xla_options: without effect.

    >>> tf.distribute.RunOptions().experimental_enable_dynamic_batch_size
    True
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


@function("tpu.XLAOptions")
class XLAOptions(NamedTuple):
    """How XLA compiles for TPUs, for `tf.distribute.RunOptions`; without effect: JAX decides.

    Attributes:
        use_spmd_for_xla_partitioning: without effect, as are the others.
        enable_xla_dynamic_padder: without effect.
        use_shardy_partitioner: without effect.

    >>> tf.tpu.XLAOptions().use_spmd_for_xla_partitioning
    True
    """

    use_spmd_for_xla_partitioning: bool = True
    enable_xla_dynamic_padder: bool = True
    use_shardy_partitioner: bool = False


@function("distribute.Strategy")
@lacks(
    {
        "experimental_run": "Write `strategy.run`.",
        "make_input_fn_iterator": "Write `strategy.distribute_datasets_from_function`.",
        "group": "Write `strategy.experimental_local_results`.",
        "configure update_config_proto": NO_SESSION,
        "colocate_vars_with": "Leave it out: a variable is where its strategy puts it.",
        "experimental_assign_to_logical_device experimental_replicate_to_logical_devices "
        "experimental_split_to_logical_devices": (
            "Lay values out with `tf.experimental.dtensor` or `jax.sharding`."
        ),
    }
)
class Strategy:
    """How a program is distributed: the base class of the strategies, which has one replica.

    A function that `run` calls is recorded once, on values that stand for those of a replica, and
    is one instruction for all replicas. So they are one program, whatever their number. But if the
    Python of the function looks at a value, it runs for each of them, in threads that take turns.

    Args:
        extended: ignored.
    """

    cluster_resolver: Any = None
    requires_aggregation = False  # of variables that replicas assign
    requires_own_variables = False  # whether `extended.update` takes no others
    _groups_values = False  # those of one replica as well
    _devices: tuple[str, ...] = ()
    _parameter_devices: tuple[str, ...] = ()  # where variables are, if elsewhere
    mesh: Mesh | None = None  # None where the replicas share a device, or there is one
    here: range | None = None  # the replicas of this process, if they run in several

    def __init__(self, extended: Any = None) -> None:
        self._extended = StrategyExtended(self)
        self._variables: list[weakref.ref[DistributedVariable]] = []
        self._functions: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    def __repr__(self) -> str:
        count = self.num_replicas_in_sync
        devices = [name.rpartition("device:")[2] for name in self._devices]
        where = f" on {', '.join(devices)}" if devices else ""
        kind = type(self).__name__.lstrip("_")
        return f"<tf.distribute.{kind} of {count} replica{'s' * (count > 1)}{where}>"

    @property
    def extended(self) -> StrategyExtended:
        """What libraries ask for."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return max(len(self._devices), 1)

    @property
    def variables(self) -> list[DistributedVariable]:
        """The variables that it has made and that are still there."""
        self._variables = [known for known in self._variables if known() is not None]
        return [variable for known in self._variables if (variable := known()) is not None]

    def creator(self) -> Callable[..., Any] | None:
        """Returns what makes variables in the scope; None if they are plain ones."""
        return self._create_placed if self._devices else None

    def _create_placed(self, next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        """Makes a variable on the device of the one replica."""
        with self.placed():
            variable = next_creator(**kwargs)
        variable._strategy = self
        return variable

    def creating(self) -> contextlib.AbstractContextManager[None]:
        """Makes a block whose variables are those of the strategy."""
        creator = self.creator()
        return contextlib.nullcontext() if creator is None else variable_creator_below(creator)

    def scope(self) -> contextlib.AbstractContextManager["Strategy"]:
        """Makes a block in which this is the strategy, and makes the variables.

        Raises:
            RuntimeError: if the program is in the scope of another one, or in a replica.

        >>> strategy = tf.distribute.MirroredStrategy()
        >>> with strategy.scope():
        ...     tf.distribute.get_strategy() is strategy
        True
        """
        return self._scope()

    @contextlib.contextmanager
    def _scope(self) -> Iterator["Strategy"]:
        if THREAD.places and (current := THREAD.places[-1].strategy) is not self:
            raise RuntimeError(MESSAGE_MIXED.format(current, self))
        require_across_replicas()
        with entered(self, None), self.creating():
            yield self

    def placed(self) -> contextlib.AbstractContextManager[None]:
        """Makes a block on the device of the one replica, if it has a device."""
        has_device = self.num_replicas_in_sync == 1 and self._devices
        return device(self._devices[0]) if has_device else contextlib.nullcontext()

    def home(self) -> Any:
        """Returns JAX's device of the one replica; None if it is the default one, or none."""
        has_device = self.num_replicas_in_sync == 1 and self._devices
        return other_device(self._devices[0]) if has_device else None

    def agreed(self, tensor: EagerTensor) -> EagerTensor:
        """Returns the first value of a variable: that of the chief, if there are processes."""
        return tensor

    # What the replicas of other processes have: there are none, if there is one process.

    def of_all(self, parts: list[Any]) -> list[Any]:
        """Returns what the replicas of all processes have, given what those of this one have.

        Args:
            parts: for each replica a number, a text, or a list of them.
        """
        return parts

    def values_of_all(self, parts: Sequence[Any]) -> list[Any]:
        """Returns structures with the tensors of the replicas of all processes."""
        return list(parts)

    def own_values(self, parts: Sequence[Any]) -> Sequence[Any]:
        """Returns structures with tensors that lie on the devices of this process only."""
        return parts

    def row_of_all(self, row: EagerTensor) -> EagerTensor:
        """Returns a value that all replicas have as one on the devices of all of them."""
        return row

    def rows_of_all(self, rows: Sequence[EagerTensor]) -> EagerTensor:
        """Returns the values of the replicas of this process, stacked with those of the others."""
        return stack(rows)

    def require_same_program(self, plan: ReplicaPlan, types: Sequence[TensorType]) -> None:
        """Raises if another process runs another program: none does, if there is only one."""

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:  # fmt: skip
        """Calls a function in each replica.

        Args:
            fn: the function.
            args: its arguments; of `PerReplica` values each replica gets its own.
            kwargs: those by name.
            options: ignored.

        Returns:
            What it returns, in the place of tensors `PerReplica` values with those of the replicas.

        Raises:
            RuntimeError: if it is called within a replica.
            ValueError: if `args` is no tuple or list; `args=(x,)` is the one of `x`.

        >>> strategy = tf.distribute.MirroredStrategy()
        >>> strategy.run(lambda x: x + 1.0, args=(tf.constant(1.0),)).numpy()
        np.float32(2.0)
        >>> strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
        >>> strategy.run(lambda x: x + 1.0, args=(tf.constant(1.0),))
        PerReplica:{
          0: <tf.Tensor: shape=(), dtype=float32, numpy=2.0>,
          1: <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
        }
        """
        require_across_replicas()
        _require_positions(args)
        if self.num_replicas_in_sync == 1:
            with entered(self, ReplicaContext(self)), self.placed():
                given: Any = _of_one_replica((args, kwargs or {}))
                return fn(*given[0], **given[1])
        if is_in_run():  # what `merge_call` has called: the replicas are being recorded
            args, kwargs = nest.map_structure(own_part, (args, kwargs or {}))
            context = RecordedReplica(self)
            with entered(self, context):
                result = fn(*args, **(kwargs or {}))
            return nest.map_structure(lambda part: self._of_replicas(part, context), result)
        if isinstance(fn, PolymorphicFunction) and not RECORDING_THREAD.functions:
            return self._function(fn)(tuple(args), kwargs or {})
        python: Any = fn
        return ReplicaCall(self, python, args, kwargs or {}).result()

    def _of_replicas(self, part: Any, context: ReplicaContext) -> Any:
        """Returns what a tensor of each replica is across the replicas, while they are recorded."""
        if not isinstance(part, EagerTensor) or any(part is same for same in context._same):
            return part
        return PerReplica(row=part, count=self.num_replicas_in_sync)

    def _function(self, fn: Any) -> Any:
        """Returns a function that runs another one in all replicas, so that no Python is needed."""
        known = self._functions.get(fn)
        if known is None:
            reference = weakref.ref(fn)

            def run_in_replicas(args: Any, kwargs: dict[str, Any]) -> Any:
                python: Any = reference()
                return ReplicaCall(self, python, args, kwargs).result()

            known = self._functions[fn] = tf_function(run_in_replicas)
        return known

    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """Brings the values of the replicas together.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`, or its name.
            value: a structure of values, such as `run` returns.
            axis: a dimension to reduce as well, or several, or None.

        Returns:
            A structure of tensors.

        Raises:
            ValueError: if there is no such reduction; with several replicas, if a value is no
                `PerReplica` and there is no axis.
            RuntimeError: if it is called within a replica.

        >>> strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
        >>> ids = strategy.run(
        ...     lambda: tf.distribute.get_replica_context().replica_id_in_sync_group + 1)
        >>> strategy.reduce("SUM", ids, axis=None).numpy()
        np.int32(3)
        """
        require_across_replicas()
        value = nest.map_structure(
            lambda part: part if _is_mirrored(part) and axis is None else values_of_variable(part),
            value,
        )
        value = _of_one_replica(value) if self.num_replicas_in_sync == 1 else value
        return as_tensors(reduced(reduce_op, value, axis, self.num_replicas_in_sync))

    def gather(self, value: Any, axis: int) -> Any:
        """Joins the values of the replicas along an axis.

        Args:
            value: a structure of values, such as `run` returns.
            axis: the axis.

        Raises:
            NotImplementedError: if there are `tf.IndexedSlices`.
            ValueError: if there is no such axis.
            RuntimeError: if it is called within a replica.
        """
        require_across_replicas(MESSAGE_GATHER_IN_REPLICA)
        require_dense(value, "gather")
        value = nest.map_structure(values_of_variable, value)
        if self.num_replicas_in_sync == 1:
            return ReplicaContext(self).all_gather(_of_one_replica(value), axis)
        return nest.map_structure(lambda part: gathered(part, axis, self.mesh), value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Returns the values of the replicas as a tuple.

        Args:
            value: a structure of values, such as `run` returns.

        >>> tf.distribute.MirroredStrategy().experimental_local_results(3)
        (3,)
        """
        if isinstance(value, MirroredVariable):
            return value.values
        if self.num_replicas_in_sync == 1:
            return (_of_one_replica(value),)
        if nest.is_nested(value) or isinstance(value, ReplicaValues):
            count = self.num_replicas_in_sync if self.here is None else len(self.here)
            return tuple(selected(value, place) for place in range(count))
        return (value,)

    def unwrap(self, value: Any) -> tuple[Any, ...]:
        """Returns `experimental_local_results(value)`: its older name.

        Args:
            value: a structure of values, such as `run` returns.

        >>> tf.distribute.MirroredStrategy().unwrap(3)
        (3,)
        """
        return self.experimental_local_results(value)

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], Any]
    ) -> Any:
        """Calls a function for each replica, which returns what this one has of a value.

        Args:
            value_fn: gets a context with `replica_id_in_sync_group` and `num_replicas_in_sync`.

        Returns:
            The structure that it returns, with `PerReplica` values.

        >>> strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
        >>> strategy.experimental_distribute_values_from_function(
        ...     lambda context: tf.constant(context.replica_id_in_sync_group))
        PerReplica:{
          0: <tf.Tensor: shape=(), dtype=int32, numpy=0>,
          1: <tf.Tensor: shape=(), dtype=int32, numpy=1>
        }
        """
        count = self.num_replicas_in_sync
        if count == 1 and not self._groups_values:
            return value_fn(ValueContext())
        return regrouped([value_fn(ValueContext(r, count)) for r in range(count)], same=False)

    def experimental_distribute_dataset(
        self, dataset: Any, options: Any = None
    ) -> DistributedDataset:
        """Returns something to iterate over, which gives each replica its part of the batches.

        Args:
            dataset: a dataset of batches of all replicas together.
            options: a `tf.distribute.InputOptions`.

        Raises:
            NotImplementedError: if the options ask for a dataset for each replica.
            AttributeError: if it is no dataset.
            IndexError: if there are several replicas, and its elements are no batches.

        >>> strategy = tf.distribute.MirroredStrategy()
        >>> for x in strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2)):
        ...     print(x.numpy())
        [0 1]
        [2 3]
        """
        modes = InputReplicationMode
        if options and options.experimental_replication_mode is modes.PER_REPLICA:
            raise NotImplementedError(MESSAGE_PER_REPLICA)
        if not hasattr(dataset, "element_spec"):
            raise AttributeError(MESSAGE_NO_DATASET.format(type(dataset).__name__))
        self._require_batches(dataset.element_spec)
        own = own_batches_of(dataset, self.num_replicas_in_sync)
        if own is not None:
            return DistributedDataset(own, self, is_of_replicas=True, given=dataset)
        return DistributedDataset(dataset, self)

    def _require_batches(self, spec: Any) -> None:
        """Raises if a dataset has numbers for its elements, which cannot be cut for replicas."""
        shapes = [part.shape for part in nest.flatten(spec) if isinstance(part, TensorSpec)]
        if self.num_replicas_in_sync > 1 and any(shape.rank == 0 for shape in shapes):
            raise hinted(IndexError("list index out of range"), HINT_BATCHES)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> DistributedDataset:
        """Calls a function with a `tf.distribute.InputContext`, which returns a dataset.

        Args:
            dataset_fn: returns a dataset of batches of one replica each.
            options: a `tf.distribute.InputOptions`, which may ask for a dataset for each replica.

        Returns:
            Something to iterate over, which gives each replica one of the batches in turn.
        """
        count = self.num_replicas_in_sync
        if options is None or not options.is_per_replica:
            made = dataset_fn(InputContext(num_replicas_in_sync=count))
            return DistributedDataset(made, self, is_of_replicas=True)
        apart = [dataset_fn(InputContext(count, replica, count)) for replica in range(count)]
        return DistributedDataset(apart[0], self, is_of_replicas=True, apart=apart)

    # What `fit` needs.

    def cut(self, batch: Any) -> Any:
        """Returns a batch, a structure of arrays and tensors, cut for the replicas."""

        def cut_part(part: Any) -> Any:
            if part is None:  # `train_on_batch` without weights
                return None
            is_cut = isinstance(part, ReplicaValues)
            return cut_for_replicas(part if is_cut else convert(part), self)

        return nest.map_structure(cut_part, batch)

    def joined(self, value: Any) -> Any:
        """Returns the values of the replicas, joined."""
        return self.gather(value, 0) if isinstance(value, ReplicaValues) else value

    def averaged(self, value: Any) -> Any:
        """Returns the mean of the values of the replicas."""
        is_own = isinstance(value, ReplicaValues)
        return self.reduce("MEAN", value, None) if is_own else value

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def make_dataset_iterator(self, dataset: Any) -> Iterator[Any]:
        """Returns an iterator over the parts of the batches of a dataset."""
        return iter(self.experimental_distribute_dataset(dataset))


class DeviceStrategy(Strategy):
    """A strategy whose replicas have devices of their own."""

    _groups_values = True
    requires_own_variables = True

    def creator(self) -> Callable[..., Any] | None:
        """Returns what makes variables in the scope."""
        is_central = self.requires_aggregation and self.num_replicas_in_sync == 1
        return super().creator() if is_central else distributed(self)

    def _use(self, devices: Any) -> None:
        """Sets the devices.

        Raises:
            AssertionError: if one of them is named twice.
        """
        names = [devices] if isinstance(devices, str) else devices
        found = tuple(map(full_name, names)) if names else tuple(default_devices())
        if len(set(found)) < len(found):
            raise AssertionError(f"No duplicates allowed in `devices` argument: {found}")
        self._devices = found
        if len(found) > 1:
            self.mesh = mesh_of(found, type(self).__name__)


@function("distribute.MirroredStrategy")
class MirroredStrategy(DeviceStrategy):
    """The strategy for the devices of one machine: each has a replica and the variables.

    Devices that are not there are simulated: all replicas then share one, which computes the same.

    Args:
        devices: the names of the devices, all GPUs by default, else all TPUs, else all CPUs.
        cross_device_ops: ignored: XLA combines values as is best on the devices.

    Raises:
        AssertionError: if a device is named twice.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    >>> with strategy.scope():
    ...     v = tf.Variable(3.0)
    >>> strategy.reduce("SUM", strategy.run(lambda: v * 2.0), axis=None).numpy()
    np.float32(12.0)
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__()
        self._use(devices)


@function("distribute.experimental.CentralStorageStrategy")
class CentralStorageStrategy(DeviceStrategy):
    """The strategy for devices that share the variables of one.

    Unlike TensorFlow, each device has the variables as in `tf.distribute.MirroredStrategy`; as in
    TensorFlow, those that replicas assign must say how, by `aggregation`.

    Args:
        compute_devices: the names of the devices, as for `MirroredStrategy`.
        parameter_device: the name of the device that is said to have the variables.

    >>> tf.distribute.experimental.CentralStorageStrategy(["CPU:0"]).num_replicas_in_sync
    1
    """

    requires_aggregation = True
    requires_own_variables = False

    def __init__(self, compute_devices: Any = None, parameter_device: Any = None) -> None:
        super().__init__()
        self._use(compute_devices)
        self._parameter_devices = (parameter_device or "/device:CPU:0",)


@function("distribute.OneDeviceStrategy")
class OneDeviceStrategy(Strategy):
    """The strategy for one device: programs in its scope and its `run` run there.

    Args:
        device: the name of the device. One that is not there is taken as `tf.device` takes it.

    Raises:
        ValueError: if it is no name of a device.

    >>> tf.distribute.OneDeviceStrategy("/cpu:0").num_replicas_in_sync
    1
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        self._devices = (full_name(device or "CPU:0"),)


@function("distribute.TPUStrategy")
class TPUStrategy(DeviceStrategy):
    """The strategy for TPUs: each core has a replica and the variables.

    Args:
        tpu_cluster_resolver: ignored: the TPUs are those that JAX sees.
        experimental_device_assignment: ignored.
        experimental_spmd_xla_partitioning: ignored: XLA always divides the program.

    Raises:
        ValueError: if there is no TPU.
    """

    def __init__(
        self, tpu_cluster_resolver: Any = None, experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:  # fmt: skip
        found = list_logical_devices("TPU")
        if not found:
            raise ValueError("There is no TPU. Leave the strategy out, or use MirroredStrategy.")
        super().__init__()
        self.cluster_resolver = tpu_cluster_resolver
        self._use([device.name for device in found])


@function("distribute.experimental.TPUStrategy")
class ExperimentalTPUStrategy(TPUStrategy):
    """The older name of `tf.distribute.TPUStrategy`.

    Args:
        tpu_cluster_resolver: ignored: the TPUs are those that JAX sees.
        device_assignment: ignored.

    Raises:
        ValueError: if there is no TPU.
    """

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        super().__init__(tpu_cluster_resolver)


@function("distribute.ParameterServerStrategy", "distribute.experimental.ParameterServerStrategy")
class ParameterServerStrategy(Strategy):
    """The strategy for parameter servers, which is not there.

    Args:
        cluster_resolver: ignored.
        variable_partitioner: ignored.

    Raises:
        ValueError: always.

    >>> tf.distribute.ParameterServerStrategy(None)
    Traceback (most recent call last):
    ValueError: Parameter servers are not there: the replicas of a program run in step...
    """

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        raise ValueError(MESSAGE_SERVERS)


class _DefaultDistributionStrategy(Strategy):
    """The strategy of programs that have none."""

    @contextlib.contextmanager
    def _scope(self) -> Iterator[Strategy]:
        yield self

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:  # fmt: skip
        _require_positions(args)
        return fn(*args, **(kwargs or {}))

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Returns the dataset."""
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> Any:
        """Returns the dataset that a function makes."""
        return dataset_fn(InputContext())

    experimental_distribute_datasets_from_function = distribute_datasets_from_function


class _DefaultReplicaContext(ReplicaContext):
    """The context of programs that have no strategy."""

    @property
    def replica_id_in_sync_group(self) -> Any:
        """0, the number of the replica."""
        return 0


DEFAULT = _DefaultDistributionStrategy()
_DEFAULT_PLACE = ReplicaPlace(DEFAULT, _DefaultReplicaContext(DEFAULT))


@function("distribute.get_strategy")
def get_strategy() -> Strategy:
    """Returns the strategy that the program is in the scope of, or one that does nothing.

    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return (THREAD.places[-1] if THREAD.places else _DEFAULT_PLACE).strategy


@function("distribute.get_replica_context")
def get_replica_context() -> ReplicaContext | None:
    """Returns the context of the replica that runs; None in the scope of a strategy.

    >>> tf.distribute.get_replica_context().num_replicas_in_sync
    1
    """
    return (THREAD.places[-1] if THREAD.places else _DEFAULT_PLACE).replica


@function("distribute.experimental_set_strategy")
def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Makes a strategy that of the thread from now on; None ends this.

    Raises:
        RuntimeError: in the scope of a strategy.

    >>> tf.distribute.experimental_set_strategy(tf.distribute.OneDeviceStrategy("/cpu:0"))
    >>> tf.distribute.has_strategy()
    True
    >>> tf.distribute.experimental_set_strategy(None)
    """
    if THREAD.places and THREAD.places != [THREAD.lasting]:
        raise hinted(RuntimeError(MESSAGE_IN_SCOPE), HINT_IN_SCOPE)
    THREAD.lasting = None if strategy is None else ReplicaPlace(strategy, None)
    THREAD.places = [] if THREAD.lasting is None else [THREAD.lasting]
    set_variable_creator(None if strategy is None else strategy.creator())
