"""Functions of TensorFlow 1 by namespace, as `tf.compat.v1` has them."""

import functools
from collections.abc import Callable
from typing import Any

from tapefacade._compat import v1_logging, v1_losses, v1_ops
from tapefacade._compat.renamed_functions import older_function, read
from tapefacade._compat.v1_arguments import ALSO, OLDER
from tapefacade._core.registry import FUNCTIONS

TABLE = read(OLDER)
# These register their functions under `compat.v1`.
REGISTERING = {module.__name__ for module in (v1_logging, v1_losses, v1_ops)}


def older_functions(namespace: str) -> dict[str, Callable[[], Any]]:
    """Returns what makes the functions of a namespace below `tf.compat.v1`, by their names."""
    prefix = f"{namespace}." if namespace else ""
    found = {
        name.removeprefix(prefix): name
        for name in TABLE
        if name.startswith(prefix) and "." not in name.removeprefix(prefix)
    }
    found.update({name: name for name in ALSO.get(namespace, "").split()})
    made: dict[str, Callable[[], Any]] = {
        own: functools.partial(_made, name) for own, name in found.items()
    }
    for path, function in FUNCTIONS.items():
        own = path.removeprefix(f"compat.v1.{prefix}")
        if own != path and "." not in own and function.__module__ in REGISTERING:
            made[own] = functools.partial(FUNCTIONS.get, path)
    return made


@functools.cache
def _made(name: str) -> Any:
    return older_function(name, TABLE[name])
