"""Element-wise combination of ragged and dense tensors: how they are brought to one shape."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import errors
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.error_texts import invalid
from tapefacade._core.tensor import EagerTensor, FailedResult, from_host
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.debugging.values import assert_equal
from tapefacade._ragged.dense_conversion import take
from tapefacade._ragged.partition import Array, Partition, nested_ragged, of_lengths, of_uniform
from tapefacade._ragged.rows import ranges
from tapefacade._ragged.tensor import RaggedTensor

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
    found = {value._partition.dtype for value in values if isinstance(value, RaggedTensor)}
    if len(found) > 1:
        raise ValueError(MESSAGE_DTYPES)
    return found.pop().as_numpy_dtype


def operand(value: Any, like: RaggedTensor) -> Any:
    """Converts what is combined with a ragged tensor; Python values follow its dtype."""
    if isinstance(value, RaggedTensor | EagerTensor):
        return value
    dtype = like.flat_values.dtype
    kind = type(value)
    if (kind is float and dtype.is_floating) or (
        kind is int and (dtype.is_floating or dtype.is_integer)
    ):
        return value
    return convert_to_tensor(value, dtype_hint=dtype)


def dense_or_ragged(value: Any) -> Any:
    """Converts what is no ragged tensor to a dense one."""
    return value if isinstance(value, RaggedTensor | EagerTensor) else convert(value)


def rank_of(value: Any) -> int:
    """Returns the number of dimensions."""
    if isinstance(value, RaggedTensor):
        return value._rank
    return len(value._type.shape) if isinstance(value, EagerTensor) else 0


class BroadcastLevel(NamedTuple):
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
    """What is broadcast: the levels of a value, and the rows that those of the result are made of.

    Args:
        partitions: those of the value, none if it is dense.
        shape: the shape of its flat values.
        rank: the rank of the result; the value gets further dimensions of size 1 in front.
        depth: the ragged rank of the result.
    """

    def __init__(
        self, partitions: Sequence[Partition], shape: tuple[int, ...], rank: int, depth: int
    ) -> None:
        added = rank - len(partitions) - len(shape)
        outer = [BroadcastLevel(1, None)] * added
        inner = shape
        if partitions:
            inner = shape[1:]
            outer.append(BroadcastLevel(partitions[0].nrows, None))
            outer += [
                BroadcastLevel(p.uniform, p.splits if p.uniform is None else None)
                for p in partitions
            ]
        # How many axes of the flat values become rows.
        self.merged = 1 + depth - added - len(partitions)
        self.inner = shape[max(self.merged, 0) :]
        levels = outer + [BroadcastLevel(size, None) for size in inner]
        self.rows = levels[0].uniform or 0
        self.levels = levels[1 : depth + 1]
        self.places = np.zeros(1, np.int64)

    def begin(self, rows: int) -> None:
        """Sets how many rows the result has."""
        self.places = np.arange(rows) if self.rows == rows else np.zeros(rows, np.int64)

    def descend(self, level: BroadcastLevel, lengths: Array, repeated: bool) -> None:
        """Goes on with the elements of the rows, one level below."""
        starts = level.starts(self.places)
        self.places = np.repeat(starts, lengths) if repeated else ranges(starts, lengths)

    def values(self, flat: EagerTensor) -> EagerTensor:
        """Returns the flat values of this operand in the shape of the result."""
        shape = flat._type.shape
        if self.merged <= 0:
            return flat  # all of it is in inner dimensions
        if self.merged > 1:
            flat = reshape(flat, (math.prod(shape[: self.merged]), *shape[self.merged :]))
        count = flat._type.shape[0]
        if count == 1 or (
            len(self.places) == count and np.array_equal(self.places, np.arange(count))
        ):
            return flat
        return take(flat, self.places)


def partitions_of(value: Any) -> list[Partition]:
    """Returns the partitions of a value, none if it is dense."""
    return value._partitions if isinstance(value, RaggedTensor) else []


def flat_of(value: Any) -> EagerTensor:
    """Returns the flat values of a ragged tensor, a dense one as it is."""
    return value.flat_values if isinstance(value, RaggedTensor) else value


def broadcast(*values: Any) -> tuple[list[Any], list[Partition]]:
    """Brings values, at least one of them ragged, to one shape.

    Args:
        *values: ragged and dense tensors.

    Returns:
        The flat values, which broadcast to each other, and the partitions of the result.

    Raises:
        InvalidArgumentError: if the shapes do not fit.
        ValueError: if the splits differ in dtype.
    """
    dtype = splits_dtype(values)
    flat = [flat_of(value) for value in values]
    shapes = [(partitions_of(value), f._type.shape) for value, f in zip(values, flat, strict=True)]
    operands, partitions = broadcast_shapes(shapes, dtype)
    return [one.values(f) for one, f in zip(operands, flat, strict=True)], partitions


def broadcast_shapes(shapes: Sequence[Any], dtype: Any) -> tuple[list[Operand], list[Partition]]:
    """Brings shapes, at least one of them ragged, to one.

    Args:
        shapes: the partitions of each value, and the shape of its flat values.
        dtype: the NumPy dtype of the splits.

    Returns:
        What becomes of the flat values, and the partitions of the result.

    Raises:
        InvalidArgumentError: if the shapes do not fit.
    """
    rank = max(len(partitions) + len(shape) for partitions, shape in shapes)
    depth = max(rank - len(shape) for partitions, shape in shapes if partitions)
    operands = [Operand(partitions, shape, rank, depth) for partitions, shape in shapes]
    rows = next((o.rows for o in operands if o.rows != 1), 1)
    if any(o.rows not in (1, rows) for o in operands):
        raise invalid(MESSAGE_SIZES)
    for one in operands:
        one.begin(rows)
    return operands, [_joined(operands, k, dtype) for k in range(depth)]


def _joined(operands: list[Operand], k: int, dtype: Any) -> Partition:
    """Brings one level of the operands to one shape; returns its partition."""
    levels = [one.levels[k] for one in operands]
    repeated = [level.uniform == 1 for level in levels]
    if all(repeated):
        repeated = [False] * len(levels)
    lengths = [level.lengths(one.places) for level, one in zip(levels, operands, strict=True)]
    base = repeated.index(False)
    for other, level in enumerate(levels):
        if not repeated[other] and not np.array_equal(lengths[base], lengths[other]):
            if levels[base].uniform is not None and level.uniform is not None:
                raise invalid(MESSAGE_SIZES)
            first, second = base, other
            if level.uniform is not None:
                first, second = other, base
            raise _refused(*[of_lengths(lengths[n], dtype).splits for n in (first, second)])
    for one, level, again in zip(operands, levels, repeated, strict=True):
        one.descend(level, lengths[base], again)
    if all(level.uniform is not None for level in levels):
        return of_uniform(int(levels[base].uniform or 0), len(lengths[base]), dtype)
    return of_lengths(lengths[base], dtype)


def _refused(x: Array, y: Array) -> Exception:
    """Makes the error for partitions that differ, as TensorFlow's assertion tells it."""
    try:
        assert_equal(from_host(x), from_host(y))
    except ValueError:
        pass
    except errors.InvalidArgumentError as error:
        return error
    return invalid(MESSAGE_SIZES)


