"""Searches for the width of a layer."""

import tempfile

import keras_tuner
import numpy as np
import tensorflow as tf


def build(choices):
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(choices.Choice("width", [1, 8]), activation="relu"),
            tf.keras.layers.Dense(1),
        ]
    )
    model.compile(tf.keras.optimizers.Adam(choices.Float("rate", 0.01, 0.1)), "mse")
    return model


x = np.linspace(-1, 1, 64, dtype=np.float32)[:, None]
with tempfile.TemporaryDirectory() as folder:
    for tuner in (
        keras_tuner.RandomSearch(build, "loss", max_trials=3, seed=1, directory=folder,
                                 project_name="random"),
        keras_tuner.Hyperband(build, "loss", max_epochs=4, seed=1, directory=folder,
                              project_name="hyperband"),
        keras_tuner.BayesianOptimization(build, "loss", max_trials=3, seed=1, directory=folder,
                                         project_name="bayes"),
    ):  # fmt: skip
        tuner.search(x, np.abs(x), epochs=4, verbose=0)
        best = tuner.get_best_hyperparameters()[0]
        assert best["width"] in (1, 8)
        assert tuner.get_best_models()[0](x).shape == (64, 1)
