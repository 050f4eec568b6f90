"""Layers of Keras that need TensorFlow (texts, tables, hashes): here it is this package."""

import importlib
from typing import Any

from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.training.datasets import is_dataset


def apply(patches: AttributePatches) -> None:
    """Lets Keras find this package where it looks for TensorFlow.

    Args:
        patches: takes the changes, so that they can be undone.
    """
    modules = importlib.import_module("keras.src.utils.module_utils")
    patches.set(modules.tensorflow, "module", importlib.import_module("tapefacade"))
    patches.set(modules.tensorflow, "_available", True)
    # Its functions for files ask for this one where a path has `://`.
    patches.set(modules.gfile, "module", importlib.import_module("tapefacade.io.gfile"))
    patches.set(modules.gfile, "_available", True)
    datasets = importlib.import_module("keras.src.utils.dataset_utils")
    patches.set(datasets, "is_tf_dataset", is_dataset)
    utils = importlib.import_module("keras.src.utils.backend_utils")
    patches.set(utils, "in_tf_graph", lambda: False)
    backend = importlib.import_module("keras.src.backend")
    plain = utils.DynamicBackend.__getattr__

    def attribute(self: Any, name: str) -> Any:
        """Layers that ask for TensorFlow's backend get the one there is."""
        return getattr(backend, name) if self._backend == "tensorflow" else plain(self, name)

    patches.set(utils.DynamicBackend, "__getattr__", attribute)
    patches.set(backend, "tensorflow", importlib.import_module("keras.src.backend.jax"))
