"""What is known of a linear operator without computing: its sizes, its name, its properties."""

import abc
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.dimensions import Dimension
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.shapes import TensorShape
from tapefacade._state.module import Module


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


class Described(Module, CompositeTensor, abc.ABC):
    """The sizes, the name and the hints of a linear operator, and the variables in it."""

    _shown_in = ""
    _TF_MODULE_IGNORED_PROPERTIES = Module._TF_MODULE_IGNORED_PROPERTIES | {"_graph_parents"}

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
