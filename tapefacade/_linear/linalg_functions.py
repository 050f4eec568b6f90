"""What the functions of `tf.linalg` do with linear operators."""

from typing import Any

from tapefacade._core.dispatch import handles
from tapefacade._linear.operator import LinearOperator
from tapefacade._ops.array.shaping import expand_dims, squeeze
from tapefacade._ops.linalg.products import adjoint as adjoint_matrix


@handles(LinearOperator, "linalg.adjoint")
def _adjoint(matrix: Any, name: str | None = None) -> Any:
    return matrix.adjoint()


@handles(LinearOperator, "linalg.cholesky")
def _cholesky(input: Any, name: str | None = None) -> Any:
    return input.cholesky()


@handles(LinearOperator, "linalg.diag_part")
def _diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:  # fmt: skip
    return input.diag_part()


@handles(LinearOperator, "linalg.det")
def _det(input: Any, name: str | None = None) -> Any:
    return input.determinant()


@handles(LinearOperator, "linalg.inv")
def _inv(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    inverse = input.inverse()
    return inverse.adjoint() if adjoint else inverse


@handles(LinearOperator, "linalg.logdet")
def _logdet(matrix: Any, name: str | None = None) -> Any:
    if matrix.is_positive_definite and matrix.is_self_adjoint:
        return matrix.log_abs_determinant()
    raise ValueError("Expected matrix to be self-adjoint positive definite.")


@handles(LinearOperator, "linalg.trace")
def _trace(x: Any, name: str | None = None) -> Any:
    return x.trace()


@handles(LinearOperator, "linalg.solve")
def _solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    if not isinstance(matrix, LinearOperator):
        raise ValueError(
            "Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported."
        )
    return matrix.solve(rhs, adjoint=adjoint)


@handles(LinearOperator, "linalg.matmul")
def _matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
    adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False, **_: Any,
) -> Any:  # fmt: skip
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if isinstance(a, LinearOperator):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    return adjoint_matrix(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))


@handles(LinearOperator, "linalg.matvec")
def _matvec(
    a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    flags = {"a_is_sparse": a_is_sparse, "b_is_sparse": b_is_sparse}
    column = expand_dims(b, -1)
    return squeeze(_matmul(a, column, transpose_a, adjoint_a=adjoint_a, **flags), -1)
