"""Sums, products and functions of sparse tensors, element by element."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import handles
from tapefacade._core.error_texts import invalid, refused_input, shape_text
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import function
from tapefacade._definition.op_properties import OpFacts, for_each
from tapefacade._ops.array.creation import zeros
from tapefacade._ops.array.gathering import gather_nd
from tapefacade._ops.array.joining import concat
from tapefacade._ops.array.scattering import tensor_scatter_nd_add
from tapefacade._ops.math.arithmetic import add as dense_add
from tapefacade._sparse.arrangement import kernel_error, taken_values
from tapefacade._sparse.tensor import (
    SparseTensor,
    SparseTensorValue,
    ravelled_places,
    sparse,
    sparse_at_places,
)


@for_each
def _take_sparse(path: str, facts: OpFacts) -> None:
    """Has a function that is 0 at 0 take sparse tensors: it works on their elements."""
    if not facts.keeps_zeros:
        return

    @handles(SparseTensor, path)
    def apply(x: Any = None, **kwargs: Any) -> SparseTensor:
        given = kwargs.pop("input", x)
        return given.with_values(FUNCTIONS[path](given.values))


@function("sparse.map_values")
def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function with the elements of sparse tensors in their place.

    Args:
        op: a function of tensors; it returns as many elements.
        *args: its arguments; all sparse tensors among them have their elements at equal places.
        **kwargs: its keyword arguments, likewise.

    Returns:
        A sparse tensor of what the function returns.

    Raises:
        ValueError: if there is no sparse tensor among the arguments.
        InvalidArgumentError: if the places differ.

    >>> doubled = tf.sparse.map_values(tf.multiply, tf.sparse.from_dense([0, 3]), 2)
    >>> doubled.values.numpy()
    array([6], dtype=int32)
    """
    found = [v for v in (*args, *kwargs.values()) if isinstance(v, SparseTensor)]
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    first = found[0]
    for other in found[1:]:
        if not np.array_equal(first._located(), other._located()):
            raise invalid("Mismatched indices of the sparse tensors")

    def inner(value: Any) -> Any:
        return value.values if isinstance(value, SparseTensor) else value

    return first.with_values(op(*map(inner, args), **{k: inner(v) for k, v in kwargs.items()}))


# With a dense tensor.


def _scaled(kernel: str, name: str) -> Callable[[Any, Any], SparseTensor]:
    def operator(self: SparseTensor, other: Any) -> SparseTensor:
        dense = convert(other, self.dtype if not hasattr(other, "_type") else None)
        sizes = dense._type.shape
        fits = len(sizes) <= len(self._static) and all(
            n in (1, m) for n, m in zip(sizes[::-1], self._static[::-1], strict=False)
        )
        if not fits:
            raise kernel_error(
                kernel,
                f"{kernel} broadcasts dense to sparse only; got incompatible shapes: "
                f"{shape_text(self._static)} vs. {shape_text(sizes)}",
            )
        if sizes:
            columns = self._located()[:, len(self._static) - len(sizes) :]
            columns = np.where(np.array(sizes) == 1, 0, columns)
            dense = gather_nd(dense, from_host(np.ascontiguousarray(columns)))
        return self.with_values(FUNCTIONS[name](self.values, dense))

    return operator


_times = _scaled("SparseDenseCwiseMul", "multiply")
_divided = _scaled("SparseDenseCwiseDiv", "divide")


@handles(SparseTensor, "_product")
def scaled(x: Any, y: Any) -> Any:
    """Multiplies a dense tensor with a sparse one: only the operator does so."""
    return _times(y, x) if isinstance(y, SparseTensor) else NotImplemented


SparseTensor.__mul__ = _times  # type: ignore[attr-defined]
SparseTensor.__truediv__ = SparseTensor.__div__ = _divided  # type: ignore[attr-defined]


@handles(SparseTensor, "math.truediv")
def _divide(x: Any, y: Any, name: Any = None) -> Any:
    return _divided(x, y) if isinstance(x, SparseTensor) else NotImplemented


# Of two sparse tensors.


