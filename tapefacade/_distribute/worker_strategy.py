"""The strategy for several processes: all their replicas are one program, which each of them runs.

Where a program is a `tf.function`, or runs outside of one, all processes have to run the same ones
in the same order. So what all of them compute together is computed at once: then it does not matter
which of them looks at it.
"""

import enum
import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.process_group import PROCESSES
from tapefacade._core.replica_places import THREAD
from tapefacade._core.tensor import EagerTensor, from_array, from_host, hinted
from tapefacade._core.tensor_type import TensorType
from tapefacade._definition.op import function
from tapefacade._distribute.cluster_resolvers import ClusterResolver, TFConfigClusterResolver
from tapefacade._distribute.cluster_specs import ClusterSpec
from tapefacade._distribute.collectives import AXIS
from tapefacade._distribute.input_datasets import (
    DistributedDataset,
    InputContext,
    ValueContext,
)
from tapefacade._distribute.reduction import as_tensors, reduced
from tapefacade._distribute.replica_devices import default_devices, mesh_of_devices
from tapefacade._distribute.replica_run_op import ReplicaPlan
from tapefacade._distribute.replica_values import PerReplica, ReplicaValues
from tapefacade._distribute.strategies import (
    MESSAGE_GATHER_IN_REPLICA,
    DeviceStrategy,
    require_across_replicas,
)
from tapefacade._distribute.worker_datasets import own_part_of
from tapefacade._distribute.worker_processes import exchanged, exchanged_arrays, from_chief, join
from tapefacade._trace.recording import THREAD as RECORDING_THREAD

TASK_TYPES = ("chief", "worker", "evaluator", "ps", None)
MESSAGE_SERVERS = (
    "There are no parameter servers: the replicas of a program run in step. Leave `ps` out of the "
    "cluster; the workers hold the variables."
)
MESSAGE_PLAIN = (
    "In a tf.function a value that is no PerReplica is taken to be the same in all processes, so "
    "that what `{}` is given is not known to be what you mean."
)
HINT_PLAIN = (
    "Return the value from the function that `strategy.run` calls, or do this outside of "
    "tf.function."
)
MESSAGE_PROGRAMS = (
    "The processes of a program run the same function in their replicas. Process {} computes {} "
    "where process {} computes {}."
)
HINT_PROGRAMS = (
    "Python must do the same in all of them: no shape and no branch may depend on the number of "
    "the process. What differs is handed in: "
    "`strategy.experimental_distribute_values_from_function`."
)
FULL_NAME = "/job:{}/replica:0/task:{}/device:{}:{}"


@function(
    "distribute.experimental.CommunicationImplementation",
    "distribute.experimental.CollectiveCommunication",
)
class CommunicationImplementation(enum.Enum):
    """What combines the values of processes; without effect: it is XLA.

    >>> tf.distribute.experimental.CommunicationImplementation.AUTO
    <CommunicationImplementation.AUTO: 'AUTO'>
    """

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@function("distribute.experimental.CommunicationOptions")
class CommunicationOptions:
    """How the values of processes are combined: XLA does what is best, and waits for so long.

    Unlike TensorFlow's, a process that has waited too long ends, and its error cannot be caught.

    Args:
        bytes_per_pack: ignored.
        timeout_seconds: how long one waits for the others; None has no limit.
        implementation: a `CommunicationImplementation`, ignored.

    Raises:
        ValueError: if the number is negative, or there is no such implementation.

    >>> tf.distribute.experimental.CommunicationOptions(bytes_per_pack=1024).bytes_per_pack
    1024
    """

    def __init__(
        self, bytes_per_pack: int = 0, timeout_seconds: float | None = None,
        implementation: Any = CommunicationImplementation.AUTO,
    ) -> None:  # fmt: skip
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        if isinstance(implementation, str):
            implementation = CommunicationImplementation(implementation.upper())
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation


@function("distribute.experimental.CollectiveHints")
def collective_hints(
    bytes_per_pack: int = 0, timeout_seconds: float | None = None
) -> CommunicationOptions:
    """Makes a `CommunicationOptions`, whose older name this is.

    Args:
        bytes_per_pack: ignored.
        timeout_seconds: how long one waits for the others; None has no limit.

    >>> tf.distribute.experimental.CollectiveHints(1024).bytes_per_pack
    1024
    """
    return CommunicationOptions(bytes_per_pack, timeout_seconds)


