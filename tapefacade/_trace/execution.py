"""Runs programs: everything that needs values asks here. `execution_mode` decides how they run.

A program (what is wanted at a node of the tree, given what is known) becomes a slice, and equal
slices share one `jax.jit`-compiled function, whatever was recorded before them: the loop body of
an episode that is looked at in every iteration compiles once. Measured on a 2-core x86 machine: a
call costs 5 us + 0.3 us per input + 1.2 us per output, so Python scalars travel together, one
vector for each dtype (an own input each: 1.5 us), and small NumPy values travel with the call
(uploading one first: 30 us) until they have been used often.
"""

import copy
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from tapefacade._core import errors
from tapefacade._core.conversion import array_of_numbers
from tapefacade._core.placement import (
    PLACED,
    Placement,
    brought_together,
    current_device,
    running_on,
)
from tapefacade._core.tensor import EagerTensor, FailedValue
from tapefacade._trace.buffer_donation import Handover, is_large
from tapefacade._trace.executables import (
    CONCRETE as CONCRETE,
    EXECUTABLES as EXECUTABLES,
    STATISTICS as STATISTICS,
    WRAPPERS as WRAPPERS,
    Executable as Executable,
    InputLayout as Layout,
    alone_in_rows,
    outputs_of as outputs_of,
)
from tapefacade._trace.execution_mode import EXECUTION_MODES, computes_early
from tapefacade._trace.first_runs import (
    early_call,
    first_call,
    in_pieces_meanwhile,
)
from tapefacade._trace.program_in_pieces import ProgramInPieces
from tapefacade._trace.program_listing import in_sentence
from tapefacade._trace.shape_changes import SHAPE_CHANGES
from tapefacade._trace.slices import Slice
from tapefacade._trace.wait_watch import WAIT_WATCH, compiling_text

# A program with fewer numbers of one dtype gets each of them in a row of its own.
MIN_NUMBERS = 32


class _WideContexts(threading.local):
    """Contexts of one thread in which JAX knows 64-bit types: making one costs 0.5 us."""

    def __init__(self) -> None:
        self.contexts: list[Any] = []


_WIDE_CONTEXTS = _WideContexts()


