"""Functions of Keras's JAX backend as ops: a call on tensors is recorded.

What such a function does is done by JAX, as ever: an instruction is the function and its arguments,
those that are tensors as operands and the rest as static parameters.
"""

import contextlib
import functools
import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dtypes import DType
from tapefacade._core.errors import InvalidArgumentError
from tapefacade._core.gradient_rules import DIFFERENTIABLE, NOT_DIFFERENTIABLE
from tapefacade._core.operands import is_operand, is_variable
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._core.thread_state import ThreadState
from tapefacade._core.tracebacks import shorten
from tapefacade._core.traced_errors import mark_as_of_types
from tapefacade._function.function.recorded_program import slot_in
from tapefacade._keras.backend.tensorflow_functions import called_as_on_tensorflow, is_known
from tapefacade._ops.nn.losses import label_error
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._trace.operation import Operation
from tapefacade._trace.recording import THREAD, Recording

WIDE_FLOATS = ("float64", "complex128")
DTYPES_OF_64_BITS = ("float64", "int64", "uint64", "complex128")


class _ArrayDepth(ThreadState):
    """Whether functions of the backend compute on arrays now."""

    depth = 0


_ARRAY_DEPTH = _ArrayDepth()


@contextlib.contextmanager
def on_arrays() -> Iterator[None]:
    """Makes a block in which the backend's functions compute on JAX's arrays, as they are."""
    _ARRAY_DEPTH.depth += 1
    try:
        yield
    finally:
        _ARRAY_DEPTH.depth -= 1


class KerasState:
    """Tells when Keras computes on JAX's arrays by itself: while it infers shapes."""

    variable: type | None = None  # Keras's class of variables
    floatx: ClassVar[Any] = staticmethod(lambda: "float32")
    in_stateless_scope: ClassVar[Any] = staticmethod(lambda: False)

    @classmethod
    def computes_on_arrays(cls) -> bool:
        """Whether the backend's functions have to be left alone."""
        return _ARRAY_DEPTH.depth > 0 or cls.in_stateless_scope()


