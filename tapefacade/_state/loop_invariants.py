"""Loop invariants: initial values of variables made in a body are computed outside of it.

A body is recorded on placeholders and then forgotten, but a variable that is made in it stays. So
its initial value is recorded once more, in the recording around the body.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core.random_keys import effective_key
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.replica_places import is_in_run
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.call import MARKERS
from tapefacade._trace.open_sizes import ACCOUNTS, open_sizes
from tapefacade._trace.recording import THREAD, Recording
from tapefacade._trace.slices import needed
from tapefacade._trace.tree import EDGES, TREE, Node


def hoisted_tensor(tensor: EagerTensor) -> EagerTensor:
    """Records a tensor once more, outside of the bodies that run.

    Returns:
        The tensor there; in a body whose arguments it depends on, the one that is pending there.
    """
    while tensor._value is None and (THREAD.functions or is_in_run()):
        recording: Any = tensor._recording
        outer = recording.enclosing
        if outer is None:
            break
        found = _repeated(recording, outer, tensor)
        if found is None:
            break
        tensor = found
    return tensor


def _repeated(recording: Recording, outer: Recording, tensor: EagerTensor) -> EagerTensor | None:
    """Records a tensor of a body in the recording around it; None if it depends on an argument."""
    filled = _filled(recording)
    nodes = needed(recording.at, [tensor._slot], _given(recording.at) | filled.keys())
    mapped: dict[int, int] = {}
    scalars: dict[int, Any] = {}
    defined = {slot for node in nodes for slot in range(node.first_output, node.end)}
    read = {tensor._slot}.union(*(node.inputs for node in nodes))
    for slot in sorted(read - defined):
        if slot in filled:
            mapped[slot] = outer.leaf(from_host(filled[slot]()))
            continue
        if slot in recording.data.scalars:
            scalars[slot] = recording.data.scalars[slot]
            continue
        if slot not in recording.data.leaves:
            return None
        leaf = effective_key(recording.data.leaves[slot])
        mapped[slot] = leaf._slot if leaf._recording is outer else outer.leaf(leaf)
    for node in nodes:
        repeat_node(outer, node, mapped, scalars)
        for slot in range(node.first, node.first_output):
            outer.data.scalars[mapped[slot]] = scalars[slot]
        if node.checked:
            outer.effects.append(outer.at.first_output)
    return outer.tensor_at(mapped[tensor._slot], tensor._type)


def _filled(recording: Recording) -> dict[int, Callable[[], np.ndarray]]:
    """Returns what makes the values of slots for which only the shapes of others matter."""
    values = {FUNCTIONS["_zeros_like"].op: 0, FUNCTIONS["_ones_like"].op: 1}
    found = {}
    account = open_sizes() if ACCOUNTS else None
    node: Node | None = recording.at
    while node is not None:
        if (value := values.get(node.operation)) is not None:
            tensor = recording.tensor_at(node.first_output, node.type)
            if account is None or account.other_sizes(tensor) == node.type.shape:
                made = node.type.shape, value, node.type.numpy_dtype
                found[node.first_output] = functools.partial(np.full, *made)
        node = node.parent
    return found


def _given(at: Node) -> set[int]:
    """Returns the slots up to `at` that no instruction computes: of leaves and of numbers."""
    given = set()
    node: Node | None = at
    while node is not None:
        given.update(range(node.first, node.end if node.operation is None else node.first_output))
        node = node.parent
    return given


def repeat_node(
    recording: Recording, node: Node, mapped: dict[int, int], scalars: dict[int, Any]
) -> None:
    """Records an instruction again.

    Args:
        recording: where.
        node: the instruction.
        mapped: for each slot that is known where it was recorded the one in `recording`; those of
            the instruction are added.
        scalars: the Python numbers among its operands, by slot.
    """
    at = recording.at
    marked = [
        mapped[slot] if slot in mapped else MARKERS[type(scalars[slot])] for slot in node.inputs
    ]
    key = (at, node.operation, node.static, *marked)
    found = EDGES.get(key)
    if found is None:
        count = node.first_output - node.first
        inputs = tuple([at.end if slot < 0 else slot for slot in marked])
        ghosts = tuple(mapped.get(slot, -1) for slot in node.ghosts)
        found = TREE.add(key, Node(
            at, node.operation, node.static, inputs, node.types[:count], node.types[count:],
            node.structure, ghosts, node.checked, counted=True, line=node.line, caller=node.caller,
        ))  # fmt: skip
    recording.at = found
    mapped.update(zip(range(node.first, node.end), range(found.first, found.end), strict=True))
