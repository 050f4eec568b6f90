"""The part of a recording that a tape saw: its tensors, and calls of its gradient functions."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._ops.array.creation import zeros as zeros_op
from tapefacade._tape.custom_gradient_boundary import BOUNDARY, registered_gradient
from tapefacade._tape.gradient_paths import Window, slot_types
from tapefacade._trace.programs import values_of
from tapefacade._trace.recording import THREAD, RecordedValues, Recording
from tapefacade._trace.tree import Node


class TapeScope(NamedTuple):
    """The part of a recording that a tape saw, and what it watched there."""

    trace: Recording
    data: RecordedValues
    end: Node
    window: Window

    @property
    def is_open(self) -> bool:
        """Whether the thread still records there, so that slots can be used as they are."""
        return THREAD.recording is self.trace and self.trace.data is self.data

    def slot_of(self, tensor: EagerTensor) -> int | None:
        """Returns the slot of a tensor, if it has one in the recording."""
        if tensor._recording is self.trace:
            return tensor._slot
        return self.data.slots.get(id(tensor))


class OpView:
    """An op as TensorFlow shows it to a registered gradient function."""

    def __init__(
        self, node: Node, inputs: list[EagerTensor], outputs: list[EagerTensor], is_open: bool
    ) -> None:
        assert node.operation is not None
        self._operation = node.operation
        self._slots = node.inputs if is_open else None  # of the inputs, where they are of use
        self.inputs = inputs
        self.outputs = outputs
        self.type = node.operation.kernel
        self.name = node.operation.name
        statics = getattr(node.operation, "statics", ())
        self._attributes = {p.name: v for p, v in zip(statics, node.static, strict=False)}

    def get_attr(self, name: str) -> Any:
        """Returns a static parameter of the op.

        Raises:
            ValueError: if there is none of that name.
        """
        if name not in self._attributes:
            raise ValueError(
                f"Operation {self.name!r} has no attr named {name!r}; it has "
                f"{sorted(self._attributes)}."
            )
        return self._attributes[name]


def call_boundary(
    scope: TapeScope, node: Node, arrived: Sequence[EagerTensor | None]
) -> list[tuple[int, EagerTensor]]:
    """Calls the Python code of a boundary; returns the inputs' slots and gradients."""
    types = slot_types(scope.end)
    outputs = range(node.first_output, node.end)
    zeros = zeros_op
    upstream = [
        zeros(types[slot].shape, types[slot].dtype) if gradient is None else gradient
        for slot, gradient in zip(outputs, arrived, strict=True)
    ]
    if node.operation is BOUNDARY:
        inputs = node.inputs[node.static[0] :]
        results = scope.data.custom[node.first_output].call(*upstream)
    else:
        inputs = node.inputs
        kernel = node.operation.gradient.kernel  # type: ignore[union-attr]
        call = registered_gradient(kernel)
        assert call is not None
        view = OpView(
            node, tensors_in(scope, inputs, types), tensors_in(scope, outputs, types), scope.is_open
        )
        results = call(view, *upstream)
        results = list(results) if isinstance(results, list | tuple) else [results]
        if len(results) != len(inputs):
            raise ValueError(
                f"Num gradients {len(results)} generated for op {kernel} do not match num inputs "
                f"{len(inputs)}"
            )
    pairs = list(zip(inputs, results, strict=True))
    given = {slot for slot, gradient in pairs if gradient is not None}
    scope.data.note_refused(node.first_output, {slot for slot, _ in pairs} - given)
    return [
        (slot, gradient) for slot, gradient in pairs if gradient is not None and types[slot].inexact
    ]


def tensors_in(
    scope: TapeScope, slots: Sequence[int], types: dict[int, TensorType]
) -> list[EagerTensor]:
    """Returns tensors for slots of the scope's recording."""
    if not scope.is_open:
        return values_of(scope.end, scope.data, slots, types)
    found = []
    for slot in slots:
        if slot in scope.data.leaves:
            found.append(scope.data.leaves[slot])
        elif slot in scope.data.scalars:
            found += values_of(scope.end, scope.data, [slot], types)
        else:
            found.append(scope.trace.tensor_at(slot, types[slot]))
    return found
