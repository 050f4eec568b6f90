"""Physics-informed networks (PINNs): training on derivatives of the network's input.

Burgers' equation, as in Raissi, Perdikaris and Karniadakis (2019), doi:10.1016/j.jcp.2018.10.045,
and a simply supported Euler-Bernoulli beam. A step takes the gradient of the loss for all
parameters and descends. The derivatives are written twice for JAX: by nested `jax.grad`, the same
mathematics as nested tapes, and by nested `jax.jvp`, which is cheaper for few inputs.
"""

import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from networks import Step, jax_network, tf_network, variables

POINTS = 2000
SIDE_POINTS = 100  # initial ones, and as many on the boundary
LAYERS, WIDTH = 4, 64
RATE = 1e-3
VISCOSITY = 0.01 / np.pi


def point_network(inputs: int) -> tuple[list[Any], list[Any]]:
    """Returns the weights and biases of a network that gives each point one number."""
    rng = np.random.default_rng(4)
    sizes = [inputs, *[WIDTH] * LAYERS, 1]
    weights = [
        (rng.standard_normal(shape) * np.sqrt(2 / sum(shape))).astype(np.float32)
        for shape in itertools.pairwise(sizes)
    ]
    return weights, [np.zeros(size, np.float32) for size in sizes[1:]]


def tf_descend(tape: Any, loss: Any, parameters: Any) -> None:
    """Takes the gradient and a step down, in TensorFlow's words."""
    gradients = tape.gradient(loss, parameters)
    for variable, gradient in zip(parameters, gradients, strict=True):
        if gradient is not None:  # no derivative depends on the last bias
            variable.assign_sub(RATE * gradient)


def jax_step(compiled: Any, loss_of: Callable[..., Any], parameters: Any, data: Any) -> Step:
    """Makes a step of `loss_of(parameters, *data)`, one compiled function."""
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


