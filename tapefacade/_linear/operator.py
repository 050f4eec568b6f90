"""`tf.linalg.LinearOperator`: what all linear operators have, compute and check."""

import abc
from typing import Any

import numpy as np

from tapefacade._core import dtypes, nest
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.dimension import Dimension
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.logging import get_logger
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear import hints
from tapefacade._linear.arguments import (
    adjoint_if,
    common_batch,
    register_operator,
    solve_broadcast,
)
from tapefacade._linear.product_registry import PRODUCTS, QUOTIENTS, rule_of
from tapefacade._ops.array.casting import cast, imag
from tapefacade._ops.array.creation import eye
from tapefacade._ops.array.shaping import broadcast_to, expand_dims, squeeze
from tapefacade._ops.debugging.values import assert_equal, assert_less, assert_positive
from tapefacade._ops.linalg.diagonals import diag_part
from tapefacade._ops.linalg.factorizations import cholesky, eigvalsh, svd
from tapefacade._ops.linalg.products import adjoint
from tapefacade._ops.linalg.solving import cholesky_solve, det, slogdet
from tapefacade._ops.math.elementary import abs, exp, log
from tapefacade._ops.math.reduction import reduce_max, reduce_min, reduce_sum
from tapefacade._state.module import Module

MESSAGE_NOT_ADJOINT = "Matrix was not equal to its adjoint."
MESSAGE_ZERO_DIAGONAL = "Singular operator:  Diagonal contained zero values."


def _implied(conclusion: bool | None, premise: bool | None, message: str) -> bool | None:
    """Returns a hint that follows from another one.

    Raises:
        ValueError: if they contradict each other.
    """
    if not premise:
        return conclusion
    if conclusion is False:
        raise ValueError(message)
    return True


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


def ratio(values: Any) -> Any:
    """Returns the greatest of the last dimension through the smallest."""
    return reduce_max(values, axis=-1) / reduce_min(values, axis=-1)


