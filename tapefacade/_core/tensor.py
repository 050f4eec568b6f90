"""Tensors: immutable values whose computation may still be pending."""

import functools
from collections.abc import Iterator
from typing import Any, NoReturn, Protocol

import jax
import numpy as np
from jax.errors import JaxRuntimeError, TracerArrayConversionError

from tapefacade._core import dtypes, errors
from tapefacade._core.operator_types import Operators
from tapefacade._core.placement import Placement, device_name
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._core.tracebacks import shorten, shortening
from tapefacade._core.value_text import TensorText, name_of_device

EAGER_TENSOR = "'tensorflow.python.framework.ops.EagerTensor'"  # as messages name the class
NUMPY_NAMES = {"T", "astype", "ravel", "transpose", "reshape", "clip", "size", "tolist", "data"}
# What arrays and tensors of other libraries have, and how it is written here.
OTHER_NAMES = {
    **{n: f"tf.reduce_{n}(x)" for n in ("all", "any", "max", "mean", "min", "prod", "sum")},
    **{n: f"tf.{n}(x, ...)" for n in ("argmax", "argmin", "argsort", "matmul", "squeeze")},
    "backward": "tape.gradient(x, sources), of a tf.GradientTape in which x was computed",
    "copy": "tf.identity(x)",
    "detach": "tf.stop_gradient(x)",
    "dim": "x.ndim",
    "expand": "tf.broadcast_to(x, shape)",
    "flatten": "tf.reshape(x, [-1])",
    "item": "x.numpy().item()",
    "permute": "tf.transpose(x, axes)",
    "requires_grad": "tape.watch(x), in the block of a tf.GradientTape",
    "std": "tf.math.reduce_std(x)",
    "to": "tf.cast(x, dtype)",
    "unsqueeze": "tf.expand_dims(x, axis)",
    "var": "tf.math.reduce_variance(x)",
    "view": "tf.reshape(x, shape)",
}
GRAPH_NAMES = {"name", "op", "graph", "value_index"}
OPERATORS = """
    abs add and div eq floordiv ge getitem gt invert le lt matmul mod mul ne neg or pow
    radd rand rdiv rfloordiv rmatmul rmod rmul ror rpow rsub rtruediv rxor sub truediv xor
"""
MESSAGE_NUMPY_NAME = """{} object has no attribute '{}'.\x20
        If you are looking for numpy-related methods, please run the following:
        tf.experimental.numpy.experimental_enable_numpy_behavior()
      """
MESSAGE_GRAPH_NAME = "Tensor.{} is undefined when eager execution is enabled."
MESSAGE_NO_ARRAY = (
    "This tensor has no array: JAX has put another structure in its place, as jax.jacrev, "
    "jax.jacfwd and jax.hessian do for results and arguments in structures. Pass arrays to the "
    "function that is transformed, and let it return arrays: jnp.asarray(tensor)."
)
HINT_TRACED = (
    "The value belongs to a function that JAX transforms (jax.jit, jax.vmap, jax.grad): return it "
    "from the function instead of looking at it or keeping it elsewhere."
)
HINT_NUMPY_NAME = "Write `tensor.numpy().{0}`, or the function of `tf` with a similar name."


def hinted(error: Exception, hint: str) -> Exception:
    """Adds what to do to an error; its text stays TensorFlow's, for programs that compare it."""
    error.add_note(hint)
    return error


def cast_hinted(error: Exception, given: dtypes.DType, wanted: dtypes.DType) -> Exception:
    """Adds to an error about a dtype how the value is converted, where that can be."""
    if given == wanted:
        return error
    if "string" not in (given.name, wanted.name):
        return hinted(error, f"Write tf.cast(x, tf.{wanted.name}) to convert it.")
    if wanted.name == "string":
        return hinted(error, "Write tf.strings.as_string(x) to convert it.")
    return hinted(error, f"Write tf.strings.to_number(x, tf.{wanted.name}) to convert it.")


class PendingValues(Protocol):
    """What a tensor needs of the recording that will compute it."""

    def compute(self, tensor: "EagerTensor") -> None:
        """Gives `tensor` its value, or raises."""

    def symbolic_name(self, tensor: "EagerTensor") -> str | None:
        """Returns the name of a tensor in a function that is recorded now."""


