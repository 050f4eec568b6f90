"""Whether a program runs as a whole or in pieces.

As a whole it is one call of one executable, which XLA has optimized from end to end: the way for
all that repeats. In pieces it needs nothing compiled that other pieces or programs have not needed
before: the way for what does not repeat (trees, sequences of any length) and for what is very long.
Nobody is asked: what it costs is estimated, and what has run before is the evidence.

No clock is read: on a slow or busy machine both take longer, and a process that loads what an
earlier one has compiled has to decide as that one did.
"""

import math
import threading
from collections import deque
from typing import Any, NamedTuple

import jax

from tapefacade._core.process_group import PROCESSES
from tapefacade._trace.background_compilation import BACKGROUND_COMPILER
from tapefacade._trace.executables import WRAPPERS, Executable
from tapefacade._trace.garbage_collection import no_collection
from tapefacade._trace.program_in_pieces import ProgramInPieces
from tapefacade._trace.segment_cuts import (
    SECONDS_PER_CALL,
    Cut,
    cheapest_cut,
    cut_apart,
    seconds_missing,
    seconds_to_compile,
    size_of,
)
from tapefacade._trace.shape_changes import SHAPE_CHANGES
from tapefacade._trace.unfolding import MAX_UNFOLDING_GROWTH, unfold

# Steps with the gradients written out. Programs of fewer run as a whole, of more in pieces.
MIN_STEPS_IN_PIECES = 16
MAX_STEPS_AS_WHOLE = 4096
# A program that has run so often without another one between will run often: it is compiled as a
# whole, or, if it is too long, in larger pieces.
MAX_RUNS_IN_A_ROW = 3
RUNS_OF_WHAT_REPEATS = 100
# Nor does it run in pieces any longer when calling them has taken this part of what compiling
# takes.
MAX_SHARE_OF_COMPILATION = 0.25
# One that is too long for that is compiled as a whole (10 s for 10,000 steps) when its pieces have
# taken longer by as much as that takes: each step is slower by so many seconds in them.
MAX_STEPS_LATER_AS_WHOLE = 1 << 14
SECONDS_LOST_PER_STEP = 7e-7
# Seconds that a program may be estimated to take when it runs for the first time.
MAX_SECONDS_OF_FIRST_COMPILATION = 1.0
# What is estimated holds for pieces. Compared with these a whole took so many times as long (chains
# of elementwise steps 3 times, recurrent networks 4, Keras' with Adam 4 to 5, trees 5).
WHOLE_TIME_FACTOR = 4
# On a CPU such a program need not be compiled before it runs (see `first_runs`): it is traced, in
# this part of the time.
TRACING_SHARE = 0.25
# The first steps of a training make its variables: each is a program of its own, about as long as
# the others. So pieces that take more seconds than this to be compiled are not risked before so
# many programs have not repeated, unless one of these has a length that differs by this factor.
MAX_SECONDS_WITHOUT_EVIDENCE = 0.3
PROGRAMS_AS_EVIDENCE = 4
ALIKE_LENGTH_RATIO = 1.5
# Calls in all programs that are remembered (about 0.5 kB each), and programs that have run only
# once, which speak for pieces.
MAX_CALLS_REMEMBERED = 100_000
MAX_SINGLES_REMEMBERED = 64


class _Choice:
    """What was decided about a program that is not compiled as a whole, or not yet.

    Attributes:
        in_pieces: how it runs in pieces; None if as a whole.
        before: how it has run in pieces; None if never.
        is_coarse: whether the pieces are those for many runs.
        whole: the seconds that compiling it as a whole is estimated to take.
        cost: the seconds that it takes longer in pieces.
        spent: the seconds that it has taken longer.
        last: the number of the choice when it ran last.
        row: how often it has run without another one between.
    """

    __slots__ = ("before", "cost", "in_pieces", "is_coarse", "last", "row", "spent", "whole")

    def __init__(
        self, in_pieces: ProgramInPieces | None, whole: float = 0.0, cost: float = 0.0
    ) -> None:
        self.in_pieces = self.before = in_pieces
        self.whole = whole
        self.cost = cost
        self.is_coarse = False
        self.spent = 0.0
        self.last = 0
        self.row = 0


