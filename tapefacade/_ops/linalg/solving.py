"""Inverses, determinants and linear equations, also of triangular and banded matrices."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.dtypes import as_dtype
from tapefacade._core.error_texts import (
    invalid,
    matrix_sizes,
    reduction_axis_out_of_range,
    shape_text,
)
from tapefacade._core.errors import InvalidArgumentError
from tapefacade._definition.argument_checks import array_module, mapped_over_axes
from tapefacade._definition.op import (
    Check,
    FreeTensor,
    NotDifferentiable,
    OptionalTensor,
    TensorLike,
    op,
)
from tapefacade._ops.linalg.factorizations import (
    MATRICES,
    check_floating,
    check_matrix,
    cholesky_factor,
    conjugate_transpose,
    is_regular,
    not_invertible,
    wide,
)
from tapefacade._ops.linalg.products import batches_differ, ndims_differ, ndims_too_few

MESSAGE_RANKS = "All input tensors must have the same rank."
MESSAGE_SINGULAR = "Input matrix is not invertible."
DETERMINANTS = ("half", "float", "double", "complex64", "complex128")


def input_no_matrix(rank: int) -> str:
    """Words that what is to be solved is no matrix."""
    return f"Input tensor 0 must have rank >= 2, got {rank}"


def _sizes_differ(matrix: Any, rhs: Any, lower: bool, adjoint: bool) -> InvalidArgumentError:
    shapes = f"{shape_text(matrix.shape)} {shape_text(rhs.shape)}"
    return invalid(
        f"In[0] mismatch In[1] shape: {matrix.shape[-1]} vs. {rhs.shape[-2]}: {shapes} "
        f"{lower:d} {adjoint:d}"
    )


class LogMatrixDeterminant(NamedTuple):
    """What `tf.linalg.slogdet` returns."""

    sign: Any
    log_abs_determinant: Any


def _test_input(input: Any, **_: Any) -> tuple[Any, ...]:
    return (is_regular(input),)


@op(
    "linalg.inv",
    kernel="MatrixInverse",
    dtypes=MATRICES,
    check=Check(values=("input",), test=_test_input, error=not_invertible, asserts=True),
    raw_op=True,
)
def inv(input: TensorLike, adjoint: bool = False) -> jax.Array:
    """Inverts matrices.

    Args:
        input: a floating or complex tensor of shape `[..., M, M]`.
        adjoint: invert the conjugate transpose.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if a matrix is not square or not invertible; the latter where the
            values are computed.

    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    check_matrix(input)
    x = wide(input)
    return jnp.linalg.inv(conjugate_transpose(x) if adjoint else x).astype(input.dtype)


@op("linalg.det", kernel="MatrixDeterminant", dtypes=DETERMINANTS, raw_op=True)
def det(input: TensorLike) -> jax.Array:
    """Computes determinants.

    Beyond TensorFlow, the gradient of a singular matrix exists.

    Args:
        input: a floating or complex tensor of shape `[..., M, M]`.

    Returns:
        A tensor of shape `[...]` and the type of `input`.

    Raises:
        InvalidArgumentError: if the matrices are not square.

    >>> tf.linalg.det([[2.0, 0.0], [0.0, 4.0]]).numpy()
    np.float32(8.0)
    """
    check_matrix(input)
    return jnp.linalg.det(wide(input)).astype(input.dtype)


@op("linalg.slogdet", kernel="LogMatrixDeterminant", dtypes=DETERMINANTS, raw_op=True)
def slogdet(input: TensorLike) -> Any:
    """Computes the sign of determinants and the logarithm of their absolute values.

    Args:
        input: a floating or complex tensor of shape `[..., M, M]`.

    Returns:
        A named tuple of `sign`, through which no gradient flows, and `log_abs_determinant`, both
        of shape `[...]` and the type of `input`.

    Raises:
        InvalidArgumentError: if the matrices are not square.

    >>> tf.linalg.slogdet([[2.0, 0.0], [0.0, -0.5]]).sign.numpy()
    np.float32(-1.0)
    """
    check_matrix(input)
    sign, logarithm = jnp.linalg.slogdet(wide(input))
    sign = lax.stop_gradient(sign)
    return LogMatrixDeterminant(sign.astype(input.dtype), logarithm.astype(input.dtype))


