"""Activation functions of neural networks, and their gradients as ops."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import errors, kernel_dtypes
from tapefacade._core.dtypes import as_dtype
from tapefacade._core.error_texts import invalid, refused_by_kernel, shape_text
from tapefacade._core.kernel_dtypes import (
    FLOATS_COMPLEX,
    FLOATS_HALF_FIRST,
    FLOATS_SIGNED_COMPLEX,
    INTEGERS,
    REALS,
)
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import FreeTensor, TensorLike, function, op

RELU = (*REALS, "qint8")
LEAKY_DTYPES = (*FLOATS_HALF_FIRST, *INTEGERS)
SELU_SCALE = 1.0507009873554804934193349852946
SELU_ALPHA = 1.6732632423543772848170429916717


@jax.custom_jvp
def endless_zeros(x: jax.Array) -> jax.Array:
    """Returns zeros whose derivatives of every order are zeros that depend on `x`, not None."""
    return jnp.zeros_like(x)


@endless_zeros.defjvp
def _endless_zeros_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    zeros = endless_zeros(x)
    return zeros, tangent * zeros


@jax.custom_jvp
def endless_ones(x: jax.Array) -> jax.Array:
    """Returns ones whose derivatives of every order are zeros that depend on `x`, not None."""
    return jnp.ones_like(x)


@endless_ones.defjvp
def _endless_ones_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    return endless_ones(x), tangent * endless_zeros(x)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _step(y: jax.Array, ceiling: float | None) -> jax.Array:
    """Returns 1 where `y` lies between 0 and `ceiling`, if there is one, else 0 (also for nan).

    By its sign, which depends on `y`: in loops JAX forgets the rule below, but not this.
    """
    inside = y > 0 if ceiling is None else (y > 0) & (y < ceiling)
    return jnp.where(inside, jnp.sign(y), jnp.zeros((), y.dtype))


@_step.defjvp
def _step_jvp(
    ceiling: float | None, primals: tuple, tangents: tuple
) -> tuple[jax.Array, jax.Array]:
    (y,), (tangent,) = primals, tangents
    return _step(y, ceiling), tangent * endless_zeros(y)


@jax.custom_jvp
def _relu(x: jax.Array) -> jax.Array:
    return jnp.maximum(x, jnp.zeros((), x.dtype))


@_relu.defjvp
def _relu_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """Multiplies with 0 or 1, which depend on `x`: higher derivatives are zeros, not None."""
    (x,), (tangent,) = primals, tangents
    y = _relu(x)
    return y, tangent * _step(y, None)


@op("nn.relu", kernel="Relu", dtypes=RELU, elementwise=1, raw_op=True)
def relu(features: TensorLike) -> jax.Array:
    """Replaces negative elements by 0.

    The derivative at 0 is 0.

    Args:
        features: a real tensor.

    Returns:
        A tensor of the shape and type of `features`.

    Raises:
        InvalidArgumentError: if `features` is complex or boolean.

    >>> tf.nn.relu([-1.0, 2.0]).numpy()
    array([0., 2.], dtype=float32)
    """
    return _relu(features)


@jax.custom_jvp
def _relu6(x: jax.Array) -> jax.Array:
    return jnp.minimum(jnp.maximum(x, jnp.zeros((), x.dtype)), jnp.asarray(6, x.dtype))


@_relu6.defjvp
def _relu6_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    y = _relu6(x)
    return y, tangent * _step(y, 6.0)


@op("nn.relu6", kernel="Relu6", dtypes=REALS, elementwise=1, raw_op=True)
def relu6(features: TensorLike) -> jax.Array:
    """Replaces elements below 0 by 0 and those above 6 by 6.

    The derivative at 0 and 6 is 0.

    Args:
        features: a real tensor.

    Returns:
        A tensor of the shape and type of `features`.

    Raises:
        InvalidArgumentError: if `features` is complex or boolean.

    >>> tf.nn.relu6([-1.0, 2.0, 8.0]).numpy()
    array([0., 2., 6.], dtype=float32)
    """
    return _relu6(features)


@op("nn.crelu", kernel="ConcatV2", dtypes=FLOATS_SIGNED_COMPLEX)
def crelu(features: TensorLike, axis: int = -1) -> jax.Array:
    """Concatenates the positive parts of `features` and of `-features`.

    Args:
        features: a real, signed tensor.
        axis: the dimension along which to concatenate.

    Returns:
        A tensor of the type of `features`, twice as long along `axis`.

    Raises:
        InvalidArgumentError: if `features` has no such dimension, or an unsuitable type.

    >>> tf.nn.crelu([-1.0, 2.0]).numpy()
    array([0., 2., 1., 0.], dtype=float32)
    """
    rank = features.ndim
    if not -rank <= axis < rank:
        raise invalid(
            "ConcatOp : Expected concatenating dimensions in the range "
            f"[{-rank}, {rank}), but got {axis}",
        )
    return _relu(jnp.concatenate([features, -features], axis))


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _leaky_relu(x: jax.Array, alpha: float) -> jax.Array:
    return jnp.where(x > 0, x, _slope(x, alpha) * x)


@_leaky_relu.defjvp
def _leaky_relu_jvp(alpha: float, primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    slope = jnp.where(x > 0, jnp.sign(x), _slope(x, alpha))
    return _leaky_relu(x, alpha), tangent * slope


def _slope(x: jax.Array, alpha: float) -> jax.Array:
    """Rounds to single precision first, as TensorFlow does."""
    return jnp.asarray(np.float32(alpha), x.dtype)


@op("nn.leaky_relu", kernel="LeakyRelu", dtypes=LEAKY_DTYPES, elementwise=1, raw_op=True)
def leaky_relu(features: TensorLike, alpha: float = 0.2) -> jax.Array:
    """Multiplies negative elements with `alpha`.

    The derivative at 0 is `alpha`.

    Args:
        features: a real tensor.
        alpha: the slope for negative elements, a Python number.

    Returns:
        A tensor of the shape and type of `features`, float32 if it holds integers.

    Raises:
        InvalidArgumentError: if `features` is complex or boolean.

    >>> tf.nn.leaky_relu([-1.0, 2.0], alpha=0.5).numpy()
    array([-0.5,  2. ], dtype=float32)
    """
    if jnp.issubdtype(features.dtype, jnp.integer):
        features = features.astype(np.float32)
    return _leaky_relu(features, alpha)


@jax.custom_jvp
def _elu(x: jax.Array) -> jax.Array:
    return jnp.where(x < 0, jnp.expm1(x), x)


@_elu.defjvp
def _elu_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    y = _elu(x)
    one = jnp.ones((), x.dtype)
    return y, tangent * jnp.where(y < 0, y + one, one)


@op("nn.elu", kernel="Elu", dtypes=FLOATS_HALF_FIRST, elementwise=1, raw_op=True)
def elu(features: TensorLike) -> jax.Array:
    """Replaces negative elements x by exp(x) - 1.

    Args:
        features: a floating tensor.

    Returns:
        A tensor of the shape and type of `features`.

    Raises:
        InvalidArgumentError: if `features` is not floating.

    >>> tf.nn.elu([-1.0, 2.0]).numpy().round(4)
    array([-0.6321,  2.    ], dtype=float32)
    """
    return _elu(features)


@jax.custom_jvp
def _selu(x: jax.Array) -> jax.Array:
    scale = jnp.asarray(SELU_SCALE, x.dtype)
    steepness = jnp.asarray(SELU_SCALE * SELU_ALPHA, x.dtype)
    return jnp.where(x < 0, steepness * jnp.expm1(x), scale * x)


@_selu.defjvp
def _selu_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    y = _selu(x)
    scale = jnp.asarray(SELU_SCALE, x.dtype)
    steepness = jnp.asarray(SELU_SCALE * SELU_ALPHA, x.dtype)
    return y, tangent * jnp.where(y < 0, y + steepness, scale)


@op("nn.selu", kernel="Selu", dtypes=FLOATS_HALF_FIRST, elementwise=1, raw_op=True)
def selu(features: TensorLike) -> jax.Array:
    """Computes the scaled exponential linear unit, which keeps mean 0 and variance 1.

    Args:
        features: a floating tensor.

    Returns:
        A tensor of the shape and type of `features`.

    Raises:
        InvalidArgumentError: if `features` is not floating.

    >>> tf.nn.selu([-1.0, 2.0]).numpy().round(4)
    array([-1.1113,  2.1014], dtype=float32)
    """
    return _selu(features)


@op("nn.gelu", kernel="Mul", elementwise=1)
def gelu(features: TensorLike, approximate: bool = False) -> jax.Array:
    """Multiplies each element with the probability that a standard normal number lies below it.

    Args:
        features: a floating tensor.
        approximate: use an approximation by tanh.

    Returns:
        A tensor of the shape and type of `features`.

    Raises:
        ValueError: if `features` is not floating.

    >>> tf.nn.gelu([-1.0, 2.0]).numpy().round(4)
    array([-0.1587,  1.9545], dtype=float32)
    """
    if not jnp.issubdtype(features.dtype, jnp.floating):
        raise ValueError(
            "`features.dtype` must be a floating point tensor.Received:features.dtype="
            f"{as_dtype(features.dtype)}"
        )
    half, one = (jnp.asarray(x, features.dtype) for x in (0.5, 1))
    if approximate:
        root, cubic = (jnp.asarray(x, features.dtype) for x in (0.7978845608028654, 0.044715))
        bent = features + cubic * features**3
        return half * features * (one + jnp.tanh(root * bent))
    root = jnp.asarray(1.4142135623730951, features.dtype)
    return half * features * (one + lax.erf(features / root))


@function("nn.silu", "nn.swish", dispatch=True, elementwise=1)
def silu(features: TensorLike, beta: FreeTensor = 1.0) -> EagerTensor:
    """Computes `features * sigmoid(beta * features)`.

    Unlike TensorFlow, the gradient of a complex tensor is conjugated, as that of every function.

    Args:
        features: a floating or complex tensor.
        beta: a number, or a tensor that broadcasts to `features`.

    Returns:
        A tensor of the shape and type of `features`.

    Raises:
        InvalidArgumentError: if `features` is not floating or complex.

    >>> tf.nn.silu([-1.0, 2.0]).numpy().round(4)
    array([-0.2689,  1.7616], dtype=float32)
    """
    if type(beta) is float and beta == 1:
        return _silu(features)
    return _swish(features, beta)


@op("_silu", kernel="Sigmoid", dtypes=FLOATS_COMPLEX)
def _silu(features: TensorLike) -> jax.Array:
    """Computes `tf.nn.silu` with beta 1."""
    return features * lax.logistic(features)


@op("_swish", kernel="Sigmoid", dtypes=FLOATS_COMPLEX)
def _swish(features: TensorLike, beta: FreeTensor) -> jax.Array:
    """Computes `tf.nn.silu` with any beta."""
    return features * lax.logistic(beta.astype(features.dtype) * features)


@op("nn.softmax", "math.softmax", kernel="Softmax", dtypes=FLOATS_HALF_FIRST)
def softmax(logits: TensorLike, axis: int | None = None) -> jax.Array:
    """Divides exponentials by their sum, so that they sum to 1.

    Args:
        logits: a floating tensor with at least one dimension.
        axis: the dimension along which to sum, by default the last.

    Returns:
        A tensor of the shape and type of `logits`.

    Raises:
        InvalidArgumentError: if `logits` has no such dimension, or is not floating.

    >>> tf.nn.softmax([0.0, 0.0]).numpy()
    array([0.5, 0.5], dtype=float32)
    """
    return _softmax(logits, _position(logits, axis))


@op("nn.log_softmax", "math.log_softmax", kernel="LogSoftmax", dtypes=FLOATS_HALF_FIRST)
def log_softmax(logits: TensorLike, axis: int | None = None) -> jax.Array:
    """Computes the logarithm of `tf.nn.softmax(logits)` without overflow.

    Args:
        logits: a floating tensor with at least one dimension.
        axis: the dimension along which to sum, by default the last.

    Returns:
        A tensor of the shape and type of `logits`.

    Raises:
        InvalidArgumentError: if `logits` has no such dimension, or is not floating.

    >>> tf.nn.log_softmax([0.0, 0.0]).numpy().round(4)
    array([-0.6931, -0.6931], dtype=float32)
    """
    axis = _position(logits, axis)
    shifted = logits - _highest(logits, axis)
    return shifted - jnp.log(jnp.sum(jnp.exp(shifted), axis, keepdims=True))


def _softmax(logits: jax.Array, axis: int) -> jax.Array:
    weights = jnp.exp(logits - _highest(logits, axis))
    return weights / jnp.sum(weights, axis, keepdims=True)


def _highest(logits: jax.Array, axis: int) -> jax.Array:
    return lax.stop_gradient(jnp.max(logits, axis, keepdims=True, initial=-jnp.inf))


def _position(logits: jax.Array, axis: int | None) -> int:
    rank = logits.ndim
    if rank == 0:
        raise invalid("logits must have >= 1 dimension, got []")
    axis = -1 if axis is None else axis
    if not -rank <= axis < rank:
        raise refused_by_kernel(
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of "
            f"dimensions in the input. Received: dim={axis}",
        )
    return axis % rank


# In TensorFlow's order.


@op("_relu_grad", kernel="ReluGrad", dtypes=REALS, raw_op=True)
def _relu_grad(gradients: TensorLike, features: TensorLike) -> jax.Array:
    """Passes gradients on where features are positive.

    Args:
        gradients: a real tensor.
        features: a tensor of the same shape and dtype: what `tf.nn.relu` was given, or returned.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: if the shapes differ.

    >>> tf.raw_ops.ReluGrad(gradients=[1.0, 2.0], features=[-1.0, 3.0]).numpy()
    array([0., 2.], dtype=float32)
    """
    if gradients.shape != features.shape:
        raise errors.InvalidArgumentError(
            None, None,
            "Inputs to operation ReluGrad of type ReluGrad must have the same size and shape.  "
            f"Input 0: {_text(gradients)} != input 1: {_text(features)}",
        )  # fmt: skip
    return jnp.where(features > 0, gradients, jnp.zeros_like(gradients))


@op("_sigmoid_grad", kernel="SigmoidGrad", dtypes=kernel_dtypes.FLOATS_COMPLEX, raw_op=True)
def _sigmoid_grad(y: TensorLike, dy: TensorLike) -> jax.Array:
    """Computes the gradient of `tf.sigmoid`, which is `dy * y * (1 - y)`.

    Args:
        y: what `tf.sigmoid` returned, a floating or complex tensor.
        dy: the upstream gradient, a tensor of the same shape and dtype.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: if the shapes differ.

    >>> tf.raw_ops.SigmoidGrad(y=[0.5], dy=[4.0]).numpy()
    array([1.], dtype=float32)
    """
    _check_same_size(y, dy)
    return dy * y * (1 - y)


@op("_tanh_grad", kernel="TanhGrad", dtypes=kernel_dtypes.FLOATS_COMPLEX, raw_op=True)
def _tanh_grad(y: TensorLike, dy: TensorLike) -> jax.Array:
    """Computes the gradient of `tf.tanh`, which is `dy * (1 - y * y)`.

    Args:
        y: what `tf.tanh` returned, a floating or complex tensor.
        dy: the upstream gradient, a tensor of the same shape and dtype.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: if the shapes differ.

    >>> tf.raw_ops.TanhGrad(y=[0.5], dy=[4.0]).numpy()
    array([3.], dtype=float32)
    """
    _check_same_size(y, dy)
    return dy * (1 - y * y)


def _check_same_size(y: jax.Array, dy: jax.Array) -> None:
    if y.size != dy.size:
        raise errors.InvalidArgumentError(
            None, None,
            "The two arguments to a cwise op must have same number of elements, "
            f"got {y.size} and {dy.size}",
        )  # fmt: skip


def _text(array: jax.Array) -> str:
    return shape_text(array.shape)


@op(
    "math.sigmoid",
    "sigmoid",
    "nn.sigmoid",
    kernel="Sigmoid",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=1,
    raw_op=True,
)
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


@op(
    "math.softplus",
    "nn.softplus",
    kernel="Softplus",
    dtypes=FLOATS_HALF_FIRST,
    elementwise=1,
    raw_op=True,
)
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


@op("math.log_sigmoid", kernel="Softplus", dtypes=FLOATS_HALF_FIRST, elementwise=1)
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


@op(
    "math.softsign",
    "nn.softsign",
    kernel="Softsign",
    dtypes=FLOATS_HALF_FIRST,
    elementwise=1,
    raw_op=True,
)
def softsign(features: TensorLike) -> jax.Array:
    """Computes `x / (1 + abs(x))` of each element.

    Beyond TensorFlow, which raises a LookupError, there is a second derivative.

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
