"""Several elements as one: batch, ragged and sparse batches, rebatch, window."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._data.composite_elements import batch_of, count_of, rows_of
from tapefacade._data.element_structures import (
    batched_spec,
    kernel_error,
    leaves,
    mapped,
    op_error,
    packed,
    packer,
    tensor_of,
)
from tapefacade._data.iterators import DatasetSpec
from tapefacade._data.node import Boxed, BoxedIterator, DatasetNode, ElementError, attempt
from tapefacade._extension.extension_type import ExtensionType
from tapefacade._ragged.joining import ragged_stack
from tapefacade._ragged.spec import RaggedTensorSpec
from tapefacade._sparse.spec import SparseTensorSpec
from tapefacade._sparse.tensor import SparseTensor

MESSAGE_BATCH_SIZE = "Batch size must be greater than zero."


def lists(elements: Iterator[Any], size: int, drop: bool) -> Iterator[Any]:
    """Yields lists of `size` elements; the last may be shorter, or is dropped.

    In the place of a list with an element that cannot be made is its `ElementError`.
    """
    while True:
        found = list(itertools.islice(elements, size))
        if not found or (drop and len(found) < size):
            return
        yield first_raised(found) or found


def first_raised(elements: Iterable[Any]) -> ElementError | None:
    """Returns the first of some elements that cannot be made."""
    return next((element for element in elements if type(element) is ElementError), None)


def columns_of(elements: list[Any]) -> Iterator[tuple[Any, ...]]:
    """Yields, for each leaf, those of all elements."""
    return zip(*map(leaves, elements), strict=True)


class Batch(DatasetNode):
    """Batches: each leaf has the elements' leaves for its rows."""

    def __init__(self, node: DatasetNode, size: int, drop: bool, parallel: bool = False) -> None:
        super().__init__(node)
        self.name = "_ParallelBatchDataset" if parallel else "_BatchDataset"
        if size < 1:
            raise op_error("BatchDatasetV2", MESSAGE_BATCH_SIZE)
        self._size, self._drop = size, drop

    def known_spec(self) -> Any:
        spec = self.input.known_spec()
        return None if spec is None else batched_spec(spec, self._static_size())

    def _static_size(self) -> int | None:
        return self._size if self._drop else None

    def _probed(self) -> Any:
        return batched_spec(self.input.spec, self._static_size())

    def cardinality(self) -> int:
        count = self.input.cardinality()
        if count < 0:
            return count
        return count // self._size if self._drop else -(-count // self._size)

    def elements(self) -> Iterator[Any]:
        rows = self.input.rows(self._size) if self.input.has_rows else None
        if rows is None:
            return BoxedIterator(self.elements_from(Boxed(self.input.elements())))
        return BoxedIterator(self._gathered(rows.pack, Boxed(rows.arrays)))

    def _gathered(self, pack: Callable[..., Any], arrays: Iterator[Any]) -> Iterator[Any]:
        for columns in arrays:
            if type(columns) is ElementError:
                yield columns
                continue
            if self._drop and len(columns[0]) < self._size:
                return
            yield pack([tensor_of(column) for column in columns])

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        known = self.input.known_spec()
        specs = None if known is None else leaves(known)
        for found in lists(elements, self._size, self._drop):
            yield attempt(_batched, found, specs, self._static_size())


def _batched(elements: list[Any], specs: list[Any] | None, size: int | None) -> Any:
    """Makes one element of several; `size` is how many there are in all batches, if known."""
    specs = specs or [None] * len(leaves(elements[0]))
    columns = zip(specs, columns_of(elements), strict=True)
    flat = [batch_of(column, k, spec, size) for k, (spec, column) in enumerate(columns)]
    return packer(elements[0])(flat)


class RaggedBatch(Batch):
    """Batches in which leaves of different lengths become ragged tensors."""

    def __init__(self, node: DatasetNode, size: int, drop: bool, splits: dtypes.DType) -> None:
        super().__init__(node, size, drop)
        self._splits = splits

    def known_spec(self) -> Any:
        spec = self.input.known_spec()
        return None if spec is None else mapped(self._leaf_spec, spec)

    def _probed(self) -> Any:
        return mapped(self._leaf_spec, self.input.spec)

    def _leaf_spec(self, spec: Any) -> Any:
        size = self._static_size()
        if isinstance(spec, TensorSpec):
            if spec.shape.rank is not None and spec.shape.is_fully_defined():
                return spec._batch(size)
            return RaggedTensorSpec(
                TensorShape([size]).concatenate(spec.shape), spec.dtype,
                row_splits_dtype=self._splits,
            )  # fmt: skip
        return batched_spec(spec, size)

    def elements(self) -> Iterator[Any]:
        return BoxedIterator(self.elements_from(Boxed(self.input.elements())))

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        for found in lists(elements, self._size, self._drop):
            yield attempt(self._made_of, found)

    def _made_of(self, elements: list[Any]) -> Any:
        columns = zip(leaves(self.input.spec), columns_of(elements), strict=True)
        return packer(elements[0])([self._leaf(spec, column) for spec, column in columns])

    def _leaf(self, spec: Any, column: tuple[Any, ...]) -> Any:
        if isinstance(column[0], ExtensionType) or (
            isinstance(spec, TensorSpec) and spec.shape.is_fully_defined()
        ):
            return batch_of(column)
        made = ragged_stack(list(column))
        return made.with_row_splits_dtype(self._splits)


