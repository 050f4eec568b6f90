"""What was recorded while Python ran: a program, where its inputs come from, and how it runs again.

The same serves functions and the bodies of branches and loops. The inputs are the arguments, the
variables that are read, the tensors from outside (captures), and the keys of random ops, which are
drawn anew at every call.
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from jax.core import Tracer

from tapefacade._core.random_keys import Draw, drawn_again
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._state.joint_assignments import put_together
from tapefacade._state.loop_invariants import repeat_node
from tapefacade._state.variable import ARGUMENT, READ, Variable, slots_in
from tapefacade._trace.assignments import locked, share_lock
from tapefacade._trace.frames import Frame
from tapefacade._trace.program_listing import ProgramListing, program_of
from tapefacade._trace.programs import type_in
from tapefacade._trace.recording import THREAD, Recording
from tapefacade._trace.slices import Slice, cut, needed
from tapefacade._trace.tree import Node

_SERIAL = itertools.count()


class ReplayTarget(NamedTuple):
    """Where a recording arrives when a program is recorded again at a place it was recorded at."""

    end: Node
    outputs: tuple[tuple[int, TensorType], ...]  # the results, then the variables' new values
    scalars: dict[int, Any]
    effects: tuple[tuple[int, int], ...]  # slots in the program, and there


class RecordedProgram:
    """A program that Python has recorded.

    Attributes:
        arguments: the slots of the arguments, within the program.
        variables: the variables it reads, by slot.
        captures: the tensors from outside that it uses, by slot.
        draws: the keys that it draws, by slot.
        nodes: its instructions.
        results: the slots of its results.
        assigned: the variables it assigns, and the slots of their new values.
        effects: the slots of instructions that run though nobody wants their results.
        asserted: those of them that exist in order to raise errors.
        lines: where the Python has the ones that may fail.
        uncertain: why it cannot run again without Python; "" if it can.
    """

    def __init__(
        self,
        recording: Recording,
        frame: Frame,
        arguments: Sequence[int],
        results: Sequence[EagerTensor],
        draws: Iterable[Draw],
        prunes: bool = True,
    ) -> None:
        """Takes a recording apart.

        Args:
            recording: the recording.
            frame: the part of it that is the program.
            arguments: the slots of the arguments.
            results: the results.
            draws: the keys of random ops.
            prunes: whether an op that may fail is left out where nobody uses its result.
        """
        self.token = next(_SERIAL)
        self.arguments = tuple(arguments)
        self._names = {slot: frame.names[slot] for slot in arguments if slot in frame.names}
        self.results = tuple(slot_in(recording, tensor) for tensor in results)
        self.assigned = [
            (variable, slot_in(recording, variable._seen))
            for variable, _ in frame.assigned.values()
        ]
        share_lock([variable for variable, _ in self.assigned])
        self.variables: dict[int, Variable] = {}
        self.captures: dict[int, EagerTensor] = {}
        self.draws: dict[int, Draw] = {}
        self.scalars: dict[int, Any] = {}
        self.effects: list[int] = []
        self.asserted: set[int] = set()
        self.lines: dict[int, str] = {}
        self.nodes: list[Node] = []
        self.uncertain = ""
        self.at = recording.at
        self._sort(recording, frame, {id(draw.key): draw for draw in draws})
        if prunes and self.effects:
            self._prune()
        self._live = frozenset(self.effects)
        self.replayable = all(_replayable(node) for node in self.nodes)
        self.acts = any(node.operation is not None and node.operation.acts for node in self.nodes)

    def _sort(self, recording: Recording, frame: Frame, draws: dict[int, Draw]) -> None:
        """Tells instructions from inputs, and these by where they come from."""
        path = []
        node = recording.at
        while node is not frame.at:
            path.append(node)
            assert node.parent is not None
            node = node.parent
        for node in reversed(path):
            slot = node.first_output
            if slot in frame.reads:
                self.variables[slot] = frame.reads[slot]
            elif slot in self.arguments:
                continue
            elif node.operation is None:
                self._sort_leaf(slot, recording.data.leaves[slot], draws)
            else:
                self.nodes.append(node)
                for place in range(node.first, slot):
                    self.scalars[place] = recording.data.scalars[place]
                self._note_effect(recording, node)
        wanted = {*self.results, *(slot for _, slot in self.assigned)}
        wanted.update(slot for node in self.nodes for slot in node.inputs)
        self.captures = {slot: t for slot, t in self.captures.items() if slot in wanted}
        known = {*self.arguments, *self.own_inputs(), *self.scalars}
        for slot in sorted(wanted - known):
            if slot < frame.at.end:
                self._from_before(recording, frame, slot)

    def _note_effect(self, recording: Recording, node: Node) -> None:
        """Takes note of an instruction that runs though nobody wants its results."""
        slot, operation = node.first_output, node.operation
        if node.checked and operation is not None:
            self.effects.append(slot)
            self.lines[slot] = recording.data.lines.get(slot) or node.line or ""
            if operation.asserts(node.static):
                self.asserted.add(slot)

    def _prune(self) -> None:
        """Leaves out what may fail, but is not used: as in TensorFlow it raises nothing then."""
        ends = [*self.results, *(slot for _, slot in self.assigned)]
        for node in self.nodes:
            if node.checked and node.operation is not None and node.operation.stays(node.static):
                ends.append(node.first_output)
        known = {*self.arguments, *self.own_inputs(), *self.scalars}
        used = needed(self.at, ends, known)
        live = {node.first_output for node in used}
        outputs = {slot for node in used for slot in range(node.first_output, node.end)}
        live |= {
            node.first_output
            for node in self.nodes
            if node.operation is not None
            and node.operation.is_check_of_input
            and not outputs.isdisjoint(node.inputs[:1])
        }
        self.effects = [slot for slot in self.effects if slot in live]
        self.asserted &= live

    def _sort_leaf(self, slot: int, tensor: EagerTensor, draws: dict[int, Draw]) -> None:
        if id(tensor) in draws:
            self.draws[slot] = draws[id(tensor)]
        else:
            self._capture(slot, tensor)

    def _from_before(self, recording: Recording, frame: Frame, slot: int) -> None:
        """Finds what a slot from before the frame belongs to."""
        if slot in frame.reads:
            self.variables[slot] = frame.reads[slot]
        else:  # one that a tape alone remembers is computed again
            self._capture(slot, recording.tensor_at(slot, self.type_of(slot)))

    def _capture(self, slot: int, tensor: EagerTensor) -> None:
        self.captures[slot] = tensor
        if isinstance(tensor._value, Tracer):
            self.uncertain = "it uses a value of a function that JAX transforms"

    @property
    def reads(self) -> list[Variable]:
        """The variables that it reads, each once."""
        return list({id(v): v for v in self.variables.values()}.values())

    def listing(self, full: bool) -> ProgramListing:
        """Returns its instructions for people, by lines of the user's or one by one."""
        names = {slot: v.name.removesuffix(":0") for slot, v in self.variables.items()}
        for slot in self.arguments:
            names[slot] = self._names.get(slot, "argument").removesuffix(":0")
        return program_of(self.nodes, names, full)

    # As a part of another recording.

    def inputs(self, recording: Recording) -> list[int]:
        """Returns the slots, in another recording, of the variables, captures and draws."""
        slots = slots_in(self.variables.values(), recording)
        slots += [slot_in(recording, tensor) for tensor in self.captures.values()]
        slots += [recording.leaf(drawn_again(draw)) for draw in self.draws.values()]
        return slots

    def own_inputs(self) -> list[int]:
        """Returns its own slots for what `inputs` returns."""
        return [*self.variables, *self.captures, *self.draws]

    def replay(self, arguments: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Records the program again, in the recording of this thread, and assigns the variables.

        Args:
            arguments: tensors of the types it was recorded with.

        Returns:
            The results.
        """
        variables = [variable for variable, _ in self.assigned]
        with locked(variables):
            tensors = self._replayed(arguments)
            count = len(self.results)
            put_together(variables, tensors[count:])
        recording = THREAD.recording
        if recording.at.eager or (self.acts and recording.frame is None):
            recording.flush()  # what it prints is printed now
        elif self.asserted:
            recording.raise_asserted()
        return tensors[:count]

    def _replayed(self, arguments: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Records the program again; returns the results and the variables' new values."""
        recording = THREAD.recording
        slots = [recording.passed_on(ARGUMENT, tensor) for tensor in arguments]
        slots += self.inputs(recording)
        at = recording.at
        key = (self.token, *slots)
        jump = at.plans.get(key)
        if jump is None:
            jump = self._repeat(recording, slots)
            at.keep_plan(key, jump)
        else:
            recording.at = jump.end
            recording.data.scalars.update(jump.scalars)
        self.add_effects(recording, jump.effects)
        return recording.tensors_at(jump.outputs)

    def _repeat(self, recording: Recording, slots: Sequence[int]) -> ReplayTarget:
        """Records every instruction again."""
        mapped, scalars, effects = self.repeated(recording, slots)
        wanted = [*self.results, *(slot for _, slot in self.assigned)]
        outputs = tuple((mapped[slot], self.type_of(slot)) for slot in wanted)
        return ReplayTarget(recording.at, outputs, scalars, tuple(effects))

    def repeated(
        self, recording: Recording, slots: Sequence[int]
    ) -> tuple[dict[int, int], dict[int, Any], list[tuple[int, int]]]:
        """Records every instruction again.

        Args:
            recording: where.
            slots: the slots there of the arguments and of what `inputs` returns.

        Returns:
            For each slot of the program that there, the scalars, and for each effect its slot and
            that there.
        """
        mapped = dict(zip([*self.arguments, *self.own_inputs()], slots, strict=True))
        scalars: dict[int, Any] = {}
        effects: list[tuple[int, int]] = []
        for node in self.nodes:
            repeat_node(recording, node, mapped, self.scalars)
            at = recording.at
            for own in range(node.first, node.first_output):
                scalars[mapped[own]] = recording.data.scalars[mapped[own]] = self.scalars[own]
            if node.first_output in self._live:
                effects.append((node.first_output, at.first_output))
        return mapped, scalars, effects

    def add_effects(self, recording: Recording, effects: Iterable[tuple[int, int]]) -> None:
        """Notes what has to run though nobody wants its result, and the lines that are its own."""
        for own, slot in effects:
            recording.effects.append(slot)
            recording.data.note_line(slot, self.lines[own])

    # As a program of its own.

    def slice(self, wanted: Sequence[int]) -> tuple[Slice, tuple[int, ...], list[Node]]:
        """Cuts out what `wanted` slots and the effects need; the scalars become inputs too."""
        known = {*self.arguments, *self.own_inputs(), *self.scalars}
        nodes = needed(self.at, [*wanted, *self.effects], known)
        part, slots = cut(nodes, wanted, self.type_of)
        return part, slots, nodes

    def type_of(self, slot: int) -> TensorType:
        """Returns the type of one of its slots."""
        return type_in(self.at, slot)


def slot_in(recording: Recording, tensor: EagerTensor) -> int:
    """Returns the slot of a tensor in a recording."""
    return tensor._slot if tensor._recording is recording else recording.leaf(tensor)


def _replayable(node: Node) -> bool:
    operation = node.operation
    return operation is None or operation is READ or operation.replayable
