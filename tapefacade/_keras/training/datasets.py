"""Our datasets as data for Keras's trainer, and the order in which it takes arrays."""

import importlib
import operator
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.operands import is_operand
from tapefacade._core.random_seeds import GLOBAL, entropy
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.thread_state import ThreadState
from tapefacade._ops.array.creation import range as range_op
from tapefacade._ops.random.stateful import shuffle as shuffle_op

MESSAGE_APART = (
    "When providing `x` as a tf.data.Dataset, `{}` should not be passed. Instead, {} should be "
    "included as part of the tf.data.Dataset."
)
MESSAGE_CUT = (
    "`class_weight` is not for datasets of a strategy, whose batches are cut already. Hand over "
    "the dataset itself, or give examples weights: `dataset.map(lambda x, y: (x, y, weight(y)))`."
)


class _Reading(ThreadState):
    """The strategy of the model that reads data in this thread."""

    strategy: Any = None


READING = _Reading()


def is_dataset(x: Any) -> bool:
    """Whether data is a `tf.data.Dataset` of ours, or that of a strategy."""
    return isinstance(x, _kinds("data.Dataset", "distribute.DistributedDataset"))


def _kinds(*names: str) -> tuple[type, ...]:
    """Returns the classes that have been made so far."""
    return tuple([kind for name in names if isinstance(kind := FUNCTIONS.get(name), type)])


class Batches:
    """Gives the batches of a dataset: the members of an adapter that Keras's trainer asks."""

    batch_size = has_partial_batch = partial_batch_size = None
    num_batches: int | None = None

    def __init__(self, dataset: Any, class_weight: Any, utils: Any) -> None:
        self._dataset = dataset
        self._class_weight = class_weight
        self._utils = utils
        self._is_cut = isinstance(dataset, _kinds("distribute.DistributedDataset"))
        size = int(dataset.cardinality if self._is_cut else dataset.cardinality().numpy())
        self.num_batches = size if size >= 0 else None

    def get_numpy_iterator(self) -> Iterator[Any]:
        """Returns an iterator of the batches as NumPy arrays.

        The one of the dataset begins now: as in TensorFlow, it decides the order of shuffled
        elements also if nobody takes a batch (Keras makes one at the end of each epoch, in vain).
        """
        batches = iter(self._dataset)
        return batches if self._is_cut else map(self._as_arrays, batches)

    def get_jax_iterator(self) -> Iterator[Any]:
        """Yields the same: programs take NumPy arrays."""
        return self.get_numpy_iterator()

    def _as_arrays(self, batch: Any) -> Any:
        arrays = jax.tree.map(np.asarray, batch, is_leaf=is_operand)
        return self._weighted(arrays) if self._class_weight else arrays

    def _weighted(self, batch: Any) -> Any:
        """Adds the weights of the examples, by their classes."""
        x, y, weights = self._utils.unpack_x_y_sample_weight(batch)
        if weights is not None:
            raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
        return x, y, self._utils.class_weight_to_sample_weights(y, self._class_weight)


def get_data_adapter_with_datasets(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the function that finds the adapter for data know our datasets."""
    adapters = "keras.src.trainers.data_adapters"
    base = importlib.import_module(f"{adapters}.data_adapter").DataAdapter
    utils = importlib.import_module(f"{adapters}.data_adapter_utils")
    adapter: Any = type("DatasetAdapter", (Batches, base), {"__doc__": Batches.__doc__})

    def get_data_adapter(x: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> Any:
        if not is_dataset(x):
            _check_size(options.get("batch_size"))
            found = original(x, y, sample_weight, **options)
            if getattr(found, "_num_samples", None) == 0:
                raise ValueError("There are no examples: the arrays have 0 rows.")
            return found
        if y is not None:
            raise ValueError(MESSAGE_APART.format("y", "the targets"))
        if sample_weight is not None:
            raise ValueError(MESSAGE_APART.format("sample_weights", "the sample weights"))
        return adapter(
            _of_process(x, options.get("class_weight")), options.get("class_weight"), utils
        )

    return get_data_adapter


def _of_process(dataset: Any, class_weight: Any) -> Any:
    """Returns what a process of several reads of a dataset, as its `auto_shard_policy` says."""
    strategy = READING.strategy
    is_cut = isinstance(dataset, _kinds("distribute.DistributedDataset"))
    if is_cut and class_weight:
        raise ValueError(MESSAGE_CUT)
    if is_cut or class_weight or strategy is None or strategy.here is None:
        return dataset
    return strategy.experimental_distribute_dataset(dataset)


def _check_size(batch_size: Any) -> None:
    """Refuses what is no size of a batch; None and 0 mean Keras's own."""
    if batch_size is None:
        return
    message = f"`batch_size` must be a whole number of examples. Received: {batch_size!r}"
    try:
        size = operator.index(batch_size)
    except TypeError:
        raise TypeError(message) from None
    if size < 0:
        raise ValueError(message)


def sliceable_with_texts(original: Callable[..., Any], module: Any) -> Callable[..., Any]:
    """Makes the function that prepares arrays for being cut into batches know tensors of strings.

    Args:
        original: that of Keras, which asks arrays of other things for the dtype of their numbers.
        module: its module.
    """

    def sliceable(array: Any, target_backend: str | None) -> Any:
        if getattr(array, "dtype", None) is dtypes.string:
            return module.NumpySliceable(array.numpy())
        return original(array, target_backend)

    def convert_to_sliceable(arrays: Any, target_backend: str | None = None) -> Any:
        return module.tree.map_structure(lambda array: sliceable(array, target_backend), arrays)

    return convert_to_sliceable


def batches_in_order_of_tensorflow(original: Callable[..., Any], tree: Any) -> Callable[..., Any]:
    """Returns the method that iterates over the batches of arrays: shuffled as with TensorFlow.

    Args:
        original: the method, for batches that are not shuffled.
        tree: Keras's functions for structures.
    """

    def get_iterator(self: Any, slice_and_convert_fn: Callable[..., Any], inputs: Any) -> Any:
        if not self._shuffle:
            return original(self, slice_and_convert_fn, inputs)
        if GLOBAL.seeds.seed is None and self._shuffle != "batch":  # NumPy is faster
            orders = [_unseeded().permutation(self._num_samples)]
        else:
            if not hasattr(self, "_orders"):
                self._orders = _orders(self._num_samples, self._batch_size, self._shuffle)
            orders = self._orders.as_numpy_iterator()
        return (
            tree.map_structure(
                lambda array, batch=batch: slice_and_convert_fn(array, indices=batch),
                inputs, none_is_leaf=False,
            )
            for order in orders
            for batch in _batches(order, self._batch_size)
        )  # fmt: skip

    return get_iterator


def _unseeded() -> np.random.Generator:
    return np.random.default_rng(int.from_bytes(entropy(16), "little"))


def _orders(count: int, batch_size: int, shuffle: Any) -> Any:
    """Makes a dataset of the positions of samples: all of them, or batch after batch."""
    dataset: Any = FUNCTIONS["data.Dataset"]
    draw, positions = shuffle_op, range_op
    if shuffle == "batch":
        return dataset.range(count).batch(batch_size).map(draw)
    return dataset.range(1).map(lambda _: draw(positions(count, dtype="int64")))


def _batches(order: np.ndarray, size: int) -> Iterator[np.ndarray]:
    return (order[start : start + size] for start in range(0, len(order), size))
