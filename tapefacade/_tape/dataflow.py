"""Data flow of a derivative: which results depend on which inputs through floating values.

TensorFlow gives None where a derivative does not depend on a source: the second derivative of 3x,
or of `maximum`, whose derivative depends on x only through a comparison.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core.types import TensorType


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
        jaxpr = jax.make_jaxpr(function)(*abstract).jaxpr
    found = _flow(jaxpr, [1 << place for place in range(len(types))])
    return tuple(
        frozenset(place for place in range(len(types)) if mask >> place & 1) for mask in found
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
        else:
            union = 0
            if equation.primitive.name != "stop_gradient":
                for mask in arguments:
                    union |= mask
            results = [union] * len(equation.outvars)
        masks.update(zip(equation.outvars, results, strict=False))
    return [read(variable) for variable in jaxpr.outvars]


def _called(equation: Any) -> Any | None:
    """Returns the body of a plain call; loops and custom rules are one piece."""
    if equation.primitive.name not in ("pjit", "jit", "closed_call", "core_call", "remat2"):
        return None
    body = equation.params.get("jaxpr")
    return getattr(body, "jaxpr", body)
