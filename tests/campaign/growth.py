"""The memory of a long process: training with shapes, functions and models that change.

What programs leave behind is bounded: after a warm-up the process grows by no more than `LIMIT`.
"""

import gc
import os
import time
from collections.abc import Iterator

import numpy as np

COUNT = 1800  # seconds
SHORT_COUNT = 20
MIB = 1 << 20
LIMIT = 600 * MIB


def resident() -> int:
    """Returns the bytes of this process that are in memory."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def step(tf, rng, number: int) -> None:
    """One step whose shapes are new, in a function that is new."""
    width, rows = int(rng.integers(4, 200)), int(rng.integers(1, 300))
    w = tf.Variable(rng.normal(size=(width, 8)).astype(np.float32))

    @tf.function
    def loss(x):
        return tf.reduce_mean(tf.square(tf.tanh(x @ w)))

    x = rng.normal(size=(rows, width)).astype(np.float32)
    for run in (loss, loss.python_function):
        with tf.GradientTape() as tape:
            value = run(x)
        w.assign_sub(0.1 * tape.gradient(value, w))
    w.numpy()


def run(seconds: int, seed: int) -> Iterator[tuple[str, bool]]:
    """Yields the growth by the minute, and whether it is too large at the end."""
    import tapefacade as tf

    rng = np.random.default_rng(seed)
    started, number, warm = time.monotonic(), 0, 0
    told = 60.0
    while (passed := time.monotonic() - started) < seconds:
        step(tf, rng, number)
        number += 1
        if not warm and passed > seconds / 3:
            warm = resident()
        if passed > told:
            yield f"{passed:.0f} s, {number} steps: {resident() / MIB:.0f} MiB", False
            told += 60.0
    grown = resident() - warm
    text = f"{number} steps, {grown / MIB:.0f} MiB more in the last two thirds of {seconds} s"
    yield text, grown > LIMIT
