"""Tells whether each row of a function's results depends on the same row of its inputs only.

For such a function of one column the gradient of the sum of all results is the derivative along a
vector of ones, which costs less: nested, it adds up where gradients of gradients multiply.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

# Not those with singularities, nor `select_n`: there the two ways give NaN in different places.
ELEMENTWISE = (
    "abs", "add", "add_any", "asinh", "atan", "convert_element_type", "copy", "copy_p", "cos",
    "cosh", "erf", "erfc", "exp", "exp2", "expm1", "integer_pow", "logistic", "max", "min", "mul",
    "neg", "reduce_precision", "sign", "sin", "sinh", "square", "stop_gradient", "sub", "tanh",
)  # fmt: skip
CALLS = ("jit", "pjit", "closed_call", "core_call", "custom_jvp_call")


def gradients_along_rows(
    forward: Callable[..., Any], primals: list[Any], axes: Sequence[Sequence[int | None]]
) -> tuple[list[Any], Any]:
    """Differentiates the sum of all targets, where each treats every row alike.

    Args:
        forward: returns targets, and what else it computed.
        primals: its arguments, single columns.
        axes: for each argument the axis of its rows in every target, None where there are none.

    Returns:
        The gradients, and what else was computed.
    """
    results, internal = [], None
    for place, (primal, of_targets) in enumerate(zip(primals, axes, strict=True)):

        def of_one(value: Any, place: int = place) -> Any:
            return forward(*primals[:place], value, *primals[place + 1 :])

        _, tangents, others = jax.jvp(of_one, (primal,), (jnp.ones_like(primal),), has_aux=True)
        internal = others if internal is None else internal
        total = jnp.zeros_like(primal)
        for tangent, axis in zip(tangents, of_targets, strict=True):
            if axis is not None:
                rest = tuple([k for k, n in enumerate(tangent.shape) if k != axis and n != 1])
                rows = jnp.sum(tangent, axis=rest) if rest else tangent
                total = total + rows.reshape(primal.shape).astype(primal.dtype)
        results.append(total)
    return results, internal


class NotRowwiseError(Exception):
    """Rows are mixed, or it is not known that they are not."""


def rowwise(closed: Any, place: int, axis: int) -> list[int | None] | None:
    """Returns the axis of the rows in every result; None if rows are mixed.

    Args:
        closed: a jaxpr.
        place: which of its arguments has the rows.
        axis: along which axis.

    Returns:
        For each result the axis, or None if it does not depend on the argument.
    """
    axes: list[int | None] = [None] * len(closed.jaxpr.invars)
    axes[place] = axis
    seen: set[str] = set()
    try:
        found = _carried(closed.jaxpr, axes, seen)
    except NotRowwiseError:
        return None
    # Without a product of matrices there is little to save.
    return found if "dot_general" in seen else None


def _carried(jaxpr: Any, axes: Sequence[int | None], seen: set[str]) -> list[int | None]:
    known = dict(zip(jaxpr.invars, axes, strict=True))

    def axis_of(atom: Any) -> int | None:
        return None if hasattr(atom, "val") else known.get(atom)

    for equation in jaxpr.eqns:
        inputs = [axis_of(atom) for atom in equation.invars]
        if any(axis is not None for axis in inputs):
            known.update(zip(equation.outvars, _through(equation, inputs, seen), strict=True))
    return [axis_of(atom) for atom in jaxpr.outvars]


def _through(equation: Any, axes: list[int | None], seen: set[str]) -> list[int | None]:
    name = equation.primitive.name
    seen.add(name)
    if name in CALLS:
        body = equation.params.get("jaxpr") or equation.params["call_jaxpr"]
        return _carried(getattr(body, "jaxpr", body), axes, seen)
    if name == "div":
        _check(axes[1] is None)
    elif name == "integer_pow":
        _check(equation.params["y"] >= 0)
    if name in ELEMENTWISE or name == "div":
        return [_elementwise(equation, axes)]
    if name not in RULES:
        raise NotRowwiseError(name)
    return [RULES[name](equation, axes)] * len(equation.outvars)


def _same(axes: Sequence[int | None]) -> int:
    found = {axis for axis in axes if axis is not None}
    if len(found) != 1:
        raise NotRowwiseError
    return found.pop()


def _check(holds: bool) -> None:
    if not holds:
        raise NotRowwiseError


def _elementwise(equation: Any, axes: list[int | None]) -> int:
    axis, shape = _same(axes), equation.outvars[0].aval.shape
    for atom, own in zip(equation.invars, axes, strict=True):  # dimensions of size 1 may broadcast
        given = atom.aval.shape
        _check(own is None or (len(given) == len(shape) and given[axis] == shape[axis]))
    return axis


def _dot_general(equation: Any, axes: list[int | None]) -> int:
    contracted, batch = equation.params["dimension_numbers"]
    left, right = axes
    if left is not None and right is not None:
        _check(left in batch[0] and right in batch[1])
        _check(batch[0].index(left) == batch[1].index(right))
        return batch[0].index(left)
    side, axis = (0, left) if left is not None else (1, right)
    assert axis is not None
    _check(axis not in contracted[side])
    if axis in batch[side]:
        return batch[side].index(axis)
    taken = {*contracted[side], *batch[side]}
    place = sum(other not in taken for other in range(axis))
    if side == 1:
        place += len(equation.invars[0].aval.shape) - len(contracted[0]) - len(batch[0])
    return len(batch[0]) + place


def _broadcast(equation: Any, axes: list[int | None]) -> int:
    axis = _same(axes)
    place = equation.params["broadcast_dimensions"][axis]
    _check(equation.params["shape"][place] == equation.invars[0].aval.shape[axis])
    return place


def _reshape(equation: Any, axes: list[int | None]) -> int:
    axis, shape = _same(axes), equation.invars[0].aval.shape
    _check(equation.params.get("dimensions") is None)
    before, count = math.prod(shape[:axis]), shape[axis]
    sizes = equation.params["new_sizes"]
    for place, size in enumerate(sizes):
        if size == count and math.prod(sizes[:place]) == before:
            return place
    raise NotRowwiseError


def _transpose(equation: Any, axes: list[int | None]) -> int:
    return equation.params["permutation"].index(_same(axes))


def _without(name: str) -> Callable[[Any, list[int | None]], int]:
    """Returns the rule of what removes the axes that a parameter names."""

    def rule(equation: Any, axes: list[int | None]) -> int:
        axis, removed = _same(axes), equation.params[name]
        _check(axis not in removed)
        return axis - sum(other < axis for other in removed)

    return rule


def _besides(name: str) -> Callable[[Any, list[int | None]], int]:
    """Returns the rule of what works along the axis or axes that a parameter names."""

    def rule(equation: Any, axes: list[int | None]) -> int:
        axis, along = _same(axes), equation.params[name]
        _check(axis not in (along if isinstance(along, tuple) else (along,)))
        return axis

    return rule


def _slice(equation: Any, axes: list[int | None]) -> int:
    axis, parameters = _same(axes), equation.params
    shape = equation.invars[0].aval.shape
    _check(parameters["start_indices"][axis] == 0)
    _check(parameters["limit_indices"][axis] == shape[axis])
    _check(parameters["strides"] is None or parameters["strides"][axis] == 1)
    return axis


def _pad(equation: Any, axes: list[int | None]) -> int:
    axis = axes[0]
    _check(axes[1] is None and axis is not None)
    assert axis is not None
    _check(equation.params["padding_config"][axis] == (0, 0, 0))
    return axis


def _dynamic_slice(equation: Any, axes: list[int | None]) -> int:
    axis = _same(axes)
    _check(axis == axes[0])
    _check(all(other is None for other in axes[1:]))
    _check(equation.params["slice_sizes"][axis] == equation.invars[0].aval.shape[axis])
    return axis


def _stack(equation: Any, axes: list[int | None]) -> int:
    axis = _same(axes)
    return axis + (equation.params["axis"] <= axis)


RULES: dict[str, Callable[[Any, list[int | None]], int]] = {
    "broadcast_in_dim": _broadcast,
    "concatenate": _besides("dimension"),
    "cumsum": _besides("axis"),
    "dot_general": _dot_general,
    "dynamic_slice": _dynamic_slice,
    "pad": _pad,
    "reduce_max": _without("axes"),
    "reduce_min": _without("axes"),
    "reduce_prod": _without("axes"),
    "reduce_sum": _without("axes"),
    "reshape": _reshape,
    "rev": _besides("dimensions"),
    "slice": _slice,
    "split": _besides("axis"),
    "squeeze": _without("dimensions"),
    "stack": _stack,
    "transpose": _transpose,
}
