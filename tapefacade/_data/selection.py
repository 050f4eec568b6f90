"""Which elements, how often and in which order: take, skip, repeat, shuffle and the like."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapefacade._core import errors
from tapefacade._data.composite_elements import rows_of
from tapefacade._data.element_structures import (
    kernel_error,
    leaves,
    mapped,
    op_error,
    packer,
    row_leaf,
)
from tapefacade._data.node import (
    INFINITE,
    SHARD_HINT,
    SHARING,
    UNKNOWN,
    Boxed,
    BoxedIterator,
    DatasetNode,
    ElementError,
    SameTypesNode,
    attempt,
    scaled_count,
    started_again,
)
from tapefacade._data.row_streams import IndexedRows, Numbers, every, first_numbers, later_numbers


class RowSelection(SameTypesNode):
    """A step that passes rows on, but chooses which and in what order."""

    @property
    def is_indexed(self) -> bool:
        return self.input.is_indexed

    @property
    def is_computed(self) -> bool:
        return self.input.is_computed

    def indexed(self) -> IndexedRows | None:
        found = self.input.indexed()
        return None if found is None else found._replace(blocks=self.numbers(found.blocks))

    def numbers(self, blocks: Iterator[Numbers]) -> Iterator[Numbers]:
        """Chooses among the numbers of rows."""
        raise NotImplementedError


class Take(RowSelection):
    """The first elements."""

    name = "_TakeDataset"

    def __init__(self, node: DatasetNode, count: int) -> None:
        super().__init__(node)
        self._count = count

    def cardinality(self) -> int:
        count = self.input.cardinality()
        if self._count < 0:
            return count
        if count == INFINITE:
            return self._count
        return UNKNOWN if count == UNKNOWN and self._count else min(count, self._count)

    def numbers(self, blocks: Iterator[Numbers]) -> Iterator[Numbers]:
        return blocks if self._count < 0 else first_numbers(blocks, self._count)

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        return elements if self._count < 0 else self._first(elements)

    def _first(self, elements: Iterator[Any]) -> Iterator[Any]:
        left = self._count  # without those that cannot be made
        while left:
            for element in elements:
                left -= type(element) is not ElementError
                yield element
                break
            else:
                return


class Skip(RowSelection):
    """All but the first elements."""

    name = "_SkipDataset"

    def __init__(self, node: DatasetNode, count: int) -> None:
        super().__init__(node)
        self._count = count

    def cardinality(self) -> int:
        count = self.input.cardinality()
        if self._count < 0:
            return 0
        return count if count < 0 else max(0, count - self._count)

    def numbers(self, blocks: Iterator[Numbers]) -> Iterator[Numbers]:
        return iter(()) if self._count < 0 else later_numbers(blocks, self._count)

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        left = self._count
        if left < 0:
            return
        for element in elements:
            if left == 0:
                yield element
            elif type(element) is ElementError:
                yield element  # and nothing more, as in TensorFlow
                return
            else:
                left -= 1


class Shard(RowSelection):
    """Each n-th element."""

    name = "_ShardDataset"

    def __init__(self, node: DatasetNode, count: int, place: int) -> None:
        super().__init__(node)
        self._count, self._place = count, place
        self.is_hint = count == place == SHARD_HINT  # until a strategy fills it in
        if self.is_hint:
            self._count, self._place = 1, 0
            return
        if count < 1:
            raise op_error(
                "ShardDataset",
                f"Number of shards must be greater than zero (currently num_shards = {count}).",
            )
        if not 0 <= place < count:
            raise op_error(
                "ShardDataset",
                f"Index must be between 0 and {count - 1} (currently index = {place}).",
            )

    def cardinality(self) -> int:
        count = self.input.cardinality()
        if count < 0:
            return count
        return count // self._count + (self._place < count % self._count)

    def numbers(self, blocks: Iterator[Numbers]) -> Iterator[Numbers]:
        return every(blocks, self._count, self._place)

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        number = 0  # without those that cannot be made
        for element in elements:
            if type(element) is ElementError or number % self._count == self._place:
                yield element
            number += type(element) is not ElementError


class Repeat(SameTypesNode):
    """The elements several times."""

    name = "_RepeatDataset"

    def __init__(self, node: DatasetNode, count: int) -> None:
        super().__init__(node)
        self._count = count

    def cardinality(self) -> int:
        return scaled_count(self.input.cardinality(), INFINITE if self._count < 0 else self._count)

    @property
    def is_indexed(self) -> bool:
        return self.input.is_indexed

    @property
    def is_computed(self) -> bool:
        return self.input.is_computed

    def _times(self) -> Iterator[int]:
        return itertools.count() if self._count < 0 else iter(range(self._count))

    def indexed(self) -> IndexedRows | None:
        first = self.input.indexed()
        if first is None:
            return None
        return first._replace(blocks=self._numbers(first.blocks))

    def _numbers(self, blocks: Iterator[Numbers]) -> Iterator[Numbers]:
        for time in self._times():
            if time:
                again = self.input.indexed()
                assert again is not None
                blocks = again.blocks
            is_empty = True
            for block in blocks:
                is_empty = False
                yield block
            if is_empty and self._count < 0:
                return  # there is nothing to repeat

    def elements(self) -> Iterator[Any]:
        if self.is_indexed:
            found = self.indexed()
            if found is not None:
                return found.elements()
        return BoxedIterator(self._repeated({} if SHARING.found is None else SHARING.found))

    def _repeated(self, shared: dict[Any, Any]) -> Iterator[Any]:
        # TensorFlow makes one step of shuffling and repeating, which passes over empty epochs.
        passes_over = self.input.name == "_ShuffleDataset"
        is_empty = True
        for _ in self._times():
            is_empty = is_empty or not passes_over
            for element in Boxed(started_again(self.input, shared)):
                is_empty = False
                yield element
            if is_empty and self._count < 0:
                return


class Unbatch(DatasetNode):
    """The rows of the elements."""

    name = "_UnbatchDataset"

    def __init__(self, node: DatasetNode) -> None:
        super().__init__(node)
        known = node.known_spec()
        if known is not None:
            _require_rows([getattr(leaf, "shape", None) for leaf in leaves(known)])
        self._row_spec = None if known is None else mapped(row_leaf, known)

    def known_spec(self) -> Any:
        return self._row_spec

    def _probed(self) -> Any:
        return mapped(row_leaf, self.input.spec)

    def cardinality(self) -> int:
        count = self.input.cardinality()
        spec = self.input.known_spec()
        if count < 0 or spec is None:
            return count if count == 0 else UNKNOWN
        sizes = {size for leaf in leaves(spec) if (size := _rows(leaf)) is not None}
        return count * sizes.pop() if len(sizes) == 1 else UNKNOWN

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        for element in elements:
            columns = attempt(_columns, element)
            if type(columns) is ElementError:
                yield columns
                continue
            pack = packer(element)
            for row in zip(*columns, strict=True):
                yield pack(list(row))


def _columns(element: Any) -> list[Any]:
    columns = [rows_of(leaf) for leaf in leaves(element)]
    if len(set(map(len, columns))) > 1:
        raise kernel_error("Input element must have the same batch size in each component.")
    return columns


def _require_rows(shapes: list[Any]) -> None:
    known = [shape for shape in shapes if shape is not None and shape.rank is not None]
    if any(shape.rank == 0 for shape in known):
        raise ValueError("Cannot unbatch an input with scalar components.")
    sizes = [shape[0] for shape in known if shape[0] is not None]
    for size in sizes:
        if size != sizes[0]:
            raise ValueError(
                "`unbatch()` is only supported for datasets of elements whose components have a "
                f"matching leading dimension. Encountered both {sizes[0]} and {size}."
            )


def _rows(spec: Any) -> int | None:
    shape = getattr(spec, "shape", None)
    return None if shape is None or not shape.rank else shape[0]


class UniqueElements(SameTypesNode):
    """The elements without those that came before."""

    name = "_UniqueDataset"

    def cardinality(self) -> int:
        return UNKNOWN

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        seen = set()
        for element in elements:
            if type(element) is ElementError:
                yield element
                continue
            key = tuple([(x._type, _bytes(x._numpy_array())) for x in leaves(element)])
            if key not in seen:
                seen.add(key)
                yield element


def _bytes(array: np.ndarray[Any, Any]) -> Any:
    return tuple(array.ravel().tolist()) if array.dtype == object else array.tobytes()


class IgnoreErrors(SameTypesNode):
    """The elements without those that cannot be made."""

    name = "_IgnoreErrorsDataset"

    def cardinality(self) -> int:
        return UNKNOWN

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        kinds = (errors.OpError, ArithmeticError, ValueError, TypeError, LookupError)
        for element in elements:
            if type(element) is not ElementError or not isinstance(element.error, kinds):
                yield element


class AssertCardinality(SameTypesNode):
    """The elements, whose number is checked."""

    name = "_AssertCardinalityDataset"

    def __init__(self, node: DatasetNode, count: int) -> None:
        super().__init__(node)
        self._count = count

    def cardinality(self) -> int:
        return self._count

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        number = 0
        wanted = f"{self._count} element{'' if self._count == 1 else 's'}"
        for element in elements:
            if type(element) is ElementError:
                yield element
                continue
            number += 1
            if self._count >= 0 and number > self._count:
                raise self._wrong(
                    f"Input dataset was expected to contain {wanted} but contained at "
                    f"least {number} elements."
                )
            yield element
        if number != self._count:
            contained = f"{number} element{'' if number == 1 else 's'}"
            raise self._wrong(
                f"Input dataset was expected to contain {wanted} but contained only {contained}."
            )

    def _wrong(self, message: str) -> Exception:
        return kernel_error(message, errors.FailedPreconditionError)
