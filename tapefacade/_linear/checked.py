"""The checks of linear operators that look at values."""

import abc
from typing import Any

import numpy as np

from tapefacade._core.logging import get_logger
from tapefacade._linear.described import Described
from tapefacade._ops.casting import cast, imag
from tapefacade._ops.debugging import assert_equal, assert_less, assert_positive
from tapefacade._ops.diagonals import diag_part
from tapefacade._ops.elementwise import abs
from tapefacade._ops.factorizations import cholesky, svd
from tapefacade._ops.products import adjoint
from tapefacade._ops.reduction import reduce_max, reduce_min

MESSAGE_SLOW = (
    "Using (possibly slow) default implementation of {}.  Requires conversion to a dense matrix{}."
)


def slow(what: str, cubic: bool = True) -> None:
    """Logs that a structure does not help with something."""
    costs = " and O(N^3) operations" if cubic else ""
    get_logger().warning(MESSAGE_SLOW.format(what, costs))


def assert_no_zeros(values: Any, message: str) -> None:
    """Raises if a number is zero."""
    sizes = abs(values)
    assert_less(cast(0, sizes.dtype), sizes, message=message)


def assert_real(values: Any, message: str) -> None:
    """Raises if a number has an imaginary part."""
    if values.dtype.is_complex:
        parts = imag(values)
        assert_equal(cast(0, parts.dtype), parts, message=message)


class Checked(Described):
    """The checks of linear operators, most of which need the dense matrices."""

    @abc.abstractmethod
    def to_dense(self, name: str = "to_dense") -> Any:
        """Returns the matrices."""

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """Checks that all matrices have inverses, up to the precision of their type.

        Args:
            name: ignored.

        Raises:
            InvalidArgumentError: if one has none.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).assert_non_singular()
        """
        self._assert_non_singular()

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """Checks that `x^H A x` has a positive real part for every x and every matrix A.

        Args:
            name: ignored.

        Raises:
            InvalidArgumentError: if it has not.
            NotImplementedError: if that cannot be found out for operators of this kind.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).assert_positive_definite()
        """
        self._assert_positive_definite()

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Checks that all matrices are their own conjugate transposes.

        Args:
            name: ignored.

        Raises:
            InvalidArgumentError: if one is not.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).assert_self_adjoint()
        """
        self._assert_self_adjoint()

    def _assert_non_singular(self) -> None:
        slow("assert_non_singular")
        if self._can_use_cholesky():
            self.assert_positive_definite()
            return
        values = svd(self.to_dense(), compute_uv=False)
        condition = reduce_max(values, axis=-1) / reduce_min(values, axis=-1)
        size = max(100.0, *(float(self.shape[place] or 0) for place in (-2, -1)))
        most = 1 / (size * np.finfo(self.dtype.as_numpy_dtype).eps)
        message = "Singular matrix up to precision epsilon."
        assert_less(condition, cast(most, condition.dtype), message=message)

    def _assert_positive_definite(self) -> None:
        slow("assert_positive_definite")
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        pivots = diag_part(cholesky(self.to_dense()))
        assert_positive(pivots, message="Matrix was not positive definite.")

    def _assert_self_adjoint(self) -> None:
        dense = self.to_dense()
        slow("assert_self_adjoint", cubic=False)
        assert_equal(dense, adjoint(dense), message="Matrix was not equal to its adjoint.")
