"""Gradients of activations as ops: for programs that change them, such as guided backpropagation."""

import jax
import jax.numpy as jnp

from tapefacade._core import errors
from tapefacade._ops import kinds
from tapefacade._ops.op import TensorLike, op

# In TensorFlow's order.
REAL = (
    "float", "double", "int32", "uint8", "int16", "int8", "int64", "bfloat16", "uint16", "half",
    "uint32", "uint64",
)  # fmt: skip


@op("_relu_grad", kernel="ReluGrad", dtypes=REAL)
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


@op("_sigmoid_grad", kernel="SigmoidGrad", dtypes=kinds.FLOATS_COMPLEX)
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


@op("_tanh_grad", kernel="TanhGrad", dtypes=kinds.FLOATS_COMPLEX)
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
    return f"[{','.join(map(str, array.shape))}]"
