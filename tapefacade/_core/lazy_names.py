"""Namespaces with names that are made when somebody first asks for them."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

from tapefacade._core.missing_names import missing_attribute


def lazy_attributes(
    module_name: str, made: Mapping[str, Callable[[], Any]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Makes the `__getattr__` and `__dir__` of a namespace some of whose names are made late.

    Args:
        module_name: the `__name__` of the namespace.
        made: names, and what makes that which they mean.

    Returns:
        The two functions.

    >>> getattr_, dir_ = lazy_attributes("tapefacade.math", {"two": lambda: 2})
    >>> "two" in dir_()
    True
    """
    missing = missing_attribute(module_name, depth=2)

    def find(name: str) -> Any:
        if name not in made:
            return missing(name)
        value = made[name]()
        setattr(sys.modules[module_name], name, value)
        return value

    return find, names_with_late(module_name, made)


def names_with_late(module_name: str, made: Mapping[str, Any]) -> Callable[[], list[str]]:
    """Makes the `__dir__` of a namespace: what it holds, and what is made late.

    Args:
        module_name: the `__name__` of the namespace.
        made: what is made late, by its names.

    Returns:
        A function that lists the names.

    >>> {"keras", "losses", "Variable"} <= set(dir(tf))
    True
    """

    def names() -> list[str]:
        held = vars(sys.modules[module_name])
        public = (name for name in held if not name.startswith("_") or name[:2] == "__")
        return sorted({*made, *public})

    return names
