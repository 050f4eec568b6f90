"""Functions of Keras's backend that make tensors or tell what they are."""

import types
from collections.abc import Callable
from typing import Any

import numpy as np
from jax.core import Tracer

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.thread_state import ThreadState
from tapefacade._keras.backend.lifted_functions import KerasState, call_on_arrays
from tapefacade._keras.keras2.registered_types import stands_for_tensor
from tapefacade._ops.array.casting import cast as cast_op
from tapefacade._ops.array.copying import stop_gradient as stop_gradient_op
from tapefacade._ops.array.gathering import gather
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shaping import reshape


class _Numbers(ThreadState):
    """What Python's numbers have become, while an optimizer updates its variables.

    Each variable takes the same tensors then, so that what follows from these is computed once.
    """

    known: dict[Any, EagerTensor] | None = None


NUMBERS = _Numbers()


def core_functions(core: types.ModuleType) -> dict[Any, Any]:
    """Returns our versions of the functions that make tensors or tell what they are."""
    convert_to_keras = _converting(core, core.convert_to_tensor)

    def cast(x: Any, dtype: Any) -> Any:
        if not isinstance(x, float):
            return convert_to_keras(x, dtype)
        known = None if KerasState.computes_on_arrays() else NUMBERS.known
        found = None if known is None else known.get((x.hex(), dtype))
        if found is None:  # it has Keras's precision first
            found = convert_to_keras(convert_to_keras(x), dtype)
            if known is not None and type(found) is EagerTensor and found._value is not None:
                known[x.hex(), dtype] = found
        return found

    def convert_to_numpy(x: Any) -> Any:
        return np.array(x)

    def is_tensor(x: Any, original: Any = core.is_tensor) -> bool:
        is_composite = isinstance(x, CompositeTensor) and x._is_tensor
        return is_composite or isinstance(x, EagerTensor) or original(x) or stands_for_tensor(x)

    def shape(x: Any) -> Any:
        return tuple(x.shape.as_list()) if isinstance(x, EagerTensor) else tuple(x.shape)

    return {
        core.convert_to_tensor: convert_to_keras,
        core.cast: cast,
        core.convert_to_numpy: convert_to_numpy,
        core.is_tensor: is_tensor,
        core.shape: shape,
    }


def _converting(core: types.ModuleType, original: Callable[..., Any]) -> Callable[..., Any]:
    def convert_to_keras(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
        if isinstance(x, CompositeTensor):
            return x
        if KerasState.computes_on_arrays() or isinstance(x, Tracer):
            if isinstance(x, core.JaxVariable):
                x = x.value
            return call_on_arrays(original, (x, dtype, sparse, ragged), {})
        if dtype is not None:
            dtype = core.standardize_dtype(dtype)
        if isinstance(x, core.JaxVariable):
            x = x.value
        if not isinstance(x, EagerTensor):
            x = _tensor(x, dtype)
        if dtype is not None and x.dtype.name != dtype:
            return cast_op(x, dtype)
        return x

    return convert_to_keras


def array_function(convert_to_keras: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `array`, which makes tensors."""

    def array(x: Any, dtype: Any = None) -> Any:
        return convert_to_keras(x, dtype)

    return array


def stop_gradient_of_tensors(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `stop_gradient`."""

    def stop_gradient(variable: Any) -> Any:
        if KerasState.computes_on_arrays():
            return original(variable)
        return stop_gradient_op(variable)

    return stop_gradient


def take_with_row_gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `take` as a gather: its gradient is made of rows, and other indices are refused."""

    def take(x: Any, indices: Any, axis: int | None = None) -> Any:
        if KerasState.computes_on_arrays():
            return function(x, indices, axis=axis)
        if not hasattr(x, "shape"):
            x = convert_to_tensor(x)
        indices = convert_to_tensor(indices)
        if axis is None:
            x, axis = reshape(x, [-1]), 0
        is_signed = indices.dtype.is_integer and not indices.dtype.is_unsigned
        if is_signed and axis in range(-len(x.shape), len(x.shape)):
            indices = where(indices < 0, indices + x.shape[axis], indices)
        return gather(x, indices, axis=axis)

    take.__doc__ = function.__doc__
    return take


def _tensor(x: Any, dtype: str | None) -> EagerTensor:
    try:
        return convert_to_tensor(x, dtype)
    except (TypeError, ValueError):
        pass  # what the next line raises is no error while another is handled
    return convert_to_tensor(x)
