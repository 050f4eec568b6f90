"""`tf.RaggedTensor`: how ragged tensors are made, and what they tell of their rows."""

import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.error_texts import invalid
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor, FailedResult, failed_result, from_host
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tracebacks import with_short_tracebacks
from tapefacade._definition.op import register
from tapefacade._ops.array.gathering import gather
from tapefacade._ops.array.indexing import out_of_bounds
from tapefacade._ops.array.shapes import shape as dense_shape
from tapefacade._ops.array.shaping import reshape
from tapefacade._ragged import dense_conversion
from tapefacade._ragged.partition import (
    SPLITS_DTYPES,
    Array,
    Partition,
    assert_equal,
    check_validate,
    from_ids,
    from_lengths,
    from_limits,
    from_splits,
    from_starts,
    from_uniform,
    message,
    nested_ragged,
    of_lengths,
)
from tapefacade._sparse.tensor import SparseTensor

PRIVATE_CONSTRUCTOR = object()  # what the factory methods pass to the constructor


def as_values(values: Any) -> Any:
    """Converts what is partitioned: a ragged tensor stays one."""
    return values if isinstance(values, RaggedTensor | FailedResult) else convert(values)


def ragged_of_partition(cls: Any, values: Any, partition: Partition, validate: bool = True) -> Any:
    """Puts values and their partition together."""
    if isinstance(values, FailedResult):  # of which not even the shape is known
        return cls._make(values, partition)
    if not isinstance(values, RaggedTensor) and not values._type.shape:
        raise out_of_bounds(0, 0)
    if validate:
        assert_equal(partition.nvals, length_of(values), message("_from_row_partition"))
    return cls._make(values, partition)


# What needs values, and what divides rows, which TensorFlow asserts whether they are used or not.
RAISING = (
    "__init__", "numpy", "to_list", "from_row", "from_value", "from_uniform", "from_nested",
)  # fmt: skip


def _checked_list(values: Any, name: str) -> None:
    if isinstance(values, EagerTensor):
        shown = values.numpy()
        raise TypeError(f"Argument `{name}` must be a list of Tensors. Received {shown}.")


