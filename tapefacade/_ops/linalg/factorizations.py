"""Factorizations of matrices: Cholesky, LU, QR, singular values, eigenvalues."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, errors
from tapefacade._core.error_texts import invalid
from tapefacade._core.placement import is_on
from tapefacade._definition.op import Check, NoGradient, TensorLike, op

MATRICES = ("double", "float", "half", "complex64", "complex128")
# Differences of eigenvalues are regularized by this number, as in TensorFlow.
MESSAGE_NO_VALUES = "decomposition was not successful. The input might not be valid."
EIGENVALUE_REGULARIZER = 1e-20
MESSAGE_NOT_ON_TPU = (
    "tf.linalg.{} needs eigenvalues of general matrices, which XLA cannot compute on a TPU. "
    "Compute it on the host, in a block `with tf.device('/CPU:0'):`; symmetric and Hermitian "
    "matrices have tf.linalg.eigh."
)


class Lu(NamedTuple):
    """What `tf.linalg.lu` returns: the packed factors and the permutation."""

    lu: Any
    p: Any


class Qr(NamedTuple):
    """What `tf.linalg.qr` returns."""

    q: Any
    r: Any


def check_matrix(x: Any, position: str = " 0", square: bool = True) -> None:
    """Raises TensorFlow's error if `x` is no matrix, or not square."""
    if x.ndim < 2:
        raise invalid(f"Input tensor{position} must have rank >= 2, got {x.ndim}")
    if square and x.shape[-1] != x.shape[-2]:
        raise invalid("Input matrix must be square.")


def conjugate_transpose(x: jax.Array) -> jax.Array:
    """Returns the conjugate transpose of matrices."""
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def wide(x: Any) -> Any:
    """Returns 16-bit numbers in single precision, the smallest that can be factorized."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


@op("linalg.cholesky", kernel="Cholesky", dtypes=MATRICES, raw_op=True)
def cholesky(input: TensorLike) -> jax.Array:
    """Computes the lower triangular matrix whose product with its adjoint is `input`.

    Only the lower triangle of `input` is read. The result is nan if `input` is not positive
    definite.

    Args:
        input: a floating or complex tensor of shape `[..., M, M]`.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if the matrices are not square.

    >>> tf.linalg.cholesky([[4.0, 0.0], [2.0, 2.0]]).numpy()
    array([[2., 0.],
           [1., 1.]], dtype=float32)
    """
    check_matrix(input)
    return cholesky_factor(wide(input)).astype(input.dtype)


@jax.custom_jvp
def cholesky_factor(x: jax.Array) -> jax.Array:
    """Returns the Cholesky factors of matrices in single precision or better."""
    return lax.linalg.cholesky(x, symmetrize_input=False)


@cholesky_factor.defjvp
def _factor_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """Differentiates with respect to the symmetric part, as TensorFlow does."""
    lower = cholesky_factor(primals[0])
    half = jnp.asarray(0.5, lower.dtype)
    symmetric = (tangents[0] + conjugate_transpose(tangents[0])) * half
    inner = lax.linalg.triangular_solve(lower, symmetric, left_side=True, lower=True)
    inner = lax.linalg.triangular_solve(
        lower, inner, left_side=False, lower=True, transpose_a=True, conjugate_a=True
    )
    weights = np.tril(np.ones(inner.shape[-2:]), -1) + np.eye(inner.shape[-1]) / 2
    return lower, lower @ (inner * jnp.asarray(weights, lower.dtype))


@op("linalg.logdet", kernel="Cholesky", dtypes=MATRICES)
def logdet(matrix: TensorLike) -> jax.Array:
    """Computes the logarithm of the determinant of positive definite matrices.

    Args:
        matrix: a floating or complex tensor of shape `[..., M, M]`.

    Returns:
        A tensor of shape `[...]`, real even if `matrix` is complex; nan if a matrix is not
        positive definite.

    Raises:
        InvalidArgumentError: if the matrices are not square.

    >>> tf.linalg.logdet([[2.0, 0.0], [0.0, 2.0]]).numpy().round(4)
    np.float32(1.3863)
    """
    check_matrix(matrix)
    lower = cholesky_factor(wide(matrix))
    places = np.arange(matrix.shape[-1])
    logarithms = jnp.log(jnp.real(lower[..., places, places]))
    two = jnp.asarray(2, logarithms.dtype)
    return two * jnp.sum(logarithms, -1)


def is_regular(x: Any) -> Any:
    """Tells whether no pivot of matrices is zero or nan."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2] or x.size == 0:
        return np.bool_(True)
    if isinstance(x, np.ndarray):  # on the host NumPy is much faster
        try:
            return np.bool_(not np.isnan(np.linalg.inv(wide(x))).any())
        except np.linalg.LinAlgError:
            return np.bool_(False)
    factors = lax.linalg.lu(wide(x))[0]
    places = np.arange(x.shape[-1])
    return jnp.all(jnp.abs(factors[..., places, places]) > 0)


