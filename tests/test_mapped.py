"""Loops over rows: how many programs they take, and that they are Python loops."""

import concurrent.futures
import gc
import time
import weakref

import numpy as np
import pytest
from steps import counted, settle

import tapefacade as tf

ROWS = tf.constant(np.random.default_rng(0).normal(size=(1000, 4)).astype(np.float32))


@pytest.fixture(autouse=True)
def _settled():
    settle()
    yield
    settle()


def weights():
    return tf.Variable(0.3 * np.random.default_rng(1).normal(size=(4, 4)).astype(np.float32))


def mapped(w, rows):
    return tf.map_fn(lambda x: tf.tanh(tf.linalg.matvec(w, x)), rows)


def vectorized(w, rows):
    return tf.vectorized_map(lambda x: tf.tanh(tf.linalg.matvec(w, x)), rows)


def scanned(w, rows):
    return tf.scan(lambda h, x: tf.tanh(tf.linalg.matvec(w, h) + x), rows, tf.zeros([4]))


def folded(w, rows):
    return tf.foldl(lambda h, x: tf.tanh(tf.linalg.matvec(w, h) + x), rows, tf.zeros([4]))


LOOPS = [mapped, vectorized, scanned, folded]


@pytest.mark.parametrize("loop", LOOPS)
def test_a_thousand_rows_are_one_program_with_their_gradient(loop):
    w = weights()

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loop(w, ROWS) ** 2)
        w.assign_sub(1e-4 * tape.gradient(loss, w))
        return float(loss)

    settle()
    started = time.perf_counter()
    with counted() as count:
        step()
    assert (count.compiled, count.dispatched) == (1, 1)
    assert time.perf_counter() - started < 20  # seconds; 1,000 rows written out take minutes
    for _ in range(3):  # every step makes new lambdas
        with counted() as count:
            step()
        assert (count.compiled, count.dispatched, count.recorded) == (0, 1, 0)


@pytest.mark.parametrize("loop", LOOPS)
def test_in_a_function_no_python_runs_again(loop):
    w, runs = weights(), []

    @tf.function
    def f(rows):
        runs.append(1)
        return loop(w, rows)

    first = f(ROWS).numpy()
    settle()
    with counted() as count:
        second = f(ROWS).numpy()
    assert (count.compiled, count.dispatched, count.recorded) == (0, 1, 0)
    assert len(runs) == 1
    np.testing.assert_array_equal(first, second)


def test_equal_bodies_at_several_places_share_their_op():
    x = tf.constant([1.0, 2.0])
    with counted() as count:
        (tf.map_fn(lambda t: t * 5.0, x) + 1.0).numpy()
        (tf.map_fn(lambda t: t * 6.0, x) + 1.0).numpy()  # numbers are operands
    assert count.compiled == 1


def test_random_rows_compile_once():
    tf.map_fn(lambda x: x + tf.random.uniform([4]), ROWS[:10]).numpy()
    settle()
    with counted() as count:
        first = tf.map_fn(lambda x: tf.random.uniform([4]) + x, ROWS[:10]).numpy()
        second = tf.map_fn(lambda x: tf.random.uniform([4]) + x, ROWS[:10]).numpy()
    assert count.compiled <= 1
    assert (first != second).all()


# They are Python loops.


def python_map(f, rows):
    return tf.stack([f(row) for row in tf.unstack(rows)])


def python_scan(f, rows, state, reverse=False):
    found = []
    for row in tf.unstack(rows)[:: -1 if reverse else 1]:
        state = f(state, row)
        found.append(state)
    return tf.stack(found[:: -1 if reverse else 1])


