"""The backward pass: from targets and sources to recorded derivative ops."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tapefacade._core.error_texts import invalid
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._ops.array.creation import one_hot
from tapefacade._ops.array.joining import stack
from tapefacade._ops.array.shaping import broadcast_to, reshape
from tapefacade._ops.math.arithmetic import add as add_op
from tapefacade._tape.derivatives.derivative import (
    BATCH_JACOBIAN,
    GRADIENT,
    HVP,
    SECOND_ORDER,
    Derivative,
    DerivativeKind,
    derivative,
)
from tapefacade._tape.derivatives.row_gradients import RowGradients, find_row_gradients
from tapefacade._tape.gradient_paths import Reach, reach, slot_types
from tapefacade._tape.tape_window import TapeScope, call_boundary, tensors_in
from tapefacade._trace.garbage_collection import no_collection
from tapefacade._trace.programs import type_in, values_of
from tapefacade._trace.recording import THREAD, RecordedValues, Recording
from tapefacade._trace.slices import Slice, computed, cut
from tapefacade._trace.speculative_gradients import note_gradient, take_foreseen
from tapefacade._trace.tree import EDGES, Node
from tapefacade._trace.wait_watch import WAIT_WATCH


class CodeOnTheWayError(Exception):
    """Python code gives part of the gradient, so that a second derivative is no single op."""


class GradientPlan(NamedTuple):
    """A derivative op, the recording's slots of its inputs, and where its results belong."""

    operation: Derivative
    inputs: tuple[int, ...]
    ghosts: tuple[int, ...]
    given_back: tuple[int, ...]  # the ghosts whose values it gives to others; -1 for those it drops
    targets: tuple[int, ...]  # places of the targets whose upstream gradients it takes
    connected: tuple[bool, ...]
    types: dict[int, TensorType]  # of the inputs

    @property
    def is_whole(self) -> bool:
        """Whether every source has a derivative."""
        return False not in self.connected


def derive(
    scope: TapeScope,
    kind: DerivativeKind,
    targets: Sequence[int | None],
    groups: Sequence[tuple[int, ...]],
    upstream: Sequence[EagerTensor | None],
) -> list[EagerTensor | None]:
    """Records the derivative of targets with respect to sources.

    Args:
        scope: what the tape saw.
        kind: any but `FORWARD`.
        targets: the slots to differentiate; None where the tape knows nothing of a target.
        groups: the slots of each source.
        upstream: for each target its upstream gradient; None stands for ones. With `HVP` for each
            source a vector.

    Returns:
        For each source the derivative, or None if no target depends on it.
    """
    gradients = upstream
    if None in targets:
        known = [place for place, slot in enumerate(targets) if slot is not None]
        targets, gradients = [targets[p] for p in known], [upstream[p] for p in known]
    slots: tuple[Any, ...] = tuple(targets)
    found = _plan(scope, kind, slots, tuple(groups), tuple([up is not None for up in gradients]))
    if found is None:
        return [None] * len(groups)
    if type(found) is RowGradients:
        return _of_rows(scope, found, slots, gradients)
    if type(found) is Reach:
        if kind in SECOND_ORDER:
            raise CodeOnTheWayError
        if kind != GRADIENT:
            return _row_by_row(scope, kind, slots, groups)
        return _through_boundaries(scope, found, slots, groups, gradients)
    assert type(found) is GradientPlan
    return _record(scope, found, gradients)


def gradient_plan(
    scope: TapeScope, targets: tuple[int, ...], groups: tuple[tuple[int, ...], ...]
) -> GradientPlan | None:
    """Returns what a gradient of all that leads from sources to targets would be.

    Args:
        scope: what the tape saw.
        targets: the slots to differentiate.
        groups: the slots of each source.

    Returns:
        The plan; None if no target depends on a source. Nothing is recorded, nor kept.
    """
    found = reach(scope.end, scope.window, targets, groups)
    if not any(found.connected):
        return None
    return _make_plan(scope, GRADIENT, targets, groups, (False,) * len(targets), found)


