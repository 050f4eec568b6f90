"""The parts of Keras's objects: what checkpoints save of layers, models, metrics and optimizers."""

import importlib
from typing import Any

from tapefacade._core.operands import is_variable


def parts(self: Any) -> dict[str, Any]:
    """Returns the attributes of an object of Keras that hold variables, by their names."""
    found = {}
    for name, value in list(vars(self).items()):
        if name == "_layers" and _has_places_that_move(self):
            continue
        part = _part(value)
        if part is not None:
            found[name] = part
    return found


def _has_places_that_move(model: Any) -> bool:
    """Whether the layers in `_layers` are found elsewhere, by places that stay.

    A `Sequential` puts an input in front of its layers when it is built. What it builds,
    `_functional`, has them at the places that TensorFlow's checkpoints know.
    """
    if "_functional" not in vars(model):
        return False
    sequential = importlib.import_module("keras.src.models.sequential").Sequential
    return isinstance(model, sequential) and (model._functional is not None or not model.built)


def _part(value: Any) -> Any:
    """Returns what a checkpoint saves of a value: our variable in the place of one of Keras's."""
    if is_variable(value):
        return value._root
    if hasattr(type(value), "_checkpoint_children"):
        return value
    if isinstance(value, list | tuple):
        found = [_part(item) for item in value]
        return found if any(part is not None for part in found) else None
    if isinstance(value, dict):
        named = {key: _part(item) for key, item in value.items() if isinstance(key, str)}
        return named if any(part is not None for part in named.values()) else None
    return None
