"""Seeds, keys, and the initializers that draw with them."""

import numpy as np
import pytest

import tapefacade as tf
from tapefacade._core import generators

SHAPE = [4]


def draws():
    """Numbers with and without a seed of the op's own, of two kinds of ops."""
    return [
        tf.random.normal(SHAPE).numpy(),
        tf.random.normal(SHAPE, seed=7).numpy(),
        tf.random.uniform(SHAPE).numpy(),
        tf.random.normal(SHAPE, seed=7).numpy(),
        tf.random.uniform(SHAPE, seed=7).numpy(),
    ]


@pytest.fixture(autouse=True)
def no_seed():
    yield
    tf.random.set_seed(None)


def test_setting_the_seed_repeats_everything():
    tf.random.set_seed(3)
    first = draws()
    tf.random.set_seed(3)
    for before, after in zip(first, draws(), strict=True):
        np.testing.assert_array_equal(before, after)


def test_draws_differ_from_one_another_and_between_seeds():
    tf.random.set_seed(3)
    first = [*draws(), *draws()]
    tf.random.set_seed(4)
    everything = np.concatenate([*first, *draws()])
    assert len(np.unique(everything)) == everything.size


def test_an_op_seed_counts_its_own_kind_of_op_only():
    tf.random.set_seed(3)
    alone = [tf.random.normal(SHAPE, seed=7).numpy() for _ in range(2)]
    tf.random.set_seed(3)
    between = []
    for _ in range(2):
        tf.random.uniform(SHAPE, seed=7)
        tf.random.normal(SHAPE)
        between.append(tf.random.normal(SHAPE, seed=7).numpy())
    np.testing.assert_array_equal(alone, between)


def test_without_a_seed_numbers_cannot_be_repeated():
    tf.random.set_seed(None)
    assert (tf.random.normal(SHAPE).numpy() != tf.random.normal(SHAPE).numpy()).all()


def test_draws_are_recorded_so_that_a_function_can_repeat_them():
    tf.random.set_seed(3)
    with generators.recorded_draws() as recorded:
        tf.random.normal(SHAPE, seed=7)
        tf.nn.dropout(tf.ones(SHAPE), 0.5)
    assert len(recorded) == 2
    assert not np.array_equal(recorded[0].key.numpy(), recorded[0].again())


def test_a_seed_is_a_number():
    with pytest.raises(TypeError, match="A seed must be an integer, not 'a'"):
        tf.random.set_seed("a")


def test_gradients_flow_to_the_parameters():
    mean, stddev = tf.constant([1.0, 2.0]), tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch([mean, stddev])
        x = tf.random.normal([3, 2], mean, stddev)
    by_mean, by_stddev = tape.gradient(x, [mean, stddev])
    np.testing.assert_array_equal(by_mean, [3.0, 3.0])
    noise = (x.numpy() - [1.0, 2.0]) / 0.5
    np.testing.assert_allclose(by_stddev, noise.sum(), rtol=1e-5)


def test_distributions_have_their_moments():
    tf.random.set_seed(0)
    normal = tf.random.normal([20000], 1.0, 2.0).numpy()
    assert abs(normal.mean() - 1) < 0.06
    assert abs(normal.std() - 2) < 0.06
    assert abs(tf.random.truncated_normal([20000]).numpy()).max() <= 2
    uniform = tf.random.uniform([20000], -1, 3).numpy()
    assert -1 <= uniform.min() < -0.99 < 2.99 < uniform.max() < 3
    assert set(tf.random.uniform([500], 2, 5, tf.int32).numpy()) == {2, 3, 4}
    classes = tf.random.categorical(tf.math.log([[0.2, 0.8]]), 20000).numpy()
    assert abs(classes.mean() - 0.8) < 0.02
    assert abs(tf.random.poisson([20000], 3.0).numpy().mean() - 3) < 0.1
    assert abs(tf.random.gamma([20000], 2.0, 4.0).numpy().mean() - 0.5) < 0.02
    dropped = tf.nn.dropout(tf.ones([20000]), 0.25).numpy()
    assert abs((dropped == 0).mean() - 0.25) < 0.02


@pytest.mark.parametrize(
    ("initializer", "dtype", "want"),
    [
        (tf.zeros_initializer(), tf.int32, [0, 0]),
        (tf.ones_initializer(), tf.float64, [1.0, 1.0]),
        (tf.constant_initializer(3.0), None, [3.0, 3.0]),
        (tf.constant_initializer([1, 2]), None, [1, 2]),
    ],
)
def test_constant_initializers(initializer, dtype, want):
    got = initializer([2], dtype) if dtype else initializer([2])
    np.testing.assert_array_equal(got, want)
    again = type(initializer).from_config(initializer.get_config())
    np.testing.assert_array_equal(again([2], got.dtype), want)


@pytest.mark.parametrize("kind", [tf.random_normal_initializer, tf.random_uniform_initializer])
def test_random_initializers(kind):
    assert (kind()(SHAPE).numpy() != kind()(SHAPE).numpy()).all()
    seeded = kind(seed=3)
    np.testing.assert_array_equal(seeded(SHAPE), seeded(SHAPE))
    assert kind.from_config(seeded.get_config()).seed == 3


def test_initializers_refuse_what_tensorflow_refuses():
    with pytest.raises(ValueError, match="`dtype` is expected to be floating point"):
        tf.random_normal_initializer()([2], tf.int32)
    with pytest.raises(TypeError, match="has 3 elements, but got `shape`"):
        tf.constant_initializer([1, 2, 3])([2])
    with pytest.raises(TypeError, match="Keyword argument should be one of"):
        tf.zeros_initializer()([2], foo=1)