def _same(x: Any, y: Any) -> bool:
    """Tells whether two ragged tensors have the same partitions."""
    pairs = zip(x._partitions, y._partitions, strict=False)
    return x.ragged_rank == y.ragged_rank and all(
        a == b and a.uniform == b.uniform for a, b in pairs
    )


def aligned_operands(x: Any, y: Any) -> tuple[Any, Any, list[Partition]]:
    """Brings the operands of an element-wise function to flat values of one shape.

    Args:
        x: a ragged tensor, or what is combined with one.
        y: likewise; at least one is ragged.

    Returns:
        The flat values of both, and the partitions of the result.
    """
    x = operand(x, y) if not isinstance(x, RaggedTensor) else x
    y = operand(y, x) if not isinstance(y, RaggedTensor) else y
    if isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor):
        splits_dtype([x, y])
        if _same(x, y) and x._rank == y._rank:
            return x.flat_values, y.flat_values, x._partitions
        (first, second), partitions = broadcast(x, y)
        return first, second, partitions
    ragged, dense = (x, y) if isinstance(x, RaggedTensor) else (y, x)
    if rank_of(dense) < len(ragged.flat_values._type.shape):
        flat = [v.flat_values if isinstance(v, RaggedTensor) else v for v in (x, y)]
        return flat[0], flat[1], ragged._partitions
    (first, second), partitions = broadcast(x, y)
    return first, second, partitions


def combined_elementwise(x: Any, y: Any, function: Any) -> Any:
    """Calls an element-wise function of two values, at least one of which is ragged."""
    ragged = x if isinstance(x, RaggedTensor) else y
    if isinstance(ragged.flat_values, FailedResult):
        return ragged
    first, second, partitions = aligned_operands(x, y)
    return nested_ragged(function(first, second), partitions, type(ragged))
