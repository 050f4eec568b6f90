"""Why a gradient is None: what a tape knows of the way from a source to a target."""

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

from tapefacade._core import nest
from tapefacade._core.gradient_rules import NoGradient, NotDifferentiable
from tapefacade._state.variable import READ, Variable
from tapefacade._tape.custom_gradient_boundary import registered_gradient
from tapefacade._tape.derivatives.derivative import Derivative
from tapefacade._tape.forward_instructions import is_within, moment
from tapefacade._tape.gradient_arguments import checked_sources, differentiated
from tapefacade._tape.reach import Window, nodes_within, taped, used_inputs
from tapefacade._trace.program_listing import Program, op_name, place, program_of, type_text
from tapefacade._trace.recording import Data, Recording
from tapefacade._trace.tree import Node

WIDTH = 100  # characters
MAX_STOPS = 8  # of the places where gradients stop, so many are named
WATCH = "Write `tape.watch({})` in the block, before it is used."
REPLACED = (
    "If it was a tf.Variable, something like `x = x + 1` has put a tensor in its place: write "
    "`x.assign_add(1)`. "
)
OUTSIDE = (
    "What NumPy computes, or Python with `float(x)`, `x.numpy()` or `if x > 0`, is not recorded, "
    "nor are texts, nor what is computed outside of the block or under `tape.stop_recording()`: "
    "use TensorFlow's functions, within the block."
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
        lines += textwrap.wrap(self.advice, WIDTH, initial_indent="  ", subsequent_indent="  ")
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


class Way:
    """The instructions that a target depends on, in a tape's window."""

    def __init__(self, end: Node, window: Window, target: int | None) -> None:
        self._window = window
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
                found.append((f"{place(node.line)}: {op_name(node)}", *why))
        return carrying, found

    def _passes(self, node: Node, output: int, carrying: set[int]) -> bool:
        type_ = node.types[node.first_output + output - node.first]
        position = moment(node, output)
        return type_.inexact and any(
            slot in carrying and self._watched.get(slot, -1) <= position
            for slot in used_inputs(node, output)
        )

    def _late(self, node: Node, carrying: set[int]) -> tuple[str, str]:
        """Returns why no gradient passes to any operand that has one."""
        if all(self._watched.get(s, -1) > node.first for s in carrying.intersection(node.inputs)):
            return "uses it before the tape watches it", WATCH.format("...")
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
            return "a variable is read", ADVICE_STATE
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


class Explaining:
    """The part of a tape that says what it knows."""

    _recording: bool
    _watch_accessed_variables: bool
    _trace: Recording | None
    _data: Data | None
    _end: Node | None
    _intervals: list[tuple[int, int]]
    _start: int
    _watched: dict[int, int]
    _variables: dict[int, tuple[Variable, tuple[int, ...]]]

    def _check_unused(self) -> None: ...

    def _seen(self) -> tuple[Node, Window]:
        """Returns where the tape's window ends for now, and what was recorded and watched."""
        if self._trace is None:
            self._check_unused()
        assert self._trace is not None
        intervals, end = tuple(self._intervals), self._end
        if self._recording:
            end = self._trace.at
            intervals += ((self._start, end.end),)
        assert end is not None
        return end, Window(intervals, tuple(self._watched.items()))

    def program(self) -> Program:
        """Returns what the tape has recorded, which shows itself as a table.

        TensorFlow has nothing like it. It computes nothing, and does not use up the tape.

        Returns:
            A `Program`, whose `rows` are texts.

        Raises:
            RuntimeError: if the block has not been entered, or a tape that is not persistent has
                been used already.

        >>> x = tf.Variable([1.0, 2.0], name="x")
        >>> with tf.GradientTape() as tape:
        ...     y = tf.sinh(x)
        >>> tape.program()
        Recorded program: 1 op, 1 value from outside
          value  op            of  type                    line
          %0                       float32[2] x (watched)
          %1     tf.math.sinh  %0  float32[2]              ...y = tf.sinh(x)
        """
        end, window = self._seen()
        assert self._data is not None
        names = {slot: repr(value) for slot, value in self._data.scalars.items()}
        names.update((slot, "watched") for slot, _ in window.watched)
        for variable, slots in self._variables.values():
            names.update((slot, f"{variable.name.removesuffix(':0')} (watched)") for slot in slots)
        return program_of(list(nodes_within(end, window.intervals))[::-1], names)

    def _repr_html_(self) -> str | None:
        return None if self._trace is None else self.program()._repr_html_()

    def explain(self, target: Any, sources: Any) -> Explanation:
        """Tells why the gradient of `target` is None for some of `sources`, or why it is not.

        TensorFlow has nothing like it. It computes nothing, and does not use up the tape. A tape
        that is not persistent has to be asked before its gradient.

        Args:
            target: a tensor or variable.
            sources: a tensor or variable, or a nest of these.

        Returns:
            An `Explanation`, which shows itself as text; its `findings` hold for each source
            whether it is `connected`, the `reason`, the `places` and what to do.

        Raises:
            RuntimeError: if a tape that is not persistent has been used already.
            TypeError: if `target` or a source is no tensor or variable.

        >>> x = tf.Variable([1.0, 2.0], name="x")
        >>> with tf.GradientTape() as tape:
        ...     y = tf.cast(tf.cast(x, tf.int32), tf.float32)
        >>> tape.explain(y, x)
        x: None, because the gradient stops on its way from it to the target:
            ...: tf.cast gives int32[2]
          Keep the values floating: cast nothing on the way to an integer dtype.

        See https://www.tensorflow.org/guide/autodiff#getting_a_gradient_of_none.
        """
        end, window = self._seen()
        (target,) = checked_sources([differentiated(target)])
        flat = checked_sources([differentiated(item) for item in nest.flatten(sources)])
        slot = self._slots(target)[-1:]
        way = Way(end, window, slot[0] if slot else None)
        return Explanation(
            [self._find(way, target, source, place) for place, source in enumerate(flat)]
        )

    def _slots(self, source: Any) -> tuple[int, ...]:
        """Returns the slots of a tensor, or of the reads of a variable."""
        if isinstance(source, Variable):
            known = self._variables.get(id(source._root))
            return known[1] if known else ()
        trace, data = self._trace, self._data
        assert trace is not None
        assert data is not None
        slot = source._slot if source._recording is trace else data.slots.get(id(source))
        return () if slot is None else (slot,)

    def _find(self, way: Way, target: Any, source: Any, number: int) -> Finding:
        group = self._slots(source)
        name, is_variable = _name(source, number), isinstance(source, Variable)
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
            reason = "because nothing that was recorded in the block computes the target."
            return Finding(name, False, reason, (), OUTSIDE)
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
        reason = "because the gradient stops on its way from it to the target:"
        advice = dict.fromkeys(advice for *_, advice in stops)
        return Finding(name, False, reason, places, " ".join(advice))

    def _unread(self, name: str, variable: Variable) -> Finding:
        """Finds out why the tape knows no read of a variable."""
        if not variable.trainable:
            reason = "because it is not trainable, and the tape was not told to watch it."
            return Finding(name, False, reason, (), WATCH.format(name))
        if not self._watch_accessed_variables:
            reason = "because the tape was made with watch_accessed_variables=False."
            return Finding(name, False, reason, (), WATCH.format(name))
        return Finding(name, False, "because nothing in the block reads it.", (), OUTSIDE)

    def _independent(self, way: Way, name: str, source: Any) -> Finding:
        """Tells what the target depends on, which is not the source."""
        names = {slot: known.name for known, slots in self._variables.values() for slot in slots}
        places, advice = [], OUTSIDE if isinstance(source, Variable) else REPLACED + OUTSIDE
        for leaf in way.leaves[::-1]:
            what = names.get(leaf.first, type_text(leaf.types[0])).removesuffix(":0")
            places.append(f"{place(leaf.line)}: the target depends on {what}")
            if leaf.first in names and leaf.first not in self._slots(source):
                advice = f"{ADVICE_STATE} {OUTSIDE}"
        reason = "because nothing that was recorded leads from it to the target."
        return Finding(name, False, reason, tuple(dict.fromkeys(places))[:MAX_STOPS], advice)


def _name(source: Any, number: int) -> str:
    """Returns what a source is called."""
    if isinstance(source, Variable):
        return source.name.removesuffix(":0")
    return f"source {number} ({type_text(source._type)})"
