"""Which results of a body depend on which of its operands, in the way a tape sees it.

TensorFlow gives None where no op leads from a source to a target; an op that takes a body as a
whole must not hide that.
"""

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tapefacade._core.gradient import NoGradient, NotDifferentiable
from tapefacade._core.types import TensorType
from tapefacade._function.bodies import INPUT, Program
from tapefacade._trace.slices import Slice, Step

# The iterations of a loop that are followed; after these what depends on what repeats itself.
MAX_FOLLOWED = 256


class Flow(NamedTuple):
    """What depends on what, op by op; sets of inputs are the bits of integers.

    Attributes:
        outputs: for each output the inputs it depends on.
        missing: for each output the kernels without a gradient that lie on the way.
    """

    outputs: tuple[int, ...]
    missing: tuple[frozenset[str], ...]


@functools.lru_cache(maxsize=4096)
def flow_of(part: Slice) -> Flow:
    """Follows floating values through a program."""
    types = part.types()
    masks = [1 << slot if types[slot].inexact else 0 for slot in range(len(part.inputs))]
    missing: list[frozenset[str]] = [frozenset()] * len(part.inputs)
    for step in part.steps:
        of_inputs = [types[slot] for slot in step.inputs]
        for place, type_ in enumerate(step.types):
            used = _used(step, of_inputs, place)
            mask, lacking = 0, frozenset[str]()
            for slot in used:
                mask |= masks[slot]
                lacking |= missing[slot]
            gradient = step.operation.gradient
            if type(gradient) is NoGradient and mask:  # a class of its own: JAX knows a rule
                lacking |= {gradient.kernel}
            masks.append(mask if type_.inexact else 0)
            missing.append(lacking if type_.inexact else frozenset())
    return Flow(
        tuple(masks[slot] for slot in part.outputs), tuple(missing[slot] for slot in part.outputs)
    )


def dependencies_of(program: Program, count: int) -> tuple[frozenset[int], ...]:
    """Returns for each result of a program the operands it depends on.

    Args:
        program: the program.
        count: how many arguments it has; what it takes from outside follows them.
    """
    places = [place if kind == INPUT else count + place for kind, place in program.places]
    return tuple(
        frozenset(place for bit, place in enumerate(places) if mask >> bit & 1)
        for mask in flow_of(program.part).outputs
    )


def _used(step: Step, types: Sequence[TensorType], place: int) -> list[int]:
    """Returns the slots through which a gradient flows from an output of a step."""
    operation = step.operation
    if isinstance(operation.gradient, NotDifferentiable):
        return []
    through = operation.dependencies(step.static, types)
    places = range(len(step.inputs)) if through is None else sorted(through[place])
    blocked = operation.blocked(step.static, len(step.inputs))
    return [step.inputs[k] for k in places if k not in blocked]


def followed(
    once: Callable[[tuple[int, ...]], tuple[int, ...]], start: tuple[int, ...], count: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Follows the state of a loop.

    Args:
        once: what the state depends on after an iteration, given that before it.
        start: what it depends on at first.
        count: the number of iterations.

    Returns:
        What the last state depends on, and what the states before the iterations do, together.
    """
    state, before = start, (0,) * len(start)
    for _ in range(min(count, MAX_FOLLOWED)):
        before = tuple(a | b for a, b in zip(before, state, strict=True))
        after = once(state)
        if after == state:
            break
        state = after
    return state, before
