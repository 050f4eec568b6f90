"""Large buffers of variables are given to the program that computes their next values.

XLA writes the new value over the old one, so that a training step needs the memory of one set of
variables and not of two. A buffer is given away only if nobody else can ever look at it: not a
tensor that the user keeps, nor a tape, nor another variable. (JAX itself keeps what NumPy arrays
without a copy of their own refer to.) If somebody can, a copy is given away: it takes no more
memory than a result of its own, and there is one program for both cases.

From the moment of the call on the results are all there is. So they are in a list, a `Handover`,
before any Python code can be interrupted, and what was interrupted is finished at the next look.
"""

import itertools
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._trace.executables import CONCRETE, WRAPPERS, outputs_of

# Bytes. Giving a buffer away costs about 1 us, and a smaller one saves nothing that counts.
MIN_DONATED_BYTES = 1 << 20


class Handover:
    """A call that consumes its arguments, and where its results belong.

    Attributes:
        found: what the call has returned, in a list; empty as long as it has not.
        store: puts the results where they belong; may be called twice.
    """

    __slots__ = ("found", "store")

    def __init__(self, store: Callable[[Any], None]) -> None:
        self.found: list[Any] = []
        self.store = store

    def call(self, function: Any, arguments: Sequence[Any]) -> None:
        """Calls; no interrupt comes between the call and the list."""
        self.found.extend(itertools.starmap(function, (arguments,)))

    def finish(self) -> None:
        """Stores the results, if there are any."""
        if self.found:
            self.store(self.found[0])


def is_large(type_: TensorType) -> bool:
    """Whether giving the buffer of such a value away pays."""
    return type_.size * type_.numpy_dtype.itemsize >= MIN_DONATED_BYTES


def references(held: list[Any], place: int) -> int:
    """Returns how many references there are to what a list holds, but for the list's."""
    return sys.getrefcount(held[place]) - _OWN_REFERENCES


def is_free(held: list[EagerTensor], place: int, holders: int) -> bool:
    """Whether nobody but `holders` and the list refers to a tensor, and nobody to its value."""
    if references(held, place) != holders or type(held[place]._value) not in CONCRETE:
        return False  # of NumPy arrays JAX has no buffer that it could take
    return sys.getrefcount(held[place]._value) == _OWN_REFERENCES


_PROBE = [object()]
_OWN_REFERENCES = sys.getrefcount(
    _PROBE[0]
)  # the list's, and that of looking, where Python counts it


def free_arguments(
    recording: Any, program: Any, pending: Sequence[tuple[int, EagerTensor]]
) -> tuple[tuple[int, ...], list[int]]:
    """Finds values of variables that end with a step.

    Args:
        recording: the recording, whose variables have been assigned.
        program: what computes their new values.
        pending: what it computes, with the slots.

    Returns:
        The arguments of the program that are such values, and those of them that somebody else
        can look at.
    """
    data = [recording.data]
    # A tape that can still be asked holds the values. So do `recording` and the caller.
    if not program.large or recording.is_held or recording.traced or WRAPPERS:
        return (), []
    if references(data, 0) != 2 or not program.executable.is_plain:
        return (), []
    leaves = data[0].leaves
    if program.executable.index_limits and program.wrong_indices(
        program.arguments(leaves, recording.data.scalars)
    ):
        return (), []  # it fails, and the variables stay
    times = Counter(map(id, leaves.values()))
    computed = {id(tensor) for _, tensor in pending}
    ends = {  # what is assigned anew, and by what; no name is left that refers to it
        id(before): id(variable._tensor)
        for variable, before in recording.assigned.values()
        if variable._tensor._type is before._type and id(variable._tensor) in computed
    }
    found, shared = [], []
    taken = Counter([id(leaves[slot]) for slot in program.array_slots])
    for place in program.large:
        held = [leaves[program.array_slots[place]]]
        new = ends.get(id(held[0]))
        if new not in computed or taken[id(held[0])] != 1:
            continue
        computed.discard(new)
        found.append(place)
        # The leaves and `assigned` hold it.
        if not is_free(held, 0, times[id(held[0])] + 1):
            shared.append(place)
    return tuple(found), shared


def hand_over(
    recording: Any, program: Any, shared: Sequence[int], pending: Sequence[tuple[int, EagerTensor]]
) -> None:
    """Runs the program of a step that takes buffers of variables."""

    def store(result: Any) -> None:
        recording._store(pending, outputs_of(result, program.executable))
        recording.assigned = {}  # there is no way back

    arguments = program.arguments(recording.data.leaves, recording.data.scalars)
    recording.handover = Handover(store)
    program.hand_over(arguments, shared, recording.handover)
    recording.finish_handover()


class PromisedValues:
    """In the place of a recording: what gives the results of a call to variables that wait for it.

    Attributes:
        lock: held during the call; other threads wait.
        handover: the call.
    """

    def __init__(
        self, store: Callable[[Any], None], new: list[EagerTensor], before: list[EagerTensor]
    ) -> None:
        self.lock = threading.RLock()
        self.handover = Handover(store)
        self._new = new
        self._before = [tensor._value for tensor in before]
        for tensor in new:
            tensor._recording = self

    def finish(self) -> None:
        """Gives the tensors their values: those from before, if there was no call."""
        self.handover.finish()
        for tensor, value in zip(self._new, self._before, strict=True):
            if tensor._value is None:
                tensor._value, tensor._recording = value, None
        self._before = [None] * len(self._new)

    def compute(self, tensor: EagerTensor) -> None:
        """Gives a tensor its value, for somebody who looks before `finish` has ended."""
        with self.lock:
            self.finish()

    def symbolic_name(self, tensor: EagerTensor) -> str | None:
        """Returns no name: this is no function."""
        return None