class UntypedValue:
    """In the place of a type: JAX has given a tensor no array, but something else."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(MESSAGE_NO_ARRAY)


UNTYPED: Any = UntypedValue()


_RAISED_MARK = "_is_raised"
_OPEN_MARK = "_is_left_open"


def is_raised(error: Exception) -> bool:
    """Whether somebody has looked at a value that an error kept from being computed."""
    return _RAISED_MARK in error.__dict__


def leave_open(error: Exception) -> None:
    """Marks an error of what nobody may use."""
    error.__dict__[_OPEN_MARK] = True


def is_left_open(error: Exception) -> bool:
    """Whether an error is that of what nobody may use: what follows from it fails as late."""
    return _OPEN_MARK in error.__dict__


class FailedValue:
    """In the place of a value that an error kept from being computed."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error

    def raised(self) -> Exception:
        """Returns the error for someone who looks, without the traceback of the looks before."""
        self.error.__dict__[_RAISED_MARK] = True
        return self.error.with_traceback(None)


class Reference:
    """A hashable handle of a tensor or variable, equal only to handles of the same object.

    Made by `tensor.ref()`; `deref()` gives the object back.

    >>> x = tf.constant(1.0)
    >>> x.ref() in {x.ref()}
    True
    """

    __slots__ = ("_referenced",)

    def __init__(self, referenced: Any) -> None:
        self._referenced = referenced

    def deref(self) -> Any:
        """Returns the tensor or variable."""
        return self._referenced

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            return NotImplemented
        return self._referenced is other._referenced

    def __hash__(self) -> int:
        return id(self._referenced)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._referenced!r}>"


class Tensor:
    """A multi-dimensional array of one dtype: the base class of all tensors, for `isinstance`.

    Tensors are made by `tf.constant`, `tf.convert_to_tensor` and every op. They never change.
    Their values are computed when somebody looks (`numpy()`, `print`, `bool`, `np.asarray`, ...).

    >>> isinstance(tf.constant([1.0, 2.0]), tf.Tensor)
    True

    See https://www.tensorflow.org/api_docs/python/tf/Tensor.
    """

    __slots__ = ()
    __array_priority__ = 100
    # The operators that libraries give classes of their own; `_ops/operators.py` makes them.
    OVERLOADABLE_OPERATORS = frozenset(f"__{name}__" for name in OPERATORS.split())

    def __bool__(self) -> bool:
        raise TypeError(f"{type(self).__name__} has no value that could be true or false.")

    __nonzero__ = __bool__


