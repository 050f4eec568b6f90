"""Running sums and products, `cumulative_logsumexp`, and the cross product."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, errors, kernel_dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import (
    inconvertible_argument,
    invalid,
    refused_by_kernel,
    shape_text,
    unsupported_value,
)
from tapefacade._core.kernel_dtypes import NUMBERS, REALS
from tapefacade._core.tensor import Tensor
from tapefacade._core.tensor_shape import as_shape
from tapefacade._definition.argument_checks import as_integer
from tapefacade._definition.op import TensorLike, function, op
from tapefacade._ops.math.arithmetic import add_n

MESSAGE_LIST = "inputs must be a list of at least one Tensor with the same dtype and shape"


def _no_scan_axis(lowest: Any, end: int, given: int) -> str:
    return f"ScanOp: Expected scan axis in the range [{lowest}, {end}), but got {given}"


def _checked_axis(x: jax.Array, axis: Any) -> int:
    if axis is None:
        raise unsupported_value(None)
    if isinstance(axis, float):
        raise inconvertible_argument(axis)
    if isinstance(axis, tuple):
        message = f"ScanOp: axis must be a scalar, not [{len(axis)}]"
        raise errors.InvalidArgumentError(None, None, message)
    if not -x.ndim <= axis < x.ndim:
        given = axis + x.ndim if axis < 0 else axis
        raise refused_by_kernel(_no_scan_axis(-x.ndim, x.ndim, given))
    return axis % x.ndim


def _shifted(x: jax.Array, axis: int, reverse: bool, fill: int) -> jax.Array:
    """Moves the elements one place on, so that each result leaves its own element out."""
    length = x.shape[axis]
    if length == 0:
        return x
    first = jnp.full_like(lax.slice_in_dim(x, 0, 1, axis=axis), fill)
    if reverse:
        return jnp.concatenate([lax.slice_in_dim(x, 1, length, axis=axis), first], axis=axis)
    return jnp.concatenate([first, lax.slice_in_dim(x, 0, length - 1, axis=axis)], axis=axis)


def _cumsum(x: jax.Array, axis: int, exclusive: bool, reverse: bool) -> jax.Array:
    if exclusive:
        x = _shifted(x, axis, reverse, 0)
    return lax.cumsum(x, axis, reverse=reverse)


def _on_host(ufunc: Any, x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    x = np.flip(x, axis) if reverse else x
    found = ufunc.accumulate(x, axis, dtype=x.dtype)
    if exclusive and found.size:
        first = np.full_like(np.take(found, [0], axis), ufunc.identity)
        found = np.concatenate([first, np.delete(found, -1, axis)], axis)
    return np.flip(found, axis) if reverse else found


@op(
    "math.cumsum",
    "cumsum",
    kernel="Cumsum",
    host=functools.partial(_on_host, np.add),
    dtypes=NUMBERS,
)
def cumsum(
    x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> jax.Array:
    """Adds up the elements along an axis, and keeps the sums on the way.

    Args:
        x: a tensor of numbers.
        axis: along which axis.
        exclusive: leave out the element itself, so that the first sum is 0.
        reverse: start at the end.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if there is no such axis, or if `x` is boolean.

    >>> tf.cumsum([1.0, 2.0, 3.0]).numpy()
    array([1., 3., 6.], dtype=float32)
    >>> tf.cumsum([1.0, 2.0, 3.0], exclusive=True, reverse=True).numpy()
    array([5., 3., 0.], dtype=float32)
    """
    return _cumsum(x, _checked_axis(x, axis), exclusive, reverse)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2, 3))
def _cumprod(x: jax.Array, axis: int, exclusive: bool, reverse: bool) -> jax.Array:
    if exclusive:
        x = _shifted(x, axis, reverse, 1)
    return lax.cumprod(x, axis, reverse=reverse)


@_cumprod.defjvp
def _cumprod_jvp(
    axis: int, exclusive: bool, reverse: bool, primals: tuple, tangents: tuple
) -> tuple[jax.Array, jax.Array]:
    """TensorFlow's rule: it divides by the elements, and takes 0 for what it cannot divide by."""
    (x,), (tangent,) = primals, tangents
    product = _cumprod(x, axis, exclusive, reverse)
    zero = x == 0
    ratio = jnp.where(zero, jnp.zeros_like(x), tangent / jnp.where(zero, jnp.ones_like(x), x))
    return product, product * _cumsum(ratio, axis, exclusive, reverse)


