"""How a program that takes long to compile runs at first: by NumPy or in pieces, with no wait.

What was never seen is computed by NumPy, step by step (`numpy_steps`). When it runs again, it
repeats: the whole is compiled in the background, and the runs go on as before until it is there. So
do those of a program that has run in pieces. Programs that compile in a second or less are compiled
at once, as they have always been, but for those of a function's first call in which Python looks at
values: the next call has others.
"""

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from tapefacade._trace.background_compilation import BACKGROUND_COMPILER, CompilationJob
from tapefacade._trace.compilation_cache import JAX_CONFIG
from tapefacade._trace.executables import EXECUTABLES, STATISTICS, WRAPPERS, Executable
from tapefacade._trace.garbage_collection import no_collection
from tapefacade._trace.interpreter import LONG_LOOPS, LongLoopError
from tapefacade._trace.jax_transformation import NO_TRACE, current_trace
from tapefacade._trace.numpy_steps import NumpyProgram
from tapefacade._trace.program_in_pieces import EarlyPiece, ProgramInPieces, early_piece
from tapefacade._trace.segment_cuts import size_of
from tapefacade._trace.shape_changes import SHAPE_CHANGES
from tapefacade._trace.slices import Slice
from tapefacade._trace.wait_watch import title_of

# Programs that weigh less than this (`interpreter.weight_of`) compile in about a second.
WEIGHT_OF_DEEP_PROGRAM = 600.0
# Steps of a program that can be so deep, as they are and with the gradients written out. To trace
# those of a program that is not would be in vain. A convolution is worth so many of the others, and
# so is a draw of random numbers: a model's first values take XLA as long as its step. To compile
# one draw of those that try until numbers fit takes 0.8 to 3 s.
MIN_STEPS_BY_NUMPY = 24
MIN_SIZE = 400
SIZE_OF_CONVOLUTION = 40
SIZE_OF_DRAW = 200
SLOW_DRAWS = ("gamma", "poisson", "binomial", "parameterizedtruncatednormal")
# Programs of few steps and few values that draw numbers are computed by NumPy from this weight on,
# which is half a second.
WEIGHT_OF_DRAWS = 250.0
# They, and programs whose shapes vary, are compiled when they have run so often with the same ones,
# or have taken NumPy as long as compiling them will take; at once if they have larger values, where
# NumPy is slow.
RUNS_OF_VARYING = 16
WEIGHT_PER_SECOND = WEIGHT_OF_DEEP_PROGRAM  # of compiling
MAX_ELEMENTS_OF_VARYING = 2**18
MAX_BYTES_ON_HOST = 2**14  # of a value in a first call that a program takes as it is
_LOCK = threading.RLock()


class FirstRuns:
    """What computes a program until it is compiled.

    Attributes:
        job: the compilation, if it has been asked for.
        count: how often it has run so.
        seconds: how long that has taken.
        max_count: how often it runs so before it is compiled, while its shapes do not vary.
    """

    def __init__(self, program: NumpyProgram, executable: Executable, max_count: int) -> None:
        self.job: CompilationJob | None = None
        self.count = 0
        self.seconds = 0.0
        self.max_count = max_count
        self._program = program
        self._executable = executable
        # To compile a long loop takes about as long as to compile all, if there is not much else.
        self._refuses_long_loops = 2 * program.weight_of_loops >= program.weight

    def is_enough(self, max_count: int) -> bool:
        """Whether it has run so often, or for so long, that compiling it is worth while."""
        return self.count >= max_count or self.seconds * WEIGHT_PER_SECOND >= self._program.weight

    def call(self, *arguments: Any) -> Any:
        """Does what the compiled program will do."""
        self.count += 1
        began = time.perf_counter()
        LONG_LOOPS.refused = self._refuses_long_loops
        try:
            with _timed():
                return self._program(*arguments)
        except LongLoopError:
            self._executable.first_runs = None
            return self._executable.prepare()(*arguments)
        finally:
            LONG_LOOPS.refused = False
            self.seconds += time.perf_counter() - began


class RunsInPieces:
    """A program that has run in pieces, until it is compiled as a whole.

    Attributes:
        job: the compilation, if there was room for it.
        in_pieces: how it runs until then.
    """

    def __init__(self, in_pieces: ProgramInPieces, job: CompilationJob | None) -> None:
        self.in_pieces = in_pieces
        self.job = job


def compilation(executable: Executable, arguments: Sequence[Any]) -> CompilationJob | None:
    """Asks for a compiled program; returns None if too many wait."""
    types = [jax.ShapeDtypeStruct(np.shape(a), a.dtype) for a in arguments]
    job = CompilationJob(lambda: executable.traced(*types), title_of(executable))
    return job if BACKGROUND_COMPILER.submit(job) else None


def in_pieces_meanwhile(
    executable: Executable, before: ProgramInPieces | None, arguments: Sequence[Any]
) -> ProgramInPieces | None:
    """Returns how a program that should be compiled runs in pieces until it is.

    Args:
        executable: the program.
        before: how it has run in pieces; None if it never has.
        arguments: its arguments.

    Returns:
        How it runs; None if it has to be, or is, compiled.
    """
    if before is None or not BACKGROUND_COMPILER.is_on or executable.acts:
        return None
    runs = executable.runs_in_pieces
    if runs is None:
        if not all(type(a) is np.ndarray or _is_on_one(a) for a in arguments):
            return None
        with _LOCK:
            runs = executable.runs_in_pieces
            if runs is None:
                job = compilation(executable, arguments)
                runs = executable.runs_in_pieces = RunsInPieces(before, job)
                EXECUTABLES.keep(executable)
    if runs.job is None:
        executable.runs_in_pieces = None
    return None if runs.job is None or runs.job.is_done else runs.in_pieces


