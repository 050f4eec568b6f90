"""What ops take as it is: tensors, and variables, from which they read a tensor.

The protocol is that of `tf.Variable` and of Keras's variables, which the modules below those of the
variables cannot import.
"""

from typing import Any, Protocol, TypeGuard

import jax
import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType


class VariableLike(Protocol):
    """A value that may change: what ops, tapes and functions ask of a variable."""

    @property
    def _type(self) -> TensorType:
        """The shape and dtype of the tensor that ops get."""
        ...

    @property
    def _discrete(self) -> bool:
        """Whether it holds integers, booleans or texts, whose values may be known on the host."""
        ...

    @property
    def _root(self) -> Any:
        """The `tf.Variable` itself, of which this may be another name."""
        ...

    def _slot_in(self, recording: Any) -> int:
        """Returns the slot of the value in a recording, and tells the tapes that it is read."""
        ...

    def _host_value(self) -> np.ndarray[Any, Any] | None:
        """Returns the value if it is known on the host and nobody has to read it again."""
        ...

    def _string_tensor(self) -> EagerTensor:
        """Returns the value of a variable of texts."""
        ...

    @property
    def dtype(self) -> Any:
        """The dtype of the value."""
        ...

    def numpy(self) -> Any:
        """Returns the value as a NumPy array."""
        ...

    def __jax_array__(self) -> jax.Array: ...


Operand = EagerTensor | VariableLike


def is_variable(value: Any) -> TypeGuard[VariableLike]:
    """Whether a value is a variable: ours or Keras's."""
    return hasattr(value, "_slot_in")


def is_operand(value: Any) -> TypeGuard[Operand]:
    """Whether a value is a tensor or a variable."""
    return isinstance(value, EagerTensor) or hasattr(value, "_slot_in")
