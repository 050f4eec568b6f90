"""Higher derivatives: nested tapes, the residual of a differential equation, a Jacobian."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from networks import Step, curve_arrays, jax_network, tf_network, variables

POINTS = 256


def tf_third(tf: Any, compiled: Any) -> Step:
    v = tf.Variable(0.75)

    @compiled
    def step() -> Any:
        with tf.GradientTape() as tape2:
            with tf.GradientTape() as tape1:
                with tf.GradientTape() as tape0:
                    y = tf.tanh(v * v) * v
                first = tape0.gradient(y, v)
            second = tape1.gradient(first, v)
        return tape2.gradient(second, v)

    return step


def jax_third(compiled: Any) -> Step:
    derivative = compiled(jax.grad(jax.grad(jax.grad(lambda v: jnp.tanh(v * v) * v))))
    v = jnp.float32(0.75)
    return lambda: derivative(v)


def curve_points() -> Any:
    return np.linspace(-1, 1, POINTS, dtype=np.float32)[:, None]


def tf_second_of_curve(tf: Any, weights: Any, biases: Any, x: Any) -> tuple[Any, Any]:
    with tf.GradientTape() as tape1:
        tape1.watch(x)
        with tf.GradientTape() as tape0:
            tape0.watch(x)
            u = tf_network(tf, weights, biases, x)
        first = tape0.gradient(u, x)
    return u, tape1.gradient(first, x)


def jax_second_of_curve(parameters: Any, x: Any) -> tuple[Any, Any]:
    def u(x: Any) -> Any:
        return jax_network(*parameters, x)

    def first(x: Any) -> Any:
        return jax.grad(lambda x: jnp.sum(u(x)))(x)

    return u(x), jax.grad(lambda x: jnp.sum(first(x)))(x)


def tf_second(tf: Any, compiled: Any) -> Step:
    weights, biases = variables(tf, *curve_arrays(32))
    x = tf.constant(curve_points())

    @compiled
    def step() -> Any:
        return tf_second_of_curve(tf, weights, biases, x)[1]

    return step


def jax_second(compiled: Any) -> Step:
    parameters = jax.tree.map(jnp.asarray, curve_arrays(32))
    x = jnp.asarray(curve_points())
    derivative = compiled(lambda parameters, x: jax_second_of_curve(parameters, x)[1])
    return lambda: derivative(parameters, x)


def tf_equation(tf: Any, compiled: Any) -> Step:
    weights, biases = variables(tf, *curve_arrays(32))
    x = tf.constant(curve_points())
    force = tf.constant(np.pi**2 * np.sin(np.pi * curve_points()).astype(np.float32))

    @compiled
    def step() -> Any:
        with tf.GradientTape() as tape:
            u, u_xx = tf_second_of_curve(tf, weights, biases, x)
            ends = tf.square(u[0, 0]) + tf.square(u[-1, 0])
            loss = tf.reduce_mean(tf.square(u_xx + force)) + ends
        gradients = tape.gradient(loss, weights + biases)
        for variable, gradient in zip(weights + biases, gradients, strict=True):
            if gradient is not None:
                variable.assign_sub(1e-4 * gradient)
        return loss

    return step


def jax_equation(compiled: Any) -> Step:
    parameters = jax.tree.map(jnp.asarray, curve_arrays(32))
    x = jnp.asarray(curve_points())
    force = jnp.asarray(np.pi**2 * np.sin(np.pi * curve_points()).astype(np.float32))

    def loss_of(parameters: Any, x: Any, force: Any) -> Any:
        u, u_xx = jax_second_of_curve(parameters, x)
        return jnp.mean((u_xx + force) ** 2) + u[0, 0] ** 2 + u[-1, 0] ** 2

    @compiled
    def update(parameters: Any, x: Any, force: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(parameters, x, force)
        return loss, jax.tree.map(lambda p, g: p - 1e-4 * g, parameters, gradients)

    def step() -> Any:
        nonlocal parameters
        loss, parameters = update(parameters, x, force)
        return loss

    return step


def vector_arrays() -> tuple[Any, Any]:
    a, b = np.random.default_rng(2).standard_normal((2, 32, 32)).astype(np.float32) / 6
    return a, np.concatenate([b, a])[:32, 0]


def tf_jacobian(tf: Any, compiled: Any) -> Step:
    matrix, x = (tf.constant(array) for array in vector_arrays())

    @compiled
    def step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(tf.linalg.matvec(matrix, x)) * x
        return tape.jacobian(y, x)

    return step


def jax_jacobian(compiled: Any) -> Step:
    matrix, x = (jnp.asarray(array) for array in vector_arrays())
    jacobian = compiled(jax.jacrev(lambda x, matrix: jnp.sin(matrix @ x) * x))
    return lambda: jacobian(x, matrix)
