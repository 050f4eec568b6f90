"""Loops whose course Python decides by looking at values."""

from typing import Any

import jax
import jax.numpy as jnp
from networks import Step, mlp_arrays, variables


def loop_arrays() -> tuple[Any, Any, Any]:
    weights, _, x, _ = mlp_arrays(2, 64, 1)
    return weights[0], weights[1], x


def tf_loop(tf: Any, compiled: Any) -> Step:
    first, second, start = loop_arrays()
    ((first, second),) = variables(tf, [first, second])
    start = tf.constant(start)

    @compiled
    def move(x: Any) -> Any:
        x = x + 0.5 * (tf.tanh(x @ first) @ second)
        return x, tf.reduce_sum(x * x)

    def step() -> Any:
        x = start
        for _ in range(10):
            x, size = move(x)
            if size > 100.0:
                x = x * 0.5
        return x

    return step


def jax_loop(compiled: Any) -> Step:
    first, second, start = jax.tree.map(jnp.asarray, loop_arrays())

    @compiled
    def move(x: Any, first: Any, second: Any) -> Any:
        x = x + 0.5 * (jnp.tanh(x @ first) @ second)
        return x, jnp.sum(x * x)

    @compiled
    def halve(x: Any) -> Any:
        return x * 0.5

    def step() -> Any:
        x = start
        for _ in range(10):
            x, size = move(x, first, second)
            if size > 100.0:
                x = halve(x)
        return x

    return step


def tf_taped_loop(tf: Any, compiled: Any) -> Step:
    first, second, start = loop_arrays()
    ((first, second),) = variables(tf, [first, second])
    start = tf.constant(start)

    @compiled
    def move(x: Any) -> Any:
        x = x + 0.5 * (tf.tanh(x @ first) @ second)
        return x, tf.reduce_sum(x * x)

    def step() -> Any:
        with tf.GradientTape() as tape:
            x, total = start, tf.constant(0.0)
            for _ in range(10):
                x, size = move(x)
                if size > 100.0:
                    x = x * 0.5
                total = total + size
        return tape.gradient(total, [first, second])

    return step
