"""Single ops, the 60 that programs use most: looked at one by one, and 20 after each other.

TensorFlow's column is the same Python code on eager tensors, JAX's the same ops in its words. An op
whose result has another shape than its argument is called 20 times on the argument, and the last
result is looked at.
"""

import functools
import statistics
import time
from collections.abc import Callable
from typing import Any

import dispatch_jax
import jax.numpy as jnp
import numpy as np
from dispatch_jax import ROWS

CHAIN = 20
CALLS = 40  # of one contestant in one turn

JAX = "JAX eager"

Op = Callable[[Any, Any], Any]
Way = tuple[Callable[[Any], Any], Any, Callable[[Any], Any]]

OPS: dict[str, Op] = {
    "x + x": lambda tf, x: x + x,
    "x - x": lambda tf, x: x - x,
    "x * x": lambda tf, x: x * x,
    "x / x": lambda tf, x: x / x,
    "x * 0.5": lambda tf, x: x * 0.5,
    "1.0 - x": lambda tf, x: 1.0 - x,
    "x ** 2": lambda tf, x: x**2,
    "-x": lambda tf, x: -x,
    "x > 0.5": lambda tf, x: x > 0.5,
    "x[0]": lambda tf, x: x[0],
    "x[:, 1:]": lambda tf, x: x[:, 1:],
    "x @ x^T": lambda tf, x: tf.matmul(x, x, transpose_b=True),
    "abs": lambda tf, x: tf.abs(x),
    "add": lambda tf, x: tf.add(x, x),
    "argmax": lambda tf, x: tf.argmax(x, axis=1),
    "cast": lambda tf, x: tf.cast(x, tf.float64),
    "clip_by_value": lambda tf, x: tf.clip_by_value(x, 0.2, 0.8),
    "concat": lambda tf, x: tf.concat([x, x], axis=0),
    "constant": lambda tf, x: tf.constant([1.0, 2.0, 3.0]),
    "convert_to_tensor": lambda tf, x: tf.convert_to_tensor(ROWS),
    "cos": lambda tf, x: tf.cos(x),
    "cumsum": lambda tf, x: tf.cumsum(x),
    "equal": lambda tf, x: tf.equal(x, x),
    "exp": lambda tf, x: tf.exp(x),
    "expand_dims": lambda tf, x: tf.expand_dims(x, 0),
    "gather": lambda tf, x: tf.gather(x, [0, 2]),
    "identity": lambda tf, x: tf.identity(x),
    "log": lambda tf, x: tf.math.log(x),
    "maximum": lambda tf, x: tf.maximum(x, 0.5),
    "multiply": lambda tf, x: tf.multiply(x, x),
    "nn.relu": lambda tf, x: tf.nn.relu(x),
    "nn.sigmoid": lambda tf, x: tf.nn.sigmoid(x),
    "nn.softmax": lambda tf, x: tf.nn.softmax(x),
    "nn.softplus": lambda tf, x: tf.nn.softplus(x),
    "nn.tanh": lambda tf, x: tf.nn.tanh(x),
    "norm": lambda tf, x: tf.norm(x),
    "one_hot": lambda tf, x: tf.one_hot([0, 1, 2], 4),
    "ones_like": lambda tf, x: tf.ones_like(x),
    "pad": lambda tf, x: tf.pad(x, [[0, 0], [1, 1]]),
    "random.normal": lambda tf, x: tf.random.normal([8, 12]),
    "random.uniform": lambda tf, x: tf.random.uniform([8, 12]),
    "range": lambda tf, x: tf.range(10),
    "reduce_max": lambda tf, x: tf.reduce_max(x, axis=1),
    "reduce_mean": lambda tf, x: tf.reduce_mean(x),
    "reduce_sum": lambda tf, x: tf.reduce_sum(x, axis=0),
    "reshape": lambda tf, x: tf.reshape(x, [12, 8]),
    "shape": lambda tf, x: tf.shape(x),
    "sign": lambda tf, x: tf.sign(x),
    "sin": lambda tf, x: tf.sin(x),
    "split": lambda tf, x: tf.split(x, 2)[0],
    "sqrt": lambda tf, x: tf.sqrt(x),
    "square": lambda tf, x: tf.square(x),
    "squeeze": lambda tf, x: tf.squeeze(x),
    "stack": lambda tf, x: tf.stack([x, x]),
    "stop_gradient": lambda tf, x: tf.stop_gradient(x),
    "tile": lambda tf, x: tf.tile(x, [1, 2]),
    "transpose": lambda tf, x: tf.transpose(x),
    "where": lambda tf, x: tf.where(x > 0.5, x, 0.0),
    "zeros": lambda tf, x: tf.zeros([8, 12]),
    "zeros_like": lambda tf, x: tf.zeros_like(x),
}


