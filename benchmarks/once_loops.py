"""Loops for processes of their own: sequences of random lengths, and 10,000 iterations in a tape.

Nothing but NumPy is imported here, because memory is measured: a maker is given its package, and
returns a function that does the work and yields, for each part of it, numbers to compare.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

SEQUENCES, LONGEST, UNITS, BATCH = 200, 200, 16, 8
RATE = 0.1
ITERATIONS, TIME_STEP = 10_000, 1e-3

Work = Callable[[], Iterator[list[float]]]


def sequence_arrays() -> tuple[Any, list[Any]]:
    """Returns the weights of a recurrent network, and sequences of random lengths."""
    rng = np.random.default_rng(20)
    weights = (0.5 * rng.standard_normal((UNITS, UNITS)) / np.sqrt(UNITS)).astype(np.float32)
    lengths = rng.integers(1, LONGEST + 1, SEQUENCES)
    return weights, [
        rng.standard_normal((length, BATCH, UNITS)).astype(np.float32) for length in lengths
    ]


def tf_lengths(tf: Any, is_function: bool = False) -> Work:
    """A Python loop over the time; in `tf.function` a `tf.scan`, for all lengths one trace."""

    def loss_in_python(weights: Any, inputs: Any) -> Any:
        h, total = tf.zeros([BATCH, UNITS]), tf.constant(0.0)
        for x in tf.unstack(inputs):
            h = tf.tanh(h @ weights + x)
            total = total + tf.reduce_mean(tf.square(h))
        return total / float(inputs.shape[0])

    def loss_in_scan(weights: Any, inputs: Any) -> Any:
        start = tf.zeros([BATCH, UNITS])
        return tf.reduce_mean(
            tf.square(tf.scan(lambda h, x: tf.tanh(h @ weights + x), inputs, start))
        )

    loss_of = loss_in_scan if is_function else loss_in_python

    def run() -> Iterator[list[float]]:
        values, sequences = sequence_arrays()
        weights = tf.Variable(values)

        def step(inputs: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = loss_of(weights, inputs)
            weights.assign_sub(RATE * tape.gradient(loss, weights))
            return loss

        if is_function:
            every = [tf.TensorSpec([None, BATCH, UNITS], tf.float32)]
            step = tf.function(step, input_signature=every)
        for inputs in sequences:
            yield [float(step(tf.constant(inputs)).numpy())]

    return run


def jax_lengths(jax: Any, padded: bool = False) -> Work:
    """`lax.scan`, which is compiled for each length; or once, for padded sequences."""
    jnp = jax.numpy

    def loss_of(weights: Any, inputs: Any, length: Any) -> Any:
        def move(h: Any, row: Any) -> Any:
            x, number = row
            h = jnp.tanh(h @ weights + x)
            return h, jnp.where(number < length, jnp.mean(h**2), 0.0)

        rows = (inputs, jnp.arange(len(inputs)))
        return jnp.sum(jax.lax.scan(move, jnp.zeros((BATCH, UNITS)), rows)[1]) / length

    @jax.jit
    def update(weights: Any, inputs: Any, length: Any) -> Any:
        loss, gradient = jax.value_and_grad(loss_of)(weights, inputs, length)
        return loss, weights - RATE * gradient

    def run() -> Iterator[list[float]]:
        weights, sequences = sequence_arrays()
        for inputs in sequences:
            length = len(inputs)
            if padded:
                inputs = np.pad(inputs, ((0, LONGEST - length), (0, 0), (0, 0)))
            loss, weights = update(weights, inputs, float(length))
            yield [float(loss)]

    return run


def torch_lengths(torch: Any) -> Work:
    """A Python loop over the time."""

    def run() -> Iterator[list[float]]:
        values, sequences = sequence_arrays()
        weights = torch.tensor(values, requires_grad=True)
        optimizer = torch.optim.SGD([weights], RATE)
        for inputs in sequences:
            h, states = torch.zeros(BATCH, UNITS), []
            for x in torch.tensor(inputs):
                h = torch.tanh(h @ weights + x)
                states.append(h)
            loss = torch.stack(states).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield [loss.item()]

    return run


LENGTHS: dict[str, Callable[[Any], Work]] = {
    "tapefacade": tf_lengths,
    "its tf.function": functools.partial(tf_lengths, is_function=True),
    "TF eager": tf_lengths,
    "TF function": functools.partial(tf_lengths, is_function=True),
    "jax.jit": jax_lengths,
    "jax.jit, padded": functools.partial(jax_lengths, padded=True),
    "PyTorch eager": torch_lengths,
}

# A pendulum with friction by Euler's method: where it is at the end, and the gradient of that for
# what it is made of.
PENDULUM = (9.81, 0.25)


def tf_euler(tf: Any, is_function: bool = False) -> Work:
    """A Python loop; in `tf.function` a `tf.while_loop`."""
    gravity, friction = (tf.Variable(value) for value in PENDULUM)

    def move(angle: Any, speed: Any) -> tuple[Any, Any]:
        force = -gravity * tf.sin(angle) - friction * speed
        return angle + TIME_STEP * speed, speed + TIME_STEP * force

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            angle, speed = tf.constant(1.0), tf.constant(0.0)
            if is_function:
                _, angle, speed = tf.while_loop(
                    lambda i, angle, speed: i < ITERATIONS,
                    lambda i, angle, speed: (i + 1, *move(angle, speed)),
                    (tf.constant(0), angle, speed),
                    maximum_iterations=ITERATIONS,
                )
            else:
                for _ in range(ITERATIONS):
                    angle, speed = move(angle, speed)
            loss = tf.square(angle)
        return loss, *tape.gradient(loss, [gravity, friction])

    if is_function:
        gradient = tf.function(gradient)

    def run() -> Iterator[list[float]]:
        yield [float(number.numpy()) for number in gradient()]

    return run


def jax_euler(jax: Any) -> Work:
    """`lax.scan`, compiled."""
    jnp = jax.numpy

    def loss_of(parameters: Any) -> Any:
        def move(state: Any, _: Any) -> Any:
            angle, speed = state
            force = -parameters[0] * jnp.sin(angle) - parameters[1] * speed
            return (angle + TIME_STEP * speed, speed + TIME_STEP * force), None

        start = (jnp.float32(1.0), jnp.float32(0.0))
        return jax.lax.scan(move, start, length=ITERATIONS)[0][0] ** 2

    gradient = jax.jit(jax.value_and_grad(loss_of))

    def run() -> Iterator[list[float]]:
        loss, gradients = gradient(PENDULUM)
        yield [float(number) for number in (loss, *gradients)]

    return run


def torch_euler(torch: Any) -> Work:
    """A Python loop."""
    parameters = [torch.tensor(value, requires_grad=True) for value in PENDULUM]
    gravity, friction = parameters

    def run() -> Iterator[list[float]]:
        angle, speed = torch.tensor(1.0), torch.tensor(0.0)
        for _ in range(ITERATIONS):
            force = -gravity * torch.sin(angle) - friction * speed
            angle, speed = angle + TIME_STEP * speed, speed + TIME_STEP * force
        loss = angle.square()
        yield [number.item() for number in (loss, *torch.autograd.grad(loss, parameters))]

    return run


EULER: dict[str, Callable[[Any], Work]] = {
    "tapefacade": tf_euler,
    "its tf.function": functools.partial(tf_euler, is_function=True),
    "TF eager": tf_euler,
    "TF function": functools.partial(tf_euler, is_function=True),
    "jax.jit": jax_euler,
    "PyTorch eager": torch_euler,
}
