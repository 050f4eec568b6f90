"""Writers of summaries, and which of them is in use."""

import contextlib
import itertools
import os
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.thread_state import ThreadState
from tapefacade._definition.op import function
from tapefacade._io.file_errors import as_path
from tapefacade._state.variable import Variable
from tapefacade._summary.event_files import EventFile

_SERIAL = itertools.count()
MAX_QUEUE, FLUSH_MILLIS = 10, 120_000


class _WriterState(ThreadState):
    """The writer of this thread, its step, and whether summaries are written."""

    def __init__(self) -> None:
        self.writer: SummaryWriter | None = None
        self.step: Any = None
        self.condition: Any = True


STATE = _WriterState()


@function("summary.SummaryWriter")
class SummaryWriter(ABC):
    """Writes summaries; made by `tf.summary.create_file_writer`.

    >>> isinstance(tf.summary.create_noop_writer(), tf.summary.SummaryWriter)
    True

    See https://www.tensorflow.org/api_docs/python/tf/summary/SummaryWriter.
    """

    def set_as_default(self, step: Any = None) -> None:
        """Makes summaries go to this writer.

        Args:
            step: the step of summaries that are given none; by default it stays as it is.
        """
        self._require_open()
        STATE.writer = self
        if step is not None:
            STATE.step = step

    @contextlib.contextmanager
    def as_default(self, step: Any = None) -> Iterator["SummaryWriter"]:
        """Makes a block in which summaries go to this writer; they are on the disk at its end.

        Args:
            step: the step of summaries that are given none; by default it stays as it is.

        Raises:
            RuntimeError: if the writer is closed.
        """
        self._require_open()
        given = {} if step is None else {"step": step}
        with STATE.temporarily(writer=self, **given):
            yield self
            self.flush()

    def _require_open(self) -> None:
        """Refuses a writer that is closed."""
        return

    @abstractmethod
    def init(self) -> None:
        """Does nothing: the file is made with the writer."""

    @abstractmethod
    def flush(self) -> None:
        """Writes what has not been written."""

    @abstractmethod
    def close(self) -> None:
        """Writes what has not been written, and closes the file."""


class FileWriter(SummaryWriter):
    """Writes summaries to a file.

    Args:
        directory: where the file is made.
        max_queue: after how many summaries the file is flushed.
        flush_millis: after how many milliseconds it is flushed.
        end: the end of its name.
    """

    def __init__(self, directory: str, max_queue: int, flush_millis: int, end: str) -> None:
        self._directory = directory
        # Unlike the time in the name, the two numbers are nobody else's.
        self._file = EventFile(directory, f".{os.getpid()}.{next(_SERIAL)}{end}")
        self._max_queue = max_queue
        self._interval = flush_millis / 1000.0
        self._waiting = 0
        self._flushed = time.monotonic()
        self._lock = threading.RLock()
        self._finalizer = weakref.finalize(self, self._file.close)

    def __repr__(self) -> str:
        return f"<tf.summary.SummaryWriter of {self._directory!r}>"

    @property
    def is_closed(self) -> bool:
        """Whether nothing can be written any more."""
        return not self._finalizer.alive

    def _require_open(self) -> None:
        if self.is_closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def put(self, write: Callable[[EventFile], None]) -> None:
        """Writes an event."""
        with self._lock:
            if self.is_closed:
                return
            write(self._file)
            self._waiting += 1
            due = time.monotonic() - self._flushed > self._interval
            if due or self._waiting > self._max_queue:
                self.flush()

    def init(self) -> None:
        """Does nothing: the file is made with the writer."""
        self._require_open()

    def flush(self) -> None:
        """Writes what has not been written."""
        with self._lock:
            if not self.is_closed:
                self._file.flush()
                self._waiting = 0
                self._flushed = time.monotonic()

    def close(self) -> None:
        """Writes what has not been written, and closes the file."""
        with self._lock:
            self._finalizer()


class NoopWriter(SummaryWriter):
    """Writes nothing."""

    def init(self) -> None:
        """Does nothing."""

    def flush(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


@function("summary.create_file_writer")
def create_file_writer(
    logdir: Any,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """Makes a writer of summaries for TensorBoard; the file is made at once.

    Args:
        logdir: the directory for the file.
        max_queue: after how many summaries the file is flushed, 10 by default.
        flush_millis: after how many milliseconds it is flushed, 120,000 by default.
        filename_suffix: the end of the name of the file, ".v2" by default.
        name: accepted for TensorFlow's sake.
        experimental_trackable: accepted for TensorFlow's sake.
        experimental_mesh: accepted for TensorFlow's sake.

    Returns:
        A `tf.summary.SummaryWriter`.

    Raises:
        ValueError: if there is no directory.
        ImportError: if tensorboardX is not installed.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> writer = tf.summary.create_file_writer(f"{directory}/logs")
    >>> with writer.as_default():
    ...     for step in range(3):
    ...         _ = tf.summary.scalar("loss", 1.0 / (step + 1), step=step)

    See https://www.tensorflow.org/api_docs/python/tf/summary/create_file_writer.
    """
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    return FileWriter(
        as_path(logdir),
        MAX_QUEUE if max_queue is None else int(max_queue),
        FLUSH_MILLIS if flush_millis is None else int(flush_millis),
        ".v2" if filename_suffix is None else filename_suffix,
    )


@function("summary.create_noop_writer")
def create_noop_writer() -> SummaryWriter:
    """Makes a writer that writes nothing: where summaries go that nobody wants.

    >>> with tf.summary.create_noop_writer().as_default():
    ...     bool(tf.summary.scalar("loss", 1.0, step=0))
    False
    """
    return NoopWriter()


@function("summary.flush")
def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Writes the summaries that have not been written.

    Args:
        writer: the writer, by default the one in use.
        name: ignored.

    >>> tf.summary.flush()
    """
    writer = STATE.writer if writer is None else writer
    if writer is not None:
        writer.flush()


@function("summary.experimental.set_step")
def set_step(step: Any) -> None:
    """Sets the step of summaries that are given none.

    Args:
        step: an integer, a tensor, a variable, whose value at each summary counts, or None.

    >>> tf.summary.experimental.set_step(7)
    >>> tf.summary.experimental.get_step()
    7
    >>> tf.summary.experimental.set_step(None)
    """
    STATE.step = step


@function("summary.experimental.get_step")
def get_step() -> Any:
    """Returns what `tf.summary.experimental.set_step` has set, or None."""
    return STATE.step


@function("summary.record_if")
@contextlib.contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Makes a block in which summaries are written only if a condition holds.

    Args:
        condition: a boolean, a tensor, or a function without arguments that returns one, which is
            called at each summary.

    >>> with tf.summary.record_if(lambda: False):
    ...     bool(tf.summary.should_record_summaries())
    False
    """
    with STATE.temporarily(condition=condition):
        yield


@function("summary.should_record_summaries")
def should_record_summaries() -> EagerTensor:
    """Returns whether summaries are written now, as a boolean scalar.

    >>> tf.summary.should_record_summaries().numpy()
    np.False_
    """
    if STATE.writer is None or isinstance(STATE.writer, NoopWriter):
        return convert(False)
    return current_condition()


def current_condition() -> EagerTensor:
    """Returns what `tf.summary.record_if` was given, as a tensor."""
    condition = STATE.condition
    if callable(condition) and not isinstance(condition, EagerTensor | Variable):
        condition = condition()
    if isinstance(condition, np.bool_):
        condition = bool(condition)
    return condition._root.value() if isinstance(condition, Variable) else convert(condition)
