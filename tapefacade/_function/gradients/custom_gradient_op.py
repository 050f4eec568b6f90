"""`tf.custom_gradient` as one instruction: its gradient function is recorded as a program.

Within a function that is recorded, or in the body of a branch or loop, no Python can run when a
gradient arrives. The gradient function is recorded then, on placeholders for the upstream
gradients, and what it computes becomes part of one instruction. Its operands are the results of the
function, its arguments, the variables it reads, and what the gradient function takes from outside.
The results are passed on; a gradient that arrives goes to the arguments and variables, by the
recorded program. Derivatives of higher order go through what that program takes from outside.
"""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.gradient_rules import DIFFERENTIABLE, NoGradient
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._function.control.bodies import BodyProgram, dependencies_of
from tapefacade._tape.custom_gradient_boundary import RegisterGradient
from tapefacade._tape.derivative_modes import FORWARD_MODE, current_modes, with_modes
from tapefacade._tape.derivatives.linearity import is_linear
from tapefacade._trace.body_depth import is_within_body
from tapefacade._trace.operation import Operation
from tapefacade._trace.recording import THREAD
from tapefacade._trace.step_marks import gradient_function

KERNEL = "CustomGradient"


@dataclasses.dataclass(frozen=True)
class CustomGradientRule(NoGradient):
    """The rule of a custom gradient: tapes record an instruction, JAX follows it in a body."""


class Rule(NamedTuple):
    """A gradient function that has been recorded.

    Attributes:
        program: takes an upstream gradient for each result; returns the gradients.
        results: the types of the results of the function it belongs to.
        sources: the types of the arguments, then of the variables, of that function.
        given: the places among the sources of those that the gradients are for.
        outer: the types of what the program takes from outside.
        zeros: the places of what of this is always zero.
    """

    program: BodyProgram
    results: tuple[TensorType, ...]
    sources: tuple[TensorType, ...]
    given: tuple[int, ...]
    outer: tuple[TensorType, ...]
    zeros: tuple[int, ...] = ()

    def pull(self, upstream: Sequence[Any], outer: Sequence[Any]) -> list[Any]:
        """Computes the gradients of arrays, conjugate where they are complex, as JAX's are."""
        with gradient_function():
            found, _ = self.program.run([_conjugate(u) for u in upstream], outer)
        return [_conjugate(gradient) for gradient in found]


def _conjugate(value: Any) -> Any:
    return jnp.conj(value) if jnp.iscomplexobj(value) else value


