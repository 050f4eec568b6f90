"""Gradients step by step: the backward pass as a program of small operations.

The gradient of a slice, unfolded: its forward steps, then for each of them, from the last to the
first, the gradient of that step alone, which computes the step's forward part again. That costs
some arithmetic (a `tanh` twice, a product of matrices not) and needs no program of its own for
every slice: the same few operations serve all of them.
"""

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._tape.derivative_modes import REVERSE_MODE, differentiating
from tapefacade._trace.operation import Operation
from tapefacade._trace.slices import Slice
from tapefacade._trace.unfolding import Builder

MAX_GRADIENTS = 4096


class StepGradient(Operation):
    """The gradient of one operation: its inputs and the upstream gradients give those of inputs."""

    def __init__(
        self, operation: Operation, count: int, wanted: tuple[int, ...], given: tuple[int, ...]
    ) -> None:
        self.name = self.kernel = f"{operation.kernel}Grad"
        self.operation = operation
        self.count = count  # how many inputs the operation has
        self.wanted = wanted  # the inputs to differentiate with respect to
        self.given = given  # the outputs that have an upstream gradient

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        inputs, upstream = list(arrays[: self.count]), list(arrays[self.count :])

        def forward(*values: Any) -> list[Any]:
            for place, value in zip(self.wanted, values, strict=True):
                inputs[place] = value
            outputs = self.operation.evaluate(inputs, static)
            return [outputs[place] for place in self.given]

        primals = [inputs[place] for place in self.wanted]
        with differentiating(REVERSE_MODE):
            _, pull_back = jax.vjp(forward, *primals)
            return pull_back(upstream)

    @property
    def stands_apart(self) -> bool:  # type: ignore[override]
        return self.operation.stands_apart

    @property
    def is_moving(self) -> bool:  # type: ignore[override]
        return self.operation.is_moving and self.operation.kernel in RULES_OF_MOVES

    def on_host(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any] | None:
        inputs, upstream = arrays[: self.count], arrays[self.count :]
        found = RULES_OF_MOVES[self.operation.kernel](self, inputs, upstream, static)
        return [np.asarray(array) for array in found]


def _of_pack(
    step: StepGradient, inputs: Sequence[Any], upstream: Sequence[Any], static: tuple[Any, ...]
) -> list[Any]:
    """Takes the gradient of a stack apart."""
    rows = np.moveaxis(upstream[0], int(static[0]), 0)
    return [rows[place] for place in step.wanted]


def _of_unpack(
    step: StepGradient, inputs: Sequence[Any], upstream: Sequence[Any], static: tuple[Any, ...]
) -> list[Any]:
    """Stacks the gradients of rows; those that have none are zeros."""
    (value,) = inputs
    result = np.zeros(value.shape, value.dtype)
    rows = np.moveaxis(result, int(static[1]), 0)
    for place, row in zip(step.given, upstream, strict=True):
        rows[place] = row
    return [result]


def _of_concat(
    step: StepGradient, inputs: Sequence[Any], upstream: Sequence[Any], static: tuple[Any, ...]
) -> list[Any]:
    """Cuts the gradient of what was joined."""
    axis = int(np.asarray(static[0]).reshape(()))
    ends = np.cumsum([value.shape[axis] for value in inputs])
    parts = np.split(upstream[0], ends[:-1], axis)
    return [parts[place] for place in step.wanted]


RULES_OF_MOVES = {"Pack": _of_pack, "Unpack": _of_unpack, "ConcatV2": _of_concat}


class _GradientSum(Operation):
    """The sum of two gradients that reach the same value on two ways."""

    name = kernel = "AddN"

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return [jnp.add(*arrays)]


class _UpstreamOnes(Operation):
    """The upstream gradient of a target that was given none."""

    name = kernel = "OnesLike"

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        (type_,) = static
        return [jnp.ones(type_.shape, type_.numpy_dtype)]


SUM, ONES = _GradientSum(), _UpstreamOnes()


@functools.lru_cache(MAX_GRADIENTS)
def step_gradient(
    operation: Operation, count: int, wanted: tuple[int, ...], given: tuple[int, ...]
) -> StepGradient:
    """Returns the gradient of an operation; equal ones are the same."""
    return StepGradient(operation, count, wanted, given)


