"""Conversion of Python and NumPy values to tensors, with TensorFlow's rules."""

import math
from typing import Any, ClassVar

import jax
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.annotations import described
from tapefacade._core.conversion_registry import REGISTERED, registered_conversion
from tapefacade._core.dispatch import CompositeTensor, HandOver
from tapefacade._core.error_texts import (
    MESSAGE_LARGE,
    MESSAGE_MIXED,
    MESSAGE_RAGGED,
    inconvertible,
    invalid,
    kernel_suffix,
    mixed_list,
    unsupported_objects,
    unsupported_value,
    wrong_input,
)
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.string_arrays import StringTensor, text_tensor
from tapefacade._core.tensor import EagerTensor, Tensor, cast_hinted, from_array, from_host
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tracebacks import shorten, shortening

INT32 = np.iinfo(np.int32)
INT64 = np.iinfo(np.int64)
FLOAT32_MAX = float(np.finfo(np.float32).max)
SCALARS = (bool, int, float, complex, str, bytes)
NO_OBJECTS = (list, tuple, range, *SCALARS)


class Captures:
    """What stands for a tensor from outside in the function that is recorded now, if one is."""

    captured: ClassVar[Any] = staticmethod(lambda tensor: tensor)


@described
def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> EagerTensor:
    """Converts a Python or NumPy value, or a variable, to a tensor.

    Args:
        value: a tensor, variable, number, array, or a nested list of these.
        dtype: the dtype of the result. NumPy arrays are cast to it; a tensor must have it already.
        dtype_hint: a dtype that is used if `value` can take it and has none of its own.
        name: ignored.

    Returns:
        The tensor: `value` itself if it is one. In a function, a tensor of floats or complex
        numbers that is from outside has another object to stand for it, the same at each call.

    Raises:
        ValueError: if `value` has another dtype, a ragged shape, or is of an unknown kind.
        TypeError: if `value` is a Python value that cannot have `dtype`.

    >>> tf.convert_to_tensor([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    try:
        wanted = None if dtype is None else dtypes.as_dtype(dtype)
        if wanted is None and dtype_hint is not None:
            converted = _convert_with_hint(value, dtypes.as_dtype(dtype_hint))
        else:
            converted = convert(value, wanted)
    except Exception as error:
        shorten(error)
        raise
    return Captures.captured(converted) if converted is value else converted


def _convert_with_hint(value: Any, hint: dtypes.DType) -> EagerTensor:
    if isinstance(value, EagerTensor):
        return value
    try:
        return convert(value, hint)
    except (TypeError, ValueError):
        return convert(value)


def convert(value: Any, dtype: dtypes.DType | None = None) -> EagerTensor:
    """Converts `value` to a tensor; see `convert_to_tensor`.

    Raises:
        HandOver: if it is a value of another kind, such as a ragged tensor.
    """
    if type(value) is EagerTensor or type(value) is StringTensor:
        if dtype is not None and dtype is not value._type.dtype:
            error = ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}"
            )
            raise cast_hinted(error, value.dtype, dtype)
        return value
    if isinstance(value, np.ndarray | np.generic):
        return _from_numpy(value, dtype)
    if isinstance(value, SCALARS):
        return _from_python(value, dtype)
    if isinstance(value, list | tuple | range):
        flat = _flat_array(value, dtype)
        if flat is not None:
            return from_host(flat)
        if _holds_tensor(value):
            return _stack(value, dtype)
        return _from_python(value, dtype)
    return _convert_other(value, dtype)


def _flat_array(value: Any, dtype: dtypes.DType | None) -> np.ndarray[Any, Any] | None:
    """Makes the array of a flat list of floats or small integers, the most common case."""
    kinds = set(map(type, value))
    if kinds == {float} and dtype in (None, dtypes.float32):
        if min(value) >= -FLOAT32_MAX and max(value) <= FLOAT32_MAX:  # and none is nan
            return np.array(value, np.float32)
    elif kinds == {int} and dtype in (None, dtypes.int32) and _fit_int32(value):
        return np.array(value, np.int32)
    return None


def _fit_int32(values: Any) -> bool:
    return INT32.min <= min(values) and max(values) <= INT32.max


def _convert_other(value: Any, dtype: dtypes.DType | None) -> EagerTensor:
    """Converts what has a way of its own: variables, JAX arrays, objects with `__array__`."""
    if REGISTERED and (tensor := registered_conversion(value, dtype)) is not None:
        return tensor
    to_tensor = getattr(value, "_dense_var_to_tensor", None) or getattr(
        value, "__tf_tensor__", None
    )
    if to_tensor is not None:
        return to_tensor(dtype)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
        return from_host(np.array(value.as_list(), (dtype or dtypes.int32)._numpy))
    if isinstance(value, jax.Array):
        tensor = from_array(value)
        if dtype is None or tensor.dtype is dtype:
            return tensor
        return FUNCTIONS["cast"](tensor, dtype)
    if isinstance(value, CompositeTensor):
        raise HandOver(value)
    if hasattr(value, "__array__") and not isinstance(value, type | dtypes.DType):
        return _from_numpy(np.asarray(value), dtype)
    if is_sequence(value):
        return convert(_listed(value), dtype)
    raise unsupported_value(value)


def is_sequence(value: Any) -> bool:
    """Whether a value of a class of the user's counts as a list: it has a length and elements."""
    kind = type(value)
    return (
        hasattr(kind, "__getitem__")
        and hasattr(kind, "__len__")
        and not isinstance(value, (dict, np.ndarray, np.generic, Tensor, type, *SCALARS))
        and not hasattr(value, "dtype")
    )


