"""Elements put in their places: `scatter_nd`, `tensor_scatter_nd_*`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.error_texts import index_text, invalid, negative_dimension, shape_text
from tapefacade._core.kernel_dtypes import INDICES, INDICES_INT16
from tapefacade._definition.argument_checks import as_sizes, first_bad, require_type, subscript
from tapefacade._definition.op import Check, IndexLike, TensorLike, op

UPDATE_POSITIONS = (*INDICES_INT16, "uint16")


def _test(indices: Any, shape: Any, policy: str) -> tuple[Any, ...]:
    depth = indices.shape[-1]
    wide = indices.astype(np.int64)
    sizes = np.array(shape[:depth], np.int64)
    ok, position, index = first_bad(((wide < 0) | (wide >= sizes)).any(axis=-1), wide)
    if policy == "IGNORE":
        ok = np.array(True)
    return ok, position, index, np.array(shape, np.int64)


def _error(*details: Any, **static: Any) -> Exception:
    position, index, sizes = details
    return invalid(
        f"indices{subscript(position)} = {index_text(index)} does not index into shape "
        f"{shape_text(sizes)}"
    )


def _key(indices: jax.Array) -> tuple[jax.Array, ...]:
    """Returns the subscript of `at`; what is negative, and dropped, is made too large."""
    parts = [indices[..., i] for i in range(indices.shape[-1])]
    return tuple(jnp.where(p < 0, jnp.full_like(p, jnp.iinfo(p.dtype).max), p) for p in parts)


def _added(into: jax.Array, indices: jax.Array, updates: jax.Array) -> jax.Array:
    if indices.shape[-1] == 0:
        rank = indices.ndim - 1
        return into + jnp.sum(updates, axis=tuple(range(rank)), dtype=into.dtype)
    return into.at[_key(indices)].add(updates, mode="drop")


def _read(values: jax.Array, indices: jax.Array) -> jax.Array:
    if indices.shape[-1] == 0:
        return jnp.broadcast_to(values, indices.shape[:-1] + values.shape)
    return values.at[_key(indices)].get(mode="fill", fill_value=0)


# scatter_nd


def _check_ranks(indices: Any, updates: Any) -> None:
    for name, given in (("Indices", indices), ("Updates", updates)):
        if given.ndim < 1:
            shape = shape_text(given.shape)
            raise invalid(f"{name} shape must have rank at least one. Found:{shape}")


def _scatter_shape(indices: Any, updates: Any, shape: Any) -> tuple[int, ...]:
    """Checks the arguments of `scatter_nd`; returns the shape of its result."""
    require_type("Tindices", indices.dtype, INDICES_INT16)
    if not isinstance(shape, tuple):
        raise invalid("Shape must be a vector")
    sizes = as_sizes(shape, "Tindices")
    for size in sizes:
        if size < 0:
            raise invalid(negative_dimension(size))
    _check_ranks(indices, updates)
    if 0 in sizes and indices.size and updates.size:
        raise invalid(
            "Indices and updates specified for empty output.  indices shape: "
            f"{shape_text(indices.shape)}"
        )
    outer, depth = indices.ndim - 1, indices.shape[-1]
    if updates.shape[:outer] != indices.shape[:outer]:
        raise invalid(
            f"Dimensions [0,{outer}) of indices[shape={shape_text(indices.shape)}] must match "
            f"dimensions [0,{outer}) of updates[shape={shape_text(updates.shape)}]"
        )
    if updates.shape[outer:] != sizes[depth:] or depth > len(sizes):
        raise invalid(
            f"Dimensions [{depth},{len(sizes)}) of input[shape={shape_text(sizes)}] must match "
            f"dimensions [{outer},{updates.ndim}) of updates[shape={shape_text(updates.shape)}]"
        )
    return sizes


def _scatter_test(indices: Any, updates: Any, shape: Any, bad_indices_policy: str) -> Any:
    return _test(indices, _scatter_shape(indices, updates, shape), bad_indices_policy)


@op("scatter_nd", check=Check(("indices",), _scatter_test, _error), moves=True, raw_op=True)
def scatter_nd(
    indices: IndexLike, updates: TensorLike, shape: Any, bad_indices_policy: str = ""
) -> jax.Array:
    """Adds slices to a tensor of zeros, at given positions.

    Args:
        indices: the positions, integers `[..., n]`, n of them for each slice.
        updates: the slices, `[..., shape[n:]]`; those for the same position are added up.
        shape: the shape of the result.
        bad_indices_policy: "IGNORE" leaves out slices whose position is out of range.

    Returns:
        A tensor of that shape and the dtype of `updates`.

    Raises:
        InvalidArgumentError: if a position is out of range or the shapes do not fit.

    >>> tf.scatter_nd([[1], [3], [1]], [5, 6, 7], [5]).numpy()
    array([ 0, 12,  0,  6,  0], dtype=int32)
    """
    sizes = _scatter_shape(indices, updates, shape)
    if updates.dtype == np.bool_:
        return _added(jnp.zeros(sizes, np.int32), indices, updates.astype(np.int32)) > 0
    return _added(jnp.zeros(sizes, updates.dtype), indices, updates)


# tensor_scatter_nd_*


def _check_update(
    tensor: Any, indices: Any, updates: Any, positions: tuple[str, ...] = INDICES
) -> None:
    require_type("Tindices", indices.dtype, positions)
    _check_ranks(indices, updates)
    if (tensor.ndim == 0 or tensor.size == 0) and updates.size and indices.shape[-1] <= tensor.ndim:
        raise invalid("Indices and updates specified for empty output shape")
    outer, depth = indices.ndim - 1, indices.shape[-1]
    if updates.shape[:outer] != indices.shape[:outer]:
        raise invalid(
            "Outer dimensions of indices and update must match. Indices shape: "
            f"{shape_text(indices.shape)}, updates shape:{shape_text(updates.shape)}"
        )
    if updates.shape[outer:] != tensor.shape[depth:] or depth > tensor.ndim:
        raise invalid(
            "Inner dimensions of output shape must match inner dimensions of updates shape. "
            f"Output: {shape_text(tensor.shape)} updates: {shape_text(updates.shape)}"
        )


def _update_test(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = ""
) -> tuple[Any, ...]:
    _check_update(tensor, indices, updates, UPDATE_POSITIONS)
    return _test(indices, tensor.shape, bad_indices_policy)


UPDATE_CHECK = Check(("indices",), _update_test, _error)


@jax.custom_jvp
def _updated(tensor: jax.Array, indices: jax.Array, updates: jax.Array) -> jax.Array:
    return tensor.at[_key(indices)].set(updates, mode="drop")


@_updated.defjvp
def _updated_jvp(primals: Any, tangents: Any) -> Any:
    """Gives every update its derivative, overwritten or not, as TensorFlow does."""
    tensor, indices, updates = primals
    kept = jnp.ones_like(tensor).at[_key(indices)].set(jnp.zeros_like(updates), mode="drop")
    return _updated(*primals), _added(tangents[0] * kept, indices, tangents[2])


def _update_host(tensor: Any, indices: Any, updates: Any) -> Any:
    _check_update(tensor, indices, updates, UPDATE_POSITIONS)
    updated = np.array(tensor)
    updated[tuple(np.moveaxis(indices, -1, 0))] = updates
    return updated


@op(
    "tensor_scatter_nd_update",
    kernel="TensorScatterUpdate",
    check=UPDATE_CHECK,
    host=_update_host,
    moves=True,
)
def tensor_scatter_nd_update(
    tensor: TensorLike, indices: IndexLike, updates: TensorLike
) -> jax.Array:
    """Replaces slices of a tensor at given positions.

    Args:
        tensor: a tensor.
        indices: the positions, integers `[..., n]`, n of them for each slice.
        updates: the new slices, `[..., tensor.shape[n:]]`; of several for one position the last
            one counts.

    Returns:
        A tensor like `tensor`.

    Raises:
        InvalidArgumentError: if a position is out of range or the shapes do not fit.

    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [9, 8]).numpy()
    array([9, 2, 8], dtype=int32)
    """
    _check_update(tensor, indices, updates, UPDATE_POSITIONS)
    return _updated(tensor, indices, updates)


@op("tensor_scatter_nd_add", kernel="TensorScatterAdd", check=UPDATE_CHECK, raw_op=True)
def tensor_scatter_nd_add(
    tensor: TensorLike, indices: IndexLike, updates: TensorLike, bad_indices_policy: str = ""
) -> jax.Array:
    """Adds to slices of a tensor at given positions.

    Args:
        tensor: a numeric tensor.
        indices: the positions, integers `[..., n]`, n of them for each slice.
        updates: what is added, `[..., tensor.shape[n:]]`.
        bad_indices_policy: "IGNORE" leaves out slices whose position is out of range.

    Returns:
        A tensor like `tensor`.

    Raises:
        InvalidArgumentError: if a position is out of range or the shapes do not fit.

    >>> tf.tensor_scatter_nd_add([1, 2, 3], [[0], [0]], [10, 20]).numpy()
    array([31,  2,  3], dtype=int32)
    """
    _check_update(tensor, indices, updates)
    return _added(tensor, indices, updates)


@op("tensor_scatter_nd_sub", kernel="TensorScatterSub", check=UPDATE_CHECK, raw_op=True)
def tensor_scatter_nd_sub(
    tensor: TensorLike, indices: IndexLike, updates: TensorLike, bad_indices_policy: str = ""
) -> jax.Array:
    """Subtracts from slices of a tensor at given positions.

    Args:
        tensor: a numeric tensor.
        indices: the positions, integers `[..., n]`, n of them for each slice.
        updates: what is subtracted, `[..., tensor.shape[n:]]`.
        bad_indices_policy: "IGNORE" leaves out slices whose position is out of range.

    Returns:
        A tensor like `tensor`.

    Raises:
        InvalidArgumentError: if a position is out of range or the shapes do not fit.

    >>> tf.tensor_scatter_nd_sub([1, 2, 3], [[0], [0]], [10, 20]).numpy()
    array([-29,   2,   3], dtype=int32)
    """
    _check_update(tensor, indices, updates)
    return _added(tensor, indices, -updates)


def _largest(tensor: jax.Array, indices: jax.Array, updates: jax.Array) -> jax.Array:
    return tensor.at[_key(indices)].max(updates, mode="drop")


def _smallest(tensor: jax.Array, indices: jax.Array, updates: jax.Array) -> jax.Array:
    return tensor.at[_key(indices)].min(updates, mode="drop")


def _shared(function: Any) -> Any:
    """Gives an extreme the derivative of TensorFlow, which is shared evenly by equal values."""
    extreme = jax.custom_jvp(function)

    def derivative(primals: Any, tangents: Any) -> Any:
        tensor, indices, updates = primals
        result = extreme(*primals)
        old = (tensor == result).astype(tensor.dtype)
        new = (updates == _read(result, indices)).astype(tensor.dtype)
        count = old + _added(jnp.zeros_like(tensor), indices, new)
        count = jnp.where(count == jnp.zeros_like(count), jnp.ones_like(count), count)
        return result, _added(tangents[0] * old, indices, tangents[2] * new) / count

    extreme.defjvp(derivative)
    return extreme


_shared_largest = _shared(_largest)
_shared_smallest = _shared(_smallest)


@op("tensor_scatter_nd_max", kernel="TensorScatterMax", check=UPDATE_CHECK, raw_op=True)
def tensor_scatter_nd_max(
    tensor: TensorLike, indices: IndexLike, updates: TensorLike, bad_indices_policy: str = ""
) -> jax.Array:
    """Takes the larger of the old and the new slices at given positions.

    The gradient is shared evenly by values that are equally large. Unlike in TensorFlow, nan is
    larger than everything.

    Args:
        tensor: a real tensor.
        indices: the positions, integers `[..., n]`, n of them for each slice.
        updates: the new slices, `[..., tensor.shape[n:]]`.
        bad_indices_policy: "IGNORE" leaves out slices whose position is out of range.

    Returns:
        A tensor like `tensor`.

    Raises:
        InvalidArgumentError: if a position is out of range or the shapes do not fit.

    >>> tf.tensor_scatter_nd_max([1, 2, 3], [[0], [2]], [5, 1]).numpy()
    array([5, 2, 3], dtype=int32)
    """
    _check_update(tensor, indices, updates)
    return _shared_largest(tensor, indices, updates)


@op("tensor_scatter_nd_min", kernel="TensorScatterMin", check=UPDATE_CHECK, raw_op=True)
def tensor_scatter_nd_min(
    tensor: TensorLike, indices: IndexLike, updates: TensorLike, bad_indices_policy: str = ""
) -> jax.Array:
    """Takes the smaller of the old and the new slices at given positions.

    The gradient is shared evenly by values that are equally small. Unlike in TensorFlow, nan is
    smaller than everything.

    Args:
        tensor: a real tensor.
        indices: the positions, integers `[..., n]`, n of them for each slice.
        updates: the new slices, `[..., tensor.shape[n:]]`.
        bad_indices_policy: "IGNORE" leaves out slices whose position is out of range.

    Returns:
        A tensor like `tensor`.

    Raises:
        InvalidArgumentError: if a position is out of range or the shapes do not fit.

    >>> tf.tensor_scatter_nd_min([1, 2, 3], [[0], [2]], [5, 1]).numpy()
    array([1, 2, 1], dtype=int32)
    """
    _check_update(tensor, indices, updates)
    return _shared_smallest(tensor, indices, updates)
