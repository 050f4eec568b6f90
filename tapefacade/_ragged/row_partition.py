"""`tf.experimental.RowPartition`: a partition of values into rows, without the values."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.type_spec import TypeSpec
from tapefacade._definition.op import function
from tapefacade._ragged import partition as partitions
from tapefacade._ragged.partition import SPLITS_DTYPES, Array, Partition
from tapefacade._ragged.rows import ranges
from tapefacade._ragged.tensor import scalar

MESSAGE_DTYPE = "dtype must be tf.int32 or tf.int64"


def _check_validate(validate: Any) -> None:
    if not isinstance(validate, bool):
        raise TypeError("validate must have type bool")


def _given(value: Any, name: str, validate: Any, dtype: Any, hint: Any) -> EagerTensor:
    """Converts a vector that says where rows are."""
    _check_validate(validate)
    if isinstance(value, np.ndarray) and value.dtype == np.int32 and dtype is None:
        hint = dtypes.int32
    if name == "row_splits" and isinstance(value, list | tuple) and not value:
        raise ValueError(partitions.MESSAGE_NO_SPLITS)
    try:
        return convert_to_tensor(value, dtype, dtype_hint=hint or dtypes.int64)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


@function("experimental.RowPartition")
class RowPartition(CompositeTensor):
    """How values are partitioned into rows: what a ragged tensor is beside its values.

    A partition is made by one of the `from_*` methods.

    Unlike TensorFlow, partitions are always known: what makes one looks at its values.

    >>> p = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
    >>> p
    tf.RowPartition(row_splits=[0 2 2 3])
    >>> p.value_rowids().numpy()
    array([0, 0, 2])

    See https://www.tensorflow.org/api_docs/python/tf/experimental/RowPartition.
    """

    __slots__ = ("__weakref__", "_partition")
    _is_tensor = False
    _partition: Partition

    def __init__(
        self,
        row_splits: Any,
        row_lengths: Any = None,
        value_rowids: Any = None,
        nrows: Any = None,
        uniform_row_length: Any = None,
        nvals: Any = None,
        internal: Any = False,
    ) -> None:
        raise ValueError(
            "RowPartition constructor is private; please use one of the factory methods instead "
            "(e.g., RowPartition.from_row_lengths())"
        )

    @classmethod
    def _of(cls, partition: Partition) -> Any:
        """Makes one of a checked partition."""
        made = object.__new__(cls)
        made._partition = partition
        return made

    # How partitions are made.

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: Any,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> Any:
        """Makes a partition of the row of each value.

        Args:
            value_rowids: a sorted vector of integers, int32 or int64.
            nrows: the number of rows, by default the last row id + 1.
            validate: whether the ids are checked.
            dtype: int32 or int64, by default that of the ids.
            dtype_hint: the dtype of ids without one, by default int64.

        Returns:
            A partition.

        Raises:
            InvalidArgumentError: if the ids are not sorted, or negative.
            ValueError: if they are no vector of int32 or int64, or `nrows` is too small.

        >>> tf.experimental.RowPartition.from_value_rowids([0, 0, 2], nrows=4)
        tf.RowPartition(row_splits=[0 2 2 3 3])
        """
        ids = _given(value_rowids, "value_rowids", validate, dtype, dtype_hint)
        return cls._of(partitions.from_ids(None, ids, nrows, ids._type.size, validate))

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> Any:
        """Makes a partition of the places where rows end and begin.

        Args:
            row_splits: a sorted vector of int32 or int64, from 0 to the number of values.
            validate: whether the splits are checked.
            dtype: int32 or int64, by default that of the splits.
            dtype_hint: the dtype of splits without one, by default int64.

        Returns:
            A partition.

        Raises:
            InvalidArgumentError: if the splits do not begin with 0, or are not sorted.
            ValueError: if they are no vector of int32 or int64, or empty.

        >>> tf.experimental.RowPartition.from_row_splits([0, 2, 3])
        tf.RowPartition(row_splits=[0 2 3])
        """
        splits = _given(row_splits, "row_splits", validate, dtype, dtype_hint)
        return cls._of(partitions.from_splits(None, splits, validate))

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> Any:
        """Makes a partition of the lengths of rows.

        Args:
            row_lengths: a vector of int32 or int64.
            validate: whether the lengths are checked.
            dtype: int32 or int64, by default that of the lengths.
            dtype_hint: the dtype of lengths without one, by default int64.

        Returns:
            A partition.

        Raises:
            InvalidArgumentError: if a length is negative.
            ValueError: if they are no vector of int32 or int64.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 1])
        tf.RowPartition(row_splits=[0 2 3])
        """
        lengths = _given(row_lengths, "row_lengths", validate, dtype, dtype_hint)
        return cls._of(partitions.from_lengths(None, lengths, validate))

    @classmethod
    def from_row_starts(
        cls,
        row_starts: Any,
        nvals: Any,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> Any:
        """Makes a partition of the places where rows begin.

        Args:
            row_starts: a sorted vector of int32 or int64 that begins with 0.
            nvals: the number of values.
            validate: whether the starts are checked.
            dtype: int32 or int64, by default that of the starts.
            dtype_hint: the dtype of starts without one, by default int64.

        Returns:
            A partition.

        Raises:
            InvalidArgumentError: if the starts do not begin with 0, are not sorted, or too large.
            ValueError: if they are no vector of int32 or int64.

        >>> tf.experimental.RowPartition.from_row_starts([0, 2], nvals=3)
        tf.RowPartition(row_splits=[0 2 3])
        """
        starts = _given(row_starts, "row_starts", validate, dtype, dtype_hint)
        return cls._of(partitions.from_starts(None, starts, int(nvals), validate))

    @classmethod
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> Any:
        """Makes a partition of the places where rows end.

        Args:
            row_limits: a sorted vector of int32 or int64.
            validate: whether the limits are checked.
            dtype: int32 or int64, by default that of the limits.
            dtype_hint: the dtype of limits without one, by default int64.

        Returns:
            A partition.

        Raises:
            InvalidArgumentError: if the limits are not sorted, or negative.
            ValueError: if they are no vector of int32 or int64.

        >>> tf.experimental.RowPartition.from_row_limits([2, 3])
        tf.RowPartition(row_splits=[0 2 3])
        """
        limits = _given(row_limits, "row_limits", validate, dtype, dtype_hint)
        return cls._of(partitions.from_limits(None, limits, validate))

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> Any:
        """Makes a partition into rows of one length.

        Args:
            uniform_row_length: the length, an integer.
            nvals: the number of values; it, `nrows` or both are needed.
            nrows: the number of rows.
            validate: whether the arguments have to be bool, as in TensorFlow; they are always
                checked.
            dtype: int32 or int64, by default that of the arguments.
            dtype_hint: the dtype of arguments without one, by default int64.

        Returns:
            A partition.

        Raises:
            ValueError: if the length is negative, or the numbers contradict each other.

        >>> tf.experimental.RowPartition.from_uniform_row_length(2, nrows=3)
        tf.RowPartition(nrows=3, uniform_row_length=2)
        """
        _check_validate(validate)
        if nrows is None and nvals is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        given = (uniform_row_length, nvals, nrows)
        typed = [
            x.dtype for kind in (EagerTensor, np.ndarray) for x in given if isinstance(x, kind)
        ]
        wanted = dtypes.as_dtype(dtype or (typed or [dtype_hint or dtypes.int64])[0])
        if dtype is not None:
            given = tuple([np.asarray(x) if isinstance(x, EagerTensor) else x for x in given])
        length, values, rows = [x if x is None else int(convert(x, wanted)) for x in given]
        count = (length or 0) * (rows or 0) if values is None else values
        tensor = scalar(length, wanted)
        return cls._of(partitions.from_uniform(None, tensor, rows, count))

    # Where the rows are.

    @property
    def dtype(self) -> dtypes.DType:
        """The `tf.DType` of the splits: int32 or int64.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 1]).dtype
        tf.int64
        """
        return self._partition.dtype

    def row_splits(self) -> EagerTensor:
        """Returns where rows end and begin: a vector of one element more than there are rows.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 1]).row_splits().numpy()
        array([0, 2, 3])
        """
        return self._partition.tensor

    def value_rowids(self) -> EagerTensor:
        """Returns the row of each value.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 1]).value_rowids().numpy()
        array([0, 0, 1])
        """
        return from_host(self._partition.ids)

    def nvals(self) -> EagerTensor:
        """Returns the number of values, a scalar.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 1]).nvals().numpy()
        np.int64(3)
        """
        return scalar(self._partition.nvals, self.dtype)

    def nrows(self) -> EagerTensor:
        """Returns the number of rows, a scalar.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 1]).nrows().numpy()
        np.int64(2)
        """
        return scalar(self._partition.nrows, self.dtype)

    def uniform_row_length(self) -> EagerTensor | None:
        """Returns the length of all rows, None unless the partition was made with one.

        >>> p = tf.experimental.RowPartition.from_uniform_row_length(2, nrows=3)
        >>> p.uniform_row_length().numpy()
        np.int64(2)
        """
        uniform = self._partition.uniform
        return None if uniform is None else scalar(uniform, self.dtype)

    def row_starts(self) -> EagerTensor:
        """Returns where each row begins.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 1]).row_starts().numpy()
        array([0, 2])
        """
        return from_host(self._partition.splits[:-1])

    def row_limits(self) -> EagerTensor:
        """Returns where each row ends.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 1]).row_limits().numpy()
        array([2, 3])
        """
        return from_host(self._partition.splits[1:])

    def row_lengths(self) -> EagerTensor:
        """Returns the length of each row.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 1]).row_lengths().numpy()
        array([2, 1])
        """
        return from_host(self._partition.lengths)

    def offsets_in_rows(self) -> EagerTensor:
        """Returns the place of each value in its row.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 1]).offsets_in_rows().numpy()
        array([0, 1, 0])
        """
        lengths = self._partition.lengths
        offsets = ranges(np.zeros_like(lengths), lengths)
        return from_host(offsets.astype(lengths.dtype))

    # What is known of it without looking.

    @property
    def static_nrows(self) -> int | None:
        """The number of rows, an int.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 1]).static_nrows
        2
        """
        return self._partition.nrows

    @property
    def static_nvals(self) -> Any:
        """The number of values, None unless the partition was made with one.

        >>> tf.experimental.RowPartition.from_row_starts([0, 2], nvals=3).static_nvals
        3
        """
        return self._partition.nvals if self._partition.counted else None

    @property
    def static_uniform_row_length(self) -> Any:
        """The length of all rows, None unless the partition was made with one.

        >>> p = tf.experimental.RowPartition.from_uniform_row_length(2, nrows=3)
        >>> p.static_uniform_row_length
        np.int64(2)
        """
        uniform = self._partition.uniform
        return None if uniform is None else self._partition.splits.dtype.type(uniform)

    def is_uniform(self) -> bool:
        """Tells whether the partition was made with one length for all rows.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 2]).is_uniform()
        False
        """
        return self._partition.uniform is not None

    def with_dtype(self, dtype: Any) -> "RowPartition":
        """Returns the same partition with splits of another dtype.

        Args:
            dtype: int32 or int64.

        Raises:
            ValueError: for another dtype.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 1]).with_dtype(tf.int32).dtype
        tf.int32
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype not in SPLITS_DTYPES:
            raise ValueError("dtype must be int32 or int64")
        return self if dtype is self.dtype else self._of(self._partition.astype(dtype))

    # What Python and the engine ask for.

    def __repr__(self) -> str:
        held = self._partition
        if held.uniform is not None:
            return f"tf.RowPartition(nrows={held.nrows}, uniform_row_length={held.uniform})"
        return f"tf.RowPartition(row_splits={held.splits})"

    def __reduce__(self) -> Any:
        held = self._partition
        return _restored, (held.splits, held.uniform, held.counted)

    @property
    def _type_spec(self) -> "RowPartitionSpec":
        return RowPartitionSpec.from_value(self)

    def _components(self) -> Sequence[Any]:
        return [self._partition.tensor]

    def _with_components(self, components: Sequence[Any]) -> Any:
        (splits,) = components
        if splits is self._partition.tensor:
            return self
        return self._of(Partition(convert(splits)._numpy_array()))