def _listed(value: Any) -> Any:
    """Returns a sequence, also within other sequences, as a list."""
    if isinstance(value, list | tuple) or is_sequence(value):
        return [_listed(value[i]) for i in range(len(value))]
    return value


def _from_numpy(value: Any, dtype: dtypes.DType | None) -> EagerTensor:
    """Copies a NumPy value, cast to `dtype`: NumPy values have no say in the dtype of an op."""
    array = np.asarray(value)
    if array.dtype.kind in "OSUT":
        return _from_texts(array, dtype)
    if dtype is None:
        dtype = dtypes.from_numpy(array.dtype)
    if not dtype.is_numpy_compatible or dtype._numpy is None or dtype is dtypes.string:
        raise inconvertible(value, dtype.kernel_name)
    with np.errstate(all="ignore"):
        return from_host(np.array(array, dtype=dtype._numpy, order="C", subok=False))


def _from_texts(array: np.ndarray[Any, Any], dtype: dtypes.DType | None) -> EagerTensor:
    for value in array.flat:
        if not isinstance(value, str | bytes):
            kind = type(value).__name__
            raise ValueError(unsupported_objects(kind))
    if dtype not in (None, dtypes.string):
        raise inconvertible(array, dtype.kernel_name)
    return text_tensor(array)


def _holds_tensor(value: Any) -> bool:
    for item in value:
        if isinstance(item, list | tuple):
            if _holds_tensor(item):
                return True
        elif _is_tensor(item):
            return True
    return False


def _is_tensor(item: Any) -> bool:
    return isinstance(item, Tensor | jax.Array) or hasattr(item, "_dense_var_to_tensor")


def _stack(value: Any, dtype: dtypes.DType | None) -> EagerTensor:
    """Stacks a nested list with tensors in it.

    Python and NumPy values take the dtype of the first tensor. If another one is asked for, all
    tensors are cast to it.
    """
    first = _first_dtype(value)
    cast = None if dtype in (None, first) else FUNCTIONS["cast"]
    if cast is None:
        require_one_dtype(value)
    return _stack_items(value, first if dtype is None else dtype, cast)


def _stack_items(value: Any, dtype: dtypes.DType | None, cast: Any) -> EagerTensor:
    items = []
    for item in value:
        if isinstance(item, list | tuple) and _holds_tensor(item):
            items.append(_stack_items(item, dtype, cast))
        elif cast is not None and _is_tensor(item):
            items.append(cast(item, dtype))
        elif isinstance(item, EagerTensor):
            items.append(item)
        else:
            items.append(convert(item, dtype))
    return FUNCTIONS["stack"](items)


def require_one_dtype(
    value: list[Any] | tuple[Any, ...],
    wanted: dtypes.DType | None = None,
    in_function: bool = False,
) -> None:
    """Checks that the tensors in a nested list, which are going to be stacked, have one dtype.

    Args:
        value: the list, of sizes or other integers.
        wanted: a dtype that all are cast to, unless the first has it.
        in_function: whether it is stacked in a function.

    Raises:
        InvalidArgumentError: if a list of nothing but tensors has several dtypes, or lists in it.
        TypeError: if numbers are among these tensors, or it is stacked in a function.
    """
    first = _first_dtype(value)
    if wanted is None or wanted is first:
        _packed_dtype(value, first, in_function)


