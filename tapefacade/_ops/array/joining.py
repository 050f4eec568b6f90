"""Tensors made of several, and several made of one: `concat`, `stack`, `unstack`, `split`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.conversion import convert_to_tensor, is_tensor
from tapefacade._core.error_texts import below_minimum, invalid, refused_type, shape_text
from tapefacade._definition.argument_checks import as_integer, is_integer
from tapefacade._definition.op import NoGradient, TensorLike, TensorList, function, op
from tapefacade._ops.array.copying import identity
from tapefacade._trace.recording import THREAD

SPLIT_TYPES = ("int8", "int32", "int64")


def _check_joined(shapes: list[tuple[int, ...]], axis: int) -> int:
    """Returns the axis, counted from the front, along which these shapes can be joined."""
    first = shapes[0]
    rank = len(first)
    if rank == 0:
        raise invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
    if not -rank <= axis < rank:
        raise invalid(
            f"ConcatOp : Expected concatenating dimensions in the range [-{rank}, {rank}), but "
            f"got {axis}"
        )
    axis %= rank
    for place, shape in enumerate(shapes):
        both = f"shape[0] = {shape_text(first)} vs. shape[{place}] = {shape_text(shape)}"
        if len(shape) != rank:
            raise invalid(f"ConcatOp : Ranks of all input tensors should match: {both}")
        for i in range(rank):
            if i != axis and shape[i] != first[i]:
                raise invalid(f"ConcatOp : Dimension {i} in both shapes must be equal: {both}")
    return axis


def _joined(xp: Any, values: Any, axis: Any) -> Any:
    if isinstance(axis, tuple) and len(axis) != 1:
        raise invalid(f"axis tensor should be a scalar integer, but got shape [{len(axis)}]")
    return xp.concatenate(values, axis=_check_joined([v.shape for v in values], as_integer(axis)))


@op("_concat", kernel="ConcatV2", host=lambda values, axis: _joined(np, values, axis), moves=True)
def _concat(values: TensorList, axis: int) -> jax.Array:
    """Joins two or more tensors."""
    return _joined(jnp, values, axis)


@function("concat", dispatch=True)
def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Joins tensors along one of their dimensions.

    Args:
        values: a list of tensors of one dtype, whose shapes differ in that dimension at most.
        axis: the dimension; negative numbers count from the end.
        name: ignored.

    Returns:
        A tensor; of a single one, the tensor itself.

    Raises:
        InvalidArgumentError: if the shapes or dtypes do not fit, or `axis` is out of range.

    >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0).numpy()
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)
    """
    if not isinstance(values, list | tuple):
        values = [values]
    if len(values) > 1:
        return _concat(values, axis)
    if not values:
        raise invalid(
            "OpKernel 'ConcatV2' has constraint on attr 'T' not in NodeDef '[N=0, "
            "Tidx=DT_INT32]': the list of tensors to concatenate is empty [Op:ConcatV2] "
            "name: concat"
        )
    convert_to_tensor(axis, "int32").shape.assert_has_rank(0)
    return identity(values[0])


def _check_stacked(values: Any, axis: Any) -> int:
    rank = values[0].ndim + 1
    if axis is None or not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [-{rank}, {rank})")
    for place, value in enumerate(values):
        if value.shape != values[0].shape:
            raise invalid(
                f"Shapes of all inputs must match: values[0].shape = {shape_text(values[0].shape)} "
                f"!= values[{place}].shape = {shape_text(value.shape)}"
            )
    return int(axis) % rank


@op(
    "_stack",
    kernel="Pack",
    host=lambda values, axis: np.stack(values, _check_stacked(values, axis)),
    moves=True,
)
def _stack(values: TensorList, axis: int) -> jax.Array:
    """Joins tensors along a new dimension."""
    return jnp.stack(values, axis=_check_stacked(values, axis))


@function("stack", dispatch=True)
def stack(values: Any, axis: Any = 0, name: str = "stack") -> Any:
    """Joins tensors of one shape along a new dimension.

    Args:
        values: a list of tensors of one shape and dtype.
        axis: where the new dimension is in the result; negative numbers count from the end.
        name: ignored.

    Returns:
        A tensor with one more dimension.

    Raises:
        ValueError: if `axis` is out of range.
        InvalidArgumentError: if the shapes or dtypes differ.

    >>> tf.stack([[1, 4], [2, 5], [3, 6]], axis=1).numpy()
    array([[1, 2, 3],
           [4, 5, 6]], dtype=int32)
    """
    if isinstance(values, list | tuple) and any(is_tensor(value) for value in values):
        return _stack(values, axis)
    if is_integer(axis) and axis == 0:
        try:
            return convert_to_tensor(values)
        except ValueError:
            if not isinstance(values, list | tuple):
                raise
    return _stack(values, axis)


def _rows(value: Any, num: Any, axis: Any) -> int:
    """Checks the arguments of `unstack`; returns the axis, counted from the front."""
    rank = value.ndim
    if not is_integer(axis):
        raise TypeError(f"list indices must be integers or slices, not {type(axis).__name__}")
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    axis %= rank
    if num is not None and num != value.shape[axis]:
        raise invalid(
            f"Input shape axis {axis} must equal {num}, got shape {shape_text(value.shape)}"
        )
    return axis


def _unstack_host(value: Any, num: Any = None, axis: Any = 0) -> list[Any]:
    return list(np.moveaxis(value, _rows(value, num, axis), 0))