class KerasOperation(Operation):
    """A function of Keras's backend as an op.

    Static are the structure of its arguments, and those that are no tensors.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        differentiable: bool,
        is_narrow: bool,
        floatx: str = "float32",
    ) -> None:
        self.function = function
        self.is_narrow = is_narrow
        self.floatx = floatx
        self.is_double = floatx == "float64"
        # Calls that it has refused, and why: Keras then does without it, at every step.
        self.refused: dict[Any, str] = {}
        self.name = f"keras.{name}"
        self.kernel = name
        self.takes_indices = name == "sparse_categorical_crossentropy"
        self.gradient = DIFFERENTIABLE if differentiable else NOT_DIFFERENTIABLE

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        key = (static, *types)
        if key in self.refused:
            raise NotImplementedError(self.refused[key])
        if any(type_.dtype is dtypes.string for type_ in types):
            raise TypeError(f"{self.name} takes no strings.")
        shapes = [jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype) for type_ in types]
        try:
            with jax.enable_x64(True):
                result = jax.eval_shape(lambda *arrays: self._call(arrays, static), *shapes)
        except NotImplementedError as error:
            if len(self.refused) < MAX_REFUSED:
                self.refused[key] = str(error)
            raise
        except (TypeError, ValueError, InvalidArgumentError) as error:
            if isinstance(error, InvalidArgumentError):
                mark_as_of_types(error)
            shorten(error)  # JAX's note on its own frames
            raise
        leaves, structure = jax.tree.flatten(result)
        if structure == LEAF_STRUCTURE:
            structure = None
        return tuple(type_of(leaf.shape, np.dtype(leaf.dtype)) for leaf in leaves), structure

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return jax.tree.leaves(self._call(arrays, static))

    def index_limit(self, static: tuple[Any, ...], types: Sequence[TensorType]) -> int | None:
        """Returns the number of classes, which the cross entropy has on its last axis."""
        args, kwargs = _arguments(static[0], static[1])
        axis = kwargs.get("axis", args[3] if len(args) > 3 else (int, -1))
        shape = types[1].shape
        return shape[-1] if axis in ((int, -1), (int, len(shape) - 1)) else None

    def error(self, details: Sequence[Any], static: tuple[Any, ...]) -> Exception:
        labels, classes = details
        return label_error(labels.astype(np.int64), classes)

    def _call(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Any:
        structure, values = static
        rest = map(_narrowed, arrays) if self.is_narrow else iter(arrays)
        leaves = [next(rest) if value is TENSOR else value[1] for value in values]
        wide = self.is_double or any(_is_wide(leaf) for leaf in leaves)
        result = self._on_arrays(structure, leaves, wide)
        if self.floatx != "float32":
            return self._with_floatx(structure, leaves, result)
        if wide and not any(_is_wide(leaf, WIDE_FLOATS) for leaf in leaves):
            return jax.tree.map(_no_double, result)  # of integers, and of default precision
        return result

    def _on_arrays(self, structure: Any, leaves: Sequence[Any], wide: bool) -> Any:
        args, kwargs = _arguments(structure, leaves)
        with on_arrays(), jax.numpy_dtype_promotion("standard"), jax.enable_x64(wide):
            return self.function(*args, **kwargs)

    def _with_floatx(self, structure: Any, leaves: Sequence[Any], result: Any) -> Any:
        """Returns the result with the dtypes that it has on TensorFlow.

        There integers become `floatx` where they become floating, not float32, and integers of 64
        bits come of such alone.
        """
        kinds = [str(getattr(leaf, "dtype", leaf)) for leaf in leaves]
        has_floats = any("float" in kind or "complex" in kind for kind in kinds)
        if _has_floats(result) and not has_floats and self.name not in KEEPING_FLOATS:
            floats = [_as_floats(leaf, self.floatx) for leaf in leaves]
            found = self._on_arrays(structure, floats, self.is_double)
            if _has_floats(found, self.floatx):
                return found
        is_wide = any(kind in DTYPES_OF_64_BITS for kind in kinds)
        return result if is_wide else jax.tree.map(_of_32_bits, result)


def _arguments(structure: Any, leaves: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """Returns the arguments of a call: those in order, and those by name."""
    if type(structure) is not tuple:
        return jax.tree.unflatten(structure, leaves)
    count = len(leaves) - len(structure)  # a tuple is the names of the last of them
    return leaves[:count], dict(zip(structure, leaves[count:], strict=True))


# The condition of one is no number; the mean of integers is float32 everywhere.
KEEPING_FLOATS = ("keras.where", "keras.mean")


def _has_floats(result: Any, dtype: str = "float") -> bool:
    """Whether arrays are floating, or of a floating dtype."""
    return any(dtype in str(array.dtype) for array in jax.tree.leaves(result))


def _as_floats(leaf: Any, floatx: str) -> Any:
    """Returns an array of integers or booleans as floating-point numbers."""
    is_exact = hasattr(leaf, "dtype") and not jax.numpy.issubdtype(leaf.dtype, np.inexact)
    return lax.convert_element_type(leaf, floatx) if is_exact else leaf


def _of_32_bits(array: Any) -> Any:
    """Returns integers of 64 bits as those of 32."""
    narrow = {"int64": np.int32, "uint64": np.uint32}.get(str(array.dtype))
    return array if narrow is None else lax.convert_element_type(array, narrow)


def _no_double(array: Any) -> Any:
    return lax.convert_element_type(array, np.float32) if array.dtype == np.float64 else array


def _narrowed(array: Any) -> Any:
    """Returns integers as Keras's functions of networks know them: labels and positions."""
    return lax.convert_element_type(array, np.int32) if array.dtype == np.int64 else array


