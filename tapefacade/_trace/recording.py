"""Recordings: what a thread has asked for since its last step boundary, and how it is computed.

A recording is a position in the tree, the values from outside (leaves), and weak references to the
tensors that stand for results. Looking at one of them computes all that are pending and still
referenced, by one program.
"""

import atexit
import threading
import weakref
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

from jax.core import Tracer
from jax.errors import UnexpectedTracerError
from numpy import array, ndarray

from tapefacade._core.conversion import Captures
from tapefacade._core.placement import Placement
from tapefacade._core.tensor import (
    HINT_TRACED,
    EagerTensor,
    FailedValue,
    is_left_open,
    is_raised,
    leave_open,
)
from tapefacade._core.tensor_type import TensorType
from tapefacade._core.thread_state import ThreadState
from tapefacade._core.tracebacks import IN_PLACE
from tapefacade._core.traced_errors import as_traced
from tapefacade._trace import execution
from tapefacade._trace.assignments import HOLDS, JOURNALS, AssignmentJournal, surely
from tapefacade._trace.buffer_donation import Handover, free_arguments, hand_over
from tapefacade._trace.example_values import ExampleValues
from tapefacade._trace.frames import (
    MAX_INSTRUCTIONS,
    Frame,
    RunningCall,
    ValueWanted,
    symbolic_name,
)
from tapefacade._trace.garbage_collection import no_collection
from tapefacade._trace.jax_transformation import (
    NO_TRACE,
    current_trace,
    is_within,
    set_current_trace,
)
from tapefacade._trace.numpy_steps import has_small_values
from tapefacade._trace.open_sizes import ACCOUNTS, keep_sizes, note_decisive
from tapefacade._trace.operation import Operation
from tapefacade._trace.process_ends import halt_others
from tapefacade._trace.program_listing import in_sentence
from tapefacade._trace.programs import make_program
from tapefacade._trace.recorded_values import RecordedValues
from tapefacade._trace.slices import needed
from tapefacade._trace.speculative_gradients import run_foreseeing
from tapefacade._trace.stretches import StretchNotes
from tapefacade._trace.tree import EDGES, TREE, Node, users_line
from tapefacade._trace.wait_watch import WAIT_WATCH, recording_text

_REFERENCE = weakref.ref
_NEW = object.__new__  # 0.1 us less than calling the class


MESSAGE_OUT_OF_SCOPE = (
    "{} is out of scope and cannot be used here. Use return values, explicit Python locals or "
    "TensorFlow collections to access it.\nPlease see https://www.tensorflow.org/guide/function#"
    "all_outputs_of_a_tffunction_must_be_return_values for more information."
)
_NOTHING: Any = MappingProxyType({})  # of all that have ended: nobody may add to it
_NONE: list[Any] = []
CLOSED_VALUES = RecordedValues()  # what every recording that has ended has for its data


# The errors that nobody has wanted yet, of each thread: they are raised when a step ends.
LATE_ERRORS: list[tuple[int, Exception]] = []
WHY_ASSERTED = "what exists in order to raise"


def raise_late() -> None:
    """Raises the first error of this thread that nobody has seen."""
    thread = threading.get_ident()
    mine = [error for owner, error in LATE_ERRORS if owner == thread]
    LATE_ERRORS[:] = [pair for pair in LATE_ERRORS if pair[0] != thread]
    for error in mine:
        if not is_raised(error):
            raise error.with_traceback(None)


