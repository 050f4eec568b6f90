"""Where programs can run no more: in threads that are left when Python ends, and after a fork.

XLA has threads of its own. A process that is forked has none of them, so that a program would wait
for ever; a daemon thread that comes back from XLA when Python has ended takes the process with it.
"""

import os
import sys
import threading
import time
from typing import Any, NoReturn

from tapefacade._core import errors
from tapefacade._trace.background_compilation import BACKGROUND_COMPILER
from tapefacade._trace.execution import STATISTICS, Program

MESSAGE_FORKED = (
    "This process was forked from one in which JAX has run a program, and XLA's threads stay "
    "behind: it could only wait for ever. Start processes by "
    'multiprocessing.get_context("spawn") (or "forkserver"), or fork before the first value is '
    "computed. Values that were known before the fork can be read."
)
SECONDS_AT_EXIT = 10.0
# A thread that is at the same place after each of these is taken to wait for something.
SECONDS_BETWEEN_LOOKS, LOOKS_AT_REST = 0.01, 3
LIBRARY = os.sep + "jax" + os.sep
_execute, _hand_over = Program.execute, Program.hand_over
RUNS = (_execute.__code__, _hand_over.__code__)
_halt: Any = threading.Event().wait


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise errors.FailedPreconditionError(None, None, MESSAGE_FORKED)


def _note_fork() -> None:
    """Has programs raise in a process that was forked from one with XLA's threads."""
    if STATISTICS.dispatched:
        Program.execute = Program.hand_over = _refuse


def halt_others() -> None:
    """Lets no other thread begin a program, and waits until they rest: the process ends.

    Whoever computes comes to the next program and stays there. Others may be on their way back
    from XLA at any line of theirs, as values are freed there: they are waited for as well.
    """
    BACKGROUND_COMPILER.end()
    own = threading.get_ident()

    Program.execute, Program.hand_over = _only_in(own, _execute), _only_in(own, _hand_over)
    limit = time.monotonic() + SECONDS_AT_EXIT
    before, looks = _others(own), 0
    while before and looks < LOOKS_AT_REST and time.monotonic() < limit:
        time.sleep(SECONDS_BETWEEN_LOOKS)
        places = _others(own)
        looks = looks + 1 if places == before and None not in places.values() else 0
        before = places


def _only_in(thread: int, run: Any) -> Any:
    """Returns a function that runs in one thread, and lets all others wait for ever."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return run(*args, **kwargs) if threading.get_ident() == thread else _halt()

    return call


def _others(own: int) -> dict[int, tuple[int, int] | None]:
    """Where the other threads are, by frame and instruction; None in what computes."""
    return {
        thread: None if _is_running(frame) else (id(frame), frame.f_lasti)
        for thread, frame in sys._current_frames().items()
        if thread != own
    }


def _is_running(frame: Any) -> bool:
    """Whether a thread is in a program, or in JAX."""
    while frame is not None:
        code = frame.f_code
        if code in RUNS or LIBRARY in code.co_filename:
            return True
        frame = frame.f_back
    return False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)
