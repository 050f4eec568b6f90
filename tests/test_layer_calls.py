"""Calls of Keras's layers without their Python: the same results, and Python where it is needed."""

import gc
import threading
import weakref

import numpy as np
import pytest
from steps import counted

import tapefacade as tf
from tapefacade._keras.keras2 import learning_phase
from tapefacade._keras.training import layer_calls

pytest.importorskip("keras")
keras = tf.keras
layers = keras.layers
BATCH = np.random.default_rng(0).standard_normal((16, 6)).astype(np.float32)


@pytest.fixture
def python_calls(monkeypatch):
    """Counts the calls of layers whose Python runs, by the names of their classes."""
    found = []
    layer = keras.Layer
    original = layer._assert_input_compatibility

    def counting(self, first):
        found.append(type(self).__name__)
        return original(self, first)

    monkeypatch.setattr(layer, "_assert_input_compatibility", counting)
    return found


def train(model, x, steps, optimizer=None, **kwargs):
    """Trains; returns the losses."""
    optimizer = optimizer or keras.optimizers.SGD(0.1)
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x, **kwargs) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        losses.append(float(loss))
    return losses


def with_and_without(monkeypatch, run):
    """Returns what a program gives with repeated calls, and with Python each time."""
    results = []
    for limit in (layer_calls.MAX_IN_VAIN, 0):
        monkeypatch.setattr(layer_calls, "MAX_IN_VAIN", limit)
        keras.utils.set_random_seed(3)
        results.append(run())
    return results


def normalized():
    return keras.Sequential([
        layers.Dense(8, activation="relu"), layers.BatchNormalization(),
        layers.Dropout(0.3, seed=5), layers.Dense(3),
    ])  # fmt: skip


def attending():
    x = inputs = keras.Input((6, 4))
    x = layers.Dense(8)(x)
    y = layers.MultiHeadAttention(2, 4, dropout=0.1, seed=1)(x, x)
    x = layers.LayerNormalization()(layers.Add()([x, y]))
    x = layers.GRU(4, return_sequences=True)(x)
    x = layers.Concatenate()([x, layers.SpatialDropout1D(0.2, seed=2)(x)])
    return keras.Model(inputs, layers.Dense(3)(layers.GlobalAveragePooling1D()(x)))


def masked():
    x = inputs = keras.Input((6,), dtype="int32")
    x = layers.Embedding(20, 4, mask_zero=True)(x)
    x = layers.Bidirectional(layers.LSTM(3, return_sequences=True))(x)
    return keras.Model(inputs, layers.Dense(3)(layers.LSTM(4)(x)))


class Alternating(keras.Model):
    """Its Python differs from call to call; that of its layers does not."""

    def __init__(self):
        super().__init__()
        self.first = layers.Dense(7, activation="tanh")
        self.dropout = layers.Dropout(0.5, seed=7)
        self.normalization = layers.BatchNormalization()
        self.calls = 0

    def call(self, x, training=None):
        self.calls += 1
        x = self.first(x)
        if self.calls % 2:
            x = self.dropout(x, training=True)  # Keras tells the layers after it, too
        return self.normalization(x)


@pytest.mark.parametrize("make", [normalized, attending, masked, Alternating])
def test_same_numbers(make, monkeypatch):
    def run():
        x = {attending: BATCH.reshape(4, 6, 4), masked: np.arange(96).reshape(16, 6) % 20}
        model = make()
        losses = train(model, tf.constant(x.get(make, BATCH)), 5, training=True)
        predicted = model(tf.constant(x.get(make, BATCH))).numpy()
        return [losses, predicted, *model.get_weights()]

    repeated, python = with_and_without(monkeypatch, run)
    for one, other in zip(repeated, python, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=2e-6)


def test_python_runs_until_a_call_is_certain(python_calls):
    model, x, adam = normalized(), tf.constant(BATCH), keras.optimizers.Adam()
    train(model, x, 6, adam, training=True)
    python_calls.clear()
    with counted() as counts:
        train(model, x, 4, adam, training=True)
    assert python_calls == []
    assert counts.compiled == 0


def test_what_a_program_is_does_not_depend_on_it(monkeypatch):
    """The program that is repeated is the one that the Python has recorded: nothing compiles."""
    model, x, adam = normalized(), tf.constant(BATCH), keras.optimizers.Adam()
    monkeypatch.setattr(layer_calls, "MAX_IN_VAIN", 0)
    train(model, x, 5, adam, training=True)
    monkeypatch.undo()
    with counted() as counts:
        train(model, x, 5, adam, training=True)
    assert counts.compiled == 0


def test_changed_attributes(python_calls):
    model, x = normalized(), tf.constant(BATCH)
    for _ in range(4):
        before = model(x, training=True)
    model.layers[2].rate = 0.0
    model.layers[1].trainable = False
    python_calls.clear()
    now = [model(x, training=True).numpy() for _ in range(3)]
    assert "BatchNormalization" in python_calls
    np.testing.assert_allclose(now[0], now[2], rtol=1e-5, atol=1e-6)
    assert not np.allclose(before, now[0], rtol=1e-2)
    mean = model.layers[1].moving_mean.numpy()
    model(x, training=True)
    np.testing.assert_array_equal(model.layers[1].moving_mean, mean)


def test_code_of_the_users_runs_at_every_call():
    ran = []

    def activation(x):
        ran.append("activation")
        return x

    class Own(layers.Layer):
        def call(self, x):
            ran.append("layer")
            return x

    dense = layers.Dense(3)
    model = keras.Sequential([layers.Dense(3, activation=activation), Own(), dense])
    lambdas = keras.Sequential([layers.Lambda(lambda x: ran.append("lambda") or x)])
    x = tf.constant(BATCH)
    for step in range(8):
        if step == 5:
            dense.call = lambda x, own=dense.call: ran.append("call") or own(x)
        model(x), lambdas(x)
    assert {name: ran.count(name) for name in set(ran)} == {
        "activation": 8,
        "layer": 8 + 1,
        "lambda": 8 + 1,
        "call": 3,
    }  # fmt: skip - once more where Keras asks for the shape


