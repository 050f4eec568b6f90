"""NumPy's indexing of tensors: masks, integer arrays, and these mixed with slices."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.error_texts import index_out_of_range, invalid
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import first_bad, subscript
from tapefacade._definition.op import Check, IndexLike, TensorLike, op
from tapefacade._numpy.promotion import as_tensor, is_tensor_like
from tapefacade._numpy.shaping import broadcast_arrays
from tapefacade._ops.array import shaping
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.indexing import getitem
from tapefacade._ops.array.joining import stack
from tapefacade._ops.array.selecting import boolean_mask, where

MESSAGE_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices, got {!r}"
)
BASIC_TYPES = (bool, int, slice, type(None), type(Ellipsis))
QUICK_TYPES = (int, slice, type(None), type(Ellipsis))  # what needs no look
WHOLE_AXIS = slice(None)


# Elements at positions: positions `[n, ...]`, a row for each of the n dimensions `dims`.


def _from_front(x: Any, positions: Any, dims: tuple[int, ...]) -> Any:
    sizes = np.array([x.shape[d] for d in dims], np.int64)
    sizes = sizes.reshape((-1,) + (1,) * (positions.ndim - 1))
    wide = positions.astype(np.int64)
    return jnp.where(wide < 0, wide + sizes, wide), sizes


def _test(x: Any, positions: Any, dims: tuple[int, ...]) -> tuple[Any, ...]:
    found, sizes = _from_front(x, positions, dims)
    flat = found[0]
    for row, size in zip(found[1:], sizes[1:], strict=True):
        flat = flat * size + row
    bad = ((found < 0) | (found >= sizes)).any(axis=0)
    return (*first_bad(bad, flat), np.int64(sizes.prod()))


def _error(position: Any, value: Any, limit: Any, dims: tuple[int, ...]) -> Exception:
    return invalid(index_out_of_range(subscript(position), value, limit))


@op("_at_positions", kernel="GatherV2", check=Check(("positions",), _test, _error))
def at_positions(x: TensorLike, positions: IndexLike, dims: tuple[int, ...]) -> jax.Array:
    """Takes the elements at positions in some dimensions.

    The dimensions of the positions come in the place of `dims` if these are neighbours, and first
    otherwise.
    """
    found, _ = _from_front(x, positions, dims)
    key: list[Any] = [WHOLE_AXIS] * x.ndim
    for d, row in zip(dims, found, strict=True):
        key[d] = row
    return x.at[tuple(key)].get(mode="clip")


# The parts of a subscript.


def _is_vector(key: Any) -> bool:
    """Tells whether a list is one index: lists of lists or slices mean a tuple, as in old NumPy."""
    return all(
        isinstance(item, int | float | np.generic) or (is_tensor_like(item) and item.ndim == 0)
        for item in key
    )


def _read(item: Any) -> Any:
    """Returns an index as what `getitem` takes, or as a tensor of one dimension or more."""
    if type(item) in BASIC_TYPES:
        return item
    if isinstance(item, np.generic) and item.dtype.kind in "iu":
        return int(item)
    if not isinstance(item, list | tuple | range | np.ndarray | np.generic) and not is_tensor_like(
        item
    ):
        raise IndexError(MESSAGE_INDEX.format(item))
    index = as_tensor(item)
    if index.dtype.is_integer:
        return index if index.shape.rank else cast(index, "int32")
    if not index.dtype.is_bool:
        raise IndexError(MESSAGE_INDEX.format(item))
    if index.shape.rank != 1:
        raise NotImplementedError(f"Need rank 1 for bool index {index!s}")
    return shaping.reshape(where(index), (-1,))


def _is_array(index: Any) -> bool:
    return type(index) not in BASIC_TYPES and index.shape.rank > 0


def _is_mask(key: Any) -> bool:
    """Tells whether a whole subscript is a mask."""
    if type(key) is bool:
        return True
    if isinstance(key, list):
        return len(key) > 0 and all(isinstance(item, bool | np.bool_) for item in key)
    return isinstance(key, EagerTensor | np.ndarray) and as_tensor(key).dtype.is_bool


def numpy_getitem(x: Any, key: Any) -> Any:
    """Takes `x[key]` as NumPy does.

    Args:
        x: a tensor.
        key: integers, slices, `...`, None, arrays of integers, vectors of booleans, or a tuple of
            these; or a boolean array, which selects as `tf.boolean_mask` does.

    Returns:
        A tensor.

    Raises:
        IndexError: if something is no index.
        InvalidArgumentError: if an index is out of bounds, or there are too many.
        NotImplementedError: if a boolean array within a tuple is no vector.
    """
    if type(key) in QUICK_TYPES or (
        type(key) is tuple and all(type(item) in QUICK_TYPES for item in key)
    ):
        return getitem(x, key)
    if _is_mask(key):
        return boolean_mask(x, key)
    if isinstance(key, list) and not _is_vector(key):
        key = tuple(key)
    items = [_read(item) for item in (key if isinstance(key, tuple) else (key,))]
    arrays = [item for item in items if _is_array(item)]
    basic = tuple(WHOLE_AXIS if _is_array(item) else item for item in items)
    if any(item != WHOLE_AXIS if type(item) is slice else True for item in basic) or not arrays:
        part = getitem(x, basic)
    else:
        part = x if len(basic) <= x.ndim else getitem(x, basic)
    if not arrays:
        return part
    dims = _dimensions(items, x.ndim)
    positions = arrays if len(arrays) == 1 else broadcast_arrays(*arrays)
    return at_positions(part, stack([cast(p, "int64") for p in positions]), dims)


def _dimensions(items: list[Any], rank: int) -> tuple[int, ...]:
    """Returns which dimensions the arrays index, once all else has been taken."""
    missing = rank - sum(item is not None and item is not Ellipsis for item in items)
    dims, place = [], 0
    for item in items:
        if item is Ellipsis:
            place += missing
        elif item is None or type(item) is slice:
            place += 1
        elif _is_array(item):
            dims.append(place)
            place += 1
    return tuple(dims)
