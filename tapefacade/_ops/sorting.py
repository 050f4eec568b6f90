"""Order: `sort`, `argsort`, `top_k`."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from tapefacade._core import dtypes
from tapefacade._ops.arguments import (
    SEGMENT_ORDERED,
    as_integer,
    inconvertible,
    invalid,
    is_integer,
    require_type,
    unsupported,
)
from tapefacade._ops.op import NotDifferentiable, TensorLike, op

POSITIONS = ("int16", "int32", "int64")


class TopKV2(NamedTuple):
    """The result of `tf.math.top_k`: the values, and where they are."""

    values: jax.Array
    indices: jax.Array


def _sorted_axis(values: jax.Array, axis: Any, direction: str) -> int:
    """Checks the arguments of a sort; returns the axis."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            "Argument `direction` should be one of ASCENDING, DESCENDING. Received: "
            f"direction={direction}"
        )
    place = as_integer(axis)
    if not -values.ndim <= place < values.ndim:
        shown = place + values.ndim if place < 0 else place
        raise invalid(f"slice index {shown} of dimension 0 out of bounds.")
    return place % values.ndim


@op("sort", kernel="TopKV2", dtypes=SEGMENT_ORDERED)
def sort(values: TensorLike, axis: int = -1, direction: str = "ASCENDING") -> jax.Array:
    """Sorts the elements along one dimension.

    Unlike TensorFlow, nan is larger than everything.

    Args:
        values: a real tensor of rank 1 or more.
        axis: the dimension.
        direction: "ASCENDING" or "DESCENDING".

    Returns:
        A tensor of the same shape and dtype.

    Raises:
        ValueError: for another direction.
        InvalidArgumentError: if `axis` is out of range, or the tensor is boolean or complex.

    >>> tf.sort([3, 1, 2], direction="DESCENDING").numpy()
    array([3, 2, 1], dtype=int32)
    """
    place = _sorted_axis(values, axis, direction)
    return jnp.sort(values, axis=place, descending=direction == "DESCENDING")


@op("argsort", kernel="TopKV2", gradient=NotDifferentiable(), dtypes=SEGMENT_ORDERED)
def argsort(
    values: TensorLike, axis: int = -1, direction: str = "ASCENDING", stable: bool = False
) -> jax.Array:
    """Finds the order in which the elements along one dimension are sorted.

    Unlike TensorFlow, nan is larger than everything.

    Args:
        values: a real tensor of rank 1 or more.
        axis: the dimension.
        direction: "ASCENDING" or "DESCENDING".
        stable: ignored; equal elements always keep their order.

    Returns:
        An int32 tensor of the same shape: positions along `axis`.

    Raises:
        ValueError: for another direction.
        InvalidArgumentError: if `axis` is out of range, or the tensor is boolean or complex.

    >>> tf.argsort([3, 1, 2]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    place = _sorted_axis(values, axis, direction)
    down = direction == "DESCENDING"
    return jnp.argsort(values, axis=place, stable=True, descending=down).astype("int32")


@op("math.top_k", "nn.top_k", kernel="TopKV2", dtypes=SEGMENT_ORDERED)
def top_k(
    input: TensorLike, k: int = 1, sorted: bool = True, index_type: Any = dtypes.int32
) -> TopKV2:
    """Finds the largest elements along the last dimension, and where they are.

    Unlike TensorFlow, the elements are sorted whatever `sorted` says, and nan is larger than
    everything.

    Args:
        input: a real tensor of rank 1 or more.
        k: how many.
        sorted: whether they have to be sorted.
        index_type: the dtype of the positions: int16, int32 or int64.

    Returns:
        A tuple `(values, indices)`, from the largest to the smallest; of equal elements the first
        comes first.

    Raises:
        InvalidArgumentError: if there are fewer than `k` elements, or `k` is negative.

    >>> values, indices = tf.math.top_k([1.0, 3.0, 2.0], k=2)
    >>> values.numpy(), indices.numpy()
    (array([3., 2.], dtype=float32), array([1, 2], dtype=int32))
    """
    dtype = require_type("index_type", index_type, POSITIONS)
    if k is None:
        raise unsupported(None)
    if isinstance(k, tuple):
        raise invalid(f"k must be scalar, got shape [{len(k)}]")
    if not is_integer(k):
        raise inconvertible(k)
    if input.ndim == 0:
        raise invalid("input must be >= 1-D, got shape []")
    if k < 0:
        raise invalid(f"Need k >= 0, got {k}")
    if input.shape[-1] < k:
        raise invalid(f"input must have at least k columns. Had {input.shape[-1]}, needed {k}")
    values, indices = lax.top_k(input, int(k))
    return TopKV2(values, indices.astype(dtype))
