"""`tf.linalg.LinearOperatorCirculant`, `...Circulant2D` and `...Circulant3D`."""

import math
from typing import Any, ClassVar

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear import hints
from tapefacade._linear.arguments import (
    adjoint_if,
    as_complex,
    as_tensor_or_variable,
    constructor_arguments,
    is_below_rank,
    register_operator,
)
from tapefacade._linear.operator import LinearOperator, assert_no_zeros, assert_real, ratio
from tapefacade._linear.product_registry import product, quotient
from tapefacade._ops.array.casting import cast, complex, conj, imag, real
from tapefacade._ops.array.copying import zeros_like
from tapefacade._ops.array.creation import ones
from tapefacade._ops.array.shaping import expand_dims, matrix_transpose, reshape
from tapefacade._ops.debugging.values import assert_less, assert_positive
from tapefacade._ops.math.elementary import abs, log
from tapefacade._ops.math.reduction import reduce_prod, reduce_sum


class BaseCirculant(LinearOperator, shown="linear_operator_circulant"):
    """A matrix that the Fourier transform makes diagonal, in one to three dimensions."""

    _depth: ClassVar[int] = 1

    def __init__(self, parameters: dict[str, Any]) -> None:
        self._spectrum = as_tensor_or_variable(parameters["spectrum"])
        if is_below_rank(self._spectrum, self._depth):
            raise ValueError(
                f"Argument `spectrum` must have at least {self._depth} dimensions. Received: "
                f"{self._spectrum}."
            )
        is_self_adjoint = parameters["is_self_adjoint"]
        if not self._spectrum.dtype.is_complex:
            message = (
                "A real spectrum always corresponds to a self-adjoint operator. Expected argument "
                "`is_self_adjoint` to be True when `spectrum.dtype.is_complex` = True. Received: "
                f"{is_self_adjoint}."
            )
            is_self_adjoint = hints.fixed_hint(is_self_adjoint, True, message)
        message = (
            "A [[nested] block] circulant operator is always square. Expected argument "
            f"`is_square` to be True. Received: {parameters['is_square']}."
        )
        is_square = hints.fixed_hint(parameters["is_square"], True, message)
        super().__init__(
            parameters["input_output_dtype"], None, parameters["is_non_singular"],
            is_self_adjoint, parameters["is_positive_definite"], is_square, parameters["name"],
            parameters,
        )  # fmt: skip

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        return {"spectrum": self._depth}

    @property
    def spectrum(self) -> Any:
        """The eigenvalues, in the order of the Fourier transform."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """The number of dimensions of the Fourier transform."""
        return self._depth

    @property
    def block_shape(self) -> TensorShape:
        """The sizes of these dimensions.

        >>> tf.linalg.LinearOperatorCirculant([2.0, 1.0, 1.0]).block_shape
        TensorShape([3])
        """
        return self._spectrum.shape[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """Returns `block_shape` as an int32 tensor.

        >>> tf.linalg.LinearOperatorCirculant([2.0, 1.0, 1.0]).block_shape_tensor().numpy()
        array([3], dtype=int32)
        """
        return convert_to_tensor(self.block_shape.as_list(), dtypes.int32)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """Returns the kernels that multiplication convolves with: the inverse transform.

        Args:
            name: ignored.

        Returns:
            A tensor of the shape of `spectrum` and the type of the operator.

        >>> operator = tf.linalg.LinearOperatorCirculant([3.0, 0.0, 0.0])
        >>> operator.convolution_kernel().numpy().real
        array([1., 1., 1.], dtype=float32)
        """
        return cast(self._transform("ifft", as_complex(self._spectrum)), self.dtype)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> None:
        """Checks that the kernels are real: that real input leads to real output.

        Args:
            name: ignored.

        Raises:
            InvalidArgumentError: if they are not.

        >>> operator = tf.linalg.LinearOperatorCirculant([1.0, 2.0, 2.0])
        >>> operator.assert_hermitian_spectrum()
        """
        parts = abs(imag(self.convolution_kernel()))
        size = self.shape[-1] or 0
        most = np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps * size
        assert_less(parts, cast(most, parts.dtype), message="Spectrum was not Hermitian")

    def _shape(self) -> TensorShape:
        shape = self._spectrum.shape
        size = math.prod(shape[-self._depth :])
        return TensorShape([*shape[: -self._depth], size, size])

    def _transform(self, name: str, x: Any) -> Any:
        suffix = "" if self._depth == 1 else f"{self._depth}d"
        return FUNCTIONS[f"signal.{name}{suffix}"](x)

    def _filtered(self, x: Any, factors: Any) -> Any:
        """Multiplies the transforms of the columns of `x` with `factors`."""
        rows = matrix_transpose(cast(x, factors.dtype))
        blocks = reshape(rows, [*rows.shape[:-1], *self.block_shape])
        factors = expand_dims(factors, -self._depth - 1)
        blocks = self._transform("ifft", factors * self._transform("fft", blocks))
        rows = reshape(blocks, [*blocks.shape[: -self._depth], self.shape[-1]])
        return cast(matrix_transpose(rows), self.dtype)

    def _factors(self, adjoint: bool) -> Any:
        factors = as_complex(self._spectrum)
        return conj(factors) if adjoint else factors

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._filtered(adjoint_if(x, adjoint_arg), self._factors(adjoint))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._filtered(adjoint_if(rhs, adjoint_arg), 1.0 / self._factors(adjoint))

    def _axes(self) -> tuple[int, ...]:
        return tuple([-1 - place for place in range(self._depth)])

    def _determinant(self) -> Any:
        return cast(reduce_prod(self._spectrum, axis=self._axes()), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(abs(self._spectrum)), axis=self._axes()), self.dtype)

    def _trace(self) -> Any:
        real_part = reduce_sum(real(self._spectrum), axis=self._axes())
        if not self.dtype.is_complex:
            return cast(real_part, self.dtype)
        if self.is_self_adjoint:
            return cast(complex(real_part, zeros_like(real_part)), self.dtype)
        imaginary = reduce_sum(imag(self._spectrum), axis=self._axes())
        return cast(complex(real_part, imaginary), self.dtype)

    def _diag_part(self) -> Any:
        size = self.shape[-1]
        entry = self.trace() / cast(size, self.dtype)
        return expand_dims(entry, -1) * ones([size], self.dtype)

    def _eigvals(self) -> Any:
        return reshape(convert_to_tensor(self._spectrum), self.shape[:-1])

    def _cond(self) -> Any:
        return ratio(abs(self._eigvals()))

    def _assert_non_singular(self) -> None:
        message = "Singular operator:  Spectrum contained zero values."
        assert_no_zeros(self._spectrum, message)

    def _assert_positive_definite(self) -> None:
        message = "Not positive definite:  Real part of spectrum was not all positive."
        assert_positive(real(self._spectrum), message=message)

    def _assert_self_adjoint(self) -> None:
        message = "Not self-adjoint:  The spectrum contained non-zero imaginary part."
        assert_real(self._spectrum, message)

    def _linop_adjoint(self) -> LinearOperator:
        return self._like(conj(self._spectrum), **hints.of(self))

    def _linop_inverse(self) -> LinearOperator:
        inverse = 1.0 / convert_to_tensor(self._spectrum)
        return self._like(inverse, input_output_dtype=self.dtype, **hints.of(self))

    def _like(self, spectrum: Any, **kwargs: Any) -> LinearOperator:
        """Makes an operator of this class; its dtype is complex64 by default, as TensorFlow's."""
        kind: Any = type(self)
        return kind(spectrum, **kwargs)


