"""Flat positions as positions in a shape: `tf.unravel_index`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._ops.arguments import INDEX_TYPES, array_module, invalid, require_type, written
from tapefacade._ops.op import Check, NoGradient, TensorLike, op


def _check(indices: Any, dims: Any) -> None:
    require_type("Tidx", indices.dtype, INDEX_TYPES)
    if indices.ndim > 1:
        raise invalid(f'The indices can only be scalar or vector, got "{written(indices.shape)}"')
    if dims.ndim != 1:
        raise invalid(f'The indices can only be 1-D, got "{written(dims.shape)}"')
    if indices.size == 0:
        kind = np.dtype(indices.dtype).name
        raise invalid(f"received empty tensor indices: Tensor<type: {kind} shape: [0] values: >")


def _test(indices: Any, dims: Any) -> tuple[Any, ...]:
    _check(indices, dims)
    xp = array_module(indices, dims)
    zero = dims == 0
    total = xp.prod(dims, dtype=dims.dtype)
    ok = xp.logical_not(xp.any(zero)) & xp.all((indices < total) | (dims.size == 0))
    place = xp.argmax(zero) if dims.size else np.int64(0)
    return ok, xp.any(zero), xp.asarray(place, np.int64)


def _error(zero: Any, place: Any) -> Exception:
    if zero:
        return invalid(
            f"Input dims cannot contain a dim of zero, but dims contains zero at index {int(place)}"
        )
    return invalid("index is out of bound as with dims")


def _unravelled(xp: Any, indices: Any, dims: Any) -> Any:
    """Divides as C does: towards zero."""
    count = dims.shape[0]
    flat = xp.reshape(indices, (1, -1))
    if count == 0:
        return xp.zeros((0, *(indices.shape or (1,))), indices.dtype)
    ends = xp.cumprod(dims[::-1], dtype=dims.dtype)[::-1][:, None]
    steps = xp.concatenate([ends[1:], xp.ones((1, 1), dims.dtype)])
    within = xp.fmod(flat, ends) if xp is np else lax.rem(*jnp.broadcast_arrays(flat, ends))
    within = xp.concatenate([flat, within[1:]])
    if xp is np:
        found = (within - np.fmod(within, steps)) // steps
    else:
        found = lax.div(*jnp.broadcast_arrays(within, steps))
    return xp.reshape(found, (count, *indices.shape))


@op(
    "unravel_index",
    host=lambda indices, dims: _unravelled(np, indices, dims),
    gradient=NoGradient("UnravelIndex"),
    check=Check(("indices", "dims"), _test, _error),
)
def unravel_index(indices: TensorLike, dims: TensorLike) -> jax.Array:
    """Finds the positions in a shape that flat positions mean.

    Args:
        indices: positions in a flattened tensor, int32 or int64, a scalar or a vector `[N]`.
        dims: the shape, of the type of `indices`.

    Returns:
        A tensor `[rank]` or `[rank, N]`: a column for each position.

    Raises:
        InvalidArgumentError: if a position is too large, or the shape has a 0 in it.

    >>> tf.unravel_index([3, 5], [2, 3]).numpy()
    array([[1, 1],
           [0, 2]], dtype=int32)
    """
    _check(indices, dims)
    return _unravelled(jnp, indices, dims)
