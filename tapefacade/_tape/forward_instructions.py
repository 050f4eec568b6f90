"""Forward derivatives that `jvp` records after a block: where in a recording they belong.

TensorFlow computes a forward derivative together with the op it belongs to; here it is recorded
when it is asked for, which may be after the block. Other tapes and accumulators treat it as if it
had been recorded with its target: it belongs to those whose block was open then, and had been open
before the accumulator's.
"""

import weakref
from collections.abc import Sequence
from typing import Any

from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._tape.derivatives.derivative import FORWARD, Derivative
from tapefacade._trace.recording import THREAD, RecordedValues, Recording
from tapefacade._trace.tree import Node

# In `RecordedValues.custom`: the last node at which a forward derivative was recorded.
KEY_OF_LAST_FORWARD = -1
# In `RecordedValues.slots`: a forward derivative of what was recorded there, computed elsewhere.
SLOT_ELSEWHERE = -1


def is_forward(node: Node) -> bool:
    """Whether an instruction is what an accumulator's `jvp` records."""
    return type(node.operation) is Derivative and node.operation.kind is FORWARD


def anchor(node: Node) -> int:
    """Returns a slot that was recorded when the block of a forward derivative began."""
    return node.inputs[-1]


def moment(node: Node, place: int) -> int:
    """Returns the position at which an output of an instruction belongs; -1: nowhere."""
    if not is_forward(node):
        return node.first
    if not node.ghosts:
        return -1
    part = node.operation.part  # type: ignore[union-attr]
    target = node.ghosts[part.outputs[place] - len(part.inputs)]
    before = node
    while before.first > target and before.parent is not None:
        before = before.parent
    return moment(before, target - before.first_output)


def is_within(node: Node, place: int, intervals: Sequence[tuple[int, int]]) -> bool:
    """Whether who recorded in the intervals saw an output of an instruction."""
    if not is_forward(node):
        first = node.first
        return any(start <= first < end for start, end in intervals)
    opened, position = anchor(node), moment(node, place)
    return any(start <= opened and start <= position < end for start, end in intervals)


def extended(
    end: Node | None, trace: Recording, data: RecordedValues, targets: Sequence[Any]
) -> Node:
    """Returns where a window ends, or later if the targets were recorded later.

    Raises:
        RuntimeError: if a target is a forward derivative that was computed in another recording.
    """
    assert end is not None  # the block has been entered
    for target in targets:
        known = type(target) is EagerTensor and target._recording is trace
        slot = target._slot if known else data.slots.get(id(target), 0)
        if slot >= end.end:
            end = latest(end, trace, data)
        if slot == SLOT_ELSEWHERE:
            raise hinted(
                RuntimeError(
                    "A forward derivative was asked for after its block and after values had been "
                    "looked at: no tape or accumulator around the block knows it."
                ),
                "Call `jvp` before the outer block ends, or before a value is looked at.",
            )
    return end


def latest(end: Node, trace: Recording, data: RecordedValues) -> Node:
    """Returns the last node that may hold something of a window that ends at `end`."""
    if THREAD.recording is trace and trace.data is data:
        return trace.at
    last = data.custom.get(KEY_OF_LAST_FORWARD)
    return end if last is None or last.end < end.end else last


def mark_elsewhere(data: RecordedValues, tensor: EagerTensor) -> None:
    """Notes that a tensor is a forward derivative that was computed in another recording."""
    if id(tensor) not in data.slots:
        data.slots[id(tensor)] = SLOT_ELSEWHERE
        weakref.finalize(tensor, data.slots.pop, id(tensor), None).atexit = False
