"""What is written for Keras 2 counts on: layers are modules, and find the `tf.Variable`s they hold.

Keras 3 says neither, with TensorFlow as well. So this holds for classes of files that import
`tf_keras`: the layers of such classes, and the modules of such classes in which layers lie.
"""

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

from tapefacade._keras.backend.variables import adopt
from tapefacade._keras.keras2.notices import source
from tapefacade._state.variable import Variable

PACKAGE = "tf_keras"


def is_for_keras2(kind: type) -> bool:
    """Whether a class, or one that it derives from, is of a file that imports `tf_keras`.

    Args:
        kind: the class.
    """
    files = (sys.modules.get(base.__module__) for base in kind.__mro__)
    return any(
        isinstance(value, types.ModuleType) and PACKAGE in value.__name__.split(".")
        for file in {id(file): file for file in files if file is not None}.values()
        for value in list(vars(file).values())
    )


def is_submodule(layer: Any, owner: Any) -> bool:
    """Whether a module finds the variables of a layer that it holds.

    Args:
        layer: the layer.
        owner: the module.
    """
    return is_for_keras2(type(owner)) or is_for_keras2(type(layer))


def variables_of_module(layer: Any) -> list[Any]:
    """Returns the variables of a layer in the order in which those of Keras 2 were found.

    Of models that were layers in modules, those of the last layers came first.

    Args:
        layer: the layer.
    """
    last = [id(each._keras_history.operation) for each in getattr(layer, "outputs", None) or ()]
    inner = sorted(layer._layers, key=lambda part: id(part) not in last)
    found = [variable for part in inner for variable in variables_of_module(part)]
    of_inner = {id(variable) for variable in found}
    return [*(own for own in layer.variables if id(own) not in of_inner), *found]


def setting_attribute(original: Callable[[Any, str, Any], None]) -> Callable[[Any, str, Any], None]:
    """Returns the `__setattr__` of layers, which track each `tf.Variable` that they are given.

    Args:
        original: Keras's own, which tracks its variables.
    """

    @functools.wraps(original)
    def __setattr__(self: Any, name: str, value: Any) -> None:  # noqa: N807
        original(self, name, value)
        held = [variable for variable in _variables(value) if _is_untracked(self, variable)]
        if held and is_for_keras2(type(self)):
            for variable in held:
                _track(self, variable)

    return __setattr__


def _variables(value: Any) -> list[Variable]:
    """Returns the variables in lists and dictionaries, those of Keras excepted."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [variable for item in value for variable in _variables(item)]
    is_own = isinstance(value, Variable) and not type(value).__module__.startswith("keras.")
    return [value] if is_own else []


def _is_untracked(layer: Any, variable: Variable) -> bool:
    return not any(variable is known._root for known in layer.variables)


def _track(layer: Any, variable: Variable) -> None:
    """Puts a variable in the lists of a layer, which are locked when the layer has been built."""
    shown = source("backend").Variable(
        variable, trainable=variable.trainable, name=variable.name.partition(":")[0]
    )
    kind = "trainable_variables" if variable.trainable else "non_trainable_variables"
    tracker = layer._tracker
    locked, tracker.locked = tracker.locked, False
    try:
        tracker.add_to_store(kind, adopt(shown, variable))
    finally:
        tracker.locked = locked
