"""Checks of the arguments of ops."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.error_texts import (
    MESSAGE_MIXED,
    inconvertible_argument,
    invalid,
    refused_type,
    shape_text,
    unequal_shapes,
    unsupported_value,
)
from tapefacade._core.kernel_dtypes import INDICES
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._trace.named_sizes import NAME

Axis = int | tuple[int, ...] | None


def require_type(attribute: str, dtype: Any, allowed: tuple[str, ...]) -> np.dtype:
    """Converts `dtype` to NumPy's; refuses one whose kernel name is not among the `allowed`."""
    known = dtypes.as_dtype(dtype)
    if known.kernel_name not in allowed:
        raise refused_type(attribute, known.kernel_name, allowed)
    return np.dtype(known.as_numpy_dtype)


def numpy_type(dtype: Any) -> np.dtype:
    """Converts a dtype in any form to NumPy's."""
    return np.dtype(dtypes.as_dtype(dtype).as_numpy_dtype)


def is_integer(value: Any) -> bool:
    """Tells whether a static argument is an integer, or the name of one.

    True and False count as 1 and 0.
    """
    return isinstance(value, int) or type(value) is NAME


def as_integer(value: Any) -> int:
    """Returns an integer argument, which may be the only entry of a tuple.

    Raises:
        ValueError: if it is None.
        TypeError: if it is no integer.
    """
    number: Any = value[0] if isinstance(value, tuple) and len(value) == 1 else value
    if number is None:
        raise unsupported_value(number)
    if not is_integer(number):
        raise inconvertible_argument(number)
    return int(number)


def as_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """Returns the axes that `axis` names: all for None.

    Raises:
        TypeError: if one of them is no integer.
    """
    if axis is None:
        return tuple(range(rank))
    axes = axis if isinstance(axis, tuple) else (axis,)
    if not all(is_integer(a) for a in axes):
        raise inconvertible_argument(axis)
    return tuple(int(a) for a in axes)


def as_sizes(shape: Any, attribute: str | None = None) -> tuple[int, ...]:
    """Returns the integers of an argument that is a shape or a list of integers.

    Args:
        shape: an integer, a tuple of integers, or a `TensorShape`.
        attribute: TensorFlow's name for the dtype of the argument, if a wrong dtype is told by
            that name.

    Returns:
        A tuple of integers.

    Raises:
        ValueError: if a size is None, or some are texts.
        TypeError: if a size is no integer.
        InvalidArgumentError: if a size is no integer and `attribute` is given.
    """
    if isinstance(shape, TensorShape):
        shape = tuple(shape.as_list())
    sizes = shape if isinstance(shape, tuple) else (shape,)
    for size in sizes:
        if size is None:
            if size is sizes[0]:
                raise unsupported_value(None)
            raise ValueError(MESSAGE_MIXED)
    if not all(is_integer(size) for size in sizes):
        if 0 < sum(isinstance(size, str) for size in sizes) < len(sizes):
            raise ValueError(MESSAGE_MIXED)
        if attribute is None:
            raise inconvertible_argument(shape)
        if all(isinstance(size, int | float) for size in sizes):
            raise refused_type(attribute, "float", INDICES)
        raise refused_type(attribute, "string", INDICES)
    return sizes


def require_room(
    sizes: Iterable[int],
    windows: Iterable[int],
    steps: Iterable[int],
    rates: Iterable[int],
    padding: Any,
) -> None:
    """Raises if windows do not fit into a tensor, not even with the zeros around it.

    Args:
        sizes: the sizes of the dimensions along which windows move.
        windows: how many places a window has along each; there may be more of these.
        steps: how far it moves.
        rates: the distance of its places.
        padding: `"SAME"`, `"VALID"`, or how many zeros are put before and after each dimension.

    Raises:
        InvalidArgumentError: if there would be less than no windows.
    """
    if padding == "SAME":
        return
    sizes = list(sizes)
    pairs = [(0, 0)] * len(sizes) if padding == "VALID" else padding
    for size, window, step, rate, pair in zip(sizes, windows, steps, rates, pairs, strict=False):
        stretched = (window - 1) * rate + 1
        count = int((size + sum(pair) - stretched + step) / step)
        if count < 0:
            raise invalid(
                f"Computed output size would be negative: {count} [input_size: {size}, "
                f"effective_filter_size: {stretched}, stride: {step}]"
            )


