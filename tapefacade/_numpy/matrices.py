"""Matrices of a pattern, and the diagonals and triangles of others: `eye`, `diag`, `tril`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid, transpose_sizes
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import function
from tapefacade._numpy.arithmetic import power
from tapefacade._numpy.creation import asarray
from tapefacade._numpy.promotion import as_tensor, numpy_dtype
from tapefacade._numpy.reductions import sum as sum_of
from tapefacade._ops.array.indexing import getitem
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shaping import reshape, transpose
from tapefacade._ops.linalg.diagonals import diag as batch_diag, diag_part
from tapefacade._ops.math.reduction import reduce_sum


@function("experimental.numpy.eye")
def eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:  # noqa: N803 - TensorFlow's names
    """Makes a matrix with ones on one diagonal and zeros elsewhere.

    Args:
        N: the number of rows.
        M: the number of columns, by default N.
        k: which diagonal: 0 the main one, positive above it, negative below.
        dtype: the dtype, by default float64.

    Returns:
        A tensor `[N, M]`.

    >>> tf.experimental.numpy.eye(2, 3, 1).numpy()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    columns = N if M is None else M
    return from_host(np.eye(int(N), int(columns), int(k), dtype=numpy_dtype(dtype)))


@function("experimental.numpy.identity")
def identity(n: Any, dtype: Any = float) -> Any:
    """Makes the square matrix with ones on its main diagonal.

    Args:
        n: the number of rows and columns.
        dtype: the dtype, by default float64.

    Returns:
        A tensor `[n, n]`.

    >>> tf.experimental.numpy.identity(2, np.int32).numpy()
    array([[1, 0],
           [0, 1]], dtype=int32)
    """
    return eye(n, n, dtype=dtype)


@function("experimental.numpy.tri")
def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Any:  # noqa: N803 - TensorFlow's names
    """Makes a matrix with ones at and below a diagonal and zeros above.

    Args:
        N: the number of rows.
        M: the number of columns, by default N.
        k: the diagonal: 0 the main one, positive above it, negative below.
        dtype: the dtype, by default float64.

    Returns:
        A tensor `[N, M]`.

    >>> tf.experimental.numpy.tri(2).numpy()
    array([[1., 0.],
           [1., 1.]])
    """
    columns = N if M is None else M
    return from_host(np.tri(int(N), int(columns), int(k), dtype=numpy_dtype(dtype)))


