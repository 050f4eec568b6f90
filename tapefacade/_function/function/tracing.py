"""Recording a Python function while it runs."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._core.random_keys import Counts, function_draws, recorded_draws
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.tensor_type import TensorType
from tapefacade._function.function.compiled_program import CompiledProgram
from tapefacade._function.function.outputs import OutputStructure, raise_failed
from tapefacade._function.function.recorded_program import RecordedProgram, slot_in
from tapefacade._function.function.rewriter import Rewritten
from tapefacade._state.variable import ARGUMENT, RESULT
from tapefacade._trace.assignments import surely
from tapefacade._trace.frames import RunningCall
from tapefacade._trace.program_listing import definition_line
from tapefacade._trace.recording import THREAD, Recording, all_or_nothing, raise_late
from tapefacade._trace.tree import TREE


class FunctionTrace:
    """What is known of a function for one signature.

    Attributes:
        recorded: its program; None where the Python runs at every call.
        structure: the structure of what it returns.
        why: why the Python runs at every call.
        counts: how far its random ops have come if it does.
        looked: whether the Python has looked at a value; a later call may run it rewritten.
        rewritten: the Python that runs, if it is not the user's.
        report: the rewritten Python, which says what has become of its statements.
        specs: what it returns, with specs in the place of tensors; None if all sizes are known.
        example: a recorded run on values of its own, where there is no program; for its variables.
    """

    example: RecordedProgram | None = None

    def __init__(
        self, recorded: RecordedProgram | None, structure: OutputStructure | None, why: str,
        counts: Counts | None = None, looked: bool = False,
    ) -> None:  # fmt: skip
        self.looked = looked
        self.rewritten: Rewritten | None = None
        self.report: Rewritten | None = None
        self.specs: Any = None
        self.recorded = recorded
        self.structure = structure
        self.why = why
        self.counts: Counts = {} if counts is None else counts
        self._is_tensor = structure is not None and structure.is_tensor
        self._with_tensors: Any = structure and structure.with_tensors
        self._compiled: CompiledProgram | None = None

    @property
    def is_replayable(self) -> bool:
        """Whether the Python need never run again."""
        return self.recorded is not None and self.recorded.replayable

    @property
    def needs_python(self) -> bool:
        """Whether the Python has to run now."""
        if self.recorded is None:
            return True
        return not self.recorded.replayable and bool(THREAD.recording.blocks)

    @property
    def draws_rewritten(self) -> bool:
        """Whether random ops were recorded of rewritten Python."""
        return self.report is not None and self.recorded is not None and bool(self.recorded.draws)

    def result_specs(self) -> Any:
        """Returns the result with specs in the place of tensors; None if they are not known."""
        recorded = self.recorded
        if self.specs is not None or recorded is None or self.structure is None:
            return self.specs
        types = [recorded.type_of(slot) for slot in recorded.results]
        return self.structure.with_specs([TensorSpec(t.shape, t.dtype) for t in types])

    def call(self, tensors: Sequence[EagerTensor]) -> Any:
        """Calls the function without Python.

        Args:
            tensors: the tensors among the arguments.

        Returns:
            What the function returns.
        """
        recording = THREAD.recording
        if (
            recording.at.parent is None
            and recording.frame is None
            and self._compiled is not None
            and not recording.blocks
            and not recording.assigned
        ):  # the common case
            results = self._compiled.call(tensors)
            return results[0] if self._is_tensor else self._with_tensors(results)
        return self._call(recording, tensors)

    def _call(self, recording: Recording, tensors: Sequence[EagerTensor]) -> Any:
        assert self.recorded is not None
        assert self.structure is not None
        if recording.is_held:
            results = self.recorded.replay(tensors)
        else:
            begin_step(recording)
            if self._compiled is None:
                self._compiled = CompiledProgram(self.recorded)
            results = self._compiled.call(tensors)
        return self.structure.with_tensors(results)

    def text(self, tensors: Sequence[EagerTensor], stage: str = "hlo") -> str:
        """Returns the program as text; `stage` is "hlo", "stablehlo" or "optimized_hlo"."""
        assert self.recorded is not None
        return CompiledProgram(self.recorded).text(tensors, stage)


def begin_step(recording: Recording) -> None:
    """Computes what is pending: a program of its own runs next."""
    if recording.at.parent is not None:
        recording.flush()
    elif recording.assigned:
        recording.assigned = {}


def raise_asserted(running: RunningCall, results: Sequence[EagerTensor]) -> None:
    """Raises what ops that exist in order to raise have found, as far as it matters.

    Args:
        running: the call of a function whose Python has run.
        results: the tensors that it returns.
    """
    if not running.asserted:
        return
    outer = [call for call in THREAD.functions if call is not running]
    if outer:
        outer[-1].asserted = True
    else:
        THREAD.recording.raise_asserted()
        raise_late()
        raise_failed(results)


def record_body(
    function: Callable[[list[EagerTensor]], Any],
    described: Callable[..., Any],
    types: Sequence[TensorType],
    names: Sequence[str] = (),
) -> tuple[RecordedProgram, OutputStructure]:
    """Records a function on placeholders: the body of a branch or a loop.

    Args:
        function: takes a list of tensors, which have no values.
        described: the user's function, for messages.
        types: the types of these tensors.
        names: TensorFlow's names of them.

    Returns:
        The program and the structure of what it returns. Variables are as they were before.

    Raises:
        ValueWanted: if somebody looks at a value that is not known.
    """
    outer = THREAD.recording
    recording = Recording(enclosing=outer, line=definition_line(described))
    frame = recording.open_frame(is_undone=True)
    try:
        THREAD.recording = recording
        with recorded_draws() as draws:
            inner = [recording.placeholder(type_) for type_ in types]
            for tensor, name in zip(inner, names, strict=False):
                frame.names[tensor._slot] = f"{name}:0"
            structure = OutputStructure(function(inner), described)
            slots = [tensor._slot for tensor in inner]
            # In eager code all of a body runs, as TensorFlow runs its Python.
            recorded = RecordedProgram(
                recording, frame, slots, structure.tensors, draws, prunes=bool(THREAD.functions)
            )
    finally:
        THREAD.recording = outer
        surely(frame.restore)
        recording.frame = None
        for variable, read in recording.reads_before:
            variable._read_at = read
    structure.tensors = []
    return recorded, structure


class RecordedRun:
    """One run of a Python function that is recorded.

    A function that is called within a tape or another function stays where it was recorded: it has
    run. Elsewhere nothing has been computed when its Python is through: its program runs then, and
    the recording goes. Where Python has looked at a value on the way, it has run as well.

    Attributes:
        frame: what happened in it.
        created: the variables that it has made.
        specs: what it has returned, with specs in the place of tensors, if sizes are open.
    """

    specs: Any = None

    def __init__(
        self,
        function: Callable[[Sequence[EagerTensor]], Any],
        described: Callable[..., Any],
        tensors: Sequence[EagerTensor],
        names: Sequence[str],
        refusal: str,
        counts: Counts,
        is_rehearsal: bool = False,
        takes_gradients: bool = False,
    ) -> None:
        """Runs the function.

        Args:
            function: takes the tensors among the arguments.
            described: the user's function, for messages.
            tensors: these tensors.
            names: TensorFlow's names of them.
            refusal: why variables must not be made; "" if they may.
            counts: how far its random ops have come.
            is_rehearsal: whether the next call records other Python if this one looks at a value.
            takes_gradients: whether it may call `tf.gradients`.
        """
        self._counts = counts
        self._inline = THREAD.recording.is_held
        if not self._inline:
            begin_step(THREAD.recording)
        self._recording = recording = THREAD.recording
        if recording.at.parent is None and not self._inline:
            recording.at = TREE.start_at(definition_line(described))
        slots = [slot_in(recording, tensor) for tensor in tensors]
        self.frame = recording.open_frame(is_undone=not self._inline)
        self._effects = len(recording.effects)
        self._running = running = RunningCall(refusal, is_rehearsal, takes_gradients)
        running.may_run_again = not self._inline
        try:
            THREAD.functions.append(running)
            with function_draws(counts) as self._draws:
                inner = [
                    self._argument(slot, tensor._type, name)
                    for slot, tensor, name in zip(slots, tensors, names, strict=True)
                ]
                self._arguments = [tensor._slot for tensor in inner]
                result = all_or_nothing(functools.partial(function, inner))
                self._structure = OutputStructure(result, described)
                self._separate_results()
                del inner, result
        except BaseException:  # also Ctrl-C: assignments of half a function are undone
            surely(self.undo)
            raise
        finally:
            try:  # `surely` itself may be interrupted before it has begun
                self._end()
            except BaseException:  # Ctrl-C on the way
                self._end()
                raise
        self.created = running.created

    def _end(self) -> None:
        if self._running.watched is not None:
            self._running.watched.end()
        self._recording.close_frame(self.frame)
        if THREAD.functions[-1:] == [self._running]:
            THREAD.functions.pop()

    def _argument(self, slot: int, type_: TensorType, name: str) -> EagerTensor:
        """Returns what stands for an argument in the function: a tensor whose value is pending."""
        (inner,) = self._recording.apply(ARGUMENT, (), (slot,), [type_])
        self.frame.names[inner._slot] = f"{name}:0"
        return inner

    def _separate_results(self) -> None:
        """Makes tensors of its own of results from outside: gradients go through the function."""
        recording, start = self._recording, self.frame.at.end
        if self.frame.observed or THREAD.recording is not recording:
            return  # a look has ended the recording; the Python runs at every call
        tensors = self._structure.tensors
        for place, tensor in enumerate(tensors):
            is_own = tensor._recording is recording and tensor._slot >= start
            if not is_own and tensor._type.inexact:
                slot = slot_in(recording, tensor)
                (tensors[place],) = recording.apply(RESULT, (), (slot,), [tensor._type])

    def undo(self) -> None:
        """Leaves things as they were before, unless somebody has looked at values."""
        if self.frame.observed:
            return
        self.frame.restore()
        del self._recording.effects[self._effects :]
        if not self._inline:
            self._leave()

    def _leave(self) -> None:
        """Leaves the recording to the tensors that are kept of it."""
        recording = self._recording
        recording.effects, recording.assigned = [], {}
        if THREAD.recording is recording:
            THREAD.recording = Recording()

    def settle(self) -> tuple[FunctionTrace, Any, bool]:
        """Decides how the function runs from now on.

        Returns:
            What is known of it, what it has returned, and whether it has run; if it has not, the
            trace has to be called.
        """
        try:
            return self._settled()
        except BaseException:  # also Ctrl-C
            if not self._inline:
                surely(self.undo)
            raise

    def _settled(self) -> tuple[FunctionTrace, Any, bool]:
        frame, structure = self.frame, self._structure
        if frame.observed:
            THREAD.recording.data.is_rehearsal |= self._running.is_rehearsal
            trace = FunctionTrace(None, None, frame.observed, self._counts, looked=True)
            trace.specs = self.specs
            raise_asserted(self._running, structure.tensors)
            return trace, structure.result(), True
        recorded = RecordedProgram(
            self._recording, frame, self._arguments, structure.tensors, self._draws
        )
        why = (
            "it returns a TensorArray or a dataset" if structure.has_objects else recorded.uncertain
        )
        if why:
            frame.keep()
            trace = FunctionTrace(None, None, why, self._counts)
            trace.specs = self.specs
            raise_asserted(self._running, structure.tensors)
            return trace, structure.result(), True
        trace = FunctionTrace(recorded, structure, "")
        trace.specs = self.specs
        if self._inline:
            effects = self._recording.effects
            live = set(recorded.effects)
            effects[self._effects :] = [slot for slot in effects[self._effects :] if slot in live]
            result = structure.result()
            if recorded.acts and self._recording.frame is None:
                self._recording.flush()
            elif recorded.asserted:
                self._recording.raise_asserted()
            return trace, result, True
        frame.restore()
        structure.tensors = []
        for draw in recorded.draws.values():
            draw.is_spare = True
        self._leave()
        return trace, None, False
