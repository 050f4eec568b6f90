"""Rows of ragged and dense tensors by their positions, which are known on the host."""

from typing import Any

import numpy as np

from tapefacade._core.tensor import from_host
from tapefacade._ops.array.gathering import take
from tapefacade._ops.array.indexing import getitem
from tapefacade._ragged.partition import Array, of_lengths
from tapefacade._ragged.tensor import RaggedTensor


def ranges(starts: Array, lengths: Array) -> Array:
    """Concatenates the ranges that begin at `starts` and have `lengths`."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - (ends - lengths), lengths)


def _is_range(places: Array) -> bool:
    if not places.size:
        return True
    first = int(places[0])
    return first + places.size - 1 == places[-1] and bool((np.diff(places) == 1).all())


def select(values: Any, places: Array) -> Any:
    """Takes rows at positions that are known to be right.

    Args:
        values: a ragged or dense tensor, `[n, ...]`.
        places: a vector of integers from 0 to n - 1.

    Returns:
        A tensor of that kind with as many rows as there are places.
    """
    if isinstance(values, RaggedTensor):
        partition = values._partition
        lengths = partition.lengths[places]
        below = ranges(partition.splits[:-1][places], lengths)
        chosen = of_lengths(lengths, partition.splits.dtype, partition.uniform)
        return values._make(select(values._values, below), chosen)
    if _is_range(places):
        first = int(places[0]) if places.size else 0
        if places.size == values._type.shape[0]:
            return values
        return getitem(values, slice(first, first + places.size))
    return take(values, from_host(places), 0)