def reverse(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Differentiates a function that treats every point alike, from the results back."""
    return jax.grad(lambda x: jnp.sum(function(x)))


def forward(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Differentiates such a function along with its values."""
    return lambda x: jax.jvp(function, (x,), (jnp.ones_like(x),))[1]


# Burgers' equation: u_t + u u_x = viscosity u_xx on [-1, 1], u = -sin(pi x) at the start, 0 at the
# ends.


def burgers_data() -> tuple[Any, ...]:
    """Returns t and x of the points within, and t, x and u of those at the start and the ends."""
    rng = np.random.default_rng(5)
    t, x = rng.uniform((0, -1), 1, (POINTS, 2)).T
    t0, x0 = np.zeros(SIDE_POINTS), rng.uniform(-1, 1, SIDE_POINTS)
    tb, xb = rng.uniform(0, 1, SIDE_POINTS), np.repeat([-1, 1], SIDE_POINTS // 2)
    columns = (t, x, t0, x0, -np.sin(np.pi * x0), tb, xb, np.zeros(SIDE_POINTS))
    return tuple(column.astype(np.float32)[:, None] for column in columns)


def tf_burgers(tf: Any, compiled: Any) -> Step:
    weights, biases = variables(tf, *point_network(2))
    t, x, t0, x0, u0, tb, xb, ub = (tf.constant(column) for column in burgers_data())

    def network(t: Any, x: Any) -> Any:
        return tf_network(tf, weights, biases, tf.concat([t, x], axis=1))

    def residual() -> Any:
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as inner:
                inner.watch(t)
                inner.watch(x)
                u = network(t, x)
            u_t = inner.gradient(u, t)
            u_x = inner.gradient(u, x)
        u_xx = outer.gradient(u_x, x)
        return u_t + u * u_x - VISCOSITY * u_xx

    @compiled
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(residual()))
            loss += tf.reduce_mean(tf.square(network(t0, x0) - u0))
            loss += tf.reduce_mean(tf.square(network(tb, xb) - ub))
        tf_descend(tape, loss, weights + biases)
        return loss

    return step


def burgers_loss(derivatives: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the loss, given what computes (u, u_t, u_x, u_xx) of a network u(t, x)."""

    def loss_of(
        parameters: Any, t: Any, x: Any, t0: Any, x0: Any, u0: Any, tb: Any, xb: Any, ub: Any
    ) -> Any:
        def network(t: Any, x: Any) -> Any:
            return jax_network(*parameters, jnp.concatenate([t, x], axis=1))

        u, u_t, u_x, u_xx = derivatives(network, t, x)
        residual = u_t + u * u_x - VISCOSITY * u_xx
        start, ends = network(t0, x0) - u0, network(tb, xb) - ub
        return jnp.mean(residual**2) + jnp.mean(start**2) + jnp.mean(ends**2)

    return loss_of


def burgers_reverse(network: Any, t: Any, x: Any) -> tuple[Any, ...]:
    """Computes the derivatives by `jax.grad`: one way back gives both the first ones."""

    def first(t: Any, x: Any) -> tuple[Any, Any, Any]:
        u, pull_back = jax.vjp(network, t, x)
        return u, *pull_back(jnp.ones_like(u))

    def second(x: Any) -> tuple[Any, Any]:
        u, u_t, u_x = first(t, x)
        return jnp.sum(u_x), (u, u_t, u_x)

    u_xx, (u, u_t, u_x) = jax.grad(second, has_aux=True)(x)
    return u, u_t, u_x, u_xx


def burgers_forward(network: Any, t: Any, x: Any) -> tuple[Any, ...]:
    """Computes the derivatives by `jax.jvp`."""
    ones = jnp.ones_like(x)

    def along_x(x: Any) -> tuple[Any, Any]:
        return jax.jvp(lambda x: network(t, x), (x,), (ones,))

    (u, u_x), (_, u_xx) = jax.jvp(along_x, (x,), (ones,))
    u_t = jax.jvp(lambda t: network(t, x), (t,), (ones,))[1]
    return u, u_t, u_x, u_xx


def jax_burgers(compiled: Any) -> Step:
    return jax_step(compiled, burgers_loss(burgers_reverse), point_network(2), burgers_data())


def jax_burgers_forward(compiled: Any) -> Step:
    return jax_step(compiled, burgers_loss(burgers_forward), point_network(2), burgers_data())


# A beam under a load q on [0, 1]: w'''' = q, and w = w'' = 0 at both ends.


def beam_data() -> tuple[Any, Any, Any]:
    """Returns the points within, the load there, and the ends."""
    x = np.random.default_rng(6).uniform(0, 1, (POINTS, 1))
    ends = np.array([[0], [1]])
    return x.astype(np.float32), np.sin(np.pi * x).astype(np.float32), ends.astype(np.float32)


def tf_beam(tf: Any, compiled: Any) -> Step:
    weights, biases = variables(tf, *point_network(1))
    x, load, ends = (tf.constant(array) for array in beam_data())

    def second(x: Any) -> tuple[Any, Any]:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                w = tf_network(tf, weights, biases, x)
            w_x = inner.gradient(w, x)
        return w, outer.gradient(w_x, x)

    def fourth(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                _, w_xx = second(x)
            w_xxx = inner.gradient(w_xx, x)
        return outer.gradient(w_xxx, x)

    @compiled
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(fourth(x) - load))
            w, w_xx = second(ends)
            loss += tf.reduce_mean(tf.square(w)) + tf.reduce_mean(tf.square(w_xx))
        tf_descend(tape, loss, weights + biases)
        return loss

    return step


def beam_loss(derivative: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the loss, given what differentiates a function of the points."""

    def loss_of(parameters: Any, x: Any, load: Any, ends: Any) -> Any:
        def network(x: Any) -> Any:
            return jax_network(*parameters, x)

        second = derivative(derivative(network))
        fourth = derivative(derivative(second))
        residual, w, w_xx = fourth(x) - load, network(ends), second(ends)
        return jnp.mean(residual**2) + jnp.mean(w**2) + jnp.mean(w_xx**2)

    return loss_of


def jax_beam(compiled: Any) -> Step:
    return jax_step(compiled, beam_loss(reverse), point_network(1), beam_data())


def jax_beam_forward(compiled: Any) -> Step:
    return jax_step(compiled, beam_loss(forward), point_network(1), beam_data())
