"""A slice: a self-contained part of a program, cut out and renumbered, and how it is evaluated.

Equal parts of different recordings give equal slices, whatever came before them.
"""

import heapq
import itertools
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from tapefacade._core.tensor_type import TensorType
from tapefacade._trace.operation import Operation
from tapefacade._trace.step_marks import MARKING_STATE, OPERAND, RESULT
from tapefacade._trace.tree import Node

# With many gradients in one program only the last ones replace forward computations.
MAX_SOURCES_OF_GHOSTS = 32


class Step(NamedTuple):
    """One instruction of a slice, its operands in the slice's own numbers."""

    operation: Operation
    static: tuple[Any, ...]
    inputs: tuple[int, ...]
    ghosts: tuple[int, ...]  # -1: the slot is not part of the slice
    types: tuple[TensorType, ...]


class Slice:
    """A program over inputs 0..k-1, whose steps define the slots k, k+1, ... in order.

    Attributes:
        inputs: the types of the inputs.
        steps: the instructions.
        outputs: the slots that are wanted.
        lines: where each step was recorded, if that is known; equal slices may differ in it.
    """

    __slots__ = ("_hash", "_order", "inputs", "lines", "outputs", "steps")

    def __init__(
        self,
        inputs: tuple[TensorType, ...],
        steps: tuple[Step, ...],
        outputs: tuple[int, ...],
        lines: tuple[str, ...] = (),
    ) -> None:
        self.inputs = inputs
        self.steps = steps
        self.outputs = outputs
        self.lines = lines
        self._hash = hash((inputs, steps, outputs))
        self._order: list[tuple[int, bool]] | None = None

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Slice)
            and self._hash == other._hash
            and self.outputs == other.outputs
            and self.inputs == other.inputs
            and self.steps == other.steps
        )

    def types(self) -> list[TensorType]:
        """Returns the type of every slot."""
        return [*self.inputs, *(type_ for step in self.steps for type_ in step.types)]

    def order(self) -> list[tuple[int, bool]]:
        """Returns the steps in the order of evaluation, and whether each provides its ghosts."""
        if self._order is None:
            self._order = schedule(self)
        return self._order


def adopt_lines(kept: Any, new: Any) -> None:
    """Gives slices the lines of equal ones that were recorded last.

    Args:
        kept: a slice, what has one for its `part`, or a tuple of such things.
        new: its equal.
    """
    if isinstance(kept, tuple):
        for one, other in zip(kept, new, strict=True):
            adopt_lines(one, other)
        return
    kept, new = getattr(kept, "part", kept), getattr(new, "part", new)
    if isinstance(kept, Slice) and new.lines:
        kept.lines = new.lines


def bodies_of(operation: Operation) -> Iterator[Slice]:
    """Yields the programs within an operation: what a gradient, a loop or a function computes.

    Args:
        operation: the operation of a step.
    """
    for name in ("part", "plan"):
        yield from slices_in(getattr(operation, name, ()))


def slices_in(value: Any) -> Iterator[Slice]:
    """Yields the programs in a plan.

    Args:
        value: a slice, what has one for its `part`, or a tuple or list of such things.
    """
    if isinstance(value, tuple | list):
        for item in value:
            yield from slices_in(item)
        return
    part = getattr(value, "part", value)
    if isinstance(part, Slice):
        yield part


def cut(
    nodes: Iterable[Node], wanted: Sequence[int], types: Callable[[int], TensorType]
) -> tuple[Slice, tuple[int, ...]]:
    """Cuts the instructions of `nodes` out of a recording.

    Args:
        nodes: the instructions, in order. Every other slot that they use becomes an input.
        wanted: slots that become the outputs.
        types: gives the type of a slot that is not defined by `nodes`.

    Returns:
        The slice, and the recording's slots of its inputs.
    """
    nodes = list(nodes)
    defined = {slot for node in nodes for slot in range(node.first_output, node.end)}
    used = {slot for node in nodes for slot in node.inputs} | set(wanted)
    inputs = sorted(used - defined)
    local = {slot: place for place, slot in enumerate(inputs)}
    for node in nodes:
        for slot in range(node.first_output, node.end):
            local[slot] = len(local)
    steps = tuple(
        Step(
            node.operation,  # type: ignore[arg-type]  # leaves are inputs
            node.static,
            tuple([local[slot] for slot in node.inputs]),
            tuple([local.get(slot, -1) for slot in node.ghosts]),
            node.types[node.first_output - node.first :],
        )
        for node in nodes
    )
    outputs = tuple([local[slot] for slot in wanted])
    lines = tuple([node.users_line for node in nodes])
    return Slice(tuple([types(slot) for slot in inputs]), steps, outputs, lines), tuple(inputs)


def needed(at: Node, wanted: Iterable[int], known: Container[int]) -> list[Node]:
    """Returns the instructions up to `at` that `wanted` slots need, given the `known` ones."""
    missing = {slot for slot in wanted if slot not in known}
    nodes = []
    node: Node | None = at
    while missing:
        assert node is not None  # a leaf is always known
        found = missing.intersection(range(node.first_output, node.end))
        if found:
            missing -= found
            nodes.append(node)
            missing.update(slot for slot in node.inputs if slot not in known)
        node = node.parent
    return nodes[::-1]


