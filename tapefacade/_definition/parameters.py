"""The parameters of an op: which are tensors, and how static values become hashable."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import require_one_dtype
from tapefacade._core.dispatch import CompositeTensor, HandOver
from tapefacade._core.operands import is_operand
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._trace.open_sizes import open_sizes
from tapefacade._trace.recording import THREAD
from tapefacade._trace.static_values import is_symbolic, static_value

DTYPE_NAMES = ("dtype", "out_type", "output_type")
SIZES = ("sizes", "batch_shape")  # parameters whose tensors become numbers one by one


class Parameter(NamedTuple):
    """A parameter of an implementation."""

    name: str
    kind: str  # "" static, else which dtype the tensor has: "common", "index", "bool", "free"
    form: str  # "one", "optional" or "list"


def read_parameters(signature: inspect.Signature) -> tuple[Parameter, ...]:
    """Reads the annotations of an implementation; `name` is no parameter."""
    parameters = []
    for name, parameter in signature.parameters.items():
        marks = getattr(parameter.annotation, "__metadata__", ())
        kind = marks[0] if marks else ""
        if name != "name":
            parameters.append(Parameter(name, kind, marks[1] if len(marks) > 1 else "one"))
    return tuple(parameters)


def freeze(
    parameters: tuple[Parameter, ...],
    static: tuple[Any, ...],
    other_value: Callable[[Any], Any] | None = None,
) -> tuple[Any, ...]:
    """Makes static values hashable: lists become tuples, tensors are looked at.

    Args:
        parameters: the static parameters.
        static: a value for each.
        other_value: returns what is taken for the value of a tensor, or None for its own.
    """
    if not static:
        return ()
    frozen = []
    for parameter, value in zip(parameters, static, strict=False):
        if parameter.name in DTYPE_NAMES:
            frozen.append(_dtype(value))
            continue
        if other_value is None and type(value) is tuple and _may_differ(value):
            in_function, separate = THREAD.recording.frame is not None, parameter.name in SIZES
            wanted = dtypes.int32 if in_function or separate else None
            if in_function or not (separate and _are_sizes(value)):
                require_one_dtype(value, wanted, in_function)
        frozen.append(frozen_value(value, other_value))
    return (*frozen, *static[len(parameters) :])


def _are_sizes(value: Any) -> bool:
    """Whether all tensors are integers, of which a `TensorShape` can be made."""
    return all(
        isinstance(item, EagerTensor) and item.dtype.is_integer
        for item in value
        if is_operand(item)
    )


def _may_differ(value: Any) -> bool:
    """Whether there may be tensors of several dtypes in a nested tuple or list."""
    first = None
    for item in value:
        kind = type(item)
        if kind is EagerTensor:
            first = first or item._type.dtype
            if item._type.dtype is not first:
                return True
        elif kind is tuple or kind is list:
            if _holds_operand(item):
                return True
        elif kind is not int and is_operand(item):
            return True
    return False


def _holds_operand(value: Any) -> bool:
    """Whether there are tensors or variables in a nested tuple or list."""
    return any(
        _holds_operand(item) if isinstance(item, list | tuple) else is_operand(item)
        for item in value
    )


def _dtype(value: Any) -> dtypes.DType | None:
    return None if value is None else dtypes.as_dtype(value)


def frozen_value(value: Any, other_value: Callable[[Any], Any] | None = None) -> Any:
    """Returns a hashable value that means the same.

    Args:
        value: the value.
        other_value: as for `freeze`.

    Raises:
        HandOver: if it is a value made of tensors, such as a ragged shape.
    """
    if isinstance(value, list | tuple | range) and not hasattr(value, "_fields"):
        return tuple([frozen_value(item, other_value) for item in value])
    if isinstance(value, TensorShape):
        return None if value.rank is None else tuple(value.as_list())
    if is_operand(value):
        tensor: Any = value
        other = None if other_value is None else other_value(tensor)
        if (
            other is None and isinstance(tensor, EagerTensor) and is_symbolic(tensor)
        ):  # to look would end the recording
            other = static_value(tensor._recording, tensor._slot, arithmetic=True)
        return frozen_value(tensor.numpy() if other is None else other)
    if isinstance(value, np.ndarray):
        return frozen_value(value.tolist())
    if isinstance(value, CompositeTensor):
        raise HandOver(value)
    return value.item() if isinstance(value, np.generic) else value


def with_open_sizes(result: Any, sizes: tuple[int, ...], given: Any) -> Any:
    """Takes note that sizes are unknown where a value that a function has been given decides them.

    Args:
        result: a tensor.
        sizes: what its sizes were said to be.
        given: what has said so: a tensor, or a list with tensors.

    Returns:
        `result`.
    """
    account = open_sizes()
    if account is not None:
        pairs = enumerate(zip(sizes, frozen_value(given, account.other_value), strict=True))
        account.note_unknown(result, [axis for axis, (own, other) in pairs if own != other])
    return result
