"""Elements of stacked arrays at indices that are not known yet, and how arrays change back."""

import contextlib
import itertools
import threading
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import errors
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.op import Check, FreeTensor, op

# Numbers for arrays and for blocks of `unchanged_arrays`, in the order they are made in.
SERIAL = itertools.count()


class Journal:
    """What has changed in a block of `unchanged_arrays`.

    Attributes:
        serial: its number.
        before: the arrays that were changed, and what they were before.
    """

    def __init__(self) -> None:
        self.serial = next(SERIAL)
        self.before: dict[int, tuple[Any, ...]] = {}


class _Journals(threading.local):
    """The blocks of `unchanged_arrays` that are open, the innermost last."""

    def __init__(self) -> None:
        self.open: list[Journal] = []


JOURNALS = _Journals()


@contextlib.contextmanager
def unchanged_arrays() -> Iterator[dict[int, tuple[Any, ...]]]:
    """Makes a block after which all arrays that were there before hold what they did.

    Yields:
        Those that were changed in it, when it has ended.
    """
    journal = Journal()
    JOURNALS.open.append(journal)
    try:
        yield journal.before
    finally:
        JOURNALS.open.pop()
        for array, *before in journal.before.values():
            array._go_back(*before)


def _read_test(whole: Any, index: Any) -> tuple[Any, ...]:
    return jnp.logical_and(index >= 0, index < whole.shape[0]), index, np.int64(whole.shape[0])


def _read_error(index: np.ndarray[Any, Any], size: np.ndarray[Any, Any]) -> Exception:
    if index < 0:
        return _out_of_range(f"Reading from negative indices (index {index}) is not allowed.")
    return _out_of_range(f"Tried to read from index {index} but array size is: {size} ")


def _write_test(whole: Any, value: Any, index: Any) -> tuple[Any, ...]:
    return _read_test(whole, index)


def _write_error(index: np.ndarray[Any, Any], size: np.ndarray[Any, Any]) -> Exception:
    if index < 0:
        return _out_of_range(f"Writing to negative indices (index {index}) is not allowed.")
    return _out_of_range(
        f"Tried to write to index {index} but array is not resizeable and size is: {size} "
    )


def _out_of_range(message: str) -> errors.OutOfRangeError:
    return errors.OutOfRangeError(None, None, message)


@op("_array_read", kernel="TensorListGetItem", check=Check(("index",), _read_test, _read_error))
def _array_read(whole: FreeTensor, index: FreeTensor) -> jax.Array:
    """Reads an element of a stacked array."""
    return jax.lax.dynamic_index_in_dim(whole, index, 0, keepdims=False)


@op("_array_write", kernel="TensorListSetItem", check=Check(("index",), _write_test, _write_error))
def _array_write(whole: FreeTensor, value: FreeTensor, index: FreeTensor) -> jax.Array:
    """Writes an element of a stacked array."""
    return jax.lax.dynamic_update_index_in_dim(whole, value, index, 0)


def read_element(whole: EagerTensor, index: EagerTensor) -> EagerTensor:
    """Returns an element of a stacked array `[n, ...]`, `index` a scalar.

    Raises:
        OutOfRangeError: if there is no such element, when that is known.
    """
    return _array_read(whole, index)


def write_element(whole: EagerTensor, value: EagerTensor, index: EagerTensor) -> EagerTensor:
    """Returns a stacked array `[n, ...]` with another element, `index` a scalar.

    Raises:
        OutOfRangeError: if there is no such element, when that is known.
    """
    return _array_write(whole, value, index)
