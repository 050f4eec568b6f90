"""What a process reads of a dataset that several processes share: `auto_shard_policy`."""

import copy
import itertools
from collections.abc import Iterator
from typing import Any

from tapefacade._core import errors, nest
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._data.batch import Batch
from tapefacade._data.dataset import Dataset, wrap
from tapefacade._data.element_structures import leaves, packed, tensor_of
from tapefacade._data.files import FileRecords
from tapefacade._data.map import FlatMap, Interleave, TakeWhile
from tapefacade._data.node import DatasetNode, ElementError, SameTypesNode, close
from tapefacade._data.options import AutoShardPolicy
from tapefacade._data.padded_batch import PaddedBatch
from tapefacade._data.random_numbers import PROBING_STATE
from tapefacade._data.selection import Shard
from tapefacade._data.zip import Concatenate, Zip

MESSAGE_NO_FILES = "Found an unshardable source dataset: {}"
HINT_NO_FILES = (
    "Only files can be dealt out: a dataset of tf.data.TFRecordDataset, TextLineDataset or "
    "FixedLengthRecordDataset. Let each process read all, and keep its part of each batch: "
    "options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA"
)
MESSAGE_FEW_FILES = (
    "Could not apply FILE based sharding: the dataset only has {} file(s), which is not enough for "
    "the required {} shards/workers. If you are using datasets with distribution strategy, "
    "consider setting the auto sharding policy to either DATA or OFF using the "
    "`experimental_distribute.auto_shard_policy` option of `tf.data.Options()`. Or, split your "
    "input files into a larger number of small files such that number of files is greater than "
    "number of shards/workers."
)


def own_part_of(dataset: Any, count: int, index: int, replicas: int) -> tuple[Any, bool]:
    """Returns what a process reads of a dataset.

    Args:
        dataset: the dataset, of batches of all replicas together.
        count: the number of processes.
        index: the number of this one.
        replicas: the number of replicas, of all processes.

    Returns:
        A dataset, and whether its batches are still those of all replicas; else they are those of
        single replicas, one after the other.

    Raises:
        InvalidArgumentError: if there are fewer files than processes.
        NotFoundError: if files are to be dealt out, and there are none.
    """
    policy = dataset.options().experimental_distribute.auto_shard_policy
    node = dealt_out(dataset._node, policy, count, index)
    if node is None and policy in (AutoShardPolicy.AUTO, AutoShardPolicy.DATA):
        return dataset, True
    own = wrap(node or dataset._node, dataset._own_options)
    return _in_parts(own, count, index, replicas), False


def dealt_out(
    node: DatasetNode, policy: AutoShardPolicy, count: int, index: int
) -> DatasetNode | None:
    """Returns the part of one process of what is dealt out; None if each has to read all.

    Args:
        node: the dataset.
        policy: whether files are dealt out, or what a `shard` with `SHARD_HINT` says.
        count: the number of processes.
        index: the number of this one.

    Raises:
        InvalidArgumentError: if there are fewer files than processes.
        NotFoundError: if files are to be dealt out, and there are none.
    """
    if policy is AutoShardPolicy.HINT:
        hint = next((n for n in _chain(node) if isinstance(n, Shard) and n.is_hint), None)
        return None if hint is None else _replaced(node, hint, Shard(hint.input, count, index))
    if policy not in (AutoShardPolicy.AUTO, AutoShardPolicy.FILE):
        return None
    source = _names_of_files(node)
    if source is None and policy is AutoShardPolicy.FILE:
        raise hinted(
            errors.NotFoundError(None, None, MESSAGE_NO_FILES.format(_source(node).name)),
            HINT_NO_FILES,
        )
    if source is None:
        return None
    files = source.cardinality()
    if 0 <= files < count:
        raise errors.InvalidArgumentError(None, None, MESSAGE_FEW_FILES.format(files, count))
    return _replaced(node, source, Shard(source, count, index))


