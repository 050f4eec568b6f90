"""A recorded program that runs on its own: one dispatch, without Python and without a recording."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from tapefacade._core.generators import drawn_again
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.types import TensorType
from tapefacade._function.recorded import Recorded
from tapefacade._trace import running
from tapefacade._trace.running import CONCRETE, Program, leaf_value

_NEW = object.__new__


class Compiled:
    """The call of a recorded program outside of tapes and other functions."""

    def __init__(self, recorded: Recorded) -> None:
        given = {*recorded.arguments, *recorded.own_inputs(), *recorded.scalars}
        ends = [*recorded.results, *(slot for _, slot in recorded.assigned)]
        wanted = list(dict.fromkeys(slot for slot in ends if slot not in given))
        part, slots, nodes = recorded.slice(wanted)
        lines, firsts = [n.line for n in nodes], [n.first_output for n in nodes]
        self._program = Program(part, slots, recorded.scalars, lines, firsts)
        self._is_empty = not part.steps
        self._arguments: list[Any] = [None] * len(self._program.array_slots)
        self._arguments += self._program.vectors(recorded.scalars)
        # Where the values in the list of arguments come from, at each call.
        self._given: list[tuple[int, int]] = []
        self._variables: list[tuple[int, Any]] = []
        self._captures: list[tuple[int, EagerTensor]] = []
        self._draws: list[tuple[int, Any]] = []
        for place, slot in enumerate(self._program.array_slots):
            if slot in recorded.variables:
                self._variables.append((place, recorded.variables[slot]))
            elif slot in recorded.captures:
                self._captures.append((place, recorded.captures[slot]))
            elif slot in recorded.draws:
                self._draws.append((place, recorded.draws[slot]))
            else:
                self._given.append((place, recorded.arguments.index(slot)))
        # What is computed has a place among the outputs; the rest is passed on.
        places = {slot: place for place, slot in enumerate(wanted)}
        outputs = [(places.get(slot, -1), recorded.type_of(slot), slot) for slot in ends]
        count = len(recorded.results)
        self._results = outputs[:count]
        self._assigned = [
            (variable, output)
            for (variable, _), output in zip(recorded.assigned, outputs[count:], strict=True)
        ]
        self._passing = {slot: type_ for place, type_, slot in outputs if place < 0}
        self._recorded = recorded
        self._is_new = True

    def call(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Runs the program and assigns the variables.

        Args:
            tensors: the arguments.

        Returns:
            The results.

        Raises:
            Exception: the error of an op that depends on values; no variable is assigned then.
        """
        arguments = self._arguments.copy()
        for place, index in self._given:
            value = tensors[index]._value
            arguments[place] = value if type(value) in CONCRETE else leaf_value(tensors[index])
        for place, variable in self._variables:
            value = variable._tensor._value
            arguments[place] = value if type(value) in CONCRETE else leaf_value(variable._tensor)
        if self._is_new:
            self._upload(arguments)
        for place, draw in self._draws:
            arguments[place] = drawn_again(draw)._value
        passed = self._passed(tensors) if self._passing else {}
        outputs: list[Any] = []
        if not self._is_empty:
            try:
                outputs = self._program.execute(arguments)
            except running.ProgramFailedError as failed:
                raise failed.error from None
        for variable, (place, type_, slot) in self._assigned:
            variable._tensor = passed[slot] if place < 0 else _tensor(type_, outputs[place])
        return [
            passed[slot] if place < 0 else _tensor(type_, outputs[place])
            for place, type_, slot in self._results
        ]

    def _passed(self, tensors: Sequence[EagerTensor]) -> dict[int, EagerTensor]:
        """Returns the tensors in slots that are passed on as they are, before assignments."""
        passed: dict[int, EagerTensor] = {}
        recorded = self._recorded
        for slot, type_ in self._passing.items():
            if slot in recorded.variables:
                tensor = recorded.variables[slot]._tensor
            elif slot in recorded.captures:
                tensor = recorded.captures[slot]
            elif slot in recorded.draws:
                tensor = drawn_again(recorded.draws[slot])
            elif slot in recorded.scalars:
                number = np.array(recorded.scalars[slot], type_.numpy_dtype)
                tensor = _tensor(type_, number)
            else:
                tensor = tensors[recorded.arguments.index(slot)]
            tensor._array()
            passed[slot] = _tensor(type_, tensor._value)
        return passed

    def _upload(self, arguments: list[Any]) -> None:
        """Puts what never changes in its place among the arguments, on the device."""
        constants = [(place, leaf_value(tensor)) for place, tensor in self._captures]
        count = len(self._program.array_slots)
        constants += enumerate(self._arguments[count:], count)
        self._is_new = False
        for place, value in constants:
            if type(value) is np.ndarray:
                with jax.enable_x64(True):
                    value = jax.device_put(value)
            arguments[place] = value
            if isinstance(value, Tracer):  # within somebody's jax.jit
                self._is_new = True
            else:
                self._arguments[place] = value


def _tensor(type_: TensorType, value: Any) -> EagerTensor:
    tensor = _NEW(EagerTensor)
    tensor._type = type_
    tensor._value = value
    tensor._recording = None
    tensor._slot = 0
    return tensor
