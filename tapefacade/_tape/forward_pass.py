"""The forward pass: from sources with tangents to a recorded derivative of the targets."""

import bisect
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tapefacade._core.gradient_rules import NoGradient, NotDifferentiable
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.array.creation import ones as ones_op
from tapefacade._tape.custom_gradient_boundary import BOUNDARY, registered_gradient
from tapefacade._tape.derivatives.derivative import FORWARD, Derivative, derivative
from tapefacade._tape.forward_instructions import KEY_OF_LAST_FORWARD, is_forward, moment
from tapefacade._tape.gradient_paths import missing_gradient, nodes_within, slot_types, used_inputs
from tapefacade._tape.tape import GradientTape
from tapefacade._tape.tape_window import TapeScope, call_boundary, tensors_in
from tapefacade._trace.programs import values_of
from tapefacade._trace.recording import THREAD
from tapefacade._trace.slices import computed, cut
from tapefacade._trace.tree import Node

# In the place of the slot of a tangent: there is none.
NO_TANGENT = -1


class Tangents:
    """The tangents that an accumulator knows.

    Attributes:
        of_slots: the slot of the tangent of each slot; `NO_TANGENT` where there is none.
        anchors: a slot that was recorded when the block began, for each time it was entered.
    """

    def __init__(self) -> None:
        self.of_slots: dict[int, int] = {}
        self.anchors: list[int] = []

    def anchor(self, position: int) -> int:
        """Returns the anchor of the block in which something was recorded."""
        return self.anchors[bisect.bisect(self.anchors, position) - 1]


class ForwardPlan(NamedTuple):
    """A forward derivative, the recording's slots of its inputs, and what it gives."""

    operation: Derivative
    inputs: tuple[int, ...]
    sources: tuple[int, ...]  # slots whose tangents follow the inputs
    ghosts: tuple[int, ...]
    targets: tuple[int, ...]  # the slots that have a tangent
    position: int  # where the last of them was recorded


def tangents_of(
    scope: TapeScope, tangents: Tangents, targets: Sequence[int]
) -> dict[int, EagerTensor]:
    """Records the tangents of targets.

    Args:
        scope: what the accumulator saw.
        tangents: what is known. What is found is added, so that what comes after it starts from
            there.
        targets: the slots whose tangents are asked for.

    Returns:
        The tangents, by the slots of the targets; those that depend on no source are missing.
    """
    while True:
        known = tangents.of_slots
        given = {slot: known[slot] for slot in targets if known.get(slot, NO_TANGENT) != NO_TANGENT}
        types = slot_types(scope.end) if given else {}
        types.update([(tangent, types[slot]) for slot, tangent in given.items()])
        found = dict(zip(given, tensors_in(scope, tuple(given.values()), types), strict=True))
        plan = _plan(scope, tangents, tuple([slot for slot in targets if slot not in known]))
        if not isinstance(plan, Node):
            return found if plan is None else found | _record(scope, plan, tangents)
        _through(scope, plan, tangents)


def _plan(
    scope: TapeScope, tangents: Tangents, targets: tuple[int, ...]
) -> ForwardPlan | Node | None:
    """Finds the plan in the tree or makes it; a node if Python code has to give tangents first."""
    sources = tuple([slot for slot, tangent in tangents.of_slots.items() if tangent != NO_TANGENT])
    stopped = tuple([slot for slot, tangent in tangents.of_slots.items() if tangent == NO_TANGENT])
    key = (FORWARD, sources, stopped, targets, scope.window)
    found = scope.end.plans.get(key, key)
    if found is not key:
        return found
    found = _make_plan(scope, sources, stopped, targets)
    if not isinstance(found, Node):  # gradients may be registered later
        scope.end.keep_plan(key, found)
    return found


def _make_plan(
    scope: TapeScope, sources: tuple[int, ...], stopped: tuple[int, ...], targets: tuple[int, ...]
) -> ForwardPlan | Node | None:
    known, over = set(sources), {*sources, *stopped}
    taped = []
    for node in reversed(list(nodes_within(scope.end, scope.window.intervals))):
        if isinstance(node.operation.gradient, NotDifferentiable):  # type: ignore[union-attr]
            continue
        new = [
            slot
            for place, slot in enumerate(range(node.first_output, node.end))
            if slot not in over and _is_moved(node, place, known)
        ]
        if new:
            known.update(new)
            taped.append(node)
    wanted = tuple([slot for slot in targets if slot in known])
    nodes = _cone(taped, wanted, known, set(sources))
    for node in nodes:
        if _needs_code(node, known):
            return node
    return _push(scope, nodes, sources, wanted) if nodes else None


def _is_moved(node: Node, place: int, known: set[int]) -> bool:
    """Whether an output of an instruction has a tangent, given who has one before."""
    if not node.types[node.first_output + place - node.first].inexact:
        return False
    used = node.inputs if _needs_code(node, known) else moving_inputs(node, place)
    return not known.isdisjoint(used)


