"""`tf.keras`: what its steps cost, when Keras is imported, and how all is undone."""

import gc
import os
import re
import subprocess
import sys
import threading
import time
import warnings
import weakref

import jax
import numpy as np
import pytest
from steps import close_everything, counted, settle

import tapefacade as tf
from tapefacade._keras import patches
from tapefacade._state import disconnected_variables


@pytest.fixture(autouse=True)
def nothing_pending():
    settle()
    yield
    close_everything()


def model_and_data():
    tf.keras.utils.set_random_seed(0)
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        tf.keras.Input((3,)), layers.Dense(4, activation="relu"), layers.BatchNormalization(),
        layers.Dropout(0.1), layers.Dense(2),
    ])  # fmt: skip
    rng = np.random.default_rng(0)
    return model, rng.normal(size=(8, 3)).astype("float32"), rng.integers(0, 2, 8)


def training_step(model, optimizer=None):
    optimizer = optimizer or tf.keras.optimizers.Adam(0.01)
    entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    mean = tf.keras.metrics.Mean()

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = entropy(y, model(x, training=True))
        variables = model.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        mean.update_state(loss)
        return loss

    return step


@pytest.mark.parametrize("decorated", [False, True])
def test_a_training_step_is_one_dispatch_and_compiles_nothing(decorated):
    model, x, y = model_and_data()
    step = training_step(model)
    step = tf.function(step) if decorated else step
    x, y = tf.constant(x), tf.constant(y)
    for _ in range(3):
        step(x, y).numpy()
    with counted() as count:
        for _ in range(5):
            step(x, y).numpy()
    assert (count.compiled, count.dispatched) == (0, 5)
    assert count.recorded == 0


def test_a_step_is_the_same_with_and_without_the_decorator():
    found = []
    for decorate in (tf.function, lambda step: step):
        model, x, y = model_and_data()
        step = decorate(training_step(model, tf.keras.optimizers.SGD(0.1, momentum=0.9)))
        found.append([step(tf.constant(x), tf.constant(y)).numpy() for _ in range(4)])
    np.testing.assert_allclose(*found, rtol=1e-5)


def test_new_data_and_another_learning_rate_compile_nothing():
    model, x, y = model_and_data()
    optimizer = tf.keras.optimizers.SGD(0.1)
    step = training_step(model, optimizer)
    for _ in range(2):
        step(tf.constant(x), tf.constant(y)).numpy()
    with counted() as count:
        for k in range(3):
            optimizer.learning_rate.assign(0.1 / (k + 2))
            step(tf.constant(x + k), tf.constant(y)).numpy()
    assert count.compiled == 0


def test_inference_is_one_dispatch():
    model, x, _ = model_and_data()
    x = tf.constant(x)
    for _ in range(2):
        model(x).numpy()
    with counted() as count:
        for _ in range(4):
            model(x, training=False).numpy()
    assert (count.compiled, count.dispatched) == (0, 4)


def test_a_second_epoch_compiles_nothing():
    model, x, y = model_and_data()
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"])  # fmt: skip
    model.fit(x, y, batch_size=4, epochs=2, verbose=0)
    with counted() as count:
        model.fit(x, y, batch_size=4, epochs=2, verbose=0)
    assert count.compiled == 0
    assert count.recorded == 0


def test_an_optimizer_whose_settings_change_does_what_they_say():
    found = []
    for decorate in (tf.function, lambda update: update):
        v, optimizer = tf.Variable([1.0, -2.0]), tf.keras.optimizers.SGD(0.1, momentum=0.5)
        optimizer.build([v])
        for momentum in (0.5, 0.5, 0.9, 0.0, 0.5):
            optimizer.momentum = momentum
            update = decorate(lambda: optimizer.apply_gradients([(2.0 * v, v)]))  # noqa: B023
            update()
        found.append((v.numpy(), int(optimizer.iterations)))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-6)
    assert found[0][1] == found[1][1] == 5


