"""`tf.linalg.LinearOperatorLowerTriangular`: lower triangular matrices."""

from typing import Any

from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear import hints
from tapefacade._linear.arguments import (
    adjoint_if,
    as_tensor_or_variable,
    constructor_arguments,
    is_below_rank,
    register_operator,
)
from tapefacade._linear.operator import MESSAGE_ZERO_DIAGONAL, LinearOperator, assert_no_zeros
from tapefacade._ops.linalg.diagonals import band_part, diag_part
from tapefacade._ops.linalg.products import matmul
from tapefacade._ops.linalg.solving import triangular_solve
from tapefacade._ops.math.elementary import abs, log
from tapefacade._ops.math.reduction import reduce_prod, reduce_sum


@register_operator
class LinearOperatorLowerTriangular(LinearOperator, shown="linear_operator_lower_triangular"):
    """A lower triangular matrix, or a stack of them.

    Args:
        tril: a tensor or variable of shape `[..., N, N]`; what is above the diagonal counts as
            zero.
        is_non_singular: whether the matrices have inverses.
        is_self_adjoint: whether they are their own conjugate transposes.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: True or None.
        name: a name.

    Raises:
        ValueError: if `tril` has less than two dimensions, or the hints are wrong.

    >>> operator = tf.linalg.LinearOperatorLowerTriangular([[1.0, 9.0], [3.0, 4.0]])
    >>> operator.matvec([1.0, 1.0]).numpy()
    array([1., 7.], dtype=float32)
    """

    _experimental_parameter_ndims_to_matrix_ndims = {"tril": 2}  # noqa: RUF012

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        parameters = constructor_arguments(locals())
        message = "Only square lower triangular operators supported at this time."
        is_square = hints.fixed_hint(is_square, True, message)
        self._tril = as_tensor_or_variable(tril)
        if is_below_rank(self._tril, 2):
            raise ValueError(
                f"Argument tril must have at least 2 dimensions.  Found: {self._tril!s}"
            )
        super().__init__(
            self._tril.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name, parameters,
        )  # fmt: skip

    @property
    def tril(self) -> Any:
        """The matrices, with what was given above their diagonals."""
        return self._tril

    def _shape(self) -> TensorShape:
        return self._tril.shape

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return triangular_solve(
            self._to_dense(), adjoint_if(rhs, adjoint_arg), lower=True, adjoint=adjoint
        )

    def _to_dense(self) -> Any:
        return band_part(self._tril, -1, 0)

    def _diag_part(self) -> Any:
        return diag_part(self._tril)

    def _determinant(self) -> Any:
        return reduce_prod(self._diag_part(), axis=-1)

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(log(abs(self._diag_part())), axis=-1)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> None:
        assert_no_zeros(self._diag_part(), MESSAGE_ZERO_DIAGONAL)