class Recording:
    """One thread's recording since its last step boundary."""

    __slots__ = (
        "__weakref__",
        "assigned",
        "at",
        "blocks",
        "data",
        "effects",
        "enclosing",
        "epoch",
        "frame",
        "handover",
        "lock",
        "notes",
        "owners",
        "reads_before",
        "state",
        "traced",
    )

    def __init__(self, enclosing: "Recording | None" = None, line: str = "") -> None:
        self.at: Node = TREE.start_at(line) if line else TREE.start()
        # The recording around this one, where this is a body: what is recorded on placeholders.
        self.enclosing = enclosing
        # Variables that a body reads and this one has read before, and where.
        self.reads_before: list[tuple[Any, Any]] = []
        self.frame: Frame | None = None  # the innermost function that is recorded now
        self.data = RecordedValues()
        # The tapes whose block is open, the outermost first. Weak: a block that was interrupted
        # before its end could be noted dies with its tape.
        self.blocks: list[weakref.ref[Any]] = []
        self.epoch = 0  # counts changes of what the tapes watch
        self.owners: dict[int, weakref.ref[EagerTensor]] = {}  # pending results
        self.effects: list[int] = []  # pending ops that have to run though nobody wants the result
        self.assigned: dict[int, tuple[Any, EagerTensor]] = {}  # variables before this recording
        self.state: Any = None  # what has been computed: the last program
        self.traced: dict[int, Any] = {}  # the leaves that JAX traces, and what traced there
        self.handover: Handover | None = None  # a call whose results have not been stored
        self.notes: StretchNotes | None = None  # of what may be repeated without its Python
        self.lock = threading.RLock()

    # Recording. What a slot holds is written before the position moves, what refers to the slot
    # after it: an interrupt anywhere leaves nothing but values that are overwritten or unused.

    def leaf(self, tensor: EagerTensor) -> int:
        """Returns the slot of a tensor from outside this recording."""
        slot = self.data.slots.get(id(tensor))
        return self.new_leaf(tensor) if slot is None else slot

    def new_leaf(self, tensor: EagerTensor, separate: bool = False) -> int:
        """Enters a tensor from outside; `separate`: in a slot that is not the tensor's."""
        for call in THREAD.functions:
            original, stand_in = call.captured.get(id(tensor), (tensor, None))
            if tensor is stand_in and not separate:  # what it was entered in has been computed
                return self._enter_captured(original, tensor)
        kind = type(tensor._value)
        failure = None
        if kind not in execution.CONCRETE and kind is not ndarray:
            failure = self._check_leaf(tensor)
        key = (self.at, tensor._type)
        node = EDGES.get(key) or _add_leaf(key)
        slot = node.first
        if failure is not None:
            self.data.failed[slot] = failure
        self.data.leaves[slot] = tensor
        self.at = node
        if not separate:
            self.data.slots[id(tensor)] = slot
            if self.notes is not None:
                self.notes.note_constant(tensor, key[0], node)
        return slot

    def captured(self, tensor: EagerTensor) -> EagerTensor:
        """Returns what stands for a tensor from outside in a function, loop or branch.

        As in TensorFlow that is another object, with the same value and slot. Libraries keep what
        they have computed by the object that it follows from, and what is recorded in one function
        means nothing in another one: bijectors keep the volumes of tensors so.
        """
        if tensor._value is None or tensor._recording is self or not tensor._type.inexact:
            return tensor
        in_body = self.enclosing is not None
        known = self.data.captured if in_body else THREAD.functions[-1].captured
        if id(tensor) not in known:
            stand_in = EagerTensor(tensor._type, tensor._value, None, 0)
            known[id(tensor)] = known[id(stand_in)] = tensor, stand_in
            self._enter_captured(tensor, stand_in)
        return known[id(tensor)][1]

    def _enter_captured(self, tensor: EagerTensor, stand_in: EagerTensor) -> int:
        slot = self.data.slots[id(stand_in)] = self.leaf(tensor)
        self.data.captured.setdefault(id(stand_in), (tensor, stand_in))  # keeps its id its own
        return slot

    def _check_leaf(self, tensor: EagerTensor) -> Exception | None:
        """Computes a tensor that is pending in another recording; notes what JAX traces.

        Returns:
            Its error, if nobody may use it: what is recorded fails with it where it is used.

        Raises:
            Exception: its error else.
        """
        value = tensor._value
        if type(value) is FailedValue and is_left_open(value.error):
            return value.error
        if (value is None or type(value) is FailedValue) and not self.is_within(tensor._recording):
            value = tensor._array()  # raises if it failed
        if isinstance(value, Tracer):
            self.traced[self.at.end] = current_trace(None)
        return None

    def placeholder(self, type_: TensorType) -> EagerTensor:
        """Enters a tensor without a value, in a body."""
        key = (self.at, type_)
        self.at = EDGES.get(key) or _add_leaf(key)
        return EagerTensor(type_, None, self, self.at.first)

    def is_within(self, recording: Any) -> bool:
        """Whether this is a body within `recording`, so that values need not be known."""
        enclosing = self.enclosing
        while enclosing is not None and enclosing is not recording:
            enclosing = enclosing.enclosing
        return enclosing is not None

    def slot_of(self, tensor: EagerTensor) -> int | None:
        """Returns the slot of a tensor, if it has one here."""
        if tensor._recording is self:
            return tensor._slot
        return self.data.slots.get(id(tensor))

    def apply(
        self,
        operation: Operation,
        static: tuple[Any, ...],
        inputs: tuple[int, ...],
        types: Sequence[TensorType],
        ghosts: tuple[int, ...] = (),
    ) -> list[EagerTensor]:
        """Records an operation on slots; the general way, also for operations without a name."""
        at = self.at
        key = (at, operation, static, *inputs)
        node = EDGES.get(key)
        if node is None:
            with WAIT_WATCH.over(self.text, is_brief=True):
                outputs, structure = operation.infer(static, types)
            checked = operation.check is not None or operation.acts
            node = TREE.add(
                key, Node(at, operation, static, inputs, (), outputs, structure, ghosts, checked)
            )
            execution.STATISTICS.recorded += 1
        self.at = node
        return self.results(node)

    def passed_on(self, operation: Operation, tensor: EagerTensor) -> int:
        """Records what passes a tensor on; returns the slot, and makes no tensor of it."""
        slot = tensor._slot if tensor._recording is self else self.leaf(tensor)
        node = EDGES.get((self.at, operation, (), slot))
        if node is None:
            (result,) = self.apply(operation, (), (slot,), [tensor._type])
            return result._slot
        self.at = node
        return node.first_output

    def results(self, node: Node) -> list[EagerTensor]:
        """Makes the tensors that stand for the outputs of the instruction just recorded."""
        tensors = []
        owners, types, first = self.owners, node.types, node.first
        for slot in range(node.first_output, node.end):
            tensor = _NEW(EagerTensor)
            tensor._type = types[slot - first]
            tensor._value = None
            tensor._recording = self
            tensor._slot = slot
            owners[slot] = _REFERENCE(tensor)
            tensors.append(tensor)
        if node.checked:
            if not THREAD.functions or node.operation.stays(node.static):  # type: ignore[union-attr]
                self.effects.append(node.first_output)
            self.data.note_line(node.first_output, users_line())
        return tensors

    def known_at(self, slot: int) -> EagerTensor | None:
        """Returns the tensor in a slot, if there is one that is known or held."""
        reference = self.owners.get(slot)
        held = reference() if reference is not None else None
        return self.data.leaves.get(slot) if held is None else held

    def tensor_at(self, slot: int, type_: TensorType) -> EagerTensor:
        """Returns the tensor in a slot; makes one if nobody holds it any more."""
        tensor = self.known_at(slot)
        if tensor is None:
            tensor = EagerTensor(type_, None, self, slot)
            self.owners[slot] = _REFERENCE(tensor)
        return tensor

    def tensors_at(self, places: Sequence[tuple[int, TensorType]]) -> list[EagerTensor]:
        """Returns the tensors in slots, as `tensor_at` does one by one."""
        owners, leaves = self.owners, self.data.leaves
        tensors = []
        for slot, type_ in places:
            if slot in owners or slot in leaves:
                tensor = self.tensor_at(slot, type_)
            else:
                tensor = _NEW(EagerTensor)
                tensor._type = type_
                tensor._value = None
                tensor._recording = self
                tensor._slot = slot
                owners[slot] = _REFERENCE(tensor)
            tensors.append(tensor)
        return tensors

    def text(self) -> str:
        """Says what somebody waits for while something new is recorded."""
        return recording_text(self.at, self.data.taped)

    # Computing.

    def compute(self, tensor: EagerTensor) -> None:
        """Gives a pending tensor its value, and with it all that is pending and referenced."""
        with self.lock:  # another thread may be about to compute it, and to close the recording
            if tensor._value is not None:
                return
            if self.data is CLOSED_VALUES:
                raise RuntimeError(
                    "This value was being computed when the program was interrupted."
                )
            if self.frame is not None or self.enclosing is not None:
                if self.enclosing is not None and THREAD.examples is not None:
                    note_decisive([tensor], are_examples=True)
                    tensor._value = THREAD.examples.value_of(tensor)
                    return
                self.observe(tensor)
            if self.handover is not None:
                self.finish_handover()
                if tensor._value is not None:
                    return
            is_alone = len(self.owners) == 1 and tensor._slot in self.owners
            if is_alone and self._computed_alone(tensor):
                return
            # Another thread may have let go of it, and what stood for the slot since may be gone.
            self.owners[tensor._slot] = _REFERENCE(tensor)
            self.flush(tensor)

    def raise_asserted(self) -> None:
        """Computes what is pending, in eager code; an op that exists in order to raise is among it.

        Raises:
            Exception: the error of such an op. What was assigned before it stays assigned.
        """
        if self.frame is None and self.enclosing is None and current_trace(None) is NO_TRACE:
            self.flush(WHY_ASSERTED)

    def _computed_alone(self, tensor: EagerTensor) -> bool:
        """Computes the only pending tensor, if this was computed here before: the shortest way.

        Called with the lock held.
        """
        if self.blocks or self.effects or self.traced or self.assigned or self.data.taped:
            return False
        program = self.at.programs.get(((tensor._slot,), (), self.state))
        if program is None or program.executable.is_checked or program.is_rehearsal:
            return False
        (tensor._value,) = program.run(self.data.leaves, self.data.scalars)
        if THREAD.recording is self:
            self.close()
        return True

    def flush(self, wanted: EagerTensor | str | None = None) -> None:
        """Computes what is pending and referenced. Outside of tapes this ends the recording.

        Args:
            wanted: whose errors are raised now: those of a tensor, those of ops that exist in order
                to raise (`WHY_ASSERTED`), or all (None). The others are raised by who looks at what
                depends on them, or when the step ends.

        Raises:
            Exception: the error of an op that depends on values. Variables that were assigned
                since the last time keep the values from before.
        """
        if LATE_ERRORS and wanted is None:
            raise_late()
        if self.at.parent is None:
            return  # nothing has been recorded
        if self.frame is not None:
            self.observe()
        with self.lock:
            pending, settled = self._pending()
            try:
                if self.traced or current_trace(None) is not NO_TRACE:
                    self._run_traced(pending)
                elif pending or self.effects:
                    self._run(pending, tuple(self.effects))
                self.effects.clear()
            except execution.ProgramFailedError as failed:
                error = self._raised(failed, wanted)
                if wanted is not WHY_ASSERTED and error is not None:
                    self._give_up(pending, error)
                    raise error from None
                self._keep_the_rest(failed)
                if error is not None:
                    self._settle(pending, settled)
                    raise error from None
            except Exception as error:  # whatever JAX or a callback raises
                self._give_up(pending, error)
                raise
            self._settle(pending, settled)

    def _settle(self, pending: list[tuple[int, EagerTensor]], settled: list[int]) -> None:
        """Lets go of what has been computed."""
        if Placement.is_used:
            _send_home(self.assigned)
        self.assigned = {}
        if not self.is_held and THREAD.recording is self:
            self.close()
            return
        for slot in settled:
            self.owners.pop(slot, None)
        for slot, tensor in pending:
            if tensor._value is not None:
                self.owners.pop(slot, None)

    def _raised(
        self, failed: execution.ProgramFailedError, wanted: EagerTensor | str | None
    ) -> Exception | None:
        """Returns the error that is raised now; takes note of the others."""
        due = self._due(failed)
        raised = next(iter(due), None) if wanted is None else None
        if isinstance(wanted, EagerTensor):
            raised = wanted._value.error if type(wanted._value) is FailedValue else None
        elif wanted is WHY_ASSERTED:
            raised = next(iter(failed.asserted()), None)
        if raised is None:  # one error is enough
            LATE_ERRORS.extend((threading.get_ident(), error) for error in due)
        return raised

    def _due(self, failed: execution.ProgramFailedError) -> list[Exception]:
        """Returns the errors that are raised though nobody looks at what they kept from being."""
        if not THREAD.functions:
            return list(failed.errors.values())
        # In a function, as in TensorFlow, those of what it does: the results may be of no use.
        values = [variable._seen._value for variable, _ in self.assigned.values()]
        lost = [value.error for value in values if type(value) is FailedValue]
        due = [e for slot, e in failed.errors.items() if slot in self.effects or e in lost]
        for error in failed.errors.values():
            if error not in due:
                leave_open(error)
        return due

    def _keep_the_rest(self, failed: execution.ProgramFailedError) -> None:
        """Leaves a step of which a part has failed: variables that depend on it are as before."""
        for variable, before in reversed(self.assigned.values()):
            if type(variable._seen._value) is FailedValue:
                variable._restore(before)
        self.effects.clear()
        self.state = (self.state, tuple(failed.errors))  # other values are known than else

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
        if ACCOUNTS:
            keep_sizes([tensor for _, tensor in pending])
        return pending, settled

    def _run_traced(self, pending: list[tuple[int, EagerTensor]]) -> None:
        """Computes each value in the trace that it belongs to; what needs no tracer outlives them.

        JAX asks for results also when it has left a trace (`jax.jvp`), or is in an inner one.
        """
        now = current_trace(None) or NO_TRACE  # JAX has none while it takes results apart
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
        data = self.data
        if data.failed:
            pending, effects = self._without_failed(pending, effects)
            if not pending and not effects:
                return
        wanted = tuple([slot for slot, _ in pending])
        data.runs += 1
        try:
            program = self.program(wanted, effects)
            donated, shared = free_arguments(self, program, pending) if self.assigned else ((), [])
            if donated:
                fitting = program.fitting(data.scalars) if program.shares_rows else program
                assigned = self.assigned
                hand_over(self, fitting.donating(donated), shared, pending)
                if Placement.is_used:
                    _send_home(assigned)
                self.state = program
                return
            if data.taped and not self.traced:
                outputs = run_foreseeing(program, self.at, data, wanted, effects)
            else:
                outputs = program.run(data.leaves, data.scalars)
        except execution.ProgramFailedError as failed:
            data.failed.update(failed.errors)
            self._store(pending, failed.outputs)
            raise failed.name_lines(data.lines) from None
        self._store(pending, outputs)
        self.state = program

    def _without_failed(
        self, pending: list[tuple[int, EagerTensor]], effects: tuple[int, ...]
    ) -> tuple[list[tuple[int, EagerTensor]], tuple[int, ...]]:
        """Gives what depends on ops that have failed their errors; returns the rest."""

        def error_of(slot: int) -> Exception | None:
            nodes = needed(self.at, [slot], self.data)
            used = [s for n in nodes for s in (n.first_output, *n.inputs, *n.ghosts)]
            return next((self.data.failed[slot] for slot in used if slot in self.data.failed), None)

        rest = []
        for slot, tensor in pending:
            error = error_of(slot)
            if error is None:
                rest.append((slot, tensor))
            else:
                tensor._value = FailedValue(error)
        return rest, tuple([slot for slot in effects if error_of(slot) is None])

    def program(self, wanted: tuple[int, ...], effects: tuple[int, ...]) -> execution.Program:
        """Returns the program that computes `wanted` here, given what is known."""
        node = self.at
        key = (wanted, effects, self.state)
        program = node.programs.get(key)
        if program is None:
            with no_collection(), WAIT_WATCH.over(self.text, is_brief=True):
                program = make_program(node, self.data, wanted, effects)
            if self._is_rehearsal:
                program.is_rehearsal = has_small_values(program.executable.part)
            node.keep_program(key, program)
        elif program.is_rehearsal:  # later calls of a function whose Python runs at every call
            program.is_rehearsal = self._is_rehearsal
        return program

    @property
    def _is_rehearsal(self) -> bool:
        """Whether a function is called for the first time, and recorded by its next call."""
        functions = THREAD.functions
        return self.data.is_rehearsal or (bool(functions) and functions[-1].is_rehearsal)

    def _store(self, pending: list[tuple[int, EagerTensor]], outputs: list[Any]) -> None:
        leaves = self.data.leaves if self.is_held else None
        for (slot, tensor), output in zip(pending, outputs, strict=True):
            if ACCOUNTS and tensor._type.hostable and type(output) is not FailedValue:
                output = array(output)  # shape arithmetic, of which account is kept, is done there
            tensor._value = output
            if leaves is not None and type(output) is not FailedValue:
                leaves[slot] = tensor

    def finish_handover(self) -> None:
        """Stores the results of a call that has taken buffers of variables."""
        with self.lock:  # another thread may be in the call
            if self.handover is not None:
                self.handover.finish()
                self.handover = None

    def _give_up(self, pending: list[tuple[int, EagerTensor]], error: Exception) -> None:
        """Leaves a step that failed: variables as before it, and nothing of it in the next one."""
        if isinstance(error, UnexpectedTracerError):
            error.add_note(HINT_TRACED)
        self.finish_handover()  # if buffers are gone, it is done
        for variable, before in reversed(self.assigned.values()):
            variable._restore(before)
        self.assigned = {}
        self.effects.clear()
        for _, tensor in pending:
            if tensor._value is None:
                tensor._value = FailedValue(error)
        if not self.is_held and THREAD.recording is self:
            self.close()

    # Functions and tapes.

    @property
    def is_held(self) -> bool:
        """Whether a tape's block or a function is open, so that the step goes on."""
        if self.frame is not None:
            return True
        blocks = self.blocks
        while blocks and blocks[-1]() is None:
            blocks.pop()
        return bool(blocks)

    def open_frame(self, is_undone: bool = False) -> Frame:
        """Notes that the body of a function begins here.

        Args:
            is_undone: whether its variables get their values back at its end.
        """
        self.frame = Frame(self.at, self.frame, is_undone)
        self.epoch += 1  # variables are read anew
        return self.frame

    def close_frame(self, frame: Frame) -> None:
        """Notes that the body of a function has ended."""
        if self.frame is frame:
            self.frame = frame.outer
        self.epoch += 1

    def observe(self, what: EagerTensor | str = "") -> None:
        """Notes that Python code depends on a value: the functions that run are not recorded.

        Args:
            what: the tensor that somebody looks at, or why the Python has to run at every call.

        Raises:
            ValueWanted: if this is a body, in which there are no values.
            TypeError: if the body has ended.
        """
        why = what if isinstance(what, str) else ""
        if self.enclosing is not None:
            if self.frame is None:
                raise TypeError(MESSAGE_OUT_OF_SCOPE.format(what))
            if why and THREAD.examples is not None:
                return  # Python goes on with values that stand for others
            raise ValueWanted(why or in_sentence(users_line()))
        if self.frame is not None:
            owners = [reference() for reference in self.owners.copy().values()]
            note_decisive([one for one in owners if one is not None and one._value is None])
            self.frame.observe(why)
            frame, self.frame = self.frame, None
            for call in THREAD.functions:
                if call.watched is not None and call.watched.trace is None:
                    call.watched.begin(self, frame)

    @property
    def is_too_long(self) -> bool:
        """Whether the function that is recorded has too many instructions."""
        return self.frame is not None and self.at.depth - self.frame.at.depth > MAX_INSTRUCTIONS

    def symbolic_name(self, tensor: EagerTensor) -> str | None:
        """Returns TensorFlow's name of a tensor in a function; None where it has a value."""
        if self.frame is None and self.enclosing is None:
            return None
        if self.enclosing is not None and self.frame is not None and not THREAD.functions:
            self.observe(tensor)  # the body of a loop that eager code would run with values
        return symbolic_name(self.at, self.frame, tensor._slot)

    def watchers(self) -> list[Any]:
        """Returns the tapes that record now."""
        tapes = [reference() for reference in self.blocks]
        return [tape for tape in tapes if tape is not None and tape._recording]

    def tapes_of_plain_reads(self) -> list[Any] | None:
        """Returns the tapes that have to know of reads; None if others have to as well."""
        if HOLDS or THREAD.functions or not self.frame is self.notes is self.enclosing is None:
            return None
        return [tape for reference in self.blocks if (tape := reference()) is not None]

    def open_block(self, tape: Any) -> None:
        """Notes that the block of a tape begins."""
        self.blocks.append(_REFERENCE(tape))
        self.data.taped = True

    def close_block(self, tape: Any) -> None:
        """Notes that the block of a tape has ended."""
        if self.blocks and self.blocks[-1]() is tape:
            self.blocks.pop()
        else:
            self.blocks = [r for r in self.blocks if (t := r()) is not None and t is not tape]

    def close(self) -> None:
        """Ends the recording: the thread starts a new one, this one lets go of its values."""
        THREAD.recording = Recording()
        if self.data.taped:
            execution.STATISTICS.steps += 1
            if not self.traced:
                self.data.end = self.at
        # Tensors that are kept keep this object: nothing but a shell is left of it.
        self.data = CLOSED_VALUES
        self.owners = self.assigned = self.traced = _NOTHING
        self.blocks = self.effects = _NONE
        self.at = TREE.root

    def reopen(self, data: RecordedValues) -> None:
        """Goes on with a recording that has been closed: a tape's block is entered again.

        Args:
            data: its values, as the tape has kept them. What was computed from them is computed
                again where it is needed.
        """
        self.finish_handover()
        self.data, self.at = data, data.end
        self.owners, self.assigned, self.traced = {}, {}, {}
        self.blocks, self.effects = [], []
        self.state = tuple(data.leaves)  # a program depends on what is known
        data.looked = data.foreseen = None
        THREAD.recording = self