def replay(
    trace: Recording, data: RecordedValues, end: Node, key: tuple[Any, ...]
) -> list[EagerTensor | None] | None:
    """Records a derivative with respect to all sources again, where it was recorded before.

    Args:
        trace: what the tape recorded in.
        data: its values then.
        end: where the tape's window ends.
        key: what `derive` keeps the plan under; no target has an upstream gradient.

    Returns:
        What `derive` returns; None if there is more to do.
    """
    plan = end.plans.get(key)
    if type(plan) is not GradientPlan or data.failed:
        return None
    if THREAD.recording is not trace or trace.data is not data:
        return None
    node = EDGES.get((trace.at, plan.operation, (), *plan.inputs))
    if node is None or node.eager or not plan.is_whole:
        return None
    trace.at = node
    if data.looked is not None:
        return _results(trace, data, plan, node)
    results: list[Any] = trace.results(node)
    return results


def _plan(
    scope: TapeScope,
    kind: DerivativeKind,
    targets: tuple[int, ...],
    groups: tuple[tuple[int, ...], ...],
    given: tuple[bool, ...],
    through: bool = True,
) -> GradientPlan | Reach | RowGradients | None:
    """Finds the plan in the tree or makes it.

    A `Reach` where Python code is on the way, `RowGradients` where only rows of a source are used.
    Without `through` it is a plan in any case.
    """
    key = (kind, targets, groups, given, through, scope.window)
    found = scope.end.plans.get(key, key)
    if found is not key:
        return found
    with no_collection(), WAIT_WATCH.over(THREAD.recording.text):
        return _plan_anew(scope, kind, targets, groups, given, through, key)


def _plan_anew(
    scope: TapeScope,
    kind: DerivativeKind,
    targets: tuple[int, ...],
    groups: tuple[tuple[int, ...], ...],
    given: tuple[bool, ...],
    through: bool,
    key: Any,
) -> GradientPlan | Reach | RowGradients | None:
    # Where Python code is on the way it is looked at anew: gradients may have been registered.
    found = reach(scope.end, scope.window, targets, groups)
    if through and found.boundaries:
        return found
    if through and kind == GRADIENT:
        wanted = [targets[place] for place in found.targets]
        rows = find_row_gradients(found.nodes, wanted, groups, slot_types(scope.end))
        if rows is not None:
            scope.end.keep_plan(key, rows)
            return rows
    plan = _make_plan(scope, kind, targets, groups, given, found) if any(found.connected) else None
    scope.end.keep_plan(key, plan)
    return plan


def _make_plan(
    scope: TapeScope,
    kind: DerivativeKind,
    targets: tuple[int, ...],
    groups: tuple[tuple[int, ...], ...],
    given: tuple[bool, ...],
    found: Reach,
) -> GradientPlan:
    types = slot_types(scope.end)
    wanted = [targets[place] for place in found.targets]
    connected = [g for g, on in zip(groups, found.connected, strict=True) if on]
    for slot in (*wanted, *(s for group in connected for s in group)):
        if slot not in types:  # a leaf entered after the window: a target that is its own source
            leaf = scope.data.leaves.get(slot)
            types[slot] = type_in(scope.trace.at, slot) if leaf is None else leaf._type
    places: dict[int, int] = {}  # of each source, in the order of their first appearance
    owners = tuple(
        tuple([places.setdefault(slot, len(places)) for slot in group]) for group in connected
    )
    sources = list(places)
    defined = {s for node in found.nodes for s in range(node.first_output, node.end)}
    extra = [s for s in sources if s not in defined]
    part, inputs = cut(found.nodes, [*wanted, *extra], types.__getitem__)
    local = {slot: place for place, slot in enumerate(inputs)}
    ghosts = tuple(s for node in found.nodes for s in range(node.first_output, node.end))
    local.update({slot: len(inputs) + place for place, slot in enumerate(ghosts)})
    part = Slice(part.inputs, part.steps, part.outputs[: len(wanted)], part.lines)
    operation = derivative(
        kind, part, tuple(local[s] for s in sources), owners,
        tuple(given[place] for place in found.targets), scope.window.rematerialize,
    )  # fmt: skip
    if any(isinstance(node.operation, Derivative) for node in found.nodes):
        # A derivative that does not exist at this order is an error of this call, not of the run.
        operation.dependencies((), ())
    of_inputs = {slot: types[slot] for slot in inputs}
    given_back = computed(part, ghosts)
    if scope.window.rematerialize:
        given_back = tuple([slot if slot in wanted else -1 for slot in given_back])
    return GradientPlan(
        operation, inputs, ghosts, given_back, found.targets, found.connected, of_inputs
    )  # fmt: skip


