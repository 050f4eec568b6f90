"""Ragged tensors: `tf.RaggedTensor`."""

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.op import register
from tapefacade._ragged import densifying, formatting, sparsifying
from tapefacade._ragged.base import nested, placed
from tapefacade._ragged.construction import replaced
from tapefacade._ragged.measures import Measures
from tapefacade._ragged.partition import SPLITS_DTYPES, RowPartition, of_lengths
from tapefacade._sparse.tensor import SparseTensor


class RaggedTensor(Measures):
    """A tensor whose rows differ in length, in one or several dimensions.

    A ragged tensor is made by `tf.ragged.constant` or one of the `from_*` methods. It holds the
    rows one after the other (`values`), and where each of them ends and begins (`row_splits`).
    Operators and element-wise functions take ragged tensors, as do many other functions.

    Unlike TensorFlow, the partitions are always known: what makes one looks at its values.

    >>> rt = tf.ragged.constant([[3, 1, 4], [], [1, 5]])
    >>> rt + 1
    <tf.RaggedTensor [[4, 2, 5], [], [2, 6]]>
    >>> rt.shape
    TensorShape([3, None])

    See https://www.tensorflow.org/api_docs/python/tf/RaggedTensor.
    """

    __slots__ = ()

    def __init__(self, values: Any, row_partition: Any, internal: Any = False) -> None:
        super().__init__(values, row_partition, internal)

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = dtypes.int64,
    ) -> "RaggedTensor":
        """Makes a ragged tensor of a dense one, whose rows may be cut.

        Args:
            tensor: a tensor of rank 2 or more.
            lengths: how much is kept of each row, a vector of integers, or a tuple of such vectors
                for several ragged dimensions.
            padding: a value that is left out at the ends of rows.
            ragged_rank: the number of ragged dimensions.
            name: ignored.
            row_splits_dtype: int32 or int64.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: if the rank is too small, or lengths and padding are both given.
            TypeError: if `ragged_rank` or the lengths are no integers.

        >>> tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0]], padding=0)
        <tf.RaggedTensor [[5, 7], [0, 3]]>
        """
        return densifying.from_dense(cls, tensor, lengths, padding, ragged_rank, row_splits_dtype)

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> EagerTensor:
        """Makes a dense tensor: all rows get the length of the longest.

        Args:
            default_value: what is put at the ends of rows, by default 0 (or the empty string).
            name: ignored.
            shape: the shape of the result, with None for as much as is needed; longer rows are
                cut.

        Returns:
            A tensor.

        Raises:
            InvalidArgumentError: if `shape` or the shape of `default_value` does not fit.

        >>> tf.ragged.constant([[1, 2], [3]]).to_tensor().numpy()
        array([[1, 2],
               [3, 0]], dtype=int32)
        """
        return densifying.to_dense(self, default_value, shape)

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = dtypes.int64
    ) -> "RaggedTensor":
        """Makes a ragged tensor of a sparse one, whose rows have their elements at the front.

        Args:
            st_input: a sparse tensor of rank 2.
            name: ignored.
            row_splits_dtype: int32 or int64.

        Returns:
            A ragged tensor.

        Raises:
            TypeError: if `st_input` is no sparse tensor.
            ValueError: if its rank is not 2.
            InvalidArgumentError: if a row has an element after a place without one.

        >>> tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0], [2, 0]], [1, 2], [3, 2]))
        <tf.RaggedTensor [[1], [], [2]]>
        """
        return sparsifying.from_sparse(cls, st_input, row_splits_dtype)

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """Makes a sparse tensor of the elements.

        Args:
            name: ignored.

        >>> tf.ragged.constant([[1, 2], [3]]).to_sparse().indices.numpy().tolist()
        [[0, 0], [0, 1], [1, 0]]
        """
        return sparsifying.to_sparse(self)

    def numpy(self) -> np.ndarray[Any, Any]:
        """Returns a NumPy array; one of arrays where rows differ in length.

        >>> tf.ragged.constant([[1, 2], [3, 4]]).numpy()
        array([[1, 2],
               [3, 4]], dtype=int32)
        """
        return formatting.as_numpy(self)

    def to_list(self) -> list[Any]:
        """Returns nested lists of Python values.

        >>> tf.ragged.constant([[1, 2], [3]]).to_list()
        [[1, 2], [3]]
        """
        return formatting.as_list(self)

    # The same with another part.

    def with_values(self, new_values: Any) -> "RaggedTensor":
        """Returns a ragged tensor with the same rows of other values.

        Args:
            new_values: a tensor or ragged tensor, `[nvals, ...]`.

        Raises:
            ValueError: if there are not as many values.

        >>> tf.ragged.constant([[1, 2], [3]]).with_values(["a", "b", "c"])
        <tf.RaggedTensor [[b'a', b'b'], [b'c']]>
        """
        return replaced(type(self), self._partition, new_values)

    def with_flat_values(self, new_values: Any) -> "RaggedTensor":
        """Returns a ragged tensor with the same partitions of other flat values.

        Args:
            new_values: a tensor or ragged tensor of as many rows as `flat_values`.

        Raises:
            ValueError: if there are not as many values.

        >>> tf.ragged.constant([[[1, 2]], [[3]]]).with_flat_values([4, 5, 6])
        <tf.RaggedTensor [[[4, 5]], [[6]]]>
        """
        values = self._values
        if isinstance(values, RaggedTensor):
            return self.with_values(values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: Any) -> "RaggedTensor":
        """Returns a ragged tensor whose splits have another dtype.

        Args:
            dtype: int32 or int64.

        Raises:
            ValueError: for another dtype.

        >>> tf.ragged.constant([[1, 2], [3]]).with_row_splits_dtype(tf.int32).row_splits.numpy()
        array([0, 2, 3], dtype=int32)
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype not in SPLITS_DTYPES:
            raise ValueError(
                f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}."
            )
        if dtype is self._partition.dtype:
            return self
        partitions = [partition.astype(dtype) for partition in self._partitions]
        return nested(self.flat_values, partitions, type(self))

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Merges dimensions next to each other into one.

        Args:
            outer_axis: the first one.
            inner_axis: the last one.

        Returns:
            A ragged tensor, or a tensor if no ragged dimension is left.

        Raises:
            ValueError: if an axis is out of bounds, or they are in the wrong order.

        >>> tf.ragged.constant([[[1, 2], [3]], [[4]]]).merge_dims(1, 2)
        <tf.RaggedTensor [[1, 2, 3], [4]]>
        """
        outer = placed(outer_axis, self._rank, "outer_axis")
        inner = placed(inner_axis, self._rank, "inner_axis")
        if outer > inner:
            raise ValueError(
                f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis "
                f"({inner_axis})."
            )
        return merged(self, outer, inner)

    def consumers(self) -> list[Any]:
        """Returns an empty list: tensors do not know who uses them.

        >>> tf.ragged.constant([[1, 2], [3]]).consumers()
        []
        """
        return []

    def _refusal(self) -> str:
        return "TypeError: object of type 'RaggedTensor' has no len()\n"

    def _printed(self, summarize: int) -> str:
        """Returns how `tf.print` and `tf.strings.format` show the elements."""
        return formatting.as_printed(self, summarize)

    @property
    def _is_eager(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        getitem = FUNCTIONS["_ragged_getitem"]
        return (getitem(self, row) for row in range(self._partition.nrows))

    def __getitem__(self, key: Any) -> Any:
        return FUNCTIONS["_ragged_getitem"](self, key)

    def __repr__(self) -> str:
        return f"<tf.RaggedTensor {formatting.as_text(self)}>"

    def __bool__(self) -> NoReturn:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self) -> int:
        raise TypeError("RaggedTensor is unhashable.")

    def __reduce__(self) -> Any:
        partitions = [(p.splits, p.uniform) for p in self._partitions]
        return _restored, (self.flat_values, partitions)