def _is_wide(leaf: Any, names: Sequence[str] = DTYPES_OF_64_BITS) -> bool:
    """Whether an argument has 64 bits, or asks for them: else Keras knows of no such types."""
    return (leaf if isinstance(leaf, str) else str(getattr(leaf, "dtype", ""))) in names


LEAF_STRUCTURE = jax.tree.structure(0)
# What functions for JAX raise of arguments that they do not take.
REFUSALS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError, ValueError,
)  # fmt: skip
MAX_REFUSED = 256
PLAIN_TYPES = {int, bool, str, type(None)}  # values that stand for themselves


class _Tensor:
    """In the place of an operand among the static parameters."""


TENSOR = _Tensor()


def lift(
    function: Callable[..., Any], name: str, differentiable: bool = True, is_narrow: bool = False
) -> Callable[..., Any]:
    """Returns a function that records calls of a function of the backend.

    Args:
        function: the function of the backend.
        name: its name.
        differentiable: whether gradients flow through it.
        is_narrow: whether it takes 32-bit integers only.
    """
    shapes = [
        (place, name)
        for place, name in enumerate(inspect.signature(function).parameters)
        if name in ("shape", "newshape")
    ]
    operations: dict[str, KerasOperation] = {}  # by the dtype that Keras's floats have
    # Keras does without functions of recurrent networks that are not implemented.
    refusals = (*REFUSALS, NotImplementedError) if is_known(function) else REFUSALS

    @functools.wraps(function)
    def lifted(*args: Any, **kwargs: Any) -> Any:
        if KerasState.computes_on_arrays():
            return call_on_arrays(function, args, kwargs)
        for place, parameter in shapes:  # a tensor may say what a shape is
            if parameter in kwargs:
                kwargs[parameter] = shape_without_tensors(kwargs[parameter])
            elif place < len(args):
                args = (*args[:place], shape_without_tensors(args[place]), *args[place + 1 :])
        floatx = KerasState.floatx()
        operation = operations.get(floatx)
        if operation is None:
            operation = KerasOperation(function, name, differentiable, is_narrow, floatx)
            operations[floatx] = operation
        try:
            return record(operation, args, kwargs)
        except refusals as error:
            why = str(error)
        try:
            return called_as_on_tensorflow(function, args, kwargs, why)
        except Exception as error:
            shorten(error)
            raise

    lifted._lifted = function  # type: ignore[attr-defined]
    return lifted


