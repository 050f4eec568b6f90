"""Blocks of rows: how datasets that are slices of arrays are read without making each element.

Such a dataset gives its columns once, and then blocks of row numbers. Shuffling, repeating, taking
and skipping change only the numbers; a batch is gathered from the columns by one `take` of NumPy's.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core.string_arrays import StringTensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._data.element_structures import tensor_of

Array = np.ndarray[Any, Any]
Numbers = tuple[Array, ...]  # the numbers of some rows, a vector for each group of columns
LARGEST_BLOCK = 1 << 20
# Where elements are wanted one by one, so many rows are computed at once.
ROWS_AT_ONCE, MOST_BYTES = 256, 1 << 24


class CountingColumn:
    """A column that is computed: `start + step * number`."""

    def __init__(self, start: int, step: int, dtype: np.dtype[Any]) -> None:
        self._start, self._step, self._dtype = start, step, dtype

    def take(self, numbers: Array) -> Array:
        """Returns the rows of these numbers."""
        return (numbers * self._step + self._start).astype(self._dtype)

    def tensors(self, numbers: Array) -> Iterator[EagerTensor]:
        """Yields a tensor for each of these rows."""
        return tensors_of(self.take(numbers))


class Column:
    """A column of rows that are known."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def take(self, numbers: Array) -> Array:
        """Returns the rows of these numbers, copied."""
        return self.array.take(numbers, axis=0)

    def tensors(self, numbers: Array) -> Iterator[EagerTensor]:
        """Yields a tensor for each of these rows, which are not copied."""
        array = self.array
        if not len(numbers):
            return
        type_ = tensor_of(array[0, ...])._type
        kind = StringTensor if array.dtype.kind == "O" else EagerTensor
        for number in numbers.tolist():
            yield kind(type_, array[number, ...], None, 0)


def tensors_of(array: Array) -> Iterator[EagerTensor]:
    """Yields a tensor for each row of an array, without copying."""
    return Column(array).tensors(np.arange(len(array)))


class Columns:
    """Columns whose rows have their numbers in common."""

    row_bytes = 0  # what one row takes when elements are made one by one: nothing is copied

    def __init__(self, *columns: Any) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns)

    def take(self, numbers: Array) -> list[Array]:
        """Returns some rows of each column."""
        return [column.take(numbers) for column in self._columns]

    def rows(self, numbers: Array) -> Iterator[tuple[EagerTensor, ...]]:
        """Yields some rows, a tensor for each column."""
        return zip(*[column.tensors(numbers) for column in self._columns], strict=True)


class IndexedRows(NamedTuple):
    """One iteration over a dataset of rows.

    Attributes:
        groups: the `Columns`, or what is like it.
        pack: makes an element of a list of leaves, one for each column.
        blocks: the numbers.
    """

    groups: tuple[Any, ...]
    pack: Callable[[list[Any]], Any]
    blocks: Iterator[Numbers]

    def gathered(self, numbers: Numbers) -> list[Array]:
        """Returns some rows of all columns."""
        groups = zip(self.groups, numbers, strict=True)
        return [array for group, part in groups for array in group.take(part)]

    def elements(self) -> Iterator[Any]:
        """Gives the elements one by one."""
        return _IndexedElements(self)

    def rows(self, size: int) -> "RowArrays":
        """Returns the rows in arrays of `size` rows each, the last ones shorter."""
        return RowArrays(self.pack, map(self.gathered, of_size(self.blocks, size)))


class _IndexedElements:
    """The elements of rows; an error belongs to its row and does not end it."""

    def __init__(self, source: IndexedRows) -> None:
        self._source = source
        most = max([group.row_bytes for group in source.groups], default=0)
        self._pieces = (
            piece for numbers in source.blocks for piece in pieces(numbers, rows_at_once(most))
        )
        self._rows: Iterator[Any] = iter(())

    def __iter__(self) -> "_IndexedElements":
        return self

    def __next__(self) -> Any:
        while True:
            for row in self._rows:
                return self._source.pack(list(row))
            piece = next(self._pieces)
            pairs = zip(self._source.groups, piece, strict=True)
            parts = [group.rows(numbers) for group, numbers in pairs]
            self._rows = parts[0] if len(parts) == 1 else map(_joined_rows, *parts)


