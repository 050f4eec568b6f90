"""The type of sparse tensors: `tf.SparseTensorSpec`."""

import math
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.type_spec import TypeSpec
from tapefacade._definition.op import function
from tapefacade._sparse.tensor import SparseTensor


@function("SparseTensorSpec")
class SparseTensorSpec(TypeSpec):
    """The type of a sparse tensor: its shape and the dtype of its elements.

    Args:
        shape: the shape of the whole tensor, as far as it is known.
        dtype: the dtype of the elements.

    >>> tf.SparseTensorSpec([3, None], tf.float32)
    SparseTensorSpec(TensorShape([3, None]), tf.float32)

    See https://www.tensorflow.org/api_docs/python/tf/SparseTensorSpec.
    """

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    @property
    def shape(self) -> TensorShape:
        """The `tf.TensorShape`."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The `tf.DType` of the elements."""
        return self._dtype

    @property
    def value_type(self) -> type:
        """`tf.SparseTensor`."""
        return SparseTensor

    @classmethod
    def from_value(cls, value: Any) -> "SparseTensorSpec":
        """Makes the spec of a sparse tensor.

        >>> tf.SparseTensorSpec.from_value(tf.sparse.eye(2))
        SparseTensorSpec(TensorShape([2, 2]), tf.float32)
        """
        return cls(value.shape, value.dtype)

    def _batch(self, batch_size: int | None) -> "SparseTensorSpec":
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> "SparseTensorSpec":
        inner = self._shape[1:] if self._shape.rank is not None else None
        return SparseTensorSpec(inner, self._dtype)

    def _example(self, size: int) -> SparseTensor:
        """Returns a value of zeros at the first places, with `size` for unknown sizes."""
        known: list[int | None] = [None] * 2 if self._shape.rank is None else [*self._shape]
        shape = [size if own is None else own for own in known]
        count = min(size, math.prod(shape))
        places = np.stack(np.unravel_index(np.arange(count), shape), 1).reshape(count, len(shape))
        kind = "S1" if self._dtype is dtypes.string else self._dtype._numpy
        return SparseTensor(places.astype(np.int64), np.zeros(count, kind), shape)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype)

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        rank = self._shape.rank
        return (
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        )

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        return value.indices, value.values, value.dense_shape

    def _from_components(self, components: Any) -> SparseTensor:
        return SparseTensor(*components)


SparseTensor._type_spec = property(SparseTensorSpec.from_value)
