"""What belongs to a thread: state of which each thread has its own, and blocks that change it."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any


class ThreadState(threading.local):
    """State of which every thread has its own; a subclass gives its attributes their first values.

    There is one object of each subclass, made where it is defined:

        class _Scopes(ThreadState):
            name = ""

        SCOPES = _Scopes()

    What cannot be shared (a list) is made in `__init__`, which every thread runs for itself.
    """

    @contextlib.contextmanager
    def temporarily(self, **values: Any) -> Iterator[None]:
        """Makes a block in which attributes have other values in this thread."""
        before = {name: getattr(self, name) for name in values}
        vars(self).update(values)
        try:
            yield
        finally:
            vars(self).update(before)
