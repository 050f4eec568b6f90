"""Training steps of Keras models, in loops of one's own: tapefacade and TensorFlow side by side.

python benchmarks/keras_models.py [--rounds N] [--json PATH]

Keras has one backend in a process, so every contestant has processes of its own; they take turns.
"""

import argparse
import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

ROUNDS = 5
ROUND_SECONDS = 1.0
FIRST_STEPS = 3
TOLERANCE = 1e-3
CONTESTANTS = {
    "tapefacade": ("tapefacade", False),
    "its tf.function": ("tapefacade", True),
    "TF eager": ("tensorflow", False),
    "TF function": ("tensorflow", True),
}


def tf_keras(model_of: Callable[[Any], Any], shape: tuple[int, ...]) -> Callable[..., Any]:
    """Makes the maker of a step: forward, gradient, Adam."""

    def make(tf: Any, compiled: Any) -> Callable[[], Any]:
        rng = np.random.default_rng(5)
        model = model_of(tf)
        model.build((None, *shape[1:]))
        model.set_weights([_weights(rng, value) for value in model.get_weights()])
        x = tf.constant(rng.standard_normal(shape).astype(np.float32))
        y = tf.constant(rng.integers(0, 10, shape[0]))
        entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        optimizer = tf.keras.optimizers.Adam(1e-3)
        optimizer.build(model.trainable_variables)

        @compiled
        def step() -> Any:
            with tf.GradientTape() as tape:
                loss = entropy(y, model(x, training=True))
            variables = model.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables, strict=True))
            return loss

        return step

    return make


def _weights(rng: np.random.Generator, value: Any) -> Any:
    if value.ndim < 2:
        return value
    return 0.2 * rng.standard_normal(value.shape).astype(value.dtype)


def _perceptron(tf: Any) -> Any:
    layers = tf.keras.layers
    hidden = [layers.Dense(64, activation="tanh") for _ in range(3)]
    return tf.keras.Sequential([*hidden, layers.Dense(10)])


def _convolutional(tf: Any) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential([
        layers.Conv2D(16, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Conv2D(32, 3, activation="relu"), layers.BatchNormalization(),
        layers.MaxPooling2D(), layers.Flatten(), layers.Dense(64, activation="relu"),
        layers.Dense(10),
    ])  # fmt: skip


def _recurrent(tf: Any) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential([layers.LSTM(32), layers.Dense(10)])


# Name: title, maker of the step.
MODELS = {
    "keras_mlp": ("Keras MLP 3x64, batch 32, Adam", tf_keras(_perceptron, (32, 16))),
    "keras_cnn": ("Keras CNN, batch 32, Adam", tf_keras(_convolutional, (32, 28, 28, 1))),
    "keras_lstm": ("Keras LSTM 32, 20 times, batch 16, Adam", tf_keras(_recurrent, (16, 20, 8))),
}


def taking_steps(name: str, module: str, is_compiled: bool) -> dict[str, Any]:
    """Runs in a process of its own; returns the first losses and the seconds of a step."""
    tf = importlib.import_module(module)
    step = MODELS[name][1](tf, tf.function if is_compiled else lambda function: function)
    start = time.perf_counter()
    losses = [float(step().numpy()) for _ in range(FIRST_STEPS)]
    first = time.perf_counter() - start
    times = []
    end = time.perf_counter() + ROUND_SECONDS
    while time.perf_counter() < end or len(times) < FIRST_STEPS:
        start = time.perf_counter()
        step().numpy()
        times.append(time.perf_counter() - start)
    return {"losses": losses, "first": first, "step": statistics.median(times)}


def in_process(name: str, module: str, is_compiled: bool) -> dict[str, Any]:
    """Calls `taking_steps` in a new interpreter."""
    backend = "tensorflow" if module == "tensorflow" else "jax"
    done = subprocess.run(
        [sys.executable, __file__, "--contestant", name, module, str(int(is_compiled))],
        capture_output=True, text=True, check=True,
        env={**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


def measure(rounds: int = ROUNDS) -> dict[str, Any]:
    """Returns the median seconds of a step, of all models and contestants.

    Raises:
        AssertionError: if the losses of the first steps differ.
    """
    results: dict[str, Any] = {}
    for name, (title, _) in MODELS.items():
        runs: dict[str, list[Any]] = {contestant: [] for contestant in CONTESTANTS}
        for _ in range(rounds):
            for contestant, setting in CONTESTANTS.items():
                runs[contestant].append(in_process(name, *setting))
        expected = runs["TF eager"][0]["losses"]
        for contestant, found in runs.items():
            np.testing.assert_allclose(found[0]["losses"], expected, TOLERANCE, err_msg=contestant)
        results[name] = {
            "title": title,
            "contestants": {
                contestant: {
                    key: statistics.median(run[key] for run in found) for key in ("step", "first")
                }
                for contestant, found in runs.items()
            },
        }
    return results


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="turns of each contestant")
    parser.add_argument("--json", type=pathlib.Path, help="where to put the results")
    parser.add_argument("--contestant", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contestant:
        name, module, is_compiled = arguments.contestant
        print(json.dumps(taking_steps(name, module, is_compiled == "1")))
        return
    results = measure(arguments.rounds)
    for found in results.values():
        print(found["title"])
        for contestant, times in found["contestants"].items():
            step, first = times["step"], times["first"]
            print(f"  {contestant:16} {1e6 * step:9.0f} us   first {FIRST_STEPS}: {first:.2f} s")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
