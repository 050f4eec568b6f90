"""Episodes: eager loops of other lengths at each run, every iteration of which is looked at."""

import numpy as np
import pytest
from steps import counted, settle

import tapefacade as tf
from tapefacade._trace import program_in_pieces
from tapefacade._trace.background_compilation import BACKGROUND_COMPILER


@pytest.fixture(autouse=True)
def no_early_pieces():
    """No piece has been computed by NumPy before."""
    program_in_pieces.early_piece.cache_clear()
    settle()


class Policy:
    """A small network that an episode trains, its environment in NumPy."""

    def __init__(self, units, dtype="float32"):
        rng = np.random.default_rng(units)
        self.dtype = dtype
        self.w = tf.Variable(rng.normal(size=(3, units)).astype(dtype) * 0.3)
        self.v = tf.Variable(rng.normal(size=(units, 2)).astype(dtype) * 0.3)

    def episode(self, length):
        """Returns the loss of an episode, and its gradients."""
        rng = np.random.default_rng(length)
        with tf.GradientTape() as tape:
            chosen = []
            for _ in range(length):
                state = tf.constant(rng.normal(size=(1, 3)).astype(self.dtype))
                scores = tf.nn.log_softmax(tf.nn.relu(state @ self.w) @ self.v)
                action = int(np.argmax(scores.numpy()[0] + rng.gumbel(size=2)))
                chosen.append(scores[0, action])
            loss = -tf.reduce_mean(tf.stack(chosen) * np.linspace(1, 2, length, dtype=self.dtype))
        return loss, tape.gradient(loss, [self.w, self.v])


def looked(result):
    return [np.asarray(value) for value in tf.nest.flatten(result)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_episode_of_a_length_never_seen_compiles_nothing(dtype):
    policy = Policy(7 if dtype == "float32" else 8, dtype)
    looked(policy.episode(20))
    for length in (33, 21, 64, 9, 50):
        with counted() as count:
            loss, gradients = policy.episode(length)
            got = looked((loss, gradients))
            for variable, gradient in zip([policy.w, policy.v], gradients, strict=True):
                variable.assign_sub(0.1 * gradient)
            settle()
        assert count.compiled == 0 or length == 33  # the update is compiled once
        for variable, gradient in zip([policy.w, policy.v], gradients, strict=True):
            variable.assign_add(0.1 * gradient)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(BACKGROUND_COMPILER, "is_on", False)
            want = looked(Policy.episode(policy, length))
        for one, other in zip(got, want, strict=True):
            assert one.dtype == other.dtype == dtype
            np.testing.assert_allclose(one, other, 2e-4, 1e-5)


def test_the_first_episode_compiles_what_is_looked_at_and_no_gradient():
    policy = Policy(9)
    with counted() as count:
        looked(policy.episode(40))
    assert count.compiled <= 3


def test_pieces_that_run_often_are_compiled(monkeypatch):
    monkeypatch.setattr(program_in_pieces, "COMPILATION_FACTOR", 0.01)
    policy = Policy(11)
    looked(policy.episode(40))
    compiled = []
    for length in (41, 42, 43, 44):
        with counted() as count:
            looked(policy.episode(length))
        compiled.append(count.compiled)
    assert sum(compiled) > 0
    assert compiled[-1] == 0


def test_pieces_with_large_values_are_compiled_soon():
    def losses(length):
        v = tf.Variable(np.linspace(-1, 1, 40_000, dtype="f"))
        with tf.GradientTape() as tape:
            x = v
            for _ in range(length):
                x = tf.sin(x) + v
                float(x[0])
            loss = tf.reduce_sum(x)
        return looked(tape.gradient(loss, v))[0]

    compiled = []
    for length in range(20, 27):
        with counted() as count:
            losses(length)
        compiled.append(count.compiled)
    assert sum(compiled[1:]) > 0
    assert compiled[-1] == 0
    want = np.linspace(-1, 1, 40_000, dtype="f")
    x, slope = want, np.ones_like(want)
    for _ in range(20):
        x, slope = np.sin(x) + want, np.cos(x) * slope + 1
    np.testing.assert_allclose(losses(20), slope, 1e-4, 1e-4)


def test_errors_of_an_episode_are_those_of_its_ops():
    v = tf.Variable(tf.linspace(0.1, 1.0, 6))
    for length in (12, 15):
        with tf.GradientTape() as tape:
            x = v * 1.0
            for _ in range(length):
                x = tf.cos(x) + v
                float(x[0])
            loss = tf.reduce_sum(tf.gather(x, tf.cast(x[:1] * 1000.0, tf.int32)))
            gradient = tape.gradient(loss, v)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = .* \[0, 6\)"):
            gradient.numpy()
        settle()


def test_derivatives_of_second_order_in_an_episode():
    for length in (10, 13):
        x = tf.constant(0.3)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x
                for _ in range(length):
                    y = y * 0.5 + x * y
                    float(y)
            slope = tape.gradient(y, x)
        got = float(outer.gradient(slope, x))
        n, base = length, 0.8
        want = 2 * n * base ** (n - 1) + 0.3 * n * (n - 1) * base ** (n - 2)
        np.testing.assert_allclose(got, want, 1e-4)


def test_numerics_are_checked_in_episodes():
    v = tf.Variable(0.5)

    def episode():
        with tf.GradientTape() as tape:
            x = v * 1.0
            for _ in range(12):
                x = x * 0.9 + v
                float(x)
            loss = tf.math.log(x * 0.0 - 1.0) + x
        return tape.gradient(loss, v).numpy()

    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
            episode()
    finally:
        tf.debugging.disable_check_numerics()


def test_numbers_of_iterations_are_known_whatever_their_count():
    """The elements of `tf.range(n)` are host data: to write at one computes nothing."""
    found = []
    for length in (70, 83):
        rewards = tf.constant(np.linspace(0.0, 1.0, length, dtype="f"))
        with tf.GradientTape() as tape:
            tape.watch(rewards)
            total, array = tf.constant(0.0), tf.TensorArray(tf.float32, size=length)
            with counted() as count:
                for i in tf.range(length):
                    total = rewards[i] + 0.5 * total
                    array = array.write(i, total)
            assert count.dispatched == 0
            loss = tf.reduce_sum(array.stack())
        found.append((loss, tape.gradient(loss, rewards)))
    for loss, gradient in found:
        length = len(gradient)
        np.testing.assert_allclose(gradient, 2.0 - 0.5 ** np.arange(length)[::-1], rtol=1e-5)
        np.testing.assert_allclose(
            loss, np.sum(np.linspace(0.0, 1.0, length) * gradient.numpy()), rtol=1e-5
        )


def test_a_sequence_that_grows_compiles_nothing_from_the_third_length_on():
    table = tf.constant(np.random.default_rng(0).normal(size=(11, 6)).astype("f"))
    tokens = tf.constant([[1]])
    compiled = []
    for _ in range(12):
        with counted() as count:
            x = tf.gather(table, tokens)
            weights = tf.nn.softmax(tf.matmul(x, x, transpose_b=True))
            logits = (weights @ x)[:, -1] @ tf.transpose(table)
            token = tf.argmax(logits, -1, output_type=tf.int32)
            tokens = tf.concat([tokens, token[:, None]], 1)
            int(token[0])
        compiled.append(count.compiled)
    assert sum(compiled[2:]) == 0