def _record(
    scope: TapeScope, plan: GradientPlan, upstream: Sequence[EagerTensor | None]
) -> list[EagerTensor | None]:
    scope.data.raise_failed(plan.ghosts)
    trace = THREAD.recording
    given = [upstream[place] for place in plan.targets]
    if plan.operation.kind is HVP:
        given = [up for up, on in zip(upstream, plan.connected, strict=True) if on]
    gradients = [up for up in given if up is not None]
    slots = [g._slot if g._recording is trace else trace.leaf(g) for g in gradients]
    operation, inputs, ghosts = plan.operation, plan.inputs, plan.given_back
    if not (scope.is_open or gradients or trace.is_held):
        foreseen = take_foreseen(scope.data, plan)
        if foreseen is not None:
            return _spread(
                plan, [_known(*pair) for pair in zip(operation.result_types, foreseen, strict=True)]
            )
    if not scope.is_open:
        values = values_of(scope.end, scope.data, inputs, plan.types)
        inputs, ghosts = tuple([trace.leaf(value) for value in values]), ()
    node = EDGES.get((trace.at, operation, (), *inputs, *slots))
    if node is None:
        types = [*operation.part.inputs, *(g._type for g in gradients)]
        trace.apply(operation, (), (*inputs, *slots), types, ghosts)
        node = trace.at
    trace.at = node  # recorded here before, or now
    tensors = trace.results(node) if gradients else _results(trace, scope.data, plan, node)
    if node.eager:
        trace.flush()
    return _spread(plan, tensors)


def _results(trace: Recording, data: RecordedValues, plan: GradientPlan, node: Node) -> list[Any]:
    """Returns the results of a gradient just recorded, with their values if they were foreseen."""
    foreseen = None if trace.frame or trace.enclosing else take_foreseen(data, plan)
    if foreseen is not None:
        tensors = trace.results(node)
        for tensor, value in zip(tensors, foreseen, strict=True):
            tensor._value = value
            trace.data.leaves[tensor._slot] = tensor
            trace.owners.pop(tensor._slot, None)
        trace.state = (trace.state, node)  # programs that know these values are others
        return tensors
    note_gradient(data, plan)
    return trace.results(node)


def _known(type_: TensorType, value: Any) -> EagerTensor:
    return EagerTensor(type_, value, None, 0)


def _spread(plan: GradientPlan, tensors: list[Any]) -> list[EagerTensor | None]:
    """Returns the results in the order of the sources, None for those without."""
    if False not in plan.connected:
        return tensors
    results = iter(tensors)
    return [next(results) if connected else None for connected in plan.connected]


def _of_rows(
    scope: TapeScope,
    rows: RowGradients,
    targets: Sequence[int],
    upstream: Sequence[EagerTensor | None],
) -> list[Any]:
    """Differentiates with respect to the rows that were taken from some of the sources."""
    gradients = iter(_segment(scope, targets, rows.groups, upstream))
    types = slot_types(scope.end)
    results: list[Any] = []
    for place, taken in enumerate(rows.taken):
        if taken is None:
            results.append(next(gradients))
            continue
        of_rows = [next(gradients) for _ in taken]
        positions = tensors_in(scope, [one.positions for one in taken], types)
        results.append(rows.result(place, of_rows, positions))
    return results


