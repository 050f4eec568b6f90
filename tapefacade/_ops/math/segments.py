"""Reductions over groups of rows: `tf.math.segment_*` and `unsorted_segment_*`."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid, refused_type, shape_text
from tapefacade._core.kernel_dtypes import FLOATS, FLOATS_COMPLEX, INDICES, NUMBERS, REALS
from tapefacade._definition.argument_checks import first_bad, require_type, subscript
from tapefacade._definition.op import Check, IndexLike, TensorLike, function, op
from tapefacade._ops.math.reduction import single_factor
from tapefacade._trace.open_sizes import with_unknown_axes


def flat_rows(data: jax.Array, segment_ids: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Merges the axes that `segment_ids` covers; negative ids become too large ones."""
    rank = segment_ids.ndim
    rows = jnp.reshape(data, (segment_ids.size, *data.shape[rank:]))
    ids = jnp.ravel(segment_ids)
    return rows, jnp.where(ids < 0, jnp.full_like(ids, jnp.iinfo(ids.dtype).max), ids)


def segment_total(rows: jax.Array, ids: jax.Array, count: int) -> jax.Array:
    zeros = jnp.zeros((count, *rows.shape[1:]), rows.dtype)
    return zeros.at[ids].add(rows, mode="drop")


def segment_sizes(ids: jax.Array, count: int, dtype: Any, rank: int) -> jax.Array:
    """Counts the rows of each segment, as an array that broadcasts against the results."""
    sizes = segment_total(jnp.ones(ids.shape, dtype), ids, count)
    return jnp.reshape(sizes, (count,) + (1,) * (rank - 1))


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 3, 4))
def segment_extreme(
    name: str, rows: jax.Array, ids: jax.Array, count: int, infinite: bool = False
) -> jax.Array:
    """Takes the maximum or minimum; that of nothing is the last value (the last finite one)."""
    floating = jnp.issubdtype(rows.dtype, jnp.floating)
    limits = jnp.finfo(rows.dtype) if floating else jnp.iinfo(rows.dtype)
    start = limits.min if name == "max" else limits.max
    if floating and infinite:
        start = -np.inf if name == "max" else np.inf
    filled = jnp.full((count, *rows.shape[1:]), start, rows.dtype)
    return getattr(filled.at[ids], name)(rows, mode="drop")


@segment_extreme.defjvp
def _extreme_jvp(name: str, count: int, infinite: bool, primals: Any, tangents: Any) -> Any:
    """Shares the derivative evenly among equal rows, as TensorFlow does."""
    rows, ids = primals
    result = segment_extreme(name, rows, ids, count, infinite)
    inside = jnp.reshape(ids < count, (-1,) + (1,) * (rows.ndim - 1))
    chosen = inside & (rows == result.at[ids].get(mode="fill", fill_value=0))
    chosen = chosen.astype(rows.dtype)
    number = jnp.maximum(segment_total(chosen, ids, count), jnp.ones_like(result))
    return result, segment_total(tangents[0] * chosen, ids, count) / number


def segment_product(rows: jax.Array, ids: jax.Array, count: int) -> jax.Array:
    """Multiplies by a scan over sorted rows, whose derivative is right where a factor is 0."""
    if ids.size == 1:
        rows = single_factor(rows)
    order = jnp.argsort(ids)
    rows, ids = rows[order], ids[order]
    begins = jnp.concatenate([jnp.ones((min(1, ids.size),), bool), ids[1:] != ids[:-1]])
    begins = jnp.broadcast_to(jnp.reshape(begins, (-1,) + (1,) * (rows.ndim - 1)), rows.shape)

    def combine(left: Any, right: Any) -> Any:
        product = jnp.where(right[0], right[1], left[1] * right[1])
        return left[0] | right[0], product

    products = lax.associative_scan(combine, (begins, rows))[1] if ids.size else rows
    ends = jnp.concatenate([ids[1:] != ids[:-1], jnp.ones((min(1, ids.size),), bool)])
    ids = jnp.where(ends, ids, jnp.full_like(ids, jnp.iinfo(ids.dtype).max))
    ones = jnp.ones((count, *rows.shape[1:]), rows.dtype)
    return ones.at[ids].set(products, mode="drop")


# The segments of `segment_*` are sorted: how many there are, the last id tells.


