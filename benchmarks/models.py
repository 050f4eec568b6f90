"""Training steps of a convolutional network, an LSTM and a transformer block, all on variables."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from networks import Step

RATE = 0.05
CLASSES = 10
TIMES, UNITS = 20, 32
HEADS, EPSILON = 4, 1e-5

Arrays = list[np.ndarray[Any, Any]]


def _weights(rng: np.random.Generator, *shapes: tuple[int, ...]) -> Arrays:
    """Draws weights of a size that keeps signals alive; vectors begin at zero."""
    return [
        (rng.standard_normal(shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)
        if len(shape) > 1
        else np.zeros(shape, np.float32)
        for shape in shapes
    ]


def cnn_arrays() -> tuple[Arrays, Arrays]:
    """Returns the parameters of a network of two convolutions, and a batch of images."""
    rng = np.random.default_rng(7)
    parameters = _weights(rng, (3, 3, 1, 8), (8,), (3, 3, 8, 16), (16,), (400, CLASSES), (CLASSES,))
    images = rng.standard_normal((16, 28, 28, 1)).astype(np.float32)
    return parameters, [images, rng.integers(0, CLASSES, 16).astype(np.int32)]


def lstm_arrays() -> tuple[Arrays, Arrays]:
    """Returns the parameters of an LSTM (gates i, f, g, o) with an output, and sequences."""
    rng = np.random.default_rng(8)
    parameters = _weights(
        rng, (8, 4 * UNITS), (UNITS, 4 * UNITS), (4 * UNITS,), (UNITS, CLASSES), (CLASSES,)
    )
    sequences = rng.standard_normal((TIMES, 16, 8)).astype(np.float32)
    return parameters, [sequences, rng.integers(0, CLASSES, 16).astype(np.int32)]


def block_arrays() -> tuple[Arrays, Arrays]:
    """Returns the parameters of a transformer block of width 32, a batch and its targets."""
    rng = np.random.default_rng(9)
    attention = [*_weights(rng, (32, 96), (96,), (32, 32), (32,))]
    wide = [*_weights(rng, (32, 128), (128,), (128, 32), (32,))]
    norms = [np.ones(32, np.float32), np.zeros(32, np.float32)] * 2
    return [*attention, *wide, *norms], list(rng.standard_normal((2, 8, 16, 32)).astype(np.float32))


def tf_trained(loss_of: Callable[..., Any], arrays: Callable[[], Any]) -> Callable[..., Step]:
    """Makes the maker of a step of gradient descent."""

    def make(tf: Any, compiled: Any) -> Step:
        parameters, data = arrays()
        parameters = [tf.Variable(array) for array in parameters]
        data = [tf.constant(array) for array in data]

        @compiled
        def step() -> Any:
            with tf.GradientTape() as tape:
                loss = loss_of(tf, parameters, *data)
            gradients = tape.gradient(loss, parameters)
            for variable, gradient in zip(parameters, gradients, strict=True):
                variable.assign_sub(RATE * gradient)
            return loss

        return step

    return make


def jax_trained(loss_of: Callable[..., Any], arrays: Callable[[], Any]) -> Callable[..., Step]:
    """Makes the maker of the same step in JAX's words."""

    def make(compiled: Any) -> Step:
        parameters, data = jax.tree.map(jnp.asarray, arrays())

        @compiled
        def update(parameters: Any, data: Any) -> Any:
            loss, gradients = jax.value_and_grad(loss_of)(parameters, *data)
            return loss, jax.tree.map(lambda p, g: p - RATE * g, parameters, gradients)

        def step() -> Any:
            nonlocal parameters
            loss, parameters = update(parameters, data)
            return loss

        return step

    return make


def _tf_entropy(tf: Any, logits: Any, labels: Any) -> Any:
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def _jax_entropy(logits: Any, labels: Any) -> Any:
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
    return -jnp.mean(chosen)


def _tf_cnn(tf: Any, parameters: Any, images: Any, labels: Any) -> Any:
    first, first_bias, second, second_bias, dense, dense_bias = parameters
    x = tf.nn.relu(tf.nn.conv2d(images, first, 1, "VALID") + first_bias)
    x = tf.nn.max_pool2d(x, 2, 2, "VALID")
    x = tf.nn.relu(tf.nn.conv2d(x, second, 1, "VALID") + second_bias)
    x = tf.reshape(tf.nn.max_pool2d(x, 2, 2, "VALID"), [16, 400])
    return _tf_entropy(tf, x @ dense + dense_bias, labels)


