"""Square roots and logarithms of matrices, and matrices from their LU factors."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.error_texts import index_out_of_range, invalid
from tapefacade._core.kernel_dtypes import COMPLEX
from tapefacade._definition.argument_checks import mapped_over_axes
from tapefacade._definition.op import Check, IndexLike, NoGradient, TensorLike, op
from tapefacade._ops.array.sorting import permutation_error
from tapefacade._ops.linalg.factorizations import (
    MATRICES,
    check_eigenvalues,
    check_matrix,
    conjugate_transpose,
    wide,
)

# Nodes and weights on [0, 1] for the logarithm as an integral of (1 + t x)^-1 (Higham, "Functions
# of Matrices", 2008, section 11.5); below this norm eight of them give double precision.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
NEAR_ONE = 0.25
MOST_ROOTS = 100


def _schur(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns T, upper triangular and complex, and Q, unitary, with x = Q T Q^H."""
    return lax.platform_dependent(x, cpu=_schur_by_lapack, default=_schur_by_eigenvectors)


def _schur_by_lapack(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    triangle, vectors = lax.linalg.schur(x)
    return triangle, vectors


def _schur_by_eigenvectors(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    vectors, _ = jnp.linalg.qr(lax.linalg.eig(x, compute_left_eigenvectors=False)[1])
    return jnp.triu(conjugate_transpose(vectors) @ x @ vectors), vectors


def _triangular_root(t: jax.Array) -> jax.Array:
    """Computes the square root of one upper triangular matrix (Björck and Hammarling, 1983)."""
    size = t.shape[-1]
    roots = jnp.sqrt(jnp.diagonal(t))

    def entry(step: Any, upper: jax.Array) -> jax.Array:
        column, above = step // size, step % size
        row = column - 1 - above
        value = t[row, column] - jnp.sum(upper[row] * upper[:, column])
        value = value / (roots[row] + roots[column])
        return upper.at[row, column].set(jnp.where(row >= 0, value, upper[row, column]))

    upper = lax.fori_loop(0, size * size, entry, jnp.zeros_like(t))
    return upper + jnp.diag(roots)


def _root(x: jax.Array) -> jax.Array:
    """Computes the principal square root of one matrix."""
    triangle, vectors = _schur(x.astype(np.result_type(x.dtype, np.complex64)))
    root = vectors @ _triangular_root(triangle) @ conjugate_transpose(vectors)
    if jnp.iscomplexobj(x):
        return root
    values = jnp.diagonal(triangle)
    small = jnp.max(jnp.abs(values)) * jnp.asarray(100 * jnp.finfo(x.dtype).eps, x.dtype)
    # A negative eigenvalue has no real square root; a pair of complex ones has.
    negative = (jnp.real(values) < -small) & (jnp.abs(jnp.imag(values)) <= small)
    return jnp.where(jnp.any(negative), jnp.asarray(np.nan, x.dtype), jnp.real(root))


@jax.custom_jvp
def _roots(x: jax.Array) -> jax.Array:
    return mapped_over_axes(_root, x.ndim - 2)(x)


@_roots.defjvp
def _roots_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """Solves R dR + dR R = dX, written as one system of n * n equations."""
    root = _roots(primals[0])
    one = jnp.eye(root.shape[-1], dtype=root.dtype)
    both = jnp.einsum("...ik,jl->...ijkl", root, one)
    both = both + jnp.einsum("ik,...lj->...ijkl", one, root)
    *batch, size, _ = root.shape
    both = jnp.reshape(both, (*batch, size * size, size * size))
    change = jnp.reshape(tangents[0], (*batch, size * size, 1))
    return root, jnp.reshape(jnp.linalg.solve(both, change), root.shape)


@op("linalg.sqrtm", "matrix_square_root", kernel="MatrixSquareRoot", dtypes=MATRICES, raw_op=True)
def sqrtm(input: TensorLike) -> jax.Array:
    """Computes the matrices whose product with themselves is `input`.

    Of the square roots the one is taken whose eigenvalues have no negative real part. Where there
    is none, as for a real matrix with a negative eigenvalue, the result is nan. Unlike TensorFlow,
    half precision is accepted, and the gradient of complex matrices is conjugated as it has to be.

    Args:
        input: a floating or complex tensor of shape `[..., M, M]`.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if the matrices are not square.
        UnimplementedError: on a TPU.

    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)
    """
    check_eigenvalues("sqrtm")
    check_matrix(input)
    if input.size == 0:
        return input
    return _roots(wide(input)).astype(input.dtype)


def _logarithm(x: jax.Array) -> jax.Array:
    """Computes the principal logarithm of one matrix: roots until it is near one, then a sum."""
    triangle, vectors = _schur(x)
    one = jnp.eye(x.shape[-1], dtype=x.dtype)

    def far(state: tuple[jax.Array, jax.Array]) -> jax.Array:
        root, count = state
        return (jnp.max(jnp.sum(jnp.abs(root - one), 0)) > NEAR_ONE) & (count < MOST_ROOTS)

    def halve(state: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        return _triangular_root(state[0]), state[1] + 1

    near, count = lax.while_loop(far, halve, (triangle, jnp.asarray(0, np.int32)))
    result = jnp.zeros_like(near)
    for node, weight in zip(NODES.tolist(), WEIGHTS.tolist(), strict=True):
        denominator = one + (0.5 + node / 2) * (near - one)
        solved = lax.linalg.triangular_solve(denominator, near - one, left_side=True)
        result = result + weight / 2 * solved
    result = result * (2.0 ** count.astype(jnp.real(x).dtype)).astype(x.dtype)
    values = jnp.diagonal(triangle)
    exact = jnp.diag(jnp.log(values))
    result = vectors @ (jnp.triu(result, 1) + exact) @ conjugate_transpose(vectors)
    return jnp.where(jnp.any(values == 0), jnp.asarray(complex(np.nan, np.nan), x.dtype), result)


@op(
    "linalg.logm",
    kernel="MatrixLogarithm",
    dtypes=COMPLEX,
    gradient=NoGradient("MatrixLogarithm"),
    raw_op=True,
)
def logm(input: TensorLike) -> jax.Array:
    """Computes the matrices whose exponential is `input`.

    Of the logarithms the one is taken whose eigenvalues have imaginary parts between -pi and pi.

    Args:
        input: a complex tensor of shape `[..., M, M]`.

    Returns:
        A tensor of the shape and type of `input`; nan for singular matrices.

    Raises:
        InvalidArgumentError: if the matrices are not square, or not complex.
        LookupError: if a gradient is asked for.
        UnimplementedError: on a TPU.

    >>> matrix = tf.constant([[1.0, 0.0], [0.0, 1.0]], tf.complex64)
    >>> tf.linalg.logm(matrix).numpy()
    array([[0.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64)
    """
    check_eigenvalues("logm")
    check_matrix(input)
    return input if input.size == 0 else mapped_over_axes(_logarithm, input.ndim - 2)(input)


# Matrices from what `tf.linalg.lu` returns.


def _check_factors(lower_upper: Any, perm: Any) -> None:
    if lower_upper.ndim < 2:
        raise ValueError("Input `lower_upper` must have at least 2 dimensions.")
    if lower_upper.ndim != perm.ndim + 1:
        raise ValueError("`rank(lower_upper)` must equal `rank(perm) + 1`")
    if lower_upper.shape[-1] != lower_upper.shape[-2]:
        raise ValueError("`lower_upper` must be square.")


def _test_permutation(perm: Any, **_: Any) -> tuple[Any, ...]:
    size = perm.shape[-1] if perm.ndim else 0
    if perm.size == 0:
        return np.array(True), np.array(0), np.array(0), np.array(False)
    values = jnp.reshape(jnp.asarray(perm), (-1, size))
    outside = (values < 0) | (values >= size)
    same = values[:, :, None] == values[:, None, :]
    bad = jnp.ravel(outside | jnp.any(jnp.tril(same, -1), -1))
    first = jnp.argmax(bad)
    return ~jnp.any(bad), jnp.ravel(values)[first], np.array(size), jnp.ravel(outside)[first]


def _no_permutation(value: Any, size: Any, outside: Any, **_: Any) -> Exception:
    return permutation_error(value, size, outside)


@op(
    "linalg.lu_reconstruct",
    kernel="InvertPermutation",
    check=Check(values=("perm",), test=_test_permutation, error=_no_permutation),
)
def lu_reconstruct(
    lower_upper: TensorLike, perm: IndexLike, validate_args: bool = False
) -> jax.Array:
    """Computes the matrices that `tf.linalg.lu` took apart.

    Args:
        lower_upper: the packed factors, of shape `[..., M, M]`.
        perm: the permutation, of shape `[..., M]`.
        validate_args: ignored.

    Returns:
        A tensor of the shape and type of `lower_upper`.

    Raises:
        ValueError: if the shapes do not fit together.
        InvalidArgumentError: if `perm` is no permutation.

    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[0.0, 2.0], [1.0, 1.0]])).numpy()
    array([[0., 2.],
           [1., 1.]], dtype=float32)
    """
    _check_factors(lower_upper, perm)
    lower = jnp.tril(lower_upper, -1) + jnp.eye(lower_upper.shape[-1], dtype=lower_upper.dtype)
    product = lower @ jnp.triu(lower_upper)
    return jnp.take_along_axis(product, jnp.argsort(perm, -1)[..., None], -2)


def _test_rows(perm: Any, **_: Any) -> tuple[Any, ...]:
    if perm.size == 0:
        return np.array(True), np.array(0), np.array(0), np.array(0)
    size = perm.shape[-1]
    values = jnp.ravel(jnp.asarray(perm))
    bad = (values < 0) | (values >= size)
    first = jnp.argmax(bad)
    return ~jnp.any(bad), values[first], np.array(size), first


def _no_row(value: Any, size: Any, place: Any, **_: Any) -> Exception:
    return invalid(index_out_of_range(f"[{place}]", value, size))


@op(
    "linalg.lu_matrix_inverse",
    kernel="GatherV2",
    check=Check(values=("perm",), test=_test_rows, error=_no_row),
)
def lu_matrix_inverse(
    lower_upper: TensorLike, perm: IndexLike, validate_args: bool = False
) -> jax.Array:
    """Inverts the matrices that `tf.linalg.lu` took apart.

    Args:
        lower_upper: the packed factors, of shape `[..., M, M]`.
        perm: the permutation, of shape `[..., M]`.
        validate_args: ignored.

    Returns:
        A tensor of the shape and type of `lower_upper`.

    Raises:
        ValueError: if the shapes do not fit together.

    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[0.0, 2.0], [1.0, 0.0]])).numpy()
    array([[0. , 1. ],
           [0.5, 0. ]], dtype=float32)
    """
    _check_factors(lower_upper, perm)
    packed = wide(lower_upper)
    rows = jnp.broadcast_to(jnp.eye(packed.shape[-1], dtype=packed.dtype), packed.shape)
    rows = jnp.take_along_axis(rows, perm[..., None], -2)
    rows = lax.linalg.triangular_solve(packed, rows, left_side=True, lower=True, unit_diagonal=True)
    solved = lax.linalg.triangular_solve(packed, rows, left_side=True, lower=False)
    return solved.astype(lower_upper.dtype)
