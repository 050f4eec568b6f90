"""Records `tf.while_loop`: as a scan, a loop with a bound, or one of unknown length.

Where the number of iterations is known the loop is a `scan`, like those over rows; tapes can
differentiate it, and random ops draw what they would in a Python loop. Where it is not known, it is
a `while`, which has no derivative in reverse: a tape that records has the loop run once, to learn
the number. In a function, which is recorded without values, a tape needs a bound.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.core import Tracer

from tapefacade._core.interned_objects import interned
from tapefacade._core.random_keys import Draw
from tapefacade._core.tensor import EagerTensor, from_host, host_value
from tapefacade._core.tensor_type import TensorType
from tapefacade._function.control.bodies import (
    FROM_ARGUMENTS,
    Body,
    BodyProgram,
    operand,
    record_checks,
)
from tapefacade._function.control.loop_variables import NotOneProgramError
from tapefacade._function.control.row_loops import RowLoop, in_graph, record_loop
from tapefacade._function.control.scan_op import FOLD
from tapefacade._function.control.while_op import (
    KEY,
    OPERAND,
    VARIABLE,
    DynamicLoop,
    DynamicLoopForEffects,
    WhilePlan,
    can_make_keys,
)
from tapefacade._state.joint_assignments import put_together
from tapefacade._state.variable import Variable
from tapefacade._trace.assignments import locked
from tapefacade._trace.recording import THREAD
from tapefacade._trace.slices import Step, adopt_lines

# Where a counter is compared: what is compared with what, and whether the limit itself counts.
_COMPARISONS = {
    "Less": (1, 0), "LessEqual": (1, 1), "Greater": (-1, 0), "GreaterEqual": (-1, 1),
}  # fmt: skip
_STEP_SIGNS = {"AddV2": 1, "Sub": -1}
WRITE_KERNEL = "TensorListSetItem"


def trip_count(condition: Body, body: Body, state: Sequence[EagerTensor]) -> int | None:
    """Returns how often a loop runs; None if that is not known.

    Args:
        condition: the condition, recorded.
        body: the body.
        state: the loop variables at first.
    """
    if body.assigned and _reads(condition, body.assigned):
        return None
    step = _only_step(condition.program)
    if step is None or step.operation.kernel not in _COMPARISONS:
        return None
    sign, inclusive = _COMPARISONS[step.operation.kernel]
    first, second = (_operand(condition, slot) for slot in step.inputs)
    if isinstance(first, int) and not isinstance(second, int):
        counter, limit = first, _known(second)
    elif isinstance(first, int):
        counter, limit = first, _unchanged(body, state, second)
        if limit is None:
            counter, limit, sign = second, _unchanged(body, state, first), -sign
    else:
        counter, limit, sign = second, _known(first), -sign
    if limit is None or not isinstance(counter, int):
        return None
    start, delta = host_value(state[counter]), added_to(body, counter)
    if start is None or start.shape or delta is None or delta * sign <= 0:
        return None
    distance = (limit - int(start)) * sign + inclusive
    count = max(0, -(-distance // abs(delta)))
    end = int(start) + count * delta
    return count if _within(end, start.dtype) else None


def _within(value: int, dtype: np.dtype[Any]) -> bool:
    limits = np.iinfo(dtype)
    return int(limits.min) <= value <= int(limits.max)


def _is_true(condition: Body) -> bool:
    """Whether a condition is a constant that is true."""
    (slot,) = condition.program.part.outputs
    if condition.program.part.steps:
        return False
    item = _operand(condition, slot)
    value = host_value(item) if isinstance(item, EagerTensor) else None
    return value is not None and bool(value)


def _only_step(program: BodyProgram) -> Step | None:
    steps = program.part.steps
    return steps[0] if len(steps) == 1 and len(steps[0].inputs) == 2 else None


def _operand(body: Body, slot: int) -> Any:
    """Returns the number of a loop variable, or what comes from outside."""
    kind, place = body.program.places[slot]
    return place if kind == FROM_ARGUMENTS else body.outside()[place]


def _known(item: Any) -> int | None:
    """Returns an integer that comes from outside, if its value is known on the host."""
    if isinstance(item, Draw | Variable) or not isinstance(item, EagerTensor):
        return None
    value = host_value(item)
    return None if value is None or value.shape or value.dtype.kind not in "iu" else int(value)


def _unchanged(body: Body, state: Sequence[EagerTensor], number: int) -> int | None:
    """Returns the value of a loop variable that the body passes on, if it is known."""
    program = body.program
    slot = program.part.outputs[number]
    if slot >= len(program.places) or program.places[slot] != (FROM_ARGUMENTS, number):
        return None
    return _known(state[number])


def added_to(body: Body, number: int) -> int | None:
    """Returns what the body adds to a loop variable, if that is known, and all it does to it."""
    program = body.program
    count = len(program.places)
    slot = program.part.outputs[number]
    first = count
    for step in program.part.steps:
        if first == slot:
            break
        first += len(step.types)
    else:
        return None
    if step.operation.kernel not in _STEP_SIGNS or any(s >= count for s in step.inputs):
        return None
    sign = _STEP_SIGNS[step.operation.kernel]
    one, two = (_operand(body, s) for s in step.inputs)
    if type(one) is int and one == number and type(two) is not int:
        added = _known(two)
    elif sign == 1 and type(two) is int and two == number and type(one) is not int:
        added = _known(one)
    else:
        return None
    return None if added is None else sign * added


def gets_next_element(body: Body, state: Sequence[EagerTensor], number: int) -> bool:
    """Whether each iteration writes the next element of a stacked array, and does no more with it.

    Args:
        body: the body, recorded.
        state: the loop variables at first.
        number: which of them the array is.
    """
    places, part = body.program.places, body.program.part
    array = places.index((FROM_ARGUMENTS, number))
    users = [step for step in part.steps if array in step.inputs]
    first = len(places)
    for step in part.steps:
        if users == [step] and part.outputs[number] == first:
            if step.operation.kernel != WRITE_KERNEL or step.inputs[2] >= len(places):
                return False
            counter = _operand(body, step.inputs[2])
            if array != step.inputs[0] or array in part.outputs or type(counter) is not int:
                return False
            return added_to(body, counter) == 1 and _known(state[counter]) == 0
        first += len(step.types)
    return False


def _reads(condition: Body, variables: Sequence[Variable]) -> bool:
    ids = {id(variable) for variable in variables}
    return any(id(item) in ids for item in condition.outside())


# A bound up to which a loop in a function always makes that many steps, empty ones at the end.
MAX_BOUND = 1024
# Of one loop, so many numbers of iterations get programs of their own; after these the numbers are
# rounded up to powers of two.
MAX_EXACT = 4
_LENGTHS: dict[Any, set[int]] = {}
_MAX_KNOWN = 1024

WHY_TAPE = "a tape needs the number of iterations of a loop; give it maximum_iterations"
WHY_KEYS = "a loop with random ops runs an unknown number of times"


class CountedLoop(RowLoop):
    """A loop that runs a number of times, over no rows."""

    turns = 0

    @property
    def iterations(self) -> int:
        """How often the body runs."""
        return self.turns


class While:
    """A loop with a condition, its Python recorded.

    Attributes:
        condition: a program of the loop variables, with a boolean scalar for its result.
        body: a program of the loop variables.
        state: the loop variables at first.
        limit: the largest number of iterations: a number, a tensor, or None.
        count: the number of iterations, if the loop is recorded as one that has it.
    """

    def __init__(
        self, condition: Body, body: Body, state: list[EagerTensor], limit: EagerTensor | int | None
    ) -> None:
        self.condition = condition
        self.body = body
        self.state = state
        self.limit = limit
        self.count: int | None = None
        self._stands_apart = False
        self._draws = [o for b in (condition, body) for o in b.outside() if isinstance(o, Draw)]

    def prepare(self) -> None:
        """Finds out how the loop is to be recorded.

        Raises:
            NotOneProgramError: if Python has to run it.
        """
        recording = THREAD.recording
        self.count = self._known_count()
        if self.count is not None:
            return
        in_frame = recording.frame is not None
        if self._draws:
            self._require_keys(in_frame)

    @property
    def iterations(self) -> int | None:
        """The number of iterations, if it is known, however the loop is recorded."""
        if self.count is not None or not _is_true(self.condition):
            return self.count
        limit = self.limit if isinstance(self.limit, int) else _known(self.limit)
        return None if limit is None else max(limit, 0)

    @property
    def draws_other_numbers(self) -> bool:
        """Whether its random ops have seeds, and would not draw TensorFlow's numbers."""
        return self.count is None and any(draw.is_seeded for draw in self._draws)

    @property
    def runs_once(self) -> bool:
        """Whether there is an iteration for sure; known once it is prepared."""
        return bool(self.count)

    @property
    def can_be_bounded(self) -> bool:
        """Whether it does the same with a condition: random ops would draw other numbers."""
        return not self._draws

    def recorded(self) -> tuple[list[EagerTensor], int | None]:
        """Records the loop.

        Returns:
            The loop variables at the end, and the number of iterations if it is known.
        """
        count, in_frame = self.count, THREAD.recording.frame is not None
        if in_frame:
            bound = self._limit_number()
            if count is None:
                return self._dynamic(bound if bound and bound <= MAX_BOUND else None), None
            return self._counted(count, in_frame), count
        if count is None and self._is_taped():
            count = self._found_count()
        elif count and not (self._draws or self._is_taped() or self._is_traced()):
            count = None
        return (self._dynamic(None) if count is None else self._counted(count, in_frame)), count

    def bounded(self, length: int) -> list[EagerTensor]:
        """Records the loop with its condition, and at most so many iterations.

        Args:
            length: the number of iterations that it makes, empty ones at the end.

        Returns:
            The loop variables at the end.
        """
        self._stands_apart = True
        return self._dynamic(length)

    def _is_taped(self) -> bool:
        """Whether a tape records that may ask for a gradient in reverse."""
        return any(not tape._is_forward for tape in THREAD.recording.watchers())

    def _known_count(self) -> int | None:
        """Returns the number of iterations, if it is known beforehand."""
        if self.condition.program.acts or self.condition.program.checks:
            return None
        if any(isinstance(item, Draw) for item in self.condition.outside()):
            return None
        limit = self._limit_number()
        if limit is not None and limit <= 0:
            return 0
        count = trip_count(self.condition, self.body, self.state)
        if count is None or limit is not None:
            return None if count is None else min(count, limit or 0)
        return None if self.limit is not None else count

    def _is_traced(self) -> bool:
        """Whether JAX may ask for a derivative."""
        items = (*self.state, *self.condition.outside(), *self.body.outside())
        tensors = [item._tensor if isinstance(item, Variable) else item for item in items]
        return bool(THREAD.recording.traced) or any(
            isinstance(tensor, EagerTensor) and isinstance(tensor._value, Tracer)
            for tensor in tensors
        )

    def _limit_number(self) -> int | None:
        return self.limit if isinstance(self.limit, int) else None

    def _require_keys(self, in_frame: bool) -> None:
        if not in_frame or not all(can_make_keys(draw.key._type) for draw in self._draws):
            raise NotOneProgramError(WHY_KEYS)

    def _found_count(self) -> int:
        """Runs the loop to learn how often it does."""
        _, _, outputs = self._apply(DynamicLoop, None)
        place = len(self.state) + len(self.body.assigned)
        return int(outputs[place].numpy())

    def _counted(self, count: int, in_frame: bool) -> list[EagerTensor]:
        if not count:
            return self.state
        lengths = _lengths(self.body)
        if not in_frame and not self._draws and count not in lengths and len(lengths) >= MAX_EXACT:
            return self._dynamic(1 << (count - 1).bit_length())
        lengths.add(count)
        rows = CountedLoop(FOLD, _nobody, self.state, [])
        rows.turns = count
        return record_loop(self.body, rows)

    def _dynamic(self, length: int | None) -> list[EagerTensor]:
        """Records the loop with its condition; `length` bounds the number of iterations."""
        with locked(self.body.assigned):
            return self._dynamic_loop(length)

    def _dynamic_loop(self, length: int | None) -> list[EagerTensor]:
        loop, (slots, types), outputs = self._apply(DynamicLoop, length)
        recording = THREAD.recording
        states = len(self.state)
        end = states + len(self.body.assigned)
        put_together(self.body.assigned, outputs[states:end])
        rest = iter(outputs[end + 1 :])
        for program, found in zip(
            (loop.plan.condition, loop.plan.body), loop.check_types, strict=True
        ):
            record_checks(program.checks, [[next(rest) for _ in check] for check in found])
        if loop.plan.condition.acts or loop.plan.body.acts:
            recording.apply(interned(DynamicLoopForEffects, loop.plan), (), slots, types)
            if recording.frame is None:
                recording.flush()
        return outputs[:states]

    def _apply(
        self, kind: type[DynamicLoop], length: int | None
    ) -> tuple[DynamicLoop, tuple[tuple[int, ...], list[TensorType]], list[EagerTensor]]:
        operands = []
        limit = self.limit
        if limit is not None:
            tensor = limit if isinstance(limit, EagerTensor) else from_host(np.array(limit, "i4"))
            operands.append(operand(tensor))
        operands += [operand(item) for item in (*self.state, *self.body.assigned)]
        first = len(operands)
        numbers = {id(variable): k for k, variable in enumerate(self.body.assigned)}
        wires: list[tuple[tuple[str, int], ...]] = []
        for body in (self.condition, self.body):
            own: list[tuple[str, int]] = []
            for item, source in zip(body.outer_tensors(), body.outside(), strict=True):
                if isinstance(item, Variable) and id(item) in numbers:
                    own.append((VARIABLE, numbers[id(item)]))
                    continue
                own.append((KEY if isinstance(source, Draw) else OPERAND, len(operands) - first))
                operands.append(operand(item))
            wires.append(tuple(own))
        plan = WhilePlan(
            self.condition.program, self.body.program, len(self.state), len(self.body.assigned),
            wires[0], wires[1], limit is not None, length, in_graph(),
            any(variable.trainable for variable in self.body.assigned), self._stands_apart,
        )  # fmt: skip
        loop = interned(kind, plan)
        adopt_lines(loop.plan, plan)
        slots = tuple([slot for slot, _ in operands])
        types = [type_ for _, type_ in operands]
        return loop, (slots, types), THREAD.recording.apply(loop, (), slots, types)


def _lengths(body: Body) -> set[int]:
    """Returns the numbers of iterations that a body had programs for."""
    if len(_LENGTHS) > _MAX_KNOWN:
        _LENGTHS.clear()
    return _LENGTHS.setdefault(body.program, set())


def _nobody(*_: Any) -> Any:
    """Stands for the user's function where no message shows it."""


def same_types(state: Sequence[EagerTensor], body: Body) -> bool:
    """Whether an iteration leaves the types of the loop variables and the variables alone."""
    types = body.program.types
    if list(types[: body.count]) != [tensor._type for tensor in state]:
        return False
    new = types[body.count :]
    return all(v._type is type_ for v, type_ in zip(body.assigned, new, strict=True))
