"""`tf.linalg.LinearOperatorComposition`: products of operators that stay products."""

from typing import Any

from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear import hints
from tapefacade._linear.arguments import (
    check_operators,
    common_batch,
    constructor_arguments,
    product,
    register_operator,
    total,
)
from tapefacade._linear.lower_triangular import LinearOperatorLowerTriangular
from tapefacade._linear.operator import LinearOperator
from tapefacade._ops.array.shaping import expand_dims
from tapefacade._ops.math.elementary import sign


def _adjoint_pair(left: Any, right: Any) -> bool:
    """Tells whether an operator is known to be the adjoint of another one."""
    if left is right and left.is_self_adjoint is not None:
        return left.is_self_adjoint
    return left.H is right or right.H is left


def _is_symmetric(operators: list[Any]) -> bool:
    """Tells whether a product is known to be `A A^H` by its form."""
    half, odd = divmod(len(operators), 2)
    mirrored = zip(operators[:half], reversed(operators), strict=False)
    return not odd and all(_adjoint_pair(left, right) for left, right in mirrored)


@register_operator
class LinearOperatorComposition(LinearOperator, shown="linear_operator_composition"):
    """The product of operators, of which none is computed.

    Args:
        operators: a list of operators, the leftmost first.
        is_non_singular: whether the product has an inverse; it has if all operators have.
        is_self_adjoint: whether it is its own conjugate transpose.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: whether it is square.
        name: a name, by default the names of the operators, joined.

    Raises:
        ValueError: if the list is empty, or the hints are wrong.
        TypeError: if the operators have different dtypes.

    >>> diag = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> full = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorComposition([diag, full]).matvec([1.0, 1.0]).numpy()
    array([ 3., 14.], dtype=float32)
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = constructor_arguments(locals())
        self._operators = operators = check_operators(operators)
        is_non_singular = hints.from_parts(
            is_non_singular,
            [o.is_non_singular for o in operators],
            "The composition of non-singular operators is always non-singular.",
        )
        symmetric = _is_symmetric(operators)
        is_self_adjoint = hints.from_parts(
            is_self_adjoint,
            [symmetric or (len(operators) == 1 and operators[0].is_self_adjoint)],
            "The composition was determined to be self-adjoint but user provided incorrect "
            "`False` hint.",
        )
        is_square = hints.from_parts(
            is_square,
            [symmetric],
            "The composition was determined have the form A @ A.H, hence it must be square. The "
            "user provided an incorrect `False` hint.",
        )
        is_positive_definite = hints.from_parts(
            is_positive_definite,
            [symmetric, is_non_singular],
            "The composition was determined to be non-singular and have the form A @ A.H, hence "
            "it must be positive-definite. The user provided an incorrect `False` hint.",
        )
        super().__init__(
            operators[0].dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name or "_o_".join(o.name for o in operators), parameters,
        )  # fmt: skip

    @property
    def operators(self) -> list[Any]:
        """The operators, the leftmost first."""
        return self._operators

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        return {"operators": [0] * len(self._operators)}

    def _shape(self) -> TensorShape:
        for left, right in zip(self._operators, self._operators[1:], strict=False):
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)
        sizes = [self._operators[0].shape[-2], self._operators[-1].shape[-1]]
        return common_batch([o.batch_shape for o in self._operators]) + sizes

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        first, *others = self._operators if adjoint else self._operators[::-1]
        result = first.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in others:
            result = operator.matmul(result, adjoint=adjoint)
        return result

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        first, *others = self._operators[::-1] if adjoint else self._operators
        result = first.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in others:
            result = operator.solve(result, adjoint=adjoint)
        return result

    def _determinant(self) -> Any:
        return product([o.determinant() for o in self._operators])

    def _log_abs_determinant(self) -> Any:
        return total([o.log_abs_determinant() for o in self._operators])

    def _assert_non_singular(self) -> None:
        if not all(o.is_square for o in self._operators):
            super()._assert_non_singular()
            return
        for operator in self._operators:
            operator.assert_non_singular()

    def _linop_cholesky(self) -> LinearOperator:
        left = self._operators[0]
        triangular = isinstance(left, LinearOperatorLowerTriangular)
        if len(self._operators) != 2 or not triangular or not _is_symmetric(self._operators):
            return super()._linop_cholesky()
        if left.is_positive_definite:
            return left
        signs = expand_dims(sign(left.diag_part()), -2)
        return LinearOperatorLowerTriangular(
            left.tril / signs, is_non_singular=left.is_non_singular,
            is_self_adjoint=left.is_self_adjoint, is_square=True,
        )  # fmt: skip