def ways(modules: dict[str, Any], name: str) -> dict[str, Way]:
    """Returns for each contestant the op, its argument, and what looks at a result."""
    found: dict[str, Way] = {
        who: (functools.partial(OPS[name], tf), tf.constant(ROWS), lambda result: result.numpy())
        for who, tf in modules.items()
    }
    if name in dispatch_jax.OPS:
        found[JAX] = dispatch_jax.OPS[name], jnp.asarray(ROWS), np.asarray
    return found


def alone(way: Way) -> Callable[[], Any]:
    """Makes a function that computes one op and looks at it."""
    op, x, look = way
    return lambda: look(op(x))


def chained(way: Way) -> Callable[[], Any]:
    """Makes a function that computes 20 of an op and looks at the last."""
    op, x, look = way
    first = op(x)
    feeds = getattr(first, "dtype", None) == x.dtype and first.shape == x.shape

    def run() -> Any:
        result = x
        for _ in range(CHAIN):
            result = op(result if feeds else x)
        return look(result)

    return run


def measure(modules: dict[str, Any], rounds: int) -> dict[str, dict[str, Any]]:
    """Times every op in turns.

    Args:
        modules: what plays TensorFlow, by name; the others are compared with the first.
        rounds: how often.

    Returns:
        For each op, alone and chained, the medians in microseconds, and the first one's time
        divided by TensorFlow's and by JAX's.
    """
    results: dict[str, dict[str, Any]] = {}
    for name in OPS:
        found = ways(modules, name)
        _check(found, name)
        results[name] = {
            "alone": _times({who: alone(way) for who, way in found.items()}, rounds, CALLS),
            "chained": _times(
                {who: chained(way) for who, way in found.items()}, rounds, CALLS // 4
            ),
        }
    return results


def summary(results: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Returns what the figures come to: medians, the worst, and how many are slower."""
    alone_, chained_ = (
        [r[kind]["ratio"] for r in results.values()] for kind in ("alone", "chained")
    )
    return {
        "median_alone": statistics.median(alone_),
        "worst_alone": max(alone_),
        "slower_alone": sum(ratio > 1 for ratio in alone_),
        "median_chained": statistics.median(chained_),
        "worst_chained": max(chained_),
    }


def _check(found: dict[str, Way], name: str) -> None:
    first, *others = (alone(way)() for way in found.values())
    for other in others:
        if name.startswith("random."):
            assert other.shape == first.shape
        else:
            np.testing.assert_allclose(other, first, rtol=1e-5, err_msg=name)


def _times(runs: dict[str, Callable[[], Any]], rounds: int, calls: int) -> dict[str, Any]:
    times: dict[str, list[float]] = {who: [] for who in runs}
    for number in range(rounds + 2):
        for who, run in runs.items():
            start = time.perf_counter()
            for _ in range(calls):
                run()
            if number >= 2:
                times[who].append((time.perf_counter() - start) / calls * 1e6)
    ours, *others = times.values()
    ratios = [
        round(statistics.median(a / b for a, b in zip(ours, theirs, strict=True)), 3)
        for theirs in others
    ]
    return {
        "us": {who: round(statistics.median(values), 2) for who, values in times.items()},
        **dict(zip(("ratio", "ratio_jax"), ratios, strict=False)),
    }