def with_equal_indices(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `slice` or `slice_update` for indices of several types, which JAX refuses.

    A Python number among them is of 64 bits where what is sliced is, and a traced one of 32.

    Args:
        function: the function of the backend; its second parameter is the indices.
    """

    @functools.wraps(function)
    def call(inputs: Any, start_indices: Any, *rest: Any) -> Any:
        if isinstance(start_indices, list | tuple):
            kinds = [np.result_type(i.dtype) for i in start_indices if hasattr(i, "dtype")]
            dtype = jax.dtypes.canonicalize_dtype(np.result_type(np.int32, *kinds))
            start_indices = [jnp.asarray(index, dtype) for index in start_indices]
        return function(inputs, start_indices, *rest)

    return call


def shape_without_tensors(value: Any) -> Any:
    """Returns a shape without tensors."""
    if isinstance(value, EagerTensor):
        return tuple(int(size) for size in np.atleast_1d(value.numpy()))
    if isinstance(value, list | tuple) and any(isinstance(size, EagerTensor) for size in value):
        return tuple(None if size is None else int(size) for size in value)
    return value


def call_on_arrays(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Calls a function of the backend on JAX's arrays, with 64 bits if an argument has them."""
    if _ARRAY_DEPTH.depth:  # the instruction that is evaluated has decided it
        return function(*args, **kwargs)
    leaves, structure = jax.tree.flatten((args, kwargs), is_leaf=is_operand)
    wide = KerasState.floatx() == "float64" or any(map(_is_wide, leaves))
    # Tensors that the user's `jax.jit` traces are arrays to functions of JAX.
    arrays = [x._device_array() if isinstance(x, EagerTensor) else x for x in leaves]
    args, kwargs = jax.tree.unflatten(structure, arrays)
    with jax.numpy_dtype_promotion("standard"), jax.enable_x64(wide):
        return function(*args, **kwargs)


def record(operation: KerasOperation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Records a call; computes it if there are values that JAX traces among the arguments."""
    recording = _with_room()
    slots: list[int] = []
    types: list[TensorType] = []
    values: list[Any] = []
    for value in (*args, *kwargs.values()):
        kind = type(value)
        if kind is EagerTensor:
            slots.append(value._slot if value._recording is recording else recording.leaf(value))
            types.append(value._type)
            values.append(TENSOR)
        elif kind in PLAIN_TYPES or (
            kind is tuple and all(type(item) in PLAIN_TYPES for item in value)
        ):
            values.append((kind, value))
        elif kind is float:
            values.append(_static(value))
        elif kind is KerasState.variable:
            slots.append(value._slot_in(recording))
            types.append(value._type)
            values.append(TENSOR)
        else:
            return _record_nested(operation, args, kwargs)
    return _recorded(operation, (tuple(kwargs), tuple(values)), slots, types)


def _with_room() -> Recording:
    """Returns the recording of this thread; computes what is pending if that is too much."""
    recording = THREAD.recording
    at = recording.at
    if at.depth + 1 >= at.limit and (recording.is_too_long or not recording.is_held):
        recording.flush()
    return THREAD.recording


def _recorded(
    operation: KerasOperation, static: tuple[Any, ...], slots: list[int], types: list[TensorType]
) -> Any:
    recording = THREAD.recording
    tensors = recording.apply(operation, static, tuple(slots), types)
    at = recording.at
    if at.eager:
        recording.flush()
    return tensors[0] if at.structure is None else jax.tree.unflatten(at.structure, tensors)


def _record_nested(operation: KerasOperation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Records a call of which some arguments hold others, or have to be converted."""
    leaves, structure = jax.tree.flatten((args, kwargs), is_leaf=is_operand)
    recording = _with_room()
    slots: list[int] = []
    types: list[TensorType] = []
    values: list[Any] = []
    for leaf in leaves:
        if isinstance(leaf, np.ndarray | np.generic | jax.Array):
            if isinstance(leaf, Tracer):
                return _computed(operation, leaves, structure)
            leaf = convert(leaf)
        elif isinstance(leaf, IndexedSlices):
            leaf = convert(leaf)
        if isinstance(leaf, EagerTensor):
            slots.append(slot_in(recording, leaf))
        elif is_variable(leaf):
            slots.append(leaf._slot_in(recording))
        else:
            values.append(_static(leaf))
            continue
        types.append(leaf._type)
        values.append(TENSOR)
    static = (structure, tuple(values))
    try:
        hash(static)
    except TypeError:
        return _computed(operation, leaves, structure)
    return _recorded(operation, static, slots, types)


def _static(leaf: Any) -> tuple[Any, ...]:
    """Returns what stands for an argument that is no tensor, as a key of its class and value."""
    if isinstance(leaf, DType):
        leaf = leaf.name
    elif isinstance(leaf, list):  # of a class that JAX does not take apart
        leaf = tuple(leaf)
    elif isinstance(leaf, TensorShape):
        leaf = tuple(leaf.as_list())
    elif isinstance(leaf, float) and (leaf != leaf or leaf == 0.0):
        return float, math.nan if leaf != leaf else leaf, math.copysign(1.0, leaf)
    return type(leaf), leaf


def _computed(operation: KerasOperation, leaves: list[Any], structure: Any) -> Any:
    arrays = [
        leaf._device_array() if isinstance(leaf, EagerTensor)
        else leaf.__jax_array__() if is_variable(leaf) else leaf
        for leaf in leaves
    ]  # fmt: skip
    args, kwargs = jax.tree.unflatten(structure, arrays)
    with on_arrays():
        return operation.function(*args, **kwargs)