def _test_matrix(matrix: Any, rhs: Any, **_: Any) -> tuple[Any, ...]:
    return (is_regular(matrix),)


def _not_solvable(**_: Any) -> Exception:
    return invalid(MESSAGE_SINGULAR)


@op(
    "linalg.solve",
    kernel="MatrixSolve",
    dtypes=MATRICES,
    check=Check(values=("matrix",), test=_test_matrix, error=_not_solvable, asserts=True),
    raw_op=True,
)
def solve(matrix: TensorLike, rhs: TensorLike, adjoint: bool = False) -> jax.Array:
    """Solves systems of linear equations.

    Args:
        matrix: a floating or complex tensor of shape `[..., M, M]`.
        rhs: the right-hand sides in columns, of shape `[..., M, K]` and the same type.
        adjoint: solve with the conjugate transpose of `matrix`.

    Returns:
        The solutions in columns, of the shape of `rhs`.

    Raises:
        InvalidArgumentError: if the shapes do not fit together, or a matrix is not invertible.

    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[1.0], [1.0]]).numpy()
    array([[0.5 ],
           [0.25]], dtype=float32)
    """
    check_matrix(matrix, square=False)
    if matrix.ndim != rhs.ndim or matrix.shape[:-2] != rhs.shape[:-2]:
        raise invalid(MESSAGE_RANKS)
    if matrix.shape[-1] != matrix.shape[-2]:
        raise invalid("First input (lhs) must be a square matrix.")
    if matrix.shape[-1] != rhs.shape[-2]:
        raise invalid("Input matrix and rhs are incompatible.")
    x = wide(matrix)
    result = jnp.linalg.solve(conjugate_transpose(x) if adjoint else x, wide(rhs))
    return result.astype(rhs.dtype)


