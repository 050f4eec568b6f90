"""Assignments of a whole new value to a variable."""

from abc import abstractmethod
from typing import Any

from jax.errors import UnexpectedTracerError

from tapefacade._core.convert import convert
from tapefacade._core.tensor import EagerTensor, invalid_argument
from tapefacade._ops.op import REGISTRY, Op
from tapefacade._ops.quick import record2
from tapefacade._state.attributes import Attributes
from tapefacade._state.scatter import Scatter
from tapefacade._trace.recording import THREAD
from tapefacade._trace.transforming import trace_state

ADD, SUBTRACT = REGISTRY["math.add"], REGISTRY["math.subtract"]
MESSAGE_TRANSFORMED = """Variable {} is assigned in a function that JAX transforms \
(jax.jit, jax.vmap, jax.grad, ...), but was made outside of it. JAX calls the function to see what \
it computes, which would not include the assignment. Pass the variable in and return its new value:

    @jax.jit
    def f(variable, x):
        variable.assign_add(x)
        return variable.value()

    variable.assign(f(variable, x))

Or use tf.function, in which any variable can be assigned."""


class Assigning(Attributes, Scatter):
    """The methods of a variable that put another tensor in the box."""

    _made_in: Any  # what JAX traced when the variable was made, or None

    @property
    @abstractmethod
    def _root(self) -> Any: ...

    @abstractmethod
    def _tell_tapes(self) -> None: ...

    @abstractmethod
    def _host_value(self) -> Any: ...

    @abstractmethod
    def _unread(self) -> Any: ...

    @abstractmethod
    def _put(self, tensor: EagerTensor) -> None: ...

    def _require_same_trace(self) -> None:
        """Raises if JAX transforms a function now that the variable is not made in."""
        if self._made_in != trace_state():
            raise UnexpectedTracerError(MESSAGE_TRANSFORMED.format(self.name))

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Replaces the value.

        Args:
            value: what converts to a tensor of the variable's dtype and shape.
            use_locking: accepted for TensorFlow's sake.
            name: ignored.
            read_value: return the variable.

        Returns:
            The variable, or None if `read_value` is false.

        Raises:
            ValueError: if the shape does not fit, or `value` is a tensor of another dtype.
            TypeError: if a Python value cannot have the variable's dtype.
            UnexpectedTracerError: JAX's, if the variable is from outside of a function that JAX
                transforms.

        >>> v = tf.Variable(1.0)
        >>> v.assign(2.0).numpy()
        np.float32(2.0)
        """
        tensor = self._converted(value)
        if tensor._type is not self._tensor._type and not self._shape.is_compatible_with(
            tensor.shape
        ):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable "
                f"shape {self._shape}, and the assigned value shape {tensor.shape} are "
                "incompatible."
            )
        with self._lock:
            self._put(tensor)
            self._tell_tapes()
        return self._unread() if read_value else None

    def _converted(self, value: Any) -> EagerTensor:
        if type(value) is EagerTensor and value._type.dtype is self.dtype:
            return value
        if isinstance(value, Assigning) and value.dtype is self.dtype:
            if THREAD.recording.frame is not None:
                return value.value()
            value._tell_tapes()
            return value._tensor
        return convert(value, self.dtype)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Adds to the value.

        Args:
            delta: what converts to a tensor of the variable's dtype, of the very shape of the
                value.
            use_locking: accepted for TensorFlow's sake.
            name: ignored.
            read_value: return the variable.

        Returns:
            The variable, or None if `read_value` is false.

        Raises:
            InvalidArgumentError: if the shape differs.
            ValueError: if `delta` is a tensor of another dtype.
            TypeError: if a Python value cannot have the variable's dtype.

        >>> tf.Variable(1.0).assign_add(2.0).numpy()
        np.float32(3.0)
        """
        return self._update(ADD, "AssignAddVariableOp", delta, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Subtracts from the value; see `assign_add`.

        >>> tf.Variable(1.0).assign_sub(2.0).numpy()
        np.float32(-1.0)
        """
        return self._update(SUBTRACT, "AssignSubVariableOp", delta, read_value)

    def _update(self, op: Op, kernel: str, delta: Any, read_value: bool) -> Any:
        with self._lock:
            held = self._tensor
            if type(delta) is not EagerTensor or delta._type is not held._type:
                delta = self._converted(delta)
                if delta._type.shape != held._type.shape:
                    raise invalid_argument(
                        f"Cannot update variable with shape {_brackets(held)} using a Tensor with "
                        f"shape {_brackets(delta)}, shapes must be equal. [Op:{kernel}] name: "
                    )
            if held._type.hostable and self._host_value() is not None:
                self._put(record2(op, held, delta, ()))
                self._tell_tapes()
            else:
                self._put(record2(op, self, delta, ()))
        return self._unread() if read_value else None


def _brackets(tensor: EagerTensor) -> str:
    """Returns a shape as TensorFlow's kernels write it."""
    return "[" + ",".join(str(length) for length in tensor._type.shape) + "]"
