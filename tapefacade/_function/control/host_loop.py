"""Loops whose body calls Python: what lies between two calls is one compiled program.

An iteration is cut where Python is called. The program before the first call, those between calls,
and the one after the last call, which asks the condition too, are compiled once and serve every
iteration and every number of iterations. Python is called as it would be in a loop of Python: once
for each iteration, in order, with its own errors.

A tape cannot go through Python, and needs not to: for it the loop is recorded once more, as one
instruction that takes what Python has returned, row by row. What was decided on the way (numbers
drawn, integers and flags that were computed from floating values) is taken from rows too, so that
the second loop does what the first one did.

An array that gets a row in each iteration, and is not read, does not go from one to the next: its
rows are collected.
"""

import bisect
import functools
import itertools
import math
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
from tapefacade._core.tensor import EagerTensor, from_array, from_host, host_value
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._definition.op import REGISTRY
from tapefacade._function.control.bodies import (
    FROM_ARGUMENTS,
    Body,
    BodyCheck,
    BodyProgram,
    body_of,
    operand,
    without_gradients,
)
from tapefacade._function.control.host_calls import HostCall, PythonCall, note_types
from tapefacade._function.control.loop_variables import NotOneProgramError
from tapefacade._function.control.packed_arrays import Packed, Packing, on_host
from tapefacade._function.control.while_recording import MAX_BOUND, While, added_to
from tapefacade._ops.math.arithmetic import add
from tapefacade._state.variable import Variable
from tapefacade._trace.compiler_options import ONE_AFTER_THE_OTHER, falling_back, options_for
from tapefacade._trace.executables import STATISTICS
from tapefacade._trace.operation import Operation
from tapefacade._trace.products_in_blocks import PRODUCTS, blocks_for
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

# What programs show to Python besides slots: whether the loop goes on, whether all checks have
# passed, the verdict of each, and rows of arrays.
GOES_ON, FINE, PASSED, ROW = "goes on", "fine", "passed", "row"
PUT_ELEMENT = REGISTRY["_array_put"]

Values = dict[int, Any]


class Stage(NamedTuple):
    """The steps of an iteration between two calls of Python.

    Attributes:
        steps: their places, and whether each provides its ghosts.
        needed: the slots that were there before and are needed from here on.
    """

    steps: tuple[tuple[int, bool], ...]
    needed: frozenset[int]


class Seen:
    """What Python sees of what a program gives.

    Attributes:
        places: of what there is: flags, verdicts of checks, slots.
        packing: how it is packed.
        inputs: the places of what Python is called with next.
    """

    def __init__(self, keys: Sequence[Any], packing: Packing, inputs: Sequence[int]) -> None:
        self.places = {key: place for place, key in enumerate(keys)}
        self.packing = packing
        self.inputs = [self.places[slot] for slot in inputs]
        self._words = {
            key: packing.word(self.places[key]) for key in (GOES_ON, FINE) if key in keys
        }

    def says(self, packed: Packed, flag: str) -> bool:
        """Returns a flag; True where there is none."""
        word = self._words.get(flag)
        return word is None or bool(packed[0].item(word))

    def of(self, packed: Packed, key: Any) -> Any:
        """Returns one of these values."""
        return self.packing.on_host(packed, self.places[key])


