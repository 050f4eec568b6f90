"""Programs that say `import keras`: it is the Keras that `tf.keras` is made of.

Left to itself, Keras would look for TensorFlow, and fail where there is none.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
import types
from collections.abc import Sequence

from tapefacade._core.missing_names import root_module
from tapefacade._keras.patches import load

KERAS, TENSORFLOW = "keras", "tensorflow"
BACKEND = "KERAS_BACKEND"


def watch_keras() -> None:
    """Has Keras work on our tensors as soon as a program imports it for TensorFlow.

    That is where Keras would run on TensorFlow, but there is none, or the name means this package.
    """
    if not any(isinstance(finder, _KerasFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _KerasFinder())


def _is_meant() -> bool:
    """Whether a program that imports Keras now means the one of `tf.keras`."""
    backend = os.environ.get(BACKEND) or _chosen_backend()
    if TENSORFLOW in sys.modules:
        return backend in (TENSORFLOW, "jax") and sys.modules[TENSORFLOW] is root_module()
    return backend == TENSORFLOW and importlib.util.find_spec(TENSORFLOW) is None


def _chosen_backend() -> str:
    """Returns what Keras's file says; where that is JAX, Keras may have run for us before."""
    folder = os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")
    try:
        with open(os.path.join(folder, "keras.json"), encoding="utf-8") as file:
            chosen = json.load(file).get("backend")
    except (OSError, ValueError):
        chosen = None
    return TENSORFLOW if chosen in (None, "jax") else str(chosen)


class _KerasFinder(importlib.abc.MetaPathFinder):
    """Finds Keras, and has it be loaded so."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Finds Keras where it would be found without this finder.

        Args:
            fullname: the name of the module that is imported.
            path: where its package lies.
            target: the module that is loaded again.

        Returns:
            Its spec, with a loader that does the rest, or None for every other module.
        """
        if fullname != KERAS or not _is_meant():
            return None
        for finder in [finder for finder in sys.meta_path if finder is not self]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _KerasLoader(spec, spec.loader)
                return spec
        return None


class _KerasLoader(importlib.abc.Loader):
    """Loads Keras with its own loader, and changes it then."""

    def __init__(self, spec: importlib.machinery.ModuleSpec, own: importlib.abc.Loader) -> None:
        self._spec = spec
        self._own = own

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        """Makes the module as its own loader does.

        Args:
            spec: the spec of Keras.

        Returns:
            The module, or None for an ordinary one.
        """
        return self._own.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        """Runs the module on JAX, and has it record its calls.

        Args:
            module: Keras, still empty.

        Raises:
            ImportError: if it is of a version that this one does not know.
        """
        os.environ[BACKEND] = "jax"
        self._spec.loader = module.__loader__ = self._own
        self._own.exec_module(module)
        load()
