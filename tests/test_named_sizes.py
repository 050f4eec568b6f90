"""Calls that differ in sizes only: traced once for all, and computed without compiling."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from steps import counted

import tapefacade as tf
from tapefacade._definition.op import REGISTRY
from tapefacade._trace import first_runs, named_sizes, numpy_steps
from tapefacade._trace.interpreter import Interpreter
from tapefacade._trace.named_sizes import MIN_SAMPLES, Pattern, with_sizes

SIZES = (17, 40, 9, 23, 5, 111, 64)


@pytest.fixture(autouse=True)
def no_families(monkeypatch):
    named_sizes.family_of.cache_clear()
    for op in REGISTRY.values():
        monkeypatch.setattr(op, "_inferred", {})


def values(*shape, seed=3):
    return np.random.default_rng(seed).uniform(0.2, 1.8, shape).astype(np.float32)


def test_a_step_with_a_size_never_seen_compiles_nothing():
    w = tf.Variable(values(8, 8) * 0.1)
    want = w.numpy().astype(np.float64)
    for place, size in enumerate([*range(30, 42), 2, 1, 3, 500]):
        with counted() as count:
            x = tf.constant(values(size, 8, seed=size))
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.tanh(x @ w) ** 2)
            w.assign_sub(0.5 * tape.gradient(loss, w))
            w.numpy()
        x = x.numpy().astype(np.float64)
        y = np.tanh(x @ want)
        want -= 0.5 * x.T @ (2 * y * (1 - y * y) / y.size)
        np.testing.assert_allclose(w.numpy(), want, 1e-5, 1e-6)
        assert place < 5 or count.compiled == 0


def test_what_comes_again_often_is_compiled():
    v = tf.Variable(values(4))

    def step(size):
        with counted() as count:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.sin(v * tf.constant(values(size, 4))))
            tape.gradient(loss, v).numpy()
        return count.compiled

    for size in range(6, 12):
        step(size)
    compiled = [step(30) for _ in range(first_runs.RUNS_OF_VARYING + 2)]
    assert compiled[0] == 0
    assert sum(compiled) == 1


def test_a_function_with_a_sequence_of_any_length():
    kernel = tf.Variable(values(6, 6) * 0.2)

    @tf.function(max_traces=None)
    def attention(x):
        with tf.GradientTape() as tape:
            scores = tf.nn.softmax(tf.matmul(x @ kernel, x, transpose_b=True))
            loss = tf.reduce_sum(tf.square(tf.linalg.normalize(scores @ x, axis=-1)[0] - x))
        return loss, tape.gradient(loss, kernel)

    for place, size in enumerate([11, 12, 13, 14, 15, 16, 17, 31, 7, 90]):
        x = tf.constant(values(size, 6, seed=size))
        with counted() as count:
            loss, gradient = attention(x)
            loss.numpy(), gradient.numpy()
        assert place < 5 or count.compiled == 0

        def plain(w, x):
            scores = jax.nn.softmax(x @ w @ x.T)
            found = scores @ x
            found = found / jnp.linalg.norm(found, axis=-1, keepdims=True)
            return jnp.sum(jnp.square(found - x))

        want, derivative = jax.jit(jax.value_and_grad(plain))(kernel.numpy(), x.numpy())
        np.testing.assert_allclose(loss, want, 1e-4)
        np.testing.assert_allclose(gradient, derivative, 1e-3, 1e-4)


CALLS = {
    "reshape": lambda x: tf.reshape(x, [-1, 3]),
    "flat": lambda x: tf.reshape(x, [-1]),
    "transpose": lambda x: tf.transpose(x) * 2.0,
    "concat": lambda x: tf.concat([x, x[1:], x[:, :] + 1.0], 0),
    "ends": lambda x: x[-1] + x[0] + x[2],
    "every other": lambda x: x[::2],
    "reversed": lambda x: x[::-1],
    "pad": lambda x: tf.pad(x, [[1, 2], [0, 0]]),
    "softmax": lambda x: tf.nn.softmax(x, axis=0),
    "cumsum": lambda x: tf.cumsum(x, reverse=True),
    "mean": lambda x: tf.reduce_mean(x, 0),
    "std": lambda x: tf.math.reduce_std(x),
    "norm": lambda x: tf.norm(x, axis=0),
    "argmax": lambda x: tf.argmax(x),
    "sort": lambda x: tf.sort(x, 0),
    "top": lambda x: tf.math.top_k(tf.transpose(x), 2)[0],
    "outer": lambda x: x[:, None, :] - x[None, :, :],
    "product": lambda x: tf.matmul(x, x, transpose_a=True),
    "einsum": lambda x: tf.einsum("ij,kj->ik", x, x),
    "tile": lambda x: tf.tile(x, [2, 1]),
    "stack": lambda x: tf.stack([x, x * x], 1),
    "unstacked": lambda x: tf.unstack(x, axis=1)[1],
    "split": lambda x: tf.split(x, 3, axis=1)[2],
    "gather": lambda x: tf.gather(x, [0, 3, 1]),
    "one hot": lambda x: tf.one_hot(tf.cast(x[:, 0], tf.int32), 4),
    "where": lambda x: tf.where(x > 1.0, x, -x),
    "broadcast": lambda x: x + tf.reduce_max(x, 1, keepdims=True),
    "segments": lambda x: tf.math.unsorted_segment_sum(x, tf.cast(x[:, 0], tf.int32), 3),
    "conv1d": lambda x: tf.nn.conv1d(x[None], tf.ones([3, 3, 2]), 1, "SAME"),
    "pool": lambda x: tf.nn.max_pool1d(x[None], 2, 2, "VALID"),
    "erf": lambda x: tf.math.erf(x),
    "gelu": lambda x: tf.nn.gelu(x),
    "lgamma": lambda x: tf.math.lgamma(x),
    "cast": lambda x: tf.cast(x * 5.0, tf.int32),
    "normalized": lambda x: (x - tf.reduce_mean(x, 0)) / tf.math.reduce_std(x, 0),
    "triangle": lambda x: tf.linalg.band_part(x @ tf.transpose(x), -1, 0),
    "diagonal": lambda x: tf.linalg.diag_part(x @ tf.transpose(x)),
    "size": lambda x: x * tf.cast(tf.shape(x)[0], tf.float32),
    "range": lambda x: x[:, 0] * tf.cast(tf.range(tf.shape(x)[0]), tf.float32),
    "square": lambda x: tf.zeros([x.shape[0], x.shape[0]]) + x[:, :1],
    "roll": lambda x: tf.roll(x, 1, 0),
    "fft": lambda x: tf.math.real(tf.signal.fft(tf.cast(x[:, 0], tf.complex64))),
    "cross entropy": lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(
        tf.cast(x[:, 0], tf.int32), x
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients_are_those_of_each_size(name, monkeypatch):
    def found(size):
        x = tf.Variable(values(size, 3, seed=size))
        with tf.GradientTape() as tape:
            y = CALLS[name](x)
            loss = tf.reduce_sum(tf.cast(y, tf.float32) * 0.5)
        gradient = tape.gradient(loss, x)
        gradient = None if gradient is None else tf.convert_to_tensor(gradient)
        return y.numpy(), None if gradient is None else gradient.numpy()

    got = [found(size) for size in SIZES]
    monkeypatch.setattr(first_runs.BACKGROUND_COMPILER, "is_on", False)  # each is compiled
    for size, one in list(zip(SIZES, got, strict=True))[-2:]:
        named_sizes.family_of.cache_clear()
        for op in REGISTRY.values():
            op._inferred = {}
        for a, b in zip(one, found(size), strict=True):
            if a is None:
                assert b is None
                continue
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
            np.testing.assert_allclose(a, b, 2e-5, 2e-5)


def test_errors_are_those_of_each_size():
    for size in SIZES:
        good = tf.ones([size, 3]) @ tf.ones([3, size])
        assert good.shape == [size, size]
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"\[{size},3\].*\[4,{size}\]"):
            tf.matmul(tf.ones([size, 3]), tf.ones([4, size]))
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.ones([size, 3]) + tf.ones([size + 1, 3])
    assert (tf.ones([17, 3]) + tf.ones([1, 3])).shape == [17, 3]  # broadcast, not named


PROGRAMS = {
    "moved": lambda x: jnp.concatenate([x, x[:-1]]).reshape(-1)[::2],
    "counted": lambda x: x.sum() / x.shape[0] + jnp.arange(x.shape[0], dtype=x.dtype),
    "window": lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (3, 1), (2, 1), "SAME"),
    "loop": lambda x: lax.scan(lambda c, row: (c + row, c * row), jnp.zeros(3, x.dtype), x),
    "inner": lambda x: jax.jit(lambda y: y * y.shape[0] // 2)(x),
    "branch": lambda x: lax.cond(x[0, 0] > 1, lambda y: y * 2, lambda y: y - 1, x),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_for_names_in_a_program(name):
    named, size = Pattern([(17,), (40,)]).numbers[0], 23
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(PROGRAMS[name])(jax.ShapeDtypeStruct((named, 3), "float32"))
        x = values(size, 3)
        found = Interpreter(with_sizes(closed, {"n0": size})).run([x])
        want = jax.tree.leaves(PROGRAMS[name](x))
    for a, b in zip(found, want, strict=True):
        np.testing.assert_allclose(a, b, 1e-5)


def test_which_sizes_have_names():
    pattern = Pattern([(17, 3, 17, 2), (40, 3, 40, 4), (9, 3, 9, 9)])
    assert [str(number) for number in pattern.numbers] == ["n0", "3", "n0", "n1"]
    assert pattern.sizes((20, 3, 20, 6)) == {"n0": 20, "n1": 6}
    for other in [
        (20, 4, 20, 6),
        (20, 3, 21, 6),
        (20, 3, 20, 1),
        (0, 3, 0, 6),
        (2**40, 3, 2**40, 6),
    ]:
        assert pattern.sizes(other) is None


def test_sizes_that_differ_alike_share_a_name_and_keep_within_what_they_kept_within():
    samples = [(16, 17, 500, 17, 20), (39, 40, 500, 40, 90), (8, 9, 500, 9, 9)]
    pattern = Pattern(samples)
    assert [str(number) for number in pattern.numbers] == ["n0", "n0 + 1", "500", "n0 + 1", "n1"]
    assert pattern.sizes((600, 601, 500, 601, 7)) == {"n0": 600, "n1": 7}
    assert pattern.sizes((600, 600, 500, 600, 7)) is None
    limited = Pattern(samples, is_limited=True)
    assert (limited.numbers[0] <= 499, limited.numbers[0] < limited.numbers[4]) == (True, True)
    assert limited.sizes((29, 30, 500, 30, 40)) == {"n0": 29, "n1": 40}
    assert limited.sizes((600, 601, 500, 601, 700)) is None
    assert limited.sizes((29, 30, 500, 30, 7)) is None


@pytest.mark.parametrize(
    "name",
    ["math.sin", "gather", "math.subtract", "_slice", "_slice_checked", "_full", "_array_read"],
)
def test_equal_calls_are_traced_once_for_all_sizes(name, monkeypatch):
    op, calls = REGISTRY[name], []
    run = {
        "math.sin": tf.sin,
        "gather": lambda x: tf.gather(x, tf.range(len(x) - 1, -1, -1)),
        "math.subtract": lambda x: 1.0 - x * x[:1],
        "_slice": lambda x: x + tf.ones([500, 2])[: len(x)],
        "_slice_checked": lambda x: x + x[tf.cast(tf.sin(x[0, 0]), tf.int32)],
        "_full": lambda x: tf.zeros([len(x), 2]),
        "_array_read": lambda x: x + read(x, tf.cast(tf.sin(x[0, 0]), tf.int32)),
    }[name]
    monkeypatch.setattr(op, "_inferred", {})
    traced = type(op)._traced
    monkeypatch.setattr(type(op), "_traced", lambda *a: calls.append(a[0].name) or traced(*a))
    for size in range(10, 30):
        assert run(tf.zeros([size, 2])).shape == [size, 2]
    # A part is compared with the whole: it is traced once more, with what limits it.
    assert calls.count(name) == MIN_SAMPLES + 1 + (name == "_slice")


def read(rows, index):
    """A function, as TensorArrays read at indices that are pending there only."""
    array = tf.TensorArray(tf.float32, len(rows)).unstack(rows)
    return tf.while_loop(lambda i, _: i < 1, lambda i, _: (i + 1, array.read(index)), (0, rows[0]))[
        1
    ]


def test_what_depends_on_no_size_is_prepared_once_for_all(monkeypatch):
    """NumPy does it in the same way; a mean and a part of a tensor are made for each size."""
    made = []
    prepared = numpy_steps.Interpreter
    monkeypatch.setattr(numpy_steps, "Interpreter", lambda p: made.append(p) or prepared(p))
    v, counts = tf.Variable(values(3)), []
    for size in (*range(130, 142), 400):
        x = tf.constant(values(size, 3, seed=size))
        made.clear()
        with tf.GradientTape() as tape:
            y = tf.tanh(x * v) / (1.0 + tf.exp(x)) - tf.maximum(x, v) ** 2
            loss = tf.reduce_sum(tf.concat([y, tf.reverse(y, [0])], 1) * tf.reduce_mean(y))
        gradient = tape.gradient(loss, v).numpy()
        counts.append(len(made))
    assert max(counts[-3:]) < 10 < max(counts[:5])
    got, x, w = gradient, x.numpy().astype("f8"), v.numpy().astype("f8")

    def total(w):
        y = np.tanh(x * w) / (1 + np.exp(x)) - np.maximum(x, w) ** 2
        return 2 * y.sum() * y.mean()

    for place, change in enumerate(np.eye(3) * 1e-6):
        slope = (total(w + change) - total(w - change)) / 2e-6
        np.testing.assert_allclose(got[place], slope, 1e-3)


def test_checks_that_are_traced_once_know_each_size():
    table = tf.constant(values(40, 3))
    for size in range(8, 20):
        x = table[:size]
        rows = tf.gather(x, tf.constant([0, size - 1]))
        np.testing.assert_array_equal(rows.numpy(), x.numpy()[[0, size - 1]])
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=rf"indices\[1\] = {size} is not in \[0, {size}\)"
        ):
            tf.gather(x, tf.constant([0, size])).numpy()
        places = tf.cast(tf.range(size) + tf.cast(x[0, 0] * 0.0, tf.int32) + 1, tf.int32)
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=rf"indices\[{size - 1}\] = {size} is not in \[0, {size}\)",
        ):
            tf.gather(x, places).numpy()