def _jax_cnn(parameters: Any, images: Any, labels: Any) -> Any:
    first, first_bias, second, second_bias, dense, dense_bias = parameters

    def convolved(x: Any, kernel: Any) -> Any:
        return lax.conv_general_dilated(
            x, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )

    def pooled(x: Any) -> Any:
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    x = pooled(jax.nn.relu(convolved(images, first) + first_bias))
    x = pooled(jax.nn.relu(convolved(x, second) + second_bias))
    return _jax_entropy(x.reshape(16, 400) @ dense + dense_bias, labels)


def _tf_lstm(tf: Any, parameters: Any, sequences: Any, labels: Any) -> Any:
    kernel, recurrent, bias, dense, dense_bias = parameters
    h = c = tf.zeros([16, UNITS])
    for x in tf.unstack(sequences):
        i, f, g, o = tf.split(x @ kernel + h @ recurrent + bias, 4, axis=1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
    return _tf_entropy(tf, h @ dense + dense_bias, labels)


def _jax_lstm(parameters: Any, sequences: Any, labels: Any) -> Any:
    kernel, recurrent, bias, dense, dense_bias = parameters

    def move(state: Any, x: Any) -> Any:
        h, c = state
        i, f, g, o = jnp.split(x @ kernel + h @ recurrent + bias, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

    zeros = jnp.zeros((16, UNITS))
    (h, _), _ = lax.scan(move, (zeros, zeros), sequences)
    return _jax_entropy(h @ dense + dense_bias, labels)


def _tf_block(tf: Any, parameters: Any, x: Any, y: Any) -> Any:
    mixed, mixed_bias, out, out_bias, w1, b1, w2, b2, scale1, shift1, scale2, shift2 = parameters

    def normed(x: Any, scale: Any, shift: Any) -> Any:
        mean, variance = tf.nn.moments(x, axes=-1, keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + EPSILON) * scale + shift

    def heads(x: Any) -> Any:
        return tf.transpose(tf.reshape(x, [8, 16, HEADS, 8]), [0, 2, 1, 3])

    q, k, v = map(heads, tf.split(normed(x, scale1, shift1) @ mixed + mixed_bias, 3, axis=-1))
    weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / np.float32(np.sqrt(8)))
    attended = tf.reshape(tf.transpose(weights @ v, [0, 2, 1, 3]), [8, 16, 32])
    x = x + attended @ out + out_bias
    x = x + tf.nn.gelu(normed(x, scale2, shift2) @ w1 + b1) @ w2 + b2
    return tf.reduce_mean(tf.square(x - y))


def _jax_block(parameters: Any, x: Any, y: Any) -> Any:
    mixed, mixed_bias, out, out_bias, w1, b1, w2, b2, scale1, shift1, scale2, shift2 = parameters

    def normed(x: Any, scale: Any, shift: Any) -> Any:
        mean, variance = jnp.mean(x, -1, keepdims=True), jnp.var(x, -1, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + EPSILON) * scale + shift

    def heads(x: Any) -> Any:
        return x.reshape(8, 16, HEADS, 8).transpose(0, 2, 1, 3)

    parts = jnp.split(normed(x, scale1, shift1) @ mixed + mixed_bias, 3, axis=-1)
    q, k, v = map(heads, parts)
    weights = jax.nn.softmax(q @ k.swapaxes(-1, -2) / np.float32(np.sqrt(8)))
    attended = (weights @ v).transpose(0, 2, 1, 3).reshape(8, 16, 32)
    x = x + attended @ out + out_bias
    x = x + jax.nn.gelu(normed(x, scale2, shift2) @ w1 + b1, approximate=False) @ w2 + b2
    return jnp.mean(jnp.square(x - y))


tf_cnn, jax_cnn = tf_trained(_tf_cnn, cnn_arrays), jax_trained(_jax_cnn, cnn_arrays)
tf_lstm, jax_lstm = tf_trained(_tf_lstm, lstm_arrays), jax_trained(_jax_lstm, lstm_arrays)
tf_block, jax_block = tf_trained(_tf_block, block_arrays), jax_trained(_jax_block, block_arrays)
