"""String functions of ragged tensors: `tf.strings.join`, `reduce_join` and `format`."""

import functools
from typing import Any

import numpy as np

from tapefacade._core.dispatch import handles
from tapefacade._core.registry import FUNCTIONS
from tapefacade._ops.array.shaping import expand_dims, reshape
from tapefacade._ragged.broadcasting import dense_or_ragged
from tapefacade._ragged.map_flat_values import check_same
from tapefacade._ragged.partition import nested_ragged
from tapefacade._ragged.segments import by_segment
from tapefacade._ragged.tensor import RaggedTensor, axis_from_front


@handles(RaggedTensor, "strings.join")
def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Joins texts at the same places."""
    values = [dense_or_ragged(value) for value in inputs]
    ragged = [value for value in values if isinstance(value, RaggedTensor)]
    sizes = {value.flat_values._type.shape[0] for value in ragged}
    if len(sizes) > 1:
        raise ValueError(
            "Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got "
            f"sizes: {sizes}"
        )
    partitions = check_same(ragged)
    flat = [value.flat_values if isinstance(value, RaggedTensor) else value for value in values]
    return nested_ragged(FUNCTIONS["strings.join"](flat, separator), partitions, RaggedTensor)


@handles(RaggedTensor, "strings.reduce_join")
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Joins texts along dimensions."""
    plain = FUNCTIONS["strings.reduce_join"]
    if axis is None:
        result = plain(inputs.flat_values, separator=separator)
        return reshape(result, [1] * inputs._rank) if keepdims else result
    given = axis if isinstance(axis, list | tuple) else [axis]
    result = inputs
    for a in sorted({axis_from_front(a, inputs._rank) for a in given}, reverse=True):
        result = _joined(result, a, keepdims, separator)
    return result


def _joined(value: Any, axis: int, keepdims: bool, separator: str) -> Any:
    if not isinstance(value, RaggedTensor):
        function_ = FUNCTIONS["strings.reduce_join"]
        return function_(value, axis=axis, keepdims=keepdims, separator=separator)
    partition = value._partition
    if axis > 1:
        return value._make(_joined(value._values, axis - 1, keepdims, separator), partition)
    rows = functools.partial(FUNCTIONS["strings.unsorted_segment_join"], separator=separator)
    if axis == 1:
        result = by_segment(rows, value._values, partition.ids, partition.nrows)
    else:
        within = np.arange(partition.nvals) - partition.splits[:-1][partition.ids]
        result = by_segment(rows, value._values, within, int(partition.lengths.max(initial=0)))
    return expand_dims(result, axis) if keepdims else result


@handles(RaggedTensor, "strings.format")
def format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Any:
    """Writes ragged tensors into a template, and has the others written."""
    given = [inputs] if hasattr(inputs, "dtype") else list(inputs)
    parts = template.split(placeholder)
    if len(parts) - 1 != len(given):
        given = [value.flat_values if isinstance(value, RaggedTensor) else value for value in given]
        return FUNCTIONS["strings.format"](template, given, placeholder, summarize)
    mark = "\0"  # no text of a template has it
    text, dense = parts[0], []
    for value, part in zip(given, parts[1:], strict=True):
        if isinstance(value, RaggedTensor):
            text += value._printed(summarize) + part
        else:
            dense.append(value)
            text += mark + part
    return FUNCTIONS["strings.format"](text, dense, mark, summarize)
