"""What a ragged tensor is made of: values, and the partition of these into rows."""

from collections.abc import Sequence
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._ops.array.indexing import out_of_bounds
from tapefacade._ragged.partition import Array, RowPartition

PRIVATE = object()


class Ragged(CompositeTensor):
    """The fields of ragged tensors, and what follows from them without an op."""

    __slots__ = ("__weakref__", "_partition", "_values")

    _partition: RowPartition
    _values: Any

    def __init__(self, values: Any, row_partition: Any, internal: Any = False) -> None:
        if internal is not PRIVATE:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods "
                "instead (e.g., RaggedTensor.from_row_lengths())"
            )
        self._values = values
        self._partition = row_partition

    @classmethod
    def _make(cls, values: Any, partition: RowPartition) -> Any:
        """Makes a ragged tensor of checked parts."""
        return cls(values, partition, internal=PRIVATE)

    @property
    def values(self) -> Any:
        """The rows one after the other: a tensor, or a ragged tensor of lower rank.

        >>> tf.ragged.constant([[1, 2], [3]]).values.numpy()
        array([1, 2, 3], dtype=int32)
        """
        return self._values

    @property
    def flat_values(self) -> EagerTensor:
        """The values without any partition: a tensor.

        >>> tf.ragged.constant([[[1], [2]], [[3]]]).flat_values.numpy()
        array([1, 2, 3], dtype=int32)
        """
        values = self._values
        while isinstance(values, Ragged):
            values = values._values
        return values

    @property
    def _partitions(self) -> list[RowPartition]:
        """The partitions, the outermost first."""
        found, values = [], self
        while isinstance(values, Ragged):
            found.append(values._partition)
            values = values._values
        return found

    @property
    def row_splits(self) -> EagerTensor:
        """Where rows end and begin: a vector of one element more than there are rows.

        >>> tf.ragged.constant([[1, 2], [3]]).row_splits.numpy()
        array([0, 2, 3])
        """
        return self._partition.tensor

    @property
    def nested_row_splits(self) -> tuple[EagerTensor, ...]:
        """The splits of all ragged dimensions, the outermost first.

        >>> [s.numpy().tolist() for s in tf.ragged.constant([[[1], [2]], [[3]]]).nested_row_splits]
        [[0, 2, 3], [0, 1, 2, 3]]
        """
        return tuple([partition.tensor for partition in self._partitions])

    @property
    def ragged_rank(self) -> int:
        """The number of dimensions that are partitioned.

        >>> tf.ragged.constant([[[1], [2]], [[3]]]).ragged_rank
        2
        """
        return len(self._partitions)

    @property
    def uniform_row_length(self) -> EagerTensor | None:
        """The length of all rows, None unless it is known to be one.

        >>> tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2).uniform_row_length.numpy()
        np.int64(2)
        """
        uniform = self._partition.uniform
        if uniform is None:
            return None
        return scalar(uniform, self._partition.dtype)

    @property
    def dtype(self) -> dtypes.DType:
        """The `tf.DType` of the values.

        >>> tf.ragged.constant([[1, 2], [3]]).dtype
        tf.int32
        """
        return self.flat_values.dtype

    @property
    def shape(self) -> TensorShape:
        """The `tf.TensorShape`, with None for ragged dimensions.

        >>> tf.ragged.constant([[1, 2], [3]]).shape
        TensorShape([2, None])
        """
        return TensorShape(self._sizes())

    def get_shape(self) -> TensorShape:
        """Returns `shape`.

        >>> tf.ragged.constant([[1, 2], [3]]).get_shape()
        TensorShape([2, None])
        """
        return self.shape

    def _sizes(self) -> list[int | None]:
        partitions = self._partitions
        inner = self.flat_values._type.shape[1:]
        return [partitions[0].nrows, *[p.uniform for p in partitions], *inner]

    @property
    def _rank(self) -> int:
        return self.ragged_rank + len(self.flat_values._type.shape)

    def _components(self) -> Sequence[Any]:
        return [self.flat_values, *self.nested_row_splits]

    def _with_components(self, components: Sequence[Any]) -> Any:
        flat, *splits = components
        values = flat
        for partition, tensor in zip(self._partitions[::-1], splits[::-1], strict=True):
            values = type(self)._make(values, _same_or(partition, tensor))
        return values


def _same_or(partition: RowPartition, tensor: Any) -> RowPartition:
    if tensor is partition.tensor:
        return partition
    return RowPartition(convert(tensor).numpy(), partition.uniform)


def scalar(number: Any, dtype: dtypes.DType) -> EagerTensor:
    """Makes a scalar tensor of an integer."""
    return from_host(dtype.as_numpy_dtype(number).reshape(()))


def vector(numbers: Array, dtype: dtypes.DType) -> EagerTensor:
    """Makes a tensor of integers."""
    return from_host(numbers.astype(dtype.as_numpy_dtype))


def nested(flat: Any, partitions: Sequence[RowPartition], cls: type[Ragged]) -> Any:
    """Makes a ragged tensor of flat values and partitions, the outermost first."""
    values = flat
    for partition in reversed(partitions):
        values = cls._make(values, partition)
    return values


def length_of(values: Any) -> int:
    """Returns the number of rows of a ragged or dense tensor."""
    if isinstance(values, Ragged):
        return values._partition.nrows
    if not values._type.shape:
        raise out_of_bounds(0, 0)
    return values._type.shape[0]


def placed(axis: Any, rank: int, name: str = "axis") -> int:
    """Returns an axis counted from the front.

    Raises:
        TypeError: if it is no integer.
        ValueError: if it is out of bounds.
    """
    if not isinstance(axis, int):
        raise TypeError(f"{name} must be an int; got {type(axis).__name__}")
    if not -rank <= axis < rank:
        raise ValueError(f"{name}={axis} out of bounds: expected {-rank}<={name}<{rank}")
    return axis % rank
