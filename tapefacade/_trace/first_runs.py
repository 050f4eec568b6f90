"""The first runs of a program that takes long to compile: nobody waits for the whole.

What was never seen is traced, which is needed in any case, and computed from that by NumPy
(`interpreter`). When it runs again, it repeats: the whole is compiled in the background, and the
runs go on as before until it is there. So do those of a program that has run in pieces. Programs
that compile in a second or less are compiled at once, as they have always been.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from tapefacade._trace.background import BACKGROUND, Job
from tapefacade._trace.compilation_cache import JAX_CONFIG
from tapefacade._trace.executables import EXECUTABLES, WRAPPERS, Executable
from tapefacade._trace.garbage_collection import no_collection
from tapefacade._trace.interpreter import Interpreter, is_interpretable, weight_of
from tapefacade._trace.jax_transformation import NO_TRACE, current_trace

# Programs that weigh less than this (`interpreter.weight_of`) compile in about a second.
DEEP = 600.0
# Steps of a program that can be so deep.
MIN_STEPS = 24
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
        title = f"a program of {len(self._executable.part.steps):,} ops"
        job = Job(self._traced.lower, title)
        if BACKGROUND.submit(job):
            self.job = job

    def call(self, *arguments: Any) -> Any:
        """Does what the compiled program will do."""
        return self._tree.unflatten(self._interpreter(arguments))


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
    with jax.enable_x64(True), no_collection():
        traced = executable.jitted().trace(*arguments)
        if weight_of(traced.jaxpr.jaxpr) < DEEP or not is_interpretable(traced.jaxpr):
            return None
        return Early(executable, traced)
