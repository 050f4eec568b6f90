"""`tf.ragged.range`."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import invalid, kernel_prefix
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._ragged.partition import Array, of_lengths
from tapefacade._ragged.tensor import RaggedTensor

WIDTHS = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def _refused(message: str) -> Exception:
    return invalid(f"{kernel_prefix('RaggedRange')}{message} [Op:RaggedRange] name: ")


def _numbers(values: dict[str, Any], dtype: Any) -> list[EagerTensor]:
    """Converts the arguments to the widest of their dtypes."""
    tensors = [
        convert(value, None if hasattr(value, "dtype") else dtype) for value in values.values()
    ]
    if dtype is None:
        found = [tensor.dtype for tensor in tensors if tensor.dtype in WIDTHS]
        dtype = max(found, key=WIDTHS.index, default=dtypes.int32)
    numpy_dtype = dtype.as_numpy_dtype
    arrays = [np.asarray(tensor).astype(numpy_dtype) for tensor in tensors]
    for name, array in zip(values, arrays, strict=True):
        if array.ndim > 1:
            raise _refused(f"{name} must be a scalar or vector")
    return [from_host(array) for array in arrays]


@function("ragged.range")
def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """Makes a row of numbers for each start, limit and step.

    Args:
        starts: the first numbers, a vector or a scalar; the limits if `limits` is None.
        limits: where the rows end, likewise; a limit is not in its row.
        deltas: the steps, likewise.
        dtype: the dtype of the numbers, by default that of the arguments.
        name: ignored.
        row_splits_dtype: int32 or int64.

    Returns:
        A ragged tensor `[number of rows, (length)]`.

    Raises:
        InvalidArgumentError: if a step is 0, or the vectors differ in length.

    >>> tf.ragged.range([3, 5, 2])
    <tf.RaggedTensor [[0, 1, 2], [0, 1, 2, 3, 4], [0, 1]]>
    """
    if limits is None:
        starts, limits = 0, starts
    given = {"starts": starts, "limits": limits, "deltas": deltas}
    tensors = _numbers(given, None if dtype is None else dtypes.as_dtype(dtype))
    sizes = {tensor._type.size for tensor in tensors if tensor._type.shape}
    if len(sizes) > 1:
        raise _refused("starts, limits, and deltas must have the same shape")
    count = sizes.pop() if sizes else 1
    first, last, step = [np.broadcast_to(np.asarray(t), (count,)) for t in tensors]
    lengths = _lengths(first, last, step)
    splits_dtype = dtypes.as_dtype(row_splits_dtype).as_numpy_dtype
    partition = of_lengths(lengths, splits_dtype)
    within = np.arange(partition.nvals) - partition.splits[:-1][partition.ids]
    ids = partition.ids
    values = first[ids] + within.astype(first.dtype) * step[ids]
    return RaggedTensor._make(from_host(values.astype(first.dtype)), partition)


def _lengths(first: Array, last: Array, step: Array) -> Array:
    """Counts the numbers of each row."""
    if (step == 0).any():
        raise _refused("Requires delta != 0")
    with np.errstate(all="ignore"):
        if first.dtype.kind == "f":
            counts = np.ceil((last - first) / step)
        else:
            wide = [array.astype(np.int64) for array in (first, last, step)]
            counts = -((wide[0] - wide[1]) // wide[2])
    return np.maximum(counts, 0).astype(np.int64)