def schedule(part: Slice) -> list[tuple[int, bool]]:
    """Chooses which steps run, and in which order.

    A gradient evaluates the forward part of the program again on its way. Its forward values
    replace the first computation, which then is left out; else a loop would run twice.
    The last gradient that has a value provides it, unless it needs the value itself.
    """
    count = len(part.inputs)
    provider: dict[int, int] = {}
    for index, step in enumerate(part.steps):
        for _ in step.types:
            provider[count + len(provider)] = index
    with_ghosts = [i for i, step in enumerate(part.steps) if any(g >= count for g in step.ghosts)]
    giving: set[int] = set()
    replaced: set[int] = set()
    for index in reversed(with_ghosts[-MAX_SOURCES_OF_GHOSTS:]):
        upstream = _upstream(part, provider, index)
        offered = [g for g in part.steps[index].ghosts if g >= count and g not in replaced]
        taken = [slot for slot in offered if slot not in upstream]
        if taken:
            giving.add(index)
            replaced.update(taken)
            provider.update((slot, index) for slot in taken)
    return [(index, index in giving) for index in _sorted_steps(part, provider)]


def _upstream(part: Slice, provider: Mapping[int, int], index: int) -> set[int]:
    """Returns the slots that step `index` needs."""
    seen: set[int] = set()
    stack = list(part.steps[index].inputs)
    while stack:
        slot = stack.pop()
        if slot not in seen and slot in provider:
            seen.add(slot)
            stack.extend(part.steps[provider[slot]].inputs)
    return seen


def _sorted_steps(part: Slice, provider: Mapping[int, int]) -> list[int]:
    """Returns the steps that the outputs and the checks need, each after those it needs."""
    operations = enumerate(step.operation for step in part.steps)
    roots = [i for i, operation in operations if operation.check is not None or operation.acts]
    roots += [provider[slot] for slot in part.outputs if slot in provider]
    done: dict[int, bool] = {}
    order = []
    stack = list(reversed(roots))
    while stack:
        index = stack.pop()
        if index in done:
            if not done[index]:
                done[index] = True
                order.append(index)
            continue
        done[index] = False
        stack.append(index)
        for slot in part.steps[index].inputs:
            before = provider.get(slot)
            if before is not None and before not in done:
                stack.append(before)
    return order


def _in_recorded_order(part: Slice) -> list[tuple[int, bool]]:
    """Returns what `Slice.order` does, as far as can be in the order in which it was recorded.

    Who looks for the first step that does something then finds the first one of the program.
    """
    provides = dict(part.order())
    provider: dict[int, int] = {}
    slot = len(part.inputs)
    for index, step in enumerate(part.steps):
        if index in provides:
            provider.update((slot + place, index) for place in range(len(step.types)))
        slot += len(step.types)
    for index, is_provider in provides.items():
        for ghost in part.steps[index].ghosts if is_provider else ():
            provider.setdefault(ghost, index)
    waits = {
        index: {provider[s] for s in part.steps[index].inputs if s in provider} - {index}
        for index in provides
    }
    after: dict[int, list[int]] = {}
    for index, before in waits.items():
        for one in before:
            after.setdefault(one, []).append(index)
    ready = [index for index, before in waits.items() if not before]
    heapq.heapify(ready)
    order = []
    while ready:
        index = heapq.heappop(ready)
        order.append((index, provides[index]))
        for later in after.get(index, ()):
            waits[later].discard(index)
            if not waits[later]:
                heapq.heappush(ready, later)
    return order


def computed(part: Slice, ghosts: Sequence[int]) -> tuple[int, ...]:
    """Returns what the steps define, with -1 for what `evaluate` leaves out.

    It leaves out what leads only to values that a gradient among the steps gives as well.
    """
    first = list(itertools.accumulate((len(s.types) for s in part.steps), initial=len(part.inputs)))
    found: set[int] = set()
    for index, provides in part.order():
        found.update(range(first[index], first[index + 1]))
        if provides:
            found.update(part.steps[index].ghosts)
    return tuple([g if slot in found else -1 for slot, g in enumerate(ghosts, len(part.inputs))])


def evaluate(
    part: Slice,
    inputs: Sequence[Any],
    apply: Callable[[Step, list[Any]], Sequence[Any]],
    taps: Mapping[int, Callable[[Any], Any]] = MappingProxyType({}),
) -> dict[int, Any]:
    """Evaluates a slice; every forward computation runs once.

    Args:
        part: the slice.
        inputs: the values of its inputs.
        apply: computes the outputs of a step that provides no ghosts.
        taps: functions that the values of some slots pass through.

    Returns:
        The value in every slot that was computed.
    """
    first = [len(part.inputs)]
    for step in part.steps:
        first.append(first[-1] + len(step.types))
    values: dict[int, Any] = dict(enumerate(inputs))
    marks = MARKING_STATE.marks
    for index, provides in part.order() if marks is None else _in_recorded_order(part):
        step = part.steps[index]
        arrays = [values[slot] for slot in step.inputs]
        number = -1 if marks is None else marks.add(part, index)
        if marks is not None:
            arrays = marks.marked(number, OPERAND, arrays)
        if provides:
            outputs, forward = step.operation.evaluate_with_forward(arrays, step.static)
            for slot, value in zip(step.ghosts, forward, strict=True):
                if slot >= 0 and value is not None and slot not in values:
                    values[slot] = taps[slot](value) if slot in taps else value
        else:
            outputs = apply(step, arrays)
        if marks is not None:
            outputs = marks.marked(number, RESULT, outputs)
        for slot, value in zip(range(first[index], first[index + 1]), outputs, strict=True):
            values[slot] = taps[slot](value) if slot in taps else value
    return values
