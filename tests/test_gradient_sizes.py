"""`tape.gradient_sizes`: how large gradients are on their way, and why they are zero."""

import linecache
import math

import numpy as np
import pytest

import tapefacade as tf


def source(line):
    path, _, number = line.rpartition(":")
    return linecache.getline(path, int(number)).strip()


def variable(value, name="w"):
    return tf.Variable(value, name=name)


def only_zero(sizes):
    """Returns the op in which the gradient becomes zero, and why."""
    row = sizes.zeros[0]
    return row.op, source(row.line), row.reason


def test_a_dead_rectifier():
    w = variable([-1.0, -2.0])
    with tf.GradientTape() as tape:
        h = tf.nn.relu(w)
        y = tf.reduce_sum(h * 3.0)
    sizes = tape.gradient_sizes(y, w)
    op, line, reason = only_zero(sizes)
    assert (op, line) == ("tf.nn.relu", "h = tf.nn.relu(w)")
    assert reason == "dead: its operand goes from -2 to -1, never above 0"
    assert sizes.sources == {"w": 0.0}
    assert "(dead: its operand" in repr(sizes)
    assert not np.any(tape.gradient(y, w).numpy())  # the tape is not used up


def test_a_rectifier_that_is_dead_where_it_matters():
    w = variable([-1.0, 2.0])
    with tf.GradientTape() as tape:
        h = tf.nn.relu(w)
        y = tf.reduce_sum(h * [1.0, 0.0])
    _, line, reason = only_zero(tape.gradient_sizes(y, w))
    assert line == "h = tf.nn.relu(w)"
    assert reason == "dead where a gradient arrives: its operand goes from -1 to 2"


def test_a_saturated_limit():
    w = variable([5.0, 7.0])
    with tf.GradientTape() as tape:
        h = tf.clip_by_value(w, 0.0, 1.0)
        y = tf.reduce_sum(h)
    op, line, reason = only_zero(tape.gradient_sizes(y))
    assert (op, line) == ("tf.math.minimum", "h = tf.clip_by_value(w, 0.0, 1.0)")
    assert reason.startswith("saturated: its operand goes from 5 to 7")


def test_a_saturated_sigmoid():
    w = variable([200.0])
    with tf.GradientTape() as tape:
        h = tf.sigmoid(w)
        y = tf.reduce_sum(h)
    op, line, reason = only_zero(tape.gradient_sizes(y, w))
    assert (op, line) == ("tf.math.sigmoid", "h = tf.sigmoid(w)")
    assert reason.startswith("saturated")


def test_a_product_with_zero():
    w = variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        h = w * tf.zeros(2)
        y = tf.reduce_sum(h)
    op, line, reason = only_zero(tape.gradient_sizes(y, w))
    assert (op, line, reason) == ("tf.math.multiply", "h = w * tf.zeros(2)", "multiplied by 0")


def test_a_mask():
    w = variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        h = tf.where(tf.constant([True, True]), 0.0, w * 2.0)
        y = tf.reduce_sum(h)
    op, line, reason = only_zero(tape.gradient_sizes(y, w))
    assert (op, line) == ("tf.where", "h = tf.where(tf.constant([True, True]), 0.0, w * 2.0)")
    assert reason.startswith("masked")


def test_the_element_that_is_not_the_largest():
    w, v = variable([1.0, 2.0]), variable([5.0], "v")
    with tf.GradientTape() as tape:
        h = tf.reduce_max(tf.concat([w, v], 0))
        y = h * 2.0
    sizes = tape.gradient_sizes(y, [w, v])
    assert sizes.sources == {"w": 0.0, "v": 2.0}
    largest = next(row for row in sizes.rows if row.op == "tf.math.reduce_max")
    assert largest.zeros == pytest.approx(2 / 3)
    assert source(sizes.zeros[0].line) == "h = tf.reduce_max(tf.concat([w, v], 0))"


@pytest.mark.parametrize(("scale", "grows"), [(0.1, False), (10.0, True)])
def test_gradients_that_vanish_and_explode(scale, grows):
    x = variable([1.0, 1.0])
    with tf.GradientTape() as tape:
        y = x
        for _ in range(8):
            y = y * scale
        y = tf.reduce_sum(y)
    sizes = tape.gradient_sizes(y, x)
    norms = [row.leaves for row in sizes.rows if row.op == "tf.math.multiply"]
    assert len(norms) == 8
    assert norms == sorted(norms, reverse=not grows)
    assert sizes.rows[1].factor == pytest.approx(scale)
    assert sizes.sources["w"] == pytest.approx(scale**8 * math.sqrt(2.0), rel=1e-4)


def test_norms_are_those_of_the_gradients():
    rng = np.random.default_rng(3)
    a, b = (variable(rng.normal(size=(4, 4)), name) for name in "ab")
    x = tf.constant(rng.normal(size=(2, 4)))
    with tf.GradientTape(persistent=True) as tape:
        h = tf.tanh(x @ a)
        y = tf.reduce_mean((h @ b) ** 2)
    sizes = tape.gradient_sizes(y, [a, b])
    for name, found in zip("ab", tape.gradient(y, [a, b]), strict=True):
        np.testing.assert_allclose(sizes.sources[name], np.linalg.norm(found.numpy()), rtol=1e-6)
    of_h = np.linalg.norm(tape.gradient(y, h).numpy())
    row = next(row for row in sizes.rows if row.op == "tf.math.tanh")
    np.testing.assert_allclose(row.arrives, of_h, rtol=1e-6)


def test_models_and_loops():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(3, "relu", bias_initializer=lambda *a, **k: -100.0 * tf.ones(3))]
    )
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model(tf.ones((2, 4))))
    sizes = tape.gradient_sizes(y, model.trainable_variables)
    assert [name.rpartition("/")[2] for name in sizes.sources] == ["kernel", "bias"]
    assert set(sizes.sources.values()) == {0.0}
    assert sizes.zeros[0].reason.startswith("dead")
    x = variable(1.5)
    with tf.GradientTape() as tape:
        _, y = tf.while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, v * 0.5), [0, x * 1.0])
    assert tape.gradient_sizes(y, x).sources["w"] == 0.5**5


def test_without_a_gradient():
    x, other = variable(1.0), variable(2.0, "other")
    with tf.GradientTape() as tape:
        y = tf.round(x) * other
        sizes = tape.gradient_sizes(y, [x, other])  # within the block
    assert sizes.sources == {"w": None, "other": 1.0}
    assert tape.gradient_sizes(tf.constant(1.0), x).rows == ()
    assert "w None" in repr(sizes)
    assert "<table" in sizes._repr_html_()
    tape.gradient(y, other)
    with pytest.raises(RuntimeError):
        tape.gradient_sizes(y, x)
