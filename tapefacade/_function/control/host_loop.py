"""Loops whose body calls Python: what lies between two calls is one compiled program.

An iteration is cut where Python is called. The program before the first call, those between calls,
and the one after the last call, which asks the condition too, are compiled once and serve every
iteration and every number of iterations. Python is called as it would be in a loop of Python: once
for each iteration, in order, with its own errors.

A tape cannot go through Python, and needs not to: for it the loop is recorded once more, as one
instruction that takes what Python has returned, row by row. What was decided on the way (numbers
drawn, integers and flags that were computed from floating values) is taken from rows too, so that
the second loop does what the first one did.
"""

import bisect
import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from tapefacade._core import errors
from tapefacade._core.gradient_rules import NOT_DIFFERENTIABLE, NotDifferentiable
from tapefacade._core.random_keys import Draw
from tapefacade._core.tensor import EagerTensor, from_array, from_host
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._function.control.bodies import (
    FROM_ARGUMENTS,
    Body,
    BodyCheck,
    BodyProgram,
    body_of,
    operand,
    without_gradients,
)
from tapefacade._function.control.host_calls import HostCall, PythonCall
from tapefacade._function.control.loop_variables import NotOneProgramError
from tapefacade._function.control.while_recording import MAX_BOUND, While
from tapefacade._ops.math.arithmetic import add
from tapefacade._state.variable import Variable
from tapefacade._trace.execution import STATISTICS
from tapefacade._trace.operation import Operation
from tapefacade._trace.recording import THREAD
from tapefacade._trace.slices import Step

MAX_PLANS = 256
# A loop that is recorded for a tape makes at least so many steps, empty ones at the end; after
# these the number is the next power of this factor.
MIN_LENGTH, LENGTH_FACTOR = 64, 4
WHY_ASSIGNS = "a loop that calls Python assigns a variable"
WHY_DRAWS = "a gradient goes through numbers that are drawn in a loop that calls Python"
MESSAGE_CHANGED = (
    "The Python function in a loop has returned arrays of shapes {} where it had returned {} "
    "before, and the iteration was compiled for these. The next call runs the loop as Python. "
    "Decorate the function that has the loop with tf.autograph.experimental.do_not_convert to "
    "have it run as Python from the first call on."
)

MESSAGE_ASSIGNED = (
    "The Python function in a loop has assigned a variable that the loop reads, under a tape. "
    "Decorate the function that has the loop with tf.autograph.experimental.do_not_convert, and "
    "the loop runs as Python."
)

Values = dict[int, Any]


class Stage(NamedTuple):
    """The steps of an iteration between two calls of Python.

    Attributes:
        steps: their places, and whether each provides its ghosts.
        taken: the slots of what they need from before.
        given: the slots of what is needed of them later.
    """

    steps: tuple[tuple[int, bool], ...]
    taken: tuple[int, ...]
    given: tuple[int, ...]


