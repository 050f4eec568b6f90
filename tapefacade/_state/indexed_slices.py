"""IndexedSlices: some rows of a tensor that is zero elsewhere."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor, handles
from tapefacade._core.missing_members import NO_GRAPH, lacks
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._ops.array.copying import stop_gradient
from tapefacade._ops.array.printing import array_text
from tapefacade._ops.math.arithmetic import scalar_mul
from tapefacade._ops.math.segments import unsorted_segment_sum


@lacks(
    {
        "consumers graph name op": NO_GRAPH,
    }
)
class IndexedSlices(CompositeTensor):
    """Rows `values[i]` of a tensor, at the places `indices[i]`; equal places add up.

    Args:
        values: the rows, `[n, ...]`.
        indices: their places, `[n]`, integers.
        dense_shape: the shape of the whole tensor, needed to convert to it.

    The gradient of a table whose rows are taken by `tf.gather` or `tf.nn.embedding_lookup` is of
    this kind. Every op takes it, as the dense tensor that it stands for.

    >>> slices = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 2]), [3, 1])
    >>> tf.convert_to_tensor(slices).numpy()
    array([[1.],
           [0.],
           [2.]], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/IndexedSlices.
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Any:
        """The rows."""
        return self._values

    @property
    def indices(self) -> Any:
        """The places of the rows."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole tensor, or None."""
        return self._dense_shape

    def _evaluated(self) -> "IndexedSlicesValue":
        """Returns what `tf.test.TestCase.evaluate` makes of it."""
        parts = (self._values, self._indices, self._dense_shape)
        return IndexedSlicesValue(*(None if p is None else convert(p).numpy() for p in parts))

    @property
    def dtype(self) -> dtypes.DType:
        """The `tf.DType` of the values."""
        return convert(self._values).dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor, as far as it is known."""
        if self._dense_shape is None:
            return TensorShape(None)
        return TensorShape(convert(self._dense_shape).numpy().tolist())

    def _dense_var_to_tensor(self, dtype: dtypes.DType | None = None) -> EagerTensor:
        if self._dense_shape is None:
            raise hinted(
                ValueError(
                    "Tensor conversion requested for IndexedSlices for argument `value` without "
                    f"dense_shape: {self}"
                ),
                "Give tf.IndexedSlices its dense_shape.",
            )
        rows = self.shape.as_list()[0]
        assert rows is not None  # shapes are known
        return unsorted_segment_sum(convert(self._values, dtype), self._indices, rows)

    @property
    def device(self) -> str:
        """The name of the device that holds the values."""
        return convert(self._values).device

    def _components(self) -> tuple[Any, ...]:
        known = () if self._dense_shape is None else (self._dense_shape,)
        return (self._values, self._indices, *known)

    def _with_components(self, components: Sequence[Any]) -> "IndexedSlices":
        return IndexedSlices(*components)

    def _printed(self, summarize: int) -> str:
        return array_text(self._dense_var_to_tensor().numpy(), summarize)

    def __neg__(self) -> "IndexedSlices":
        return IndexedSlices(-convert(self._values), self._indices, self._dense_shape)

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"

    __repr__ = __str__


@handles(IndexedSlices, "math.scalar_mul")
def _scalar_mul(scalar: Any, x: Any) -> IndexedSlices:
    """Multiplies the rows with a number."""
    return x._with_gradient(scalar_mul(scalar, x.values))


@handles(IndexedSlices, "stop_gradient")
def _stop_gradient(input: Any) -> IndexedSlices:
    """Makes constants of the rows."""
    return input._with_gradient(stop_gradient(input.values))


class IndexedSlicesValue(NamedTuple):
    """What indexed slices are made of, as NumPy arrays."""

    values: Any
    indices: Any
    dense_shape: Any
