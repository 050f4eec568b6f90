"""Blocks of rows: how datasets that are slices of arrays are read without making each element.

Such a dataset gives its columns once, and then blocks of row numbers. Shuffling, repeating, taking
and skipping change only the numbers; a batch is gathered from the columns by one `take` of NumPy's.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.text import StringTensor
from tapefacade._data.structures import tensor_of

Array = np.ndarray[Any, Any]
Numbers = tuple[Array, ...]  # the numbers of some rows, a vector for each group of columns
LARGEST_BLOCK = 1 << 20
ROWS_AT_ONCE = 256  # where elements are wanted one by one


class Counting:
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


class Indexed(NamedTuple):
    """One iteration over a dataset of rows.

    Attributes:
        groups: the columns; those of one group have their numbers in common.
        pack: makes an element of a list of leaves, one for each column.
        blocks: the numbers.
    """

    groups: tuple[tuple[Any, ...], ...]
    pack: Callable[[list[Any]], Any]
    blocks: Iterator[Numbers]

    def gathered(self, numbers: Numbers) -> list[Array]:
        """Returns some rows of all columns."""
        return [
            column.take(part)
            for group, part in zip(self.groups, numbers, strict=True)
            for column in group
        ]

    def elements(self) -> Iterator[Any]:
        """Yields the elements one by one."""
        pack = self.pack
        for numbers in self.blocks:
            for piece in pieces(numbers, ROWS_AT_ONCE):
                columns = [
                    column.tensors(part)
                    for group, part in zip(self.groups, piece, strict=True)
                    for column in group
                ]
                for row in zip(*columns, strict=True):
                    yield pack(list(row))

    def rows(self, size: int) -> "Rows":
        """Returns the rows in arrays of `size` rows each, the last ones shorter."""
        return Rows(self.pack, map(self.gathered, of_size(self.blocks, size)))


class Rows(NamedTuple):
    """One iteration over a dataset, some rows at a time.

    Attributes:
        pack: makes an element of a list of leaves, one for each column.
        arrays: the columns of the next rows.
    """

    pack: Callable[[list[Any]], Any]
    arrays: Iterator[list[Array]]

    def elements(self) -> Iterator[Any]:
        """Yields the elements one by one."""
        for arrays in self.arrays:
            for row in zip(*map(tensors_of, arrays), strict=True):
                yield self.pack(list(row))


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


def joined(blocks: list[Numbers]) -> Numbers:
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
            yield joined(waiting)
        while at + size <= total:
            yield part(block, at, at + size)
            at += size
        waiting, count = ([part(block, at, None)], total - at) if at < total else ([], 0)
    if count:
        yield joined(waiting)


def taken(blocks: Iterator[Numbers], count: int) -> Iterator[Numbers]:
    """Yields the first `count` numbers."""
    while count > 0:
        block = next(blocks, None)
        if block is None:
            return
        yield block if length(block) <= count else part(block, 0, count)
        count -= length(block)


def skipped(blocks: Iterable[Numbers], count: int) -> Iterator[Numbers]:
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