class Program:
    """An executable, and where in a recording its inputs come from."""

    def __init__(
        self,
        part: Slice,
        slots: tuple[int, ...],
        scalars: Any,
        lines: list[str],
        steps: list[int],
        rank: Callable[[int], Any] | None = None,
        repeats: bool = False,
    ) -> None:
        """Makes a program.

        Args:
            part: the slice.
            slots: the recording's slots of its inputs.
            scalars: tells which of them are Python scalars.
            lines: of the steps, in the user's files.
            steps: what the steps define, in the recording.
            rank: the order in which arrays are given, by their slots; as in `slots` if None.
            repeats: whether it is known to run again, so that compiling it as a whole pays.
        """
        vectors: dict[np.dtype[Any], list[int]] = {}
        arrays = []
        for place, (slot, type_) in enumerate(zip(slots, part.inputs, strict=True)):
            if slot in scalars:
                vectors.setdefault(type_.numpy_dtype, []).append(place)
            else:
                arrays.append(place)
        if rank is not None:
            arrays.sort(key=lambda place: rank(slots[place]))
        layout = Layout(tuple(arrays), alone_in_rows(vectors))
        self.uploaded: list[Any] = [(b"", None)] * len(layout.vectors)
        self.array_slots = [slots[place] for place in arrays]
        self.vector_slots = [(d, [slots[p] for p in places]) for d, places, _ in layout.vectors]
        # Where equal numbers share a row: the first of each row, and the row of each.
        self._rows: list[Any] = [None] * len(vectors)
        self._general: Program | None = None  # in which they do not
        layout = self._with_shared_rows(layout, scalars)
        self.shares_rows = any(rows is not None for rows in self._rows)
        self.executable = EXECUTABLES.get(part, layout)
        if self.executable.call is None:
            SHAPE_CHANGES.note(part, lines)
        self.lines = lines
        self.slots = steps
        self.repeats = repeats
        self.is_episode = False  # whether its length is likely to be another one next time
        self.has_run = False  # by NumPy or in pieces
        self.is_rehearsal = False  # whether it runs in a first call, which no other is like
        self.foresight: Any = None  # what has followed it
        self.large = [i for i, place in enumerate(arrays) if is_large(part.inputs[place])]
        self._donating: dict[tuple[int, ...], Program] = {}
        self._copies: dict[int, Any] = {}  # of arguments, on all devices, with what they are of

    def run(self, leaves: dict[int, Any], scalars: dict[int, Any]) -> list[Any]:
        """Runs the program without waiting for it, unless it has checks.

        Returns:
            The outputs. An output that depends on a failed check is a `FailedValue`.
        """
        program = self.fitting(scalars) if self.shares_rows else self
        return program.execute(program.arguments(leaves, scalars))

    def arguments(self, leaves: dict[int, Any], scalars: dict[int, Any]) -> list[Any]:
        """Returns the values that the program is called with."""
        arguments = [
            value if type(value := (leaf := leaves[slot])._value) in CONCRETE else leaf_value(leaf)
            for slot in self.array_slots
        ]
        if self.vector_slots:
            for place, numbers in enumerate(self.vectors(scalars)):
                arguments.append(self._vector(place, numbers))
        if self.executable.everywhere is not None:
            for place, value in enumerate(arguments):
                is_given = place in self.executable.donated
                if type(value) in CONCRETE and not (value.committed or is_given):
                    arguments[place] = self._copied(place, value)
        return arguments

    def _copied(self, place: int, value: jax.Array) -> Any:
        """Returns an array on all devices of the program, if it is that of the last run."""
        last, copied = self._copies.get(place, (lambda: None, None))
        if last() is not value:
            self._copies[place] = weakref.ref(value), None
            return value
        if copied is None:
            copied = jax.device_put(value, self.executable.everywhere)
            self._copies[place] = last, copied
        return copied

    def text(self, arguments: list[Any], stage: str) -> str:
        """Returns the program as text, at a stage of its compilation."""
        with jax.enable_x64(True):
            lowered = jax.jit(self.executable._run).lower(*arguments)
            if stage == "optimized_hlo":
                return lowered.compile().as_text() or ""
            if stage not in ("hlo", "stablehlo"):
                raise ValueError(
                    f"Invalid stage {stage!r}: it must be hlo, stablehlo or optimized_hlo"
                )
            return lowered.as_text(dialect=stage)

    def vectors(self, scalars: dict[int, Any]) -> list[np.ndarray[Any, Any]]:
        """Returns the Python scalars, in a vector for each dtype."""
        found = []
        for (dtype, slots), rows in zip(self.vector_slots, self._rows, strict=True):
            numbers = array_of_numbers([scalars[slot] for slot in slots], dtype)
            found.append(numbers if rows is None else numbers[rows[0]])
        return found

    def fitting(self, scalars: dict[int, Any]) -> "Program":
        """Returns the program to run: another one where numbers are equal no more."""
        if self._general is not None:
            return self._general
        for index, rows in enumerate(self._rows):
            if rows is not None:
                dtype, slots = self.vector_slots[index]
                numbers = array_of_numbers([scalars[slot] for slot in slots], dtype)
                first, of_each = rows
                if numbers[first][of_each].tobytes() != numbers.tobytes():
                    self._general = self._with_own_rows()
                    return self._general
        return self

    def _with_shared_rows(self, layout: Layout, scalars: Any) -> Layout:
        """Returns the layout in which numbers that are equal now come once, if there are many.

        A program that gets each of them alone has as many kinds of steps as numbers, where it
        could have one kind for all equal layers and updates: XLA compiles up to three times as
        long.
        """
        vectors = []
        for index, (dtype, places, rows) in enumerate(layout.vectors):
            if len(places) >= MIN_NUMBERS:
                numbers = array_of_numbers([scalars[s] for s in self.vector_slots[index][1]], dtype)
                bits = numbers.view(f"V{dtype.itemsize}").tolist()
                known: dict[Any, int] = {}
                rows = tuple([known.setdefault(number, len(known)) for number in bits])
                if len(known) < len(rows):
                    first = np.unique(rows, return_index=True)[1]
                    self._rows[index] = first, np.array(rows)
            vectors.append((dtype, places, rows))
        return Layout(layout.arrays, tuple(vectors))

    def _with_own_rows(self) -> "Program":
        """Returns the program in which every number has a row of its own."""
        found = copy.copy(self)
        found._rows, found.shares_rows = [None] * len(self._rows), False
        found._donating = {}
        found.uploaded = [(b"", None)] * len(self._rows)
        part, layout, donated = (known := self.executable).part, known.layout, known.donated
        vectors = tuple([(d, places, tuple(range(len(places)))) for d, places, _ in layout.vectors])
        found.executable = EXECUTABLES.get(part, Layout(layout.arrays, vectors), donated)
        return found

    def execute(  # noqa: C901 - the hot path, written out
        self, arguments: list[Any], first: Any = None
    ) -> list[Any]:
        """Runs the program on the values of its arrays, then of its vectors.

        Args:
            arguments: the values.
            first: what to call this time only.
        """
        if Placement.is_used and not PLACED.running:
            device = current_device()
            with running_on(device):
                together = brought_together(arguments, device, self.executable.shardings)
                return self.execute(together, first)
        executable = self.executable
        call = first or executable.call
        if call is None:
            return self._execute_new(arguments)
        executable.used = STATISTICS.dispatched = STATISTICS.dispatched + 1
        contexts = _WIDE_CONTEXTS.contexts
        context = contexts.pop() if contexts else jax.enable_x64(True)
        try:
            with context:
                result = call(*arguments)
                if executable.returns_at_once:  # the common case
                    if type(result) in CONCRETE:
                        return [result]
                    if type(result) is list and result and type(result[0]) in CONCRETE:
                        return result
                result, outputs = self._known(result, arguments)
        except jax.errors.JaxRuntimeError as error:
            raise errors.error_of_program(error) from None
        except ValueError:
            if Placement.is_used or not executable.is_apart(arguments):
                raise
            Placement.is_used = True  # JAX's arrays name devices, as blocks of `tf.device` do
            return self.execute(arguments, first)
        finally:
            contexts.append(context)
        if executable.index_limits and (wrong := self.wrong_indices(arguments)):
            raise self._failed(wrong, outputs)
        if executable.acts:
            jax.effects_barrier()
        if executable.is_checked:
            _, passed, details = result
            wrong = _wrong(passed)
            if wrong:
                order = executable.check_order
                raise self._failed([(order[i], details[i]) for i in wrong], outputs)
        return outputs

    def donating(self, arguments: tuple[int, ...]) -> "Program":
        """Returns the program that takes the buffers of some of its arguments."""
        found = self._donating.get(arguments)
        if found is None:
            found = self._donating[arguments] = copy.copy(self)
            found.executable = EXECUTABLES.get(
                self.executable.part, self.executable.layout, arguments
            )
        return found

    def hand_over(self, arguments: list[Any], shared: Sequence[int], handover: Handover) -> None:
        """Does what `execute` does, with buffers that are lost; it has no checks.

        Args:
            arguments: the values.
            shared: the places of those that must not be lost.
            handover: takes the results.
        """
        if Placement.is_used and not PLACED.running:
            device = current_device()
            with running_on(device):
                within = self.executable.shardings
                arguments[:] = brought_together(arguments, device, within)
                return self.hand_over(arguments, shared, handover)
        executable = self.executable
        is_new = executable.call is None
        with jax.enable_x64(True):
            # JAX may be interrupted while it compiles: it gets copies.
            for place in executable.donated if is_new else shared:
                arguments[place] = jnp.array(arguments[place])
        if is_new:
            outputs = self.execute(arguments)
            handover.found.append(outputs if len(outputs) != 1 else outputs[0])
            return None
        executable.used = STATISTICS.dispatched = STATISTICS.dispatched + 1
        with jax.enable_x64(True):
            handover.call(executable.call, arguments)
        return None

    def _execute_new(self, arguments: list[Any]) -> list[Any]:
        """Runs a program that is not compiled, and says what is going on if that takes long."""
        known = self.executable
        executable = EXECUTABLES.get(known.part, known.layout, known.donated)
        self.executable = executable
        try:
            if executable.call is None and not _traced(arguments):
                outputs = self._execute_early(arguments)
                if outputs is not None:
                    return outputs
            with WAIT_WATCH.over(lambda: self._text(is_by_numpy=False)):
                executable.used = STATISTICS.dispatched + 1  # not the first to go
                return self.execute(arguments, executable.call or executable.prepare())
        finally:
            EXECUTION_MODES.compiled(executable)

    def _execute_early(self, arguments: list[Any]) -> list[Any] | None:
        """Runs a program by NumPy or in pieces; returns None if it is better compiled."""
        if self.has_run:
            return self._early_outputs(arguments)
        self.has_run = True
        with WAIT_WATCH.over(lambda: self._text(computes_early())):
            return self._early_outputs(arguments)

    def _early_outputs(self, arguments: list[Any]) -> list[Any] | None:
        executable = self.executable
        early = early_call(executable, arguments) if self.is_rehearsal else None
        if early is not None:
            return self.execute(arguments, early)
        in_pieces = EXECUTION_MODES.choose(executable, self.repeats, self.is_episode)
        if in_pieces is None:
            before = EXECUTION_MODES.before(executable)
            in_pieces = in_pieces_meanwhile(executable, before, arguments)
        outputs = None if in_pieces is None else self._run_in_pieces(in_pieces, arguments)
        if outputs is not None:
            return outputs
        executable.used = STATISTICS.dispatched + 1
        first = first_call(executable, arguments)
        return None if first is None else self.execute(arguments, first)

    def _text(self, is_by_numpy: bool) -> str:
        return compiling_text(self.executable, self.lines, not self.repeats, is_by_numpy)

    def _run_in_pieces(self, in_pieces: ProgramInPieces, arguments: list[Any]) -> list[Any] | None:
        with jax.enable_x64(True):
            outputs, failures = in_pieces.run(arguments)
        if outputs and isinstance(outputs[0], Tracer):  # inside somebody's jax.jit
            return None
        CONCRETE.update({type(output) for output in outputs if isinstance(output, jax.Array)})
        failures = [*failures, *self.wrong_indices(arguments)]
        if failures:
            raise self._failed(failures, outputs)
        return outputs

    def wrong_indices(self, arguments: Sequence[Any]) -> list[tuple[int, Any]]:
        """Looks at the indices that are on the host; returns failed steps with the details."""
        found: list[tuple[int, Any]] = []
        for argument, step, limit in self.executable.index_limits:
            indices = arguments[argument]
            if (
                type(indices) is np.ndarray
                and indices.size
                and not (indices.min() >= 0 and indices.max() < limit)
            ):
                found.append((step, (indices, limit)))
        return found

    def _known(self, result: Any, arguments: list[Any]) -> tuple[Any, list[Any]]:
        """Returns what a compiled function has returned, and the outputs in it, known if can be."""
        executable = self.executable
        outputs = outputs_of(result, executable)
        if outputs and type(outputs[0]) not in CONCRETE:
            if not isinstance(outputs[0], Tracer):
                if isinstance(outputs[0], jax.Array):
                    CONCRETE.add(type(outputs[0]))
            elif not _traced(arguments):
                # Inside somebody's jax.jit everything is traced, also what is known already.
                with jax.ensure_compile_time_eval():
                    assert executable.call is not None
                    result = executable.call(*arguments)
                    outputs = outputs_of(result, executable)
        return result, outputs

    def _vector(self, place: int, numbers: np.ndarray[Any, Any]) -> Any:
        """Returns the numbers, from the device if they are those of the last two runs."""
        bits = numbers.tobytes()
        last, uploaded = self.uploaded[place]
        if bits != last:
            self.uploaded[place] = bits, None
            return numbers
        if uploaded is None:
            with jax.enable_x64(True):
                uploaded = jax.device_put(numbers, self.executable.everywhere)
            if isinstance(uploaded, Tracer):
                return numbers
            self.uploaded[place] = bits, uploaded
        return uploaded

    def _failed(
        self, failures: Sequence[tuple[int, Any]], outputs: list[Any]
    ) -> "ProgramFailedError":
        """Replaces what depends on failed checks (step and details) by their errors."""
        part = self.executable.part
        outputs = list(outputs)
        found: dict[int, Exception] = {}
        shown: dict[int, tuple[str, str]] = {}
        for place, details in failures:
            operation, static = part.steps[place].operation, part.steps[place].static
            error = operation.error([np.asarray(d) for d in details], static)
            name = f"{operation.name.lstrip('_')} ({operation.kernel})"
            shown[self.slots[place]] = name, self.lines[place]
            found[place] = error
            tainted = _downstream(part, _origin(part, place))
            for position, slot in enumerate(part.outputs):
                if slot in tainted and type(outputs[position]) is not FailedValue:
                    outputs[position] = FailedValue(error)
        by_slot = {self.slots[place]: error for place, error in found.items()}
        asserted = {
            self.slots[place]
            for place in found
            if part.steps[place].operation.asserts(part.steps[place].static)
        }
        return ProgramFailedError(by_slot, outputs, shown, asserted)


