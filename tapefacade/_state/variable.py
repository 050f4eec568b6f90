"""`tf.Variable`: a box that holds a tensor; read, and assigned as a whole or in parts."""

import enum
import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

import jax
import numpy as np
from jax.errors import UnexpectedTracerError
from jax.sharding import NamedSharding

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import invalid, shape_text
from tapefacade._core.gradient_rules import NOT_DIFFERENTIABLE
from tapefacade._core.logging import warn
from tapefacade._core.missing_members import NO_PROTO, lacks
from tapefacade._core.operator_types import Operators
from tapefacade._core.placement import PLACED, Placement, default_device, note_device
from tapefacade._core.pytree import child_of, with_child
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import UNTYPED, EagerTensor, Reference, host_value
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tensor_type import TensorType
from tapefacade._core.tracebacks import shorten, with_short_tracebacks
from tapefacade._core.traced_errors import mark_as_of_types
from tapefacade._core.value_text import device_of, matrix_table, name_of_device, value_repr
from tapefacade._definition.fast_path import record2
from tapefacade._definition.op import REGISTRY, Op
from tapefacade._ops import operators
from tapefacade._ops.array.copying import identity, ones_like
from tapefacade._ops.array.gathering import gather, gather_nd as gather_nd_op
from tapefacade._ops.array.indexing import getitem, strided_slice_update
from tapefacade._ops.array.shaping import broadcast_to, expand_dims
from tapefacade._ops.math.segments import unsorted_segment_prod
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._state.loop_invariants import hoisted_tensor
from tapefacade._state.scopes import MESSAGE_SCOPE_NAME, VariableMeta, scoped_name
from tapefacade._state.sharding import (
    at_home,
    checked_sharding,
    pickled_sharding,
    placed,
    unpickled_sharding,
)
from tapefacade._state.variable_aggregation import VariableAggregation, VariableSynchronization
from tapefacade._trace.assignments import HOLDS, JOURNALS, box_of, locked
from tapefacade._trace.execution import CONCRETE
from tapefacade._trace.jax_transformation import NO_TRACE, current_trace, trace_state
from tapefacade._trace.open_sizes import opened_sizes
from tapefacade._trace.operation import Operation
from tapefacade._trace.recording import THREAD, Recording, note_assigned
from tapefacade._trace.tree import EDGES

MESSAGE_GRAPHS_ONLY = "This operation is not supported when eager execution is enabled."

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
SERIAL = itertools.count()
_NEW, _SET = object.__new__, object.__setattr__


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

    by_numpy = evaluate


# A variable's state is read: gradients stop here ("state blocks history").
READ = _Identity("ReadVariable")
READ.gradient = NOT_DIFFERENTIABLE
# The value of a read, as a tensor of its own.
READ_VALUE = _Identity("ReadVariableOp")
# An argument of a function: what is known outside is pending within.
ARGUMENT = _Identity("Placeholder")
# A result of a function that is a tensor from outside: a tensor of its own.
RESULT = _Identity("Identity")


