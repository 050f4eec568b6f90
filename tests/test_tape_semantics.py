"""Tapes over several recordings, and derivatives that have two ways to be computed.

The expected values are TensorFlow 2.21's, unless a test says otherwise.
"""

import functools

import numpy as np
import pytest
from steps import close_everything, counted, nothing_open, settle

import tapefacade as tf
from tapefacade._tape.derivatives.derivative import Derivative
from tapefacade._trace import execution_mode

LOOKED = pytest.mark.parametrize("looked", [False, True], ids=["pending", "looked at"])


@pytest.fixture(autouse=True)
def nothing_left():
    settle()
    yield
    still_open = not nothing_open()
    close_everything()
    assert not still_open


def shown(value):
    if isinstance(value, list | tuple):
        return [shown(v) for v in value]
    return None if value is None else value.numpy().tolist()


def look(looked, *values):
    if looked:
        for value in values:
            value.numpy()


# A tape that is used after its recording has ended.


@LOOKED
def test_persistent_tape_used_after_another_began(looked):
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as first:
        y = x * x * x
    look(looked, y)
    with tf.GradientTape() as second:
        z = x * x
    assert shown([first.gradient(y, x), second.gradient(z, x)]) == [27.0, 6.0]
    assert shown([first.gradient(y, x), first.gradient(z, x)]) == [27.0, None]
    assert first.jacobian(y, x).numpy() == 27.0


def test_tapes_kept_from_many_steps():
    x, kept = tf.Variable(2.0), []
    for k in range(3):
        with tf.GradientTape(persistent=True) as tape:
            y = x ** (k + 1)
        kept.append((tape, y))
        x.assign_add(1.0)
    assert shown([tape.gradient(y, x) for tape, y in kept]) == [1.0, 6.0, 48.0]
    assert shown([tape.jacobian(y, x) for tape, y in reversed(kept)]) == [48.0, 6.0, 1.0]


def test_gradient_after_the_variable_changed():
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as first:
        y = x * x * x
    x.assign(10.0)
    with tf.GradientTape() as second:
        z = x * x + first.gradient(y, x)
    x.assign(20.0)
    assert shown([first.gradient(y, x), second.gradient(z, x), first.jacobian(y, x), y]) == [
        27.0, 20.0, 27.0, 27.0,
    ]  # fmt: skip


@LOOKED
def test_tape_used_after_values_were_looked_at(looked):
    x, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a = x * v
        look(looked, a)
        b = a * a
        look(looked, v, b)
        c = tf.reduce_sum(b) * x
    look(looked, c)
    with counted() as count:
        gradients = tape.gradient(c, [x, v, a, b])
        np.testing.assert_array_equal(gradients[0], [9 + 64 + 3 * 18, 9 + 64 + 3 * 64])
        np.testing.assert_array_equal(gradients[1], [3 * 6.0, 3 * 32.0])
        np.testing.assert_array_equal(gradients[2], [18.0, 48.0])
        np.testing.assert_array_equal(gradients[3], [3.0, 3.0])
    assert count.dispatched == 1
    rows = tape.jacobian(b, v).numpy().tolist()
    assert rows == [[6.0, 0.0], [0.0, 32.0]]


@LOOKED
def test_target_of_two_tapes(looked):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as first:
        y = x * x
    look(looked, y)
    with tf.GradientTape(persistent=True) as second:
        z = y * x
    look(looked, z)
    found = [first.gradient(z, x), second.gradient(z, x), second.gradient(z, y)]
    assert shown(found) == [None, 4.0, None]
    assert first.gradient(y, x).numpy() == 4.0


