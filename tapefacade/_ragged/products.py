"""Products of ragged matrices."""

import math
from typing import Any

import numpy as np

from tapefacade._core.dispatch import handles
from tapefacade._core.error_texts import invalid, kernel_prefix, matrix_sizes
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._ops.array.gathering import take
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.debugging.values import assert_equal as dense_assert_equal
from tapefacade._ops.linalg.products import matmul as dense_matmul
from tapefacade._ragged.broadcasting import (
    dense_or_ragged,
    operand,
    rank_of,
    splits_dtype,
)
from tapefacade._ragged.dense_conversion import merged_axes
from tapefacade._ragged.joining import with_rank
from tapefacade._ragged.partition import (
    Array,
    Partition,
    assert_equal,
    nested_ragged,
    of_lengths,
)
from tapefacade._ragged.tensor import RaggedTensor

MESSAGE_INNER = "The matrices in `a` and `b` may not be ragged in their innermost dimension."
MESSAGE_BATCH = "Batch dimensions of `a` and `b` do not have the same size."


class Matrices:
    """A batch of matrices that may differ in size.

    Args:
        value: a ragged or dense tensor of rank 3 or more.
        batch: the number of batch dimensions.
        transposed: whether the matrices are to be transposed.
    """

    def __init__(self, value: Any, batch: int, transposed: bool, dtype: Any) -> None:
        value = with_rank(value, batch + 1, dtype) if isinstance(value, RaggedTensor) else value
        value = with_rank(value, batch + 1, dtype)
        self.partitions = value._partitions[: batch - 1]
        for _ in range(batch - 1):
            value = value._values
        # Now [matrices, (rows), ...].
        self.ragged_rows = value._partition.uniform is None
        self.rows = value._partition.lengths
        below = value._values
        self.ragged_columns = isinstance(below, RaggedTensor) and below._partition.uniform is None
        self.columns = self._columns(value, below)
        self.dense = value.to_tensor()
        if transposed:
            self.rows, self.columns = self.columns, self.rows
            self.ragged_rows, self.ragged_columns = self.ragged_columns, self.ragged_rows

    def _columns(self, value: Any, below: Any) -> Array:
        """Returns the number of columns of each matrix, all rows of which have the same length."""
        if not isinstance(below, RaggedTensor):
            return np.full(len(self.rows), below._type.shape[1])
        lengths, splits = below._partition.lengths, value._partition.splits
        first = np.append(lengths, 0)[np.minimum(splits[:-1], len(lengths))]
        first = np.where(self.rows > 0, first, 0)
        if (np.repeat(first, self.rows) != lengths).any():
            most = int(lengths.max())
            assert_equal(int(lengths.sum()), most * len(lengths), MESSAGE_INNER)
        return first


def _batches(a: list[Partition], b: list[Partition]) -> None:
    for mine, theirs in zip(a, b, strict=True):
        if mine != theirs:
            dense_assert_equal(mine.tensor, theirs.tensor, message=MESSAGE_BATCH)


@handles(RaggedTensor, "linalg.matmul")
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    **others: Any,
) -> Any:
    """Multiplies matrices, each with the one at the same place of the other batch."""
    like = a if isinstance(a, RaggedTensor) else b
    a, b = (dense_or_ragged(operand(value, like)) for value in (a, b))
    rank = rank_of(a)
    if rank != rank_of(b):
        raise ValueError("`a` and `b` must have the same rank.")
    if rank == 2:
        dense = [_matrix(value) for value in (a, b)]
        return dense_matmul(
            *dense, transpose_a=transpose_a, transpose_b=transpose_b, adjoint_a=adjoint_a,
            adjoint_b=adjoint_b,
        )  # fmt: skip
    dtype = splits_dtype([a, b])
    first = Matrices(a, rank - 2, transpose_a or adjoint_a, dtype)
    second = Matrices(b, rank - 2, transpose_b or adjoint_b, dtype)
    _batches(first.partitions, second.partitions)
    assert_equal(len(first.rows), len(second.rows), MESSAGE_BATCH)
    if (wrong := np.flatnonzero(first.columns != second.rows)).size:
        raise _incompatible(first, second, int(wrong[0]))
    product = dense_matmul(
        first.dense, second.dense, transpose_a=transpose_a, transpose_b=transpose_b,
        adjoint_a=adjoint_a, adjoint_b=adjoint_b,
    )  # fmt: skip
    return _result(product, first, second, dtype)


def _incompatible(first: Matrices, second: Matrices, place: int) -> Exception:
    shapes = [f"[{m.rows[place]},{m.columns[place]}]" for m in (first, second)]
    return invalid(f"{kernel_prefix('MatMul')}{matrix_sizes(*shapes)} [Op:MatMul] name: ")


def _matrix(value: Any) -> EagerTensor:
    """Makes one dense matrix of a ragged one, all rows of which have the same length."""
    if not isinstance(value, RaggedTensor):
        return value
    lengths = value._partition.lengths
    longest = int(lengths.max(initial=0)) * len(lengths)
    assert_equal(value._partition.nvals, longest, MESSAGE_INNER)
    return value.to_tensor()


def _result(product: EagerTensor, first: Matrices, second: Matrices, dtype: Any) -> Any:
    """Takes the products out of the padded ones."""
    _, height, width = product._type.shape
    if first.partitions and not first.ragged_rows and not second.ragged_columns:
        return nested_ragged(product, first.partitions, RaggedTensor)
    rows, columns = first.rows, second.columns
    outer = of_lengths(rows, dtype, None if first.ragged_rows else height)
    within = np.arange(outer.nvals) - outer.splits[:-1][outer.ids]
    places = outer.ids * height + within
    flat = take(merged_axes(product, 2), from_host(places), 0)
    partitions = [*first.partitions, outer]
    if second.ragged_columns:
        inner = of_lengths(np.repeat(columns, rows), dtype)
        steps = np.arange(inner.nvals) - inner.splits[:-1][inner.ids]
        size = math.prod(flat._type.shape)
        places = inner.ids * width + steps
        flat = take(reshape(flat, (size,)), from_host(places), 0)
        partitions.append(inner)
    return nested_ragged(flat, partitions, RaggedTensor)
