"""What is known of a tensor without its value: `shape`, `size`, `rank`, static values."""

from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor, is_tensor
from tapefacade._core.error_texts import (
    below_minimum,
    invalid,
    kernel_suffix,
    refused_type,
    shape_text,
    unequal_shapes,
)
from tapefacade._core.kernel_dtypes import INDICES
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._definition.argument_checks import require_type
from tapefacade._definition.op import function
from tapefacade._trace.open_sizes import ACCOUNTS, open_sizes
from tapefacade._trace.static_values import is_symbolic, static_value


def _sizes(input: Any) -> tuple[int, ...]:
    """Returns the shape of anything that could become a tensor."""
    type_ = getattr(input, "_type", None)
    return (convert_to_tensor(input)._type if type_ is None else type_).shape


@function("shape", dispatch=True)
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the shape of a tensor as a tensor, without looking at its value.

    Args:
        input: a tensor.
        out_type: the dtype of the result, int32 (default) or int64.
        name: ignored.

    Returns:
        A vector of integers.

    >>> tf.shape([[1, 2, 3]]).numpy()
    array([1, 3], dtype=int32)
    """
    dtype = np.int32 if out_type is None else require_type("out_type", out_type, INDICES)
    result = from_host(np.array(_sizes(input), dtype))
    if ACCOUNTS and (account := open_sizes()) is not None:
        account.note_value(result, np.array(account.other_sizes(input), dtype))
    return result


@function("shape_n")
def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Any]:
    """Returns the shapes of several tensors as tensors, without looking at their values.

    Args:
        input: a list of tensors.
        out_type: the dtype of the results, int32 or int64.
        name: ignored.

    Returns:
        A list of vectors of integers.

    Raises:
        InvalidArgumentError: if the list is empty.

    >>> [s.numpy() for s in tf.shape_n([[1, 2], [[3]]])]
    [array([2], dtype=int32), array([1, 1], dtype=int32)]
    """
    shapes = [shape(value, out_type) for value in input]
    if not shapes:
        raise invalid(below_minimum("N", 0, 1) + kernel_suffix("ShapeN"))
    return shapes


@function("size", dispatch=True)
def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the number of elements of a tensor, without looking at its value.

    Args:
        input: a tensor.
        out_type: the dtype of the result, by default int32.
        name: ignored.

    Returns:
        A scalar.

    >>> tf.size([[1, 2, 3]]).numpy()
    np.int32(3)
    """
    dtype = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    kind = dtype.as_numpy_dtype
    result = from_host(np.array(np.prod(_sizes(input), dtype=np.int64), kind))
    if ACCOUNTS and (account := open_sizes()) is not None:
        other = np.prod(account.other_sizes(input), dtype=np.int64)
        account.note_value(result, np.array(other).astype(kind))
    return result


@function("rank", dispatch=True)
def rank(input: Any, name: str | None = None) -> Any:
    """Returns the number of dimensions of a tensor, without looking at its value.

    Args:
        input: a tensor.
        name: ignored.

    Returns:
        An int32 scalar.

    >>> tf.rank([[1, 2, 3]]).numpy()
    np.int32(2)
    """
    result = from_host(np.array(len(_sizes(input)), np.int32))
    if ACCOUNTS and (account := open_sizes()) is not None:
        account.note_value(result, np.array(len(account.other_sizes(input)), np.int32))
    return result


def _broadcast_size(x: int | None, y: int | None) -> int | None:
    """Returns the size that two dimensions broadcast to; None where it is not known."""
    if x == 1:
        return y
    if y == 1 or x == y:
        return x
    if x is None or y is None:
        return y if x is None else x
    raise ValueError


@function("broadcast_static_shape")
def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """Computes the shape of the combination of two tensors.

    Args:
        shape_x: a `TensorShape`.
        shape_y: another one.

    Returns:
        A `TensorShape`, unknown as far as that cannot be told.

    Raises:
        ValueError: if two sizes differ and neither is 1.

    >>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
    TensorShape([2, 3])
    """
    if shape_x.ndims is None or shape_y.ndims is None:
        return TensorShape(None)
    count = max(shape_x.ndims, shape_y.ndims)
    one = [1] * (count - shape_x.ndims) + shape_x.as_list()
    other = [1] * (count - shape_y.ndims) + shape_y.as_list()
    try:
        return TensorShape([_broadcast_size(x, y) for x, y in zip(one, other, strict=True)])
    except ValueError:
        raise ValueError(
            "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension "
            "pair they are either equal or one of them is 1. Received: "
            f"{shape_x} and {shape_y}."
        ) from None


