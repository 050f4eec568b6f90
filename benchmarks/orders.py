"""Derivatives of orders 1 to 4, batches of Jacobians, a Hessian, and a step of MAML."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from derivatives import curve_points
from networks import Step, curve_arrays, jax_network, tf_network, variables

BATCH, SIZE = 64, 8  # of the Jacobians
NUMBERS = 24  # that the Hessian is for
TASKS, SHOTS, INNER_RATE, RATE = 4, 10, 0.01, 0.001


def tf_order(order: int) -> Callable[..., Step]:
    """Makes the maker of a derivative of a network for its input, by nested tapes."""

    def make(tf: Any, compiled: Any) -> Step:
        weights, biases = variables(tf, *curve_arrays(32))
        points = tf.constant(curve_points())

        def derivative(x: Any, order: int) -> Any:
            if order == 0:
                return tf_network(tf, weights, biases, x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                lower = derivative(x, order - 1)
            return tape.gradient(lower, x)

        @compiled
        def step() -> Any:
            return derivative(points, order)

        return step

    return make


def jax_order(order: int) -> Callable[..., Step]:
    """Makes the maker of the same derivative by nested `jax.grad`."""

    def summed(function: Callable[..., Any]) -> Callable[..., Any]:
        return jax.grad(lambda x, parameters: jnp.sum(function(x, parameters)))

    def make(compiled: Any) -> Step:
        parameters = jax.tree.map(jnp.asarray, curve_arrays(32))
        points = jnp.asarray(curve_points())

        def derivative(x: Any, parameters: Any) -> Any:
            return jax_network(*parameters, x)

        for _ in range(order):
            derivative = summed(derivative)
        derivative = compiled(derivative)
        return lambda: derivative(points, parameters)

    return make


def field_arrays() -> tuple[list[Any], Any]:
    """Returns the weights of a network from 8 numbers to 8, and a batch of points."""
    rng = np.random.default_rng(10)
    first = rng.standard_normal((SIZE, 32)) / np.sqrt(SIZE)
    second = rng.standard_normal((32, SIZE)) / np.sqrt(32)
    points = rng.standard_normal((BATCH, SIZE))
    return [first.astype(np.float32), second.astype(np.float32)], points.astype(np.float32)


def tf_batch_jacobian(tf: Any, compiled: Any) -> Step:
    weights, points = field_arrays()
    ((first, second),) = variables(tf, weights)
    points = tf.constant(points)

    @compiled
    def step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(points)
            y = tf.tanh(points @ first) @ second
        return tape.batch_jacobian(y, points)

    return step


def jax_batch_jacobian(compiled: Any) -> Step:
    weights, points = jax.tree.map(jnp.asarray, field_arrays())

    def field(x: Any, weights: Any) -> Any:
        return jnp.tanh(x @ weights[0]) @ weights[1]

    jacobians = compiled(jax.vmap(jax.jacrev(field), (0, None)))
    return lambda: jacobians(points, weights)


def hessian_arrays() -> tuple[Any, Any]:
    """Returns a matrix and the point of the Hessian."""
    rng = np.random.default_rng(11)
    matrix = rng.standard_normal((NUMBERS, NUMBERS)) / np.sqrt(NUMBERS)
    return matrix.astype(np.float32), rng.standard_normal(NUMBERS).astype(np.float32)


def tf_hessian(tf: Any, compiled: Any) -> Step:
    matrix, x = (tf.constant(array) for array in hessian_arrays())

    @compiled
    def step() -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.tanh(tf.linalg.matvec(matrix, x)) * tf.sin(x))
            gradient = inner.gradient(y, x)
        return outer.jacobian(gradient, x)

    return step


def jax_hessian(compiled: Any) -> Step:
    matrix, x = (jnp.asarray(array) for array in hessian_arrays())

    def function(x: Any, matrix: Any) -> Any:
        return jnp.sum(jnp.tanh(matrix @ x) * jnp.sin(x))

    hessian = compiled(jax.hessian(function))
    return lambda: hessian(x, matrix)


def maml_arrays() -> tuple[list[Any], list[Any], Any]:
    """Returns a network, and of each task the points of both steps: `[task, step, x or y]`."""
    rng = np.random.default_rng(12)
    x = rng.uniform(-5, 5, (TASKS, 2, SHOTS, 1))
    height, shift = rng.uniform(0.1, 5, (TASKS, 1, 1, 1)), rng.uniform(0, np.pi, (TASKS, 1, 1, 1))
    tasks = np.stack([x, height * np.sin(x + shift)], axis=2)
    return *curve_arrays(40), tasks.astype(np.float32)


def tf_maml(tf: Any, compiled: Any) -> Step:
    """Makes a step of Finn, Abbeel and Levine (2017), arXiv:1703.03400, on sine waves."""
    weights, biases, tasks = maml_arrays()
    weights, biases = variables(tf, weights, biases)
    tasks = [[[tf.constant(a) for a in points] for points in task] for task in tasks]
    count = len(weights)

    def error(weights: Any, biases: Any, x: Any, y: Any) -> Any:
        return tf.reduce_mean(tf.square(tf_network(tf, weights, biases, x) - y))

    @compiled
    def step() -> Any:
        with tf.GradientTape() as outer:
            loss = tf.constant(0.0)
            for support, query in tasks:
                with tf.GradientTape() as inner:
                    inner_loss = error(weights, biases, *support)
                gradients = inner.gradient(inner_loss, weights + biases)
                adapted = [
                    p - INNER_RATE * g for p, g in zip(weights + biases, gradients, strict=True)
                ]
                loss += error(adapted[:count], adapted[count:], *query) / TASKS
        gradients = outer.gradient(loss, weights + biases)
        for p, g in zip(weights + biases, gradients, strict=True):
            p.assign_sub(RATE * g)
        return loss

    return step


def jax_maml(compiled: Any) -> Step:
    weights, biases, tasks = jax.tree.map(jnp.asarray, maml_arrays())
    parameters = (weights, biases)

    def error(parameters: Any, points: Any) -> Any:
        return jnp.mean(jnp.square(jax_network(*parameters, points[0]) - points[1]))

    def after_one_step(parameters: Any, task: Any) -> Any:
        gradients = jax.grad(error)(parameters, task[0])
        adapted = jax.tree.map(lambda p, g: p - INNER_RATE * g, parameters, gradients)
        return error(adapted, task[1])

    def loss_of(parameters: Any, tasks: Any) -> Any:
        return jnp.mean(jax.vmap(after_one_step, (None, 0))(parameters, tasks))

    @compiled
    def update(parameters: Any, tasks: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(parameters, tasks)
        return loss, jax.tree.map(lambda p, g: p - RATE * g, parameters, gradients)

    def step() -> Any:
        nonlocal parameters
        loss, parameters = update(parameters, tasks)
        return loss

    return step