class HostLoopPlan:
    """A body with calls of Python, cut at the calls, and its condition.

    Attributes:
        calls: the steps that stand for calls, in order.
        rows: of loop variables that get a row in each iteration, by their places: the step that
            puts it there, and the slot of the row. These are not among the variables below.
        shown_rows: the slots of those that are collected.
        state: the slots of the loop variables after an iteration.
        arguments: the places of loop variables, by slot.
        outer: those of what the body takes from outside, without keys.
        keys: those of keys.
        decided: the slots of what was decided on the way, which a second loop has to be given.
    """

    def __init__(
        self, condition: BodyProgram, body: BodyProgram, draws: frozenset[int],
        variables: frozenset[int], is_eager: bool, counts: bool, is_taped: bool,
    ) -> None:  # fmt: skip
        """Cuts a body.

        Args:
            condition: the condition.
            body: the body.
            draws: the places, among what the body takes from outside, of keys.
            variables: those of variables.
            is_eager: whether the stage before the first call runs together with the one before,
                also where no iteration follows.
            counts: whether the first loop variable is the number of the iteration.
            is_taped: whether a tape sees the loop, for which it is recorded once more.
        """
        part = self.part = body.part
        self.body, self.condition, self.is_eager = body, condition, is_eager
        self.is_taped = is_taped
        self.first = list(
            itertools.accumulate((len(s.types) for s in part.steps), initial=len(part.inputs))
        )
        found = [
            (step.operation.number, index)
            for index, step in enumerate(part.steps)
            if isinstance(step.operation, HostCall)
        ]
        self.calls = [index for _, index in sorted(found)]
        self.rows = self._found_rows() if counts else {}
        self.kept = [place for place in range(len(part.outputs)) if place not in self.rows]
        self.state = [part.outputs[place] for place in self.kept]
        types = part.types()  # what is differentiated is computed in the second loop
        self.shown_rows = {
            place: row for place, (_, row) in self.rows.items()
            if not (is_taped and types[row].inexact)
        }  # fmt: skip
        self.arguments = {
            slot: self.kept.index(place) for slot, (kind, place) in enumerate(body.places)
            if kind == FROM_ARGUMENTS and place in self.kept
        }  # fmt: skip
        drawn = {
            slot: place for slot, (kind, place) in enumerate(body.places)
            if kind != FROM_ARGUMENTS and place in draws
        }  # fmt: skip
        self.outer = {
            slot: place for slot, (kind, place) in enumerate(body.places)
            if kind != FROM_ARGUMENTS and place not in draws
        }  # fmt: skip
        self._read = {slot for slot, place in self.outer.items() if place in variables}
        self.stages = self._stages()
        self.decided = self._decided(set(drawn))
        self.draws_smoothly = self._draws_smoothly(set(drawn))
        self.keys = drawn
        self.checks: dict[int, list[BodyCheck]] = {}  # of each stage; known once it is compiled
        self.seen: dict[Any, Seen] = {}  # of each program, likewise

    def slots_of(self, index: int) -> range:
        """Returns the slots that a step defines."""
        return range(self.first[index], self.first[index + 1])

    def _found_rows(self) -> dict[int, tuple[int, int]]:
        part, condition = self.part, self.condition
        used = [slot for step in part.steps for slot in step.inputs] + list(part.outputs)
        arguments = {p: s for s, (kind, p) in enumerate(self.body.places) if kind == FROM_ARGUMENTS}
        found = {}
        for index, step in enumerate(part.steps):
            if step.operation is not PUT_ELEMENT:
                continue
            array, row, number = step.inputs
            (put,) = self.slots_of(index)
            place = part.outputs.index(put) if put in part.outputs else -1
            if (
                (arguments.get(place), arguments.get(0)) == (array, number)
                and used.count(array) == used.count(put) == 1
                and (FROM_ARGUMENTS, place) not in condition.places
            ):
                found[place] = index, row
        return found

    def _stages(self) -> list[Stage]:
        part, rows = self.part, {index for index, _ in self.rows.values()}
        level = [0] * self.first[-1]
        steps: list[list[tuple[int, bool]]] = [[] for _ in range(len(self.calls) + 1)]
        for index, provides in part.order():
            if index in rows:
                continue
            step = part.steps[index]
            stage = max((level[slot] for slot in step.inputs), default=0)
            if not self._read.isdisjoint(step.inputs):  # Python may have assigned a variable
                stage = max(stage, bisect.bisect(self.calls, index))
            if isinstance(step.operation, HostCall):
                stage = step.operation.number + 1
            else:
                steps[stage].append((index, provides))
            for slot in self._made(index, provides):
                level[slot] = stage
        return self._with_needs(steps)

    def _made(self, index: int, provides: bool) -> list[int]:
        ghosts = self.part.steps[index].ghosts if provides else ()
        return [slot for slot in (*self.slots_of(index), *ghosts) if slot >= 0]

    def _with_needs(self, steps: list[list[tuple[int, bool]]]) -> list[Stage]:
        """Finds out what the stages need of what was before."""
        part = self.part
        needed = {*self.state, *self.shown_rows.values()}
        stages: list[Stage] = []
        for number in range(len(steps) - 1, -1, -1):
            if number < len(self.calls):
                needed.difference_update(self.slots_of(self.calls[number]))
                needed.update(part.steps[self.calls[number]].inputs)
            made = {slot for step in steps[number] for slot in self._made(*step)}
            used = {slot for index, _ in steps[number] for slot in part.steps[index].inputs}
            needed = (needed | used) - made
            stages.append(Stage(tuple(steps[number]), frozenset(needed)))
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

    @functools.lru_cache  # noqa: B019 - plans are kept, and few
    def decided_in(self, number: int) -> tuple[int, ...]:
        """Returns the slots of what is decided in a stage."""
        made = {slot for index, _ in self.stages[number].steps for slot in self.slots_of(index)}
        return tuple([slot for slot in self.decided if slot in made])

    # How values go from program to program.

    def _packing(self, slots: Sequence[int]) -> Packing:
        types = self.part.types()
        return Packing([types[slot] for slot in slots])

    @functools.cached_property
    def state_packing(self) -> Packing:
        """How the loop variables are packed between iterations."""
        return self._packing(self.state)

    @functools.lru_cache  # noqa: B019 - plans are kept, and few
    def _carried(self, number: int) -> tuple[tuple[int, ...], Packing]:
        """Returns what passes by a call on its way to later stages.

        By the first one pass all loop variables, before the rest: where it is computed together
        with them, they are the result of the loop if it ends there.
        """
        made = {*self.slots_of(self.calls[number]), *self.outer}
        slots = self.stages[number + 1].needed - made
        if number or not self.is_eager:
            found = tuple(sorted(slots))
            return found, self._packing(found)
        found = tuple(sorted(slots.difference(self.arguments)))
        types = self.part.types()
        return found, Packing([*self.state_packing.types, *(types[slot] for slot in found)])

    @functools.lru_cache  # noqa: B019
    def arriving(self, number: int) -> Packing:
        """Returns how is packed what Python gives after a call: results, and keys at the end."""
        slots = [*self.slots_of(self.calls[number])]
        if self.is_eager and number == len(self.calls) - 1:
            slots += self.keys
        return self._packing(slots)

    def _pack_carried(self, number: int, values: Values, state: Sequence[Any] = ()) -> Packed:
        slots, packing = self._carried(number)
        return packing.pack([*state, *(values[slot] for slot in slots)])

    def _shown(self, program: Any, given: dict[Any, Any], number: int | None) -> Packed:
        """Packs what Python is to see, before a call where a number is given."""
        arrays = [jnp.asarray(array) for array in given.values()]
        packing = Packing([type_of(a.shape, np.dtype(a.dtype)) for a in arrays])
        inputs = () if number is None else self.part.steps[self.calls[number]].inputs
        self.seen[program] = Seen(list(given), packing, inputs)
        return packing.pack(arrays)

    # What is compiled.

    @functools.lru_cache  # noqa: B019
    def start(self) -> Any:
        """Returns the condition for the first iteration, with its first stage."""

        def start(state: list[Any], outer: list[Any], of_body: list[Any], keys: list[Any]) -> Any:
            return self._going_on("start", {}, state, outer, of_body, keys)

        return StageProgram(start)

    @functools.lru_cache  # noqa: B019
    def stage(self, number: int) -> Any:
        """Returns a stage; the first one takes the loop variables and keys."""

        def first(carried: Packed, keys: list[Any], of_body: list[Any]) -> Any:
            state = self.state_packing.unpack(carried)
            return computed(self._begun(state, of_body, keys))

        def stage(carried: Packed, arrived: Packed, of_body: list[Any]) -> Any:
            return computed(self._arrived(number, carried, arrived, of_body)[0])

        def computed(values: Values) -> Any:
            given = self._computed(number, values)
            shown = self._shown(number, _with_verdict(given), number)
            return shown, self._pack_carried(number, values)

        return StageProgram(stage if number else first)

    @functools.lru_cache  # noqa: B019
    def end(self) -> Any:
        """Returns the last stage, with the condition and the first stage of the next iteration."""
        number = len(self.calls)

        def end(carried: Packed, arrived: Packed, outer: list[Any], of_body: list[Any]) -> Any:
            values, keys = self._arrived(number, carried, arrived, of_body)
            given = self._computed(number, values)
            given.update(((ROW, place), values[row]) for place, row in self.shown_rows.items())
            state = [values[slot] for slot in self.state]
            return self._going_on("end", given, state, outer, of_body, keys)

        return StageProgram(end)

    def _going_on(
        self, program: Any, given: dict[Any, Any], state: list[Any], outer: list[Any],
        of_body: list[Any], keys: list[Any],
    ) -> tuple[Packed, Packed]:  # fmt: skip
        """Asks the condition, and computes the next iteration up to the first call."""
        arguments: list[Any] = [None] * len(self.part.outputs)
        for place, value in zip(self.kept, state, strict=True):
            arguments[place] = value
        goes_on = given[GOES_ON] = self.condition.run(arguments, outer)[0][0]
        if not self.is_eager:
            return self._shown(program, _with_verdict(given), None), self.state_packing.pack(state)
        values = self._begun(state, of_body, keys)
        given.update(self._computed(0, values))
        given = _with_verdict(given, goes_on)
        return self._shown(program, given, 0), self._pack_carried(0, values, state)

    def _begun(self, state: Sequence[Any], of_body: Sequence[Any], keys: Sequence[Any]) -> Values:
        """Returns what there is at the begin of an iteration, by slot."""
        values = {slot: of_body[place] for slot, place in self.outer.items()}
        values.update(zip(self.keys, keys, strict=True))
        values.update((slot, state[place]) for slot, place in self.arguments.items())
        return values

    def _arrived(
        self, number: int, carried: Packed, arrived: Packed, of_body: Sequence[Any]
    ) -> tuple[Values, list[Any]]:
        """Returns what there is at the begin of a later stage, and keys of the next iteration."""
        values = {slot: of_body[place] for slot, place in self.outer.items()}
        slots, packing = self._carried(number - 1)
        found = packing.unpack(carried)
        if number == 1 and self.is_eager:
            values.update((slot, found[place]) for slot, place in self.arguments.items())
        values.update(zip(slots, found[len(found) - len(slots) :], strict=True))
        found = self.arriving(number - 1).unpack(arrived)
        results = self.slots_of(self.calls[number - 1])
        values.update(zip(results, found, strict=False))
        return values, found[len(results) :]

    def _computed(self, number: int, values: Values) -> dict[Any, Any]:
        """Computes a stage; adds to `values` what it makes.

        Returns:
            What Python is to see: the verdicts and details of checks, by stage, what it is called
            with, and for a tape what was decided, by slot.
        """
        part = self.part
        types = part.types()
        found: list[tuple[BodyCheck, tuple[Any, ...]]] = []
        for index, provides in self.stages[number].steps:
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
        shown: dict[Any, Any] = {}
        if found:
            shown[PASSED, number] = jnp.stack([ok for _, (ok, *_) in found])
        for place, (_, (_, *details)) in enumerate(found):
            shown.update({(PASSED, number, place, k): d for k, d in enumerate(details)})
        wanted = list(self.decided_in(number)) if self.is_taped else []
        if number < len(self.calls):
            wanted += part.steps[self.calls[number]].inputs
        for slot in wanted:
            shown[slot] = jax.lax.convert_element_type(values[slot], types[slot].numpy_dtype)
        return shown


