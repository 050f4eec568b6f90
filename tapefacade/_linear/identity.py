"""`tf.linalg.LinearOperatorIdentity` and `tf.linalg.LinearOperatorScaledIdentity`."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear import hints
from tapefacade._linear.arguments import (
    adjoint_if,
    as_tensor_or_variable,
    common_batch,
    constructor_arguments,
    refuse_variable,
    register_operator,
)
from tapefacade._linear.operator import LinearOperator, assert_real
from tapefacade._ops.array.casting import cast, conj, real
from tapefacade._ops.array.creation import ones, zeros
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shaping import broadcast_to, expand_dims
from tapefacade._ops.debugging.values import assert_positive
from tapefacade._ops.linalg.diagonals import diag_part, set_diag
from tapefacade._ops.math.elementary import abs, log, sqrt


def size(value: Any, name: str) -> int:
    """Returns the number of rows or columns.

    Raises:
        TypeError: if it is no integer.
        ValueError: if it is no scalar, or negative.
    """
    refuse_variable(value, name)
    tensor = convert_to_tensor(value)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {tensor!s}")
    number = tensor.numpy()
    if number.ndim != 0:
        raise ValueError(f"Argument {name} must be a 0-D Tensor.  Found: {number}")
    if number < 0:
        raise ValueError(f"Argument {name} must be non-negative.  Found: {number}")
    return int(number)


def batch(value: Any) -> TensorShape:
    """Returns the batch shape that was given."""
    refuse_variable(value, "batch_shape")
    if value is None:
        return TensorShape([])
    if isinstance(value, TensorShape):
        return value
    empty = isinstance(value, list | tuple) and not value
    tensor = convert_to_tensor(value, dtypes.int32 if empty else None)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument batch_shape must be integer type.  Found: {tensor!s}")
    sizes = tensor.numpy()
    if sizes.ndim != 1:
        raise ValueError(f"Argument batch_shape must be a 1-D Tensor.  Found: {sizes}")
    if (sizes < 0).any():
        raise ValueError(f"Argument batch_shape must be non-negative.  Found:{sizes}")
    return TensorShape(sizes.tolist())


class OperatorAddedToMat(LinearOperator, shown="linear_operator_identity"):
    """An operator whose `add_to_tensor` takes a `mat`: the base class of identities and zeros."""

    def add_to_tensor(  # pyright: ignore[reportIncompatibleMethodOverride]  # TensorFlow's name
        self, mat: Any, name: str = "add_to_tensor"
    ) -> Any:
        """Adds the matrices to a tensor; see `tf.linalg.LinearOperator.add_to_tensor`.

        Args:
            mat: the tensor.
            name: ignored.
        """
        return super().add_to_tensor(mat)


class SizedOperator(OperatorAddedToMat, shown="linear_operator_identity"):
    """An operator that is given by its size alone."""

    _rows: int
    _columns: int
    _batch: TensorShape

    def _shape(self) -> TensorShape:
        return TensorShape([*self._batch, self._rows, self._columns])

    def _sizes(self) -> list[int | None]:
        return self.batch_shape.as_list()

    def _broadcast(self, x: Any) -> Any:
        """Returns `x` with the batch dimensions of this operator."""
        batch = common_batch([x.shape[:-2], self.batch_shape])
        return x if batch == x.shape[:-2] else broadcast_to(x, [*batch, *x.shape[-2:]])

    def _sliced(self, slices: tuple[Any, ...], batch: TensorShape) -> Any:
        sizes: Any = batch.as_list()
        shape = np.empty(sizes)[slices].shape
        return type(self)(**{**self.parameters, "batch_shape": list(shape)})


@register_operator
class LinearOperatorIdentity(SizedOperator, shown="linear_operator_identity"):
    """The identity matrix, or a stack of them.

    Args:
        num_rows: the size N of the matrices, an integer or an integer tensor.
        batch_shape: the leading dimensions.
        dtype: the dtype, float32 by default.
        is_non_singular: True.
        is_self_adjoint: True.
        is_positive_definite: True.
        is_square: True.
        assert_proper_shapes: accepted and ignored: shapes are always checked.
        name: a name.

    Raises:
        TypeError: if `num_rows` or `batch_shape` are no integers.
        ValueError: if they are negative or of a wrong shape, or the hints are wrong.

    >>> operator = tf.linalg.LinearOperatorIdentity(2)
    >>> operator.matvec([3.0, 4.0]).numpy()
    array([3., 4.], dtype=float32)
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        parameters = constructor_arguments(locals())
        for hint, what in (
            (is_self_adjoint, "self adjoint"), (is_non_singular, "non-singular"),
            (is_positive_definite, "positive-definite"), (is_square, "square"),
        ):  # fmt: skip
            if not hint:
                raise ValueError(f"An identity operator is always {what}.")
        super().__init__(
            dtype or dtypes.float32, None, True, True, True, True, name, parameters
        )  # fmt: skip
        self._rows = self._columns = size(num_rows, "num_rows")
        self._batch = batch(batch_shape)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._broadcast(adjoint_if(x, adjoint_arg))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._broadcast(adjoint_if(rhs, adjoint_arg))

    def _determinant(self) -> Any:
        return ones(self._sizes(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self._sizes(), self.dtype)

    def _trace(self) -> Any:
        return self._rows * ones(self._sizes(), self.dtype)

    def _diag_part(self) -> Any:
        return ones([*self._sizes(), self._rows], self.dtype)

    def _add_to_tensor(self, x: Any) -> Any:
        return set_diag(x, 1 + diag_part(x))

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        return ones(self._sizes(), self.dtype)

    def _assert_non_singular(self) -> None:
        pass

    def _assert_positive_definite(self) -> None:
        pass

    def _assert_self_adjoint(self) -> None:
        pass

    def _linop_adjoint(self) -> "LinearOperatorIdentity":
        return self

    def _linop_inverse(self) -> "LinearOperatorIdentity":
        return self

    def _linop_cholesky(self) -> "LinearOperatorIdentity":
        return LinearOperatorIdentity(self._rows, self._batch, self.dtype)


@register_operator
class LinearOperatorScaledIdentity(OperatorAddedToMat, shown="linear_operator_identity"):
    """A multiple of the identity matrix, or a stack of them.

    Args:
        num_rows: the size N of the matrices, an integer or an integer tensor.
        multiplier: the multiples, a tensor or variable of the batch shape.
        is_non_singular: whether the matrices have inverses.
        is_self_adjoint: whether they are their own conjugate transposes; real ones always are.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: True.
        assert_proper_shapes: accepted and ignored: shapes are always checked.
        name: a name.

    Raises:
        TypeError: if `num_rows` is no integer.
        ValueError: if it is negative or no scalar, or the hints are wrong.

    >>> operator = tf.linalg.LinearOperatorScaledIdentity(2, 3.0)
    >>> operator.matvec([1.0, 2.0]).numpy()
    array([3., 6.], dtype=float32)
    """

    _experimental_parameter_ndims_to_matrix_ndims = {"multiplier": 0}  # noqa: RUF012

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        parameters = constructor_arguments(locals())
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        self._multiplier = as_tensor_or_variable(multiplier)
        if not self._multiplier.dtype.is_complex:
            is_self_adjoint = hints.fixed_hint(is_self_adjoint, True, hints.MESSAGE_REAL_DIAGONAL)
        super().__init__(
            self._multiplier.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name, parameters,
        )  # fmt: skip
        self._rows = size(num_rows, "num_rows")

    @property
    def multiplier(self) -> Any:
        """The multiples."""
        return self._multiplier

    def _shape(self) -> TensorShape:
        return TensorShape([*self._multiplier.shape, self._rows, self._rows])

    def _matrix(self, adjoint: bool) -> Any:
        values = convert_to_tensor(self._multiplier)
        return (conj(values) if adjoint else values)[..., None, None]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return adjoint_if(x, adjoint_arg) * self._matrix(adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return adjoint_if(rhs, adjoint_arg) / self._matrix(adjoint)

    def _determinant(self) -> Any:
        return self._multiplier ** cast(self._rows, self.dtype)

    def _log_abs_determinant(self) -> Any:
        return self._rows * log(abs(self._multiplier))

    def _trace(self) -> Any:
        return self._multiplier * self._rows

    def _diag_part(self) -> Any:
        return expand_dims(self._multiplier, -1) * ones([self._rows], self.dtype)

    def _add_to_tensor(self, x: Any) -> Any:
        return set_diag(x, expand_dims(self._multiplier, -1) + diag_part(x))

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        nan, one = cast(np.nan, self.dtype), cast(1.0, self.dtype)
        return where(convert_to_tensor(self._multiplier) == 0, nan, one)

    def _assert_non_singular(self) -> None:
        assert_positive(abs(self._multiplier), message="LinearOperator was singular")

    def _assert_positive_definite(self) -> None:
        message = "LinearOperator was not positive definite."
        assert_positive(real(self._multiplier), message=message)

    def _assert_self_adjoint(self) -> None:
        assert_real(self._multiplier, "LinearOperator was not self-adjoint")

    def _linop_adjoint(self) -> "LinearOperatorScaledIdentity":
        return LinearOperatorScaledIdentity(self._rows, conj(self._multiplier), **hints.of(self))

    def _linop_inverse(self) -> "LinearOperatorScaledIdentity":
        kwargs = {**hints.of(self), "is_self_adjoint": True}
        return LinearOperatorScaledIdentity(
            self._rows, 1.0 / convert_to_tensor(self._multiplier), **kwargs
        )

    def _linop_cholesky(self) -> "LinearOperatorScaledIdentity":
        return LinearOperatorScaledIdentity(
            self._rows, sqrt(self._multiplier), is_non_singular=True, is_self_adjoint=True,
            is_positive_definite=True, is_square=True,
        )  # fmt: skip
