"""Stretches of a recording that are repeated without their Python.

Python that does the same each time records the same instructions, and so finds the same nodes. If
nothing but what is noted here has happened on the way, the recording can go to the end of such a
stretch at once: it reads the variables and enters the constants where the Python did, and arrives
at the very node at which the Python would, so that the program is the same.

Whoever uses this knows that the Python depends on nothing else: `_keras/training/layer_calls.py`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._trace.assignments import locked
from tapefacade._trace.tree import Node, users_line

READ, CONSTANT, ASSIGNED = "read", "constant", "assigned"
MAX_CONSTANT = 1 << 12  # bytes of a constant that are compared


class Event(NamedTuple):
    """Something that a stretch needs beside its instructions.

    Attributes:
        kind: what has happened.
        what: the variable, or the constant.
        before: where the recording was.
        after: where it was then.
        slot: what a variable got; -1 if it is no assignment.
    """

    kind: str
    what: Any
    before: Node
    after: Node
    slot: int = -1

    def equals(self, other: "Event") -> bool:
        """Whether the same has happened."""
        if self[:1] + self[2:] != other[:1] + other[2:]:
            return False
        return self.what is other.what or (
            self.kind == CONSTANT and _is_equal(self.what._value, other.what._value)
        )


def _is_equal(one: Any, other: Any) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    return (
        one.nbytes <= MAX_CONSTANT
        and one.dtype == other.dtype
        and one.shape == other.shape
        and one.tobytes() == other.tobytes()
    )


class StretchNotes:
    """What happens in a stretch of a recording while its Python runs.

    Attributes:
        events: what happens, in order.
        is_certain: whether the Python has looked at nothing that may be other the next time.
    """

    __slots__ = ("events", "is_certain")

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.is_certain = True

    def note_read(self, variable: Any, before: Node, after: Node) -> None:
        """Takes note that a variable was read, which has recorded something or nothing."""
        self.events.append(Event(READ, variable, before, after))

    def note_constant(self, tensor: EagerTensor, before: Node, after: Node) -> None:
        """Takes note that a tensor from outside was entered."""
        self.events.append(Event(CONSTANT, tensor, before, after))

    def note_assigned(self, variable: Any, tensor: EagerTensor, recording: Any) -> None:
        """Takes note that a variable has got a tensor."""
        if tensor._recording is not recording:
            self.is_certain = False  # what it got was there before
        self.events.append(Event(ASSIGNED, variable, recording.at, recording.at, tensor._slot))


class RecordedStretch:
    """A stretch of a recording that Python has recorded.

    Attributes:
        events: what it needs beside its instructions.
        end: where it ends.
        outputs: the slots of its results, and their types.
        known: the variables that had been read before, and the slots of their values.
        scalars: the Python numbers in it, by slot.
        checked: the slots of what may fail.
        assigned: the variables that it assigns.
    """

    __slots__ = ("assigned", "checked", "end", "events", "known", "outputs", "scalars")

    def __init__(
        self, events: list[Event], end: Node, outputs: Sequence[EagerTensor],
        known: list[tuple[Any, int]], scalars: dict[int, Any], checked: list[int],
    ) -> None:  # fmt: skip
        self.events = events
        self.end = end
        self.outputs: list[tuple[int, TensorType]] = [(t._slot, t._type) for t in outputs]
        self.known = known
        self.scalars = scalars
        self.checked = checked
        assigned = {id(e.what): e.what for e in events if e.kind == ASSIGNED}
        self.assigned = list(assigned.values())

    def equals(self, other: "RecordedStretch") -> bool:
        """Whether two runs of the Python have done the same."""
        return (
            self.end is other.end
            and self.outputs == other.outputs
            and _same(self.known, other.known)
            and repr(self.scalars) == repr(other.scalars)
            and len(self.events) == len(other.events)
            and all(map(Event.equals, self.events, other.events))
        )

    def repeated(self, recording: Any) -> list[EagerTensor] | None:
        """Records the stretch again, where it began, and assigns its variables.

        Returns:
            The results; None if something is not as it was, so that the Python has to run.
        """
        for variable, slot in self.known:
            if variable._slot_in(recording) != slot:
                return None
        with locked(self.assigned):
            if not self._passed(recording):
                return None
        if self.checked:
            line = users_line()
            for slot in self.checked:
                recording.effects.append(slot)
                recording.data.note_line(slot, line)
        return [recording.tensor_at(slot, type_) for slot, type_ in self.outputs]

    def _passed(self, recording: Any) -> bool:
        """Goes to the end, unless something on the way is not as it was."""
        before: list[tuple[Any, EagerTensor]] = []
        scalars = recording.data.scalars
        arrived = False
        tapes = recording.tapes_of_plain_reads()
        try:
            scalars.update(self.scalars)
            for kind, what, at, after, slot in self.events:
                recording.at = at
                if kind == READ:
                    if after is not at:
                        what._read_at = None  # the Python has read it elsewhere meanwhile
                    if tapes is None:
                        what._slot_in(recording)
                    else:
                        what._slot_entered(recording, tapes)
                elif kind == CONSTANT:
                    recording.new_leaf(what)
                else:
                    before.append((what, what._seen))
                    what._put(recording.tensor_at(slot, what._type))
                if recording.at is not after:
                    return False
            recording.at = self.end
            arrived = True
        finally:
            if not arrived:  # also Ctrl-C
                for variable, tensor in reversed(before):
                    variable._restore(tensor)
                for slot in self.scalars:
                    scalars.pop(slot, None)
        return True


def _same(one: list[tuple[Any, int]], other: list[tuple[Any, int]]) -> bool:
    return [(id(v), slot) for v, slot in one] == [(id(v), slot) for v, slot in other]


def stretch_of(
    recording: Any, start: Node, notes: StretchNotes, arguments: Sequence[int],
    outputs: Sequence[EagerTensor], variables: Sequence[Any],
) -> RecordedStretch | None:  # fmt: skip
    """Returns what has been recorded since `start`, if that can be repeated.

    Args:
        recording: where.
        start: where it began.
        notes: what has happened.
        arguments: the slots of the tensors that it was given.
        outputs: its results.
        variables: those that it may have read.
    """
    if not notes.is_certain or any(
        tensor._recording is not recording or tensor._slot < start.end for tensor in outputs
    ):
        return None
    scalars: dict[int, Any] = {}
    checked: list[int] = []
    used: set[int] = set()
    leaves = 0
    node = recording.at
    while node is not start:
        operation = node.operation
        if operation is None:
            leaves += 1
        elif not operation.replayable or operation.acts or operation.asserts(node.static):
            return None
        used.update(node.inputs)
        used.update(node.ghosts)
        for slot in range(node.first, node.first_output):
            scalars[slot] = recording.data.scalars[slot]
        if node.checked:
            checked.append(node.first_output)
        node = node.parent
        if node is None:
            return None  # it has begun elsewhere
    entered = [e for e in notes.events if e.kind != ASSIGNED and e.after.operation is None]
    if leaves != sum(e.before is not e.after for e in entered):
        return None
    outer = {slot for slot in used if slot < start.end}.difference(arguments)
    known = [
        (variable, read[3])
        for variable in variables
        if (read := variable._read_at) is not None and read[0] is recording and read[3] in outer
    ]
    if len(outer) != len({slot for _, slot in known}):
        return None  # it has used a tensor from outside
    return RecordedStretch(notes.events, recording.at, outputs, known, scalars, checked[::-1])