def _needs_code(node: Node, known: set[int]) -> bool:
    """Whether the tangents of an instruction's outputs are made by Python code."""
    if node.operation is BOUNDARY:
        count = node.static[0]
        return known.isdisjoint(node.inputs[:count])
    return isinstance(node.operation.gradient, NoGradient)  # type: ignore[union-attr]


def _cone(
    taped: list[Node], targets: Iterable[int], known: set[int], sources: set[int]
) -> list[Node]:
    """Returns the instructions that lead from the sources to the targets, in order."""
    missing = set(targets)
    cone = []
    for node in reversed(taped):
        places = [s - node.first_output for s in range(node.first_output, node.end) if s in missing]
        if not places:
            continue
        gradient = node.operation.gradient  # type: ignore[union-attr]
        if isinstance(gradient, NoGradient) and registered_gradient(gradient.kernel) is None:
            raise missing_gradient(node, gradient.kernel)
        cone.append(node)
        for place in places:
            used = node.inputs if _needs_code(node, known) else moving_inputs(node, place)
            missing.update(slot for slot in used if slot in known and slot not in sources)
    return cone[::-1]


def moving_inputs(node: Node, place: int) -> Iterable[int]:
    """Returns the slots whose tangents move output `place` of an instruction."""
    operation = node.operation
    assert operation is not None
    if operation is BOUNDARY:
        return node.inputs[place : place + 1]  # what it passes on has a tangent of its own
    if operation.kernel == "Sign":
        return ()
    if is_forward(node):
        return node.inputs[:-1]
    return used_inputs(node, place)


def _through(scope: TapeScope, node: Node, tangents: Tangents) -> None:
    """Finds the tangents of an instruction's outputs where Python code gives the gradient.

    As in TensorFlow they are those of the transposed gradient function, which is taken at ones in
    case it is not linear.
    """
    count = node.static[0] if node.operation is BOUNDARY else 0
    moved = tangents_of(scope, tangents, list(dict.fromkeys(node.inputs[count:])))
    outputs = range(node.first_output, node.end)
    types = slot_types(scope.end)
    ones = [
        ones_op(types[slot].shape, types[slot].dtype) if types[slot].inexact else None
        for slot in outputs
    ]
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([one for one in ones if one is not None])
        pairs = call_boundary(scope, node, ones)
    pairs = [(gradient, moved[slot]) for slot, gradient in pairs if slot in moved]
    given = [one for one in ones if one is not None]
    found = [None] * len(given)
    if pairs:
        found = tape.gradient([p[0] for p in pairs], given, [p[1] for p in pairs])
    results = iter(found)
    for slot, one in zip(outputs, ones, strict=True):
        tangent = None if one is None else next(results)
        tangents.of_slots[slot] = NO_TANGENT if tangent is None else _slot_in(scope, tangent)


def _slot_in(scope: TapeScope, tensor: EagerTensor) -> int:
    """Returns a slot of a tensor among the scope's values."""
    slot = scope.slot_of(tensor)
    if slot is not None:
        return slot
    if scope.is_open:
        return scope.trace.leaf(tensor)
    tensor._array()
    slot = NO_TANGENT - 1 - len(scope.data.leaves)
    scope.data.leaves[slot] = tensor
    return slot


def _push(
    scope: TapeScope, nodes: list[Node], sources: tuple[int, ...], targets: tuple[int, ...]
) -> ForwardPlan:
    types = slot_types(scope.end)
    part, inputs = cut(nodes, targets, types.__getitem__)
    used = tuple([slot for slot in sources if slot in inputs])
    local = {slot: place for place, slot in enumerate(inputs)}
    operation = derivative(
        FORWARD, part, tuple([local[slot] for slot in used]),
        tuple([(place,) for place in range(len(used))]), (True,) * len(used),
    )  # fmt: skip
    ghosts = computed(part, [s for node in nodes for s in range(node.first_output, node.end)])
    position = max(
        moment(node, slot - node.first_output)
        for node in nodes
        for slot in targets
        if node.first_output <= slot < node.end
    )
    return ForwardPlan(operation, inputs, used, ghosts, targets, position)


def _record(scope: TapeScope, push: ForwardPlan, tangents: Tangents) -> dict[int, EagerTensor]:
    scope.data.raise_failed(push.ghosts)
    trace = THREAD.recording
    of_slots, ghosts = tangents.of_slots, push.ghosts
    inputs = (
        *push.inputs,
        *(of_slots[slot] for slot in push.sources),
        tangents.anchor(push.position),
    )
    types = [*push.operation.part.inputs, *push.operation.source_types]
    if not scope.is_open:
        known = dict(zip(inputs, types, strict=False))
        values = values_of(scope.end, scope.data, inputs[:-1], known)
        inputs, ghosts = tuple([trace.leaf(value) for value in values]), ()
        inputs += inputs[-1:]
    results = trace.apply(push.operation, (), inputs, types, ghosts)
    if scope.is_open:
        scope.data.custom[KEY_OF_LAST_FORWARD] = trace.at
        of_slots.update((slot, r._slot) for slot, r in zip(push.targets, results, strict=True))
    if trace.at.eager:
        trace.flush()
    return dict(zip(push.targets, results, strict=True))
