"""`tf.linalg.LinearOperatorTridiag`: tridiagonal matrices."""

from typing import Any

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear.arguments import (
    adjoint_if,
    as_tensor_or_variable,
    common_batch,
    constructor_arguments,
    register_operator,
)
from tapefacade._linear.operator import MESSAGE_NOT_ADJOINT, LinearOperator, assert_real
from tapefacade._ops.array.casting import conj
from tapefacade._ops.array.joining import stack
from tapefacade._ops.array.shaping import broadcast_to, roll
from tapefacade._ops.debugging.values import assert_equal
from tapefacade._ops.linalg.diagonals import diag, diag_part
from tapefacade._ops.linalg.products import adjoint as adjoint_matrix
from tapefacade._ops.linalg.tridiagonal import tridiagonal_matmul, tridiagonal_solve


@register_operator
class LinearOperatorTridiag(LinearOperator, shown="linear_operator_tridiag"):
    """A tridiagonal matrix, or a stack of them.

    Products and solutions take time proportional to the size.

    Args:
        diagonals: the diagonals above, on and below the main one. `"compact"`: a tensor of shape
            `[..., 3, N]`; `"sequence"`: three tensors of shape `[..., N]`; `"matrix"`: the
            matrices themselves, of shape `[..., N, N]`. The last number above and the first one
            below are not read.
        diagonals_format: what `diagonals` is.
        is_non_singular: whether the matrices have inverses.
        is_self_adjoint: whether they are their own conjugate transposes.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: whether they are square.
        name: a name.

    Raises:
        ValueError: if `diagonals_format` is none of these, or the hints contradict each other.

    >>> operator = tf.linalg.LinearOperatorTridiag([[1.0, 0.0], [2.0, 2.0], [0.0, 3.0]])
    >>> operator.to_dense().numpy()
    array([[2., 1.],
           [3., 2.]], dtype=float32)
    """

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        parameters = constructor_arguments(locals())
        if diagonals_format not in ("compact", "matrix", "sequence"):
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. "
                f"Received : {diagonals_format}."
            )
        self._format = diagonals_format
        if diagonals_format == "sequence":
            self._diagonals: Any = [as_tensor_or_variable(diagonal) for diagonal in diagonals]
            dtype = self._diagonals[0].dtype
        else:
            self._diagonals = as_tensor_or_variable(diagonals)
            dtype = self._diagonals.dtype
        super().__init__(
            dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name,
            parameters,
        )  # fmt: skip

    @property
    def diagonals(self) -> Any:
        """The diagonals as they were given."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """What `diagonals` is."""
        return self._format

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        return {"diagonals": [1, 1, 1] if self._format == "sequence" else 2}

    def _shape(self) -> TensorShape:
        if self._format == "matrix":
            return self._diagonals.shape
        if self._format == "compact":
            batch, size = self._diagonals.shape[:-2], self._diagonals.shape[-1]
        else:
            batch = common_batch([diagonal.shape[:-1] for diagonal in self._diagonals])
            size = self._diagonals[1].shape[-1]
        return TensorShape([*batch, size, size])

    def _rows(self, adjoint: bool = False) -> list[Any]:
        """Returns the diagonals above, on and below the main one."""
        if self._format == "sequence":
            batch = self.batch_shape + self.shape[-1:]
            rows = [broadcast_to(diagonal, batch) for diagonal in self._diagonals]
        else:
            compact = convert_to_tensor(self._diagonals)
            if self._format == "matrix":
                compact = diag_part(compact, k=(-1, 1), align="LEFT_RIGHT")
            rows = [compact[..., place, :] for place in range(3)]
        if not adjoint:
            return rows
        above, diagonal, below = [conj(row) for row in rows]
        return [roll(below, -1, -1), diagonal, roll(above, 1, -1)]

    def _with(self, x: Any, adjoint: bool) -> tuple[Any, Any]:
        """Returns the compact form and `x`, with their leading dimensions broadcast."""
        compact = stack(self._rows(adjoint), axis=-2)
        batch = common_batch([compact.shape[:-2], x.shape[:-2]])
        compact = broadcast_to(compact, batch + compact.shape[-2:])
        return compact, broadcast_to(x, batch + x.shape[-2:])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return tridiagonal_matmul(*self._with(adjoint_if(x, adjoint_arg), adjoint))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return tridiagonal_solve(*self._with(adjoint_if(rhs, adjoint_arg), adjoint))

    def _diag_part(self) -> Any:
        return self._rows()[1]

    def _to_dense(self) -> Any:
        if self._format == "matrix":
            return convert_to_tensor(self._diagonals)
        return diag(stack(self._rows(), axis=-2), k=(-1, 1), align="LEFT_RIGHT")

    def _assert_self_adjoint(self) -> None:
        if self._format == "matrix":
            dense = self._diagonals
            assert_equal(dense, adjoint_matrix(dense), message=MESSAGE_NOT_ADJOINT)
            return
        above, diagonal, below = self._rows()
        assert_real(
            diagonal,
            "This tridiagonal operator contained non-zero imaginary values on the diagonal.",
        )
        message = "This tridiagonal operator has non-conjugate subdiagonal and superdiagonal."
        assert_equal(conj(below[..., 1:]), above[..., :-1], message=message)
