"""Values in the place of those that a function looks at, where only its results are described.

`get_concrete_function` records a function without values. One whose Python looks at some, as it
makes a dataset of an argument or repeats what changes its shape, can still say what it returns:
Python goes on with these, and what depends on them is found by going on with others as well.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.slices import needed
from tapefacade._trace.tree import Node, users_line

# What Python goes on with; first not 1, which sizes are broadcast from.
EXAMPLE_NUMBERS = (2, 3, 1, 0)
MAX_LOOKS = 64  # a loop that goes on until a value has changed would never end
MAX_ELEMENTS = 1 << 22
# Of shape arithmetic.
MAX_STEPS = 32
MAX_GIVEN_ELEMENTS = 1 << 12
GIVEN = ("ReadVariable", "Placeholder")  # the kernels of what a function gets from outside


class ExampleValues:
    """The values of one recording.

    Attributes:
        number: what integers and floating-point numbers are.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self._looks_left = MAX_LOOKS
        self._answer = False  # the last one to a condition: loops end

    def value_of(self, tensor: EagerTensor) -> np.ndarray:
        """Returns a value for a tensor: of shape arithmetic what it gives for such numbers.

        Raises:
            ValueWanted: if there have been too many, or it would be too large.
        """
        type_ = tensor._type
        self._looks_left -= 1
        if self._looks_left < 0 or type_.size > MAX_ELEMENTS or type_.dtype.name == "string":
            raise ValueWanted(users_line())
        if type_.dtype.is_bool:
            self._answer = not self._answer
            return np.full(type_.shape, self._answer)
        found = shape_arithmetic(tensor, self._filled)
        return self._filled(type_) if found is None else found

    def _filled(self, type_: TensorType) -> np.ndarray:
        return np.full(type_.shape, self.number, type_.numpy_dtype)


def shape_arithmetic(
    tensor: EagerTensor, value_of: Callable[[TensorType], np.ndarray]
) -> np.ndarray | None:
    """Computes a pending tensor of integers by NumPy.

    Args:
        tensor: the tensor.
        value_of: returns what is taken for what a function has been given, by its type.

    Returns:
        The value; None if it takes more than shape arithmetic.
    """
    recording: Any = tensor._recording
    values = {} if tensor._type.hostable else None
    nodes = None if values is None else _steps(recording, tensor._slot, values, value_of)
    if values is None or nodes is None:
        return None
    for node in nodes:
        operation: Any = node.operation
        arrays = [values[slot] for slot in node.inputs]
        try:
            found = operation.by_numpy(arrays, node.static)
        except Exception:  # such numbers do not fit
            return None
        if found is None:
            return None
        values.update(zip(range(node.first_output, node.end), found, strict=True))
    return np.asarray(values[tensor._slot])


def _steps(
    recording: Any, slot: int, values: dict[int, Any], value_of: Callable[[TensorType], np.ndarray]
) -> list[Node] | None:
    """Returns what computes a slot of what a function has been given, if it is not much.

    Args:
        recording: what has the slot.
        slot: the slot.
        values: takes the values of the slots that these steps begin with.
        value_of: as for `shape_arithmetic`.
    """
    at: Node | None = recording.at
    types: dict[int, TensorType] = {}
    while at is not None:
        is_given = at.operation is None or at.operation.kernel in GIVEN
        end = at.end if is_given else at.first_output
        types.update({own: at.types[own - at.first] for own in range(at.first, end)})
        at = at.parent
    nodes = needed(recording.at, [slot], types)
    used = {own for node in nodes for own in node.inputs if own in types}
    if len(nodes) > MAX_STEPS or any(types[own].size > MAX_GIVEN_ELEMENTS for own in used):
        return None
    for own in used | ({slot} & types.keys()):
        known, scalar = recording.data.leaves.get(own), recording.data.scalars.get(own)
        if scalar is not None:
            values[own] = np.asarray(scalar, types[own].numpy_dtype)
        elif known is not None and known._value is not None:
            values[own] = known._numpy_array()
        else:
            values[own] = value_of(types[own])
    return nodes
