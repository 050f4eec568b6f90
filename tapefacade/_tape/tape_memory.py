"""What a tape's gradient keeps of the forward computation, by lines, before anything runs.

The numbers are of what JAX's derivatives of the ops keep. XLA fuses ops and may keep less.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

from tapefacade._core.gradient_rules import NoGradient
from tapefacade._core.tensor_type import TensorType
from tapefacade._core.value_text import html_table
from tapefacade._state.variable import READ, READ_VALUE
from tapefacade._tape import backward_pass
from tapefacade._tape.derivative_modes import REVERSE_MODE, differentiating
from tapefacade._tape.derivatives.batch_independence import ELEMENTWISE
from tapefacade._tape.derivatives.derivative import (
    BATCH_JACOBIAN,
    GRADIENT,
    JACOBIAN,
    Derivative,
    derivative,
)
from tapefacade._tape.gradient_paths import nodes_within, reach, slot_types, taped, used_inputs
from tapefacade._tape.tape_window import TapeScope
from tapefacade._trace.op_costs import bytes_of
from tapefacade._trace.operation import Operation
from tapefacade._trace.program_listing import aligned, bytes_text, op_name, place
from tapefacade._trace.slices import Step
from tapefacade._trace.tree import Node, layer_of

Maker = TypeVar("Maker")

HEADINGS = ("bytes", "line", "what is kept of")
MAX_ROWS = 40
KEEPING = (GRADIENT, JACOBIAN, BATCH_JACOBIAN)  # derivatives of which this is known
RENAMING = frozenset({"copy", "copy_p", "expand_dims", "reshape", "squeeze"})
FUSED = RENAMING | ELEMENTWISE | {"and", "broadcast_in_dim", "eq", "ge", "gt", "iota", "le", "lt",
                                  "ne", "not", "or"}  # fmt: skip
_KEPT: dict[Any, "KeptValues"] = {}
MAX_KEPT = 4096  # instructions that are remembered; all are forgotten when there are more


class KeptValues(NamedTuple):
    """What the derivative of an instruction keeps.

    Attributes:
        inputs: the places of the inputs that it keeps.
        outputs: the places of the results that it keeps.
        own: other values: the bytes of each, and the places of the inputs and results (these after
            the inputs) from which it follows element by element; None if it does not.
    """

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    own: tuple[tuple[int, frozenset[int] | None], ...]


class MemoryRow(NamedTuple):
    """What a line makes that is kept for gradients.

    Attributes:
        line: `file:line` in the user's files.
        layer: the layer of Keras, or "".
        bytes: of the values that are kept.
        ops: the ops that made them, or whose derivatives keep values of their own.
    """

    line: str
    layer: str
    bytes: int
    ops: tuple[str, ...]


class Rematerialized(NamedTuple):
    """What is kept with `rematerialize=True`.

    Attributes:
        kept: the bytes of what crosses from one segment to the next.
        again: the bytes of what the largest segment computes again at a time.
        segments: how many there are.
    """

    kept: int
    again: int
    segments: int

    @property
    def bytes(self) -> int:
        """The most that is there at a time."""
        return self.kept + self.again


class TapeMemory:
    """What a tape keeps for gradients; shows itself as a table of lines.

    Attributes:
        rows: a `MemoryRow` for each line, the largest first.
        kept: the bytes of all of them.
        inputs: the bytes of variables and data that the gradient uses, which are there anyway.
        rematerialized: what it would be with `rematerialize=True`; None where that changes nothing,
            as Python code gives part of the gradient, or there is nothing to cut.
    """

    def __init__(
        self, rows: Sequence[MemoryRow], inputs: int, rematerialized: Rematerialized | None,
        is_rematerializing: bool,
    ) -> None:  # fmt: skip
        self.rows = tuple(sorted(rows, key=lambda row: -row.bytes))
        self.kept = sum(row.bytes for row in rows)
        self.inputs = inputs
        self.rematerialized = rematerialized
        self._is_rematerializing = is_rematerializing

    def _heading(self) -> str:
        text = f"Kept for gradients: {bytes_text(self.kept)}"
        if self.inputs:
            text += f", and {bytes_text(self.inputs)} of variables and data, which are there anyway"
        return text

    def _remedy(self) -> str:
        found = self.rematerialized
        if found is None:
            return ""
        text = (
            f"{bytes_text(found.bytes)}: {bytes_text(found.kept)} between {found.segments} "
            f"segments, and {bytes_text(found.again)} that is computed again at a time"
        )
        verb = "As the tape has" if self._is_rematerializing else "With"
        return f"{verb} rematerialize=True: {text}"

    def _table(self) -> list[tuple[str, ...]]:
        rows = []
        for row in self.rows[:MAX_ROWS]:
            rows.append((bytes_text(row.bytes), place(row.line), ", ".join(row.ops)))
        if more := self.rows[MAX_ROWS:]:
            size = bytes_text(sum(row.bytes for row in more))
            rows.append((size, f"{len(more):,} more lines", ""))
        return rows

    def __repr__(self) -> str:
        rows = aligned([HEADINGS, *self._table()]) if self.rows else []
        return "\n".join([self._heading(), *rows, *filter(None, [self._remedy()])])

    def _repr_html_(self) -> str:
        return html_table([HEADINGS, *self._table()], f"{self._heading()}. {self._remedy()}")


def memory_of(scope: TapeScope, targets: Sequence[int], groups: Sequence[Any]) -> TapeMemory:
    """Counts what the gradient of some slots keeps.

    Args:
        scope: what the tape saw.
        targets: the slots of the targets; empty for all that nothing else uses.
        groups: the slots of each source.
    """
    end, window = scope.end, scope.window
    if not targets:
        targets = _ends(scope)
    found = reach(end, window, tuple(targets), tuple(groups))
    made = {
        slot: node
        for node in nodes_within(end, ((0, end.end),))
        for slot in range(node.first_output, node.end)
        if node.operation not in (READ, READ_VALUE)  # what a variable holds is there anyway
    }
    steps = [(node, node, range(node.first_output, node.end)) for node in found.nodes]
    carrying = {slot for group in groups for slot in group}
    own, inputs = _kept_by(steps, slot_types(end), carrying, made)
    rows: dict[tuple[str, str], tuple[str, Counter[str], int]] = {}
    for node, size in own.items():
        if size:
            line = node.users_line
            where = line, layer_of(line)
            _, ops, before = rows.get(where, (line, Counter(), 0))
            ops[op_name(node)] += 1
            rows[where] = line, ops, before + size
    table = [
        MemoryRow(line, layer_of(line), size, _counted(ops)) for line, ops, size in rows.values()
    ]
    again = None if found.boundaries else _rematerialized(scope, tuple(targets), tuple(groups))
    return TapeMemory(table, inputs, again, window.rematerialize)


def kept_by_lines(operation: Derivative, outside: Sequence[str]) -> Counter[str]:
    """Counts the bytes that a gradient keeps of what each line makes.

    Args:
        operation: the gradient. Of one that computes intermediate values again nothing counts.
        outside: for each input of what it differentiates the line that made it, "" if it is there
            anyway.
    """
    part = operation.part
    if operation.rematerialize or operation.kind not in KEEPING:
        return Counter()
    made = {slot: line for slot, line in enumerate(outside) if line}
    for slot in operation.sources:
        made.pop(slot, None)
    steps, first = [], len(part.inputs)
    for step, line in zip(part.steps, part.lines or ("",) * len(part.steps), strict=True):
        outputs = range(first, first + len(step.types))
        made.update(dict.fromkeys(outputs, line))
        steps.append((line, step, outputs))
        first = outputs.stop
    return _kept_by(steps, dict(enumerate(part.types())), set(operation.sources), made)[0]


def _kept_by(
    steps: Iterable[tuple[Maker, Node | Step, range]],
    types: Mapping[int, TensorType],
    carrying: set[int],
    made: Mapping[int, Maker],
) -> tuple[Counter[Maker], int]:
    """Counts what the derivatives of instructions keep.

    Args:
        steps: who makes it, the instruction, and the slots of its results, in order.
        types: of the slots.
        carrying: the slots of the sources; those that depend on them are added.
        made: who makes each slot that is not there anyway.

    Returns:
        The bytes by makers, and those of what is there anyway.
    """
    slots: set[int] = set()
    own: Counter[Maker] = Counter()
    others: list[tuple[Maker, int, Any]] = []  # values that are not among the recorded ones
    for maker, step, outputs in steps:
        used = {s for p in range(len(outputs)) for s in used_inputs(step, p)} & carrying
        carrying.update(s for s in outputs if types[s].inexact)
        assert step.operation is not None
        free = tuple([k for k, slot in enumerate(step.inputs) if slot in used])
        of_inputs = tuple([types[slot] for slot in step.inputs])
        kept = kept_values(step.operation, step.static, of_inputs, free)
        slots.update(step.inputs[place] for place in kept.inputs)
        slots.update(outputs[place] for place in kept.outputs)
        both = *step.inputs, *outputs
        for size, sources in kept.own:
            others.append((maker, size, sources and {both[place_] for place_ in sources}))
    for maker, size, sources in others:
        # What follows from kept values element by element is made again where it is used: XLA puts
        # it into one loop with that.
        if sources is None or any(slot in made and slot not in slots for slot in sources):
            own[maker] += size
    inputs = 0
    for slot in slots:
        if slot in made:
            own[made[slot]] += bytes_of(types[slot])
        else:
            inputs += bytes_of(types[slot])
    return own, inputs


def _counted(ops: Mapping[str, int]) -> tuple[str, ...]:
    return tuple([f"{count} x {op}" if count > 1 else op for op, count in ops.items()])


def _ends(scope: TapeScope) -> list[int]:
    """Returns the slots that depend on something watched and are used by nothing."""
    nodes, tracked = taped(scope.end, scope.window, dict(scope.window.watched))
    used = {slot for node in nodes for slot in node.inputs}
    return [
        slot
        for node in nodes
        if not isinstance(node.operation.gradient, NoGradient)  # type: ignore[union-attr]
        for slot in range(node.first_output, node.end)
        if slot in tracked and slot not in used
    ]


def kept_values(
    operation: Operation,
    static: tuple[Any, ...],
    inputs: tuple[TensorType, ...],
    free: tuple[int, ...],
) -> KeptValues:
    """Finds out from JAX what the derivative of an instruction keeps.

    Args:
        operation: what is computed.
        static: its static parameters.
        inputs: the types of its inputs.
        free: the places of those that it is differentiated by.
    """
    key = operation, static, inputs, free
    found = _KEPT.get(key)
    if found is None:
        if len(_KEPT) > MAX_KEPT:
            _KEPT.clear()
        found = _KEPT[key] = _find_kept(operation, static, inputs, free)
    return found


def _find_kept(
    operation: Operation, static: tuple[Any, ...], inputs: Sequence[TensorType], free: Sequence[int]
) -> KeptValues:
    count: list[int] = []

    def forward(*arrays: Any) -> list[Any]:
        def compute(*values: Any) -> list[Any]:
            given = list(arrays)
            for place_, value in zip(free, values, strict=True):
                given[place_] = value
            return list(operation.evaluate(given, static))

        with differentiating(REVERSE_MODE):
            outputs, pull_back = jax.vjp(compute, *[arrays[place_] for place_ in free])
        count.append(len(outputs))
        return [*outputs, *jax.tree.leaves(pull_back)]

    types = [jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype) for type_ in inputs]
    with jax.enable_x64(True):
        jaxpr = jax.make_jaxpr(forward)(*types).jaxpr
    made = {variable: equation for equation in jaxpr.eqns for variable in equation.outvars}
    given = {variable: place_ for place_, variable in enumerate(jaxpr.invars)}
    outputs: dict[Any, int] = {}
    for place_, atom in enumerate(jaxpr.outvars[: count[-1]]):
        if not hasattr(atom, "val") and _origin(atom, made) not in given:
            outputs.setdefault(_origin(atom, made), len(given) + place_)
    kept = {_origin(atom, made) for atom in jaxpr.outvars[count[-1] :] if not hasattr(atom, "val")}
    kept = {atom for atom in kept if not hasattr(atom, "val")}
    known = given | outputs
    own = []
    for atom in kept - known.keys():
        sources = _sources(atom, made, known)
        if sources is None or sources:  # else it is made of numbers of the program
            own.append((atom.aval.size * jnp.dtype(atom.aval.dtype).itemsize, sources))
    return KeptValues(
        tuple(sorted(given[atom] for atom in kept if atom in given)),
        tuple(sorted(outputs[atom] - len(given) for atom in kept if atom in outputs)),
        tuple(own),
    )


def _origin(atom: Any, made: Mapping[Any, Any]) -> Any:
    """Returns the variable that holds the numbers of another one, which is only shaped anew."""
    while not hasattr(atom, "val") and atom in made and made[atom].primitive.name in RENAMING:
        atom = made[atom].invars[0]
    return atom


def _sources(atom: Any, made: Mapping[Any, Any], known: Mapping[Any, int]) -> frozenset[int] | None:
    """Returns the places of the values from which one follows element by element."""
    if hasattr(atom, "val"):
        return frozenset()
    if atom in known:
        return frozenset([known[atom]])
    if atom not in made or made[atom].primitive.name not in FUSED:
        return None if atom in made else frozenset()
    found = [_sources(used, made, known) for used in made[atom].invars]
    return None if None in found else frozenset[int]().union(*filter(None, found))


def _rematerialized(
    scope: TapeScope, targets: tuple[int, ...], groups: tuple[Any, ...]
) -> Rematerialized | None:
    """Counts what a gradient keeps that computes intermediate values again."""
    plan = backward_pass.gradient_plan(scope, targets, groups)
    if plan is None:
        return None
    known = plan.operation
    operation = derivative(GRADIENT, known.part, known.sources, known.groups, known.given, True)
    found = operation.rematerialized_sizes()
    return None if found is None else Rematerialized(*found)
