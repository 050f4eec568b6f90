"""`tf.linalg.LinearOperatorKronecker`: Kronecker products."""

import math
from typing import Any

from tapefacade._core.errors import InvalidArgumentError
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear import hints
from tapefacade._linear.arguments import (
    adjoint_if,
    check_operators,
    common_batch,
    constructor_arguments,
    register_operator,
)
from tapefacade._linear.operator import LinearOperator
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.shaping import expand_dims, matrix_transpose, reshape

MESSAGE_NO_FACTORS = "Argument `operators` must be a list of >=1 operators. Received: []."
MESSAGE_FACTOR_DTYPES = (
    "Expected every operation in argument `operators` to have the same dtype. Received {found}."
)
MESSAGE_SQUARE = (
    "All Kronecker factors must be square for the product to be invertible. Expected hint "
    "`is_square` to be True for every operator in argument `operators`."
)


def _outer(vectors: list[Any]) -> Any:
    """Returns the Kronecker product of vectors in the last dimension."""
    result, *others = vectors
    for other in others:
        result = expand_dims(result, -1) * expand_dims(other, -2)
        shape: Any = result.shape
        *batch, rows, columns = shape
        result = reshape(result, [*batch, rows * columns])
    return result


@register_operator
class LinearOperatorKronecker(LinearOperator, shown="linear_operator_kronecker"):
    """The Kronecker product of operators, which is not computed.

    Args:
        operators: a list of operators.
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
    >>> tf.linalg.LinearOperatorKronecker([diag, full]).to_dense().numpy()
    array([[1., 2., 0., 0.],
           [3., 4., 0., 0.],
           [0., 0., 2., 4.],
           [0., 0., 6., 8.]], dtype=float32)
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
        self._operators = operators = check_operators(
            operators, MESSAGE_NO_FACTORS, MESSAGE_FACTOR_DTYPES
        )
        implied = {
            key: hints.from_parts(
                parameters[key],
                [getattr(o, key) for o in operators],
                f"The Kronecker product of {text} operators is always {text}. Expected argument "
                f"`{key}` to be True. Received: {parameters[key]}.",
            )
            for key, text in (
                ("is_non_singular", "non-singular"), ("is_self_adjoint", "self-adjoint"),
                ("is_positive_definite", "positive-definite"),
            )
        }  # fmt: skip
        super().__init__(
            operators[0].dtype, is_square=is_square, parameters=parameters,
            name=name or "_x_".join(o.name for o in operators), **implied,
        )  # fmt: skip

    @property
    def operators(self) -> list[Any]:
        """The operators."""
        return self._operators

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        return {"operators": [0] * len(self._operators)}

    def _shape(self) -> TensorShape:
        sizes = [math.prod(o.shape[place] for o in self._operators) for place in (-2, -1)]
        return common_batch([o.batch_shape for o in self._operators]) + sizes

    def _applied(self, x: Any, method: str, adjoint: bool) -> Any:
        """Applies each operator along its own axis, the columns of `x` staying in front.

        Every step moves the axis it worked on to the front of the others, so that after all of
        them the axes are in their order again.
        """
        result = matrix_transpose(x)
        for operator in reversed(self._operators):
            own = operator.shape[-2 if adjoint == (method == "matmul") else -1]
            shape: Any = result.shape
            *batch, rows, columns = shape
            result = reshape(result, [*batch, rows * columns // own, own])
            result = getattr(operator, method)(matrix_transpose(result), adjoint=adjoint)
        *batch, _, _ = result.shape
        return reshape(result, [*batch, -1, x.shape[-1]])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._applied(adjoint_if(x, adjoint_arg), "matmul", adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._applied(adjoint_if(rhs, adjoint_arg), "solve", adjoint)

    def _powers(self) -> list[Any]:
        """Returns how often the determinant of each operator counts."""
        total = self.shape[-1]
        assert total is not None
        return [cast(total / o.shape[-1], self.dtype) for o in self._operators]

    def _determinant(self) -> Any:
        result: Any = 1.0
        for operator, power in zip(self._operators, self._powers(), strict=True):
            result = result * operator.determinant() ** power
        return result

    def _log_abs_determinant(self) -> Any:
        result: Any = 0.0
        for operator, power in zip(self._operators, self._powers(), strict=True):
            result = result + operator.log_abs_determinant() * power
        return result

    def _trace(self) -> Any:
        result: Any = 1.0
        for operator in self._operators:
            result = result * operator.trace()
        return result

    def _diag_part(self) -> Any:
        return _outer([o.diag_part() for o in self._operators])

    def _eigvals(self) -> Any:
        return _outer([o.eigvals() for o in self._operators])

    def _to_dense(self) -> Any:
        result, *others = [o.to_dense() for o in self._operators]
        for other in others:
            result = result[..., :, None, :, None] * other[..., None, :, None, :]
            *batch, rows, above, columns, below = result.shape
            result = reshape(result, [*batch, rows * above, columns * below])
        return result

    def _assert_parts(self, name: str) -> None:
        if not all(o.is_square for o in self._operators):
            raise InvalidArgumentError(None, None, MESSAGE_SQUARE)
        for operator in self._operators:
            getattr(operator, name)()

    def _assert_non_singular(self) -> None:
        self._assert_parts("assert_non_singular")

    def _assert_self_adjoint(self) -> None:
        self._assert_parts("assert_self_adjoint")

    def _linop_adjoint(self) -> LinearOperator:
        return LinearOperatorKronecker([o.adjoint() for o in self._operators], **hints.of(self))

    def _linop_inverse(self) -> LinearOperator:
        return LinearOperatorKronecker([o.inverse() for o in self._operators], **hints.of(self))

    def _linop_cholesky(self) -> LinearOperator:
        return LinearOperatorKronecker(
            [o.cholesky() for o in self._operators], is_non_singular=True, is_square=True
        )
