"""Several datasets as one: zip, enumerate, concatenate, and elements of those that numbers name."""

import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._data.element_functions import as_number
from tapefacade._data.element_structures import (
    kernel_error,
    leaves,
    merged_spec,
    packed,
    packer,
    tensor_of,
)
from tapefacade._data.node import (
    INFINITE,
    UNKNOWN,
    Boxed,
    BoxedIterator,
    DatasetNode,
    ElementError,
    attempt,
    close,
)
from tapefacade._data.row_streams import (
    Columns,
    CountingColumn,
    IndexedRows,
    Numbers,
    numbers_up_to,
    together,
)


class Concatenate(DatasetNode):
    """The elements of one dataset, then those of another."""

    name = "_ConcatenateDataset"

    def known_spec(self) -> Any:
        first, second = (node.known_spec() for node in self.inputs)
        return None if first is None or second is None else merged_spec(first, second)

    def _probed(self) -> Any:
        return merged_spec(*(node.spec for node in self.inputs))

    def cardinality(self) -> int:
        first, second = (node.cardinality() for node in self.inputs)
        if INFINITE in (first, second):
            return INFINITE
        return UNKNOWN if UNKNOWN in (first, second) else first + second

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        yield from elements
        for node in self.inputs[1:]:
            yield from Boxed(node.elements())


class Zip(DatasetNode):
    """The elements of several datasets side by side."""

    name = "_ZipDataset"

    def __init__(self, nodes: Sequence[DatasetNode], form: Any) -> None:
        super().__init__(*nodes)
        self._form = form  # a structure with a leaf for each dataset

    def known_spec(self) -> Any:
        specs = [node.known_spec() for node in self.inputs]
        return None if any(spec is None for spec in specs) else packed(self._form, specs)

    def _probed(self) -> Any:
        return packed(self._form, [node.spec for node in self.inputs])

    def cardinality(self) -> int:
        counts = [node.cardinality() for node in self.inputs]
        known = [count for count in counts if count != INFINITE]
        if not known:
            return INFINITE
        return UNKNOWN if UNKNOWN in known else min(known)

    @property
    def is_indexed(self) -> bool:
        return all(node.is_indexed and not node.is_computed for node in self.inputs)

    def indexed(self) -> IndexedRows | None:
        if not self.is_indexed:
            return None
        found = [stream for node in self.inputs if (stream := node.indexed()) is not None]
        groups = tuple([group for stream in found for group in stream.groups])
        pack = packer(packed(self._form, [node.spec for node in self.inputs]))
        return IndexedRows(groups, self._packer(found, pack), together([s.blocks for s in found]))

    def _packer(self, found: list[IndexedRows], pack: Any) -> Any:
        plain = isinstance(self._form, tuple) and all(len(leaves(n.spec)) == 1 for n in self.inputs)
        if plain:
            return pack
        counts = [sum(map(len, stream.groups)) for stream in found]
        ends = list(itertools.accumulate(counts))

        def packed_row(row: list[Any]) -> Any:
            parts = [
                stream.pack(row[end - count : end])
                for stream, count, end in zip(found, counts, ends, strict=True)
            ]
            return packed(self._form, parts)

        return packed_row

    def elements(self) -> Iterator[Any]:
        found = self.indexed()
        return BoxedIterator(self._zipped()) if found is None else found.elements()

    def _zipped(self) -> Iterator[Any]:
        streams = [Boxed(node.elements()) for node in self.inputs]
        pack = tuple if type(self._form) is tuple else None
        plain = pack is not None and not any(map(_has_parts, self._form))
        try:
            for row in zip(*streams, strict=False):
                failed = next((item for item in row if type(item) is ElementError), None)
                yield failed or (row if plain else packed(self._form, list(row)))
        finally:
            for stream in streams:
                close(stream)


def _has_parts(form: Any) -> bool:
    return isinstance(form, tuple | dict)


class Enumerate(DatasetNode):
    """Each element with its number."""

    name = "_ZipDataset"

    def __init__(self, node: DatasetNode, start: int) -> None:
        super().__init__(node)
        self._start = start

    def known_spec(self) -> Any:
        spec = self.input.known_spec()
        return None if spec is None else (TensorSpec([], dtypes.int64), spec)

    def _probed(self) -> Any:
        return (TensorSpec([], dtypes.int64), self.input.spec)

    def cardinality(self) -> int:
        return self.input.cardinality()

    def elements(self) -> Iterator[Any]:
        found = self.indexed()
        if found is not None:
            return found.elements()
        return map(_numbered, itertools.count(self._start), self.input.elements())

    @property
    def is_indexed(self) -> bool:
        return self.input.is_indexed and not self.input.is_computed

    def indexed(self) -> IndexedRows | None:
        found = self.input.indexed() if self.is_indexed else None
        if found is None:
            return None
        numbers = CountingColumn(self._start, 1, np.dtype(np.int64))
        pack = found.pack

        def paired(row: list[Any]) -> Any:
            return (row[0], pack(row[1:]))

        blocks = together([_endless(), found.blocks])
        return IndexedRows((Columns(numbers), *found.groups), paired, blocks)


def _numbered(number: int, element: Any) -> Any:
    return (tensor_of(np.array(number, np.int64)), element)


def _endless() -> Iterator[Numbers]:
    for number in itertools.count():
        for (block,) in numbers_up_to(1 << 16):
            yield (block + (number << 16),)


class DirectedInterleave(DatasetNode):
    """Elements of several datasets, one at a time from that which a number names."""

    name = "_DirectedInterleaveDataset"

    def __init__(self, choices: DatasetNode, nodes: Sequence[DatasetNode], stop: bool) -> None:
        super().__init__(choices, *nodes)
        self._stop = stop

    def known_spec(self) -> Any:
        specs = [node.known_spec() for node in self.inputs[1:]]
        if any(spec is None for spec in specs):
            return None
        return functools.reduce(merged_spec, specs)

    def _probed(self) -> Any:
        return functools.reduce(merged_spec, [node.spec for node in self.inputs[1:]])

    def cardinality(self) -> int:
        counts = [node.cardinality() for node in self.inputs[1:]]
        if self.inputs[0].cardinality() == INFINITE and all(c == INFINITE for c in counts):
            return INFINITE
        return UNKNOWN

    def elements(self) -> Iterator[Any]:
        return BoxedIterator(self._directed())

    def _directed(self) -> Iterator[Any]:
        streams: list[Any] = [Boxed(node.elements()) for node in self.inputs[1:]]
        left = len(streams)
        try:
            for choice in Boxed(self.inputs[0].elements()):
                place = attempt(as_number, choice)
                if type(place) is not ElementError and not 0 <= place < len(streams):
                    message = f"Selector index out of range: {place} >= {len(streams)}"
                    place = ElementError(kernel_error(message))
                if type(place) is ElementError:
                    yield place
                    continue
                if streams[place] is None:
                    continue
                for element in streams[place]:
                    yield element
                    break
                else:
                    streams[place] = None
                    left -= 1
                    if self._stop or not left:
                        return
        finally:
            for stream in streams:
                close(stream)
