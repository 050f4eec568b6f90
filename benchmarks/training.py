"""Training steps of a small network: gradient descent, Adam, and new data in every step."""

import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from networks import Step, jax_loss, mlp_arrays, tf_loss, variables

RATE = 0.01
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-7


def tf_descent(layers: int, width: int, batch: int) -> Callable[..., Step]:
    def make(tf: Any, compiled: Any) -> Step:
        weights, biases, x, y = mlp_arrays(layers, width, batch)
        weights, biases = variables(tf, weights, biases)
        x, y = tf.constant(x), tf.constant(y)

        @compiled
        def step() -> Any:
            with tf.GradientTape() as tape:
                loss = tf_loss(tf, weights, biases, x, y)
            gradients = tape.gradient(loss, weights + biases)
            for variable, gradient in zip(weights + biases, gradients, strict=True):
                variable.assign_sub(RATE * gradient)
            return loss

        return step

    return make


def jax_descent(layers: int, width: int, batch: int) -> Callable[..., Step]:
    def make(compiled: Any) -> Step:
        weights, biases, x, y = jax.tree.map(jnp.asarray, mlp_arrays(layers, width, batch))
        parameters = (weights, biases)

        @compiled
        def update(parameters: Any, x: Any, y: Any) -> Any:
            loss, gradients = jax.value_and_grad(jax_loss)(parameters, x, y)
            return loss, jax.tree.map(lambda p, g: p - RATE * g, parameters, gradients)

        def step() -> Any:
            nonlocal parameters
            loss, parameters = update(parameters, x, y)
            return loss

        return step

    return make


# Training it with Adam, written out on variables.


def tf_adam(tf: Any, compiled: Any) -> Step:
    weights, biases, x, y = mlp_arrays(3, 64, 32)
    weights, biases = variables(tf, weights, biases)
    parameters = weights + biases
    means, squares = variables(tf, *[[np.zeros(p.shape, np.float32) for p in parameters]] * 2)
    count = tf.Variable(0.0)
    x, y = tf.constant(x), tf.constant(y)

    @compiled
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf_loss(tf, weights, biases, x, y)
        gradients = tape.gradient(loss, parameters)
        count.assign_add(1.0)
        rate = RATE * tf.sqrt(1.0 - tf.pow(BETA2, count)) / (1.0 - tf.pow(BETA1, count))
        for p, mean, square, g in zip(parameters, means, squares, gradients, strict=True):
            mean.assign_add((g - mean) * (1.0 - BETA1))
            square.assign_add((tf.square(g) - square) * (1.0 - BETA2))
            p.assign_sub(rate * mean / (tf.sqrt(square) + EPSILON))
        return loss

    return step


def jax_adam(compiled: Any) -> Step:
    weights, biases, x, y = jax.tree.map(jnp.asarray, mlp_arrays(3, 64, 32))
    parameters = (weights, biases)
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    state = (parameters, zeros, zeros, jnp.float32(0))

    @compiled
    def update(state: Any, x: Any, y: Any) -> Any:
        parameters, means, squares, count = state
        loss, gradients = jax.value_and_grad(jax_loss)(parameters, x, y)
        count = count + 1
        rate = RATE * jnp.sqrt(1 - BETA2**count) / (1 - BETA1**count)
        means = jax.tree.map(lambda m, g: m + (g - m) * (1 - BETA1), means, gradients)
        squares = jax.tree.map(
            lambda s, g: s + (jnp.square(g) - s) * (1 - BETA2), squares, gradients
        )
        parameters = jax.tree.map(
            lambda p, m, s: p - rate * m / (jnp.sqrt(s) + EPSILON), parameters, means, squares
        )
        return loss, (parameters, means, squares, count)

    def step() -> Any:
        nonlocal state
        loss, state = update(state, x, y)
        return loss

    return step


# A gradient on data that is new in every step.


def batches() -> Any:
    x, y = np.random.default_rng(3).standard_normal((2, 16, 32, 64)).astype(np.float32)
    return itertools.cycle(list(zip(x, y, strict=True)))


def tf_new_data(tf: Any, compiled: Any) -> Step:
    weights, biases, _, _ = mlp_arrays(3, 64, 32)
    weights, biases = variables(tf, weights, biases)
    data = batches()

    @compiled
    def gradients_of(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf_loss(tf, weights, biases, x, y)
        return loss, tape.gradient(loss, weights + biases)

    def step() -> Any:
        x, y = next(data)
        return gradients_of(tf.constant(x), tf.constant(y))

    return step


def jax_new_data(compiled: Any) -> Step:
    weights, biases, _, _ = jax.tree.map(jnp.asarray, mlp_arrays(3, 64, 32))
    data = batches()
    gradients_of = compiled(jax.value_and_grad(jax_loss))
    return lambda: gradients_of((weights, biases), *next(data))
