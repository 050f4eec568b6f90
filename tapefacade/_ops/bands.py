"""Systems of equations whose matrices are triangular, with a few diagonals."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._ops.arguments import array_module, invalid, mapped, written
from tapefacade._ops.factorizations import MATRICES, wide
from tapefacade._ops.op import Check, TensorLike, op


def _test_bands(bands: Any, lower: bool, **_: Any) -> tuple[Any, ...]:
    if bands.ndim < 2 or bands.size == 0:
        return (np.array(True),)
    xp = array_module(bands)
    return (xp.all(bands[..., 0 if lower else -1, :] != 0),)


def _singular(**_: Any) -> Exception:
    return invalid("Input matrix is not invertible.")


def _check_bands(bands: Any, rhs: Any, lower: bool, adjoint: bool) -> None:
    for position, given in enumerate((bands, rhs)):
        if given.ndim < 2:
            raise invalid(f"In[{position}] ndims must be >= 2: {given.ndim}")
        if given.size == 0:
            raise invalid(f"In[{position}] must not be an empty tensor")
    if bands.shape[-1] != rhs.shape[-2]:
        raise invalid(
            f"In[0] mismatch In[1] shape: {bands.shape[-1]} vs. {rhs.shape[-2]}: "
            f"{written(bands.shape)} {written(rhs.shape)} {lower:d} {adjoint:d}"
        )
    if any(
        x != y and 1 not in (x, y)
        for x, y in zip(bands.shape[-3::-1], rhs.shape[-3::-1], strict=False)
    ):
        raise invalid(
            "In[0] and In[1] must have compatible batch dimensions: "
            f"{written(bands.shape)} vs. {written(rhs.shape)}"
        )


def _substituted(bands: jax.Array, rhs: jax.Array, lower: bool) -> jax.Array:
    """Solves one system; row `d` of `bands` is `d` diagonals away from the main one."""
    count = bands.shape[0]

    def row(solved: jax.Array, given: Any) -> Any:
        entries, side = given
        value = (side - jnp.einsum("d,dk->k", entries[1:], solved)) / entries[0]
        return jnp.concatenate([value[None], solved])[: count - 1], value

    nothing = jnp.zeros((count - 1, rhs.shape[1]), rhs.dtype)
    return lax.scan(row, nothing, (bands.T, rhs), reverse=not lower)[1]


@op(
    "linalg.banded_triangular_solve",
    kernel="BandedTriangularSolve",
    dtypes=MATRICES,
    check=Check(values=("bands",), test=_test_bands, error=_singular),
)
def banded_triangular_solve(
    bands: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False
) -> jax.Array:
    """Solves systems of linear equations whose matrices are triangular, with a few diagonals.

    Unlike TensorFlow, half precision is accepted, and the gradient of a single band has its shape.

    Args:
        bands: the K diagonals, of shape `[..., K, M]`: entry `[..., d, i]` is in row i. If
            `lower`, the main diagonal comes first and the others are below it; otherwise it is
            the last and the others are above it. What is outside of the matrix is not read.
        rhs: the right-hand sides in columns, of shape `[..., M, N]` and the same floating or
            complex type.
        lower: whether the matrices are lower triangular.
        adjoint: solve with their conjugate transposes.

    Returns:
        The solutions in columns; leading dimensions broadcast.

    Raises:
        InvalidArgumentError: if the shapes do not fit together, or there is a zero on a main
            diagonal.

    >>> tf.linalg.banded_triangular_solve([[2.0, 1.0], [0.0, 2.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    _check_bands(bands, rhs, lower, adjoint)
    matrix, right = wide(bands), wide(rhs)
    matrix = matrix if lower else jnp.flip(matrix, -2)
    count, size = matrix.shape[-2:]
    away, place = np.arange(count)[:, None], np.arange(size)
    inside = place >= away if lower else place < size - away
    matrix = jnp.where(inside, matrix, jnp.zeros_like(matrix))
    if adjoint:
        sign = -1 if lower else 1
        turned = [jnp.roll(matrix[..., d, :], sign * d, -1) for d in range(count)]
        matrix = jnp.conj(jnp.stack(turned, -2))
    batch = np.broadcast_shapes(matrix.shape[:-2], right.shape[:-2])
    matrix = jnp.broadcast_to(matrix, (*batch, count, size))
    right = jnp.broadcast_to(right, (*batch, *right.shape[-2:]))

    def solve(matrix: jax.Array, right: jax.Array) -> jax.Array:
        return _substituted(matrix, right, lower != adjoint)

    return mapped(solve, len(batch))(matrix, right).astype(rhs.dtype)
