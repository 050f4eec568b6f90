"""Proves that rows of a batch do not mix: that no derivative leads from one example to another.

What each value has of the rows is carried through the equations that JAX traces of an instruction.
An equation that is not known here is not proved, and counts as one that mixes.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tapefacade._core.tensor_type import TensorType
from tapefacade._trace.interpreter import scan_counts
from tapefacade._trace.operation import Operation


class Rows(NamedTuple):
    """A value that has a row of the batch for each place along an axis.

    Element i along the axis belongs to row `i // inner % batch`.
    """

    axis: int
    inner: int = 1


class Mixed(NamedTuple):
    """A value in which rows are mixed, or may be.

    Attributes:
        primitive: JAX's name of what has mixed them.
        is_proved: whether it does mix them; else it is not known here what it does.
    """

    primitive: str
    is_proved: bool


class _OneRow(NamedTuple):
    """A value within a loop over the rows that belongs to the row of the iteration."""


ONE_ROW = _OneRow()
State = Rows | Mixed | _OneRow | None  # None: no derivative leads from the batch to the value
CALLS = ("jit", "pjit", "closed_call", "core_call", "remat2", "checkpoint", "custom_jvp_call",
         "custom_vjp_call", "custom_vjp_call_jaxpr", "custom_lin")  # fmt: skip
ELEMENTWISE = frozenset({
    "abs", "acos", "acosh", "add", "add_any", "asin", "asinh", "atan", "atan2", "atanh",
    "bessel_i0e", "bessel_i1e", "cbrt", "ceil", "clamp", "complex", "conj", "convert_element_type",
    "copy", "copy_p", "cos", "cosh", "digamma", "div", "erf", "erf_inv", "erfc", "exp", "exp2",
    "expm1", "floor", "igamma", "igamma_grad_a", "igammac", "imag", "integer_pow", "lgamma", "log",
    "log1p", "logistic", "max", "min", "mul", "neg", "nextafter", "polygamma", "pow", "real",
    "reduce_precision", "regularized_incomplete_beta", "rem", "round", "rsqrt", "select_n", "sign",
    "sin", "sinh", "sqrt", "square", "stop_gradient", "sub", "tan", "tanh", "zeta",
})  # fmt: skip


class _MixesError(Exception):
    """Rows are mixed; with False, it is not known whether they are."""

    def __init__(self, is_proved: bool = True) -> None:
        super().__init__()
        self.is_proved = is_proved


def states_of_results(
    operation: Operation,
    static: tuple[Any, ...],
    types: Sequence[TensorType],
    states: Sequence[State],
    batch: int,
) -> list[State]:
    """Returns what the results of an instruction have of the rows of a batch.

    Args:
        operation: what is computed.
        static: its static parameters.
        types: of its inputs.
        states: what its inputs have of the rows.
        batch: how many rows there are.
    """
    abstract = [jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype) for type_ in types]
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(lambda *arrays: list(operation.evaluate(arrays, static)))(*abstract)
    return _Proof(batch).carried(closed.jaxpr, states)


def joined(first: State, second: State, name: str) -> State:
    """Returns what a value has that is one or the other, or made of both."""
    if first is None or second is None or first == second:
        return second if first is None else first
    if isinstance(first, Mixed):
        return first
    return second if isinstance(second, Mixed) else Mixed(name, True)


class _Proof:
    """Carries states through equations, for a number of rows."""

    def __init__(self, batch: int) -> None:
        self._batch = batch

    def carried(self, jaxpr: Any, states: Sequence[State]) -> list[State]:
        known: dict[Any, State] = dict(zip(jaxpr.invars, states, strict=True))

        def read(atom: Any) -> State:
            if hasattr(atom, "val") or not jnp.issubdtype(atom.aval.dtype, jnp.inexact):
                return None
            return known.get(atom)

        for equation in jaxpr.eqns:
            inputs = [read(atom) for atom in equation.invars]
            if any(state is not None for state in inputs):
                found = self._through(equation, inputs)
                known.update(zip(equation.outvars, found, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _through(self, equation: Any, states: list[State]) -> list[State]:
        name, count = equation.primitive.name, len(equation.outvars)
        if name == "stop_gradient":
            return [None] * count
        if name in CALLS or name in LOOPS:
            return self._called(name, equation, states)
        if name == "optimization_barrier":
            return states
        mixed = next((state for state in states if isinstance(state, Mixed)), None)
        if mixed is not None:
            return [mixed] * count
        if ONE_ROW in states:
            alone = all(state in (None, ONE_ROW) for state in states)
            return [ONE_ROW if alone else Mixed(name, True)] * count
        try:
            return [self._rule(name, equation, states)] * count
        except _MixesError as error:
            return [Mixed(name, error.is_proved)] * count

    def _rule(self, name: str, equation: Any, states: list[Any]) -> State:
        if name in ELEMENTWISE:
            return _elementwise(equation, states)
        if name == "reshape":
            return _reshape(equation, states, self._batch)
        if name not in RULES:
            raise _MixesError(False)
        return RULES[name](equation, states)

    # Equations with others in them.

    def _called(self, name: str, equation: Any, states: list[State]) -> list[State]:
        parameters = equation.params
        if name == "scan":
            return self._scan(parameters, states)
        if name == "while":
            return self._while(parameters, states)
        if name == "cond":
            found = [self.carried(body.jaxpr, states[1:]) for body in parameters["branches"]]
            return [_all_joined(of_one, name) for of_one in zip(*found, strict=True)]
        if name == "custom_linear_solve":
            return self._solve(parameters, states)
        body = parameters.get("jaxpr") or parameters.get("call_jaxpr") or parameters["fun_jaxpr"]
        return self.carried(getattr(body, "jaxpr", body), states)

    def _scan(self, parameters: Any, states: list[State]) -> list[State]:
        first, carry = scan_counts(parameters)
        body = parameters["jaxpr"].jaxpr
        constants, state, rows = (
            states[:first], states[first : first + carry], states[first + carry :]
        )  # fmt: skip
        inside = [self._iterated(one, parameters["length"]) for one in rows]
        while True:
            results = self.carried(body, [*constants, *state, *inside])
            pairs = zip(state, results[:carry], strict=True)
            # What one iteration leaves to the next goes from row to row.
            new = [joined(a, Mixed("scan", True) if b is ONE_ROW else b, "scan") for a, b in pairs]
            if new == state:
                return [*state, *[_stacked(one) for one in results[carry:]]]
            state = new

    def _solve(self, parameters: Any, states: list[State]) -> list[State]:
        """Returns what the solution of linear equations has of the matrix and the right side."""
        lengths, bodies = parameters["const_lengths"], parameters["jaxprs"]
        known = states[sum(lengths) :]
        product = self.carried(bodies.matvec.jaxpr, [*states[: lengths.matvec], *known])
        start = lengths.matvec + lengths.vecmat
        constants = states[start : start + lengths.solve]
        solution = self.carried(bodies.solve.jaxpr, [*constants, *product])
        pairs = zip(product, solution, strict=True)
        return [joined(a, b, "custom_linear_solve") for a, b in pairs]

    def _iterated(self, state: State, length: int) -> State:
        """Returns what one iteration gets of a value."""
        if not isinstance(state, Rows):
            return state
        if state.axis:
            return state._replace(axis=state.axis - 1)
        return ONE_ROW if (state.inner, length) == (1, self._batch) else Mixed("scan", True)

    def _while(self, parameters: Any, states: list[State]) -> list[State]:
        skipped, first = parameters["cond_nconsts"], parameters["body_nconsts"]
        constants, state = states[skipped : skipped + first], states[skipped + first :]
        while True:
            results = self.carried(parameters["body_jaxpr"].jaxpr, [*constants, *state])
            pairs = zip(state, results, strict=True)
            new = [joined(a, b, "while") for a, b in pairs]
            if new == state:
                return state
            state = new


LOOPS = ("scan", "while", "cond", "custom_linear_solve")


def _stacked(state: State) -> State:
    """Returns what the results of all iterations have, one below the other."""
    if state is ONE_ROW:
        return Rows(0)
    return state._replace(axis=state.axis + 1) if isinstance(state, Rows) else state


def _all_joined(states: Iterable[State], name: str) -> State:
    found: State = None
    for state in states:
        found = joined(found, state, name)
    return found


# The rules: what an equation without others in it does.


def _check(holds: bool, is_proved: bool = True) -> None:
    if not holds:
        raise _MixesError(is_proved)


def _same(states: Sequence[Rows | None]) -> Rows:
    found = {state for state in states if state is not None}
    _check(len(found) == 1)
    return found.pop()


def _shape(atom: Any) -> tuple[int, ...]:
    return atom.aval.shape


def _elementwise(equation: Any, states: Sequence[Rows | None]) -> Rows:
    rows, shape = _same(states), _shape(equation.outvars[0])
    for atom, state in zip(equation.invars, states, strict=True):
        given = _shape(atom)  # dimensions of size 1 may broadcast
        fits = state is None or (len(given) == len(shape) and given[rows.axis] == shape[rows.axis])
        _check(fits, False)
    return rows


def _reshape(equation: Any, states: Sequence[Rows | None], batch: int) -> Rows:
    rows, shape = _same(states), _shape(equation.invars[0])
    _check(equation.params.get("dimensions") is None and 0 not in shape, False)
    inner = rows.inner * math.prod(shape[rows.axis + 1 :])  # in the order of memory
    sizes = equation.params["new_sizes"]
    for axis, size in enumerate(sizes):
        below = math.prod(sizes[axis + 1 :])
        if inner % below == 0 and (below * size) % (inner * batch) == 0:
            return Rows(axis, inner // below)
    raise _MixesError(False)


def _dot_general(equation: Any, states: Sequence[Rows | None]) -> Rows:
    contracted, batch = equation.params["dimension_numbers"]
    left, right = states
    if left is not None and right is not None:
        _check(left.axis in batch[0] and right.axis in batch[1] and left.inner == right.inner)
        _check(batch[0].index(left.axis) == batch[1].index(right.axis))
        return Rows(batch[0].index(left.axis), left.inner)
    side = 0 if left is not None else 1
    rows = states[side]
    assert rows is not None
    _check(rows.axis not in contracted[side])
    if rows.axis in batch[side]:
        return rows._replace(axis=batch[side].index(rows.axis))
    taken = {*contracted[side], *batch[side]}
    place = sum(other not in taken for other in range(rows.axis))
    if side == 1:
        place += len(_shape(equation.invars[0])) - len(contracted[0]) - len(batch[0])
    return rows._replace(axis=len(batch[0]) + place)


def _convolution(equation: Any, states: Sequence[Rows | None]) -> Rows:
    numbers, parameters = equation.params["dimension_numbers"], equation.params
    image, kernel = states
    _check(kernel is None, False)
    assert image is not None
    _check(image.axis == numbers.lhs_spec[0] and parameters["batch_group_count"] == 1)
    return image._replace(axis=numbers.out_spec[0])


def _shifted_products(equation: Any, states: Sequence[Rows | None]) -> Rows:
    image, filters = states
    _check(filters is None, False)
    assert image is not None
    _check(image.axis == 0)
    return image


def _sums_of_pixels(equation: Any, states: Sequence[Rows | None]) -> Rows:
    rows = _same(states)
    _check(equation.params["how"].axis != rows.axis)
    return rows


def _broadcast(equation: Any, states: Sequence[Rows | None]) -> Rows:
    rows = _same(states)
    place = equation.params["broadcast_dimensions"][rows.axis]
    _check(equation.params["shape"][place] == _shape(equation.invars[0])[rows.axis])
    return rows._replace(axis=place)


def _transpose(equation: Any, states: Sequence[Rows | None]) -> Rows:
    rows = _same(states)
    return rows._replace(axis=equation.params["permutation"].index(rows.axis))


def _expand(equation: Any, states: Sequence[Rows | None]) -> Rows:
    rows, added = _same(states), set(equation.params["dimensions"])
    kept = [axis for axis in range(len(_shape(equation.outvars[0]))) if axis not in added]
    return rows._replace(axis=kept[rows.axis])


def _without(name: str) -> Callable[[Any, Sequence[Rows | None]], Rows]:
    """Returns the rule of what removes the axes that a parameter names."""

    def rule(equation: Any, states: Sequence[Rows | None]) -> Rows:
        rows, removed = _same(states), equation.params[name]
        _check(rows.axis not in removed)
        return rows._replace(axis=rows.axis - sum(other < rows.axis for other in removed))

    return rule


def _besides(name: str) -> Callable[[Any, Sequence[Rows | None]], Rows]:
    """Returns the rule of what works along the axis or axes that a parameter names."""

    def rule(equation: Any, states: Sequence[Rows | None]) -> Rows:
        rows, along = _same(states), equation.params[name]
        _check(rows.axis not in (along if isinstance(along, tuple | list) else (along,)))
        return rows

    return rule


def _before_last(count: int) -> Callable[[Any, Sequence[Rows | None]], Rows]:
    """Returns the rule of what works along the last axes."""

    def rule(equation: Any, states: Sequence[Rows | None]) -> Rows:
        rows = _same(states)
        ranks = [len(_shape(a)) for a, s in zip(equation.invars, states, strict=True) if s]
        _check(rows.axis < min(ranks) - count)
        return rows

    return rule


def _fft(equation: Any, states: Sequence[Rows | None]) -> Rows:
    return _before_last(len(equation.params["fft_lengths"]))(equation, states)


def _slice(equation: Any, states: Sequence[Rows | None]) -> Rows:
    rows, parameters = _same(states), equation.params
    axis = rows.axis
    _check(parameters["start_indices"][axis] == 0)
    _check(parameters["limit_indices"][axis] == _shape(equation.invars[0])[axis])
    _check(parameters["strides"] is None or parameters["strides"][axis] == 1)
    return rows


def _pad(equation: Any, states: Sequence[Rows | None]) -> Rows:
    rows = _same(states)
    _check(states[1] is None)
    _check(equation.params["padding_config"][rows.axis] == (0, 0, 0))
    return rows


def _dynamic_slice(equation: Any, states: Sequence[Rows | None]) -> Rows:
    rows = _same(states)
    sizes = equation.params["slice_sizes"]
    _check(sizes[rows.axis] == _shape(equation.invars[0])[rows.axis])
    return rows


def _dynamic_update_slice(equation: Any, states: Sequence[Rows | None]) -> Rows:
    rows = _same(states)
    whole, update = map(_shape, equation.invars[:2])
    _check(whole[rows.axis] == update[rows.axis])
    return rows


def _window(equation: Any, states: Sequence[Rows | None]) -> Rows:
    rows, parameters = _same(states), equation.params
    axis = rows.axis
    _check(parameters["window_dimensions"][axis] == 1)
    _check(parameters["window_strides"][axis] == 1 and parameters["padding"][axis] == (0, 0))
    return rows


def _gather(equation: Any, states: Sequence[Rows | None]) -> Rows:
    rows, numbers = _same(states), equation.params["dimension_numbers"]
    operand = _shape(equation.invars[0])
    rank = len(_shape(equation.outvars[0]))
    if rows.axis in numbers.operand_batching_dims:
        place = numbers.operand_batching_dims.index(rows.axis)
        place = numbers.start_indices_batching_dims[place]
        outside = [axis for axis in range(rank) if axis not in numbers.offset_dims]
        return rows._replace(axis=outside[place])
    removed = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    is_whole = equation.params["slice_sizes"][rows.axis] == operand[rows.axis]
    _check(is_whole and rows.axis not in removed, False)
    kept = [axis for axis in range(len(operand)) if axis not in removed]
    return rows._replace(axis=numbers.offset_dims[kept.index(rows.axis)])


def _scatter(equation: Any, states: Sequence[Rows | None]) -> Rows:
    numbers = equation.params["dimension_numbers"]
    operand, updates = _shape(equation.invars[0]), _shape(equation.invars[2])
    before, _, added = states
    if added is None:
        return _same(states)
    outside = [axis for axis in range(len(updates)) if axis not in numbers.update_window_dims]
    removed = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    if added.axis in outside:
        place = outside.index(added.axis)
        _check(place in numbers.scatter_indices_batching_dims, False)
        place = numbers.scatter_indices_batching_dims.index(place)
        found = added._replace(axis=numbers.operand_batching_dims[place])
    else:
        kept = [axis for axis in range(len(operand)) if axis not in removed]
        axis = kept[numbers.update_window_dims.index(added.axis)]
        _check(operand[axis] == updates[added.axis])
        found = added._replace(axis=axis)
    _check(before is None or before == found)
    return found


_ALONG_LAST, _MATRICES = _before_last(1), _before_last(2)
RULES: Mapping[str, Callable[[Any, Sequence[Any]], Rows]] = {
    "broadcast_in_dim": _broadcast,
    "cholesky": _MATRICES,
    "concatenate": _besides("dimension"),
    "conv_general_dilated": _convolution,
    "cumlogsumexp": _besides("axis"),
    "cummax": _besides("axis"),
    "cummin": _besides("axis"),
    "cumprod": _besides("axis"),
    "cumsum": _besides("axis"),
    "dot_general": _dot_general,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "eig": _MATRICES,
    "eigh": _MATRICES,
    "expand_dims": _expand,
    "fft": _fft,
    "gather": _gather,
    "geqrf": _MATRICES,
    "householder_product": _MATRICES,
    "lu": _MATRICES,
    "pad": _pad,
    "qr": _MATRICES,
    "reduce_max": _without("axes"),
    "reduce_min": _without("axes"),
    "reduce_prod": _without("axes"),
    "reduce_sum": _without("axes"),
    "reduce_window_max": _window,
    "reduce_window_sum": _window,
    "rev": _besides("dimensions"),
    "shifted_products": _shifted_products,
    "sums_of_pixels": _sums_of_pixels,
    "scatter": _scatter,
    "scatter-add": _scatter,
    "scatter_add": _scatter,
    "slice": _slice,
    "sort": _besides("dimension"),
    "split": _besides("axis"),
    "squeeze": _without("dimensions"),
    "svd": _MATRICES,
    "top_k": _ALONG_LAST,
    "transpose": _transpose,
    "triangular_solve": _MATRICES,
}
