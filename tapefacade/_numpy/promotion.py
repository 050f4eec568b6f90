"""The dtypes of `tf.experimental.numpy`: what values become, and what several have in common."""

from typing import Any

import jax
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import MESSAGE_LARGE
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._ops.array.casting import cast

# Tensors of these dtypes hold every Python integer that programs write, or do not mind.
TAKES_INTEGERS = frozenset([dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64])


class _Settings:
    """What `experimental_enable_numpy_behavior` has set for the whole process."""

    prefer_float32 = False
    promotes = False  # whether the operators of tensors do


SETTINGS = _Settings()


def is_tensor_like(value: Any) -> bool:
    """Tells whether a value is a tensor or a variable."""
    return type(value) is EagerTensor or hasattr(value, "_type")


def _leaves(value: Any) -> list[Any]:
    """Returns what NumPy's promotion rules are asked for each number or array within a value."""
    if is_tensor_like(value):
        return [value._type.numpy_dtype]
    if isinstance(value, dtypes.DType):
        return [np.dtype(value.as_numpy_dtype)]
    if isinstance(value, list | tuple | range):
        return [leaf for item in value for leaf in _leaves(item)]
    if SETTINGS.prefer_float32 and isinstance(value, float | complex):
        return [np.dtype(np.complex64 if isinstance(value, complex) else np.float32)]
    if isinstance(value, bool):
        return [np.dtype(np.bool_)]
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return [np.dtype(np.int64)]
    if isinstance(value, jax.Array):
        return [np.dtype(value.dtype)]
    return [value]


def numpy_result_type(*values: Any) -> np.dtype[Any]:
    """Finds the common dtype of tensors, arrays, numbers and dtypes by NumPy's rules."""
    leaves = [leaf for value in values for leaf in _leaves(value)]
    return np.result_type(*leaves) if leaves else np.dtype(np.float64)


@function("experimental.numpy.result_type")
def result_type(*arrays_and_dtypes: Any) -> dtypes.DType:
    """Finds the dtype that a NumPy function gives its result for these arguments.

    Python numbers take part by their kind only: `float32` and `1.5` give `float32`.

    Args:
        arrays_and_dtypes: tensors, arrays, numbers, nested lists of these, and dtypes.

    Returns:
        A `tf.DType`.

    Raises:
        TypeError: if something is neither.

    >>> tf.experimental.numpy.result_type(tf.constant(1), 2.5)
    tf.float64
    """
    return dtypes.as_dtype(numpy_result_type(*arrays_and_dtypes))


@function("experimental.numpy.promote_types")
def promote_types(type1: Any, type2: Any) -> np.dtype[Any]:
    """Finds the smallest dtype that the values of two dtypes fit into.

    Args:
        type1: a dtype of TensorFlow's or NumPy's, a Python type, or the name of one.
        type2: another one.

    Returns:
        A NumPy dtype.

    Raises:
        TypeError: if a type is unknown.

    >>> tf.experimental.numpy.promote_types("int32", tf.float32)
    dtype('float64')
    """
    return np.promote_types(numpy_dtype(type1), numpy_dtype(type2))


@function("experimental.numpy.finfo")
def finfo(dtype: Any) -> "np.finfo[Any]":
    """Tells the limits of a floating dtype: `eps`, `max`, `min`, `tiny` and others.

    Args:
        dtype: a floating dtype of TensorFlow's or NumPy's, or its name.

    Returns:
        What `np.finfo` returns.

    Raises:
        ValueError: if the dtype is none of NumPy's floating dtypes.

    >>> tf.experimental.numpy.finfo(tf.float32).eps
    np.float32(1.1920929e-07)
    """
    return np.finfo(numpy_dtype(dtype))


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """Converts a dtype as NumPy does: `int` is int64 and `float` is float64."""
    if isinstance(dtype, dtypes.DType):
        return np.dtype(dtype.as_numpy_dtype)
    return np.dtype(dtype)


def known_dtype(dtype: Any) -> dtypes.DType:
    """Converts a dtype as NumPy does, to a `tf.DType`."""
    if isinstance(dtype, dtypes.DType):
        return dtype
    return dtypes.as_dtype(numpy_dtype(dtype))


# Tensors of arguments.


def as_tensor(value: Any, dtype: Any = None) -> Any:
    """Converts a value to a tensor with NumPy's default dtypes; casts it if `dtype` is given."""
    wanted = None if dtype is None else known_dtype(dtype)
    if type(value) is EagerTensor:
        tensor = value
    elif isinstance(value, np.ndarray | np.generic) and not SETTINGS.prefer_float32:
        tensor = convert(value)
    elif isinstance(value, list | tuple | range | float | int | complex):
        tensor = _converted(value, wanted)
    else:
        tensor = convert(value)
    return tensor if wanted is None or tensor._type.dtype is wanted else cast(tensor, wanted)


def _converted(value: Any, wanted: dtypes.DType | None) -> EagerTensor:
    """Converts Python numbers and nested lists, in which there may be tensors of any dtype."""
    common = dtypes.as_dtype(numpy_result_type(value))
    if common.is_floating and wanted is not None and wanted.is_floating:
        common = wanted  # rounds once
    return convert(_cast_within(value, common), common)


def _cast_within(value: Any, dtype: dtypes.DType) -> Any:
    if isinstance(value, list | tuple | range):
        return [_cast_within(item, dtype) for item in value]
    if is_tensor_like(value):
        return cast(value, dtype)
    if type(value) is int and dtype.is_integer and not -(2**63) <= value < 2**64:
        raise ValueError(MESSAGE_LARGE)
    return value.item() if isinstance(value, np.generic) and value.ndim == 0 else value


def promoted(*values: Any) -> list[Any]:
    """Converts values to tensors of their common dtype."""
    if values and type(values[0]) is EagerTensor and all(_same(values[0], v) for v in values):
        return [as_tensor(value) for value in values]
    return _cast_to(values, dtypes.as_dtype(numpy_result_type(*values)))


def _cast_to(values: Any, dtype: dtypes.DType) -> list[Any]:
    return [as_tensor(value, dtype) for value in values]


def pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Converts two operands to their common dtype.

    A Python number beside a tensor that can hold it stays what it is: numbers are inputs of the
    program, so that another one needs no other program.
    """
    if type(x) is EagerTensor or hasattr(x, "_type"):
        if _same(x, y) or _stays(y, x._type.dtype):
            return x, y
    elif (type(y) is EagerTensor or hasattr(y, "_type")) and _stays(x, y._type.dtype):
        return x, y
    first, second = promoted(x, y)
    return first, second


def _same(x: Any, y: Any) -> bool:
    return hasattr(y, "_type") and x._type.dtype is y._type.dtype


def _stays(number: Any, dtype: dtypes.DType) -> bool:
    kind = type(number)
    if kind is float:
        return dtype is dtypes.float64 or dtype is dtypes.float32
    return kind is int and dtype in TAKES_INTEGERS and -(2**31) <= number < 2**31


def inexact(x: Any, dtype: Any = np.float64) -> Any:
    """Converts a value to a tensor; integers and booleans become `dtype`."""
    tensor = as_tensor(x)
    return tensor if tensor._type.inexact else cast(tensor, known_dtype(dtype))


def inexact_pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Converts two operands to their common dtype, which becomes float64 if it is no floating."""
    first, second = promoted(x, y)
    return inexact(first), inexact(second)