@register_operator
class LinearOperatorCirculant(BaseCirculant, shown="linear_operator_circulant"):
    """A matrix that is circulant, or a stack of them.

    The Fourier transform of one dimension makes it diagonal: multiplication is a periodic
    convolution. Products and solutions take a time of `O(N log N)`.

    Args:
        spectrum: the eigenvalues, a tensor or variable of shape `[..., N]`.
        input_output_dtype: the dtype of the entries; where it is real, imaginary parts are cut
            off.
        is_non_singular: whether the matrices have inverses.
        is_self_adjoint: whether they are their own conjugate transposes; those with a real
            spectrum always are.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: True.
        name: a name.

    Raises:
        ValueError: if `spectrum` has too few dimensions, or the hints are wrong.

    >>> operator = tf.linalg.LinearOperatorCirculant([6.0, 0.0, 0.0], tf.float32)
    >>> operator.to_dense().numpy()
    array([[2., 2., 2.],
           [2., 2., 2.],
           [2., 2., 2.]], dtype=float32)
    """

    _depth = 1

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        super().__init__(constructor_arguments(locals()))


@register_operator
class LinearOperatorCirculant2D(BaseCirculant, shown="linear_operator_circulant"):
    """A matrix that is block circulant with circulant blocks, or a stack of them.

    The Fourier transform of two dimensions makes it diagonal: multiplication is a periodic
    convolution. Products and solutions take a time of `O(N log N)`.

    Args:
        spectrum: the eigenvalues, a tensor or variable of shape `[..., N0, N1]`.
        input_output_dtype: the dtype of the entries; where it is real, imaginary parts are cut
            off.
        is_non_singular: whether the matrices have inverses.
        is_self_adjoint: whether they are their own conjugate transposes; those with a real
            spectrum always are.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: True.
        name: a name.

    Raises:
        ValueError: if `spectrum` has too few dimensions, or the hints are wrong.

    >>> spectrum = tf.constant([[4.0, 0.0], [0.0, 0.0]])
    >>> operator = tf.linalg.LinearOperatorCirculant2D(spectrum, tf.float32)
    >>> operator.matvec([1.0, 2.0, 3.0, 4.0]).numpy()
    array([10., 10., 10., 10.], dtype=float32)
    """

    _depth = 2

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:
        super().__init__(constructor_arguments(locals()))