def unfolded_gradient(
    part: Slice,
    sources: Sequence[int],
    groups: Sequence[Sequence[int]],
    given: Sequence[bool],
) -> Slice | None:
    """Writes the gradient of a slice out.

    Args:
        part: the slice.
        sources: the slots to differentiate with respect to.
        groups: the places of the sources that each result adds up.
        given: which outputs have an upstream gradient among the inputs.

    Returns:
        A slice whose inputs are those of `part` and the upstream gradients, and whose outputs are
        the gradients. None if there are complex numbers, whose gradients JAX conjugates.
    """
    upstream = [part.types()[slot] for slot, on in zip(part.outputs, given, strict=True) if on]
    within = frozenset(slot for slot in sources if slot >= len(part.inputs))
    builder = Builder([*part.inputs, *upstream])
    first = len(part.inputs)
    # The forward steps, where the slots of the inputs are the same.
    slots = _copied(builder, part, within)
    if any(type_.dtype.is_complex for type_ in builder.types):
        return None
    forward = list(builder.steps)
    reached: dict[int, int] = {}  # slot -> the sum of the gradients that have reached it
    rest = iter(range(first, first + len(upstream)))
    for slot, on in zip(part.outputs, given, strict=True):
        type_ = builder.types[slots[slot]]
        one = next(rest) if on else builder.add(ONES, (type_,), (), (type_,))[0]
        _add(builder, reached, slots[slot], one)
    _backward(builder, forward, {slots[slot] for slot in sources}, reached)
    results = []
    for group in groups:
        places = {slots[sources[place]] for place in group}
        total: dict[int, int] = {}
        for slot in sorted(places & reached.keys()):
            _add(builder, total, 0, reached[slot])
        if not total:
            return None
        results.append(total[0])
    return builder.whole(results)


def _copied(builder: Builder, part: Slice, within: frozenset[int]) -> list[int]:
    """Adds the forward steps; the upstream gradients stand between them and the inputs."""
    count, more = len(part.inputs), len(builder.inputs) - len(part.inputs)
    if not more:
        return builder.copy_in(part, within)
    steps = tuple(
        step._replace(inputs=tuple([i if i < count else i + more for i in step.inputs]))
        for step in part.steps
    )
    moved = Slice(builder.inputs, steps, ())
    slots = builder.copy_in(moved, frozenset(slot + more for slot in within))
    return slots[:count] + slots[count + more :]


def _backward(
    builder: Builder, forward: list[Any], sources: set[int], reached: dict[int, int]
) -> None:
    """Adds the gradients of the forward steps, from the last to the first."""
    types = builder.types
    depends = set(sources)
    first = len(builder.inputs)
    on_way = []
    for step in forward:
        operation, static, inputs, _, outputs = step
        blocked = operation.blocked(static, len(inputs))
        dependencies = operation.dependencies(static, ())
        found = False
        for place, type_ in enumerate(outputs):
            used = range(len(inputs)) if dependencies is None else dependencies[place]
            if type_.inexact and any(inputs[i] in depends for i in used if i not in blocked):
                depends.add(first + place)
                found = True
        if found:
            on_way.append((step, first, blocked))
        first += len(outputs)
    for (operation, static, inputs, _, outputs), start, blocked in reversed(on_way):
        given = tuple(
            [p for p in range(len(outputs)) if start + p in reached and start + p in depends]
        )
        if not given:
            continue
        wanted = tuple([
            place
            for place, slot in enumerate(inputs)
            if slot in depends and place not in blocked and types[slot].inexact
        ])  # fmt: skip
        if not wanted:
            continue
        upstream = [reached[start + place] for place in given]
        gradient = step_gradient(operation, len(inputs), wanted, given)
        into = [inputs[place] for place in wanted]
        results = builder.add(
            gradient, static, (*inputs, *upstream), tuple([types[slot] for slot in into])
        )
        for slot, result in zip(into, results, strict=True):
            _add(builder, reached, slot, result)


def _add(builder: Builder, reached: dict[int, int], slot: int, gradient: int) -> None:
    """Adds a gradient to those that have reached a slot, at once: a loop stays one that repeats."""
    before = reached.get(slot)
    if before is None:
        reached[slot] = gradient
    else:
        (reached[slot],) = builder.add(SUM, (), (before, gradient), (builder.types[gradient],))
