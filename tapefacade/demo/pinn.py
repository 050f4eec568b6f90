"""Learns a travelling wave of Burgers' equation with a physics-informed neural network.

The network u(x, t) is trained to satisfy

    u_t + u u_x = nu u_xx,   -1 < x < 1,   0 < t < 1,

its initial values at t = 0 and its boundary values at x = -1 and x = 1. No value inside is ever
shown to it. The derivatives of the network come from nested tapes. The exact solution is known,
so the script can say how well it did.

This is plain, eager TensorFlow 2: it runs unmodified with TensorFlow and with tapefacade.
"""

import math
import time

import numpy as np
import tensorflow as tf

STEPS = 3000
REPORT_EVERY = 250
LEARNING_RATE = 1.2e-2
VISCOSITY = 0.05
WIDTH = 24
SIDE = 20  # the equation is enforced on a grid of SIDE x SIDE points

random = np.random.default_rng(1)


def exact(x, t):
    """The solution: a front that travels to the right at half the speed of the fluid behind it."""
    return 0.5 - 0.5 * np.tanh((x - 0.5 * t) / (4.0 * VISCOSITY))


def column(values):
    """The values as a float32 tensor of shape [N, 1]."""
    return tf.constant(np.reshape(values, (-1, 1)), dtype=tf.float32)


def grid(side_x, side_t):
    """Points spread evenly over the domain, as two columns."""
    x, t = np.meshgrid(np.linspace(-1.0, 1.0, side_x), np.linspace(0.0, 1.0, side_t))
    return column(x), column(t)


def given_values():
    """Points at the start and at both ends, and the solution there, as three columns."""
    start, ends = np.linspace(-1.0, 1.0, 80), np.linspace(0.0, 1.0, 40)
    x = np.concatenate([start, np.full(40, -1.0), np.full(40, 1.0)])
    t = np.concatenate([np.zeros(80), ends, ends])
    return column(x), column(t), column(exact(x, t))


def layer(inputs, outputs):
    """Weights, with Glorot's initial values, and bias of one layer."""
    scale = math.sqrt(2.0 / (inputs + outputs))
    weights = random.normal(0.0, scale, (inputs, outputs))
    return [tf.Variable(weights, dtype=tf.float32), tf.Variable(tf.zeros([outputs]))]


class Network:
    """A function u(x, t) with three hidden layers."""

    def __init__(self):
        self.hidden = [layer(2, WIDTH), layer(WIDTH, WIDTH), layer(WIDTH, WIDTH)]
        self.last = layer(WIDTH, 1)
        self.parameters = [v for one in [*self.hidden, self.last] for v in one]

    def __call__(self, x, t):
        """The values at columns of points."""
        values = tf.concat([x, t], axis=1)
        for weights, bias in self.hidden:
            values = tf.tanh(values @ weights + bias)
        weights, bias = self.last
        return values @ weights + bias


class Adam:
    """Adam (Kingma and Ba, 2014), with a short memory for the squares of the gradients."""

    def __init__(self, variables):
        self.variables = variables
        self.means = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.step = 0

    def apply(self, gradients, learning_rate):
        """Moves every variable by one step."""
        self.step += 1
        rate = learning_rate * math.sqrt(1.0 - 0.99**self.step) / (1.0 - 0.9**self.step)
        for v, m, s, g in zip(self.variables, self.means, self.squares, gradients, strict=True):
            m.assign_add(0.1 * (g - m))
            s.assign_add(0.01 * (tf.square(g) - s))
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-8))


def residual(network, x, t):
    """What is left of the equation at the points: zero where the network solves it."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch([x, t])
            u = network(x, t)
        u_x, u_t = inner.gradient(u, [x, t])
    u_xx = outer.gradient(u_x, x)
    return u_t + u * u_x - VISCOSITY * u_xx


def relative_error(network):
    """The distance to the exact solution on a finer grid, relative to the solution's norm."""
    x, t = grid(101, 51)
    difference = network(x, t).numpy() - exact(x.numpy(), t.numpy())
    return np.linalg.norm(difference) / np.linalg.norm(exact(x.numpy(), t.numpy()))


def train():
    """Trains the network and prints how it goes."""
    network = Network()
    optimizer = Adam(network.parameters)
    inside_x, inside_t = grid(SIDE, SIDE)
    given_x, given_t, given_u = given_values()
    seconds = 0.0
    for step in range(1, STEPS + 1):
        start = time.perf_counter()
        with tf.GradientTape() as tape:
            equation = tf.reduce_mean(tf.square(residual(network, inside_x, inside_t)))
            given = tf.reduce_mean(tf.square(network(given_x, given_t) - given_u))
            loss = equation + 3.0 * given
        gradients = tape.gradient(loss, network.parameters)
        optimizer.apply(gradients, 0.5 * LEARNING_RATE * (1.0 + math.cos(math.pi * step / STEPS)))
        loss = float(loss)
        took = time.perf_counter() - start
        if step == 1:
            print(f"first step: {took:.2f} s", flush=True)
        else:
            seconds += took
        if step % REPORT_EVERY == 0:
            error = relative_error(network)
            print(f"step {step:4d}   loss {loss:.2e}   relative error {error:.2e}", flush=True)
    print(f"the other steps: {seconds:.1f} s, {(STEPS - 1) / seconds:.0f} steps per second")
    print(f"final relative L2 error: {relative_error(network):.2e}")


if __name__ == "__main__":
    train()
