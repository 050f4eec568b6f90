"""The workloads. Each is written twice: with TensorFlow's names, and by hand for `jax.jit`.

A maker returns a step: a function without arguments that does the work once and returns what is to
be looked at. The makers named `tf_...` take the module to use, TensorFlow or tapefacade, and
`compiled`, which decorates what `tf.function` may compile and does nothing otherwise.
"""

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from networks import (
    curve_arrays,
    jax_loss,
    jax_network,
    mlp_arrays,
    tf_loss,
    tf_network,
)

Step = Callable[[], Any]
RATE = 0.01
POINTS = 256
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-7


@dataclasses.dataclass
class Workload:
    """A piece of work.

    Attributes:
        name: for `--only`.
        title: for the table.
        tf: makes the step with TensorFlow's names.
        jax: makes the step with JAX's; None where it cannot be written as one `jax.jit` function.
        every: whether the result of each step is looked at.
        tolerance: by how much results may differ, relatively.
    """

    name: str
    title: str
    tf: Callable[..., Step]
    jax: Callable[[], Step] | None
    every: bool = True
    tolerance: float = 1e-4


def variables(tf: Any, *lists: Any) -> list[list[Any]]:
    return [[tf.Variable(array) for array in arrays] for arrays in lists]


# Training a network by gradient descent.


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


def jax_descent(layers: int, width: int, batch: int) -> Callable[[], Step]:
    def make() -> Step:
        weights, biases, x, y = jax.tree.map(jnp.asarray, mlp_arrays(layers, width, batch))
        parameters = (weights, biases)

        @jax.jit
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


def jax_adam() -> Step:
    weights, biases, x, y = jax.tree.map(jnp.asarray, mlp_arrays(3, 64, 32))
    parameters = (weights, biases)
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    state = (parameters, zeros, zeros, jnp.float32(0))

    @jax.jit
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


# Derivatives.


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


def jax_third() -> Step:
    derivative = jax.jit(jax.grad(jax.grad(jax.grad(lambda v: jnp.tanh(v * v) * v))))
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


def jax_second() -> Step:
    parameters = jax.tree.map(jnp.asarray, curve_arrays(32))
    x = jnp.asarray(curve_points())
    derivative = jax.jit(lambda parameters, x: jax_second_of_curve(parameters, x)[1])
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


def jax_equation() -> Step:
    parameters = jax.tree.map(jnp.asarray, curve_arrays(32))
    x = jnp.asarray(curve_points())
    force = jnp.asarray(np.pi**2 * np.sin(np.pi * curve_points()).astype(np.float32))

    def loss_of(parameters: Any, x: Any, force: Any) -> Any:
        u, u_xx = jax_second_of_curve(parameters, x)
        return jnp.mean((u_xx + force) ** 2) + u[0, 0] ** 2 + u[-1, 0] ** 2

    @jax.jit
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


def jax_jacobian() -> Step:
    matrix, x = (jnp.asarray(array) for array in vector_arrays())
    jacobian = jax.jit(jax.jacrev(lambda x, matrix: jnp.sin(matrix @ x) * x))
    return lambda: jacobian(x, matrix)


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


def jax_new_data() -> Step:
    weights, biases, _, _ = jax.tree.map(jnp.asarray, mlp_arrays(3, 64, 32))
    data = batches()
    gradients_of = jax.jit(jax.value_and_grad(jax_loss))
    return lambda: gradients_of((weights, biases), *next(data))


# A loop whose course Python decides by looking at values.


def loop_arrays() -> tuple[Any, Any, Any]:
    weights, _, x, _ = mlp_arrays(2, 64, 1)
    return weights[0], weights[1], x


def tf_loop(tf: Any, compiled: Any) -> Step:
    first, second, start = loop_arrays()
    first, second = tf.Variable(first), tf.Variable(second)
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


def jax_loop() -> Step:
    first, second, start = jax.tree.map(jnp.asarray, loop_arrays())

    @jax.jit
    def move(x: Any, first: Any, second: Any) -> Any:
        x = x + 0.5 * (jnp.tanh(x @ first) @ second)
        return x, jnp.sum(x * x)

    @jax.jit
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
    first, second = tf.Variable(first), tf.Variable(second)
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


WORKLOADS = (
    Workload("mlp_3x64", "MLP 3x64, batch 32, SGD step", tf_descent(3, 64, 32),
             jax_descent(3, 64, 32)),
    Workload("mlp_8x64", "MLP 8x64, batch 32, SGD step", tf_descent(8, 64, 32),
             jax_descent(8, 64, 32)),
    Workload("mlp_3x512", "MLP 3x512, batch 256, SGD step", tf_descent(3, 512, 256),
             jax_descent(3, 512, 256)),
    Workload("unlooked", "MLP 3x64, loss not looked at", tf_descent(3, 64, 32),
             jax_descent(3, 64, 32), every=False),
    Workload("adam", "MLP 3x64, Adam written on variables", tf_adam, jax_adam, tolerance=1e-3),
    Workload("third", "third derivative, nested tapes", tf_third, jax_third),
    Workload("second", "second derivative of an MLP, 256 points", tf_second, jax_second,
             tolerance=1e-3),
    Workload("equation", "training step on that (PINN)", tf_equation, jax_equation,
             tolerance=1e-3),
    Workload("jacobian", "Jacobian of a function of 32 numbers", tf_jacobian, jax_jacobian),
    Workload("new_data", "MLP 3x64 gradient, new batch each step", tf_new_data, jax_new_data),
    Workload("loop", "loop of 10, looked at in each iteration", tf_loop, jax_loop),
    Workload("taped_loop", "the same inside a tape, and its gradient", tf_taped_loop, None),
)  # fmt: skip
