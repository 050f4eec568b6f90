"""`tf.train.Coordinator`: threads that stop together."""

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

from tapefacade._core import errors
from tapefacade._core.logging import get_logger
from tapefacade._definition.op import function

FIRST_WAIT_SECONDS = 0.001
LOOK_SECONDS = 1.0
MESSAGE_RUNNING = "Coordinator stopped with threads still running: {}"


@function("train.Coordinator")
class Coordinator:
    """Tells threads to stop, and raises the error of the first that failed.

    Each thread asks `should_stop` again and again, and does its work in `stop_on_exception`, or
    calls `request_stop` with its error; `join` waits for all.

    Args:
        clean_stop_exception_types: a tuple of classes of errors that end a thread without being
            raised by `join`; `tf.errors.OutOfRangeError` by default.

    >>> import threading
    >>> coordinator = tf.train.Coordinator()
    >>> def work():
    ...     with coordinator.stop_on_exception():
    ...         raise ValueError("no more")
    >>> thread = threading.Thread(target=work)
    >>> thread.start()
    >>> coordinator.join([thread])
    Traceback (most recent call last):
    ValueError: no more

    See https://www.tensorflow.org/api_docs/python/tf/train/Coordinator.
    """

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        kinds = clean_stop_exception_types
        self._clean = (errors.OutOfRangeError,) if kinds is None else tuple(kinds)
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self._joined = False
        self._threads: set[threading.Thread] = set()

    @property
    def joined(self) -> bool:
        """Whether `join` has ended."""
        return self._joined

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop.

        Args:
            ex: the error for `join` to raise, or what `sys.exc_info` says of it; only the first one
                is raised.

        Raises:
            BaseException: the error, if `join` has ended before.
            ValueError: if it is no error.
        """
        error = ex[1] if isinstance(ex, tuple) and len(ex) == 3 else ex
        if error is not None and not isinstance(error, BaseException):
            raise ValueError(
                f"ex must be a tuple or sys.exc_info must return the current exception: {ex}"
            )
        if isinstance(error, self._clean):
            error = None
        with self._lock:
            if self._joined and error is not None:
                raise error
            if not self._stopped.is_set():
                if error is not None:
                    get_logger().info("Error reported to Coordinator: %s, %s", type(error), error)
                self._error = error
                self._stopped.set()

    def clear_stop(self) -> None:
        """Takes back that threads shall stop, and forgets the error."""
        with self._lock:
            self._joined, self._error = False, None
            self._stopped.clear()

    def should_stop(self) -> bool:
        """Whether threads shall stop."""
        return self._stopped.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Opens a block whose error asks all threads to stop; it goes no further."""
        try:
            yield
        except BaseException as error:  # whatever it is, `join` raises it
            self.request_stop(error)

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until threads shall stop.

        Args:
            timeout: for how many seconds at most.

        Returns:
            Whether they shall.
        """
        return self._stopped.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread that `join` waits for.

        Args:
            thread: the thread.
        """
        with self._lock:
            self._threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until threads have ended.

        Args:
            threads: the threads; those that were registered are added.
            stop_grace_period_secs: how many seconds they have to end once they shall stop.
            ignore_live_threads: whether those that have not are left running.

        Raises:
            BaseException: the error that a thread has reported.
            RuntimeError: if a thread has not ended in time.
        """
        with self._lock:
            waiting = [*self._threads.union(threads or ())]
        while any(thread.is_alive() for thread in waiting):
            if self.wait_for_stop(LOOK_SECONDS):
                break
        left, wait = stop_grace_period_secs, FIRST_WAIT_SECONDS
        while left >= 0.0 and any(thread.is_alive() for thread in waiting):
            time.sleep(wait)
            left -= wait
            wait = max(min(2 * wait, left), FIRST_WAIT_SECONDS)
        running = " ".join(thread.name for thread in waiting if thread.is_alive())
        with self._lock:
            self._joined = True
            self._threads = set()
            if self._error is not None:
                raise self._error
        if running and not ignore_live_threads:
            raise RuntimeError(MESSAGE_RUNNING.format(running))
        if running:
            get_logger().info(MESSAGE_RUNNING.format(running))

    def raise_requested_exception(self) -> None:
        """Raises the error that a thread has reported, if there is one."""
        with self._lock:
            if self._error is not None:
                raise self._error
