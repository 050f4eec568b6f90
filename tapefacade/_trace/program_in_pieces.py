"""A program that runs in pieces, each an executable that other pieces and programs may share.

On a CPU a piece is computed by NumPy until it has run so often that compiling it pays. Elsewhere
all are compiled before the first run, side by side.
"""

import concurrent.futures
import functools
import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from tapefacade._trace import executables
from tapefacade._trace.compilation_cache import CACHE
from tapefacade._trace.executables import STATISTICS, Executable, InputLayout
from tapefacade._trace.garbage_collection import no_collection
from tapefacade._trace.interpreter import COMPILERS
from tapefacade._trace.numpy_steps import NumpyProgram, has_small_values, own_value
from tapefacade._trace.segment_cuts import seconds_to_compile
from tapefacade._trace.segments import Piece, is_wide
from tapefacade._trace.slices import Slice

# A piece that NumPy computes is compiled when it has run more often than this, if it is between
# steps that stand apart or has values of more elements than NumPy is good at,
MAX_EARLY_RUNS = 16
# else when that has taken as long as compiling takes (what is estimated holds for quiet machines).
SECONDS_PER_STEP_BY_NUMPY = 15e-6
COMPILATION_FACTOR = 4
# So many missing pieces are compiled by several threads: XLA holds no lock of Python's.
MIN_COMPILED_TOGETHER = 4
# Pieces whose programs for NumPy are kept, of about 10 kB each.
MAX_EARLY_PIECES = 4096
HOST_TYPES = (np.ndarray, np.generic)


class DataMove(Executable):
    """A step that only moves data, computed by NumPy."""

    def prepare(self) -> Any:
        self.call = self._move
        return self.call

    def _move(self, *arguments: Any) -> Any:
        (step,) = self.part.steps
        arrays = [np.asarray(arguments[place]) for place in step.inputs]
        found = step.operation.on_host(arrays, step.static)
        assert found is not None
        outputs = [found[slot - len(self.part.inputs)] for slot in self.part.outputs]
        return outputs if len(outputs) != 1 else outputs[0]


def _executable(piece: Piece) -> Executable:
    if len(piece.part.steps) == 1 and not piece.layout.vectors and is_wide(piece.part.steps[0]):
        return DataMove(piece.part, piece.layout)
    return executables.EXECUTABLES.get(piece.part, piece.layout)


def _types(executable: Executable) -> list[jax.ShapeDtypeStruct]:
    """Returns the types that a program is called with."""
    types = [executable.part.inputs[place] for place in executable.layout.arrays]
    return [
        *[jax.ShapeDtypeStruct(t.shape, t.numpy_dtype) for t in types],
        *[jax.ShapeDtypeStruct((len(at),), d) for d, at, _ in executable.layout.vectors],
    ]


class EarlyPiece:
    """A piece that NumPy computes as long as it is not clear that it repeats.

    Attributes:
        program: computes it.
        runs: how often it has.
        max_runs: how often it does before compiling it pays.
    """

    def __init__(self, part: Slice, layout: InputLayout) -> None:
        self.program = NumpyProgram(Executable(part, layout))
        self.runs = 0
        self.max_runs: float = 0
        if self.program.is_possible:
            self.program.prepare()
            self.max_runs = _runs_by_numpy(part)

    def run(self, executable: Executable, *arguments: Any) -> Any:
        """Computes the piece, in the place of what will be compiled for it."""
        self.runs += 1
        result = self.program.on_host(*arguments)
        executable.check_order = self.program.check_order
        return result


early_piece = functools.lru_cache(MAX_EARLY_PIECES)(EarlyPiece)


def _runs_by_numpy(part: Slice) -> float:
    """Returns how often NumPy computes a piece before compiling it pays."""
    if not has_small_values(part):
        return MAX_EARLY_RUNS
    count = len(part.steps)
    if count == 1:  # a call of what is compiled takes as long
        return math.inf
    return COMPILATION_FACTOR * seconds_to_compile(count) / (count * SECONDS_PER_STEP_BY_NUMPY)


