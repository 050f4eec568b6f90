"""Functions that tell into how many parts a variable would be divided.

What takes one, as `tf.compat.v1.get_variable` does, makes one whole variable all the same.
"""

import math
from collections.abc import Callable
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._definition.op import function

LEAST_BYTES, BYTES_OF_A_TEXT = 256 << 10, 16


@function("compat.v1.fixed_size_partitioner")
def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """Makes a partitioner that divides an axis into a number of parts.

    Args:
        num_shards: the number; less if the axis has less elements.
        axis: the axis.

    Returns:
        A function of a shape.

    >>> tf.compat.v1.fixed_size_partitioner(4)(tf.TensorShape([3, 5]))
    [3, 1]
    """

    def partitioner(shape: Any, **unused: Any) -> list[int]:
        sizes = _sizes(shape)
        return _parts(sizes, axis, min(num_shards, sizes[axis]))

    return partitioner


@function("compat.v1.min_max_variable_partitioner")
def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = LEAST_BYTES,
    bytes_per_string_element: int = BYTES_OF_A_TEXT,
) -> Callable[[Any, Any], list[int]]:
    """Makes a partitioner of as many parts as there can be of a size at least.

    Args:
        max_partitions: the greatest number of parts.
        axis: the axis that is divided.
        min_slice_size: the least size of a part, in bytes.
        bytes_per_string_element: what an element is taken to need that is a text.

    Returns:
        A function of a shape and a dtype. It raises a ValueError if there is no such axis.

    >>> tf.compat.v1.min_max_variable_partitioner(9, min_slice_size=8)([4, 2], tf.float32)
    [4, 1]
    """

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = _sizes(shape)
        if axis >= len(sizes):
            raise ValueError(
                f"Cannot partition variable along axis {axis} when shape is only {shape}"
            )
        whole = math.prod(sizes) * _bytes_of(dtype, bytes_per_string_element)
        count = min(sizes[axis], max_partitions, math.ceil(whole / min_slice_size))
        return _parts(sizes, axis, max(1, count))

    return partitioner


@function("compat.v1.variable_axis_size_partitioner")
def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = BYTES_OF_A_TEXT,
    max_shards: int | None = None,
) -> Callable[[Any, Any], list[int]]:
    """Makes a partitioner of as few parts as there can be of a size at most.

    Args:
        max_shard_bytes: the greatest size of a part.
        axis: the axis that is divided.
        bytes_per_string_element: what an element is taken to need that is a text.
        max_shards: the greatest number of parts, which goes before it; None for any.

    Returns:
        A function of a `tf.TensorShape` and a dtype. It raises a ValueError if a size is not known.

    Raises:
        ValueError: if a number is not positive.

    >>> shape = tf.TensorShape([4, 2])
    >>> tf.compat.v1.variable_axis_size_partitioner(16)(shape, tf.float32)
    [2, 1]
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. Currently, "
            f"max_shard_bytes is {max_shard_bytes} andbytes_per_string_element is "
            f"{bytes_per_string_element}"
        )
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        if not isinstance(shape, TensorShape):
            raise ValueError(f"shape is not a TensorShape: {shape}")
        sizes = _sizes(shape)
        row = math.prod(sizes) / sizes[axis] * _bytes_of(dtype, bytes_per_string_element)
        count = math.ceil(sizes[axis] / max(1, math.floor(max_shard_bytes / row)))
        return _parts(sizes, axis, min(max_shards or count, count))

    return partitioner


def _sizes(shape: Any) -> list[int]:
    """Returns the sizes of a shape.

    Raises:
        ValueError: if one is not known.
    """
    sizes = as_shape(shape).as_list()
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        raise ValueError(f"shape is not fully defined: {shape}")
    return known


def _parts(sizes: list[int], axis: int, count: int) -> list[int]:
    parts = [1] * len(sizes)
    parts[axis] = count
    return parts


def _bytes_of(dtype: Any, of_text: int) -> int:
    dtype = dtypes.as_dtype(dtype)
    return of_text if dtype is dtypes.string else dtype.size
