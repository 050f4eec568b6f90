"""`tf.linalg.LinearOperatorBlockDiag`: operators along a diagonal."""

from typing import Any

from tapefacade._linear import hints
from tapefacade._linear.arguments import (
    check_operators,
    constructor_arguments,
    register_operator,
    same_batch,
)
from tapefacade._linear.blockwise import BlockwiseOperator
from tapefacade._linear.operator import LinearOperator
from tapefacade._linear.product_registry import product, quotient
from tapefacade._ops.array.joining import concat
from tapefacade._ops.array.padding import pad


@register_operator
class LinearOperatorBlockDiag(BlockwiseOperator, shown="linear_operator_block_diag"):
    """A matrix with operators along its diagonal and zeros elsewhere.

    Args:
        operators: a list of operators.
        is_non_singular: whether the matrix has an inverse; it has if all operators have.
        is_self_adjoint: whether it is its own conjugate transpose.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: whether it is square.
        name: a name, by default the names of the operators, joined.

    Raises:
        ValueError: if the list is empty, or the hints are wrong.
        TypeError: if the operators have different dtypes.

    >>> diag = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> full = tf.linalg.LinearOperatorFullMatrix([[3.0]])
    >>> tf.linalg.LinearOperatorBlockDiag([diag, full]).to_dense().numpy()
    array([[1., 0., 0.],
           [0., 2., 0.],
           [0., 0., 3.]], dtype=float32)
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        parameters = constructor_arguments(locals())
        self._operators = operators = check_operators(operators)
        implied = {
            key: hints.from_parts(
                parameters[key],
                [getattr(o, key) for o in operators],
                f"The direct sum of {text} operators is always {text}.",
            )
            for key, text in (
                ("is_non_singular", "non-singular"), ("is_self_adjoint", "self-adjoint"),
                ("is_positive_definite", "positive definite"),
            )
        }  # fmt: skip
        super().__init__(
            operators[0].dtype, is_square=is_square, parameters=parameters,
            name=name or "_ds_".join(o.name for o in operators), **implied,
        )  # fmt: skip

    @property
    def operators(self) -> list[Any]:
        """The operators."""
        return self._operators

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        return {"operators": [0] * len(self._operators)}

    @property
    def _diagonal_blocks(self) -> list[Any]:
        return self._operators

    @property
    def _all_blocks(self) -> list[Any]:
        return self._operators

    def _block_products(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        pairs = zip(self._operators, blocks, strict=True)
        return [operator.matmul(block, adjoint=adjoint) for operator, block in pairs]

    def _block_solutions(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        pairs = zip(self._operators, blocks, strict=True)
        return [operator.solve(block, adjoint=adjoint) for operator, block in pairs]

    def _check_blocks(self, what: str) -> None:
        if not all(o.is_square for o in self._operators):
            raise NotImplementedError(
                f"`{what}` not implemented for an operator whose blocks are not square."
            )

    def _diag_part(self) -> Any:
        self._check_blocks("diag_part")
        return super()._diag_part()

    def _trace(self) -> Any:
        self._check_blocks("trace")
        return super()._trace()

    def _eigvals(self) -> Any:
        self._check_blocks("eigvals")
        return super()._eigvals()

    def _to_dense(self) -> Any:
        rows, before = [], 0
        size: Any = self.shape[-1]
        for block in same_batch([o.to_dense() for o in self._operators]):
            after = size - before - block.shape[-1]
            leading = [[0, 0]] * (block.shape.rank - 1)
            rows.append(pad(block, [*leading, [before, after]]))
            before += block.shape[-1]
        return concat(rows, axis=-2)

    def _assert_self_adjoint(self) -> None:
        for operator in self._operators:
            operator.assert_self_adjoint()

    def _assert_positive_definite(self) -> None:
        for operator in self._operators:
            operator.assert_positive_definite()

    def _linop_adjoint(self) -> LinearOperator:
        return LinearOperatorBlockDiag([o.adjoint() for o in self._operators], **hints.of(self))

    def _linop_inverse(self) -> LinearOperator:
        return LinearOperatorBlockDiag([o.inverse() for o in self._operators], **hints.of(self))

    def _linop_cholesky(self) -> LinearOperator:
        factors = [o.cholesky() for o in self._operators]
        return LinearOperatorBlockDiag(factors, is_non_singular=True, is_square=True)


def _pairs(left: Any, right: Any, message: str) -> list[tuple[Any, Any]]:
    """Returns the blocks of both operators that meet.

    Raises:
        ValueError: if they do not fit together.
    """
    if len(left.operators) != len(right.operators):
        raise ValueError(message)
    pairs = list(zip(left.operators, right.operators, strict=True))
    for one, other in pairs:
        if other.range_dimension != one.domain_dimension:
            raise ValueError(
                "Blocks are incompatible. Expected `x` to have dimension "
                f"{one.domain_dimension} but got {other.range_dimension}."
            )
    return pairs


@product(LinearOperatorBlockDiag, LinearOperatorBlockDiag)
def _product(left: Any, right: Any) -> Any:
    message = (
        "Can not efficiently multiply two `LinearOperatorBlockDiag`s together when number of "
        "blocks differ."
    )
    blocks = [one.matmul(other) for one, other in _pairs(left, right, message)]
    non_singular = hints.non_singular(left, right)
    return LinearOperatorBlockDiag(blocks, is_non_singular=non_singular, is_square=True)


@quotient(LinearOperatorBlockDiag, LinearOperatorBlockDiag)
def _quotient(left: Any, right: Any) -> Any:
    message = "Can not efficiently solve `LinearOperatorBlockDiag` when number of blocks differ."
    blocks = [one.solve(other) for one, other in _pairs(left, right, message)]
    non_singular = hints.non_singular(left, right)
    return LinearOperatorBlockDiag(blocks, is_non_singular=non_singular, is_square=True)
