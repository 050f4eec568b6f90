"""Whether a program runs as a whole or in pieces.

As a whole it is one call of one executable, which XLA has optimized from end to end: the way for
all that repeats. In pieces it needs nothing compiled that other pieces or programs have not needed
before: the way for what does not repeat (trees, sequences of any length) and for what is very long.
Nobody is asked: what it costs is estimated, and what has run before is the evidence.

Measured on a 2-core x86 machine: compiling takes 30 ms, 0.6 ms more for each step and 30 ns for
each pair of steps (64 steps: 70 ms, 1,000: 0.6 s, 4,000: 2.9 s, 12,000: 12 s); a single step 15 ms;
a call 15 us with all that comes with it.
"""

import threading
from collections import deque
from collections.abc import Container
from typing import Any, NamedTuple

from tapefacade._trace import executables
from tapefacade._trace.collecting import no_collection
from tapefacade._trace.executables import Executable, Layout
from tapefacade._trace.piecewise import Piecewise
from tapefacade._trace.segments import (
    STEPS_IN_LARGE_PIECE,
    STEPS_IN_PIECE,
    WIDE,
    Cutter,
    Piece,
    Stretch,
    is_wide,
    stretches,
)
from tapefacade._trace.slices import Slice
from tapefacade._trace.unfolding import unfold

# Seconds, see above.
COMPILING, PER_STEP, PER_PAIR = 0.03, 6e-4, 3e-8
COMPILING_ONE = 0.015
CALLING = 15e-6
# An output of a step that has many takes as long to compile as so many steps.
STEPS_PER_OUTPUT = 8
# Steps with the gradients written out. Programs of fewer run as a whole, of more in pieces.
MIN_STEPS = 16
MAX_STEPS = 4096
# A program that has run so often without another one between will run often: it is compiled as a
# whole, if that takes no longer than so many seconds, else in larger pieces.
MAX_ROW = 3
MANY = 100
SHORT = 1.0
# Calls in all programs that are remembered (about 0.5 kB each), and programs that have run only
# once, which speak for pieces.
MAX_CALLS = 100_000
MAX_SINGLE = 64


class _Choice:
    """What was decided about a program that is not compiled as a whole, or not yet.

    Attributes:
        piecewise: how it runs in pieces; None if as a whole.
        is_coarse: whether the pieces are those for many runs.
        whole: the seconds that compiling it as a whole would take.
        spent: the seconds that it has run in pieces.
        last: the number of the choice when it ran last.
        row: how often it has run without another one between.
    """

    __slots__ = ("is_coarse", "last", "piecewise", "row", "spent", "whole")

    def __init__(self, piecewise: Piecewise | None, whole: float = 0.0) -> None:
        self.piecewise = piecewise
        self.whole = whole
        self.is_coarse = False
        self.spent = 0.0
        self.last = 0
        self.row = 0


class _Single(NamedTuple):
    """A program that was compiled as a whole and has run once."""

    executable: Executable
    used: int  # when it ran
    keys: list[Any]  # its pieces
    share: float  # of the seconds that compiling took, for each piece


