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

from tapefacade._trace.background import BACKGROUND
from tapefacade._trace.executables import Executable
from tapefacade._trace.garbage_collection import no_collection
from tapefacade._trace.piecewise import Piecewise
from tapefacade._trace.segment_cuts import (
    CALLING,
    Cut,
    cheapest_cut,
    cut_apart,
    seconds_missing,
    seconds_to_compile,
    size_of,
)
from tapefacade._trace.unfolding import unfold

# Steps with the gradients written out. Programs of fewer run as a whole, of more in pieces.
MIN_STEPS = 16
MAX_STEPS = 4096
# A gradient that grows by more than this when it is written out is a gradient of gradients. As a
# whole these share what they compute, and some go forward: 30 times as fast for the 4th order.
MAX_GROWTH = 2
# A program that has run so often without another one between will run often: it is compiled as a
# whole, or, if it is too long, in larger pieces.
MAX_ROW = 3
MANY = 100
# Nor does it run in pieces any longer when calling them has taken this part of what compiling
# takes.
ENOUGH = 0.25
# One that is too long for that is compiled as a whole (a minute for 10,000 steps) when its pieces
# have taken longer by as much as that takes: each step is slower by so many seconds in them.
MAX_WHOLE = 10_000
SLOWER = 7e-7
# Seconds that a program may be estimated to take when it runs for the first time.
SHORT = 1.0
# What is estimated holds for pieces. Compared with these a whole took so many times as long (chains
# of elementwise steps 3 times, recurrent networks 4, Keras' with Adam 4 to 5, trees 5).
LONGER = 4
# On a CPU such a program need not be compiled before it runs (see `first_runs`): it is traced, in
# this part of the time.
EARLY = 0.25
# The first steps of a training make its variables: each is a program of its own, about as long as
# the others. So pieces that take more seconds than this to be compiled are not risked before so
# many programs have not repeated, unless one of these has a length that differs by this factor.
CHEAP = 0.3
EVIDENCE = 4
ALIKE = 1.5
# Calls in all programs that are remembered (about 0.5 kB each), and programs that have run only
# once, which speak for pieces.
MAX_CALLS = 100_000
MAX_SINGLE = 64


class _Choice:
    """What was decided about a program that is not compiled as a whole, or not yet.

    Attributes:
        piecewise: how it runs in pieces; None if as a whole.
        before: how it has run in pieces; None if never.
        is_coarse: whether the pieces are those for many runs.
        whole: the seconds that compiling it as a whole is estimated to take.
        cost: the seconds that it takes longer in pieces.
        spent: the seconds that it has taken longer.
        last: the number of the choice when it ran last.
        row: how often it has run without another one between.
    """

    __slots__ = ("before", "cost", "is_coarse", "last", "piecewise", "row", "spent", "whole")

    def __init__(self, piecewise: Piecewise | None, whole: float = 0.0, cost: float = 0.0) -> None:
        self.piecewise = self.before = piecewise
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
        return LONGER * self.whole / max(len(self.keys), 1)


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
        is_fixed = choice.whole == math.inf
        if not is_fixed and (choice.spent >= choice.whole * ENOUGH or choice.row > MAX_ROW):
            with no_collection():
                choice.piecewise = self._again(executable, choice)
            choice.before = choice.piecewise or choice.before
        if choice.piecewise is not None:
            choice.spent += choice.cost
        return choice.piecewise

    def before(self, executable: Executable) -> Piecewise | None:
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

    def _first(self, executable: Executable, repeats: bool) -> _Choice:
        """Decides for a program that has not run before."""
        size = size_of(executable.part)
        if not executable.acts and any(s.operation.stands_apart for s in executable.part.steps):
            unfolded = unfold(executable.part)
            pieces = cut_apart(unfolded.part, executable.layout)
            is_early = BACKGROUND.is_on and jax.default_backend() == "cpu"
            made = Piecewise(
                unfolded.part, executable.layout, pieces, unfolded.origins, is_early=is_early
            )
            return _Choice(made, math.inf)
        if executable.acts or size < MIN_STEPS or (repeats and size <= MAX_STEPS):
            return _Choice(None)
        self._withdraw()
        unfolded = unfold(executable.part)
        part, layout = unfolded.part, executable.layout
        whole = seconds_to_compile(min(size, size_of(part)))
        if size_of(part) > MAX_GROWTH * size and size <= MAX_STEPS:
            return _Choice(None)
        cut = cheapest_cut(part, layout, MANY if repeats else 1, self._missing)
        if self._is_in_pieces(size, cut, whole):
            for key, share in cut.again.items():
                self._credit[key] = self._credit.get(key, 0.0) + share
            cost = len(cut.pieces) * CALLING + (SLOWER * size if size > MAX_STEPS else 0.0)
            return _Choice(Piecewise(part, layout, cut.pieces, unfolded.origins), whole, cost)
        self._compiling = executable, cut.shared, whole
        return _Choice(None)

    def _is_in_pieces(self, size: int, cut: Cut, whole: float) -> bool:
        """Whether a program runs in pieces."""
        is_early = BACKGROUND.is_on and jax.default_backend() == "cpu"
        if size > (MAX_WHOLE if is_early else MAX_STEPS):
            return True
        return self._is_risked(cut, whole, EARLY * whole if is_early else whole)

    def _is_risked(self, cut: Cut, whole: float, first: float) -> bool:
        """Whether a program runs in pieces, which are compiled in vain if it repeats.

        Args:
            cut: the pieces.
            whole: the seconds to compile it as a whole.
            first: the seconds until it has run for the first time, if not in pieces.
        """
        pieces = sum(map(seconds_missing, cut.shared))
        if whole > SHORT and pieces < first:
            return True
        in_vain = sum(self._credit.get(key, 0.0) for key in cut.shared)
        if pieces > CHEAP and self._are_alike(cut.shared, whole):
            return in_vain > max(pieces, EVIDENCE * LONGER * whole)
        return in_vain > pieces

    def _are_alike(self, keys: list[Any], whole: float) -> bool:
        """Whether all programs that have not repeated and have such pieces are about as long."""
        shared = set(keys)
        return all(
            whole < ALIKE * one.whole and one.whole < ALIKE * whole
            for one in self._single
            if 2 * len(shared.intersection(one.keys)) > len(shared)
        )

    def _again(self, executable: Executable, choice: _Choice) -> Piecewise | None:
        """Decides for a program that has run in pieces so often that more compiling pays."""
        size = size_of(executable.part)
        if size <= MAX_STEPS:
            return None
        if size <= MAX_WHOLE and choice.spent >= LONGER * choice.whole:
            return None
        if not choice.is_coarse:
            choice.is_coarse = True
            unfolded = unfold(executable.part)
            part, layout = unfolded.part, executable.layout
            cut = cheapest_cut(part, layout, MANY, self._missing)
            return Piecewise(part, layout, cut.pieces, unfolded.origins)
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

    def _missing(self, key: Any) -> float:
        """Returns the seconds to compile a piece, less what has been spent for want of it."""
        return max(0.0, seconds_missing(key) - self._credit.get(key, 0.0))


WAYS = Ways()
