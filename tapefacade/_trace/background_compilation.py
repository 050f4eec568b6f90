"""Compiling in the background: one thread, in which XLA works while steps go on.

XLA holds no lock of Python's while it compiles. A job is a traced program; when it is done, JAX
knows the compiled function, and the next call of the program uses it. There is one thread, which
ends when there is nothing to do: programs are compiled one after the other, each by as many cores
as XLA takes. A job that fails is compiled again by the next call, which raises what is wrong.

A process that ends waits for the program that is being compiled, since XLA cannot be interrupted;
it is kept on disk for the next process. What has not begun is left out.
"""

import atexit
import collections
import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr

from tapefacade._core.logging import get_logger
from tapefacade._trace.compilation_cache import CACHE, JAX_CONFIG, SWITCHES
from tapefacade._trace.executables import STATISTICS
from tapefacade._trace.garbage_collection import no_collection
from tapefacade._trace.interpreter import has_loops
from tapefacade._trace.wait_watch import is_kept

SWITCH_VARIABLE = "TAPEFACADE_BACKGROUND_COMPILATION"
# Programs that may wait; what comes then is asked for again at its next call.
MAX_WAITING = 16
SECONDS_BEFORE_MESSAGE_AT_EXIT = 1.0
# How long the thread may trace while a step wants to go on. What NumPy computes gives the
# interpreter back a thousand times a step, and would wait for 5 ms each time: for a second.
SECONDS_OF_TRACING = 2e-5
MAX_BYTES_OF_FIRST_RUN = 2**28
MESSAGE_AT_EXIT = "The program has ended; waiting for the compilation of %s, which %s."
KEPT_AT_EXIT, NOT_KEPT_AT_EXIT = "is kept for the next start", "XLA does not interrupt"


class CompilationJob:
    """A program to be compiled.

    Attributes:
        title: what it is, for messages.
        is_done: whether it has been compiled, or cannot be.
    """

    def __init__(self, trace: Callable[[], Any], title: str) -> None:
        """Makes a job.

        Args:
            trace: returns what JAX lowers and compiles; called in the other thread.
            title: what it is, for messages.
        """
        self.title = title
        self.is_done = False
        self._trace: Callable[[], Any] | None = trace
        self._precision = JAX_CONFIG.jax_default_matmul_precision
        self._device = JAX_CONFIG.jax_default_device

    def run(self) -> None:
        """Compiles; what is wrong is found again by the call that needs the program."""
        assert self._trace is not None
        began = time.perf_counter()
        try:
            with self._settings():
                with _steps_first(), no_collection(counts_as_old=True):
                    traced = self._trace()
                    lowered = traced.lower()
                with contextlib.suppress(Warning), CACHE.used():
                    _run_once(lowered.compile(), traced.jaxpr)
        except Exception as error:  # the next call compiles it, and raises
            get_logger().debug("Compiling %s in the background failed: %s", self.title, error)
        finally:
            self._trace = None
            STATISTICS.seconds_in_background += time.perf_counter() - began
            self.is_done = True

    @contextlib.contextmanager
    def _settings(self) -> Iterator[None]:
        """Settings of the thread that asked: JAX finds the program under these only."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(jax.enable_x64(True))
            if self._precision != JAX_CONFIG.jax_default_matmul_precision:
                stack.enter_context(jax.default_matmul_precision(self._precision))
            if self._device != JAX_CONFIG.jax_default_device:
                stack.enter_context(jax.default_device(self._device))
            yield


def _run_once(compiled: Any, program: ClosedJaxpr) -> None:
    """Runs a program on zeros: the first run of one takes up to 0.3 s longer than the others."""
    types = program.in_avals
    size = sum(math.prod(t.shape) * t.dtype.itemsize for t in (*types, *program.out_avals))
    if size <= MAX_BYTES_OF_FIRST_RUN and not has_loops(program.jaxpr):
        jax.block_until_ready(compiled(*[np.zeros(t.shape, t.dtype) for t in types]))


@contextlib.contextmanager
def _steps_first() -> Iterator[None]:
    """Has other threads wait less for the interpreter while this one traces."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, SECONDS_OF_TRACING))
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class BackgroundCompiler:
    """The thread, and what waits for it.

    Attributes:
        is_on: whether it is used; else nothing is computed before its program is compiled.
        is_waited_for: whether who asks for a program waits for it, so that counts are exact.
    """

    def __init__(self) -> None:
        self.is_on = SWITCHES.get(os.environ.get(SWITCH_VARIABLE, "").lower(), True)
        self.is_waited_for = False
        self._forget()

    def _forget(self) -> None:
        """Begins anew: a process that was forked has no such thread."""
        self._condition = threading.Condition()
        self._waiting: collections.deque[CompilationJob] = collections.deque()
        self._current: CompilationJob | None = None
        self._thread: threading.Thread | None = None
        self._is_ending = False

    def submit(self, job: CompilationJob) -> bool:
        """Takes a job; returns whether there is room for it."""
        if self.is_waited_for:
            job.run()
            return True
        with self._condition:
            if self._is_ending or len(self._waiting) >= MAX_WAITING:
                return False
            self._waiting.append(job)
            if self._thread is None:
                # XLA's work in a thread that Python stops at exit would end the process hard:
                # `_end` waits for it.
                self._thread = threading.Thread(
                    target=self._work, name="tapefacade compiler", daemon=True
                )
                self._thread.start()
        return True

    def wait(self) -> None:
        """Waits until everything that was asked for has been compiled."""
        with self._condition:
            self._condition.wait_for(lambda: self._thread is None)

    def _work(self) -> None:
        while True:
            with self._condition:
                self._current = self._waiting.popleft() if self._waiting else None
                if self._current is None:
                    self._thread = None
                    self._condition.notify_all()
                    return
            self._current.run()

    def end(self) -> None:
        """Leaves out what waits, and waits for what is being compiled."""
        with self._condition:
            self._is_ending = True
            for job in self._waiting:
                job.is_done = True
            self._waiting.clear()
            done = self._condition.wait_for(
                lambda: self._thread is None, SECONDS_BEFORE_MESSAGE_AT_EXIT
            )
            if not done:
                assert self._current is not None
                why = KEPT_AT_EXIT if is_kept() else NOT_KEPT_AT_EXIT
                get_logger().warning(MESSAGE_AT_EXIT, self._current.title, why)
                self._condition.wait_for(lambda: self._thread is None)


BACKGROUND_COMPILER = BackgroundCompiler()
atexit.register(BACKGROUND_COMPILER.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=BACKGROUND_COMPILER._forget)