def body(seed, w):
    """A function of two vectors, of a few ops chosen by chance."""
    rng = np.random.default_rng(seed)
    choices = [
        lambda a, b: tf.tanh(a + b),
        lambda a, b: a * tf.sigmoid(b),
        lambda a, b: tf.linalg.matvec(w, a) - b,
        lambda a, b: tf.maximum(a, b),
        lambda a, b: tf.where(a > b, a * 0.5, b),
        lambda a, b: tf.cumsum(a) * 0.3 + b,
        lambda a, b: tf.gather(a, [1, 0, 3, 2]) + tf.stop_gradient(b),
        lambda a, b: tf.cast(tf.argmax(a), a.dtype) * 0.1 + b,
        lambda a, b: tf.nn.softmax(a) + b * tf.reduce_mean(w),
        lambda a, b: tf.concat([a[:2], b[2:]], 0),
    ]
    chosen = [choices[i] for i in rng.integers(len(choices), size=3)]

    def f(a, b):
        for op in chosen:
            a, b = op(a, b), a
        return a

    return f


def derivatives(loop, rows, w, order=2):
    with tf.GradientTape(persistent=True) as outer:
        outer.watch([rows, w])
        with tf.GradientTape() as inner:
            inner.watch([rows, w])
            loss = tf.reduce_sum(tf.sin(loop(rows)))
        first = inner.gradient(loss, [rows, w])
        total = sum(tf.reduce_sum(d * d) for d in first if d is not None)
    second = outer.gradient(total, [rows, w]) if isinstance(total, tf.Tensor) else [None, None]
    return [loss, *first, *second]


def assert_alike(got, want):
    assert [g is None for g in got] == [w is None for w in want]
    for g, w in zip(got, want, strict=True):
        if g is not None:
            assert g.dtype == w.dtype
            np.testing.assert_allclose(g, w, rtol=1e-6, atol=1e-8)


def loops(f, w):
    """Pairs of a loop and the Python loop it stands for."""

    def nested(rows):
        return tf.foldl(lambda a, b: f(a, tf.scan(f, tf.stack([b, a]))[1]), rows)

    def nested_in_python(rows):
        state, *others = tf.unstack(rows)
        for row in others:
            state = f(state, f(row, state))
        return state

    def at_one(x):
        return f(x, w[1])

    return [
        (lambda r: tf.map_fn(at_one, r), lambda r: python_map(at_one, r)),
        (lambda r: tf.scan(f, r, w[0]), lambda r: python_scan(f, r, w[0])),
        (lambda r: tf.scan(f, r, w[0], reverse=True), lambda r: python_scan(f, r, w[0], True)),
        (nested, nested_in_python),
        (lambda r: tf.vectorized_map(at_one, r), lambda r: python_map(at_one, r)),
    ]


@pytest.mark.parametrize("seed", range(10))
def test_loops_are_python_loops(seed):
    rng = np.random.default_rng(seed)
    rows = tf.constant(rng.normal(size=(3, 4)))
    w = tf.constant(0.5 * rng.normal(size=(4, 4)))
    loop, reference = loops(body(seed, w), w)[seed % 5]
    want = derivatives(reference, rows, w)
    assert_alike(derivatives(loop, rows, w), want)
    got = tf.function(lambda r: derivatives(loop, r, w)[0])(rows)
    np.testing.assert_allclose(got, want[0], rtol=1e-6)


def test_random_numbers_are_those_of_a_python_loop():
    def f(x):
        a = tf.random.uniform([2])
        b = tf.random.normal([2], seed=7)
        c = tf.cast(tf.random.shuffle(tf.range(2)), tf.float32)
        return x + a * b + c + tf.cast(tf.random.uniform([2], maxval=9, dtype=tf.int64), tf.float32)

    rows = tf.zeros([6, 2])
    tf.random.set_seed(5)
    got = [tf.map_fn(f, rows).numpy(), tf.random.uniform([]).numpy()]
    tf.random.set_seed(5)
    want = [python_map(f, rows).numpy(), tf.random.uniform([]).numpy()]
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w)
    tf.random.set_seed(5)
    per_row = tf.vectorized_map(f, rows).numpy()
    np.testing.assert_allclose(per_row, want[0], rtol=1e-6)


