"""What the functions of texts ask of their arguments, and TensorFlow's words where they refuse."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor, HandOver
from tapefacade._core.error_texts import (
    invalid,
    kernel_prefix,
    refused_input,
    refused_value,
    shape_text,
    unsupported_objects,
)
from tapefacade._core.kernel_dtypes import INDICES
from tapefacade._core.string_arrays import StringTensor, string_tensor
from tapefacade._core.tensor import EagerTensor

Array = np.ndarray[Any, Any]
UNITS = ("BYTE", "UTF8_CHAR")
WHITE_SPACE = b" \t\n\v\f\r"  # as C has them


def string_wanted(argument: str, value: Any) -> str:
    """Words that an argument is neither `str` nor `bytes`."""
    return f"Expected string for argument '{argument}' not {value!r}."


def failed(
    kernel: str, message: str, kind: type[errors.OpError] | None = None, named: str = ""
) -> Any:
    """Makes the error of a kernel that meets a value it cannot use.

    Args:
        kernel: TensorFlow's name of the kernel.
        message: what is wrong.
        kind: the class; by default an `InvalidArgumentError`.
        named: what TensorFlow appends to the kernel's name in the message.

    Returns:
        The exception.
    """
    made: Any = kind or errors.InvalidArgumentError
    prefix, op = kernel_prefix(kernel), kernel.partition("_")[0]
    return made(None, None, f"{prefix}{message} [Op:{op}]{named}")


def misfit(kernel: str, place: int, expected: str, given: dtypes.DType) -> Exception:
    """Makes the error for a tensor whose dtype an input of a kernel cannot have."""
    return refused_input(kernel, place, expected, given.kernel_name)


def not_allowed(kernel: str, attribute: str, given: str, allowed: Iterable[str]) -> Exception:
    """Makes the error for an attribute that is not among the allowed ones."""
    return invalid(f"{refused_value(attribute, given, allowed, kernel)} [Op:{kernel}]")


def require(kernel: str, attribute: str, given: str, allowed: Iterable[str]) -> None:
    """Raises if a text that chooses among possibilities names none of them."""
    if given not in allowed:
        raise not_allowed(kernel, attribute, f'"{given}"', [f'"{choice}"' for choice in allowed])


def tensor_of(value: Any, kernel: str, place: int, dtype: dtypes.DType) -> EagerTensor:
    """Converts an input of a kernel that takes one dtype only.

    Raises:
        InvalidArgumentError: if it is a tensor of another dtype.
        TypeError: if it is a Python value that cannot have the dtype.
        HandOver: if it is a ragged tensor or the like.
    """
    if isinstance(value, CompositeTensor):
        raise HandOver(value)
    if isinstance(value, np.ndarray | np.generic | list | tuple | str | bytes | int | float | None):
        if dtype is dtypes.string and isinstance(value, np.ndarray | np.generic):
            _require_objects(value)
        if not _holds_other_tensors(value, dtype):
            return convert(value, dtype)
    tensor = convert(value)
    if tensor.dtype is not dtype:
        raise misfit(kernel, place, dtype.kernel_name, tensor.dtype)
    return tensor


def _holds_other_tensors(value: Any, dtype: dtypes.DType) -> bool:
    first = value
    while isinstance(first, list | tuple) and first:
        first = first[0]
    return isinstance(first, EagerTensor) and first.dtype is not dtype


def _require_objects(value: Any) -> None:
    if np.asarray(value).dtype.kind not in "OSUT":
        kind = type(np.asarray(value).reshape(-1)[:1].tolist()[0]).__name__ if value.size else ""
        raise ValueError(unsupported_objects(kind))


def texts(value: Any, kernel: str, place: int = 0) -> Array:
    """Returns the object array of a value that must be of texts; see `tensor_of`."""
    return tensor_of(value, kernel, place, dtypes.string)._numpy_array()


def indices(value: Any, kernel: str, attribute: str = "T") -> Array:
    """Returns the array of a value that must be of int32 or int64."""
    tensor = convert(value)
    if tensor.dtype.kernel_name not in INDICES:
        raise not_allowed(kernel, attribute, tensor.dtype.kernel_name, INDICES)
    return tensor._numpy_array()


def text_scalar(value: Any, kernel: str, place: int, what: str) -> bytes:
    """Returns a single text."""
    array: Any = texts(value, kernel, place)
    if array.ndim:
        shape = shape_text(array.shape)
        raise failed(kernel, f"{what} must be scalar, but received {shape}")
    return array[()]


def attribute_text(value: Any, argument: str) -> bytes:
    """Returns a text that must be a Python value.

    Raises:
        TypeError: if it is none.
    """
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise TypeError(string_wanted(argument, value))


def object_array(values: Iterable[Any], shape: tuple[int, ...]) -> Array:
    """Makes an array of Python objects, row by row."""
    listed = list(values)
    array = np.empty(len(listed), object)
    array[:] = listed
    return array.reshape(shape)


def text_array(values: Iterable[bytes], shape: tuple[int, ...]) -> StringTensor:
    """Makes a string tensor of texts, row by row."""
    return string_tensor(object_array(values, shape))


def each(function: Callable[[bytes], bytes], array: Array) -> StringTensor:
    """Applies a function to every text."""
    return text_array([function(text) for text in array.flat], array.shape)