@function("distribute.MultiWorkerMirroredStrategy")
class MultiWorkerMirroredStrategy(DeviceStrategy):
    """The strategy for several processes: each of their devices has a replica and the variables.

    A process has a replica on each of its GPUs or TPUs, else one on its CPU. Without `TF_CONFIG`
    there is one process, unless the program has called `jax.distributed.initialize()`.

    All processes run the same program: a function that `run` or `tf.function` calls in one of them
    is called in all. What is random and has no seed is the same in all processes but in replicas,
    and variables begin with the chief's values. Unlike TensorFlow, a variable that replicas assign
    without aggregation, or with that of the first, shows the value of the first replica of all in
    every process; in TensorFlow that of the first replica of the process.

    Args:
        cluster_resolver: says where the processes are; by default `TF_CONFIG` does.
        communication_options: a `CommunicationOptions`, whose `timeout_seconds` says how long a
            process waits for others that have not come to what all do together. Then it ends, with
            a message that says where they are.

    Raises:
        ValueError: if the cluster has no such task, or has parameter servers.
        RuntimeError: if JAX has started before.

    >>> tf.distribute.MultiWorkerMirroredStrategy().num_replicas_in_sync
    1
    """

    def __init__(
        self, cluster_resolver: ClusterResolver | None = None, communication_options: Any = None
    ) -> None:
        if not isinstance(cluster_resolver, ClusterResolver | None):
            raise ValueError(
                "cluster_resolver must be an instance of "
                "tf.distribute.cluster_resolver.ClusterResolver"
            )
        super().__init__()
        resolver = TFConfigClusterResolver() if cluster_resolver is None else cluster_resolver
        self.cluster_resolver = resolver
        self._count = 1
        self._known_programs: set[Any] = set()
        addresses, index = _tasks(resolver)
        if len(addresses) > 1:
            join(addresses, index)
        elif jax.distributed.is_initialized():
            join([], 0)
        seconds = getattr(communication_options, "timeout_seconds", None)
        if seconds is not None:
            PROCESSES.seconds_to_wait = seconds
        if len(addresses) > 1 or (not addresses and PROCESSES.count > 1):
            self._use_processes()
        else:
            kind = default_devices()[0].rsplit("/device:", 1)[1].split(":")[0]
            self._use(None if kind != "CPU" else ["CPU:0"])

    def _use_processes(self) -> None:
        kind = default_devices()[0].rsplit("/device:", 1)[1].split(":")[0]
        own = _devices_of(PROCESSES.index, kind)
        found = [d for process in range(PROCESSES.count) for d in _devices_of(process, kind)]
        if len(found) != len(own) * PROCESSES.count:
            raise ValueError(f"The processes have different numbers of devices: {found}.")
        self._count = len(found)
        self.here = range(PROCESSES.index * len(own), (PROCESSES.index + 1) * len(own))
        self.mesh = mesh_of_devices(found)
        job, task = self.cluster_resolver.task_type, self.cluster_resolver.task_id
        self._devices = tuple(
            FULL_NAME.format(job or "worker", PROCESSES.index if task is None else task, kind, k)
            for k in range(len(own))
        )

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas, in all processes."""
        return super().num_replicas_in_sync if self.here is None else self._count

    # What programs call.

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:  # fmt: skip
        """Calls a function in each replica, in all processes.

        Args:
            fn: the function.
            args: its arguments; of `PerReplica` values each replica gets its own, of a tensor that
                is not in a `tf.function` each process's replicas get that of the process.
            kwargs: those by name.
            options: ignored.

        Returns:
            What it returns: `PerReplica` values; outside of a `tf.function`, where a process has
            one replica, the tensor of this.

        Raises:
            RuntimeError: if it is called within a replica, or the function looks at values and a
                tape is open around it.
        """
        if self.here is None or not self._is_outside():
            return super().run(fn, args, kwargs)
        args, kwargs = self._spread_arguments((tuple(args), kwargs or {}))
        RECORDING_THREAD.recording.flush()
        result = super().run(fn, args, kwargs)
        RECORDING_THREAD.recording.flush()
        if len(self.here) > 1:
            return result
        return nest.map_structure(
            lambda part: part.values[0] if isinstance(part, ReplicaValues) else part, result
        )

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """Brings the values of the replicas of all processes together.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`, or its name.
            value: a structure of values, such as `run` returns; of other tensors each process has
                its own.
            axis: a dimension to reduce as well, or None.

        Returns:
            A structure of tensors.

        Raises:
            ValueError: if there is no such reduction.
            RuntimeError: in a `tf.function`, if a value is no `PerReplica`.
        """
        if self.here is None:
            return super().reduce(reduce_op, value, axis)
        require_across_replicas()
        return self._together(
            "reduce", value,
            lambda part: as_tensors(reduced(reduce_op, part, axis, self._count_of(part))),
        )  # fmt: skip

    def gather(self, value: Any, axis: int) -> Any:
        """Joins the values of the replicas of all processes along an axis.

        Args:
            value: a structure of values, such as `run` returns; of other tensors each process has
                its own.
            axis: the axis.
        """
        if self.here is None:
            return super().gather(value, axis)
        require_across_replicas(MESSAGE_GATHER_IN_REPLICA)
        gather = super().gather
        return self._together("gather", value, lambda part: gather(part, axis))

    def _count_of(self, part: Any) -> int:
        return part._count if isinstance(part, ReplicaValues) else self._count

    def _together(self, what: str, value: Any, do: Callable[[Any], Any]) -> Any:
        """Does something with values of which each process has its own."""
        value = nest.map_structure(lambda part: self._everyones(part, what), value)
        if not self._is_outside():
            return nest.map_structure(do, value)
        RECORDING_THREAD.recording.flush()
        result = nest.map_structure(do, value)
        RECORDING_THREAD.recording.flush()
        return result

    def _everyones(self, part: Any, what: str) -> Any:
        """Returns what all processes have in the place of a plain tensor of this one."""
        if isinstance(part, ReplicaValues) or (isinstance(part, int | float) and part == 0):
            if getattr(part, "_stacked", None) is not None and self._is_outside():
                PROCESSES.note(what)
            return part
        if not self._is_outside():
            raise hinted(RuntimeError(MESSAGE_PLAIN.format(what)), HINT_PLAIN)
        arrays = exchanged_arrays([convert(part)._numpy_array()])
        return PerReplica([from_host(array) for (array,) in arrays])

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], Any]
    ) -> Any:
        """Calls a function for each replica of this process, which returns what this one has.

        Args:
            value_fn: gets a context with `replica_id_in_sync_group` and `num_replicas_in_sync`.

        Returns:
            The structure that it returns, with `PerReplica` values.
        """
        if self.here is None:
            return super().experimental_distribute_values_from_function(value_fn)
        results = [value_fn(ValueContext(replica, self._count)) for replica in self.here]
        columns = zip(*map(nest.flatten, results), strict=True)
        found = self.spread([[convert(value) for value in column] for column in columns])
        return nest.pack_sequence_as(results[0], found)

    def experimental_distribute_dataset(
        self, dataset: Any, options: Any = None
    ) -> DistributedDataset:
        """Returns something to iterate over, which gives each replica its part of the batches.

        What a process reads is decided by `auto_shard_policy` of the dataset's options. By default
        these are some of the files, if the dataset is made of files, else its part of each batch.

        Args:
            dataset: a dataset of batches of all replicas together.
            options: ignored.

        Raises:
            InvalidArgumentError: if there are fewer files than processes.
            NotFoundError: if the policy is FILE, and there are no files.
        """
        if self.here is None:
            return super().experimental_distribute_dataset(dataset)
        own, is_cut = own_part_of(dataset, PROCESSES.count, PROCESSES.index, self._count)
        return DistributedDataset(own, self, is_of_replicas=not is_cut, given=dataset)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> DistributedDataset:
        """Calls a function with a `tf.distribute.InputContext`, which returns a dataset.

        Args:
            dataset_fn: returns a dataset of batches of one replica each, those of this process.
            options: ignored.

        Returns:
            Something to iterate over, which gives each replica one of the batches in turn.
        """
        if self.here is None:
            return super().distribute_datasets_from_function(dataset_fn)
        context = InputContext(PROCESSES.count, PROCESSES.index, self._count)
        return DistributedDataset(dataset_fn(context), self, is_of_replicas=True)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    # Values that the processes do not share.

    def agreed(self, tensor: EagerTensor) -> EagerTensor:
        """Returns the chief's first value of a variable, on the devices of all processes."""
        if self.here is None:
            return tensor
        return self._on_all_devices(from_chief(np.asarray(tensor._array())))

    def _on_all_devices(self, array: np.ndarray[Any, Any]) -> EagerTensor:
        assert self.mesh is not None
        sharding = NamedSharding(self.mesh, PartitionSpec())
        with jax.enable_x64(True):
            return from_array(jax.make_array_from_process_local_data(sharding, array))

    def of_all(self, parts: list[Any]) -> list[Any]:
        """Returns what the replicas of all processes have, given what those of this one have.

        Args:
            parts: for each replica a number, a text, or a list of them.
        """
        if self.here is None:
            return parts
        return [part for data in exchanged(json.dumps(parts).encode()) for part in json.loads(data)]

    def values_of_all(self, parts: Sequence[Any]) -> list[Any]:
        """Returns structures with the tensors of the replicas of all processes."""
        if self.here is None:
            return list(parts)
        flat = [nest.flatten(part, expand_composites=True) for part in parts]
        places = [k for k, leaf in enumerate(flat[0]) if isinstance(leaf, EagerTensor)]
        given = exchanged_arrays(
            [leaves[place]._numpy_array() for leaves in flat for place in places]
        )
        found = []
        for arrays in given:
            rest = iter(arrays)
            for part, leaves in zip(parts, flat, strict=True):
                own = list(leaves)
                for place in places:
                    own[place] = from_host(next(rest))
                found.append(nest.pack_sequence_as(part, own, expand_composites=True))
        for replica, part in zip(self.here, parts, strict=True):
            found[replica] = part
        return found

    def own_values(self, parts: Sequence[Any]) -> Sequence[Any]:
        """Returns structures with tensors that lie on the devices of this process only."""
        if self.here is None:
            return parts
        return nest.map_structure(
            lambda part: from_host(part._numpy_array()) if isinstance(part, EagerTensor) else part,
            list(parts), expand_composites=True,
        )  # fmt: skip

    def row_of_all(self, row: EagerTensor) -> EagerTensor:
        """Returns a value that all replicas have as one on the devices of all of them."""
        return row if self.here is None else self._on_all_devices(row._numpy_array())

    def rows_of_all(self, rows: Sequence[EagerTensor]) -> EagerTensor:
        """Returns the values of the replicas of this process, stacked with those of the others."""
        if self.here is None:
            return super().rows_of_all(rows)
        return self.on_devices(np.stack([row._numpy_array() for row in rows]))._stacked

    def require_same_program(self, plan: ReplicaPlan, types: Sequence[TensorType]) -> None:
        """Raises if another process runs another program; asked once for each program.

        Raises:
            RuntimeError: if so.
        """
        key = plan, tuple(types)
        if self.here is None or key in self._known_programs:
            return
        self._known_programs.add(key)
        steps = plan.program.part.steps
        lines = [f"{len(types)} values from outside: {_texts(types)}"]
        lines += [f"{s.operation.name}: {_texts(s.types)}" for s in steps]
        told = [data.decode().split("\n") for data in exchanged("\n".join(lines).encode())]
        for process, other in enumerate(told):
            for mine, others in itertools.zip_longest(lines, other, fillvalue="nothing"):
                if mine != others:
                    names = PROCESSES.index, mine, process, others
                    raise hinted(RuntimeError(MESSAGE_PROGRAMS.format(*names)), HINT_PROGRAMS)

    def spread(self, columns: Sequence[Sequence[EagerTensor]]) -> list[PerReplica]:
        """Makes values of all replicas of those that this process has.

        Args:
            columns: for each value what the replicas of this process have.
        """
        types = [(part._type.shape, part.dtype.name) for column in columns for part in column]
        if len(set(exchanged(repr(types).encode()))) == 1 and all(
            len({part._type for part in column}) == 1 for column in columns
        ):
            return [
                self.on_devices(np.stack([part._numpy_array() for part in column]))
                for column in columns
            ]
        return self.shared([[part._numpy_array() for part in column] for column in columns])

    def on_devices(self, rows: np.ndarray[Any, Any]) -> PerReplica:
        """Makes a value of all replicas; those of this process have the rows."""
        assert self.mesh is not None
        shape = (self._count, *rows.shape[1:])
        sharding = NamedSharding(self.mesh, PartitionSpec(AXIS))
        with jax.enable_x64(True):
            held = jax.make_array_from_process_local_data(sharding, rows, shape)
        return PerReplica(stacked=from_array(held), count=self._count, here=self.here)

    def shared(self, columns: Sequence[Sequence[np.ndarray[Any, Any]]]) -> list[PerReplica]:
        """Makes values of all replicas of arrays of different shapes: each process gets all."""
        given = exchanged_arrays([array for column in columns for array in column])
        found = []
        for place, column in enumerate(columns):
            start = place * len(column)
            values = [
                from_host(array) for process in given for array in process[start:][: len(column)]
            ]
            found.append(PerReplica(values, here=self.here))
        return found

    def _spread_arguments(self, arguments: Any) -> Any:
        """Makes values of the replicas of the tensors of this process."""
        flat = nest.flatten(arguments)
        places = [k for k, leaf in enumerate(flat) if isinstance(leaf, EagerTensor | np.ndarray)]
        if places:
            assert self.here is not None
            columns = [[convert(flat[place])] * len(self.here) for place in places]
            for place, value in zip(places, self.spread(columns), strict=True):
                flat[place] = value
        return nest.pack_sequence_as(arguments, flat)

    def _is_outside(self) -> bool:
        """Whether the program is in no function and in no replica, so that values are known."""
        in_replica = THREAD.places and THREAD.places[-1].replica is not None
        return not RECORDING_THREAD.functions and not in_replica


def _texts(types: Sequence[TensorType]) -> str:
    return ", ".join(f"{type_.dtype.name}{list(type_.shape)}" for type_ in types)


def _tasks(resolver: ClusterResolver) -> tuple[list[str], int]:
    """Returns the addresses of the processes that run in step, the chief first, and which this is.

    Raises:
        ValueError: if the cluster has no such task, or has parameter servers.
    """
    spec = ClusterSpec(resolver.cluster_spec())
    if not spec:
        return [], 0
    kind, number = resolver.task_type, resolver.task_id
    if kind is None or number is None:
        raise ValueError(
            "When `cluster_spec` is given, you must also specify `task_type` and `task_id`."
        )
    if kind not in TASK_TYPES:
        raise ValueError(f"Unrecognized task_type: {kind}, valid task types are: {TASK_TYPES}")
    if "ps" in spec.jobs:
        raise hinted(ValueError(f"There is no id for task_type {kind!r}"), MESSAGE_SERVERS)
    if kind in spec.jobs and number >= spec.num_tasks(kind):
        raise ValueError(f"The `task_id` {number} exceeds the maximum id of {kind}.")
    if kind == "evaluator":
        return [], 0
    found = [
        (job, task) for job in ("chief", "worker") if job in spec.jobs
        for task in spec.task_indices(job)
    ]  # fmt: skip
    if (kind, number) not in found:
        raise ValueError(f"`task_type` {kind!r} is not in the cluster {spec!r}.")
    return [spec.task_address(*task) for task in found], found.index((kind, number))


def _devices_of(process: int, kind: str) -> list[Any]:
    """Returns the devices of a process that have replicas."""
    found = [device for device in jax.devices() if device.process_index == process]
    return found[:1] if kind == "CPU" else found


@function("distribute.experimental.MultiWorkerMirroredStrategy")
class ExperimentalMultiWorkerMirroredStrategy(MultiWorkerMirroredStrategy):
    """The older name of `tf.distribute.MultiWorkerMirroredStrategy`.

    Args:
        communication: ignored.
        cluster_resolver: says where the processes are; by default `TF_CONFIG` does.

    >>> tf.distribute.experimental.MultiWorkerMirroredStrategy().num_replicas_in_sync
    1
    """

    def __init__(
        self, communication: Any = CommunicationImplementation.AUTO,
        cluster_resolver: ClusterResolver | None = None,
    ) -> None:  # fmt: skip
        super().__init__(cluster_resolver)
