"""Conversions to tensors that programs register for their own classes."""

import bisect
from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.tensor import EagerTensor

# (priority, order of registration, classes, function), sorted.
REGISTERED: list[tuple[int, int, Any, Callable[..., Any]]] = []
UNCONVERTIBLE = (bool, int, float, complex, np.generic, np.ndarray)


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Says how objects of a class become tensors, wherever a tensor is expected.

    Args:
        base_type: the class, or a tuple of classes.
        conversion_func: a function of `(value, dtype, name, as_ref)` that returns a tensor, or
            NotImplemented to leave it to the next one; `dtype` is None if any will do.
        priority: functions with a smaller number are asked first.

    Raises:
        TypeError: if the arguments are of the wrong kind, or the class is of numbers or arrays.

    >>> class Celsius:
    ...     def __init__(self, degrees):
    ...         self.degrees = degrees
    >>> def convert(value, dtype=None, name=None, as_ref=False):
    ...     return tf.constant(value.degrees, dtype)
    >>> tf.register_tensor_conversion_function(Celsius, convert)
    >>> tf.add(Celsius(20.0), 1.0).numpy()
    np.float32(21.0)
    """
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(kind, type) for kind in kinds):
        raise TypeError(
            f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}"
        )
    if any(issubclass(kind, UNCONVERTIBLE) for kind in kinds):
        raise TypeError(
            "Cannot register conversions for Python numeric types and NumPy scalars and arrays."
        )
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    entry = (priority, len(REGISTERED), kinds, conversion_func)
    bisect.insort(REGISTERED, entry, key=lambda known: known[:2])


def registered_conversion(value: Any, dtype: dtypes.DType | None) -> EagerTensor | None:
    """Returns the tensor that a registered function makes of a value, None if none does.

    Raises:
        RuntimeError: if the function returns something else, or a tensor of another dtype.
    """
    for _, _, kinds, function in REGISTERED:
        if not isinstance(value, kinds):
            continue
        tensor = function(value, dtype=dtype, name=None, as_ref=False)
        if tensor is NotImplemented:
            continue
        source = f"Conversion function {function!r} for type {_shown(kinds)}"
        if not isinstance(tensor, EagerTensor):
            raise RuntimeError(f"{source} returned non-Tensor: {tensor!r}")
        if dtype is not None and tensor.dtype is not dtype:
            raise RuntimeError(
                f"{source} returned incompatible dtype: requested = {dtype.name}, actual = "
                f"{tensor.dtype.name}"
            )
        return tensor
    return None


def _shown(kinds: tuple[type, ...]) -> Any:
    return kinds[0] if len(kinds) == 1 else kinds
