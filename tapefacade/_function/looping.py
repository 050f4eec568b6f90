"""Recording a loop over rows: as one instruction, or as the Python loop that it stands for."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tapefacade._core.generators import Draw, body_draws, drawn_for_rows, rehearsing
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.types import TensorType, type_of
from tapefacade._function.bodies import Body, body_of, operand, record_checks
from tapefacade._function.loops import MAP, ActingScan, Key, Loop, Plan, loop_of
from tapefacade._function.rehearsing import Iteration, Step, needs_python, rehearsed
from tapefacade._ops.joining import unstack
from tapefacade._state.variable import Variable
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.recording import THREAD

WHY_LOOKED = "the Python of a loop's body looks at a value ({})"
WHY_SOURCES = "a loop's body assigns a trainable variable, or has a gradient made by hand"


class Rows(NamedTuple):
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
    rows: Rows, step: Step, check: Callable[[Body], None] | None = None
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
            body = body_of(step, rows.described, types, rows.names)
    except ValueWanted as wanted:
        recording.observe(WHY_LOOKED.format(wanted.line))
        return None, []
    if check is not None:
        check(body)
    if recording.watchers() and needs_python(body):
        recording.observe(WHY_SOURCES)
        return None, []
    return body, []


def record_loop(body: Body, rows: Rows, vector: bool = False) -> list[EagerTensor]:
    """Records a loop as one instruction, with what it assigns, prints and checks.

    Args:
        body: the body.
        rows: the loop.
        vector: whether all iterations may run at once.

    Returns:
        The results: of all iterations, stacked, or of the last one.
    """
    operands = [operand(tensor) for tensor in (*rows.state, *rows.elements)]
    held: dict[int, list[int]] = {}
    keys, draws = [], []
    outside = body.outside()
    for place, item in enumerate(outside):
        if isinstance(item, Draw):
            keys.append(Key(place, item.key._type))
            draws.append(item)
            continue
        operands.append(operand(item))
        if isinstance(item, Variable):
            held.setdefault(id(item), []).append(place)
    if draws:
        operands.append(operand(drawn_for_rows(draws, rows.iterations)))
    plan = Plan(
        rows.kind, body.program, body.count, len(rows.state_types) if rows.kind != MAP else 0,
        len(rows.elements), rows.iterations, rows.reverse, rows.begins, len(outside),
        tuple(tuple(held.get(id(variable), ())) for variable in body.assigned), tuple(keys),
        coarse=in_graph() and not vector, vector=vector and not body.assigned and not body.program.acts,
        opaque=any(variable.trainable for variable in body.assigned),
    )  # fmt: skip
    return _recorded(plan, body, operands)


def _recorded(
    plan: Plan, body: Body, operands: Sequence[tuple[int, TensorType]]
) -> list[EagerTensor]:
    recording = THREAD.recording
    slots = tuple([slot for slot, _ in operands])
    types = [type_ for _, type_ in operands]
    loop = loop_of(Loop, plan)
    outputs = recording.apply(loop, (), slots, types)
    end = body.count + len(body.assigned)
    if plan.iterations:
        for variable, tensor in zip(body.assigned, outputs[body.count : end], strict=True):
            variable._put(tensor)
    rest = iter(outputs[end:])
    record_checks(
        loop.plan.program.checks, [[next(rest) for _ in check] for check in loop.check_types]
    )
    if plan.program.acts:
        recording.apply(loop_of(ActingScan, plan), (), slots, types)
        if recording.frame is None:
            recording.flush()
    return outputs[: body.count]


def python_rows(rows: Rows) -> Iterator[list[EagerTensor]]:
    """Yields the rows, one after the other, for a loop in Python."""
    parts = [list(unstack(element)) for element in rows.elements]
    ordered = list(zip(*parts, strict=True))
    for row in reversed(ordered) if rows.reverse else ordered:
        yield list(row)