class ProgramFailedError(Exception):
    """Checks failed; carries the users' errors and the outputs that are valid all the same."""

    def __init__(
        self,
        errors: dict[int, Exception],
        outputs: list[Any],
        shown: dict[int, tuple[str, str]],
        asserted: set[int],
    ) -> None:
        self.errors = errors  # by the slot of the op
        self._shown = shown  # the names of the ops, and where equal ones were recorded first
        self._asserted = asserted
        self.error = next(iter(errors.values()))
        self.outputs = outputs
        super().__init__(str(self.error))

    def asserted(self) -> list[Exception]:
        """Returns the errors of ops that exist in order to raise."""
        return [error for slot, error in self.errors.items() if slot in self._asserted]

    def name_lines(self, lines: Mapping[int, str]) -> "ProgramFailedError":
        """Adds to the errors which ops have failed; returns itself.

        Args:
            lines: where this recording has the ops, by slot.
        """
        for slot, error in self.errors.items():
            name, first = self._shown.pop(slot, ("", ""))
            if name:
                verb = "called at" if slot in lines else "first recorded at"
                error.add_note(f"The op is {name}, {verb} {in_sentence(lines.get(slot, first))}.")
        return self


def _wrong(passed: Any) -> list[int]:
    """Returns which checks have failed, those that have no value yet left out."""
    if passed is None or isinstance(passed, Tracer):
        return []
    try:
        jax.block_until_ready(passed)  # reading what ran out of memory kills Python
    except jax.errors.JaxRuntimeError as error:
        raise errors.error_of_program(error) from None
    return np.flatnonzero(~np.asarray(passed)).tolist()