def _through_boundaries(
    scope: TapeScope,
    found: Reach,
    targets: Sequence[int],
    groups: Sequence[tuple[int, ...]],
    upstream: Sequence[EagerTensor | None],
) -> list[EagerTensor | None]:
    """Differentiates where some gradients are made by Python code.

    From the last boundary to the first: the gradient of all targets for its outputs is given to
    the Python code, and what that returns is the upstream gradient of its inputs, which become
    targets themselves.
    """
    slots, gradients = list(targets), list(upstream)
    odd: dict[int, EagerTensor] = {}  # gradients of another shape, which TensorFlow passes on
    done: set[int] = set()
    boundaries = list(found.boundaries)
    while boundaries:
        node = boundaries.pop()
        done.add(node.first_output)
        outputs = tuple((slot,) for slot in range(node.first_output, node.end))
        arrived = _segment(scope, slots, outputs, gradients)
        if all(gradient is None for gradient in arrived):
            continue
        for slot, gradient in call_boundary(scope, node, arrived):
            if gradient._type.shape != slot_types(scope.end)[slot].shape:
                odd[slot] = gradient
                continue
            slots.append(slot)
            gradients.append(gradient)
        again = reach(scope.end, scope.window, tuple(slots), tuple(groups)).boundaries
        boundaries = [b for b in again if b.first_output not in done]
    results = _segment(scope, slots, groups, gradients)
    for slot, gradient in odd.items():
        place = next((i for i, group in enumerate(groups) if slot in group), None)
        if place is None:
            raise invalid(
                f"Incompatible shapes: a gradient function returned {list(gradient.shape)} for an "
                f"input of shape {list(slot_types(scope.end)[slot].shape)}"
            )
        before = results[place]
        results[place] = gradient if before is None else add_op(before, gradient)
    return results


def _segment(
    scope: TapeScope,
    targets: Sequence[int],
    groups: Sequence[tuple[int, ...]],
    upstream: Sequence[EagerTensor | None],
) -> list[EagerTensor | None]:
    given = tuple(gradient is not None for gradient in upstream)
    plan = _plan(scope, GRADIENT, tuple(targets), tuple(groups), given, through=False)
    if plan is None:
        return [None] * len(groups)
    assert isinstance(plan, GradientPlan)
    return _record(scope, plan, upstream)


def _row_by_row(
    scope: TapeScope,
    kind: DerivativeKind,
    targets: Sequence[int],
    groups: Sequence[tuple[int, ...]],
) -> list[EagerTensor | None]:
    """Computes a Jacobian row by row, where Python code gives part of the gradient."""
    (target,) = targets
    type_ = slot_types(scope.end)[target]
    batch = kind.name == BATCH_JACOBIAN.name
    count = type_.size // max(type_.shape[0], 1) if batch else type_.size
    rows: list[list[EagerTensor | None]] = []
    for row in range(count):
        basis = one_hot(row, count, dtype=type_.dtype)
        if batch:
            basis = reshape(basis, (1, *type_.shape[1:]))
            basis = broadcast_to(basis, type_.shape)
        basis = reshape(basis, type_.shape)
        rows.append(derive(scope, GRADIENT, [target], groups, [basis]))
    results: list[EagerTensor | None] = []
    for column in zip(*rows, strict=True):
        if any(row is None for row in column):
            results.append(None)
            continue
        stacked = stack(list(column), axis=1 if batch else 0)
        tail = column[0].shape.as_list()[1 if batch else 0 :]
        results.append(reshape(stacked, [*type_.shape, *tail]))
    return results
