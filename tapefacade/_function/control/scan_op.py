"""A loop over rows as one instruction: `jax.lax.scan` of a body's program.

The state of the loop are the tensors that one iteration hands to the next, and the variables that
the body assigns. Keys of random ops come in as rows, like the elements, such that an iteration
draws what it would in a Python loop.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.gradient_rules import NoGradient
from tapefacade._core.random_keys import words_of
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._function.control.bodies import (
    FROM_ARGUMENTS,
    BodyProgram,
    EffectsOnly,
    flow_of,
    flow_of_loop,
)
from tapefacade._ops.array.printing import QUIET
from tapefacade._trace.operation import Operation

# What a loop gives: the results of all iterations, or those of the last one, which are the state.
MAP, SCAN, FOLD = "map", "scan", "fold"


class BodyKey(NamedTuple):
    """A random key that a body takes from outside: its place there, and its type."""

    place: int
    type: TensorType


class ScanPlan(NamedTuple):
    """All that decides what a loop computes. Operands are the state, the elements, what the body
    takes from outside without the keys, and the keys.

    Attributes:
        kind: MAP, SCAN or FOLD.
        program: the body; its arguments are the state and the rows of the elements.
        results: the number of results of the body.
        states: the number of tensors in the state.
        elements: the number of tensors whose rows the iterations take.
        iterations: how often the body runs.
        reverse: whether the last row comes first.
        begins: whether the state is the first row at the beginning, instead of an operand.
        outer: the number of operands that the body takes from outside, its keys among them.
        carried: for each variable that the body assigns the operands that hold it.
        keys: the keys.
        coarse: whether all results depend on all operands, as TensorFlow has it in functions.
        vector: whether all iterations run at once.
        opaque: whether a tape that is not there yet has to see the Python loop.
    """  # noqa: D205 - one sentence

    kind: str
    program: BodyProgram
    results: int
    states: int
    elements: int
    iterations: int
    reverse: bool = False
    begins: bool = False
    outer: int = 0
    carried: tuple[tuple[int, ...], ...] = ()
    keys: tuple[BodyKey, ...] = ()
    coarse: bool = False
    vector: bool = False
    opaque: bool = False


class ScanLoop(Operation):
    """Runs a body for all rows; its results are followed by those of the body's checks."""

    name = "loop"
    kernel = "While"

    def __init__(self, plan: ScanPlan) -> None:
        self.plan = plan
        self.name = {MAP: "map_fn", SCAN: "scan", FOLD: "while_loop"}[plan.kind]
        self.bodies = (plan.program.part,)
        self.replayable = plan.program.replayable and not plan.opaque
        self._dependencies: tuple[frozenset[int], ...] | None = None
        self.check_types: list[tuple[TensorType, ...]] = []  # known once it has been inferred
        missing = sorted(self._missing())
        if missing:
            self.gradient = NoGradient(missing[0])

    # What it gives.

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        plan = self.plan
        results = list(plan.program.types)
        if plan.kind != FOLD:
            rows = plan.iterations + plan.begins
            for place in range(plan.results):
                type_ = results[place]
                results[place] = type_of((rows, *type_.shape), type_.numpy_dtype)
        self.check_types = self._checks(types)
        return (*results, *(type_ for check in self.check_types for type_ in check)), None

    def resized(self, types: Sequence[TensorType], slots_of: Any) -> Sequence[TensorType]:
        plan = self.plan
        state, elements, outer, _ = self._sorted(list(types))
        rows = [type_of(type_.shape[1:], type_.numpy_dtype) for type_ in elements]
        given = {key.place: key.type for key in plan.keys}
        rest = iter(outer)
        taken = [given[p] if p in given else next(rest) for p in range(plan.outer)]
        arguments = [*(rows if plan.begins else state), *rows]
        part = plan.program.part
        slots = slots_of(part, [(arguments, taken)[k][place] for k, place in plan.program.places])
        results = [slots[slot] for slot in part.outputs][: plan.results]
        if plan.kind == FOLD:
            return results
        count = elements[0].shape[0] if elements else plan.iterations
        return [type_of((count, *type_.shape), type_.numpy_dtype) for type_ in results]

    def _checks(self, types: Sequence[TensorType]) -> list[tuple[TensorType, ...]]:
        plan = self.plan
        state, elements, outer, _ = self._sorted(list(types))
        rows = [type_of(type_.shape[1:], type_.numpy_dtype) for type_ in elements]
        given = {key.place: key.type for key in plan.keys}
        rest = iter(outer)
        taken = [given[p] if p in given else next(rest) for p in range(plan.outer)]
        return plan.program.check_types([*(rows if plan.begins else state), *rows], taken)

    def _sorted(self, operands: list[Any]) -> tuple[list[Any], list[Any], list[Any], Any]:
        """Tells the operands: the state, the elements, what comes from outside, the keys."""
        plan = self.plan
        keys = operands.pop() if plan.keys else None
        first = 0 if plan.begins else plan.states
        last = first + plan.elements
        return operands[:first], operands[first:last], operands[last:], keys

    # What it computes.

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        with QUIET.temporarily(on=True):  # what a body prints is an instruction of its own
            return self.computed(arrays)

    def computed(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Computes the results from arrays."""
        plan = self.plan
        state, elements, outer, words = self._sorted(list(arrays))
        first: list[Any] = []
        if plan.begins:
            place = -1 if plan.reverse else 0
            first = state = [element[place] for element in elements]
            elements = [e[:-1] if plan.reverse else e[1:] for e in elements]
        if plan.vector:
            return self._at_once(elements, outer, words)
        return self._one_by_one(state, first, elements, outer, words)

    def _at_once(self, elements: list[Any], outer: list[Any], words: Any) -> Sequence[Any]:
        def one(rows: list[Any], keys: Any) -> Any:
            return self.plan.program.run(rows, self._taken(outer, (), keys))

        size = self.plan.iterations
        results, checks = jax.vmap(one, axis_size=size)(elements, words)
        found = [flag for flag, *_ in checks]
        first = _first_failed(found)
        return [*results, *(a[first] for check in checks for a in check)] if found else results

    def _one_by_one(
        self, state: list[Any], first: list[Any], elements: list[Any], outer: list[Any], words: Any
    ) -> Sequence[Any]:
        plan = self.plan
        variables = self._variables(outer)

        def step(carried: Any, rows: Any) -> Any:
            (state, variables, before), (elements, keys) = carried, rows
            taken = self._taken(outer, variables, keys)
            results, checks = plan.program.run([*state, *elements], taken)
            results, variables = results[: plan.results], results[plan.results :]
            next_state = [] if plan.kind == MAP else results
            shown = [] if plan.kind == FOLD else results
            return (next_state, variables, _merged(before, checks)), shown

        start = [
            (jnp.ones((), bool), *(jnp.zeros(t.shape, t.numpy_dtype) for t in check[1:]))
            for check in self.check_types
        ]
        (state, variables, found), stacked = lax.scan(
            step, (state, variables, start), (elements, words), plan.iterations, plan.reverse
        )
        results = state if plan.kind == FOLD else stacked
        if first and plan.kind == SCAN:
            pairs = [[r, f[None]] if plan.reverse else [f[None], r]
                     for r, f in zip(results, first, strict=True)]  # fmt: skip
            results = [jnp.concatenate(pair) for pair in pairs]
        return [*results, *variables, *(array for check in found for array in check)]

    def _variables(self, outer: list[Any]) -> list[Any]:
        """Returns what the variables that the body assigns hold at first."""
        plan = self.plan
        places = self._own_places()
        return [
            outer[places[held[0]]] if held else jnp.zeros(type_.shape, type_.numpy_dtype)
            for held, type_ in zip(plan.carried, plan.program.types[plan.results :], strict=True)
        ]

    def _own_places(self) -> dict[int, int]:
        """Returns for a place among what the body takes from outside that among the operands."""
        keys = {key.place for key in self.plan.keys}
        rest = [place for place in range(self.plan.outer) if place not in keys]
        return {place: k for k, place in enumerate(rest)}

    def _taken(self, outer: list[Any], variables: Sequence[Any], words: Any) -> list[Any]:
        """Returns what the body takes from outside, in one iteration."""
        plan = self.plan
        taken: list[Any] = [None] * plan.outer
        for place, own in self._own_places().items():
            taken[place] = outer[own]
        for value, places in zip(variables, plan.carried, strict=True):
            for place in places:  # gradients stop where a variable is read
                taken[place] = lax.stop_gradient(value)
        start = 0
        for key in plan.keys:
            count = words_of(key.type.shape, key.type.numpy_dtype)
            taken[key.place] = unpacked_key(words[start : start + count], key.type)
            start += count
        return taken

    # What depends on what.

    def dependencies(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[frozenset[int], ...] | None:
        """Returns which operands each result depends on."""
        if self.plan.coarse:
            return None
        if self._dependencies is None:
            self._dependencies = self._followed()
        return self._dependencies

    def _followed(self) -> tuple[frozenset[int], ...]:
        plan = self.plan
        body = flow_of(plan.program.part).outputs[: plan.results]
        first = 0 if plan.begins else plan.states
        of_rows = [1 << (first + k) for k in range(plan.elements)]
        own = self._own_places()
        held = {place for places in plan.carried for place in places}
        outside = {
            place: 1 << (first + plan.elements + k) for place, k in own.items() if place not in held
        }

        def once(state: tuple[int, ...]) -> tuple[int, ...]:
            arguments = (*state, *of_rows)
            of_inputs = [
                arguments[place] if kind == FROM_ARGUMENTS else outside.get(place, 0)
                for kind, place in plan.program.places
            ]
            return tuple(_substituted(mask, of_inputs) for mask in body)

        start = tuple(of_rows if plan.begins else [1 << k for k in range(plan.states)])
        if plan.kind == MAP:
            results = once(()) if plan.iterations else (0,) * plan.results
        else:
            last, before = flow_of_loop(once, start, plan.iterations)
            results = last
            if plan.kind == SCAN:
                shown = once(before) if plan.iterations else (0,) * plan.results
                results = tuple(
                    a | (b if plan.begins else 0) for a, b in zip(shown, start, strict=True)
                )
        nothing = len(plan.program.types) - plan.results + sum(map(len, self.check_types))
        return tuple(_places(mask) for mask in results) + (frozenset(),) * nothing

    def _missing(self) -> frozenset[str]:
        """Returns the kernels without a gradient on the way to a result."""
        return frozenset().union(*flow_of(self.plan.program.part).missing[: self.plan.results])


class ScanForEffects(EffectsOnly, ScanLoop):
    """The loop once more, run only for what its body prints."""


def _substituted(mask: int, of_inputs: Sequence[int]) -> int:
    found = 0
    for place, other in enumerate(of_inputs):
        if mask >> place & 1:
            found |= other
    return found


def _places(mask: int) -> frozenset[int]:
    return frozenset(place for place in range(mask.bit_length()) if mask >> place & 1)


def _merged(before: Sequence[Any], checks: Sequence[Any]) -> list[Any]:
    """Takes the verdicts of an iteration over, unless one before it has failed."""
    passed = functools.reduce(jnp.logical_and, [flag for flag, *_ in before], jnp.ones((), bool))
    return [
        tuple(
            lax.stop_gradient(jnp.where(passed, new, old))
            for new, old in zip(check, kept, strict=True)
        )
        for check, kept in zip(checks, before, strict=True)
    ]


def _first_failed(found: Sequence[Any]) -> Any:
    """Returns the first row in which a check has failed."""
    flags = functools.reduce(jnp.logical_and, found) if found else jnp.ones((1,), bool)
    return jnp.argmin(flags)


def unpacked_key(words: Any, type_: TensorType) -> Any:
    """Makes a key of 32-bit words."""
    dtype = type_.numpy_dtype
    if dtype.itemsize == 4:
        return lax.bitcast_convert_type(words, dtype).reshape(type_.shape)
    if dtype.itemsize == 8:
        return lax.bitcast_convert_type(words.reshape(-1, 2), dtype).reshape(type_.shape)
    small = np.dtype(f"uint{8 * dtype.itemsize}")
    parts = lax.bitcast_convert_type(words, small).reshape(-1)[: type_.size].reshape(type_.shape)
    return parts != 0 if dtype == np.bool_ else lax.bitcast_convert_type(parts, dtype)
