"""`tf.data.experimental.service`: a dispatcher and workers that make the elements of datasets.

In TensorFlow these are processes, which make elements for those that train. Here they live in the
process that reads: a worker is an iteration of the dataset. What a program gets is the same: how
often each element comes, who of several readers gets it, and what is an error.
"""

import collections
import enum
import itertools
import socket
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tapefacade._core import errors
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import invalid
from tapefacade._core.tensor import hinted
from tapefacade._data.dataset import Dataset, wrap
from tapefacade._data.node import INFINITE, DatasetNode, close
from tapefacade._data.options import AutoShardPolicy
from tapefacade._data.selection import Shard
from tapefacade._definition.op import function, register
from tapefacade._distribute.worker_datasets import dealt_out

PARALLEL_EPOCHS, DISTRIBUTED_EPOCH = "parallel_epochs", "distributed_epoch"
COMPRESSIONS = ["AUTO", None, "SNAPPY"]
TARGETS = ("AUTO", "ANY", "LOCAL")
FIRST_ID = 1000  # of datasets, as in TensorFlow
MAX_CACHED = 1024  # elements that a slower trainer may still read
HINT_ELSEWHERE = (
    "tapefacade's service serves the process that it is in: make its DispatchServer and "
    "WorkerServers there. To read a part of a dataset in each of several processes, write "
    "tf.distribute.MultiWorkerMirroredStrategy, or dataset.shard."
)
_END = object()


class ShardingPolicy(enum.IntEnum):
    """How the workers of a service share a dataset.

    `OFF`: each makes all elements. `DYNAMIC`: each element is made once, by whoever is free.
    `FILE`, `DATA`, `FILE_OR_DATA` and `HINT`: each worker makes its part, as with
    `tf.data.experimental.AutoShardPolicy`; the dispatcher has to know the workers' addresses.

    >>> tf.data.experimental.service.ShardingPolicy.DYNAMIC.name
    'DYNAMIC'
    """

    OFF = 0
    DYNAMIC = 1
    FILE = 2
    DATA = 3
    FILE_OR_DATA = 4
    HINT = 5


register(("data.experimental.service.ShardingPolicy",), ShardingPolicy)
_AUTO_SHARD = {
    ShardingPolicy.FILE: AutoShardPolicy.FILE,
    ShardingPolicy.DATA: AutoShardPolicy.DATA,
    ShardingPolicy.FILE_OR_DATA: AutoShardPolicy.AUTO,
    ShardingPolicy.HINT: AutoShardPolicy.HINT,
}


@function("data.experimental.service.DispatcherConfig")
class DispatcherConfig(NamedTuple):
    """Settings of a `tf.data.experimental.service.DispatchServer`.

    Args:
        port: its port; 0 takes a free one.
        protocol: ignored.
        work_dir: ignored: what the dispatcher knows ends with the process.
        fault_tolerant_mode: ignored, likewise; needs a `work_dir`.
        worker_addresses: the workers' addresses, for policies that give each its part.
        job_gc_check_interval_ms: ignored.
        job_gc_timeout_ms: ignored.
        worker_timeout_ms: ignored.
        worker_max_concurrent_snapshots: ignored.

    >>> tf.data.experimental.service.DispatcherConfig(port=5000).port
    5000
    """

    port: int = 0
    protocol: str | None = None
    work_dir: str | None = None
    fault_tolerant_mode: bool = False
    worker_addresses: Sequence[str] | None = None
    job_gc_check_interval_ms: int | None = None
    job_gc_timeout_ms: int | None = None
    worker_timeout_ms: int | None = None
    worker_max_concurrent_snapshots: int = 0


