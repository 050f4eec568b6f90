"""Ragged and sparse leaves of elements: their rows, and batches of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapefacade._core.error_texts import shape_text
from tapefacade._core.tensor import EagerTensor
from tapefacade._data.element_structures import kernel_error, tensor_of
from tapefacade._data.row_streams import tensors_of
from tapefacade._extension.extension_type import (
    ExtensionType,
    decoded_value,
    encoded_parts,
    encoded_specs,
    require_batchable,
)
from tapefacade._ops.array.joining import concat, stack
from tapefacade._ragged.joining import ragged_stack
from tapefacade._ragged.spec import RaggedTensorSpec
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._sparse.tensor import SparseTensor


def count_of(leaf: Any) -> int:
    """Returns the number of rows of a leaf."""
    if isinstance(leaf, ExtensionType):
        return count_of(encoded_parts(leaf._type_spec, leaf, 1)[0])
    return int(leaf.nrows()) if isinstance(leaf, RaggedTensor) else int(leaf.shape[0])


def rows_of(leaf: Any) -> list[Any]:
    """Takes a leaf apart, into its rows."""
    if isinstance(leaf, EagerTensor):
        return list(tensors_of(leaf._numpy_array()))
    if isinstance(leaf, ExtensionType):
        return _extension_rows(leaf)
    if isinstance(leaf, SparseTensor):
        return _sparse_rows(leaf)
    return [leaf[row] for row in range(count_of(leaf))]


def _sparse_rows(leaf: SparseTensor) -> list[SparseTensor]:
    places, values = leaf.indices._numpy_array(), leaf.values._numpy_array()
    shape = tensor_of(np.array(leaf.dense_shape._numpy_array()[1:]))
    found = []
    for row in range(count_of(leaf)):
        chosen = places[:, 0] == row
        found.append(SparseTensor(tensor_of(places[chosen, 1:]), tensor_of(values[chosen]), shape))
    return found


def _extension_rows(leaf: ExtensionType) -> list[Any]:
    spec = leaf._type_spec
    require_batchable(spec, "_to_batched_tensor_list")
    columns = [rows_of(part) for part in encoded_parts(spec, leaf, 1)]
    row_spec = spec._unbatch()
    return [decoded_value(row_spec, iter(row)) for row in zip(*columns, strict=True)]


def _extension_batch(parts: Sequence[Any], place: int, size: int | None) -> Any:
    first, *others = [part._type_spec for part in parts]
    require_batchable(first, "_batch")
    spec = first.most_specific_common_supertype(others)
    columns = zip(*[encoded_parts(part._type_spec, part) for part in parts], strict=True)
    specs = encoded_specs(spec)
    batches = [batch_of(c, place, s) for c, s in zip(columns, specs, strict=True)]
    return decoded_value(spec._batch(size), iter(batches))


def batch_of(
    parts: Sequence[Any], place: int = 0, spec: Any = None, size: int | None = None
) -> Any:
    """Makes one leaf of those of several elements.

    Args:
        parts: the leaves.
        place: the number of the leaf in its element, for messages.
        spec: the spec of the leaves, where it is known.
        size: the number of leaves, if it is that of all batches.

    Raises:
        InvalidArgumentError: if they have different shapes.
    """
    first = parts[0]
    if isinstance(first, ExtensionType):
        return _extension_batch(parts, place, size)
    if isinstance(spec, RaggedTensorSpec) or isinstance(first, RaggedTensor):
        return _ragged_batch(parts, spec)
    if isinstance(first, SparseTensor):
        return _sparse_batch(parts)
    if isinstance(first, EagerTensor):
        return stacked_arrays([part._numpy_array() for part in parts], place)
    if first is None:
        return None
    return stack(list(parts))


def _ragged_batch(parts: Sequence[Any], spec: Any) -> Any:
    """Makes a ragged batch; lengths that the spec of the leaves knows are uniform in it."""
    if not isinstance(spec, RaggedTensorSpec) or spec.ragged_rank < 0:
        return ragged_stack(list(parts))
    if spec.ragged_rank:
        made = ragged_stack(list(parts))
    else:
        lengths = tensor_of(np.array([part.shape[0] for part in parts]))
        made = RaggedTensor.from_row_lengths(concat(list(parts), 0), lengths)
        made = made.with_row_splits_dtype(spec.row_splits_dtype)
    if made.ragged_rank != spec.ragged_rank + 1:
        return made
    return spec._batch(len(parts))._from_components(made._components())


def stacked_arrays(arrays: Sequence[np.ndarray[Any, Any]], place: int = 0) -> EagerTensor:
    """Makes a batch of arrays.

    Raises:
        InvalidArgumentError: if they have different shapes.
    """
    shape = arrays[0].shape
    for number, array in enumerate(arrays):
        if array.shape != shape:
            raise kernel_error(
                f"Cannot batch tensors with different shapes in component {place}. First element "
                f"had shape {_shown(shape)} and element {number} had shape {_shown(array.shape)}."
            )
    made = np.empty((len(arrays), *shape), arrays[0].dtype)
    for number, array in enumerate(arrays):
        made[number] = array[()]
    return tensor_of(made)


def _shown(shape: tuple[int, ...]) -> str:
    return shape_text(shape)


def _sparse_batch(parts: Sequence[SparseTensor]) -> SparseTensor:
    places, values = [], []
    shapes = np.stack([part.dense_shape._numpy_array() for part in parts])
    for row, part in enumerate(parts):
        inner = part.indices._numpy_array()
        places.append(np.concatenate([np.full((len(inner), 1), row), inner], 1).astype(np.int64))
        values.append(part.values._numpy_array())
    shape = np.array([len(parts), *shapes.max(0)], np.int64)
    return SparseTensor(
        tensor_of(np.concatenate(places)), tensor_of(np.concatenate(values)), tensor_of(shape)
    )