class Ways:
    """Chooses the ways, and remembers what speaks for which."""

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
        self._pace = 1.0  # by which compiling takes longer than estimated

    def choose(self, executable: Executable, repeats: bool) -> Piecewise | None:
        """Decides how a program that is not compiled runs this time.

        Args:
            executable: the program.
            repeats: whether it is known to run again.

        Returns:
            How it runs in pieces; None if it is to be compiled as a whole.
        """
        with self._lock:
            return self._chosen(executable, repeats)

    def _chosen(self, executable: Executable, repeats: bool) -> Piecewise | None:
        key = executable.part, executable.layout
        choice = self._choices.get(key)
        if choice is None:
            with no_collection():
                choice = self._first(executable, repeats)
            self._calls += 1 if choice.piecewise is None else len(choice.piecewise.calls)
            if self._calls > MAX_CALLS:
                self._choices.clear()
                self._credit.clear()
                self._calls = 0
            self._choices[key] = choice
        self._count += 1
        if choice.piecewise is None:
            return None
        choice.row = choice.row + 1 if choice.last == self._count - 1 else 1
        choice.last = self._count
        if choice.spent >= choice.whole or choice.row > MAX_ROW:
            with no_collection():
                choice.piecewise = self._again(executable, choice)
        if choice.piecewise is not None:
            choice.spent += len(choice.piecewise.calls) * CALLING
        return choice.piecewise

    def compiled(self, executable: Executable, seconds: float) -> None:
        """Takes note of how long it took to compile a program as a whole, and to call it."""
        with self._lock:
            if self._compiling is not None and self._compiling[0] is executable:
                self._note_compiled(executable, seconds, *self._compiling[1:])
                self._compiling = None

    def _note_compiled(
        self, executable: Executable, seconds: float, keys: list[Any], estimate: float
    ) -> None:
        self._pace += (min(seconds / estimate, 100.0) - self._pace) / 4
        single = _Single(executable, executable.used, keys, seconds / max(len(keys), 1))
        self._single.append(single)
        self._give(single, single.share)

    def _first(self, executable: Executable, repeats: bool) -> _Choice:
        """Decides for a program that has not run before."""
        size = _size(executable.part)
        if executable.acts or size < MIN_STEPS or (repeats and size <= MAX_STEPS):
            return _Choice(None)
        self._withdraw()
        unfolded = unfold(executable.part)
        part, layout = unfolded.part, executable.layout
        estimate = _seconds(_size(part))
        whole = estimate * self._pace
        pieces, seconds, keys, odd = self._cut(part, layout, MANY if repeats else 1)
        # Programs repeat, unless those with such pieces have not, or waiting for one takes long.
        credit = sum(self._credit.get(key, 0.0) for key in keys)
        if size > MAX_STEPS or (seconds < whole and (whole > SHORT or credit > whole)):
            if size > MAX_STEPS:
                whole = float("inf")
            for key, share in odd.items():
                self._credit[key] = self._credit.get(key, 0.0) + share
            return _Choice(Piecewise(part, layout, pieces, unfolded.origins), whole)
        self._compiling = executable, keys, estimate
        return _Choice(None)

    def _again(self, executable: Executable, choice: _Choice) -> Piecewise | None:
        """Decides for a program that has run in pieces so often that more compiling pays."""
        if choice.spent >= choice.whole or choice.whole <= SHORT:
            return None
        if not choice.is_coarse:
            choice.is_coarse = True
            unfolded = unfold(executable.part)
            pieces, *_ = self._cut(unfolded.part, executable.layout, MANY)
            return Piecewise(unfolded.part, executable.layout, pieces, unfolded.origins)
        return choice.piecewise

    def _withdraw(self) -> None:
        """Takes back what programs that have run again since then spoke for."""
        again = [one for one in self._single if one.executable.used != one.used]
        while len(self._single) - len(again) > MAX_SINGLE:
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

    def _cut(
        self, part: Slice, layout: Layout, runs: int
    ) -> tuple[list[Piece], float, list[Any], dict[Any, float]]:
        """Cuts a program as it is cheapest.

        Args:
            part: the program, unfolded.
            layout: how its inputs arrive.
            runs: how often it will run.

        Returns:
            The pieces; the seconds that it takes to compile those that are not compiled and to call
            all of them once; what identifies those that other programs may have as well; and the
            seconds that single steps would save the next program like this.
        """
        cutter = Cutter(part, layout)
        given = stretches(part, STEPS_IN_PIECE if runs == 1 else STEPS_IN_LARGE_PIECE)
        short = [s for s in given if s.repeats or s.stop - s.start <= 2 * STEPS_IN_PIECE]
        whole = dict(zip(short, cutter.pieces([s[:2] for s in short]), strict=True))
        alike: dict[Any, list[Stretch]] = {}
        for stretch in given:
            piece = whole.get(stretch)
            key = stretch if piece is None else (piece.part, piece.layout)
            alike.setdefault(key, []).append(stretch)
        missing: dict[Any, float] = {}  # for each piece the seconds to compile it
        found: list[Piece] = []
        shared: set[Any] = set()
        odd: list[Stretch] = []  # like no other: decided together, since their steps may be alike
        fine: list[Stretch] = []
        for key, places in alike.items():
            if places[0] not in whole:
                fine += places
                continue
            as_one = self._missing(key)
            if as_one and len(places) == 1:
                odd += places
                continue
            steps = self._steps(cutter, places[:1], missing)
            count = places[0].stop - places[0].start
            if as_one <= sum(steps.values()) + (count - 1) * CALLING * len(places) * runs:
                missing[key] = as_one
                found += [whole[stretch] for stretch in places]
                shared.update(steps, [key] if places[0].repeats else [])
            else:
                fine += places
        missing.update(self._steps(cutter, fine, missing))
        steps = self._steps(cutter, odd, missing)
        ones = {s: self._missing((whole[s].part, whole[s].layout)) for s in odd}
        calls = sum(s.stop - s.start - 1 for s in odd) * CALLING * runs
        shared.update(missing, steps)
        if sum(ones.values()) <= sum(steps.values()) + calls:
            found += [whole[stretch] for stretch in odd]
        else:
            fine += odd
            ones = steps
        found += [cutter.alone(i) for start, stop, _ in fine for i in range(start, stop)]
        found.sort(key=lambda piece: piece.first)
        seconds = sum(missing.values()) + sum(ones.values()) + len(found) * CALLING
        # What is compiled for a piece like no other may have to be compiled again for the next one.
        again = (
            dict.fromkeys(steps, sum(ones.values()) / len(steps))
            if steps and ones is not steps
            else {}
        )
        return found, seconds, list(shared), again

    def _steps(
        self, cutter: Cutter, given: list[Stretch], paid: Container[Any]
    ) -> dict[Any, float]:
        """Returns the single steps of stretches, and the seconds to compile those not yet paid."""
        pieces = [cutter.alone(i) for start, stop, _ in given for i in range(start, stop)]
        keys = {(piece.part, piece.layout) for piece in pieces}
        return {key: self._missing(key) for key in keys if key not in paid}

    def _missing(self, key: Any) -> float:
        """Returns the seconds to compile a piece, less what has been spent for want of it."""
        part = key[0]
        if executables.EXECUTABLES.has(*key) or (len(part.steps) == 1 and is_wide(part.steps[0])):
            return 0.0
        return max(0.0, _seconds(_size(part)) - self._credit.get(key, 0.0))


def _seconds(steps: int) -> float:
    """Estimates the seconds to compile a program."""
    return COMPILING + PER_STEP * steps + PER_PAIR * steps * steps if steps > 1 else COMPILING_ONE


def _size(part: Slice) -> int:
    """Estimates the steps of a program with the gradients written out."""
    steps = sum(step.operation.size for step in part.steps)
    wide = sum(len(step.types) for step in part.steps if len(step.types) >= WIDE)
    return steps + STEPS_PER_OUTPUT * wide


WAYS = Ways()