@function("data.experimental.service.WorkerConfig")
class WorkerConfig(NamedTuple):
    """Settings of a `tf.data.experimental.service.WorkerServer`.

    Args:
        dispatcher_address: `host:port` of the dispatcher.
        worker_address: its own address; by default that of its port.
        port: its port; 0 takes a free one.
        protocol: ignored.
        heartbeat_interval_ms: ignored.
        dispatcher_timeout_ms: ignored.
        data_transfer_protocol: ignored.
        data_transfer_address: ignored.

    >>> tf.data.experimental.service.WorkerConfig("localhost:5000").dispatcher_address
    'localhost:5000'
    """

    dispatcher_address: str | None
    worker_address: str | None = None
    port: int = 0
    protocol: str | None = None
    heartbeat_interval_ms: int | None = None
    dispatcher_timeout_ms: int | None = None
    data_transfer_protocol: str | None = None
    data_transfer_address: str | None = None


@function("data.experimental.service.CrossTrainerCache")
class CrossTrainerCache:
    """Has trainers read the same elements of a job, each made once.

    Args:
        trainer_id: the name of this trainer.

    Raises:
        ValueError: if there is no name.

    >>> tf.data.experimental.service.CrossTrainerCache("first").trainer_id
    'first'
    """

    def __init__(self, trainer_id: str) -> None:
        if not trainer_id:
            raise ValueError("tf.data service cross-trainer cache requires a non-empty trainer ID.")
        self.trainer_id = trainer_id


