"""The cheapest way to cut a program into pieces, by what compiling and calling them costs.

Measured on a 2-core x86 machine: compiling takes 30 ms, 0.6 ms more for each step and 30 ns for
each pair of steps (64 steps: 70 ms, 1,000: 0.6 s, 4,000: 2.9 s, 12,000: 12 s); a single step 15 ms;
an output of a step that has many 6 ms; a call 15 us with all that comes with it.
"""

import itertools
from collections.abc import Callable, Container
from typing import Any, NamedTuple

from tapefacade._trace import executables
from tapefacade._trace.executables import InputLayout
from tapefacade._trace.segments import (
    SLOTS_OF_WIDE_STEPS,
    STEPS_IN_LARGE_PIECE,
    STEPS_IN_PIECE,
    Cutter,
    Piece,
    Stretch,
    is_wide,
    stretches,
)
from tapefacade._trace.slices import Slice

# Seconds, see above.
SECONDS_PER_PROGRAM, PER_STEP, PER_PAIR = 0.03, 6e-4, 3e-8
COMPILING_ONE = 0.015
SECONDS_PER_CALL = 15e-6
# An output of a step that has many takes as long to compile as so many steps.
STEPS_PER_OUTPUT = 8


class Cut(NamedTuple):
    """A program in pieces.

    Attributes:
        pieces: these, in order.
        shared: what identifies those that other programs may have as well.
        again: for single steps, the seconds that they would save the next program like this.
    """

    pieces: list[Piece]
    shared: list[Any]
    again: dict[Any, float]


def seconds_to_compile(steps: int) -> float:
    """Estimates how long it takes to compile a program."""
    return (
        SECONDS_PER_PROGRAM + PER_STEP * steps + PER_PAIR * steps * steps
        if steps > 1
        else COMPILING_ONE
    )


def seconds_missing(key: Any) -> float:
    """Estimates how long it takes to compile a piece, by its key; 0 if it is not compiled."""
    part = key[0]
    if executables.EXECUTABLES.has(*key) or (len(part.steps) == 1 and is_wide(part.steps[0])):
        return 0.0
    return seconds_to_compile(size_of(part))


def size_of(part: Slice) -> int:
    """Estimates the steps of a program with the gradients written out."""
    steps = sum(step.operation.size for step in part.steps)
    wide = sum(len(step.types) for step in part.steps if len(step.types) >= SLOTS_OF_WIDE_STEPS)
    return steps + STEPS_PER_OUTPUT * wide


def cheapest_cut(
    part: Slice, layout: InputLayout, runs: int, missing: Callable[[Any], float]
) -> Cut:
    """Cuts a program as it is cheapest.

    Args:
        part: the program, unfolded.
        layout: how its inputs arrive.
        runs: how often it will run.
        missing: gives the seconds to count for compiling a piece, by what identifies it.

    Returns:
        The pieces, and what they have in common with other programs.
    """
    given = stretches(part, STEPS_IN_PIECE if runs == 1 else STEPS_IN_LARGE_PIECE)
    return _CutSearch(Cutter(part, layout), given, missing).cut(runs)


def cut_apart(part: Slice, layout: InputLayout) -> list[Piece]:
    """Cuts a program around the steps that stand apart: they repeat, what lies between does not.

    Args:
        part: the program, unfolded.
        layout: how its inputs arrive.
    """
    count = len(part.steps)
    apart = [place for place, step in enumerate(part.steps) if step.operation.stands_apart]
    edges = sorted({0, count, *(edge for place in apart for edge in (place, place + 1))})
    return Cutter(part, layout).pieces(list(itertools.pairwise(edges)))


class _CutSearch:
    """Decides which stretches are pieces, and which run step by step.

    Attributes:
        whole: the pieces that stretches could be.
        alike: the stretches that would be equal pieces.
        paid: what identifies those that are compiled anyway.
        found: the pieces that are chosen.
    """

    def __init__(
        self, cutter: Cutter, given: list[Stretch], missing: Callable[[Any], float]
    ) -> None:
        self.cutter = cutter
        self.missing = missing
        short = [s for s in given if s.repeats or s.stop - s.start <= 2 * STEPS_IN_PIECE]
        self.whole = dict(zip(short, cutter.pieces([s[:2] for s in short]), strict=True))
        self.alike: dict[Any, list[Stretch]] = {}
        for stretch in given:
            piece = self.whole.get(stretch)
            key = stretch if piece is None else (piece.part, piece.layout)
            self.alike.setdefault(key, []).append(stretch)
        self.paid: set[Any] = set()
        self.found: list[Piece] = []

    def cut(self, runs: int) -> Cut:
        shared: set[Any] = set()
        fine: list[Stretch] = []  # step by step
        odd: list[Stretch] = []  # like no other: decided together, since their steps may be alike
        for key, places in self.alike.items():
            count = places[0].stop - places[0].start
            if places[0] not in self.whole or count == 1:  # long and without repetition, or one
                fine += places
                continue
            as_one = self.missing(key)
            if as_one and len(places) == 1:
                odd += places
                continue
            steps = self._steps(places[:1], self.paid)
            calls = (count - 1) * SECONDS_PER_CALL * len(places) * runs
            if as_one > sum(steps.values()) + calls:
                fine += places
                continue
            self.paid.add(key)
            self.found += [self.whole[stretch] for stretch in places]
            shared.update(steps, [key] if places[0].repeats else [])
        self.paid.update(self._steps(fine, self.paid))
        steps = self._steps(odd, self.paid)
        shared.update(self.paid, steps)
        again: dict[Any, float] = {}
        pieces = [self.whole[stretch] for stretch in odd]
        ones = {key: self.missing(key) for key in {(p.part, p.layout) for p in pieces}}
        calls = sum(s.stop - s.start - 1 for s in odd) * SECONDS_PER_CALL * runs
        if sum(ones.values()) <= sum(steps.values()) + calls:
            self.found += pieces
            # What is like no other may have to be compiled again for the next program.
            again = dict.fromkeys(steps, sum(ones.values()) / max(len(steps), 1))
        else:
            fine += odd
        self.found += [self.cutter.alone(i) for start, stop, _ in fine for i in range(start, stop)]
        self.found.sort(key=lambda piece: piece.first)
        return Cut(self.found, list(shared), again)

    def _steps(self, given: list[Stretch], paid: Container[Any]) -> dict[Any, float]:
        """Returns the single steps of stretches, and the seconds to compile those not yet paid."""
        pieces = [self.cutter.alone(i) for start, stop, _ in given for i in range(start, stop)]
        keys = {(p.part, p.layout) for p in pieces}
        return {k: self.missing(k) for k in keys if k not in paid}
