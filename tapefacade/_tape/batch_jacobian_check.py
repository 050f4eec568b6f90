"""Whether a batch Jacobian is all there is: no example of the target depends on another one."""

from collections.abc import Sequence
from typing import NamedTuple

from tapefacade._core.gradient_rules import NoGradient
from tapefacade._tape.custom_gradient_boundary import BOUNDARY
from tapefacade._tape.derivatives.batch_independence import (
    Mixed,
    Rows,
    State,
    joined,
    states_of_results,
)
from tapefacade._tape.gradient_paths import Window, slot_types, taped, used_inputs
from tapefacade._trace.program_listing import op_name, place_of
from tapefacade._trace.tree import Node

MESSAGE_MIXED = (
    "batch_jacobian(check=True): rows are mixed by {} at\n    {}\nExample i of the target depends "
    "on other examples of the source there, and batch_jacobian would give sums of derivatives. "
    "Use tape.jacobian, or compute that part for each example alone."
)
MESSAGE_UNPROVED = (
    "batch_jacobian(check=True): it is not proved that rows are not mixed by {} ({}) at\n    {}\n"
    "If you know that they are not, leave `check` out; tape.jacobian is right in any case."
)
MESSAGE_ELSEWHERE = (
    "batch_jacobian(check=True): the examples of the target are not along its first axis: its axis "
    "{} has them. Transpose it, or use tape.jacobian."
)
PYTHON = "its gradient is Python code"


class _Origin(NamedTuple):
    """The instruction that has mixed rows first, and what it has done."""

    node: Node
    mixed: Mixed


def check_rows(
    end: Node, window: Window, target: int | None, sources: Sequence[int], batch: int
) -> None:
    """Proves that no example of a target depends on another example of a source.

    Args:
        end: where a tape's window ends.
        window: what it recorded and watched.
        target: the slot of the target.
        sources: those of the source.
        batch: how many examples there are.

    Raises:
        ValueError: if rows are mixed, or that cannot be excluded; it names the op and its line.
    """
    if batch < 2 or target is None:
        return
    states: dict[int, State] = dict.fromkeys(sources, Rows(0))
    origins: dict[int, _Origin] = {}
    types = slot_types(end)
    for node in taped(end, window, dict(window.watched))[0]:
        operation = node.operation
        assert operation is not None
        outputs = range(node.first_output, node.end)
        used = {s for p in range(len(outputs)) for s in used_inputs(node, p)}
        given = [states.get(s) if s in used else None for s in node.inputs]
        if not any(state is not None for state in given):
            continue
        before = next((origins[s] for s in node.inputs if s in origins and s in used), None)
        if before is not None:
            found: list[State] = [before.mixed] * len(outputs)
        elif operation is BOUNDARY or isinstance(operation.gradient, NoGradient):
            found = [Mixed(PYTHON, False)] * len(outputs)
        else:
            of_inputs = [types[slot] for slot in node.inputs]
            found = states_of_results(operation, node.static, of_inputs, given, batch)
        for slot, state in zip(outputs, found, strict=True):
            if slot not in sources:
                states[slot] = joined(states.get(slot), state, op_name(node))
            if isinstance(states[slot], Mixed):
                origins[slot] = before or _Origin(node, states[slot])  # type: ignore[arg-type]
    _refuse(states.get(target), origins.get(target))


def _refuse(state: State, origin: _Origin | None) -> None:
    if origin is not None:
        node, mixed = origin
        if mixed.is_proved:
            raise ValueError(MESSAGE_MIXED.format(op_name(node), place_of(node)))
        raise ValueError(MESSAGE_UNPROVED.format(op_name(node), mixed.primitive, place_of(node)))
    if isinstance(state, Rows) and state != Rows(0):
        raise ValueError(MESSAGE_ELSEWHERE.format(state.axis))
