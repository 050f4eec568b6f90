"""Datasets of a strategy, and what the function that makes one is told."""

from collections.abc import Iterator
from typing import Any

from tapefacade._definition.op import function


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

    @property
    def element_spec(self) -> Any:
        """The types of the elements."""
        return self._dataset.element_spec

    def __iter__(self) -> Iterator[Any]:
        return iter(self._dataset)
