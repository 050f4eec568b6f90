"""Texts put together: join, reduce_join, unsorted_segment_join, format."""

from typing import Any

import numpy as np

from tapefacade._core import errors
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import shape_text
from tapefacade._core.string_arrays import string_tensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.traced_errors import mark_as_of_types
from tapefacade._definition.op import function
from tapefacade._ops.array.array_text import summary
from tapefacade._strings.arguments import (
    Array,
    attribute_text,
    failed,
    indices,
    object_array,
    text_array,
    texts,
)


@function("strings.join", dispatch=True, on_values=True)
def join(inputs: Any, separator: str = "", name: str | None = None) -> EagerTensor:
    """Joins tensors of texts, element by element.

    Args:
        inputs: a list of string tensors of one shape, or scalars.
        separator: what is put between the texts.
        name: ignored.

    Returns:
        A string tensor of that shape.

    Raises:
        InvalidArgumentError: if two shapes differ.
        TypeError: if `inputs` is no list.

    >>> tf.strings.join(["abc", ["d", "e"]], separator="-").numpy()
    array([b'abc-d', b'abc-e'], dtype=object)
    """
    if isinstance(inputs, EagerTensor) and inputs._type.shape:
        inputs = list(inputs)
    if not isinstance(inputs, list | tuple):
        raise TypeError(f"Expected list for 'inputs' argument to 'string_join' Op, not {inputs!r}.")
    glue = attribute_text(separator, "separator")
    kernel = f"StringJoin_N_{len(inputs)}"
    arrays = [texts(value, "StringJoin", place) for place, value in enumerate(inputs)]
    shapes = [array.shape for array in arrays if array.ndim]
    for shape in shapes:
        if shape != shapes[0]:
            first, second = _written(shapes[0]), _written(shape)
            error = failed(kernel, f"Input shapes do not match: {first} vs. {second}")
            raise mark_as_of_types(error)
    shape = shapes[0] if shapes else ()
    rows = zip(*[np.broadcast_to(array, shape).flat for array in arrays], strict=True)
    joined = [glue.join(row) for row in rows] if arrays else [b""]
    return text_array(joined, shape)


def _written(shape: tuple[int, ...]) -> str:
    return shape_text(shape)


@function("strings.reduce_join", dispatch=True, on_values=True)
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> EagerTensor:
    """Joins the texts along axes.

    Args:
        inputs: texts of any shape.
        axis: an axis or a list of axes, whose order is that of the joining; all by default.
        keepdims: keeps the axes with length 1.
        separator: what is put between the texts.
        name: ignored.

    Returns:
        A string tensor without the axes.

    Raises:
        InvalidArgumentError: if an axis is named twice.
        OutOfRangeError: if there is no such axis.

    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator="+").numpy()
    array([b'a+b', b'c+d'], dtype=object)
    """
    glue = attribute_text(separator, "separator")
    tensor = convert(inputs)
    array = texts(tensor, "ReduceJoin")
    axes = _axes(axis, array.ndim)
    # The first axis named is the one that is joined first.
    axes = axes if axis is None else axes[::-1]
    kept = [a for a in range(array.ndim) if a not in axes]
    lengths = [array.shape[a] for a in kept]
    count = int(np.prod([array.shape[a] for a in axes], dtype=np.int64))
    rows = array.transpose(kept + axes).reshape(int(np.prod(lengths, dtype=np.int64)), count)
    shape = [1 if a in axes else n for a, n in enumerate(array.shape)] if keepdims else lengths
    return text_array([glue.join(row) for row in rows], tuple(shape))


def _axes(axis: Any, rank: int) -> list[int]:
    if axis is None:
        return list(range(rank))
    axes = []
    for a in np.atleast_1d(convert(axis)._numpy_array()).tolist() if np.size(axis) else []:
        if not -rank <= a < rank:
            raise failed(
                "ReduceJoin",
                f"Invalid reduction dimension {a} for input with {rank} dimension(s)",
                errors.OutOfRangeError,
                " name: ",
            )
        if a % rank in axes:
            raise failed("ReduceJoin", f"Duplicate reduction dimension {a}")
        axes.append(a % rank)
    return axes


@function("strings.unsorted_segment_join", dispatch=True, on_values=True)
def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> EagerTensor:
    """Joins the texts of each segment.

    Args:
        inputs: texts of shape `segment_ids.shape + rest`.
        segment_ids: the number of the segment of each text, int32 or int64.
        num_segments: how many segments there are.
        separator: what is put between the texts.
        name: ignored.

    Returns:
        A string tensor of shape `[num_segments] + rest`.

    Raises:
        InvalidArgumentError: if there is no such segment, or the shapes do not fit.

    >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 2, separator=":").numpy()
    array([b'a:c', b'b'], dtype=object)
    """
    kernel = "UnsortedSegmentJoin"
    glue = attribute_text(separator, "separator")
    array = texts(inputs, kernel)
    ids = indices(segment_ids, kernel, "Tindices")
    count = int(indices(num_segments, kernel, "Tnumsegments"))
    _check_segments(array, ids, count)
    rest = array.shape[ids.ndim :]
    width = int(np.prod(rest, dtype=np.int64))
    members: list[list[list[bytes]]] = [[[] for _ in range(width)] for _ in range(count)]
    for place, row in zip(ids.flat, array.reshape(ids.size, width), strict=True):
        for held, text in zip(members[int(place)], row, strict=True):
            held.append(text)
    joined = [glue.join(held) for row in members for held in row]
    return text_array(joined, (count, *rest))


def _check_segments(array: Array, ids: Array, count: int) -> None:
    kernel = "UnsortedSegmentJoin"
    if count < 0:
        raise failed(kernel, f"Number of segments must be non-negative but got {count}")
    if ids.ndim == 0:
        raise failed(kernel, "segment_id cannot have rank 0")
    if ids.ndim > array.ndim:
        raise failed(kernel, "segment_id rank cannot exceed input rank")
    for k, length in enumerate(ids.shape):
        if length != array.shape[k]:
            raise failed(
                kernel,
                f"Segment dimension is {length} while input dimension is {array.ndim} in rank {k}",
            )
    if ids.size and (ids.min() < 0 or ids.max() >= count):
        raise failed(
            kernel, "segment_ids are not allowed to exceed num_segments or to have negative values."
        )


@function("strings.format", dispatch=True, on_values=True)
def format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> EagerTensor:
    """Writes tensors into a template.

    Args:
        template: a text with a placeholder for each tensor.
        inputs: a tensor, or a list of tensors.
        placeholder: what stands for a tensor.
        summarize: how many elements are shown at both ends of each axis; -1 shows all.
        name: ignored.

    Returns:
        A string scalar.

    Raises:
        ValueError: if there are not as many tensors as placeholders.

    >>> tf.strings.format("x: {}", tf.constant([1.5, 2.0])).numpy()
    b'x: [1.5 2]'
    """
    given = [inputs] if hasattr(inputs, "dtype") else inputs
    wanted = template.count(placeholder)
    if wanted != len(given):
        raise ValueError(
            f"The template expects {wanted} tensors, but the inputs only has {len(given)}. Please "
            "ensure the number of placeholders in template matches inputs length."
        )
    shown = iter([summary(convert(value)._numpy_array(), summarize) for value in given])
    parts = template.encode().split(placeholder.encode())
    text = parts[0] + b"".join(next(shown) + part for part in parts[1:])
    return string_tensor(object_array([text], ()))