def test_the_python_of_an_optimizer_is_repeated_for_rows_of_a_table(monkeypatch):
    """The gradient of an embedding: other rows are the same program, more of them another one."""
    table, calls = tf.Variable(np.arange(10, dtype="f").reshape(5, 2)), []
    original = tf.keras.optimizers.Adam.update_step

    def update_step(self, *args):
        calls.append(None)
        return original(self, *args)

    monkeypatch.setattr(tf.keras.optimizers.Adam, "update_step", update_step)
    optimizer = tf.keras.optimizers.Adam(0.1)
    counts = []
    for places in ([1, 3, 1], [0, 4, 2], [2, 2, 2], [1, 2]):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, places) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])
        counts.append(len(calls))
    assert counts == [1, 1, 1, 2]


def test_the_python_of_an_optimizer_of_ones_own_runs_at_every_step():
    calls = []

    class Own(tf.keras.optimizers.SGD):
        def update_step(self, gradient, variable, learning_rate):
            calls.append(variable.name)
            super().update_step(gradient, variable, learning_rate)

    v, optimizer = tf.Variable(1.0), Own(0.1)
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert len(calls) == 3
    np.testing.assert_allclose(v.numpy(), 0.7, rtol=1e-6)


def test_updates_are_exact_after_an_error_in_the_step():
    v, optimizer = tf.Variable(1.0), tf.keras.optimizers.SGD(0.25)
    with pytest.raises(ValueError, match="No gradients provided"):
        optimizer.apply_gradients([(None, v)])
    with tf.GradientTape(persistent=True) as tape:
        loss = v * v
    optimizer.apply_gradients([(tape.gradient(loss, v), v)])
    assert v.numpy() == 0.5


def test_shapes_that_a_function_refuses_are_refused_again():
    lstm = tf.keras.layers.LSTM(2)  # Keras first asks for a kernel that only GPUs have
    x = tf.ones((1, 3, 2))
    for _ in range(2):
        lstm(x).numpy()
    with counted() as count:
        lstm(x).numpy()
        lstm(x).numpy()
    assert count.compiled == 0


def run(program, **environment):
    """What a program prints in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False,
        env={**os.environ, "JAX_PLATFORMS": "cpu", **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_keras_is_imported_when_it_is_used():
    program = """
import sys
import weakref
import tapefacade as tf
print("keras" in sys.modules)
tf.keras
print("keras" in sys.modules)
print(tf.losses is tf.keras.losses, tf.optimizers.Adam is tf.keras.optimizers.Adam)
import tapefacade.keras
from tapefacade.keras import layers
print(tapefacade.keras is tf.keras, layers is tf.keras.layers)
"""
    assert run(program) == ["False", "True", "True", "True", "True", "True"]


def test_undoing_leaves_plain_keras_on_jax():
    program = """
import numpy as np
import tapefacade as tf
x = np.ones((4, 3), "float32")
layers = [tf.keras.Input((3,)), tf.keras.layers.Dense(2), tf.keras.layers.Dropout(0.5)]
before = tf.keras.Sequential(layers)
before.compile("adam", "mse")
before.fit(x, x[:, :2], verbose=0)
wanted = before(x)
print(isinstance(wanted, tf.Tensor))
tf.undo_keras()
import jax, keras
found = before(x)
print(isinstance(found, jax.Array), np.allclose(found, wanted))
print(np.isfinite(before.fit(x, x[:, :2], verbose=0).history["loss"][0]))
print(layers[2].variables[0].dtype)
model = keras.Sequential([keras.Input((3,)), keras.layers.LayerNormalization(),
                          keras.layers.Dropout(0.5), keras.layers.Dense(2)])
model.compile("adam", "mse")
print(np.isfinite(model.fit(x, x[:, :2], verbose=0).history["loss"][0]))
print(isinstance(model(x), jax.Array), keras.ops.add(1, 2).dtype)
tf.keras.layers
print(isinstance(model(x), tf.Tensor), isinstance(keras.ops.add(1, 2), tf.Tensor))
print(isinstance(model(x, training=True), tf.Tensor))
"""
    assert run(program) == [
        "True", "True", "True", "True", "uint32", "True", "True", "int32", "True", "True", "True",
    ]  # fmt: skip


def test_inferring_shapes_records_no_function_of_a_layer(caplog):
    class Scaled(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)

        @tf.function
        def call(self, inputs):
            return tf.nn.relu(self.dense(tf.cast(inputs, tf.float32)))

    class Outer(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.layer = Scaled()

        @tf.function
        def call(self, inputs):
            return tf.reduce_sum(self.layer(inputs), axis=1)

    x, model = tf.ones([4, 3]), Outer()
    model(x)
    assert not [r for r in caplog.records if "runs its Python" in r.getMessage()]
    assert type(model).call.pretty_printed_concrete_signatures() == ""
    model(x)
    with counted() as counts:
        model(x).numpy()
    assert counts.compiled == 0


def test_another_backend_is_refused():
    program = """
