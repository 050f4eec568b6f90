"""Objects of which there is one for equal arguments: recorded programs are compared by them."""

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")

# How many objects of one kind are kept. When there are more, all of that kind are dropped: what was
# recorded with them is then recorded, and compiled, anew.
MAX_OBJECTS_OF_A_KIND = 4096
TABLES: dict[Callable[..., Any], dict[tuple[Hashable, ...], Any]] = {}
_LOCK = threading.RLock()


def interned(kind: Callable[..., T], *arguments: Hashable) -> T:
    """Returns `kind(*arguments)`: for equal arguments the same object, in all threads."""
    with _LOCK:
        made = TABLES.setdefault(kind, {}).get(arguments)
    if made is not None:
        return made
    made = kind(*arguments)  # without the lock: it may ask for another object
    with _LOCK:
        table = TABLES.setdefault(kind, {})
        if len(table) > MAX_OBJECTS_OF_A_KIND:
            table.clear()
        return table.setdefault(arguments, made)
