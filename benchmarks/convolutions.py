"""Convolutions, pools and resizing with their gradients: milliseconds here and in TensorFlow.

python benchmarks/convolutions.py

As functions. Both libraries take turns in one process; the least of 20 calls each counts.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

# Name: the shapes of the input and the filters, and the op.
CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], Callable[..., Any]]] = {
    "one pixel": ((8, 32, 32, 64), (1, 1, 64, 64), lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME")),
    "3 x 3": ((8, 32, 32, 32), (3, 3, 32, 32), lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME")),
    "5 x 5": ((8, 28, 28, 16), (5, 5, 16, 32), lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME")),
    "of colours": ((8, 64, 64, 3), (3, 3, 3, 32), lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME")),
    "volumes": (
        (4, 16, 16, 16, 8), (3, 3, 3, 8, 16),
        lambda tf, x, w: tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "SAME"),
    ),
    "8 groups": ((8, 16, 16, 64), (3, 3, 8, 64), lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME")),
    "depthwise": (
        (8, 32, 32, 64), (3, 3, 64, 1),
        lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"),
    ),
    "depthwise, 7 x 7": (
        (8, 28, 28, 64), (7, 7, 64, 1),
        lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"),
    ),
    "transposed": (
        (8, 32, 32, 64), (3, 3, 32, 64),
        lambda tf, x, w: tf.nn.conv2d_transpose(x, w, [8, 64, 64, 32], 2, "SAME"),
    ),
    "maxima of 2 x 2": (
        (16, 32, 32, 64), (64,), lambda tf, x, w: w * tf.nn.max_pool2d(x, 2, 2, "VALID"),
    ),
    "maxima of 3 x 3": (
        (16, 32, 32, 64), (64,), lambda tf, x, w: w * tf.nn.max_pool2d(x, 3, 1, "SAME"),
    ),
    "averages of 3 x 3": (
        (16, 32, 32, 64), (64,), lambda tf, x, w: w * tf.nn.avg_pool2d(x, 3, 1, "SAME"),
    ),
    "twice the size": (
        (16, 32, 32, 64), (64,), lambda tf, x, w: w * tf.image.resize(x, [64, 64]),
    ),
    "bicubic": (
        (16, 32, 32, 16), (16,), lambda tf, x, w: w * tf.image.resize(x, [48, 48], "bicubic"),
    ),
}  # fmt: skip
CALLS = 20
SECONDS_TO_COMPILE = 3.0


def step(tf: Any, call: Callable[..., Any], x: Any, w: Any) -> Callable[[], Any]:
    """Returns a function that computes one of them and its gradients."""
    x, w = tf.constant(x), tf.Variable(w)

    @tf.function
    def gradients() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(call(tf, x, w) ** 2)
        return tape.gradient(loss, [x, w])

    return lambda: [gradient.numpy() for gradient in gradients()]


def least(function: Callable[[], Any]) -> float:
    """Returns the milliseconds of the fastest call."""
    times = []
    for _ in range(CALLS):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def main() -> None:
    """Prints the table."""
    import tensorflow

    import tapefacade

    rng = np.random.default_rng(0)
    print(f"{'':18} {'here':>8} {'TensorFlow':>11} {'ratio':>6}")
    for name, (shape, filters, call) in CASES.items():
        arrays = [rng.normal(size=size).astype(np.float32) for size in (shape, filters)]
        steps = [step(tf, call, *arrays) for tf in (tapefacade, tensorflow)]
        for function in steps:
            for _ in range(3):
                function()
        time.sleep(SECONDS_TO_COMPILE)  # in the background
        here, there = map(least, steps)
        print(f"{name:18} {here:8.2f} {there:11.2f} {here / there:6.2f}")


if __name__ == "__main__":
    main()
