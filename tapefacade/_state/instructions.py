"""What reading a variable records."""

from collections.abc import Sequence
from typing import Any

from tapefacade._core.gradient import NOT_DIFFERENTIABLE
from tapefacade._core.types import TensorType
from tapefacade._trace.operation import Operation


class _Identity(Operation):
    """Passes a value on."""

    def __init__(self, name: str) -> None:
        self.name = self.kernel = name

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return tuple(types), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return arrays


# A variable's state is read: gradients stop here ("state blocks history").
READ = _Identity("ReadVariable")
READ.gradient = NOT_DIFFERENTIABLE
# The value of a read, as a tensor of its own.
READ_VALUE = _Identity("ReadVariableOp")
# An argument of a function: what is known outside is pending within.
ARGUMENT = _Identity("Placeholder")