@function("sparse.add")
def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Adds a sparse tensor to a sparse or dense one.

    Args:
        a: a tensor, sparse or dense; one of the two is sparse.
        b: the other one, of the same dtype and shape.
        threshold: sums of two sparse tensors that are not larger than this in magnitude are left
            out.

    Returns:
        A sparse tensor if both are, else a dense one.

    Raises:
        TypeError: if both are dense.
        InvalidArgumentError: if the dtypes or shapes differ.

    >>> total = tf.sparse.add(tf.sparse.eye(2), tf.sparse.eye(2))
    >>> total.values.numpy()
    array([2., 2.], dtype=float32)
    """
    a, b = _sparse_or_dense(a), _sparse_or_dense(b)
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        return _sum(a, b, threshold)
    if isinstance(b, SparseTensor):
        a, b = b, a
    if not isinstance(a, SparseTensor):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if a._static != b._type.shape:
        raise kernel_error(
            "SparseTensorDenseAdd",
            "Operands a and b have different ranks or shapes",
        )
    return tensor_scatter_nd_add(b, a.indices, a.values)


def _sparse_or_dense(value: Any) -> Any:
    if isinstance(value, SparseTensor | SparseTensorValue):
        return sparse(value)
    return convert(value)


def _merged(a: SparseTensor, b: SparseTensor, kernel: str) -> tuple[Any, ...]:
    """Merges the places of two sparse tensors, each of them in order.

    Returns:
        The places, and for each of them the position in `a` and in `b`, or -1.
    """
    if a.dtype is not b.dtype:
        raise refused_input(kernel, 4, a.dtype.kernel_name, b.dtype.kernel_name)
    if len(a._static) != len(b._static):
        raise kernel_error(
            kernel, f"Ranks of input tensors do not match: {len(a._static)} vs {len(b._static)}"
        )
    for axis, (n, m) in enumerate(zip(a._static, b._static, strict=True)):
        if n != m:
            raise kernel_error(
                kernel,
                f"Operands' shapes do not match: got {n} and {m} for dimension {axis}",
            )
    ours, theirs = (ravelled_places(s._located(), s._static) for s in (a, b))
    flat, first, second, i, j = [], [], [], 0, 0
    while i < len(ours) or j < len(theirs):  # as TensorFlow's kernel merges, sorted or not
        take_a = i < len(ours) and (j == len(theirs) or ours[i] <= theirs[j])
        take_b = j < len(theirs) and (i == len(ours) or theirs[j] <= ours[i])
        flat.append(a._located()[i] if take_a else b._located()[j])
        first.append(i if take_a else -1)
        second.append(j if take_b else -1)
        i, j = i + take_a, j + take_b
    places = np.array(flat, np.int64).reshape(len(flat), len(a._static))
    return places, np.array(first, np.int64), np.array(second, np.int64)


def _aligned(values: Any, positions: np.ndarray[Any, Any]) -> Any:
    """Returns the elements at the positions, zero where there is none."""
    padded = concat([values, zeros([1], values.dtype)], 0)
    return taken_values(padded, np.where(positions < 0, values._type.size, positions))


def _sum(a: SparseTensor, b: SparseTensor, threshold: Any) -> SparseTensor:
    places, first, second = _merged(a, b, "SparseAdd")
    total = dense_add(_aligned(a.values, first), _aligned(b.values, second))
    limit = np.asarray(convert(threshold))
    if limit != 0:
        kept = np.flatnonzero(np.abs(np.asarray(total._numpy_array())) >= limit)
        places, total = places[kept], taken_values(total, kept)
    return sparse_at_places(places, total, a._static)


def _extremum(name: str, kernel: str, a: Any, b: Any) -> SparseTensor:
    a, b = sparse(a), sparse(b)
    places, first, second = _merged(a, b, kernel)
    values = FUNCTIONS[name](_aligned(a.values, first), _aligned(b.values, second))
    return sparse_at_places(places, values, a._static)


@function("sparse.maximum")
def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Takes the larger of the elements of two sparse tensors.

    Args:
        sp_a: a sparse tensor.
        sp_b: a sparse tensor of the same dtype and shape.
        name: ignored.

    Returns:
        A sparse tensor with an element wherever one of the two has one.

    >>> x, y = tf.sparse.from_dense([0, 2, 5]), tf.sparse.from_dense([-1, 3, 0])
    >>> tf.sparse.to_dense(tf.sparse.maximum(x, y)).numpy()
    array([0, 3, 5], dtype=int32)
    """
    return _extremum("maximum", "SparseSparseMaximum", sp_a, sp_b)


@function("sparse.minimum")
def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Takes the smaller of the elements of two sparse tensors; see `tf.sparse.maximum`.

    Args:
        sp_a: a sparse tensor.
        sp_b: a sparse tensor of the same dtype and shape.
        name: ignored.

    Returns:
        A sparse tensor with an element wherever one of the two has one.

    >>> x, y = tf.sparse.from_dense([0, 2, 5]), tf.sparse.from_dense([-1, 3, 0])
    >>> tf.sparse.to_dense(tf.sparse.minimum(x, y)).numpy()
    array([-1,  2,  0], dtype=int32)
    """
    return _extremum("minimum", "SparseSparseMinimum", sp_a, sp_b)
