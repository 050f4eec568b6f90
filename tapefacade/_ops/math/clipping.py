"""Limits for values and norms: `clip_by_value`, `clip_by_norm`, `clip_by_global_norm`."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core import kernel_dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.error_texts import incompatible_shapes, reduction_axis_out_of_range
from tapefacade._core.kernel_dtypes import FLOATS_HALF_FIRST, REALS
from tapefacade._core.tensor import Tensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._definition.argument_checks import check_broadcast, refuse_dtype
from tapefacade._definition.op import TensorLike, TensorList, function, op
from tapefacade._ops.array.casting import cast
from tapefacade._ops.math.arithmetic import (
    maximum,
    maximum_of_arrays,
    minimum,
    minimum_of_arrays,
    multiply,
)


def _check_same_shape(shape: tuple[int, ...], result: tuple[int, ...]) -> None:
    if shape != result:
        raise ValueError(incompatible_shapes(TensorShape(shape), TensorShape(result)))


@function("clip_by_value")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Limits each element to an interval.

    At its ends the gradient still goes to `t`, outside to the limit.

    Args:
        t: a floating or integer tensor.
        clip_value_min: the least value, a tensor of the same dtype that can be broadcast to `t`.
        clip_value_max: the largest value, likewise.
        name: ignored.

    Returns:
        A tensor of the shape and dtype of `t`.

    Raises:
        InvalidArgumentError: if the dtypes differ, or if the shapes do not fit.
        ValueError: if the result were larger than `t`.

    >>> tf.clip_by_value([-2.0, 0.5, 3.0], -1.0, 1.0).numpy()
    array([-1. ,  0.5,  1. ], dtype=float32)
    """
    if isinstance(t, CompositeTensor):
        values = clip_by_value(t._differentiated(), clip_value_min, clip_value_max)
        return t._with_gradient(values)
    t = t if hasattr(t, "_type") else convert(t)
    below = minimum(t, clip_value_max)
    _check_same_shape(t._type.shape, below._type.shape)
    result = maximum(below, clip_value_min)
    _check_same_shape(t._type.shape, result._type.shape)
    return result


@op("_clip_by_norm", kernel="Sqrt", dtypes=kernel_dtypes.FLOATS_COMPLEX)
def _clip_by_norm(t: TensorLike, clip_norm: TensorLike, axes: Any = None) -> jax.Array:
    """Scales a tensor down; see `clip_by_norm`."""
    refuse_dtype(t, "Greater", REALS)
    for axis in (axes,) if isinstance(axes, int) else axes or ():
        if not -t.ndim <= axis < t.ndim:
            raise reduction_axis_out_of_range(axis, t.ndim)
    limit = maximum_of_arrays(clip_norm, jnp.zeros_like(clip_norm))
    total = jnp.sum(t * t, axis=axes, keepdims=True)
    positive = total > 0
    norm = jnp.where(positive, jnp.sqrt(jnp.where(positive, total, jnp.ones_like(total))), total)
    _check_same_shape(t.shape, check_broadcast(t, limit))
    return t * limit / maximum_of_arrays(norm, limit)


@function("clip_by_norm")
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """Scales a tensor so that its Euclidean norm is at most `clip_norm`.

    Args:
        t: a floating tensor.
        clip_norm: the largest norm, a scalar. A negative one counts as 0.
        axes: the axes over which the norm is taken; all if None.
        name: ignored.

    Returns:
        A tensor of the shape and dtype of `t`.

    Raises:
        InvalidArgumentError: if `t` is no floating tensor, or has no such axis.

    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    if isinstance(t, CompositeTensor):
        return t._with_gradient(clip_by_norm(t._differentiated(), clip_norm, axes))
    if not hasattr(t, "_type"):
        t = convert(t)
    if hasattr(clip_norm, "_type"):
        clip_norm = cast(clip_norm, t.dtype)
    elif t.dtype.is_integer:
        clip_norm = int(clip_norm)  # the dtype of `t` is refused next
    return _clip_by_norm(t, clip_norm, axes)


@op("_global_norm", kernel="Pack", dtypes=FLOATS_HALF_FIRST)
def _global_norm(t_list: TensorList) -> jax.Array:
    """Computes the norm of several tensors; see `global_norm`."""
    halves = [jnp.sum(jnp.square(t)) / 2 for t in t_list]
    return jnp.sqrt(2 * jnp.sum(jnp.stack(halves)))


def _tensors(t_list: Any) -> list[Any]:
    """Converts the entries of a list that are not None."""
    if not isinstance(t_list, Sequence) or isinstance(t_list, str | Tensor):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    values = [t._differentiated() if isinstance(t, CompositeTensor) else t for t in t_list]
    return [t if t is None or hasattr(t, "_type") else convert(t) for t in values]


@function("linalg.global_norm")
def global_norm(t_list: Any, name: str | None = None) -> Any:
    """Computes the Euclidean norm of several tensors together.

    Args:
        t_list: a list of floating tensors of one dtype; None is left out.
        name: ignored.

    Returns:
        A scalar tensor. Its gradient is NaN if all elements are 0.

    Raises:
        TypeError: if `t_list` is no list or tuple.
        InvalidArgumentError: if the dtypes differ or are not floating.

    >>> tf.linalg.global_norm([tf.constant([3.0]), None, tf.constant(4.0)]).numpy()
    np.float32(5.0)
    """
    values = [t for t in _tensors(t_list) if t is not None]
    return _global_norm(values) if values else convert(0.0)


@op("_clipping_scale", kernel="RealDiv")
def _clipping_scale(use_norm: TensorLike, clip_norm: TensorLike) -> jax.Array:
    """Computes the factor of `clip_by_global_norm`, NaN if the norm is not finite."""
    inverses = jnp.ones_like(use_norm) / use_norm, jnp.ones_like(clip_norm) / clip_norm
    return clip_norm * minimum_of_arrays(*inverses) + (use_norm - use_norm)


@function("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """Scales several tensors so that their Euclidean norm together is at most `clip_norm`.

    Args:
        t_list: a list of floating tensors, of one dtype unless `use_norm` is given; None stays
            None.
        clip_norm: the largest norm, a scalar.
        use_norm: the norm of the tensors, if it is known.
        name: ignored.

    Returns:
        The list of the scaled tensors, all NaN if the norm is not finite, and the norm.

    Raises:
        TypeError: if `t_list` is no list or tuple.
        InvalidArgumentError: if the dtypes differ or are not floating.

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> [t.numpy() for t in clipped], norm.numpy()
    ([array([0.6], dtype=float32), array([0.8], dtype=float32)], np.float32(5.0))
    """
    values = _tensors(t_list)
    if use_norm is None:
        use_norm = global_norm(values)
    scale = _clipping_scale(use_norm, clip_norm)
    clipped = [t if t is None else multiply(t, _in_dtype_of(t, scale)) for t in values]
    for place, given in enumerate(t_list):
        if isinstance(given, CompositeTensor):
            clipped[place] = given._with_gradient(clipped[place])
    return clipped, use_norm


def _in_dtype_of(t: Any, scale: Any) -> Any:
    return scale if t.dtype == scale.dtype else cast(scale, t.dtype)
