"""Computing what is pending in a recording: which program does it, and where its results go."""

import weakref
from typing import Any

from tapefacade._core.tensor import EagerTensor, Failed
from tapefacade._trace import running
from tapefacade._trace.collecting import no_collection
from tapefacade._trace.data import Data
from tapefacade._trace.donating import Handover, free_arguments, hand_over
from tapefacade._trace.foresight import run_foreseeing
from tapefacade._trace.frames import Frame
from tapefacade._trace.programs import make_program
from tapefacade._trace.slices import needed
from tapefacade._trace.transforming import NO_TRACE, current_trace, is_within, set_current_trace
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
    traced: dict[int, Any]

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

    def _run_traced(self, pending: list[tuple[int, EagerTensor]]) -> None:
        """Computes each value in the trace that it belongs to; what needs no tracer outlives them.

        JAX asks for results also when it has left a trace (`jax.jvp`), or is in an inner one.
        """
        now = current_trace(None)
        parts: dict[Any, tuple[list[tuple[int, EagerTensor]], list[int]]] = {}
        for slot, tensor in pending:
            trace = self._trace_of(slot, now, NO_TRACE)
            parts.setdefault(trace, ([], []))[0].append((slot, tensor))
        for slot in self.effects:
            parts.setdefault(self._trace_of(slot, now, now), ([], []))[1].append(slot)
        for trace, (wanted, effects) in parts.items():
            with set_current_trace(trace):
                self._run(wanted, tuple(effects))
            if trace is not NO_TRACE:
                self.traced.update({slot: trace for slot, _ in wanted})

    def _trace_of(self, slot: int, now: Any, untraced: Any) -> Any:
        """Returns the trace to compute a slot in; `untraced` if it depends on no tracer."""
        used = {s for node in needed(self.at, [slot], self.data) for s in node.inputs}
        traced = used & self.traced.keys()
        if not traced:
            return untraced
        entered = self.traced[max(traced)]  # where its last tracer came in
        return entered if now is NO_TRACE or is_within(now, entered) else now

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
            node.keep_program(key, program)
        return program