def _is_on_one(value: Any) -> bool:
    return (
        isinstance(value, jax.Array)
        and isinstance(value.dtype, np.dtype)
        and len(value.devices()) == 1
    )


def early_call(executable: Executable, arguments: Sequence[Any]) -> Callable[..., Any] | None:
    """Returns what computes a program in a function's first call, in which Python looks at values.

    The next call is recorded with other instructions, so that what would be compiled for this one
    is of no use then.

    Args:
        executable: the program.
        arguments: its arguments, none of them traced by JAX.

    Returns:
        What computes it by NumPy; None if it is to be compiled: it runs so often that this pays, or
        NumPy cannot compute it.
    """
    if WRAPPERS or not _is_for_numpy(executable, arguments):
        return None
    with _timed(), jax.enable_x64(True), no_collection():
        known = early_piece(executable.part, executable.layout)
    if known.runs >= known.max_runs:
        return None
    return functools.partial(_own_values, known, executable)


def _own_values(piece: EarlyPiece, executable: Executable, *arguments: Any) -> Any:
    """Computes a piece; its outputs are no parts of the arguments, and large ones on the device."""
    with _timed():
        result = piece.run(executable, *arguments)
    if executable.is_checked:
        return [_own_value(v) for v in result[0]], *result[1:]
    return [_own_value(v) for v in result] if type(result) is list else _own_value(result)


def _own_value(value: Any) -> Any:
    own = np.array(value)
    return own if own.nbytes <= MAX_BYTES_ON_HOST else jax.device_put(own)


def first_call(executable: Executable, arguments: Sequence[Any]) -> Callable[..., Any] | None:
    """Returns what to call instead of a program that is not compiled; None if it is to be compiled.

    Args:
        executable: the program.
        arguments: its arguments, none of them traced by JAX.
    """
    if executable.runs_in_pieces is not None:
        return None  # it has run in pieces until it was compiled
    runs = executable.first_runs
    if runs is None or runs.job is None:
        with _LOCK:  # what another thread is about is not done twice
            runs = _begun(executable, arguments)
    if runs is None:
        return None
    if runs.job is not None and runs.job.is_done:
        executable.first_runs = None
        return None
    call = runs.call
    for wrap in WRAPPERS:
        call = wrap(executable, call)
    return call


def _begun(executable: Executable, arguments: Sequence[Any]) -> FirstRuns | None:
    """Returns what computes a program now; asks for the compiled one if it has run before."""
    runs = executable.first_runs
    if runs is not None:
        varies = _is_small(executable.part) and SHAPE_CHANGES.varies(executable.part)
        enough = RUNS_OF_VARYING if varies else runs.max_count
        if runs.job is None and (runs.is_enough(enough) or not BACKGROUND_COMPILER.is_on):
            runs.job = compilation(executable, arguments)
    elif executable.call is None and _is_possible(executable, arguments):
        runs = _made(executable)
        if runs is not None:
            executable.first_runs = runs
            EXECUTABLES.keep(executable)
    return runs


def _is_small(part: Slice) -> bool:
    return all(type_.size <= MAX_ELEMENTS_OF_VARYING for type_ in part.types())


def _is_possible(executable: Executable, arguments: Sequence[Any]) -> bool:
    part = executable.part
    is_short = len(part.steps) < MIN_STEPS_BY_NUMPY
    if is_short and _size_of_kernels(part) < MIN_SIZE and not SHAPE_CHANGES.varies(part):
        return False
    return _is_for_numpy(executable, arguments)


def _draws_few(part: Slice) -> bool:
    """Whether draws are what makes a program slow to compile, and it has no large values."""
    return size_of(part) < MIN_SIZE <= _size_of_kernels(part) and _is_small(part)


def _size_of_kernels(part: Slice) -> int:
    """Returns the steps that convolutions and draws are worth, those in loops too."""
    return sum(
        _size_of_kernel(step.operation.kernel.lower()) + sum(map(_size_of_kernels, bodies))
        for step in part.steps
        for bodies in [step.operation.bodies]
    )


def _size_of_kernel(kernel: str) -> int:
    if any(name in kernel for name in SLOW_DRAWS):
        return MIN_SIZE
    if "random" in kernel or "truncatednormal" in kernel:
        return SIZE_OF_DRAW
    return SIZE_OF_CONVOLUTION if "conv" in kernel else 0


def _is_for_numpy(executable: Executable, arguments: Sequence[Any]) -> bool:
    if not BACKGROUND_COMPILER.is_on or executable.acts:
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


def _made(executable: Executable) -> FirstRuns | None:
    part = executable.part
    # What has no inputs makes the first values of variables, and does so once.
    is_constant = not part.inputs
    varies = SHAPE_CHANGES.varies(part)
    if size_of(part) + _size_of_kernels(part) < MIN_SIZE and not is_constant and not varies:
        return None
    with _timed(), jax.enable_x64(True), no_collection():
        program = NumpyProgram(executable)
        draws = _draws_few(part)
        least = WEIGHT_OF_DRAWS if draws else WEIGHT_OF_DEEP_PROGRAM
        is_needed = is_constant or varies or program.weight >= least
        if not program.is_possible or not is_needed:
            return None
        program.prepare()
    loops = any(step.operation.bodies for step in part.steps)  # which may be long
    return FirstRuns(program, executable, RUNS_OF_VARYING if draws and not loops else 1)


@contextlib.contextmanager
def _timed() -> Iterator[None]:
    began = time.perf_counter()
    try:
        yield
    finally:
        STATISTICS.seconds_early += time.perf_counter() - began
