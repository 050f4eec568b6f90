"""Datasets and checkpoints of `tf.experimental.dtensor`."""

from collections.abc import Iterator
from typing import Any

from tapefacade._checkpoint.checkpoint import Checkpoint
from tapefacade._core import nest
from tapefacade._core.missing_members import lacks
from tapefacade._data.dataset import Dataset
from tapefacade._distribute.dtensor import Layout, Mesh, copy_to_mesh

MESSAGE_DIMENSION = "batch_dim {} was specified but at least one layout did not contain it: {}"


@lacks(
    {
        " ".join(name for name in dir(Dataset) if name[0] != "_" and name != "element_spec"): (
            "Call it on the dataset that this is made of."
        )
    }
)
class DTensorDataset:
    """The batches of a dataset, laid out over a mesh.

    Every process reads the whole dataset, and keeps of each batch what its devices hold.

    Args:
        dataset: the dataset, of single elements unless it is batched already.
        mesh: the mesh.
        layouts: a structure of layouts, of which each has the rank of a batch.
        global_batch_size: how many elements all devices get together.
        dataset_already_batched: whether the elements are batches, which are made anew then.
        batch_dim: the axis of the mesh that divides the batches.
        prefetch: how many batches are read ahead.
        tf_data_service_config: ignored.

    Raises:
        ValueError: if a layout does not have `batch_dim`, or its size does not divide the batch.

    >>> dtensor = tf.experimental.dtensor
    >>> mesh = dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> dataset = dtensor.DTensorDataset(
    ...     tf.data.Dataset.range(5), mesh=mesh, layouts=dtensor.Layout(["x"], mesh),
    ...     global_batch_size=2, batch_dim="x")
    >>> [batch.numpy().tolist() for batch in dataset]
    [[0, 1], [2, 3]]
    """

    def __init__(
        self, dataset: Any, *, mesh: Mesh, layouts: Any, global_batch_size: int,
        dataset_already_batched: bool = False, batch_dim: str | None = None,
        prefetch: int | None = None, tf_data_service_config: Any = None,
    ) -> None:  # fmt: skip
        self._layouts = layouts
        flat: list[Layout] = nest.flatten(layouts)
        if batch_dim is not None:
            if any(batch_dim not in layout.sharding_specs for layout in flat):
                raise ValueError(MESSAGE_DIMENSION.format(batch_dim, layouts))
            if global_batch_size % mesh.dim_size(batch_dim):
                raise ValueError(
                    f"global_batch_size {global_batch_size} must be divisible by the number of "
                    f"replicas {mesh.dim_size(batch_dim)}"
                )
        if dataset_already_batched:
            dataset = dataset.unbatch()
        dataset = dataset.batch(global_batch_size, drop_remainder=True)
        self._dataset = dataset if prefetch is None else dataset.prefetch(prefetch)
        self.element_spec = self._dataset.element_spec

    def __iter__(self) -> Iterator[Any]:
        for batch in self._dataset:
            yield nest.map_structure(copy_to_mesh, batch, self._layouts)

    def __len__(self) -> int:
        return len(self._dataset)


class DTensorCheckpoint(Checkpoint):
    """A `tf.train.Checkpoint`: each variable knows its layout, and restores under any.

    Args:
        mesh: ignored.
        root: as for `tf.train.Checkpoint`.
        **kwargs: as for `tf.train.Checkpoint`.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> checkpoint = tf.experimental.dtensor.DTensorCheckpoint(mesh, v=tf.Variable(1.0))
    >>> int(checkpoint.save_counter)
    0
    """

    def __init__(self, mesh: Mesh, root: Any = None, **kwargs: Any) -> None:
        super().__init__(root, **kwargs)
