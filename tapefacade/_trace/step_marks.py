"""Marks on the values of steps: what a traced program says about each step, forward and backward.

A mark is an `optimization_barrier`, which changes no value, under a scope that names the step. JAX
keeps the scope through derivatives, loops and branches: the derivative of a mark of an operand
carries the gradient that the step gives it, that of a mark of a result the gradient that arrives.
Only tracing asks whether values are marked, running a compiled program does not.
"""

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from tapefacade._core.thread_state import ThreadState

if TYPE_CHECKING:
    from tapefacade._trace.slices import Slice

OPERAND, RESULT = "operand", "result"
_SCOPE = re.compile(r"tapefacade_step_(\d+)_(operand|result)_(\d+)_within_(\d+)")
_BACKWARD = "transpose("  # what JAX calls the scope of a step in the backward pass


class Mark(NamedTuple):
    """What is marked.

    Attributes:
        number: of the step, as `StepMarks.steps` has it.
        side: `OPERAND` or `RESULT`.
        place: which of the operands or results.
        backward: whether it is the gradient.
    """

    number: int
    side: str
    place: int
    backward: bool


class StepMarks:
    """The steps that have been marked, by their numbers: a slice, and the place in it."""

    def __init__(self) -> None:
        self.steps: list[tuple[Slice, int]] = []
        self.rules = 0  # within how many gradient functions of the user's the next step is

    def add(self, part: "Slice", index: int) -> int:
        """Returns the number of a step."""
        self.steps.append((part, index))
        return len(self.steps) - 1

    def marked(self, number: int, side: str, values: Sequence[Any]) -> list[Any]:
        """Marks the operands or the results of a step; only floating ones can be wrong."""
        found = []
        for place, value in enumerate(values):
            if hasattr(value, "dtype") and jnp.issubdtype(value.dtype, jnp.inexact):
                name = f"tapefacade_step_{number}_{side}_{place}_within_{self.rules}"
                with jax.named_scope(name):
                    value = lax.optimization_barrier(value)
            found.append(value)
        return found


class _Marking(ThreadState):
    """Whether values are marked in this thread."""

    marks: StepMarks | None = None


MARKING_STATE = _Marking()


@contextlib.contextmanager
def gradient_function() -> Iterator[None]:
    """A `with` block in which a gradient function of the user's is evaluated.

    JAX has it in the backward pass, and what it computes is computed forward.
    """
    marks = MARKING_STATE.marks
    if marks is None:
        yield
        return
    marks.rules += 1
    try:
        yield
    finally:
        marks.rules -= 1


def mark_of(scope: str, backward: bool) -> Mark | None:
    """Returns the mark that an equation is, from the text of its scope.

    Args:
        scope: what JAX says, such as `jvp(tapefacade_step_3_operand_0_within_0)`.
        backward: whether the equation is part of a backward loop or branch.

    >>> mark_of("f/transpose(jvp(tapefacade_step_3_operand_0_within_0))", False)
    Mark(number=3, side='operand', place=0, backward=True)
    """
    innermost = scope.rpartition("/")[2]
    found = _SCOPE.search(innermost)
    if found is None:
        return None
    number, side, place, rules = found.groups()
    passes = max(innermost.count(_BACKWARD), int(backward))
    return Mark(int(number), side, int(place), passes > int(rules))


def is_backward(scope: str) -> bool:
    """Whether an equation under a scope is part of a backward pass.

    >>> is_backward("f/jvp(g)"), is_backward("f/transpose(jvp(g))")
    (False, True)
    """
    return _BACKWARD in scope.rpartition("/")[2]