def _test_input(input: Any, **_: Any) -> tuple[Any, ...]:
    return (is_regular(input),)


def not_invertible(**_: Any) -> Exception:
    """Makes the exception for a singular matrix."""
    return invalid("Input is not invertible.")


@op(
    "linalg.lu",
    kernel="Lu",
    dtypes=MATRICES,
    gradient=NoGradient("Lu"),
    check=Check(values=("input",), test=_test_input, error=not_invertible, asserts=True),
    raw_op=True,
)
def lu(input: TensorLike, output_idx_type: Any = dtypes.int32) -> Any:
    """Factorizes matrices into a lower and an upper triangle, up to an order of the rows.

    Args:
        input: a floating or complex tensor of shape `[..., M, M]`.
        output_idx_type: the dtype of the permutation, int32 or int64.

    Returns:
        A named tuple of `lu`, both triangles in one matrix (the ones on the diagonal of the lower
        triangle are left out), and `p`, which row of `input` each row of the product is.

    Raises:
        InvalidArgumentError: if a matrix is not square or not invertible.
        LookupError: if a gradient is asked for.

    >>> tf.linalg.lu([[0.0, 2.0], [1.0, 1.0]]).p.numpy()
    array([1, 0], dtype=int32)
    """
    check_matrix(input, "")
    factors, _, permutation = lax.linalg.lu(wide(input))
    kind = dtypes.as_dtype(output_idx_type).as_numpy_dtype
    return Lu(factors.astype(input.dtype), permutation.astype(kind))