@op(
    "math.cumprod",
    kernel="Cumprod",
    host=functools.partial(_on_host, np.multiply),
    dtypes=NUMBERS,
)
def cumprod(
    x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> jax.Array:
    """Multiplies the elements along an axis, and keeps the products on the way.

    As in TensorFlow the gradient counts 0 for an element that is 0, which is not its derivative.
    Unlike TensorFlow, which forgets the conjugate, it is right for complex numbers.

    Args:
        x: a tensor of numbers.
        axis: along which axis.
        exclusive: leave out the element itself, so that the first product is 1.
        reverse: start at the end.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if there is no such axis, or if `x` is boolean.

    >>> tf.math.cumprod([2.0, 3.0, 4.0]).numpy()
    array([ 2.,  6., 24.], dtype=float32)
    """
    axis = _checked_axis(x, axis)
    if jnp.issubdtype(x.dtype, jnp.integer):
        x = _shifted(x, axis, reverse, 1) if exclusive else x
        return lax.cumprod(x, axis, reverse=reverse)
    return _cumprod(x, axis, exclusive, reverse)


@op("linalg.cross", kernel="Cross", dtypes=REALS, raw_op=True)
def cross(a: TensorLike, b: TensorLike) -> jax.Array:
    """Computes the cross product of vectors of three elements.

    Args:
        a: a tensor of real numbers of shape `[..., 3]`.
        b: a tensor of the same shape and dtype.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: if the shapes or dtypes differ.
        FailedPreconditionError: if the last axis is not of size 3.

    >>> tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).numpy()
    array([0., 0., 1.], dtype=float32)
    """
    if a.shape != b.shape:
        shapes = f"{shape_text(a.shape)} vs. {shape_text(b.shape)}"
        message = f"Both inputs must be of same shape: {shapes}"
        raise errors.InvalidArgumentError(None, None, message)
    if a.ndim == 0:
        raise errors.InvalidArgumentError(None, None, "Input must be at least 1D[]")
    if a.shape[-1] != 3:
        message = "Cross-products are only defined for 3-element vectors."
        raise errors.FailedPreconditionError(None, None, message)
    return jnp.cross(a, b)


@function("math.accumulate_n")
def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Any:
    """Adds any number of tensors of one shape, as `tf.math.add_n`, which TensorFlow prefers.

    Args:
        inputs: a list of tensors of numbers, of one shape and dtype.
        shape: their shape, if it should be checked.
        tensor_dtype: their dtype, if it should be checked.
        name: ignored.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        ValueError: if there is no tensor, or if dtypes or shapes differ.
        TypeError: if the dtype is not `tensor_dtype`.

    >>> tf.math.accumulate_n([tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])]).numpy()
    array([4., 6.], dtype=float32)
    """
    if not isinstance(inputs, list | tuple) or not inputs:
        raise ValueError(MESSAGE_LIST)
    tensors = [t if hasattr(t, "_type") else convert(t) for t in inputs]
    dtype = tensors[0].dtype
    if any(t.dtype is not dtype for t in tensors):
        raise ValueError(MESSAGE_LIST)
    merged = as_shape(shape)
    for t in tensors:
        merged = merged.merge_with(t.shape)
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) is not dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {tensor_dtype}, but `input` is of type {dtype}. "
            "These must be equal. Try casting the input to the desired type."
        )
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return tensors[0]
    return add_n(tensors)


@op("math.cumulative_logsumexp", kernel="CumulativeLogsumexp", dtypes=kernel_dtypes.FLOATS)
def cumulative_logsumexp(
    x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> jax.Array:
    """Computes the logarithm of the sum of the exponentials up to each element.

    Unlike TensorFlow, what comes after a nan is nan too.

    Args:
        x: a floating tensor of rank 1 or more.
        axis: the axis along which the sums are taken.
        exclusive: leave out the element itself; the first result is then -inf.
        reverse: sum from the end.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `axis` is out of range.

    >>> tf.math.cumulative_logsumexp([0.0, 0.0, 0.0]).numpy().round(4)
    array([0.    , 0.6931, 1.0986], dtype=float32)
    """
    rank = x.ndim
    axis = as_integer(axis)
    if not -rank <= axis < rank:
        low = f"-{rank}" if rank else "0"
        raise invalid(_no_scan_axis(low, rank, axis))
    axis %= rank
    if exclusive and x.shape[axis]:
        edge = jnp.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), -np.inf, x.dtype)
        inner = lax.slice_in_dim(x, 1 if reverse else 0, x.shape[axis] - (not reverse), axis=axis)
        x = jnp.concatenate([inner, edge] if reverse else [edge, inner], axis=axis)
    return lax.cumlogsumexp(x, axis=axis, reverse=bool(reverse))
