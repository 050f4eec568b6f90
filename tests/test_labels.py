"""Keras's sparse cross entropy refuses labels of no class, if they are on the host.

Nobody waits for that: the labels are looked at while the step runs.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapefacade as tf

pytest.importorskip("keras")

X = np.linspace(-1.0, 1.0, 16, dtype=np.float32).reshape(8, 2)
RIGHT = np.array([0, 1, 2, 1, 0, 0, 2, 2])
WRONG = np.array([0, 1, 2, 3, 0, 0, 2, 2])
MESSAGE = r"Received a label value of 3 which is outside the valid range of \[0, 3\)"


def made() -> Any:
    layer = tf.keras.layers.Dense(3)
    model = tf.keras.Sequential([tf.keras.Input((2,)), layer])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.SGD(0.1), loss, metrics=["accuracy"])
    return model


def fit(model: Any, labels: Any) -> Any:
    return model.fit(X, labels, batch_size=4, shuffle=False, verbose=0)


def fit_column(model: Any, labels: Any) -> Any:
    return model.fit(X, labels[:, None].astype(np.uint8), batch_size=8, verbose=0)


def fit_dataset(model: Any, labels: Any) -> Any:
    return model.fit(tf.data.Dataset.from_tensor_slices((X, labels)).batch(4), verbose=0)


def evaluate(model: Any, labels: Any) -> Any:
    return model.evaluate(X, labels, verbose=0)


def step(model: Any, x: Any, labels: Any) -> Any:
    with tf.GradientTape() as tape:
        loss = model.loss(labels, model(x))
    weights = model.trainable_variables
    model.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
    return loss


def loop(model: Any, labels: Any) -> Any:
    return [float(step(model, X, labels)) for _ in range(2)]


def loop_of_function(model: Any, labels: Any) -> Any:
    function = tf.function(step)
    return [function(model, tf.constant(X), tf.constant(labels)).numpy() for _ in range(2)]


@pytest.mark.parametrize(
    "train",
    [fit, fit_column, fit_dataset, evaluate, loop, loop_of_function],
    ids=lambda f: f.__name__,
)
def test_labels_from_the_host(train: Callable[..., Any]) -> None:
    model = made()
    train(model, RIGHT)
    weights = model.get_weights()
    with pytest.raises(tf.errors.InvalidArgumentError, match=MESSAGE) as caught:
        train(model, WRONG)
    assert "sparse_categorical_crossentropy" in caught.value.__notes__[0]
    for before, weight in zip(weights, model.get_weights(), strict=True):
        np.testing.assert_array_equal(weight, before)
    train(model, RIGHT)  # goes on as before


def test_variables_whose_buffers_are_handed_over() -> None:
    table = tf.Variable(tf.ones([300, 300]))  # large enough

    @tf.function
    def descend(labels: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(
                tf.keras.losses.sparse_categorical_crossentropy(labels, table, from_logits=True)
            )
        table.assign_sub(tape.gradient(loss, table))
        return loss

    labels = np.arange(300) % 300
    for _ in range(3):
        descend(labels)
    before = table.numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="label value of -1"):
        descend(labels - 1)
    np.testing.assert_array_equal(table.numpy(), before)
    assert np.isfinite(descend(labels).numpy())


def test_what_is_not_refused() -> None:
    probabilities = np.array([[0.5, 0.5], [0.2, 0.8]], np.float32)
    ignoring = tf.keras.losses.SparseCategoricalCrossentropy(ignore_class=-1, reduction=None)
    assert ignoring(np.array([-1, 1]), probabilities).numpy()[0] == 0.0
    # Classes on another axis are left to the computation.
    entropy = tf.keras.losses.sparse_categorical_crossentropy
    many = np.full((2, 2, 2), 0.5, np.float32)
    assert entropy(np.full((2, 2), 4), many, axis=1).shape == (2, 2)
    assert entropy(np.zeros((0,), np.int32), np.zeros((0, 3), np.float32)).shape == (0,)