def _with_verdict(given: dict[Any, Any], goes_on: Any = None) -> dict[Any, Any]:
    """Adds whether all checks have passed; those of the first stage count only if it goes on."""
    numbers = {key[1] for key in given if type(key) is tuple and key[0] == PASSED}
    verdicts = {number: jnp.all(given[PASSED, number]) for number in numbers}
    if goes_on is not None and 0 in verdicts:
        verdicts[0] |= ~goes_on
    return (
        {**given, FINE: functools.reduce(operator.and_, verdicts.values())} if verdicts else given
    )


class StageProgram:
    """A stage, as a program that JAX compiles when it is called for the first time.

    Attributes:
        call: calls it.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.call: Callable[..., Any] = self._compiled

    def _compiled(self, *arguments: Any) -> Any:
        STATISTICS.compiled += 1
        traced = jax.jit(self._function).trace(*arguments)
        blocks = blocks_for(traced.jaxpr)
        function = self._in_blocks(blocks) if blocks > 1 else self._function
        options = options_for(traced.jaxpr)
        if jax.default_backend() == "cpu":
            options |= ONE_AFTER_THE_OTHER
        told = jax.jit(function, compiler_options=options)
        self.call = falling_back(told, jax.jit(function))
        return self.call(*arguments)

    def _in_blocks(self, blocks: int) -> Callable[..., Any]:
        @functools.wraps(self._function)
        def run(*arguments: Any) -> Any:
            with PRODUCTS.temporarily(blocks=blocks):
                return self._function(*arguments)

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
    is_eager: bool, counts: bool, is_taped: bool,
) -> HostLoopPlan:  # fmt: skip
    return HostLoopPlan(condition, body, draws, variables, is_eager, counts, is_taped)


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
        start = host_value(state[0]) if state else None
        counts = start is not None and not start.any() and added_to(body, 0) == 1
        self._plan = _plan_of(
            condition.program, body.program, frozenset(draws), variables, is_eager, counts,
            bool(THREAD.recording.watchers()),
        )  # fmt: skip
        if len(self._plan.calls) != len(calls):
            raise NotOneProgramError("a call of Python is not part of the loop")
        if self._plan.is_taped and self._plan.draws_smoothly:
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
        self._returned: list[list[Packed]] = [[] for _ in calls]  # by Python, for a tape
        self._kept: dict[Any, list[Packed]] = {}  # what was shown, by program, likewise

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
            found.append(_on_device(_array_of(tensor)))
        return found

    def _keys(self) -> list[Any]:
        """Draws the keys of an iteration."""
        return [np.asarray(self._draws[place].source.next()) for place in self._plan.keys.values()]

    # Running.

    def run(self) -> list[EagerTensor]:
        """Runs the loop.

        Returns:
            The loop variables at the end.

        Raises:
            InvalidArgumentError: if Python returns something else than it did before.
        """
        plan, state = self._plan, self._state
        begin = [_array_of(state[place]) for place in plan.kept]
        with THREAD.temporarily(functions=[]):  # Python in the loop is in no function
            packed = self._run(begin)
        if not self.count:
            return state
        known = {place: from_host(self._with_rows(place)) for place in plan.shown_rows}
        packing, packed = plan.state_packing, on_host(packed)
        for number, place in enumerate(plan.kept):
            array = packing.on_host(packed, number)
            is_on_device = isinstance(array, jax.Array)
            known[place] = from_array(array) if is_on_device else from_host(array.copy())
        if not plan.is_taped:
            return [known[place] for place in range(len(state))]
        # What has no gradient is known without computing it again.
        return [
            tensor if tensor._type.inexact else known[place]
            for place, tensor in enumerate(self._recorded())
        ]

    def _run(self, state: list[Any]) -> Packed:
        """Runs the loop; keeps what Python has returned, and what programs have shown.

        Returns:
            The loop variables at the end, packed.
        """
        plan = self._plan
        outer, of_body = self._outer_of_condition, self._outer
        end, stages = plan.end(), len(plan.calls)
        keys = self._keys() if plan.is_eager else []
        shown, begun = _dispatched(plan.start(), state, outer, of_body, keys)
        seen, shown = self._shown("start", shown)
        limit = math.inf if self._limit is None else self._limit
        while seen.says(shown, GOES_ON) and self.count < limit:
            if not plan.is_eager:
                first = plan.stage(0)
                shown, begun = _dispatched(first, begun, self._keys(), of_body)
                seen, shown = self._shown(0, shown)
            arrived: Any = None
            for number in range(stages):
                if number:
                    stage = plan.stage(number)
                    shown, begun = _dispatched(stage, begun, arrived, of_body)
                    seen, shown = self._shown(number, shown)
                if not seen.says(shown, FINE):
                    self._require_passed(number, seen, shown)
                arrived = self._called(number, seen, shown)
                self._take_assigned()
            shown, begun = _dispatched(end, begun, arrived, outer, of_body)
            seen, shown = self._shown("end", shown)
            if not seen.says(shown, FINE):
                self._require_passed(stages, seen, shown)
            self.count += 1
        return begun

    def _shown(self, program: Any, packed: Packed) -> tuple[Seen, Packed]:
        """Waits for what a program shows; keeps it for a tape."""
        packed = on_host(packed)
        if self._plan.is_taped or self._plan.shown_rows:
            self._kept.setdefault(program, []).append(packed)
        return self._plan.seen[program], packed

    def _with_rows(self, place: int) -> np.ndarray[Any, Any]:
        """Returns a loop variable that has got a row in each iteration."""
        whole = np.array(_array_of(self._state[place]))
        whole[: self.count] = self._rows_shown("end", (ROW, place), self._kept["end"])
        return whole

    def _rows_shown(self, program: Any, key: Any, packed: Sequence[Packed]) -> Any:
        """Returns what a program has shown in each iteration."""
        seen = self._plan.seen[program]
        return seen.packing.rows_on_host(packed, seen.places[key])

    def _take_assigned(self) -> None:
        """Takes the new values of variables that the loop reads, if Python has assigned some.

        Raises:
            InvalidArgumentError: if a tape sees the loop, which takes one value for all of it.
        """
        now = [variable._tensor for *_, variable in self._variables]
        if all(map(operator.is_, now, self._seen)):
            return
        if self._plan.is_taped:
            raise errors.InvalidArgumentError(None, None, MESSAGE_ASSIGNED)
        self._seen = now
        for (arrays, place, _), tensor in zip(self._variables, now, strict=True):
            arrays[place] = _on_device(_array_of(tensor))

    def _require_passed(self, number: int, seen: Seen, shown: Packed) -> None:
        """Raises the error of the first check of a stage that has failed."""
        if (PASSED, number) not in seen.places:
            return
        passed = seen.of(shown, (PASSED, number))
        if passed.all():
            return
        place = int(np.argmin(passed))
        check = self._plan.checks[number][place]
        details = itertools.takewhile(
            seen.places.__contains__, ((PASSED, number, place, k) for k in itertools.count())
        )
        found = [np.asarray(seen.of(shown, key)) for key in details]
        raise check.operation.error(found, check.static)

    def _called(self, number: int, seen: Seen, shown: Packed) -> Packed:
        """Calls Python.

        Returns:
            What arrives after the call: its results, and keys where the next iteration begins.
        """
        plan, call = self._plan, self._calls[number]
        results = call.run([seen.packing.copied(shown, place) for place in seen.inputs])
        found = [(result.shape, result.dtype) for result in results]
        if found != call.expected:
            note_types(call.function, [type_of(*one) for one in found])
            shapes = [[list(shape) for shape, _ in one] for one in (found, call.expected)]
            raise errors.InvalidArgumentError(None, None, MESSAGE_CHANGED.format(*shapes))
        if plan.is_eager and number + 1 == len(plan.calls):
            results = [*results, *self._keys()]
        arrived = plan.arriving(number).pack_on_host(results)
        if plan.is_taped:
            self._returned[number].append(arrived)
        return arrived

    # For a tape.

    def _recorded(self) -> list[EagerTensor]:
        """Records the loop as one instruction, with what Python has returned."""
        length = self._length()
        stacked = []
        for column in self._columns():
            whole = np.zeros((length, *column[0].shape), column[0].dtype)
            whole[: self.count] = column
            stacked.append(from_host(whole))
        start, count = from_host(np.array(0, np.int32)), from_host(np.array(self.count, np.int32))
        state = [start, *self._state]
        types = [tensor._type for tensor in state]
        body = body_of(functools.partial(self._again, stacked), _nobody, types)
        condition = body_of(lambda tensors: [_before(tensors[0], count)], _nobody, types)
        return While(condition, body, state, None).bounded(length)[1:]

    def _columns(self) -> list[Any]:
        """Returns the rows of each of `row_slots`."""
        plan, kept = self._plan, self._kept
        found = [
            plan.arriving(number).rows_on_host(self._returned[number], place)
            for number, index in enumerate(plan.calls)
            for place in range(len(plan.slots_of(index)))
        ]
        stages = {s: n for n in range(len(plan.stages)) for s in plan.decided_in(n)}
        for slot in plan.decided:
            number = stages[slot]
            sources = [(number, kept.get(number, []))]
            if number == len(plan.calls):
                sources = [("end", kept["end"])]
            elif not number and plan.is_eager:
                sources = [("start", kept["start"]), ("end", kept["end"][:-1])]
            column: list[Any] = []
            for program, packed in sources:
                column.extend(self._rows_shown(program, slot, packed))
            found.append(column)
        return found

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


def _dispatched(program: StageProgram, *arguments: Any) -> Any:
    """Runs a program."""
    STATISTICS.dispatched += 1
    with jax.enable_x64(True):
        return program.call(*arguments)


def _array_of(tensor: EagerTensor) -> Any:
    array = tensor._array()
    if isinstance(array, Tracer):
        raise NotOneProgramError("JAX transforms the loop")
    return array


def _on_device(array: Any) -> Any:
    """Returns an array that is brought to the device once, not for every iteration."""
    if isinstance(array, jax.Array):
        return array
    with jax.enable_x64(True):
        return jnp.asarray(array)


def _nobody(*_: Any) -> Any:
    """Stands for the user's function where no message shows it."""
