"""`tf.linalg.LinearOperatorLowRankUpdate`: operators plus matrices of low rank."""

from typing import Any

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.dimension import Dimension
from tapefacade._core.logging import get_logger
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear.arguments import (
    as_tensor_or_variable,
    common_batch,
    constructor_arguments,
    register_operator,
    solve_broadcast,
)
from tapefacade._linear.diagonal import LinearOperatorDiag
from tapefacade._linear.identity import LinearOperatorIdentity
from tapefacade._linear.operator import LinearOperator
from tapefacade._ops.array.casting import cast, conj
from tapefacade._ops.array.shaping import expand_dims
from tapefacade._ops.linalg.diagonals import diag_part
from tapefacade._ops.linalg.factorizations import cholesky
from tapefacade._ops.linalg.products import matmul
from tapefacade._ops.linalg.solving import cholesky_solve, det
from tapefacade._ops.math.elementary import abs, exp, log
from tapefacade._ops.math.reduction import reduce_sum


@register_operator
class LinearOperatorLowRankUpdate(LinearOperator, shown="linear_operator_low_rank_update"):
    """An operator plus a matrix of low rank: `L + U D V^H`.

    Equations are solved by the Woodbury identity and determinants computed by the matrix
    determinant lemma, which takes little more time than for L alone if the rank K is small.

    Args:
        base_operator: the operator L, of shape `[..., M, N]`.
        u: a tensor or variable of shape `[..., M, K]`.
        diag_update: the diagonal of D, of shape `[..., K]`; ones by default.
        v: a tensor or variable of shape `[..., N, K]`; by default `u`.
        is_diag_update_positive: whether `diag_update` is positive; together with a positive
            definite L, and without `v`, it lets Cholesky factors be used.
        is_non_singular: whether the sum has an inverse.
        is_self_adjoint: whether it is its own conjugate transpose.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: whether it is square.
        name: a name.

    Raises:
        ValueError: if the shapes do not fit together, or the hints are wrong.

    >>> base = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> tf.linalg.LinearOperatorLowRankUpdate(base, [[1.0], [1.0]]).to_dense().numpy()
    array([[2., 1.],
           [1., 3.]], dtype=float32)
    """

    def __init__(
        self,
        base_operator: Any,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        parameters = constructor_arguments(locals())
        dtype = base_operator.dtype
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError(
                    "Default diagonal is the identity, which is positive.  However, user set "
                    "'is_diag_update_positive' to False."
                )
            is_diag_update_positive = True
        elif is_diag_update_positive and dtype.is_complex:
            get_logger().warning(
                "Note: setting is_diag_update_positive with a complex dtype means that diagonal "
                "is real and positive."
            )
        symmetric = base_operator.is_self_adjoint and v is None
        self._use_cholesky = bool(
            symmetric and base_operator.is_positive_definite and is_diag_update_positive
        )
        if symmetric and not dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is "
                    "self-adjoint, this must be a self-adjoint operator."
                )
            is_self_adjoint = True
        if self._use_cholesky:
            if False in (is_positive_definite, is_self_adjoint, is_non_singular):
                raise ValueError("Arguments imply this is self-adjoint positive-definite operator.")
            is_positive_definite = is_self_adjoint = True
        self._u = as_tensor_or_variable(u)
        self._v = self._u if v is None else as_tensor_or_variable(v)
        self._diag_update = as_tensor_or_variable(diag_update)
        self._base_operator = base_operator
        self._is_diag_update_positive = is_diag_update_positive
        super().__init__(
            dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name,
            parameters,
        )  # fmt: skip
        if self._diag_update is None:
            self._diag_operator: Any = LinearOperatorIdentity(self._u.shape[-1], dtype=dtype)
        else:
            self._diag_operator = LinearOperatorDiag(
                self._diag_update, is_positive_definite=is_diag_update_positive
            )
        self._check_shapes()

    def _check_shapes(self) -> None:
        batch = common_batch([self._u.shape[:-2], self._v.shape[:-2]])
        common = self._u.shape[-2:].merge_with(self._v.shape[-2:])
        assert batch is not None
        self._base_operator.domain_dimension.assert_is_compatible_with(common[-2])
        if self._diag_update is not None:
            Dimension(common[-1]).assert_is_compatible_with(self._diag_update.shape[-1])

    @property
    def base_operator(self) -> Any:
        """The operator L."""
        return self._base_operator

    @property
    def u(self) -> Any:
        """The left factor U."""
        return self._u

    @property
    def v(self) -> Any:
        """The right factor V, which is U if none was given."""
        return self._v

    @property
    def diag_update(self) -> Any:
        """The diagonal of D as it was given."""
        return self._diag_update

    @property
    def diag_operator(self) -> Any:
        """The diagonal matrix D as an operator."""
        return self._diag_operator

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether D is known to be positive."""
        return self._is_diag_update_positive

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        return {"base_operator": 0, "u": 2, "diag_update": 1, "v": 2}

    def _shape(self) -> TensorShape:
        batches = [self._base_operator.batch_shape, self._diag_operator.batch_shape]
        batch = common_batch([*batches, self._u.shape[:-2], self._v.shape[:-2]])
        return batch + self._base_operator.shape[-2:]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        inner = matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg)
        update = matmul(left, self._diag_operator.matmul(inner, adjoint=adjoint))
        return self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) + update

    def _capacitance(self) -> Any:
        """Returns `D^-1 + V^H L^-1 U`, a matrix of the size of the rank."""
        inner = matmul(
            self._v, self._base_operator.solve(convert_to_tensor(self._u)), adjoint_a=True
        )
        return self._diag_operator.inverse().add_to_tensor(inner)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        base = self._base_operator
        if base.is_non_singular is False:
            raise ValueError(
                "Solve not implemented unless this is a perturbation of a non-singular "
                "LinearOperator."
            )
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        first = base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul(right, first, adjoint_a=True)
        if self._use_cholesky:
            inner = cholesky_solve(cholesky(self._capacitance()), inner)
        else:
            inner = solve_broadcast(self._capacitance(), inner, adjoint)
        return first - base.solve(matmul(left, inner), adjoint=adjoint)

    def _determinant(self) -> Any:
        if self.is_positive_definite:
            return exp(self.log_abs_determinant())
        base, diagonal = self._base_operator, self._diag_operator
        return det(self._capacitance()) * diagonal.determinant() * base.determinant()

    def _log_abs_determinant(self) -> Any:
        if self._use_cholesky:
            pivots = diag_part(cholesky(self._capacitance()))
            result = 2 * reduce_sum(log(pivots), axis=-1)
        else:
            result = cast(log(abs(det(self._capacitance()))), self.dtype)
        result = result + self._diag_operator.log_abs_determinant()
        return result + self._base_operator.log_abs_determinant()

    def _diag_part(self) -> Any:
        product = convert_to_tensor(self._u) * conj(self._v)
        if self._diag_update is not None:
            product = product * expand_dims(self._diag_update, -2)
        return reduce_sum(product, axis=-1) + self._base_operator.diag_part()

    def _assert_self_adjoint(self) -> None:
        if self._u is self._v and self._diag_update is None:
            self._base_operator.assert_self_adjoint()
        else:
            super()._assert_self_adjoint()
