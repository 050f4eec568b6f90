"""Rows that a loop takes at the number of its iteration, from tensors with a row for each.

Loops over the steps of an episode run over tensors that are as long as it is. The rows that they
take lie in a longer tensor here, which has the same size for many lengths: so it is one loop for
all of these.
"""

from typing import Any

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.thread_state import ThreadState
from tapefacade._ops.array.padding import pad
from tapefacade._trace.recording import THREAD

MIN_ROOM = 64


def room_for(count: int) -> int:
    """Returns how many rows there is room for where there are so many: a power of two."""
    return max(MIN_ROOM, 1 << (count - 1).bit_length())


def with_room(rows: EagerTensor) -> EagerTensor:
    """Returns rows with zeros after them."""
    shape = rows._type.shape
    further = room_for(shape[0]) - shape[0]
    return pad(rows, [[0, further], *([0, 0] for _ in shape[1:])]) if further else rows


def is_same(one: Any, other: EagerTensor | None) -> bool:
    """Whether two tensors are the same result of the same recording."""
    return one is other or (
        type(one) is EagerTensor
        and other is not None
        and one._recording is other._recording
        and one._slot == other._slot
    )


class LoopRows:
    """What a loop takes rows of.

    Attributes:
        count: the number of iterations.
        room: how many rows there is room for.
        index: the number of the iteration that is recorded.
        is_used: whether rows have been taken, or arrays got room.
    """

    index: EagerTensor | None = None
    is_used = False

    def __init__(self, count: int) -> None:
        self.count = count
        self.room = room_for(count)
        # By the ids of tensors from outside: these, and the same with room.
        self._known: dict[int, tuple[EagerTensor, EagerTensor]] = {}

    def holding(self, rows: Any, index: Any) -> EagerTensor | None:
        """Returns the longer tensor in which the row is that is taken; None if it is another one.

        Args:
            rows: what it is taken from.
            index: which row.
        """
        if type(rows) is not EagerTensor or rows._type.shape[:1] != (self.count,):
            return None
        is_plain = rows._type.numpy_dtype.kind in "biufc"
        if not is_plain or not is_same(index, self.index) or not _is_outside(rows, index):
            return None
        if id(rows) not in self._known:
            recording: Any = index._recording
            with THREAD.temporarily(recording=recording.enclosing):
                self._known[id(rows)] = rows, with_room(rows)
        self.is_used = True
        return self._known[id(rows)][1]


def _is_outside(rows: EagerTensor, index: EagerTensor) -> bool:
    """Whether a tensor was there before the loop whose number is given."""
    recording: Any = index._recording
    while (recording := recording.enclosing) is not None:
        if rows._recording is recording:
            return True
    return rows._value is not None


class _CurrentLoop(ThreadState):
    """The loop whose body this thread records; None if it has no such rows."""

    rows: LoopRows | None = None


CURRENT_LOOP = _CurrentLoop()
