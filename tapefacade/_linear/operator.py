"""`tf.linalg.LinearOperator`: what all linear operators can do."""

import abc
from typing import Any

from tapefacade._core import nest
from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.dimensions import Dimension
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.shapes import TensorShape
from tapefacade._linear import hints
from tapefacade._linear.arguments import exported, solved, turned
from tapefacade._linear.checked import slow
from tapefacade._linear.measured import Measured
from tapefacade._linear.rules import PRODUCTS, QUOTIENTS, found
from tapefacade._linear.slicing import sliced
from tapefacade._ops.factorizations import cholesky
from tapefacade._ops.shaping import expand_dims, squeeze
from tapefacade._ops.solving import cholesky_solve


@exported
class LinearOperator(Measured, shown="linear_operator"):
    """A matrix, or a stack of matrices, known by its structure: the base class.

    A subclass defines `_shape()`, which returns a `tf.TensorShape`, and `_matmul(x, adjoint,
    adjoint_arg)`; everything else is computed from these, and faster if the subclass defines
    `_solve`, `_determinant`, `_to_dense` and so on as well. Unlike in TensorFlow, shapes are
    always known.

    Args:
        dtype: the dtype of the entries.
        graph_parents: kept, and used for nothing.
        is_non_singular: whether the matrices have inverses. Hints are not checked: a wrong one
            leads to wrong results.
        is_self_adjoint: whether they are their own conjugate transposes.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: whether they are square.
        name: a name, by default that of the class.
        parameters: the arguments of the subclass's constructor.

    Raises:
        ValueError: if the hints contradict each other.

    >>> class Twice(tf.linalg.LinearOperator):
    ...     def _shape(self):
    ...         return tf.TensorShape([2, 2])
    ...     def _matmul(self, x, adjoint=False, adjoint_arg=False):
    ...         return 2 * (tf.linalg.adjoint(x) if adjoint_arg else x)
    >>> Twice(tf.float32).solvevec([2.0, 4.0]).numpy()
    array([1., 2.], dtype=float32)
    """

    # Products.

    @abc.abstractmethod
    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        """Multiplies with matrices, for subclasses to define."""

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """Multiplies with matrices, or with another operator; `@` does the same.

        Args:
            x: a tensor of shape `[..., N, K]`, or an operator.
            adjoint: take the conjugate transpose of this operator first.
            adjoint_arg: take the conjugate transpose of `x` first.
            name: ignored.

        Returns:
            A tensor of shape `[..., M, K]`; or an operator, simpler than a composition where the
            structures allow it.

        Raises:
            ValueError: if the shapes do not fit together.
            TypeError: if `x` has another dtype.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).matmul([[1.0], [1.0]]).numpy()
        array([[1.],
               [2.]], dtype=float32)
        """
        if isinstance(x, LinearOperator):
            left, right = self._both(x, adjoint, adjoint_arg, "x")
            return left._linop_matmul(left, right)
        x = self._checked_argument(x, -2 if adjoint else -1, -1 if adjoint_arg else -2)
        return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """Multiplies with vectors.

        Args:
            x: a tensor of shape `[..., N]`.
            adjoint: take the conjugate transpose of this operator first.
            name: ignored.

        Returns:
            A tensor of shape `[..., M]`.

        Raises:
            ValueError: if the shapes do not fit together.
            TypeError: if `x` has another dtype.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).matvec([1.0, 1.0]).numpy()
        array([1., 2.], dtype=float32)
        """
        x = self._checked_argument(x, -2 if adjoint else -1, -1)
        return self._matvec(x, adjoint=adjoint)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return squeeze(self.matmul(expand_dims(x, -1), adjoint=adjoint), -1)

    def _linop_matmul(self, left_operator: Any, right_operator: Any) -> Any:
        return found(PRODUCTS, left_operator, right_operator)(left_operator, right_operator)

    def _checked_argument(self, x: Any, own: int, other: int) -> Any:
        """Converts an argument, whose dimension `other` must be this operator's dimension `own`."""
        x = convert_to_tensor(x)
        self._check_input_dtype(x)
        Dimension(self.shape[own]).assert_is_compatible_with(x.shape[other])
        return x

    def _check_input_dtype(self, arg: Any) -> None:
        if arg.dtype is not self.dtype:
            raise TypeError(
                f"Expected argument to have dtype {self.dtype!s}.  Found: {arg.dtype!s} in tensor "
                f"{arg!s}"
            )

    def _both(self, other: Any, adjoint: bool, adjoint_arg: bool, name: str) -> tuple[Any, Any]:
        """Returns this operator and another one, turned as asked for."""
        left: Any = self.adjoint() if adjoint else self
        right = other.adjoint() if adjoint_arg else other
        if left.domain_dimension != right.range_dimension:
            raise ValueError(
                f"Operators are incompatible. Expected `{name}` to have dimension "
                f"{left.domain_dimension} but got {right.range_dimension}."
            )
        return left, right

    # Equations.

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """Solves systems of linear equations with these matrices.

        Args:
            rhs: the right-hand sides in columns, a tensor of shape `[..., M, K]`; or an operator.
            adjoint: take the conjugate transpose of this operator first.
            adjoint_arg: take the conjugate transpose of `rhs` first.
            name: ignored.

        Returns:
            The solutions in columns, a tensor of shape `[..., N, K]`; or an operator.

        Raises:
            NotImplementedError: if the operator is known not to be square, or to be singular.
            ValueError: if the shapes do not fit together.
            TypeError: if `rhs` has another dtype.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).solve([[1.0], [1.0]]).numpy()
        array([[1. ],
               [0.5]], dtype=float32)
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            left, right = self._both(rhs, adjoint, adjoint_arg, "rhs")
            return left._linop_solve(left, right)
        rhs = self._checked_argument(rhs, -1 if adjoint else -2, -1 if adjoint_arg else -2)
        return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _check_solvable(self) -> None:
        for wrong, what in ((self.is_non_singular, "singular"), (self.is_square, "not be square")):
            if wrong is False:
                what = what if what.startswith("not") else f"be {what}"
                raise NotImplementedError(
                    f"Exact solve not implemented for an operator that is expected to {what}."
                )

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """Solves systems of linear equations, each with one right-hand side.

        Args:
            rhs: the right-hand sides, a tensor of shape `[..., M]`.
            adjoint: take the conjugate transpose of this operator first.
            name: ignored.

        Returns:
            The solutions, a tensor of shape `[..., N]`.

        Raises:
            NotImplementedError: if the operator is known not to be square, or to be singular.
            ValueError: if the shapes do not fit together.
            TypeError: if `rhs` has another dtype.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).solvevec([1.0, 1.0]).numpy()
        array([1. , 0.5], dtype=float32)
        """
        rhs = self._checked_argument(rhs, -1 if adjoint else -2, -1)
        return self._solvevec(rhs, adjoint=adjoint)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return squeeze(self.solve(expand_dims(rhs, -1), adjoint=adjoint), -1)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        slow("solve")
        return self._dense_solve(rhs, adjoint, adjoint_arg)

    def _dense_solve(self, rhs: Any, adjoint: bool, adjoint_arg: bool) -> Any:
        rhs = turned(rhs, adjoint_arg)
        if self._can_use_cholesky():
            return cholesky_solve(cholesky(self.to_dense()), rhs)
        return solved(self.to_dense(), rhs, adjoint)

    def _linop_solve(self, left_operator: Any, right_operator: Any) -> Any:
        return found(QUOTIENTS, left_operator, right_operator)(left_operator, right_operator)

    # Other operators.

    def adjoint(self, name: str = "adjoint") -> "LinearOperator":
        """Returns the conjugate transpose as an operator; `H` is the same.

        Args:
            name: ignored.

        Returns:
            An operator: this one if it is known to be self-adjoint.

        >>> tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0]]).adjoint().to_dense().numpy()
        array([[1.],
               [2.]], dtype=float32)
        """
        return self if self.is_self_adjoint is True else self._linop_adjoint()

    @property
    def H(self) -> "LinearOperator":  # noqa: N802 - TensorFlow's name
        """The conjugate transpose as an operator."""
        return self.adjoint()

    def _linop_adjoint(self) -> "LinearOperator":
        kind = FUNCTIONS["linalg.LinearOperatorAdjoint"]
        return kind(self, **{**hints.of(self), "is_square": self.is_square})

    def inverse(self, name: str = "inverse") -> "LinearOperator":
        """Returns the inverse as an operator.

        Args:
            name: ignored.

        Returns:
            An operator.

        Raises:
            ValueError: if the operator is known not to be square, or to be singular.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).inverse().diag.numpy()
        array([1. , 0.5], dtype=float32)
        """
        for wrong, what in ((self.is_square, "non square"), (self.is_non_singular, "singular")):
            if wrong is False:
                raise ValueError(
                    f"Cannot take the Inverse: This operator represents a {what} matrix."
                )
        return self._linop_inverse()

    def _linop_inverse(self) -> "LinearOperator":
        kind = FUNCTIONS["linalg.LinearOperatorInversion"]
        return kind(self, **{**hints.of(self), "is_square": self.is_square})

    def cholesky(self, name: str = "cholesky") -> "LinearOperator":
        """Returns the lower triangular factors L with `A = L L^H` as an operator.

        Args:
            name: ignored.

        Returns:
            An operator.

        Raises:
            ValueError: if the operator is not known to be self-adjoint and positive definite.

        >>> operator = tf.linalg.LinearOperatorDiag([1.0, 4.0], is_positive_definite=True)
        >>> operator.cholesky().diag.numpy()
        array([1., 2.], dtype=float32)
        """
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self adjoint "
                "matrix."
            )
        return self._linop_cholesky()

    def _linop_cholesky(self) -> "LinearOperator":
        kind = FUNCTIONS["linalg.LinearOperatorLowerTriangular"]
        factor = cholesky(self.to_dense())
        return kind(factor, is_non_singular=True, is_self_adjoint=False, is_square=True)

    def __getitem__(self, slices: Any) -> "LinearOperator":
        return self._sliced(slices if isinstance(slices, tuple) else (slices,), self.batch_shape)

    def _sliced(self, slices: tuple[Any, ...], batch: TensorShape) -> Any:
        return sliced(self, slices, batch)

    # For each of the arguments that are tensors or operators: how many of the last dimensions
    # belong to a matrix.
    _experimental_parameter_ndims_to_matrix_ndims: Any = ()

    # The tensors and operators it is made of.

    def _composite_arguments(self) -> dict[str, Any]:
        names = dict(self._experimental_parameter_ndims_to_matrix_ndims)
        found = {name: self.parameters[name] for name in names}
        return {name: getattr(self, name) for name, value in found.items() if value is not None}

    def _components(self) -> list[Any]:
        return nest.flatten(list(self._composite_arguments().values()))

    def _with_components(self, components: Any) -> Any:
        arguments = self._composite_arguments()
        values = nest.pack_sequence_as(list(arguments.values()), list(components))
        return type(self)(**{**self.parameters, **dict(zip(arguments, values, strict=True))})
