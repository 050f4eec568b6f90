"""Gradients, Jacobians and forward derivatives as ops: `jax.vjp` or `jax.jvp` of a slice.

The inputs are the inputs of the slice (the sources among them), then the upstream gradients or the
tangents. What was computed before the slice is an input, so it is a constant for this derivative
and still differentiable for an outer one. A source inside the slice gets a tap that passes its
value on.
"""

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.interned_objects import interned
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._tape.derivative_modes import (
    FORWARD_MODE,
    REVERSE_MODE,
    current_modes,
    differentiating,
    in_forward_mode,
    is_rematerializing,
    rematerializing,
)
from tapefacade._tape.derivatives.common_subexpressions import TracedFunction
from tapefacade._tape.derivatives.dataflow import input_dependencies, tangent_dependencies
from tapefacade._tape.derivatives.jacobian import columns_of, rows_of
from tapefacade._tape.derivatives.rematerialization import RematerializedFunction
from tapefacade._tape.derivatives.row_independence import gradients_along_rows, rowwise
from tapefacade._tape.derivatives.second_order import hessian_of, hvp_of, laplacian_of
from tapefacade._tape.derivatives.unfolded_gradients import unfolded_gradient
from tapefacade._trace.operation import Operation
from tapefacade._trace.slices import Slice, Step, adopt_lines, evaluate
from tapefacade._trace.step_marks import MARKING_STATE


class DerivativeKind(NamedTuple):
    """Which derivative it is."""

    name: str
    chunk: int | None = None  # how many rows or columns of a Jacobian are computed at a time


GRADIENT, JACOBIAN, BATCH_JACOBIAN = (
    DerivativeKind("gradient"),
    DerivativeKind("jacobian"),
    DerivativeKind("batch_jacobian"),
)
FORWARD = DerivativeKind("forward")  # one tangent for each source, one for each target
HVP = DerivativeKind("hvp")  # the Hessian times a vector for each source
HESSIAN = DerivativeKind("hessian")  # for each source its rows, as a matrix
LAPLACIAN = DerivativeKind(
    "laplacian"
)  # along the last dimension of the source, for each target's element
SECOND_ORDER = (HVP, HESSIAN, LAPLACIAN)


def _tap(value: Any, added: Any) -> Any:
    """Returns `value`, with the derivative of `value + added`."""
    return value


tap = jax.custom_jvp(_tap)


@tap.defjvp
def _tap_jvp(primals: tuple[Any, Any], tangents: tuple[Any, Any]) -> tuple[Any, Any]:
    return tap(*primals), tangents[0] + tangents[1]