def _joined_rows(*rows: Any) -> list[Any]:
    return [leaf for row in rows for leaf in row]


def rows_at_once(row_bytes: int) -> int:
    """Returns how many rows are computed at once where elements are wanted one by one."""
    return ROWS_AT_ONCE if not row_bytes else min(ROWS_AT_ONCE, max(8, MOST_BYTES // row_bytes))


class RowArrays(NamedTuple):
    """One iteration over a dataset, some rows at a time.

    Attributes:
        pack: makes an element of a list of leaves, one for each column.
        arrays: the columns of the next rows.
    """

    pack: Callable[[list[Any]], Any]
    arrays: Iterator[list[Array]]


def numbers_up_to(count: int) -> Iterator[Numbers]:
    """Yields the numbers from 0 to below `count`, in blocks."""
    for start in range(0, count, LARGEST_BLOCK):
        yield (np.arange(start, min(count, start + LARGEST_BLOCK)),)


def length(numbers: Numbers) -> int:
    """Returns how many rows a block has."""
    return len(numbers[0])


def part(numbers: Numbers, start: int, stop: int | None, step: int = 1) -> Numbers:
    """Returns a part of a block."""
    return tuple([vector[start:stop:step] for vector in numbers])


def pieces(numbers: Numbers, size: int) -> Iterator[Numbers]:
    """Cuts a block in pieces."""
    for start in range(0, length(numbers), size):
        yield part(numbers, start, start + size)


def joined_blocks(blocks: list[Numbers]) -> Numbers:
    """Makes one block of several."""
    if len(blocks) == 1:
        return blocks[0]
    return tuple([np.concatenate(vectors) for vectors in zip(*blocks, strict=True)])


def of_size(blocks: Iterable[Numbers], size: int) -> Iterator[Numbers]:
    """Yields the same numbers in blocks of `size`; the last one may be shorter."""
    waiting: list[Numbers] = []
    count = 0
    for block in blocks:
        total = length(block)
        at = 0
        if count:
            at = min(size - count, total)
            waiting.append(part(block, 0, at))
            count += at
            if count < size:
                continue
            yield joined_blocks(waiting)
        while at + size <= total:
            yield part(block, at, at + size)
            at += size
        waiting, count = ([part(block, at, None)], total - at) if at < total else ([], 0)
    if count:
        yield joined_blocks(waiting)


def first_numbers(blocks: Iterator[Numbers], count: int) -> Iterator[Numbers]:
    """Yields the first `count` numbers."""
    while count > 0:
        block = next(blocks, None)
        if block is None:
            return
        yield block if length(block) <= count else part(block, 0, count)
        count -= length(block)


def later_numbers(blocks: Iterable[Numbers], count: int) -> Iterator[Numbers]:
    """Yields all but the first `count` numbers."""
    for block in blocks:
        if count < length(block):
            yield part(block, count, None) if count else block
            count = 0
        else:
            count -= length(block)


def every(blocks: Iterable[Numbers], count: int, place: int) -> Iterator[Numbers]:
    """Yields each `count`-th number, beginning with that at `place`."""
    at = place
    for block in blocks:
        total = length(block)
        if at < total:
            yield part(block, at, None, count)
            at += -(-(total - at) // count) * count
        at -= total


def together(streams: list[Iterator[Numbers]]) -> Iterator[Numbers]:
    """Yields the numbers of several streams side by side, as long as the shortest lasts."""
    held: list[Numbers | None] = [None] * len(streams)
    while True:
        for place, stream in enumerate(streams):
            while held[place] is None or not length(held[place] or ()):
                block = next(stream, None)
                if block is None:
                    return
                held[place] = block
        blocks = [block for block in held if block is not None]
        size = min(map(length, blocks))
        yield tuple([vector for block in blocks for vector in part(block, 0, size)])
        held = [part(block, size, None) for block in blocks]
