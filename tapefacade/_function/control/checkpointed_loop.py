"""`tf.while_loop`s of unknown length, differentiated in reverse from a few states that are kept.

JAX keeps nothing of such a loop, as it knows no size for what is to be kept. Here the number is
counted in the forward pass. In reverse the iterations are computed again from checkpoints: a loop
of `n` iterations is cut into chunks, these into smaller ones, and only the states at the beginning
of the chunks on the way to one iteration are kept at a time (Griewank and Walther, "Revolve",
2000, with a fixed number of slots for each level). With `S` slots and `n <= S` every iteration is
computed twice, with `n <= S ** 2` three times.

The loops of the reverse pass are such loops again, so that it has derivatives itself. JAX has no
forward mode of a function whose gradient is given, and no reverse mode of what forward mode makes
of a loop. So a loop knows which derivatives are computed of it: where one in reverse follows, one
in forward mode is a loop over the tangents as well; where none follows, JAX does it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._tape.derivative_modes import (
    FORWARD_MODE,
    REVERSE_MODE,
    current_modes,
    differentiating,
    with_modes,
)

# Of the first slots in this list whose states fit into the bytes beside them: their number, and how
# many levels of chunks there are. There is room for 2 ** 24 iterations, and 2 ** 20 in the second
# case; every level is compiled (0.3 s). After more iterations gradients are NaN.
SLOTS = ((4096, 2, 1 << 20), (1024, 2, 1 << 23), (256, 3, 1 << 26), (64, 4, None))

Step = Callable[[Any, Any, Any], Any]


class _StateParts:
    """How a state and constants are taken apart: what is differentiated, and the rest."""

    def __init__(self, tree: Any) -> None:
        leaves, self._definition = jax.tree.flatten(tree)
        self._floats = [jnp.issubdtype(jnp.result_type(leaf), jnp.inexact) for leaf in leaves]

    def split(self, tree: Any) -> tuple[list[Any], list[Any]]:
        leaves = jax.tree.leaves(tree)
        pairs = list(zip(leaves, self._floats, strict=True))
        return [x for x, inexact in pairs if inexact], [x for x, inexact in pairs if not inexact]

    def joined(self, floats: Sequence[Any], others: Sequence[Any]) -> Any:
        one, two = iter(floats), iter(others)
        leaves = [next(one if inexact else two) for inexact in self._floats]
        return jax.tree.unflatten(self._definition, leaves)


class _LoopFunctions:
    """What a loop does; hashed by identity, as JAX wants it of what it does not differentiate.

    Attributes:
        step: takes the number of the iteration, the state and the constants; gives the next state.
        goes_on: a function of the state, or None where the number of iterations is given.
        modes: which derivatives are computed of it, by the outermost first.
    """

    def __init__(self, step: Step, goes_on: Any, state: Any, constants: Any) -> None:
        self.step = step
        self.goes_on = goes_on
        self.modes = current_modes()
        self.state = _StateParts(state)
        self.constants = _StateParts(constants)

    def run(self, state: Any, constants: Any, count: Any) -> tuple[Any, Any]:
        """Returns the last state, and the number of iterations."""

        def again(carried: tuple[Any, Any]) -> Any:
            number, now = carried
            return number < count if self.goes_on is None else self.goes_on(now)

        def once(carried: tuple[Any, Any]) -> tuple[Any, Any]:
            number, now = carried
            return number + 1, self.step(number, now, constants)

        number, last = lax.while_loop(again, once, (np.int32(0), state))
        return last, number


def while_loop(goes_on: Callable[[Any], Any], step: Step, state: Any, constants: Any) -> Any:
    """Repeats a step as long as a condition holds.

    Args:
        goes_on: a function of the state.
        step: a function of the number of the iteration, the state and the constants.
        state: a nest of arrays.
        constants: another one, which stays what it is.

    Returns:
        The last state, which has the derivatives that are computed now.
    """
    return _looped(step, goes_on, np.int32(0), state, constants)


def _looped(step: Step, goes_on: Any, count: Any, state: Any, constants: Any) -> Any:
    """Repeats a step as long as a condition holds, or as often as is said if there is none."""
    state, constants = jax.tree.map(jnp.asarray, (state, constants))
    loop = _LoopFunctions(step, goes_on, state, constants)
    if REVERSE_MODE not in loop.modes:
        return loop.run(state, constants, count)[0]
    run = _run_with_tangents if loop.modes[-1] == FORWARD_MODE else _run
    floats, others = loop.state.split(state)
    found = run(loop, floats, others, *loop.constants.split(constants), count)
    return loop.state.joined(*found[:2])


def _primal(
    loop: _LoopFunctions, floats: Any, others: Any, of_constants: Any, rest: Any, count: Any
) -> tuple[list[Any], list[Any], Any]:
    """Returns the last state, taken apart, and the number of iterations."""
    constants = loop.constants.joined(of_constants, rest)
    last, number = loop.run(loop.state.joined(floats, others), constants, count)
    return *loop.state.split(last), number


def _last_state(loop: _LoopFunctions, *given: Any) -> tuple[list[Any], list[Any]]:
    return _primal(loop, *given)[:2]


def _forward(loop: _LoopFunctions, *given: Any) -> tuple[Any, Any]:
    with with_modes(loop.modes[:-1]):
        # A gradient of the gradient comes through here: it finds the loop, and its rule.
        run = _run if loop.modes[-2:-1] == (REVERSE_MODE,) else _primal
        found = run(loop, *given)
    return found, (*given[:4], found[2])


def _backward(loop: _LoopFunctions, kept: Any, upstream: Any) -> tuple[Any, ...]:
    floats, others, of_constants, rest, number = kept
    gradients, *_ = upstream
    if not floats:
        return None, None, None, None, None
    reverse = _Reverse(loop, loop.state.joined(floats, others))
    constants = loop.constants.joined(of_constants, rest)
    zeros = [jnp.zeros_like(constant) for constant in of_constants]
    state = loop.state.joined(floats, others)
    most = reverse.slots**reverse.levels
    fits = number <= min(most, np.iinfo(np.int32).max)
    gradients = [jnp.where(fits, gradient, jnp.nan) for gradient in gradients]
    count = jnp.minimum(number, most)
    with with_modes(loop.modes[:-1]):
        found, of_found = reverse.chunk(
            reverse.levels, constants, np.int32(0), count, state, gradients, zeros
        )
    return found, None, of_found, None, None


_run = jax.custom_vjp(_primal, nondiff_argnums=(0,))
_run.defvjp(_forward, _backward)


def _with_tangents(loop: _LoopFunctions, primals: Any, tangents: Any) -> tuple[Any, Any]:
    """Repeats the step on the state and its tangents."""
    floats, others, of_constants, rest, count = primals

    def step(number: Any, carried: Any, given: Any) -> Any:
        (floats, others, moved), (of_constants, rest, moved_constants) = carried, given

        def of_floats(floats: Any, of_constants: Any) -> Any:
            constants = loop.constants.joined(of_constants, rest)
            after = loop.step(number, loop.state.joined(floats, others), constants)
            return loop.state.split(after)

        with differentiating(FORWARD_MODE):
            after, moved, others = jax.jvp(
                of_floats, (floats, of_constants), (moved, moved_constants), has_aux=True
            )
        return after, others, moved

    def goes_on(carried: Any) -> Any:
        floats, others, _ = carried
        return loop.goes_on(loop.state.joined(floats, others))

    state, constants = (floats, others, tangents[0]), (of_constants, rest, tangents[2])
    with with_modes(loop.modes[:-1]):
        after, others, moved = _looped(step, loop.goes_on and goes_on, count, state, constants)
    no_tangents = [np.zeros(np.shape(other), jax.dtypes.float0) for other in others]
    return (after, others), (moved, no_tangents)


_run_with_tangents = jax.custom_jvp(_last_state, nondiff_argnums=(0,))
_run_with_tangents.defjvp(_with_tangents)


class _Reverse:
    """The reverse pass of a loop.

    Attributes:
        slots: how many states a level of chunks keeps.
        levels: how many levels there are.
    """

    def __init__(self, loop: _LoopFunctions, state: Any) -> None:
        self._loop = loop
        size = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(state))
        self.slots, self.levels = next(
            (slots, levels) for slots, levels, room in SLOTS
            if room is None or slots * size <= room
        )  # fmt: skip

    def chunk(
        self, level: int, constants: Any, first: Any, length: Any, state: Any, gradients: Any,
        of_constants: Any,
    ) -> tuple[Any, Any]:  # fmt: skip
        """Goes back through some iterations.

        Args:
            level: how often a chunk is cut.
            constants: the constants of the loop.
            first: the number of the first iteration.
            length: how many there are.
            state: the state before the first.
            gradients: those for the state after the last.
            of_constants: those for the constants, from later iterations.

        Returns:
            The gradients for the state before the first, and for the constants.
        """
        size = self.slots ** (level - 1)
        stride = jnp.maximum(-(-length // self.slots), size).astype(np.int32)
        count = -(-length // stride)
        room = jax.tree.map(lambda x: jnp.zeros((self.slots, *x.shape), x.dtype), state)

        def keep(number: Any, carried: Any, given: Any) -> Any:
            (now, kept), (first, stride, count, constants) = carried, given
            kept = jax.tree.map(
                lambda slots, x: lax.dynamic_update_index_in_dim(slots, x, number, 0), kept, now
            )
            start = first + number * stride
            if level == 1:
                return self._loop.step(start, now, constants), kept
            steps = jnp.where(number + 1 < count, stride, 0)  # from the last nobody goes on
            return _looped(self._further, None, steps, now, (start, constants)), kept

        _, kept = _looped(keep, None, count, (state, room), (first, stride, count, constants))

        def back(number: Any, carried: Any, given: Any) -> Any:
            kept, first, stride, count, length, constants = given
            place = count - 1 - number
            state = jax.tree.map(
                lambda slots: lax.dynamic_index_in_dim(slots, place, 0, keepdims=False), kept
            )
            start = first + place * stride
            if level == 1:
                return self._once(start, state, constants, *carried)
            steps = jnp.minimum(stride, length - place * stride)
            return self.chunk(level - 1, constants, start, steps, state, *carried)

        given = (kept, first, stride, count, length, constants)
        return _looped(back, None, count, (gradients, of_constants), given)

    def _further(self, number: Any, state: Any, given: Any) -> Any:
        start, constants = given
        return self._loop.step(start + number, state, constants)

    def _once(
        self, number: Any, state: Any, constants: Any, gradients: Any, of_constants: Any
    ) -> tuple[Any, Any]:
        """Goes back through one iteration."""
        loop = self._loop
        floats, others = loop.state.split(state)
        of_loop, rest = loop.constants.split(constants)

        def of_floats(floats: Any, of_loop: Any) -> list[Any]:
            given = loop.constants.joined(of_loop, rest)
            after = loop.step(number, loop.state.joined(floats, others), given)
            return loop.state.split(after)[0]

        with differentiating(REVERSE_MODE):
            _, pull_back = jax.vjp(of_floats, floats, of_loop)
        before, further = pull_back(list(gradients))
        return before, [a + b for a, b in zip(of_constants, further, strict=True)]
