"""Small arrays packed into one, to go from program to program, or to Python, at the cost of one.

Each argument and result of a compiled program costs some microseconds, however small it is.
"""

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.tensor_type import TensorType

MAX_BYTES = 1 << 13  # larger arrays stay what they are: copying them costs more than it saves
Packed = tuple[Any, list[Any]]  # the words, and the arrays that are not packed


def _words_of(type_: TensorType) -> int | None:
    """Returns how many words an array takes; None if it is not packed."""
    dtype = type_.numpy_dtype
    size = math.prod(type_.shape)
    if dtype.kind not in "biuf" or size * dtype.itemsize > MAX_BYTES:
        return None
    return size * max(dtype.itemsize // 4, 1)


def _bits(dtype: np.dtype[Any]) -> str:
    return f"uint{8 * min(dtype.itemsize, 4)}"


class Packing:
    """Where arrays of some types lie in a vector of words (uint32)."""

    def __init__(self, types: Sequence[TensorType]) -> None:
        self.types = tuple(types)
        self._words = [_words_of(type_) for type_ in types]
        self._starts: list[int] = []
        words = large = 0
        for count in self._words:
            self._starts.append(large if count is None else words)
            words, large = (words, large + 1) if count is None else (words + count, large)

    def pack(self, arrays: Sequence[Any]) -> Packed:
        """Packs arrays that JAX traces."""
        words = [jnp.zeros(0, np.uint32)]
        arrays = [
            jax.lax.convert_element_type(array, type_.numpy_dtype)
            for array, type_ in zip(arrays, self.types, strict=True)
        ]
        for array, type_, count in zip(arrays, self.types, self._words, strict=True):
            if count is not None:
                if type_.numpy_dtype.kind != "b":
                    array = jax.lax.bitcast_convert_type(array, _bits(type_.numpy_dtype))
                words.append(array.astype(np.uint32).ravel())
        return jnp.concatenate(words), self._unpacked(arrays)

    def pack_on_host(self, arrays: Sequence[Any]) -> Packed:
        """Packs arrays and numbers of NumPy; copies them."""
        words, large = [], []
        for array, count in zip(arrays, self._words, strict=True):
            if count is None:
                large.append(np.array(array))
            else:
                small = array.dtype.itemsize < 4
                words.append((_widened(array) if small else array).tobytes())
        return np.frombuffer(b"".join(words), np.uint32), large

    def _unpacked(self, arrays: Sequence[Any]) -> list[Any]:
        return [a for a, count in zip(arrays, self._words, strict=True) if count is None]

    def unpack(self, packed: Packed) -> list[Any]:
        """Returns the arrays, traced by JAX."""
        whole, large = packed
        found = []
        for type_, start, count in zip(self.types, self._starts, self._words, strict=True):
            if count is None:
                found.append(large[start])
                continue
            words, dtype = whole[start : start + count], type_.numpy_dtype
            if dtype.kind == "b":
                words = words != 0
            elif dtype.itemsize == 8:
                words = jax.lax.bitcast_convert_type(words.reshape(-1, 2), dtype)
            else:
                words = jax.lax.bitcast_convert_type(words.astype(_bits(dtype)), dtype)
            found.append(words.reshape(type_.shape))
        return found

    def on_host(self, packed: Packed, place: int) -> Any:
        """Returns one of the arrays; NumPy's where it was packed, whose words must be NumPy's."""
        whole, large = packed
        if self._words[place] is None:
            return large[self._starts[place]]
        return self._on_host(whole, place, self.types[place].shape)

    def word(self, place: int) -> int:
        """Returns the place of the word of a number."""
        return self._starts[place]

    def copied(self, packed: Packed, place: int) -> Any:
        """Returns one of the arrays as an array or a number of NumPy that may be changed."""
        whole, large = packed
        start, count, type_ = self._starts[place], self._words[place], self.types[place]
        dtype = type_.numpy_dtype
        if count is None:
            return np.array(large[start])
        if dtype.itemsize < 4:
            return np.array(self.on_host(packed, place))[()]
        found = whole[start : start + count].view(dtype)
        return found.reshape(type_.shape).copy() if type_.shape else found[0]

    def rows_on_host(self, packed: Sequence[Packed], place: int) -> Any:
        """Returns one of the arrays of each, as the rows of an array or a list of them."""
        if not packed or self._words[place] is None:
            return [large[self._starts[place]] for _, large in packed]
        whole = np.stack([whole for whole, _ in packed])
        return self._on_host(whole, place, (len(packed), *self.types[place].shape))

    def _on_host(self, whole: Any, place: int, shape: tuple[int, ...]) -> Any:
        start, dtype = self._starts[place], self.types[place].numpy_dtype
        words = whole[..., start : start + (self._words[place] or 0)]
        if dtype.kind == "b":
            return (words != 0).reshape(shape)
        if dtype.itemsize < 4:
            words = words.astype(_bits(dtype))
        return np.ascontiguousarray(words).view(dtype).reshape(shape)


def _widened(array: Any) -> Any:
    """Returns the bits of small numbers, a word for each."""
    if array.dtype.kind != "b":
        array = array.view(_bits(array.dtype))
    return array.astype(np.uint32)


def on_host(packed: Packed) -> Packed:
    """Returns what is packed with its words on the host; waits for them."""
    return np.asarray(packed[0]), packed[1]
