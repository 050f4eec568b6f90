"""`tf.linalg.LinearOperatorPermutation`: matrices that exchange rows."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear.arguments import (
    adjoint_if,
    as_tensor_or_variable,
    common_batch,
    constructor_arguments,
    is_below_rank,
    register_operator,
)
from tapefacade._linear.operator import LinearOperator
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.creation import ones, range as number_range, zeros
from tapefacade._ops.array.gathering import gather
from tapefacade._ops.array.shaping import broadcast_to
from tapefacade._ops.array.sorting import argsort


@register_operator
class LinearOperatorPermutation(LinearOperator, shown="linear_operator_permutation"):
    """A matrix that exchanges rows, or a stack of them.

    Args:
        perm: which row of a factor each row of the product is: a tensor or variable of shape
            `[..., N]` of integers, each from 0 to N - 1 once.
        dtype: the dtype of the entries.
        is_non_singular: True or None.
        is_self_adjoint: whether the matrices are symmetric.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: True or None.
        name: a name.

    Raises:
        ValueError: if `perm` is a scalar or no permutation, or the hints are wrong.
        TypeError: if it holds no integers.

    >>> tf.linalg.LinearOperatorPermutation([2, 0, 1]).matvec([5.0, 6.0, 7.0]).numpy()
    array([7., 5., 6.], dtype=float32)
    """

    _experimental_parameter_ndims_to_matrix_ndims = {"perm": 1}  # noqa: RUF012

    def __init__(
        self,
        perm: Any,
        dtype: Any = dtypes.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        parameters = constructor_arguments(locals())
        self._perm = as_tensor_or_variable(perm)
        self._check_perm()
        for key, text in (("is_non_singular", "non-singular"), ("is_square", "square")):
            if parameters[key] is False:
                raise ValueError(
                    f"A Permutation operator is always {text}. Expected argument `{key}` to be "
                    "True. Received: False."
                )
        super().__init__(
            dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name,
            parameters,
        )  # fmt: skip

    def _check_perm(self) -> None:
        perm = self._perm
        if is_below_rank(perm, 1):
            raise ValueError(f"Argument `perm` must have at least 1 dimension. Received: {perm}.")
        if not perm.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be integer dtype. Received: {perm}.")
        size = perm.shape[-1]
        if np.any(np.sort(perm.numpy(), axis=-1) != np.arange(size)):
            raise ValueError(
                f"Argument `perm` must be a vector of unique integers from 0 to {size - 1}."
            )

    @property
    def perm(self) -> Any:
        """The permutations."""
        return self._perm

    def _shape(self) -> TensorShape:
        return self._perm.shape + self._perm.shape[-1:]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x, perm = adjoint_if(x, adjoint_arg), convert_to_tensor(self._perm)
        if adjoint and not self.is_self_adjoint:
            perm = argsort(perm, axis=-1)
        batch: Any = common_batch([x.shape[:-2], perm.shape[:-1]])
        x = broadcast_to(x, batch + x.shape[-2:])
        perm = broadcast_to(perm, batch + perm.shape[-1:])
        return gather(x, perm, axis=-2, batch_dims=batch.rank)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, not adjoint, adjoint_arg)

    def _columns(self) -> Any:
        return number_range(self._perm.shape[-1], dtype=self._perm.dtype)

    def _to_dense(self) -> Any:
        return cast(self._columns() == convert_to_tensor(self._perm)[..., None], self.dtype)

    def _diag_part(self) -> Any:
        return cast(self._columns() == convert_to_tensor(self._perm), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self.batch_shape.as_list(), self.dtype)

    def _cond(self) -> Any:
        return ones(self.batch_shape.as_list(), self.dtype)

    def _assert_non_singular(self) -> None:
        pass
