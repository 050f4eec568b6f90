"""Data flow of a derivative: which results depend on which inputs through floating values.

TensorFlow gives None where a derivative does not depend on a source: the second derivative of 3x,
or of `maximum`, whose derivative depends on x only through a comparison.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core.tensor_type import TensorType
from tapefacade._tape.derivative_modes import FORWARD_MODE, differentiating
from tapefacade._trace.interpreter import scan_counts
from tapefacade._trace.named_axes import traced
from tapefacade._trace.operation import Operation
from tapefacade._trace.slices import Slice


def input_dependencies(
    function: Callable[..., Sequence[Any]], types: Sequence[TensorType]
) -> tuple[frozenset[int], ...]:
    """Returns for each result of `function` the inputs it depends on.

    Args:
        function: a function of arrays that JAX can trace.
        types: the types of its arguments.

    Returns:
        A set of places of arguments for each result.
    """
    abstract = [jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype) for type_ in types]
    with jax.enable_x64(True):
        jaxpr = traced(function)(*abstract).jaxpr
    found = _flow(jaxpr, [1 << place for place in range(len(types))])
    return tuple(
        frozenset(place for place in range(len(types)) if mask >> place & 1) for mask in found
    )


def tangent_dependencies(part: Slice, sources: Sequence[int]) -> tuple[frozenset[int], ...]:
    """Returns for each tangent of a slice's outputs what it depends on, op by op.

    TensorFlow gives all inputs of an op a tangent, if only zeros: the tangent of 3x depends on x.

    Args:
        part: the slice.
        sources: the slots that have a tangent.

    Returns:
        For each output a set of places among the inputs, which the sources' tangents follow.
    """
    count = len(part.inputs)
    types = part.types()
    values = {slot: {slot} if types[slot].inexact else set[int]() for slot in range(count)}
    tangents: dict[int, set[int]] = {slot: {count + k} for k, slot in enumerate(sources)}
    first = count
    for step in part.steps:
        of_inputs = tuple([types[slot] for slot in step.inputs])
        slopes = _slopes(step.operation, step.static, of_inputs)
        through = step.operation.dependencies(step.static, of_inputs)
        blocked = step.operation.blocked(step.static, len(step.inputs))
        everything = frozenset(range(len(step.inputs)))
        for place, type_ in enumerate(step.types):
            slot = first + place
            values[slot] = set()
            if type_.inexact:
                for k in (everything if through is None else through[place]) - blocked:
                    values[slot] |= values[step.inputs[k]]
                of_values, of_tangents = slopes[place]
                pushed = [step.inputs[k] for k in of_tangents if step.inputs[k] in tangents]
                if pushed:
                    found = [values[step.inputs[k]] for k in of_values]
                    tangents[slot] = set().union(*found, *(tangents[s] for s in pushed))
        first += len(step.types)
    return tuple(frozenset(tangents.get(slot, ())) for slot in part.outputs)


@functools.lru_cache(maxsize=4096)
def _slopes(
    operation: Operation, static: tuple[Any, ...], types: tuple[TensorType, ...]
) -> tuple[tuple[frozenset[int], frozenset[int]], ...]:
    """Returns for each tangent that an op gives on which values and which tangents it depends."""
    blocked = operation.blocked(static, len(types))
    free = [k for k, type_ in enumerate(types) if type_.inexact and k not in blocked]

    def push(*arrays: Any) -> list[Any]:
        inputs = list(arrays[: len(types)])

        def compute(*values: Any) -> list[Any]:
            for k, value in zip(free, values, strict=True):
                inputs[k] = value
            return list(operation.evaluate(inputs, static))

        primals = [inputs[k] for k in free]
        with differentiating(FORWARD_MODE):
            _, tangents = jax.jvp(compute, primals, list(arrays[len(types) :]))
        return tangents

    found = input_dependencies(push, [*types, *(types[k] for k in free)])
    count = len(types)
    return tuple(
        (
            frozenset(k for k in places if k < count),
            frozenset(free[k - count] for k in places if k >= count),
        )
        for places in found
    )


def _flow(jaxpr: Any, inputs: Sequence[int]) -> list[int]:
    """Carries sets of inputs, as bits, through a jaxpr."""
    masks: dict[Any, int] = dict(zip(jaxpr.invars, inputs, strict=True))

    def read(variable: Any) -> int:
        if hasattr(variable, "val") or not jnp.issubdtype(variable.aval.dtype, jnp.inexact):
            return 0
        return masks.get(variable, 0)

    for equation in jaxpr.eqns:
        arguments = [read(variable) for variable in equation.invars]
        body = _called(equation)
        if body is not None and len(body.invars) == len(arguments):
            results = _flow(body, arguments)
        elif equation.primitive.name == "scan":
            results = _flow_of_loop(equation.params, arguments)
        elif equation.primitive.name == "cond":
            found = [_flow(b.jaxpr, arguments[1:]) for b in equation.params["branches"]]
            results = [
                functools.reduce(operator.or_, of_one) for of_one in zip(*found, strict=True)
            ]
        else:
            union = 0
            if equation.primitive.name != "stop_gradient":
                for mask in arguments:
                    union |= mask
            results = [union] * len(equation.outvars)
        masks.update(zip(equation.outvars, results, strict=False))
    return [read(variable) for variable in jaxpr.outvars]


def _flow_of_loop(params: dict[str, Any], arguments: list[int]) -> list[int]:
    """Carries sets of inputs through `jax.lax.scan`, until its state depends on nothing more."""
    first, count = scan_counts(params)
    last = first + count
    while True:
        results = _flow(params["jaxpr"].jaxpr, arguments)
        state = [a | b for a, b in zip(arguments[first:last], results[:count], strict=True)]
        if state == arguments[first:last]:
            return state + results[count:]
        arguments = [*arguments[:first], *state, *arguments[last:]]


def _called(equation: Any) -> Any | None:
    """Returns the body of a plain call; custom rules and loops of unknown length are one piece."""
    if equation.primitive.name not in ("pjit", "jit", "closed_call", "core_call", "remat2"):
        return None
    body = equation.params.get("jaxpr")
    return getattr(body, "jaxpr", body)
