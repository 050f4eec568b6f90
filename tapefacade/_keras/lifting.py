"""Functions of Keras's JAX backend as ops: a call on tensors is recorded.

What such a function does is done by JAX, as ever: an instruction is the function and its arguments,
those that are tensors as operands and the rest as static parameters.
"""

import contextlib
import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from tapefacade._core.convert import convert
from tapefacade._core.dtypes import DType
from tapefacade._core.gradient import DIFFERENTIABLE, NOT_DIFFERENTIABLE
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.types import TensorType, type_of
from tapefacade._function.recorded import slot_in
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._trace.operation import Operation
from tapefacade._trace.recording import THREAD


class _Thread(threading.local):
    """Whether functions of the backend compute on arrays now."""

    def __init__(self) -> None:
        self.depth = 0


_THREAD = _Thread()


@contextlib.contextmanager
def on_arrays() -> Iterator[None]:
    """Makes a block in which the backend's functions compute on JAX's arrays, as they are."""
    _THREAD.depth += 1
    try:
        yield
    finally:
        _THREAD.depth -= 1


class Raw:
    """Tells when Keras computes on JAX's arrays by itself: while it infers shapes."""

    in_stateless_scope: Callable[[], bool] = staticmethod(lambda: False)

    @classmethod
    def now(cls) -> bool:
        """Whether the backend's functions have to be left alone."""
        return _THREAD.depth > 0 or cls.in_stateless_scope()


def is_variable(leaf: Any) -> bool:
    """Whether a value is a variable, of Keras or ours."""
    return hasattr(leaf, "_slot_in") and not isinstance(leaf, EagerTensor)


def is_leaf(value: Any) -> bool:
    """Whether a value is a tensor or a variable, which JAX must not take apart."""
    return isinstance(value, EagerTensor) or hasattr(value, "_slot_in")


class Lifted(Operation):
    """A function of the backend; static are the structure of its arguments and what is no tensor."""

    def __init__(self, function: Callable[..., Any], name: str, differentiable: bool) -> None:
        self.function = function
        self.name = f"keras.{name}"
        self.kernel = name
        self.gradient = DIFFERENTIABLE if differentiable else NOT_DIFFERENTIABLE

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        shapes = [jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype) for type_ in types]
        with jax.enable_x64(True):
            result = jax.eval_shape(lambda *arrays: self._call(arrays, static), *shapes)
        leaves, structure = jax.tree.flatten(result)
        return tuple(type_of(leaf.shape, np.dtype(leaf.dtype)) for leaf in leaves), structure

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return jax.tree.leaves(self._call(arrays, static))

    def _call(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Any:
        structure, values = static
        rest = iter(arrays)
        leaves = [next(rest) if value is TENSOR else value[1] for value in values]
        args, kwargs = jax.tree.unflatten(structure, leaves)
        with on_arrays():
            return self.function(*args, **kwargs)


class _Tensor:
    """In the place of an operand among the static parameters."""


TENSOR = _Tensor()


def lift(
    function: Callable[..., Any], name: str, differentiable: bool = True
) -> Callable[..., Any]:
    """Returns a function that records calls of a function of the backend.

    Args:
        function: the function of the backend.
        name: its name.
        differentiable: whether gradients flow through it.
    """
    operation = Lifted(function, name, differentiable)

    @functools.wraps(function)
    def lifted(*args: Any, **kwargs: Any) -> Any:
        if Raw.now():
            return function(*args, **kwargs)
        return record(operation, args, kwargs)

    lifted._lifted = function  # type: ignore[attr-defined]
    return lifted


def record(operation: Lifted, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Records a call; computes it if there are values that JAX traces among the arguments."""
    leaves, structure = jax.tree.flatten((args, kwargs), is_leaf=is_leaf)
    recording = THREAD.recording
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
        elif hasattr(leaf, "_slot_in"):
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
    recording = THREAD.recording
    tensors = recording.apply(operation, static, tuple(slots), types)
    result = jax.tree.unflatten(recording.at.structure, tensors)
    if recording.at.eager:
        recording.flush()
    return result


def _static(leaf: Any) -> tuple[type, Any]:
    """Returns what stands for an argument that is no tensor: equal values of one class are alike."""
    if isinstance(leaf, DType):
        leaf = leaf.name
    elif isinstance(leaf, list):  # of a class that JAX does not take apart
        leaf = tuple(leaf)
    return type(leaf), leaf


def _computed(operation: Lifted, leaves: list[Any], structure: Any) -> Any:
    arrays = [
        leaf._device_array() if isinstance(leaf, EagerTensor)
        else leaf.__jax_array__() if hasattr(leaf, "_slot_in") else leaf
        for leaf in leaves
    ]  # fmt: skip
    args, kwargs = jax.tree.unflatten(structure, arrays)
    with on_arrays():
        return operation.function(*args, **kwargs)


def takes_seed(function: Callable[..., Any]) -> bool:
    """Whether a function of the backend draws random numbers."""
    return "seed" in inspect.signature(function).parameters
