"""`find_nan` and `gradient_sizes` of tapes: what they have seen is computed once more."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._tape import backward_pass
from tapefacade._tape.derivatives.derivative import GRADIENT, Derivative
from tapefacade._tape.gradient_paths import nodes_within, slot_types
from tapefacade._tape.tape_window import TapeScope
from tapefacade._trace.gradient_sizes import GradientSizes, gradient_rows
from tapefacade._trace.non_finite import BACKWARD, Origin, origins_in, summary_of
from tapefacade._trace.non_finite_report import NonFinite, first_of
from tapefacade._trace.recording import THREAD, RecordedValues
from tapefacade._trace.slices import Slice, cut, needed
from tapefacade._trace.tree import NOTHING, Node


class ReplayedProgram(NamedTuple):
    """What was found when a program was computed once more.

    Attributes:
        origins: the steps that make numbers which are not finite.
        inputs: the values from outside, by their slots.
        is_finite: whether the results are finite.
    """

    origins: list[Origin]
    inputs: dict[int, np.ndarray[Any, Any]]
    is_finite: bool


def _given(at: Node, data: RecordedValues) -> set[int]:
    """Returns the slots up to `at` that no instruction computes, or none that may run again."""
    given: set[int] = set()
    node: Node | None = at
    while node is not None and node.parent is not None:
        end = node.end if node.operation is None else node.first_output
        given.update(range(node.first, end))
        if node.operation is not None and node.operation.acts:
            given.update(s for s in range(node.first_output, node.end) if s in data.leaves)
        node = node.parent
    return given


def _program(
    at: Node, data: RecordedValues, wanted: Sequence[int]
) -> tuple[Slice, dict[int, np.ndarray[Any, Any]]]:
    """Returns the program that computes slots of a recording from leaves, and these."""
    types = slot_types(at)
    nodes = needed(at, wanted, _given(at, data))
    part, slots = cut(nodes, wanted, types.__getitem__)
    arrays = {}
    for slot in slots:
        if slot in data.leaves:
            arrays[slot] = np.asarray(data.leaves[slot]._array())
        else:
            with np.errstate(over="ignore"):  # 1e39 is infinite in float32
                arrays[slot] = np.array(data.scalars[slot], types[slot].numpy_dtype)
    return part, arrays


def _replayed(at: Node, data: RecordedValues, wanted: Sequence[int]) -> ReplayedProgram:
    """Computes slots of a recording once more, with a look at all that leads to them."""
    part, arrays = _program(at, data, wanted)
    origins, outputs = origins_in(part, arrays.values())
    is_finite = not any(summary_of(output).counts for output in outputs)
    return ReplayedProgram(origins, arrays, is_finite)


class TapeProgram(NamedTuple):
    """All that a tape has recorded, as a program.

    Attributes:
        part: the program; all results of its steps are wanted.
        arrays: the values of its inputs.
        places: its slots, by those of the recording.
    """

    part: Slice
    arrays: list[np.ndarray[Any, Any]]
    places: dict[int, int]


def recorded_program(scope: TapeScope) -> TapeProgram:
    """Returns the program that computes all that a tape has recorded.

    Args:
        scope: what the tape saw.
    """
    nodes = nodes_within(scope.end, scope.window.intervals)
    wanted = [slot for node in nodes for slot in range(node.first_output, node.end)]
    wanted = [slot for slot in sorted(wanted) if slot not in scope.data.leaves]
    part, arrays = _program(scope.end, scope.data, wanted)
    places = {slot: place for place, slot in enumerate(arrays)}
    places.update(zip(wanted, part.outputs, strict=True))
    return TapeProgram(part, list(arrays.values()), places)


def first_non_finite(
    scope: TapeScope,
    targets: Sequence[int],
    groups: Sequence[tuple[int, ...]],
    names: dict[int, str],
) -> NonFinite | None:
    """Finds the first number that is not finite, forward or backward.

    Args:
        scope: what the tape saw.
        targets: the slots of the targets; empty for all that was recorded, without a gradient.
        groups: the slots of each source.
        names: what slots are called, such as those of variables.

    Returns:
        What was found; None if all is finite.
    """
    wanted: Sequence[int] = targets
    if not targets:
        wanted = [
            slot
            for node in nodes_within(scope.end, scope.window.intervals)
            for slot in range(node.first_output, node.end)
            if node.types[slot - node.first].inexact
        ]
    forward = _replayed(scope.end, scope.data, wanted)
    origins, is_finite = list(forward.origins), forward.is_finite
    if targets and groups:
        backward = _backward(scope, targets, groups)
        known = {(origin.line, origin.kernel) for origin in origins}
        for origin in backward.origins:
            new = origin.direction == BACKWARD or (origin.line, origin.kernel) not in known
            if new and not isinstance(origin.step.operation, Derivative):
                origins.append(origin)
        is_finite = is_finite and backward.is_finite
    outside = _of_inputs(scope, forward.inputs, names)
    nan = next((found for found in outside if "NaN" in found.value.counts), None)
    if nan is not None:
        return nan
    found = first_of(origins)
    return found if found is not None or is_finite else next(iter(outside), None)


def _of_inputs(
    scope: TapeScope, inputs: dict[int, np.ndarray[Any, Any]], names: dict[int, str]
) -> list[NonFinite]:
    """Returns the values from outside that are not finite."""
    found = []
    for slot, array in sorted(inputs.items()):
        node = scope.end
        while node.first > slot and node.parent is not None:
            node = node.parent
        found.append(NonFinite.of_input(names.get(slot, "a tensor"), node.users_line, array))
    return [one for one in found if one is not None]


def _derived(
    scope: TapeScope, targets: Sequence[int], groups: Sequence[tuple[int, ...]]
) -> list[EagerTensor | None]:
    """Records the gradients once more; nothing of it is kept, nor computed.

    Of rows of a source there are the values alone.
    """
    plans, looked = scope.end.plans, scope.data.looked
    scope.end.plans = NOTHING  # planned anew, with the lines of this recording
    scope.data.looked = None
    try:
        found = backward_pass.derive(scope, GRADIENT, targets, groups, [None] * len(targets))
        return [one.values if isinstance(one, IndexedSlices) else one for one in found]
    finally:
        scope.end.plans, scope.data.looked = plans, looked


def _backward(
    scope: TapeScope, targets: Sequence[int], groups: Sequence[tuple[int, ...]]
) -> ReplayedProgram:
    """Computes the gradients once more."""
    results = _derived(scope, targets, groups)
    recording = THREAD.recording
    slots = [r._slot for r in results if r is not None and r._recording is recording]
    if not slots:
        return ReplayedProgram([], {}, True)
    return _replayed(recording.at, recording.data, slots)


def gradient_sizes(
    scope: TapeScope,
    targets: Sequence[int],
    groups: Sequence[tuple[int, ...]],
    names: Sequence[str],
) -> GradientSizes:
    """Measures the gradients on their way from targets to sources.

    Args:
        scope: what the tape saw.
        targets: the slots of the targets.
        groups: the slots of each source.
        names: what the sources are called.

    Returns:
        A table; empty if there is no gradient.
    """
    results = _derived(scope, targets, groups) if targets and groups else [None] * len(groups)
    recording = THREAD.recording
    of_sources: dict[str, float | None] = dict.fromkeys(names)
    known = {n: r for n, r in zip(names, results, strict=True) if r is not None}
    if not known:
        return GradientSizes([], of_sources)
    slots = [result._slot for result in known.values() if result._recording is recording]
    part, arrays = _program(recording.at, recording.data, slots)
    rows, norms = gradient_rows(part, arrays.values())
    of_sources.update(zip(known, norms, strict=True))
    return GradientSizes(rows, of_sources)
