"""What the partitions of ragged tensors tell: numbers of rows, lengths, ids, bounds."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._ragged.base import placed, scalar, vector
from tapefacade._ragged.construction import Construction
from tapefacade._ragged.partition import SPLITS_DTYPES


class Measures(Construction):
    """The numbers that say where the rows of a ragged tensor are."""

    __slots__ = ()

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
        axis = placed(axis, self._rank)
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return from_host(self._partition.lengths)
        values = self._values
        if isinstance(values, Measures):
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
            return FUNCTIONS["shape"](flat, dtype)  # raises
        longest = [int(partition.lengths.max(initial=0)) for partition in partitions]
        sizes = np.array([partitions[0].nrows, *longest, *flat._type.shape[1:]])
        bounds = vector(sizes, dtype)
        return bounds if axis is None else FUNCTIONS["gather"](bounds, axis)