class Derivative(Operation):
    """A derivative of a slice's outputs with respect to some of its slots."""

    name = "GradientTape.gradient"
    kernel = "GradientTape"

    def __init__(
        self, kind: DerivativeKind, part: Slice, sources: tuple[int, ...],
        groups: tuple[tuple[int, ...], ...], given: tuple[bool, ...], rematerialize: bool = False,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.is_batch = kind.name == BATCH_JACOBIAN.name
        self.part = part
        self.sources = sources  # slots to differentiate with respect to
        self.groups = groups  # the places of the sources that each result adds up
        self.given = given  # which targets have an upstream gradient among the inputs
        self.rematerialize = rematerialize  # whether intermediate values are not kept
        types = part.types()
        self.source_types = [types[slot] for slot in sources]
        self.target_types = [types[slot] for slot in part.outputs]
        self.group_types = [self.source_types[group[0]] for group in groups]
        # Forward, backward, and sums; what derivatives have in common is computed once.
        within = sum(s.operation.size for s in part.steps if isinstance(s.operation, Derivative))
        self.size = 3 * sum(step.operation.size for step in part.steps) - 2 * within
        self.stands_apart = any(step.operation.stands_apart for step in part.steps)
        self._traces: dict[tuple[tuple[str, ...], bool], TracedFunction] = {}
        self._rematerialized: dict[tuple[str, ...], RematerializedFunction] = {}
        self._dependencies: tuple[frozenset[int], ...] | None = None

    @functools.cached_property
    def result_types(self) -> tuple[TensorType, ...]:
        """The types of the results, one for each group; of tangents, one for each target."""
        return self._result_types(self.source_types, self.target_types)

    def _result_types(
        self, sources: Sequence[TensorType], targets: Sequence[TensorType]
    ) -> tuple[TensorType, ...]:
        if self.kind in (FORWARD, LAPLACIAN):
            return tuple(targets)
        types = [sources[group[0]] for group in self.groups]
        if self.kind in (GRADIENT, HVP):
            return tuple(types)
        if self.kind is HESSIAN:
            count = sum(type_.size for type_ in types)
            return tuple(type_of((t.size, count), t.numpy_dtype) for t in types)
        target = targets[0]
        return tuple(type_of(target.shape + t.shape[self.is_batch :], t.numpy_dtype) for t in types)

    def resized(
        self, types: Sequence[TensorType], slots_of: Callable[..., Any]
    ) -> Sequence[TensorType]:
        slots = slots_of(self.part, types[: len(self.part.inputs)])
        sources, targets = (
            [slots[slot] for slot in places] for places in (self.sources, self.part.outputs)
        )
        return self._result_types(sources, targets)

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return self.result_types, None

    def dependencies(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[frozenset[int], ...] | None:
        """Returns which inputs each derivative depends on: the derivative of 3x on nothing."""
        if self._dependencies is None:
            if self.kind is FORWARD:
                self._dependencies = tangent_dependencies(self.part, self.sources)
            else:
                pairs = zip(self.target_types, self.given, strict=True)
                others = [type_ for type_, given in pairs if given]
                if self.kind is HVP:
                    others = self.group_types
                self._dependencies = input_dependencies(
                    lambda *arrays: list(self.evaluate(arrays, ())), [*self.part.inputs, *others]
                )
        return self._dependencies

    def unfolded(self, static: tuple[Any, ...]) -> Slice | None:
        return self._unfolded

    @functools.cached_property
    def _unfolded(self) -> Slice | None:
        """The gradient as smaller operations."""
        if self.kind != GRADIENT or self.rematerialize:
            return None
        return unfolded_gradient(self.part, self.sources, self.groups, self.given)

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return self.evaluate_with_forward(arrays, static)[0]

    def evaluate_with_forward(
        self, arrays: Sequence[Any], static: tuple[Any, ...]
    ) -> tuple[Sequence[Any], Sequence[Any]]:
        count = len(self.part.inputs)
        inputs, upstream = arrays[:count], arrays[count:]
        shares = self._is_nested and MARKING_STATE.marks is None
        forward = functools.partial(self._shared if shares else self._forward, inputs)
        primals = [
            inputs[slot] if slot < count else jnp.zeros(type_.shape, type_.numpy_dtype)
            for slot, type_ in zip(self.sources, self.source_types, strict=True)
        ]
        if self.kind is FORWARD:
            directions = list(upstream[: len(primals)])
            with differentiating(FORWARD_MODE):
                _, tangents, internal = jax.jvp(forward, primals, directions, has_aux=True)
            return tangents, internal
        if self.kind in SECOND_ORDER:
            return self._second_order(forward, primals, upstream)
        if self.kind == GRADIENT:
            if self._rows is not None:
                with differentiating(FORWARD_MODE):
                    results, internal = gradients_along_rows(forward, primals, self._rows)
                return self._summed(results), internal
            with differentiating(REVERSE_MODE):
                outputs, pull_back, internal = self._vjp(forward, inputs, primals)
                results = pull_back(self._upstream(outputs, upstream))
        else:
            results, internal = self._jacobian(forward, inputs, primals)
        return self._summed([_conjugate(result) for result in results]), internal

    def _forward(self, inputs: Sequence[Any], *sources: Any) -> tuple[list[Any], list[Any]]:
        """Computes the targets and, besides, every slot of the slice."""
        count = len(inputs)
        current = list(inputs)
        taps: dict[int, Callable[[Any], Any]] = {}
        for slot, value in zip(self.sources, sources, strict=True):
            if slot < count:
                current[slot] = value
            else:
                taps[slot] = functools.partial(tap, added=value)
        slots = evaluate(self.part, current, _apply, taps)
        end = count + sum(len(step.types) for step in self.part.steps)
        internal = [slots.get(slot) for slot in range(count, end)]
        return [slots[slot] for slot in self.part.outputs], internal

    @functools.cached_property
    def _is_nested(self) -> bool:
        """Whether the slice contains a derivative, which computes again what it differentiates."""
        return any(isinstance(step.operation, Derivative) for step in self.part.steps)

    @property
    def _traced(self) -> TracedFunction:
        """The slice, as a function of its inputs and what is added to the sources within it."""
        key = current_modes(), is_rematerializing()  # in which gradients within it differ
        if key not in self._traces:
            self._traces[key] = self._trace()
        return self._traces[key]

    def _trace(self, targets_only: bool = False) -> TracedFunction:
        inputs, types = self.part.inputs, self.source_types
        within = [t for slot, t in zip(self.sources, types, strict=True) if slot >= len(inputs)]

        def forward(*arrays: Any) -> Any:
            added = iter(arrays[len(inputs) :])
            values = [arrays[s] if s < len(inputs) else next(added) for s in self.sources]
            outputs, internal = self._forward(arrays[: len(inputs)], *values)
            return outputs if targets_only else (outputs, internal)

        abstract = [jax.ShapeDtypeStruct(t.shape, t.numpy_dtype) for t in (*inputs, *within)]
        return TracedFunction(forward, abstract)

    def _shared(self, inputs: Sequence[Any], *sources: Any) -> tuple[list[Any], list[Any]]:
        """Does what `_forward` does, nothing of it twice."""
        return self._traced(*self._arguments(inputs, sources))

    def _again(self, inputs: Sequence[Any], *sources: Any) -> tuple[list[Any], list[Any]]:
        """Computes the targets, for a gradient that computes what lies before them again."""
        outputs = self._rematerializing()(*self._arguments(inputs, sources))
        known = dict(zip(self.part.outputs, outputs, strict=True))
        return outputs, [known.get(len(inputs) + place) for place in range(len(self._steps))]

    def _rematerializing(self) -> RematerializedFunction:
        """Returns the targets as a function whose gradient keeps few values."""
        modes = current_modes()
        if modes not in self._rematerialized:
            count = len(self.part.inputs)
            within = itertools.count(count)
            places = [slot if slot < count else next(within) for slot in self.sources]
            with rematerializing():
                traced = self._trace(targets_only=True)
            self._rematerialized[modes] = RematerializedFunction(traced, places)
        return self._rematerialized[modes]

    def rematerialized_sizes(self) -> tuple[int, int, int] | None:
        """Returns what a gradient keeps that computes values again, in bytes.

        Returns:
            What is kept from one segment to the next, what the largest segment makes, and how many
            segments there are; None if nothing is computed again.
        """
        with differentiating(REVERSE_MODE):
            return self._rematerializing().sizes()

    def _vjp(self, forward: Any, inputs: Sequence[Any], primals: list[Any]) -> tuple[Any, Any, Any]:
        # In forward mode nothing is kept, and custom gradients have other rules for it.
        again = (self.rematerialize or is_rematerializing()) and MARKING_STATE.marks is None
        if again and not in_forward_mode():
            forward = functools.partial(self._again, inputs)
        return jax.vjp(forward, *primals, has_aux=True)

    def _arguments(self, inputs: Sequence[Any], sources: Sequence[Any]) -> list[Any]:
        """Returns the arguments of the traced slice."""
        arrays = list(inputs)
        for slot, value in zip(self.sources, sources, strict=True):
            if slot < len(inputs):
                arrays[slot] = value
            else:
                arrays.append(value)
        return arrays

    @functools.cached_property
    def _rows(self) -> list[list[int | None]] | None:
        """The axes of each source's rows in the targets, if the gradient can go along the rows."""
        sizes = {type_.size for type_ in self.source_types}
        if (
            any(self.given)
            or len(sizes) != 1
            or any(slot >= len(self.part.inputs) for slot in self.sources)
            or not all(t.dtype.is_floating for t in (*self.source_types, *self.target_types))
        ):
            return None
        (rows,) = sizes
        if not all(rows in type_.shape for type_ in self.target_types):
            return None
        found = []
        for slot, type_ in zip(self.sources, self.source_types, strict=True):
            if rows not in type_.shape:  # not a single column
                return None
            axes = rowwise(self._traced.closed, slot, type_.shape.index(rows))
            if axes is None:
                return None
            found.append(axes[: len(self.target_types)])
        return found

    def _upstream(self, outputs: Sequence[Any], upstream: Sequence[Any]) -> list[Any]:
        rest = iter(upstream)
        return [
            _conjugate(next(rest)) if given else jnp.ones_like(output)
            for output, given in zip(outputs, self.given, strict=True)
        ]

    def _summed(self, results: Sequence[Any]) -> list[Any]:
        """Adds up what belongs to one source: a variable that was read more than once."""
        return [
            functools.reduce(lambda total, place: total + results[place], rest, results[first])
            for first, *rest in self.groups
        ]

    def _jacobian(
        self, forward: Any, inputs: Sequence[Any], primals: list[Any]
    ) -> tuple[list[Any], list[Any]]:
        """Computes full Jacobians: by rows, or by columns where there are fewer of them."""
        (target,) = self.target_types
        columns = sum(type_.size for type_ in self.source_types)
        complex_ = target.dtype.is_complex or any(t.dtype.is_complex for t in self.source_types)
        if not self.is_batch and columns < target.size and not complex_:
            return self._columns(forward, primals)
        with differentiating(REVERSE_MODE):
            _, pull_back, internal = self._vjp(forward, inputs, primals)
            results = rows_of(
                lambda row: pull_back([row]), self.source_types, target, self._steps,
                self.kind.chunk, self.is_batch,
            )  # fmt: skip
        return results, internal

    def _columns(self, forward: Any, primals: list[Any]) -> tuple[list[Any], list[Any]]:
        (target,) = self.target_types
        with differentiating(FORWARD_MODE):
            if self.rematerialize:  # tangents that travel with the values keep none of them
                push = functools.partial(_pushed, forward, primals)
                internal = forward(*primals)[1]
            else:
                _, push, internal = jax.linearize(forward, *primals, has_aux=True)
        results = columns_of(
            lambda vectors: push(*vectors)[0], self.source_types, target, self._steps,
            self.kind.chunk,
        )  # fmt: skip
        return results, internal

    def _second_order(
        self, forward: Any, primals: list[Any], vectors: Sequence[Any]
    ) -> tuple[Sequence[Any], Sequence[Any]]:
        if self.kind is LAPLACIAN:
            with differentiating(FORWARD_MODE, FORWARD_MODE):
                return laplacian_of(forward, primals, self.source_types[0], self._steps)
        if self.kind is HESSIAN:
            with differentiating(FORWARD_MODE, REVERSE_MODE):
                return hessian_of(forward, primals, self.groups, self.group_types, self._steps)
        directions = list(primals)
        for vector, group in zip(vectors, self.groups, strict=False):
            for place in group:
                directions[place] = vector
        with differentiating(FORWARD_MODE, REVERSE_MODE):
            results, internal = hvp_of(forward, primals, directions)
        return self._summed(results), internal

    @property
    def _steps(self) -> list[TensorType]:
        """The types of the intermediate values."""
        return [type_ for step in self.part.steps for type_ in step.types]


def _apply(step: Step, arrays: list[Any]) -> Sequence[Any]:
    """Evaluates a step; no gradient flows through blocked inputs.

    The derivative for the other inputs may depend on the blocked ones, and is differentiable with
    respect to them: zeta(x, q) has no gradient for x, but its derivative for q has one.
    """
    blocked = sorted(step.operation.blocked(step.static, len(arrays)))
    if not blocked:
        return step.operation.evaluate(arrays, step.static)

    def compute(held: list[Any], free: list[Any]) -> list[Any]:
        rest = iter(free)
        inputs = list(arrays)
        for place in range(len(inputs)):
            inputs[place] = held[blocked.index(place)] if place in blocked else next(rest)
        return list(step.operation.evaluate(inputs, step.static))

    def push(primals: Any, tangents: Any) -> Any:
        held, free = primals
        return jax.jvp(lambda values: compute(held, values), (free,), (tangents[1],))

    partial = jax.custom_jvp(compute)
    partial.defjvp(push)
    held = [arrays[place] for place in blocked]
    return partial(held, [a for place, a in enumerate(arrays) if place not in blocked])


def _pushed(forward: Any, primals: list[Any], *vectors: Any) -> list[Any]:
    with differentiating(FORWARD_MODE):
        return jax.jvp(forward, primals, list(vectors), has_aux=True)[1]


def _conjugate(value: Any) -> Any:
    """Converts between JAX's and TensorFlow's gradients of complex values, which are conjugate."""
    return jnp.conj(value) if jnp.iscomplexobj(value) else value


def derivative(
    kind: DerivativeKind,
    part: Slice,
    sources: tuple[int, ...],
    groups: tuple[tuple[int, ...], ...],
    given: tuple[bool, ...],
    rematerialize: bool = False,
) -> Derivative:
    """Returns the derivative op; equal ones are the same, so that programs find themselves."""
    found = interned(Derivative, kind, part, sources, groups, given, rematerialize)
    adopt_lines(found.part, part)
    return found


def ones_like(type_: TensorType) -> np.ndarray[Any, Any]:
    """Returns the upstream gradient that stands for none given."""
    return np.ones(type_.shape, type_.numpy_dtype)