@functools.partial(with_short_tracebacks, left_open=failed_result, raising=RAISING)
class RaggedTensor(CompositeTensor):
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

    __slots__ = ("__weakref__", "_partition", "_values")

    _partition: Partition
    _values: Any
    _type_spec: Any  # set where the spec is defined

    def __init__(self, values: Any, row_partition: Any, internal: Any = False) -> None:
        if internal is not PRIVATE_CONSTRUCTOR:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods "
                "instead (e.g., RaggedTensor.from_row_lengths())"
            )
        self._values = values
        self._partition = row_partition

    @classmethod
    def _make(cls, values: Any, partition: Partition) -> Any:
        """Makes a ragged tensor of checked parts."""
        return cls(values, partition, internal=PRIVATE_CONSTRUCTOR)

    # How ragged tensors are made.

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor of values and the places where rows end and begin.

        Args:
            values: a tensor or ragged tensor, `[nvals, ...]`.
            row_splits: a sorted vector of int32 or int64, from 0 to nvals: row `i` is
                `values[row_splits[i] : row_splits[i + 1]]`.
            name: ignored.
            validate: whether the splits are checked.

        Returns:
            A ragged tensor `[nrows, (length), ...]`.

        Raises:
            InvalidArgumentError: if the splits are wrong.
            ValueError: if they are no vector of int32 or int64.

        >>> tf.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 2, 2, 4])
        <tf.RaggedTensor [[3, 1], [], [4, 1]]>
        """
        values = as_values(values)
        return ragged_of_partition(cls, values, from_splits(values, row_splits, validate), validate)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor of values and the lengths of the rows.

        Args:
            values: a tensor or ragged tensor, `[nvals, ...]`.
            row_lengths: a vector of int32 or int64, whose sum is nvals.
            name: ignored.
            validate: whether the lengths are checked.

        Returns:
            A ragged tensor `[nrows, (length), ...]`.

        Raises:
            InvalidArgumentError: if the lengths are wrong.
            ValueError: if they are no vector of int32 or int64.

        >>> tf.RaggedTensor.from_row_lengths([3, 1, 4, 1], [2, 0, 2])
        <tf.RaggedTensor [[3, 1], [], [4, 1]]>
        """
        values = as_values(values)
        return ragged_of_partition(
            cls, values, from_lengths(values, row_lengths, validate), validate
        )

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a ragged tensor of values and the row of each of them.

        Args:
            values: a tensor or ragged tensor, `[nvals, ...]`.
            value_rowids: a sorted vector of nvals integers, int32 or int64.
            nrows: the number of rows, by default the last row id + 1.
            name: ignored.
            validate: whether the ids are checked.

        Returns:
            A ragged tensor `[nrows, (length), ...]`.

        Raises:
            InvalidArgumentError: if the ids are not sorted, or negative.
            ValueError: if they are no vector of int32 or int64, not as many as the values, or
                `nrows` is too small.

        >>> tf.RaggedTensor.from_value_rowids([3, 1, 4, 1], [0, 0, 2, 2])
        <tf.RaggedTensor [[3, 1], [], [4, 1]]>
        """
        values = as_values(values)
        partition = from_ids(values, value_rowids, nrows, length_of(values), validate)
        return ragged_of_partition(cls, values, partition, validate)

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor of values and the places where rows begin.

        Args:
            values: a tensor or ragged tensor, `[nvals, ...]`.
            row_starts: a sorted vector of int32 or int64 that begins with 0.
            name: ignored.
            validate: whether the starts are checked.

        Returns:
            A ragged tensor `[nrows, (length), ...]`.

        Raises:
            InvalidArgumentError: if the starts are wrong.
            ValueError: if they are no vector of int32 or int64.

        >>> tf.RaggedTensor.from_row_starts([3, 1, 4, 1], [0, 2, 2])
        <tf.RaggedTensor [[3, 1], [], [4, 1]]>
        """
        values = as_values(values)
        partition = from_starts(values, row_starts, length_of(values), validate)
        return ragged_of_partition(cls, values, partition, validate and partition.nrows > 0)

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor of values and the places where rows end.

        Args:
            values: a tensor or ragged tensor, `[nvals, ...]`.
            row_limits: a sorted vector of int32 or int64 that ends with nvals.
            name: ignored.
            validate: whether the limits are checked.

        Returns:
            A ragged tensor `[nrows, (length), ...]`.

        Raises:
            InvalidArgumentError: if the limits are wrong.
            ValueError: if they are no vector of int32 or int64.

        >>> tf.RaggedTensor.from_row_limits([3, 1, 4, 1], [2, 2, 4])
        <tf.RaggedTensor [[3, 1], [], [4, 1]]>
        """
        values = as_values(values)
        return ragged_of_partition(cls, values, from_limits(values, row_limits, validate), validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Any:
        """Makes a ragged tensor of values and the length that all rows have.

        Args:
            values: a tensor or ragged tensor, `[nvals, ...]`.
            uniform_row_length: an integer.
            nrows: the number of rows, which is needed if the length is 0.
            validate: whether the arguments are checked.
            name: ignored.

        Returns:
            A ragged tensor `[nrows, uniform_row_length, ...]`.

        Raises:
            ValueError: if the length is negative, or does not go with the number of values.

        >>> tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[3], [1, 4]]), 2)
        <tf.RaggedTensor [[[3], [1, 4]]]>
        """
        check_validate(validate)
        values = as_values(values)
        partition = from_uniform(values, uniform_row_length, nrows, length_of(values))
        return ragged_of_partition(cls, values, partition, validate)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a ragged tensor of flat values and the splits of each ragged dimension.

        Args:
            flat_values: a tensor.
            nested_row_splits: a list of vectors as for `from_row_splits`, the outermost first.
            name: ignored.
            validate: whether the splits are checked.

        Returns:
            A ragged tensor; `flat_values` if there are no splits.

        Raises:
            InvalidArgumentError: if splits are wrong.
            TypeError: if they are no list.

        >>> tf.RaggedTensor.from_nested_row_splits([3, 1, 4, 1], [[0, 1, 3], [0, 2, 2, 4]])
        <tf.RaggedTensor [[[3, 1]], [[], [4, 1]]]>
        """
        check_validate(validate)
        _checked_list(nested_row_splits, "nested_row_splits")
        result = flat_values
        for splits in reversed(nested_row_splits):
            result = cls.from_row_splits(result, splits, validate=validate)
        return result

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a ragged tensor of flat values and the lengths in each ragged dimension.

        Args:
            flat_values: a tensor.
            nested_row_lengths: a list of vectors as for `from_row_lengths`, the outermost first.
            name: ignored.
            validate: whether the lengths are checked.

        Returns:
            A ragged tensor; `flat_values` if there are no lengths.

        Raises:
            InvalidArgumentError: if lengths are wrong.
            TypeError: if they are no list.

        >>> tf.RaggedTensor.from_nested_row_lengths([3, 1, 4, 1], [[1, 2], [2, 0, 2]])
        <tf.RaggedTensor [[[3, 1]], [[], [4, 1]]]>
        """
        check_validate(validate)
        _checked_list(nested_row_lengths, "nested_row_lengths")
        result = flat_values
        for lengths in reversed(nested_row_lengths):
            result = cls.from_row_lengths(result, lengths, validate=validate)
        return result

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a ragged tensor of flat values and the row ids in each ragged dimension.

        Args:
            flat_values: a tensor.
            nested_value_rowids: a list of vectors as for `from_value_rowids`, the outermost first.
            nested_nrows: a list of as many numbers of rows.
            name: ignored.
            validate: whether the ids are checked.

        Returns:
            A ragged tensor; `flat_values` if there are no ids.

        Raises:
            InvalidArgumentError: if ids are wrong.
            ValueError: if the two lists differ in length.
            TypeError: if they are no lists.

        >>> tf.RaggedTensor.from_nested_value_rowids([3, 1, 4, 1], [[0, 1, 1], [0, 0, 2, 2]])
        <tf.RaggedTensor [[[3, 1]], [[], [4, 1]]]>
        """
        check_validate(validate)
        _checked_list(nested_value_rowids, "nested_value_rowids")
        if nested_nrows is None:
            nested_nrows = [None] * len(nested_value_rowids)
        _checked_list(nested_nrows, "nested_nrows")
        if len(nested_nrows) != len(nested_value_rowids):
            raise ValueError(
                "Argument `nested_nrows` must have the same length as argument "
                f"`nested_value_rowids`. len(nested_nrows) = {len(nested_nrows)} vs. "
                f"len(nested_values_rowids) = {len(nested_value_rowids)}."
            )
        result = flat_values
        for ids, nrows in list(zip(nested_value_rowids, nested_nrows, strict=True))[::-1]:
            result = cls.from_value_rowids(result, ids, nrows, validate=validate)
        return result

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
        return dense_conversion.from_dense(
            cls, tensor, lengths, padding, ragged_rank, row_splits_dtype
        )

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
        if not isinstance(st_input, SparseTensor):
            raise TypeError(
                "Argument `st_input` must be of type SparseTensor, but is of type "
                f"{type(st_input).__name__}."
            )
        shape = st_input.dense_shape.numpy()
        if len(shape) != 2:
            raise ValueError("rank(st_input) must be 2.")
        indices = np.asarray(st_input.indices)
        rows, columns = indices[:, 0], indices[:, 1]
        lengths = np.bincount(rows, minlength=int(shape[0]))
        starts = np.cumsum(lengths) - lengths
        ordered = bool((np.diff(rows) >= 0).all())
        if not ordered or (columns != np.arange(len(rows)) - starts[rows]).any():
            shown = ", ".join(str(n) for n in indices.ravel()[:3])
            raise invalid(
                "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
                "b'SparseTensor is not right-ragged'\nb'SparseTensor.indices ='\n"
                f"{shown}{', ...' if indices.size > 3 else ''}"
            )
        dtype = dtypes.as_dtype(row_splits_dtype).as_numpy_dtype
        return cls._make(st_input.values, of_lengths(lengths, dtype))

    # What they are made of.

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

    @property
    def ragged_rank(self) -> int:
        """The number of dimensions that are partitioned.

        >>> tf.ragged.constant([[[1], [2]], [[3]]]).ragged_rank
        2
        """
        return len(self._partitions)

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
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def _partitions(self) -> list[Partition]:
        """The partitions, the outermost first."""
        found, values = [], self
        while isinstance(values, RaggedTensor):
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
    def uniform_row_length(self) -> EagerTensor | None:
        """The length of all rows, None unless it is known to be one.

        >>> tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2).uniform_row_length.numpy()
        np.int64(2)
        """
        uniform = self._partition.uniform
        if uniform is None:
            return None
        return scalar(uniform, self._partition.dtype)

    # Where the rows are.

    def nrows(self, out_type: Any = None, name: str | None = None) -> EagerTensor:
        """Returns the number of rows.

        Args:
            out_type: the dtype of the result, by default that of the splits.
            name: ignored.

        >>> tf.ragged.constant([[1, 2], [3]]).nrows().numpy()
        np.int64(2)
        """
        dtype = self._partition.dtype if out_type is None else dtypes.as_dtype(out_type)
        return scalar(self._partition.nrows, dtype)

    def row_starts(self, name: str | None = None) -> EagerTensor:
        """Returns where each row begins in `values`.

        Args:
            name: ignored.

        >>> tf.ragged.constant([[1, 2], [3]]).row_starts().numpy()
        array([0, 2])
        """
        return from_host(self._partition.splits[:-1])

    def row_limits(self, name: str | None = None) -> EagerTensor:
        """Returns where each row ends in `values`.

        Args:
            name: ignored.

        >>> tf.ragged.constant([[1, 2], [3]]).row_limits().numpy()
        array([2, 3])
        """
        return from_host(self._partition.splits[1:])

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Returns the length of each row.

        Args:
            axis: the dimension whose lengths are returned.
            name: ignored.

        Returns:
            A vector of integers for axis 1, a scalar for axis 0, else a ragged tensor.

        Raises:
            ValueError: if `axis` is out of bounds.

        >>> tf.ragged.constant([[1, 2], [3]]).row_lengths().numpy()
        array([2, 1])
        """
        axis = axis_from_front(axis, self._rank)
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return from_host(self._partition.lengths)
        values = self._values
        if isinstance(values, RaggedTensor):
            lengths = values.row_lengths(axis - 1)
        else:
            shape = values._type.shape
            dtype = self._partition.splits.dtype
            lengths = from_host(np.full(shape[: axis - 1], shape[axis - 1], dtype))
        return self._make(lengths, self._partition)

    def value_rowids(self, name: str | None = None) -> EagerTensor:
        """Returns the row of each value.

        Args:
            name: ignored.

        >>> tf.ragged.constant([[1, 2], [3]]).value_rowids().numpy()
        array([0, 0, 1])
        """
        return from_host(self._partition.ids)

    def nested_row_lengths(self, name: str | None = None) -> tuple[EagerTensor, ...]:
        """Returns the lengths of rows in all ragged dimensions, the outermost first.

        Args:
            name: ignored.

        >>> [n.numpy().tolist() for n in tf.ragged.constant([[[1, 2]], []]).nested_row_lengths()]
        [[1, 0], [2]]
        """
        return tuple([from_host(partition.lengths) for partition in self._partitions])

    def nested_value_rowids(self, name: str | None = None) -> tuple[EagerTensor, ...]:
        """Returns the rows of values in all ragged dimensions, the outermost first.

        Args:
            name: ignored.

        >>> [i.numpy().tolist() for i in tf.ragged.constant([[[1, 2]], []]).nested_value_rowids()]
        [[0], [0, 0]]
        """
        return tuple([from_host(partition.ids) for partition in self._partitions])

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> EagerTensor:
        """Returns the shape of the smallest dense tensor that has place for all elements.

        Args:
            axis: the dimensions that are asked for, an integer or a vector of these; by default
                all.
            name: ignored.
            out_type: the dtype of the result, by default that of the splits.

        >>> tf.ragged.constant([[1, 2], [3]]).bounding_shape().numpy()
        array([2, 2])
        """
        dtype = self._partition.dtype if out_type is None else dtypes.as_dtype(out_type)
        partitions, flat = self._partitions, self.flat_values
        if dtype not in SPLITS_DTYPES:
            return dense_shape(flat, dtype)  # raises
        longest = [int(partition.lengths.max(initial=0)) for partition in partitions]
        sizes = np.array([partitions[0].nrows, *longest, *flat._type.shape[1:]])
        bounds = vector(sizes, dtype)
        return bounds if axis is None else gather(bounds, axis)

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
        return ragged_with_values(type(self), self._partition, new_values)

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
        return nested_ragged(self.flat_values, partitions, type(self))

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
        outer = axis_from_front(outer_axis, self._rank, "outer_axis")
        inner = axis_from_front(inner_axis, self._rank, "inner_axis")
        if outer > inner:
            raise ValueError(
                f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis "
                f"({inner_axis})."
            )
        return merged_dimensions(self, outer, inner)

    # The same in another form.

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
        return dense_conversion.to_dense(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """Makes a sparse tensor of the elements.

        Args:
            name: ignored.

        >>> tf.ragged.constant([[1, 2], [3]]).to_sparse().indices.numpy().tolist()
        [[0, 0], [0, 1], [1, 0]]
        """
        flat = self.flat_values
        inner = flat._type.shape[1:]
        places = np.indices(flat._type.shape).reshape(1 + len(inner), -1)
        rows, columns = places[0], list(places[1:])
        for partition in reversed(self._partitions):
            above = partition.ids[rows]
            columns.insert(0, rows - partition.splits[above])
            rows = above
        indices = np.stack([rows, *columns], axis=1).astype(np.int64)
        values = reshape(flat, (-1,)) if inner else flat
        bounds = self.bounding_shape(out_type=dtypes.int64)
        return SparseTensor(from_host(indices), values, bounds)

    def to_list(self) -> list[Any]:
        """Returns nested lists of Python values.

        >>> tf.ragged.constant([[1, 2], [3]]).to_list()
        [[1, 2], [3]]
        """
        return _as_list(self)

    def numpy(self) -> np.ndarray[Any, Any]:
        """Returns a NumPy array; one of arrays where rows differ in length.

        >>> tf.ragged.constant([[1, 2], [3, 4]]).numpy()
        array([[1, 2],
               [3, 4]], dtype=int32)
        """
        return _as_numpy(self)

    # What Python and the engine ask for.

    def __getitem__(self, key: Any) -> Any:
        return FUNCTIONS["_ragged_getitem"](self, key)

    def __iter__(self) -> Iterator[Any]:
        getitem = FUNCTIONS["_ragged_getitem"]
        return (getitem(self, row) for row in range(self._partition.nrows))

    def __bool__(self) -> NoReturn:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self) -> int:
        raise TypeError("RaggedTensor is unhashable.")

    def __repr__(self) -> str:
        return f"<tf.RaggedTensor {_as_text(self)}>"

    def __reduce__(self) -> Any:
        partitions = [(p.splits, p.uniform) for p in self._partitions]
        return _restored, (self.flat_values, partitions)

    def consumers(self) -> list[Any]:
        """Returns an empty list: tensors do not know who uses them.

        >>> tf.ragged.constant([[1, 2], [3]]).consumers()
        []
        """
        return []

    def _components(self) -> Sequence[Any]:
        return [self.flat_values, *self.nested_row_splits]

    def _with_known_sizes(self, spec: Any, parts: Sequence[Any]) -> Any:
        _, outer, *_ = parts
        if outer.shape.as_list() != [None]:
            return spec
        sizes = [None, *spec.shape.as_list()[1:]]
        return type(spec)(sizes, spec.dtype, spec.ragged_rank, spec.row_splits_dtype)

    def _with_components(self, components: Sequence[Any]) -> Any:
        flat, *splits = components
        values = flat
        for partition, tensor in zip(self._partitions[::-1], splits[::-1], strict=True):
            values = type(self)._make(values, _same_or(partition, tensor))
        return values

    @property
    def _is_eager(self) -> bool:
        return True

    def _printed(self, summarize: int) -> str:
        """Returns how `tf.print` and `tf.strings.format` show the elements."""
        return _as_printed(self, summarize)

    def _refusal(self) -> str:
        return "TypeError: object of type 'RaggedTensor' has no len()\n"


register(("RaggedTensor",), RaggedTensor)
# Messages show the class as TensorFlow names it.
RaggedTensor.__module__ = "tensorflow.python.ops.ragged.ragged_tensor"


def _restored(flat_values: EagerTensor, partitions: Any) -> RaggedTensor:
    return nested_ragged(flat_values, [Partition(*parts) for parts in partitions], RaggedTensor)


def merged_dimensions(value: Any, outer: int, inner: int) -> Any:
    """Merges dimensions of a ragged or dense tensor."""
    if outer == inner:
        return value
    if not isinstance(value, RaggedTensor):
        shape = value._type.shape
        size = int(np.prod(shape[outer : inner + 1]))
        return reshape(value, (*shape[:outer], size, *shape[inner + 1 :]))
    if outer > 1:
        return RaggedTensor._make(
            merged_dimensions(value._values, outer - 1, inner - 1), value._partition
        )
    if outer == 0:
        return merged_dimensions(value._values, 0, inner - 1)
    values, partition = value._values, value._partition
    for _ in range(inner - 1):
        if isinstance(values, RaggedTensor):
            splits = values._partition.splits[partition.splits]
            partition, values = Partition(splits), values._values
        else:
            width = values._type.shape[1]
            partition = of_lengths(partition.lengths * width, partition.splits.dtype)
            values = dense_conversion.merged_axes(values, 2)
    return RaggedTensor._make(values, partition)


def ragged_with_values(cls: Any, partition: Partition, values: Any) -> Any:
    """Puts other values into a partition."""
    values = as_values(values)
    if isinstance(values, FailedResult):
        return cls._make(values, partition)
    shape = values.shape
    if shape.rank == 0:
        raise ValueError(f"Shape {shape} must have rank at least 1")
    as_shape((partition.nvals,)).assert_is_compatible_with(shape[:1])
    if isinstance(values, RaggedTensor) and values._partition.dtype is not partition.dtype:
        raise ValueError(
            "self and new_values have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )
    return cls._make(values, partition)


def _same_or(partition: Partition, tensor: Any) -> Partition:
    if tensor is partition.tensor:
        return partition
    return Partition(convert(tensor).numpy(), partition.uniform)


def scalar(number: Any, dtype: dtypes.DType) -> EagerTensor:
    """Makes a scalar tensor of an integer."""
    return from_host(dtype.as_numpy_dtype(number).reshape(()))


def vector(numbers: Array, dtype: dtypes.DType) -> EagerTensor:
    """Makes a tensor of integers."""
    return from_host(numbers.astype(dtype.as_numpy_dtype))


def length_of(values: Any) -> int:
    """Returns the number of rows of a ragged or dense tensor."""
    if isinstance(values, RaggedTensor):
        return values._partition.nrows
    if not values._type.shape:
        raise out_of_bounds(0, 0)
    return values._type.shape[0]


def axis_from_front(axis: Any, rank: int, name: str = "axis") -> int:
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


# What ragged tensors look like: as NumPy arrays, as lists, and as text.


def _rows(values: Array, splits: Array) -> list[Array]:
    """Cuts an array into rows."""
    return [values[start:end] for start, end in itertools.pairwise(splits)]


def _as_numpy(ragged: RaggedTensor) -> Array:
    """Makes an array: of arrays, where rows differ in length."""
    values = ragged._values.numpy()
    rows = _rows(values, ragged._partition.splits)
    if not rows:
        return np.zeros((0, 0, *np.shape(values)[1:]), values.dtype)
    if all(len(row) == len(rows[0]) for row in rows):
        return np.stack(rows)
    held = np.empty(len(rows), object)
    held[:] = rows
    return held


def _as_list(ragged: RaggedTensor) -> list[Any]:
    """Makes nested lists."""
    inner = ragged._values
    values = inner.numpy().tolist() if isinstance(inner, EagerTensor) else inner.to_list()
    return _rows(values, ragged._partition.splits)


def _element(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if not value.size:
            return str(value.tolist())
        return np.array2string(value, separator=", ")
    if isinstance(value, bytes):
        return repr(value)
    return str(value)


def _as_text(ragged: RaggedTensor) -> str:
    """Writes the elements with commas between them."""
    with np.printoptions(formatter={"all": _element}):
        return _element(_as_numpy(ragged))


def _as_printed(ragged: RaggedTensor, summarize: int) -> str:
    """Writes the elements as `tf.print` does: numbers with six digits, `...` between the ends."""
    return _printed_list(_as_list(ragged), summarize)


def _printed_list(items: list[Any], summarize: int) -> str:
    count = len(items)
    if summarize < 0 or count <= 2 * summarize:
        shown = [_printed(item, summarize) for item in items]
    else:
        shown = [_printed(item, summarize) for item in items[:summarize]]
        shown.append("...")
        shown += [_printed(item, summarize) for item in items[count - summarize :]]
    return f"[{', '.join(shown)}]"


def _printed(item: Any, summarize: int) -> str:
    if isinstance(item, list):
        return _printed_list(item, summarize)
    if isinstance(item, bytes):
        return f"'{item.decode(errors='replace')}'"
    if isinstance(item, bool):
        return str(item).lower()
    if isinstance(item, float):
        return f"{item:.6f}"
    if isinstance(item, complex):
        return f"({item.real:.6f},{item.imag:.6f})"
    return str(item)
