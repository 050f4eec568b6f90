"""Segments: a program cut into pieces that are equal to each other, or to those of other programs.

What repeats in a program, a loop that Python has written out, is cut at its period, so that equal
pieces share one executable however often they occur. The rest is a stretch, to be run as one piece
or step by step.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from tapefacade._core.tensor_type import TensorType
from tapefacade._trace.executables import InputLayout, alone_in_rows
from tapefacade._trace.slices import Slice, Step

# Periods are put together until a piece has this many steps: a call costs what computing 10 or 20
# small steps costs, and compiling grows with the steps.
STEPS_IN_PIECE = 32
# The same for programs that run often, which are worth longer compiling.
STEPS_IN_LARGE_PIECE = 256
# Periods that are tried, the most frequent first.
MAX_PERIODS = 8
# What occurs less often than this is no repetition.
MIN_REPEATS = 4
# An operation that moves data between so many arrays is computed by NumPy where memory is the
# host's: XLA compiles each for 6 ms, and every number of them is another program.
SLOTS_OF_WIDE_STEPS = 6
# Single steps whose slices are kept.
MAX_ALONE = 8192

_SINGLE_STEPS: dict[Any, tuple[Slice, InputLayout]] = {}


class Stretch(NamedTuple):
    """Consecutive steps of a program, from `start` up to `stop`; whether they are a period."""

    start: int
    stop: int
    repeats: bool


def is_wide(step: Step) -> bool:
    """Whether a step moves data between many arrays."""
    return (
        len(step.inputs) + len(step.types) >= SLOTS_OF_WIDE_STEPS
        and step.operation.is_moving
        and jax.default_backend() == "cpu"
    )


class Piece(NamedTuple):
    """Consecutive steps of a program, as a program of their own.

    Attributes:
        part: the steps; its inputs are in the order of their first use.
        layout: how the inputs arrive.
        inputs: the program's slots of the inputs.
        outputs: the program's slots of the outputs.
        first: the place of the first step in the program.
    """

    part: Slice
    layout: InputLayout
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    first: int


def stretches(part: Slice, steps_in_piece: int = STEPS_IN_PIECE) -> list[Stretch]:
    """Cuts a program where it begins, goes on, or ends to repeat itself.

    Args:
        part: the program.
        steps_in_piece: how long what repeats may become.
    """
    ids: dict[Any, int] = {}
    kinds = [ids.setdefault((s.operation, s.static, s.types), len(ids)) for s in part.steps]
    wide = [place for place, step in enumerate(part.steps) if is_wide(step)]
    for place in wide:
        kinds[place] = -1 - place  # like no other
    found = []
    end = 0
    for start, period, count in repetitions(kinds):
        found += _without(wide, end, start)
        first = 0
        for steps in (steps_in_piece, STEPS_IN_PIECE, period):  # what is left over in smaller ones
            periods = max(1, steps // period)
            if periods == 1 or count - first >= 2 * periods:
                while first + periods <= count:
                    last = first + periods
                    found.append(Stretch(start + first * period, start + last * period, True))
                    first = last
        end = start + count * period
    return found + _without(wide, end, len(kinds))


def _without(wide: Sequence[int], start: int, stop: int) -> list[Stretch]:
    """Returns what does not repeat, the wide steps on their own."""
    cuts = sorted({start, stop, *(c for w in wide if start <= w < stop for c in (w, w + 1))})
    return [Stretch(first, last, False) for first, last in itertools.pairwise(cuts)]


def repetitions(kinds: Sequence[int]) -> list[tuple[int, int, int]]:
    """Finds what repeats itself.

    Args:
        kinds: numbers that tell the kinds of the steps.

    Returns:
        Where it starts, its period, and how often it occurs, without overlaps.

    >>> repetitions([7, 1, 2, 1, 2, 1, 2, 1, 2, 9])
    [(1, 2, 4)]
    """
    sequence = np.asarray(kinds)
    order = np.argsort(sequence, kind="stable")
    gaps = np.diff(order)[np.diff(sequence[order]) == 0]
    periods, often = np.unique(gaps, return_counts=True)
    free = np.ones(len(sequence), bool)
    found = []
    for place in np.argsort(-often, kind="stable")[:MAX_PERIODS].tolist():
        period = int(periods[place])
        if often[place] < MIN_REPEATS - 1:
            break
        same = (sequence[:-period] == sequence[period:]) & free[:-period] & free[period:]
        for start, length in _runs(same):
            count = (length + period) // period
            if count >= MIN_REPEATS and free[start : start + count * period].all():
                free[start : start + count * period] = False
                found.append((start, period, count))
    return sorted(found)


def _runs(flags: np.ndarray[Any, Any]) -> Iterator[tuple[int, int]]:
    """Yields where a run of true values starts, and its length."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.view(np.int8), [0]))))
    yield from zip(edges[::2].tolist(), (edges[1::2] - edges[::2]).tolist(), strict=True)