def _origin(part: Slice, place: int) -> int:
    """Returns the step that a check is about: the loop or branch that it was in, or its own."""
    step = part.steps[place]
    if not step.operation.is_check_of_input:
        return place
    slot = len(part.inputs)
    for index, other in enumerate(part.steps):
        slot += len(other.types)
        if step.inputs[0] < slot:
            return index
    return place


def _downstream(part: Slice, place: int) -> set[int]:
    slot = len(part.inputs)
    tainted: set[int] = set()
    for index, step in enumerate(part.steps):
        slots = range(slot, slot + len(step.types))
        slot += len(step.types)
        # A gradient computes the forward values again, which are its ghosts.
        if index == place or not tainted.isdisjoint((*step.inputs, *step.ghosts)):
            tainted.update(slots)
    return tainted


def _traced(arguments: Sequence[Any]) -> bool:
    return any(isinstance(argument, Tracer) for argument in arguments)


def leaf_value(tensor: EagerTensor) -> Any:
    """Returns the value of a leaf for a call; what is large or used often goes to the device."""
    value = tensor._value
    if type(value) is np.ndarray:
        if tensor._recording is None and not tensor._type.hostable:
            tensor._slot += 1
            if tensor._slot > (1 if value.nbytes > 16384 else 16):
                with jax.enable_x64(True):
                    uploaded = jax.device_put(value)
                if isinstance(uploaded, Tracer):
                    return value
                tensor._value = value = uploaded
        return value
    if value is None or type(value) is FailedValue:
        return tensor._array()
    return value
