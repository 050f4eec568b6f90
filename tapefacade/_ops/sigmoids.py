"""S-shaped functions of each element and their integrals."""

import jax
import jax.numpy as jnp
from jax import lax

from tapefacade._ops import kinds
from tapefacade._ops.op import TensorLike, op

FLOATS = ("half", "bfloat16", "float", "double")


@op("math.sigmoid", "sigmoid", "nn.sigmoid", kernel="Sigmoid", dtypes=kinds.FLOATS_COMPLEX)
def sigmoid(x: TensorLike) -> jax.Array:
    """Computes `1 / (1 + exp(-x))` of each element.

    Args:
        x: a floating or complex tensor.

    Returns:
        A tensor of the shape and dtype of `x`, between 0 and 1 if `x` is real.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor.

    >>> tf.sigmoid([0.0, 2.0]).numpy().round(4)
    array([0.5   , 0.8808], dtype=float32)
    """
    return lax.logistic(x)


@jax.custom_jvp
def _softplus(x: jax.Array) -> jax.Array:
    return lax.max(x, jnp.zeros_like(x)) + lax.log1p(lax.exp(-lax.abs(x)))


@_softplus.defjvp
def _softplus_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    return _softplus(x), tangent * lax.logistic(x)


@op("math.softplus", "nn.softplus", kernel="Softplus", dtypes=FLOATS)
def softplus(features: TensorLike) -> jax.Array:
    """Computes `log(1 + exp(x))` of each element, also where that would overflow.

    Args:
        features: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `features`. Its derivative is the sigmoid.

    Raises:
        InvalidArgumentError: if `features` is no floating tensor.

    >>> tf.nn.softplus([0.0, 100.0]).numpy().round(4)
    array([  0.6931, 100.    ], dtype=float32)
    """
    return _softplus(features)


@op("math.log_sigmoid", kernel="Softplus", dtypes=FLOATS)
def log_sigmoid(x: TensorLike) -> jax.Array:
    """Computes the logarithm of the sigmoid of each element, also where that is tiny.

    Args:
        x: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is no floating tensor.

    >>> tf.math.log_sigmoid([0.0, -100.0]).numpy().round(4)
    array([  -0.6931, -100.    ], dtype=float32)
    """
    return -_softplus(-x)


@jax.custom_jvp
def _softsign(x: jax.Array) -> jax.Array:
    return x / (1 + lax.abs(x))


@_softsign.defjvp
def _softsign_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    return _softsign(x), tangent / lax.square(1 + lax.abs(x))


@op("math.softsign", "nn.softsign", kernel="Softsign", dtypes=FLOATS)
def softsign(features: TensorLike) -> jax.Array:
    """Computes `x / (1 + abs(x))` of each element.

    Unlike TensorFlow, which raises a LookupError, there is a second derivative.

    Args:
        features: a floating tensor.

    Returns:
        A tensor of the shape and dtype of `features`, between -1 and 1.

    Raises:
        InvalidArgumentError: if `features` is no floating tensor.

    >>> tf.nn.softsign([-1.0, 3.0]).numpy()
    array([-0.5 ,  0.75], dtype=float32)
    """
    return _softsign(features)
