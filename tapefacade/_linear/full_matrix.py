"""`tf.linalg.LinearOperatorFullMatrix`: matrices without a structure."""

from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear.arguments import (
    as_tensor_or_variable,
    constructor_arguments,
    is_below_rank,
    register_operator,
)
from tapefacade._linear.operator import LinearOperator
from tapefacade._ops.linalg.products import matmul

DTYPES = [
    dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128,
]  # fmt: skip


@register_operator
class LinearOperatorFullMatrix(LinearOperator, shown="linear_operator_full_matrix"):
    """A matrix without a structure, or a stack of them.

    Args:
        matrix: a tensor or variable of shape `[..., M, N]`.
        is_non_singular: whether the matrices have inverses.
        is_self_adjoint: whether they are their own conjugate transposes; together with
            `is_positive_definite` it lets Cholesky factors be used.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: whether they are square.
        name: a name.

    Raises:
        ValueError: if `matrix` has less than two dimensions, or the hints contradict each other.
        TypeError: if it is not floating or complex.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> operator.matvec([1.0, 1.0]).numpy()
    array([3., 7.], dtype=float32)
    """

    _experimental_parameter_ndims_to_matrix_ndims = {"matrix": 2}  # noqa: RUF012

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        parameters = constructor_arguments(locals())
        self._matrix = as_tensor_or_variable(matrix)
        if self._matrix.dtype not in DTYPES:
            raise TypeError(
                f"Argument `matrix` must have dtype in {DTYPES}. Received: {self._matrix.dtype!s}."
            )
        if is_below_rank(self._matrix, 2):
            raise ValueError(
                f"Argument `matrix` must have at least 2 dimensions. Received: {self._matrix}."
            )
        super().__init__(
            self._matrix.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name, parameters,
        )  # fmt: skip

    @property
    def matrix(self) -> Any:
        """The matrices."""
        return self._matrix

    def _shape(self) -> TensorShape:
        return self._matrix.shape

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._dense_solve(rhs, adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        return convert_to_tensor(self._matrix)
