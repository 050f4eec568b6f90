"""A loss that is looked at before its gradient is asked for, as programs that print it do.

The same step looks at it last, for comparison. `tf.function` cannot look at anything, so only
imperative contestants have the first form; in JAX's form the loss comes with the gradient.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from control import jax_scan_loss, scan_arrays, tf_scan_loss
from networks import Step, jax_loss, mlp_arrays, tf_loss, variables

RATE = 0.01


def tf_looked_at(first: bool) -> Callable[..., Step]:
    """Makes the maker of an MLP's step that looks at its loss, first or last."""

    def make(tf: Any, compiled: Any) -> Step:
        weights, biases, x, y = mlp_arrays(3, 512, 256)
        weights, biases = variables(tf, weights, biases)
        x, y = tf.constant(x), tf.constant(y)

        def step() -> Any:
            with tf.GradientTape() as tape:
                loss = tf_loss(tf, weights, biases, x, y)
            if first:
                loss.numpy()
            gradients = tape.gradient(loss, weights + biases)
            for variable, gradient in zip(weights + biases, gradients, strict=True):
                variable.assign_sub(RATE * gradient)
            return loss

        return step

    return make


def tf_looked_at_scan(first: bool) -> Callable[..., Step]:
    """Makes the maker of a recurrent network's step that looks at its loss, first or last."""

    def make(tf: Any, compiled: Any) -> Step:
        weights, inputs, state = scan_arrays()
        variable, inputs, state = tf.Variable(weights), tf.constant(inputs), tf.constant(state)

        def step() -> Any:
            with tf.GradientTape() as tape:
                loss = tf_scan_loss(tf, variable, inputs, state)
            if first:
                loss.numpy()
            variable.assign_sub(RATE * tape.gradient(loss, variable))
            return loss

        return step

    return make


def _descent(loss_of: Any, parameters: Any, data: Any, compiled: Any) -> Step:
    parameters, data = jax.tree.map(jnp.asarray, (parameters, data))

    @compiled
    def update(parameters: Any, data: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(parameters, *data)
        return loss, jax.tree.map(lambda p, g: p - RATE * g, parameters, gradients)

    def step() -> Any:
        nonlocal parameters
        loss, parameters = update(parameters, data)
        return loss

    return step


def jax_looked_at(compiled: Any) -> Step:
    weights, biases, x, y = mlp_arrays(3, 512, 256)
    return _descent(jax_loss, (weights, biases), (x, y), compiled)


def jax_looked_at_scan(compiled: Any) -> Step:
    weights, inputs, state = scan_arrays()
    return _descent(jax_scan_loss, weights, (inputs, state), compiled)
