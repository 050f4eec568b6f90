"""Makes the name `tensorflow` mean this package in the running process."""

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import os
import sys
import threading
import types
from collections.abc import Sequence

from tapefacade._core.missing_names import (
    missing_message,
    namespaces,
    root_module,
    users_module_name,
)
from tapefacade._port.keras_alias import BACKEND, TENSORFLOW
from tapefacade._port.tensorflow_python.keras_package import TF_KERAS, keras_package
from tapefacade._port.tensorflow_python.modules import INTERNAL, is_private, private_module

MESSAGE_PRIVATE = (
    "{name!r} is private to TensorFlow and tapefacade has nothing like it. Write "
    "`import tensorflow as tf` and use the public name; `dir(tf)` lists what there is."
)
MESSAGE_NO_MODULE = (
    "{name!r} is not a module: write `from {parent} import {last}`, or `import tensorflow as tf` "
    "and `{dotted}`."
)


class Alias(contextlib.AbstractContextManager["Alias"]):
    """The time for which `tensorflow` means this package, from making one until `undo`.

    Several may overlap: the last one that is undone gives the name back.

    >>> with Alias():
    ...     import tensorflow
    >>> tensorflow.__name__
    'tapefacade'
    """

    def __init__(self) -> None:
        self._installed = True
        _installation.enter()

    def undo(self) -> None:
        """Gives the name `tensorflow` back to what had it; a second call does nothing."""
        if self._installed:
            self._installed = False
            _installation.leave()

    def __exit__(self, *exception: object) -> None:
        self.undo()


def install_as_tensorflow() -> Alias:
    """Makes `import tensorflow` mean this package, in all its forms, in this process.

    Modules that imported TensorFlow before keep what they imported. A name that the package lacks
    raises an AttributeError or ImportError that names the nearest one it has. If Keras has not been
    imported and the environment variable KERAS_BACKEND is not set, it is set to "jax". Keras that
    is imported from then on by its own name is the one of `tf.keras`.

    Returns:
        An object whose `undo()` restores `sys.modules` and `sys.meta_path`. It is a context
        manager that does so at its end.

    >>> alias = install_as_tensorflow()
    >>> import tensorflow
    >>> tensorflow.__name__
    'tapefacade'
    >>> alias.undo()
    """
    return Alias()


class _TensorFlowFinder(importlib.abc.MetaPathFinder):
    """Finds the modules `tensorflow.*` in this package.

    It answers for all of them: the next finder would look into the package's folder and load a
    second copy of the file there.
    """

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Finds the module of this package for a module of TensorFlow.

        Args:
            fullname: the name of the module that is imported.
            path: where its package lies; not used.
            target: the module that is loaded again; not used.

        Returns:
            A spec that loads our module, or None if the name is not TensorFlow's.

        Raises:
            ModuleNotFoundError: If this package has no such module.
        """
        first, *parts = fullname.split(".")
        if first == TF_KERAS:
            return _package_spec(fullname, keras_package(fullname))
        if first != TENSORFLOW:
            return None
        if is_private(fullname):
            return _package_spec(fullname, private_module(fullname))
        return importlib.machinery.ModuleSpec(
            fullname, _TensorFlowLoader(_resolve(fullname, parts))
        )


def _package_spec(fullname: str, module: types.ModuleType) -> importlib.machinery.ModuleSpec:
    """Makes the spec of a module in which others may lie."""
    return importlib.machinery.ModuleSpec(fullname, _TensorFlowLoader(module), is_package=True)


class _TensorFlowLoader(importlib.abc.Loader):
    """Loads a module that is there already."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Hands the module over.

        Args:
            spec: the spec of the alias, which Python now writes into the module.

        Returns:
            The module.
        """
        return self._module

    def exec_module(self, module: types.ModuleType) -> None:
        """Puts the module's own spec back and makes its namespaces importable.

        Args:
            module: the module, filled long ago.
        """
        spec, module.__spec__ = module.__spec__, self._spec
        if spec is not None and self._spec is not None:
            _register(spec.name, module)


class _Installation:
    """What was replaced, and by how many."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._holders = 0
        self._finder = _TensorFlowFinder()
        self._replaced: dict[str, types.ModuleType] = {}
        self._set_keras = False

    def enter(self) -> None:
        """Replaces TensorFlow's modules, unless that has been done."""
        with self._lock:
            if self._holders == 0:
                self._replaced = _take_modules()
                sys.meta_path.insert(0, self._finder)
                _register(TENSORFLOW, root_module())
                sys.modules[INTERNAL] = private_module(INTERNAL)
                vars(root_module())["__internal__"] = sys.modules[INTERNAL]
                # Keras looks at this when it is first imported, and would look for TensorFlow.
                self._set_keras = BACKEND not in os.environ and "keras" not in sys.modules
                if self._set_keras:
                    os.environ[BACKEND] = "jax"
            self._holders += 1

    def leave(self) -> None:
        """Puts TensorFlow's modules back, unless somebody else still wants ours."""
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                # Somebody may have taken the finder out, for instance by a new list.
                with contextlib.suppress(ValueError):
                    sys.meta_path.remove(self._finder)
                _take_modules()
                for name in ("__internal__", "core", "python"):
                    vars(root_module()).pop(name, None)
                sys.modules.update(self._replaced)
                self._replaced = {}
                if self._set_keras:
                    os.environ.pop(BACKEND, None)


def _take_modules() -> dict[str, types.ModuleType]:
    """Removes TensorFlow's modules from `sys.modules` and returns them."""
    names = [n for n in list(sys.modules) if n.partition(".")[0] in (TENSORFLOW, TF_KERAS)]
    return {name: sys.modules.pop(name) for name in names}


def _register(name: str, module: types.ModuleType) -> None:
    """Writes a module and the namespaces in it into `sys.modules`.

    Python asks no finder for a module inside one that has no folder, as `tf.compat.v2` may be.
    """
    sys.modules[name] = module
    if module is root_module() and name != TENSORFLOW:
        return
    for last, value in namespaces(module).items():
        if sys.modules.get(f"{name}.{last}") is not value:
            _register(f"{name}.{last}", value)


def _resolve(fullname: str, parts: list[str]) -> types.ModuleType:
    """Finds the module of this package that a module name of TensorFlow stands for."""
    if parts and parts[0] == "core":
        raise ModuleNotFoundError(MESSAGE_PRIVATE.format(name=fullname), name=fullname)
    found = root_module()
    for part in parts:
        value = getattr(found, part, None)
        if value is None:
            value = _import_submodule(f"{found.__name__}.{part}")
        if value is None:
            raise ModuleNotFoundError(missing_message(found.__name__, part), name=fullname)
        if not isinstance(value, types.ModuleType):
            parent, _, last = fullname.rpartition(".")
            text = MESSAGE_NO_MODULE.format(
                name=fullname, parent=parent, last=last, dotted=users_module_name(fullname)
            )
            raise ModuleNotFoundError(text, name=fullname)
        found = value
    return found


def _import_submodule(name: str) -> types.ModuleType | None:
    """Imports a module of this package that nothing has imported so far, if there is one."""
    if any(part.startswith("_") for part in name.split(".")):
        return None
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None


_installation = _Installation()
