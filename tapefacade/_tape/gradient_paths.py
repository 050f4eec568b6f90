"""Which recorded instructions lead from the sources of a gradient to its targets."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tapefacade._core.gradient_rules import NoGradient, NotDifferentiable
from tapefacade._core.tensor import hinted
from tapefacade._core.tensor_type import TensorType
from tapefacade._tape.custom_gradient_boundary import BOUNDARY, registered_gradient
from tapefacade._tape.forward_instructions import is_forward, is_within, moment
from tapefacade._trace.program_listing import in_sentence
from tapefacade._trace.slices import Step
from tapefacade._trace.tree import Node


class Window(NamedTuple):
    """What a tape recorded: where in a recording, and from when on it watched which slots.

    `rematerialize` is how it is differentiated: whether intermediate values are computed again.
    """

    intervals: tuple[tuple[int, int], ...]
    watched: tuple[tuple[int, int], ...]  # (slot, position from which on it is watched)
    rematerialize: bool = False


class Reach(NamedTuple):
    """What `reach` found.

    Attributes:
        connected: for each group of sources, whether a target depends on it.
        nodes: the instructions on the way, in order.
        targets: places of the targets that depend on a source.
        boundaries: instructions on the way whose gradient is made by Python code, in order.
    """

    connected: tuple[bool, ...]
    nodes: tuple[Node, ...]
    targets: tuple[int, ...]
    boundaries: tuple[Node, ...]


def reach(
    end: Node, window: Window, targets: tuple[int, ...], groups: tuple[tuple[int, ...], ...]
) -> Reach:
    """Finds what a gradient has to differentiate.

    Args:
        end: where the tape's window ends.
        window: what the tape recorded and watched.
        targets: the slots to differentiate.
        groups: the slots of each source.

    Returns:
        The instructions, and which sources they connect to the targets.

    Raises:
        LookupError: if an op without a gradient lies on the way from something watched.
    """
    watched = dict(window.watched)
    on_tape, tracked = taped(end, window, watched)
    known = tracked | watched.keys()
    cone, boundaries = _cone(on_tape, targets, known)
    # What the tape knows nothing of has a gradient for itself alone: d x / d x is 1.
    types = slot_types(end)
    itself = {s for group in groups for s in group if s in targets and s not in known}
    needed = _inputs_on_tape(end, window, targets, types) if itself else ()
    groups = tuple(
        tuple(
            s
            for s in group
            if s in types
            and types[s].inexact  # what came after the window is not connected
            and (s in known or (s in itself and s not in needed))
        )
        for group in groups
    )
    masks: dict[int, int] = {}
    for bit, group in enumerate(groups):
        for slot in group:
            masks[slot] = masks.get(slot, 0) | 1 << bit
    on_way = []
    for node in cone:
        passes = 0
        for place, slot in enumerate(range(node.first_output, node.end)):
            if node.types[slot - node.first].inexact:
                mask = 0
                for used in used_inputs(node, place):
                    mask |= masks.get(used, 0)
                if mask:
                    masks[slot] = masks.get(slot, 0) | mask
                    passes |= mask
        if passes:
            on_way.append(node)
    found = 0
    for target in targets:
        found |= masks.get(target, 0)
    wanted = tuple(i for i, target in enumerate(targets) if masks.get(target, 0))
    connected = tuple(bool(found >> bit & 1) for bit in range(len(groups)))
    return Reach(connected, tuple(on_way), wanted, boundaries)


def nodes_within(end: Node, intervals: Sequence[tuple[int, int]]) -> Iterator[Node]:
    """Yields the instructions within the intervals, the last first."""
    start = min((interval[0] for interval in intervals), default=end.end)
    node = end
    while node.parent is not None and node.first >= start:
        if node.operation is not None:
            count = node.end - node.first_output if is_forward(node) else 1
            if any(is_within(node, place, intervals) for place in range(count)):
                yield node
        node = node.parent


def taped(end: Node, window: Window, watched: dict[int, int]) -> tuple[list[Node], set[int]]:
    """Returns the instructions on the tape, and the slots that depend on something watched."""
    tracked: set[int] = set()
    taped = []
    for node in reversed(list(nodes_within(end, window.intervals))):
        if isinstance(node.operation.gradient, NotDifferentiable):  # type: ignore[union-attr]
            continue
        on_tape = False
        # Without a gradient it matters not that the outputs are integers: it is an error.
        always = isinstance(node.operation.gradient, NoGradient)  # type: ignore[union-attr]
        for place, slot in enumerate(range(node.first_output, node.end)):
            if not (always or node.types[slot - node.first].inexact):
                continue
            position = moment(node, place)
            seen = not is_forward(node) or is_within(node, place, window.intervals)
            if seen and any(
                used in tracked or watched.get(used, node.end) <= position
                for used in used_inputs(node, place)
            ):
                on_tape = True
                if node.types[slot - node.first].inexact:
                    tracked.add(slot)
        if on_tape:
            taped.append(node)
    return taped, tracked


def _inputs_on_tape(
    end: Node, window: Window, targets: Iterable[int], types: dict[int, TensorType]
) -> set[int]:
    """Returns the inputs of what targets depend on, as TensorFlow's tape goes through it.

    That has ops without a gradient as well, whatever the types of their outputs are, unless nothing
    recorded them (`tf.stop_gradient`). What is among the inputs and unknown has no gradient for
    itself.
    """
    watched, tracked, recorded = dict(window.watched), set(), []
    for node in reversed(list(nodes_within(end, window.intervals))):
        now = moment(node, 0)
        if node.operation.name != "stop_gradient" and any(  # type: ignore[union-attr]
            types[slot].inexact and (slot in tracked or watched.get(slot, node.end) <= now)
            for slot in node.inputs
        ):
            tracked.update(range(node.first_output, node.end))
            recorded.append(node)
    missing, found = set(targets), set()
    for node in reversed(recorded):
        if not missing.isdisjoint(range(node.first_output, node.end)):
            missing.update(node.inputs)
            found.update(node.inputs)
    return found


def _cone(
    taped: list[Node], targets: Iterable[int], known: set[int]
) -> tuple[list[Node], tuple[Node, ...]]:
    """Returns the taped instructions that the targets depend on; those made by hand apart."""
    missing = set(targets)
    cone, boundaries = [], []
    for node in reversed(taped):
        places = [s - node.first_output for s in range(node.first_output, node.end) if s in missing]
        if not places:
            continue
        operation = node.operation
        assert operation is not None
        if operation is BOUNDARY:
            boundaries.append(node)
            # What leads to its inputs is found when its gradient function has run.
            continue
        if isinstance(operation.gradient, NoGradient):
            if registered_gradient(operation.gradient.kernel) is None:
                raise missing_gradient(node, operation.gradient.kernel)
            boundaries.append(node)
            continue
        cone.append(node)
        for place in places:
            missing.update(slot for slot in used_inputs(node, place) if slot in known)
    return cone[::-1], tuple(boundaries[::-1])


def missing_gradient(node: Node, kernel: str) -> Exception:
    """Makes the error of an op without a gradient."""
    return hinted(
        LookupError(f"gradient registry has no entry for: {kernel}"),
        f"The op was recorded at {in_sentence(node.line)}. Write it with other ops, or give its "
        f'gradient with tf.RegisterGradient("{kernel}").',
    )


def used_inputs(node: Node | Step, place: int) -> Iterable[int]:
    """Returns the slots through which a gradient flows from output `place` of an instruction."""
    operation = node.operation
    assert operation is not None
    if operation is BOUNDARY:
        return node.inputs[node.static[0] :]
    dependencies = operation.dependencies(node.static, ())
    blocked = operation.blocked(node.static, len(node.inputs))
    if dependencies is not None:
        return [node.inputs[i] for i in dependencies[place] if i not in blocked]
    if blocked:
        return [slot for i, slot in enumerate(node.inputs) if i not in blocked]
    return node.inputs


def slot_types(end: Node) -> dict[int, TensorType]:
    """Returns the type of every slot up to `end`."""
    types = {}
    node = end
    while node.parent is not None:
        types.update(zip(range(node.first, node.end), node.types, strict=True))
        node = node.parent
    return types
