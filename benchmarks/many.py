"""One step of Adam on 500 small variables: what costs is their number."""

import importlib.util
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from networks import Step, variables
from training import BETA1, BETA2, EPSILON, RATE

VARIABLES, SIZE = 500, 8
HAS_OPTAX = importlib.util.find_spec("optax") is not None


def many_arrays() -> tuple[list[Any], Any]:
    """Returns the values of the variables, and what they are to become."""
    values, wanted = np.random.default_rng(13).standard_normal((2, VARIABLES, SIZE))
    return list(values.astype(np.float32)), wanted.astype(np.float32)


def tf_many(tf: Any, compiled: Any) -> Step:
    values, wanted = many_arrays()
    zeros = [np.zeros_like(value) for value in values]
    parameters, means, squares = variables(tf, values, zeros, zeros)
    wanted, count = tf.constant(wanted), tf.Variable(0.0)

    @compiled
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.stack(parameters) - wanted))
        gradients = tape.gradient(loss, parameters)
        count.assign_add(1.0)
        rate = RATE * tf.sqrt(1.0 - tf.pow(BETA2, count)) / (1.0 - tf.pow(BETA1, count))
        for p, mean, square, g in zip(parameters, means, squares, gradients, strict=True):
            mean.assign_add((g - mean) * (1.0 - BETA1))
            square.assign_add((tf.square(g) - square) * (1.0 - BETA2))
            p.assign_sub(rate * mean / (tf.sqrt(square) + EPSILON))
        return loss

    return step


def _loss(parameters: Any, wanted: Any) -> Any:
    return jnp.mean(jnp.square(jnp.stack(parameters) - wanted))


def adam_update(loss_of: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a step of Adam by hand: `(state, *data)` to the loss and the new state."""

    def update(state: Any, *data: Any) -> Any:
        parameters, means, squares, count = state
        loss, gradients = jax.value_and_grad(loss_of)(parameters, *data)
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

    return update


def jax_many(compiled: Any) -> Step:
    parameters, wanted = jax.tree.map(jnp.asarray, many_arrays())
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    state = (parameters, zeros, zeros, jnp.float32(0))
    update = compiled(adam_update(_loss))

    def step() -> Any:
        nonlocal state
        loss, state = update(state, wanted)
        return loss

    return step


def optax_many(compiled: Any) -> Step:
    """Makes the same step by optax, which adds its epsilon at another place."""
    import optax  # optional

    parameters, wanted = jax.tree.map(jnp.asarray, many_arrays())
    adam = optax.adam(RATE, BETA1, BETA2, EPSILON)
    state = adam.init(parameters)

    @compiled
    def update(parameters: Any, state: Any, wanted: Any) -> Any:
        loss, gradients = jax.value_and_grad(_loss)(parameters, wanted)
        changes, state = adam.update(gradients, state, parameters)
        return loss, optax.apply_updates(parameters, changes), state

    def step() -> Any:
        nonlocal parameters, state
        loss, parameters, state = update(parameters, state, wanted)
        return loss

    return step
