"""One epoch over 60,000 rows of 784 numbers in batches of 128, by `tf.data`.

    python benchmarks/data.py [--rounds N]

TensorFlow's pipelines are the same Python code. A row of the table is an epoch: every batch is
handed to Python as a tensor, nothing is computed with it. Before anything is timed the batches of
both are compared: with the same seeds they are the same.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before TensorFlow is imported

import numpy as np

ROWS, WIDTH, BATCH = 60_000, 784, 128
GENERATED, PYTHON = 6_000, 3_000
ROUNDS = 7

Make = Callable[[Any], Any]


def arrays() -> tuple[np.ndarray, np.ndarray]:
    """Returns rows of bytes, as images have them, and labels."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 256, (ROWS, WIDTH), dtype=np.uint8)
    return x, rng.integers(0, 10, ROWS)


BYTES, LABELS = arrays()
FLOATS = (BYTES / 255).astype(np.float32)


def slices(tf: Any, x: np.ndarray) -> Any:
    return tf.data.Dataset.from_tensor_slices((x, LABELS[: len(x)]))


def normalise(tf: Any) -> Callable[..., Any]:
    return lambda x, y: (tf.cast(x, tf.float32) / 255.0, y)


def flipped(tf: Any) -> Callable[..., Any]:
    def change(x: Any, y: Any) -> Any:
        image = tf.reshape(tf.cast(x, tf.float32), [28, 28, 1])
        image = tf.image.random_flip_left_right(image)
        return image + tf.random.normal([28, 28, 1]), y

    return change


def generated(tf: Any) -> Any:
    def rows() -> Any:
        for number in range(GENERATED):
            yield FLOATS[number], LABELS[number]

    types = (tf.TensorSpec([WIDTH], tf.float32), tf.TensorSpec([], tf.int64))
    return tf.data.Dataset.from_generator(rows, output_signature=types)


def with_python(tf: Any) -> Any:
    def python(x: Any) -> Any:
        return tf.numpy_function(lambda v: v[::-1].copy(), [x], tf.uint8)

    return tf.data.Dataset.from_tensor_slices(BYTES[:PYTHON]).map(python)


# Epochs that are compared and timed; what is "not compared" draws random numbers.
PIPELINES: dict[str, Make] = {
    "slices, shuffle(60,000), batch, prefetch": lambda tf: (
        slices(tf, FLOATS).shuffle(ROWS, seed=1).batch(BATCH).prefetch(tf.data.AUTOTUNE)
    ),
    "slices, shuffle(10,000), batch, prefetch": lambda tf: (
        slices(tf, FLOATS).shuffle(10_000, seed=1).batch(BATCH).prefetch(tf.data.AUTOTUNE)
    ),
    "slices, batch": lambda tf: slices(tf, FLOATS).batch(BATCH),
    "slices, map(normalise), shuffle, batch, prefetch": lambda tf: (
        slices(tf, BYTES)
        .map(normalise(tf), num_parallel_calls=tf.data.AUTOTUNE)
        .shuffle(10_000, seed=1)
        .batch(BATCH)
        .prefetch(tf.data.AUTOTUNE)
    ),
    "slices, shuffle, batch, map(normalise), prefetch": lambda tf: (
        slices(tf, BYTES)
        .shuffle(10_000, seed=1)
        .batch(BATCH)
        .map(normalise(tf), num_parallel_calls=tf.data.AUTOTUNE)
        .prefetch(tf.data.AUTOTUNE)
    ),
    "6,000 rows, map(flip, noise), batch": lambda tf: (
        slices(tf, BYTES[:6_000]).map(flipped(tf)).batch(BATCH)
    ),
    "6,000 rows of a generator, batch": lambda tf: generated(tf).batch(BATCH),
    "3,000 rows, map(numpy_function), batch": lambda tf: with_python(tf).batch(BATCH),
    "20,000 elements, one by one": lambda tf: slices(tf, FLOATS[:20_000]),
}
RANDOM = ("6,000 rows, map(flip, noise), batch",)


def first_batches(tf: Any, make: Make, count: int = 3) -> list[Any]:
    """Returns the first batches of an epoch, as arrays."""
    tf.random.set_seed(1)
    found = []
    for element in make(tf).take(count):
        parts = element if isinstance(element, tuple) else (element,)
        found += [part.numpy() for part in parts]
    return found


def check(modules: dict[str, Any], name: str) -> None:
    """Compares what the pipelines give.

    Raises:
        AssertionError: if it differs.
    """
    if name in RANDOM:
        return
    wanted, *others = [first_batches(tf, PIPELINES[name]) for tf in modules.values()]
    for found in others:
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, err_msg=name)


def epoch(dataset: Any) -> float:
    """Reads everything; returns the seconds."""
    start = time.perf_counter()
    for _ in dataset:
        pass
    return time.perf_counter() - start


def measure(modules: dict[str, Any], rounds: int = ROUNDS) -> dict[str, dict[str, Any]]:
    """Times the pipelines in turns.

    Args:
        modules: what plays TensorFlow, by name; the first is compared with the others.
        rounds: how often.

    Returns:
        For each pipeline the medians in milliseconds by name, and under "ratio" the first one's
        time divided by the second one's, the median over the rounds.
    """
    results: dict[str, dict[str, Any]] = {}
    for name, make in PIPELINES.items():
        check(modules, name)
        datasets = {who: make(tf) for who, tf in modules.items()}
        times: dict[str, list[float]] = {who: [] for who in datasets}
        for dataset in datasets.values():
            epoch(dataset)  # compiles
        for _ in range(rounds):
            for who, dataset in datasets.items():
                times[who].append(epoch(dataset) * 1e3)
        results[name] = {who: round(statistics.median(found), 2) for who, found in times.items()}
        first, *others = times.values()
        if others:
            ratios = [a / b for a, b in zip(first, others[0], strict=True)]
            results[name]["ratio"] = round(statistics.median(ratios), 4)
    return results


def text(results: dict[str, dict[str, Any]]) -> str:
    """Returns a table."""
    names = [name for name in next(iter(results.values())) if name != "ratio"]
    lines = [f"{'ms per epoch':50}" + "".join(f"{name:>13}" for name in names) + f"{'ratio':>9}"]
    for pipeline, found in results.items():
        figures = "".join(f"{found[name]:13.1f}" for name in names)
        lines.append(f"{pipeline:50}{figures}{found.get('ratio', float('nan')):9.2f}")
    return "\n".join(lines)


def main() -> None:
    """Measures and prints."""
    import tensorflow

    import tapefacade

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="epochs of each")
    arguments = parser.parse_args()
    print(text(measure({"tapefacade": tapefacade, "TensorFlow": tensorflow}, arguments.rounds)))


if __name__ == "__main__":
    main()
