"""IndexedSlices: some rows of a tensor that is zero elsewhere."""

from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.convert import convert
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.shapes import TensorShape
from tapefacade._core.tensor import EagerTensor


class IndexedSlices:
    """Rows `values[i]` of a tensor, at the places `indices[i]`; equal places add up.

    Args:
        values: the rows, `[n, ...]`.
        indices: their places, `[n]`, integers.
        dense_shape: the shape of the whole tensor, needed to convert to it.

    Unlike TensorFlow, gradients are never IndexedSlices: that of a gather is a dense tensor.

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
            raise ValueError(
                "Tensor conversion requested for IndexedSlices without dense_shape: "
                f"{self}. Give tf.IndexedSlices its dense_shape."
            )
        return FUNCTIONS["math.unsorted_segment_sum"](
            convert(self._values, dtype), self._indices, self.shape.as_list()[0]
        )

    def __neg__(self) -> "IndexedSlices":
        return IndexedSlices(-convert(self._values), self._indices, self._dense_shape)

    def __repr__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"
