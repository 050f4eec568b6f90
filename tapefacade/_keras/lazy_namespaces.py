"""`tf.keras` and what is a part of it (`tf.losses`, ...): imported when somebody asks for them."""

import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

from tapefacade._keras.patches import load, undo

NAME = "tapefacade.keras"
PARTS_OF_KERAS = ("initializers", "losses", "metrics", "optimizers")


def keras() -> types.ModuleType:
    """Returns the module that `tf.keras` is."""
    return importlib.import_module(NAME)


def become_keras() -> None:
    """Puts Keras in the place of the module that `import tapefacade.keras` finds."""
    sys.modules[NAME] = load()


def undo_keras() -> None:
    """Makes Keras what it was before `tf.keras` was first used: plain Keras on JAX.

    Asking for `tf.keras` again changes it again. Models that were made meanwhile keep their
    weights, and belong to plain Keras then. Without `tf.keras` having been used this does nothing.

    >>> undo_keras()
    """
    undo()
    sys.modules.pop(NAME, None)
    vars(sys.modules["tapefacade"]).pop("keras", None)


def _part(name: str) -> Callable[[], Any]:
    return lambda: getattr(keras(), name)


# What is made when the package is first asked for it.
LAZY_NAMESPACES: dict[str, Callable[[], Any]] = {
    "keras": keras,
    **{name: _part(name) for name in PARTS_OF_KERAS},
}
