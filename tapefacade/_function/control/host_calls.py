"""Calls of Python in the body of a loop: recorded as places where values come from outside.

`tf.numpy_function` needs values. While the body of a loop is recorded there are none, but where
the results of such a call have been of the same types every time, those of the next are known.
"""

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core.gradient_rules import NOT_DIFFERENTIABLE
from tapefacade._core.interned_objects import interned
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._core.thread_state import ThreadState
from tapefacade._trace.operation import Operation
from tapefacade._trace.recording import THREAD

# Calls after which the types of the results are taken to be those of all calls.
MIN_CALLS = 2
_LOCK = threading.RLock()


class HostCall(Operation):
    """The results of a call of Python in the body of a loop."""

    name = "numpy_function"
    kernel = "PyFunc"
    gradient = NOT_DIFFERENTIABLE
    acts = True

    def __init__(self, number: int, types: tuple[TensorType, ...]) -> None:
        self.number = number  # of the call, among those of the body
        self.types = types

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return self.types, None


class PythonCall:
    """A call of Python.

    Attributes:
        function: the user's function.
        run: takes arrays and numbers of NumPy, and returns some.
        expected: the shapes and dtypes of its results.
    """

    def __init__(
        self, function: Any, run: Callable[[Sequence[Any]], list[Any]],
        types: tuple[TensorType, ...],
    ) -> None:  # fmt: skip
        self.function = function
        self.run = run
        self.expected = [(tuple(type_.shape), type_.numpy_dtype) for type_ in types]


class _CollectedCalls(ThreadState):
    """The calls of Python in the body that this thread records now; None where none may be.

    Attributes:
        calls: the calls.
        recording: where they may be.
        is_too_early: whether one was not recorded only because it has not been made often enough.
    """

    calls: list[PythonCall] | None = None
    recording: Any = None
    is_too_early = False


COLLECTED_CALLS = _CollectedCalls()


class _ResultTypes:
    """The types that the results of a function have had."""

    def __init__(self, types: tuple[TensorType, ...]) -> None:
        self.types: tuple[TensorType, ...] | None = types
        self.count = 0


# By the code of the function: lambdas and methods are made anew again and again.
_RESULT_TYPES: "weakref.WeakKeyDictionary[Any, _ResultTypes]" = weakref.WeakKeyDictionary()


def _code_of(function: Any) -> Any:
    function = getattr(function, "__func__", function)
    return getattr(function, "__code__", None)


def note_types(function: Any, types: Sequence[TensorType]) -> None:
    """Takes note of the types of the results of a call."""
    code = _code_of(function)
    if code is None:
        return
    with _LOCK:
        observed = _RESULT_TYPES.setdefault(code, _ResultTypes(tuple(types)))
        observed.count += 1
        if observed.types != tuple(types):
            observed.types = None


def _known_types(function: Any) -> tuple[TensorType, ...] | None:
    observed = _RESULT_TYPES.get(_code_of(function)) if _code_of(function) is not None else None
    if observed is None or observed.count < MIN_CALLS:
        return None
    return observed.types


def _may_be_known_later(function: Any) -> bool:
    """Whether further calls may tell the types: functions in a rewritten one are others."""
    code = _code_of(function)
    observed = _RESULT_TYPES.get(code) if code is not None else None
    return code is not None and (observed is None or observed.types is not None)


def recorded_call(
    function: Any, run: Callable[[Sequence[Any]], list[Any]], inputs: Sequence[EagerTensor]
) -> list[EagerTensor] | None:
    """Records a call of Python in the body of a loop.

    Args:
        function: the user's function.
        run: calls it with arrays, and returns arrays.
        inputs: the tensors that it is called with.

    Returns:
        Tensors that stand for the results; None if this is no such place, or they are not known
        beforehand.
    """
    calls, recording = COLLECTED_CALLS.calls, THREAD.recording
    if calls is None or COLLECTED_CALLS.recording is not recording:
        return None
    types = _known_types(function)
    COLLECTED_CALLS.is_too_early = types is None and _may_be_known_later(function)
    if types is None or any(type_.numpy_dtype.kind not in "biuf" for type_ in types):
        return None
    operation = interned(HostCall, len(calls), types)
    calls.append(PythonCall(function, run, types))
    slots = tuple([_slot_in(recording, tensor) for tensor in inputs])
    return recording.apply(operation, (), slots, [tensor._type for tensor in inputs])


def _slot_in(recording: Any, tensor: EagerTensor) -> int:
    slot = recording.slot_of(tensor)
    return recording.leaf(tensor) if slot is None else slot


def types_of(arrays: Sequence[np.ndarray[Any, Any]]) -> tuple[tuple[Any, ...], ...]:
    """Returns the shapes and dtypes of arrays."""
    return tuple((array.shape, array.dtype) for array in arrays)