@function("experimental.numpy.vander")
def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:  # noqa: N803 - TensorFlow's names
    """Makes a matrix whose columns are powers of a vector.

    Args:
        x: a vector.
        N: the number of columns, by default the size of `x`.
        increasing: whether the powers increase from left to right.

    Returns:
        A tensor `[size, N]`.

    Raises:
        ValueError: if `x` is no vector or `N` is negative.

    >>> tf.experimental.numpy.vander([1, 2, 3]).numpy()
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    vector = asarray(x)
    if vector.ndim != 1:
        raise ValueError("x must be a one-dimensional array")
    count = vector.shape[0] if N is None else int(N)
    if count < 0:
        raise ValueError("N must be nonnegative")
    exponents = np.arange(count) if increasing else np.arange(count)[::-1]
    exponents = convert_to_tensor(exponents.astype(vector.dtype.as_numpy_dtype))
    return power(reshape(vector, [-1, 1]), exponents)


@function("experimental.numpy.diag_indices")
def diag_indices(n: Any, ndim: Any = 2) -> tuple[Any, ...]:
    """Makes the indices of the main diagonal of a cube.

    Args:
        n: the size of each dimension.
        ndim: the number of dimensions.

    Returns:
        A tuple of `ndim` equal tensors, int32.

    Raises:
        ValueError: if `n` or `ndim` is negative.

    >>> [index.numpy() for index in tf.experimental.numpy.diag_indices(2)]
    [array([0, 1], dtype=int32), array([0, 1], dtype=int32)]
    """
    for name, value in (("n", n), ("ndim", ndim)):
        if value < 0:
            raise ValueError(f"{name} argument to diag_indices must be nonnegative, got {value}")
    return (from_host(np.arange(n, dtype=np.int32)),) * ndim


# Diagonals.


@function("experimental.numpy.diag")
def diag(v: Any, k: Any = 0) -> Any:
    """Takes a diagonal of a matrix, or makes the matrix that has a vector on a diagonal.

    Args:
        v: a matrix or a vector.
        k: the diagonal: 0 the main one, positive above it, negative below.

    Returns:
        A tensor: a vector for a matrix, a matrix for a vector.

    Raises:
        ValueError: if `v` has more than two dimensions.
        InvalidArgumentError: if it has none.

    >>> tf.experimental.numpy.diag([[1, 2], [3, 4]]).numpy()
    array([1, 4])
    """
    value = as_tensor(v)
    if value.ndim > 2:
        raise ValueError(f"Shape {value.shape} must have rank at most 2")
    if value.ndim == 0:
        raise invalid("Expected 'False' to be true. Summarized data: 0")
    k = int(k)
    if value.ndim == 1:
        return batch_diag(value, k=k)
    return diagonal(value, k)


@function("experimental.numpy.diagflat")
def diagflat(v: Any, k: Any = 0) -> Any:
    """Makes the matrix that has all elements of a tensor on a diagonal.

    Args:
        v: a tensor, which is flattened.
        k: the diagonal: 0 the main one, positive above it, negative below.

    Returns:
        A tensor of two dimensions.

    >>> tf.experimental.numpy.diagflat([[1, 2]]).numpy()
    array([[1, 0],
           [0, 2]])
    """
    return diag(reshape(as_tensor(v), [-1]), k)


def _to_the_end(value: Any, axis1: int, axis2: int) -> Any:
    """Moves two axes to the end."""
    rank = value.ndim
    if rank < 2:
        raise invalid(transpose_sizes(rank, 2) + " [Op:Transpose]")
    first, second = axis1 % rank, axis2 % rank
    if (first, second) == (rank - 2, rank - 1):
        return value
    return transpose(value, [a for a in range(rank) if a not in (first, second)] + [first, second])


@function("experimental.numpy.diagonal")
def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """Takes a diagonal of matrices.

    Args:
        a: a tensor of two dimensions or more.
        offset: the diagonal: 0 the main one, positive above it, negative below.
        axis1: the axis of the rows.
        axis2: the axis of the columns.

    Returns:
        A tensor without these axes; the diagonals lie along the last one.

    Raises:
        InvalidArgumentError: if `a` has fewer than two dimensions.

    >>> tf.experimental.numpy.diagonal([[1, 2], [3, 4]], 1).numpy()
    array([2])
    """
    value, k = _to_the_end(as_tensor(a), axis1, axis2), int(offset)
    rows, columns = value.shape[-2:]
    if not -rows < k < columns:
        return getitem(value, (..., slice(0, 0), 0))
    return diag_part(value, k=k)


@function("experimental.numpy.trace")
def trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Any:
    """Computes the sum along a diagonal of matrices.

    Args:
        a: a tensor of two dimensions or more.
        offset: the diagonal: 0 the main one, positive above it, negative below.
        axis1: the axis of the rows.
        axis2: the axis of the columns.
        dtype: the dtype to sum in. Without it integers are summed in int64, but for the main
            diagonals of the last two axes, which keep their dtype.

    Returns:
        A tensor without these axes.

    Raises:
        InvalidArgumentError: if `a` has fewer than two dimensions.

    >>> tf.experimental.numpy.trace([[1, 2], [3, 4]]).numpy()
    np.int64(5)
    """
    value = as_tensor(a, dtype)
    part = diagonal(value, offset, axis1, axis2)
    last = (value.ndim - 2, value.ndim - 1)
    if not offset and (axis1 % value.ndim, axis2 % value.ndim) == last:
        return reduce_sum(part, -1)
    return sum_of(part, -1, value.dtype if dtype is not None else None)


# Triangles.


def _masked(m: Any, name: str, mask: Callable[[tuple[int, int]], Any]) -> Any:
    value = as_tensor(m)
    if value.ndim < 2:
        raise ValueError(f"Argument to {name} must have rank at least 2")
    kept = from_host(mask(tuple(value.shape.as_list()[-2:])))
    return where(kept, value, convert_to_tensor(False, value.dtype))


@function("experimental.numpy.tril")
def tril(m: Any, k: Any = 0) -> Any:
    """Keeps what is at and below a diagonal of matrices; the rest becomes zero.

    Args:
        m: a tensor `[..., M, N]`.
        k: the diagonal: 0 the main one, positive above it, negative below.

    Returns:
        A tensor of the shape and dtype of `m`.

    Raises:
        ValueError: if `m` has fewer than two dimensions.

    >>> tf.experimental.numpy.tril([[1, 2], [3, 4]]).numpy()
    array([[1, 0],
           [3, 4]])
    """
    return _masked(m, "tril", lambda shape: np.tri(*shape, k=int(k), dtype=bool))


@function("experimental.numpy.triu")
def triu(m: Any, k: Any = 0) -> Any:
    """Keeps what is at and above a diagonal of matrices; the rest becomes zero.

    Args:
        m: a tensor `[..., M, N]`.
        k: the diagonal: 0 the main one, positive above it, negative below.

    Returns:
        A tensor of the shape and dtype of `m`.

    Raises:
        ValueError: if `m` has fewer than two dimensions.

    >>> tf.experimental.numpy.triu([[1, 2], [3, 4]]).numpy()
    array([[1, 2],
           [0, 4]])
    """
    return _masked(m, "triu", lambda shape: ~np.tri(*shape, k=int(k) - 1, dtype=bool))
