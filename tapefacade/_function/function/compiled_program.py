"""A recorded program that runs on its own: one dispatch, without Python and without a recording."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.core import Tracer
from jax.sharding import NamedSharding

from tapefacade._core.placement import Placement, on_current_device
from tapefacade._core.random_keys import drawn_again
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._function.function.recorded_program import RecordedProgram
from tapefacade._state.variable import RESULT, Variable
from tapefacade._trace import execution
from tapefacade._trace.assignments import HOLDS, JOURNALS, boxes_of, set_together
from tapefacade._trace.buffer_donation import PromisedValues, is_free
from tapefacade._trace.execution import CONCRETE, WRAPPERS, Program, leaf_value, outputs_of
from tapefacade._trace.jax_transformation import NO_TRACE, current_trace
from tapefacade._trace.recording import THREAD, note_assigned

_NEW = object.__new__


class CompiledProgram:
    """The call of a recorded program outside of tapes and other functions."""

    def __init__(self, recorded: RecordedProgram) -> None:
        given = {*recorded.arguments, *recorded.own_inputs(), *recorded.scalars}
        copied = {
            node.first_output: node.inputs[0] for node in recorded.nodes if node.operation is RESULT
        }
        ends = [copied.get(slot, slot) for slot in recorded.results]
        ends += [slot for _, slot in recorded.assigned]
        wanted = list(dict.fromkeys(slot for slot in ends if slot not in given))
        part, slots, nodes = recorded.slice(wanted)
        lines, firsts = [n.users_line for n in nodes], [n.first_output for n in nodes]
        # Arguments, variables, keys and constants follow each other.
        ranks = {slot: rank for rank, slot in enumerate(recorded.arguments)}
        for slot in (*recorded.variables, *recorded.draws, *recorded.captures):
            ranks[slot] = len(ranks)
        self._program = Program(
            part, slots, recorded.scalars, lines, firsts, ranks.__getitem__, repeats=True
        )
        self._is_empty = not part.steps
        used = self._program.array_slots
        self._given = [ranks[slot] for slot in used if ranks[slot] < len(recorded.arguments)]
        self._variables = [v for slot, v in recorded.variables.items() if slot in used]
        self._draws = [draw for slot, draw in recorded.draws.items() if slot in used]
        self._captures = [tensor for slot, tensor in recorded.captures.items() if slot in used]
        self._constants: list[Any] | None = None  # the captures, then the vectors of scalars
        # What is computed has a place among the outputs; the rest is passed on.
        places = {slot: place for place, slot in enumerate(wanted)}
        outputs = [(places.get(slot, -1), recorded.type_of(slot), slot) for slot in ends]
        count = len(recorded.results)
        self._results = outputs[:count]
        self._assigned = [
            (variable, output)
            for (variable, _), output in zip(recorded.assigned, outputs[count:], strict=True)
        ]
        self._changed = [variable for variable, _ in self._assigned]
        self._passing = {slot: type_ for place, type_, slot in outputs if place < 0}
        self._new = [(type_, place) for _, (place, type_, _) in self._assigned]
        self._one = self._changed[0] if len(self._changed) == 1 else None  # assigned alone
        self._recorded = recorded
        # Arguments of the program that are large variables which it assigns: their buffers may be
        # taken. One that is passed on as well has to stay.
        computed = {id(variable) for variable, (place, _, _) in self._assigned if place >= 0}
        read = [id(variable) for variable in self._variables]
        start = len(self._given)
        self._donatable = [
            (start + index, variable)
            for index, variable in enumerate(self._variables)
            if start + index in self._program.large
            and id(variable) in computed
            and read.count(id(variable)) == 1
        ]
        if self._passing or not self._program.executable.is_plain:
            self._donatable = []

    def call(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Runs the program and assigns the variables.

        Args:
            tensors: the arguments.

        Returns:
            The results.

        Raises:
            Exception: the error of an op that depends on values; no variable is assigned then.
            UnexpectedTracerError: if JAX transforms the caller, but did not make the variables.
        """
        if not self._changed:
            return self._run(tensors)
        if current_trace(None) is not NO_TRACE:
            for variable in self._changed:
                variable._require_same_trace()
        first = self._changed[0]
        lock = first._lock  # that of all of them
        with lock:
            if lock is first._lock:
                if JOURNALS:
                    note_assigned(self._changed)
                results = self._run(tensors)
                if Placement.is_used:
                    for variable in self._changed:
                        variable._send_home()
                return results
        return self.call(tensors)  # they share another one since

    def _run(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        if self._donatable and not WRAPPERS and not HOLDS:
            results = self._call_donating(tensors)
            if results is not None:
                return results
        arguments = self._gathered(tensors)
        if self._passing:
            return self._run_passing(tensors, arguments)
        if self._is_empty:
            return []
        try:
            outputs = self._program.execute(arguments)
        except execution.ProgramFailedError as failed:
            raise failed.name_lines(self._recorded.lines).error from None
        if self._one is not None and not HOLDS:
            ((type_, place),) = self._new
            self._one._tensor = _tensor(type_, outputs[place])
        elif self._changed:
            new = [_tensor(type_, outputs[place]) for type_, place in self._new]
            set_together(boxes_of(self._changed) if HOLDS else self._changed, new)
        return [_tensor(type_, outputs[place]) for place, type_, _ in self._results]

    def _run_passing(self, tensors: Sequence[EagerTensor], arguments: list[Any]) -> list[Any]:
        """Does what `_run` does, where results or variables are arguments as they are."""
        passed = self._passed(tensors)
        outputs: list[Any] = []
        if not self._is_empty:
            try:
                outputs = self._program.execute(arguments)
            except execution.ProgramFailedError as failed:
                raise failed.name_lines(self._recorded.lines).error from None
        ends = [*[output for _, output in self._assigned], *self._results]
        found = [
            _tensor(type_, passed[slot] if place < 0 else outputs[place])
            for place, type_, slot in ends
        ]
        count = len(self._changed)
        set_together(boxes_of(self._changed), found[:count])
        return found[count:]

    def _call_donating(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor] | None:
        """Does what `call` does, with the buffers of variables; None if JAX traces the call.

        From the call on, the variables hold tensors that wait for its results.
        """
        shared = [place for place, variable in self._donatable if not _has_free_buffer(variable)]
        program = self._program.donating(tuple([place for place, _ in self._donatable]))
        arguments = self._gathered(tensors)
        if any(isinstance(argument, Tracer) for argument in arguments):
            return None
        if program.executable.index_limits and program.wrong_indices(arguments):
            return None  # it fails, and the variables stay
        new = [_tensor(type_, None) for _, (_, type_, _) in self._assigned]
        results = [_tensor(type_, None) for _, type_, _ in self._results]
        places = [place for _, (place, _, _) in self._assigned]
        places += [place for place, _, _ in self._results]

        def store(found: Any) -> None:
            outputs = outputs_of(found, program.executable)
            for tensor, place in zip([*new, *results], places, strict=True):
                tensor._value, tensor._recording = outputs[place], None

        promised = PromisedValues(store, new, [variable._tensor for variable, _ in self._assigned])
        with promised.lock:
            for (variable, _), tensor in zip(self._assigned, new, strict=True):
                variable._tensor = tensor
            try:
                program.hand_over(arguments, shared, promised.handover)
            finally:
                promised.finish()
        return results

    def _gathered(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        """Returns the values that the program is called with."""
        variables = boxes_of(self._variables) if HOLDS else self._variables
        arguments = [tensors[place]._value for place in self._given]
        arguments += [variable._tensor._value for variable in variables]
        if not CONCRETE.issuperset(map(type, arguments)):
            held = [tensors[place] for place in self._given]
            held += [variable._tensor for variable in variables]
            arguments = [leaf_value(tensor) for tensor in held]
        for draw in self._draws:
            arguments.append(drawn_again(draw)._value)
        arguments += self._constants or self._uploaded()
        return arguments

    def text(self, tensors: Sequence[EagerTensor], stage: str) -> str:
        """Returns the program as text."""
        return self._program.text(self._gathered(tensors), stage)

    def _passed(self, tensors: Sequence[EagerTensor]) -> dict[int, Any]:
        """Returns the values in slots that are passed on as they are, before assignments."""
        passed: dict[int, Any] = {}
        recorded = self._recorded
        for slot, type_ in self._passing.items():
            if slot in recorded.variables:
                tensor = recorded.variables[slot]._seen
            elif slot in recorded.captures:
                tensor = recorded.captures[slot]
            elif slot in recorded.draws:
                tensor = drawn_again(recorded.draws[slot])
            elif slot in recorded.scalars:
                number = np.array(recorded.scalars[slot], type_.numpy_dtype)
                tensor = _tensor(type_, number)
            else:
                tensor = tensors[recorded.arguments.index(slot)]
            value = tensor._array()
            passed[slot] = on_current_device(value) if Placement.is_used else value
        return passed

    def _uploaded(self) -> list[Any]:
        """Returns what never changes, on the device, or on all of those that the program is for."""
        sharding = self._program.executable.everywhere
        values = [leaf_value(tensor) for tensor in self._captures]
        values += self._program.vectors(self._recorded.scalars)
        with jax.enable_x64(True):
            found = [
                jax.device_put(value, sharding) if _is_to_move(value, sharding) else value
                for value in values
            ]
        if not any(isinstance(value, Tracer) for value in found):  # within somebody's jax.jit
            self._constants = found
        return found


def _is_to_move(value: Any, sharding: NamedSharding | None) -> bool:
    """Whether a constant is not yet where a program wants it, which may have several devices."""
    if type(value) is np.ndarray:
        return True
    is_array = isinstance(value, jax.Array) and not isinstance(value, Tracer)
    return is_array and sharding is not None and not value.committed


def _tensor(type_: TensorType, value: Any) -> EagerTensor:
    tensor = _NEW(EagerTensor)
    tensor._type = type_
    tensor._value = value
    tensor._recording = None
    tensor._slot = 0
    return tensor


def _has_free_buffer(variable: Variable) -> bool:
    """Whether nobody but a variable can look at its value."""
    read = variable._read_at
    if read is not None and read[0] is not THREAD.recording:
        variable._read_at = None  # of a recording that has ended
    return is_free([variable._tensor], 0, 1)