class _Port:
    """A port of this machine that is taken as long as a server runs."""

    def __init__(self, port: int) -> None:
        self._socket: socket.socket | None = None
        self.number = port

    def open(self) -> None:
        """Takes the port; a free one if none is given."""
        self._socket = socket.create_server(("localhost", self.number))
        self.number = self._socket.getsockname()[1]

    def close(self) -> None:
        """Gives it back."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class _Server:
    """What dispatchers and workers have in common."""

    def __init__(self, port: int, start: bool) -> None:
        self._port = _Port(port)
        self._stopped = threading.Event()
        self._runs = False
        if start:
            self.start()

    def start(self) -> None:
        """Starts the server; does nothing if it runs."""
        if self._runs:
            return
        self._port.open()
        self._runs = True
        self._open()

    def stop(self) -> None:
        """Stops the server."""
        self._runs = False
        self._port.close()
        self._stopped.set()

    def join(self) -> None:
        """Waits until another thread stops the server."""
        self._stopped.wait()

    @property
    def _address(self) -> str:
        return f"localhost:{self._port.number}"

    def _open(self) -> None:
        """Makes the server known."""
        raise NotImplementedError(type(self).__name__)

    def __del__(self) -> None:
        if hasattr(self, "_stopped"):
            self.stop()


_DISPATCHERS: weakref.WeakValueDictionary[str, "DispatchServer"] = weakref.WeakValueDictionary()


def _dispatcher_at(address: str) -> "DispatchServer":
    found = _DISPATCHERS.get(address)
    if found is None or not found._runs:
        error = errors.UnavailableError(
            None, None, f"Failed to connect to the tf.data service dispatcher at {address}"
        )
        raise hinted(error, HINT_ELSEWHERE)
    return found


@function("data.experimental.service.DispatchServer")
class DispatchServer(_Server):
    """Knows the workers and the datasets of a service.

    Unlike TensorFlow, it serves the process that it is in.

    Args:
        config: a `tf.data.experimental.service.DispatcherConfig`.
        start: whether it runs at once.

    Raises:
        ValueError: if it is to be fault tolerant without a `work_dir`.

    >>> service = tf.data.experimental.service
    >>> dispatcher = service.DispatchServer()
    >>> worker = service.WorkerServer(
    ...     service.WorkerConfig(dispatcher.target.removeprefix("grpc://")))
    >>> dataset = tf.data.Dataset.range(4).apply(
    ...     service.distribute("distributed_epoch", dispatcher.target))
    >>> sorted(int(x) for x in dataset)
    [0, 1, 2, 3]

    See https://www.tensorflow.org/api_docs/python/tf/data/experimental/service/DispatchServer.
    """

    def __init__(self, config: DispatcherConfig | None = None, start: bool = True) -> None:
        self._config = config or DispatcherConfig()
        if self._config.fault_tolerant_mode and not self._config.work_dir:
            raise ValueError(
                "Cannot enable fault tolerant mode without configuring a work dir. Make sure to "
                "set `work_dir` in the `config` object passed to `DispatcherServer`."
            )
        self._workers: list[weakref.ref[WorkerServer]] = []
        self._datasets: dict[str, DatasetNode] = {}
        self._jobs: dict[tuple[str, int], _Job] = {}
        self._ids = itertools.count(FIRST_ID)
        self._changed = threading.Condition()
        super().__init__(self._config.port, start)

    def _open(self) -> None:
        _DISPATCHERS[self._address] = self

    @property
    def target(self) -> str:
        """What `distribute` is given: `grpc://host:port`."""
        return f"grpc://{self._address}"

    def _num_workers(self) -> int:
        return len(self._running())

    def _running(self) -> list["WorkerServer"]:
        found = [worker for ref in self._workers if (worker := ref()) is not None]
        return [worker for worker in found if worker._runs]

    def _add(self, worker: "WorkerServer") -> None:
        with self._changed:
            self._workers.append(weakref.ref(worker))
            self._changed.notify_all()

    def _register(self, node: DatasetNode, dataset_id: str | None) -> str:
        name = str(next(self._ids)) if dataset_id is None else dataset_id
        known = self._datasets.setdefault(name, node)
        if known is not node and known.spec != node.spec:
            raise invalid(
                "Failed to register dataset: Datasets with the same ID should have the same "
                f"structure, got diff for dataset ID {name}"
            )
        return name

    def _job(self, plan: "_Plan", node: DatasetNode, repetition: int) -> "_Job":
        """Returns the job of an iteration, which those of its name share."""
        with self._changed:
            self._changed.wait_for(self._running)
        if plan.cache is not None and plan.job_name is None:
            raise invalid("Cross-trainer caching requires named jobs. Got empty `job_name`.")
        if plan.job_name is None:
            return _Job(self._streams(plan.policy, node), plan, node)
        with self._changed:
            key = plan.job_name, repetition
            if key not in self._jobs:
                self._jobs[key] = _Job(self._streams(plan.policy, node), plan, node)
            return self._jobs[key]

    def _streams(self, policy: ShardingPolicy, node: DatasetNode) -> list[DatasetNode]:
        """Returns what each worker iterates over."""
        workers = self._running()
        if policy is ShardingPolicy.OFF:
            return [node] * len(workers)
        if policy is ShardingPolicy.DYNAMIC:
            return [node]  # whoever is free makes the next element: here it is always the same one
        known = list(self._config.worker_addresses or ())
        parts = []
        for worker in workers:
            if worker._address not in known:
                raise errors.NotFoundError(
                    None, None, "Failed to shard dataset in tf.data service: Worker "
                    f"{worker._address} is not in the workers list. Got workers list "
                    f"{','.join(known)}.",
                )  # fmt: skip
            place = len(known), known.index(worker._address)
            part = dealt_out(node, _AUTO_SHARD[policy], *place)
            is_all = part is None and policy is ShardingPolicy.HINT
            parts.append(node if is_all else part or Shard(node, *place))
        return parts


@function("data.experimental.service.WorkerServer")
class WorkerServer(_Server):
    """Makes elements for those that read from a dispatcher.

    Unlike TensorFlow, it serves the process that it is in.

    Args:
        config: a `tf.data.experimental.service.WorkerConfig`.
        start: whether it runs at once.

    Raises:
        ValueError: if the dispatcher is not named.
        UnavailableError: if there is no such dispatcher in this process.

    See https://www.tensorflow.org/api_docs/python/tf/data/experimental/service/WorkerServer.
    """

    def __init__(self, config: WorkerConfig, start: bool = True) -> None:
        if config.dispatcher_address is None:
            raise ValueError(
                "Must specify a `dispatcher_address` in the `config` passed to `WorkerServer`."
            )
        self._dispatcher_address = config.dispatcher_address
        self._given_address = config.worker_address
        super().__init__(config.port, start)

    @property
    def _address(self) -> str:
        given = self._given_address
        return (
            super()._address if given is None else given.replace("%port%", str(self._port.number))
        )

    def _open(self) -> None:
        _dispatcher_at(self._dispatcher_address)._add(self)


class _Plan(NamedTuple):
    """How a dataset reads from a service.

    Attributes:
        policy: how workers share the elements.
        address: that of the dispatcher.
        job_name: those that share the elements have the same one.
        consumer: which of the consumers this is that take turns, and how many there are.
        cache: the name of the trainer, if trainers read the same elements.
    """

    policy: ShardingPolicy
    address: str
    job_name: str | None
    consumer: tuple[int, int] | None
    cache: str | None


class _Job:
    """An iteration that several readers may share.

    What is made is kept for readers that take turns, and for trainers that read the same.
    """

    def __init__(self, streams: Sequence[DatasetNode], plan: _Plan, node: DatasetNode) -> None:
        if plan.consumer is not None and node.cardinality() != INFINITE:
            raise errors.FailedPreconditionError(
                None, None, "Failed to get element: Round robin reads require that the input "
                "dataset has infinite cardinality, but the dataset has a finite number of "
                "elements. Consider adding a `.repeat()` to the dataset.",
            )  # fmt: skip
        self._streams = collections.deque(stream.elements() for stream in streams)
        self._lock = threading.Lock()
        self._rounds: collections.defaultdict[int, collections.deque[Any]]
        self._rounds = collections.defaultdict(collections.deque)
        self._cached: collections.deque[Any] = collections.deque(maxlen=MAX_CACHED)
        self._count = 0  # of all elements that have been cached
        self._places: dict[str, int] = {}  # what each trainer reads next

    def take(self, plan: _Plan) -> Any:
        """Returns the next element for a reader."""
        with self._lock:
            if plan.cache is not None:
                return self._from_cache(plan.cache)
            if plan.consumer is None:
                return self._made()
            index, count = plan.consumer
            if not self._rounds[index]:  # one worker makes a round
                for number in range(count):
                    self._rounds[number].append(self._made(goes_on=number < count - 1))
            return self._rounds[index].popleft()

    def _from_cache(self, trainer: str) -> Any:
        place = max(self._places.get(trainer, 0), self._count - len(self._cached))
        if place == self._count:
            element = self._made()
            if element is _END:
                return element
            self._cached.append(element)
            self._count += 1
        self._places[trainer] = place + 1
        return self._cached[place - self._count]

    def _made(self, goes_on: bool = False) -> Any:
        """Has the next worker make an element; `goes_on` if it makes the one after it, too."""
        while self._streams:
            element = next(self._streams[0], _END)
            if element is _END:
                self._streams.popleft()
                continue
            if not goes_on:
                self._streams.rotate(-1)
            return element
        return _END

    def close(self) -> None:
        """Lets go what the workers hold."""
        for stream in self._streams:
            close(stream)


class FromService(DatasetNode):
    """What a service makes of a dataset."""

    name = "_DataServiceDatasetV2"

    def __init__(self, plan: _Plan, node: DatasetNode | str, spec: Any) -> None:
        super().__init__()
        self._plan = plan
        self._served = node  # or its id
        self._given_spec = spec
        self._repetitions = itertools.count()

    def known_spec(self) -> Any:
        return self._given_spec

    def elements(self) -> Iterator[Any]:
        dispatcher = _dispatcher_at(self._plan.address)
        node = self._served
        if isinstance(node, str):
            node = dispatcher._datasets[node]
        job = dispatcher._job(self._plan, node, next(self._repetitions))
        return self._taken(job)

    def _taken(self, job: _Job) -> Iterator[Any]:
        try:
            while (element := job.take(self._plan)) is not _END:
                yield element
        finally:
            if self._plan.job_name is None:
                job.close()


def _policy_of(processing_mode: Any) -> ShardingPolicy:
    if isinstance(processing_mode, ShardingPolicy):
        return processing_mode
    modes = {PARALLEL_EPOCHS: ShardingPolicy.OFF, DISTRIBUTED_EPOCH: ShardingPolicy.DYNAMIC}
    if processing_mode not in modes:
        raise ValueError(
            "tf.data service processing mode should be a "
            '`tf.data.experimental.service.ShardingPolicy`, `"parallel_epochs"`, or '
            f'`"distributed_epoch"`. Got {processing_mode!r}.'
        )
    return modes[processing_mode]


def _address_of(service: Any) -> str:
    if isinstance(service, tuple):
        return service[1]
    if not isinstance(service, str):
        raise ValueError(
            f"`service` must be a string, but `service` was of type {type(service)}. "
            f"service={service}"
        )
    if not service:
        raise ValueError("`service` must not be empty")
    return service.rpartition("://")[2]


def _plan(
    processing_mode: Any, service: Any, job_name: Any, consumer_index: Any, num_consumers: Any,
    compression: Any, cross_trainer_cache: Any, target_workers: str,
) -> _Plan:  # fmt: skip
    policy, address = _policy_of(processing_mode), _address_of(service)
    if job_name is not None:
        if not isinstance(job_name, str):
            raise ValueError(
                f"`job_name` must be a string, but `job_name` was of type {type(job_name)}. "
                f"job_name={job_name}"
            )
        if not job_name:
            raise ValueError("`job_name` must not be empty")
    if compression not in COMPRESSIONS:
        raise ValueError(
            f"Invalid `compression` argument: {compression}. Must be one of {COMPRESSIONS}."
        )
    if num_consumers is not None and job_name is None:
        raise ValueError(
            f"`job_name` must be set when setting `num_consumers`. num_consumers was set to "
            f"{num_consumers}."
        )
    if target_workers not in TARGETS:
        raise invalid(f"Unrecognized target workers: {target_workers}")
    consumer = None if num_consumers is None else (int(consumer_index or 0), int(num_consumers))
    cache = None if cross_trainer_cache is None else cross_trainer_cache.trainer_id
    return _Plan(policy, address, job_name, consumer, cache)


@function("data.experimental.service.distribute")
def distribute(
    processing_mode: Any,
    service: Any,
    job_name: str | None = None,
    consumer_index: int | None = None,
    num_consumers: int | None = None,
    max_outstanding_requests: int | None = None,
    data_transfer_protocol: str | None = None,
    compression: str | None = "AUTO",
    cross_trainer_cache: CrossTrainerCache | None = None,
    target_workers: str = "AUTO",
) -> Callable[[Any], Any]:
    """Makes a step for `Dataset.apply`: the workers of a service make the elements.

    Unlike TensorFlow, the service is in this process, and with `"distributed_epoch"` one worker
    makes all elements.

    Args:
        processing_mode: a `ShardingPolicy`, `"parallel_epochs"` (each worker makes all elements) or
            `"distributed_epoch"` (each element is made once).
        service: `DispatchServer.target`.
        job_name: datasets with the same name share the elements of an iteration.
        consumer_index: the number of this consumer of a job, if consumers take turns.
        num_consumers: how many consumers take turns: each gets one of so many elements that one
            worker makes in a row. The dataset has to be infinite.
        max_outstanding_requests: ignored.
        data_transfer_protocol: ignored.
        compression: ignored; `"AUTO"`, `"SNAPPY"` or None.
        cross_trainer_cache: the trainers of a job read the same elements.
        target_workers: ignored; `"AUTO"`, `"ANY"` or `"LOCAL"`.

    Returns:
        A function of a dataset, which returns a dataset.

    Raises:
        ValueError: if an argument is wrong.

    >>> step = tf.data.experimental.service.distribute("parallel_epochs", "grpc://localhost:5000")
    >>> tf.data.Dataset.range(3).apply(step).element_spec
    TensorSpec(shape=(), dtype=tf.int64, name=None)

    See https://www.tensorflow.org/api_docs/python/tf/data/experimental/service/distribute.
    """
    plan = _plan(
        processing_mode, service, job_name, consumer_index, num_consumers, compression,
        cross_trainer_cache, target_workers,
    )  # fmt: skip
    return lambda dataset: wrap(FromService(plan, dataset._node, dataset.element_spec))


@function("data.experimental.service.register_dataset")
def register_dataset(
    service: Any, dataset: Dataset, compression: str | None = "AUTO", dataset_id: str | None = None
) -> Any:
    """Makes a dataset known to a service.

    Args:
        service: `DispatchServer.target`.
        dataset: the dataset.
        compression: ignored; `"AUTO"`, `"SNAPPY"` or None.
        dataset_id: its name; by default the service finds one.

    Returns:
        Its name, a string scalar, for `from_dataset_id`.

    Raises:
        InvalidArgumentError: if another dataset has this name, and elements of other types.
        UnavailableError: if there is no such dispatcher in this process.

    >>> dispatcher = tf.data.experimental.service.DispatchServer()
    >>> tf.data.experimental.service.register_dataset(
    ...     dispatcher.target, tf.data.Dataset.range(3), dataset_id="numbers").numpy()
    b'numbers'
    """
    dispatcher = _dispatcher_at(_address_of(service))
    return convert(dispatcher._register(dataset._node, dataset_id))


@function("data.experimental.service.from_dataset_id")
def from_dataset_id(
    processing_mode: Any,
    service: Any,
    dataset_id: Any,
    element_spec: Any = None,
    job_name: str | None = None,
    consumer_index: int | None = None,
    num_consumers: int | None = None,
    max_outstanding_requests: int | None = None,
    data_transfer_protocol: str | None = None,
    cross_trainer_cache: CrossTrainerCache | None = None,
    target_workers: str = "AUTO",
) -> Any:
    """Makes a dataset of what a service makes of a registered one; arguments as of `distribute`.

    Args:
        processing_mode: how the workers share the elements.
        service: `DispatchServer.target`.
        dataset_id: what `register_dataset` has returned.
        element_spec: the types of the elements; by default those that were registered.
        job_name: datasets with the same name share the elements of an iteration.
        consumer_index: the number of this consumer, if consumers take turns.
        num_consumers: how many consumers take turns.
        max_outstanding_requests: ignored.
        data_transfer_protocol: ignored.
        cross_trainer_cache: the trainers of a job read the same elements.
        target_workers: ignored.

    Returns:
        A dataset.

    Raises:
        NotFoundError: if no dataset has this name.
        ValueError: if an argument is wrong.

    >>> service = tf.data.experimental.service
    >>> dispatcher = service.DispatchServer()
    >>> worker = service.WorkerServer(
    ...     service.WorkerConfig(dispatcher.target.removeprefix("grpc://")))
    >>> name = service.register_dataset(dispatcher.target, tf.data.Dataset.range(3))
    >>> [int(x) for x in service.from_dataset_id("parallel_epochs", dispatcher.target, name)]
    [0, 1, 2]
    """
    plan = _plan(
        processing_mode, service, job_name, consumer_index, num_consumers, "AUTO",
        cross_trainer_cache, target_workers,
    )  # fmt: skip
    name = convert(dataset_id).numpy()
    name = name.decode() if isinstance(name, bytes) else str(name)
    known = _dispatcher_at(plan.address)._datasets.get(name)
    if known is None:
        raise errors.NotFoundError(
            None, None, f"Dataset id {name} not found. It must be registered with "
            "`register_dataset` before calling `from_dataset_id`.",
        )  # fmt: skip
    return wrap(FromService(plan, name, known.spec if element_spec is None else element_spec))