@register_operator
class LinearOperator(Module, CompositeTensor, abc.ABC):
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

    _shown_in = "tensorflow.python.ops.linalg.linear_operator"  # how `repr` names the module

    _TF_MODULE_IGNORED_PROPERTIES = Module._TF_MODULE_IGNORED_PROPERTIES | {"_graph_parents"}

    # For each of the arguments that are tensors or operators: how many of the last dimensions
    # belong to a matrix.
    _experimental_parameter_ndims_to_matrix_ndims: Any = ()

    def __init_subclass__(cls, shown: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._shown_in = f"tensorflow.python.ops.linalg.{shown}" if shown else cls.__module__

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        is_non_singular = _implied(
            is_non_singular,
            is_positive_definite,
            "A positive definite matrix is always non-singular.",
        )
        square = is_square
        for premise, what in ((is_non_singular, "non-singular"), (is_self_adjoint, "self-adjoint")):
            square = _implied(square, premise, f"A {what} matrix is always square.")
        self._square = square
        self._graph_parents = list(graph_parents or [])
        self._dtype = dtypes.as_dtype(dtype) if dtype else dtype
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._parameters = parameters
        self._name = self._scope_name = name or type(self).__name__

    def __repr__(self) -> str:
        return f"<{self._shown_in}.{type(self).__name__} object at {id(self):#x}>"

    @abc.abstractmethod
    def _shape(self) -> TensorShape:
        """Returns the shape of the matrices, for subclasses to define."""

    @abc.abstractmethod
    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        """Multiplies with matrices, for subclasses to define."""

    # What was given.

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that the operator was made with."""
        return dict(self._parameters)  # type: ignore[arg-type]  # None raises, as in TensorFlow

    @property
    def dtype(self) -> Any:
        """The dtype of the entries."""
        return self._dtype

    @property
    def graph_parents(self) -> list[Any]:
        """What was given as `graph_parents`; nothing uses it."""
        return self._graph_parents

    @property
    def is_non_singular(self) -> bool | None:
        """Whether the matrices have inverses; None if that is not known."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether the matrices are their own conjugate transposes; None if that is not known."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether `x^H A x` has a positive real part for every x; None if that is not known.

        That does not include that the matrices are self-adjoint.
        """
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether the matrices are square.

        Raises:
            ValueError: if they are said not to be, but are.
        """
        found = self.domain_dimension == self.range_dimension
        if self._square is False and found:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return found if self._square is None else self._square

    # Sizes.

    @property
    def shape(self) -> TensorShape:
        """The shape of the matrices, `[..., M, N]`.

        >>> tf.linalg.LinearOperatorDiag([[1.0, 2.0]]).shape
        TensorShape([1, 2, 2])
        """
        return self._shape()

    @property
    def batch_shape(self) -> TensorShape:
        """The shape without its last two dimensions.

        >>> tf.linalg.LinearOperatorDiag([[1.0, 2.0]]).batch_shape
        TensorShape([1])
        """
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The number of dimensions of the shape."""
        return self.shape.ndims

    @property
    def domain_dimension(self) -> Dimension:
        """The size of the vectors that the matrices are multiplied with: N."""
        dims = self.shape.dims
        return dims[-1] if dims else Dimension(None)

    @property
    def range_dimension(self) -> Dimension:
        """The size of the products with vectors: M."""
        dims = self.shape.dims
        return dims[-2] if dims else Dimension(None)

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """Returns the shape as an int32 tensor.

        Args:
            name: ignored.

        Returns:
            A vector.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).shape_tensor().numpy()
        array([2, 2], dtype=int32)
        """
        return convert_to_tensor(self.shape.as_list(), dtypes.int32)

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Returns the shape without its last two dimensions as an int32 tensor.

        Args:
            name: ignored.

        Returns:
            A vector.

        >>> tf.linalg.LinearOperatorDiag([[1.0, 2.0]]).batch_shape_tensor().numpy()
        array([1], dtype=int32)
        """
        return convert_to_tensor(self.batch_shape.as_list(), dtypes.int32)

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """Returns the number of dimensions as an int32 tensor.

        Args:
            name: ignored.

        Returns:
            A scalar.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).tensor_rank_tensor().numpy()
        np.int32(2)
        """
        return convert_to_tensor(self.tensor_rank, dtypes.int32)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """Returns `domain_dimension` as an int32 tensor.

        Args:
            name: ignored.

        Returns:
            A scalar.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).domain_dimension_tensor().numpy()
        np.int32(2)
        """
        return convert_to_tensor(self.domain_dimension.value, dtypes.int32)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """Returns `range_dimension` as an int32 tensor.

        Args:
            name: ignored.

        Returns:
            A scalar.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).range_dimension_tensor().numpy()
        np.int32(2)
        """
        return convert_to_tensor(self.range_dimension.value, dtypes.int32)

    # Products.

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
        return rule_of(PRODUCTS, left_operator, right_operator)(left_operator, right_operator)

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

    def _check_solvable(self) -> None:
        for wrong, what in ((self.is_non_singular, "singular"), (self.is_square, "not be square")):
            if wrong is False:
                what = what if what.startswith("not") else f"be {what}"
                raise NotImplementedError(
                    f"Exact solve not implemented for an operator that is expected to {what}."
                )

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        slow("solve")
        return self._dense_solve(rhs, adjoint, adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return squeeze(self.solve(expand_dims(rhs, -1), adjoint=adjoint), -1)

    def _dense_solve(self, rhs: Any, adjoint: bool, adjoint_arg: bool) -> Any:
        rhs = adjoint_if(rhs, adjoint_arg)
        if self._can_use_cholesky():
            return cholesky_solve(cholesky(self.to_dense()), rhs)
        return solve_broadcast(self.to_dense(), rhs, adjoint)

    def _linop_solve(self, left_operator: Any, right_operator: Any) -> Any:
        return rule_of(QUOTIENTS, left_operator, right_operator)(left_operator, right_operator)

    # What is computed of the matrices.

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

    def _check_square(self) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                "Determinant not implemented for an operator that is expected to not be square."
            )

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

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def __getitem__(self, slices: Any) -> "LinearOperator":
        return self._sliced(slices if isinstance(slices, tuple) else (slices,), self.batch_shape)

    def _sliced(self, slices: tuple[Any, ...], batch: TensorShape) -> Any:
        """Returns the operator whose arguments are those of this one, sliced.

        Args:
            slices: what is between the brackets.
            batch: the batch shape that the arguments are broadcast to first.
        """
        parameters = self.parameters
        if slices != (Ellipsis,):
            for name, rank in dict(self._experimental_parameter_ndims_to_matrix_ndims).items():
                value = getattr(self, name)
                if value is not None:
                    parameters[name] = _sliced_argument(value, rank, slices, batch)
        return type(self)(**parameters)

    # Checks.

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """Checks that all matrices have inverses, up to the precision of their type.

        Args:
            name: ignored.

        Raises:
            InvalidArgumentError: if one has none.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).assert_non_singular()
        """
        self._assert_non_singular()

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

    def _assert_positive_definite(self) -> None:
        slow("assert_positive_definite")
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        pivots = diag_part(cholesky(self.to_dense()))
        assert_positive(pivots, message="Matrix was not positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Checks that all matrices are their own conjugate transposes.

        Args:
            name: ignored.

        Raises:
            InvalidArgumentError: if one is not.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).assert_self_adjoint()
        """
        self._assert_self_adjoint()

    def _assert_self_adjoint(self) -> None:
        dense = self.to_dense()
        slow("assert_self_adjoint", cubic=False)
        assert_equal(dense, adjoint(dense), message=MESSAGE_NOT_ADJOINT)

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


def _sliced_argument(value: Any, rank: Any, slices: tuple[Any, ...], batch: TensorShape) -> Any:
    if isinstance(value, list | tuple):
        return [_sliced_argument(v, r, slices, batch) for v, r in zip(value, rank, strict=True)]
    if isinstance(value, LinearOperator):
        return value._sliced(slices, batch)
    tensor = convert_to_tensor(value)
    own = tensor.shape.rank - rank
    core = tensor.shape[own:]
    if batch.rank == 0:
        whole = tensor
    else:
        whole = broadcast_to(tensor, common_batch([tensor.shape[:own], batch]) + core)
    rest = () if Ellipsis in slices else (Ellipsis,)
    return whole[(*slices, *rest, *[slice(None)] * rank)]
