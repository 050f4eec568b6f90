"""Trigonometric and hyperbolic functions of each element, and their inverses."""

import jax
from jax import lax

from tapefacade._core import kernel_dtypes
from tapefacade._definition.op import TensorLike, op


@op(
    "math.sin",
    "sin",
    kernel="Sin",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
def sin(x: TensorLike) -> jax.Array:
    """Computes the sine of each element.

    Args:
        x: a floating or complex tensor, angles in radians.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.sin([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.8415], dtype=float32)
    """
    return lax.sin(x)


@op(
    "math.cos", "cos", kernel="Cos", dtypes=kernel_dtypes.FLOATS_COMPLEX, elementwise=1, raw_op=True
)
def cos(x: TensorLike) -> jax.Array:
    """Computes the cosine of each element.

    Args:
        x: a floating or complex tensor, angles in radians.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.cos([0.0, 1.0]).numpy().round(4)
    array([1.    , 0.5403], dtype=float32)
    """
    return lax.cos(x)


@op(
    "math.tan",
    "tan",
    kernel="Tan",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
def tan(x: TensorLike) -> jax.Array:
    """Computes the tangent of each element.

    Args:
        x: a floating or complex tensor, angles in radians.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.tan([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.5574], dtype=float32)
    """
    return lax.tan(x)


@op(
    "math.asin",
    "asin",
    kernel="Asin",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
def asin(x: TensorLike) -> jax.Array:
    """Computes the inverse sine of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`: NaN where a real `x` is outside of [-1, 1].

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.asin([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.5708], dtype=float32)
    """
    return lax.asin(x)


@op(
    "math.acos",
    "acos",
    kernel="Acos",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    raw_op=True,
)
def acos(x: TensorLike) -> jax.Array:
    """Computes the inverse cosine of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`: NaN where a real `x` is outside of [-1, 1].

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.acos([0.0, 1.0]).numpy().round(4)
    array([1.5708, 0.    ], dtype=float32)
    """
    return lax.acos(x)


@op(
    "math.atan",
    "atan",
    kernel="Atan",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
def atan(x: TensorLike) -> jax.Array:
    """Computes the inverse tangent of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.atan([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.7854], dtype=float32)
    """
    return lax.atan(x)


@op(
    "math.sinh",
    "sinh",
    kernel="Sinh",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    raw_op=True,
)
def sinh(x: TensorLike) -> jax.Array:
    """Computes the hyperbolic sine of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.sinh([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.1752], dtype=float32)
    """
    return lax.sinh(x)


@op(
    "math.cosh",
    "cosh",
    kernel="Cosh",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    raw_op=True,
)
def cosh(x: TensorLike) -> jax.Array:
    """Computes the hyperbolic cosine of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.cosh([0.0, 1.0]).numpy().round(4)
    array([1.    , 1.5431], dtype=float32)
    """
    return lax.cosh(x)


@op(
    "math.tanh",
    "tanh",
    "nn.tanh",
    kernel="Tanh",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
def tanh(x: TensorLike) -> jax.Array:
    """Computes the hyperbolic tangent of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.tanh([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.7616], dtype=float32)
    """
    return lax.tanh(x)


@op(
    "math.asinh",
    "asinh",
    kernel="Asinh",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
def asinh(x: TensorLike) -> jax.Array:
    """Computes the inverse hyperbolic sine of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.asinh([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.8814], dtype=float32)
    """
    return lax.asinh(x)


@jax.custom_jvp
def _acosh(x: jax.Array) -> jax.Array:
    return lax.acosh(x)


@_acosh.defjvp
def _acosh_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """Takes the derivative from the value: NaN where that is, and on the same branch."""
    (x,), (tangent,) = primals, tangents
    y = _acosh(x)
    return y, tangent / lax.sinh(y)


@op(
    "math.acosh",
    "acosh",
    kernel="Acosh",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    raw_op=True,
)
def acosh(x: TensorLike) -> jax.Array:
    """Computes the inverse hyperbolic cosine of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`: NaN where a real `x` is below 1.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.acosh([1.0, 2.0]).numpy().round(4)
    array([0.   , 1.317], dtype=float32)
    """
    return _acosh(x)


@jax.custom_jvp
def _atanh(x: jax.Array) -> jax.Array:
    return lax.atanh(x)


@_atanh.defjvp
def _atanh_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    return _atanh(x), tangent * lax.integer_pow(1 - lax.square(x), -1)


@op(
    "math.atanh",
    "atanh",
    kernel="Atanh",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    keeps_zeros=True,
    raw_op=True,
)
def atanh(x: TensorLike) -> jax.Array:
    """Computes the inverse hyperbolic tangent of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`: NaN where a real `x` is outside of [-1, 1].

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.atanh([0.0, 0.5]).numpy().round(4)
    array([0.    , 0.5493], dtype=float32)
    """
    return _atanh(x)
