"""Our datasets as data for Keras's trainer."""

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from tapefacade._core.registry import FUNCTIONS
from tapefacade._keras.lifting import is_leaf


def is_dataset(x: Any) -> bool:
    """Whether data is a `tf.data.Dataset` of ours."""
    kind = FUNCTIONS.get("data.Dataset")
    return isinstance(kind, type) and isinstance(x, kind)


def adapting(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the function that finds the adapter for data know our datasets."""
    base = importlib.import_module("keras.src.trainers.data_adapters.data_adapter").DataAdapter
    utils = importlib.import_module("keras.src.trainers.data_adapters.data_adapter_utils")

    class Adapter(base):  # type: ignore[misc, valid-type]
        """Gives the batches of a dataset."""

        def __init__(self, dataset: Any, class_weight: Any) -> None:
            self._dataset = dataset
            self._class_weight = class_weight
            size = int(dataset.cardinality().numpy())
            self._size = size if size >= 0 else None

        def get_numpy_iterator(self) -> Iterator[Any]:
            for batch in self._dataset:
                batch = jax.tree.map(np.asarray, batch, is_leaf=is_leaf)
                yield self._weighted(batch) if self._class_weight else batch

        get_jax_iterator = get_numpy_iterator

        def _weighted(self, batch: Any) -> Any:
            """Adds the weights of the examples, by their classes."""
            x, y, weights = utils.unpack_x_y_sample_weight(batch)
            if weights is not None:
                raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
            return x, y, utils.class_weight_to_sample_weights(y, self._class_weight)

        @property
        def num_batches(self) -> int | None:
            return self._size

        @property
        def batch_size(self) -> int | None:
            return None

        @property
        def has_partial_batch(self) -> bool | None:
            return None

        @property
        def partial_batch_size(self) -> int | None:
            return None

    def get_data_adapter(x: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> Any:
        if not is_dataset(x):
            return original(x, y, sample_weight, **options)
        for name, value, what in (
            ("y", y, "the targets"), ("sample_weights", sample_weight, "the sample weights")
        ):  # fmt: skip
            if value is not None:
                raise ValueError(
                    f"When providing `x` as a tf.data.Dataset, `{name}` should not be passed. "
                    f"Instead, {what} should be included as part of the tf.data.Dataset."
                )
        return Adapter(x, options.get("class_weight"))

    return get_data_adapter
