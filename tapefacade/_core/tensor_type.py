"""The static type of a tensor: its shape and dtype, one object for each pair."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.tensor_shape import TensorShape

# Integer and boolean values of at most this many elements stay on the host: shape arithmetic
# neither enters a program nor forces one to run.
HOST_LIMIT = 64


class TensorType:
    """Shape and dtype of a tensor; equal types are the same object, so they hash by identity."""

    __slots__ = ("dtype", "hostable", "inexact", "numpy_dtype", "shape", "size", "tensor_shape")

    def __init__(self, shape: tuple[int, ...], dtype: dtypes.DType) -> None:
        self.shape = shape
        self.dtype = dtype
        self.numpy_dtype: Any = dtype._numpy
        self.size = 1
        for length in shape:
            self.size *= length
        self.tensor_shape = TensorShape._known(shape)
        self.inexact = dtype.is_floating or dtype.is_complex
        self.hostable = not self.inexact and self.size <= HOST_LIMIT

    def __repr__(self) -> str:
        return f"TensorType({self.shape}, {self.dtype!r})"


_INTERNED: dict[tuple[tuple[int, ...], np.dtype[Any]], TensorType] = {}


def type_of(shape: tuple[int, ...], numpy_dtype: np.dtype[Any]) -> TensorType:
    """Returns the one type with this shape and NumPy dtype."""
    key = (shape, numpy_dtype)
    found = _INTERNED.get(key)
    if found is None:
        shape = tuple(int(length) for length in shape)
        made = TensorType(shape, dtypes.from_numpy(numpy_dtype))
        found = _INTERNED.setdefault((shape, np.dtype(numpy_dtype)), made)
    return found
