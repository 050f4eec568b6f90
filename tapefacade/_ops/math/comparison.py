"""Comparisons and logic."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import errors
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import wrong_input
from tapefacade._core.gradient_rules import NOT_DIFFERENTIABLE
from tapefacade._core.kernel_dtypes import REALS
from tapefacade._definition.argument_checks import check_broadcast, refuse_dtype
from tapefacade._definition.op import (
    BoolLike,
    FreeTensor,
    IndexLike,
    NoGradient,
    TensorLike,
    function,
    op,
)


@op(
    "math.equal",
    "equal",
    kernel="Equal",
    gradient=NOT_DIFFERENTIABLE,
    host=np.equal,
    elementwise=2,
    moves=True,
)
def equal(x: TensorLike, y: TensorLike) -> jax.Array:
    """Tells where two elements are equal, as `x == y`.

    Args:
        x: a tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A boolean tensor of the common shape; NaN equals nothing.

    Raises:
        InvalidArgumentError: if the dtypes differ, or if the shapes do not fit.

    >>> tf.equal([1.0, 2.0], 2.0).numpy()
    array([False,  True])
    """
    check_broadcast(x, y)
    return jnp.equal(x, y)


@op(
    "math.not_equal",
    "not_equal",
    kernel="NotEqual",
    gradient=NOT_DIFFERENTIABLE,
    host=np.not_equal,
    elementwise=2,
    moves=True,
)
def not_equal(x: TensorLike, y: TensorLike) -> jax.Array:
    """Tells where two elements differ, as `x != y`.

    Args:
        x: a tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A boolean tensor of the common shape; NaN equals nothing.

    Raises:
        InvalidArgumentError: if the dtypes differ, or if the shapes do not fit.

    >>> tf.not_equal([1.0, 2.0], 2.0).numpy()
    array([ True, False])
    """
    check_broadcast(x, y)
    return jnp.not_equal(x, y)


@op(
    "math.less",
    "less",
    kernel="Less",
    dtypes=REALS,
    gradient=NOT_DIFFERENTIABLE,
    host=np.less,
    elementwise=2,
    raw_op=True,
)
def less(x: TensorLike, y: TensorLike) -> jax.Array:
    """Tells where `x` is less than `y`, as `x < y`.

    Args:
        x: a tensor of real numbers.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A boolean tensor of the common shape; False at NaN.

    Raises:
        InvalidArgumentError: if the dtypes differ or have no order, or if the shapes do not fit.

    >>> tf.less([1.0, 2.0], 2.0).numpy()
    array([ True, False])
    """
    check_broadcast(x, y)
    return jnp.less(x, y)


@op(
    "math.less_equal",
    "less_equal",
    kernel="LessEqual",
    dtypes=REALS,
    gradient=NOT_DIFFERENTIABLE,
    host=np.less_equal,
    elementwise=2,
    raw_op=True,
)
def less_equal(x: TensorLike, y: TensorLike) -> jax.Array:
    """Tells where `x` is at most `y`, as `x <= y`.

    Args:
        x: a tensor of real numbers.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A boolean tensor of the common shape; False at NaN.

    Raises:
        InvalidArgumentError: if the dtypes differ or have no order, or if the shapes do not fit.

    >>> tf.less_equal([1.0, 2.0], 2.0).numpy()
    array([ True,  True])
    """
    check_broadcast(x, y)
    return jnp.less_equal(x, y)


@op(
    "math.greater",
    "greater",
    kernel="Greater",
    dtypes=REALS,
    gradient=NOT_DIFFERENTIABLE,
    host=np.greater,
    elementwise=2,
    raw_op=True,
)
def greater(x: TensorLike, y: TensorLike) -> jax.Array:
    """Tells where `x` is greater than `y`, as `x > y`.

    Args:
        x: a tensor of real numbers.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A boolean tensor of the common shape; False at NaN.

    Raises:
        InvalidArgumentError: if the dtypes differ or have no order, or if the shapes do not fit.

    >>> tf.greater([1.0, 2.0], 2.0).numpy()
    array([False, False])
    """
    check_broadcast(x, y)
    return jnp.greater(x, y)


@op(
    "math.greater_equal",
    "greater_equal",
    kernel="GreaterEqual",
    dtypes=REALS,
    gradient=NOT_DIFFERENTIABLE,
    host=np.greater_equal,
    elementwise=2,
    raw_op=True,
)
def greater_equal(x: TensorLike, y: TensorLike) -> jax.Array:
    """Tells where `x` is at least `y`, as `x >= y`.

    Args:
        x: a tensor of real numbers.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A boolean tensor of the common shape; False at NaN.

    Raises:
        InvalidArgumentError: if the dtypes differ or have no order, or if the shapes do not fit.

    >>> tf.greater_equal([1.0, 2.0], 2.0).numpy()
    array([False,  True])
    """
    check_broadcast(x, y)
    return jnp.greater_equal(x, y)


@op(
    "math.logical_and",
    "logical_and",
    kernel="LogicalAnd",
    gradient=NOT_DIFFERENTIABLE,
    host=np.logical_and,
    elementwise=2,
    raw_op=True,
)
def logical_and(x: BoolLike, y: BoolLike) -> jax.Array:
    """Tells where both elements are true.

    Args:
        x: a boolean tensor.
        y: a boolean tensor that can be broadcast with `x`.

    Returns:
        A boolean tensor of the common shape.

    Raises:
        InvalidArgumentError: if an input is not boolean, or if the shapes do not fit.

    >>> tf.logical_and([True, False], True).numpy()
    array([ True, False])
    """
    check_broadcast(x, y)
    return jnp.logical_and(x, y)


@op(
    "math.logical_or",
    "logical_or",
    kernel="LogicalOr",
    gradient=NOT_DIFFERENTIABLE,
    host=np.logical_or,
    elementwise=2,
    raw_op=True,
)
def logical_or(x: BoolLike, y: BoolLike) -> jax.Array:
    """Tells where one of two elements is true, or both.

    Args:
        x: a boolean tensor.
        y: a boolean tensor that can be broadcast with `x`.

    Returns:
        A boolean tensor of the common shape.

    Raises:
        InvalidArgumentError: if an input is not boolean, or if the shapes do not fit.

    >>> tf.logical_or([True, False], True).numpy()
    array([ True,  True])
    """
    check_broadcast(x, y)
    return jnp.logical_or(x, y)


@op(
    "math.logical_xor",
    kernel="LogicalOr",
    gradient=NOT_DIFFERENTIABLE,
    host=np.logical_xor,
    elementwise=2,
)
def logical_xor(x: BoolLike, y: BoolLike) -> jax.Array:
    """Tells where exactly one of two elements is true.

    Args:
        x: a boolean tensor.
        y: a boolean tensor that can be broadcast with `x`.

    Returns:
        A boolean tensor of the common shape.

    Raises:
        InvalidArgumentError: if an input is not boolean, or if the shapes do not fit.

    >>> tf.math.logical_xor([True, False], True).numpy()
    array([False,  True])
    """
    check_broadcast(x, y)
    return jnp.logical_xor(x, y)


@op(
    "math.logical_not",
    "logical_not",
    kernel="LogicalNot",
    gradient=NOT_DIFFERENTIABLE,
    host=np.logical_not,
    elementwise=1,
    raw_op=True,
)
def logical_not(x: BoolLike) -> jax.Array:
    """Turns true into false and false into true.

    Args:
        x: a boolean tensor.

    Returns:
        A boolean tensor of the shape of `x`.

    Raises:
        InvalidArgumentError: if `x` is not boolean.

    >>> tf.logical_not([True, False]).numpy()
    array([False,  True])
    """
    return jnp.logical_not(x)


@op("math.in_top_k", "nn.in_top_k", kernel="InTopKV2", gradient=NoGradient("InTopKV2"))
def in_top_k(targets: IndexLike, predictions: FreeTensor, k: int) -> jax.Array:
    """Tells whether the prediction for the target class is among the `k` largest of its row.

    Args:
        targets: the classes, an integer tensor of shape `[batch]`.
        predictions: a float32 tensor of shape `[batch, classes]`.
        k: how many of the largest predictions count; equal ones all do.

    Returns:
        A boolean tensor of shape `[batch]`: False where a prediction is not finite or the target
        is no class.

    Raises:
        InvalidArgumentError: if the shapes or the dtype are others.

    >>> tf.math.in_top_k([1, 2], [[0.1, 0.6, 0.3], [0.5, 0.4, 0.1]], k=2).numpy()
    array([ True, False])
    """
    _check_in_top_k(targets, predictions)
    classes = predictions.shape[1]
    if classes == 0:
        return jnp.zeros(targets.shape, bool)
    inside = (targets >= 0) & (targets < classes)
    places = jnp.where(inside, targets, jnp.zeros_like(targets))
    chosen = jnp.take_along_axis(predictions, places[:, None], axis=1)
    better = jnp.sum(predictions > chosen, axis=1)
    return inside & jnp.all(jnp.isfinite(predictions), axis=1) & (better < k)


def _check_in_top_k(targets: jax.Array, predictions: jax.Array) -> None:
    message = ""
    if predictions.dtype != np.float32:
        name = "double" if predictions.dtype == np.float64 else predictions.dtype.name
        message = wrong_input("InTopKV2", 0, "float", name)
    elif predictions.ndim != 2:
        message = "predictions must be 2-dimensional"
    elif targets.ndim != 1:
        message = "targets must be 1-dimensional"
    elif predictions.shape[0] != targets.shape[0]:
        message = (
            f"First dimension of predictions {predictions.shape[0]} must match length of targets "
            f"{targets.shape[0]}"
        )
    if message:
        raise errors.InvalidArgumentError(None, None, message)


@op("_is_non_decreasing", gradient=NOT_DIFFERENTIABLE)
def _is_non_decreasing(x: TensorLike) -> jax.Array:
    """Tells whether no element is less than the one before; see `is_non_decreasing`."""
    refuse_dtype(x, "GreaterEqual", REALS)
    return jnp.all(x.ravel()[1:] >= x.ravel()[:-1])


@op("_is_strictly_increasing", gradient=NOT_DIFFERENTIABLE)
def _is_strictly_increasing(x: TensorLike) -> jax.Array:
    """Tells whether every element is greater than the one before."""
    refuse_dtype(x, "Greater", REALS)
    return jnp.all(x.ravel()[1:] > x.ravel()[:-1])


def _numeric(x: Any) -> Any:
    x = x if hasattr(x, "_type") else convert(x)
    if x.dtype.is_bool:
        raise TypeError(f"Expected x to be numeric, instead found: {x!s}")
    return x


@function("math.is_non_decreasing")
def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    """Tells whether no element is less than the one before it, row by row.

    Args:
        x: a tensor of real numbers.
        name: ignored.

    Returns:
        A boolean scalar, true if there are fewer than two elements.

    Raises:
        TypeError: if `x` is boolean.

    >>> tf.math.is_non_decreasing([1.0, 1.0, 2.0]).numpy()
    np.True_
    """
    return _is_non_decreasing(_numeric(x))


@function("math.is_strictly_increasing")
def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    """Tells whether every element is greater than the one before it, row by row.

    Args:
        x: a tensor of real numbers.
        name: ignored.

    Returns:
        A boolean scalar, true if there are fewer than two elements.

    Raises:
        TypeError: if `x` is boolean.

    >>> tf.math.is_strictly_increasing([1.0, 1.0, 2.0]).numpy()
    np.False_
    """
    return _is_strictly_increasing(_numeric(x))
