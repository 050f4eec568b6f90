"""What an instruction costs: floating-point operations and bytes, counted in what JAX traces of it.

Nothing is compiled or run. XLA may do less, as it fuses and shares computations.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

from tapefacade._core.tensor_type import TensorType
from tapefacade._trace.operation import Operation

# Equations that move numbers or make them up, and compute nothing.
MOVES = frozenset({
    "bitcast_convert_type", "broadcast_in_dim", "concatenate", "convert_element_type", "copy",
    "copy_p", "dynamic_slice", "dynamic_update_slice", "expand_dims", "gather", "iota", "pad",
    "reshape", "rev", "scatter", "select_n", "slice", "split", "squeeze", "stop_gradient",
    "tile", "transpose",
})  # fmt: skip
MAX_COSTS = 4096  # that are kept; all are forgotten when there are more
_COSTS: dict[Any, "OpCost"] = {}


class OpCost(NamedTuple):
    """What one instruction costs.

    Attributes:
        flops: floating-point operations: a product and a sum are two, a sine is one.
        bytes: of its results.
    """

    flops: int
    bytes: int


def cost_of(
    operation: Operation,
    static: tuple[Any, ...],
    inputs: Sequence[TensorType],
    outputs: Sequence[TensorType],
) -> OpCost:
    """Counts what an instruction costs; equal ones are counted once.

    A gradient computes the values that it differentiates on its way, in the place of their first
    computation: these are not counted again. A loop of unknown length counts once.

    Args:
        operation: what is computed.
        static: its static parameters.
        inputs: the types of its inputs.
        outputs: the types of its results.
    """
    size = sum(bytes_of(type_) for type_ in outputs)
    if not all(map(_is_numeric, (*inputs, *outputs))):
        return OpCost(0, size)
    key = operation, static, tuple(inputs)
    found = _COSTS.get(key)
    if found is None:
        if len(_COSTS) > MAX_COSTS:
            _COSTS.clear()
        flops = _flops_of(_traced(operation, static, inputs)) - _differentiated(operation)
        found = _COSTS[key] = OpCost(max(flops, 0), size)
    return found


def bytes_of(type_: TensorType) -> int:
    """Returns how many bytes a value of a type takes; none for texts."""
    return type_.size * type_.numpy_dtype.itemsize if _is_numeric(type_) else 0


def _is_numeric(type_: TensorType) -> bool:
    return type_.numpy_dtype is not None and np.dtype(type_.numpy_dtype).kind not in "OSU"


def _traced(
    operation: Operation, static: tuple[Any, ...], inputs: Sequence[TensorType]
) -> ClosedJaxpr:
    types = [jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype) for type_ in inputs]
    with jax.enable_x64(True):
        return jax.make_jaxpr(lambda *arrays: list(operation.evaluate(arrays, static)))(*types)


def _differentiated(operation: Operation) -> int:
    """Counts what a gradient differentiates, which has been counted where it was recorded."""
    part: Any = getattr(operation, "part", None)
    if part is None or getattr(operation, "source_types", None) is None:
        return 0
    types = part.types()
    return sum(
        cost_of(step.operation, step.static, [types[s] for s in step.inputs], step.types).flops
        for step in part.steps
    )


def _flops_of(jaxpr: Any) -> int:
    body: Jaxpr = jaxpr.jaxpr if isinstance(jaxpr, ClosedJaxpr) else jaxpr
    return sum(map(_flops_of_equation, _needed(body)))


def _needed(jaxpr: Jaxpr) -> list[JaxprEqn]:
    """Returns the equations that lead to the results: tracing leaves others behind."""
    wanted = {id(atom) for atom in jaxpr.outvars}
    found = []
    for equation in reversed(jaxpr.eqns):
        if equation.effects or any(id(variable) in wanted for variable in equation.outvars):
            wanted.update(map(id, equation.invars))
            found.append(equation)
    return found


def _flops_of_equation(equation: JaxprEqn) -> int:
    name = equation.primitive.name
    if name in MOVES:
        return 0
    inner = [_flops_of(body) for body in _inner(equation)]
    if name == "cond":
        return max(inner, default=0)
    if name == "scan":
        return equation.params["length"] * sum(inner)
    if inner and not name.startswith(("reduce", "scatter", "select_and")):
        return sum(inner)
    given = [atom.aval for atom in equation.invars]
    made = max((_size(variable.aval) for variable in equation.outvars), default=0)
    if name in RULES:
        return round(RULES[name](equation.params, given, made))
    if name.startswith("scatter"):
        return _size(given[2])
    if name.startswith("reduce_window"):
        return made * math.prod(equation.params.get("window_dimensions", (1,)))
    return max([made, *map(_size, given)])


def _product(parameters: dict[str, Any], given: Sequence[Any], made: int) -> float:
    ((contracted, _), _) = parameters["dimension_numbers"]
    return 2 * made * math.prod(given[0].shape[axis] for axis in contracted)


def _convolution(parameters: dict[str, Any], given: Sequence[Any], made: int) -> float:
    outputs = parameters["dimension_numbers"].rhs_spec[0]
    return 2 * made * _size(given[1]) / max(given[1].shape[outputs], 1)


def _shifted_products(parameters: dict[str, Any], given: Sequence[Any], made: int) -> float:
    places = parameters["how"]
    pixels = math.prod(places.window)
    return 2 * pixels * math.prod(places.found) * _size(given[0]) / math.prod(places.sizes)


def _fourier(parameters: dict[str, Any], given: Sequence[Any], made: int) -> float:
    length = math.prod(parameters["fft_lengths"])
    return 5 * max(_size(given[0]), made) * math.log2(max(length, 2))


def _sorting(parameters: dict[str, Any], given: Sequence[Any], made: int) -> float:
    return _size(given[0]) * math.log2(max(given[0].shape[-1], 2))


def _solving(parameters: dict[str, Any], given: Sequence[Any], made: int) -> float:
    return _size(given[1]) * given[0].shape[-1]


def _cubic(factor: float) -> Callable[..., float]:
    """Returns the rule of an algorithm on matrices that takes so many times n**3."""

    def rule(parameters: dict[str, Any], given: Sequence[Any], made: int) -> float:
        *batch, rows, columns = given[0].shape
        return factor * math.prod(batch) * rows * columns * min(rows, columns)

    return rule


# Equations that take more than one operation for a number, or less. Of matrices about (Golub and
# Van Loan, Matrix Computations, 4th edition).
RULES: dict[str, Callable[..., float]] = {
    "dot_general": _product,
    "conv_general_dilated": _convolution,
    "shifted_products": _shifted_products,
    "sums_of_shifted_products": _shifted_products,
    "fft": _fourier,
    "sort": _sorting,
    "top_k": _sorting,
    "triangular_solve": _solving,
    "cholesky": _cubic(1 / 3),
    "lu": _cubic(2 / 3),
    "geqrf": _cubic(4 / 3),
    "qr": _cubic(4 / 3),
    "householder_product": _cubic(4 / 3),
    "eigh": _cubic(9),
    "svd": _cubic(21),
    "eig": _cubic(25),
    "schur": _cubic(25),
}


def _inner(equation: JaxprEqn) -> list[Any]:
    """Returns the programs among the parameters of an equation."""
    found = []
    for value in equation.params.values():
        parts = value if isinstance(value, tuple | list) else (value,)
        found += [part for part in parts if isinstance(part, Jaxpr | ClosedJaxpr)]
    return found


def _size(value: Any) -> int:
    return math.prod(getattr(value, "shape", ()))


def count_text(number: float) -> str:
    """Returns a short text of a large number.

    >>> count_text(48), count_text(1234), count_text(5.1e9)
    ('48', '1.23k', '5.1G')
    """
    for limit, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= limit:
            return f"{number / limit:.3g}{unit}"
    return f"{number:.0f}"
