"""`tf.train.TrackableView` and `CheckpointView`: what there is in an object or a checkpoint."""

from typing import Any

from tapefacade._checkpoint.object_graph import find_objects
from tapefacade._checkpoint.reader import open_checkpoint
from tapefacade._checkpoint.tracking import children
from tapefacade._core.missing_members import lacks
from tapefacade._definition.op import function
from tapefacade._io.file_errors import as_path


@function("train.TrackableView")
class TrackableView:
    """Shows the parts of an object that checkpoints know.

    Args:
        root: the object.

    >>> module = tf.Module()
    >>> module.v = tf.Variable(1.0)
    >>> list(tf.train.TrackableView(module).children(module))
    ['v']
    """

    def __init__(self, root: Any) -> None:
        self._root = root

    @property
    def root(self) -> Any:
        """The object."""
        return self._root

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Returns the parts of an object by name."""
        return children(obj)

    def descendants(self) -> list[Any]:
        """Returns the object, its parts, the parts of these, and so on."""
        return find_objects(self._root, {}).objects


@function("train.CheckpointView")
@lacks(
    {
        "diff match": "Compare the names that `tf.train.list_variables` gives.",
    }
)
class CheckpointView:
    """Shows the objects in a checkpoint, by their numbers; the root is 0.

    Args:
        save_path: the path of the checkpoint.

    Raises:
        NotFoundError: if there is none.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(f"{directory}/viewed")
    >>> tf.train.CheckpointView(path).children(0)
    {'v': 1}
    """

    def __init__(self, save_path: Any) -> None:
        graph = open_checkpoint(as_path(save_path)).graph
        if graph is None:
            raise ValueError(
                f'The specified checkpoint "{save_path}" does not appear to be object-based '
                '(saved with TF2) since it is missing the key "_CHECKPOINTABLE_OBJECT_GRAPH". '
                "Likely it was created with the TF1 name-based saver and does not contain an "
                "object dependency graph."
            )
        self._nodes = [
            {child.local_name: child.node_id for child in node.children} for node in graph.nodes
        ]

    def children(self, node_id: int) -> dict[str, int]:
        """Returns the numbers of an object's parts by name."""
        return dict(self._nodes[node_id])

    def descendants(self) -> list[int]:
        """Returns the numbers of all objects, from the root on."""
        found = {0: None}
        waiting = [0]
        while waiting:
            new = [n for n in self._nodes[waiting.pop(0)].values() if n not in found]
            found.update(dict.fromkeys(new))
            waiting.extend(new)
        return list(found)