import keras
import tapefacade as tf
try:
    tf.keras
except ImportError as error:
    print(str(error).replace(" ", "_"))
"""
    (text,) = run(program, KERAS_BACKEND="numpy")
    assert "needs_Keras_on_JAX,_but_it_runs_on_numpy" in text


def keras_itself():
    tf.keras.layers  # noqa: B018  (it has to be us who import it first: that decides its backend)
    import keras

    return keras


@pytest.mark.parametrize("version", ["2.15.0", "3.9.2"])
def test_older_versions_are_refused(version, monkeypatch):
    keras = keras_itself()
    monkeypatch.setattr(keras, "__version__", version)
    with pytest.raises(ImportError, match=rf"Keras 3.10 and newer, and {version} is installed"):
        patches.load()


def test_a_change_that_fails_halfway_is_undone(monkeypatch):
    keras = keras_itself()
    tf.undo_keras()
    monkeypatch.setattr(patches.symbolic_tensors, "register", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        patches.patch()
    monkeypatch.undo()
    assert not isinstance(keras.ops.add(1, 2), tf.Tensor)
    assert isinstance(tf.keras.ops.add(1, 2), tf.Tensor)


def test_fit_without_a_seed_takes_every_sample_once_in_another_order_each_time():
    tf.random.set_seed(None)
    orders = []

    class Kept(tf.keras.Model):
        def train_step(self, data):
            orders[-1] += data.numpy().tolist()
            return {}

    model = Kept()
    model.compile(run_eagerly=True)
    for _ in range(2):
        orders.append([])
        model.fit(np.arange(50), batch_size=8, verbose=0)
    first, second = orders
    assert sorted(first) == sorted(second) == list(range(50))
    assert first != second


def dense_layers(units, is_built=True):
    """Two dense layers, with an input or without."""
    inputs = [tf.keras.Input((3,))] if is_built else []
    return tf.keras.Sequential(
        [*inputs, tf.keras.layers.Dense(units), tf.keras.layers.Dense(units)]
    )


@pytest.mark.parametrize("built", [(False, False), (True, False), (False, True)])
def test_sequential_models_are_restored_before_they_are_built(tmp_path, built):
    """Layers keep their places when an input is put in front of them."""
    source, target = (dense_layers(3, is_built) for is_built in built)
    want = source(tf.ones((1, 3)))
    path = tf.train.Checkpoint(m=source).write(tmp_path / "ck")
    status = tf.train.Checkpoint(m=target).read(path)
    np.testing.assert_allclose(target(tf.ones((1, 3))), want, rtol=1e-6)
    status.assert_consumed()


def test_layers_that_do_not_fit_a_checkpoint_are_refused_when_they_are_called(tmp_path):
    source, target = dense_layers(2), dense_layers(4, is_built=False)
    path = tf.train.Checkpoint(m=source).write(tmp_path / "ck")
    status = tf.train.Checkpoint(m=target).read(path).expect_partial()
    with pytest.raises(ValueError, match=r"shape \(3, 2\) when attempting") as caught:
        target(tf.ones((1, 3)))
    assert "4 values of the checkpoint do not fit" in str(caught.value)
    del status


@pytest.mark.parametrize("name", ["w.weights.h5", "checkpoint"])
def test_weights_that_do_not_fit_are_refused_with_all_names(tmp_path, name):
    source = tf.keras.Sequential(
        [tf.keras.Input((3,)), tf.keras.layers.Dense(3), tf.keras.layers.Dense(2)]
    )
    target = dense_layers(3)
    source.save_weights(str(tmp_path / name))
    before = [variable.numpy() for variable in target.variables]
    with pytest.raises(ValueError, match="2 values in the file do not fit") as caught:
        target.load_weights(str(tmp_path / name))
    assert "kernel: shape (3, 2) in the file, (3, 3) in the model" in str(caught.value)
    assert "bias: shape (2,) in the file, (3,) in the model" in str(caught.value)
    for variable, value in zip(target.variables, before, strict=True):
        np.testing.assert_array_equal(variable, value)


# Gradients of which every one is None.


def cast(v, w):
    return tf.cast(tf.cast(v, tf.int32), tf.float32)


DEAD_PATHS = {
    "cast": (cast, "the gradient stops on its way .*tf.cast gives int32"),
    "numpy": (lambda v, w: tf.constant(v.numpy()) * 2.0, "nothing that was recorded leads from it"),
    "not used": (lambda v, w: tf.constant(2.0) * 3.0, "nothing in the block reads it"),
    "stop_gradient": (lambda v, w: tf.stop_gradient(v * w), ".*tf.stop_gradient stops gradients"),
}


def none_gradients(name):
    """The tape is gone when the optimizer is given its gradients."""
    v, w = tf.Variable(2.0, name="v"), tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        loss = DEAD_PATHS[name][0](v, w)
    return v, tape.gradient(loss, v)


@pytest.mark.parametrize("name", DEAD_PATHS)
def test_an_optimizer_without_any_gradient_says_why(name):
    v, gradient = none_gradients(name)
    older = tf.compat.v1.train.GradientDescentOptimizer(0.1)
    for optimizer in (tf.keras.optimizers.SGD(), older):
        with pytest.raises(ValueError, match="No gradients provided for any variable") as raised:
            optimizer.apply_gradients([(gradient, v)])
        (note,) = raised.value.__notes__
        assert re.match(f"v has no gradient, because {DEAD_PATHS[name][1]}", note)
        assert "tape.explain(" in note
        assert "\n" not in note


def test_a_watch_that_was_forgotten_is_named():
    v = tf.Variable(2.0, name="v", trainable=False)
    with tf.GradientTape() as tape:
        loss = v * v
    with pytest.raises(ValueError, match="No gradients provided") as raised:
        tf.keras.optimizers.Adam().apply_gradients([(tape.gradient(loss, v), v)])
    assert raised.value.__notes__[0].startswith("v has no gradient, because it is not trainable")


def test_variables_that_no_tape_was_asked_for_have_no_reason():
    none_gradients("cast")
    with pytest.raises(ValueError, match="No gradients provided") as raised:
        tf.keras.optimizers.SGD().apply_gradients([(None, tf.Variable(1.0))])
    assert not hasattr(raised.value, "__notes__")


def test_a_model_says_why_it_has_no_gradient_in_steps_functions_and_fit():
    model, x, y = model_and_data()
    optimizer = tf.keras.optimizers.SGD()

    def loss_of(_, predicted):
        return tf.reduce_mean(tf.cast(tf.argmax(predicted, -1), tf.float32))

    def step():
        with tf.GradientTape() as tape:
            loss = loss_of(None, model(x))
        weights = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))

    model.compile("sgd", loss_of)
    for train in (step, tf.function(step), lambda: model.fit(x, y, verbose=0)):
        with pytest.raises(ValueError, match="No gradients provided") as raised:
            train()
        assert "argmax gives int64[8]; nor have 5 more." in raised.value.__notes__[0]


def test_reasons_that_nobody_asks_for_are_not_sought_for_ever():
    for _ in range(2 * disconnected_variables.MAX_TEXTS):
        none_gradients("cast")
    assert disconnected_variables._LAST_GRADIENTS.count <= disconnected_variables.MAX_TEXTS
    disconnected_variables._LAST_GRADIENTS.count = 0


def test_a_reason_keeps_no_variable_alive():
    v, _ = none_gradients("cast")
    gone = weakref.ref(v)
    del v
    settle()
    gc.collect()
    assert gone() is None


def test_inputs_of_functional_models_are_no_tensors():
    assert not tf.is_tensor(tf.keras.Input((3,)))
    assert tf.is_tensor(tf.keras.Variable(1.0))
    with pytest.raises(TypeError, match="Only integers, slices"):
        tf.ones([3, 2])[tf.keras.Input((), dtype="int32")]


def test_a_warning_of_keras_is_shown_once_for_a_line():
    # A filter that is put in place at each call makes Python forget what it has shown.
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            warnings.warn("said once for this line", UserWarning, stacklevel=1)
            tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.ReLU()])(tf.ones([1, 3]))
            model.compute_output_spec(tf.keras.KerasTensor((None, 3)))
    assert sum("said once" in str(warning.message) for warning in caught) == 1


def test_sizes_that_keras_cannot_combine_are_the_error_of_tensorflow():
    metric = tf.keras.metrics.Accuracy()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shapes: \[2\] vs. \[3\]") as caught:
        metric.update_state([1, 2], [1, 2, 3])
    assert not getattr(caught.value, "__notes__", [])
    assert caught.value.__suppress_context__


def test_functions_take_tensors_that_the_users_jit_traces():
    """As generators of keras-hub, which `jax.jit` compiles, with values of variables in a scope."""
    variable = tf.keras.Variable(np.arange(12, dtype=np.float32).reshape(4, 3))

    @jax.jit
    def rows(value, start):
        with tf.keras.StatelessScope(state_mapping=[(variable, value)]):
            table = tf.keras.ops.convert_to_tensor(variable)
            return tf.keras.ops.slice(table, (start, 0), (2, 3)), tf.keras.ops.take(
                value, 0, axis=1
            )

    two, first = rows(variable.value + 1.0, 1)
    assert np.asarray(two).tolist() == [[4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
    assert np.asarray(first).tolist() == [1.0, 4.0, 7.0, 10.0]


def test_loops_of_keras_in_jax_jit_carry_and_slice_tensors():
    """As keras-hub's `generate` does, whose token ids are of 64 bits."""
    ops = tf.keras.ops
    tokens = tf.constant([[1, 2, 3]], tf.int64)

    def body(index, found):
        last = found[:, index]
        return index + 1, ops.slice_update(found, [0, index + 1], ops.reshape(last, [1, 1]))

    @jax.jit
    def run(count):
        with tf.keras.StatelessScope():
            return ops.while_loop(lambda k, _: k < count, body, (jax.numpy.int32(0), tokens))[1]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.asarray(run(2)).tolist() == [[1, 1, 1]]
    sliced = ops.slice(tokens, [0, tf.constant(1)], [1, 2])
    assert (sliced.dtype, sliced.numpy().tolist()) == (tf.int64, [[2, 3]])


