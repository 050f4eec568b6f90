"""Gradients that keep few intermediate values, and compute the others again when they need them.

A function of n equations is cut into about sqrt(n) segments. Only what crosses the cuts is kept
until the gradient arrives; then one segment after the other is computed again, from the last to the
first (Chen et al., "Training Deep Nets with Sublinear Memory Cost", arXiv:1604.06174). The cuts are
where the fewest bytes cross, so that a gradient of a gradient is cut where that one was.

`jax.checkpoint` leaves it to XLA when something is computed again, which on CPUs is at once: no
memory is saved (JAX 0.10, 16 layers: 143 intermediate values with and without). Here what a segment
uses depends on the upstream gradient, so it cannot be computed before this has come (29 values).
"""

import itertools
import math
from collections.abc import Callable, Container, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tapefacade._tape.derivatives.common_subexpressions import TracedFunction, bind, is_literal
from tapefacade._trace.named_axes import result_types


def recomputed(
    compute: Callable[[Any, Any], tuple[Any, Any]], held: Container[int]
) -> Callable[[Any, Any], Any]:
    """Makes a function compute its intermediate values again for its gradient.

    Args:
        compute: a function of what is differentiated and what is not, nests of arrays; it returns
            two nests likewise.
        held: the places of the arrays without which nothing can be computed.

    Returns:
        A function that does the same, and has no derivative in forward mode.
    """

    def forward(free: Any, fixed: Any) -> tuple[Any, Any]:
        return compute(free, fixed), (free, fixed)

    def backward(operands: Any, upstream: Any) -> tuple[Any, None]:
        if not jax.tree.leaves(upstream[0]):
            return None, None
        free, fixed = _after(upstream[0], operands, held)
        _, pull_back = jax.vjp(lambda free: compute(free, fixed)[0], free)
        return *pull_back(upstream[0]), None

    function = jax.custom_vjp(compute)
    function.defvjp(forward, backward)
    return function


def _after(upstream: Any, operands: Any, held: Container[int]) -> Any:
    """Returns operands of which those that are held are not known before a gradient is."""
    gradients = [
        gradient
        for gradient in jax.tree.leaves(upstream)
        if gradient.size and jnp.issubdtype(gradient.dtype, jnp.inexact)
    ]
    if not gradients:
        return operands
    never = _never(jax.lax.stop_gradient(jnp.real(gradients[0].reshape(-1)[0])))

    arrays, structure = jax.tree.flatten(operands)
    for place, array in enumerate(arrays):
        if place in held and array.size:
            arrays[place] = jnp.where(never, jnp.zeros_like(array), array)
    return jax.tree.unflatten(structure, arrays)


@jax.custom_batching.custom_vmap
def _never(number: Any) -> Any:
    """Returns False, which XLA does not see."""
    return (number != number) & (number == 0)


@_never.def_vmap
def _never_once(size: int, batched: Any, numbers: Any) -> tuple[Any, bool]:
    """The rows of a Jacobian have their intermediate values in common."""
    return _never(numbers[0]), False


class _Segment(NamedTuple):
    """Some equations, what they use from before, and what is used after them."""

    equations: Sequence[Any]
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]

    def run(self, known: dict[Any, Any]) -> None:
        """Computes the equations, and adds what they give to what is known."""
        for equation in self.equations:
            results = bind(equation, [_read(known, atom) for atom in equation.invars])
            known.update(zip(equation.outvars, results, strict=True))

    def needed(self) -> set[Any]:
        """Returns inputs, small ones, without which no equation can be computed."""
        found: set[Any] = set()
        unknown: set[Any] = set()
        for equation in self.equations:
            used = [atom for atom in equation.invars if not is_literal(atom)]
            given = sorted((v for v in used if v in self.inputs and _bytes_of(v)), key=_bytes_of)
            if _has_parts(equation):
                found.update(given)
            elif unknown.isdisjoint(used) and found.isdisjoint(used):
                found.update(given[:1])
            if used:
                unknown.update(equation.outvars)
        return found


