"""Whether a function is linear in its first arguments, told from its jaxpr."""

from collections.abc import Callable, Container, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from tapefacade._core.tensor_type import TensorType
from tapefacade._trace.named_axes import traced

# What is known of a value: it does not depend on the arguments in question, it is zero besides, it
# is linear in them, or it depends on them in another way.
CONSTANT, ZERO, LINEAR, OTHER = "constant", "zero", "linear", "other"
MAX_CONSTANT_ELEMENTS = 1024  # elements of a constant

# Of one argument, or of the first where the others (indices) do not depend on what is asked about.
_OF_ONE = frozenset({
    "neg", "reshape", "broadcast_in_dim", "squeeze", "transpose", "rev", "reduce_sum", "real",
    "imag", "conj", "copy", "copy_p", "slice", "cumsum", "convert_element_type", "gather",
    "dynamic_slice", "div", "expand_dims", "sums_of_pixels",
})  # fmt: skip
_OF_ALL = frozenset({"add", "sub", "add_any", "concatenate", "pad", "complex"})  # together
_OF_EACH = frozenset({  # linear in either
    "mul", "dot_general", "conv_general_dilated", "shifted_products", "sums_of_shifted_products",
})  # fmt: skip
_CALLS = frozenset({"jit", "pjit", "closed_call"})


def is_linear(
    function: Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]],
    types: Sequence[TensorType],
    others: Sequence[TensorType],
    zeros: Container[int] = (),
) -> bool:
    """Whether a function is linear in all of its first arguments together.

    Args:
        function: a function of two lists of arrays, that returns a list of arrays.
        types: the types of the first.
        others: the types of the second.
        zeros: the places of those of the second that are zero.

    Returns:
        Whether it is certain.
    """
    shapes = [
        [jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype) for type_ in group]
        for group in (types, others)
    ]
    with jax.enable_x64(True):
        closed = traced(function)(*shapes)
    known = [LINEAR] * len(types)
    known += [ZERO if place in zeros else CONSTANT for place in range(len(others))]
    return {LINEAR, ZERO}.issuperset(_flow(closed.jaxpr, closed.consts, known))


def _flow(jaxpr: Any, constants: Sequence[Any], known: Sequence[str]) -> list[str]:
    """Carries what is known through a jaxpr."""
    values: dict[Any, str] = dict(zip(jaxpr.invars, known, strict=True))
    values.update(zip(jaxpr.constvars, map(_constant, constants), strict=True))

    def read(variable: Any) -> str:
        return _constant(variable.val) if hasattr(variable, "val") else values[variable]

    for equation in jaxpr.eqns:
        found = _through(equation, [read(variable) for variable in equation.invars])
        values.update(zip(equation.outvars, found, strict=True))
    return [read(variable) for variable in jaxpr.outvars]


def _constant(value: Any) -> str:
    known = not isinstance(value, Tracer) and np.size(value) <= MAX_CONSTANT_ELEMENTS
    return ZERO if known and not np.any(np.asarray(value)) else CONSTANT


def _through(equation: Any, given: list[str]) -> list[str]:
    """Returns what is known of the results of an equation."""
    name, count = equation.primitive.name, len(equation.outvars)
    if name in _CALLS:
        called = equation.params["jaxpr"]
        return _flow(called.jaxpr, called.consts, given)
    if LINEAR not in given and OTHER not in given:
        stays_zero = name in _OF_ONE and given[0] == ZERO
        return [ZERO if stays_zero else CONSTANT] * count
    inexact = all(jnp.issubdtype(v.aval.dtype, jnp.inexact) for v in equation.outvars)
    is_linear_step = OTHER not in given and inexact and _is_linear_step(name, given)
    return [LINEAR if is_linear_step else OTHER] * count


def _is_linear_step(name: str, given: list[str]) -> bool:
    if name in _OF_ONE:
        return LINEAR not in given[1:]
    if name in _OF_ALL:
        return CONSTANT not in given
    if name in _OF_EACH:
        return given.count(LINEAR) == 1
    if name == "select_n":
        return given[0] != LINEAR and CONSTANT not in given[1:]
    if name in ("scatter-add", "dynamic_update_slice"):
        indices = given[1:2] if name == "scatter-add" else given[2:]
        values = [*given[:1], *(given[2:] if name == "scatter-add" else given[1:2])]
        return LINEAR not in indices and CONSTANT not in values
    return False
