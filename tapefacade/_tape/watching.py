"""Which variables a tape watches, and when it is used up."""

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator

from tapefacade._state.variable import Variable
from tapefacade._trace.recording import CLOSED, THREAD, Data, Recording

SERIALS = itertools.count()  # of tapes, in the order in which they are made


class _Rows(threading.local):
    """The Python of a function that stands for many rows, which runs for each of them."""

    since: int | None = None  # the serial of the first tape that is made in it

    def __init__(self) -> None:
        self.used: list[Callable[[], None]] = []  # what clears the tapes that have been used


_ROWS = _Rows()


@contextlib.contextmanager
def as_if_once() -> Iterator[None]:
    """A block that runs Python for each row which TensorFlow runs once: tapes are used once."""
    if _ROWS.since is not None:
        yield
        return
    _ROWS.since = next(SERIALS)
    try:
        yield
    finally:
        _ROWS.since, used, _ROWS.used = None, _ROWS.used, []
        for clear in used:
            clear()


def release(serial: int, clear: Callable[[], None]) -> None:
    """Clears a tape that has been used; one that serves other rows when the last has run."""
    if _ROWS.since is not None and serial < _ROWS.since:
        _ROWS.used.append(clear)
    else:
        clear()


def outside(trace: Recording) -> None:
    """Takes note that a tape is used in the body of a loop or branch that it does not record.

    Raises:
        ValueWanted: if it is; Python has to run the loop then.
    """
    recording = THREAD.recording
    if recording.enclosing is not None and recording.is_within(trace):
        recording.observe("a tape from outside is used in the body of a loop or branch")


def reopened(trace: Recording | None, data: Data | None) -> Recording | None:
    """Opens the recording of a tape's first block again, if it has been closed since."""
    if trace is None or data is None or trace.data is not CLOSED or data.end is None:
        return None
    trace.reopen(data)
    return trace


class Watching:
    """The part of a tape that knows the variables."""

    _recording: bool
    _watch_accessed_variables: bool
    _trace: Recording | None
    _watched: dict[int, int]
    _variables: dict[int, tuple[Variable, tuple[int, ...]]]

    def _wants(self, variable: Variable) -> bool:
        """Whether the tape takes note of a read of a variable."""
        return self._recording and (
            (variable._trainable and self._watch_accessed_variables)
            or id(variable) in self._variables  # it was told to watch it
        )

    def _read(self, variable: Variable, slot: int) -> None:
        """Takes note that a variable's value is in `slot`."""
        assert self._trace is not None
        self._watched.setdefault(slot, self._trace.at.end)
        known = self._variables.get(id(variable))
        if known is None:
            self._variables[id(variable)] = (variable, (slot,))
        elif slot not in known[1]:
            self._variables[id(variable)] = (variable, (*known[1], slot))

    def watched_variables(self) -> tuple[Variable, ...]:
        """Returns the variables that the tape watches, in the order of their creation.

        >>> x = tf.Variable(2.0, name="x")
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> [v.name for v in tape.watched_variables()]
        ['x:0']
        """
        variables = [variable for variable, _ in self._variables.values()]
        return tuple(sorted(variables, key=lambda variable: variable._serial))
