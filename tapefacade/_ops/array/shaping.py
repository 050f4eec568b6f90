"""Other shapes of the same elements: `reshape`, `transpose`, `tile`, `reverse`, ..."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.error_texts import (
    invalid,
    negative_dimension,
    negative_multiple,
    refused_by_kernel,
    refused_type,
    reshape_sizes,
    shape_text,
    transpose_sizes,
    unequal_shapes,
    unsupported_value,
)
from tapefacade._core.kernel_dtypes import INDICES
from tapefacade._definition.argument_checks import (
    as_axes,
    as_integer,
    as_sizes,
    is_integer,
    require_type,
)
from tapefacade._definition.op import IndexLike, TensorLike, op


def resolved_shape(old: tuple[int, ...], shape: Any) -> tuple[int, ...]:
    """Returns the shape that `reshape` is asked for, with what -1 stands for."""
    if isinstance(shape, tuple) and any(isinstance(size, tuple) for size in shape):
        raise invalid(f"sizes input must be 1-D, not {shape_text(np.shape(shape))}")
    if shape is None:
        raise unsupported_value(None)
    new = list(as_sizes(shape, "Tshape"))
    size = int(np.prod(old, dtype=np.int64))
    unknown = [i for i, n in enumerate(new) if n == -1]
    if len(unknown) > 1:
        raise invalid(f"Only one input size may be -1, not both {unknown[0]} and {unknown[1]}")
    for i, n in enumerate(new):
        if n < -1:
            raise invalid(f"Size {i} must be non-negative, not {n}")
    known = int(np.prod([n for n in new if n != -1], dtype=np.int64))
    if unknown and known:
        if size % known:
            raise invalid(
                f"Input to reshape is a tensor with {size} values, but the requested shape "
                f"requires a multiple of {known}"
            )
        new[unknown[0]] = size // known
    elif unknown:
        new[unknown[0]] = _size_beside_zeros(old, new) if size == 0 else 0
    if int(np.prod(new, dtype=np.int64)) != size:
        raise invalid(reshape_sizes(size, int(np.prod(new, dtype=np.int64))))
    return tuple(new)


def _size_beside_zeros(old: tuple[int, ...], new: list[int]) -> int:
    """Returns what -1 stands for between empty shapes: the sizes other than 0 decide."""
    rest = int(np.prod([n for n in old if n], dtype=np.int64))
    known = int(np.prod([n for n in new if n > 0], dtype=np.int64))
    return rest // known if rest % known == 0 else 0


def _reshape_host(tensor: Any, shape: Any) -> Any:
    return np.reshape(tensor, resolved_shape(tensor.shape, shape))


@op("reshape", host=_reshape_host, moves=True, raw_op=True)
def reshape(tensor: TensorLike, shape: Any) -> jax.Array:
    """Puts the elements of a tensor into another shape, in the same (row-major) order.

    Args:
        tensor: a tensor.
        shape: the new shape; one of its sizes may be -1 and is then computed.

    Returns:
        A tensor of that shape.

    Raises:
        InvalidArgumentError: if the shape needs another number of elements.

    >>> tf.reshape([[1, 2, 3], [4, 5, 6]], [3, -1]).numpy()
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)
    """
    return jnp.reshape(tensor, resolved_shape(tensor.shape, shape))


def _squeezed(input: Any, axis: Any) -> tuple[int, ...]:
    """Returns the shape after `squeeze`."""
    rank = input.ndim
    axes = as_axes(axis, rank) if axis is not None else ()
    for a in axes:
        if not -rank <= a < rank:
            raise invalid(f"Tried to squeeze dim index {a} for tensor with {rank} dimensions.")
        if input.shape[a] != 1:
            raise invalid(
                f"Can not squeeze dim[{a % rank}], expected a dimension of 1, got {input.shape[a]}"
            )
    if not axes:
        return tuple(n for n in input.shape if n != 1)
    dropped = {a % rank for a in axes}
    return tuple(n for i, n in enumerate(input.shape) if i not in dropped)


@op("squeeze", host=lambda input, axis=None: np.reshape(input, _squeezed(input, axis)), moves=True)
def squeeze(input: TensorLike, axis: Any = None) -> jax.Array:
    """Removes dimensions of size 1.

    Args:
        input: a tensor.
        axis: the dimensions to remove; None (or an empty list) removes all of size 1.

    Returns:
        A tensor with the same elements.

    Raises:
        InvalidArgumentError: if one of these dimensions is not of size 1, or out of range.

    >>> tf.squeeze([[[1], [2]]]).numpy()
    array([1, 2], dtype=int32)
    """
    return jnp.reshape(input, _squeezed(input, axis))


def _expanded(input: Any, axis: Any) -> tuple[int, ...]:
    """Returns the shape after `expand_dims`."""
    if isinstance(axis, tuple) and len(axis) != 1:
        raise invalid("'dim' must be a tensor with a single value")
    position = as_integer(axis)
    rank = input.ndim
    if not -rank - 1 <= position <= rank:
        raise invalid(f"Tried to expand dim index {position} for tensor with {rank} dimensions.")
    position %= rank + 1
    return (*input.shape[:position], 1, *input.shape[position:])


@op(
    "expand_dims",
    host=lambda input, axis: np.reshape(input, _expanded(input, axis)),
    moves=True,
    raw_op=True,
)
def expand_dims(input: TensorLike, axis: int) -> jax.Array:
    """Inserts a dimension of size 1.

    Args:
        input: a tensor.
        axis: where the new dimension is in the result; negative numbers count from the end.

    Returns:
        A tensor with the same elements.

    Raises:
        InvalidArgumentError: if `axis` is out of range.

    >>> tf.expand_dims([1, 2], axis=-1).numpy()
    array([[1],
           [2]], dtype=int32)
    """
    return jnp.reshape(input, _expanded(input, axis))


def _permutation(rank: int, perm: Any) -> tuple[int, ...]:
    """Returns the order of the axes that `transpose` is asked for."""
    if perm is None:
        return tuple(reversed(range(rank)))
    if not isinstance(perm, tuple) or any(isinstance(p, tuple) for p in perm):
        raise invalid(f"perm must be rank 1, got shape {shape_text(np.shape(perm))}")
    if not all(is_integer(p) for p in perm):
        raise refused_type("Tperm", "float", INDICES)
    if len(perm) != rank:
        raise invalid(transpose_sizes(rank, len(perm)))
    order = tuple(p + rank if p < 0 else p for p in perm)
    for p in order:
        if not 0 <= p < rank:
            raise invalid(f"{p} is out of range [0 .. {rank})")
    for axis in range(rank):
        if axis not in order:
            raise refused_by_kernel(f"{axis} is missing from {{{','.join(str(p) for p in perm)}}}.")
    return order


def _transpose_host(a: Any, perm: Any = None, conjugate: bool = False) -> Any:
    return np.transpose(a, _permutation(a.ndim, perm))


@op("transpose", host=_transpose_host, moves=True)
def transpose(
    a: TensorLike, perm: Any = None, conjugate: bool = False, name: None = None
) -> jax.Array:
    """Puts the dimensions of a tensor into another order.

    Args:
        a: a tensor.
        perm: for each dimension of the result the one of `a` that it is; None reverses them.
        conjugate: conjugate the elements too, if they are complex.
        name: ignored.

    Returns:
        A tensor with the same elements.

    Raises:
        InvalidArgumentError: if `perm` is no permutation of the dimensions.

    >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy()
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)
    """
    result = jnp.transpose(a, _permutation(a.ndim, perm))
    return jnp.conj(result) if conjugate and jnp.iscomplexobj(a) else result


@op("linalg.matrix_transpose", kernel="Transpose", moves=True)
def matrix_transpose(a: TensorLike, name: None = None, conjugate: bool = False) -> jax.Array:
    """Exchanges the last two dimensions.

    Args:
        a: a tensor `[..., M, N]`.
        name: ignored.
        conjugate: conjugate the elements too, if they are complex.

    Returns:
        A tensor `[..., N, M]`.

    Raises:
        ValueError: if `a` has fewer than two dimensions.

    >>> tf.linalg.matrix_transpose([[1, 2, 3], [4, 5, 6]]).shape
    TensorShape([3, 2])
    """
    if a.ndim < 2:
        raise ValueError(
            "Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` of shape: "
            f"{tuple(a.shape)}"
        )
    result = jnp.swapaxes(a, -1, -2)
    return jnp.conj(result) if conjugate and jnp.iscomplexobj(a) else result


def _broadcast_sizes(input: Any, shape: Any) -> Any:
    """Returns the shape that `broadcast_to` is asked for."""
    if not isinstance(shape, tuple):
        raise invalid("shape must be a vector of {int32,int64}, got shape []")
    sizes = as_sizes(shape, "Tidx")
    for size in sizes:
        if size < 0:
            raise invalid(negative_dimension(size))
    if input.ndim > len(sizes):
        raise invalid(
            f"Rank of input ({input.ndim}) must be no greater than rank of output shape "
            f"({len(sizes)})."
        )
    trailing = sizes[len(sizes) - input.ndim :]
    if any(n not in (1, m) for n, m in zip(input.shape, trailing, strict=True)):
        if all(1 in (n, m) or n == m for n, m in zip(input.shape, trailing, strict=True)):
            raise invalid(
                f"Unable to broadcast tensor of shape {shape_text(input.shape)} to tensor of shape "
                f"{shape_text(sizes)}"
            )
        raise invalid(unequal_shapes(shape_text(input.shape), shape_text(sizes)))
    return sizes


@op(
    "broadcast_to",
    host=lambda input, shape: np.array(np.broadcast_to(input, _broadcast_sizes(input, shape))),
    moves=True,
    raw_op=True,
)
def broadcast_to(input: TensorLike, shape: Any) -> jax.Array:
    """Repeats a tensor along dimensions of size 1, and in front, until it has a shape.

    Args:
        input: a tensor.
        shape: the shape of the result.

    Returns:
        A tensor of that shape.

    Raises:
        InvalidArgumentError: if `input` does not broadcast to the shape.

    >>> tf.broadcast_to([1, 2], [2, 2]).numpy()
    array([[1, 2],
           [1, 2]], dtype=int32)
    """
    return jnp.broadcast_to(input, _broadcast_sizes(input, shape))


def _tiles(input: Any, multiples: Any) -> Any:
    """Returns how often `tile` is asked to repeat each dimension."""
    if not isinstance(multiples, tuple) or any(isinstance(m, tuple) for m in multiples):
        raise invalid(
            f"Expected multiples to be 1-D, but got shape {shape_text(np.shape(multiples))}"
        )
    if not all(is_integer(m) for m in multiples):
        raise refused_type("Tmultiples", "float", INDICES)
    if len(multiples) != input.ndim:
        raise invalid(
            f"Expected multiples argument to be a vector of length {input.ndim} but got length "
            f"{len(multiples)}"
        )
    for i, m in enumerate(multiples):
        if m < 0:
            raise invalid(negative_multiple(i, m))
    return multiples


@op(
    "tile",
    host=lambda input, multiples: np.tile(input, _tiles(input, multiples)),
    moves=True,
    raw_op=True,
)
def tile(input: TensorLike, multiples: Any) -> jax.Array:
    """Repeats a whole tensor along its dimensions.

    Args:
        input: a tensor.
        multiples: how often it is repeated along each dimension, as many integers as there are.

    Returns:
        A tensor whose sizes are the products.

    Raises:
        InvalidArgumentError: if there are more or fewer multiples than dimensions, or a negative.

    >>> tf.tile([[1, 2]], [2, 2]).numpy()
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]], dtype=int32)
    """
    return jnp.tile(input, _tiles(input, multiples))


def _turned(tensor: Any, axis: Any) -> Any:
    """Returns the axes that `reverse` is asked for."""
    if not isinstance(axis, tuple):
        raise invalid("'dims' must be 1-dimension, not 0")
    if not all(is_integer(a) for a in axis):
        raise refused_type("Tidx", "float", INDICES)
    rank, axes = tensor.ndim, []
    for i, a in enumerate(axis):
        if not -rank <= a < rank:
            raise invalid(f"'axis'[{i}] = {a} is out of valid range [0, {rank - 1}")
        if a % rank in axes:
            raise invalid(f"axis {a % rank} specified more than once.")
        axes.append(a % rank)
    return tuple(axes)


@op(
    "reverse",
    kernel="ReverseV2",
    host=lambda tensor, axis: np.flip(tensor, _turned(tensor, axis)),
    moves=True,
    raw_op=True,
)
def reverse(tensor: TensorLike, axis: Any) -> jax.Array:
    """Reverses the order of the elements along some dimensions.

    Args:
        tensor: a tensor.
        axis: a list of these dimensions.

    Returns:
        A tensor of the same shape.

    Raises:
        InvalidArgumentError: if a dimension is out of range or repeats.

    >>> tf.reverse([[1, 2], [3, 4]], axis=[1]).numpy()
    array([[2, 1],
           [4, 3]], dtype=int32)
    """
    axes = _turned(tensor, axis)
    return jnp.flip(tensor, axes) if axes else tensor


def _rolled(library: Any, input: Any, shift: Any, axis: Any) -> Any:
    shifts = library.ravel(shift)
    for place, a in enumerate(as_axes(axis, input.ndim)):
        input = library.roll(input, shifts[place], a)
    return input


@op("roll", host=lambda *inputs: _rolled(np, *inputs), moves=True, raw_op=True)
def roll(input: TensorLike, shift: IndexLike, axis: Any) -> jax.Array:
    """Shifts the elements along dimensions; what leaves at one end enters at the other.

    Args:
        input: a tensor of rank 1 or more.
        shift: by how many places, an integer, or a vector with one for each of `axis`.
        axis: the dimension, or a list of them; a repeated one is shifted repeatedly.

    Returns:
        A tensor of the same shape.

    Raises:
        InvalidArgumentError: if an axis is out of range, or there are not as many shifts as axes.

    >>> tf.roll([1, 2, 3], shift=1, axis=0).numpy()
    array([3, 1, 2], dtype=int32)
    """
    require_type("Tshift", shift.dtype, INDICES)
    rank = input.ndim
    if rank == 0:
        raise invalid("input must be 1-D or higher")
    if shift.ndim > 1:
        raise invalid(f"shift must be a scalar or a 1-D vector. Found: {shape_text(shift.shape)}")
    if np.ndim(axis) > 1:
        raise invalid(f"axis must be a scalar or a 1-D vector. Found: {shape_text(np.shape(axis))}")
    axes = as_axes(axis, rank)
    if shift.size != len(axes):
        raise invalid("shift and axis must have the same size")
    for a in axes:
        if not -rank <= a < rank:
            raise refused_by_kernel(f"axis {a + rank if a < 0 else a} is out of range")
    return _rolled(jnp, input, shift, axis)
