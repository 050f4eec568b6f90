"""The first runs of a program that takes long to compile: nobody waits for the whole.

What was never seen is traced, which is needed in any case, and computed from that by NumPy
(`interpreter`). When it runs again, it repeats: the whole is compiled in the background, and the
runs go on as before until it is there. So do those of a program that has run in pieces. Programs
that compile in a second or less are compiled at once, as they have always been.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from tapefacade._trace.background import BACKGROUND, Job
from tapefacade._trace.compilation_cache import JAX_CONFIG
from tapefacade._trace.executables import EXECUTABLES, STATISTICS, WRAPPERS, Executable
from tapefacade._trace.garbage_collection import no_collection
from tapefacade._trace.interpreter import Interpreter, is_interpretable, weight_of
from tapefacade._trace.jax_transformation import NO_TRACE, current_trace
from tapefacade._trace.piecewise import Piecewise
from tapefacade._trace.program_listing import in_sentence
from tapefacade._trace.shape_changes import GRADIENT, REMEDY, SHAPE_CHANGES

# Programs that weigh less than this (`interpreter.weight_of`) compile in about a second.
DEEP = 600.0
# Steps of a program that can be so deep.
MIN_STEPS = 24
WHY_NEW = "It has not run before"
WHY_SHAPES = "It has not run before with shape {} at {}: to have fewer, {}"
_LOCK = threading.RLock()


class Early:
    """What computes a program until it is compiled.

    Attributes:
        job: the compilation, if it has been asked for.
    """

    def __init__(self, executable: Executable, traced: Any) -> None:
        self.job: Job | None = None
        self._traced = traced
        self._interpreter = Interpreter(traced.jaxpr)
        self._tree = jax.tree.structure(traced.out_info)
        self._executable = executable
        self._interpreter.prepare()

    def ask(self) -> None:
        """Asks for the compiled program."""
        job = Job(self._traced.lower, title_of(self._executable))
        if BACKGROUND.submit(job):
            self.job = job

    def call(self, *arguments: Any) -> Any:
        """Does what the compiled program will do."""
        began = time.perf_counter()
        try:
            return self._tree.unflatten(self._interpreter(arguments))
        finally:
            STATISTICS.seconds_early += time.perf_counter() - began


class Coming:
    """A program that has run in pieces, until it is compiled as a whole.

    Attributes:
        job: the compilation.
        piecewise: how it runs until then.
    """

    def __init__(self, executable: Executable, piecewise: Piecewise, arguments: Any) -> None:
        types = [jax.ShapeDtypeStruct(np.shape(a), a.dtype) for a in arguments]
        self.piecewise = piecewise
        self.job = Job(lambda: executable.jitted().lower(*types), title_of(executable))
        self.is_asked = BACKGROUND.submit(self.job)


def title_of(executable: Executable, line: str = "", is_counted: bool = True) -> str:
    """Returns what a message calls a program: the number of the step, if it is one.

    Args:
        executable: the program.
        line: that of its first op.
        is_counted: whether its steps are counted; those are not that a function takes.
    """
    steps = executable.part.steps
    title = "a program"
    if any(step.operation.name == GRADIENT for step in steps):
        title = f"step {STATISTICS.steps + 1:,}" if is_counted else "a step"
    return f"{title} ({len(steps):,} ops{f', the first at {line}' if line else ''})"


def why(executable: Executable) -> str:
    """Returns why a program has to be compiled."""
    known = SHAPE_CHANGES.of(executable.part)
    if known is None or len(known.shapes) < 2:
        return WHY_NEW
    line, shapes = known.change()
    return WHY_SHAPES.format(shapes[-1], in_sentence(line), REMEDY) if len(shapes) > 1 else WHY_NEW


def in_pieces_meanwhile(
    executable: Executable, before: Piecewise | None, arguments: Sequence[Any]
) -> Piecewise | None:
    """Returns how a program that should be compiled runs in pieces until it is.

    Args:
        executable: the program.
        before: how it has run in pieces; None if it never has.
        arguments: its arguments.

    Returns:
        How it runs; None if it has to be, or is, compiled.
    """
    if before is None or not BACKGROUND.is_on or executable.acts:
        return None
    coming = executable.coming
    if coming is None:
        if not all(type(a) is np.ndarray or _is_on_one(a) for a in arguments):
            return None
        with _LOCK:
            coming = executable.coming
            if coming is None:
                coming = executable.coming = Coming(executable, before, arguments)
                EXECUTABLES.keep(executable)
    if coming.job.is_done or not coming.is_asked:
        executable.coming = None
        return None
    return coming.piecewise


def _is_on_one(value: Any) -> bool:
    return (
        isinstance(value, jax.Array)
        and isinstance(value.dtype, np.dtype)
        and len(value.devices()) == 1
    )


def early_call(executable: Executable, arguments: Sequence[Any]) -> Callable[..., Any] | None:
    """Returns what to call instead of a program that is not compiled; None if it is to be compiled.

    Args:
        executable: the program.
        arguments: its arguments, none of them traced by JAX.
    """
    early = executable.early
    if early is None or early.job is None:
        with _LOCK:  # what another thread is about is not done twice
            early = _begun(executable, arguments)
    if early is None:
        return None
    if early.job is not None and early.job.is_done:
        executable.early = None
        return None
    call = early.call
    for wrap in WRAPPERS:
        call = wrap(executable, call)
    return call


def _begun(executable: Executable, arguments: Sequence[Any]) -> Early | None:
    """Returns what computes a program now; asks for the compiled one if it has run before."""
    early = executable.early
    if early is not None:
        if early.job is None:
            early.ask()
    elif executable.call is None and _is_possible(executable, arguments):
        early = _made(executable, arguments)
        if early is not None:
            executable.early = early
            EXECUTABLES.keep(executable)
    return early


def _is_possible(executable: Executable, arguments: Sequence[Any]) -> bool:
    if not BACKGROUND.is_on or executable.acts or len(executable.part.steps) < MIN_STEPS:
        return False
    if JAX_CONFIG.jax_disable_jit or current_trace(None) is not NO_TRACE:
        return False
    return all(type(a) is np.ndarray or is_on_host(a) for a in arguments) and (
        jax.default_backend() == "cpu"
    )


def is_on_host(value: Any) -> bool:
    """Whether an array is in the memory of the host, and on one device."""
    if not isinstance(value, jax.Array) or not isinstance(value.dtype, np.dtype):
        return isinstance(value, np.generic)
    devices = value.devices()
    return len(devices) == 1 and next(iter(devices)).platform == "cpu"


def _made(executable: Executable, arguments: Sequence[Any]) -> Early | None:
    began = time.perf_counter()
    with jax.enable_x64(True), no_collection():
        traced = executable.jitted().trace(*arguments)
        if weight_of(traced.jaxpr.jaxpr) < DEEP or not is_interpretable(traced.jaxpr):
            return None
        early = Early(executable, traced)
    STATISTICS.seconds_early += time.perf_counter() - began
    return early
