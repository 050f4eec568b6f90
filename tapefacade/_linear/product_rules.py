"""The rules for products and quotients of operators of the basic kinds."""

from typing import Any

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._linear import hints
from tapefacade._linear.adjoint_inversion import LinearOperatorInversion
from tapefacade._linear.composition import LinearOperatorComposition
from tapefacade._linear.diagonal import LinearOperatorDiag
from tapefacade._linear.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from tapefacade._linear.lower_triangular import LinearOperatorLowerTriangular
from tapefacade._linear.operator import LinearOperator
from tapefacade._linear.product_registry import product, quotient
from tapefacade._linear.zeros import LinearOperatorZeros


@product(LinearOperator, LinearOperator)
def _composition(left: Any, right: Any) -> Any:
    return LinearOperatorComposition([left, right], **hints.any_product(left, right))


@quotient(LinearOperator, LinearOperator)
def _inverted(left: Any, right: Any) -> Any:
    inverse = LinearOperatorInversion(left)
    return LinearOperatorComposition([inverse, right], **hints.any_product(left, right))


@quotient(LinearOperatorInversion, LinearOperator)
def _inverted_twice(left: Any, right: Any) -> Any:
    return left.operator.matmul(right)


# Identities change nothing.


@quotient(LinearOperatorIdentity, LinearOperator)
@product(LinearOperatorIdentity, LinearOperator)
def _right(left: Any, right: Any) -> Any:
    return right


@product(LinearOperator, LinearOperatorIdentity)
def _left(left: Any, right: Any) -> Any:
    return left


@quotient(LinearOperator, LinearOperatorIdentity)
def _inverse(left: Any, right: Any) -> Any:
    return left.inverse()


# Zeros stay zeros.


def _check_zeros(left: Any, right: Any) -> None:
    if not left.is_square or not right.is_square:
        raise ValueError(
            "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not "
            "supported at this time."
        )


@product(LinearOperator, LinearOperatorZeros)
def _right_zeros(left: Any, right: Any) -> Any:
    _check_zeros(left, right)
    return right


@product(LinearOperatorZeros, LinearOperator)
def _left_zeros(left: Any, right: Any) -> Any:
    _check_zeros(left, right)
    return left


# Multiples of the identity, diagonals and triangles.


@product(LinearOperatorScaledIdentity, LinearOperatorScaledIdentity)
def _scaled_scaled(left: Any, right: Any) -> Any:
    multiplier = convert_to_tensor(left.multiplier) * right.multiplier
    rows = left.domain_dimension.value
    return LinearOperatorScaledIdentity(rows, multiplier, **hints.hints_of_commuting(left, right))


@quotient(LinearOperatorScaledIdentity, LinearOperatorScaledIdentity)
def _scaled_by_scaled(left: Any, right: Any) -> Any:
    multiplier = convert_to_tensor(right.multiplier) / left.multiplier
    rows = left.domain_dimension.value
    return LinearOperatorScaledIdentity(rows, multiplier, **hints.hints_of_commuting(left, right))


def _factors(operator: Any) -> Any:
    """Returns what multiplies each row: the diagonal, or one number."""
    if isinstance(operator, LinearOperatorDiag):
        return convert_to_tensor(operator.diag)
    return convert_to_tensor(operator.multiplier)[..., None]


@product(LinearOperatorDiag, LinearOperatorDiag)
@product(LinearOperatorDiag, LinearOperatorScaledIdentity)
@product(LinearOperatorScaledIdentity, LinearOperatorDiag)
def _diag_diag(left: Any, right: Any) -> Any:
    return LinearOperatorDiag(
        _factors(left) * _factors(right), **hints.hints_of_commuting(left, right)
    )


@quotient(LinearOperatorDiag, LinearOperatorDiag)
@quotient(LinearOperatorDiag, LinearOperatorScaledIdentity)
@quotient(LinearOperatorScaledIdentity, LinearOperatorDiag)
def _diag_by_diag(left: Any, right: Any) -> Any:
    return LinearOperatorDiag(
        _factors(right) / _factors(left), **hints.hints_of_commuting(left, right)
    )


def _triangle(tril: Any, left: Any, right: Any) -> Any:
    kwargs = {**hints.hints_of_commuting(left, right), "is_positive_definite": None}
    return LinearOperatorLowerTriangular(tril, **kwargs)


@product(LinearOperatorDiag, LinearOperatorLowerTriangular)
def _diag_triangle(left: Any, right: Any) -> Any:
    return _triangle(_factors(left)[..., None] * right.to_dense(), left, right)


@quotient(LinearOperatorDiag, LinearOperatorLowerTriangular)
def _triangle_by_diag(left: Any, right: Any) -> Any:
    return _triangle(right.to_dense() / _factors(left)[..., None], left, right)


@product(LinearOperatorLowerTriangular, LinearOperatorDiag)
def _triangle_diag(left: Any, right: Any) -> Any:
    return _triangle(left.to_dense() * _factors(right)[..., None, :], left, right)