def _packed_dtype(value: Any, first: dtypes.DType | None, in_function: bool) -> dtypes.DType | None:
    """Returns the dtype of a stacked list; `first` is that of the numbers in it."""
    is_packed = not in_function and all(_is_tensor(item) for item in value)
    found: list[dtypes.DType | None] = []
    for item in value:
        kind = first
        if isinstance(item, list | tuple):
            kind = _packed_dtype(item, first, in_function) if _holds_tensor(item) else first
        elif _is_tensor(item):
            kind = dtypes.as_dtype(item.dtype)
            if kind is not first and not is_packed and first is not None:
                raise TypeError(mixed_list(kind, first, item))
        found.append(kind)
    for place, kind in enumerate(found):
        if kind is not found[0] and kind is not None and found[0] is not None:
            names = found[0].kernel_name, kind.kernel_name
            raise invalid(wrong_input("Pack", place, *names) + kernel_suffix("Pack"))
    return found[0]


def _first_dtype(value: Any) -> dtypes.DType | None:
    for item in value:
        if isinstance(item, list | tuple):
            if (found := _first_dtype(item)) is not None:
                return found
        elif _is_tensor(item):
            return dtypes.as_dtype(item.dtype)
    return None


def _from_python(value: Any, dtype: dtypes.DType | None) -> EagerTensor:
    """Makes the tensor of a Python number or text, or of a nested sequence of these."""
    shape: list[int] = []
    leaves: list[Any] = []
    _collect(value, 0, shape, leaves)
    kinds = {type(leaf) for leaf in leaves}
    if any(not issubclass(kind, (*SCALARS, np.generic, np.ndarray)) for kind in kinds):
        if len(kinds) == 1 or not issubclass(type(leaves[0]), SCALARS):
            raise unsupported_value(
                next(x for x in leaves if not isinstance(x, (*SCALARS, np.generic)))
            )
        raise ValueError(MESSAGE_MIXED)
    if dtype is None:
        numpy_dtype = _infer(leaves)
    elif dtype._numpy is None:
        raise inconvertible(value, dtype.kernel_name)
    else:
        _check_kinds(value, leaves, dtype)
        numpy_dtype = dtype._numpy
    if dtypes.string in (dtype, dtypes.from_numpy(numpy_dtype)):
        return text_tensor(np.array(leaves, object).reshape(shape))
    with np.errstate(over="ignore"):
        flat = array_of_numbers(leaves, numpy_dtype)
    if dtype is None and numpy_dtype == np.float32 and np.isinf(flat).any():
        _check_range(leaves)
    return from_host(flat.reshape(shape))