@with_short_tracebacks
@lacks(
    {
        "load": "Write `assign`.",
        "count_up_to": "Write `assign_add(1)`, and compare what it returns.",
        "from_proto": NO_PROTO,
        "read_value_no_copy": "Write `read_value`.",
        "SaveSliceInfo": "Lay the variable out with `sharding`; checkpoints hold it as a whole.",
        "handle": "There is no resource behind a variable: hand the variable itself on.",
    }
)
class Variable(Operators, metaclass=VariableMeta):
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
        sharding: a `jax.sharding.NamedSharding`: how the value is divided among several devices.
            TensorFlow has no such argument. It belongs to the variable: whatever is assigned or
            restored is laid out so, and so are the slots that Keras's optimizers make for it.

    Raises:
        ValueError: if there is no initial value, or it does not fit `shape`, `dtype` or `sharding`.
        TypeError: if `sharding` is no NamedSharding.

    >>> v = tf.Variable([1.0, 2.0])
    >>> v.assign_add([1.0, 1.0]).numpy()
    array([2., 3.], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/Variable.
    """

    __array_priority__ = 100
    _made_by_creators = True
    has_copies = False  # whether the replicas of a strategy have values of their own

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
        sharding: NamedSharding | None = None,
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
            raise ValueError(MESSAGE_SCOPE_NAME)
        tensor = hoisted_tensor(_initial(initial_value, dtype))
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
        name = scoped_name("Variable" if name is None else name)
        if sharding is not None:
            sharding = checked_sharding(sharding, tensor._type.shape)
            tensor = placed(tensor, sharding)
        elif Placement.is_used:
            tensor = at_home(tensor, PLACED.home)
        self._set_up(tensor, trainable, name, as_shape(shape), constraint, sharding)
        self._synchronization, self._aggregation = synchronization, aggregation
        if THREAD.functions:
            THREAD.functions[-1].note_created(self)

    def _set_up(
        self, tensor: EagerTensor, trainable: bool, name: str | None, shape: TensorShape,
        constraint: Callable[[Any], Any] | None = None, sharding: NamedSharding | None = None,
    ) -> None:  # fmt: skip
        self._tensor = tensor
        self._home = PLACED.home  # the device it belongs to, by `tf.device`
        self._sharding = sharding  # how every value is laid out; None: as it comes
        # Whether its value may be known on the host; JAX also makes variables of placeholders.
        self._discrete = tensor._type is not UNTYPED and not tensor._type.inexact
        self._trainable = trainable
        self._name = "Variable" if name is None else name
        self._shape = shape
        self._constraint = constraint
        self._synchronization = VariableSynchronization.AUTO
        self._aggregation = VariableAggregation.NONE
        self._serial = next(SERIAL)
        self._lock = threading.RLock()
        self._made_in = None if current_trace(None) is NO_TRACE else trace_state()
        # (recording, its epoch, tensor, slot) of the last read
        self._read_at: tuple[Recording, int, EagerTensor | None, int] | None = None

    # What it is.

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
        if not Placement.is_used or self._sharding is not None:
            return device_of(self._tensor._value)
        return name_of_device(self._home or default_device())

    @property
    def sharding(self) -> NamedSharding | None:
        """How every value is divided among devices: the argument of that name."""
        return self._sharding

    @property
    def _layout(self) -> NamedSharding | None:
        return self._sharding  # under this name Keras's optimizers ask for it

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
        raise RuntimeError(MESSAGE_GRAPHS_ONLY)

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
        raise RuntimeError(MESSAGE_GRAPHS_ONLY)

    def eval(self, session: Any = None) -> NoReturn:
        """Raises: there are no sessions; `numpy()` gives the value."""
        raise RuntimeError(MESSAGE_GRAPHS_ONLY)

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
        value = host_value(self._seen)
        if value is not None and THREAD.recording.notes is not None:
            THREAD.recording.notes.is_certain = False
        return value

    def _look(self) -> None:
        """Takes note that Python code depends on the value."""
        recording = THREAD.recording
        if recording.frame is not None:
            recording.observe()
            if self._discrete:
                opened_sizes()  # it may decide some
        if recording.notes is not None:
            recording.notes.is_certain = False
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
        tensor, before = self._seen, recording.at
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
        if read is not None and read[0] is recording.enclosing:
            recording.reads_before.append((self, read))
        self._read_at = (recording, recording.epoch, tensor, slot)
        if recording.notes is not None:
            recording.notes.note_read(self, before, recording.at)
        return slot

    def _slot_entered(self, recording: Recording, tapes: Sequence[Any]) -> int:
        """Does what `_slot_in` does, in half of the time for what has not been read before.

        Args:
            recording: where only tapes have to know of a read.
            tapes: these.
        """
        if type(self)._slot_in is _SLOT_IN:
            tensor, read = self._tensor, self._read_at
            if read is not None and read[0] is recording:
                if read[2] is tensor and not tapes:
                    return read[3]  # a tape has ended since
            elif (
                tensor._recording is not recording
                and type(tensor._value) in CONCRETE
                and (node := EDGES.get((recording.at, tensor._type))) is not None
            ):
                slot = node.first
                recording.data.leaves[slot] = tensor
                recording.at = node
                for tape in tapes:
                    if tape._wants(self):
                        tape._read(self, slot)
                self._read_at = (recording, recording.epoch, tensor, slot)
                return slot
        return self._slot_in(recording)

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
        if self._sharding is not None:
            tensor = placed(tensor, self._sharding)
        elif Placement.is_used:
            tensor = at_home(tensor, self._home)
        recording = THREAD.recording
        if id(self) not in recording.assigned:
            recording.assigned[id(self)] = (self, box_of(self)._tensor if HOLDS else self._tensor)
        if recording.frame is not None:
            recording.frame.note_assigned(self._root)
        if JOURNALS:
            note_assigned([self._root])
        if recording.notes is not None:
            recording.notes.note_assigned(self, tensor, recording)
        if HOLDS:
            box_of(self)._tensor = tensor
        else:
            self._tensor = tensor
        read = self._read_at
        if read is not None:
            self._read_at = (*read[:2], None, read[3])  # lets go of the value from before

    def _followed_by(self, tensor: EagerTensor) -> list[tuple["Variable", EagerTensor]]:
        """Returns the variables that follow this one, with their values once it has a tensor."""
        return []

    def _note_put(self) -> None:
        """Does what `_put` does before the box gets another tensor."""
        if current_trace(None) is not NO_TRACE:
            self._require_same_trace()
        recording = THREAD.recording
        if id(self) not in recording.assigned:
            recording.assigned[id(self)] = (self, self._seen)
        if recording.frame is not None:
            recording.frame.note_assigned(self._root)
        if JOURNALS:
            note_assigned([self._root])
        if recording.notes is not None:
            recording.notes.is_certain = False  # a call has assigned several variables

    @property
    def _seen(self) -> EagerTensor:
        """What the box holds for this thread: another one may record a function with it."""
        return box_of(self)._tensor if HOLDS else self._tensor

    def _unread(self) -> "Variable":
        view = _NEW(UnreadVariable)
        _SET(view, "_root", self._root)
        return view

    def _send_home(self) -> None:
        """Sends what a program has computed elsewhere to the device that the variable is of."""
        box = box_of(self)
        if self._sharding is None:
            box._tensor = at_home(box._tensor, self._home)

    def _restore(self, tensor: EagerTensor) -> None:
        box_of(self)._tensor = tensor

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
        tensor = self._seen
        if host_value(tensor) is not None and recording.frame is None:
            if recording.notes is not None:
                recording.notes.is_certain = False
            self._tell_tapes()
            return at_home(tensor, self._home) if Placement.is_used else tensor
        slot = self._slot_in(recording)
        (value,) = recording.apply(READ_VALUE, (), (slot,), [tensor._type])
        if recording.frame is None:
            value._value = tensor._value  # known already, if it is
            if Placement.is_used and self._sharding is None:
                note_device(value, self._home or default_device())
        return value

    def read_value(self) -> EagerTensor:
        """Returns the value as a tensor, on the device that ops run on now."""
        return identity(self.value()) if Placement.is_used else self.value()

    def numpy(self) -> Any:
        """Returns the value as a NumPy array of its own, or a NumPy scalar if there are no axes."""
        self._look()
        return self._seen.numpy()

    def __jax_array__(self) -> jax.Array:
        if self._trainable and THREAD.recording.watchers():
            warn(MESSAGE_TO_JAX, self.name)
        self._look()
        return self._seen._device_array()

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

    # Assigning.

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
        try:
            tensor = self._converted(value)
            if tensor._type is not self._tensor._type and not self._shape.is_compatible_with(
                tensor.shape
            ):
                raise ValueError(
                    f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable "
                    f"shape {self._shape}, and the assigned value shape {tensor.shape} are "
                    "incompatible."
                )
            lock = self._lock
            with lock:
                if lock is not self._lock:  # it shares another one since
                    return self.assign(tensor, read_value=read_value)
                self._put(tensor)
                self._tell_tapes()
        except Exception as error:
            shorten(error)
            raise
        return self._unread() if read_value else None

    def _converted(self, value: Any) -> EagerTensor:
        if type(value) is EagerTensor and value._type.dtype is self.dtype:
            return value
        if isinstance(value, Variable) and value.dtype is self.dtype:
            if THREAD.recording.frame is not None:
                return value.value()
            if THREAD.recording.notes is not None:
                THREAD.recording.notes.is_certain = False
            value._tell_tapes()
            return value._seen
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
        try:
            return self._update(ADD, "AssignAddVariableOp", delta, read_value)
        except Exception as error:
            shorten(error)
            raise

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Subtracts from the value; see `assign_add`.

        >>> tf.Variable(1.0).assign_sub(2.0).numpy()
        np.float32(-1.0)
        """
        try:
            return self._update(SUBTRACT, "AssignSubVariableOp", delta, read_value)
        except Exception as error:
            shorten(error)
            raise

    def _update(self, op: Op, kernel: str, delta: Any, read_value: bool) -> Any:
        lock = self._lock
        with lock:
            if lock is not self._lock:  # it shares another one since
                return self._update(op, kernel, delta, read_value)
            held = self._seen if HOLDS else self._tensor
            if type(delta) is not EagerTensor or delta._type is not held._type:
                delta = self._converted(delta)
                if delta._type.shape != held._type.shape:
                    error = invalid(
                        f"Cannot update variable with shape {_brackets(held)} using a Tensor with "
                        f"shape {_brackets(delta)}, shapes must be equal. [Op:{kernel}] name: "
                    )
                    raise mark_as_of_types(error)
            if held._type.hostable and self._host_value() is not None:
                self._put(record2(op, held, delta, ()))
                self._tell_tapes()
            else:
                self._put(record2(op, self, delta, ()))
        return self._unread() if read_value else None

    def _require_same_trace(self) -> None:
        """Raises if JAX transforms a function now that the variable is not made in."""
        if self._made_in != trace_state():
            raise UnexpectedTracerError(MESSAGE_TRANSFORMED.format(self.name))

    # Some of its elements.

    def __getitem__(self, key: Any) -> EagerTensor:
        """Returns a part of the value; its `assign` changes that part of the variable."""
        try:
            part = getitem(self, key)
        except Exception as error:
            shorten(error)
            raise
        part._origin = (self, key)
        return part

    def _assign_part(
        self, key: Any, value: Any, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Replaces the part that `variable[key]` reads."""
        with locked([self]):
            value = convert(value, self._tensor.dtype)
            self._put(strided_slice_update(self.value(), key, value))
        return self._unread()

    def _scatter(self, path: str, indices: Any, updates: Any) -> Any:
        with locked([self]):
            updates = convert(updates, self._tensor.dtype)
            self._put(FUNCTIONS[path](self.value(), indices, updates))
        return self._unread()

    def _scatter_rows(self, path: str, sparse_delta: Any) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: "
                f"{sparse_delta}"
            )
        rows = expand_dims(convert(sparse_delta.indices), -1)
        shape = rows.shape.as_list()[:-1] + self._tensor.shape.as_list()[1:]
        updates = broadcast_to(convert(sparse_delta.values, self._tensor.dtype), shape)
        return self._scatter(path, rows, updates)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Adds `updates` to the elements or slices at `indices` (`[..., depth]`).

        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> v.scatter_nd_add([[0], [2]], [10.0, 20.0]).numpy()
        array([11.,  2., 23.], dtype=float32)
        """
        return self._scatter("tensor_scatter_nd_add", indices, updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Subtracts `updates` from the elements or slices at `indices` (`[..., depth]`)."""
        return self._scatter("tensor_scatter_nd_sub", indices, updates)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Replaces the elements or slices at `indices` (`[..., depth]`) by `updates`."""
        return self._scatter("tensor_scatter_nd_update", indices, updates)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Takes the maximum of `updates` and the elements or slices at `indices`."""
        return self._scatter("tensor_scatter_nd_max", indices, updates)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Takes the minimum of `updates` and the elements or slices at `indices`."""
        return self._scatter("tensor_scatter_nd_min", indices, updates)

    def scatter_add(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Adds the rows of a `tf.IndexedSlices`.

        Raises:
            TypeError: if `sparse_delta` is none.

        >>> v = tf.Variable([1.0, 2.0])
        >>> v.scatter_add(tf.IndexedSlices(tf.constant([5.0]), tf.constant([1]))).numpy()
        array([1., 7.], dtype=float32)
        """
        return self._scatter_rows("tensor_scatter_nd_add", sparse_delta)

    def scatter_sub(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Subtracts the rows of a `tf.IndexedSlices`."""
        return self._scatter_rows("tensor_scatter_nd_sub", sparse_delta)

    def scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replaces rows by those of a `tf.IndexedSlices`."""
        return self._scatter_rows("tensor_scatter_nd_update", sparse_delta)

    def scatter_max(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Takes the maximum of rows and those of a `tf.IndexedSlices`."""
        return self._scatter_rows("tensor_scatter_nd_max", sparse_delta)

    def scatter_min(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Takes the minimum of rows and those of a `tf.IndexedSlices`."""
        return self._scatter_rows("tensor_scatter_nd_min", sparse_delta)

    def scatter_mul(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Multiplies rows by those of a `tf.IndexedSlices`, one after the other."""
        return self._scatter_each("multiply", sparse_delta)

    def scatter_div(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Divides rows by those of a `tf.IndexedSlices`, one after the other."""
        return self._scatter_each("divide", sparse_delta)

    def _scatter_each(self, path: str, sparse_delta: Any) -> Any:
        """Combines with factors whose product (for equal rows) is computed first."""
        ones = ones_like(self.value())
        factors = unsorted_segment_prod(
            convert(sparse_delta.values, self._tensor.dtype), sparse_delta.indices, ones.shape[0]
        )
        with locked([self]):
            self._put(FUNCTIONS[path](self.value(), factors))
        return self._unread()

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replaces rows of each example: indices and values have the same leading dimensions."""
        indices = np.asarray(convert(sparse_delta.indices).numpy())
        grid = np.stack([*np.indices(indices.shape)[:-1], indices], axis=-1)
        return self._scatter("tensor_scatter_nd_update", grid, sparse_delta.values)

    def sparse_read(self, indices: Any, name: str | None = None) -> EagerTensor:
        """Returns the rows at `indices`, as `tf.gather`.

        >>> tf.Variable([1.0, 2.0]).sparse_read([1]).numpy()
        array([2.], dtype=float32)
        """
        return gather(self, indices)

    def gather_nd(self, indices: Any, name: str | None = None) -> EagerTensor:
        """Returns the elements or slices at `indices`, as `tf.gather_nd`."""
        return gather_nd_op(self, indices)

    # Python's protocols.

    def __hash__(self) -> NoReturn:
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        self._look()
        return self._seen.__array__(dtype, copy)

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
            f"numpy={value_repr(self._seen._shown())}>"
        )

    def _repr_html_(self) -> str | None:
        if THREAD.recording.frame is not None or self._tensor.ndim != 2:
            return None
        self._look()
        rest = "" if self._trainable else ", not trainable"
        heading = f"tf.Variable {self.name!r}: shape={self.shape}, dtype={self.dtype.name}{rest}"
        return matrix_table(self._seen._shown(), heading)

    # Copies.

    def __copy__(self) -> "Variable":
        return UnreadVariable(self._root, self._name)  # shares the value, as TensorFlow's does

    def __deepcopy__(self, memo: dict[int, Any]) -> "Variable":
        copied = object.__new__(ResourceVariable)
        copied._set_up(
            self._tensor, self._trainable, self._name, self._shape, self._constraint, self._sharding
        )
        copied._synchronization, copied._aggregation = self._synchronization, self._aggregation
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (
            self._tensor.numpy(), self._trainable, self._name, self._shape, self._constraint,
            self._synchronization, self._aggregation, pickled_sharding(self._sharding),
        )  # fmt: skip


def _brackets(tensor: EagerTensor) -> str:
    """Returns a shape as TensorFlow's kernels write it."""
    return shape_text(tensor._type.shape)


_SLOT_IN = Variable._slot_in


def slots_in(variables: Iterable[Variable], recording: Recording) -> list[int]:
    """Returns what each variable's `_slot_in` does, in half of the time for an optimizer's."""
    tapes = recording.tapes_of_plain_reads()
    if tapes is None:
        return [variable._slot_in(recording) for variable in variables]
    return [variable._slot_entered(recording, tapes) for variable in variables]


def _unpickled(
    value: Any, trainable: bool, name: str, shape: TensorShape, constraint: Any,
    synchronization: VariableSynchronization, aggregation: VariableAggregation,
    sharding: Any = None,
) -> Variable:  # fmt: skip
    """Makes a variable anew from what it was pickled as."""
    return Variable(
        value, trainable=trainable, name=name, shape=shape, constraint=constraint,
        synchronization=synchronization, aggregation=aggregation,
        sharding=unpickled_sharding(sharding, name),
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

    @property
    def op(self) -> None:  # type: ignore[override]
        """None: the assignment has happened."""
        return


operators.attach(Variable)
for _name, _symbol, _method in (
    ("iadd", "+", "assign_add"), ("isub", "-", "assign_sub"), ("imul", "*", "assign"),
    ("itruediv", "/", "assign"), ("ifloordiv", "//", "assign"), ("ipow", "**", "assign"),
    ("imatmul", "@", "assign"), ("imod", "%", "assign"),
):  # fmt: skip
    setattr(Variable, f"__{_name}__", _refuse(_symbol, _method))
for _class in (Variable, ResourceVariable, UnreadVariable):
    _class.__module__ = "tensorflow.python.ops.resource_variable_ops"


def _flatten(variable: Variable) -> tuple[tuple[Any], Any]:
    aux = (
        variable._trainable,
        variable._name,
        variable._shape,
        variable._constraint,
        variable._sharding,
    )
    variable._look()
    return (child_of(variable._tensor),), aux


def _unflatten(aux: Any, children: Any) -> Variable:
    variable = object.__new__(ResourceVariable)
    variable._set_up(with_child(*children), *aux)
    return variable


for _class in (ResourceVariable, UnreadVariable):
    jax.tree_util.register_pytree_node(_class, _flatten, _unflatten)
