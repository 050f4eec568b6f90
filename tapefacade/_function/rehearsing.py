"""Loops in eager code: may the Python of one iteration stand for all of them?

TensorFlow runs the Python of a loop's body once for every row. Here it runs twice, on tensors
without values. If both times the same was recorded, of the same values from outside, the loop is
one instruction. If not (a counter, a `next(...)`, NumPy's random numbers), what was recorded are
the first two iterations, and Python goes on with the others.
"""

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core.generators import Draw, rehearsing
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.types import TensorType
from tapefacade._function.bodies import Body, body_of
from tapefacade._function.recorded import slot_in
from tapefacade._state.variable import Variable
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.recording import THREAD, Recording

Step = Callable[[list[EagerTensor]], Any]


class Iteration:
    """One run of a body's Python on tensors without values.

    Attributes:
        body: what was recorded.
        is_plain: whether the Python has kept none of the tensors.
    """

    def __init__(
        self, step: Step, described: Callable[..., Any], types: Sequence[TensorType],
        names: Sequence[str],
    ) -> None:  # fmt: skip
        """Runs it.

        Raises:
            ValueWanted: if the Python looks at a value.
        """
        made: list[weakref.ref[EagerTensor]] = []
        recordings: list[Recording] = []

        def noted(tensors: list[EagerTensor]) -> Any:
            recordings.append(THREAD.recording)
            made.extend(map(weakref.ref, tensors))
            return step(tensors)

        with rehearsing():
            self.body = body_of(noted, described, types, names)
        (recording,) = recordings
        made += recording.owners.values()
        self._kept = [tensor for reference in made if (tensor := reference()) is not None]
        self.is_plain = not self._kept

    def again(self, arguments: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Records it with values, in the place of an iteration that Python does.

        Args:
            arguments: the operands.

        Returns:
            The results. What the Python has kept are from now on tensors with values, too.
        """
        recorded = self.body.recorded
        recording = THREAD.recording
        slots = [slot_in(recording, tensor) for tensor in arguments]
        slots += recorded.inputs(recording)
        mapped, _, effects = recorded.repeated(recording, slots)
        recording.effects.extend(effects)
        for tensor in self._kept:
            self._hand_over(recording, tensor, mapped[tensor._slot])
        results = [recording.tensor_at(mapped[s], recorded.type_of(s)) for s in recorded.results]
        for variable, slot in recorded.assigned:
            variable._put(recording.tensor_at(mapped[slot], recorded.type_of(slot)))
        self._kept = []
        if recorded.acts and recording.frame is None:
            recording.flush()
        return results

    def _hand_over(self, recording: Recording, tensor: EagerTensor, slot: int) -> None:
        known = recording.known_at(slot)
        tensor._recording, tensor._slot = recording, slot
        if known is not None:
            tensor._value = known._value
        if tensor._value is None:
            recording.owners[slot] = weakref.ref(tensor)


def rehearsed(
    step: Step, described: Callable[..., Any], types: Sequence[TensorType],
    names: Sequence[str], states: int = 0,
) -> tuple[Body | None, list[Iteration]]:  # fmt: skip
    """Runs the Python of a body twice, to see whether it does the same.

    Args:
        step: takes the state and the rows, and returns a list of tensors.
        described: the user's function, for messages.
        types: the types of the state and the rows.
        names: TensorFlow's names of them.
        states: the number of tensors in the state, which are the results of the iteration before.

    Returns:
        The body if it does; else None, and the iterations that Python has done.
    """
    done: list[Iteration] = []
    try:
        for _ in range(2):
            iteration = Iteration(step, described, types, names)
            done.append(iteration)
            if not (iteration.is_plain and _fits(iteration.body, list(types[:states]))):
                return None, _usable(done)
    except ValueWanted:
        return None, _usable(done)
    first, second = (iteration.body for iteration in done)
    if _same(first, second):
        return second, []
    return None, _usable(done)


def _usable(done: list[Iteration]) -> list[Iteration]:
    """Returns the iterations, unless tapes have to see the Python of one of them."""
    taped = bool(THREAD.recording.watchers())
    return [] if taped and any(needs_python(iteration.body) for iteration in done) else done


def _fits(body: Body, states: list[TensorType]) -> bool:
    """Whether all iterations can be of this kind, also for the tapes that record now."""
    types = body.program.types
    if states and list(types[: body.count]) != states:
        return False
    new = types[body.count :]
    if any(v._type is not type_ for v, type_ in zip(body.assigned, new, strict=True)):
        return False
    return not THREAD.recording.watchers() or not needs_python(body)


def needs_python(body: Body) -> bool:
    """Whether tapes have to see the Python loop: a variable it assigns is a new source each time,
    and gradients made by hand or missing belong to single ops.
    """  # noqa: D205 - one sentence
    return not body.program.replayable or any(v.trainable for v in body.assigned)


def _same(first: Body, second: Body) -> bool:
    if first.program != second.program or first.count != second.count:
        return False
    if list(map(id, first.assigned)) != list(map(id, second.assigned)):
        return False
    pairs = zip(first.outside(), second.outside(), strict=True)
    return all(_equal(one, other) for one, other in pairs)


def _equal(one: Any, other: Any) -> bool:
    """Whether two iterations take the same from outside."""
    if one is other or (isinstance(one, Draw) and isinstance(other, Draw)):
        return True
    if isinstance(one, Variable | Draw) or isinstance(other, Variable | Draw):
        return False
    a, b = one._value, other._value
    if a is b:
        return a is not None
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return False
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
