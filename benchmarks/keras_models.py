"""Training steps of Keras models: loops of one's own by tapefacade and TensorFlow, and JAX's `fit`.

    python benchmarks/keras_models.py [--rounds N]

Keras has one backend in a process, so every contestant has a process of its own; they take turns.
The loops are the same code; `Keras on JAX` calls `fit` of the same model with the same weights.
"""

import argparse
import importlib
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from many import many_arrays
from remote import Remote, Worker
from timing import Contestant, Results, compare, side_by_side

ROUNDS = 5
CHECKED_STEPS = 3
TOLERANCE = 1e-3
FIT_STEPS = 50  # at least, in a call of `fit`, which has work of its own at its beginning
RATE = 1e-3
FIT = "Keras on JAX, fit"
# Name: module, Keras' backend, and how its `function` compiles.
CONTESTANTS: dict[str, tuple[str, str, dict[str, bool] | None]] = {
    "tapefacade": ("tapefacade", "jax", None),
    "its tf.function": ("tapefacade", "jax", {}),
    "TF eager": ("tensorflow", "tensorflow", None),
    "TF function": ("tensorflow", "tensorflow", {}),
    "TF function, XLA": ("tensorflow", "tensorflow", {"jit_compile": True}),
    FIT: ("keras", "jax", None),
}


def _weights(rng: np.random.Generator, value: Any) -> Any:
    if value.ndim < 2:
        return value
    return 0.2 * rng.standard_normal(value.shape).astype(value.dtype)


def _perceptron(keras: Any) -> Any:
    layers = keras.layers
    hidden = [layers.Dense(64, activation="tanh") for _ in range(3)]
    return keras.Sequential([*hidden, layers.Dense(10)])


def _convolutional(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential([
        layers.Conv2D(16, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Conv2D(32, 3, activation="relu"), layers.BatchNormalization(),
        layers.MaxPooling2D(), layers.Flatten(), layers.Dense(64, activation="relu"),
        layers.Dense(10),
    ])  # fmt: skip


def _recurrent(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential([layers.LSTM(32), layers.Dense(10)])


def _transformer(keras: Any) -> Any:
    layers = keras.layers
    x = inputs = layers.Input((16, 32))
    normed = layers.LayerNormalization()(x)
    x = layers.Add()([x, layers.MultiHeadAttention(4, 8)(normed, normed)])
    wide = layers.Dense(128, activation="gelu")(layers.LayerNormalization()(x))
    x = layers.Add()([x, layers.Dense(32)(wide)])
    return keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))


# Name: title, maker of the model, and the shape of its inputs.
MODELS = {
    "keras_mlp": ("Keras MLP 3x64, batch 32, Adam", _perceptron, (32, 16)),
    "keras_cnn": ("Keras CNN, batch 32, Adam", _convolutional, (32, 28, 28, 1)),
    "keras_lstm": ("Keras LSTM 32, 20 times, batch 16, Adam", _recurrent, (16, 20, 8)),
    "keras_transformer": ("Keras transformer block, 8 x 16, Adam", _transformer, (8, 16, 32)),
    "keras_variables": ("500 variables of 8 numbers, Keras' Adam", None, (500, 8)),
}


def drawn(name: str, keras: Any) -> tuple[Any, Any, Any]:
    """Makes a model with its weights, and a batch."""
    _, model_of, shape = MODELS[name]
    rng = np.random.default_rng(5)
    model = model_of(keras)
    if not model.built:
        model.build((None, *shape[1:]))
    model.set_weights([_weights(rng, value) for value in model.get_weights()])
    x = rng.standard_normal(shape).astype(np.float32)
    return model, x, rng.integers(0, 10, shape[0])


def taped(name: str, tf: Any, compiled: Callable[[Any], Any]) -> Callable[[], Any]:
    """Makes a step: forward, gradient, Adam."""
    model, x, y = drawn(name, tf.keras)
    x, y = tf.constant(x), tf.constant(y)
    entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam(RATE)
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


def taped_variables(tf: Any, compiled: Callable[[Any], Any]) -> Callable[[], Any]:
    """Makes a step of Adam on many small variables that belong to no model."""
    values, wanted = many_arrays()
    variables, wanted = [tf.Variable(value) for value in values], tf.constant(wanted)
    optimizer = tf.keras.optimizers.Adam(RATE)
    optimizer.build(variables)

    @compiled
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.stack(variables) - wanted))
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


class Fitting(Contestant):
    """A model that is trained by `fit`."""

    def __init__(self, name: str, workload: str) -> None:
        super().__init__(name, lambda: None, lambda result: result)
        keras = importlib.import_module("keras")
        self._model, self._x, self._y = drawn(workload, keras)
        entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self._model.compile(keras.optimizers.Adam(RATE), entropy)
        self._repeated = [np.concatenate([a] * FIT_STEPS) for a in (self._x, self._y)]

    def _fit(self, x: Any, y: Any, epochs: int) -> Any:
        done = self._model.fit(
            x, y, batch_size=len(self._x), epochs=epochs, shuffle=False, verbose=0
        )
        return done.history["loss"]

    def results(self, steps: int) -> Results:
        """Trains for some epochs of one batch; returns their losses."""
        return [[np.asarray(loss)] for loss in self._fit(self._x, self._y, steps)]

    def run(self, count: int) -> float:
        """Trains for whole epochs; returns the seconds that `count` steps take."""
        epochs = max(1, round(count / FIT_STEPS))
        start = time.perf_counter()
        self._fit(*self._repeated, epochs)
        return (time.perf_counter() - start) * count / (epochs * FIT_STEPS)


def contestant(name: str, workload: str, every: bool) -> Contestant:
    """Makes a contestant; called in its process."""
    if name == FIT:
        return Fitting(name, workload)
    module, _, options = CONTESTANTS[name]
    tf = importlib.import_module(module)
    compiled = (lambda f: f) if options is None else lambda f: tf.function(f, **options)
    if MODELS[workload][1] is None:
        step = taped_variables(tf, compiled)
    else:
        step = taped(workload, tf, compiled)
    return Contestant(name, step, lambda loss: [loss.numpy()], every)


def measure(rounds: int = ROUNDS) -> dict[str, Any]:
    """Returns the times of a step, as `run.py` has them of other workloads.

    Raises:
        AssertionError: if the losses of the first steps differ.
    """
    workers = {
        name: Worker("keras_models", {"KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"})
        for name, (_, backend, _) in CONTESTANTS.items()
    }
    results: dict[str, Any] = {}
    for model, (title, model_of, _) in MODELS.items():
        print(f"{model} ...", flush=True)
        taking_part = [
            Remote(worker, name, model, True)
            for name, worker in workers.items()
            if name != FIT or model_of is not None
        ]
        losses = {one.name: one.results(CHECKED_STEPS) for one in taking_part}
        for name, found in losses.items():
            compare(name, found, losses["TF eager"], TOLERANCE)
        results[model] = {
            "title": title,
            "looked_at": True,
            "contestants": side_by_side(taking_part, rounds),
            "left_out": {},
        }
    for worker in workers.values():
        worker.close()
    return results


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="turns of each contestant")
    for found in measure(parser.parse_args().rounds).values():
        print(found["title"])
        for name, times in found["contestants"].items():
            print(f"  {name:18} {times['median_us']:9.0f} us, ratio {times['ratio']:.2f}")


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    main()
