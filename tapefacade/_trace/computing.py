"""Computing what is pending in a recording: which program does it, and where its results go."""

import weakref
from typing import Any

from jax.core import Tracer

from tapefacade._core.tensor import EagerTensor, Failed
from tapefacade._trace import running
from tapefacade._trace.collecting import no_collection
from tapefacade._trace.data import Data
from tapefacade._trace.donating import Handover, free_arguments, hand_over
from tapefacade._trace.foresight import run_foreseeing
from tapefacade._trace.frames import Frame
from tapefacade._trace.programs import make_program
from tapefacade._trace.slices import needed
from tapefacade._trace.tree import Node


class Computing:
    """The part of a recording that computes; `Recording` says what its attributes are."""

    __slots__ = ()

    assigned: dict[int, tuple[Any, EagerTensor]]
    at: Node
    blocks: list[weakref.ref[Any]]
    data: Data
    effects: list[int]
    frame: Frame | None
    handover: Handover | None
    lock: Any
    owners: dict[int, Any]
    state: Any
    traced: bool

    @property
    def is_held(self) -> bool:
        """Whether a tape's block or a function is open, so that the step goes on."""
        if self.frame is not None:
            return True
        blocks = self.blocks
        while blocks and blocks[-1]() is None:
            blocks.pop()
        return bool(blocks)

    def _pending(self) -> tuple[list[tuple[int, EagerTensor]], list[int]]:
        """Returns what is pending and referenced, and the slots of what is not."""
        if self.handover is not None:
            self.finish_handover()
        pending, settled = [], []
        for slot, reference in self.owners.copy().items():  # the owner may be recording
            tensor = reference()
            if tensor is not None and tensor._value is None:
                pending.append((slot, tensor))
            else:
                settled.append(slot)
        return pending, settled

    def _run_untraced(self, pending: list[tuple[int, EagerTensor]]) -> None:
        """Computes what needs no value that JAX traces now; it outlives the trace."""
        for slot, tensor in pending:
            nodes = needed(self.at, [slot], self.data)
            used = {s for node in nodes for s in node.inputs}
            leaves = [self.data.leaves[s]._value for s in used if s in self.data.leaves]
            if not any(isinstance(value, Tracer) for value in leaves):
                self._run([(slot, tensor)], ())

    def _run(self, pending: list[tuple[int, EagerTensor]], effects: tuple[int, ...]) -> None:
        wanted = tuple([slot for slot, _ in pending])
        data = self.data
        try:
            program = self.program(wanted, effects)
            donated, shared = free_arguments(self, program, pending) if self.assigned else ((), [])
            if donated:
                hand_over(self, program.donating(donated), shared, pending)
                self.state = program
                return
            if data.taped and not self.traced:
                outputs = run_foreseeing(program, self.at, data, wanted, effects)
            else:
                outputs = program.run(data.leaves, data.scalars)
        except running.ProgramFailedError as failed:
            data.failed.update(failed.errors)
            self._store(pending, failed.outputs)
            raise failed.error from None
        self._store(pending, outputs)
        self.effects.clear()
        self.state = program

    def finish_handover(self) -> None:
        """Stores the results of a call that has taken buffers of variables."""
        with self.lock:  # another thread may be in the call
            if self.handover is not None:
                self.handover.finish()
                self.handover = None

    def _store(self, pending: list[tuple[int, EagerTensor]], outputs: list[Any]) -> None:
        leaves = self.data.leaves if self.is_held else None
        for (slot, tensor), output in zip(pending, outputs, strict=True):
            tensor._value = output
            if leaves is not None and type(output) is not Failed:
                leaves[slot] = tensor

    def program(self, wanted: tuple[int, ...], effects: tuple[int, ...]) -> running.Program:
        """Returns the program that computes `wanted` here, given what is known."""
        node = self.at
        key = (wanted, effects, self.state)
        program = node.programs.get(key)
        if program is None:
            with no_collection():
                program = make_program(node, self.data, wanted, effects)
            # Outside of tapes it is stretches of loops that end anywhere: they come again.
            program.repeats = not self.data.taped
            node.keep_program(key, program)
        return program
