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
        """Makes a block in which attributes have other values in this thread.

        They have their values again afterwards, wherever Ctrl-C comes in between.
        """
        before = {name: getattr(self, name) for name in values}
        state = vars(self)
        try:
            state.update(values)
            yield
        finally:
            try:
                state.update(before)
            except KeyboardInterrupt:  # between the call and what it does
                state.update(before)
                raise