class RematerializedFunction:
    """A function whose gradient keeps what crosses from one of its segments to the next.

    Args:
        traced: the function.
        sources: the places of the arguments that it is differentiated with respect to.
    """

    def __init__(self, traced: TracedFunction, sources: Sequence[int]) -> None:
        self._traced = traced
        jaxpr = traced.closed.jaxpr
        self._sources = {jaxpr.invars[place] for place in sources}
        # What acts happens once.
        acts = any(equation.effects for equation in jaxpr.eqns)
        self._segments = [] if acts else _segments(jaxpr)
        self._live = self._find_live() if self._segments else set()

    def __call__(self, *arguments: Any) -> Any:
        """Computes the function; to be differentiated in reverse mode only."""
        if not self._segments:
            return self._traced(*arguments)
        known = self._start(arguments)
        touched = {variable for variable in self._sources if _is_inexact(variable)}
        for segment in self._segments:
            if touched.isdisjoint(segment.inputs):
                segment.run(known)  # also for an outer gradient, to which it may be no constant
            else:
                self._recompute(segment, known)
                touched.update(filter(_is_inexact, segment.outputs))
        return self._traced.packed([_read(known, atom) for atom in self._jaxpr.outvars])

    def sizes(self) -> tuple[int, int, int] | None:
        """Returns the bytes kept between segments, those that the largest makes, and their number.

        None if there is nothing to be cut.
        """
        if not self._segments:
            return None
        jaxpr = self._jaxpr
        given = {*jaxpr.invars, *jaxpr.constvars}
        kept = {v for segment in self._segments for v in segment.inputs} - given
        largest = max(
            sum(_bytes_of(v) for equation in segment.equations for v in equation.outvars)
            for segment in self._segments
        )
        return sum(map(_bytes_of, kept)), largest, len(self._segments)

    @property
    def _jaxpr(self) -> Any:
        return self._traced.closed.jaxpr

    def _start(self, arguments: Sequence[Any]) -> dict[Any, Any]:
        known = dict(zip(self._jaxpr.constvars, self._traced.closed.consts, strict=True))
        known.update(zip(self._jaxpr.invars, arguments, strict=True))
        return known

    def _recompute(self, segment: _Segment, known: dict[Any, Any]) -> None:
        """Computes a segment whose values are not kept.

        What gets no gradient is told apart from what gets zeros, which may become NaN on their way.
        """
        live, fixed = self._divided(segment.inputs)
        live_outputs, other_outputs = self._divided(segment.outputs)

        def compute(of_live: list[Any], of_fixed: list[Any]) -> tuple[list[Any], list[Any]]:
            inner = dict(zip(live, of_live, strict=True))
            inner.update(zip(fixed, of_fixed, strict=True))
            segment.run(inner)
            return [inner[v] for v in live_outputs], [inner[v] for v in other_outputs]

        needed = segment.needed()
        held = {place for place, variable in enumerate([*live, *fixed]) if variable in needed}
        of_live, of_fixed = [[known[v] for v in variables] for variables in (live, fixed)]
        found, others = recomputed(compute, held)(of_live, of_fixed)
        known.update(zip(live_outputs, found, strict=True))
        known.update(zip(other_outputs, others, strict=True))

    def _divided(self, variables: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        live = [variable for variable in variables if variable in self._live]
        return live, [variable for variable in variables if variable not in self._live]

    def _find_live(self) -> set[Any]:
        """Finds out from JAX what gets a gradient, of the sources and of what crosses cuts."""
        sources = [variable for variable in self._jaxpr.invars if variable in self._sources]
        live: set[Any] = set()

        def forward(given: list[Any], arguments: tuple[Any, ...]) -> list[Any]:
            known = self._start(arguments)
            known.update(
                {v: _noting(v, live)(value) for v, value in zip(sources, given, strict=True)}
            )
            for segment in self._segments:
                segment.run(known)
                for variable in filter(_is_inexact, segment.outputs):
                    known[variable] = _noting(variable, live)(known[variable])
            return [_read(known, atom) for atom in self._jaxpr.outvars]

        def gradient(*arguments: Any) -> Any:
            known = self._start(arguments)
            given = [known[variable] for variable in sources]
            outputs, pull_back = jax.vjp(lambda given: forward(given, arguments), given)
            return pull_back([jnp.ones_like(output) for output in outputs])

        with jax.enable_x64(True):
            result_types(gradient, *[variable.aval for variable in self._jaxpr.invars])
        return live


def _noting(variable: Any, live: set[Any]) -> Callable[[Any], Any]:
    """Returns an identity that notes the variable where a gradient arrives."""

    def backward(_: None, upstream: Any) -> tuple[Any]:
        live.add(variable)
        return (upstream,)

    function = jax.custom_vjp(lambda value: value)
    function.defvjp(lambda value: (value, None), backward)
    return function


def _segments(jaxpr: Any) -> list[_Segment]:
    """Divides the equations so that little is used across the borders."""
    edges = [0, *_cuts(jaxpr), len(jaxpr.eqns)]
    wanted = {atom for atom in jaxpr.outvars if not is_literal(atom)}
    segments = []
    for start, end in reversed(list(itertools.pairwise(edges))):
        equations = jaxpr.eqns[start:end]
        defined = {variable for equation in equations for variable in equation.outvars}
        used = {
            atom: None
            for equation in equations
            for atom in equation.invars
            if not is_literal(atom) and atom not in defined
        }
        outputs = [v for equation in equations for v in equation.outvars if v in wanted]
        segments.append(_Segment(equations, tuple(used), tuple(outputs)))
        wanted.update(used)
    return segments[::-1]


def _cuts(jaxpr: Any) -> list[int]:
    """Returns the places before which the equations are cut, in order.

    What is kept between segments and what a segment computes at most take the same memory, about:
    with equal equations in a row that makes sqrt(n) segments.
    """
    equations = jaxpr.eqns
    last = {a: k for k, e in enumerate(equations) for a in e.invars if not is_literal(a)}
    made = [0]
    uses = _EquationUses([0] * len(equations), [[] for _ in equations])
    for place, equation in enumerate(equations):
        made.append(made[-1] + sum(map(_bytes_of, equation.outvars)))
        for variable in equation.outvars:
            end = last.get(variable, place)
            if end > place:
                uses.later[place] += _bytes_of(variable)
                uses.last[end].append((place, _bytes_of(variable)))
    best, least = list[int](), made[-1]
    limit = made[-1] // max(len(equations), 1) + 1
    while limit * math.sqrt(len(equations)) < 8 * made[-1]:
        cuts, kept = _cuts_within(limit, made, uses)
        if limit + kept < least:
            best, least = cuts, limit + kept
        if kept <= limit:
            break
        limit *= 2
    return best


class _EquationUses(NamedTuple):
    """How many bytes each equation makes for later ones, and which it is the last to use."""

    later: list[int]
    last: list[list[tuple[int, int]]]  # the equation that made them, and their number


def _cuts_within(limit: int, made: list[int], uses: _EquationUses) -> tuple[list[int], int]:
    """Finds cuts such that the least is kept, where a segment makes `limit` bytes at most.

    Args:
        limit: how many bytes; a single equation may make more.
        made: how many bytes are made before each place.
        uses: which of them are used later.

    Returns:
        The cuts, and how many bytes are kept.
    """
    count = len(made) - 1
    best: list[tuple[float, int]] = [(0, 0), *((math.inf, 0) for _ in range(count))]
    for start in range(count):
        kept = 0  # what is made from `start` on, and used after `end`
        for end in range(start + 1, count + 1):
            if made[end] - made[start] > limit and end > start + 1:
                break
            kept += uses.later[end - 1]
            kept -= sum(size for place, size in uses.last[end - 1] if place >= start)
            best[end] = min(best[end], (best[start][0] + kept, start))
    cuts, place = list[int](), best[count][1]
    while place:
        cuts.append(place)
        place = best[place][1]
    return cuts[::-1], int(best[count][0])


def _has_parts(equation: Any) -> bool:
    """Whether an equation is made of others, some of which may use some inputs only."""
    parameters = list(equation.params.values())
    parameters += [item for p in parameters if isinstance(p, tuple) for item in p]
    return any(hasattr(p, "eqns") for p in parameters)


def _read(known: dict[Any, Any], atom: Any) -> Any:
    return atom.val if is_literal(atom) else known[atom]


def _is_inexact(variable: Any) -> bool:
    return jnp.issubdtype(variable.aval.dtype, jnp.inexact)


def _bytes_of(variable: Any) -> int:
    return variable.aval.size * variable.aval.dtype.itemsize
