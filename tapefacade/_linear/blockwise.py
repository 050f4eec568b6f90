"""Operators made of blocks, whose arguments may come in blocks too."""

import abc
from collections.abc import Callable
from typing import Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.dimension import Dimension
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear.arguments import adjoint_if, common_batch, product, same_batch, total
from tapefacade._linear.operator import LinearOperator
from tapefacade._ops.array.joining import concat, split
from tapefacade._ops.array.shaping import expand_dims, squeeze


def come_in_blocks(x: Any, sizes: list[Any], place: int) -> bool:
    """Tells whether an argument is a list of blocks rather than one tensor.

    Args:
        x: the argument.
        sizes: the sizes of the operator's blocks.
        place: which dimension of a block must have that size.

    Raises:
        ValueError: if the argument fits neither way.
    """
    if not isinstance(x, list | tuple) or len(x) != len(sizes):
        return False
    if not any(nest.is_nested(block) for block in x):
        return True
    found: list[Any] = [convert_to_tensor(block).shape[place] for block in x]
    if found == sizes:
        return True
    if len(set(found)) == 1 and found[0] >= sum(sizes):
        return False
    raise ValueError("Input dimension does not match operator dimension.")


class BlockwiseOperator(LinearOperator, shown="linear_operator"):
    """An operator with square blocks on its diagonal; the base of both kinds."""

    @property
    @abc.abstractmethod
    def _diagonal_blocks(self) -> list[Any]:
        """The operators on the diagonal."""

    @property
    @abc.abstractmethod
    def _all_blocks(self) -> list[Any]:
        """The operators in the order of their rows."""

    @abc.abstractmethod
    def _block_products(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        """Multiplies with an argument that comes in blocks."""

    @abc.abstractmethod
    def _block_solutions(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        """Solves with right-hand sides that come in blocks."""

    def _block_sizes(self, place: int) -> list[Any]:
        return [block.shape[place] for block in self._diagonal_blocks]

    def _shape(self) -> TensorShape:
        sizes = [sum(self._block_sizes(place)) for place in (-2, -1)]
        return common_batch([block.batch_shape for block in self._all_blocks]) + sizes

    def _in_blocks(
        self, x: Any, place: int, adjoint_arg: bool, function: Callable[[list[Any]], list[Any]]
    ) -> Any:
        """Applies a function of blocks to an argument in blocks or in one tensor.

        Args:
            x: the argument.
            place: which dimension of the operator the argument has to fit to.
            adjoint_arg: take the conjugate transpose of `x` first.
            function: what to apply to the list of blocks.
        """
        sizes, axis = self._block_sizes(place), -1 if adjoint_arg else -2
        if come_in_blocks(x, sizes, axis):
            return function([self._block(b, n, adjoint_arg) for b, n in zip(x, sizes, strict=True)])
        x = adjoint_if(self._checked_argument(x, place, axis), adjoint_arg)
        blocks: Any = split(x, sizes, axis=-2)
        return concat(same_batch(function(blocks)), axis=-2)

    def _block(self, block: Any, size: int, adjoint_arg: bool) -> Any:
        if isinstance(block, LinearOperator):
            return block.adjoint() if adjoint_arg else block
        block = convert_to_tensor(block)
        self._check_input_dtype(block)
        Dimension(size).assert_is_compatible_with(block.shape[-1 if adjoint_arg else -2])
        return adjoint_if(block, adjoint_arg)

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """Multiplies with matrices, which may come in blocks, or with another operator.

        Args:
            x: a tensor of shape `[..., N, K]`, a list of tensors with the rows for each block, or
                an operator.
            adjoint: take the conjugate transpose of this operator first.
            adjoint_arg: take the conjugate transpose of `x` first.
            name: ignored.

        Returns:
            A tensor of shape `[..., M, K]`, a list of tensors, or an operator, as `x` is.

        Raises:
            ValueError: if the shapes do not fit together.
            TypeError: if `x` has another dtype.

        >>> diag = tf.linalg.LinearOperatorDiag([1.0, 2.0])
        >>> operator = tf.linalg.LinearOperatorBlockDiag([diag, diag])
        >>> one, two = operator.matmul([tf.ones([2, 1]), tf.ones([2, 1])])
        >>> two.numpy()
        array([[1.],
               [2.]], dtype=float32)
        """
        if isinstance(x, LinearOperator):
            return super().matmul(x, adjoint, adjoint_arg)
        return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        def multiplied(blocks: list[Any]) -> list[Any]:
            return self._block_products(blocks, adjoint)

        return self._in_blocks(x, -2 if adjoint else -1, adjoint_arg, multiplied)

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """Solves systems of linear equations, whose right-hand sides may come in blocks.

        Args:
            rhs: the right-hand sides in columns, a tensor of shape `[..., M, K]`; a list of
                tensors with the rows for each block; or an operator.
            adjoint: take the conjugate transpose of this operator first.
            adjoint_arg: take the conjugate transpose of `rhs` first.
            name: ignored.

        Returns:
            The solutions: a tensor of shape `[..., N, K]`, a list of tensors, or an operator, as
            `rhs` is.

        Raises:
            NotImplementedError: if the operator is known not to be square, or to be singular.
            ValueError: if the shapes do not fit together.
            TypeError: if `rhs` has another dtype.

        >>> diag = tf.linalg.LinearOperatorDiag([1.0, 2.0])
        >>> operator = tf.linalg.LinearOperatorBlockDiag([diag, diag])
        >>> one, two = operator.solve([tf.ones([2, 1]), tf.ones([2, 1])])
        >>> two.numpy()
        array([[1. ],
               [0.5]], dtype=float32)
        """
        if isinstance(rhs, LinearOperator):
            return super().solve(rhs, adjoint, adjoint_arg)
        self._check_solvable()
        return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        def done(blocks: list[Any]) -> list[Any]:
            return self._block_solutions(blocks, adjoint)

        return self._in_blocks(rhs, -1 if adjoint else -2, adjoint_arg, done)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """Multiplies with vectors, which may come in blocks.

        Args:
            x: a tensor of shape `[..., N]`, or a list of tensors with the part for each block.
            adjoint: take the conjugate transpose of this operator first.
            name: ignored.

        Returns:
            A tensor of shape `[..., M]`, or a list of tensors.

        Raises:
            ValueError: if the shapes do not fit together.
            TypeError: if `x` has another dtype.

        >>> diag = tf.linalg.LinearOperatorDiag([1.0, 2.0])
        >>> tf.linalg.LinearOperatorBlockDiag([diag, diag]).matvec(tf.ones([4])).numpy()
        array([1., 2., 1., 2.], dtype=float32)
        """
        if come_in_blocks(x, self._block_sizes(-2 if adjoint else -1), -1):
            return _columns(x, lambda blocks: self.matmul(blocks, adjoint=adjoint))
        return super().matvec(x, adjoint)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """Solves systems of linear equations with one right-hand side, maybe in blocks.

        Args:
            rhs: a tensor of shape `[..., M]`, or a list of tensors with the part for each block.
            adjoint: take the conjugate transpose of this operator first.
            name: ignored.

        Returns:
            A tensor of shape `[..., N]`, or a list of tensors.

        Raises:
            NotImplementedError: if the operator is known not to be square, or to be singular.
            ValueError: if the shapes do not fit together.
            TypeError: if `rhs` has another dtype.

        >>> diag = tf.linalg.LinearOperatorDiag([1.0, 2.0])
        >>> tf.linalg.LinearOperatorBlockDiag([diag, diag]).solvevec(tf.ones([4])).numpy()
        array([1. , 0.5, 1. , 0.5], dtype=float32)
        """
        if come_in_blocks(rhs, self._block_sizes(-1 if adjoint else -2), -1):
            return _columns(rhs, lambda blocks: self.solve(blocks, adjoint=adjoint))
        return super().solvevec(rhs, adjoint)

    # Of the blocks on the diagonal.

    def _joined(self, method: str) -> Any:
        parts = [expand_dims(getattr(block, method)(), -1) for block in self._diagonal_blocks]
        return squeeze(concat(same_batch(parts), axis=-2), -1)

    def _diag_part(self) -> Any:
        return self._joined("diag_part")

    def _eigvals(self) -> Any:
        return self._joined("eigvals")

    def _trace(self) -> Any:
        return total([block.trace() for block in self._diagonal_blocks])

    def _log_abs_determinant(self) -> Any:
        return total([block.log_abs_determinant() for block in self._diagonal_blocks])

    def _determinant(self) -> Any:
        return product([block.determinant() for block in self._diagonal_blocks])

    def _assert_non_singular(self) -> None:
        for block in self._diagonal_blocks:
            block.assert_non_singular()


def _columns(vectors: Any, function: Callable[[list[Any]], Any]) -> list[Any]:
    columns = [expand_dims(convert_to_tensor(vector), -1) for vector in vectors]
    return [squeeze(column, -1) for column in function(columns)]
