"""What linear operators compute of themselves: dense matrices, diagonals, determinants."""

import abc
from typing import Any

from tapefacade._core.convert import convert_to_tensor
from tapefacade._linear.checked import Checked, slow
from tapefacade._ops.creation import eye
from tapefacade._ops.diagonals import diag_part
from tapefacade._ops.elementwise import abs, exp, log
from tapefacade._ops.factorizations import cholesky, eigvalsh, svd
from tapefacade._ops.reduction import reduce_max, reduce_min, reduce_sum
from tapefacade._ops.solving import det, slogdet


class Measured(Checked):
    """The functions of linear operators that give tensors and take none."""

    @abc.abstractmethod
    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """Multiplies with matrices."""

    @abc.abstractmethod
    def _check_input_dtype(self, arg: Any) -> None:
        """Refuses tensors of another dtype."""

    def to_dense(self, name: str = "to_dense") -> Any:
        """Returns the matrices as a tensor.

        Args:
            name: ignored.

        Returns:
            A tensor of shape `[..., M, N]`.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).to_dense().numpy()
        array([[1., 0.],
               [0., 2.]], dtype=float32)
        """
        return self._to_dense()

    def _to_dense(self) -> Any:
        size: Any = self.domain_dimension.value
        return self.matmul(eye(size, batch_shape=self.batch_shape.as_list(), dtype=self.dtype))

    def diag_part(self, name: str = "diag_part") -> Any:
        """Returns the diagonals.

        Args:
            name: ignored.

        Returns:
            A tensor of shape `[..., min(M, N)]`.

        >>> tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]).diag_part().numpy()
        array([1., 4.], dtype=float32)
        """
        return self._diag_part()

    def _diag_part(self) -> Any:
        return diag_part(self.to_dense())

    def trace(self, name: str = "trace") -> Any:
        """Returns the sums of the diagonals.

        Args:
            name: ignored.

        Returns:
            A tensor of the batch shape.

        >>> tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]).trace().numpy()
        np.float32(5.0)
        """
        return self._trace()

    def _trace(self) -> Any:
        return reduce_sum(self.diag_part(), axis=-1)

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        """Adds the matrices to a tensor.

        Args:
            x: a tensor of shape `[..., M, N]`.
            name: ignored.

        Returns:
            A tensor of that shape.

        Raises:
            TypeError: if `x` has another dtype.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).add_to_tensor(tf.ones([2, 2])).numpy()
        array([[2., 1.],
               [1., 3.]], dtype=float32)
        """
        x = convert_to_tensor(x)
        self._check_input_dtype(x)
        return self._add_to_tensor(x)

    def _add_to_tensor(self, x: Any) -> Any:
        return self.to_dense() + x

    def determinant(self, name: str = "det") -> Any:
        """Returns the determinants.

        Args:
            name: ignored.

        Returns:
            A tensor of the batch shape.

        Raises:
            NotImplementedError: if the operator is known not to be square.

        >>> tf.linalg.LinearOperatorDiag([2.0, 3.0]).determinant().numpy()
        np.float32(6.0)
        """
        self._check_square()
        return self._determinant()

    def _check_square(self) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                "Determinant not implemented for an operator that is expected to not be square."
            )

    def _determinant(self) -> Any:
        slow("determinant")
        if self._can_use_cholesky():
            return exp(self.log_abs_determinant())
        return det(self.to_dense())

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """Returns the logarithms of the absolute values of the determinants.

        Args:
            name: ignored.

        Returns:
            A tensor of the batch shape.

        Raises:
            NotImplementedError: if the operator is known not to be square.

        >>> tf.linalg.LinearOperatorDiag([2.0, -0.5]).log_abs_determinant().numpy()
        np.float32(0.0)
        """
        self._check_square()
        return self._log_abs_determinant()

    def _log_abs_determinant(self) -> Any:
        slow("determinant")
        if self._can_use_cholesky():
            return 2 * reduce_sum(log(diag_part(cholesky(self.to_dense()))), axis=-1)
        return slogdet(self.to_dense()).log_abs_determinant

    def eigvals(self, name: str = "eigvals") -> Any:
        """Returns the eigenvalues.

        Args:
            name: ignored.

        Returns:
            A tensor of shape `[..., M]`, in an order that depends on the kind of operator.

        Raises:
            NotImplementedError: if the operator is not known to be self-adjoint.

        >>> tf.linalg.LinearOperatorDiag([2.0, 1.0]).eigvals().numpy()
        array([2., 1.], dtype=float32)
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def _eigvals(self) -> Any:
        return eigvalsh(self.to_dense())

    def cond(self, name: str = "cond") -> Any:
        """Returns the condition numbers: the greatest singular values through the smallest.

        Args:
            name: ignored.

        Returns:
            A tensor of the batch shape.

        >>> tf.linalg.LinearOperatorDiag([2.0, -4.0]).cond().numpy()
        np.float32(2.0)
        """
        return self._cond()

    def _cond(self) -> Any:
        if self.is_self_adjoint:
            return ratio(abs(self._eigvals()))
        return ratio(svd(self.to_dense(), compute_uv=False))


def ratio(values: Any) -> Any:
    """Returns the greatest of the last dimension through the smallest."""
    return reduce_max(values, axis=-1) / reduce_min(values, axis=-1)