@op(
    "linalg.triangular_solve",
    kernel="MatrixTriangularSolve",
    dtypes=("bfloat16", *MATRICES),
    raw_op=True,
)
def triangular_solve(
    matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False
) -> jax.Array:
    """Solves systems of linear equations whose matrix is triangular.

    Args:
        matrix: a floating or complex tensor of shape `[..., M, M]`; the other triangle is not
            read.
        rhs: the right-hand sides in columns, of shape `[..., M, K]` and the same type.
        lower: whether the lower triangle is meant.
        adjoint: solve with the conjugate transpose of `matrix`.

    Returns:
        The solutions in columns; leading dimensions broadcast.

    Raises:
        InvalidArgumentError: if the shapes do not fit together.

    >>> tf.linalg.triangular_solve([[2.0, 0.0], [2.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    return _triangular(matrix, rhs, lower, adjoint)


def _triangular(matrix: jax.Array, rhs: jax.Array, lower: bool, adjoint: bool) -> jax.Array:
    for position, x in enumerate((matrix, rhs)):
        if x.ndim < 2:
            raise invalid(ndims_too_few(position, x.ndim))
    rows, columns = matrix.shape[-2:]
    if rows != columns:
        raise invalid(
            f"In[0] matrices in the last dimensions must be square ({columns} =/= {rows})"
        )
    if columns != rhs.shape[-2]:
        raise _sizes_differ(matrix, rhs, lower, adjoint)
    batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    left = jnp.broadcast_to(wide(matrix), (*batch, rows, rows))
    right = jnp.broadcast_to(wide(rhs), (*batch, *rhs.shape[-2:]))
    result = lax.linalg.triangular_solve(
        left, right, left_side=True, lower=lower, transpose_a=adjoint, conjugate_a=adjoint
    )
    return result.astype(rhs.dtype)


@op("linalg.cholesky_solve", kernel="MatrixTriangularSolve", dtypes=("bfloat16", *MATRICES))
def cholesky_solve(chol: TensorLike, rhs: TensorLike) -> jax.Array:
    """Solves systems of linear equations, given the Cholesky factor of their matrix.

    Args:
        chol: what `tf.linalg.cholesky` returns, of shape `[..., M, M]`.
        rhs: the right-hand sides in columns, of shape `[..., M, K]` and the same type.

    Returns:
        The solutions in columns, of the shape of `rhs`.

    Raises:
        InvalidArgumentError: if the shapes do not fit together.

    >>> tf.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[4.0], [3.0]]).numpy()
    array([[1.],
           [3.]], dtype=float32)
    """
    return _triangular(chol, _triangular(chol, rhs, True, False), True, True)


@op("linalg.lstsq", kernel="MatMul", dtypes=MATRICES)
def lstsq(
    matrix: TensorLike, rhs: TensorLike, l2_regularizer: float = 0.0, fast: bool = True
) -> jax.Array:
    """Solves systems of linear equations in the sense of least squares.

    Beyond TensorFlow, a gradient exists where `fast` is False too.

    Args:
        matrix: a floating or complex tensor of shape `[..., M, N]`.
        rhs: the right-hand sides in columns, of shape `[..., M, K]` and the same type.
        l2_regularizer: the weight of the squared norm of the solution.
        fast: use the normal equations; otherwise a complete orthogonal decomposition, which
            ignores `l2_regularizer` and finds the smallest solution for any rank.

    Returns:
        The solutions in columns, of shape `[..., N, K]`; nan if `fast` and the rank is deficient.

    Raises:
        InvalidArgumentError: if the shapes do not fit together.

    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().round(4)
    array([[2.]], dtype=float32)
    """
    if matrix.ndim < 2:
        raise invalid(input_no_matrix(matrix.ndim))
    if rhs.ndim < 2:
        raise invalid(ndims_differ(shape_text(matrix.shape), shape_text(rhs.shape)))
    if matrix.shape[-2] != rhs.shape[-2]:
        raise invalid(matrix_sizes(shape_text(matrix.shape), shape_text(rhs.shape)))
    if not fast:
        return (jnp.linalg.pinv(wide(matrix)) @ wide(rhs)).astype(rhs.dtype)
    rows, columns = matrix.shape[-2:]
    tall = rows >= columns
    gramian = conjugate_transpose(matrix) @ matrix if tall else matrix @ conjugate_transpose(matrix)
    weight = jnp.asarray(l2_regularizer, matrix.dtype)
    gramian = gramian + weight * jnp.eye(min(rows, columns), dtype=matrix.dtype)
    factor = cholesky_factor(wide(gramian))
    right = wide(conjugate_transpose(matrix) @ rhs if tall else rhs)
    solution = _triangular(factor, _triangular(factor, right, True, False), True, True)
    solution = solution.astype(rhs.dtype)
    return solution if tall else conjugate_transpose(matrix) @ solution


@op("linalg.pinv", kernel="Svd")
def pinv(a: TensorLike, rcond: OptionalTensor = None, validate_args: bool = False) -> jax.Array:
    """Computes pseudo-inverses.

    Unlike TensorFlow, second derivatives count the part of singular matrices that is cut off.

    Args:
        a: a floating tensor of shape `[..., M, N]`.
        rcond: singular values up to this share of the greatest count as 0; by default ten times
            the precision of the type times the larger of M and N.
        validate_args: ignored.

    Returns:
        A tensor of shape `[..., N, M]` and the type of `a`.

    Raises:
        TypeError: if `a` is not floating.
        ValueError: if `a` is no matrix.

    >>> tf.linalg.pinv([[2.0], [0.0]]).numpy()
    array([[0.5, 0. ]], dtype=float32)
    """
    check_floating(a)
    return jnp.linalg.pinv(wide(a), rcond).astype(a.dtype)


@op("linalg.expm", kernel="MatrixSolve")
def expm(input: TensorLike) -> jax.Array:
    """Computes the exponentials of matrices.

    Args:
        input: a float32, float64 or complex tensor of shape `[..., M, M]`.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if the matrices are not square.
        ValueError: if `input` is neither floating nor complex.

    >>> tf.linalg.expm([[0.0, 0.0], [0.0, 0.0]]).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    if not jnp.issubdtype(input.dtype, jnp.inexact):
        raise ValueError(
            f"tf.linalg.expm does not support matrices of type {as_dtype(input.dtype)}"
        )
    if input.ndim < 2:
        raise reduction_axis_out_of_range(-1, input.ndim)
    if input.shape[-1] != input.shape[-2]:
        shape = (1, *input.shape) if input.ndim == 2 else input.shape
        raise invalid(matrix_sizes(shape_text(shape), shape_text(shape)) + " 0 0")
    if input.size == 0:
        return input
    return jax.scipy.linalg.expm(wide(input)).astype(input.dtype)