def _send_home(assigned: dict[int, tuple[Any, EagerTensor]]) -> None:
    """Sends new values of variables to the devices that the variables belong to."""
    for variable, _ in assigned.values():
        variable._send_home()


def _add_leaf(key: tuple[Node, TensorType]) -> Node:
    at, type_ = key
    return TREE.add(key, Node(at, types=(type_,)))


class _RecordingThread(ThreadState):
    """Where this thread records, and the functions that it runs."""

    def __init__(self) -> None:
        self.recording = Recording()
        self.functions: list[RunningCall] = []  # the calls of functions whose Python runs
        self.journals: list[AssignmentJournal] = []  # of what is assigned wholly or not at all
        self.describing = False  # whether only shapes are asked for: functions run as Python then
        self.examples: ExampleValues | None = None  # what Python looks at where there are no values


THREAD = _RecordingThread()


class UnwatchedGradientsError(RuntimeError):
    """`tf.gradients` was called in a function of which nobody knew that it would be."""


class EmptyLoopError(RuntimeError):
    """What a loop would do is needed, and it has run over nothing: a rewritten one can tell it.

    Attributes:
        error: what is raised if there is none.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


def all_or_nothing(call: Callable[[], Any]) -> Any:
    """Calls Python that assigns variables; where Ctrl-C ends it they are as before.

    So they are where something finds out that the Python has to run once more.
    """
    journals, journal = THREAD.journals, AssignmentJournal()
    start = len(journals)
    if not start:
        JOURNALS[threading.get_ident()] = journals
    try:
        journals.append(journal)
        result = call()
    except (KeyboardInterrupt, UnwatchedGradientsError, EmptyLoopError):
        surely(journal.take_back)
        raise
    finally:
        del journals[start:]  # no call, at which a signal could come in
        if not start:
            JOURNALS.pop(threading.get_ident(), None)
    return result


def note_assigned(variables: Sequence[Any]) -> None:
    """Takes note that variables are going to hold other tensors; called if there are `JOURNALS`."""
    own = THREAD.journals
    for journal in own:
        journal.note(variables)
    for journals in JOURNALS.copy().values() if len(JOURNALS) > 1 or not own else ():
        for journal in journals if journals is not own else ():
            journal.note_other_thread(variables)


def need_python(why: str) -> None:
    """Notes that the functions that run have to run their Python at every call.

    Called by what reads or changes something other than variables, before it does so: in the body
    of a branch or loop, which may not run, it must not happen.

    Args:
        why: the reason, for messages.

    Raises:
        ValueWanted: if this is a body.
    """
    recording = THREAD.recording
    if recording.frame is not None:
        if THREAD.examples is not None:
            raise ValueWanted(why)
        recording.observe(why)


def _captured(tensor: EagerTensor) -> EagerTensor:
    recording = THREAD.recording
    if THREAD.functions or recording.enclosing is not None:
        return recording.captured(tensor)
    return tensor


Captures.captured = staticmethod(_captured)


def _as_traced(error: Exception) -> Exception:
    """Returns what is raised in a function, of which TensorFlow's Python is traced."""
    return as_traced(error) if THREAD.functions else error


IN_PLACE.append(_as_traced)


@atexit.register
def _finish() -> None:
    """Runs the checks that nobody has waited for when the program ends."""
    try:
        if THREAD.recording.effects or LATE_ERRORS:
            THREAD.recording.flush()
    finally:
        halt_others()
