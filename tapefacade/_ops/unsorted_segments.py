"""Reductions over groups of rows in any order: `unsorted_segment_*`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._ops.arguments import (
    NUMBERS,
    SEGMENT_ORDERED,
    first_bad,
    invalid,
    refused_type,
    require_type,
    subscript,
    written,
)
from tapefacade._ops.kinds import FLOATS, FLOATS_COMPLEX
from tapefacade._ops.op import Check, IndexLike, TensorLike, op
from tapefacade._ops.segments import (
    flat_rows,
    segment_extreme,
    segment_product,
    segment_sizes,
    segment_total,
)

AVERAGED = (
    *FLOATS, "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
)  # fmt: skip
# Those whose quotients are float32, as `truediv` has it; other integers give float64.
SHORT = ("int8", "uint8", "int16", "uint16")


def _check(data: Any, segment_ids: Any, num_segments: Any) -> None:
    require_type("Tindices", segment_ids.dtype, ("int32", "int64"))
    if isinstance(num_segments, tuple):
        raise invalid(f"num_segments should be a scalar, not shape {written((len(num_segments),))}")
    if not isinstance(num_segments, int):
        raise refused_type("Tnumsegments", "float", ("int32", "int64"))
    if data.shape[: segment_ids.ndim] != segment_ids.shape:
        raise invalid(
            f"data.shape = {written(data.shape)} does not start with segment_ids.shape = "
            f"{written(segment_ids.shape)}"
        )
    if num_segments < 0:
        raise invalid(f"Input num_segments == {num_segments} must not be negative.")


def _test(data: Any, segment_ids: Any, num_segments: Any) -> tuple[Any, ...]:
    _check(data, segment_ids, num_segments)
    return first_bad(segment_ids >= num_segments, segment_ids)


def _error(position: Any, value: Any, num_segments: int) -> Exception:
    where = subscript(position)
    return invalid(f"segment_ids{where} = {value} is out of range [0, {num_segments})")


CHECK = Check(values=("segment_ids",), test=_test, error=_error)


def _prepared(data: jax.Array, segment_ids: jax.Array, num_segments: Any) -> Any:
    """Checks the arguments; merges the axes that the ids cover."""
    _check(data, segment_ids, num_segments)
    return (*flat_rows(data, segment_ids), num_segments)


def _average(data: jax.Array, segment_ids: jax.Array, num_segments: Any, root: bool) -> jax.Array:
    rows, ids, count = _prepared(data, segment_ids, num_segments)
    total = segment_total(rows, ids, count)
    sizes = segment_sizes(ids, count, data.dtype, rows.ndim)
    sizes = jnp.where(sizes == jnp.zeros_like(sizes), jnp.ones_like(sizes), sizes)
    if jnp.issubdtype(data.dtype, jnp.integer):
        dtype = np.float32 if data.dtype.name in SHORT else np.float64
        total, sizes = total.astype(dtype), sizes.astype(dtype)
    return total / (jnp.sqrt(sizes) if root else sizes)


@op("math.unsorted_segment_sum", dtypes=NUMBERS, check=CHECK)
def unsorted_segment_sum(data: TensorLike, segment_ids: IndexLike, num_segments: int) -> jax.Array:
    """Computes the sums of groups of rows.

    Args:
        data: a numeric tensor; its shape begins with that of `segment_ids`.
        segment_ids: the group of each row, integers; rows with a negative one are left out.
        num_segments: the number of groups.

    Returns:
        A tensor `[num_segments, ...]`; 0 for a group without rows.

    Raises:
        InvalidArgumentError: if an id is `num_segments` or more, or the shapes do not agree.

    >>> tf.math.unsorted_segment_sum([1.0, 2.0, 3.0], [1, 0, 1], 2).numpy()
    array([2., 4.], dtype=float32)
    """
    return segment_total(*_prepared(data, segment_ids, num_segments))


@op("math.unsorted_segment_mean", kernel="UnsortedSegmentSum", dtypes=AVERAGED, check=CHECK)
def unsorted_segment_mean(data: TensorLike, segment_ids: IndexLike, num_segments: int) -> jax.Array:
    """Computes the means of groups of rows.

    Args:
        data: a real tensor; its shape begins with that of `segment_ids`.
        segment_ids: the group of each row, integers; rows with a negative one are left out.
        num_segments: the number of groups.

    Returns:
        A tensor `[num_segments, ...]`; 0 for a group without rows. The means of integers are
        float64 (float32 if they have 8 or 16 bits).

    Raises:
        InvalidArgumentError: if an id is `num_segments` or more, or the shapes do not agree.

    >>> tf.math.unsorted_segment_mean([1.0, 2.0, 3.0], [1, 0, 1], 2).numpy()
    array([2., 2.], dtype=float32)
    """
    return _average(data, segment_ids, num_segments, root=False)


@op("math.unsorted_segment_sqrt_n", kernel="Sqrt", dtypes=AVERAGED, check=CHECK)
def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: IndexLike, num_segments: int
) -> jax.Array:
    """Computes the sums of groups of rows, divided by the square root of the number of rows.

    Args:
        data: a floating tensor; its shape begins with that of `segment_ids`.
        segment_ids: the group of each row, integers; rows with a negative one are left out.
        num_segments: the number of groups.

    Returns:
        A tensor `[num_segments, ...]`; 0 for a group without rows.

    Raises:
        InvalidArgumentError: if an id is `num_segments` or more, or the shapes do not agree.

    >>> tf.math.unsorted_segment_sqrt_n([1.0, 2.0, 3.0, 4.0], [0, 0, 0, 0], 1).numpy()
    array([5.], dtype=float32)
    """
    if jnp.issubdtype(data.dtype, jnp.integer):
        require_type("T", data.dtype, FLOATS_COMPLEX)
    return _average(data, segment_ids, num_segments, root=True)


@op("math.unsorted_segment_max", dtypes=SEGMENT_ORDERED, check=CHECK)
def unsorted_segment_max(data: TensorLike, segment_ids: IndexLike, num_segments: int) -> jax.Array:
    """Computes the maxima of groups of rows.

    The gradient is shared evenly among rows that are equally large.

    Args:
        data: a real tensor; its shape begins with that of `segment_ids`.
        segment_ids: the group of each row, integers; rows with a negative one are left out.
        num_segments: the number of groups.

    Returns:
        A tensor `[num_segments, ...]`; the lowest finite value for a group without rows.

    Raises:
        InvalidArgumentError: if an id is `num_segments` or more, or the shapes do not agree.

    >>> tf.math.unsorted_segment_max([1.0, 2.0, 3.0], [1, 0, 1], 2).numpy()
    array([2., 3.], dtype=float32)
    """
    return segment_extreme("max", *_prepared(data, segment_ids, num_segments))


@op("math.unsorted_segment_min", dtypes=SEGMENT_ORDERED, check=CHECK)
def unsorted_segment_min(data: TensorLike, segment_ids: IndexLike, num_segments: int) -> jax.Array:
    """Computes the minima of groups of rows.

    The gradient is shared evenly among rows that are equally small.

    Args:
        data: a real tensor; its shape begins with that of `segment_ids`.
        segment_ids: the group of each row, integers; rows with a negative one are left out.
        num_segments: the number of groups.

    Returns:
        A tensor `[num_segments, ...]`; the highest finite value for a group without rows.

    Raises:
        InvalidArgumentError: if an id is `num_segments` or more, or the shapes do not agree.

    >>> tf.math.unsorted_segment_min([1.0, 2.0, 3.0], [1, 0, 1], 2).numpy()
    array([2., 1.], dtype=float32)
    """
    return segment_extreme("min", *_prepared(data, segment_ids, num_segments))


@op("math.unsorted_segment_prod", dtypes=NUMBERS, check=CHECK)
def unsorted_segment_prod(data: TensorLike, segment_ids: IndexLike, num_segments: int) -> jax.Array:
    """Computes the products of groups of rows.

    Unlike TensorFlow, the second derivative is right where a factor is 0 (TensorFlow's
    is nan), and the gradient for complex numbers is conjugated, as that of `tf.reduce_prod`.

    Args:
        data: a numeric tensor; its shape begins with that of `segment_ids`.
        segment_ids: the group of each row, integers; rows with a negative one are left out.
        num_segments: the number of groups.

    Returns:
        A tensor `[num_segments, ...]`; 1 for a group without rows.

    Raises:
        InvalidArgumentError: if an id is `num_segments` or more, or the shapes do not agree.

    >>> tf.math.unsorted_segment_prod([2.0, 3.0, 5.0], [1, 0, 1], 2).numpy()
    array([ 3., 10.], dtype=float32)
    """
    return segment_product(*_prepared(data, segment_ids, num_segments))