def _restored(splits: Array, uniform: int | None, counted: bool) -> RowPartition:
    return RowPartition._of(Partition(splits, uniform, counted))


# Messages show the class as TensorFlow names it.
RowPartition.__module__ = "tensorflow.python.ops.ragged.row_partition"


class RowPartitionSpec(TypeSpec):
    """The type of a `RowPartition`: its numbers of rows and values, and the length of its rows.

    Args:
        nrows: the number of rows, or None.
        nvals: the number of values, or None.
        uniform_row_length: the length of all rows, None if they differ or it is unknown.
        dtype: int32 or int64.

    Raises:
        ValueError: if the numbers contradict each other, or for another dtype.
    """

    __slots__ = ("_dtype", "_nrows", "_nvals", "_uniform_row_length")
    value_type: Any = RowPartition

    def __init__(
        self,
        nrows: int | None = None,
        nvals: int | None = None,
        uniform_row_length: Any = None,
        dtype: Any = dtypes.int64,
    ) -> None:
        length = uniform_row_length
        dtype = dtypes.as_dtype(dtype)
        if dtype not in SPLITS_DTYPES:
            raise ValueError(MESSAGE_DTYPE)
        if 0 in (nrows, length):
            self._none(nvals, "nrows" if nrows == 0 else "uniform_row_length")
            nvals = 0
        elif length is not None and nvals is not None:
            if nvals % length:
                _contradict(nvals, f"uniform_row_length={length} (doesn't divide evenly)")
            if nrows is not None and nvals != length * nrows:
                _contradict(nvals, f"nrows={nrows} and uniform_row_length={length}")
            nrows = nvals // length
        elif length is not None and nrows is not None:
            nvals = length * nrows
        # In shapes, as these are what comparisons of types know to have unknown sizes.
        self._nrows = TensorShape([nrows])
        self._nvals = TensorShape([nvals])
        self._uniform_row_length = TensorShape([length])
        self._dtype = dtype

    @staticmethod
    def _none(nvals: int | None, what: str) -> None:
        if nvals:
            _contradict(nvals, f"{what}=0")

    @property
    def nrows(self) -> int | None:
        """The number of rows, or None."""
        return self._nrows[0]

    @property
    def nvals(self) -> int | None:
        """The number of values, or None."""
        return self._nvals[0]

    @property
    def uniform_row_length(self) -> int | None:
        """The length of all rows, or None."""
        return self._uniform_row_length[0]

    @property
    def dtype(self) -> dtypes.DType:
        """The `tf.DType` of the splits."""
        return self._dtype

    @classmethod
    def from_value(cls, value: Any) -> "RowPartitionSpec":
        """Makes the spec of a partition.

        Args:
            value: a partition.

        Raises:
            TypeError: if it is none.
        """
        if not isinstance(value, RowPartition):
            raise TypeError("Expected `value` to be a `RowPartition`")
        length = value.static_uniform_row_length
        return cls(value.static_nrows, value.static_nvals, length, value.dtype)

    def with_dtype(self, dtype: Any) -> "RowPartitionSpec":
        """Returns the same spec with splits of another dtype.

        Args:
            dtype: int32 or int64.
        """
        return RowPartitionSpec(self.nrows, self.nvals, self.uniform_row_length, dtype)

    def __repr__(self) -> str:
        return (
            f"RowPartitionSpec(nrows={self.nrows}, nvals={self.nvals}, "
            f"uniform_row_length={self.uniform_row_length}, dtype={self.dtype!r})"
        )

    def _serialize(self) -> tuple[Any, ...]:
        return (self._nrows, self._nvals, self._uniform_row_length, self._dtype)

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        rows, values, length, dtype = serialization
        return cls(rows[0], values[0], length[0], dtype)

    @property
    def _component_specs(self) -> Any:
        rows = self.nrows
        return TensorSpec([None if rows is None else rows + 1], self._dtype)

    def _to_components(self, value: Any) -> Any:
        return value.row_splits()

    def _from_components(self, components: Any) -> Any:
        return RowPartition.from_row_splits(components, validate=False)


def _contradict(nvals: int, what: str) -> NoReturn:
    raise ValueError(f"nvals={nvals} is not compatible with {what}")