def require_countable(window: Iterable[int]) -> None:
    """Raises if the places of a window cannot be counted, which kills XLA.

    Raises:
        InvalidArgumentError: if there are too many.
    """
    if math.prod(window := tuple(window)) >= 1 << 40:
        raise invalid(f"Sliding window of {shape_text(window)} is too large.")


def array_module(*arrays: Any) -> Any:
    """Returns NumPy if all arrays are NumPy's, else `jax.numpy`: eager JAX costs far more."""
    return np if all(isinstance(array, np.ndarray | np.generic) for array in arrays) else jnp


def first_bad(bad: Any, values: Any) -> tuple[Any, Any, Any]:
    """Finds the first element that a check refuses.

    Args:
        bad: a bool array, True where an element is refused.
        values: the elements, an array that begins with the shape of `bad`.

    Returns:
        Whether there is none, its position, and its value.
    """
    xp = array_module(bad, values)
    if bad.size == 0 or (xp is np and not bad.any()):
        return np.array(True), np.zeros((bad.ndim,), np.int64), np.zeros((), np.int64)
    flat = xp.argmax(xp.ravel(bad))
    place = [xp.asarray(p, np.int64) for p in xp.unravel_index(flat, bad.shape)]
    place = xp.stack(place) if place else np.zeros((0,), np.int64)
    rows = xp.reshape(values, (bad.size, *values.shape[bad.ndim :]))
    return xp.logical_not(xp.any(bad)), place, rows[flat]


def subscript(position: Any) -> str:
    """Writes the position that `first_bad` found: nothing for a scalar."""
    return shape_text(int(p) for p in position) if len(position) else ""


def mapped_over_axes(function: Any, times: int) -> Any:
    """Maps a function over that many leading axes of all of its arguments."""
    for _ in range(times):
        function = jax.vmap(function)
    return function


def check_broadcast(x: Any, y: Any) -> tuple[int, ...]:
    """Checks that two arrays can be combined element by element.

    Args:
        x: an array, or what has a `shape`.
        y: another one.

    Returns:
        The common shape.

    Raises:
        InvalidArgumentError: if two sizes differ and neither is 1.
    """
    return x.shape if x.shape == y.shape else broadcast_shape(x.shape, y.shape)


def broadcast_shape(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the shape that two shapes have in common where sizes of 1 are stretched.

    Raises:
        InvalidArgumentError: if two sizes differ and neither is 1.

    >>> broadcast_shape((3, 1), (2,))
    (3, 2)
    """
    try:
        return jnp.broadcast_shapes(first, second)  # which knows names of sizes
    except ValueError:
        raise invalid(unequal_shapes(shape_text(first), shape_text(second))) from None


def refuse_dtype(x: Any, kernel: str, allowed: Sequence[str]) -> None:
    """Refuses an array whose dtype a kernel does not have.

    For ops whose kernel depends on the dtype; the others say `dtypes=` in their definition.

    Args:
        x: an array.
        kernel: TensorFlow's name of the kernel.
        allowed: the names of its dtypes.

    Raises:
        InvalidArgumentError: if the dtype of `x` is not among them.
    """
    name = dtypes.from_numpy(np.dtype(x.dtype)).kernel_name
    if name not in allowed:
        raise refused_type("T", name, allowed, kernel)


def refuse_missing_kernel(x: Any, kernel: str, kind: Any) -> None:
    """Refuses what TensorFlow's op accepts by its dtype, but has no kernel for.

    Args:
        x: an array.
        kernel: TensorFlow's name of the kernel.
        kind: the abstract NumPy type without a kernel, such as `np.complexfloating`.

    Raises:
        NotFoundError: if the dtype of `x` is of that kind.
    """
    if jnp.issubdtype(x.dtype, kind):
        enum = f"DT_{dtypes.from_numpy(np.dtype(x.dtype)).kernel_name.upper()}"
        raise errors.NotFoundError(
            None,
            None,
            f"Could not find device for node: {{{{node {kernel}}}}} = {kernel}[T={enum}]",
        )
