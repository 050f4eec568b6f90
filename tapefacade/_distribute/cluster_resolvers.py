"""Where the processes of a program are: what `TF_CONFIG`, Slurm, or the program itself says."""

import collections
import enum
import json
import os
import re
from collections.abc import Mapping
from typing import Any

from tapefacade._config.devices import list_logical_devices
from tapefacade._config.tpu import MESSAGE_NO_NAME
from tapefacade._core.missing_members import lacks
from tapefacade._core.tensor import hinted
from tapefacade._definition.op import function, register
from tapefacade._distribute.cluster_specs import ClusterSpec, merged

HINT_NO_TPU = "JAX sees no TPU in this process. Use tf.distribute.get_strategy() in its place."
CONFIG_VARIABLE = "TF_CONFIG"
MESSAGE_KUBERNETES = (
    "The Kubernetes Python client must be installed before using the Kubernetes Cluster Resolver. "
    "To install the Kubernetes Python client, run `pip install kubernetes` on your command line."
)
HINT_KUBERNETES = (
    "tapefacade does not ask Kubernetes for its pods. Give each pod of an indexed Job the variable "
    "TF_CONFIG with the addresses of all of them, or call jax.distributed.initialize() before the "
    "strategy is made: JAX finds the pods of a JobSet itself."
)
MESSAGE_GCE = "googleapiclient must be installed before using the GCE cluster resolver"
HINT_GCE = (
    "tapefacade does not ask Google for the machines of a group. Set TF_CONFIG on each of them, or "
    "write tf.distribute.cluster_resolver.SimpleClusterResolver."
)
HOSTS_IN_BRACKETS = re.compile(r"([^,\[\]]+)(?:\[([^\]]*)\])?([^,\[\]]*)(?:,|$)")
TASKS_ON_NODES = re.compile(r"(\d+)(?:\(x(\d+)\))?")


