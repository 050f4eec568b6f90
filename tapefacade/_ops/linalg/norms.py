"""Norms of vectors and matrices, and division by them."""

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tapefacade._core import kernel_dtypes
from tapefacade._core.error_texts import (
    inconvertible_argument,
    reduction_axis_out_of_range,
)
from tapefacade._definition.op import TensorLike, op

VECTOR_NORMS = ("euclidean", 1, 2, math.inf)
MATRIX_NORMS = ("euclidean", "fro", 1, 2, math.inf)


@op("linalg.norm", "norm", kernel="Sqrt", dtypes=kernel_dtypes.FLOATS_COMPLEX)
def norm(
    tensor: TensorLike, ord: Any = "euclidean", axis: Any = None, keepdims: bool | None = None
) -> jax.Array:
    """Computes the norm of vectors, matrices, or of all elements.

    The gradient of the Euclidean norm is nan where the norm is 0, as in TensorFlow.

    Args:
        tensor: a floating or complex tensor.
        ord: `"euclidean"`, 1, 2, `np.inf` or another positive number for vectors; `"fro"` (the
            same as `"euclidean"`), 1, 2 or `np.inf` for matrices.
        axis: the dimension of the vectors, a pair for matrices, or None for one vector of all
            elements.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        A tensor of the type of `tensor`; real where `tensor` is complex and `ord` is neither
        `"euclidean"` nor `"fro"`.

    Raises:
        ValueError: if there is no such norm, or `axis` has another form.
        InvalidArgumentError: if `tensor` has no such dimension.

    >>> tf.norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    """
    return _norm(tensor, ord, axis, bool(keepdims))


def _norm(tensor: jax.Array, ord: Any, axis: Any, keepdims: bool) -> jax.Array:
    matrices = isinstance(axis, tuple)
    if matrices and (len(axis) != 2 or axis[0] == axis[1]):
        raise ValueError(
            f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
        )
    _check_order(ord, matrices)
    axes = _positions(axis, tensor.ndim)
    if ord in ("euclidean", "fro") or (ord == 2 and not matrices):
        return _euclidean(tensor, axes, keepdims)
    if matrices:
        return _matrix_norm(tensor, ord, axes, keepdims)
    sizes = _absolute(tensor)
    if ord == 1:
        return jnp.sum(sizes, axes, keepdims=keepdims)
    if ord == math.inf:
        return jnp.max(sizes, axes, keepdims=keepdims, initial=-jnp.inf)
    power = jnp.asarray(ord, sizes.dtype)
    return jnp.sum(sizes**power, axes, keepdims=keepdims) ** (1 / power)


def _check_order(ord: Any, matrices: bool) -> None:
    if matrices:
        if ord not in MATRIX_NORMS:
            raise ValueError(
                "'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got "
                f"{ord}"
            )
    elif ord not in VECTOR_NORMS and (isinstance(ord, str) or ord <= 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")


def _positions(axis: Any, rank: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(rank))
    axes = axis if isinstance(axis, tuple) else (axis,)
    for number in axes:
        if not -rank <= number < rank:
            raise reduction_axis_out_of_range(number, rank)
    return tuple(number % rank for number in axes)


def _euclidean(tensor: jax.Array, axes: Sequence[int], keepdims: bool) -> jax.Array:
    return jnp.sqrt(jnp.sum(tensor * jnp.conj(tensor), axes, keepdims=keepdims))


def _matrix_norm(tensor: jax.Array, ord: Any, axes: Sequence[int], keepdims: bool) -> jax.Array:
    if ord == 2:
        values = jnp.linalg.svd(jnp.moveaxis(tensor, axes, (-2, -1)), compute_uv=False)
        largest = jnp.max(values, -1)
        return jnp.expand_dims(largest, sorted(axes)) if keepdims else largest
    summed, compared = axes if ord == 1 else axes[::-1]
    sums = jnp.sum(_absolute(tensor), summed, keepdims=True)
    largest = jnp.max(sums, compared, keepdims=True)
    return largest if keepdims else jnp.squeeze(largest, tuple(axes))


def _absolute(x: jax.Array) -> jax.Array:
    """Returns absolute values whose derivative at 0 is 0."""
    if jnp.iscomplexobj(x):
        return jnp.abs(x)
    return x * jnp.sign(x)


@op("linalg.normalize", kernel="Sqrt", dtypes=kernel_dtypes.FLOATS_COMPLEX)
def normalize(
    tensor: TensorLike, ord: Any = "euclidean", axis: Any = None
) -> tuple[jax.Array, jax.Array]:
    """Divides vectors, matrices or a whole tensor by their norms.

    Args:
        tensor: a floating or complex tensor.
        ord: the kind of norm, see `tf.norm`.
        axis: the dimension of the vectors, a pair for matrices, or None for all elements.

    Returns:
        The quotient, of the shape of `tensor`, and the norms, with reduced dimensions of size 1.

    Raises:
        ValueError: if there is no such norm, or `axis` has another form.

    >>> tf.linalg.normalize([3.0, 4.0])[0].numpy()
    array([0.6, 0.8], dtype=float32)
    """
    size = _norm(tensor, ord, axis, True).astype(tensor.dtype)
    return tensor / size, size


@op("math.l2_normalize", "linalg.l2_normalize", "nn.l2_normalize", kernel="Rsqrt")
def l2_normalize(
    x: TensorLike,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: None = None,
    dim: Any = None,
) -> jax.Array:
    """Divides vectors by their Euclidean norms.

    Args:
        x: a floating or complex tensor.
        axis: the dimension of the vectors, several dimensions, or None for all elements.
        epsilon: squares of norms below this number are replaced by it.
        name: ignored.
        dim: an old name of `axis`.

    Returns:
        A tensor of the shape and type of `x`.

    Raises:
        InvalidArgumentError: if `x` has no such dimension.
        TypeError: if `x` holds integers.

    >>> tf.math.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        raise inconvertible_argument(epsilon, str(x.dtype))
    axes = _positions(axis if dim is None else dim, x.ndim)
    squares = jnp.real(x * jnp.conj(x))
    total = jnp.sum(squares, axes, keepdims=True)
    # At a tie the derivative is that of the sum, as in TensorFlow; a nan stays.
    total = jnp.where(total < epsilon, jnp.asarray(epsilon, total.dtype), total)
    return x * lax.rsqrt(total).astype(x.dtype)
