"""String tensors: arrays of bytes on the host."""

from typing import Any

import numpy as np

from tapefacade._core.error_texts import no_text
from tapefacade._core.tensor import EAGER_TENSOR, EagerTensor
from tapefacade._core.tensor_type import type_of

OBJECT = np.dtype(object)


class StringTensor(EagerTensor):
    """A tensor of dtype string: every element is a Python `bytes` of any length.

    Texts have no place in an XLA program. Their values are always known, and ops on them run on
    the host at once.
    """

    __slots__ = ()

    def _string_tensor(self) -> "StringTensor":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return text_tensor, (np.array(self._value),)


# Messages show the class as TensorFlow names it.
StringTensor.__name__ = StringTensor.__qualname__ = EAGER_TENSOR.strip("'").rpartition(".")[2]
StringTensor.__module__ = EagerTensor.__module__


def as_bytes(value: Any, encoding: str = "utf-8") -> bytes:
    """Returns a text as bytes; nothing of another kind is accepted.

    Raises:
        TypeError: if `value` is neither a `str` nor `bytes`.
    """
    if isinstance(value, bytes):
        return bytes(value)
    if isinstance(value, str):
        return value.encode(encoding)
    raise no_text(value)


def text_tensor(texts: Any) -> StringTensor:
    """Makes a string tensor of an array (or nested list) of `str` and `bytes`."""
    given = texts if isinstance(texts, np.ndarray) else np.array(texts, OBJECT)
    array = np.empty(given.shape, OBJECT)
    flat = array.reshape(-1)
    for i, value in enumerate(given.reshape(-1)):
        flat[i] = as_bytes(value)
    return string_tensor(array)


def string_tensor(array: np.ndarray[Any, Any]) -> StringTensor:
    """Makes a string tensor of an object array that holds only `bytes` and that nobody changes."""
    return StringTensor(type_of(array.shape, OBJECT), array, None, 0)