@op("linalg.qr", kernel="Qr", dtypes=MATRICES, raw_op=True)
def qr(input: TensorLike, full_matrices: bool = False) -> Any:
    """Factorizes matrices into orthonormal columns and an upper triangle.

    Args:
        input: a floating or complex tensor of shape `[..., M, N]`.
        full_matrices: complete the columns to a basis.

    Returns:
        A named tuple of `q`, of shape `[..., M, P]`, and `r`, of shape `[..., P, N]`, where P is
        the smaller of M and N, or M for full matrices.

    Raises:
        InvalidArgumentError: if `input` is no matrix.
        NotImplementedError: if a gradient of full matrices with M > N is asked for.

    >>> q, r = tf.linalg.qr([[0.0, 1.0], [2.0, 1.0]])
    >>> (q @ r).numpy().round(4)
    array([[0., 1.],
           [2., 1.]], dtype=float32)
    """
    check_matrix(input, square=False)
    x = wide(input)
    rows, columns = x.shape[-2:]
    if rows >= columns:
        q, r = jnp.linalg.qr(x, mode="complete" if full_matrices else "reduced")
    else:  # JAX cannot differentiate this case
        q, left = jnp.linalg.qr(x[..., :rows], mode="reduced")
        r = jnp.concatenate([left, conjugate_transpose(q) @ x[..., rows:]], -1)
    return Qr(q.astype(input.dtype), r.astype(input.dtype))


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _svd(x: jax.Array, full_matrices: bool) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Returns the singular values, the left vectors and the right vectors, both in columns."""
    left, values, right = jnp.linalg.svd(x, full_matrices=full_matrices)
    return values, left, conjugate_transpose(right)


@_svd.defjvp
def _svd_jvp(full_matrices: bool, primals: tuple, tangents: tuple) -> tuple[tuple, tuple]:
    """Differentiates as TensorFlow does.

    Vectors of equal values stay where they are. The phases of complex vectors are those of the
    side with fewer components. Vectors that complete a basis are determined if there is only one.

    Raises:
        NotImplementedError: if there are more, as in TensorFlow.
    """
    (x,), (change,) = primals, tangents
    values, left, right = _svd(x, full_matrices)
    rows, columns = x.shape[-2:]
    if full_matrices and abs(rows - columns) > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. "
            f"Received: m={min(rows, columns)} and n={max(rows, columns)} from an input with "
            f"shape={x.shape}. Write full_matrices=False."
        )
    if rows > columns:
        found = _svd_tangents(values, right, left, conjugate_transpose(change))
        return (values, left, right), (found[0], found[2], found[1])
    return (values, left, right), _svd_tangents(values, left, right, change)


def _svd_tangents(
    values: jax.Array, left: jax.Array, right: jax.Array, change: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Returns the tangents of the parts of matrices that have at most as many rows as columns."""
    rows = values.shape[-1]
    first, rest = right[..., :rows], right[..., rows:]
    inner = conjugate_transpose(left) @ change @ first
    places = np.arange(rows)
    diagonal = inner[..., places, places]
    singular = values.astype(change.dtype)
    inverse = (
        values / (values * values + jnp.asarray(EIGENVALUE_REGULARIZER, values.dtype))
    ).astype(change.dtype)
    turns = _inverse_differences(values * values).astype(change.dtype)
    across, down = singular[..., None, :], singular[..., :, None]
    of_left = left @ (turns * (inner * across + down * conjugate_transpose(inner)))
    turned = turns * (down * inner + conjugate_transpose(inner) * across)
    if jnp.iscomplexobj(change):
        phases = -(diagonal - jnp.conj(diagonal)) * inverse / 2
        turned = turned + phases[..., None, :] * jnp.eye(rows, dtype=change.dtype)
    outside = conjugate_transpose(change) @ left
    outside = (outside - first @ (conjugate_transpose(first) @ outside)) * inverse[..., None, :]
    parts = [first @ turned + outside]
    if rest.shape[-1]:
        parts.append(-first @ (conjugate_transpose(outside) @ rest))
    return jnp.real(diagonal), of_left, jnp.concatenate(parts, -1)