def test_one_thread_predicts_while_another_one_trains():
    model, x, y = model_and_data()
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.predict(x, verbose=0)
    shapes, stop = [], threading.Event()

    def predict():
        while not stop.is_set():
            shapes.append((model.predict(x, verbose=0).shape, model(x[:3]).shape))

    thread = threading.Thread(target=predict)
    thread.start()
    losses = model.fit(x, y, epochs=30, batch_size=2, verbose=0).history["loss"]
    stop.set()
    thread.join()
    assert losses[-1] < losses[0]
    assert set(shapes) == {((8, 2), (3, 2))}


def test_an_error_of_an_op_keeps_its_class_and_text_in_a_model():
    class Failing(tf.keras.layers.Layer):
        def call(self, x):
            raise tf.errors.NotFoundError(None, None, "no such table")

    model = tf.keras.Sequential([Failing()])
    model.compile("sgd", "mse")
    x = np.ones([2, 2], np.float32)
    for step in (model, model.predict, lambda x: model.fit(x, x, verbose=0)):
        with pytest.raises(tf.errors.NotFoundError, match="no such table"):
            step(x)


@pytest.mark.parametrize("moment", ["on_train_batch_end", "on_test_batch_end"])
def test_threads_that_read_ahead_end_with_a_fit_that_is_interrupted(moment):
    """Keras's iterator and its generator keep each other until Python looks for cycles."""
    x = np.ones((4, 1), np.float32)
    data = tf.data.Dataset.from_tensors((x, x)).repeat().prefetch(2)
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")

    def press(*_, **__):
        raise KeyboardInterrupt

    callback = tf.keras.callbacks.Callback()
    setattr(callback, moment, press)

    def reading():
        names = [thread.name for thread in threading.enumerate()]
        return names.count("tapefacade-prefetch")

    before = reading()
    gc.disable()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(
                data, steps_per_epoch=2, verbose=0, callbacks=[callback],
                validation_data=data, validation_steps=2,
            )  # fmt: skip
        for _ in range(100):
            if reading() > before:
                time.sleep(0.02)
        assert reading() <= before
    finally:
        gc.enable()