@function("broadcast_dynamic_shape", dispatch=True)
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """Computes the shape of the combination of two tensors, as a tensor.

    Args:
        shape_x: a shape, a vector of integers.
        shape_y: another one.

    Returns:
        A vector of integers.

    Raises:
        InvalidArgumentError: if two sizes differ and neither is 1.

    >>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy()
    array([2, 3], dtype=int32)
    """
    shape_x, shape_y = _sizes_alike(shape_x, shape_y)
    for place, given in enumerate((shape_x, shape_y)):
        if given.dtype.name not in INDICES:
            raise refused_type("T", given.dtype.kernel_name, INDICES)
        if given.ndim != 1:
            raise invalid(
                f"In[{place}] must be a vector.{shape_text(given.shape)} [Op:BroadcastArgs]"
            )
    one, other = shape_x.numpy(), shape_y.numpy()
    try:
        result = np.broadcast_shapes(tuple(one.tolist()), tuple(other.tolist()))
    except ValueError:
        raise invalid(
            unequal_shapes(shape_text(one), shape_text(other)) + " [Op:BroadcastArgs]"
        ) from None
    return from_host(np.array(result, one.dtype))


def _sizes_alike(*shapes: Any) -> list[EagerTensor]:
    """Converts vectors of sizes to one dtype: that of the first tensor; the empty have none."""
    dtype = next((s.dtype for s in shapes if isinstance(s, EagerTensor)), None)
    if dtype is not None and dtype.name not in INDICES:
        raise refused_type("T", dtype.kernel_name, INDICES)
    converted = []
    for given in shapes:
        empty = not isinstance(given, EagerTensor) and np.shape(given) == (0,)
        sizes = np.zeros(0, np.int32) if empty else given
        converted.append(convert_to_tensor(sizes, dtype))
        dtype = dtype or converted[-1].dtype
    return converted


class BroadcastGradientArgs(NamedTuple):
    """The axes along which two tensors were repeated."""

    r0: EagerTensor
    r1: EagerTensor


@function("_broadcast_gradient_args")
def broadcast_gradient_args(s0: Any, s1: Any) -> BroadcastGradientArgs:
    """Finds the axes over which gradients of a combination of two tensors are summed.

    Args:
        s0: the shape of the first tensor, a vector of integers.
        s1: the shape of the second.

    Returns:
        Two vectors: the axes along which the first and the second were repeated.

    Raises:
        InvalidArgumentError: if the shapes do not fit.
    """
    first, second = convert_to_tensor(s0).numpy(), convert_to_tensor(s1).numpy()
    rank = max(len(first), len(second))
    padded = [np.pad(sizes, (rank - len(sizes), 0), constant_values=1) for sizes in (first, second)]
    if np.any((padded[0] != padded[1]) & (padded[0] != 1) & (padded[1] != 1)):
        raise invalid(
            f"Incompatible shapes: {shape_text(first)} vs. {shape_text(second)} "
            "[Op:BroadcastGradientArgs]"
        )
    if np.array_equal(first, second):
        padded = [np.zeros(0), np.zeros(0)]  # nothing is repeated
    axes = [from_host(np.flatnonzero(sizes == 1).astype(first.dtype)) for sizes in padded]
    return BroadcastGradientArgs(*axes)


@function("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """Returns the value of a tensor, if it is known without computing.

    In eager code every value is known. In a `tf.function` those of constants are, of shapes, and of
    what is put together of constants; nothing is computed there.

    Args:
        tensor: a tensor; what is no tensor, such as a number, array or dtype, is returned as it is.
        partial: of scalars that are stacked in a function, return those that are known, with None
            in the place of the others.

    Returns:
        A NumPy value; None if it is not known, as that of a variable or of a ragged tensor.

    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)
    """
    if isinstance(tensor, EagerTensor):
        if not is_symbolic(tensor):
            return None if ACCOUNTS and _depends_on_sizes(tensor) else tensor.numpy()
        return static_value(tensor._recording, tensor._slot, partial)
    return None if is_tensor(tensor) else tensor


def _depends_on_sizes(tensor: EagerTensor) -> bool:
    """Whether a value on the host comes from sizes that are not known in this function."""
    account = open_sizes()
    return account is not None and account.other_value(tensor) is not None


@function("is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Tells whether a tensor has no value because a `tf.function` is recorded that makes it.

    Unlike TensorFlow, constants in a function have values.

    Args:
        tensor: any value.

    >>> tf.is_symbolic_tensor(tf.constant(1))
    False
    """
    return isinstance(tensor, EagerTensor) and is_symbolic(tensor)