@op("linalg.svd", kernel="Svd", dtypes=MATRICES)
def svd(tensor: TensorLike, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Computes singular values, and the vectors that belong to them.

    Unlike TensorFlow, the signs of the vectors are those that LAPACK or cuSOLVER give.

    Args:
        tensor: a floating or complex tensor of shape `[..., M, N]`.
        full_matrices: complete the vectors to bases.
        compute_uv: compute the vectors too.

    Returns:
        The singular values, in descending order, of shape `[..., P]` where P is the smaller of M
        and N. With `compute_uv` a tuple of them, the left vectors, of shape `[..., M, P]`, and
        the right vectors, of shape `[..., N, P]`, all in columns.

    Raises:
        InvalidArgumentError: if `tensor` is no matrix.
        NotImplementedError: if a gradient of full matrices is asked for, and M and N differ by more
            than 1.

    >>> tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False).numpy()
    array([4., 3.], dtype=float32)
    """
    check_matrix(tensor, square=False)
    x = wide(tensor)
    real = jnp.real(tensor).dtype
    if not compute_uv:
        return jnp.linalg.svd(x, compute_uv=False).astype(real)
    values, left, right = _svd(x, full_matrices)
    return values.astype(real), left.astype(tensor.dtype), right.astype(tensor.dtype)


def _from_lower(x: jax.Array) -> jax.Array:
    """Returns the self-adjoint matrices whose lower triangles those of `x` are."""
    lower = jnp.tril(x, -1)
    places = np.arange(x.shape[-1])
    diagonal = jnp.real(x[..., places, places]).astype(x.dtype)
    return (
        lower
        + conjugate_transpose(lower)
        + diagonal[..., None] * jnp.eye(x.shape[-1], dtype=x.dtype)
    )


def _inverse_differences(values: jax.Array) -> jax.Array:
    """Inverts the difference of each two eigenvalues, and gives 0 for equal ones.

    On the diagonal all derivatives are 0, too: those of the expression would overflow there.
    """
    diagonal = jnp.eye(values.shape[-1], dtype=values.dtype)
    differences = values[..., None, :] - values[..., :, None] + diagonal
    tiny = jnp.asarray(EIGENVALUE_REGULARIZER, values.dtype)
    return (1 - diagonal) * differences / (differences * differences + tiny)


def _has_self_adjoint_values(tensor: Any) -> tuple[Any, ...]:
    """Tells whether TensorFlow's solver converges; it takes a number alone as it is."""
    if tensor.ndim < 2 or tensor.shape[-1] != tensor.shape[-2] or tensor.shape[-1] == 1:
        return (np.bool_(True),)
    xp = np if isinstance(tensor, np.ndarray) else jnp
    below = np.tri(tensor.shape[-1], k=-1, dtype=bool)
    on_diagonal = np.eye(tensor.shape[-1], dtype=bool)
    wrong = (~xp.isfinite(tensor) & below) | (xp.isnan(tensor) & on_diagonal)
    return (~xp.any(wrong),)


def _has_values(tensor: Any) -> tuple[Any, ...]:
    """Tells whether matrices have eigenvalues."""
    xp = np if isinstance(tensor, np.ndarray) else jnp
    return (xp.all(xp.isfinite(tensor)),)


def _no_self_adjoint_values(**_: Any) -> Exception:
    return invalid(f"Self-adjoint eigen {MESSAGE_NO_VALUES}")


def _no_values(**_: Any) -> Exception:
    return invalid(f"Eigen {MESSAGE_NO_VALUES}")


SELF_ADJOINT_CHECK = Check(
    values=("tensor",), test=_has_self_adjoint_values, error=_no_self_adjoint_values, asserts=True
)
EIGENVALUES_CHECK = Check(values=("tensor",), test=_has_values, error=_no_values, asserts=True)


