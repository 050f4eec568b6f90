"""Keras's variables: each holds one of ours, which tapes watch and programs assign."""

import contextlib
import gc
from collections.abc import Callable
from typing import Any, ClassVar

import jax
import numpy as np
from jax.core import Tracer

from tapefacade._core.conversion import convert
from tapefacade._core.placement import Placement
from tapefacade._core.replica_places import current_replica
from tapefacade._core.tensor import EagerTensor, from_array, host_value
from tapefacade._function.function.recorded_program import slot_in
from tapefacade._keras.backend.lifted_functions import KerasState
from tapefacade._state.scopes import strategy_creator
from tapefacade._state.variable import ResourceVariable, Variable
from tapefacade._state.variable_aggregation import VariableAggregation, VariableSynchronization


def make(
    value: Any, trainable: bool, name: str, layout: Any = None,
    synchronization: str | None = None, aggregation: str | None = None,
) -> Variable:  # fmt: skip
    """Makes a variable of ours with a value that Keras has made; in a strategy's scope, its own.

    Args:
        value: the value.
        trainable: whether tapes watch it.
        name: its name.
        layout: how it is laid out on several devices, or None.
        synchronization: Keras's name of when replicas bring their values together.
        aggregation: Keras's name of how they do.
    """
    creator = strategy_creator()
    if creator is not None:
        return creator(
            ResourceVariable, initial_value=as_tensor(value), trainable=trainable, name=name,
            synchronization=VariableSynchronization[(synchronization or "auto").upper()],
            aggregation=VariableAggregation[(aggregation or "none").upper()],
        )  # fmt: skip
    sharding = getattr(layout, "backend_layout", layout)  # of Keras's `TensorLayout`
    return ResourceVariable(as_tensor(value), trainable=trainable, name=name, sharding=sharding)


def adopt(keras_variable: Any, held: Variable) -> Any:
    """Lets a variable of Keras's hold one of ours that is there already; returns it."""
    vars(keras_variable)["_facade"] = held
    return keras_variable


def synchronized(keras_variable: Any, mode: str) -> Any:
    """Lets a new variable of Keras's bring the values of replicas together when a mode says.

    Args:
        keras_variable: the variable.
        mode: Keras's name of a `tf.VariableSynchronization`, as "on_read".
    """
    vars(keras_variable)["_synchronization"] = mode
    held = vars(keras_variable).get("_facade")
    if held is not None and strategy_creator() is not None:
        adopt(keras_variable, keras_variable._made(held.value()))
    return keras_variable


def filled(number: int, shape: tuple[int, ...], dtype: str) -> EagerTensor:
    """Returns a first value that is the same number everywhere; nothing is recorded.

    An optimizer makes its slots in the middle of the first step, which would be another program
    than the next one if their values were a part of it.
    """
    return from_array(_on_device(np.full(shape, number, jax.numpy.dtype(dtype))))


def as_tensor(value: Any) -> EagerTensor:
    """Returns a value of Keras as a tensor."""
    if isinstance(value, EagerTensor):
        return value
    if isinstance(value, jax.Array):
        return from_array(value)
    return convert(value)


class AutocastScope:
    """Tells what dtype a layer computes in now."""

    autocast: ClassVar[Any] = staticmethod(lambda: None)