def array_of_numbers(numbers: list[Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Makes a vector of Python numbers; integers wrap, as in TensorFlow."""
    try:
        return np.array(numbers, dtype)
    except OverflowError:
        words = [int(number) & 0xFFFFFFFFFFFFFFFF for number in numbers]
        return np.array(words, np.uint64).astype(dtype)


def _check_range(leaves: list[Any]) -> None:
    if any(isinstance(x, float) and FLOAT32_MAX < abs(x) < np.inf for x in leaves):
        raise ValueError(
            "Can't convert Python sequence with a value out of range for a double-precision float."
        )


def _collect(value: Any, depth: int, shape: list[int], leaves: list[Any]) -> None:
    if isinstance(value, np.ndarray) and value.ndim > 0:
        value = list(value)
    elif not isinstance(value, NO_OBJECTS) and is_sequence(value):
        value = _listed(value)
    if not isinstance(value, list | tuple | range):
        if depth < len(shape):
            raise ValueError(MESSAGE_RAGGED)
        leaves.append(value)
        return
    if depth == len(shape):
        if leaves:
            raise ValueError(MESSAGE_RAGGED)
        shape.append(len(value))
    elif shape[depth] != len(value):
        raise ValueError(MESSAGE_RAGGED)
    for item in value:
        _collect(item, depth + 1, shape, leaves)


# Which Python kinds may follow a first element of another: TensorFlow infers from the first.
_FOLLOWERS: dict[type, tuple[type, ...]] = {
    bool: (bool, np.bool_, np.ndarray),
    int: (bool, int, float, np.bool_, np.integer, np.floating, np.ndarray),
    float: (bool, int, float, np.bool_, np.integer, np.floating, np.ndarray),
    complex: (bool, int, float, complex, np.number, np.ndarray),
    str: (str, bytes),
    bytes: (str, bytes),
}
_DTYPES = {
    bool: np.dtype(bool), complex: np.dtype(np.complex128), str: np.dtype(object),
    bytes: np.dtype(object),
}  # fmt: skip


_KINDS = {"b": bool, "c": complex, "S": bytes, "U": str}  # of NumPy values, but for numbers


def _infer(leaves: list[Any]) -> np.dtype[Any]:
    """Finds the dtype of Python and NumPy values: the first says of which kind it is."""
    if not leaves:
        return np.dtype(np.float32)
    first = leaves[0]
    if isinstance(first, np.generic | np.ndarray):
        if first.dtype.kind == "f":
            return np.result_type(*[x for x in leaves if isinstance(x, np.floating | np.ndarray)])
        kind: type = _KINDS.get(first.dtype.kind, int)
    else:
        kind = next(k for k in (bool, int, float, complex, str, bytes) if isinstance(first, k))
    followers = _FOLLOWERS[kind]
    if not all(isinstance(x, followers) for x in leaves):
        raise ValueError(MESSAGE_MIXED)
    if kind in _DTYPES:
        return _DTYPES[kind]
    if any(isinstance(x, float | np.floating) for x in leaves):
        return np.dtype(np.float32)
    low, high = min(leaves), max(leaves)
    if low < INT64.min or high > INT64.max:
        raise ValueError(MESSAGE_LARGE)
    return np.dtype(np.int32 if INT32.min <= low and high <= INT32.max else np.int64)


def _check_kinds(value: Any, leaves: list[Any], dtype: dtypes.DType) -> None:
    """Raises if a Python value cannot become `dtype`: a float no integer, a number no bool."""
    if dtype is dtypes.string:
        accepted: tuple[type, ...] = (str, bytes)
    elif dtype.is_complex:
        accepted = (bool, int, float, complex, np.number, np.bool_)
    elif dtype.is_floating:
        accepted = (bool, int, float, np.floating, np.integer, np.bool_)
    elif dtype.is_bool:
        accepted = (bool, np.bool_)
    else:
        accepted = (bool, int, np.integer, np.bool_)
    if not all(isinstance(x, accepted) for x in leaves):
        texts = sum(isinstance(x, str | bytes) for x in leaves)
        if 0 < texts < len(leaves):
            raise ValueError(MESSAGE_MIXED)
        raise inconvertible(value, dtype.kernel_name)


@shortening
@described
def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> EagerTensor:
    """Makes a tensor from a Python or NumPy value, which is copied.

    Args:
        value: a number, an array, or a nested list of numbers.
        dtype: the dtype; by default float32 for Python floats, int32 (int64 where it is needed)
            for Python integers, and a NumPy value's own.
        shape: the shape; a single value is repeated, several are reshaped.
        name: ignored.

    Returns:
        A tensor.

    Raises:
        TypeError: if `value` cannot have `dtype`, or does not have as many elements as `shape`.
        ValueError: if `value` is ragged, of mixed types, or of an unknown kind.

    >>> tf.constant([1.0, 2.0, 3.0, 4.0], shape=[2, 2])
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[1., 2.],
           [3., 4.]], dtype=float32)>
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, EagerTensor) and wanted is not None and wanted is not value.dtype:
        raise TypeError(
            f"Expected tensor {value} with dtype {wanted!r}, but got dtype {value.dtype!r}."
        )
    tensor = convert(value, wanted)
    if shape is None or as_shape(shape) == tensor.shape:
        return tensor
    dims = tuple([length or 0 for length in as_shape(shape).as_list()])
    size = math.prod(dims)
    if tensor._type.size == size:
        return FUNCTIONS["reshape"](tensor, dims)
    if tensor._type.size == 1:
        return FUNCTIONS["fill"](dims, FUNCTIONS["reshape"](tensor, ()))
    raise TypeError(
        "Eager execution of tf.constant with unsupported shape. Tensor "
        f"{tensor.numpy()} (converted from {value}) has {tensor._type.size} elements, but got "
        f"`shape` {dims} with {size} elements)."
    )


def is_tensor(x: Any) -> bool:
    """Returns whether `x` is a tensor (also a ragged or sparse one) or a variable.

    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
    (True, False)
    """
    if isinstance(x, CompositeTensor):
        return x._is_tensor
    if isinstance(x, Tensor):
        return True
    return hasattr(x, "_dense_var_to_tensor") and getattr(x, "_is_tensor", True)
