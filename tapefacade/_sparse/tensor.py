"""`tf.SparseTensor`: the elements of a tensor that are not zero, and where they are."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dimension import Dimension
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.missing_members import NO_GRAPH, lacks
from tapefacade._core.tensor import EagerTensor, FailedResult, from_host
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._definition.op import function
from tapefacade._ops.array.printing import array_text
from tapefacade._trace.open_sizes import with_unknown_axes

MESSAGE_NOT_SPARSE = "Input must be a SparseTensor."


@function("SparseTensor", "sparse.SparseTensor")
@lacks(
    {
        "consumers graph op": NO_GRAPH,
        "eval": "Write `tf.sparse.to_dense(x).numpy()`.",
    }
)
class SparseTensor(CompositeTensor):
    """A tensor that is zero but for some elements, of which it holds the values and the places.

    Args:
        indices: the place of each element, `[n, rank]`, int64.
        values: the elements, `[n]`, of any dtype.
        dense_shape: the shape of the whole tensor, `[rank]`, int64.

    The places are looked at by functions that arrange them; gradients flow through the values.

    Raises:
        ValueError: if the numbers of elements or axes differ.
        TypeError: if the indices are not integers.

    >>> print(tf.sparse.to_dense(tf.SparseTensor([[0, 1]], [5.0], [2, 2])).numpy())
    [[0. 5.]
     [0. 0.]]

    See https://www.tensorflow.org/api_docs/python/tf/sparse/SparseTensor.
    """

    __slots__ = ("_dense_shape", "_indices", "_places", "_static", "_values")

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices = _int64("indices", indices)
        is_failed = type(values) is FailedResult  # of which not even the shape is known
        self._values = values if is_failed else convert(values)
        self._dense_shape = _int64("dense_shape", dense_shape)
        self._places: np.ndarray[Any, Any] | None = None
        indices_shape = self._indices.shape.with_rank(2)
        values_shape = indices_shape[:1] if is_failed else self._values.shape.with_rank(1)
        shape_shape = self._dense_shape.shape.with_rank(1)
        Dimension(indices_shape[0]).assert_is_compatible_with(values_shape[0])
        Dimension(indices_shape[1]).assert_is_compatible_with(shape_shape[0])
        self._static = tuple(self._dense_shape._numpy_array().tolist())

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> "SparseTensor":
        """Makes a sparse tensor of what has `indices`, `values` and `dense_shape`.

        Args:
            sparse_tensor_value: a `SparseTensorValue` or a sparse tensor.

        Raises:
            TypeError: if it is something else.
        """
        given = sparse_tensor_value
        if isinstance(given, SparseTensor):
            return given
        if not isinstance(given, SparseTensorValue):
            raise TypeError(
                "Argument sparse_tensor_value=" + f"{given} is neither a SparseTensor nor "
                f"SparseTensorValue. Received type: {type(given)}"
            )
        return cls(*given)

    @property
    def indices(self) -> EagerTensor:
        """The place of each element, `[n, rank]`, int64."""
        return self._indices

    @property
    def values(self) -> EagerTensor:
        """The elements, `[n]`."""
        return self._values

    @property
    def dense_shape(self) -> EagerTensor:
        """The shape of the whole tensor, `[rank]`, int64."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The `tf.TensorShape` of the whole tensor."""
        return TensorShape(self._static)

    def get_shape(self) -> TensorShape:
        """Returns `shape`."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Checks that the shape agrees with `shape`.

        Raises:
            ValueError: if it does not.
        """
        self.shape.assert_is_compatible_with(shape)

    @property
    def dtype(self) -> dtypes.DType:
        """The `tf.DType` of the elements."""
        return self._values.dtype

    def with_values(self, new_values: Any) -> "SparseTensor":
        """Returns a sparse tensor with other elements at the same places.

        Args:
            new_values: as many elements, of any dtype.

        >>> x = tf.sparse.from_dense([0.0, 2.0])
        >>> tf.sparse.to_dense(x.with_values([7])).numpy()
        array([0, 7], dtype=int32)
        """
        made = SparseTensor(self._indices, new_values, self._dense_shape)
        made._places = self._places
        return made

    # What the functions of this package use.

    def _located(self) -> np.ndarray[Any, Any]:
        """Looks at the places, `[n, rank]`."""
        if self._places is None:
            self._places = self._indices._numpy_array()
        return self._places

    def _components(self) -> tuple[Any, ...]:
        return (self._indices, self._values, self._dense_shape)

    def _with_components(self, components: Sequence[Any]) -> "SparseTensor":
        return SparseTensor(*components)

    def _differentiated(self) -> Any:
        return self._values

    def _with_gradient(self, gradient: Any) -> "SparseTensor":
        return self.with_values(gradient)

    def _printed(self, summarize: int) -> str:
        indices, values, shape = (
            array_text(part._numpy_array(), summarize)
            for part in (self._indices, self._values, self._dense_shape)
        )
        return f"'SparseTensor(indices={indices}, values={values}, shape={shape})'"

    def __str__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )

    __repr__ = __str__

    def _evaluated(self) -> "SparseTensorValue":
        """Returns what `tf.test.TestCase.evaluate` makes of it."""
        parts = (self._indices, self._values, self._dense_shape)
        return SparseTensorValue(*(part.numpy() for part in parts))

    def __copy__(self) -> "SparseTensor":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "SparseTensor":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._indices, self._values, self._dense_shape)


def _restored(*components: Any) -> SparseTensor:
    return SparseTensor(*components)


# Messages name TensorFlow's module.
SparseTensor.__module__ = "tensorflow.python.framework.sparse_tensor"


class SparseTensorValue(NamedTuple):
    """What a sparse tensor is made of, as NumPy arrays: the result of a session in TensorFlow 1."""

    indices: Any
    values: Any
    dense_shape: Any


def _int64(name: str, value: Any) -> EagerTensor:
    try:
        return convert(value, dtypes.int64)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def sparse(value: Any) -> SparseTensor:
    """Returns the argument of a function on sparse tensors.

    Raises:
        TypeError: if it is none.
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError(MESSAGE_NOT_SPARSE)
    return value


def sparse_at_places(
    places: np.ndarray[Any, Any], values: Any, shape: Sequence[int]
) -> SparseTensor:
    """Makes a sparse tensor whose places are known on the host."""
    places = np.ascontiguousarray(places, np.int64)
    made = SparseTensor(from_host(places), values, from_host(np.array(shape, np.int64)))
    made._places = places
    return made


def with_unknown_count(made: SparseTensor) -> SparseTensor:
    """Takes note that values decide how many elements there are; returns the sparse tensor."""
    with_unknown_axes(made.indices, 0)
    with_unknown_axes(made.values, 0)
    return made


def row_major(places: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns the order in which the places follow each other row by row."""
    return np.lexsort(places.T[::-1]) if places.shape[1] else np.arange(len(places))


def ravelled_places(places: np.ndarray[Any, Any], shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """Returns the places as positions in the flattened tensor."""
    flat = np.zeros(len(places), np.int64)
    for axis, size in enumerate(shape):
        flat = flat * size + places[:, axis]
    return flat


def unravelled_places(flat: np.ndarray[Any, Any], shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """Returns positions in the flattened tensor as places."""
    columns = []
    for size in reversed(shape):
        flat, rest = np.divmod(flat, max(size, 1))
        columns.append(rest)
    return np.stack(columns[::-1], axis=1) if columns else np.zeros((len(flat), 0), np.int64)