class CustomGradientByRule(Operation):
    """Passes its first inputs on; gradients that arrive go to the next ones, by a rule.

    Where the rule is linear in the upstream gradients, as nearly all are, its transpose is the
    derivative in forward mode. Where it is not, it has none: a tape, which differentiates such an
    instruction by another one, takes the rule at ones for it, as TensorFlow does.
    """

    name = "custom_gradient"
    kernel = "IdentityN"

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.pulled = _RulePullback(rule)
        self._inexact = [p for p, type_ in enumerate(rule.results) if type_.inexact]
        self.gradient = DIFFERENTIABLE if self.is_linear else CustomGradientRule(KERNEL)

    @functools.cached_property
    def is_linear(self) -> bool:
        """Whether the gradients are linear in the upstream gradients."""
        rule = self.rule
        types = [rule.results[place] for place in self._inexact]
        return is_linear(self._pull, types, rule.outer, rule.zeros)

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return self.rule.results, None

    def resized(self, types: Sequence[TensorType], slots_of: Any) -> Sequence[TensorType]:
        return types[: len(self.rule.results)]

    def dependencies(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[frozenset[int], ...]:
        count = len(self.rule.results)
        return (frozenset(count + place for place in self.rule.given),) * count

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        count, end = len(self.rule.results), len(self.rule.results) + len(self.rule.sources)
        passing = self._passing(current_modes())
        return passing(list(arrays[:count]), list(arrays[count:end]), list(arrays[end:]))

    def _passing(self, modes: tuple[str, ...]) -> Any:
        """Returns the function that passes its first argument on, to be differentiated so."""
        value = self._passing(modes[:-1]) if modes else _pass_on
        if self.is_linear and modes[-1:] == (FORWARD_MODE,):
            return self._pushing(value, modes[:-1])
        in_loop = is_within_body() and FORWARD_MODE in modes
        if not modes or in_loop:  # unknown; or what a loop would lose (see `modes`)
            return self._pulling(None, ())
        return self._pulling(value, modes[:-1])

    def _pull(self, upstream: Sequence[Any], outer: Sequence[Any]) -> list[Any]:
        """Computes the gradients, given upstream gradients for the floating results alone."""
        full = [jnp.zeros(type_.shape, type_.numpy_dtype) for type_ in self.rule.results]
        for place, gradient in zip(self._inexact, upstream, strict=True):
            full[place] = gradient
        return self.rule.pull(full, outer)

    def _pushing(self, value: Any, outer_modes: tuple[str, ...]) -> Any:
        """Returns the function with its derivative in forward mode: the transpose of the rule."""
        types = [self.rule.results[place] for place in self._inexact]
        like = [jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype) for type_ in types]

        def push(primals: Any, tangents: Any) -> Any:
            _, _, outer = primals
            moved = [np.zeros(type_.shape, jax.dtypes.float0) for type_ in self.rule.results]
            with with_modes(outer_modes):
                transposed = jax.linear_transpose(lambda *ups: self._pull(ups, outer), *like)
                pushed = transposed([tangents[1][place] for place in self.rule.given])
            for place, tangent in zip(self._inexact, pushed, strict=True):
                moved[place] = tangent
            return value(*primals), moved

        passing = jax.custom_jvp(_pass_on)
        passing.defjvp(push)
        return passing

    def _pulling(self, value: Any, outer_modes: tuple[str, ...]) -> Any:
        """Returns the function with its gradient in reverse mode."""
        rule = self.rule

        def forward(results: Any, sources: Any, outer: Any) -> Any:
            return (value or passing)(results, sources, outer), outer

        def backward(outer: Any, upstream: Any) -> Any:
            gradients: list[Any] = [None] * len(rule.sources)
            with with_modes(outer_modes):
                found = self._pull([upstream[place] for place in self._inexact], outer)
            for place, gradient in zip(rule.given, found, strict=True):
                gradients[place] = gradient
            return None, gradients, None

        passing = jax.custom_vjp(_pass_on)
        passing.defvjp(forward, backward)
        return passing


def _pass_on(results: Any, sources: Any, outer: Any) -> Any:
    return results


class _RulePullback(Operation):
    """The gradients of a rule; its inputs: the upstream gradients and what comes from outside."""

    name = "custom_gradient"
    kernel = KERNEL

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._dependencies = dependencies_of(rule.program, len(rule.results))

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return self._rule.program.types, None

    def dependencies(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[frozenset[int], ...]:
        return self._dependencies

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        count = len(self._rule.results)
        return self._rule.program.run(arrays[:count], arrays[count:])[0]


@RegisterGradient(KERNEL)
def _gradient(view: Any, *upstream: EagerTensor) -> list[EagerTensor | None]:
    """Records the gradients of an instruction whose rule is not linear."""
    operation: CustomGradientByRule = view._operation
    rule, recording = operation.rule, THREAD.recording
    first = len(rule.results) + len(rule.sources)
    slots = [t._slot if t._recording is recording else recording.leaf(t) for t in upstream]
    if view._slots is None:
        slots += [recording.leaf(tensor) for tensor in view.inputs[first:]]
    else:
        slots += view._slots[first:]
    types = [*rule.results, *rule.outer]
    found = recording.apply(operation.pulled, (), tuple(slots), types)
    gradients: list[EagerTensor | None] = [None] * len(view.inputs)
    for place, gradient in zip(rule.given, found, strict=True):
        gradients[len(rule.results) + place] = gradient
    return gradients