class _Single(NamedTuple):
    """A program that was compiled as a whole and has run once."""

    executable: Executable
    used: int  # when it ran
    keys: list[Any]  # its pieces
    whole: float  # the seconds that compiling it was estimated to take

    @property
    def share(self) -> float:
        """The seconds that compiling took, for each piece."""
        return WHOLE_TIME_FACTOR * self.whole / max(len(self.keys), 1)


def computes_early() -> bool:
    """Whether a program runs before any of it is compiled."""
    return BACKGROUND_COMPILER.is_on and jax.default_backend() == "cpu"


class ExecutionModes:
    """Chooses for each program how it runs, and remembers what speaks for which mode."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.forget()

    def forget(self) -> None:
        """Forgets all evidence."""
        self._choices: dict[Any, _Choice] = {}
        self._calls = 0  # in all of them
        self._single: deque[_Single] = deque()
        self._credit: dict[Any, float] = {}  # of pieces: seconds spent on programs with them
        self._count = 0
        self._compiling: tuple[Executable, list[Any], float] | None = None

    def choose(
        self, executable: Executable, repeats: bool, is_episode: bool = False
    ) -> ProgramInPieces | None:
        """Decides how a program that is not compiled runs this time.

        Args:
            executable: the program.
            repeats: whether it is known to run again.
            is_episode: whether its length is likely to be another one next time.

        Returns:
            How it runs in pieces; None if it is to be compiled as a whole.
        """
        with self._lock:
            return self._chosen(executable, repeats, is_episode)

    def _chosen(
        self, executable: Executable, repeats: bool, is_episode: bool
    ) -> ProgramInPieces | None:
        key = executable.part, executable.layout
        choice = self._choices.get(key)
        if choice is None:
            with no_collection():
                choice = self._first(executable, repeats, is_episode)
            self._calls += 1 if choice.in_pieces is None else len(choice.in_pieces.calls)
            if self._calls > MAX_CALLS_REMEMBERED:
                self._choices.clear()
                self._credit.clear()
                self._calls = 0
            self._choices[key] = choice
        self._count += 1
        if choice.in_pieces is None:
            return None
        choice.row = choice.row + 1 if choice.last == self._count - 1 else 1
        choice.last = self._count
        is_fixed = choice.whole == math.inf
        if not is_fixed and (
            choice.spent >= choice.whole * MAX_SHARE_OF_COMPILATION
            or choice.row > MAX_RUNS_IN_A_ROW
        ):
            with no_collection():
                choice.in_pieces = self._again(executable, choice)
            choice.before = choice.in_pieces or choice.before
        if choice.in_pieces is not None:
            choice.spent += choice.cost
        return choice.in_pieces

    def before(self, executable: Executable) -> ProgramInPieces | None:
        """Returns how a program has run in pieces; None if it never has."""
        choice = self._choices.get((executable.part, executable.layout))
        return None if choice is None else choice.before

    def compiled(self, executable: Executable) -> None:
        """Takes note that a program has been compiled as a whole, and has run."""
        with self._lock:
            if self._compiling is not None and self._compiling[0] is executable:
                single = _Single(executable, executable.used, *self._compiling[1:])
                self._compiling = None
                self._single.append(single)
                self._give(single, single.share)

    def _first(self, executable: Executable, repeats: bool, is_episode: bool) -> _Choice:
        """Decides for a program that has not run before."""
        size = size_of(executable.part)
        if PROCESSES.count > 1:  # each would go by what it alone has run
            return _Choice(None)
        if not executable.acts and any(s.operation.stands_apart for s in executable.part.steps):
            unfolded = unfold(executable.part)
            pieces = cut_apart(unfolded.part, executable.layout)
            made = ProgramInPieces(
                unfolded.part, executable.layout, pieces, unfolded.origins,
                is_early=computes_early(), is_apart=True,
            )  # fmt: skip
            return _Choice(made, math.inf)
        if (
            executable.acts
            or size < MIN_STEPS_IN_PIECES
            or (repeats and size <= MAX_STEPS_AS_WHOLE)
        ):
            return _Choice(None)
        if SHAPE_CHANGES.varies(executable.part):  # its pieces have other shapes as well
            return _Choice(None)
        self._withdraw()
        unfolded = unfold(executable.part)
        part, layout = unfolded.part, executable.layout
        whole = seconds_to_compile(min(size, size_of(part)))
        # As a whole a gradient of gradients shares what it computes, and some of it goes forward:
        # 30 times as fast for the 4th order.
        if size_of(part) > MAX_UNFOLDING_GROWTH * size and size <= MAX_STEPS_AS_WHOLE:
            return _Choice(None)
        cut = cheapest_cut(part, layout, RUNS_OF_WHAT_REPEATS if repeats else 1, self._missing)
        is_brief = is_episode and computes_early() and not WRAPPERS  # those look at whole programs
        if is_brief or self._is_in_pieces(size, cut, whole):
            for key, share in cut.again.items():
                self._credit[key] = self._credit.get(key, 0.0) + share
            cost = len(cut.pieces) * SECONDS_PER_CALL + (
                SECONDS_LOST_PER_STEP * size if size > MAX_STEPS_AS_WHOLE else 0.0
            )
            made = ProgramInPieces(
                part, layout, cut.pieces, unfolded.origins, is_early=computes_early()
            )
            return _Choice(made, whole, cost)
        self._compiling = executable, cut.shared, whole
        return _Choice(None)

    def _is_in_pieces(self, size: int, cut: Cut, whole: float) -> bool:
        """Whether a program runs in pieces."""
        is_early = computes_early()
        if size > (MAX_STEPS_LATER_AS_WHOLE if is_early else MAX_STEPS_AS_WHOLE):
            return True
        return self._is_risked(cut, whole, TRACING_SHARE * whole if is_early else whole)

    def _is_risked(self, cut: Cut, whole: float, first: float) -> bool:
        """Whether a program runs in pieces, which are compiled in vain if it repeats.

        Args:
            cut: the pieces.
            whole: the seconds to compile it as a whole.
            first: the seconds until it has run for the first time, if not in pieces.
        """
        pieces = sum(map(seconds_missing, cut.shared))
        if whole > MAX_SECONDS_OF_FIRST_COMPILATION and pieces < first:
            return True
        in_vain = sum(self._credit.get(key, 0.0) for key in cut.shared)
        if pieces > MAX_SECONDS_WITHOUT_EVIDENCE and self._are_alike(cut.shared, whole):
            return in_vain > max(pieces, PROGRAMS_AS_EVIDENCE * WHOLE_TIME_FACTOR * whole)
        return in_vain > pieces

    def _are_alike(self, keys: list[Any], whole: float) -> bool:
        """Whether all programs that have not repeated and have such pieces are about as long."""
        shared = set(keys)
        return all(
            whole < ALIKE_LENGTH_RATIO * one.whole and one.whole < ALIKE_LENGTH_RATIO * whole
            for one in self._single
            if 2 * len(shared.intersection(one.keys)) > len(shared)
        )

    def _again(self, executable: Executable, choice: _Choice) -> ProgramInPieces | None:
        """Decides for a program that has run in pieces so often that more compiling pays."""
        size = size_of(executable.part)
        # In the background nobody waits for what takes long.
        if size <= (MAX_STEPS_LATER_AS_WHOLE if BACKGROUND_COMPILER.is_on else MAX_STEPS_AS_WHOLE):
            return None
        if size <= MAX_STEPS_LATER_AS_WHOLE and choice.spent >= WHOLE_TIME_FACTOR * choice.whole:
            return None
        if not choice.is_coarse:
            choice.is_coarse = True
            unfolded = unfold(executable.part)
            part, layout = unfolded.part, executable.layout
            cut = cheapest_cut(part, layout, RUNS_OF_WHAT_REPEATS, self._missing)
            return ProgramInPieces(
                part, layout, cut.pieces, unfolded.origins, is_early=computes_early()
            )
        return choice.in_pieces

    def _withdraw(self) -> None:
        """Takes back what programs that have run again since then spoke for."""
        again = [one for one in self._single if one.executable.used != one.used]
        while len(self._single) - len(again) > MAX_SINGLES_REMEMBERED:
            again.append(self._single.popleft())
        for one in again:
            self._give(one, -one.share)
        self._single = deque(one for one in self._single if one not in again)

    def _give(self, single: _Single, share: float) -> None:
        for key in single.keys:
            credit = self._credit.get(key, 0.0) + share
            if credit > 1e-6:
                self._credit[key] = credit
            else:
                self._credit.pop(key, None)

    def _missing(self, key: Any) -> float:
        """Returns the seconds to compile a piece, less what has been spent for want of it."""
        return max(0.0, seconds_missing(key) - self._credit.get(key, 0.0))


EXECUTION_MODES = ExecutionModes()
