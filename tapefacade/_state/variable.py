"""Variables: boxes that hold a tensor, and put another one in their place."""

import enum
import itertools
import threading
from collections.abc import Callable
from typing import Any, NoReturn

import jax
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.convert import convert
from tapefacade._core.logging import warn
from tapefacade._core.pytree import child_of, with_child
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.shapes import TensorShape, as_shape
from tapefacade._core.tensor import UNTYPED, EagerTensor, host_value
from tapefacade._core.types import TensorType
from tapefacade._ops import operators
from tapefacade._state.assigning import Assigning
from tapefacade._state.hoisting import hoisted
from tapefacade._state.instructions import READ, READ_VALUE
from tapefacade._state.modes import VariableAggregation, VariableSynchronization
from tapefacade._state.scopes import Making, scoped
from tapefacade._trace.recording import THREAD, Recording
from tapefacade._trace.transforming import NO_TRACE, current_trace, trace_state

MESSAGE_NO_VALUE = (
    "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing "
    "a `variable_def`. You provided neither."
)
MESSAGE_IN_PLACE = (
    "`variable {0}= value` with `tf.Variable`s is not supported. Use `variable.{1}(value)` to "
    "modify the variable, or `out = variable {0} value` if you need to get a new output Tensor."
)
MESSAGE_TO_JAX = (
    "Variable %s is handed to a JAX function within a tape: what JAX computes with it has no "
    "gradient on the tape. Use the functions of `tf` (`jax_array * variable` is JAX's, "
    "`variable * jax_array` is recorded)."
)
_SERIAL = itertools.count()
_NEW, _SET = object.__new__, object.__setattr__


