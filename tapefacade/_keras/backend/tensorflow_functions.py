"""Keras's functions for TensorFlow, on our ops: asked where those for JAX refuse their arguments.

Keras has each function of its backend once for JAX, which is what runs, and once for TensorFlow.
What the first refuses, the second refuses as TensorFlow does; or it can compute it after all. Its
files are read as they are, in namespaces of their own, in which the name `tensorflow` means this
package.
"""

import builtins
import contextlib
import functools
import importlib
import inspect
import pathlib
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tapefacade._core.error_texts import invalid
from tapefacade._core.missing_names import root_module
from tapefacade._core.traced_errors import mark_as_of_types
from tapefacade._state.module import AutoTrackable

PACKAGE = "keras.src.backend.tensorflow"
MODULES = ("core", "image", "linalg", "math", "nn", "numpy")


class _TensorFlowOfKeras(types.ModuleType):
    """What the name `tensorflow` means in Keras's files: this package, and what is inside of it."""

    __internal__ = types.SimpleNamespace(
        # The base of a class of variables, which nobody makes.
        types=types.SimpleNamespace(Tensor=type("Tensor", (), {})),
        tracking=types.SimpleNamespace(AutoTrackable=AutoTrackable, Trackable=AutoTrackable),
    )

    def __getattr__(self, name: str) -> Any:
        return getattr(root_module(), name)


class _Private(types.ModuleType):
    """A module that is private to TensorFlow."""

    def __getattr__(self, name: str) -> Any:
        public = getattr(TENSORFLOW.math, name, None)
        return _absent if public is None else public


class PrivateFunctionError(Exception):
    """Raised by what stands for a function that is private to TensorFlow."""


def _absent(*args: Any, **kwargs: Any) -> Any:
    raise PrivateFunctionError


TENSORFLOW = _TensorFlowOfKeras("tensorflow")


def _imported(
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] = (),
    level: int = 0,
) -> Any:
    """Imports a module for one of Keras's files."""
    if name == "tensorflow":
        return TENSORFLOW
    if name.startswith("tensorflow."):
        return _Private(name)
    if name == PACKAGE:
        return types.SimpleNamespace(**{short: _module(short) for short in fromlist})
    if name.startswith(PACKAGE):
        return _module(name.rpartition(".")[2])
    return builtins.__import__(name, globals, locals, fromlist, level)


@functools.cache
def _module(short: str) -> types.ModuleType:
    """Reads one of Keras's files for TensorFlow."""
    backend: Any = importlib.import_module("keras.src.backend")
    path = pathlib.Path(backend.__file__).with_name("tensorflow") / f"{short}.py"
    module = types.ModuleType(f"{PACKAGE}.{short}")
    vars(module)["__builtins__"] = {**vars(builtins), "__import__": _imported}
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), vars(module))
    return module


def is_known(function: Callable[..., Any]) -> bool:
    """Whether a function for JAX is of a module whose functions for TensorFlow can be asked."""
    return function.__module__.rpartition(".")[2] in MODULES


def counterpart(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Returns what Keras has for TensorFlow in the place of a function for JAX, if there is one."""
    if not is_known(function):
        return None
    return getattr(_module(function.__module__.rpartition(".")[2]), function.__name__, None)


def called_as_on_tensorflow(
    function: Callable[..., Any], args: Any, kwargs: dict[str, Any], why: str
) -> Any:
    """Calls what Keras has for TensorFlow in the place of a function that has refused a call.

    Args:
        function: the function for JAX.
        args: its arguments.
        kwargs: those by name.
        why: what it has said.

    Returns:
        The result, if TensorFlow has one.

    Raises:
        InvalidArgumentError: if there is no such function; else what it raises.
    """
    found = counterpart(function)
    try:
        inspect.signature(found or _absent).bind(*args, **kwargs)
    except TypeError:
        found = None
    if found is not None:
        with contextlib.suppress(PrivateFunctionError):
            return found(*args, **kwargs)
    raise mark_as_of_types(invalid(why))
