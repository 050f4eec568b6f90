"""`tf.math.bincount` of ragged tensors."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import handles
from tapefacade._core.tensor import from_host
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import ones_like
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.math.histograms import bincount as dense_bincount
from tapefacade._ops.math.segments import unsorted_segment_sum
from tapefacade._ragged.tensor import RaggedTensor


@handles(RaggedTensor, "math.bincount")
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Any:
    """Counts how often each integer occurs, in all rows or in each of them."""
    flat = arr.flat_values
    weights = weights.flat_values if isinstance(weights, RaggedTensor) else weights
    if axis in (None, 0):
        return dense_bincount(
            flat, weights, minlength, maxlength, dtype, axis=axis, binary_output=binary_output
        )
    if axis != -1:
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    counts = dense_bincount(flat, None, minlength, maxlength)
    width, rows = counts._type.size, arr._partition
    values = np.asarray(flat)
    places = np.where(values < width, rows.ids * width + values, -1)
    ones = ones_like(flat) if weights is None else convert(weights)
    wanted = dtypes.as_dtype(dtype) if weights is None else ones.dtype
    ones = cast(ones, wanted)
    size = rows.nrows * width
    total = unsorted_segment_sum(ones, from_host(places), size)
    if binary_output:
        total = cast(total > 0, wanted)
    return reshape(total, (rows.nrows, width))
