"""What the workloads share: the weights and data of small networks, as NumPy arrays."""

import itertools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

Step = Callable[[], Any]


def mlp_arrays(layers: int, width: int, batch: int) -> tuple[list[Any], list[Any], Any, Any]:
    """Returns the weights and biases of a square network, and a batch of inputs and targets."""
    rng = np.random.default_rng(0)
    weights = [
        (rng.standard_normal((width, width)) / np.sqrt(width)).astype(np.float32)
        for _ in range(layers)
    ]
    biases = [np.zeros(width, np.float32) for _ in range(layers)]
    x, y = rng.standard_normal((2, batch, width)).astype(np.float32)
    return weights, biases, x, y


def curve_arrays(width: int) -> tuple[list[Any], list[Any]]:
    """Returns the weights and biases of a network from one number to one number."""
    rng = np.random.default_rng(1)
    sizes = [1, width, width, 1]
    weights = [
        (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)
        for shape in itertools.pairwise(sizes)
    ]
    return weights, [np.zeros(size, np.float32) for size in sizes[1:]]


def tf_network(tf: Any, weights: Any, biases: Any, x: Any) -> Any:
    """A network in TensorFlow's words: tanh after every layer but the last."""
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = tf.tanh(x @ w + b)
    return x @ weights[-1] + biases[-1]


def jax_network(weights: Any, biases: Any, x: Any) -> Any:
    """The same network in JAX's words."""
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = jnp.tanh(x @ w + b)
    return x @ weights[-1] + biases[-1]


def tf_loss(tf: Any, weights: Any, biases: Any, x: Any, y: Any) -> Any:
    """The mean squared error in TensorFlow's words."""
    return tf.reduce_mean((tf.tanh(tf_network(tf, weights, biases, x)) - y) ** 2)


def jax_loss(parameters: Any, x: Any, y: Any) -> Any:
    """The mean squared error in JAX's words."""
    return jnp.mean((jnp.tanh(jax_network(*parameters, x)) - y) ** 2)


def variables(tf: Any, *lists: Any) -> list[list[Any]]:
    """Makes variables of lists of arrays."""
    return [[tf.Variable(array) for array in arrays] for arrays in lists]
