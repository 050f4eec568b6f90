"""`tf.linalg.LinearOperatorZeros`: matrices of zeros."""

from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.errors import InvalidArgumentError
from tapefacade._linear.arguments import common_batch, constructor_arguments, register_operator
from tapefacade._linear.identity import SizedOperator, batch, size
from tapefacade._ops.array.creation import zeros


@register_operator
class LinearOperatorZeros(SizedOperator, shown="linear_operator_zeros"):
    """A matrix of zeros, or a stack of them.

    Args:
        num_rows: the number M of rows, an integer or an integer tensor.
        num_columns: the number N of columns, by default that of rows.
        batch_shape: the leading dimensions.
        dtype: the dtype, float32 by default.
        is_non_singular: False.
        is_self_adjoint: True, unless the matrices are not square.
        is_positive_definite: False.
        is_square: whether the matrices are square.
        assert_proper_shapes: accepted and ignored: shapes are always checked.
        name: a name.

    Raises:
        TypeError: if the sizes are no integers.
        ValueError: if they are negative or of a wrong shape, or the hints are wrong.

    >>> tf.linalg.LinearOperatorZeros(2).matvec([3.0, 4.0]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        parameters = constructor_arguments(locals())
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        super().__init__(
            dtype or dtypes.float32, None, is_non_singular, is_self_adjoint,
            is_positive_definite, is_square, name, parameters,
        )  # fmt: skip
        self._rows = size(num_rows, "num_rows")
        self._columns = size(num_rows if num_columns is None else num_columns, "num_columns")
        if is_square and self._rows != self._columns:
            raise ValueError(
                f"LinearOperatorZeros initialized as is_square=True, but got num_rows"
                f"({self._rows}) != num_columns({self._columns})"
            )
        self._batch = batch(batch_shape)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        leading = common_batch([x.shape[:-2], self.batch_shape])
        rows = self._columns if adjoint else self._rows
        return zeros([*leading, rows, x.shape[-2 if adjoint_arg else -1]], x.dtype)

    def _determinant(self) -> Any:
        return zeros(self._sizes(), self.dtype)

    def _trace(self) -> Any:
        return zeros(self._sizes(), self.dtype)

    def _diag_part(self) -> Any:
        return zeros([*self._sizes(), min(self._rows, self._columns)], self.dtype)

    def _add_to_tensor(self, x: Any) -> Any:
        return self._broadcast(x)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> None:
        raise InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> None:
        message = "Zero operators are always non-positive definite."
        raise InvalidArgumentError(None, None, message)

    def _assert_self_adjoint(self) -> None:
        pass
