"""Row partitions: where each row of a ragged tensor begins and ends, known on the host."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import wrong_rank
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_shape import as_shape
from tapefacade._ops.array.indexing import out_of_bounds
from tapefacade._ops.debugging.values import assert_non_negative

MESSAGE_NO_SPLITS = "row_splits tensor may not be empty."


def no_ragged_rank(value: Any) -> str:
    """Words that the number of ragged dimensions is no integer."""
    return f"Argument `ragged_rank` must be an int. Received {value}."


Array = np.ndarray[Any, Any]
SPLITS_DTYPES = (dtypes.int32, dtypes.int64)


class Partition:
    """The splits of rows: row `i` is made of the values from `splits[i]` up to `splits[i + 1]`.

    Args:
        splits: a vector of int32 or int64 on the host, which nobody changes; it begins with 0.
        uniform: the length of all rows, if that is known to be one.
        counted: whether it was made with the number of values, which its type has then.
    """

    __slots__ = ("_ids", "_tensor", "counted", "splits", "uniform")

    def __init__(self, splits: Array, uniform: int | None = None, counted: bool = False) -> None:
        self.splits = splits
        self.uniform = uniform
        self.counted = counted
        self._tensor: EagerTensor | None = None
        self._ids: Array | None = None

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the splits."""
        return dtypes.from_numpy(self.splits.dtype)

    @property
    def nrows(self) -> int:
        """The number of rows."""
        return len(self.splits) - 1

    @property
    def nvals(self) -> int:
        """The number of values in all rows."""
        return int(self.splits[-1])

    @property
    def lengths(self) -> Array:
        """The length of each row."""
        return np.diff(self.splits)

    @property
    def ids(self) -> Array:
        """The row of each value."""
        if self._ids is None:
            rows = np.arange(self.nrows, dtype=self.splits.dtype)
            self._ids = np.repeat(rows, self.lengths)
        return self._ids

    @property
    def tensor(self) -> EagerTensor:
        """The splits as a tensor."""
        if self._tensor is None:
            self._tensor = from_host(self.splits)
        return self._tensor

    def astype(self, dtype: dtypes.DType) -> "Partition":
        """Returns the same partition with splits of another dtype."""
        if dtype is self.dtype:
            return self
        return Partition(self.splits.astype(dtype.as_numpy_dtype), self.uniform)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        return self is other or np.array_equal(self.splits, other.splits)

    __hash__ = None  # type: ignore[assignment]


def of_lengths(lengths: Any, dtype: Any, uniform: int | None = None) -> Partition:
    """Makes the partition with rows of these lengths."""
    splits = np.zeros(len(lengths) + 1, dtype)
    np.cumsum(lengths, out=splits[1:])
    return Partition(splits, uniform)


def of_uniform(length: int, nrows: int, dtype: Any) -> Partition:
    """Makes the partition with rows of one length."""
    splits = np.arange(nrows + 1, dtype=dtype) * np.dtype(dtype).type(length)
    return Partition(splits, length, counted=True)


# From what users give.


def integers(value: Any, name: str, like: Any = None, rank: int = 1) -> Array:
    """Looks at a partition that a user gives.

    Args:
        value: integers; Python values become int64, or what `like` has.
        name: the name of the argument.
        like: the values that are partitioned; if they are ragged, the dtypes have to agree.
        rank: the number of dimensions.

    Returns:
        An array of int32 or int64.

    Raises:
        ValueError: if the dtype or the number of dimensions is another one.
    """
    is_plain = isinstance(like, EagerTensor)
    dtype = None if is_plain else getattr(getattr(like, "_partition", None), "dtype", None)
    tensor = _converted(value, dtype)
    if tensor.dtype not in SPLITS_DTYPES:
        raise ValueError(f"{name} must have dtype int32 or int64")
    if dtype is not None and tensor.dtype is not dtype:
        raise ValueError(
            "Argument `row_partition` of RaggedTensor with name: partition must have same dtype "
            f"as Argument `values`. ({tensor.dtype} vs. {dtype})."
        )
    if len(tensor.shape) != rank:
        raise ValueError(wrong_rank(tensor.shape, rank))
    return np.array(tensor._numpy_array())


def _converted(value: Any, dtype: Any) -> EagerTensor:
    """Converts to int64 (or `dtype`) unless the value has another dtype of its own."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "i" and dtype is not None:
        return convert(value, dtype)
    if hasattr(value, "dtype"):
        return convert(value)
    try:
        return convert(value, dtype or dtypes.int64)
    except (TypeError, ValueError):
        return convert(value)


def message(method: str, kind: str = "RaggedTensor") -> str:
    """Says whose arguments are wrong, as TensorFlow's assertions do."""
    return f"Arguments to {method} do not form a valid {kind}"


def assert_equal(x: int, y: int, text: str, relation: str = "==") -> None:
    """Raises TensorFlow's error unless two numbers are equal, or the first is not larger."""
    if x != y and (relation == "==" or x > y):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{text}\nCondition x {relation} y did not hold.\nFirst 1 elements of x:\n[{x}]\n"
            f"First 1 elements of y:\n[{y}]",
        )


