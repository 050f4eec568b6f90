"""The single ops in JAX's words, each called at once, without `jax.jit`.

Missing is the cast to 64 bits, which JAX has only as a setting for all that it computes.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

KEY = jax.random.key(0)
ROWS = np.linspace(0.1, 0.9, 96, dtype=np.float32).reshape(8, 12)

OPS: dict[str, Callable[[Any], Any]] = {
    "x + x": lambda x: x + x,
    "x - x": lambda x: x - x,
    "x * x": lambda x: x * x,
    "x / x": lambda x: x / x,
    "x * 0.5": lambda x: x * 0.5,
    "1.0 - x": lambda x: 1.0 - x,
    "x ** 2": lambda x: x**2,
    "-x": lambda x: -x,
    "x > 0.5": lambda x: x > 0.5,
    "x[0]": lambda x: x[0],
    "x[:, 1:]": lambda x: x[:, 1:],
    "x @ x^T": lambda x: x @ x.T,
    "abs": jnp.abs,
    "add": lambda x: jnp.add(x, x),
    "argmax": lambda x: jnp.argmax(x, axis=1),
    "clip_by_value": lambda x: jnp.clip(x, 0.2, 0.8),
    "concat": lambda x: jnp.concatenate([x, x], axis=0),
    "constant": lambda x: jnp.array([1.0, 2.0, 3.0]),
    "convert_to_tensor": lambda x: jnp.asarray(ROWS),
    "cos": jnp.cos,
    "cumsum": lambda x: jnp.cumsum(x, axis=0),
    "equal": lambda x: jnp.equal(x, x),
    "exp": jnp.exp,
    "expand_dims": lambda x: jnp.expand_dims(x, 0),
    "gather": lambda x: jnp.take(x, np.array([0, 2]), axis=0),
    "identity": jnp.copy,
    "log": jnp.log,
    "maximum": lambda x: jnp.maximum(x, 0.5),
    "multiply": lambda x: jnp.multiply(x, x),
    "nn.relu": jax.nn.relu,
    "nn.sigmoid": jax.nn.sigmoid,
    "nn.softmax": jax.nn.softmax,
    "nn.softplus": jax.nn.softplus,
    "nn.tanh": jnp.tanh,
    "norm": jnp.linalg.norm,
    "one_hot": lambda x: jax.nn.one_hot(np.array([0, 1, 2]), 4),
    "ones_like": jnp.ones_like,
    "pad": lambda x: jnp.pad(x, [[0, 0], [1, 1]]),
    "random.normal": lambda x: jax.random.normal(KEY, (8, 12)),
    "random.uniform": lambda x: jax.random.uniform(KEY, (8, 12)),
    "range": lambda x: jnp.arange(10),
    "reduce_max": lambda x: jnp.max(x, axis=1),
    "reduce_mean": jnp.mean,
    "reduce_sum": lambda x: jnp.sum(x, axis=0),
    "reshape": lambda x: jnp.reshape(x, (12, 8)),
    "shape": jnp.shape,
    "sign": jnp.sign,
    "sin": jnp.sin,
    "split": lambda x: jnp.split(x, 2)[0],
    "sqrt": jnp.sqrt,
    "square": jnp.square,
    "squeeze": jnp.squeeze,
    "stack": lambda x: jnp.stack([x, x]),
    "stop_gradient": jax.lax.stop_gradient,
    "tile": lambda x: jnp.tile(x, (1, 2)),
    "transpose": jnp.transpose,
    "where": lambda x: jnp.where(x > 0.5, x, 0.0),
    "zeros": lambda x: jnp.zeros((8, 12)),
    "zeros_like": jnp.zeros_like,
}