class Variable(Assigning, metaclass=Making):
    """A value that can change: a box around a tensor.

    Args:
        initial_value: a tensor, a value that converts to one, another variable (whose value is
            copied), or a function without arguments that returns one of these.
        trainable: tapes watch trainable variables by themselves. True by default, unless
            `synchronization` is `ON_READ`.
        validate_shape: accepted for TensorFlow's sake.
        caching_device: accepted for TensorFlow's sake.
        name: the name; `:0` is added. "Variable" by default; names need not be unique.
        variable_def: must be None.
        dtype: the dtype, which `initial_value` is converted to.
        import_scope: accepted for TensorFlow's sake.
        constraint: a function from a value to an allowed one, for optimizers to apply.
        synchronization: a `tf.VariableSynchronization`.
        aggregation: a `tf.VariableAggregation`.
        shape: the shape that values must have, unknown sizes allowed; by default the shape of
            `initial_value`.
        experimental_enable_variable_lifting: accepted for TensorFlow's sake.

    Raises:
        ValueError: if there is no initial value, or it does not fit `shape` or `dtype`.

    >>> v = tf.Variable([1.0, 2.0])
    >>> v.assign_add([1.0, 1.0]).numpy()
    array([2., 3.], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/Variable.
    """

    __array_priority__ = 100
    _made_by_creators = True

    def __new__(cls, *args: Any, **kwargs: Any) -> "Variable":
        return object.__new__(ResourceVariable if cls is Variable else cls)

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            raise ValueError(MESSAGE_NO_VALUE)
        _check_mode(synchronization, VariableSynchronization, "synchronization", name)
        _check_mode(aggregation, VariableAggregation, "aggregation", name)
        if constraint is not None and not callable(constraint):
            raise ValueError(
                f"Argument `constraint` must be None or a callable. a callable. Got a "
                f"{type(constraint)}:  {constraint}"
            )
        if name is not None and not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        tensor = hoisted(_initial(initial_value, dtype))
        if shape is None:
            shape = tensor.shape
        elif not as_shape(shape).is_compatible_with(tensor.shape):
            raise ValueError(
                "In this `tf.Variable` creation, the initial value's shape "
                f"({tensor.shape}) is not compatible with the explicitly supplied `shape` argument "
                f"({shape})."
            )
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        name = scoped("Variable" if name is None else name)
        self._set_up(tensor, trainable, name, as_shape(shape), constraint)
        self._synchronization, self._aggregation = synchronization, aggregation
        if THREAD.functions:
            THREAD.functions[-1].note_created(self)

    def _set_up(
        self, tensor: EagerTensor, trainable: bool, name: str | None, shape: TensorShape,
        constraint: Callable[[Any], Any] | None = None,
    ) -> None:  # fmt: skip
        self._tensor = tensor
        # Whether its value may be known on the host; JAX also makes variables of placeholders.
        self._discrete = tensor._type is not UNTYPED and not tensor._type.inexact
        self._trainable = trainable
        self._name = "Variable" if name is None else name
        self._shape = shape
        self._constraint = constraint
        self._synchronization = VariableSynchronization.AUTO
        self._aggregation = VariableAggregation.NONE
        self._serial = next(_SERIAL)
        self._lock = threading.RLock()
        self._made_in = None if current_trace(None) is NO_TRACE else trace_state()
        # (recording, its epoch, tensor, slot) of the last read
        self._read_at: tuple[Recording, int, EagerTensor | None, int] | None = None

    # What the engine asks for.

    @property
    def _root(self) -> "Variable":
        return self

    @property
    def _type(self) -> TensorType:
        return self._tensor._type

    def _host_value(self) -> np.ndarray[Any, Any] | None:
        if THREAD.recording.frame is not None:
            return None  # a function that is called again reads it again
        self._tell_tapes()
        return host_value(self._tensor)

    def _look(self) -> None:
        """Takes note that Python code depends on the value."""
        recording = THREAD.recording
        if recording.frame is not None:
            recording.observe()
        self._tell_tapes()

    def _slot_in(self, recording: Recording) -> int:
        """Returns the slot of this variable's value, and tells the tapes that it is read."""
        read = self._read_at
        if (
            read is not None
            and read[0] is recording
            and read[1] == recording.epoch
            and read[2] is self._tensor
        ):
            return read[3]
        return self._read_in(recording)

    def _read_in(self, recording: Recording) -> int:
        tensor = self._tensor
        read = self._read_at
        if read is not None and read[0] is recording and read[2] is tensor:
            slot = read[3]  # unchanged; a tape or a function has begun or ended since
        elif tensor._recording is recording and tensor._slot < recording.at.end:
            slot = tensor._slot
            # For the tapes: gradients stop at a read. For functions: a variable has its own slot.
            if recording.blocks or recording.frame is not None:
                (value,) = recording.apply(READ, (), (slot,), [tensor._type])
                slot = value._slot
        else:
            slot = recording.new_leaf(tensor, separate=True)
        if recording.frame is not None:
            source = tensor._slot if tensor._recording is recording else -1
            recording.frame.note_read(self._root, slot, source)
        for reference in recording.blocks:
            tape = reference()
            if tape is not None and tape._wants(self._root):
                tape._read(self._root, slot)
        self._read_at = (recording, recording.epoch, tensor, slot)
        return slot

    def _dense_var_to_tensor(
        self, dtype: dtypes.DType | None = None, name: str | None = None, as_ref: bool = False
    ) -> EagerTensor:
        if dtype is not None and dtype is not self.dtype:
            raise ValueError(
                f"Incompatible type conversion requested to type {dtype.name} for `tf.Variable of "
                f"type {self.dtype.name}. (Variable: {self!r})"
            )
        return self.value()

    def _put(self, tensor: EagerTensor) -> None:
        """Puts another tensor in the box."""
        if current_trace(None) is not NO_TRACE:
            self._require_same_trace()
        recording = THREAD.recording
        if id(self) not in recording.assigned:
            recording.assigned[id(self)] = (self, self._tensor)
        if recording.frame is not None:
            recording.frame.note_assigned(self._root)
        self._tensor = tensor
        read = self._read_at
        if read is not None:
            self._read_at = (*read[:2], None, read[3])  # lets go of the value from before

    def _unread(self) -> "Variable":
        view = _NEW(UnreadVariable)
        _SET(view, "_root", self._root)
        return view

    def _restore(self, tensor: EagerTensor) -> None:
        self._tensor = tensor

    # Reading.

    def value(self) -> EagerTensor:
        """Returns the value as a tensor.

        >>> tf.Variable(1.0).value()
        <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
        """
        recording = THREAD.recording
        if type(self._tensor) is not EagerTensor:  # strings are on the host
            self._look()
            return self._tensor
        if host_value(self._tensor) is not None and recording.frame is None:
            self._tell_tapes()
            return self._tensor
        slot = self._slot_in(recording)
        (value,) = recording.apply(READ_VALUE, (), (slot,), [self._tensor._type])
        if recording.frame is None:
            value._value = self._tensor._value  # known already, if it is
        return value

    def __jax_array__(self) -> jax.Array:
        if self._trainable and THREAD.recording.watchers():
            warn(MESSAGE_TO_JAX, self.name)
        self._look()
        return self._tensor._device_array()

    def _string_tensor(self) -> EagerTensor:
        self._look()
        return self._tensor

    def _tell_tapes(self) -> None:
        recording = THREAD.recording
        if recording.blocks and type(self._tensor) is EagerTensor:
            self._slot_in(recording)

    def is_initialized(self, name: str | None = None) -> EagerTensor:
        """Returns true: variables have a value from the start."""
        return convert(True)

    # Copies.

    def __copy__(self) -> "Variable":
        return UnreadVariable(self._root, self._name)  # shares the value, as TensorFlow's does

    def __deepcopy__(self, memo: dict[int, Any]) -> "Variable":
        copied = object.__new__(ResourceVariable)
        copied._set_up(self._tensor, self._trainable, self._name, self._shape, self._constraint)
        copied._synchronization, copied._aggregation = self._synchronization, self._aggregation
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (
            self._tensor.numpy(), self._trainable, self._name, self._shape, self._constraint,
            self._synchronization, self._aggregation,
        )  # fmt: skip


