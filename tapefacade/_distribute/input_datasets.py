"""Datasets of a strategy, and what the function that makes one is told."""

import enum
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from tapefacade._core import nest
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.missing_members import lacks
from tapefacade._core.optional import Optional
from tapefacade._core.tensor import EagerTensor, from_array, from_host
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._data.iterators import Iterator as DatasetIterator
from tapefacade._data.node import INFINITE
from tapefacade._definition.op import function
from tapefacade._distribute.collectives import AXIS
from tapefacade._distribute.replica_values import PerReplica, PerReplicaSpec, regrouped
from tapefacade._distribute.worker_processes import exchanged
from tapefacade._ops.array.creation import zeros
from tapefacade._ragged.spec import RaggedTensorSpec
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._sparse.arrangement import slice as sparse_slice
from tapefacade._sparse.spec import SparseTensorSpec
from tapefacade._sparse.tensor import SparseTensor
from tapefacade._state.sharding import at_home

MESSAGE_PLACED = (
    "When `experimental_place_dataset_on_device` is set for dataset placement, you must also "
    "specify `PER_REPLICA` for the replication mode"
)


@function("distribute.InputContext")
class InputContext:
    """What a function that makes a dataset for a strategy is told.

    Args:
        num_input_pipelines: the number of such datasets.
        input_pipeline_id: the number of this one.
        num_replicas_in_sync: the number of replicas.

    >>> tf.distribute.InputContext().get_per_replica_batch_size(32)
    32
    """

    def __init__(
        self, num_input_pipelines: int = 1, input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:  # fmt: skip
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Returns the size of the batches of one replica.

        Raises:
            ValueError: if the replicas cannot have batches of one size.
        """
        size, rest = divmod(global_batch_size, self.num_replicas_in_sync)
        if rest:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync!r} "
            )
        return size

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: "
            f"{self.num_input_pipelines})"
        )


@function("distribute.experimental.ValueContext")
class ValueContext:
    """What a function is told that makes the value of a replica.

    Args:
        replica_id_in_sync_group: the number of the replica.
        num_replicas_in_sync: the number of replicas.

    >>> tf.distribute.experimental.ValueContext(1, 4).replica_id_in_sync_group
    1
    """

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.ValueContext(replica id {self.replica_id_in_sync_group},  total "
            f"replicas in sync: {self.num_replicas_in_sync})"
        )


@function("distribute.InputReplicationMode")
class InputReplicationMode(enum.Enum):
    """For whom `tf.distribute.InputOptions` has datasets made.

    >>> tf.distribute.InputReplicationMode.PER_REPLICA
    <InputReplicationMode.PER_REPLICA: 'PER_REPLICA'>
    """

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class _InputOptions(NamedTuple):
    """The fields of `InputOptions`."""

    experimental_fetch_to_device: bool
    experimental_replication_mode: InputReplicationMode
    experimental_place_dataset_on_device: bool
    experimental_per_replica_buffer_size: int


@function("distribute.InputOptions")
class InputOptions(_InputOptions):
    """How a strategy hands out a dataset. Batches are sent to the devices in any case.

    Args:
        experimental_fetch_to_device: without effect; None is True.
        experimental_replication_mode: whether the function that makes a dataset is called once for
            each replica.
        experimental_place_dataset_on_device: without effect; needs a dataset for each replica.
        experimental_per_replica_buffer_size: without effect.

    >>> tf.distribute.InputOptions().experimental_per_replica_buffer_size
    1
    """

    def __new__(
        cls, experimental_fetch_to_device: bool | None = None,
        experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER,
        experimental_place_dataset_on_device: bool = False,
        experimental_per_replica_buffer_size: int = 1,
    ) -> "InputOptions":  # fmt: skip
        return super().__new__(
            cls, experimental_fetch_to_device is None or experimental_fetch_to_device,
            experimental_replication_mode, experimental_place_dataset_on_device,
            experimental_per_replica_buffer_size,
        )  # fmt: skip

    @property
    def is_per_replica(self) -> bool:
        """Whether there is a dataset for each replica.

        Raises:
            ValueError: if a device is wanted for one dataset of several replicas.
        """
        found = self.experimental_replication_mode is InputReplicationMode.PER_REPLICA
        if self.experimental_place_dataset_on_device and not found:
            raise ValueError(MESSAGE_PLACED)
        return found


@function("distribute.DistributedDataset")
@lacks(
    {
        "reduce": "Add up in a loop over the dataset.",
    }
)
class DistributedDataset:
    """The dataset of a strategy: its elements are those of the dataset, cut for the replicas.

    Args:
        dataset: the dataset.
        strategy: the strategy; None has one replica.
        is_of_replicas: whether its batches are those of single replicas.
        apart: the datasets of the replicas, if each has its own.
        given: the dataset that it was made of, if this is a process's part of it.
    """

    _has_elements = True  # loops over it in functions are compiled

    def __init__(
        self, dataset: Any, strategy: Any = None, is_of_replicas: bool = False, given: Any = None,
        apart: Sequence[Any] | None = None,
    ) -> None:  # fmt: skip
        self._dataset = dataset
        self._given = dataset if given is None else given
        self._strategy = strategy
        self._is_of_replicas = is_of_replicas
        self._apart = apart
        self._count: int = 1 if strategy is None else strategy.num_replicas_in_sync

    @property
    def element_spec(self) -> Any:
        """The types of the elements."""
        spec = self._dataset.element_spec
        if self._count == 1:
            return spec
        if self._strategy.here is not None:
            here = len(self._strategy.here)
            return nest.map_structure(lambda part: PerReplicaSpec(*[_any_size(part)] * here), spec)

        def of_replicas(part: Any) -> PerReplicaSpec:
            return PerReplicaSpec(
                *[_part_of(part, self._is_of_replicas, self._count)] * self._count
            )

        return nest.map_structure(of_replicas, spec)

    @property
    def cardinality(self) -> Any:
        """The number of elements of the dataset, an int64 number; -1: no end, -2: unknown."""
        return self._given.cardinality().numpy()

    def __iter__(self) -> Iterator[Any]:
        if self._count == 1 and (self._strategy is None or self._strategy.home() is None):
            return iter(self._dataset)
        if self._strategy.here is not None:
            return ProcessIterator(self)
        return DistributedIterator(self)


@function("distribute.DistributedIterator")
class DistributedIterator(DatasetIterator):
    """An iteration over the dataset of a strategy: `iter(distributed_dataset)`.

    Args:
        distributed: the dataset.
    """

    _has_elements = True

    def __init__(self, distributed: DistributedDataset) -> None:
        self._distributed = distributed
        apart = distributed._apart
        self._batches: Any = iter(distributed._dataset)
        # Whose next batches the replicas get in turn.
        self._sources: list[Any] = [self._batches] if apart is None else [*map(iter, apart)]
        self._count = distributed._count
        self._strategy = distributed._strategy
        self._home = distributed._strategy.home()

    @property
    def element_spec(self) -> Any:
        """The types of the elements."""
        return self._distributed.element_spec

    def __next__(self) -> Any:
        return self._element(next)

    def get_next(self) -> Any:
        """Returns the next element.

        Raises:
            OutOfRangeError: if there is none.
        """
        return self._element(lambda batches: batches.get_next())

    def get_next_as_optional(self) -> Optional:
        """Returns the next element as a `tf.experimental.Optional`, which is empty at the end."""
        try:
            return Optional.from_value(next(self))
        except StopIteration:
            return Optional.empty(self.element_spec)

    def _element(self, following: Callable[[Any], Any]) -> Any:
        if self._count == 1:
            return nest.map_structure(
                lambda part: at_home(part, self._home) if type(part) is EagerTensor else part,
                following(self._batches), expand_composites=True,
            )  # fmt: skip
        if not self._distributed._is_of_replicas:
            return nest.map_structure(
                lambda part: cut_for_replicas(part, self._strategy), following(self._batches)
            )
        spec = self._distributed._dataset.element_spec
        sources = list(itertools.islice(itertools.cycle(self._sources), self._count))
        batches = [next(source, None) for source in sources]
        ended = [s for s, batch in zip(sources, batches, strict=True) if batch is None]
        if len(ended) == self._count or (ended and not self._has_empty_batches()):
            return following(ended[0])  # raises
        batches = [nest.map_structure(_nothing, spec) if b is None else b for b in batches]
        return nest.map_structure(lambda *parts: self._joined(parts), *batches)

    def _has_empty_batches(self) -> bool:
        """Whether a replica for which there is no batch left may get one of no examples.

        As in TensorFlow, none may where no size of the batches is open: then such a rest is left
        out. What is known only from the elements that come first is open.
        """
        dataset = self._distributed._dataset
        are_closed = all(map(_is_closed, nest.flatten(dataset.element_spec)))
        return not are_closed or not dataset._node.is_known

    def _joined(self, parts: Sequence[Any]) -> PerReplica:
        """Makes one value of the batches of the replicas."""
        if any(type(part) is not EagerTensor or part._type is not parts[0]._type for part in parts):
            return PerReplica(parts)
        return _on_devices(np.stack([np.asarray(part._array()) for part in parts]), self._strategy)


class ProcessIterator(DistributedIterator):
    """An iteration over what the replicas of this process get, in step with other processes.

    A process that has come to the end of its data goes on with batches of no examples, until all
    have. Where types and numbers of batches are not known beforehand, the processes tell each other
    before each batch.
    """

    def __init__(self, distributed: DistributedDataset) -> None:
        super().__init__(distributed)
        self._is_cut = not distributed._is_of_replicas
        size = distributed._dataset.cardinality().numpy()
        specs = nest.flatten(distributed._dataset.element_spec)
        are_known = all(
            isinstance(spec, TensorSpec)
            and spec.dtype != "string"
            and spec.shape.rank is not None
            and spec.shape[1 if self._is_cut else 0 :].is_fully_defined()
            for spec in specs
        )
        self._is_known = are_known and (size >= 0 if self._is_cut else size == INFINITE)

    def __next__(self) -> Any:
        found = self._together()
        if found is None:
            raise StopIteration
        return found

    def get_next(self) -> Any:
        """Returns the next element.

        Raises:
            OutOfRangeError: if there is none.
        """
        found = self._together()
        return self._batches.get_next() if found is None else found  # raises

    def _together(self) -> Any:
        """Returns what all replicas get next, None at the end of all processes."""
        here, spec = self._strategy.here, self._distributed._dataset.element_spec
        own, is_even = self._own(len(here))
        if self._is_known and own is None:
            return None
        empty = nest.map_structure(_nothing, spec)
        parts = [
            nest.flatten(part, expand_composites=True)
            for part in ([empty] * len(here) if own is None else own)
        ]
        columns = list(zip(*parts, strict=True))
        if not self._is_known:
            said = [[own is not None, [(p._type.shape, p.dtype.name) for p in c]] for c in columns]
            told = [json.loads(data) for data in exchanged(json.dumps(said).encode())]
            if not any(has for process in told for has, _ in process):
                return None
            is_even = all(
                len({json.dumps(type_) for process in told for type_ in process[place][1]}) == 1
                and column[0].dtype != "string"
                for place, column in enumerate(columns)
            )
        if is_even:
            found = [
                self._strategy.on_devices(np.stack([part._numpy_array() for part in column]))
                for column in columns
            ]
            if not any(isinstance(part, CompositeTensor) for part in nest.flatten(empty)):
                return nest.pack_sequence_as(empty, found)
        found = self._strategy.shared([[part._numpy_array() for part in c] for c in columns])
        return regrouped(
            [
                nest.pack_sequence_as(empty, [part._every()[r] for part in found], True)
                for r in range(self._count)
            ],
            same=False, here=here,
        )  # fmt: skip

    def _own(self, here: int) -> tuple[list[Any] | None, bool]:
        """Returns what the replicas of this process get, and whether all get as much."""
        elements = list(itertools.islice(self._batches, 1 if self._is_cut else here))
        if not elements:
            return None, True
        if self._is_cut:
            (batch,) = elements
            counts = {int(part.shape[0]) for part in nest.flatten(batch)}
            cuts = [rows_for_processes(part, self._count) for part in nest.flatten(batch)]
            own = [
                nest.pack_sequence_as(batch, [rows[replica] for rows in cuts])
                for replica in self._strategy.here
            ]
            return own, all(count % self._count == 0 for count in counts)
        spec = self._distributed._dataset.element_spec
        elements += [nest.map_structure(_nothing, spec)] * (here - len(elements))
        return elements, True


def _is_closed(spec: Any) -> bool:
    """Whether all batches have the same size, as far as the type tells."""
    if isinstance(spec, RaggedTensorSpec | SparseTensorSpec):
        return not spec.shape.rank or spec.shape[0] is not None
    return not isinstance(spec, TensorSpec) or spec.shape.is_fully_defined()


def rows_for_processes(batch: Any, count: int) -> list[Any]:
    """Cuts a batch for the replicas of several processes: the first ones get what is left over."""
    size, rest = divmod(int(batch.shape[0] or 0), count)
    return _cut_rows(batch, [size + (replica < rest) for replica in range(count)])


def rows_for_replicas(batch: Any, count: int) -> list[Any]:
    """Cuts a batch for the replicas of a process: all get as many rows, until there are none."""
    rows = int(batch.shape[0] or 0)
    size = -(-rows // count)
    return _cut_rows(batch, [max(min(size, rows - size * replica), 0) for replica in range(count)])


def _cut_rows(batch: Any, sizes: Sequence[int]) -> list[Any]:
    ends = list(itertools.accumulate(sizes))
    places = zip([0, *ends], ends, strict=False)
    if not isinstance(batch, SparseTensor):
        return [batch[a:b] for a, b in places]
    rest = batch.shape.as_list()[1:]
    return [sparse_slice(batch, [a, *[0] * len(rest)], [b - a, *rest]) for a, b in places]


def cut_for_replicas(batch: Any, strategy: Any) -> PerReplica:
    """Cuts a batch into those of the replicas."""
    count = strategy.num_replicas_in_sync
    if isinstance(batch, PerReplica):
        return batch
    if strategy.here is not None:
        rows = rows_for_processes(batch, count)
        own = [rows[replica]._numpy_array() for replica in strategy.here]
        is_even = rows[0].shape[0] == rows[-1].shape[0]
        return strategy.on_devices(np.stack(own)) if is_even else strategy.shared([own])[0]
    size, rest = divmod(int(batch.shape[0] if batch.shape[0] is not None else 0), count)
    if type(batch) is EagerTensor and not rest:
        array = np.asarray(batch._array())
        return _on_devices(array.reshape(count, size, *array.shape[1:]), strategy)
    return PerReplica(rows_for_replicas(batch, count))


def _on_devices(array: np.ndarray[Any, Any], strategy: Any) -> PerReplica:
    """Puts the batches of the replicas on their devices."""
    if strategy.mesh is None:
        held = from_host(array)
    else:
        with jax.enable_x64(True):
            sharding = NamedSharding(strategy.mesh, PartitionSpec(AXIS))
            held = from_array(jax.device_put(array, sharding))
    return PerReplica(stacked=held, count=len(array), devices=strategy._devices)


def _part_of(spec: Any, is_of_replica: bool, count: int) -> Any:
    """Returns the type of a batch of one replica."""
    if not isinstance(spec, TensorSpec) or is_of_replica or spec.shape.rank is None:
        return spec
    rows = spec.shape[0] if spec.shape.rank else None
    if rows is None:
        return spec
    size, rest = divmod(rows, count)
    return TensorSpec([None if rest else size, *spec.shape[1:]], spec.dtype)


def _any_size(spec: Any) -> Any:
    """Returns the type of batches that other processes may have less of."""
    if not isinstance(spec, TensorSpec) or not spec.shape.rank:
        return spec
    return TensorSpec([None, *spec.shape[1:]], spec.dtype)


def _nothing(spec: Any) -> Any:
    """Returns the batch of a replica for which there is none: no examples."""
    if isinstance(spec, RaggedTensorSpec) and spec.ragged_rank:
        inner = [size or 0 for size in spec.shape.as_list()[spec.ragged_rank + 1 :]]
        splits = [zeros([1], spec.row_splits_dtype)] * spec.ragged_rank
        return RaggedTensor.from_nested_row_splits(zeros([0, *inner], spec.dtype), splits)
    if isinstance(spec, SparseTensorSpec):
        sizes = [size or 0 for size in spec.shape.as_list()[1:]]
        indices = np.zeros([0, 1 + len(sizes)], np.int64)
        return SparseTensor(indices, zeros([0], spec.dtype), [0, *sizes])
    sizes = [size or 0 for size in spec.shape.as_list()]
    if spec.shape.is_fully_defined() and sizes:
        sizes[0] = 0
    return zeros(sizes, spec.dtype)