class HostLoopPlan:
    """A body with calls of Python, cut at the calls, and its condition.

    Attributes:
        calls: the steps that stand for calls, in order.
        decided: the slots of what was decided on the way, which a second loop has to be given.
    """

    def __init__(
        self, condition: BodyProgram, body: BodyProgram, draws: frozenset[int],
        variables: frozenset[int], is_eager: bool,
    ) -> None:  # fmt: skip
        """Cuts a body.

        Args:
            condition: the condition.
            body: the body.
            draws: the places, among what the body takes from outside, of keys.
            variables: those of variables.
            is_eager: whether the stage before the first call runs together with the one before,
                also where no iteration follows.
        """
        part = self.part = body.part
        self.body, self.condition, self.is_eager = body, condition, is_eager
        self.first = list(
            itertools.accumulate((len(s.types) for s in part.steps), initial=len(part.inputs))
        )
        found = [
            (step.operation.number, index)
            for index, step in enumerate(part.steps)
            if isinstance(step.operation, HostCall)
        ]
        self.calls = [index for _, index in sorted(found)]
        self._read = {
            slot for slot, (kind, place) in enumerate(body.places)
            if kind != FROM_ARGUMENTS and place in variables
        }  # fmt: skip
        self.stages = self._stages()
        drawn = {
            slot for slot, (kind, place) in enumerate(body.places)
            if kind != FROM_ARGUMENTS and place in draws
        }  # fmt: skip
        self.decided = self._decided(drawn)
        self.draws_smoothly = self._draws_smoothly(drawn)
        self.checks: dict[int, list[BodyCheck]] = {}  # of each stage; known once it is compiled

    def slots_of(self, index: int) -> range:
        """Returns the slots that a step defines."""
        return range(self.first[index], self.first[index + 1])

    def _stages(self) -> list[Stage]:
        part = self.part
        level = [0] * self.first[-1]
        steps: list[list[tuple[int, bool]]] = [[] for _ in range(len(self.calls) + 1)]
        for index, provides in part.order():
            step = part.steps[index]
            stage = max((level[slot] for slot in step.inputs), default=0)
            if not self._read.isdisjoint(step.inputs):  # Python may have assigned a variable
                stage = max(stage, bisect.bisect(self.calls, index))
            if isinstance(step.operation, HostCall):
                stage = step.operation.number + 1
            else:
                steps[stage].append((index, provides))
            for slot in (*self.slots_of(index), *(step.ghosts if provides else ())):
                if slot >= 0:
                    level[slot] = stage
        return self._with_ends(steps)

    def _with_ends(self, steps: list[list[tuple[int, bool]]]) -> list[Stage]:
        """Finds out what the stages need of each other."""
        part = self.part
        needed = set(part.outputs)
        stages: list[Stage] = []
        for number in range(len(steps) - 1, -1, -1):
            if number < len(self.calls):
                needed.update(part.steps[self.calls[number]].inputs)
                needed.difference_update(self.slots_of(self.calls[number]))
            made, used = set[int](), set[int]()
            for index, provides in steps[number]:
                step = part.steps[index]
                made.update(self.slots_of(index))
                if provides:
                    made.update(slot for slot in step.ghosts if slot >= 0)
                used.update(step.inputs)
            given = tuple(sorted(needed & made))
            taken = tuple(sorted(used - made))
            needed = (needed - made) | set(taken)
            stages.append(Stage(tuple(steps[number]), taken, given))
        return stages[::-1]

    def _decided(self, drawn: set[int]) -> list[int]:
        types = self.part.types()
        found: list[int] = []
        for index, step in enumerate(self.part.steps):
            if isinstance(step.operation, HostCall):
                continue
            is_drawn = not drawn.isdisjoint(step.inputs)
            is_from_floats = any(types[slot].inexact for slot in step.inputs)
            found += [
                slot for slot in self.slots_of(index)
                if is_drawn or (is_from_floats and not types[slot].inexact)
            ]  # fmt: skip
        return found

    def _draws_smoothly(self, drawn: set[int]) -> bool:
        """Whether a gradient may go through what a random op makes of its parameters."""
        types = self.part.types()
        return any(
            not drawn.isdisjoint(step.inputs)
            and any(types[slot].inexact for slot in step.inputs)
            and any(type_.inexact for type_ in step.types)
            and not isinstance(step.operation.gradient, NotDifferentiable)
            for step in self.part.steps
        )

    @functools.cached_property
    def row_slots(self) -> list[int]:
        """The slots whose values are kept for the loop that a tape sees."""
        return [*(s for index in self.calls for s in self.slots_of(index)), *self.decided]

    @functools.cached_property
    def outer_slots(self) -> list[int]:
        """The slots of what the body takes from outside."""
        return [slot for slot, (kind, _) in enumerate(self.body.places) if kind != FROM_ARGUMENTS]

    @functools.cached_property
    def last_taken(self) -> tuple[int, ...]:
        """What the last stage takes, and what it passes on."""
        last = self.stages[-1]
        rest = set(self.part.outputs) - set(last.taken) - set(last.given)
        return (*last.taken, *sorted(rest))

    # What is compiled.

    @functools.cached_property
    def asked(self) -> Any:
        """The condition, of the loop variables and what it takes from outside."""

        def asked(state: list[Any], outer: list[Any]) -> Any:
            return self.condition.run(state, outer)[0][0]

        return jax.jit(_counted(asked))

    @functools.lru_cache  # noqa: B019 - plans are kept, and few
    def stage(self, number: int, is_taped: bool) -> Any:
        """Returns a stage, of what it takes."""

        def stage(arrays: list[Any]) -> Any:
            return self._computed(number, arrays, self.wanted(number, is_taped))

        return jax.jit(_counted(stage))

    @functools.lru_cache  # noqa: B019
    def end(self, is_taped: bool) -> Any:
        """Returns the last stage, with the condition and the first stage of the next iteration."""
        wanted = self.wanted(len(self.calls), is_taped)
        first = self.wanted(0, is_taped)

        def end(arrays: list[Any], outer: list[Any], of_body: list[Any], keys: Any) -> Any:
            values: Values = dict(zip(self.last_taken, arrays, strict=True))
            taken = [values[slot] for slot in self.stages[-1].taken]
            made, checks = self._computed(len(self.calls), taken, wanted)
            values.update(zip(wanted, made, strict=True))
            state = [values[slot] for slot in self.part.outputs]
            goes_on = self.condition.run(state, outer)[0][0]
            begun = None
            if self.is_eager:
                inputs = self.inputs(state, of_body, keys)
                taken = [inputs[slot] for slot in self.stages[0].taken]
                begun = self._computed(0, taken, first)
            return state, goes_on, made, checks, begun

        return jax.jit(_counted(end))

    def wanted(self, number: int, is_taped: bool) -> tuple[int, ...]:
        """Returns the slots that a stage gives."""
        stage = self.stages[number]
        if not is_taped:
            return stage.given
        made = {slot for index, _ in stage.steps for slot in self.slots_of(index)}
        return tuple(sorted({*stage.given, *made.intersection(self.decided)}))

    def inputs(self, state: Sequence[Any], outer: Sequence[Any], keys: dict[int, Any]) -> Values:
        """Returns what the body gets, by slot."""
        given = (state, outer)
        return {
            slot: keys[place] if kind != FROM_ARGUMENTS and place in keys else given[kind][place]
            for slot, (kind, place) in enumerate(self.body.places)
        }

    def _computed(self, number: int, arrays: Sequence[Any], wanted: Sequence[int]) -> Any:
        """Computes a stage.

        Returns:
            The wanted values, and the checks: whether all have passed, and for each its details.
        """
        part, stage = self.part, self.stages[number]
        values: Values = dict(zip(stage.taken, arrays, strict=True))
        types = part.types()
        found: list[tuple[BodyCheck, tuple[Any, ...]]] = []
        for index, provides in stage.steps:
            step = part.steps[index]
            given = [values[slot] for slot in step.inputs]
            if provides:
                outputs, forward = step.operation.evaluate_with_forward(given, step.static)
                for slot, value in zip(step.ghosts, forward, strict=True):
                    if slot >= 0 and value is not None and slot not in values:
                        values[slot] = value
            else:
                outputs = _applied(step, given, found)
            values.update(zip(self.slots_of(index), outputs, strict=True))
        self.checks[number] = [check for check, _ in found]
        results = [
            jax.lax.convert_element_type(values[slot], types[slot].numpy_dtype) for slot in wanted
        ]
        if not found:
            return results, None
        return results, (
            jnp.stack([ok for _, (ok, *_) in found]),
            [rest for _, (_, *rest) in found],
        )


