"""Eigenvalues of self-adjoint matrices that are tridiagonal."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.registry import FUNCTIONS
from tapefacade._ops.arguments import invalid
from tapefacade._ops.factorizations import wide
from tapefacade._ops.op import TensorLike, function, op


@op("_eigh_tridiagonal", kernel="SelfAdjointEigV2")
def _eigh_tridiagonal(alpha: TensorLike, beta: TensorLike) -> tuple[jax.Array, jax.Array]:
    """Computes all eigenvalues, in ascending order and real, and the vectors."""
    diagonal, below = wide(jnp.real(alpha)), wide(beta)
    matrix = jnp.diag(diagonal).astype(below.dtype) + jnp.diag(below, -1)
    matrix = matrix + jnp.diag(jnp.conj(below), 1)
    values, vectors = jnp.linalg.eigh(matrix)
    return values.astype(jnp.real(alpha).dtype), vectors.astype(alpha.dtype)


def _bounds(select_range: Any, index: bool) -> tuple[Any, Any]:
    low, high = (np.asarray(bound).item() for bound in tuple(select_range)[:2])
    if low > high if index else low >= high:
        what = "index range" if index else "interval"
        sign = "<=" if index else "<"
        raise invalid(
            f"Got empty {what} in select_range.\nCondition x {sign} y did not hold.\n"
            f"First 1 elements of x:\n[{low}]\nFirst 1 elements of y:\n[{high}]"
        )
    return low, high


@function("linalg.eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Computes eigenvalues, and the vectors that belong to them, of a tridiagonal matrix.

    The matrix is self-adjoint: real and symmetric, or Hermitian. Unlike TensorFlow, the values
    are as exact as the type allows whatever `tol` is, their gradient is their derivative, and
    the signs of the vectors are those that LAPACK or cuSOLVER give.

    Args:
        alpha: the diagonal, a floating or complex vector of length M, whose real parts count.
        beta: the diagonal below it, of length M - 1 and the same type.
        eigvals_only: return no vectors.
        select: which eigenvalues: all (`"a"`), those within an interval (`"v"`), or those whose
            places in ascending order are within a range (`"i"`).
        select_range: the lower and the upper bound, which count as well.
        tol: ignored.
        name: ignored.

    Returns:
        A vector of the eigenvalues in ascending order, real; unless `eigvals_only` a tuple of it
        and a matrix with the vectors in its columns.

    Raises:
        ValueError: if `select` is none of these, or the dtypes differ.
        InvalidArgumentError: if the range is empty.

    >>> tf.linalg.eigh_tridiagonal([1.0, 2.0], [0.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    diagonal = convert_to_tensor(alpha)
    below = convert_to_tensor(beta)
    if not (diagonal.dtype.is_floating or diagonal.dtype.is_complex):
        raise ValueError(f"data type {diagonal.dtype.as_numpy_dtype} not inexact")
    if diagonal.dtype is not below.dtype:
        raise ValueError("'alpha' and 'beta' must have the same type.")
    if select not in ("a", "i", "v"):
        raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
    if diagonal.shape.rank != 1 or below.shape.rank != 1:
        raise invalid(f"alpha and beta must be vectors, got {diagonal.shape} and {below.shape}")
    size, others = (int(given.shape[0] or 0) for given in (diagonal, below))
    if others != max(size - 1, 0):
        raise invalid(f"Incompatible shapes: [{size}] vs. [{others + 1}]")
    if size == 1:
        return FUNCTIONS["math.real"](diagonal)
    values, vectors = _eigh_tridiagonal(diagonal, below)
    first, end = 0, size
    if select == "i":
        low, high = _bounds(select_range, index=True)
        first, end = max(low, 0), min(high + 1, size)
    elif select == "v":
        low, high = _bounds(select_range, index=False)
        known = values.numpy()
        first, end = np.searchsorted(known, low), np.searchsorted(known, high, side="right")
    values = values[first:end]
    return values if eigvals_only else (values, vectors[:, first:end])