register(("RaggedTensor",), RaggedTensor)
# Messages show the class as TensorFlow names it.
RaggedTensor.__module__ = "tensorflow.python.ops.ragged.ragged_tensor"


def _restored(flat_values: EagerTensor, partitions: Any) -> RaggedTensor:
    return nested(flat_values, [RowPartition(*parts) for parts in partitions], RaggedTensor)


def merged(value: Any, outer: int, inner: int) -> Any:
    """Merges dimensions of a ragged or dense tensor."""
    if outer == inner:
        return value
    if not isinstance(value, RaggedTensor):
        shape = value._type.shape
        size = int(np.prod(shape[outer : inner + 1]))
        return FUNCTIONS["reshape"](value, (*shape[:outer], size, *shape[inner + 1 :]))
    if outer > 1:
        return RaggedTensor._make(merged(value._values, outer - 1, inner - 1), value._partition)
    if outer == 0:
        return merged(value._values, 0, inner - 1)
    values, partition = value._values, value._partition
    for _ in range(inner - 1):
        if isinstance(values, RaggedTensor):
            splits = values._partition.splits[partition.splits]
            partition, values = RowPartition(splits), values._values
        else:
            width = values._type.shape[1]
            partition = of_lengths(partition.lengths * width, partition.splits.dtype)
            values = densifying.merged(values, 2)
    return RaggedTensor._make(values, partition)
