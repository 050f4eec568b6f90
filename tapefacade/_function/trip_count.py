"""How often a loop runs, where that is known without running it: `i < n` and `i + 1`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapefacade._core.generators import Draw
from tapefacade._core.tensor import EagerTensor, host_value
from tapefacade._function.bodies import INPUT, Body, Program
from tapefacade._state.variable import Variable
from tapefacade._trace.slices import Step

# Where a counter is compared: what is compared with what, and whether the limit itself counts.
_COMPARED = {
    "Less": (1, 0), "LessEqual": (1, 1), "Greater": (-1, 0), "GreaterEqual": (-1, 1),
}  # fmt: skip
_STEPPED = {"AddV2": 1, "Sub": -1}


def trip_count(condition: Body, body: Body, state: Sequence[EagerTensor]) -> int | None:
    """Returns how often a loop runs; None if that is not known.

    Args:
        condition: the condition, recorded.
        body: the body.
        state: the loop variables at first.
    """
    if body.assigned and _reads(condition, body.assigned):
        return None
    step = _only_step(condition.program)
    if step is None or step.operation.kernel not in _COMPARED:
        return None
    sign, inclusive = _COMPARED[step.operation.kernel]
    first, second = (_operand(condition, slot) for slot in step.inputs)
    if isinstance(first, int) and not isinstance(second, int):
        counter, limit = first, _known(second)
    elif isinstance(first, int):
        counter, limit = first, _unchanged(body, state, second)
        if limit is None:
            counter, limit, sign = second, _unchanged(body, state, first), -sign
    else:
        counter, limit, sign = second, _known(first), -sign
    if limit is None or not isinstance(counter, int):
        return None
    start, delta = host_value(state[counter]), _delta(body, counter)
    if start is None or start.shape or delta is None or delta * sign <= 0:
        return None
    distance = (limit - int(start)) * sign + inclusive
    count = max(0, -(-distance // abs(delta)))
    end = int(start) + count * delta
    return count if _within(end, start.dtype) else None


def _within(value: int, dtype: np.dtype[Any]) -> bool:
    limits = np.iinfo(dtype)
    return int(limits.min) <= value <= int(limits.max)


def _only_step(program: Program) -> Step | None:
    steps = program.part.steps
    return steps[0] if len(steps) == 1 and len(steps[0].inputs) == 2 else None


def _operand(body: Body, slot: int) -> Any:
    """Returns the number of a loop variable, or what comes from outside."""
    kind, place = body.program.places[slot]
    return place if kind == INPUT else body.outside()[place]


def _known(item: Any) -> int | None:
    """Returns an integer that comes from outside, if its value is known on the host."""
    if isinstance(item, Draw | Variable) or not isinstance(item, EagerTensor):
        return None
    value = host_value(item)
    return None if value is None or value.shape or value.dtype.kind not in "iu" else int(value)


def _unchanged(body: Body, state: Sequence[EagerTensor], number: int) -> int | None:
    """Returns the value of a loop variable that the body passes on, if it is known."""
    program = body.program
    slot = program.part.outputs[number]
    if slot >= len(program.places) or program.places[slot] != (INPUT, number):
        return None
    return _known(state[number])


def _delta(body: Body, number: int) -> int | None:
    """Returns what the body adds to a loop variable, if that is all it does to it."""
    program = body.program
    count = len(program.places)
    slot = program.part.outputs[number]
    first = count
    for step in program.part.steps:
        if first == slot:
            break
        first += len(step.types)
    else:
        return None
    if step.operation.kernel not in _STEPPED or any(s >= count for s in step.inputs):
        return None
    sign = _STEPPED[step.operation.kernel]
    one, two = (_operand(body, s) for s in step.inputs)
    if type(one) is int and one == number and type(two) is not int:
        added = _known(two)
    elif sign == 1 and type(two) is int and two == number and type(one) is not int:
        added = _known(one)
    else:
        return None
    return None if added is None else sign * added


def _reads(condition: Body, variables: Sequence[Variable]) -> bool:
    ids = {id(variable) for variable in variables}
    return any(id(item) in ids for item in condition.outside())