def _counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that counts its compilations."""

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        STATISTICS.compiled += 1
        return function(*arguments)

    return run


def _applied(step: Step, arrays: list[Any], found: list[Any]) -> Sequence[Any]:
    operation = step.operation
    if operation.check is not None:
        ok, *details = operation.test(arrays, step.static)
        if ok is not True:
            checked = BodyCheck(operation, step.static)
            found.append((checked, (jnp.asarray(ok), *map(jnp.asarray, details))))
    return operation.evaluate(without_gradients(operation, arrays, step.static), step.static)


@functools.lru_cache(MAX_PLANS)
def _plan_of(
    condition: BodyProgram, body: BodyProgram, draws: frozenset[int], variables: frozenset[int],
    is_eager: bool,
) -> HostLoopPlan:  # fmt: skip
    return HostLoopPlan(condition, body, draws, variables, is_eager)


class HostLoop:
    """A loop with calls of Python in its body.

    Attributes:
        count: how often the body has run; known once it has.
    """

    count = 0

    def __init__(
        self, condition: Body, body: Body, state: Sequence[EagerTensor], limit: int | None,
        calls: Sequence[PythonCall],
    ) -> None:  # fmt: skip
        """Prepares a loop.

        Args:
            condition: the condition, recorded.
            body: the body.
            state: the loop variables at first.
            limit: the largest number of iterations, if there is one.
            calls: the calls of Python in the body.

        Raises:
            NotOneProgramError: if Python has to run it.
        """
        self._condition, self._body, self._state = condition, body, list(state)
        self._limit, self._calls = limit, calls
        outside = body.outside()
        draws = {place: item for place, item in enumerate(outside) if isinstance(item, Draw)}
        self._draws = draws
        self._require(condition, body)
        is_eager = not any(draw.is_seeded for draw in draws.values())
        variables = frozenset(p for p, item in enumerate(outside) if isinstance(item, Variable))
        self._plan = _plan_of(
            condition.program, body.program, frozenset(draws), variables, is_eager
        )
        if len(self._plan.calls) != len(calls):
            raise NotOneProgramError("a call of Python is not part of the loop")
        if THREAD.recording.watchers() and self._plan.draws_smoothly:
            raise NotOneProgramError(WHY_DRAWS)
        self._outer = self._outer_arrays(body)
        self._outer_of_condition = self._outer_arrays(condition)
        self._variables = [
            (arrays, place, item)
            for arrays, items in (
                (self._outer, outside), (self._outer_of_condition, condition.outside())
            )
            for place, item in enumerate(items) if isinstance(item, Variable)
        ]  # fmt: skip
        self._seen = [variable._tensor for *_, variable in self._variables]

    def _require(self, condition: Body, body: Body) -> None:
        if condition.assigned or body.assigned:
            raise NotOneProgramError(WHY_ASSIGNS)
        steps = (*condition.program.part.steps, *body.program.part.steps)
        if any(s.operation.acts and not isinstance(s.operation, HostCall) for s in steps):
            raise NotOneProgramError("a loop that calls Python prints")
        if any(isinstance(item, Draw) for item in condition.outside()):
            raise NotOneProgramError("the condition of a loop draws numbers")
        if any(step.operation.check is not None for step in condition.program.part.steps):
            raise NotOneProgramError("the condition of a loop that calls Python has a check")

    # What comes from outside.

    def _outer_arrays(self, body: Body) -> list[Any]:
        found = []
        for item in body.outside():
            if isinstance(item, Draw):
                found.append(None)
                continue
            tensor = item._tensor if isinstance(item, Variable) else item
            found.append(_array_of(tensor))
        return found

    def _keys(self) -> dict[int, Any]:
        """Draws the keys of an iteration."""
        return {place: draw.source.next() for place, draw in self._draws.items()}

    # Running.

    def run(self) -> list[EagerTensor]:
        """Runs the loop.

        Returns:
            The loop variables at the end.

        Raises:
            InvalidArgumentError: if Python returns something else than it did before.
        """
        rows: list[list[np.ndarray[Any, Any]]] = []
        is_taped = bool(THREAD.recording.watchers())
        state = [_array_of(tensor) for tensor in self._state]
        state = self._run(state, rows if is_taped else None)
        if not self.count:
            return self._state
        if is_taped:
            return self._recorded(rows)
        return [from_array(a) if isinstance(a, jax.Array) else from_host(a) for a in state]

    def _run(self, state: list[Any], rows: list[list[np.ndarray[Any, Any]]] | None) -> list[Any]:
        """Runs the loop; keeps what Python has returned, and what was decided, in `rows`."""
        plan, is_taped = self._plan, rows is not None
        outer, of_body = self._outer_of_condition, self._outer
        end, stages = plan.end(is_taped), len(plan.calls)
        given = [plan.wanted(number, is_taped) for number in range(stages + 1)]
        goes_on = bool(np.asarray(_dispatched(plan.asked, state, outer)))
        keys = begun = None
        while goes_on and (self._limit is None or self.count < self._limit):
            if keys is None:
                keys = self._keys()
            values = plan.inputs(state, of_body, keys)
            for number, index in enumerate(plan.calls):
                if number or begun is None:
                    taken = [values[slot] for slot in plan.stages[number].taken]
                    begun = _dispatched(plan.stage(number, is_taped), taken)
                made, checks = begun
                self._require_passed(number, checks)
                values.update(zip(given[number], made, strict=True))
                results = self._called(number, [values[s] for s in plan.part.steps[index].inputs])
                values.update(zip(plan.slots_of(index), results, strict=True))
                if self._has_assigned(is_taped):
                    now = plan.inputs(state, of_body, keys)
                    values.update((slot, now[slot]) for slot in plan.outer_slots)
            keys = self._keys() if plan.is_eager else {}
            taken = [values[slot] for slot in plan.last_taken]
            state, flag, made, checks, begun = _dispatched(end, taken, outer, of_body, keys)
            if not plan.is_eager:
                keys = None
            self._require_passed(stages, checks)
            self.count += 1
            if rows is not None:
                values.update(zip(given[-1], made, strict=True))
                rows.append([np.asarray(values[slot]) for slot in plan.row_slots])
            goes_on = bool(np.asarray(flag))
        return state

    def _has_assigned(self, is_taped: bool) -> bool:
        """Whether Python has assigned a variable that the loop reads; takes its new value.

        Raises:
            InvalidArgumentError: if a tape sees the loop, which takes one value for all of it.
        """
        now = [variable._tensor for *_, variable in self._variables]
        if all(map(operator.is_, now, self._seen)):
            return False
        if is_taped:
            raise errors.InvalidArgumentError(None, None, MESSAGE_ASSIGNED)
        self._seen = now
        for (arrays, place, _), tensor in zip(self._variables, now, strict=True):
            arrays[place] = _array_of(tensor)
        return True

    def _require_passed(self, number: int, checks: Any) -> None:
        """Raises the error of the first check of a stage that has failed."""
        if checks is None:
            return
        passed = np.asarray(checks[0])
        if passed.all():
            return
        place = int(np.argmin(passed))
        check = self._plan.checks[number][place]
        raise check.operation.error([np.asarray(d) for d in checks[1][place]], check.static)

    def _called(self, number: int, arrays: Sequence[Any]) -> list[Any]:
        """Calls Python."""
        call = self._calls[number]
        results = call.run([np.array(array) for array in arrays])
        found = [type_of(result.shape, result.dtype) for result in results]
        if found != list(call.types):
            shown = [[list(type_.shape) for type_ in types] for types in (found, call.types)]
            raise errors.InvalidArgumentError(None, None, MESSAGE_CHANGED.format(*shown))
        return results

    # For a tape.

    def _recorded(self, rows: list[list[np.ndarray[Any, Any]]]) -> list[EagerTensor]:
        """Records the loop as one instruction, with what Python has returned."""
        length = self._length()
        stacked = []
        for column in zip(*rows, strict=True):
            whole = np.zeros((length, *column[0].shape), column[0].dtype)
            whole[: self.count] = column
            stacked.append(from_host(whole))
        start, count = from_host(np.array(0, np.int32)), from_host(np.array(self.count, np.int32))
        state = [start, *self._state]
        types = [tensor._type for tensor in state]
        body = body_of(functools.partial(self._again, stacked), _nobody, types)
        condition = body_of(lambda tensors: [_before(tensors[0], count)], _nobody, types)
        return While(condition, body, state, None).bounded(length)[1:]

    def _length(self) -> int:
        """Returns how many steps the recorded loop makes, the empty ones included."""
        if self._limit is not None and self._limit <= MAX_BOUND:
            return self._limit
        length = MIN_LENGTH
        while length < self.count:
            length *= LENGTH_FACTOR
        return length if self._limit is None else min(length, self._limit)

    def _again(
        self, stacked: Sequence[EagerTensor], tensors: list[EagerTensor]
    ) -> list[EagerTensor]:
        """Records an iteration without its calls of Python."""
        plan, recording = self._plan, THREAD.recording
        part, types, outside = plan.part, plan.part.types(), self._body.outside()
        index, *state = tensors
        mapped: dict[int, int] = {}
        for slot, (kind, place) in enumerate(plan.body.places):
            if kind == FROM_ARGUMENTS:
                mapped[slot] = state[place]._slot
            elif not isinstance(item := outside[place], Draw):
                mapped[slot] = operand(item)[0]
        given = {
            slot: _row_of(row, index)._slot
            for slot, row in zip(plan.row_slots, stacked, strict=True)
        }
        mapped.update(given)
        for number, step in enumerate(part.steps):
            slots = plan.slots_of(number)
            if all(slot in mapped for slot in slots):
                continue
            found = recording.apply(
                step.operation, step.static, tuple([mapped[slot] for slot in step.inputs]),
                [types[slot] for slot in step.inputs],
                tuple([-1 if slot in given else mapped.get(slot, -1) for slot in step.ghosts]),
            )  # fmt: skip
            for slot, tensor in zip(slots, found, strict=True):
                mapped.setdefault(slot, tensor._slot)
        ends = [recording.tensor_at(mapped[slot], types[slot]) for slot in part.outputs]
        return [add(index, 1), *ends]


class _TakeRow(Operation):
    """A row of what Python has returned."""

    name = kernel = "Row"
    gradient = NOT_DIFFERENTIABLE

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return (type_of(types[0].shape[1:], types[0].numpy_dtype),), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return [jax.lax.dynamic_index_in_dim(*arrays, 0, keepdims=False)]


class _HasMoreRows(Operation):
    """Whether there are further rows."""

    name = kernel = "Before"
    gradient = NOT_DIFFERENTIABLE

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return (type_of((), np.dtype(np.bool_)),), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return [arrays[0] < arrays[1]]


TAKE_ROW, HAS_MORE_ROWS = _TakeRow(), _HasMoreRows()


def _applied_to(operation: Operation, *tensors: EagerTensor) -> EagerTensor:
    slots = tuple([operand(tensor)[0] for tensor in tensors])
    types = [tensor._type for tensor in tensors]
    return THREAD.recording.apply(operation, (), slots, types)[0]


def _row_of(rows: EagerTensor, index: EagerTensor) -> EagerTensor:
    return _applied_to(TAKE_ROW, rows, index)


def _before(index: EagerTensor, count: EagerTensor) -> EagerTensor:
    return _applied_to(HAS_MORE_ROWS, index, count)


def _dispatched(function: Any, *arguments: Any) -> Any:
    """Calls a compiled function."""
    STATISTICS.dispatched += 1
    with jax.enable_x64(True):
        return function(*arguments)


def _array_of(tensor: EagerTensor) -> Any:
    array = tensor._array()
    if isinstance(array, Tracer):
        raise NotOneProgramError("JAX transforms the loop")
    return array


def _nobody(*_: Any) -> Any:
    """Stands for the user's function where no message shows it."""