def test_a_function_draws_anew_at_every_call():
    tf.random.set_seed(None)
    f = tf.function(lambda: tf.map_fn(lambda x: x + tf.random.uniform([]), tf.zeros([3])))
    first, second = f().numpy(), f().numpy()
    assert len({*first.tolist(), *second.tolist()}) == 6


# What Python does on the way.


def test_the_python_runs_twice_and_not_for_every_row():
    runs = []
    tf.map_fn(lambda x: runs.append(1) or x, ROWS).numpy()
    assert len(runs) == 2


def test_python_that_counts_runs_exactly_once_for_every_row():
    runs = []

    def f(x):
        runs.append(1)
        return x * float(len(runs))

    np.testing.assert_array_equal(tf.map_fn(f, tf.ones([5])).numpy(), [1, 2, 3, 4, 5])
    assert len(runs) == 5


def test_tensors_that_the_python_keeps_have_values():
    kept = []
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.map_fn(lambda t: kept.append((t, t * t)) or t, x)
        z = tf.reduce_sum(y) + sum(square for _, square in kept)
    assert [float(t) for t, _ in kept] == [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(tape.gradient(z, x), [3.0, 5.0, 7.0])


def test_nothing_of_a_body_is_kept():
    def run():
        data = np.ones((3, 100), np.float32)
        tensor = tf.constant(data)
        tf.map_fn(lambda x: x * tensor[0], tensor).numpy()
        return weakref.ref(tensor)

    reference = run()
    gc.collect()
    assert reference() is None


def test_an_error_leaves_variables_as_they_were():
    v = tf.Variable(0.0)

    def f(i):
        v.assign_add(1.0)
        return tf.gather(tf.constant([1.0, 2.0]), i)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices = 5 is not in \[0, 2\)"):
        tf.map_fn(f, tf.constant([0, 5, 7]), fn_output_signature=tf.float32).numpy()
    assert float(v) == 0.0
    tf.map_fn(f, tf.constant([0, 1]), fn_output_signature=tf.float32).numpy()
    assert float(v) == 2.0


def test_a_function_with_a_loop_can_be_differentiated_later():
    v = tf.Variable([2.0, 3.0])
    f = tf.function(lambda x: tf.scan(lambda a, t: a * t + v, x, tf.ones([2])))
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    f(x)
    settle()
    with counted() as count:
        with tf.GradientTape() as tape:
            y = f(x)
        got = tape.gradient(y, v).numpy()
    assert (count.compiled, count.dispatched) == (1, 1)
    with tf.GradientTape() as tape:
        y = python_scan(lambda a, t: a * t + v, x, tf.ones([2]))
    np.testing.assert_allclose(got, tape.gradient(y, v))


def test_within_a_transformation_of_jax():
    import jax

    def f(x):
        return tf.reduce_sum(tf.scan(lambda a, t: a * t, tf.convert_to_tensor(x))).numpy()

    def traced(x):
        return tf.reduce_sum(tf.scan(lambda a, t: a * t, tf.convert_to_tensor(x)))._array()

    x = np.array([1.0, 2.0, 3.0], np.float32)
    np.testing.assert_allclose(jax.jit(traced)(x), f(x))
    np.testing.assert_allclose(jax.grad(traced)(x), [9.0, 4.0, 2.0])


def test_threads_loop_for_themselves():
    def work(number):
        x = tf.constant([1.0, 2.0, float(number)])
        for _ in range(20):
            y = tf.map_fn(lambda t: t * x[2] + tf.random.uniform([]) * 0.0, x).numpy()
            np.testing.assert_array_equal(y, x.numpy() * number)
        return True

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


def test_an_interrupt_in_a_body_leaves_nothing_behind():
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tf.map_fn(interrupted, tf.constant([1.0, 2.0]))
    with pytest.raises(KeyboardInterrupt):
        tf.vectorized_map(interrupted, tf.constant([1.0, 2.0]))
    assert not tf.inside_function()
    np.testing.assert_array_equal(tf.map_fn(lambda t: t, tf.constant([1.0, 2.0])), [1.0, 2.0])
