"""How ragged tensors are made: the `from_*` functions of `tf.RaggedTensor`."""

from typing import Any

from tapefacade._core.convert import convert
from tapefacade._core.shapes import as_shape
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.indexing import out_of_bounds
from tapefacade._ragged.base import Ragged, length_of
from tapefacade._ragged.partition import (
    RowPartition,
    assert_equal,
    check_validate,
    from_ids,
    from_lengths,
    from_limits,
    from_splits,
    from_starts,
    from_uniform,
    message,
)


def as_values(values: Any) -> Any:
    """Converts what is partitioned: a ragged tensor stays one."""
    if isinstance(values, Ragged):
        return values
    return convert(values)


def partitioned(cls: Any, values: Any, partition: RowPartition, validate: bool = True) -> Any:
    """Puts values and their partition together."""
    if not isinstance(values, Ragged) and not values._type.shape:
        raise out_of_bounds(0, 0)
    if validate:
        assert_equal(partition.nvals, length_of(values), message("_from_row_partition"))
    return cls._make(values, partition)


def _checked_list(values: Any, name: str) -> None:
    if isinstance(values, EagerTensor):
        shown = values.numpy()
        raise TypeError(f"Argument `{name}` must be a list of Tensors. Received {shown}.")


class Construction(Ragged):
    """The ways to make a ragged tensor."""

    __slots__ = ()

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
        return partitioned(cls, values, from_splits(values, row_splits, validate), validate)

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
        return partitioned(cls, values, from_lengths(values, row_lengths, validate), validate)

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
        return partitioned(cls, values, partition, validate)

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
        return partitioned(cls, values, partition, validate and partition.nrows > 0)

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
        return partitioned(cls, values, from_limits(values, row_limits, validate), validate)

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
        return partitioned(cls, values, partition, validate)

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


def replaced(cls: Any, partition: RowPartition, values: Any) -> Any:
    """Puts other values into a partition."""
    values = as_values(values)
    shape = values.shape
    if shape.rank == 0:
        raise ValueError(f"Shape {shape} must have rank at least 1")
    as_shape((partition.nvals,)).assert_is_compatible_with(shape[:1])
    if isinstance(values, Ragged) and values._partition.dtype is not partition.dtype:
        raise ValueError(
            "self and new_values have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )
    return cls._make(values, partition)