def _segment_count(kernel: str, data: Any, segment_ids: Any) -> tuple[Any, Any, int]:
    """Converts the arguments, checks the ids, and returns the number of segments."""
    data = convert_to_tensor(data)
    segment_ids = convert_to_tensor(segment_ids)
    if segment_ids.dtype.name not in INDICES:
        raise refused_type("Tindices", segment_ids.dtype.kernel_name, INDICES)
    if segment_ids.ndim != 1 and data.ndim:
        raise _named(kernel, "segment_ids should be a vector.")
    if data.ndim == 0:
        raise _named(kernel, "input must be at least rank 1")
    if segment_ids.shape[0] != data.shape[0]:
        raise _named(kernel, "segment_ids should be the same size as dimension 0 of input.")
    ids = segment_ids.numpy()
    if ids.size == 0:
        return data, segment_ids, 0
    if (np.diff(ids) < 0).any():
        raise _named(kernel, "segment ids are not increasing")
    if ids[-1] < 0:
        raise _named(kernel, "segment ids must be >= 0")
    if ids[0] < 0:
        raise _named(
            kernel,
            f"Segment id {ids[0]} out of range [0, {ids[-1] + 1}), possibly because "
            "'segment_ids' input is not sorted.",
        )
    return data, segment_ids, int(ids[-1]) + 1


def _named(kernel: str, message: str) -> Exception:
    return invalid(f"{message} [Op:{kernel}]")


@function("math.segment_sum")
def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """Computes the sums of consecutive groups of rows.

    The ids are looked at, for they decide the shape of the result.

    Args:
        data: a numeric tensor, `[n, ...]`.
        segment_ids: the group of each row, a sorted vector of n integers from 0 on.
        name: ignored.

    Returns:
        A tensor `[last id + 1, ...]`; 0 for a group without rows.

    Raises:
        InvalidArgumentError: if the ids are not sorted, negative or not as many as the rows.

    >>> tf.math.segment_sum([[1, 2], [3, 4], [5, 6]], [0, 0, 1]).numpy()
    array([[4, 6],
           [5, 6]], dtype=int32)
    """
    return with_unknown_axes(_segment_sum(*_segment_count("SegmentSum", data, segment_ids)), 0)


@function("math.segment_mean")
def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """Computes the means of consecutive groups of rows.

    The ids are looked at, for they decide the shape of the result.

    Args:
        data: a numeric tensor, `[n, ...]`.
        segment_ids: the group of each row, a sorted vector of n integers from 0 on.
        name: ignored.

    Returns:
        A tensor `[last id + 1, ...]`; 0 for a group without rows. Integers are rounded down.

    Raises:
        InvalidArgumentError: if the ids are not sorted, negative or not as many as the rows.

    >>> tf.math.segment_mean([1.0, 3.0, 5.0], [0, 0, 1]).numpy()
    array([2., 5.], dtype=float32)
    """
    return with_unknown_axes(_segment_mean(*_segment_count("SegmentMean", data, segment_ids)), 0)


@function("math.segment_max")
def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """Computes the maxima of consecutive groups of rows.

    The ids are looked at, for they decide the shape of the result. The gradient is shared evenly
    among rows that are equally large.

    Args:
        data: a real tensor, `[n, ...]`.
        segment_ids: the group of each row, a sorted vector of n integers from 0 on.
        name: ignored.

    Returns:
        A tensor `[last id + 1, ...]`; 0 for a group without rows.

    Raises:
        InvalidArgumentError: if the ids are not sorted, negative or not as many as the rows.

    >>> tf.math.segment_max([1.0, 3.0, 5.0], [0, 0, 1]).numpy()
    array([3., 5.], dtype=float32)
    """
    return with_unknown_axes(_segment_max(*_segment_count("SegmentMax", data, segment_ids)), 0)


@function("math.segment_min")
def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """Computes the minima of consecutive groups of rows.

    The ids are looked at, for they decide the shape of the result. The gradient is shared evenly
    among rows that are equally small.

    Args:
        data: a real tensor, `[n, ...]`.
        segment_ids: the group of each row, a sorted vector of n integers from 0 on.
        name: ignored.

    Returns:
        A tensor `[last id + 1, ...]`; 0 for a group without rows.

    Raises:
        InvalidArgumentError: if the ids are not sorted, negative or not as many as the rows.

    >>> tf.math.segment_min([1.0, 3.0, 5.0], [0, 0, 1]).numpy()
    array([1., 5.], dtype=float32)
    """
    return with_unknown_axes(_segment_min(*_segment_count("SegmentMin", data, segment_ids)), 0)


@function("math.segment_prod")
def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """Computes the products of consecutive groups of rows.

    Beyond TensorFlow, the second derivative is right where a factor is 0, and the gradient for
    complex numbers is conjugated, as that of `tf.reduce_prod`.

    The ids are looked at, for they decide the shape of the result.

    Args:
        data: a numeric tensor, `[n, ...]`.
        segment_ids: the group of each row, a sorted vector of n integers from 0 on.
        name: ignored.

    Returns:
        A tensor `[last id + 1, ...]`; 1 for a group without rows.

    Raises:
        InvalidArgumentError: if the ids are not sorted, negative or not as many as the rows.

    >>> tf.math.segment_prod([2.0, 3.0, 5.0], [0, 0, 1]).numpy()
    array([6., 5.], dtype=float32)
    """
    return with_unknown_axes(_segment_prod(*_segment_count("SegmentProd", data, segment_ids)), 0)