@op("unstack", kernel="Unpack", host=_unstack_host, moves=True)
def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: None = None
) -> list[jax.Array]:
    """Takes a tensor apart along one dimension.

    Args:
        value: a tensor of rank 1 or more.
        num: the size of that dimension, if it shall be checked.
        axis: the dimension, which the results do not have.
        name: ignored.

    Returns:
        A list of tensors.

    Raises:
        ValueError: if `axis` is out of range.
        InvalidArgumentError: if `num` is not the size.

    >>> [row.numpy() for row in tf.unstack([[1, 2], [3, 4]])]
    [array([1, 2], dtype=int32), array([3, 4], dtype=int32)]
    """
    place = _rows(value, num, axis)
    count = value.shape[place]
    return [lax.index_in_dim(value, i, place, keepdims=False) for i in range(count)]


def _equal_parts(size: int, parts: int, axis: int) -> list[int]:
    if parts < 1:
        raise invalid(below_minimum("num_split", parts, 1))
    if size % parts:
        raise invalid(
            "Number of ways to split should evenly divide the split dimension, but got split_dim "
            f"{axis} (size = {size}) and num_split {parts}"
        )
    return [size // parts] * parts


def _given_parts(size: int, parts: tuple[Any, ...], num: int | None) -> list[int]:
    ranks = np.ndim(parts)
    if not parts or (ranks == 1 and not all(is_integer(n) for n in parts)):
        raise refused_type("Tlen", "float", SPLIT_TYPES)
    if ranks != 1 or (num is not None and num != len(parts)):
        raise invalid(
            "size of the split_tensor must be 1-D and have the same elements as outputs got "
            f"{ranks} -D and {np.size(parts)} elements"
        )
    sizes = list(parts)
    if sizes.count(-1) > 1:
        raise invalid("There can only be one -1 in the input.")
    known = sum(n for n in sizes if n != -1)
    if known > size or (known < size and -1 not in sizes):
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully "
            "specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {known}"
        )
    if -1 in sizes:
        sizes[sizes.index(-1)] = size - known
    for i, n in enumerate(sizes):
        if n < 0:
            raise invalid(f"Split size at index {i} must be >= 0. Got: {n}")
    return sizes


def _pieces(value: Any, num_or_size_splits: Any, axis: Any, num: Any) -> tuple[int, list[int]]:
    """Returns the axis of `split`, counted from the front, and the sizes along it."""
    if not isinstance(num_or_size_splits, int | tuple):
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits}"
        )
    rank = value.ndim
    axis = as_integer(axis)
    if isinstance(num_or_size_splits, int) and num_or_size_splits < 1:
        _equal_parts(0, num_or_size_splits, axis)
    if not -rank <= axis < rank:
        raise invalid(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {axis}")
    axis %= rank
    if isinstance(num_or_size_splits, tuple):
        sizes = _given_parts(value.shape[axis], num_or_size_splits, num)
    else:
        sizes = _equal_parts(value.shape[axis], num_or_size_splits, axis)
    return axis, sizes


def _split_host(value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None) -> list[Any]:
    place, sizes = _pieces(value, num_or_size_splits, axis, num)
    return np.split(value, np.cumsum(sizes)[:-1], axis=place)


@op("split", kernel="Split", host=_split_host, moves=True)
def split(
    value: TensorLike,
    num_or_size_splits: Any,
    axis: int = 0,
    num: int | None = None,
    name: None = None,
) -> list[jax.Array]:
    """Cuts a tensor into pieces along one dimension.

    Args:
        value: a tensor of rank 1 or more.
        num_or_size_splits: how many equal pieces, or a list of their sizes, one of which may be -1
            for what is left.
        axis: the dimension.
        num: the number of sizes, if it shall be checked.
        name: ignored.

    Returns:
        A list of tensors.

    Raises:
        InvalidArgumentError: if the pieces do not make up the dimension, or `axis` is out of
            range.
        ValueError: if `num_or_size_splits` is neither an integer nor a list.

    >>> [piece.numpy() for piece in tf.split([1, 2, 3, 4], [1, -1])]
    [array([1], dtype=int32), array([2, 3, 4], dtype=int32)]
    """
    place, sizes = _pieces(value, num_or_size_splits, axis, num)
    ends = np.cumsum(sizes).tolist()
    return [
        lax.slice_in_dim(value, end - size, end, axis=place)
        for size, end in zip(sizes, ends, strict=True)
    ]


@op("_parallel_stack", kernel="ParallelConcat", gradient=NoGradient("ParallelConcat"))
def _parallel_stack(values: TensorList) -> jax.Array:
    """Stacks tensors."""
    shapes = {value.shape for value in values}
    if len(shapes) > 1:
        first = values[0].shape
        other = next(value.shape for value in values if value.shape != first)
        place = next((k for k, (a, b) in enumerate(zip(first, other, strict=False)) if a != b), 0)
        raise ValueError(
            f"Dimension {place + 1} in both shapes must be equal, but are {other[place]} and "
            f"{first[place]}. Shapes are [1,{','.join(map(str, other))}] and "
            f"[1,{','.join(map(str, first))}]."
        )
    return jnp.stack(values)


@function("parallel_stack")
def parallel_stack(values: Any, name: str = "parallel_stack") -> Any:
    """Stacks tensors of the same shape, in a `tf.function`; it has no gradient.

    Args:
        values: the tensors, a list.
        name: ignored.

    Returns:
        A tensor, `[n, ...]`.

    Raises:
        RuntimeError: in eager code.
        ValueError: if the shapes differ.

    >>> tf.function(lambda x: tf.parallel_stack([x, x]))(tf.constant([1, 2])).numpy()
    array([[1, 2],
           [1, 2]], dtype=int32)

    See https://www.tensorflow.org/api_docs/python/tf/parallel_stack.
    """
    if not THREAD.functions:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    values[0]  # raises IndexError for no tensors
    return _parallel_stack(values)