@LOOKED
def test_reset_and_watching_late(looked):
    x, c = tf.Variable(3.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        before = x * x
        look(looked, before)
        tape.reset()
        after = x * x * x
        y = c * c
        tape.watch(c)
        z = c * y
        look(looked, z)
        w = z * c
    assert shown([tape.gradient(before, x), tape.gradient(after, x)]) == [None, 27.0]
    assert shown([tape.gradient(t, c) for t in (y, z, w)]) == [None, 4.0, 16.0]
    assert shown(tape.gradient(w, [z, y])) == [2.0, None]


# The gradient of a gradient, over closed recordings.


@LOOKED
def test_gradient_of_a_closed_tape_by_what_is_upstream(looked):
    x, w = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as first:
        first.watch(x)
        y = x * x * x
    look(looked, y)
    with tf.GradientTape() as second:
        second.watch(w)
        g = first.gradient(y, x, output_gradients=w * w)
    look(looked, g)
    assert shown([g, second.gradient(g, w)]) == [108.0, 108.0]


@LOOKED
def test_gradient_of_a_closed_tape_within_another(looked):
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as first:
        y = x * x * x
    look(looked, y)
    with tf.GradientTape() as second:
        g = first.gradient(y, x) * x
    assert shown([g, second.gradient(g, x)]) == [81.0, 27.0]


@LOOKED
def test_outer_tape_asked_after_everything_was_looked_at(looked):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(x)
            y = x * x * x
        look(looked, y)
        g = inner.gradient(y, x)
        look(looked, g)
    with tf.GradientTape():
        pass
    assert shown([g, outer.gradient(g, x), outer.gradient(g, x)]) == [27.0, 18.0, 18.0]


def test_gradients_asked_within_the_block_and_looked_at():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x * x
        assert float(y) == 8.0
        g = tape.gradient(y, x)
        assert float(g) == 12.0
        h = tape.gradient(g, x)
        k = tape.gradient(h, x)
    assert shown([g, h, k, tape.gradient(h, x)]) == [12.0, 12.0, 6.0, 6.0]


@LOOKED
def test_newer_tape_differentiates_an_older_one_in_full(looked):
    # Unlike TensorFlow, whose newer tape takes what the older one has kept (here x * x) for
    # constants, and gives 12.
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as first:
        first.watch(x)
        y = x * x * x
    look(looked, y)
    with tf.GradientTape() as second:
        second.watch(x)
        g = first.gradient(y, x)
    assert shown([g, second.gradient(g, x)]) == [27.0, 18.0]


# Variables that change within the block.


@LOOKED
def test_many_reads_of_a_variable_with_assignments_between(looked):
    v, parts = tf.Variable(2.0), []
    with tf.GradientTape(persistent=True) as tape:
        for k in range(4):
            parts.append(v * v * float(k + 1))
            look(looked, parts[-1])
            v.assign_add(1.0)
            look(looked, v)
        total = tf.add_n(parts)
    assert tape.gradient(total, v).numpy() == 80.0
    assert shown([tape.gradient(part, v) for part in parts]) == [4.0, 12.0, 24.0, 40.0]
    assert v.numpy() == 6.0
    assert len(tape.watched_variables()) == 1


def test_assignments_of_what_is_tracked():
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        v.assign(w * w)
        y = v * w
        v.assign(y)
        z = v * v
    assert shown(tape.gradient(y, [v, w])) == [3.0, 9.0]
    assert shown(tape.gradient(z, [v, w])) == [54.0, None]


def test_assignment_between_nested_gradients():
    v = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = v * v * v
        g = inner.gradient(y, v)
        v.assign(5.0)
        z = g * v
    assert shown([outer.gradient(z, v), z]) == [72.0, 60.0]


def test_hundred_reads_are_one_program():
    v = tf.Variable(1.0)

    def step():
        with tf.GradientTape() as tape:
            total = tf.constant(0.0)
            for _ in range(100):
                total += v * v
                v.assign_add(0.0)
        return tape.gradient(total, v).numpy()

    for _ in range(
        execution_mode.MAX_RUNS_IN_A_ROW + 1
    ):  # it may run in pieces until it is known to repeat
        assert step() == 200.0
    with counted() as count:
        assert step() == 200.0
    assert (count.compiled, count.dispatched) == (0, 1)


# Something that the tape does not know.


def test_derivative_of_a_source_by_itself_unwatched():
    x, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        y = x * v
    for source in (x, v, y):
        assert shown(tape.gradient(source, [source, source])) == [[1.0, 1.0]] * 2
        assert shown(tape.gradient([source, source], source)) == [2.0, 2.0]
        assert shown(tape.gradient([source, source], [source, source])) == [[2.0, 2.0]] * 2
        assert tape.gradient(y * 1.0, source) is None


@pytest.mark.parametrize("used", [False, True])
@LOOKED
def test_derivative_of_a_value_made_before_the_block(looked, used):
    v = tf.Variable([1.0, 2.0])
    before = tf.sin(v)
    look(looked, before)
    with tf.GradientTape(persistent=True) as tape:
        y = v + (before if used else v)
    assert shown(tape.gradient(before, [v, before])) == [None, [1.0, 1.0]]
    if not used:
        assert shown(tape.gradient([before, y], [v, before])) == [[2.0, 2.0], [1.0, 1.0]]


def test_derivative_of_a_pending_variable_by_itself_unwatched():
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        w.assign(tf.constant(3.0) * 2.0)
        v.assign(v * w)
    assert shown(tape.gradient(v, [v, w])) == [[1.0, 1.0], None]
    assert shown([v, w]) == [[6.0, 12.0], 6.0]


# Jacobians: by rows or by columns, whichever are fewer.


def _kinds(monkeypatch):
    taken = []
    columns = Derivative._columns

    def noted(self, *arguments):
        taken.append("columns")
        return columns(self, *arguments)

    monkeypatch.setattr(Derivative, "_columns", noted)
    return taken


@pytest.mark.parametrize("tall", [True, False])
def test_jacobian_by_rows_is_that_by_columns(tall, monkeypatch):
    taken = _kinds(monkeypatch)
    rng = np.random.default_rng(int(tall))
    rows, columns = (7, 3) if tall else (3, 7)
    a = tf.constant(rng.normal(size=(columns, rows)))
    x, unused = tf.Variable(rng.normal(size=(1, columns))), tf.Variable([1.0])
    with tf.GradientTape(persistent=True) as tape:
        middle = tf.sin(x @ a)
        y = tf.square(middle) + middle[0, 0]
        parts = tf.unstack(tf.reshape(y, [-1]))
    got = tape.jacobian(y, [x, middle, unused, {"x": x}])
    want = np.stack([tape.gradient(part, x) for part in parts]).reshape(1, rows, 1, columns)
    np.testing.assert_allclose(got[0], want, rtol=1e-12)
    np.testing.assert_allclose(got[3]["x"], want, rtol=1e-12)
    by_middle = np.stack([tape.gradient(part, middle) for part in parts])
    np.testing.assert_allclose(got[1], by_middle.reshape(1, rows, 1, rows), rtol=1e-12)
    assert got[2] is None
    np.testing.assert_allclose(tape.jacobian(y, x), want, rtol=1e-12)
    assert bool(taken) == tall
    zeros = tape.jacobian(y, unused, unconnected_gradients="zero")
    assert zeros.shape == [1, rows, 1]
    assert not zeros.numpy().any()


def test_jacobian_by_columns_of_a_variable_read_twice(monkeypatch):
    taken = _kinds(monkeypatch)
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        first = tf.tile(v, [3]) * tf.reduce_sum(v)
        v.assign([3.0, 4.0])
        y = first + tf.tile(v * v, [3])
    got = tape.jacobian(y, v)
    one = [[3.0 + 1.0 + 6.0, 1.0], [2.0, 3.0 + 2.0 + 8.0]]
    assert got.numpy().tolist() == one * 3
    assert taken


@pytest.mark.parametrize("tall", [True, False])
def test_second_derivatives_through_a_jacobian(tall):
    x = tf.Variable([0.5, 1.0] if tall else [0.5, 1.0, 1.5])
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = tf.tile(tf.sin(x), [2]) if tall else tf.reduce_sum(tf.sin(x), keepdims=True)
        j = inner.jacobian(y, x)
    second = -np.sin(x.numpy()) * (2 if tall else 1)
    np.testing.assert_allclose(outer.gradient(j, x), second, rtol=1e-6)
    full = outer.jacobian(j, x).numpy()
    assert full.shape == ((4, 2, 2) if tall else (1, 3, 3))
    np.testing.assert_allclose(full.sum(axis=(0, 1)), second, rtol=1e-6)


def test_jacobian_of_a_closed_tape():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.tile(x * x, [2])
    y.numpy()
    settle()
    want = [[2.0, 0.0], [0.0, 4.0]] * 2
    assert tape.jacobian(y, x).numpy().tolist() == want
    assert tape.gradient(y, x).numpy().tolist() == [4.0, 8.0]


def test_batch_jacobian_is_the_diagonal_of_the_jacobian():
    x = tf.Variable(np.random.default_rng(0).normal(size=(4, 3)))
    w = tf.constant(np.random.default_rng(1).normal(size=(3, 2)))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.tanh(x @ w)
    full = tape.jacobian(y, x).numpy()
    diagonal = np.stack([full[k, :, k] for k in range(4)])
    np.testing.assert_allclose(tape.batch_jacobian(y, x), diagonal, rtol=1e-12)


# Complex numbers: TensorFlow's gradients are conjugate to JAX's.


def test_complex_gradients_are_conjugate():
    z = tf.constant([1 + 2j, 3 - 1j], tf.complex64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        targets = [
            z * z,
            tf.math.conj(z) * z,
            tf.abs(z),
            tf.math.real(z) * tf.math.imag(z),
            tf.exp(z),
            tf.math.angle(z),
        ]
    want = [
        [2 - 4j, 6 + 2j],
        [2 + 4j, 6 - 2j],
        [0.4472136 + 0.8944272j, 0.9486833 - 0.3162278j],
        [2 + 1j, -1 + 3j],
        [-1.1312044 - 2.4717267j, 10.8522615 + 16.9013958j],
        [-0.4 + 0.2j, 0.1 + 0.3j],
    ]
    for target, gradient in zip(targets, want, strict=True):
        np.testing.assert_allclose(tape.gradient(target, z), gradient, rtol=1e-5)


def test_complex_upstream_second_derivative_and_jacobian():
    z = tf.constant(1 + 2j, tf.complex64)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(z)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(z)
            y = z * z * z
        g = inner.gradient(y, z)
    assert g.numpy() == -9 - 12j
    assert outer.gradient(g, z).numpy() == 6 - 12j
    up = tf.constant(2 - 3j, tf.complex64)
    assert inner.gradient(y, z, output_gradients=up).numpy() == -54 + 3j
    pair = tf.constant([1 + 2j, 3 - 1j], tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(pair)
        y = pair * pair
    np.testing.assert_array_equal(tape.jacobian(y, pair), np.diag([2 - 4j, 6 + 2j]))


def test_real_parameter_of_complex_values():
    x = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        z = tf.exp(tf.complex(0.0 * x, x))
        y = tf.math.real(z) * 2.0 + tf.math.imag(z)
    np.testing.assert_allclose(tape.gradient(y, x), -2 * np.sin(0.5) + np.cos(0.5), rtol=1e-6)


# Gradients made by hand, within nested tapes.


@tf.custom_gradient
def cube(x):
    return x * x * x, lambda upstream: upstream * 10.0 * x


@tf.custom_gradient
def around_cube(x):
    def gradient(upstream):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cube(x)
        return upstream * tape.gradient(y, x)

    return cube(x) + x, gradient


@LOOKED
def test_custom_gradient_within_nested_tapes(looked):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(x)
            y = cube(x) * x
        look(looked, y)
        g = inner.gradient(y, x)
    look(looked, g)
    assert shown([g, outer.gradient(g, x), outer.gradient(y, x)]) == [
        [11.0, 48.0], [30.0, 60.0], [11.0, 48.0],
    ]  # fmt: skip
    assert inner.jacobian(y, x).numpy().tolist() == [[11.0, 0.0], [0.0, 48.0]]
    assert outer.jacobian(g, x).numpy().tolist() == [[30.0, 0.0], [0.0, 60.0]]


def test_jacobian_through_a_custom_gradient_within_a_tape():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        j = inner.jacobian(y, x)
    assert shown([j, outer.gradient(j, x)]) == [[[10.0, 0.0], [0.0, 20.0]], [10.0, 10.0]]


@LOOKED
def test_custom_gradient_within_a_custom_gradient(looked):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(x)
            y = around_cube(x)
        look(looked, y)
        g = inner.gradient(y, x)
    assert shown([y, g, outer.gradient(g, x)]) == [[2.0, 10.0], [10.0, 20.0], [10.0, 10.0]]
    assert inner.jacobian(y, x).numpy().tolist() == [[10.0, 0.0], [0.0, 20.0]]


def test_partials_of_custom_gradients_in_loops_are_told_apart():
    calls = []

    @tf.custom_gradient
    def square(x):
        return x**2, functools.partial(lambda x, upstream: 2 * x * upstream, x)

    @tf.custom_gradient
    def cube(x):
        return x**3, functools.partial(lambda x, upstream: 3 * square(x) * upstream, x)

    @tf.function
    def curvatures(x, count):
        calls.append(1)
        total = tf.zeros([])
        for _ in tf.range(count):
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = cube(x)
                slope = inner.gradient(y, x)
            total += outer.gradient(slope, x)
        return total

    found = [curvatures(tf.constant(2.0), tf.constant(n)).numpy() for n in (1, 2, 3, 4)]
    assert found == [12.0, 24.0, 36.0, 48.0]
    assert len(calls) == 2  # the first call, and what is recorded for all others


def test_custom_gradient_of_a_closed_tape():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as first:
        first.watch(x)
        y = cube(x)
    y.numpy()
    with tf.GradientTape() as second:
        second.watch(x)
        g = first.gradient(y, x)
    assert shown([g, second.gradient(g, x)]) == [[10.0, 20.0], [10.0, 10.0]]
    assert first.jacobian(y, x).numpy().tolist() == [[10.0, 0.0], [0.0, 20.0]]


def test_a_block_that_is_entered_again_compiles_nothing_in_a_step_that_repeats():
    x = tf.Variable([1.0, 2.0])

    def step():
        with tf.GradientTape() as tape:
            y = tf.sin(x) * x
        float(y[0])
        with tape:
            loss = tf.reduce_sum(y * y)
        x.assign_sub(0.1 * tape.gradient(loss, x))

    for _ in range(3):
        step()
    settle()
    with counted() as count:
        for _ in range(4):
            step()
        settle()
    assert (count.compiled, count.recorded, count.dispatched) == (0, 0, 8)


def test_a_block_is_not_entered_again_within_that_of_another_tape():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    float(y)
    with (
        tf.GradientTape(),
        pytest.raises(RuntimeError, match="its step has ended, and the block of another tape"),
        tape,
    ):
        pass
