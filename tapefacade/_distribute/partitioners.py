"""Into how many parts a variable would be divided: `tf.distribute.experimental.partitioners`.

Variables are whole here, and laid out over devices by their `sharding`.
"""

from typing import Any

from tapefacade._compat.v1_partitioners import (
    BYTES_OF_A_TEXT,
    LEAST_BYTES,
    fixed_size_partitioner,
    min_max_variable_partitioner,
    variable_axis_size_partitioner,
)
from tapefacade._core.tensor_shape import as_shape
from tapefacade._definition.op import function


@function("distribute.experimental.partitioners.Partitioner")
class Partitioner:
    """The base class of partitioners; one's own override `__call__`.

    >>> class Halves(tf.distribute.experimental.partitioners.Partitioner):
    ...     def __call__(self, shape, dtype, axis=0):
    ...         return [2 if place == axis else 1 for place in range(len(shape))]
    >>> Halves()(tf.TensorShape([10, 3]), tf.float32)
    [2, 1]
    """

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Returns into how many parts each axis is divided.

        Args:
            shape: the shape of the variable, all sizes of which are known.
            dtype: its dtype.
            axis: the axis that is divided.
        """
        return [1] * len(as_shape(shape))


@function("distribute.experimental.partitioners.FixedShardsPartitioner")
class FixedShardsPartitioner(Partitioner):
    """Divides an axis into a number of parts, or as many as it has elements.

    Args:
        num_shards: the number.

    >>> kinds = tf.distribute.experimental.partitioners
    >>> kinds.FixedShardsPartitioner(2)(tf.TensorShape([10, 3]), tf.float32)
    [2, 1]
    """

    def __init__(self, num_shards: int) -> None:
        self._num_shards = num_shards

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Returns into how many parts each axis is divided."""
        return fixed_size_partitioner(self._num_shards, axis)(shape, dtype=dtype)


@function("distribute.experimental.partitioners.MinSizePartitioner")
class MinSizePartitioner(Partitioner):
    """Divides an axis into as many parts as there can be of a size at least.

    Args:
        min_shard_bytes: the least size of a part.
        max_shards: the greatest number of parts.
        bytes_per_string: what an element is taken to need that is a text.

    Raises:
        ValueError: if one of them is not positive.

    >>> kinds = tf.distribute.experimental.partitioners
    >>> kinds.MinSizePartitioner(min_shard_bytes=4, max_shards=10)([6, 1], tf.float32)
    [6, 1]
    """

    def __init__(
        self,
        min_shard_bytes: int = LEAST_BYTES,
        max_shards: int = 1,
        bytes_per_string: int = BYTES_OF_A_TEXT,
    ) -> None:
        _require_positive(
            min_shard_bytes=min_shard_bytes,
            max_shards=max_shards,
            bytes_per_string=bytes_per_string,
        )
        self._options = {
            "max_partitions": max_shards,
            "min_slice_size": min_shard_bytes,
            "bytes_per_string_element": bytes_per_string,
        }

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Returns into how many parts each axis is divided."""
        return min_max_variable_partitioner(axis=axis, **self._options)(shape, dtype)


@function("distribute.experimental.partitioners.MaxSizePartitioner")
class MaxSizePartitioner(Partitioner):
    """Divides an axis into as few parts as there can be of a size at most.

    Args:
        max_shard_bytes: the greatest size of a part.
        max_shards: the greatest number of parts, which goes before it; None for any.
        bytes_per_string: what an element is taken to need that is a text.

    Raises:
        ValueError: if one of them is not positive.

    >>> kinds = tf.distribute.experimental.partitioners
    >>> kinds.MaxSizePartitioner(max_shard_bytes=4, max_shards=2)([6, 1], tf.float32)
    [2, 1]
    """

    def __init__(
        self,
        max_shard_bytes: int,
        max_shards: int | None = None,
        bytes_per_string: int = BYTES_OF_A_TEXT,
    ) -> None:
        _require_positive(
            max_shard_bytes=max_shard_bytes,
            max_shards=max_shards or 1,
            bytes_per_string=bytes_per_string,
        )
        self._options = {
            "max_shard_bytes": max_shard_bytes,
            "max_shards": max_shards,
            "bytes_per_string_element": bytes_per_string,
        }

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Returns into how many parts each axis is divided."""
        return variable_axis_size_partitioner(axis=axis, **self._options)(as_shape(shape), dtype)


def _require_positive(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"Argument `{name}` must be positive. Received: {number}")
