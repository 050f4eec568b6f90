"""`tf.linalg.LinearOperatorAdjoint` and `tf.linalg.LinearOperatorInversion`."""

from typing import Any

from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear import hints
from tapefacade._linear.arguments import constructor_arguments, register_operator
from tapefacade._linear.operator import LinearOperator
from tapefacade._ops.array.casting import conj
from tapefacade._ops.linalg.products import adjoint as adjoint_matrix

PROPERTIES = {
    "is_square": "square", "is_non_singular": "non-singular", "is_self_adjoint": "self-adjoint",
    "is_positive_definite": "positive-definite",
}  # fmt: skip


class WrappedOperator(LinearOperator, shown="linear_operator"):
    """An operator that has the properties of another one."""

    _experimental_parameter_ndims_to_matrix_ndims = {"operator": 0}  # noqa: RUF012

    def __init__(self, what: str, name: str, parameters: dict[str, Any]) -> None:
        self._operator = operator = parameters["operator"]
        found = {
            key: hints.agreed_hint(
                operator, key, parameters[key],
                f"An operator is {text} if and only if its {what} is {text}.",
            )
            for key, text in PROPERTIES.items()
        }  # fmt: skip
        super().__init__(operator.dtype, name=name, parameters=parameters, **found)

    @property
    def operator(self) -> Any:
        """The operator that was given."""
        return self._operator

    def _assert_non_singular(self) -> None:
        self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> None:
        self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> None:
        self._operator.assert_self_adjoint()

    def _cond(self) -> Any:
        return self._operator.cond()


@register_operator
class LinearOperatorAdjoint(WrappedOperator, shown="linear_operator_adjoint"):
    """The conjugate transpose of an operator.

    Args:
        operator: the operator.
        is_non_singular: the same as for `operator`.
        is_self_adjoint: the same as for `operator`.
        is_positive_definite: the same as for `operator`.
        is_square: the same as for `operator`.
        name: a name, by default that of `operator` and `_adjoint`.

    Raises:
        ValueError: if the hints contradict those of `operator`.

    >>> full = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorAdjoint(full).matvec([1.0, 1.0]).numpy()
    array([4., 6.], dtype=float32)
    """

    def __init__(
        self,
        operator: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            "adjoint", name or f"{operator.name}_adjoint", constructor_arguments(locals())
        )

    def _shape(self) -> TensorShape:
        *batch, rows, columns = self._operator.shape
        return TensorShape([*batch, columns, rows])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _conjugate(self, value: Any) -> Any:
        return value if self.is_self_adjoint else conj(value)

    def _determinant(self) -> Any:
        return self._conjugate(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Any:
        return self._conjugate(self._operator.trace())

    def _to_dense(self) -> Any:
        dense = self._operator.to_dense()
        return dense if self.is_self_adjoint else adjoint_matrix(dense)

    def _eigvals(self) -> Any:
        values = self._operator.eigvals()
        return values if self._operator.is_self_adjoint else conj(values)

    def _linop_adjoint(self) -> LinearOperator:
        return self._operator


@register_operator
class LinearOperatorInversion(WrappedOperator, shown="linear_operator_inversion"):
    """The inverse of an operator, which is not computed: its products are solutions.

    Args:
        operator: the operator.
        is_non_singular: True or None.
        is_self_adjoint: the same as for `operator`.
        is_positive_definite: the same as for `operator`.
        is_square: True or None.
        name: a name, by default that of `operator` and `_inv`.

    Raises:
        ValueError: if the hints contradict those of `operator`, or `operator` has no inverse.

    >>> full = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorInversion(full).matvec([3.0, 7.0]).numpy()
    array([1., 1.], dtype=float32)
    """

    def __init__(
        self,
        operator: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = constructor_arguments(locals())
        for key in ("is_non_singular", "is_square"):
            theirs, ours = getattr(operator, key), parameters[key]
            if theirs is False or ours is False:
                raise ValueError(
                    f"Argument `{key}` or argument `operator` must have supplied hint `{key}` "
                    f"equal to `True` or `None`. Found `operator.{key}`: {theirs}, `{key}`: {ours}."
                )
        super().__init__("inverse", name or f"{operator.name}_inv", parameters)

    def _shape(self) -> TensorShape:
        return self._operator.shape

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -1.0 * self._operator.log_abs_determinant()

    def _eigvals(self) -> Any:
        return 1.0 / self._operator.eigvals()

    def _linop_inverse(self) -> LinearOperator:
        return self._operator
