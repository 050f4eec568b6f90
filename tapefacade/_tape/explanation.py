"""Why a gradient is None: what a tape knows of the way from a source to a target."""

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any, NamedTuple

from tapefacade._core.gradient_rules import NoGradient, NotDifferentiable
from tapefacade._state.variable import READ, READ_VALUE, Variable
from tapefacade._tape.custom_gradient_boundary import BOUNDARY, registered_gradient
from tapefacade._tape.derivatives.derivative import Derivative
from tapefacade._tape.forward_instructions import is_within, moment
from tapefacade._tape.gradient_paths import Window, nodes_within, taped, used_inputs
from tapefacade._trace.program_listing import name_of, op_name, place, place_of, type_text
from tapefacade._trace.slices import slices_in
from tapefacade._trace.tree import Node
from tapefacade._trace.value_origins import origin_of

TEXT_WIDTH = 100  # characters
MAX_STOPS = 8  # of the places where gradients stop, so many are named
WATCH = "Write `tape.watch({})` in the block, before it is used."
WATCH_LATE = WATCH.format("...")
REPLACED = (
    "If it was a tf.Variable, something like `x = x + 1` has put a tensor in its place: write "
    "`x.assign_add(1)`. "
)
STOPS = "because the gradient stops on its way from it to the target:"
OUTSIDE = (
    "What NumPy computes, or Python with `float(x)`, `x.numpy()` or `if x > 0`, is not recorded, "
    "nor are texts, nor what `model.predict` returns, nor what is computed outside of the block or "
    "under `tape.stop_recording()`: use TensorFlow's functions, within the block."
)
ADVICE_UNUSED = "Compute the target from that, if it is meant to depend on it."
ADVICE_MADE_LATER = "Make the variable before the block, and use it within it."
ADVICE_PYTHON = (
    "What tf.numpy_function computes has no gradient: use TensorFlow's functions, or give it one "
    "with tf.custom_gradient."
)
ADVICE_STATE = (
    "Gradients stop where a variable is read, whatever was assigned to it: use the tensor that was "
    "assigned."
)
ADVICE_INTEGER = "Keep the values floating: cast nothing on the way to an integer dtype."
ADVICE_STOPPED = (
    "Use functions that have a gradient, such as tf.nn.softmax in the place of tf.argmax, or give "
    "one with tf.custom_gradient."
)
ADVICE_STOP_GRADIENT = "Leave tf.stop_gradient out if its gradient is wanted."
ADVICE_OPERAND = "TensorFlow has none either. Where you know one, give it with tf.custom_gradient."
ADVICE_CONSTANT = (
    "A derivative that is the same for all values of a source has no gradient for it, as in "
    'TensorFlow: `unconnected_gradients="zero"` gives zeros.'
)
ADVICE_UNSEEN = "Compute it within the block, and not under `tape.stop_recording()`."
ADVICE_AFTER = (
    "Compute it within the block. To differentiate a gradient, take it within the block of the "
    "outer tape."
)
ADVICE_REFUSED = (
    "Have the gradient function return a gradient for it; for none, `tf.zeros_like(x)` says so."
)
ADVICE_BRANCH = "A constant depends on nothing: compute it from the source, if that is meant."
ADVICE_NO_GRADIENT = (
    "`gradient` raises LookupError. Write it with other ops, or give its gradient with "
    "tf.RegisterGradient."
)


class Finding(NamedTuple):
    """What was found for one source.

    Attributes:
        source: what it is called here.
        connected: whether there is a gradient.
        reason: why there is, or why not.
        places: the lines that the reason speaks of.
        advice: what to write instead; empty where nothing is wrong.
    """

    source: str
    connected: bool
    reason: str
    places: tuple[str, ...] = ()
    advice: str = ""

    def __str__(self) -> str:
        verdict = "has a gradient" if self.connected else "None"
        if ADVICE_NO_GRADIENT in self.advice:
            verdict = "LookupError"
        lines = [f"{self.source}: {verdict}, {self.reason}", *(f"    {p}" for p in self.places)]
        lines += textwrap.wrap(self.advice, TEXT_WIDTH, initial_indent="  ", subsequent_indent="  ")
        return "\n".join(lines)


