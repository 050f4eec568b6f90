"""The type of ragged tensors: `tf.RaggedTensorSpec`."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.type_spec import TypeSpec
from tapefacade._definition.op import register
from tapefacade._ragged.partition import Partition, nested_ragged, no_ragged_rank
from tapefacade._ragged.tensor import RaggedTensor


class RaggedTensorSpec(TypeSpec):
    """The type of a ragged tensor: its shape, dtype, ragged rank and the dtype of its splits.

    Args:
        shape: the shape, None for ragged and unknown dimensions.
        dtype: the dtype of the values.
        ragged_rank: the number of ragged dimensions, by default all but the first.
        row_splits_dtype: int32 or int64.
        flat_values_spec: a spec of the flat values, instead of `dtype`.

    Raises:
        ValueError: if the ragged rank does not go with the shape.

    >>> tf.RaggedTensorSpec([None, None], tf.int32)
    RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)

    See https://www.tensorflow.org/api_docs/python/tf/RaggedTensorSpec.
    """

    __slots__ = ("_dtype", "_flat_values_spec", "_ragged_rank", "_row_splits_dtype", "_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        if flat_values_spec is not None:
            dtype = flat_values_spec.dtype if dtype is None else dtype
        elif dtype is None:
            raise ValueError("At least one of dtype or flat_values_spec must be provided")
        self._dtype = dtypes.as_dtype(dtype)
        self._flat_values_spec = flat_values_spec
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(no_ragged_rank(ragged_rank))
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )
        self._ragged_rank = ragged_rank

    @property
    def dtype(self) -> dtypes.DType:
        """The `tf.DType` of the values."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The `tf.TensorShape`, with None for ragged dimensions."""
        return self._shape

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> dtypes.DType:
        """The `tf.DType` of the splits."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        """The spec of the flat values, or None."""
        return self._flat_values_spec

    @property
    def value_type(self) -> Any:
        """`tf.RaggedTensor`; `tf.Tensor` if there is no ragged dimension."""
        return RaggedTensor if self._ragged_rank > 0 else EagerTensor

    @classmethod
    def from_value(cls, value: Any) -> "RaggedTensorSpec":
        """Makes the spec of a ragged tensor.

        Args:
            value: a ragged tensor.

        >>> tf.RaggedTensorSpec.from_value(tf.ragged.constant([[1, 2], [3]]))
        RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)
        """
        flat = value.flat_values
        return cls(value.shape, flat.dtype, value.ragged_rank, value.row_splits.dtype)

    def _example(self, size: int) -> Any:
        """Returns a value of zeros, with rows of `size` and one more where lengths are unknown."""
        rank = self._ragged_rank + 1
        known: list[int | None] = [None] * rank if self._shape.rank is None else [*self._shape]
        count = size if known[0] is None else known[0]
        lengths: list[np.ndarray[Any, Any]] = []
        for length in known[1:rank]:
            own = [size + row % 2 for row in range(count)] if length is None else [length] * count
            lengths.append(np.array(own, self._row_splits_dtype._numpy))
            count = sum(own)
        inner = [size if own is None else own for own in known[rank:]]
        kind = "S1" if self._dtype is dtypes.string else self._dtype._numpy
        value: Any = convert(np.zeros([count, *inner], kind))
        for own in reversed(lengths):
            value = RaggedTensor.from_row_lengths(value, own)
        return value

    def _serialize(self) -> tuple[Any, ...]:
        held = (self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype)
        return held if self._flat_values_spec is None else (*held, self._flat_values_spec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Tells whether a value could have both types.

        Args:
            spec_or_value: another spec, or a value.

        >>> spec = tf.RaggedTensorSpec([None, None], tf.int32)
        >>> spec.is_compatible_with(tf.ragged.constant([[1, 2], [3]]))
        True
        """
        if self._ragged_rank == 0 and isinstance(spec_or_value, EagerTensor | TensorSpec):
            return TensorSpec(self._shape, self._dtype).is_compatible_with(spec_or_value)
        return super().is_compatible_with(spec_or_value)

    @property
    def _component_specs(self) -> list[Any]:
        if self._ragged_rank <= 0:
            return [self._flat_values_spec or TensorSpec(self._shape, self._dtype)]
        rows = self._shape[0] if self._shape.rank is not None else None
        inner = None
        if self._shape.rank is not None:
            inner = self._shape[self._ragged_rank + 1 :]
        flat = TensorSpec(
            TensorShape([None]).concatenate(TensorShape(None) if inner is None else inner),
            self._dtype,
        )
        outer = TensorSpec([None if rows is None else rows + 1], self._row_splits_dtype)
        others = [TensorSpec([None], self._row_splits_dtype)] * (self._ragged_rank - 1)
        return [self._flat_values_spec or flat, outer, *others]

    def _to_components(self, value: Any) -> list[Any]:
        if isinstance(value, RaggedTensor):
            return list(value._components())
        return [value]

    def _from_components(self, components: Any) -> Any:
        flat, *splits = components
        if self._shape.rank is None:
            sizes: list[int | None] = [None] * len(splits)
        else:
            sizes = self._shape.as_list()[1 : self._ragged_rank + 1]
        partitions = [
            Partition(convert(tensor)._numpy_array(), size)
            for tensor, size in zip(splits, sizes, strict=True)
        ]
        flat = flat if isinstance(flat, RaggedTensor) else convert(flat)
        return nested_ragged(flat, partitions, RaggedTensor)

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Makes a ragged tensor of the next tensors: the flat values, then the splits.

        Args:
            tensors: an iterator.

        >>> spec = tf.RaggedTensorSpec([None, None], tf.int32)
        >>> spec.from_tensors(iter([tf.constant([1, 2]), tf.constant([0, 0, 2], tf.int64)]))
        <tf.RaggedTensor [[], [1, 2]]>
        """
        return super().from_tensors(tensors)

    def _batch(self, batch_size: int | None) -> "RaggedTensorSpec":
        shape = TensorShape([batch_size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def _unbatch(self) -> "RaggedTensorSpec":
        shape = TensorShape(None) if self._shape.rank is None else self._shape[1:]
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank - 1, self._row_splits_dtype)


RaggedTensor._type_spec = property(RaggedTensorSpec.from_value)
register(("RaggedTensorSpec",), RaggedTensorSpec)