class Cutter:
    """Makes stretches of a program programs of their own."""

    def __init__(self, part: Slice, layout: InputLayout) -> None:
        self._part = part
        self._first = [len(part.inputs)]
        for step in part.steps:
            self._first.append(self._first[-1] + len(step.types))
        self._types = part.types()
        self._last = last_uses(part, self._first[-1])
        # Python numbers among the inputs, which travel in vectors.
        self._numbers = {place for _, places, _ in layout.vectors for place in places}

    def alone(self, index: int) -> Piece:
        """Returns a single step, which gives all it has."""
        operation, static, operands, _, outputs = self._part.steps[index]
        inputs = tuple(dict.fromkeys(operands))
        types = self._types
        same = () if len(inputs) == len(operands) else tuple(map(inputs.index, operands))
        numbers = tuple([slot in self._numbers for slot in inputs]) if self._numbers else ()
        key = operation, static, outputs, tuple([types[slot] for slot in inputs]), same, numbers
        known = _SINGLE_STEPS.get(key)
        if known is None:
            if len(_SINGLE_STEPS) >= MAX_ALONE:
                _SINGLE_STEPS.clear()
            count = len(inputs)
            own = Step(operation, static, tuple(map(inputs.index, operands)), (), outputs)
            ends = tuple(range(count, count + len(outputs)))
            part = Slice(tuple([types[slot] for slot in inputs]), (own,), ends)
            known = _SINGLE_STEPS[key] = part, self._layout(part, inputs)
        first = self._first[index]
        ends = (first,) if len(outputs) == 1 else tuple(range(first, self._first[index + 1]))
        return Piece(*known, inputs, ends, index)

    def pieces(self, cuts: Sequence[tuple[int, int]]) -> list[Piece]:
        """Returns the pieces from the first step of each cut up to the second.

        Equal ones have equal outputs: all that any of them has to give.
        """
        alike: dict[object, set[int]] = {}  # what equal steps give, as places among their slots
        made = [(*self._steps(start, stop), start, stop) for start, stop in cuts]
        for given, steps, _, start, stop in made:
            wanted = alike.setdefault((given, steps), set())
            used = enumerate(self._last[self._first[start] : self._first[stop]])
            wanted.update([place for place, last in used if last >= stop])
        pieces = []
        for given, steps, inputs, start, _ in made:
            begin, count = self._first[start], len(inputs)
            places = sorted(alike[given, steps])
            part = Slice(given, steps, tuple([count + place for place in places]))
            outputs = tuple([begin + place for place in places])
            pieces.append(Piece(part, self._layout(part, inputs), inputs, outputs, start))
        return pieces

    def _steps(
        self, start: int, stop: int
    ) -> tuple[tuple[TensorType, ...], tuple[Step, ...], tuple[int, ...]]:
        """Returns the types of the inputs, the steps in slots of their own, and the inputs."""
        begin, end = self._first[start], self._first[stop]
        taken = self._part.steps[start:stop]
        local: dict[int, int] = {}
        for step in taken:
            for slot in step.inputs:
                if slot < begin:
                    local.setdefault(slot, len(local))
        inputs = tuple(local)
        local.update((slot, len(inputs) + slot - begin) for slot in range(begin, end))
        steps = tuple([
            Step(operation, static, tuple([local[slot] for slot in operands]), (), outputs)
            for operation, static, operands, _, outputs in taken
        ])  # fmt: skip
        return tuple([self._types[slot] for slot in inputs]), steps, inputs

    def _layout(self, part: Slice, inputs: Sequence[int]) -> InputLayout:
        """Returns how the inputs of a piece arrive: its Python numbers in vectors."""
        if self._numbers.isdisjoint(inputs):
            return InputLayout(tuple(range(len(inputs))), ())
        vectors: dict[np.dtype[Any], list[int]] = {}
        arrays = []
        for place, slot in enumerate(inputs):
            if slot in self._numbers:
                vectors.setdefault(part.inputs[place].numpy_dtype, []).append(place)
            else:
                arrays.append(place)
        return InputLayout(tuple(arrays), alone_in_rows(vectors))


def last_uses(part: Slice, slots: int) -> list[int]:
    """Returns for each of the slots the last step that uses it; one behind the last for outputs."""
    last = [-1] * slots
    for index, step in enumerate(part.steps):
        for slot in step.inputs:
            last[slot] = index
    for slot in part.outputs:
        last[slot] = len(part.steps)
    return last
