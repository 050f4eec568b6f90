"""`tf.slice` and `tf.strided_slice`: parts given by where they begin and how far they go."""

from typing import Any

import jax
import numpy as np

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import (
    invalid,
    refused_type,
    shape_text,
    slice_out_of_bounds,
    too_many_indices,
)
from tapefacade._core.kernel_dtypes import INDICES, INDICES_INT16
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.argument_checks import is_integer
from tapefacade._definition.op import TensorLike, function, op
from tapefacade._definition.parameters import with_open_sizes
from tapefacade._ops.array.indexing import (
    MESSAGE_ELLIPSES,
    MESSAGE_SCALAR,
    Spec,
    numpy_key,
    sliced_array,
    take_slice,
    take_slice_at,
    zero_stride,
)


def _numbers(value: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Looks at a list of integers; returns them, and the shape they have."""
    tensor = convert_to_tensor(value)
    if tensor.dtype.name not in INDICES:
        raise refused_type("Index", tensor.dtype.kernel_name, INDICES)
    array = tensor.numpy()
    return tuple(np.ravel(array).tolist()), np.shape(array)


@function("slice")
def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Any:
    """Takes a block out of a tensor.

    Args:
        input_: a tensor of rank n.
        begin: the first index of the block in each dimension, n integers.
        size: its size in each dimension, n integers; -1 goes to the end.
        name: ignored.

    Returns:
        A tensor of rank n.

    Raises:
        InvalidArgumentError: if the block does not lie within the tensor.

    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [1, 0], [1, 2]).numpy()
    array([[4, 5]], dtype=int32)
    """
    x = input_ if hasattr(input_, "_type") else convert_to_tensor(input_)
    starts, shape = _numbers(begin)
    sizes, size_shape = _numbers(size)
    old = x._type.shape
    if shape != (len(old),) or size_shape != (len(old),):
        raise invalid(
            f"Expected begin and size arguments to be 1-D tensors of size {len(old)}, but got "
            f"shapes {shape_text(shape)} and {shape_text(size_shape)} instead. [Op:Slice] name: "
        )
    counts = []
    for i, (start, count) in enumerate(zip(starts, sizes, strict=True)):
        if not 0 <= start <= old[i]:
            raise invalid(
                f"Expected begin[{i}] in [0, {old[i]}], but got {start} [Op:Slice] name: "
            )
        if count != -1 and not 0 <= count <= old[i] - start:
            raise invalid(
                f"Expected size[{i}] in [0, {old[i] - start}], but got {count} [Op:Slice] name: "
            )
        counts.append(old[i] - start if count == -1 else count)
    known = type(x) is EagerTensor and x._value is not None and not x._type.hostable
    if known and all(counts):
        # As for `x[a:b]`, another place in known data is not another program.
        result = take_slice_at(x, from_host(np.array(starts, np.int32)), tuple(counts))
    else:
        result = take_slice(x, tuple((s, n, 1) for s, n in zip(starts, counts, strict=True)))
    return with_open_sizes(result, sizes, size)


def _spec(shape: tuple[int, ...], begin: Any, end: Any, strides: Any, masks: Any) -> Spec:
    """Reads the arguments of `strided_slice`."""
    begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask = masks
    count = len(begin)
    ellipses = [i for i in range(count) if ellipsis_mask >> i & 1]
    if len(ellipses) > 1:
        raise invalid(MESSAGE_ELLIPSES)
    taken = [i for i in range(count) if i not in ellipses and not new_axis_mask >> i & 1]
    if len(taken) > len(shape):
        rank = len(shape)
        if rank == 0:
            raise invalid(MESSAGE_SCALAR)
        raise invalid(too_many_indices(rank))
    spec: list[Any] = []
    dimension = 0
    for i in range(count):
        if i in ellipses:
            left = len(shape) - len(taken)
            spec += [(0, n, 1) for n in shape[dimension : dimension + left]]
            dimension += left
        elif new_axis_mask >> i & 1:
            spec.append(None)
        else:
            open_ends = (begin_mask >> i & 1, end_mask >> i & 1, shrink_axis_mask >> i & 1)
            spec.append(
                _entry(shape[dimension], dimension, begin[i], end[i], strides[i], open_ends, i)
            )
            dimension += 1
    return tuple(spec)


def _entry(
    size: int, dimension: int, begin: int, end: int, stride: int, masks: Any, place: int
) -> Any:
    """Reads what is said about one dimension."""
    if stride == 0:
        raise invalid(zero_stride(place))
    if masks[2]:
        if stride < 0:
            raise invalid("only stride 1 allowed on non-range indexing.")
        index = begin + size if begin < 0 else begin
        if not 0 <= index < size:
            raise invalid(slice_out_of_bounds(index, dimension))
        return -1 - index
    ends = (None if masks[0] else begin, None if masks[1] else end, stride)
    found = range(*_SLICE(*ends).indices(size))
    return found.start, len(found), found.step


_SLICE = type(np.s_[:])  # the name `slice` is taken by TensorFlow's function


def _strided(input_: Any, begin: Any, end: Any, strides: Any, *masks: int) -> Spec:
    strides = (1,) * np.size(begin) if strides is None else strides
    shapes = [np.shape(v) for v in (begin, end, strides)]
    if any(len(s) != 1 or s != shapes[0] for s in shapes):
        if len(shapes[0]) == 0 and strides == (1,):
            shapes[2] = ()
        raise invalid(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{shape_text(shapes[0])}, {shape_text(shapes[1])}, and {shape_text(shapes[2])} "
            "instead."
        )
    if not all(is_integer(n) for v in (begin, end, strides) for n in v):
        raise refused_type("Index", "float", INDICES_INT16)
    return _spec(input_.shape, begin, end, strides, masks)


def _strided_host(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: None = None,
) -> Any:
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return input_[numpy_key(_strided(input_, begin, end, strides, *masks), ())]


@op("strided_slice", host=_strided_host, moves=True)
def strided_slice(
    input_: TensorLike,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: None = None,
) -> jax.Array:
    """Takes `input_[begin:end:strides]`, dimension by dimension.

    The masks have a bit for each entry of `begin`, the lowest bit for the first.

    Unlike TensorFlow, `var` is not used: assign to `variable[...]` instead.

    Args:
        input_: a tensor.
        begin: where the part begins in each dimension.
        end: where it ends; that element is not in it.
        strides: the steps, by default 1.
        begin_mask: take the whole beginning, whatever `begin` says.
        end_mask: take the whole end, whatever `end` says.
        ellipsis_mask: this entry stands for as many dimensions as are left over.
        new_axis_mask: this entry makes a new dimension of size 1.
        shrink_axis_mask: this entry is an index; its dimension disappears.
        var: ignored.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: if an index is out of bounds, a step is 0, or there are too many
            entries.

    >>> tf.strided_slice([1, 2, 3, 4, 5], [1], [5], [2]).numpy()
    array([2, 4], dtype=int32)
    """
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return sliced_array(input_, _strided(input_, begin, end, strides, *masks), None)
