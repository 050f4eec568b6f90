"""Order: `sort`, `argsort`, `top_k`, `unique`, `searchsorted`, `tf.nn.approx_max_k`."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import (
    below_minimum,
    inconvertible_argument,
    invalid,
    slice_out_of_bounds,
    unsupported_value,
)
from tapefacade._core.kernel_dtypes import FLOATS_EXCEPT_DOUBLE, INDICES, INDICES_INT16, REALS
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.traced_errors import mark_as_of_types
from tapefacade._definition.argument_checks import (
    as_integer,
    is_integer,
    mapped_over_axes,
    require_type,
)
from tapefacade._definition.op import (
    Check,
    IndexLike,
    NoGradient,
    NotDifferentiable,
    TensorLike,
    function,
    op,
)
from tapefacade._ops.array.shaping import transpose
from tapefacade._trace.open_sizes import with_axes_along, with_unknown_axes


def _too_few_columns(columns: int, wanted: int) -> str:
    return f"input must have at least k columns. Had {columns}, needed {wanted}"


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
    if isinstance(axis, tuple) and axis:
        shown = f"[{' '.join(map(str, axis))}]"
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={shown}.")
    if isinstance(axis, str):
        raise ValueError(f"invalid literal for int() with base 10: {axis.encode()!r}")
    place = int(axis) if isinstance(axis, float) else as_integer(axis)
    if not -values.ndim <= place < values.ndim:
        shown = place + values.ndim if place < 0 else place
        raise invalid(slice_out_of_bounds(shown, 0))
    return place % values.ndim


@op("sort", kernel="TopKV2", dtypes=REALS)
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


def _argsort_host(values: Any, axis: int = -1, direction: str = "ASCENDING", _: Any = None) -> Any:
    keys = ~values if direction == "DESCENDING" else values  # integers, the other way around
    return np.argsort(keys, _sorted_axis(values, axis, direction), kind="stable").astype(np.int32)


@op(
    "argsort",
    kernel="TopKV2",
    gradient=NotDifferentiable(),
    host=_argsort_host,
    dtypes=REALS,
)
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


@op("math.top_k", "nn.top_k", kernel="TopKV2", dtypes=REALS)
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
    dtype = require_type("index_type", index_type, INDICES_INT16)
    if k is None:
        raise unsupported_value(None)
    if isinstance(k, tuple):
        raise invalid(f"k must be scalar, got shape [{len(k)}]")
    if not is_integer(k):
        raise inconvertible_argument(k)
    if input.ndim == 0:
        raise invalid("input must be >= 1-D, got shape []")
    if k < 0:
        raise invalid(f"Need k >= 0, got {k}")
    if input.shape[-1] < k:
        raise invalid(_too_few_columns(input.shape[-1], k))
    values, indices = lax.top_k(input, int(k))
    return TopKV2(values, indices.astype(dtype))


class Unique(NamedTuple):
    """The result of `tf.unique`."""

    y: EagerTensor
    idx: EagerTensor


class UniqueWithCounts(NamedTuple):
    """The result of `tf.unique_with_counts`."""

    y: EagerTensor
    idx: EagerTensor
    count: EagerTensor  # type: ignore[assignment]  # TensorFlow's name, and of tuples


def _take(x: Any, places: Any) -> Any:
    return np.take(x, places, axis=0)


@op("_unique_values", kernel="Unique", gradient=NoGradient("Unique"), host=_take, moves=True)
def _unique_values(x: TensorLike, places: IndexLike) -> jax.Array:
    """Takes the elements that `unique` found."""
    return jnp.take(x, places, axis=0, mode="clip")


@op(
    "_counted_values",
    kernel="UniqueWithCounts",
    gradient=NoGradient("UniqueWithCounts"),
    host=_take,
    moves=True,
)
def _counted_values(x: TensorLike, places: IndexLike) -> jax.Array:
    """Takes the elements that `unique_with_counts` found."""
    return jnp.take(x, places, axis=0, mode="clip")


def _distinct(x: Any, out_idx: Any, kernel: str) -> tuple[Any, ...]:
    """Looks at a vector; returns where each value occurs first, and which of them each is."""
    x = convert_to_tensor(x)
    dtype = require_type("out_idx", out_idx, INDICES)
    if x.ndim != 1:
        raise mark_as_of_types(invalid(f"unique expects a 1D vector. [Op:{kernel}] name: "))
    return (x, *_first_occurrences(x.numpy(), dtype))


def _first_occurrences(values: np.ndarray[Any, Any], dtype: Any) -> tuple[Any, ...]:
    """Finds the distinct values, or rows of ranks, in the order of their first occurrence."""
    if values.dtype.kind == "V":
        values = values.astype(np.float32)
    _, first, inverse, counts = np.unique(
        values, return_index=True, return_inverse=True, return_counts=True, equal_nan=False,
        axis=0 if values.ndim > 1 else None,
    )  # fmt: skip
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return (
        from_host(first[order]),
        place[inverse.ravel()].astype(dtype),
        counts[order].astype(dtype),
    )


def _distinct_along(x: Any, axis: Any, out_idx: Any, kernel: str) -> tuple[Any, ...]:
    """Looks at the parts of a tensor along an axis; returns what `_distinct` does, and the axis."""
    x = convert_to_tensor(x)
    axes = convert_to_tensor(axis, dtypes.int64 if np.size(axis) == 0 else None).numpy()
    if axes.ndim != 1:
        raise invalid(f"axis expects a 1D vector. [Op:{kernel}] name: ")
    if axes.size == 0:
        return (*_distinct(x, out_idx, kernel), 0)
    if axes.size > 1:
        raise invalid(
            f"axis does not support input tensors larger than 1 elements [Op:{kernel}] name: "
        )
    place = int(axes[0]) + (x.ndim if axes[0] < 0 else 0)
    if not 0 <= place < x.ndim:
        raise invalid(f"axis has to be between [0, {x.ndim}) [Op:{kernel}] name: ")
    dtype = require_type("out_idx", out_idx, INDICES)
    values = np.moveaxis(x.numpy(), place, 0)
    if x.ndim == 1 or values.size == 0:
        rows = values if x.ndim == 1 else np.zeros(len(values), np.int64)
    else:  # rows are compared by the ranks of their elements: NaN is equal to nothing
        if values.dtype.kind == "V":
            values = values.astype(np.float32)
        _, ranks = np.unique(values, return_inverse=True, equal_nan=False)
        rows = ranks.reshape(len(values), -1)
    return (x, *_first_occurrences(rows, dtype), place)


@function("unique")
def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Unique:
    """Finds the distinct values of a vector, in the order of their first occurrence.

    The values are looked at, for they decide the shape of the result.

    Args:
        x: a vector.
        out_idx: the dtype of the positions, int32 or int64.
        name: ignored.

    Returns:
        A tuple `(y, idx)`: the values, and for each element of `x` its position in `y`.

    Raises:
        InvalidArgumentError: if `x` is no vector.

    >>> y, idx = tf.unique([3, 1, 3, 2])
    >>> y.numpy(), idx.numpy()
    (array([3, 1, 2], dtype=int32), array([0, 1, 0, 2], dtype=int32))
    """
    x, first, idx, _ = _distinct(x, out_idx, "Unique")
    places = from_host(idx)
    return Unique(with_unknown_axes(_unique_values(x, first), 0), with_axes_along(places, {0: x}))


@function("unique_with_counts")
def unique_with_counts(
    x: Any, out_idx: Any = dtypes.int32, name: str | None = None
) -> UniqueWithCounts:
    """Finds the distinct values of a vector, and how often each occurs.

    The values are looked at, for they decide the shape of the result.

    Args:
        x: a vector.
        out_idx: the dtype of the positions and counts, int32 or int64.
        name: ignored.

    Returns:
        A tuple `(y, idx, count)`: as for `tf.unique`, and the counts.

    Raises:
        InvalidArgumentError: if `x` is no vector.

    >>> tf.unique_with_counts([3, 1, 3, 2]).count.numpy()
    array([2, 1, 1], dtype=int32)
    """
    x, first, idx, counts = _distinct(x, out_idx, "UniqueWithCounts")
    return UniqueWithCounts(
        with_unknown_axes(_counted_values(x, first), 0),
        with_axes_along(from_host(idx), {0: x}),
        with_unknown_axes(from_host(counts), 0),
    )


class UniqueV2(NamedTuple):
    """The result of `tf.raw_ops.UniqueV2`."""

    y: EagerTensor
    idx: EagerTensor


class UniqueWithCountsV2(NamedTuple):
    """The result of `tf.raw_ops.UniqueWithCountsV2`."""

    y: EagerTensor
    idx: EagerTensor
    count: EagerTensor  # type: ignore[assignment]  # TensorFlow's name, and of tuples


@function("_unique_along")
def unique_along(x: Any, axis: Any, out_idx: Any = dtypes.int32) -> UniqueV2:
    """Finds the distinct parts of a tensor along an axis: `tf.raw_ops.UniqueV2`.

    Args:
        x: a tensor.
        axis: a vector of one axis; an empty one if `x` is a vector.
        out_idx: the dtype of the positions, int32 or int64.

    Returns:
        A tuple `(y, idx)`, see `tf.unique`.

    Raises:
        InvalidArgumentError: if `axis` is no vector of one axis of `x`.

    >>> tf.raw_ops.UniqueV2(x=[[1, 2], [3, 4], [1, 2]], axis=[0]).y.numpy().tolist()
    [[1, 2], [3, 4]]
    """
    x, first, idx, _, place = _distinct_along(x, axis, out_idx, "UniqueV2")
    parts = _parts(x, first, place, _unique_values)
    return UniqueV2(with_unknown_axes(parts, place), from_host(idx))


@function("_unique_with_counts_along")
def unique_with_counts_along(x: Any, axis: Any, out_idx: Any = dtypes.int32) -> UniqueWithCountsV2:
    """Finds the distinct parts of a tensor and counts them: `tf.raw_ops.UniqueWithCountsV2`.

    Args:
        x: a tensor.
        axis: a vector of one axis; an empty one if `x` is a vector.
        out_idx: the dtype of the positions and counts, int32 or int64.

    Returns:
        A tuple `(y, idx, count)`, see `tf.unique_with_counts`.

    Raises:
        InvalidArgumentError: if `axis` is no vector of one axis of `x`.

    >>> tf.raw_ops.UniqueWithCountsV2(x=[[1, 2], [3, 4], [1, 2]], axis=[0]).count.numpy()
    array([2, 1], dtype=int32)
    """
    x, first, idx, counts, place = _distinct_along(x, axis, out_idx, "UniqueWithCountsV2")
    parts = _parts(x, first, place, _counted_values)
    return UniqueWithCountsV2(
        with_unknown_axes(parts, place), from_host(idx), with_unknown_axes(from_host(counts), 0)
    )


def _parts(x: Any, places: Any, axis: int, take: Any) -> Any:
    """Takes the parts at some places along an axis; `take` knows the kernel, and the first axis."""
    if axis == 0:
        return take(x, places)
    order = [axis, *(k for k in range(x.ndim) if k != axis)]
    return transpose(take(transpose(x, order), places), np.argsort(order).tolist())


@op("searchsorted", kernel="LowerBound", gradient=NotDifferentiable())
def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: Any = dtypes.int32,
) -> jax.Array:
    """Finds where values would have to be inserted into sorted sequences.

    Args:
        sorted_sequence: sequences `[..., n]`, each sorted.
        values: the values for each of them, `[..., m]`.
        side: "left" is before equal elements, "right" behind them.
        out_type: the dtype of the result, int32 or int64.

    Returns:
        Positions `[..., m]`.

    Raises:
        ValueError: for another `side`.
        InvalidArgumentError: if the leading dimensions differ.

    >>> tf.searchsorted([1.0, 3.0, 5.0], [0.0, 3.0, 9.0]).numpy()
    array([0, 1, 3], dtype=int32)
    """
    if side not in ("left", "right"):
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'."
        )
    dtype = require_type("out_type", out_type, INDICES)
    if sorted_sequence.ndim == 0 or values.ndim == 0:
        raise invalid("slice index -1 of dimension 0 out of bounds.")
    count = sorted_sequence.shape[-1]
    sequences = jnp.reshape(sorted_sequence, (_rows(sorted_sequence.shape), count))
    wanted = jnp.reshape(values, (_rows(values.shape), values.shape[-1]))
    if sequences.shape[0] != wanted.shape[0]:
        raise invalid("Leading dim_size of both tensors must match.")
    found = mapped_over_axes(lambda s, v: jnp.searchsorted(s, v, side=side), 1)(sequences, wanted)
    found = found.astype(dtype)
    if jnp.issubdtype(values.dtype, jnp.floating):
        # TensorFlow compares with `<` only, which never holds for nan.
        beside = jnp.full_like(found, 0 if side == "left" else count)
        found = jnp.where(jnp.isnan(wanted), beside, found)
    return jnp.reshape(found, values.shape)


def _rows(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape[:-1], dtype=np.int64))


def _permutation_test(x: Any) -> tuple[Any, ...]:
    if x.ndim != 1 or x.shape[0] == 0:
        return np.array(True), np.array(0), np.array(0), np.array(False)
    size = x.shape[0]
    values = jnp.asarray(x)
    outside = (values < 0) | (values >= size)
    earlier = jnp.tril(values[:, None] == values[None, :], -1)
    bad = outside | jnp.any(earlier, axis=1)
    first = jnp.argmax(bad)
    return ~jnp.any(bad), values[first], np.array(size), outside[first]


def permutation_error(value: Any, size: Any, outside: Any) -> Exception:
    """Makes the exception for a value that no permutation of that size has, or has twice."""
    if outside:
        return invalid(f"{value} is not between 0 and {size}")
    return invalid(f"{value} is duplicated in the input.")


@op(
    "math.invert_permutation",
    gradient=NotDifferentiable(),
    dtypes=INDICES,
    check=Check(("x",), _permutation_test, permutation_error),
    host=lambda x: np.argsort(x).astype(x.dtype),
    raw_op=True,
)
def invert_permutation(x: TensorLike) -> jax.Array:
    """Computes the inverse of a permutation: `y[x[i]] = i`.

    Args:
        x: a vector of integers, each from 0 to n - 1 once.

    Returns:
        A vector of the dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no permutation.

    >>> tf.math.invert_permutation([2, 0, 1]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    if x.ndim != 1:
        raise invalid("invert_permutation expects a 1D vector.")
    return jnp.zeros_like(x).at[x].set(jnp.arange(x.shape[0], dtype=x.dtype), mode="drop")


class ApproxTopK(NamedTuple):
    """What `tf.nn.approx_max_k` and `tf.nn.approx_min_k` return."""

    values: Any
    indices: Any


@op("_approx_top_k", kernel="ApproxTopK", dtypes=FLOATS_EXCEPT_DOUBLE)
def _approx_top_k(
    input: TensorLike,
    k: int,
    dimension: int,
    recall: float,
    largest: bool,
    override: int,
    aggregate: bool,
) -> tuple[jax.Array, jax.Array]:
    """Finds the greatest or smallest elements along a dimension."""
    if k < 0:
        raise invalid(below_minimum("k", k, 0))
    if not -input.ndim <= dimension < input.ndim:
        raise invalid(f"The input has no dimension {dimension}: it has {input.ndim}.")
    size = input.shape[dimension]
    if size < k:
        raise invalid(_too_few_columns(size, k))
    if k == 0:
        nothing = lax.slice_in_dim(input, 0, 0, axis=dimension)
        return nothing, nothing.astype("int32")
    find = lax.approx_max_k if largest else lax.approx_min_k
    values, places = find(
        input,
        k,
        reduction_dimension=dimension,
        recall_target=recall,
        reduction_input_size_override=override,
        aggregate_to_topk=aggregate,
    )
    return values, places


@function("approx_top_k")
def approx_top_k(
    input: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Finds the `k` greatest or smallest elements; see `tf.nn.approx_max_k`.

    Args:
        input: a tensor of type float16, bfloat16 or float32.
        k: how many.
        reduction_dimension: the dimension along which they are found.
        recall_target: the share of them that is found at least, on average.
        is_max_k: whether the greatest are meant.
        reduction_input_size_override: the size of the whole, if `input` is one part of it.
        aggregate_to_topk: whether the candidates are sorted, and all but `k` left out.
        name: ignored.

    Returns:
        The elements in order, and their places, int32.

    Raises:
        InvalidArgumentError: if `k` is negative or too large.

    >>> tf.approx_top_k([1.0, 3.0, 2.0], 2, is_max_k=False).values.numpy()
    array([1., 2.], dtype=float32)
    """
    found: tuple[EagerTensor, EagerTensor] = _approx_top_k(
        convert_to_tensor(input),
        k,
        reduction_dimension,
        recall_target,
        is_max_k,
        reduction_input_size_override,
        aggregate_to_topk,
    )
    return ApproxTopK(*found)


@function("nn.approx_max_k", "math.approx_max_k")
def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Finds the `k` greatest elements, or almost: only a TPU leaves some out.

    Source: Chern et al., TPU-KNN: K nearest neighbor search at peak FLOP/s (2022). Unlike
    TensorFlow, every dimension can be searched on every device.

    Args:
        operand: a tensor of type float16, bfloat16 or float32.
        k: how many.
        reduction_dimension: the dimension along which they are found.
        recall_target: the share of them that is found at least, on average.
        reduction_input_size_override: the size of the whole, if `operand` is one part of it.
        aggregate_to_topk: whether the candidates are sorted, and all but `k` left out.
        name: ignored.

    Returns:
        The elements in falling order, and their places, int32.

    Raises:
        InvalidArgumentError: if `k` is negative or too large.

    >>> values, places = tf.nn.approx_max_k([1.0, 3.0, 2.0], 2)
    >>> values.numpy(), places.numpy()
    (array([3., 2.], dtype=float32), array([1, 2], dtype=int32))
    """
    override, aggregate = reduction_input_size_override, aggregate_to_topk
    return approx_top_k(operand, k, reduction_dimension, recall_target, True, override, aggregate)


@function("nn.approx_min_k", "math.approx_min_k")
def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Finds the `k` smallest elements, or almost; see `tf.nn.approx_max_k`.

    Beyond TensorFlow, it works on every device.

    Args:
        operand: a tensor of type float16, bfloat16 or float32.
        k: how many.
        reduction_dimension: the dimension along which they are found.
        recall_target: the share of them that is found at least, on average.
        reduction_input_size_override: the size of the whole, if `operand` is one part of it.
        aggregate_to_topk: whether the candidates are sorted, and all but `k` left out.
        name: ignored.

    Returns:
        The elements in rising order, and their places, int32.

    Raises:
        InvalidArgumentError: if `k` is negative or too large.

    >>> tf.nn.approx_min_k([1.0, 3.0, 2.0], 2).indices.numpy()
    array([0, 2], dtype=int32)
    """
    override, aggregate = reduction_input_size_override, aggregate_to_topk
    return approx_top_k(operand, k, reduction_dimension, recall_target, False, override, aggregate)
