"""Functions of TensorFlow 1 by namespace, as `tf.compat.v1` has them."""

import functools
from collections.abc import Callable
from typing import Any

from tapefacade._renamed.older import ALSO, OLDER
from tapefacade._renamed.renaming import older_function, read

TABLE = read(OLDER)


def older_functions(namespace: str) -> dict[str, Callable[[], Any]]:
    """Returns what makes the functions of a namespace below `tf.compat.v1`, by their names."""
    prefix = f"{namespace}." if namespace else ""
    found = {
        name.removeprefix(prefix): name
        for name in TABLE
        if name.startswith(prefix) and "." not in name.removeprefix(prefix)
    }
    found.update({name: name for name in ALSO.get(namespace, "").split()})
    return {own: functools.partial(_made, name) for own, name in found.items()}


@functools.cache
def _made(name: str) -> Any:
    return older_function(name, TABLE[name])
