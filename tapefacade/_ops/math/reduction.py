"""Reductions: sums, products, extremes and norms over axes, and the share of zeros."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import kernel_dtypes
from tapefacade._core.error_texts import (
    reduction_axis_out_of_range,
    reduction_axis_twice,
    refused_type,
)
from tapefacade._core.kernel_dtypes import NUMBERS, REALS_QUANTIZED
from tapefacade._definition.argument_checks import Axis, as_axes
from tapefacade._definition.op import BoolLike, FreeTensor, NotDifferentiable, TensorLike, op


def reduced_axes(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """Returns the axes to reduce, counted from the front, or refuses them."""
    rank = len(shape)
    found: list[int] = []
    if isinstance(axis, str):
        raise refused_type("Tidx", "string", kernel_dtypes.INDICES)
    for a in as_axes(axis, rank):
        if not -rank <= a < rank:
            raise reduction_axis_out_of_range(a, rank)
        if a % rank in found:
            raise reduction_axis_twice(a % rank)
        found.append(a % rank)
    return tuple(found)


def element_count(shape: tuple[int, ...], axes: tuple[int, ...]) -> int:
    """Returns how many elements go into each result."""
    count = 1
    for a in axes:
        count *= shape[a]
    return count


def _reduce(xp: Any, name: str, input_tensor: Any, axis: Any, keepdims: Any) -> Any:
    """Reduces with `xp.<name>`, NumPy's or JAX's, keeping the dtype."""
    axes = reduced_axes(input_tensor.shape, axis)
    more: dict[str, Any] = {}
    if name in ("sum", "prod"):
        more["dtype"] = input_tensor.dtype
    elif name in ("max", "min") and element_count(input_tensor.shape, axes) == 0:
        more["initial"] = _neutral(name, input_tensor.dtype)
    return getattr(xp, name)(input_tensor, axis=axes, keepdims=bool(keepdims), **more)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 2, 3))
def _extreme(name: str, x: jax.Array, axes: tuple[int, ...], keepdims: bool) -> jax.Array:
    return _reduce(jnp, name, x, axes, keepdims)


@_extreme.defjvp
def _extreme_jvp(
    name: str, axes: tuple[int, ...], keepdims: bool, primals: Any, tangents: Any
) -> Any:
    """Shares the derivative evenly among equal elements; it is nan if none equals the result."""
    (x,), (tangent,) = primals, tangents
    result = _extreme(name, x, axes, True)
    chosen = (x == result).astype(x.dtype)
    number = jnp.sum(chosen, axis=axes, keepdims=True)
    # XLA on the CPU makes 0 of 0 / 0 here.
    share = jnp.where(number == 0, jnp.full_like(number, np.nan), chosen / number)
    change = jnp.sum(tangent * share, axis=axes, keepdims=keepdims)
    return result if keepdims else jnp.squeeze(result, axes), change


@jax.custom_jvp
def single_factor(x: jax.Array) -> jax.Array:
    """Returns a product of one factor, whose second derivative is zeros as in TensorFlow."""
    return x


@single_factor.defjvp
def _single_jvp(primals: Any, tangents: Any) -> Any:
    # The sign lets the derivative depend on `x`, so that its derivative is not None.
    (x,), (tangent,) = primals, tangents
    return x, tangent * (1 + 0 * jnp.sign(x))


def _neutral(name: str, dtype: np.dtype) -> np.ndarray:
    """Returns the result of an extreme over nothing."""
    if jnp.issubdtype(dtype, jnp.floating):
        return np.array(-np.inf if name == "max" else np.inf, dtype)
    limits = jnp.iinfo(dtype)
    return np.array(limits.min if name == "max" else limits.max, dtype)


def _host(name: str) -> Any:
    def host(input_tensor: Any, axis: Any = None, keepdims: Any = False) -> Any:
        return _reduce(np, name, input_tensor, axis, keepdims)

    return host


@op("math.reduce_sum", "reduce_sum", kernel="Sum", dtypes=NUMBERS, host=_host("sum"))
def reduce_sum(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False) -> jax.Array:
    """Computes the sum of the elements over the dimensions in `axis`.

    Args:
        input_tensor: a numeric tensor of any shape.
        axis: the dimensions to reduce; None reduces all of them.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        A tensor of the dtype of `input_tensor`; integers wrap around. The sum of nothing is 0.

    Raises:
        InvalidArgumentError: if `axis` is out of range or repeats, or the tensor is boolean.

    >>> tf.reduce_sum([[1, 2], [3, 4]], axis=1).numpy()
    array([3, 7], dtype=int32)
    """
    return _reduce(jnp, "sum", input_tensor, axis, keepdims)


@op("math.reduce_mean", "reduce_mean", kernel="Mean", dtypes=NUMBERS)
def reduce_mean(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False) -> jax.Array:
    """Computes the mean of the elements over the dimensions in `axis`.

    Args:
        input_tensor: a numeric tensor of any shape.
        axis: the dimensions to reduce; None reduces all of them.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        A tensor of the dtype of `input_tensor`. The mean of integers is an integer too: the
        quotient is rounded towards zero. The mean of no numbers is nan (of integers: 0).

    Raises:
        InvalidArgumentError: if `axis` is out of range or repeats, or the tensor is boolean.

    >>> tf.reduce_mean([1.0, 2.0]).numpy(), tf.reduce_mean([1, 2]).numpy()
    (np.float32(1.5), np.int32(1))
    """
    axes = reduced_axes(input_tensor.shape, axis)
    dtype = input_tensor.dtype
    if not jnp.issubdtype(dtype, jnp.integer):
        return jnp.mean(input_tensor, axis=axes, keepdims=bool(keepdims))
    wide = np.dtype(np.uint64 if jnp.issubdtype(dtype, jnp.unsignedinteger) else np.int64)
    count = element_count(input_tensor.shape, axes)
    total = jnp.sum(input_tensor.astype(wide), axis=axes, keepdims=bool(keepdims))
    return lax.div(total, jnp.full_like(total, max(count, 1))).astype(dtype)


@op("math.reduce_max", "reduce_max", kernel="Max", dtypes=REALS_QUANTIZED, host=_host("max"))
def reduce_max(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False) -> jax.Array:
    """Computes the maximum of the elements over the dimensions in `axis`.

    The gradient is shared evenly among elements that are equally large.

    Args:
        input_tensor: a real tensor of any shape.
        axis: the dimensions to reduce; None reduces all of them.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        A tensor of the dtype of `input_tensor`; nan where one of the elements is nan. The maximum
        of nothing is the smallest value of the dtype.

    Raises:
        InvalidArgumentError: if `axis` is out of range or repeats, or the tensor is boolean or
            complex.

    >>> tf.reduce_max([[1.0, 5.0], [3.0, 4.0]], axis=0).numpy()
    array([3., 5.], dtype=float32)
    """
    axes = reduced_axes(input_tensor.shape, axis)
    return _extreme("max", input_tensor, axes, bool(keepdims))


@op("math.reduce_min", "reduce_min", kernel="Min", dtypes=REALS_QUANTIZED, host=_host("min"))
def reduce_min(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False) -> jax.Array:
    """Computes the minimum of the elements over the dimensions in `axis`.

    The gradient is shared evenly among elements that are equally small.

    Args:
        input_tensor: a real tensor of any shape.
        axis: the dimensions to reduce; None reduces all of them.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        A tensor of the dtype of `input_tensor`; nan where one of the elements is nan. The minimum
        of nothing is the largest value of the dtype.

    Raises:
        InvalidArgumentError: if `axis` is out of range or repeats, or the tensor is boolean or
            complex.

    >>> tf.reduce_min([[1.0, 5.0], [3.0, 4.0]], axis=0).numpy()
    array([1., 4.], dtype=float32)
    """
    axes = reduced_axes(input_tensor.shape, axis)
    return _extreme("min", input_tensor, axes, bool(keepdims))


@op("math.reduce_prod", "reduce_prod", kernel="Prod", dtypes=NUMBERS, host=_host("prod"))
def reduce_prod(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False) -> jax.Array:
    """Computes the product of the elements over the dimensions in `axis`.

    Beyond TensorFlow, the second derivative is right where a factor is 0.

    Args:
        input_tensor: a numeric tensor of any shape.
        axis: the dimensions to reduce; None reduces all of them.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        A tensor of the dtype of `input_tensor`. The product of nothing is 1.

    Raises:
        InvalidArgumentError: if `axis` is out of range or repeats, or the tensor is boolean.

    >>> tf.reduce_prod([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([3., 8.], dtype=float32)
    """
    axes = reduced_axes(input_tensor.shape, axis)
    if element_count(input_tensor.shape, axes) <= 1:
        input_tensor = single_factor(input_tensor)
    return _reduce(jnp, "prod", input_tensor, axes, keepdims)


@op("math.reduce_any", "reduce_any", kernel="Any", host=_host("any"))
def reduce_any(input_tensor: BoolLike, axis: Axis = None, keepdims: bool = False) -> jax.Array:
    """Tells whether any element is true over the dimensions in `axis`.

    Args:
        input_tensor: a boolean tensor of any shape.
        axis: the dimensions to reduce; None reduces all of them.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        A boolean tensor; False for no elements.

    Raises:
        InvalidArgumentError: if `axis` is out of range or repeats, or the tensor is not boolean.

    >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy()
    array([ True, False])
    """
    return _reduce(jnp, "any", input_tensor, axis, keepdims)


@op("math.reduce_all", "reduce_all", kernel="All", host=_host("all"))
def reduce_all(input_tensor: BoolLike, axis: Axis = None, keepdims: bool = False) -> jax.Array:
    """Tells whether all elements are true over the dimensions in `axis`.

    Args:
        input_tensor: a boolean tensor of any shape.
        axis: the dimensions to reduce; None reduces all of them.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        A boolean tensor; True for no elements.

    Raises:
        InvalidArgumentError: if `axis` is out of range or repeats, or the tensor is not boolean.

    >>> tf.reduce_all([[True, False], [True, True]], axis=1).numpy()
    array([False,  True])
    """
    return _reduce(jnp, "all", input_tensor, axis, keepdims)


@op("math.reduce_logsumexp", "reduce_logsumexp", kernel="IsFinite", dtypes=kernel_dtypes.FLOATS)
def reduce_logsumexp(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False
) -> jax.Array:
    r"""Computes $\log \sum_i \exp x_i$ over the dimensions in `axis`, without overflow.

    Args:
        input_tensor: a floating tensor of any shape.
        axis: the dimensions to reduce; None reduces all of them.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        A tensor of the dtype of `input_tensor`; -inf for no elements.

    Raises:
        InvalidArgumentError: if `axis` is out of range or repeats, or the tensor is not floating.

    >>> tf.reduce_logsumexp([0.0, 0.0]).numpy().round(4)
    np.float32(0.6931)
    """
    axes = reduced_axes(input_tensor.shape, axis)
    largest = lax.stop_gradient(_reduce(jnp, "max", input_tensor, axis, True))
    largest = jnp.where(jnp.isfinite(largest), largest, jnp.zeros_like(largest))
    total = jnp.sum(jnp.exp(input_tensor - largest), axis=axes, keepdims=bool(keepdims))
    return jnp.log(total) + (largest if keepdims else jnp.squeeze(largest, axes))


def _variance(input_tensor: jax.Array, axis: Any, keepdims: Any) -> jax.Array:
    dtype = input_tensor.dtype
    axes = reduced_axes(input_tensor.shape, axis)
    if jnp.issubdtype(dtype, jnp.integer):
        raise TypeError(
            f"Input must be either real or complex. Received integer type <dtype: '{dtype}'>."
        )
    deviation = input_tensor - jnp.mean(input_tensor, axis=axes, keepdims=True)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        squared = jnp.real(jnp.conj(deviation) * deviation)
    else:
        squared = jnp.square(deviation)
    return jnp.mean(squared, axis=axes, keepdims=bool(keepdims))


@op("math.reduce_variance", kernel="Mean", dtypes=NUMBERS)
def reduce_variance(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False
) -> jax.Array:
    """Computes the variance of the elements, the mean of the squared deviations from the mean.

    Args:
        input_tensor: a floating or complex tensor of any shape.
        axis: the dimensions to reduce; None reduces all of them.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        A tensor of the dtype of `input_tensor`; a real one for complex numbers.

    Raises:
        TypeError: if the tensor has an integer dtype.
        InvalidArgumentError: if `axis` is out of range or repeats.

    >>> tf.math.reduce_variance([1.0, 3.0]).numpy()
    np.float32(1.0)
    """
    return _variance(input_tensor, axis, keepdims)


@op("math.reduce_std", kernel="Mean", dtypes=NUMBERS)
def reduce_std(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False) -> jax.Array:
    """Computes the standard deviation of the elements, the square root of the variance.

    The gradient is nan where all elements are equal, as in TensorFlow.

    Args:
        input_tensor: a floating or complex tensor of any shape.
        axis: the dimensions to reduce; None reduces all of them.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        A tensor of the dtype of `input_tensor`; a real one for complex numbers.

    Raises:
        TypeError: if the tensor has an integer dtype.
        InvalidArgumentError: if `axis` is out of range or repeats.

    >>> tf.math.reduce_std([1.0, 3.0]).numpy()
    np.float32(1.0)
    """
    return jnp.sqrt(_variance(input_tensor, axis, keepdims))


@op("math.reduce_euclidean_norm", kernel="EuclideanNorm", dtypes=NUMBERS)
def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False
) -> jax.Array:
    """Computes the Euclidean norm of the elements over the dimensions in `axis`.

    The gradient is nan where the norm is 0, as in TensorFlow.

    Args:
        input_tensor: a numeric tensor of any shape.
        axis: the dimensions to reduce; None reduces all of them.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        A tensor of the dtype of `input_tensor`; the norm of integers is rounded
        down, and their squares wrap around.

    Raises:
        InvalidArgumentError: if `axis` is out of range or repeats, or the tensor is boolean.

    >>> tf.math.reduce_euclidean_norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    """
    axes = reduced_axes(input_tensor.shape, axis)
    dtype = input_tensor.dtype
    total = functools.partial(jnp.sum, axis=axes, keepdims=bool(keepdims))
    if jnp.issubdtype(dtype, jnp.integer):
        squares = total(jnp.square(input_tensor), dtype=dtype)
        return jnp.sqrt(squares.astype(np.float64)).astype(dtype)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        squared = jnp.real(jnp.conj(input_tensor) * input_tensor)
        return jnp.sqrt(total(squared)).astype(dtype)
    return jnp.sqrt(total(jnp.square(input_tensor)))


@op("math.zero_fraction", "nn.zero_fraction", gradient=NotDifferentiable())
def zero_fraction(value: FreeTensor) -> jax.Array:
    """Computes the share of the elements that are 0.

    Args:
        value: a tensor.

    Returns:
        A float32 scalar; nan if `value` is empty.

    >>> tf.math.zero_fraction([0, 1, 2, 3]).numpy()
    np.float32(0.25)
    """
    zeros = jnp.sum(value == jnp.zeros((), value.dtype), dtype=np.int64)
    return zeros.astype(np.float32) / jnp.asarray(value.size, np.float32)
