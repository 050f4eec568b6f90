"""`tape.memory()`: what gradients keep, by lines, and what rematerialization makes of it."""

import linecache

import numpy as np
import pytest
from steps import counted, settle, temporaries

import tapefacade as tf

KIB = 1024


@pytest.fixture(autouse=True)
def nothing_pending():
    settle()


def text_of(row):
    path, _, number = row.line.rpartition(":")
    return linecache.getline(path, int(number)).strip()


def test_lines_and_bytes():
    w = tf.Variable(tf.ones([64, 64]), name="w")
    x = tf.ones([32, 64])
    with tf.GradientTape() as tape:
        y = x
        for _ in range(10):
            y = tf.tanh(y @ w)  # deep
        z = y * 3.0 + 1.0  # linear
        loss = tf.reduce_sum(z * z)  # square
    memory = tape.memory(loss, w)
    first, second = memory.rows
    one = 32 * 64 * 4
    assert text_of(first).endswith("# deep")
    assert (first.bytes, first.ops) == (10 * one, ("10 x tf.math.tanh",))
    assert text_of(second).endswith("# linear")
    assert (second.bytes, second.ops) == (one, ("tf.math.add",))
    assert memory.kept == 11 * one
    assert memory.inputs == 64 * 64 * 4 + one + 4  # w, x and 3.0
    again = memory.rematerialized
    assert again.segments >= 2
    assert again.bytes < memory.kept
    shown = repr(memory)
    assert shown.startswith("Kept for gradients: 88 KiB, and 24 KiB of variables and data")
    assert "With rematerialize=True: " in shown
    assert "<td>10 x tf.math.tanh</td>" in memory._repr_html_()
    assert tape.gradient(loss, w) is not None


def tanh_layers(x, w):
    for _ in range(12):
        x = tf.tanh(x @ w)
    return tf.reduce_sum(x * x)


def attention_layers(x, w):
    for _ in range(12):
        x = tf.nn.softmax(tf.nn.relu(x @ w)) + x
    return tf.reduce_sum(x * x)


@pytest.mark.parametrize("layers", [tanh_layers, attention_layers])
def test_it_is_about_what_xla_takes(layers, monkeypatch):
    w, x, told = tf.Variable(tf.ones([128, 128]) * 0.01), tf.ones([256, 128]), []

    def step(x):
        with tf.GradientTape(persistent=True) as tape:
            y = layers(x, w)
        told.append(tape.memory(y, w))
        return [tape.gradient(y, w)]

    taken = temporaries(step, x, monkeypatch)[0]
    # Beside what is kept XLA takes room for what it computes now.
    assert 0.75 * taken < told[0].kept < 1.1 * taken


def test_what_rematerialization_keeps_is_about_what_xla_takes(monkeypatch):
    w, x, told = tf.Variable(tf.ones([128, 128]) * 0.01), tf.ones([256, 128]), []

    def step(x, rematerialize):
        with tf.GradientTape(persistent=True, rematerialize=rematerialize) as tape:
            y = tanh_layers(tanh_layers(x, w) + x, w)
        told.append(tape.memory(y, w).rematerialized)
        return [tape.gradient(y, w)]

    taken = [temporaries(lambda x, r=r: step(x, r), x, monkeypatch)[0] for r in (False, True)]
    assert taken[1] < taken[0]
    assert told[0] == told[1]
    assert 0.4 * taken[1] < told[1].bytes < 1.6 * taken[1]


def test_what_needs_no_values_keeps_none():
    x = tf.Variable(tf.ones([100]), name="x")
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.reshape(x * 2.0 + 1.0, [10, 10]), 0) - 3.0
    memory = tape.memory(y, x)
    assert memory.rows == ()
    assert memory.kept == 0
    assert repr(memory).splitlines()[0].startswith("Kept for gradients: 0 B")


def test_only_what_leads_to_the_target_counts():
    x, w = tf.Variable(tf.ones([KIB]), name="x"), tf.Variable(tf.ones([KIB]), name="w")
    with tf.GradientTape() as tape:
        a = tf.exp(tf.sin(x))  # a
        b = tf.exp(tf.sin(w))  # b
    assert [text_of(row)[-3:] for row in tape.memory(a).rows] == ["# a"]
    assert [text_of(row)[-3:] for row in tape.memory(b, [x, w]).rows] == ["# b"]
    assert tape.memory(b, x).rows == ()
    assert sorted(text_of(row)[-3:] for row in tape.memory().rows) == ["# a", "# b"]
    assert tape.memory([a, b]).kept == tape.memory().kept == 2 * tape.memory(a).kept


def test_layers_loops_functions_and_gradients_of_gradients():
    model = tf.keras.Sequential(
        [tf.keras.Input((8,)), tf.keras.layers.Dense(16, "tanh", name="first"),
         tf.keras.layers.Dense(16, "tanh", name="second"), tf.keras.layers.Dense(1)]
    )  # fmt: skip
    x = tf.ones([4, 8])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(x) ** 2)
    rows = {row.layer: row.bytes for row in tape.memory(loss, model.trainable_variables).rows}
    assert rows["first"] == rows["second"] == 4 * 16 * 4
    v = tf.Variable(tf.ones([4]), name="v")
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.scan(lambda s, row: tf.sin(s * row), tf.ones([50, 4]) * v)[-1]
        slope = inner.gradient(y, v)
    assert outer.memory(y, v).kept >= 50 * 4 * 4
    assert outer.memory(slope, v).kept >= outer.memory(y, v).kept
    told = []

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.exp(x) * 2.0
        told.append(tape.memory(y, x).kept)
        return tape.gradient(y, x)

    step(tf.ones([KIB]))
    assert told == [4 * KIB]


def test_gradient_functions_of_python_are_left_out():
    @tf.custom_gradient
    def doubled(x):
        return x * 2.0, lambda upstream: upstream * 2.0

    x = tf.Variable(tf.ones([KIB]), name="x")
    with tf.GradientTape() as tape:
        y = tf.exp(doubled(x))
    memory = tape.memory(y, x)
    assert memory.rematerialized is None
    assert "rematerialize" not in repr(memory)


def test_nothing_is_computed_and_errors():
    x = tf.Variable(np.ones([3], np.float32))

    def step(measured):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(x))
        if measured:
            repr(tape.memory(y, x))
        return tape.gradient(y, x).numpy()

    for _ in range(6):
        step(False)
    settle()
    with counted() as plain:
        step(False)
    with counted() as measured:
        step(True)
    assert vars(plain) == vars(measured)
    with pytest.raises(RuntimeError, match="non-persistent GradientTape can only be used"):
        tf.GradientTape().memory()
    with tf.GradientTape() as tape:
        pass
    assert tape.memory().kept == 0
    with pytest.raises(TypeError, match="Cannot convert"):
        tape.memory([None])