class Explanation:
    """Why the gradients for some sources are None, or are not; shows itself as text.

    Attributes:
        findings: a named tuple for each source, in their order.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)

    def __repr__(self) -> str:
        return "\n".join(str(finding) for finding in self.findings)

    def in_one_line(self) -> str:
        """Returns why there is no gradient for the first source, and how many others have none."""
        first, *others = self.findings
        text = f"{first.source} has no gradient, {first.reason.rstrip('.:')}"
        if first.places:
            text += f": {first.places[0]}"
        if others:
            text += f"; nor {'has' if len(others) == 1 else 'have'} {len(others)} more"
        return f"{text}. `tape.explain(target, variables)` says what to write instead."


class Break(NamedTuple):
    """Where a gradient stops.

    Attributes:
        node: the instruction that it does not pass; None if it does not leave the source.
        slots: those that have a gradient up to there.
        why: what the instruction does.
    """

    node: Node | None
    slots: frozenset[int]
    why: str


class GradientWay(NamedTuple):
    """What of a recorded program a gradient passes.

    Attributes:
        target: the slot of the target; None if there is none.
        carrying: the slots that have a gradient.
        breaks: where it stops, if it does not arrive.
        text: what `explain` says.
    """

    target: int | None
    carrying: frozenset[int]
    breaks: tuple[Break, ...] = ()
    text: str = ""


class TargetInstructions:
    """The instructions that a target depends on, in a tape's window."""

    def __init__(
        self, end: Node, window: Window, target: int | None, refused: Mapping[int, frozenset[int]]
    ) -> None:
        self._end = end
        self._window = window
        self._refused = refused
        self._watched = dict(window.watched)
        self.tracked = taped(end, window, self._watched)[1] | self._watched.keys()
        self.target = target
        self.nodes: list[Node] = []  # those that the target depends on, in order
        self.leaves: list[Node] = []
        missing = set() if target is None else {target}
        node: Node | None = end
        while node is not None and node.parent is not None:
            if not missing.isdisjoint(range(node.first, node.end)):
                (self.leaves if node.operation is None else self.nodes).append(node)
                missing.update(node.inputs)
            node = node.parent
        self.nodes.reverse()
        self.known = missing  # all slots that the target depends on, and its own

    def asks_python(self) -> bool:
        """Whether Python code gives part of the gradient, which has not been asked yet."""
        return any(
            node.first_output not in self._refused
            and (
                node.operation is BOUNDARY
                or (node.operation is not None and isinstance(node.operation.gradient, NoGradient))
            )
            for node in self.nodes
        )

    def sees(self, node: Node) -> bool:
        """Whether an instruction was recorded by the tape."""
        return node.operation is not None and any(
            is_within(node, place, self._window.intervals)
            for place in range(node.end - node.first_output)
        )

    def stops(self, group: Sequence[int]) -> tuple[set[int], list[tuple[str, str, str]]]:
        """Follows the gradient of some slots.

        Returns:
            The slots that have one, and where it stops: the op, the reason and the advice.
        """
        carrying, breaks = self.breaks(group)
        found = []
        for node, why, advice in breaks:
            name = "it" if node.operation is READ else op_name(node)
            found.append((f"{place_of(node)}: {name}", why, advice))
            found += self._read_by(node) if node.operation is READ else self._within(node)
            if advice == WATCH_LATE:
                found += self._watched_at(node, carrying)
        return carrying, found

    def breaks(self, group: Sequence[int]) -> tuple[set[int], list[tuple[Node, str, str]]]:
        """Does what `stops` does; returns the instructions at which the gradient stops."""
        carrying = set(group)
        found = []
        for node in self.nodes:
            if carrying.isdisjoint(node.inputs):
                continue
            why = self._stopped(node, carrying)
            if why is None:
                outputs = range(node.first_output, node.end)
                passed = {s for p, s in enumerate(outputs) if self._passes(node, p, carrying)}
                carrying |= passed
                if not passed:
                    why = self._late(node, carrying)
            if why is not None:
                found.append((node, *why))
        return carrying, found

    def leading(self, carrying: Set[int], ends: Iterable[Node]) -> set[int]:
        """Returns those of some slots that lead to the target, or to instructions, by each other.

        Args:
            carrying: the slots that have a gradient.
            ends: instructions at which one stops.
        """
        wanted = {slot for node in ends for slot in node.inputs if slot in carrying}
        wanted |= carrying & {self.target}
        for node in reversed(self.nodes):
            if not wanted.isdisjoint(range(node.first_output, node.end)):
                wanted.update(slot for slot in node.inputs if slot in carrying)
        return wanted

    def last_use(self, group: Iterable[int]) -> Node | None:
        """Returns the last instruction in the window that depends on some slots; None if none."""
        reached, last = set(group), None
        for node in reversed(list(nodes_within(self._end, self._window.intervals))):
            if not reached.isdisjoint(node.inputs) and node.operation is not None:
                reached.update(range(node.first_output, node.end))
                last = last if node.operation in (READ, READ_VALUE) else node
        return last

    def _read_by(self, read: Node) -> list[tuple[str, str, str]]:
        """Tells which op uses what was read of a variable."""
        for node in self.nodes:
            if read.first_output in node.inputs:
                name = f"{place_of(node)}: {op_name(node)}"
                return [(name, "uses the variable", ADVICE_STATE)]
        return []

    def _watched_at(self, node: Node, carrying: set[int]) -> list[tuple[str, str, str]]:
        """Tells after which line the operands of an instruction were watched: too late."""
        position = min(self._watched[s] for s in carrying.intersection(node.inputs))
        before: Node | None = self._end
        while before is not None and before.end > position:
            before = before.parent
        if before is None or before.operation is None:
            return []
        return [(place_of(before), "is the last op before it is watched", WATCH_LATE)]

    def _within(self, node: Node) -> list[tuple[str, str, str]]:
        """Tells which ops in the body of a loop or branch have no gradient."""
        found = []
        for part in slices_in(getattr(node.operation, "plan", ())):
            for index, step in enumerate(part.steps):
                line = part.lines[index] if part.lines else ""
                name = f"{place(line)}: {name_of(step.operation)}, within it,"
                if step.operation.name == "stop_gradient":
                    found.append((name, "stops gradients", ADVICE_STOP_GRADIENT))
                elif isinstance(step.operation.gradient, NotDifferentiable) and (
                    any(type_.inexact for type_ in step.types)
                ):
                    found.append((name, "has no gradient", ADVICE_STOPPED))
        return found

    def _passes(self, node: Node, output: int, carrying: set[int]) -> bool:
        type_ = node.types[node.first_output + output - node.first]
        position = moment(node, output)
        return type_.inexact and any(
            slot in carrying and self._watched.get(slot, -1) <= position
            for slot in used_inputs(node, output)
            if slot not in self._refused.get(node.first_output, ())
        )

    def _late(self, node: Node, carrying: set[int]) -> tuple[str, str]:
        """Returns why no gradient passes to any operand that has one."""
        if all(self._watched.get(s, -1) > node.first for s in carrying.intersection(node.inputs)):
            return "uses it before the tape watches it", WATCH_LATE
        if not self._refused.get(node.first_output, frozenset()).isdisjoint(carrying):
            return "has a gradient function that returned None for it", ADVICE_REFUSED
        if isinstance(node.operation, Derivative):
            return "does not depend on it", ADVICE_CONSTANT
        return "has no gradient for this operand", ADVICE_OPERAND

    def _stopped(self, node: Node, carrying: set[int]) -> tuple[str, str] | None:
        """Returns why no gradient passes an instruction at all, and what to do."""
        operation = node.operation
        assert operation is not None
        if not self.sees(node):
            return "not recorded by the tape", ADVICE_UNSEEN
        if operation is READ:
            return "goes through a variable", ADVICE_STATE
        if isinstance(operation.gradient, NoGradient):
            if registered_gradient(operation.gradient.kernel) is None:
                return "has no gradient", ADVICE_NO_GRADIENT
            return None
        types = node.types[node.first_output - node.first :]
        if not any(type_.inexact for type_ in types):
            is_cast = operation.name == "_cast"
            advice = ADVICE_INTEGER if is_cast else ADVICE_STOPPED
            return f"gives {type_text(types[0])}", advice
        if operation.name == "stop_gradient":
            return "stops gradients", ADVICE_STOP_GRADIENT
        if isinstance(operation.gradient, NotDifferentiable):
            return "has no gradient", ADVICE_STOPPED
        return None