class EagerTensor(TensorText, Operators, Tensor):
    """A tensor with a known shape and dtype, and a value that is known or pending.

    JAX's functions take and return tensors as pytrees. Of `jax.grad` and `jax.value_and_grad` JAX
    demands a function that returns an array: end it with `jnp.asarray(loss)`.
    """

    # `_value` is a NumPy or JAX array, a `FailedValue`, or None while pending. `_slot` is the place
    # in `_recording` that defines the tensor; for a tensor from outside it counts the uses.
    # What else is set, as TensorFlow allows, stands in `__dict__`, which is made by the first such
    # attribute: those of programs, Keras's mask, and of a part of a variable `_origin`, the
    # variable and the key.
    __slots__ = ("__dict__", "__weakref__", "_recording", "_slot", "_type", "_value")
    __array_priority__ = 100

    def __init__(
        self, type_: TensorType, value: Any, recording: PendingValues | None, slot: int
    ) -> None:
        self._type = type_
        self._value = value
        self._recording = recording
        self._slot = slot

    # What is known without the value.

    @property
    def dtype(self) -> dtypes.DType:
        """The `tf.DType` of the elements."""
        return self._type.dtype

    @property
    def shape(self) -> TensorShape:
        """The `tf.TensorShape`, always fully known."""
        return self._type.tensor_shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._type.shape)

    @property
    def device(self) -> str:
        """The name of the device that holds the value."""
        return device_name(self)

    backing_device = device

    def get_shape(self) -> TensorShape:
        """Returns `shape`."""
        return self._type.tensor_shape

    def set_shape(self, shape: Any) -> None:
        """Checks that the tensor has a shape that agrees with `shape`.

        Raises:
            ValueError: if it does not.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape "
                f"{as_shape(shape)}."
            )

    def ref(self) -> Reference:
        """Returns a hashable handle of this tensor, for sets and as a dictionary's key."""
        return Reference(self)

    experimental_ref = ref

    @property
    def _id(self) -> int:
        return id(self)

    # Looking at the value.

    def _array(self) -> Any:
        """Returns the value as a NumPy or JAX array, computing what is pending."""
        value = self._value
        if value is None:
            assert self._recording is not None
            self._recording.compute(self)
            value = self._value
        if type(value) is FailedValue:
            raise value.raised()
        return value

    def _ready(self) -> Any:
        """Returns the value when it is there: reading one that ran out of memory kills Python."""
        value = self._array()
        if type(value) is not np.ndarray and hasattr(value, "block_until_ready"):  # no tracer
            try:
                value.block_until_ready()
            except JaxRuntimeError as error:
                raise errors.error_of_program(error) from None
        return value

    def numpy(self) -> Any:
        """Returns the value as a NumPy array of its own, or a NumPy scalar if there are no axes.

        >>> tf.constant([1, 2]).numpy()
        array([1, 2], dtype=int32)
        """
        try:
            return np.array(self._ready())[()]
        except TracerArrayConversionError as error:
            raise hinted(error, HINT_TRACED) from None
        except Exception as error:
            shorten(error)
            raise

    def _numpy(self) -> Any:
        """Returns the value as `numpy` does, without a copy; libraries call it."""
        return self._numpy_array()[()]

    def _numpy_array(self) -> np.ndarray[Any, Any]:
        """Returns the value as a NumPy array that must not be changed."""
        try:
            return np.asarray(self._ready())
        except TracerArrayConversionError as error:
            raise hinted(error, HINT_TRACED) from None
        except Exception as error:
            shorten(error)
            raise

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:  # NumPy raises where that cannot be; what is not copied is read-only
            array = self._numpy_array().view()
            array.flags.writeable = False
            return np.array(array, dtype=dtype, copy=False)
        array = np.array(self._numpy_array())
        return array if dtype is None else array.astype(dtype, copy=False)

    def __jax_array__(self) -> jax.Array:
        return self._device_array()

    def _device_array(self) -> jax.Array:
        value = self._array()
        if type(value) is np.ndarray:
            with jax.enable_x64(True):
                return jax.device_put(value)
        return value

    def __buffer__(self, flags: int) -> memoryview:
        array: Any = self.__array__(copy=False)
        return memoryview(array)  # Python asks from version 3.12 on

    def __bytes__(self) -> bytes:
        array = self._numpy_array()
        if not array.ndim and array.dtype.kind in "iu":
            return bytes(int(array))  # as many zeros, as of any whole number
        return array.tobytes()

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._device_array().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[Any, int]:
        array: Any = self._device_array()
        return array.__dlpack_device__()

    def __bool__(self) -> bool:
        try:
            array = self._numpy_array()
        except Exception as error:
            shorten(error)
            raise
        return bool(array) if array.size else False

    def __round__(self, digits: int | None = None) -> Any:
        return self.astype  # TensorFlow has none, and says what to do instead

    def __int__(self) -> int:
        try:
            return int(self._numpy_array())
        except Exception as error:
            shorten(error)
            raise

    def __float__(self) -> float:
        try:
            return float(self._numpy_array())
        except Exception as error:
            shorten(error)
            raise

    def __complex__(self) -> complex:
        return complex(self._numpy_array()[()])

    def __index__(self) -> int:
        return self.numpy().__index__()

    def __len__(self) -> int:
        if not self._type.shape:
            raise TypeError("Scalar tensor has no `len()`")
        return self._type.shape[0]

    def __iter__(self) -> Iterator["EagerTensor"]:
        if not self._type.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        getitem = FUNCTIONS["_getitem"]
        rows = (getitem(self, row) for row in range(self._type.shape[0]))
        return FUNCTIONS["_iterating"](self._type.shape[0], rows)

    def __contains__(self, item: Any) -> bool:
        return any(bool(element == item) for element in self)

    def __format__(self, specification: str) -> str:
        if not specification and self._symbolic_name():
            return str(self)
        return format(self.numpy(), specification)

    def _symbolic_name(self) -> str | None:
        """Returns TensorFlow's name of it in a function that is recorded; else None."""
        recording = self._recording
        return recording.symbolic_name(self) if self._value is None and recording else None

    # Copies: a tensor never changes, so it is its own copy.

    def __copy__(self) -> "EagerTensor":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "EagerTensor":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return from_host, (np.array(self._numpy_array()),)

    # What a tensor is not.

    __hash__ = None  # type: ignore[assignment]  # replaced below by one that says what to do

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise hinted(
            TypeError(f"{EAGER_TENSOR} object does not support item assignment"),
            "Tensors never change: write tf.tensor_scatter_nd_update(tensor, indices, updates), or "
            "use a tf.Variable and variable[...].assign(...).",
        )

    def __delitem__(self, key: Any) -> NoReturn:
        raise TypeError(f"{EAGER_TENSOR} object doesn't support item deletion")

    def __getattr__(self, name: str) -> Any:
        if name == "assign" and hasattr(self, "_origin"):
            variable, key = self._origin
            return functools.partial(shortening(variable._assign_part), key)
        if self._type is UNTYPED:
            return getattr(UNTYPED, name)
        if name in NUMPY_NAMES:
            raise hinted(
                AttributeError(MESSAGE_NUMPY_NAME.format(type(self).__name__, name)),
                HINT_NUMPY_NAME.format(name),
            )
        if name in GRAPH_NAMES:
            raise AttributeError(MESSAGE_GRAPH_NAME.format(name))
        message = f"{EAGER_TENSOR} object has no attribute '{name}'"
        if name in OTHER_NAMES:
            raise hinted(AttributeError(message), f"Write {OTHER_NAMES[name]}.")
        raise AttributeError(message)  # in no variable: its frame, and so it, would keep the tensor

    def cpu(self) -> "EagerTensor":
        """Returns the tensor itself, or a copy on the first CPU if programs name devices."""
        if not Placement.is_used:
            return self
        with jax.enable_x64(True):
            array = jax.device_put(self._array(), jax.local_devices(backend="cpu")[0])
        return EagerTensor(self._type, array, None, 0)

    def gpu(self, gpu_index: int = 0) -> "EagerTensor":
        """Returns the tensor on a GPU.

        Raises:
            RuntimeError: if there is no such GPU.
        """
        devices = [d for d in jax.local_devices() if name_of_device(d).rsplit(":", 2)[1] == "GPU"]
        if gpu_index >= len(devices):
            raise RuntimeError(f"GPU:{gpu_index} unknown device.")
        with jax.enable_x64(True):
            array = jax.device_put(self._array(), devices[gpu_index])
        return EagerTensor(self._type, array, None, 0)

    def consumers(self) -> NoReturn:
        """Raises: tensors do not know who uses them."""
        raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")

    def eval(self, feed_dict: Any = None, session: Any = None) -> NoReturn:
        """Raises: there are no sessions; `numpy()` gives the value."""
        self._array()  # an error of this value goes first, as it has in TensorFlow
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're "
            "looking for?"
        )


