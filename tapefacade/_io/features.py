"""How features of examples are described: `tf.io.FixedLenFeature` and the like."""

from typing import Any, NamedTuple

from tapefacade._core import dtypes
from tapefacade._definition.op import function


@function("io.FixedLenFeature", "compat.v1.FixedLenFeature")
class FixedLenFeature(NamedTuple):
    """A feature of one shape, parsed into a dense tensor.

    Attributes:
        shape: the shape of the feature in one example.
        dtype: float32, int64 or string.
        default_value: what stands for a feature that is missing; without it that is an error.

    >>> tf.io.FixedLenFeature([2], tf.int64)
    FixedLenFeature(shape=[2], dtype=tf.int64, default_value=None)
    """

    shape: Any
    dtype: Any
    default_value: Any = None


@function("io.VarLenFeature", "compat.v1.VarLenFeature")
class VarLenFeature(NamedTuple):
    """A feature of any length, parsed into a sparse tensor.

    Attributes:
        dtype: float32, int64 or string.

    >>> tf.io.VarLenFeature(tf.string)
    VarLenFeature(dtype=tf.string)
    """

    dtype: Any


@function("io.FixedLenSequenceFeature", "compat.v1.FixedLenSequenceFeature")
class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of parts of one shape, parsed into a padded dense tensor.

    Attributes:
        shape: the shape of a part.
        dtype: float32, int64 or string.
        allow_missing: whether the feature may be missing; outside of sequences it must be True.
        default_value: what shorter features are padded with.

    >>> tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True).allow_missing
    True
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


@function("io.SparseFeature", "compat.v1.SparseFeature")
class SparseFeature(NamedTuple):
    """A sparse tensor whose indices and values are features.

    Attributes:
        index_key: the name of the feature of the indices, or a list of one for each dimension.
        value_key: the name of the feature of the values.
        dtype: the dtype of the values.
        size: how large the dimension is, or a list.
        already_sorted: whether the indices are in order.

    >>> tf.io.SparseFeature("where", "what", tf.float32, 10).size
    10
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class RowSplits(NamedTuple):
    """A partition by a feature of row splits."""

    key: str


class RowLengths(NamedTuple):
    """A partition by a feature of row lengths."""

    key: str


class RowStarts(NamedTuple):
    """A partition by a feature of the places where rows start."""

    key: str


class RowLimits(NamedTuple):
    """A partition by a feature of the places where rows end."""

    key: str


class ValueRowIds(NamedTuple):
    """A partition by a feature of the row of each value."""

    key: str


class UniformRowLength(NamedTuple):
    """A partition into rows of one length."""

    length: int


PARTITIONS = (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength)


class _RaggedFields(NamedTuple):
    dtype: Any
    value_key: str | None = None
    partitions: Any = ()
    row_splits_dtype: Any = dtypes.int32
    validate: bool = False


@function("io.RaggedFeature", "compat.v1.io.RaggedFeature")
class RaggedFeature(_RaggedFields):
    """A feature of any length, parsed into a ragged tensor.

    Attributes:
        dtype: float32, int64 or string.
        value_key: the name of the feature of the values; by default that of this one.
        partitions: how the values are cut into rows, from the outside: `RowSplits(key)`,
            `RowLengths(key)`, `RowStarts(key)`, `RowLimits(key)`, `ValueRowIds(key)` or
            `UniformRowLength(length)`, which are attributes of this class.
        row_splits_dtype: int32 or int64.
        validate: whether the partitions are checked.

    Raises:
        ValueError: if a dtype is another.
        TypeError: if there is another partition.

    >>> tf.io.RaggedFeature(tf.int64, partitions=[tf.io.RaggedFeature.RowLengths("n")]).partitions
    (RowLengths(key='n'),)
    """

    __slots__ = ()
    RowSplits = RowSplits
    RowLengths = RowLengths
    RowStarts = RowStarts
    RowLimits = RowLimits
    ValueRowIds = ValueRowIds
    UniformRowLength = UniformRowLength

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Any = (),
        row_splits_dtype: Any = dtypes.int32,
        validate: bool = False,
    ) -> "RaggedFeature":
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(
                f"Argument `value_key` must be a string; got {value_key} of type "
                f"{type(value_key).__name__}."
            )
        kind, splits = dtypes.as_dtype(dtype), dtypes.as_dtype(row_splits_dtype)
        if kind not in (dtypes.int64, dtypes.float32, dtypes.string):
            raise ValueError(f"Argument `dtype` must be int64, float32, or bytes; got {kind!r}")
        if splits not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"Argument `row_splits_dtype` must be int32 or int64; got{splits!r}")
        if not isinstance(partitions, list | tuple):
            raise TypeError(
                f"Argument `partitions` must be a list or tuple. Received{partitions=} of type "
                f"{type(partitions).__name__}."
            )
        chosen = tuple([_partition(partition) for partition in partitions])
        return super().__new__(cls, kind, value_key, chosen, splits, bool(validate))


def _partition(given: Any) -> Any:
    """Returns a partition, which may be given as the pair of its class's name and argument."""
    if isinstance(given, PARTITIONS):
        return given
    raise TypeError(
        f"Argument `partitions` cannot be cast to any of the partition types in {PARTITIONS}; "
        f"got: {given!r} with type {type(given)}"
    )
