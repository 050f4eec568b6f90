"""What a variable shares with tensors and arrays: its attributes and Python's protocols."""

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.operators import Operators
from tapefacade._core.shapes import TensorShape
from tapefacade._core.showing import device_of, matrix_table, value_repr
from tapefacade._core.tensor import EagerTensor, Reference
from tapefacade._state.modes import VariableAggregation, VariableSynchronization
from tapefacade._trace.recording import THREAD


class Attributes(Operators):
    """The attributes of a variable, and how Python looks at it."""

    _tensor: EagerTensor
    _name: str
    _serial: int
    _shape: TensorShape
    _trainable: bool
    _constraint: Callable[[Any], Any] | None
    _synchronization: VariableSynchronization
    _aggregation: VariableAggregation

    def _look(self) -> None: ...

    def value(self) -> EagerTensor:
        """Returns the value as a tensor."""
        return self._tensor

    def read_value(self) -> EagerTensor:
        """Returns the value as a tensor."""
        return self.value()

    def numpy(self) -> Any:
        """Returns the value as a NumPy array of its own, or a NumPy scalar if there are no axes."""
        self._look()
        return self._tensor.numpy()

    @property
    def name(self) -> str:
        """The name, with `:0`."""
        return f"{self._name}:0"

    @property
    def _shared_name(self) -> str:
        return self._name

    @property
    def _unique_id(self) -> str:
        return f"{self._name}_{self._serial}"

    @property
    def _handle_name(self) -> str:
        return self.name

    @property
    def dtype(self) -> dtypes.DType:
        """The `tf.DType` of the value."""
        return self._tensor._type.dtype

    @property
    def shape(self) -> TensorShape:
        """The `tf.TensorShape` that every value has, with None where it may change."""
        return self._shape

    @property
    def trainable(self) -> bool:
        """Whether tapes watch the variable by themselves."""
        return self._trainable

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function that optimizers apply to new values."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """The argument of that name."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """The argument of that name."""
        return self._aggregation

    @property
    def device(self) -> str:
        """The name of the device that holds the value."""
        return device_of(self._tensor._value)

    @property
    def initializer(self) -> None:
        """None: variables have a value from the start."""
        return

    @property
    def initial_value(self) -> NoReturn:
        """Raises: the initial value is not kept."""
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    @property
    def create(self) -> NoReturn:
        """Raises: there are no graphs."""
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    @property
    def op(self) -> NoReturn:
        """Raises: there are no graphs."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """Raises: there are no graphs."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    def get_shape(self) -> TensorShape:
        """Returns `shape`."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Makes the shape that values must have more specific.

        Raises:
            ValueError: if the shapes are not compatible.
        """
        self._shape = self._shape.merge_with(shape)

    def ref(self) -> Reference:
        """Returns a hashable handle of this variable, for sets and as a dictionary's key."""
        return Reference(self)

    experimental_ref = ref

    def initialized_value(self) -> NoReturn:
        """Raises: variables have a value from the start; `value()` gives it."""
        raise NotImplementedError

    def to_proto(self, export_scope: str | None = None) -> NoReturn:
        """Raises: there are no graphs."""
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def eval(self, session: Any = None) -> NoReturn:
        """Raises: there are no sessions; `numpy()` gives the value."""
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    # Python's protocols.

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        self._look()
        return self._tensor.__array__(dtype, copy)

    def __bool__(self) -> bool:
        return bool(self.numpy())

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __complex__(self) -> complex:
        return complex(self.numpy())

    def __iter__(self) -> Iterator[EagerTensor]:
        return iter(self.value())

    def __contains__(self, item: Any) -> bool:
        return item in self.value()

    def __format__(self, specification: str) -> str:
        return (
            format(str(self), specification)
            if not specification
            else format(self.numpy(), specification)
        )

    def __repr__(self) -> str:
        if THREAD.recording.frame is not None:
            return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"
        self._look()
        return (
            f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}, "
            f"numpy={value_repr(self._tensor._shown())}>"
        )

    def _repr_html_(self) -> str | None:
        if THREAD.recording.frame is not None or self._tensor.ndim != 2:
            return None
        self._look()
        rest = "" if self._trainable else ", not trainable"
        heading = f"tf.Variable {self.name!r}: shape={self.shape}, dtype={self.dtype.name}{rest}"
        return matrix_table(self._tensor._shown(), heading)
