"""Datasets of a strategy, and what the function that makes one is told."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from tapefacade._core import nest
from tapefacade._core.optional import Optional
from tapefacade._core.tensor import EagerTensor, from_array, from_host
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._data.iterators import Iterator as DatasetIterator
from tapefacade._definition.op import function
from tapefacade._distribute.collectives import AXIS
from tapefacade._distribute.replica_values import PerReplica, PerReplicaSpec
from tapefacade._ops.array.creation import zeros


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


@function("distribute.DistributedDataset")
class DistributedDataset:
    """The dataset of a strategy: its elements are those of the dataset, cut for the replicas.

    Args:
        dataset: the dataset.
        strategy: the strategy; None has one replica.
        is_of_replicas: whether its batches are those of single replicas.
    """

    def __init__(self, dataset: Any, strategy: Any = None, is_of_replicas: bool = False) -> None:
        self._dataset = dataset
        self._strategy = strategy
        self._is_of_replicas = is_of_replicas
        self._count: int = 1 if strategy is None else strategy.num_replicas_in_sync

    @property
    def element_spec(self) -> Any:
        """The types of the elements."""
        spec = self._dataset.element_spec
        if self._count == 1:
            return spec

        def of_replicas(part: Any) -> PerReplicaSpec:
            return PerReplicaSpec(
                *[_part_of(part, self._is_of_replicas, self._count)] * self._count
            )

        return nest.map_structure(of_replicas, spec)

    @property
    def cardinality(self) -> Any:
        """The number of elements, as an int64 number; -1 if there is no end, -2 if unknown."""
        size = self._dataset.cardinality().numpy()
        return -(-size // self._count) if self._is_of_replicas and size > 0 else size

    def __iter__(self) -> Iterator[Any]:
        if self._count == 1:
            return iter(self._dataset)
        return DistributedIterator(self)


@function("distribute.DistributedIterator")
class DistributedIterator(DatasetIterator):
    """An iteration over the dataset of a strategy: `iter(distributed_dataset)`.

    Args:
        distributed: the dataset.
    """

    def __init__(self, distributed: DistributedDataset) -> None:
        self._distributed = distributed
        self._batches: Any = iter(distributed._dataset)
        self._count = distributed._count
        self._strategy = distributed._strategy

    @property
    def element_spec(self) -> Any:
        """The types of the elements."""
        return self._distributed.element_spec

    def __next__(self) -> Any:
        return self._element(lambda: next(self._batches))

    def get_next(self) -> Any:
        """Returns the next element.

        Raises:
            OutOfRangeError: if there is none.
        """
        return self._element(self._batches.get_next)

    def get_next_as_optional(self) -> Optional:
        """Returns the next element as a `tf.experimental.Optional`, which is empty at the end."""
        try:
            return Optional.from_value(next(self))
        except StopIteration:
            return Optional.empty(self.element_spec)

    def _element(self, following: Callable[[], Any]) -> Any:
        first = following()
        if not self._distributed._is_of_replicas:
            return nest.map_structure(lambda part: cut_for_replicas(part, self._strategy), first)
        batches = [first]
        for _ in range(self._count - 1):
            try:
                batches.append(next(self._batches))
            except StopIteration:
                batches.append(
                    nest.map_structure(_nothing, self._distributed._dataset.element_spec)
                )
        return nest.map_structure(lambda *parts: self._joined(parts), *batches)

    def _joined(self, parts: Sequence[Any]) -> PerReplica:
        """Makes one value of the batches of the replicas."""
        if any(type(part) is not EagerTensor or part._type is not parts[0]._type for part in parts):
            return PerReplica(parts)
        return _on_devices(np.stack([np.asarray(part._array()) for part in parts]), self._strategy)


def cut_for_replicas(batch: Any, strategy: Any) -> PerReplica:
    """Cuts a batch into those of the replicas: the first ones get what is left over."""
    count = strategy.num_replicas_in_sync
    size, rest = divmod(int(batch.shape[0] if batch.shape[0] is not None else 0), count)
    if type(batch) is EagerTensor and not rest:
        array = np.asarray(batch._array())
        return _on_devices(array.reshape(count, size, *array.shape[1:]), strategy)
    ends = np.cumsum([size + (replica < rest) for replica in range(count)]).tolist()
    return PerReplica([batch[a:b] for a, b in zip([0, *ends], ends, strict=False)])


def _on_devices(array: np.ndarray[Any, Any], strategy: Any) -> PerReplica:
    """Puts the batches of the replicas on their devices."""
    if strategy.mesh is None:
        return PerReplica(stacked=from_host(array), count=len(array))
    with jax.enable_x64(True):
        held = jax.device_put(array, NamedSharding(strategy.mesh, PartitionSpec(AXIS)))
    return PerReplica(stacked=from_array(held), count=len(array))


def _part_of(spec: Any, is_of_replica: bool, count: int) -> Any:
    """Returns the type of a batch of one replica."""
    if not isinstance(spec, TensorSpec) or is_of_replica or spec.shape.rank is None:
        return spec
    rows = spec.shape[0] if spec.shape.rank else None
    if rows is None:
        return spec
    size, rest = divmod(rows, count)
    return TensorSpec([None if rest else size, *spec.shape[1:]], spec.dtype)


def _nothing(spec: Any) -> Any:
    """Returns the batch of a replica for which there is none: no examples."""
    sizes = [size or 0 for size in spec.shape.as_list()]
    if spec.shape.is_fully_defined() and sizes:
        sizes[0] = 0
    return zeros(sizes, spec.dtype)
