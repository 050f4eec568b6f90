"""`tf.linalg.LinearOperatorDiag`: diagonal matrices."""

from typing import Any

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear import hints
from tapefacade._linear.arguments import (
    adjoint_if,
    as_tensor_or_variable,
    constructor_arguments,
    is_below_rank,
    register_operator,
)
from tapefacade._linear.operator import (
    MESSAGE_ZERO_DIAGONAL,
    LinearOperator,
    assert_no_zeros,
    assert_real,
    ratio,
)
from tapefacade._ops.array.casting import cast, conj, real
from tapefacade._ops.array.shaping import expand_dims
from tapefacade._ops.debugging.values import assert_positive
from tapefacade._ops.linalg.diagonals import diag as matrix_diag, diag_part, set_diag
from tapefacade._ops.math.elementary import abs, log, sqrt
from tapefacade._ops.math.reduction import reduce_prod, reduce_sum


@register_operator
class LinearOperatorDiag(LinearOperator, shown="linear_operator_diag"):
    """A diagonal matrix, or a stack of them.

    Products, solutions and determinants take time proportional to the size of `diag`.

    Args:
        diag: the diagonals, a tensor or variable of shape `[..., N]`.
        is_non_singular: whether the matrices have inverses.
        is_self_adjoint: whether they are their own conjugate transposes; real ones always are.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: True or None.
        name: a name.

    Raises:
        ValueError: if `diag` is a scalar, or the hints are wrong.

    >>> operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> operator.matvec([3.0, 4.0]).numpy()
    array([3., 8.], dtype=float32)
    """

    _experimental_parameter_ndims_to_matrix_ndims = {"diag": 1}  # noqa: RUF012

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        parameters = constructor_arguments(locals())
        self._diag = as_tensor_or_variable(diag)
        if is_below_rank(self._diag, 1):
            raise ValueError(
                f"Argument diag must have at least 1 dimension.  Found: {self._diag!s}"
            )
        if not self._diag.dtype.is_complex:
            is_self_adjoint = hints.fixed_hint(is_self_adjoint, True, hints.MESSAGE_REAL_DIAGONAL)
        message = "Only square diagonal operators currently supported."
        is_square = hints.fixed_hint(is_square, True, message)
        super().__init__(
            self._diag.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name, parameters,
        )  # fmt: skip

    @property
    def diag(self) -> Any:
        """The diagonals."""
        return self._diag

    def _shape(self) -> TensorShape:
        return self._diag.shape + self._diag.shape[-1:]

    def _diagonal(self, adjoint: bool) -> Any:
        values = convert_to_tensor(self._diag)
        return conj(values) if adjoint else values

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return expand_dims(self._diagonal(adjoint), -1) * adjoint_if(x, adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._diagonal(adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return adjoint_if(rhs, adjoint_arg) * expand_dims(1.0 / self._diagonal(adjoint), -1)

    def _determinant(self) -> Any:
        return reduce_prod(self._diag, axis=-1)

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(abs(self._diag)), axis=-1), self.dtype)

    def _to_dense(self) -> Any:
        return matrix_diag(self._diag)

    def _diag_part(self) -> Any:
        return self._diag

    def _add_to_tensor(self, x: Any) -> Any:
        return set_diag(x, self._diag + diag_part(x))

    def _eigvals(self) -> Any:
        return convert_to_tensor(self._diag)

    def _cond(self) -> Any:
        return ratio(abs(self._diag))

    def _assert_non_singular(self) -> None:
        assert_no_zeros(self._diag, MESSAGE_ZERO_DIAGONAL)

    def _assert_positive_definite(self) -> None:
        if self.dtype.is_complex:
            message = (
                "Diagonal operator had diagonal entries with non-positive real part, thus was not "
                "positive definite."
            )
        else:
            message = (
                "Real diagonal operator had non-positive diagonal entries, thus was not positive "
                "definite."
            )
        assert_positive(real(self._diag), message=message)

    def _assert_self_adjoint(self) -> None:
        message = (
            "This diagonal operator contained non-zero imaginary values.   Thus it was not "
            "self-adjoint."
        )
        assert_real(self._diag, message)

    def _linop_adjoint(self) -> "LinearOperatorDiag":
        return LinearOperatorDiag(self._diagonal(self.dtype.is_complex), **hints.of(self))

    def _linop_inverse(self) -> "LinearOperatorDiag":
        return LinearOperatorDiag(1.0 / convert_to_tensor(self._diag), **hints.of(self))

    def _linop_cholesky(self) -> "LinearOperatorDiag":
        return LinearOperatorDiag(
            sqrt(self._diag), is_non_singular=True, is_self_adjoint=True,
            is_positive_definite=True, is_square=True,
        )  # fmt: skip