def _unpickled(
    value: Any, trainable: bool, name: str, shape: TensorShape, constraint: Any,
    synchronization: VariableSynchronization, aggregation: VariableAggregation,
) -> Variable:  # fmt: skip
    """Makes a variable anew from what it was pickled as."""
    return Variable(
        value, trainable=trainable, name=name, shape=shape, constraint=constraint,
        synchronization=synchronization, aggregation=aggregation,
    )  # fmt: skip


def _check_mode(value: Any, kind: type[enum.Enum], what: str, name: str | None) -> None:
    if not isinstance(value, kind):
        raise ValueError(f"Invalid variable {what} mode: {value} for variable: {name}")


def _initial(value: Any, dtype: Any) -> EagerTensor:
    """Converts an initial value; two variables with one array stay two boxes."""
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    if callable(value) and not isinstance(value, Variable | EagerTensor):
        value = value()
    if isinstance(value, Variable):
        value = value.value()
    try:
        return convert(value, wanted)
    except ValueError as error:
        if str(error).startswith("Tensor conversion requested"):
            raise ValueError(f"initial_value: {error}") from None
        raise


def _unhashable(self: Variable) -> NoReturn:
    raise TypeError(
        f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
    )


def _refuse(symbol: str, method: str) -> Callable[[Any, Any], NoReturn]:
    def in_place(self: Any, other: Any) -> NoReturn:
        raise RuntimeError(MESSAGE_IN_PLACE.format(symbol, method))

    return in_place


class ResourceVariable(Variable):
    """The class of all variables, under the name that TensorFlow's programs print."""


class UnreadVariable(ResourceVariable):
    """What an assignment returns: the variable itself under another name."""

    _root: Variable = None  # type: ignore[assignment]  # not the property
    _alias: str | None = None

    def __init__(self, root: Variable, name: str | None = None) -> None:
        object.__setattr__(self, "_root", root)
        object.__setattr__(self, "_alias", name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._root, name)  # it has nothing of its own

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._root, name, value)

    @property
    def name(self) -> str:
        """TensorFlow's name of it."""
        return "UnreadVariable" if self._alias is None else f"{self._alias}:0"


operators.attach(Variable)
Variable.__hash__ = _unhashable
for _name, _symbol, _method in (
    ("iadd", "+", "assign_add"), ("isub", "-", "assign_sub"), ("imul", "*", "assign"),
    ("itruediv", "/", "assign"), ("ifloordiv", "//", "assign"), ("ipow", "**", "assign"),
    ("imatmul", "@", "assign"), ("imod", "%", "assign"),
):  # fmt: skip
    setattr(Variable, f"__{_name}__", _refuse(_symbol, _method))
for _class in (Variable, ResourceVariable, UnreadVariable):
    _class.__module__ = "tensorflow.python.ops.resource_variable_ops"


def _flatten(variable: Variable) -> tuple[tuple[Any], Any]:
    aux = (variable._trainable, variable._name, variable._shape, variable._constraint)
    variable._look()
    return (child_of(variable._tensor),), aux


def _unflatten(aux: Any, children: Any) -> Variable:
    variable = object.__new__(ResourceVariable)
    variable._set_up(with_child(*children), *aux)
    return variable


for _class in (ResourceVariable, UnreadVariable):
    jax.tree_util.register_pytree_node(_class, _flatten, _unflatten)


def _part(self: Variable, key: Any) -> EagerTensor:
    """Returns a part of the value; its `assign` changes that part of the variable."""
    part = FUNCTIONS["_getitem"](self, key)
    part._origin = (self, key)
    return part


Variable.__getitem__ = _part