def _in_parts(dataset: Dataset, count: int, index: int, replicas: int) -> Any:
    """Returns a dataset of the batches of single replicas, those of this process in turn."""
    found = _rebatched(dataset, index * (replicas // count), replicas)
    return found or wrap(BatchParts(dataset._node, replicas), dataset._own_options)


def _rebatched(dataset: Dataset, first: int, replicas: int) -> Any:
    """Returns a dataset of the batches of single replicas; None if their sizes are not known."""
    size = _batch_size(dataset._node)
    if size is None:
        return None
    whole, rest = divmod(size, replicas)
    sizes = [whole + (place < rest) for place in range(replicas)]
    return dataset.rebatch(sizes[first:] + sizes[:first])


def own_batches_of(dataset: Any, replicas: int) -> Any:
    """Returns what the replicas of one process read in turn, if that is not cut batch by batch.

    With the policy OFF batches run into each other, as in TensorFlow.

    Args:
        dataset: the dataset, of batches of all replicas together.
        replicas: the number of replicas.

    Returns:
        A dataset of the batches of single replicas; None if each batch is cut for itself.
    """
    policy = dataset.options().experimental_distribute.auto_shard_policy
    is_off = replicas > 1 and policy is AutoShardPolicy.OFF
    return _rebatched(dataset, 0, replicas) if is_off else None


class BatchParts(SameTypesNode):
    """Batches of unknown size, each cut for the replicas."""

    name = "_LegacyRebatchDataset"

    def __init__(self, node: DatasetNode, replicas: int) -> None:
        super().__init__(node)
        self._replicas = replicas

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        for element in elements:
            if type(element) is ElementError:
                yield element
                continue
            flat = leaves(element)
            whole, rest = divmod(int(flat[0].shape[0]), self._replicas)
            sizes = [whole + (place < rest) for place in range(self._replicas)]
            ends = list(itertools.accumulate(sizes))
            for a, b in zip([0, *ends], ends, strict=False):
                rows = [
                    tensor_of(leaf._numpy_array()[a:b]) if type(leaf) is EagerTensor else leaf[a:b]
                    for leaf in flat
                ]
                yield packed(element, rows)


def _chain(node: DatasetNode) -> Iterator[DatasetNode]:
    """Yields a step and those before it, as long as there is one."""
    yield node
    while len(node.inputs) == 1:
        node = node.input
        yield node


def _source(node: DatasetNode) -> DatasetNode:
    *_, first = _chain(node)
    return first


def _batch_size(node: DatasetNode) -> int | None:
    """Returns the size of the batches that a step gives, if it is known."""
    shapes = [getattr(spec, "shape", None) for spec in nest.flatten(node.spec)]
    sizes = {shape[0] if shape is not None and shape.rank else None for shape in shapes}
    if len(sizes) == 1 and None not in sizes:
        return sizes.pop()
    for step in _chain(node):
        if isinstance(step, Batch | PaddedBatch):
            return step._size
        if isinstance(step, Concatenate | Zip):
            sizes = {_batch_size(before) for before in step.inputs}
            return sizes.pop() if len(sizes) == 1 else None
        if not isinstance(step, SameTypesNode) or isinstance(step, TakeWhile):
            break
    return None


def _names_of_files(node: DatasetNode) -> DatasetNode | None:
    """Finds the step that gives the names of the files that a dataset is made of."""
    for step in _chain(node):
        if isinstance(step, FileRecords):
            return step.input
        if isinstance(step, FlatMap | Interleave) and _reads_files(step):
            return step.input
    return None


def _reads_files(step: Any) -> bool:
    """Whether the datasets that a step makes of its elements are made of files."""
    with PROBING_STATE.temporarily(on=True):
        elements = step.input.elements()
        try:
            first = next(elements, None)
            inner = None if first is None else step._function.started()(first)
        finally:
            close(elements)
    return isinstance(inner, Dataset) and any(
        isinstance(one, FileRecords) for one in _chain(inner._node)
    )


def _replaced(node: DatasetNode, old: DatasetNode, new: DatasetNode) -> DatasetNode:
    """Returns the steps with another one in the place of one of them."""
    if node is old:
        return new
    found = copy.copy(node)
    found.inputs = tuple([_replaced(before, old, new) for before in node.inputs])
    return found
