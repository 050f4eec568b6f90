"""Element-wise combination of ragged and dense tensors: how they are brought to one shape."""

import math
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._ops.arguments import invalid
from tapefacade._ragged.base import Ragged, nested
from tapefacade._ragged.densifying import take
from tapefacade._ragged.partition import Array, RowPartition, of_lengths, of_uniform
from tapefacade._ragged.rows import ranges

MESSAGE_DTYPES = (
    "Input RaggedTensors have mismatched row_splits dtypes; use "
    "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
)
MESSAGE_SIZES = (
    "Condition x == y did not hold.\nFirst 1 elements of x:\n[False]\nFirst 1 elements of y:\n"
    "[ True]"
)


def splits_dtype(values: Any) -> Any:
    """Returns the NumPy dtype of the splits of ragged tensors.

    Raises:
        ValueError: if they differ.
    """
    found = {value._partition.dtype for value in values if isinstance(value, Ragged)}
    if len(found) > 1:
        raise ValueError(MESSAGE_DTYPES)
    return found.pop().as_numpy_dtype


def operand(value: Any, like: Ragged) -> Any:
    """Converts what is combined with a ragged tensor; Python values follow its dtype."""
    if isinstance(value, Ragged | EagerTensor):
        return value
    dtype = like.flat_values.dtype
    kind = type(value)
    if (kind is float and dtype.is_floating) or (
        kind is int and (dtype.is_floating or dtype.is_integer)
    ):
        return value
    return convert_to_tensor(value, dtype_hint=dtype)


def rank_of(value: Any) -> int:
    """Returns the number of dimensions."""
    if isinstance(value, Ragged):
        return value._rank
    return len(value._type.shape) if isinstance(value, EagerTensor) else 0


class Level(NamedTuple):
    """One dimension below the rows: their lengths, one for all or one for each."""

    uniform: int | None
    splits: Array | None

    def lengths(self, places: Array) -> Array:
        """Returns the length of the rows at some places."""
        if self.splits is None:
            return np.full(len(places), self.uniform)
        return np.diff(self.splits)[places]

    def starts(self, places: Array) -> Array:
        """Returns where these rows begin among the elements of the next level."""
        return places * self.uniform if self.splits is None else self.splits[places]


class Operand:
    """What is broadcast: its levels, and which of its rows each row of the result is made of."""

    def __init__(self, value: Any, rank: int, depth: int) -> None:
        added = rank - rank_of(value)
        if isinstance(value, Ragged):
            partitions = value._partitions
            inner = value.flat_values._type.shape[1:]
            self.flat = value.flat_values
        else:
            partitions, self.flat = [], value
            inner = value._type.shape
        levels = [Level(p.uniform, None if p.uniform is not None else p.splits) for p in partitions]
        if partitions:
            levels = [Level(partitions[0].nrows, None), *levels]
        levels = [Level(1, None)] * added + levels + [Level(size, None) for size in inner]
        self.levels = levels[: depth + 1]
        merged = depth + 1 - added - len(levels) + added + len(inner)
        self.merged = max(merged, 0)
        self.count = int(levels[0].uniform or 0)
        self.places = np.zeros(1, np.int64)

    def values(self) -> EagerTensor:
        """Returns the flat values of this operand in the shape of the result."""
        flat, shape = self.flat, self.flat._type.shape
        extra = self.merged if shape and len(self.levels) > 0 else 0
        keep = shape[len(shape) - (len(shape) - extra) :]
        rows = math.prod(shape[:extra]) if extra else 1
        if not extra:
            return flat
        if extra > 1 or len(keep) != len(shape) - 1:
            flat = FUNCTIONS["reshape"](flat, (rows, *keep))
        if len(self.places) == rows and np.array_equal(self.places, np.arange(rows)):
            return flat
        return take(flat, self.places)


def _refused(x: Array, y: Array) -> Exception:
    """Makes the error for partitions that differ, as TensorFlow's assertion tells it."""
    try:
        FUNCTIONS["debugging.assert_equal"](from_host(x), from_host(y))
    except Exception as error:
        return error
    return invalid(MESSAGE_SIZES)
