"""`tf.linalg.LinearOperatorHouseholder`: reflections."""

from typing import Any

from tapefacade._core.errors import InvalidArgumentError
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear import hints
from tapefacade._linear.arguments import (
    adjoint_if,
    as_tensor_or_variable,
    constructor_arguments,
    is_below_rank,
    register_operator,
)
from tapefacade._linear.operator import LinearOperator
from tapefacade._ops.array.casting import conj
from tapefacade._ops.array.creation import ones, zeros
from tapefacade._ops.array.joining import concat
from tapefacade._ops.array.shaping import expand_dims
from tapefacade._ops.linalg.diagonals import diag_part, set_diag
from tapefacade._ops.linalg.norms import l2_normalize
from tapefacade._ops.linalg.products import matmul


@register_operator
class LinearOperatorHouseholder(LinearOperator, shown="linear_operator_householder"):
    """A reflection at the plane through the origin that is orthogonal to a vector.

    Args:
        reflection_axis: the vectors, of any length, a tensor or variable of shape `[..., N]`.
        is_non_singular: True or None.
        is_self_adjoint: True or None.
        is_positive_definite: False or None.
        is_square: True or None.
        name: a name.

    Raises:
        ValueError: if `reflection_axis` is a scalar, or the hints are wrong.

    >>> tf.linalg.LinearOperatorHouseholder([2.0, 0.0]).matvec([3.0, 4.0]).numpy()
    array([-3.,  4.], dtype=float32)
    """

    _experimental_parameter_ndims_to_matrix_ndims = {"reflection_axis": 1}  # noqa: RUF012

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        parameters = constructor_arguments(locals())
        self._reflection_axis = as_tensor_or_variable(reflection_axis)
        if is_below_rank(self._reflection_axis, 1):
            raise ValueError(
                "Argument reflection_axis must have at least 1 dimension.  Found: "
                f"{self._reflection_axis!s}"
            )
        always = "A Householder operator is always"
        super().__init__(
            self._reflection_axis.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=hints.fixed_hint(is_self_adjoint, True, f"{always} self adjoint."),
            is_positive_definite=hints.fixed_hint(
                is_positive_definite, False, f"{always} non-positive definite."
            ),
            is_square=hints.fixed_hint(is_square, True, f"{always} square."),
            name=name,
            parameters=parameters,
        )

    @property
    def reflection_axis(self) -> Any:
        """The vectors that were given."""
        return self._reflection_axis

    def _shape(self) -> TensorShape:
        shape = self._reflection_axis.shape
        return shape + shape[-1:]

    def _axis(self) -> Any:
        """Returns the vectors with length 1."""
        return l2_normalize(self._reflection_axis, axis=-1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x, column = adjoint_if(x, adjoint_arg), expand_dims(self._axis(), -1)
        return x - 2 * column * matmul(column, x, adjoint_a=True)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        column = expand_dims(self._axis(), -1)
        outer = -2 * matmul(column, column, adjoint_b=True)
        return set_diag(outer, 1.0 + diag_part(outer))

    def _diag_part(self) -> Any:
        axis = self._axis()
        return 1.0 - 2 * axis * conj(axis)

    def _sizes(self) -> list[int | None]:
        return self.batch_shape.as_list()

    def _trace(self) -> Any:
        size = self.shape[-1]
        assert size is not None
        return (size - 2) * ones(self._sizes(), self.dtype)

    def _determinant(self) -> Any:
        return -ones(self._sizes(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self._sizes(), self.dtype)

    def _eigvals(self) -> Any:
        size = self.shape[-1]
        assert size is not None
        others = ones([*self._sizes(), size - 1], self.dtype)
        return concat([-ones([*self._sizes(), 1], self.dtype), others], axis=-1)

    def _cond(self) -> Any:
        return ones(self._sizes(), self.dtype)

    def _assert_non_singular(self) -> None:
        pass

    def _assert_positive_definite(self) -> None:
        message = "Householder operators are always non-positive definite."
        raise InvalidArgumentError(None, None, message)

    def _assert_self_adjoint(self) -> None:
        pass

    def _linop_adjoint(self) -> LinearOperator:
        return self

    def _linop_inverse(self) -> LinearOperator:
        return self
