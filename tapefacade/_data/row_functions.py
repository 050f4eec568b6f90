"""Calls a user's function of one element with many elements at once, where that gives the same."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapefacade._core.tensor import from_host
from tapefacade._data.element_functions import ROWS_BEFORE_BATCHED_CALLS, UserFunction, apart
from tapefacade._data.element_structures import leaves
from tapefacade._data.node import SHARING
from tapefacade._data.row_streams import IndexedRows, RowArrays, tensors_of
from tapefacade._function.control.bodies import Body
from tapefacade._function.control.row_loops import RowLoop, record_loop
from tapefacade._function.control.scan_op import MAP

Array = np.ndarray[Any, Any]
PROGRAMS_PER_FUNCTION = 2  # numbers of rows that have programs of their own


class VectorizedFunction:
    """A function during one iteration, called with many rows at once."""

    def __init__(self, function: UserFunction, body: Body, size: int) -> None:
        self._function = function
        self._body = body
        self._size = size

    def __call__(self, arrays: Sequence[Array]) -> list[Array]:
        """Returns the results for some rows, stacked."""
        count = len(arrays[0])
        if count < self._size:
            arrays = [_filled(array, self._size) for array in arrays]
        elements = [from_host(array) for array in arrays]
        with apart():
            rows = RowLoop(MAP, self._function.python, [], elements)
            results = [
                tensor._numpy_array() for tensor in record_loop(self._body, rows, vector=True)
            ]
        return [result[:count] for result in results] if count < self._size else results


def _filled(array: Array, size: int) -> Array:
    """Repeats the last row, so that the same program can run."""
    return np.concatenate([array, np.repeat(array[-1:], size - len(array), 0)])


class BatchedFunction:
    """A function during one iteration, for many rows at once or one by one."""

    def __init__(self, function: UserFunction, found: Any, pack: Callable[..., Any]) -> None:
        self._function, self._found, self._pack = function, found, pack
        self._calls: dict[int, VectorizedFunction] = {}
        shared = {} if SHARING.found is None else SHARING.found
        self._body = shared[found] if found in shared else shared.setdefault(found, found.anew())

    def all(self, arrays: Any) -> Any:
        """Returns the results for some rows, stacked.

        Raises:
            Exception: that of the first row that has one.
        """
        try:
            return self._at_once(arrays)
        except Exception:  # of the user's function, for some row: which one is found out
            for _ in self._one_by_one(arrays):
                pass  # raises the error of the row that has one
            raise

    def each(self, arrays: Any) -> Iterator[Any]:
        """Gives the leaves of the results for some rows; an error belongs to its row."""
        if len(arrays[0]) >= ROWS_BEFORE_BATCHED_CALLS or self._found.draws:
            try:
                return zip(*map(tensors_of, self._at_once(arrays)), strict=True)
            except Exception:  # of the user's function: it belongs to one row, the others go on
                return self._one_by_one(arrays)
        return self._one_by_one(arrays)

    def _at_once(self, arrays: Any) -> Any:
        """Calls the function; a few sizes have programs of their own, others are filled up."""
        count = len(arrays[0])
        size = count if len(self._calls) < PROGRAMS_PER_FUNCTION else 0
        size = min([known for known in self._calls if known >= count], default=size or count)
        if size not in self._calls:
            self._calls[size] = VectorizedFunction(self._function, self._body, size)
        return self._calls[size](arrays)

    def _one_by_one(self, arrays: Any) -> Iterator[Any]:
        rows = zip(*map(tensors_of, arrays), strict=True)
        call = self._function.started()
        return map(leaves, map(call, [self._pack(list(row)) for row in rows]))


class ComputedColumns:
    """Columns that a function computes of the rows of others when they are read."""

    def __init__(
        self, source: IndexedRows, function: UserFunction, found: Any, row_bytes: int
    ) -> None:
        (self._group,) = source.groups
        self._rows = BatchedFunction(function, found, source.pack)
        self._count = len(leaves(found.spec))
        self.row_bytes = row_bytes

    def __len__(self) -> int:
        return self._count

    def take(self, numbers: Any) -> Any:
        """Returns some rows of each column."""
        return self._rows.all(self._group.take(numbers))

    def rows(self, numbers: Any) -> Iterator[Any]:
        """Gives some rows."""
        return self._rows.each(self._group.take(numbers))


class RowResults:
    """The results for rows, one by one; an error belongs to its row and does not end it."""

    def __init__(self, source: RowArrays, call: BatchedFunction) -> None:
        self._source, self._call = source, call
        self._pack = call._found.pack
        self._waiting: Iterator[Any] = iter(())

    def __iter__(self) -> "RowResults":
        return self

    def __next__(self) -> Any:
        while True:
            for row in self._waiting:
                return self._pack(list(row))
            self._waiting = self._call.each(next(self._source.arrays))