def assert_not_negative(x: Array, text: str) -> None:
    """Raises TensorFlow's error unless no element is negative."""
    if x.size and x.min() < 0:
        assert_non_negative(from_host(np.array(x)), message=text)


def check_validate(validate: Any) -> None:
    """Raises unless `validate` is a bool."""
    if not isinstance(validate, bool):
        raise TypeError(f"Argument `validate` must have type bool. Received {validate}.")


def from_splits(values: Any, row_splits: Any, validate: bool) -> Partition:
    """Makes a partition of splits."""
    check_validate(validate)
    if isinstance(row_splits, list | tuple) and not row_splits:
        raise ValueError(MESSAGE_NO_SPLITS)
    splits = integers(row_splits, "row_splits", values)
    if validate and not splits.size:
        raise out_of_bounds(0, 0)
    if validate:
        text = message("from_row_splits")
        assert_equal(int(splits[0]), 0, f"{text}:zero")
        assert_not_negative(np.diff(splits), f"{text}:monotonic")
    return Partition(splits)


def from_lengths(values: Any, row_lengths: Any, validate: bool) -> Partition:
    """Makes a partition of lengths."""
    check_validate(validate)
    lengths = integers(row_lengths, "row_lengths", values)
    if validate:
        assert_not_negative(lengths, message("from_row_lengths", "RowPartition"))
    return of_lengths(lengths, lengths.dtype)


def from_starts(values: Any, row_starts: Any, nvals: int, validate: bool) -> Partition:
    """Makes a partition of the places where rows begin."""
    check_validate(validate)
    starts = integers(row_starts, "row_starts", values)
    if validate and starts.size:
        text = message("from_row_starts")
        assert_equal(int(starts[0]), 0, text)
        assert_not_negative(np.diff(starts), text)
        assert_equal(int(starts[-1]), nvals, text, "<=")
    return Partition(np.append(starts, np.array(nvals, starts.dtype)), counted=True)


def from_limits(values: Any, row_limits: Any, validate: bool) -> Partition:
    """Makes a partition of the places where rows end."""
    check_validate(validate)
    limits = integers(row_limits, "row_limits", values)
    if validate and limits.size:
        text = message("from_row_limits")
        assert_not_negative(limits[:1], text)
        assert_not_negative(np.diff(limits), text)
    return Partition(np.append(np.zeros(1, limits.dtype), limits))


def from_ids(values: Any, value_rowids: Any, nrows: Any, nvals: int, validate: bool) -> Partition:
    """Makes a partition of the row of each value."""
    check_validate(validate)
    ids = integers(value_rowids, "value_rowids", values)
    if nrows is None:
        count = int(ids[-1]) + 1 if ids.size else 0
    else:
        count = _row_count(nrows, dtypes.from_numpy(ids.dtype))
        if count < 0:
            raise ValueError(f"Expected nrows >= 0; got {count}")
        if ids.size and count <= ids[-1]:
            raise ValueError(
                f"Expected nrows >= value_rowids[-1] + 1; got nrows={count}, value_rowids[-1]="
                f"{ids[-1]}"
            )
    if ids.size != nvals:
        as_shape((nvals,)).assert_is_compatible_with(as_shape(ids.shape))
    if validate and ids.size:
        text = message("from_value_rowids", "RowPartition")
        assert_not_negative(np.diff(ids), text)
        assert_not_negative(ids[:1], text)
    lengths = np.bincount(ids[ids >= 0], minlength=count)[:count]
    partition = of_lengths(lengths, ids.dtype)
    partition.counted = True
    return partition


def _row_count(nrows: Any, dtype: dtypes.DType) -> int:
    try:
        tensor = convert(nrows, dtype)
    except ValueError as error:
        raise ValueError(f"nrows: {error}") from None
    if tensor.shape.rank:
        raise ValueError(wrong_rank(tensor.shape, 0))
    return int(tensor.numpy())


def from_uniform(values: Any, length: Any, nrows: Any, nvals: int) -> Partition:
    """Makes a partition with rows of one length."""
    dtype = getattr(getattr(values, "_partition", None), "dtype", None)
    tensor = _converted(int(length) if isinstance(length, np.integer) else length, dtype)
    if tensor.dtype not in SPLITS_DTYPES:
        raise ValueError("UniformRowLength must have dtype int32 or int64")
    if tensor.shape.rank:
        raise ValueError(wrong_rank(tensor.shape, 0))
    size = int(tensor.numpy())
    if size < 0:
        raise ValueError("uniform_row_length must be >= 0.")
    count = nvals // max(size, 1) * (size > 0)
    if nrows is not None:
        count = _row_count(nrows, tensor.dtype)
    if count * size != nvals:
        raise ValueError(f"uniform_row_length={size} times nrows={count} must equal nvals={nvals}")
    return of_uniform(size, count, tensor.dtype.as_numpy_dtype)


def nested_ragged(flat: Any, partitions: Sequence[Partition], cls: Any) -> Any:
    """Makes a ragged tensor of flat values and partitions, the outermost first."""
    values = flat
    for partition in reversed(partitions):
        values = cls._make(values, partition)
    return values
