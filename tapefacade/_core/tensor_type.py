"""The static type of a tensor: its shape and dtype, one object for each pair."""

import math
import os
from typing import Any

import jax
import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.error_texts import shape_text
from tapefacade._core.tensor_shape import TensorShape

# Integer and boolean values of at most this many elements stay on the host: shape arithmetic
# neither enters a program nor forces one to run.
MAX_HOST_ELEMENTS = 64


# Tensors of more bytes are compared with what the machine has; XLA would end the process.
LARGE_BYTES = 1 << 34


def _memory() -> int:
    """Returns how many bytes of memory the machine has; very many if that is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 1 << 62


def _check_size(shape: tuple[int, ...], size: int, dtype: dtypes.DType) -> None:
    """Refuses shapes that no machine, or not this one, has memory for.

    Raises:
        InvalidArgumentError: if the elements cannot be counted.
        ResourceExhaustedError: if there is less memory.
    """
    text = shape_text(shape)
    if size >= 1 << 63:
        raise errors.InvalidArgumentError(
            None, None, f"Shape {text} would have more than 2**63 - 1 elements"
        )
    is_host = jax.default_backend() == "cpu"  # other devices say themselves that they are full
    bytes_ = size * (np.dtype(dtype._numpy).itemsize if dtype._numpy is not None else 1)
    if bytes_ >= 1 << 62 or (is_host and 0 not in shape and bytes_ > _memory()):
        raise errors.ResourceExhaustedError(
            None, None,
            errors.text_without_room(text, dtype.kernel_name),
        )  # fmt: skip


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
            if length < 0:
                raise errors.InvalidArgumentError(
                    None, None, f"Expected a non-negative size, got {length}"
                )
        # XLA counts what is along the other axes also where there are no elements.
        size = self.size or math.prod([length for length in shape if length])
        if size * 16 > LARGE_BYTES:
            _check_size(shape, size, dtype)
        self.tensor_shape = TensorShape._known(shape)
        self.inexact = dtype.is_floating or dtype.is_complex
        self.hostable = not self.inexact and self.size <= MAX_HOST_ELEMENTS

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