class ProgramInPieces:
    """A program as a sequence of calls.

    Values are let go of as soon as no later piece needs them.
    """

    def __init__(
        self, part: Slice, layout: InputLayout, pieces: Sequence[Piece], origins: list[int],
        is_early: bool = False, is_apart: bool = False,
    ) -> None:  # fmt: skip
        """Makes one.

        Args:
            part: the program, unfolded.
            layout: how its inputs arrive.
            pieces: the program, cut.
            origins: for each step the one that errors are about, -1 for those without.
            is_early: whether NumPy computes the first runs of pieces that do not stand apart.
            is_apart: whether it is cut around steps that stand apart.
        """
        self._is_early = is_early
        self._is_compiled = is_early or is_apart  # else what is missing is compiled together
        self._max_runs: float = MAX_EARLY_RUNS if is_apart else math.inf
        self._part = part
        self._layout = layout
        self._origins = origins
        self._count = len(part.inputs) + sum(len(step.types) for step in part.steps)
        made: dict[Any, Executable] = {}
        kept = set(part.outputs)
        seen: set[int] = set()
        self.calls: list[Any] = []
        for piece in reversed(pieces):
            key = piece.part, piece.layout
            executable = made.get(key)
            if executable is None:
                executable = made[key] = _executable(piece)
            vectors = [(d, [piece.inputs[p] for p in at]) for d, at, _ in piece.layout.vectors]
            arrays = [piece.inputs[place] for place in piece.layout.arrays]
            # What nobody has needed so far, from the end, is needed here for the last time.
            gone = [s for s in (*piece.inputs, *piece.outputs) if s not in seen and s not in kept]
            seen.update(gone)
            self.calls.append((executable, arrays, vectors, piece.outputs, piece.first, gone))
        self.calls.reverse()

    def run(self, arguments: Sequence[Any]) -> tuple[list[Any], list[tuple[int, Any]]]:
        """Runs the pieces, one after the other.

        Args:
            arguments: the values of the arrays, then of the vectors, as the layout has them.

        Returns:
            The outputs, and for each failed check its step and the details.
        """
        if not self._is_compiled:
            self._compile_together()
        values = self._values(arguments)
        failed: list[tuple[int, Any]] = []
        for executable, arrays, vectors, outputs, first, gone in self.calls:
            executable.used = STATISTICS.dispatched = STATISTICS.dispatched + 1
            taken = [values[slot] for slot in arrays]
            for dtype, places in vectors:
                taken.append(np.array([values[slot] for slot in places], dtype))
            call = executable.call or self._early_call(executable, taken) or executable.prepare()
            result = call(*taken)
            if executable.is_checked:
                result, passed, details = result
                failed += self._failures(executable, passed, details, first)
            elif len(outputs) == 1:
                result = (result,)
            for slot, value in zip(outputs, result, strict=True):
                values[slot] = value
            for slot in gone:
                values[slot] = None
        outputs = [values[slot] for slot in self._part.outputs]
        outputs = [own_value(v) if isinstance(v, HOST_TYPES) else v for v in outputs]
        return outputs, failed

    def _compile_together(self) -> None:
        """Compiles the pieces that are missing; what is wrong with one, its call finds again."""
        made = {id(executable): executable for executable, *_ in self.calls}.values()
        missing = [e for e in made if e.call is None and type(e) is not DataMove]
        if len(missing) >= MIN_COMPILED_TOGETHER and not executables.WRAPPERS:
            with CACHE.used(), concurrent.futures.ThreadPoolExecutor(COMPILERS) as pool:
                for executable in missing:
                    lowered = executable.traced(*_types(executable)).lower()
                    pool.submit(lowered.compile)
        self._is_compiled = True

    def _early_call(self, executable: Executable, arguments: Sequence[Any]) -> Any:
        """Returns what computes a piece by NumPy; None if it is to be compiled."""
        if not self._is_early or executables.WRAPPERS or type(executable) is DataMove:
            return None
        if any(s.operation.stands_apart for s in executable.part.steps):
            return None
        if not all(isinstance(a, HOST_TYPES) or len(a.devices()) == 1 for a in arguments):
            return None
        with no_collection():
            known = early_piece(executable.part, executable.layout)
        is_early = known.runs < min(known.max_runs, self._max_runs)
        return functools.partial(known.run, executable) if is_early else None

    def _values(self, arguments: Sequence[Any]) -> list[Any]:
        """Returns a place for the value of every slot, with those of the inputs."""
        values: list[Any] = [None] * self._count
        count = len(self._layout.arrays)
        for place, value in zip(self._layout.arrays, arguments[:count], strict=True):
            values[place] = value
        for vector, (_, places, rows) in zip(arguments[count:], self._layout.vectors, strict=True):
            numbers = list(np.asarray(vector))
            for place, row in zip(places, rows, strict=True):
                values[place] = numbers[row]
        return values

    def _failures(
        self, executable: Executable, passed: Any, details: Sequence[Any], first: int
    ) -> list[tuple[int, Any]]:
        flags = [] if passed is None else np.flatnonzero(~np.asarray(passed)).tolist()
        origins = [self._origins[first + executable.check_order[index]] for index in flags]
        return [(o, details[i]) for o, i in zip(origins, flags, strict=True) if o >= 0]
