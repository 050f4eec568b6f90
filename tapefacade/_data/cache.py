"""`Dataset.cache` in memory."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapefacade._core.string_arrays import StringTensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._data.element_functions import ROWS_BEFORE_BATCHED_CALLS
from tapefacade._data.element_structures import fresh, leaves, packer
from tapefacade._data.node import Boxed, BoxedIterator, DatasetNode, ElementError, SameTypesNode
from tapefacade._data.row_streams import Column, Columns, IndexedRows, Numbers, numbers_up_to


class Cache(SameTypesNode):
    """The elements, kept from the first time they are all read.

    Of rows of arrays only the numbers are kept. Elements that are alike become rows of arrays.
    """

    name = "CacheDataset"

    def __init__(self, node: DatasetNode) -> None:
        super().__init__(node)
        self._kept: list[Any] | None = None
        self._blocks: list[Numbers] | None = None
        self._source: tuple[Any, Any] | None = None  # groups of columns, and how they are packed

    @property
    def is_indexed(self) -> bool:
        return self._source is not None or (self.input.is_indexed and not self.input.is_computed)

    def indexed(self) -> IndexedRows | None:
        if not self.is_indexed:
            return None
        if self._blocks is not None and self._source is not None:
            return IndexedRows(*self._source, iter(self._blocks))
        found = self.input.indexed()
        return None if found is None else found._replace(blocks=self._noted(found))

    def _noted(self, found: IndexedRows) -> Iterator[Numbers]:
        blocks = []
        for block in found.blocks:
            blocks.append(block)
            yield block
        self._blocks = blocks
        self._source = (found.groups, found.pack)

    def elements(self) -> Iterator[Any]:
        found = self.indexed()
        if found is not None:
            return found.elements()
        return BoxedIterator(self._filling()) if self._kept is None else map(fresh, self._kept)

    def _filling(self) -> Iterator[Any]:
        kept = []
        for element in Boxed(self.input.elements()):
            if type(element) is not ElementError:
                kept.append(fresh(element))
            yield element
        columns = _as_columns(kept) if len(kept) >= ROWS_BEFORE_BATCHED_CALLS else None
        if columns is None:
            self._kept = kept
        else:
            self._blocks = list(numbers_up_to(len(kept)))
            self._source = ((columns,), packer(kept[0]))


def _as_columns(elements: list[Any]) -> Columns | None:
    """Returns the elements as rows of arrays, if all of them are tensors of the same types."""
    rows = [leaves(element) for element in elements]
    kinds = {tuple([(type(leaf), getattr(leaf, "_type", None)) for leaf in row]) for row in rows}
    if len(kinds) > 1:
        return None
    if not all(kind in (EagerTensor, StringTensor) for kind, _ in kinds.pop()):
        return None
    arrays = []
    for column in zip(*rows, strict=True):
        first = column[0]._numpy_array()
        array = np.empty((len(column), *first.shape), first.dtype)
        for number, leaf in enumerate(column):
            array[number] = leaf._numpy_array()[()]
        arrays.append(Column(array))
    return Columns(*arrays)
