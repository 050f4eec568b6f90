"""Functions that make a row of each text, and so a ragged tensor of a tensor."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._trace.open_sizes import with_unknown_axes


def in_rows(
    rows: Sequence[Sequence[Any]],
    shape: tuple[int, ...],
    values_of: Callable[[list[Any]], EagerTensor],
) -> Any:
    """Makes the tensor of the rows that texts became.

    Args:
        rows: what each text became.
        shape: the shape of the texts.
        values_of: makes the vector of the values of all rows.

    Returns:
        A vector for a single text, else a ragged tensor of one more dimension than `shape`.
    """
    values = values_of([value for row in rows for value in row])
    if not shape:
        return with_unknown_axes(values, 0)
    lengths = from_host(np.array([len(row) for row in rows], np.int64))
    made = RaggedTensor.from_row_lengths(values, lengths, validate=False)
    for axis in range(len(shape) - 1, 0, -1):
        count = int(np.prod(shape[:axis], dtype=np.int64))
        made = RaggedTensor.from_uniform_row_length(made, shape[axis], nrows=count)
    return made


def by_rows(function: Callable[[Any], Any], given: Any) -> Any:
    """Applies a function to texts, to those within a ragged tensor as well.

    Args:
        function: what to do with a tensor; it returns a tensor, or a tuple of tensors.
        given: a tensor, or a ragged tensor.
    """
    if not isinstance(given, RaggedTensor):
        return function(given)
    result = by_rows(function, given.values)
    if isinstance(result, tuple):
        return tuple([given.with_values(part) for part in result])
    return given.with_values(result)
