"""Distinct values and positions among sorted ones: `unique`, `searchsorted`, ..."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._ops.arguments import INDEX_TYPES, invalid, mapped, require_type
from tapefacade._ops.op import (
    Check,
    IndexLike,
    NoGradient,
    NotDifferentiable,
    TensorLike,
    function,
    op,
)


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


@op("_unique_values", kernel="Unique", gradient=NoGradient("Unique"), host=_take)
def _unique_values(x: TensorLike, places: IndexLike) -> jax.Array:
    """Takes the elements that `unique` found."""
    return jnp.take(x, places, axis=0, mode="clip")


@op(
    "_counted_values",
    kernel="UniqueWithCounts",
    gradient=NoGradient("UniqueWithCounts"),
    host=_take,
)
def _counted_values(x: TensorLike, places: IndexLike) -> jax.Array:
    """Takes the elements that `unique_with_counts` found."""
    return jnp.take(x, places, axis=0, mode="clip")


def _distinct(x: Any, out_idx: Any, kernel: str) -> tuple[Any, ...]:
    """Looks at a vector; returns where each value occurs first, and which of them each is."""
    x = convert_to_tensor(x)
    dtype = require_type("out_idx", out_idx, INDEX_TYPES)
    if x.ndim != 1:
        raise invalid(f"unique expects a 1D vector. [Op:{kernel}] name: ")
    values = x.numpy()
    if values.dtype.kind == "V":
        values = values.astype(np.float32)
    _, first, inverse, counts = np.unique(
        values, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return (
        x,
        from_host(first[order]),
        place[inverse.ravel()].astype(dtype),
        counts[order].astype(dtype),
    )


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
    return Unique(_unique_values(x, first), from_host(idx))


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
    return UniqueWithCounts(_counted_values(x, first), from_host(idx), from_host(counts))


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
    dtype = require_type("out_type", out_type, INDEX_TYPES)
    if sorted_sequence.ndim == 0 or values.ndim == 0:
        raise invalid("slice index -1 of dimension 0 out of bounds.")
    count = sorted_sequence.shape[-1]
    sequences = jnp.reshape(sorted_sequence, (_rows(sorted_sequence.shape), count))
    wanted = jnp.reshape(values, (_rows(values.shape), values.shape[-1]))
    if sequences.shape[0] != wanted.shape[0]:
        raise invalid("Leading dim_size of both tensors must match.")
    found = mapped(lambda s, v: jnp.searchsorted(s, v, side=side), 1)(sequences, wanted)
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


def _permutation_error(value: Any, size: Any, outside: Any) -> Exception:
    if outside:
        return invalid(f"{value} is not between 0 and {size}")
    return invalid(f"{value} is duplicated in the input.")


@op(
    "math.invert_permutation",
    gradient=NotDifferentiable(),
    dtypes=INDEX_TYPES,
    check=Check(("x",), _permutation_test, _permutation_error),
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
