"""What linear algebra does better than TensorFlow, and what has no single answer to compare."""

import jax
import numpy as np
import pytest

import tapefacade as tf
from tapefacade._ops.linalg import matrix_functions

RANDOM = np.random.default_rng(0)
MATRIX = RANDOM.normal(size=(4, 4)) + 1j * RANDOM.normal(size=(4, 4))


def gradients(function, *values):
    sources = [tf.constant(value) for value in values]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = tf.reduce_sum(tf.abs(function(*sources)))
    return [gradient.numpy() for gradient in tape.gradient(y, sources)]


def now(check):
    """Runs a check; the look at a number makes it happen."""
    check()
    tf.abs(-1.0).numpy()


def test_gradients_of_complex_tridiagonal_systems_are_conjugated():
    """TensorFlow solves the transposed system where the adjoint one is meant."""
    matrix = np.triu(np.tril(MATRIX, 1), -1) + 4 * np.eye(4)
    rhs = MATRIX[:, :2]

    def banded(matrix, rhs):
        return tf.linalg.tridiagonal_solve(matrix, rhs, diagonals_format="matrix")

    got = gradients(banded, matrix, rhs)
    want = gradients(tf.linalg.solve, matrix, rhs)
    band = np.triu(np.tril(np.ones((4, 4)), 1), -1)
    np.testing.assert_allclose(got[0], want[0] * band, rtol=1e-9)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-9)


def test_the_gradient_of_a_complex_square_root_is_conjugated():
    def by_eigenvalues(x):
        values, vectors = tf.linalg.eig(x)
        return vectors @ tf.linalg.diag(tf.sqrt(values)) @ tf.linalg.inv(vectors)

    matrix = MATRIX + 6 * np.eye(4)
    (got,) = gradients(tf.linalg.sqrtm, matrix)
    (want,) = gradients(by_eigenvalues, matrix)
    np.testing.assert_allclose(got, want, rtol=1e-8)


def test_the_gradient_of_one_band_has_its_shape():
    (got, _) = gradients(tf.linalg.banded_triangular_solve, [[2.0, 4.0]], [[1.0], [1.0]])
    np.testing.assert_allclose(got, [[-0.25, -0.0625]], rtol=1e-6)


@pytest.mark.parametrize("kind", ["float64", "complex128"])
def test_tridiagonal_eigenvectors(kind):
    alpha, beta = RANDOM.normal(size=5), RANDOM.normal(size=4).astype(kind)
    beta = beta * (1 + 2j) if kind == "complex128" else beta
    values, vectors = tf.linalg.eigh_tridiagonal(alpha.astype(kind), beta, eigvals_only=False)
    dense = np.diag(alpha) + np.diag(beta, 1) + np.diag(beta.conj(), -1)
    found = vectors.numpy() * values.numpy() @ vectors.numpy().conj().T
    np.testing.assert_allclose(found, dense, atol=1e-12)
    _, some = tf.linalg.eigh_tridiagonal(
        alpha.astype(kind), beta, False, select="i", select_range=(1, 2)
    )
    np.testing.assert_allclose(np.abs(some.numpy()), np.abs(vectors.numpy()[:, 1:3]), atol=1e-12)


def test_the_gradient_of_tridiagonal_eigenvalues_is_their_derivative():
    """TensorFlow differentiates its bisection, which depends on the values by its bounds only."""
    alpha, beta = RANDOM.normal(size=4), RANDOM.normal(size=3)

    def dense(alpha, beta):
        matrix = tf.linalg.diag(alpha) + tf.linalg.diag(beta, k=-1) + tf.linalg.diag(beta, k=1)
        return tf.linalg.eigvalsh(matrix)

    got = gradients(tf.linalg.eigh_tridiagonal, alpha, beta)
    for g, w in zip(got, gradients(dense, alpha, beta), strict=True):
        np.testing.assert_allclose(g, w, atol=1e-10)


def test_no_eigenvalue_within_an_interval():
    found = tf.linalg.eigh_tridiagonal([1.0, 2.0], [0.0], select="v", select_range=(5.0, 6.0))
    assert found.shape == [0]


def test_schur_forms_without_lapack():
    """Accelerators have no Schur decomposition: it is made of eigenvectors there."""
    with jax.enable_x64(True):
        triangle, vectors = matrix_functions._schur_by_eigenvectors(jax.numpy.asarray(MATRIX))
    triangle, vectors = np.asarray(triangle), np.asarray(vectors)
    np.testing.assert_allclose(vectors @ triangle @ vectors.conj().T, MATRIX, atol=1e-12)
    np.testing.assert_allclose(vectors @ vectors.conj().T, np.eye(4), atol=1e-12)


def test_a_spectrum_that_is_not_hermitian():
    """TensorFlow compares a float with an integer here and fails."""
    kind = tf.linalg.LinearOperatorCirculant
    kind([1.0, 2.0, 2.0]).assert_hermitian_spectrum()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Spectrum was not Hermitian"):
        now(kind([1.0, 2.0, 3.0]).assert_hermitian_spectrum)


def test_what_is_not_symmetric_in_a_low_rank_update():
    """TensorFlow calls itself without an end here."""
    base = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    operator = tf.linalg.LinearOperatorLowRankUpdate(base, [[1.0], [0.0]], v=[[0.0], [1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="not equal to its adjoint"):
        now(operator.assert_self_adjoint)


def test_leading_dimensions_that_broadcast():
    """TensorFlow refuses these products, though not the solutions."""
    rows = tf.constant([[1.0, 2.0, 0.0], [4.0, 5.0, 6.0], [0.0, 3.0, 2.0]])
    x = tf.constant(RANDOM.normal(size=(2, 3, 2)), tf.float32)
    operator = tf.linalg.LinearOperatorTridiag(rows)
    np.testing.assert_allclose(operator.matmul(x), operator.to_dense() @ x, rtol=1e-5, atol=1e-6)
    col, row = [[4.0, 1.0, 2.0], [3.0, 1.0, 0.0]], [4.0, -1.0, 3.0]
    operator = tf.linalg.LinearOperatorToeplitz(col, row)
    np.testing.assert_allclose(operator.matmul(x), operator.to_dense() @ x, rtol=1e-5, atol=1e-5)


def test_every_class_of_linear_operators_has_an_example():
    for name in dir(tf.linalg):
        if name.startswith("LinearOperator"):
            assert ">>>" in getattr(tf.linalg, name).__doc__
