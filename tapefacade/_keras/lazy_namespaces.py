"""`tf.keras` and what is a part of it (`tf.losses`, ...): imported when somebody asks for them."""

import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

from tapefacade._core.lazy_names import names_with_late
from tapefacade._keras.patches import load, undo

NAME = "tapefacade.keras"
PARTS_OF_KERAS = ("initializers", "losses", "metrics")


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


def with_names_of_keras(part: str, missing: Callable[[str], Any]) -> Callable[[str], Any]:
    """Makes the `__getattr__` of a namespace that has all the names of one of Keras's.

    Args:
        part: the name of Keras's namespace.
        missing: tells of a name that neither has; it is called with one call in between.

    Returns:
        A function of a name.

    >>> tf.optimizers.Adam is tf.keras.optimizers.Adam
    True
    """

    def find(name: str) -> Any:
        # Names with an underscore are asked for by Python and its tools: nobody needs Keras then.
        found = _NOTHING if name.startswith("_") else getattr(_part(part)(), name, _NOTHING)
        return missing(name) if found is _NOTHING else found

    return find


def names_of_keras(part: str, module_name: str) -> Callable[[], list[str]]:
    """Makes the `__dir__` of such a namespace.

    Args:
        part: the name of Keras's namespace.
        module_name: the `__name__` of the namespace.

    Returns:
        A function that lists the names of both; without Keras those of the namespace alone.

    >>> {"LBFGS", "Adam"} <= set(dir(tf.optimizers))
    True
    """

    def names() -> list[str]:
        try:
            of_keras = [name for name in dir(_part(part)()) if not name.startswith("_")]
        except ImportError:
            of_keras = []
        return names_with_late(module_name, dict.fromkeys(of_keras))()

    return names


_NOTHING = object()
# What is made when the package is first asked for it.
LAZY_NAMESPACES: dict[str, Callable[[], Any]] = {
    "keras": keras,
    **{name: _part(name) for name in PARTS_OF_KERAS},
}
