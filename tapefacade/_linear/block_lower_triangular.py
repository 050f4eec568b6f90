"""`tf.linalg.LinearOperatorBlockLowerTriangular`: operators on and below a diagonal."""

from typing import Any

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._linear.arguments import constructor_arguments, register_operator, same_batch, total
from tapefacade._linear.blockwise import BlockwiseOperator
from tapefacade._linear.diagonal import LinearOperatorDiag
from tapefacade._linear.full_matrix import LinearOperatorFullMatrix
from tapefacade._linear.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from tapefacade._linear.lower_triangular import LinearOperatorLowerTriangular
from tapefacade._linear.operator import LinearOperator
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.joining import concat
from tapefacade._ops.array.padding import pad
from tapefacade._ops.debugging.shapes import assert_proper_iterable
from tapefacade._ops.math.elementary import exp


@register_operator
class LinearOperatorBlockLowerTriangular(
    BlockwiseOperator, shown="linear_operator_block_lower_triangular"
):
    """A matrix with operators on and below its diagonal and zeros above it.

    Args:
        operators: a list of rows: the first with one operator, the second with two, and so on.
            The operators on the diagonal, which are the last of their rows, are square.
        is_non_singular: whether the matrix has an inverse; it has if the operators on the
            diagonal have.
        is_self_adjoint: whether it is its own conjugate transpose.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: True or None.
        name: a name.

    Raises:
        ValueError: if the operators do not fit together, or the hints are wrong.
        TypeError: if they have different dtypes.

    >>> one = tf.linalg.LinearOperatorFullMatrix([[3.0]])
    >>> row = [tf.linalg.LinearOperatorFullMatrix([[4.0], [5.0]]), tf.linalg.LinearOperatorDiag(
    ...     [1.0, 2.0])]
    >>> tf.linalg.LinearOperatorBlockLowerTriangular([[one], row]).to_dense().numpy()
    array([[3., 0., 0.],
           [4., 1., 0.],
           [5., 0., 2.]], dtype=float32)
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        parameters = constructor_arguments(locals())
        assert_proper_iterable(operators)
        for row in operators:
            assert_proper_iterable(row)
        operators = [list(row) for row in operators]
        if not operators:
            raise ValueError(
                f"Argument `operators` must be a list of >=1 operators. Received: {operators}."
            )
        self._operators = operators
        dtype = operators[0][0].dtype
        _check_dtypes(operators, dtype)
        is_non_singular = self._non_singular(is_non_singular)
        _check_rows(operators)
        self._check_square_blocks(is_square)
        super().__init__(
            dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name,
            parameters,
        )  # fmt: skip

    def _non_singular(self, hint: bool | None) -> bool | None:
        found = [block.is_non_singular for block in self._diagonal_blocks]
        ending = f"Expected argument `is_non_singular` to be True. Received: {hint}."
        if all(found):
            if hint is False:
                raise ValueError(
                    "A blockwise lower-triangular operator with non-singular operators on the "
                    f"main diagonal is always non-singular. {ending}"
                )
            return True
        if False in found:
            if hint is True:
                raise ValueError(
                    "A blockwise lower-triangular operator with a singular operator on the main "
                    f"diagonal is always singular. {ending}"
                )
            return False
        return None

    def _check_square_blocks(self, hint: bool | None) -> None:
        if hint is False:
            raise ValueError(
                "`LinearOperatorBlockLowerTriangular` must be square. Expected argument "
                f"`is_square` to be True. Received: {hint}."
            )
        for place, block in enumerate(self._diagonal_blocks):
            if block.is_square is False:
                raise ValueError(
                    "Matrices on the diagonal (the final elements of each row-partition in the "
                    "`operators` list) must be square. Expected argument "
                    f"`operators[{place}][-1].is_square` to be True. Received: False."
                )

    @property
    def operators(self) -> list[list[Any]]:
        """The rows of operators."""
        return self._operators

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        return {"operators": [[0] * len(row) for row in self._operators]}

    @property
    def _diagonal_blocks(self) -> list[Any]:
        return [row[-1] for row in self._operators]

    @property
    def _all_blocks(self) -> list[Any]:
        return [operator for row in self._operators for operator in row]

    def _block_products(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        rows = self._operators
        if adjoint:
            below = [[row[place] for row in rows[place:]] for place in range(len(rows))]
            return [
                total([o.matmul(b, adjoint=True) for o, b in zip(column, blocks[k:], strict=True)])
                for k, column in enumerate(below)
            ]
        return [total([o.matmul(b) for o, b in zip(row, blocks, strict=False)]) for row in rows]

    def _block_solutions(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        rows, count = self._operators, len(blocks)
        found: dict[int, Any] = {}
        for place in reversed(range(count)) if adjoint else range(count):
            rest = blocks[place]
            for other, known in found.items():
                operator = rows[other][place] if adjoint else rows[place][other]
                rest = rest - operator.matmul(known, adjoint=adjoint)
            found[place] = rows[place][-1].solve(rest, adjoint=adjoint)
        return [found[place] for place in range(count)]

    def _determinant(self) -> Any:
        if all(block.is_positive_definite for block in self._diagonal_blocks):
            return exp(self._log_abs_determinant())
        return super()._determinant()

    def _to_dense(self) -> Any:
        dense = iter(same_batch([operator.to_dense() for operator in self._all_blocks]))
        rows, size = [], self.shape[-1]
        for row in self._operators:
            joined = concat([next(dense) for _ in row], axis=-1)
            leading = [[0, 0]] * (joined.shape.rank - 1)
            rows.append(pad(joined, [*leading, [0, size - joined.shape[-1]]]))
        return concat(rows, axis=-2)

    def _linop_inverse(self) -> LinearOperator:
        """Inverts row by row: what is below the diagonal is `-D^-1 C A^-1`."""
        kwargs = {
            "is_non_singular": self.is_non_singular, "is_self_adjoint": self.is_self_adjoint,
            "is_positive_definite": self.is_positive_definite, "is_square": True,
        }  # fmt: skip
        inverse: list[list[Any]] = []
        for row in self._operators:
            last = row[-1].inverse()
            minus = LinearOperatorScaledIdentity(last.shape[-1], cast(-1, last.dtype))
            below = []
            for column in range(len(row) - 1):
                parts = [row[k].matmul(inverse[k][column]) for k in range(column, len(row) - 1)]
                below.append(minus.matmul(last.matmul(_summed(parts))))
            inverse.append([*below, last])
        return LinearOperatorBlockLowerTriangular(inverse, **kwargs)


def _check_dtypes(operators: list[list[Any]], dtype: Any) -> None:
    for place, row in enumerate(operators):
        for operator in row:
            if operator.dtype is not dtype:
                found = "   ".join(str((o.name, o.dtype)) for o in row)
                raise TypeError(
                    "Expected all operators to have the same dtype.  Found "
                    f"{found} in row {place} and {dtype} in row 0."
                )


def _check_rows(operators: list[list[Any]]) -> None:
    for i, row in enumerate(operators):
        if len(row) != i + 1:
            raise ValueError(
                f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: "
                f"{len(row)} blocks."
            )
    for i in range(1, len(operators)):
        for j in range(i):
            for key, a, b in (("domain_dimension", i - 1, j), ("range_dimension", i, j + 1)):
                own = getattr(operators[i][j], key)
                other = getattr(operators[a][b], key)
                if own != other:
                    raise ValueError(
                        f"Argument `operators[{i}][{j}].{key}` ({own}) must be the same as "
                        f"`operators[{a}][{b}].{key}` ({other})."
                    )


DIAGONAL = (LinearOperatorDiag, LinearOperatorIdentity, LinearOperatorScaledIdentity)


def _summed(operators: list[Any]) -> Any:
    """Adds operators; the sum is diagonal or triangular if all of them are."""
    if len(operators) == 1 and isinstance(
        operators[0], (*DIAGONAL, LinearOperatorLowerTriangular, LinearOperatorFullMatrix)
    ):
        return operators[0]
    if all(isinstance(operator, DIAGONAL) for operator in operators):
        return LinearOperatorDiag(total([operator.diag_part() for operator in operators]))
    dense = total([convert_to_tensor(operator.to_dense()) for operator in operators])
    if all(isinstance(o, (*DIAGONAL, LinearOperatorLowerTriangular)) for o in operators):
        return LinearOperatorLowerTriangular(dense)
    return LinearOperatorFullMatrix(dense)