class FailedResult(EagerTensor):
    """What a function that has failed gives in a `tf.function`, where nobody may use it.

    TensorFlow leaves out of a function what nobody uses, and raises for what somebody does. So
    does this: it is a tensor of which not even the dtype is known, and raises whatever is asked.
    """

    __slots__ = ("_error",)

    def __init__(self, error: Exception) -> None:
        self._error = FailedValue(error.with_traceback(None))  # it would keep the caller alive

    def _fail(self) -> NoReturn:
        error = self._error.raised()
        leave_open(error)
        raise error

    _type = _value = _recording = _slot = property(_fail)

    def _remains(self, *operands: Any) -> "FailedResult":
        return self


def failed_result(error: Exception) -> FailedResult | None:
    """Returns what a function gives that was given a `FailedResult`, if that was its error."""
    return FailedResult(error) if is_left_open(error) else None


for _name in OPERATORS.split():
    setattr(FailedResult, f"__{_name}__", FailedResult._remains)


def _unhashable(self: EagerTensor) -> NoReturn:
    raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")


EagerTensor.__hash__ = _unhashable


def _undefined(name: str) -> property:
    """Makes an attribute that is not there, and cannot be set: Python asks `__getattr__` next."""

    def get(tensor: EagerTensor) -> NoReturn:
        raise AttributeError(MESSAGE_GRAPH_NAME.format(name))

    return property(get)


for _name in GRAPH_NAMES:
    setattr(EagerTensor, _name, _undefined(_name))
# Programs and error messages name TensorFlow's module.
EagerTensor.__module__ = "tensorflow.python.framework.ops"


def from_host(array: np.ndarray[Any, Any]) -> EagerTensor:
    """Makes a tensor of a NumPy array that nobody else will change."""
    return EagerTensor(type_of(array.shape, array.dtype), array, None, 0)


def from_array(array: jax.Array) -> EagerTensor:
    """Makes a tensor of a JAX array."""
    return EagerTensor(type_of(array.shape, array.dtype), array, None, 0)


def host_value(tensor: EagerTensor) -> np.ndarray[Any, Any] | None:
    """Returns the value of a small integer or boolean tensor that is known on the host."""
    value = tensor._value
    return value if tensor._type.hostable and type(value) is np.ndarray else None