class TapeContent(NamedTuple):
    """What a tape has recorded and watched so far.

    Attributes:
        end: where its window ends for now.
        window: what was recorded and watched.
        variables: the variables that it watches, and the slots of their reads, by the ids.
        slots_of: returns the slots of a tensor, or of the reads of a variable.
        watches_accessed: whether it watches variables that are read.
        last_serial: the number of the last variable before the block ended; None in the block.
        refused: for gradients made by hand, the inputs for which there was none.
        origins: where values from outside come from, by slot, if somebody has said it.
    """

    end: Node
    window: Window
    variables: dict[int, tuple[Variable, tuple[int, ...]]]
    slots_of: Callable[[Any], tuple[int, ...]]
    watches_accessed: bool
    last_serial: int | None = None
    refused: Mapping[int, frozenset[int]] = MappingProxyType({})
    origins: Mapping[int, str] = MappingProxyType({})

    def instructions(self, target: Any) -> TargetInstructions:
        """Returns what the target depends on."""
        slot = self.slots_of(target)[-1:]
        return TargetInstructions(self.end, self.window, slot[0] if slot else None, self.refused)

    def way(
        self, targets: Sequence[Any], sources: Sequence[Any], names: Sequence[str | None]
    ) -> GradientWay:
        """Returns what the gradient passes from targets to sources, and where it stops.

        Args:
            targets: tensors and variables; without any it is all that depends on what is watched.
            sources: tensors and variables.
            names: what they are called, where that is not their own name.
        """
        if not targets:
            watched = dict(self.window.watched)
            return GradientWay(
                None, frozenset(taped(self.end, self.window, watched)[1] | {*watched})
            )
        ways, carrying = [self.instructions(target) for target in targets], set[int]()
        breaks: dict[Break, None] = {}
        told = self.explanation(targets, sources, names)
        for source, finding in zip(sources, told.findings, strict=True):
            group = self.slots_of(source)
            for way in ways:
                if way.tracked.isdisjoint(group):
                    breaks[Break(None, frozenset(group), "the tape does not watch it")] = None
                    continue
                slots, found = way.breaks(group)
                ends = [] if finding.connected else [node for node, *_ in found]
                carrying |= way.leading(slots, ends)
                if not finding.connected:
                    new = [Break(node, frozenset(slots), why) for node, why, _ in found]
                    breaks.update(dict.fromkeys(new))
        return GradientWay(ways[0].target, frozenset(carrying), tuple(breaks), repr(told))

    def explanation(
        self, targets: Sequence[Any], sources: Sequence[Any], names: Sequence[str | None]
    ) -> Explanation:
        """Tells for each source why one of the targets has a gradient for it, or none has.

        Args:
            targets: tensors and variables.
            sources: tensors and variables.
            names: what they are called, where that is not their own name.
        """
        ways = [(self.instructions(target), target) for target in targets]
        findings = []
        for source, name in zip(sources, source_names(sources, names), strict=True):
            found = [self._finding(way, target, source, name) for way, target in ways]
            findings.append(min(found, key=lambda one: (not one.connected, one.reason != STOPS)))
        return Explanation(findings)

    def _finding(self, way: TargetInstructions, target: Any, source: Any, name: str) -> Finding:
        group = self.slots_of(source)
        is_variable = isinstance(source, Variable)
        kind = source.dtype
        if not (kind.is_floating or kind.is_complex):
            advice = (
                "Make it floating, such as `tf.constant(3.0)` in the place of `tf.constant(3)`."
            )
            return Finding(name, False, f"because its dtype is {kind.name}.", (), advice)
        if not (target.dtype.is_floating or target.dtype.is_complex):
            reason = f"because the target's dtype is {target.dtype.name}."
            return Finding(name, False, reason, (), ADVICE_INTEGER)
        if target is source:
            return Finding(name, True, "for it is the target itself.")
        if is_variable and not group:
            return self._unread(name, source)
        if not way.nodes:
            return self._uncomputed(name, target)
        if way.known.isdisjoint(group):
            return self._independent(way, name, source)
        if way.tracked.isdisjoint(group):
            advice = ("" if is_variable else REPLACED) + WATCH.format("...")
            return Finding(name, False, "because the tape does not watch it.", (), advice)
        carrying, stops = way.stops(group)
        places = tuple(dict.fromkeys(f"{where} {why}" for where, why, _ in stops))[:MAX_STOPS]
        if way.target in carrying:
            ops = sum(
                not carrying.isdisjoint(node.inputs)
                and not carrying.isdisjoint(range(node.first_output, node.end))
                for node in way.nodes
            )
            return Finding(name, True, f"through {ops} op{'s' * (ops != 1)}.")
        advice = dict.fromkeys(advice for *_, advice in stops)
        return Finding(name, False, STOPS, places, " ".join(advice))

    def _uncomputed(self, name: str, target: Any) -> Finding:
        """Tells where a target comes from that no instruction of the block computes."""
        reason = "because nothing that was recorded in the block computes the target."
        where = origin_of(target)
        if where:
            return Finding(name, False, reason, (where,), _advice_of(where))
        made = _instruction_of(target)
        if made is None or made.operation is None:
            return Finding(name, False, reason, (), OUTSIDE)
        last = next(nodes_within(self.end, self.window.intervals), None)
        places = [f"{place_of(made)}: {op_name(made)} computes it, after the block had ended"]
        if last is not None:
            places.append(f"{place_of(last)}: the last op of the block, {op_name(last)}")
        return Finding(name, False, reason, tuple(places), ADVICE_AFTER)

    def _unread(self, name: str, variable: Variable) -> Finding:
        """Finds out why the tape knows no read of a variable."""
        if not variable.trainable:
            reason = "because it is not trainable, and the tape was not told to watch it."
            return Finding(name, False, reason, (), WATCH.format(name))
        if not self.watches_accessed:
            reason = "because the tape was made with watch_accessed_variables=False."
            return Finding(name, False, reason, (), WATCH.format(name))
        if self.last_serial is not None and variable._serial > self.last_serial:
            reason = "because it was made after the block had ended."
            return Finding(name, False, reason, (), ADVICE_MADE_LATER)
        return Finding(name, False, "because nothing in the block reads it.", (), OUTSIDE)

    def _is_held(self, node: Node) -> bool:
        """Whether a variable has been assigned what an instruction computes."""
        held = {slot for known, _ in self.variables.values() for slot in self.slots_of(known._seen)}
        return not held.isdisjoint(range(node.first_output, node.end))

    def _independent(self, way: TargetInstructions, name: str, source: Any) -> Finding:
        """Tells what the target depends on, which is not the source."""
        names = {slot: known.name for known, slots in self.variables.values() for slot in slots}
        places, advice = [], OUTSIDE if isinstance(source, Variable) else REPLACED + OUTSIDE
        last = way.last_use(self.slots_of(source))
        if last is not None:
            places = [f"{place_of(last)}: {op_name(last)}, the last op that depends on it"]
        for leaf in way.leaves[::-1]:
            what = names.get(leaf.first, type_text(leaf.types[0])).removesuffix(":0")
            where = self.origins.get(leaf.first)
            if where:
                places.append(where)
                advice = _advice_of(where)
            places.append(f"{place_of(leaf)}: the target depends on {what}")
            if leaf.first in names and leaf.first not in self.slots_of(source):
                advice = f"{ADVICE_STATE} {OUTSIDE}"
        if last is not None and not self._is_held(last):
            advice = f"{ADVICE_UNUSED} {advice.removeprefix(ADVICE_STATE).strip()}"
        reason = "because nothing that was recorded leads from it to the target."
        return Finding(name, False, reason, tuple(dict.fromkeys(places))[:MAX_STOPS], advice)


def _advice_of(origin: str) -> str:
    """Returns what to do about a value that Python or a branch gives."""
    return ADVICE_BRANCH if origin.endswith("a constant") else ADVICE_PYTHON


def _instruction_of(tensor: Any) -> Node | None:
    """Returns the instruction that computes a tensor, if its recording is there."""
    recording = getattr(tensor, "_recording", None)
    node = None if recording is None else recording.at
    while node is not None and node.parent is not None:
        if node.first <= tensor._slot < node.end:
            return node
        node = node.parent
    return None


def source_names(sources: Sequence[Any], paths: Sequence[str | None]) -> list[str]:
    """Returns what sources are called, each differently.

    Args:
        sources: tensors and variables.
        paths: what they are called, where that is not their own name.
    """
    names = []
    for number, (source, path) in enumerate(zip(sources, paths, strict=True)):
        own = f"source {number} ({type_text(source._type)})"
        if isinstance(source, Variable):
            own = source.name.removesuffix(":0")
        names.append(path or own)
    doubled = {name for name in names if names.count(name) > 1}
    return [f"{name} (source {n})" if name in doubled else name for n, name in enumerate(names)]