@function("distribute.cluster_resolver.ClusterResolver")
class ClusterResolver:
    """Says where the processes of a program are, and which of them this one is.

    >>> issubclass(
    ...     tf.distribute.cluster_resolver.TFConfigClusterResolver,
    ...     tf.distribute.cluster_resolver.ClusterResolver)
    True
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None
    environment: str | None = ""

    def cluster_spec(self) -> ClusterSpec:
        """Returns the addresses of all processes."""
        raise NotImplementedError(type(self).__name__)

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Returns the address of a process.

        Args:
            task_type: its job; that of this process by default.
            task_id: its number; that of this process by default.
            rpc_layer: the protocol, which comes before the address.
        """
        kind = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        if kind is None or number is None:
            return ""
        return _with_layer(
            self.cluster_spec().task_address(kind, number), rpc_layer or self.rpc_layer
        )

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Returns how many accelerators this process has, by their kind."""
        found: dict[str, int] = collections.defaultdict(int)
        for device in list_logical_devices():
            if device.device_type != "CPU":
                found[device.device_type] += 1
        return found


def _with_layer(address: str, layer: str | None) -> str:
    return f"{layer}://{address}" if layer else address


@function("distribute.cluster_resolver.SimpleClusterResolver")
class SimpleClusterResolver(ClusterResolver):
    """Says what it is told.

    Args:
        cluster_spec: the addresses, a `tf.train.ClusterSpec`.
        master: the address of this process.
        task_type: the job of this process.
        task_id: its number.
        environment: kept.
        num_accelerators: how many accelerators it has, by their kind.
        rpc_layer: the protocol.

    Raises:
        TypeError: if there is no `tf.train.ClusterSpec`.

    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
    ...     tf.train.ClusterSpec({"worker": ["one:1", "two:2"]}), task_type="worker", task_id=0)
    >>> resolver.master("worker", 1)
    'two:2'
    """

    def __init__(
        self, cluster_spec: ClusterSpec, master: str = "", task_type: str | None = None,
        task_id: int | None = None, environment: str = "",
        num_accelerators: Mapping[str, int] | None = None, rpc_layer: str | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        self._cluster_spec = cluster_spec
        self._master = master
        self._accelerators = num_accelerators
        self.task_type, self.task_id = task_type, task_id
        self.environment, self.rpc_layer = environment, rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """Returns the addresses of all processes."""
        return self._cluster_spec

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Returns the address of a process: that of this one was given."""
        if task_type is not None and task_id is not None:
            address = self._cluster_spec.task_address(task_type, task_id)
            return _with_layer(address, rpc_layer or self.rpc_layer)
        return _with_layer(self._master, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Returns how many accelerators this process has, by their kind: what was given."""
        return dict(self._accelerators or {})


@function("distribute.cluster_resolver.TFConfigClusterResolver")
class TFConfigClusterResolver(ClusterResolver):
    """Says what the environment variable `TF_CONFIG` says.

    That is JSON such as
    `{"cluster": {"worker": ["one:2222", "two:2222"]}, "task": {"type": "worker", "index": 0}}`.

    Args:
        task_type: the job of this process, in the place of what is said.
        task_id: its number, in the place of what is said.
        rpc_layer: the protocol, in the place of what is said.
        environment: kept.

    >>> resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver("worker", 3)
    >>> resolver.task_type, resolver.task_id
    ('worker', 3)
    """

    def __init__(
        self, task_type: str | None = None, task_id: int | None = None,
        rpc_layer: str | None = None, environment: str | None = None,
    ) -> None:  # fmt: skip
        self._given = {"type": task_type, "index": task_id}
        self._layer = rpc_layer
        self.environment = environment

    @property
    def task_type(self) -> str | None:
        """The job of this process."""
        found = self._task("type")
        return None if found is None else str(found)

    @task_type.setter
    def task_type(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, task_type: str | None
    ) -> None:
        self._given["type"] = task_type

    @property
    def task_id(self) -> int | None:
        """The number of this process in its job."""
        found = self._task("index")
        return None if found is None else int(found)

    @task_id.setter
    def task_id(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, task_id: int | None
    ) -> None:
        self._given["index"] = task_id

    @property
    def rpc_layer(self) -> str | None:
        """The protocol."""
        return self._layer or _config().get("rpc_layer")

    @rpc_layer.setter
    def rpc_layer(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, rpc_layer: str | None
    ) -> None:
        self._layer = rpc_layer

    def _task(self, name: str) -> Any:
        given = self._given[name]
        return _config().get("task", {}).get(name) if given is None else given

    def cluster_spec(self) -> ClusterSpec:
        """Returns the addresses of all processes; none without `TF_CONFIG`."""
        return ClusterSpec(_config().get("cluster", {}))

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Returns the address of a process; "" if this is the only one."""
        spec = self.cluster_spec()
        if not spec or sum(map(spec.num_tasks, spec.jobs)) == 1:
            return ""
        kind = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        address = spec.task_address(kind, number)  # type: ignore[arg-type]  # raises TF's error
        return _with_layer(address, rpc_layer or self.rpc_layer)


def _config() -> dict[str, Any]:
    return json.loads(os.environ.get(CONFIG_VARIABLE) or "{}")


@function("distribute.cluster_resolver.SlurmClusterResolver")
class SlurmClusterResolver(ClusterResolver):
    """Says what Slurm says of a step that `srun` has started.

    Args:
        jobs: how many processes each job has, in their order; all are workers by default.
        port_base: the port of the first process on a node.
        gpus_per_node: ignored: a process has the GPUs that JAX sees.
        gpus_per_task: how many GPUs each process has.
        tasks_per_node: how many processes a node has; what Slurm says by default.
        auto_set_gpu: ignored: let Slurm bind them (`srun --gpus-per-task`).
        rpc_layer: the protocol.

    Raises:
        RuntimeError: if this is no step of Slurm, or it has another number of processes.
    """

    def __init__(
        self, jobs: Mapping[str, int] | None = None, port_base: int = 8888,
        gpus_per_node: int | None = None, gpus_per_task: int | None = None,
        tasks_per_node: Any = None, auto_set_gpu: bool = True, rpc_layer: str = "grpc",
    ) -> None:  # fmt: skip
        self._number = int(_slurm("PROCID"))
        total = int(_slurm("STEP_NUM_TASKS"))
        self._jobs = dict(jobs or {"worker": total})
        wanted = sum(self._jobs.values())
        if wanted != total:
            raise RuntimeError(f"Requested {wanted} tasks but only {total} were assigned.")
        self._port, self._gpus = port_base, gpus_per_task
        self._per_node = tasks_per_node
        self.rpc_layer = rpc_layer
        self.task_type, self.task_id = self.get_task_info()

    def get_task_info(self) -> tuple[str, int]:
        """Returns the job of this process, and its number there."""
        number = self._number
        for job, count in self._jobs.items():
            if number < count:
                return job, number
            number -= count
        raise RuntimeError(f"There is no job for the process {self._number}.")

    def cluster_spec(self) -> ClusterSpec:
        """Returns the addresses of all processes."""
        nodes = _hosts(_slurm("STEP_NODELIST"))
        counts = self._tasks_per_node(len(nodes))
        addresses = [
            f"{node}:{self._port + place}"
            for node, count in sorted(zip(nodes, counts, strict=True))
            for place in range(count)
        ]
        found, start = {}, 0
        for job, count in self._jobs.items():
            found[job] = addresses[start : start + count]
            start += count
        return ClusterSpec(found)

    def _tasks_per_node(self, nodes: int) -> list[int]:
        if self._per_node is None:
            pairs = TASKS_ON_NODES.findall(_slurm("STEP_TASKS_PER_NODE"))
            return [int(count) for count, times in pairs for _ in range(int(times or 1))]
        if isinstance(self._per_node, int):
            return [self._per_node] * nodes
        return list(self._per_node)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Returns how many accelerators this process has, by their kind."""
        if self._gpus is None:
            return super().num_accelerators()
        return {"GPU": self._gpus}


def _slurm(name: str) -> str:
    found = os.environ.get(f"SLURM_{name}")
    if found is None:
        raise hinted(
            RuntimeError(
                f"SLURM_{name} not found in environment. Not running inside a SLURM step?"
            ),
            "Start the program with `srun`.",
        )
    return found


def _hosts(names: str) -> list[str]:
    """Returns the hosts that Slurm writes as `node[01-03,7],other`."""
    found = []
    for prefix, ranges, suffix in HOSTS_IN_BRACKETS.findall(names):
        for part in ranges.split(",") if ranges else [""]:
            first, _, last = part.partition("-")
            for number in range(int(first or 0), int(last or first or 0) + 1):
                digits = f"{number:0{len(first)}d}" if first else ""
                found.append(f"{prefix}{digits}{suffix}")
    return found


class KubernetesExecutableLocation(enum.Enum):
    """Whether a program runs in one of the cluster's pods.

    >>> tf.distribute.cluster_resolver.KubernetesExecutableLocation.OFF_CLUSTER.value
    1
    """

    WITHIN_CLUSTER = 0
    OFF_CLUSTER = 1


register(
    ("distribute.cluster_resolver.KubernetesExecutableLocation",), KubernetesExecutableLocation
)


@function("distribute.cluster_resolver.KubernetesClusterResolver")
class KubernetesClusterResolver(ClusterResolver):
    """Would ask Kubernetes for its pods, which tapefacade does not.

    Args:
        job_to_label_mapping: ignored.
        tf_server_port: ignored.
        rpc_layer: ignored.
        override_client: ignored.
        executable_location: ignored.

    Raises:
        ImportError: always; its note says what to do instead.
    """

    def __init__(
        self, job_to_label_mapping: Any = None, tf_server_port: int = 8470,
        rpc_layer: str = "grpc", override_client: Any = None,
        executable_location: Any = KubernetesExecutableLocation.WITHIN_CLUSTER,
    ) -> None:  # fmt: skip
        raise hinted(ImportError(MESSAGE_KUBERNETES), HINT_KUBERNETES)


@function("distribute.cluster_resolver.GCEClusterResolver")
class GCEClusterResolver(ClusterResolver):
    """Would ask Google for the machines of a group, which tapefacade does not.

    Args:
        project: ignored.
        zone: ignored.
        instance_group: ignored.
        port: ignored.
        task_type: ignored.
        task_id: ignored.
        rpc_layer: ignored.
        credentials: ignored.
        service: ignored.

    Raises:
        ImportError: always; its note says what to do instead.
    """

    def __init__(
        self, project: str, zone: str, instance_group: str, port: int, task_type: str = "worker",
        task_id: int = 0, rpc_layer: str = "grpc", credentials: Any = "default",
        service: Any = None,
    ) -> None:  # fmt: skip
        raise hinted(ImportError(MESSAGE_GCE), HINT_GCE)


@function("distribute.cluster_resolver.UnionResolver")
class UnionResolver(ClusterResolver):
    """Says what several resolvers say; of this process, what the first of them says.

    Args:
        *args: the resolvers.
        rpc_layer: the protocol, in the place of that of the first.
        task_type: the job of this process, likewise.
        task_id: its number, likewise.

    Raises:
        TypeError: if one of them is no resolver.
        ValueError: if there is none.
    """

    def __init__(
        self, *args: ClusterResolver, rpc_layer: str | None = None, task_type: str | None = None,
        task_id: int | None = None,
    ) -> None:  # fmt: skip
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(resolver, ClusterResolver) for resolver in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._resolvers = args
        first = args[0]
        self.rpc_layer = rpc_layer or first.rpc_layer
        self.task_type = first.task_type if task_type is None else task_type
        self.task_id = first.task_id if task_id is None else task_id
        self.environment = first.environment

    def cluster_spec(self) -> ClusterSpec:
        """Returns the addresses of all processes.

        Raises:
            KeyError: if two resolvers have a task of the same number.
        """
        return merged([resolver.cluster_spec() for resolver in self._resolvers])

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Returns the address of a process; that of this one is what the first resolver says."""
        if task_type is not None and task_id is not None:
            return super().master(task_type, task_id, rpc_layer)
        return self._resolvers[0].master(rpc_layer=rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Returns how many accelerators this process has, as the first resolver says."""
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)


@function("distribute.cluster_resolver.TPUClusterResolver")
@lacks(
    {
        "get_coordination_service_leader get_job_name get_master get_tpu_system_metadata "
        "set_tpu_topology tpu_hardware_feature": "Leave it out: JAX finds the TPUs.",
    }
)
class TPUClusterResolver(ClusterResolver):
    """Says where the TPUs are: in this process, as JAX has found them.

    Args:
        tpu: the name of a TPU; the TPUs are those of this machine, whatever it says.
        zone: ignored, as are all that follow.
        project: ignored.
        job_name: ignored.
        coordinator_name: ignored.
        coordinator_address: ignored.
        credentials: ignored.
        service: ignored.
        discovery_url: ignored.

    Raises:
        ValueError: if there is no TPU.

    >>> tf.distribute.cluster_resolver.TPUClusterResolver()
    Traceback (most recent call last):
    ValueError: Please provide a TPU Name to connect to...
    """

    def __init__(
        self, tpu: str | None = None, zone: str | None = None, project: str | None = None,
        job_name: str = "worker", coordinator_name: str | None = None,
        coordinator_address: str | None = None, credentials: Any = "default", service: Any = None,
        discovery_url: str | None = None,
    ) -> None:  # fmt: skip
        if not list_logical_devices("TPU"):
            raise hinted(ValueError(MESSAGE_NO_NAME), HINT_NO_TPU)
        self._tpu = tpu

    @classmethod
    def connect(
        cls, tpu: str | None = None, zone: str | None = None, project: str | None = None
    ) -> "TPUClusterResolver":
        """Makes a resolver; there is nothing to connect to.

        Args:
            tpu: as for the class.
            zone: ignored.
            project: ignored.
        """
        return cls(tpu)

    def cluster_spec(self) -> ClusterSpec:
        """Returns no addresses: the TPUs are in this process."""
        return ClusterSpec({})

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Returns the address of the coordinator: none, as it is this process."""
        return ""

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Returns how many cores there are."""
        return {"TPU": len(list_logical_devices("TPU"))}