@op("linalg.lu_solve", kernel="MatrixTriangularSolve")
def lu_solve(
    lower_upper: TensorLike, perm: FreeTensor, rhs: TensorLike, validate_args: bool = False
) -> jax.Array:
    """Solves systems of linear equations, given what `tf.linalg.lu` returns for their matrix.

    Args:
        lower_upper: the packed factors, of shape `[..., M, M]`.
        perm: the permutation, of shape `[..., M]`.
        rhs: the right-hand sides in columns, of shape `[..., M, K]`.
        validate_args: ignored.

    Returns:
        The solutions in columns, of the shape of `rhs`.

    >>> tf.linalg.lu_solve(*tf.linalg.lu([[0.0, 2.0], [1.0, 0.0]]), [[2.0], [3.0]]).numpy()
    array([[3.],
           [1.]], dtype=float32)
    """
    right = jnp.take_along_axis(rhs, perm[..., None], -2)
    right = lax.linalg.triangular_solve(
        lower_upper, right, left_side=True, lower=True, unit_diagonal=True
    )
    return lax.linalg.triangular_solve(lower_upper, right, left_side=True, lower=False)


@op("linalg.matrix_rank", kernel="Svd", gradient=NotDifferentiable())
def matrix_rank(
    a: TensorLike, tol: OptionalTensor = None, validate_args: bool = False
) -> jax.Array:
    """Counts the singular values of matrices that are not negligible.

    Args:
        a: a floating tensor of shape `[..., M, N]`.
        tol: values up to this number are negligible; by default the precision of the type times
            the larger of M and N times the greatest value.
        validate_args: ignored.

    Returns:
        An int32 tensor of shape `[...]`.

    Raises:
        TypeError: if `a` is not floating.
        ValueError: if `a` is no matrix.

    >>> tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy()
    np.int32(1)
    """
    check_floating(a)
    values = jnp.linalg.svd(wide(a), compute_uv=False)
    if tol is None:
        precision = jnp.finfo(a.dtype).eps * max(a.shape[-2:])
        highest = jnp.max(values, -1, keepdims=True, initial=0)
        tol = jnp.asarray(precision, values.dtype) * highest
    return jnp.sum(values > tol, -1, dtype=np.int32)


def _test_bands(bands: Any, lower: bool, **_: Any) -> tuple[Any, ...]:
    if bands.ndim < 2 or bands.size == 0:
        return (np.array(True),)
    xp = array_module(bands)
    return (xp.all(bands[..., 0 if lower else -1, :] != 0),)


def _singular(**_: Any) -> Exception:
    return invalid(MESSAGE_SINGULAR)


def _check_bands(bands: Any, rhs: Any, lower: bool, adjoint: bool) -> None:
    for position, given in enumerate((bands, rhs)):
        if given.ndim < 2:
            raise invalid(ndims_too_few(position, given.ndim))
        if given.size == 0:
            raise invalid(f"In[{position}] must not be an empty tensor")
    if bands.shape[-1] != rhs.shape[-2]:
        raise _sizes_differ(bands, rhs, lower, adjoint)
    if any(
        x != y and 1 not in (x, y)
        for x, y in zip(bands.shape[-3::-1], rhs.shape[-3::-1], strict=False)
    ):
        raise invalid(batches_differ(shape_text(bands.shape), shape_text(rhs.shape)))


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
    check=Check(values=("bands",), test=_test_bands, error=_singular, asserts=True),
)
def banded_triangular_solve(
    bands: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False
) -> jax.Array:
    """Solves systems of linear equations whose matrices are triangular, with a few diagonals.

    Beyond TensorFlow, half precision is accepted, and the gradient of a single band has its shape.

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

    return mapped_over_axes(solve, len(batch))(matrix, right).astype(rhs.dtype)