def test_a_class_that_is_given_another_call(monkeypatch):
    dense, x = layers.Dense(3), tf.constant(BATCH)
    for _ in range(4):
        before = dense(x).numpy()
    original = layers.Dense.call
    monkeypatch.setattr(layers.Dense, "call", lambda self, *args: original(self, *args) + 1.0)
    np.testing.assert_allclose(dense(x), before + 1.0, rtol=1e-5)


def test_layers_of_one_shape_change_places():
    """The same programs, with other variables at the same places."""
    first, second = layers.Dense(6), layers.Dense(6)
    x = tf.constant(BATCH)
    first.build(x.shape), second.build(x.shape)
    a, b = first.kernel.numpy(), second.kernel.numpy()
    for step in range(8):
        with tf.GradientTape() as tape:
            one, two = (first, second) if step % 3 else (second, first)
            y = tf.reduce_sum(one(two(one(x))))
        gradient = tape.gradient(y, first.kernel)
        p, q = (a, b) if step % 3 else (b, a)
        np.testing.assert_allclose(y, (BATCH @ p @ q @ p).sum(), rtol=1e-3, atol=1e-4)
        assert gradient is not None


def test_variables_that_are_assigned_in_between():
    dense, x = layers.Dense(2, use_bias=False), tf.constant(BATCH)
    dense.build(x.shape)
    for step in range(6):
        with tf.GradientTape() as tape:
            dense.kernel.assign(tf.fill([6, 2], float(step)))
            y = dense(x)
            dense.kernel.assign_add(tf.ones([6, 2]))
            z = tf.reduce_sum(y + dense(x))
        np.testing.assert_allclose(z, BATCH.sum() * 2 * (2 * step + 1), rtol=1e-4)
        np.testing.assert_allclose(
            tape.gradient(z, dense.kernel), 2 * BATCH.sum(0)[:, None] * np.ones(2), rtol=1e-4
        )


def test_nested_and_persistent_tapes():
    model = keras.Sequential([layers.Dense(5, activation="tanh"), layers.Dense(1)])
    x = tf.constant(BATCH)
    found = []
    for _ in range(5):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = model(x)
            slope = inner.gradient(y, x)
            with outer.stop_recording():
                model(x)
        found.append([outer.gradient(slope, x), *outer.gradient(y, model.trainable_variables)])
    for one, other in zip(found[0], found[-1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_losses_of_layers_are_those_of_the_last_call():
    class Penalty(layers.Layer):
        def call(self, x):
            self.add_loss(tf.reduce_sum(x))
            return x

    own = keras.Sequential([layers.Dense(2, activity_regularizer="l2"), layers.Dense(2)])
    users = keras.Sequential([layers.Dense(2), Penalty()])
    plain = keras.Sequential([layers.Dense(2, kernel_regularizer="l2"), layers.Dense(2)])
    x = tf.constant(BATCH)
    for _ in range(5):
        for model in (own, users, plain):
            model(x)
            assert len(model.losses) == 1
    assert plain.losses[0] > 0


def test_arguments_that_decide():
    dropout, x = layers.Dropout(0.9, seed=1), tf.constant(BATCH)
    normalize = layers.Normalization(mean=0.0, variance=1.0)
    for step in range(8):
        training = bool(step % 2)
        y = dropout(x, training=training)
        assert (y is x) != training
        assert bool(tf.reduce_any(y == 0.0)) == training
        assert normalize(x).shape == x.shape
        keras.backend.set_learning_phase(1 - step % 2)
        assert bool(tf.reduce_any(dropout(x) == 0.0)) != training
        learning_phase._PHASE.value = None


def test_dropout_draws_anew():
    dropout, x = layers.Dropout(0.5, seed=1), tf.ones([64, 64])
    drawn = np.stack([dropout(x, training=True) for _ in range(6)])
    assert len(np.unique(drawn.reshape(6, -1), axis=0)) == 6


def test_in_functions_and_other_threads():
    model, x = normalized(), tf.constant(BATCH)
    plain = [model(x).numpy() for _ in range(4)][-1]
    np.testing.assert_allclose(tf.function(model)(x), plain, rtol=1e-5, atol=1e-6)
    found = []

    def work():
        found.extend(model(x, training=True).numpy().shape for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 15


def test_shapes_that_change(python_calls):
    model = keras.Sequential([layers.Dense(3)])
    for size in (*range(3, 11), *range(3, 11), *range(3, 11)):
        x = tf.ones([size, 2])
        np.testing.assert_allclose(
            model(x), np.ones((size, 2)) @ model.layers[0].kernel.numpy(), rtol=1e-6
        )


def test_errors_come_as_before():
    model, x = keras.Sequential([layers.Dense(3)]), tf.constant(BATCH)
    for _ in range(4):
        model(x)
    with pytest.raises(ValueError, match="incompatible"):
        model(tf.ones([2, 7]))
    assert model(x).shape == (16, 3)


def test_nothing_is_kept_alive():
    model, x = normalized(), tf.constant(BATCH)
    for _ in range(4):
        model(x)
    kernel = weakref.ref(model.layers[0].kernel._root)
    copied = keras.models.clone_model(model)
    copied.set_weights(model.get_weights())
    np.testing.assert_allclose(copied(x), model(x), rtol=1e-5, atol=1e-6)
    del model
    keras.backend.clear_session()
    gc.collect()
    assert kernel() is None