class VariableMembers:
    """The members that Keras's class of variables gets: each holds a variable of ours."""

    _facade: Variable | None
    _autocast: bool
    _dtype: str
    _shape: tuple[int, ...]
    value: Any
    _trainable: bool
    _name: str
    _synchronization: str | None = None
    _aggregation: str | None = None

    # What Keras asks for.

    @property
    def _value(self) -> Any:
        held = self.__dict__.get("_facade")
        if held is None:
            held = self._adopted()
        if held is None:
            return self.__dict__.get("_traced")
        if "_ndim" not in self.__dict__:
            return held._tensor  # Keras asks for the shape: a value may still wait in a checkpoint
        return held._tensor._device_array() if KerasState.computes_on_arrays() else held.value()

    @_value.setter
    def _value(self, value: Any) -> None:
        held = self.__dict__.get("_facade")
        if value is None or (isinstance(value, Tracer) and held is None):
            self.__dict__["_traced"] = value
        elif held is None:
            self.__dict__["_facade"] = self._made(value, self.__dict__.get("_layout"))
        else:
            held.assign(as_tensor(value))

    assign: Any

    def assign_add(self, value: Any) -> Any:
        """Adds to the value; no other thread assigns it meanwhile."""
        return self._changed(lambda: self + value)

    def assign_sub(self, value: Any) -> Any:
        """Subtracts from the value; no other thread assigns it meanwhile."""
        return self._changed(lambda: self - value)

    def _changed(self: Any, new: Callable[[], Any]) -> Any:
        held = self.__dict__.get("_facade")
        if held is None or current_replica() is not None:  # which meet others in `assign`
            return self.assign(new())
        lock = held._lock
        with lock:
            if lock is held._lock:
                return self.assign(new())
        return self._changed(new)  # it shares another lock since

    def __jax_array__(self) -> jax.Array:
        return self._root.__jax_array__()

    @property
    def shape(self) -> Any:
        """The shape: a `tf.TensorShape`, but where Keras infers shapes."""
        held = self.__dict__.get("_facade")
        return (
            self._shape
            if held is None or KerasState.computes_on_arrays()
            else held._tensor._type.tensor_shape
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.value, dtype, copy=copy)

    # What our ops and tapes ask of a variable.

    @property
    def _root(self) -> Variable:
        held = self.__dict__.get("_facade")
        return self._adopted() if held is None else held  # type: ignore[return-value]

    def _adopted(self) -> Variable | None:
        """Makes ours of a variable that was there before Keras was changed."""
        value = self.__dict__.pop("_value", None)
        if value is None:
            return None
        made = self.__dict__["_facade"] = self._made(value)
        return made

    def _made(self, value: Any, layout: Any = None) -> Variable:
        modes = self._synchronization, self._aggregation
        return make(value, self._trainable, self._name, layout, *modes)

    @property
    def _tensor(self) -> EagerTensor:
        return self._root._tensor

    @property
    def _type(self) -> Any:
        return self._root._type if self._cast_to() is None else self.value._type

    @property
    def _discrete(self) -> bool:
        return self._root._discrete

    @property
    def _serial(self) -> int:
        return self._root._serial

    def _slot_in(self, recording: Any) -> int:
        if self._cast_to() is None:
            return self._root._slot_in(recording)
        return slot_in(recording, self.value)

    def _cast_to(self) -> str | None:
        """Returns the dtype that a layer computes in, if the variable is cast to it there."""
        scope = AutocastScope.autocast() if self._autocast else None
        if scope is None or scope.dtype is None or self._discrete:
            return None
        return None if scope.dtype == self._dtype else scope.dtype

    def _host_value(self) -> Any:
        return self._root._host_value()

    def _string_tensor(self) -> EagerTensor:
        return self._root._string_tensor()

    def _tell_tapes(self) -> None:
        self._root._tell_tapes()

    def _put(self, tensor: EagerTensor) -> None:
        self._root._put(tensor)

    def _dense_var_to_tensor(self, *args: Any, **kwargs: Any) -> EagerTensor:
        if self._cast_to() is None:
            return self._root._dense_var_to_tensor(*args, **kwargs)
        return convert(self.value, *args[:1])

    def numpy(self) -> Any:
        """Returns the value as a NumPy array."""
        return self._root.numpy()

    def read_value(self) -> EagerTensor:
        """Returns the value as a tensor."""
        return self._root.value()

    def ref(self) -> Any:
        """Returns a hashable handle of the variable."""
        return self._root.ref()


def _on_device(array: np.ndarray[Any, Any]) -> jax.Array:
    # It is known to all, also where JAX traces a function.
    with jax.enable_x64(True), jax.ensure_compile_time_eval():
        return jax.device_put(array)


def put_on_device(counter: Any) -> None:
    """Has a first step read a counter as all later ones do, so that both are one program.

    What a step has computed is on a device; a number that Python has made is on the host, where it
    would be computed with at once.
    """
    held = counter._root._seen
    if host_value(held) is not None and not Placement.is_used:
        held._value = _on_device(held._value)


def release(keras_variable: type) -> None:
    """Gives Keras's variables back values of their own; those that have none are without one."""
    for found in gc.get_objects():
        if isinstance(found, keras_variable) and "_facade" in vars(found):
            held = vars(found).pop("_facade")
            vars(found)["_value"] = None
            with contextlib.suppress(Exception):  # what computing it, or restoring it, has raised
                vars(found)["_value"] = held._tensor._device_array()
