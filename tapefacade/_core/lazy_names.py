"""Namespaces of names that are defined elsewhere: a table of names, looked up when one is used."""

import importlib
import operator
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tapefacade._core.missing_names import missing_attribute


def aliases(
    module_name: str,
    same: str,
    renamed: Mapping[str, str] = {},
    made: Mapping[str, Callable[[], Any]] = {},
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Makes the `__getattr__` and `__dir__` of a namespace whose names are other names of things.

    Args:
        module_name: the `__name__` of the namespace; below `tapefacade.compat.v1` if it has `same`.
        same: the names that mean what they mean in the namespace of this name below `tf`.
        renamed: names, and the paths below `tf` of what they mean.
        made: names, and what makes that which they mean.

    Returns:
        The two functions.

    >>> getattr_, dir_ = aliases("tapefacade.compat.v1.math", "exp", {"div": "math.divide"})
    >>> "div" in dir_()
    True
    >>> getattr_("div").__name__
    'truediv'
    """
    root, _, namespace = module_name.partition(".compat.v1")
    inner = namespace.removeprefix(".")
    paths = {name: f"{inner}.{name}".removeprefix(".") for name in same.split()}
    paths.update(renamed)
    missing = missing_attribute(module_name, depth=2)

    def find(name: str) -> Any:
        path = paths.get(name)
        if name in made:
            value = made[name]()
        elif path is not None:
            value = operator.attrgetter(path)(importlib.import_module(root))
        else:
            return missing(name)
        setattr(sys.modules[module_name], name, value)
        return value

    def names() -> list[str]:
        held = vars(sys.modules[module_name])
        return sorted({*paths, *made, *(name for name in held if not name.startswith("_"))})

    return find, names
