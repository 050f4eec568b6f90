"""Unfolding: a program in which every gradient is written out as the steps that compute it.

What runs as one piece is best left as it is recorded: XLA sees the whole gradient. What runs in
pieces (`segments`) has to show them. Equal steps are one: the forward part that a gradient computes
again is the one that is there already.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from tapefacade._core.tensor_type import TensorType
from tapefacade._trace.operation import Operation
from tapefacade._trace.slices import Slice, Step

# A gradient that grows by more than this factor when it is written out is a gradient of gradients,
# which is better computed as it is.
MAX_UNFOLDING_GROWTH = 2


class Unfolded(NamedTuple):
    """An unfolded slice.

    Attributes:
        part: the slice, of which every step is needed.
        origins: the step of the original that each step stands for, -1 for those that are new.
    """

    part: Slice
    origins: list[int]


class Builder:
    """A program that grows; equal steps are one."""

    def __init__(self, inputs: Sequence[TensorType]) -> None:
        self.inputs = tuple(inputs)
        self.steps: list[Step] = []
        self.origins: list[int] = []
        self.types: list[TensorType] = list(inputs)
        self._known: dict[Any, range] = {}

    def add(
        self,
        operation: Operation,
        static: tuple[Any, ...],
        inputs: tuple[int, ...],
        types: tuple[TensorType, ...],
        alone: bool = False,
    ) -> range:
        """Adds a step, unless there is an equal one; returns the slots of its outputs.

        Args:
            operation: what it does.
            static: its static parameters.
            inputs: the slots of its operands.
            types: of its outputs.
            alone: keep it apart from equal ones: a gradient is taken with respect to its output.
        """
        key = (operation, static, inputs)
        found = None if alone else self._known.get(key)
        if found is None:
            found = range(len(self.types), len(self.types) + len(types))
            if not alone:
                self._known[key] = found
            self.types.extend(types)
            self.steps.append(Step(operation, static, inputs, (), types))
            self.origins.append(-1)
        return found

    def insert(self, part: Slice, inputs: Sequence[int]) -> list[int]:
        """Adds the steps of another slice; returns the slots of its outputs."""
        slots = list(inputs)
        for operation, static, operands, _, types in part.steps:
            slots.extend(self.add(operation, static, tuple([slots[i] for i in operands]), types))
        return [slots[slot] for slot in part.outputs]

    def copy_in(self, part: Slice, alone: frozenset[int] = frozenset()) -> list[int]:
        """Adds the unfolded steps of a slice with the same inputs; returns where its slots are.

        Args:
            part: the slice.
            alone: slots that a gradient is taken with respect to: what computes them stays apart.
        """
        slots = list(range(len(part.inputs)))
        for index, (operation, static, operands, _, types) in enumerate(part.steps):
            inputs = tuple([slots[i] for i in operands])
            # A check belongs to one step of the program, which must not be taken for another.
            apart = operation.check is not None
            if alone:
                apart = apart or not alone.isdisjoint(range(len(slots), len(slots) + len(types)))
            unfolded = None if apart else operation.unfolded(static)
            if unfolded is not None:
                slots.extend(self.insert(unfolded, inputs))
                continue
            count = len(self.steps)
            slots.extend(self.add(operation, static, inputs, types, apart))
            if len(self.steps) > count:
                self.origins[count] = index
        return slots

    def whole(self, outputs: Sequence[int]) -> Slice:
        """Returns the slice with all steps."""
        return Slice(self.inputs, tuple(self.steps), tuple(outputs))

    def build(self, outputs: Sequence[int], kept: Collection[int] = ()) -> Unfolded:
        """Returns the slice with the steps that the outputs need, and those that are `kept`."""
        first = [len(self.inputs)]
        for step in self.steps:
            first.append(first[-1] + len(step.types))
        wanted = set(outputs)
        needed = []
        for index in range(len(self.steps) - 1, -1, -1):
            step = self.steps[index]
            if index in kept or not wanted.isdisjoint(range(first[index], first[index + 1])):
                needed.append(index)
                wanted.update(step.inputs)
        local = list(range(len(self.inputs))) + [-1] * (len(self.types) - len(self.inputs))
        count = len(self.inputs)
        steps = []
        for index in reversed(needed):
            operation, static, inputs, _, types = self.steps[index]
            inputs = tuple([local[slot] for slot in inputs])
            steps.append(Step(operation, static, inputs, (), types))
            for slot in range(first[index], first[index + 1]):
                local[slot] = count
                count += 1
        part = Slice(self.inputs, tuple(steps), tuple([local[slot] for slot in outputs]))
        return Unfolded(part, [self.origins[index] for index in reversed(needed)])


def unfold(part: Slice) -> Unfolded:
    """Writes out the gradients of a program; its checks stay."""
    builder = Builder(part.inputs)
    slots = builder.copy_in(part)
    checked = {
        index
        for index, origin in enumerate(builder.origins)
        if origin >= 0 and builder.steps[index].operation.check is not None
    }
    return builder.build([slots[slot] for slot in part.outputs], checked)