@register_operator
class LinearOperatorCirculant3D(BaseCirculant, shown="linear_operator_circulant"):
    """A matrix that is nested block circulant, or a stack of them.

    The Fourier transform of three dimensions makes it diagonal: multiplication is a periodic
    convolution. Products and solutions take a time of `O(N log N)`.

    Args:
        spectrum: the eigenvalues, a tensor or variable of shape `[..., N0, N1, N2]`.
        input_output_dtype: the dtype of the entries; where it is real, imaginary parts are cut
            off.
        is_non_singular: whether the matrices have inverses.
        is_self_adjoint: whether they are their own conjugate transposes; those with a real
            spectrum always are.
        is_positive_definite: whether `x^H A x` has a positive real part for every x.
        is_square: True.
        name: a name.

    Raises:
        ValueError: if `spectrum` has too few dimensions, or the hints are wrong.

    >>> operator = tf.linalg.LinearOperatorCirculant3D(tf.ones([1, 2, 1]), tf.float32)
    >>> operator.matvec([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """

    _depth = 3

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:
        super().__init__(constructor_arguments(locals()))


for _kind in (LinearOperatorCirculant, LinearOperatorCirculant2D, LinearOperatorCirculant3D):

    @product(_kind, _kind)
    def _circulant_product(left: Any, right: Any) -> Any:
        return left._like(
            convert_to_tensor(left.spectrum) * right.spectrum,
            **hints.hints_of_commuting(left, right),
        )

    @quotient(_kind, _kind)
    def _circulant_quotient(left: Any, right: Any) -> Any:
        return left._like(
            convert_to_tensor(right.spectrum) / left.spectrum,
            **hints.hints_of_commuting(left, right),
        )
