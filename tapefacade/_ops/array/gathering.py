"""Elements by their positions: `gather`, `gather_nd`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.error_texts import (
    index_out_of_range,
    index_text,
    input_rank_too_low,
    invalid,
    refused_type,
    reshape_sizes,
    shape_text,
)
from tapefacade._core.kernel_dtypes import INDICES, INDICES_INT16
from tapefacade._definition.argument_checks import (
    first_bad,
    is_integer,
    mapped_over_axes,
    require_type,
    subscript,
)
from tapefacade._definition.op import Check, IndexLike, TensorLike, op

POLICIES = ("", "DEFAULT", "ERROR", "IGNORE")


def _check_batch(params: Any, indices: Any, axis: int, batch: int) -> None:
    if not 0 <= batch <= indices.ndim:
        raise invalid(input_rank_too_low(batch, indices.ndim))
    if batch > axis:
        raise invalid(f"batch_dims ({batch}) must be less than or equal to axis ({axis}).")
    for i in range(batch):
        if params.shape[i] != indices.shape[i]:
            raise invalid(
                f"params.shape[{i}]: {params.shape[i]} should be equal to indices.shape[{i}]: "
                f"{indices.shape[i]}"
            )


def _places(params: Any, indices: Any, axis: Any, batch_dims: Any) -> tuple[int, int]:
    """Returns the axis and the number of batch dimensions, counted from the front."""
    require_type("Tindices", indices.dtype, INDICES_INT16)
    if isinstance(axis, tuple):
        raise invalid("axis must be scalar")
    if axis is not None and not is_integer(axis):
        raise refused_type("Taxis", "float", INDICES)
    batch = 0 if batch_dims is None else batch_dims
    axis = batch if axis is None else axis
    if axis == 0:
        batch = 0  # as TensorFlow, which looks at `batch_dims` only for another axis
    if batch < 0:
        batch += indices.ndim
    if params.ndim < 1:
        raise invalid("params must be at least 1 dimensional")
    rank = params.ndim
    if not -rank <= axis < rank:
        needed = axis + 1 if axis >= 0 else -axis
        raise invalid(input_rank_too_low(needed, rank))
    axis %= rank
    _check_batch(params, indices, axis, batch)
    return axis, batch


def _gather_test(
    params: Any, indices: Any, validate_indices: Any, axis: Any, batch_dims: Any
) -> tuple[Any, ...]:
    axis, _ = _places(params, indices, axis, batch_dims)
    limit = params.shape[axis]
    return (*first_bad((indices < 0) | (indices >= limit), indices), jnp.asarray(limit, np.int64))


def _gather_error(position: Any, value: Any, limit: Any, **static: Any) -> Exception:
    return invalid(index_out_of_range(subscript(position), value, limit))


def _gather_host(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: Any = 0
) -> Any:
    axis, batch = _places(params, indices, axis, batch_dims)
    return _taken_on_host(params, indices, axis, batch)


def _taken_on_host(params: Any, indices: Any, axis: int, batch: int) -> Any:
    if batch == 0:
        return np.take(params, indices, axis=axis)
    pairs = zip(params, indices, strict=True)
    return np.stack([_taken_on_host(p, i, axis - 1, batch - 1) for p, i in pairs])


@op(
    "gather",
    kernel="GatherV2",
    host=_gather_host,
    check=Check(("indices",), _gather_test, _gather_error),
    moves=True,
)
def gather(
    params: TensorLike,
    indices: IndexLike,
    validate_indices: Any = None,
    axis: int | None = None,
    batch_dims: int = 0,
) -> jax.Array:
    """Takes slices of a tensor at given positions along one dimension.

    The gradient for `params` is a `tf.IndexedSlices` if only rows are taken from it (axis 0).

    Args:
        params: the tensor to take from.
        indices: the positions, integers of any shape.
        validate_indices: ignored.
        axis: the dimension, by default the first after the batch dimensions.
        batch_dims: how many leading dimensions `params` and `indices` have in common.

    Returns:
        A tensor in which the dimension `axis` of `params` is replaced by those of `indices`.

    Raises:
        InvalidArgumentError: if a position or `axis` is out of range, or the batches differ.

    >>> tf.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)
    """
    axis, batch = _places(params, indices, axis, batch_dims)
    inner = axis - batch
    return mapped_over_axes(lambda p, i: _rows(p, i, inner), batch)(params, indices)


def _rows(params: jax.Array, indices: jax.Array, axis: int) -> jax.Array:
    if not params.shape[axis]:  # no index fits, which is an error where this is computed
        params = jnp.zeros((*params.shape[:axis], 1, *params.shape[axis + 1 :]), params.dtype)
    return jnp.take(params, indices, axis=axis, mode="clip")


def _take_host(params: Any, indices: Any, axis: int) -> Any:
    return np.take(params, indices, axis=axis)


@op("_take", kernel="GatherV2", host=_take_host, moves=True)
def take(params: TensorLike, indices: IndexLike, axis: int) -> jax.Array:
    """Takes slices at positions that are known to be right."""
    return jnp.take(params, indices, axis=axis, mode="clip")


def _depth(params: Any, indices: Any, batch_dims: int) -> int:
    """Checks the arguments of `gather_nd`; returns the length of an index."""
    require_type("Tindices", indices.dtype, INDICES_INT16)
    if params.ndim < 1:
        raise invalid("params must be at least a vector")
    if indices.ndim < 1:
        raise invalid("indices must be at least a vector")
    if batch_dims < 0:
        raise ValueError("tf.gather_nd does not allow negative batch_dims.")
    if batch_dims >= indices.ndim:
        raise ValueError(
            f"Argument `batch_dims` = {batch_dims} must be less than rank(`indices`) = "
            f"{indices.ndim}"
        )
    depth = indices.shape[-1]
    if batch_dims + depth > params.ndim:
        raise invalid(
            "index innermost dimension length must be <= params rank; saw: "
            f"{batch_dims + depth} vs. {params.ndim}"
        )
    if params.shape[:batch_dims] != indices.shape[:batch_dims]:
        size, wanted = np.prod(indices.shape[:-1]), np.prod(params.shape[:batch_dims])
        raise invalid(reshape_sizes(size, wanted))
    if 0 in params.shape and 0 not in indices.shape[:-1]:
        raise invalid(
            "Requested more than 0 entries, but params is empty.  Params shape: "
            f"{shape_text(params.shape)}"
        )
    return depth


def _gather_nd_test(
    params: Any, indices: Any, batch_dims: Any, bad_indices_policy: Any
) -> tuple[Any, ...]:
    depth = _depth(params, indices, batch_dims)
    sizes = np.array(params.shape[batch_dims : batch_dims + depth], np.int64)
    wide = indices.astype(np.int64)
    bad = ((wide < 0) | (wide >= sizes)).any(axis=-1)
    ok, position, index = first_bad(bad, wide)
    if bad_indices_policy == "IGNORE":
        ok = np.array(True)
    return ok, position, index, np.array(params.shape, np.int64)


def _gather_nd_error(
    position: Any, index: Any, shape: Any, batch_dims: Any, bad_indices_policy: Any
) -> Exception:
    full = [*position[:batch_dims], *index]
    return invalid(
        f"indices{subscript(position)} = {index_text(full)} does not index into param shape "
        f"{shape_text(shape)}, node name: GatherNd"
    )


@op("gather_nd", check=Check(("indices",), _gather_nd_test, _gather_nd_error), moves=True)
def gather_nd(
    params: TensorLike,
    indices: IndexLike,
    batch_dims: int = 0,
    name: None = None,
    bad_indices_policy: str = "",
) -> jax.Array:
    """Takes slices of a tensor at given positions in several dimensions.

    The gradient for `params` is a `tf.IndexedSlices` if only whole rows are taken from it.

    Args:
        params: the tensor to take from.
        indices: the positions, integers `[..., n]`, n of them for each slice.
        batch_dims: how many leading dimensions `params` and `indices` have in common.
        name: ignored.
        bad_indices_policy: "IGNORE" gives zeros for positions out of range.

    Returns:
        A tensor `[..., the dimensions of params after the n first]`.

    Raises:
        InvalidArgumentError: if a position is out of range or too long.
        ValueError: if there are too many batch dimensions.

    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy()
    array([2, 3], dtype=int32)
    """
    depth = _depth(params, indices, batch_dims)

    def single(values: Any, at: Any) -> Any:
        if depth == 0:
            return jnp.broadcast_to(values, at.shape[:-1] + values.shape)
        key = tuple(at[..., i] for i in range(depth))
        if bad_indices_policy != "IGNORE":
            return values.at[key].get(mode="clip")
        key = tuple(jnp.where(k < 0, jnp.full_like(k, jnp.iinfo(k.dtype).max), k) for k in key)
        return values.at[key].get(mode="fill", fill_value=0)

    return mapped_over_axes(single, batch_dims)(params, indices)
