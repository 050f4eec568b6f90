"""`tf.linalg.LinearOperatorToeplitz`: matrices with constant diagonals."""

from typing import Any

import numpy as np

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear import hints
from tapefacade._linear.arguments import (
    adjoint_if,
    as_complex,
    as_tensor_or_variable,
    common_batch,
    constructor_arguments,
    is_below_rank,
    register_operator,
)
from tapefacade._linear.circulant import LinearOperatorCirculant
from tapefacade._linear.operator import LinearOperator
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import zeros_like
from tapefacade._ops.array.creation import ones
from tapefacade._ops.array.gathering import gather
from tapefacade._ops.array.joining import concat
from tapefacade._ops.array.shaping import broadcast_to, reverse
from tapefacade._ops.debugging.values import assert_equal
from tapefacade._ops.signal.fourier import fft


@register_operator
class LinearOperatorToeplitz(LinearOperator, shown="linear_operator_toeplitz"):
    """A matrix whose diagonals are constant, or a stack of them.

    Products are computed with Fourier transforms, in a time of `O(N log N)`.

    Args:
        col: the first columns, a tensor or variable of shape `[..., N]`.
        row: the first rows, of the same shape; their first numbers are not read.
        is_non_singular: whether the matrices have inverses.
        is_self_adjoint: whether they are their own conjugate transposes.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: True or None.
        name: a name.

    Raises:
        ValueError: if `col` or `row` is a scalar, or they differ in size, or the hints are wrong.

    >>> operator = tf.linalg.LinearOperatorToeplitz([1.0, 2.0, 3.0], [1.0, 5.0, 6.0])
    >>> operator.to_dense().numpy()
    array([[1., 5., 6.],
           [2., 1., 5.],
           [3., 2., 1.]], dtype=float32)
    """

    _experimental_parameter_ndims_to_matrix_ndims = {"col": 1, "row": 1}  # noqa: RUF012

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        parameters = constructor_arguments(locals())
        self._row, self._col = as_tensor_or_variable(row), as_tensor_or_variable(col)
        for key, vector in (("row", self._row), ("col", self._col)):
            if is_below_rank(vector, 1):
                raise ValueError(f"Argument {key} must have at least 1 dimension.  Found: {vector}")
        if self._row.shape[-1] != self._col.shape[-1]:
            raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
        message = "Only square Toeplitz operators currently supported."
        is_square = hints.fixed_hint(is_square, True, message)
        super().__init__(
            self._row.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name, parameters,
        )  # fmt: skip

    @property
    def col(self) -> Any:
        """The first columns."""
        return self._col

    @property
    def row(self) -> Any:
        """The first rows."""
        return self._row

    def _shape(self) -> TensorShape:
        shape = common_batch([self._row.shape, self._col.shape])
        return shape + shape[-1:]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x, row, col = (
            adjoint_if(x, adjoint_arg),
            convert_to_tensor(self._row),
            convert_to_tensor(self._col),
        )
        batch = common_batch([row.shape, col.shape])
        row, col = broadcast_to(row, batch), broadcast_to(col, batch)
        # A circulant matrix of twice the size, with this one in its upper left corner.
        parts = [col, zeros_like(col[..., :1]), reverse(row[..., 1:], axis=[-1])]
        spectrum = fft(as_complex(concat(parts, axis=-1)))
        circulant = LinearOperatorCirculant(spectrum, input_output_dtype=self.dtype)
        longer = concat([x, zeros_like(x)], axis=-2)
        result = circulant.matmul(longer, adjoint=adjoint)
        return result[..., : self.shape[-1], :]

    def _trace(self) -> Any:
        return cast(self.shape[-1], self.dtype) * convert_to_tensor(self._col)[..., 0]

    def _diag_part(self) -> Any:
        return convert_to_tensor(self._col)[..., :1] * ones([self.shape[-1]], self.dtype)

    def _to_dense(self) -> Any:
        row, col = convert_to_tensor(self._row), convert_to_tensor(self._col)
        batch = common_batch([row.shape, col.shape])
        row, col = broadcast_to(row, batch), broadcast_to(col, batch)
        size = self.shape[-1]
        assert size is not None
        places = np.arange(size)
        entries = concat([reverse(col, axis=[-1]), row[..., 1:]], axis=-1)
        return gather(entries, places + (size - 1 - places)[:, None], axis=-1)

    def _assert_self_adjoint(self) -> None:
        message = "row and col are not the same, and so this operator is not self-adjoint."
        assert_equal(self._row, self._col, message=message)
