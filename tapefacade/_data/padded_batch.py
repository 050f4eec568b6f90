"""Batches of elements that are filled up to the same shape."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapefacade._core import errors
from tapefacade._core.conversion import convert
from tapefacade._core.string_arrays import OBJECT
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._data.batch import MESSAGE_BATCH_SIZE, columns_of
from tapefacade._data.element_structures import (
    is_structure,
    kernel_error,
    leaves,
    op_error,
    packed,
    packer,
    tensor_of,
)
from tapefacade._data.node import DatasetNode, ElementError, attempt


class PaddedBatch(DatasetNode):
    """Batches whose elements are filled up to the same shape."""

    name = "_PaddedBatchDataset"

    def __init__(
        self, node: DatasetNode, size: int, shapes: list[Any] | None, values: list[Any], drop: bool
    ) -> None:
        super().__init__(node)
        if size < 1:
            raise op_error("PaddedBatchDatasetV2", MESSAGE_BATCH_SIZE)
        self._size, self._drop = size, drop
        self._shapes = shapes  # for each leaf a list of sizes; None to find them in each batch
        self._values = values

    def known_spec(self) -> Any:
        spec = self.input.known_spec()
        return None if spec is None else self._padded(spec)

    def _probed(self) -> Any:
        return self._padded(self.input.spec)

    def _padded(self, spec: Any) -> Any:
        size = self._size if self._drop else None
        flat = leaves(spec)
        shapes = self._shapes or [leaf.shape.as_list() for leaf in flat]
        made = [TensorSpec([size, *s], leaf.dtype) for s, leaf in zip(shapes, flat, strict=True)]
        return packed(spec, made)

    def cardinality(self) -> int:
        count = self.input.cardinality()
        if count < 0:
            return count
        return count // self._size if self._drop else -(-count // self._size)

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        found: list[Any] = []
        for element in elements:
            if type(element) is ElementError:
                yield element
                found = []  # the elements before it are lost, as in TensorFlow
                continue
            found.append(element)
            if len(found) == self._size:
                yield attempt(self._made_of, found)
                found = []
        if found and not self._drop:
            yield attempt(self._made_of, found)

    def _made_of(self, elements: list[Any]) -> Any:
        columns = list(columns_of(elements))
        shapes = self._shapes or [[None] * len(column[0].shape) for column in columns]
        values = self._values or [None] * len(columns)
        flat = [
            _padded_leaf([leaf._numpy_array() for leaf in column], sizes, value, place)
            for place, (column, sizes, value) in enumerate(
                zip(columns, shapes, values, strict=True)
            )
        ]
        return packer(elements[0])(flat)


def _padded_leaf(arrays: list[Any], sizes: list[Any], value: Any, place: int) -> EagerTensor:
    rank = len(sizes)
    for array in arrays:
        if array.ndim != rank:
            raise kernel_error(
                "All elements in a batch must have the same rank as the padded shape for component"
                f"{place}: expected rank {rank} but got element with rank {array.ndim}"
            )
        for axis, size in enumerate(sizes):
            if size is not None and array.shape[axis] > size:
                raise kernel_error(
                    "Attempted to pad to a smaller size than the input element.",
                    errors.DataLossError,
                )
    longest = [max(array.shape[axis] for array in arrays) for axis in range(rank)]
    shape = [long if size is None else size for size, long in zip(sizes, longest, strict=True)]
    dtype = arrays[0].dtype
    if value is None:
        value = b"" if dtype == OBJECT else np.zeros((), dtype)[()]
    made = np.full((len(arrays), *shape), value, dtype)
    for row, array in enumerate(arrays):
        made[(row, *map(slice, array.shape))] = array[()]
    return tensor_of(made)


def shapes_up_to(window: Any, shapes: Any, boundaries: Any, place: int) -> Any:
    """Returns shapes whose unknown sizes are the largest of a bucket."""
    if place >= len(boundaries):
        raise ValueError(
            "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
        )
    largest = int(boundaries[place]) - 1
    spec = window.element_spec
    given = [spec_leaf.shape for spec_leaf in leaves(spec)] if shapes is None else None
    found = given or [TensorShape(s) for s in _flat_shapes(spec, shapes)]
    sized = [[largest if size is None else size for size in s.as_list()] for s in found]
    return sized[0] if not is_structure(spec) else tuple(map(TensorShape, sized))


def padded_shapes_of(node: DatasetNode, given: Any) -> list[Any] | None:
    """Returns the sizes of each leaf, None for the longest; None for no shapes at all."""
    known = node.known_spec()
    if given is None:
        if known is None:
            return None  # the types come from elements: all sizes are found in each batch
        for place, spec in enumerate(leaves(known)):
            if spec.shape.rank is None:
                raise ValueError(
                    "You must provide `padded_shapes` argument because component "
                    f"{place} has unknown rank."
                )
        return [spec.shape.as_list() for spec in leaves(known)]
    spec = node.spec
    found = []
    for shape, leaf in zip(_flat_shapes(spec, given), leaves(spec), strict=True):
        made = _as_sizes(shape)
        if known is not None and not _fits(leaf.shape, made):
            raise ValueError(
                f"The padded shape {_shown(made)} is not compatible with the shape {leaf.shape} of "
                "the corresponding input component."
            )
        found.append(made)
    return found


def _shown(sizes: list[Any]) -> str:
    return str(TensorShape(sizes))


def _as_sizes(shape: Any) -> list[Any]:
    if isinstance(shape, TensorShape):
        return shape.as_list()
    if isinstance(shape, EagerTensor | np.ndarray):
        array = np.asarray(shape)
        return [None if size < 0 else int(size) for size in array]
    try:
        return [None if size is None or int(size) < 0 else int(size) for size in shape]
    except TypeError:
        array = convert(shape)
        raise ValueError(
            f"Padded shape {shape} must be a `tf.int64` vector tensor, but its shape was "
            f"{array.shape}."
        ) from None


def _fits(shape: TensorShape, sizes: list[Any]) -> bool:
    if shape.rank is None:
        return True
    if shape.rank != len(sizes):
        return False
    pairs = zip(shape.as_list(), sizes, strict=True)
    return all(a is None or b is None or a <= b for a, b in pairs)


def _flat_shapes(spec: Any, shapes: Any) -> list[Any]:
    """Lists the shapes of the leaves of a structure; shapes may be lists and tuples themselves."""
    if isinstance(spec, dict):
        return [s for key in sorted(spec) for s in _flat_shapes(spec[key], shapes[key])]
    if isinstance(spec, tuple):
        pairs = zip(spec, shapes, strict=True)
        return [s for part, inner in pairs for s in _flat_shapes(part, inner)]
    return [shapes]


def padding_values_of(node: DatasetNode, given: Any) -> list[Any]:
    """Returns what each leaf is filled up with; nothing for what is the default."""
    if given is None:
        return []
    spec = node.spec
    flat = leaves(spec)
    values = leaves(given) if is_structure(given) else [given] * len(flat)
    return [_value(value, leaf) for value, leaf in zip(values, flat, strict=True)]


def _value(value: Any, spec: Any) -> Any:
    if value is None:
        return None
    tensor = convert(value)
    if tensor.dtype is not spec.dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type <dtype: "
            f"'{tensor.dtype.name}'> does not match type <dtype: '{spec.dtype.name}'> of the "
            "corresponding input component."
        )
    return tensor._numpy_array()[()]