class SparseBatch(DatasetNode):
    """Batches of vectors and the like as sparse tensors."""

    name = "_DenseToSparseBatchDataset"

    def __init__(self, node: DatasetNode, size: int, shape: TensorShape) -> None:
        super().__init__(node)
        self._size, self._shape = size, shape
        if not isinstance(node.spec, TensorSpec):
            raise TypeError(
                "`dense_to_sparse_batch` requires an input dataset of tensors, but it "
                f"has {node.spec}."
            )

    def known_spec(self) -> Any:
        shape = TensorShape([None]).concatenate(self._shape)
        return SparseTensorSpec(shape, self.input.spec.dtype)

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        for found in lists(elements, self._size, False):
            yield attempt(self._made_of, found)

    def _made_of(self, elements: list[Any]) -> Any:
        arrays = [element._numpy_array() for element in elements]
        sizes = self._shape.as_list()
        for axis, size in enumerate(sizes):
            longest = max(array.shape[axis] for array in arrays)
            if size is not None and longest > size:
                raise kernel_error(
                    f"dense_to_sparse_batch: element of shape {arrays[0].shape} does "
                    f"not fit in {self._shape}",
                )
            sizes[axis] = longest if size is None else size
        return _as_sparse(arrays, sizes)


def _as_sparse(arrays: list[Any], sizes: list[Any]) -> SparseTensor:
    places, values = [], []
    for row, array in enumerate(arrays):
        inner = np.argwhere(np.ones(array.shape, bool))
        places.append(np.concatenate([np.full((len(inner), 1), row), inner], 1))
        values.append(array.ravel())
    shape = np.array([len(arrays), *sizes], np.int64)
    where = np.concatenate(places).astype(np.int64)
    return SparseTensor(tensor_of(where), tensor_of(np.concatenate(values)), tensor_of(shape))


class Rebatch(DatasetNode):
    """Batches of another size."""

    name = "_RebatchDataset"

    def __init__(self, node: DatasetNode, sizes: list[int], drop: bool) -> None:
        super().__init__(node)
        self._sizes, self._drop = sizes, drop

    def known_spec(self) -> Any:
        spec = self.input.known_spec()
        return None if spec is None else mapped(self._leaf_spec, spec)

    def _probed(self) -> Any:
        return mapped(self._leaf_spec, self.input.spec)

    def _leaf_spec(self, spec: Any) -> Any:
        rest = spec.shape[1:] if spec.shape.rank is not None else None
        rows = spec.shape[0] if spec.shape.rank else None
        size, *others = set(self._sizes)
        if others or not (self._drop or (rows is not None and rows % size == 0)):
            size = None
        return TensorSpec(TensorShape([size]).concatenate(TensorShape(rest)), spec.dtype)

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        sizes = itertools.cycle(self._sizes)
        rows: list[Any] = []
        size = next(sizes)
        pack: Any = None

        def packed_rows(chosen: list[Any]) -> Any:
            columns = enumerate(zip(*chosen, strict=True))
            return pack([batch_of(column, k) for k, column in columns])

        for element in elements:
            if type(element) is ElementError:
                yield element
                continue
            pack = packer(element)
            flat = leaves(element)
            columns = zip(*[rows_of(leaf) for leaf in flat], strict=True)
            rows.extend(columns if count_of(flat[0]) else [])
            while len(rows) >= size:
                chosen, rows = rows[:size], rows[size:]
                yield attempt(packed_rows, chosen)
                size = next(sizes)
        if rows and not self._drop:
            yield attempt(packed_rows, rows)


class Windows(DatasetNode):
    """`Dataset.window`: datasets of some elements each."""

    name = "_WindowDataset"

    def __init__(
        self, node: DatasetNode, size: int, shift: int, stride: int, drop: bool,
        wrap: Callable[[DatasetNode], Any],
    ) -> None:  # fmt: skip
        super().__init__(node)
        for name, value in (("size", size), ("shift", shift), ("stride", stride)):
            if value <= 0:
                raise op_error("WindowDataset", f"Window {name} must be greater than zero.")
        self._size, self._shift, self._stride, self._drop = size, shift, stride, drop
        self._wrap = wrap

    def known_spec(self) -> Any:
        spec = self.input.known_spec()
        return None if spec is None else mapped(DatasetSpec, spec)

    def _probed(self) -> Any:
        return mapped(DatasetSpec, self.input.spec)

    def cardinality(self) -> int:
        count = self.input.cardinality()
        if count < 0:
            return count
        if not self._drop:
            return -(-count // self._shift)
        span = (self._size - 1) * self._stride + 1
        return max(0, (count - span) // self._shift + 1) if count >= span else 0

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        span = (self._size - 1) * self._stride + 1
        held: list[Any] = []
        while True:
            held.extend(itertools.islice(elements, max(0, span - len(held))))
            if not held or (self._drop and len(held) < span):
                return
            chosen = held[: span : self._stride]
            yield first_raised(chosen) or self._window(chosen)
            gone = self._shift - len(held)
            held = held[self._shift :]
            if gone > 0:
                sum(1 for _ in itertools.islice(elements, gone))

    def _window(self, elements: list[Any]) -> Any:
        spec = self.input.spec
        columns = [list(column) for column in columns_of(elements)]
        windows = [
            self._wrap(HeldElements(column, leaf))
            for column, leaf in zip(columns, leaves(spec), strict=True)
        ]
        return packed(spec, windows)


class HeldElements(DatasetNode):
    """Leaves that are kept, such as those of a window."""

    name = "_VariantDataset"

    def __init__(self, elements: list[Any], spec: Any, are_examples: bool = False) -> None:
        super().__init__()
        self._are_examples = are_examples
        self._elements = elements
        self._leaf_spec = spec

    @property
    def holds_examples(self) -> bool:
        return self._are_examples

    def known_spec(self) -> Any:
        return self._leaf_spec

    def cardinality(self) -> int:
        return len(self._elements)

    def elements(self) -> Iterator[Any]:
        return iter(self._elements)
