"""A `tf.while_loop` whose number of iterations is not known, as one instruction.

`jax.lax.while_loop` runs until the condition is false; in reverse its iterations are computed again
(`checkpointed_loop.py`). With a bound `jax.lax.scan` runs instead, and does nothing in the
iterations after the last one. They are branches of their own, and no choice between two values:
what is not computed has no NaN gradient.

A random op takes in every iteration a key of its own, made from one that is drawn for the loop.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.gradient_rules import NoGradient
from tapefacade._core.jax_keys import unwrap
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._function.control.bodies import (
    FROM_ARGUMENTS,
    BodyProgram,
    EffectsOnly,
    flow_of,
    flow_of_loop,
)
from tapefacade._function.control.checkpointed_loop import while_loop
from tapefacade._ops.array.printing import QUIET
from tapefacade._tape.derivative_modes import REVERSE_MODE, current_modes, is_rematerializing
from tapefacade._trace.named_axes import NAMED_AXES
from tapefacade._trace.operation import Operation
from tapefacade._trace.step_marks import MARKING_STATE

# Where a body takes something from: the operands, the variables that are assigned, the keys.
OPERAND, VARIABLE, KEY = "operand", "variable", "key"
PHILOX = (6,)  # the shapes of the keys that others can be made of
THREEFRY = (2,)

Wires = tuple[tuple[str, int], ...]


class WhilePlan(NamedTuple):
    """All that decides what a loop computes.

    The operands are the largest number of iterations (if there is one), the loop variables, the
    variables that the body assigns, and what the bodies take from outside.

    Attributes:
        condition: a program of the loop variables, with one boolean scalar for a result.
        body: a program of the loop variables; its results are the next ones, then the new values of
            variables.
        states: the number of loop variables.
        assigned: the number of variables that the body assigns.
        of_condition: where the condition takes from what is not among the loop variables.
        of_body: where the body takes it from.
        limited: whether there is an operand for the largest number of iterations.
        length: that number, or one that is large enough, where it is known; else None.
        coarse: whether all results depend on all operands, as TensorFlow has it in functions.
        opaque: whether a tape that is not there yet has to see the Python loop.
        apart: whether what lies around the loop has other sizes at every run, and it has not.
    """

    condition: BodyProgram
    body: BodyProgram
    states: int
    assigned: int
    of_condition: Wires
    of_body: Wires
    limited: bool
    length: int | None
    coarse: bool
    opaque: bool
    apart: bool = False

    @property
    def first(self) -> int:
        """The place of the first operand that comes from outside."""
        return self.limited + self.states + self.assigned


class DynamicLoop(Operation):
    """Runs a body as long as a condition is true.

    The results are the loop variables, the assigned variables, the number of iterations, and those
    of all checks: that of the first iteration in which one has failed, which is the last one.
    """

    name = "while_loop"
    kernel = "While"

    def __init__(self, plan: WhilePlan) -> None:
        self.plan = plan
        self.stands_apart = plan.apart
        programs = (plan.condition, plan.body)
        self.bodies = tuple(p.part for p in programs)
        self.replayable = not plan.opaque and all(p.replayable for p in programs)
        self.check_types: list[list[tuple[TensorType, ...]]] = []  # known once it is inferred
        self._dependencies: tuple[frozenset[int], ...] | None = None
        self._traces: dict[Any, Any] = {}
        missing = sorted(frozenset().union(*flow_of(plan.body.part).missing[: plan.states]))
        if missing:
            self.gradient = NoGradient(missing[0])

    # What it gives.

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        plan = self.plan
        values = list(types[plan.limited : plan.first])
        state, variables, rest = values[: plan.states], values[plan.states :], types[plan.first :]
        self.check_types = []
        for program, wires in ((plan.condition, plan.of_condition), (plan.body, plan.of_body)):
            taken = [
                (variables if kind == VARIABLE else rest)[place] for kind, place in wires
            ]  # fmt: skip
            self.check_types.append(program.check_types(state, taken))
        count = type_of((), np.dtype(np.int32))
        checks = [type_ for found in self.check_types for check in found for type_ in check]
        return (*plan.body.types, count, *checks), None

    def resized(self, types: Sequence[TensorType], slots_of: Any) -> Sequence[TensorType]:
        return types[self.plan.limited : self.plan.first]

    # What it computes.

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        with QUIET.temporarily(on=True):  # what a body prints is an instruction of its own
            if NAMED_AXES.sizes or MARKING_STATE.marks is not None:
                return self.computed(arrays)
            return self._traced_once(current_modes(), is_rematerializing())(arrays)

    def _traced_once(self, *modes: Any) -> Any:
        """Returns `computed`, which is traced once for each of the ways to differentiate it.

        Else loops within loops are traced once more for each loop around them, and for its types.
        """
        if modes not in self._traces:
            # A function of its own for each, by which JAX knows what it has traced.
            self._traces[modes] = jax.jit(lambda arrays: self.computed(arrays), inline=True)
        return self._traces[modes]

    def computed(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Computes the results from arrays."""
        plan = self.plan
        rest = arrays[plan.first :]
        values = list(arrays[plan.limited : plan.first])
        limit = arrays[0] if plan.limited else None
        passed = [
            [
                (jnp.ones((), bool), *(jnp.zeros(t.shape, t.numpy_dtype) for t in check[1:]))
                for check in found
            ]
            for found in self.check_types
        ]
        start = (jnp.zeros((), np.int32), values, passed[0], passed[1])
        begun = self._goes_on(start, rest, limit)
        once = functools.partial(self._once, rest, limit)
        if plan.length is None and REVERSE_MODE in current_modes():
            _, last = while_loop(
                lambda carried: carried[0],
                lambda _, carried, given: self._once(given[0], given[1], carried),
                begun, (rest, limit),
            )  # fmt: skip
        elif plan.length is None:
            _, last = lax.while_loop(lambda carried: carried[0], once, begun)
        else:
            _, last = lax.scan(
                lambda carried, _: (lax.cond(carried[0], once, lambda same: same, carried), None),
                begun, None, plan.length,
            )[0]  # fmt: skip
        count, values, *checks = last
        return [*values, count, *(array for found in checks for check in found for array in check)]

    def _goes_on(self, carried: Any, rest: Sequence[Any], limit: Any) -> Any:
        """Asks the condition; returns its answer, and what is carried on with its checks."""
        plan = self.plan
        count, values, of_condition, of_body = carried
        taken = self._taken(plan.of_condition, values, rest, count)
        (goes_on,), checks = plan.condition.run(values[: plan.states], taken)
        goes_on = lax.stop_gradient(goes_on)
        if limit is not None:
            goes_on = goes_on & (count < limit)
            checks = [
                (check[0] | (count >= limit), *check[1:]) for check in checks
            ]  # the condition is not asked then
        of_condition = _merged(of_condition, checks)
        for flag, *_ in (*of_condition, *of_body):
            goes_on = goes_on & flag
        return goes_on, (count, values, of_condition, of_body)

    def _once(self, rest: Sequence[Any], limit: Any, carried: Any) -> Any:
        """Runs the body, and asks the condition."""
        plan = self.plan
        _, (count, values, of_condition, of_body) = carried
        taken = self._taken(plan.of_body, values, rest, count)
        results, checks = plan.body.run(values[: plan.states], taken)
        after = (count + 1, results, of_condition, _merged(of_body, checks))
        return self._goes_on(after, rest, limit)

    def _taken(self, wires: Wires, values: list[Any], rest: Sequence[Any], count: Any) -> list[Any]:
        """Returns what a body takes from outside, in one iteration."""
        found = []
        for kind, place in wires:
            if kind == VARIABLE:  # gradients stop where a variable is read
                found.append(lax.stop_gradient(values[self.plan.states + place]))
            else:
                found.append(rest[place] if kind == OPERAND else _key(rest[place], count))
        return found

    # What depends on what.

    def dependencies(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[frozenset[int], ...] | None:
        """Returns which operands each result depends on, after any number of iterations."""
        plan = self.plan
        if plan.coarse:
            return None
        if self._dependencies is None:
            nothing = plan.assigned + 1
            nothing += sum(len(check) for found in self.check_types for check in found)
            self._dependencies = self._followed() + (frozenset(),) * nothing
        return self._dependencies

    def _followed(self) -> tuple[frozenset[int], ...]:
        plan = self.plan
        body = flow_of(plan.body.part).outputs[: plan.states]
        outside = [
            1 << (plan.first + place) if kind == OPERAND else 0 for kind, place in plan.of_body
        ]

        def once(state: tuple[int, ...]) -> tuple[int, ...]:
            inputs = [
                state[place] if kind == FROM_ARGUMENTS else outside[place]
                for kind, place in plan.body.places
            ]
            return tuple(
                old | functools.reduce(
                    lambda a, b: a | b, (m for k, m in enumerate(inputs) if mask >> k & 1), 0
                )
                for old, mask in zip(state, body, strict=True)
            )  # fmt: skip

        start = tuple(1 << (plan.limited + k) for k in range(plan.states))
        last, _ = flow_of_loop(once, start, plan.states + 1)
        return tuple(
            frozenset(place for place in range(mask.bit_length()) if mask >> place & 1)
            for mask in last
        )


class DynamicLoopForEffects(EffectsOnly, DynamicLoop):
    """The loop once more, run only for what its body prints."""

    def __init__(self, plan: WhilePlan) -> None:
        super().__init__(plan)
        self.replayable = True


def can_make_keys(type_: TensorType) -> bool:
    """Whether a key for every iteration can be made of one of this type."""
    return type_.numpy_dtype == np.uint32 and type_.shape in (PHILOX, THREEFRY)


def _key(key: Any, count: Any) -> Any:
    """Makes the key of an iteration."""
    number = count.astype(np.uint32)
    if key.shape == PHILOX:  # the upper half of the seed: a sequence that nothing else draws from
        return key.at[3].add(number + np.uint32(1))
    return jax.random.key_data(jax.random.fold_in(unwrap(key), number))


def _merged(before: Sequence[Any], checks: Sequence[Any]) -> list[Any]:
    """Takes the verdicts of an iteration over; the loop ends with the first that fails."""
    return [
        tuple(
            lax.stop_gradient(jnp.where(kept[0], new, old))
            for new, old in zip(check, kept, strict=True)
        )
        for check, kept in zip(checks, before, strict=True)
    ]
