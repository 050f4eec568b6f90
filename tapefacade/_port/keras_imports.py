"""Programs that say `import keras`: under `run` it is the Keras that `tf.keras` is made of."""

import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Sequence

from tapefacade._keras.patches import load

KERAS = "keras"


class KerasFinder(importlib.abc.MetaPathFinder):
    """Has Keras work on our tensors as soon as a program imports it, if it runs on JAX."""

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
        if fullname != KERAS:
            return None
        for finder in [finder for finder in sys.meta_path if finder is not self]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec, spec.loader)
                return spec
        return None


class _Loader(importlib.abc.Loader):
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
        """Runs the module, and has it record its calls if it runs on JAX.

        Args:
            module: Keras, still empty.

        Raises:
            ImportError: if it is of a version that this one does not know.
        """
        self._spec.loader = module.__loader__ = self._own
        self._own.exec_module(module)
        if module.backend.backend() == "jax":
            load()
