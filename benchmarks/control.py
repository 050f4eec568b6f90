"""Loops made of ops: `tf.while_loop`, `tf.map_fn`, `tf.scan`, and the gradient of a scan."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from networks import Step

ITERATIONS = 1000
STEPS, UNITS, BATCH = 50, 32, 16


def tf_while(tf: Any, compiled: Any) -> Step:
    start = tf.constant(np.linspace(0.1, 1.0, 16, dtype=np.float32))

    @compiled
    def iterate(x: Any) -> Any:
        return tf.while_loop(
            lambda i, x: i < ITERATIONS, lambda i, x: (i + 1, tf.cos(x) * 0.5 + x * 0.5), (0, x)
        )[1]

    return lambda: iterate(start)


def jax_while(compiled: Any) -> Step:
    start = jnp.asarray(np.linspace(0.1, 1.0, 16, dtype=np.float32))

    @compiled
    def iterate(x: Any) -> Any:
        return lax.while_loop(
            lambda state: state[0] < ITERATIONS,
            lambda state: (state[0] + 1, jnp.cos(state[1]) * 0.5 + state[1] * 0.5),
            (0, x),
        )[1]

    return lambda: iterate(start)


def _rows() -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).normal(size=(ITERATIONS, 8)).astype(np.float32)


def tf_map(tf: Any, compiled: Any) -> Step:
    rows = tf.constant(_rows())

    @compiled
    def each(rows: Any) -> Any:
        return tf.map_fn(lambda row: tf.reduce_sum(tf.nn.softmax(row) * row), rows)

    return lambda: each(rows)


def jax_map(compiled: Any) -> Step:
    rows = jnp.asarray(_rows())

    @compiled
    def each(rows: Any) -> Any:
        return lax.map(lambda row: jnp.sum(jax.nn.softmax(row) * row), rows)

    return lambda: each(rows)


def scan_arrays() -> tuple[Any, Any, Any]:
    """Returns the weights, the inputs and the first state of a recurrent network."""
    random = np.random.default_rng(0)
    weights = (0.3 * random.normal(size=(UNITS, UNITS))).astype(np.float32)
    inputs = random.normal(size=(STEPS, BATCH, UNITS)).astype(np.float32)
    return weights, inputs, np.zeros((BATCH, UNITS), np.float32)


def tf_scan_loss(tf: Any, weights: Any, inputs: Any, state: Any) -> Any:
    """The loss of a recurrent network, in TensorFlow's words."""
    states = tf.scan(lambda h, x: tf.tanh(h @ weights + x), inputs, state)
    return tf.reduce_mean(states**2)


def jax_scan_loss(weights: Any, inputs: Any, state: Any) -> Any:
    """The same loss in JAX's words."""

    def move(h: Any, x: Any) -> Any:
        h = jnp.tanh(h @ weights + x)
        return h, h

    return jnp.mean(lax.scan(move, state, inputs)[1] ** 2)


def tf_scan(tf: Any, compiled: Any) -> Step:
    weights, inputs, state = scan_arrays()
    variable, inputs, state = tf.Variable(weights), tf.constant(inputs), tf.constant(state)

    @compiled
    def gradient(inputs: Any, state: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf_scan_loss(tf, variable, inputs, state)
        return tape.gradient(loss, variable)

    return lambda: gradient(inputs, state)


def jax_scan(compiled: Any) -> Step:
    weights, inputs, state = map(jnp.asarray, scan_arrays())
    gradient = compiled(jax.grad(jax_scan_loss))
    return lambda: gradient(weights, inputs, state)
