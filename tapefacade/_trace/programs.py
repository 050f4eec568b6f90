"""Programs cut out of a recording, which compute what is wanted of it."""

import weakref
from collections.abc import Sequence

import numpy as np

from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._trace import execution
from tapefacade._trace.recorded_values import RecordedValues
from tapefacade._trace.slices import cut, needed
from tapefacade._trace.tree import Node

# A recording of which parts have been computed so often is an episode: in each iteration somebody
# has looked at a value, and decided whether there is another one.
MIN_RUNS_IN_EPISODE = 8


def make_program(
    at: Node, data: RecordedValues, wanted: tuple[int, ...], effects: tuple[int, ...] = ()
) -> execution.Program:
    """Makes the program that computes the `wanted` slots of a recording that ends `at`."""
    nodes = needed(at, (*wanted, *effects), data)
    data.raise_failed(node.first_output for node in nodes)
    # Looked up, not searched for: there may be thousands.
    scalars = {slot: node for node in nodes for slot in range(node.first, node.first_output)}

    def type_at(slot: int) -> TensorType:
        leaf = data.leaves.get(slot)
        if leaf is not None:
            return leaf._type
        node = scalars.get(slot)
        return type_in(at, slot) if node is None else node.types[slot - node.first]

    part, slots = cut(nodes, wanted, type_at)
    program = execution.Program(
        part, slots, data.scalars, [n.users_line for n in nodes], [n.first_output for n in nodes]
    )
    program.is_episode = data.runs >= MIN_RUNS_IN_EPISODE
    return program


def type_in(at: Node, slot: int) -> TensorType:
    """Returns the type of a slot, which the tree knows."""
    node = at
    while node.first > slot:
        assert node.parent is not None  # the root's first is 0
        node = node.parent
    return node.types[slot - node.first]


def values_of(
    at: Node, data: RecordedValues, slots: Sequence[int], types: dict[int, TensorType]
) -> list[EagerTensor]:
    """Returns tensors with the values in slots of a recording that has been closed.

    What has to be computed again is not kept: a tape holds what was given, not what was computed.
    """
    again = data.recomputed
    known = {slot: t for slot in slots if slot in again and (t := again[slot]()) is not None}
    unknown = tuple([slot for slot in slots if slot not in data and slot not in known])
    if unknown:
        program = make_program(at, data, unknown)
        try:
            outputs = program.run(data.leaves, data.scalars)
        except execution.ProgramFailedError as failed:
            raise failed.name_lines(data.lines).error from None
        for slot, output in zip(unknown, outputs, strict=True):
            type_ = type_of(tuple(output.shape), np.dtype(output.dtype))
            known[slot] = tensor = EagerTensor(type_, output, None, 0)
            if program.executable.acts:  # once
                data.leaves[slot] = tensor
            else:
                again[slot] = weakref.ref(tensor)
    found = []
    for slot in slots:
        if slot in known:
            found.append(known[slot])
            continue
        if slot not in data.leaves:
            data.leaves[slot] = from_host(np.array(data.scalars[slot], types[slot].numpy_dtype))
        found.append(data.leaves[slot])
    return found
