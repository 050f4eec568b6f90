"""`tf.init_scope`: a block that belongs to no tape and no function."""

import contextlib
from collections.abc import Iterator

from tapefacade._core.replica_places import is_in_run
from tapefacade._definition.op import function
from tapefacade._trace.recording import THREAD, Recording


@function("init_scope")
@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """Makes a block for initialization: the tapes and functions around it record nothing of it.

    >>> x = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     with tf.init_scope():
    ...         y = x * x
    >>> tape.gradient(y, x) is None
    True

    See https://www.tensorflow.org/api_docs/python/tf/init_scope.
    """
    if THREAD.functions or (is_in_run() and THREAD.recording.enclosing is not None):
        with outside_of_functions():
            yield
        return
    with contextlib.ExitStack() as stack:
        for tape in reversed(THREAD.recording.watchers()):
            if hasattr(tape, "stop_recording"):  # else it watches for a function, not for the user
                stack.enter_context(tape.stop_recording())
        yield


@contextlib.contextmanager
def outside_of_functions() -> Iterator[None]:
    """Makes a block outside of the functions that run."""
    recording, functions = THREAD.recording, THREAD.functions
    THREAD.recording, THREAD.functions = Recording(), []
    try:
        yield
        THREAD.recording.flush()
    finally:
        THREAD.recording, THREAD.functions = recording, functions