@jax.custom_jvp
def _eigh(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    vectors, values = lax.linalg.eigh(x, symmetrize_input=False)
    return values, vectors


@_eigh.defjvp
def _eigh_jvp(primals: tuple, tangents: tuple) -> tuple[tuple, tuple]:
    """Leaves vectors of equal eigenvalues where they are, as TensorFlow does."""
    values, vectors = _eigh(primals[0])
    inner = conjugate_transpose(vectors) @ tangents[0] @ vectors
    places = np.arange(values.shape[-1])
    turned = vectors @ (_inverse_differences(values).astype(vectors.dtype) * inner)
    return (values, vectors), (jnp.real(inner[..., places, places]), turned)


@op("linalg.eigh", kernel="SelfAdjointEigV2", dtypes=MATRICES, check=SELF_ADJOINT_CHECK)
def eigh(tensor: TensorLike) -> tuple[jax.Array, jax.Array]:
    """Computes the eigenvalues and eigenvectors of self-adjoint matrices.

    Only the lower triangles are read. Unlike TensorFlow, the signs of the vectors are those that
    LAPACK or cuSOLVER give, and nan leads to nan.

    Args:
        tensor: a floating or complex tensor of shape `[..., M, M]`.

    Returns:
        The eigenvalues in ascending order, of shape `[..., M]` (of the type of `tensor`), and the
        eigenvectors in columns, of shape `[..., M, M]`.

    Raises:
        InvalidArgumentError: if the matrices are not square.

    >>> values, vectors = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values.numpy()
    array([1., 2.], dtype=float32)
    """
    check_matrix(tensor)
    values, vectors = _eigh(_from_lower(wide(tensor)))
    return values.astype(tensor.dtype), vectors.astype(tensor.dtype)


@op("linalg.eigvalsh", kernel="SelfAdjointEigV2", dtypes=MATRICES, check=SELF_ADJOINT_CHECK)
def eigvalsh(tensor: TensorLike) -> jax.Array:
    """Computes the eigenvalues of self-adjoint matrices.

    Only the lower triangles are read. Unlike TensorFlow, nan leads to nan.

    Args:
        tensor: a floating or complex tensor of shape `[..., M, M]`.

    Returns:
        The eigenvalues in ascending order, of shape `[..., M]` and the type of `tensor`.

    Raises:
        InvalidArgumentError: if the matrices are not square.

    >>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).numpy()
    array([1., 2.], dtype=float32)
    """
    check_matrix(tensor)
    return _eigh(_from_lower(wide(tensor)))[0].astype(tensor.dtype)


def check_eigenvalues(name: str) -> None:
    """Refuses what needs eigenvalues of general matrices where XLA has none.

    Raises:
        UnimplementedError: on a TPU.
    """
    if is_on("tpu"):
        raise errors.UnimplementedError(None, None, MESSAGE_NOT_ON_TPU.format(name))


@jax.custom_jvp
def _eig(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    values, vectors = jnp.linalg.eig(x)
    return values, vectors


@_eig.defjvp
def _eig_jvp(primals: tuple, tangents: tuple) -> tuple[tuple, tuple]:
    """Keeps the vectors at length 1; JAX has no derivative of them."""
    values, vectors = _eig(primals[0])
    inner = jnp.linalg.solve(vectors, tangents[0].astype(vectors.dtype) @ vectors)
    places = np.arange(values.shape[-1])
    turned = vectors @ (_inverse_differences(values) * inner)
    along = jnp.real(jnp.sum(jnp.conj(vectors) * turned, -2, keepdims=True))
    turned = turned - vectors * along.astype(vectors.dtype)
    return (values, vectors), (inner[..., places, places], turned)


@op("linalg.eig", "eig", kernel="Eig", check=EIGENVALUES_CHECK)
def eig(tensor: TensorLike) -> tuple[jax.Array, jax.Array]:
    """Computes the eigenvalues and eigenvectors of square matrices.

    Unlike TensorFlow, nan leads to nan.

    Args:
        tensor: a float32, float64 or complex tensor of shape `[..., M, M]`.

    Returns:
        The eigenvalues, in no particular order, of shape `[..., M]`, and the eigenvectors of
        length 1 in columns, of shape `[..., M, M]`; both complex.

    Raises:
        InvalidArgumentError: if the matrices are not square.
        UnimplementedError: on a TPU.

    >>> values, vectors = tf.linalg.eig([[2.0, 0.0], [0.0, 1.0]])
    >>> values.numpy()
    array([2.+0.j, 1.+0.j], dtype=complex64)
    """
    check_eigenvalues("eig")
    check_matrix(tensor)
    return _eig(tensor)


@op("linalg.eigvals", "eigvals", kernel="Eig", check=EIGENVALUES_CHECK)
def eigvals(tensor: TensorLike) -> jax.Array:
    """Computes the eigenvalues of square matrices.

    Unlike TensorFlow, nan leads to nan.

    Args:
        tensor: a float32, float64 or complex tensor of shape `[..., M, M]`.

    Returns:
        The eigenvalues, in no particular order, a complex tensor of shape `[..., M]`.

    Raises:
        InvalidArgumentError: if the matrices are not square.
        UnimplementedError: on a TPU.

    >>> tf.linalg.eigvals([[2.0, 0.0], [0.0, 1.0]]).numpy()
    array([2.+0.j, 1.+0.j], dtype=complex64)
    """
    check_eigenvalues("eigvals")
    check_matrix(tensor)
    return _eig(tensor)[0]


def check_floating(a: jax.Array) -> None:
    """Raises if `a` holds no real floating numbers, or is no matrix."""
    if not jnp.issubdtype(a.dtype, jnp.floating):
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype}).")
    if a.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.ndim}).")
