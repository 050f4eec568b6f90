"""Loops over rows: recorded as one instruction, or as the Python loop that they stand for.

TensorFlow runs the Python of a loop's body once for every row. Here it runs twice, on tensors
without values (a *rehearsal*). If both times the same was recorded, of the same values from
outside, the loop is one instruction. If not (a counter, a `next(...)`, NumPy's random numbers),
what was recorded are the first two iterations, and Python goes on with the others.
"""

import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core.interned_objects import interned
from tapefacade._core.random_keys import Draw, body_draws, drawn_for_rows, rehearsing
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._function.control.bodies import Body, body_of, operand, record_checks
from tapefacade._function.control.scan_op import MAP, BodyKey, ScanForEffects, ScanLoop, ScanPlan
from tapefacade._function.function.recorded_program import slot_in
from tapefacade._ops.array.joining import unstack
from tapefacade._state.joint_assignments import put_together
from tapefacade._state.variable import Variable
from tapefacade._trace.assignments import locked
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.open_sizes import sized_like
from tapefacade._trace.recording import THREAD, Recording
from tapefacade._trace.slices import adopt_lines

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
        with locked(self.body.assigned):
            return self._again(arguments)

    def _again(self, arguments: Sequence[EagerTensor]) -> list[EagerTensor]:
        recorded = self.body.recorded
        recording = THREAD.recording
        slots = [slot_in(recording, tensor) for tensor in arguments]
        slots += recorded.inputs(recording)
        mapped, _, effects = recorded.repeated(recording, slots)
        recorded.add_effects(recording, effects)
        for tensor in self._kept:
            self._hand_over(recording, tensor, mapped[tensor._slot])
        results = [recording.tensor_at(mapped[s], recorded.type_of(s)) for s in recorded.results]
        put_together(
            [variable for variable, _ in recorded.assigned],
            [recording.tensor_at(mapped[s], recorded.type_of(s)) for _, s in recorded.assigned],
        )
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


WHY_LOOKED = "the Python of a loop's body looks at a value ({})"
WHY_SOURCES = "a loop's body assigns a trainable variable, or has a gradient made by hand"


class RowLoop(NamedTuple):
    """A loop over the rows of tensors.

    Attributes:
        kind: MAP, SCAN or FOLD.
        described: the user's function, for messages.
        state: what the first iteration gets; nothing for MAP.
        elements: the tensors whose rows the iterations get.
        reverse: whether the last row comes first.
        begins: whether the state is the first row; `state` is empty then.
        names: TensorFlow's names of what the body gets.
    """

    kind: str
    described: Callable[..., Any]
    state: list[EagerTensor]
    elements: list[EagerTensor]
    reverse: bool = False
    begins: bool = False
    names: tuple[str, ...] = ()

    @property
    def iterations(self) -> int:
        """How often the body runs."""
        return self.elements[0]._type.shape[0] - self.begins

    @property
    def state_types(self) -> list[TensorType]:
        """The types of the state."""
        return self.row_types if self.begins else [tensor._type for tensor in self.state]

    @property
    def row_types(self) -> list[TensorType]:
        """The types of the rows."""
        return [type_of(e._type.shape[1:], e._type.numpy_dtype) for e in self.elements]


def in_graph() -> bool:
    """Whether TensorFlow would make a graph here: within a `tf.function`."""
    return bool(THREAD.functions)


def found_body(
    rows: RowLoop, step: Step, check: Callable[[Body], None] | None = None
) -> tuple[Body | None, list[Iteration]]:
    """Records the body of a loop, if one program stands for all iterations.

    Args:
        rows: the loop.
        step: takes the state and the rows, and returns a list of tensors.
        check: in a function, raises what TensorFlow raises where the state changes its type.

    Returns:
        The body; or None, and iterations that Python has done already. Python has to do the others.
    """
    types = [*rows.state_types, *rows.row_types]
    recording = THREAD.recording
    states = 0 if rows.kind == MAP else len(rows.state_types)
    if recording.frame is None:
        if rows.iterations < 2:
            return None, []
        return rehearsed(step, rows.described, types, rows.names, states)
    try:
        with rehearsing(), body_draws():
            taken = rows.elements * (1 + rows.begins)  # the first rows are the state
            inner = sized_like(step, rows.state, taken)
            body = body_of(inner, rows.described, types, rows.names)
    except ValueWanted as wanted:
        recording.observe(WHY_LOOKED.format(wanted.line))
        return None, []
    if check is not None:
        check(body)
    if recording.watchers() and needs_python(body):
        recording.observe(WHY_SOURCES)
        return None, []
    return body, []


def record_loop(body: Body, rows: RowLoop, vector: bool = False) -> list[EagerTensor]:
    """Records a loop as one instruction, with what it assigns, prints and checks.

    Args:
        body: the body.
        rows: the loop.
        vector: whether all iterations may run at once.

    Returns:
        The results: of all iterations, stacked, or of the last one.
    """
    with locked(body.assigned):
        return _record_loop(body, rows, vector)


def _record_loop(body: Body, rows: RowLoop, vector: bool) -> list[EagerTensor]:
    operands = [operand(tensor) for tensor in (*rows.state, *rows.elements)]
    held: dict[int, list[int]] = {}
    keys, draws = [], []
    outside = body.outside()
    for place, item in enumerate(outside):
        if isinstance(item, Draw):
            keys.append(BodyKey(place, item.key._type))
            draws.append(item)
            continue
        operands.append(operand(item))
        if isinstance(item, Variable):
            held.setdefault(id(item), []).append(place)
    if draws:
        operands.append(operand(drawn_for_rows(draws, rows.iterations)))
    plan = ScanPlan(
        rows.kind, body.program, body.count, len(rows.state_types) if rows.kind != MAP else 0,
        len(rows.elements), rows.iterations, rows.reverse, rows.begins, len(outside),
        tuple(tuple(held.get(id(variable), ())) for variable in body.assigned), tuple(keys),
        coarse=in_graph() and not vector,
        vector=vector and not body.assigned and not body.program.acts,
        opaque=any(variable.trainable for variable in body.assigned),
    )  # fmt: skip
    return _recorded(plan, body, operands)


def _recorded(
    plan: ScanPlan, body: Body, operands: Sequence[tuple[int, TensorType]]
) -> list[EagerTensor]:
    recording = THREAD.recording
    slots = tuple([slot for slot, _ in operands])
    types = [type_ for _, type_ in operands]
    loop = interned(ScanLoop, plan)
    adopt_lines(loop.plan, plan)
    outputs = recording.apply(loop, (), slots, types)
    end = body.count + len(body.assigned)
    if plan.iterations:
        put_together(body.assigned, outputs[body.count : end])
    rest = iter(outputs[end:])
    record_checks(
        loop.plan.program.checks, [[next(rest) for _ in check] for check in loop.check_types]
    )
    if plan.program.acts:
        recording.apply(interned(ScanForEffects, plan), (), slots, types)
        if recording.frame is None:
            recording.flush()
    return outputs[: body.count]


def python_rows(rows: RowLoop) -> Iterator[list[EagerTensor]]:
    """Yields the rows, one after the other, for a loop in Python."""
    parts = [list(unstack(element)) for element in rows.elements]
    ordered = list(zip(*parts, strict=True))
    for row in reversed(ordered) if rows.reverse else ordered:
        yield list(row)
