"""What one recorded op costs: microseconds for each op of a chain that was recorded before.

TensorFlow's column is the same Python code, there an executed op.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

CHAIN = 200  # less than what tapefacade lets pend


def unary(tf: Any) -> Callable[[], Any]:
    x = tf.constant(2.0)

    def chain() -> Any:
        y = x
        for _ in range(CHAIN):
            y = tf.tanh(y)
        return y

    return chain


def binary(tf: Any) -> Callable[[], Any]:
    x = tf.constant(2.0)

    def chain() -> Any:
        y = x
        for _ in range(CHAIN):
            y = y + x
        return y

    return chain


def with_scalar(tf: Any) -> Callable[[], Any]:
    x = tf.constant(2.0)

    def chain() -> Any:
        y = x
        for _ in range(CHAIN):
            y = y * 0.5
        return y

    return chain


def with_variable(tf: Any) -> Callable[[], Any]:
    x, v = tf.constant(2.0), tf.Variable(1.0)

    def chain() -> Any:
        y = x
        for _ in range(CHAIN):
            y = y + v
        return y

    return chain


def with_new_variables(tf: Any) -> Callable[[], Any]:
    x, many = tf.constant(2.0), [tf.Variable(1.0) for _ in range(CHAIN // 2)]

    def chain() -> Any:
        y = x
        for v in many:
            y = y + v
        return y

    chain.count = CHAIN // 2  # type: ignore[attr-defined]  # a read is an instruction, too
    return chain


def assignments(tf: Any) -> Callable[[], Any]:
    x, v = tf.constant(2.0), tf.Variable(1.0)

    def chain() -> Any:
        for _ in range(CHAIN // 2):
            v.assign_add(x)
        return v

    chain.count = CHAIN // 2  # type: ignore[attr-defined]
    return chain


MEASUREMENTS = {
    "unary": ("tf.tanh(x)", unary),
    "binary": ("x + y, two tensors", binary),
    "scalar": ("x * 0.5, a Python number", with_scalar),
    "read": ("x + v, a variable read before", with_variable),
    "first_read": ("x + v, a variable's first read", with_new_variables),
    "assign": ("v.assign_add(x)", assignments),
}


def measure(modules: dict[str, Any], rounds: int) -> dict[str, dict[str, Any]]:
    """Times every kind of op in turns.

    Args:
        modules: what plays TensorFlow, by name.
        rounds: how often.

    Returns:
        For each kind its title, and for each name the median in microseconds.
    """
    results: dict[str, dict[str, Any]] = {}
    for name, (title, make) in MEASUREMENTS.items():
        chains = {who: make(tf) for who, tf in modules.items()}
        times: dict[str, list[float]] = {who: [] for who in modules}
        for number in range(rounds + 2):
            for who, chain in chains.items():
                for _ in range(5):
                    start = time.perf_counter()
                    with modules[who].GradientTape():
                        result = chain()
                    seconds = time.perf_counter() - start
                    result.numpy()
                    if number >= 2:
                        times[who].append(seconds / getattr(chain, "count", CHAIN) * 1e6)
        medians = {who: round(statistics.median(values), 3) for who, values in times.items()}
        results[name] = {"title": title, "us": medians}
    return results