@op("_segment_sum", kernel="SegmentSum", dtypes=NUMBERS)
def _segment_sum(data: TensorLike, segment_ids: IndexLike, num_segments: int) -> jax.Array:
    """Computes `segment_sum` for a known number of segments."""
    return segment_total(data, segment_ids, num_segments)


@op("_segment_mean", kernel="SegmentMean", dtypes=NUMBERS)
def _segment_mean(data: TensorLike, segment_ids: IndexLike, num_segments: int) -> jax.Array:
    """Computes `segment_mean` for a known number of segments."""
    sizes = segment_sizes(segment_ids, num_segments, data.dtype, data.ndim)
    # Complex numbers have no maximum.
    sizes = jnp.where(sizes == jnp.zeros_like(sizes), jnp.ones_like(sizes), sizes)
    return lax.div(*jnp.broadcast_arrays(segment_total(data, segment_ids, num_segments), sizes))


def _extreme_or_zero(name: str, data: jax.Array, ids: jax.Array, count: int) -> jax.Array:
    sizes = segment_sizes(ids, count, np.int32, data.ndim)
    result = segment_extreme(name, data, ids, count, True)
    return jnp.where(sizes == 0, jnp.zeros_like(result), result)


@op("_segment_max", kernel="SegmentMax", dtypes=REALS)
def _segment_max(data: TensorLike, segment_ids: IndexLike, num_segments: int) -> jax.Array:
    """Computes `segment_max` for a known number of segments."""
    return _extreme_or_zero("max", data, segment_ids, num_segments)


@op("_segment_min", kernel="SegmentMin", dtypes=REALS)
def _segment_min(data: TensorLike, segment_ids: IndexLike, num_segments: int) -> jax.Array:
    """Computes `segment_min` for a known number of segments."""
    return _extreme_or_zero("min", data, segment_ids, num_segments)


@op("_segment_prod", kernel="SegmentProd", dtypes=NUMBERS)
def _segment_prod(data: TensorLike, segment_ids: IndexLike, num_segments: int) -> jax.Array:
    """Computes `segment_prod` for a known number of segments."""
    return segment_product(data, segment_ids, num_segments)


AVERAGED_DTYPES = (
    *FLOATS, "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
)  # fmt: skip
# Those whose quotients are float32, as `truediv` has it; other integers give float64.
SMALL_INTEGERS = ("int8", "uint8", "int16", "uint16")


def _check(data: Any, segment_ids: Any, num_segments: Any) -> None:
    require_type("Tindices", segment_ids.dtype, INDICES)
    if isinstance(num_segments, tuple):
        raise invalid(
            f"num_segments should be a scalar, not shape {shape_text((len(num_segments),))}"
        )
    if not isinstance(num_segments, int):
        raise refused_type("Tnumsegments", "float", INDICES)
    if data.shape[: segment_ids.ndim] != segment_ids.shape:
        raise invalid(
            f"data.shape = {shape_text(data.shape)} does not start with segment_ids.shape = "
            f"{shape_text(segment_ids.shape)}"
        )
    if num_segments < 0:
        raise invalid(f"Input num_segments == {num_segments} must not be negative.")


def _test(data: Any, segment_ids: Any, num_segments: Any) -> tuple[Any, ...]:
    _check(data, segment_ids, num_segments)
    return first_bad(segment_ids >= num_segments, segment_ids)


def _error(position: Any, value: Any, num_segments: int) -> Exception:
    where = subscript(position)
    return invalid(f"segment_ids{where} = {value} is out of range [0, {num_segments})")


SEGMENT_CHECK = Check(values=("segment_ids",), test=_test, error=_error)


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
        dtype = np.float32 if data.dtype.name in SMALL_INTEGERS else np.float64
        total, sizes = total.astype(dtype), sizes.astype(dtype)
    return total / (jnp.sqrt(sizes) if root else sizes)


@op("math.unsorted_segment_sum", dtypes=NUMBERS, check=SEGMENT_CHECK, raw_op=True)
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


@op(
    "math.unsorted_segment_mean",
    kernel="UnsortedSegmentSum",
    dtypes=AVERAGED_DTYPES,
    check=SEGMENT_CHECK,
)
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


@op("math.unsorted_segment_sqrt_n", kernel="Sqrt", dtypes=AVERAGED_DTYPES, check=SEGMENT_CHECK)
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


@op("math.unsorted_segment_max", dtypes=REALS, check=SEGMENT_CHECK, raw_op=True)
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


@op("math.unsorted_segment_min", dtypes=REALS, check=SEGMENT_CHECK, raw_op=True)
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


@op("math.unsorted_segment_prod", dtypes=NUMBERS, check=SEGMENT_CHECK, raw_op=True)
def unsorted_segment_prod(data: TensorLike, segment_ids: IndexLike, num_segments: int) -> jax.Array:
    """Computes the products of groups of rows.

    Beyond TensorFlow, the second derivative is right where a factor is 0 (TensorFlow's
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
