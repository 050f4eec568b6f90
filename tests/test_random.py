"""Seeds, keys, distributions, and the initializers that draw with them."""

import math

import numpy as np
import pytest

import tapefacade as tf
from tapefacade._core import random_keys
from tapefacade._trace.execution import STATISTICS

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
    with random_keys.recorded_draws() as recorded:
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


COUNT = 20000
erf = np.vectorize(math.erf)


def normal_cdf(x):
    return (1 + erf(x / math.sqrt(2))) / 2


def cut(cdf, low, high):
    return lambda x: (cdf(x) - cdf(low)) / (cdf(high) - cdf(low))


def shifted_cdf(x):
    return normal_cdf((x - 1) / 2)


def erlang_cdf(x):
    """Gamma numbers with the shape 2 and the rate 4."""
    return 1 - np.exp(-4 * x) * (1 + 4 * x)


def half_cdf(x):
    """Gamma numbers with the shape 1/2: half a squared normal number."""
    return erf(np.sqrt(x))


def distance(numbers, cdf):
    """Kolmogorov and Smirnov's, times the root of how many numbers there are."""
    numbers = np.sort(np.asarray(numbers, np.float64).reshape(-1))
    steps = np.arange(len(numbers) + 1) / len(numbers)
    expected = cdf(numbers)
    largest = max((expected - steps[:-1]).max(), (steps[1:] - expected).max())
    return largest * math.sqrt(len(numbers))


def surprise(numbers, shares):
    """Pearson's chi-squared in standard deviations; what comes after `shares` is one class."""
    shares = np.append(shares, max(1 - sum(shares), 0))
    shares = shares[: np.max(np.flatnonzero(shares > 1e-12)) + 1]
    clipped = np.minimum(np.asarray(numbers).reshape(-1).astype(int), len(shares) - 1)
    counts, expected = np.bincount(clipped, minlength=len(shares)), shares * clipped.size
    freedom = len(shares) - 1
    return (((counts - expected) ** 2 / expected).sum() - freedom) / math.sqrt(2 * freedom)


def generator():
    return tf.random.Generator.from_seed(11)


CONTINUOUS = {
    "normal": (lambda n: tf.random.normal([n]), normal_cdf),
    "normal parameters": (lambda n: tf.random.normal([n // 4, 4], 1.0, 2.0), shifted_cdf),
    "normal float64": (lambda n: tf.random.normal([n], dtype="float64"), normal_cdf),
    "truncated_normal": (lambda n: tf.random.truncated_normal([n]), cut(normal_cdf, -2, 2)),
    "truncated_normal float64": (
        lambda n: tf.random.truncated_normal([n], dtype="float64"),
        cut(normal_cdf, -2, 2),
    ),
    "uniform": (lambda n: tf.random.uniform([n]), lambda x: x),
    "uniform limits": (lambda n: tf.random.uniform([n], -1, 3), lambda x: (x + 1) / 4),
    "uniform float64": (lambda n: tf.random.uniform([n], dtype="float64"), lambda x: x),
    "gamma": (lambda n: tf.random.gamma([n], 2.0, 4.0), erlang_cdf),
    "gamma small": (lambda n: tf.random.gamma([n], 0.5), half_cdf),
    "stateless_gamma": (lambda n: tf.random.stateless_gamma([n], [1, 2], 2.0, 4.0), erlang_cdf),
    "stateless_normal": (lambda n: tf.random.stateless_normal([n], [3, 4]), normal_cdf),
    "stateless_uniform": (lambda n: tf.random.stateless_uniform([n], [3, 4]), lambda x: x),
    "stateless_truncated_normal": (
        lambda n: tf.random.stateless_truncated_normal([n], [3, 4]),
        cut(normal_cdf, -2, 2),
    ),
    "parameterized": (
        lambda n: tf.random.stateless_parameterized_truncated_normal([n], [3, 4], 1.0, 2.0, -1.0),
        cut(shifted_cdf, -1, 2),
    ),
    "parameterized tail": (
        lambda n: tf.random.stateless_parameterized_truncated_normal([n], [3, 4], 0.0, 1.0, 3.0, 9),
        cut(normal_cdf, 3, 9),
    ),
    "Generator.normal": (lambda n: generator().normal([n]), normal_cdf),
    "Generator.uniform": (lambda n: generator().uniform([n]), lambda x: x),
    "Generator.truncated_normal": (
        lambda n: generator().truncated_normal([n]),
        cut(normal_cdf, -2, 2),
    ),
    "Generator.uniform_full_int": (
        lambda n: generator().uniform_full_int([n]).numpy() / 2.0**64,
        lambda x: x,
    ),
}


def test_a_truncated_normal_number_that_no_candidate_can_be_is_nan():
    drawn = tf.random.stateless_parameterized_truncated_normal([2, 2], [1, 2], [math.nan, 0.0])
    assert np.isnan(drawn).tolist() == [[True, False], [True, False]]


BINOMIAL = [math.comb(6, k) * 0.3**k * 0.7 ** (6 - k) for k in range(7)]
POISSON = [math.exp(-3) * 3**k / math.factorial(k) for k in range(10)]
LOGARITHMIC = np.diff(np.log(np.arange(1, 12))) / np.log(11)
TRUE = np.array([[1]])
DISCRETE = {
    "uniform int": (lambda n: tf.random.uniform([n], 0, 7, tf.int32), [1 / 7] * 7),
    "uniform int64": (lambda n: tf.random.uniform([n], 0, 7, tf.int64), [1 / 7] * 7),
    "stateless_uniform": (
        lambda n: tf.random.stateless_uniform([n], [1, 2], 0, 7, tf.int32),
        [1 / 7] * 7,
    ),
    "Generator.uniform": (lambda n: generator().uniform([n], 0, 7, tf.int32), [1 / 7] * 7),
    "categorical": (lambda n: tf.random.categorical(np.log([[0.2, 0.5, 0.3]]), n), [0.2, 0.5, 0.3]),
    "categorical rows": (
        lambda n: tf.random.categorical(np.log([[0.2, 0.8]] * n), 1),
        [0.2, 0.8],
    ),
    "stateless_categorical": (
        lambda n: tf.random.stateless_categorical(np.log([[0.2, 0.8]]), n, [1, 2]),
        [0.2, 0.8],
    ),
    "poisson": (lambda n: tf.random.poisson([n], 3.0), POISSON),
    "stateless_poisson": (lambda n: tf.random.stateless_poisson([n], [1, 2], 3.0), POISSON),
    "stateless_binomial": (
        lambda n: tf.random.stateless_binomial([n], [1, 2], 6.0, 0.3),
        BINOMIAL,
    ),
    "Generator.binomial": (lambda n: generator().binomial([n], 6.0, 0.3), BINOMIAL),
    "shuffle": (lambda n: [tf.random.shuffle(range(5))[0] for _ in range(n // 40)], [0.2] * 5),
    "stateless_shuffle": (
        lambda n: [
            tf.random.experimental.stateless_shuffle(range(5), [1, k])[0].numpy()  # one program
            for k in range(n // 40)
        ],
        [0.2] * 5,
    ),
    "dropout": (lambda n: tf.nn.dropout(tf.ones([n]), 0.25).numpy() > 0, [0.25, 0.75]),
    "uniform candidates": (
        lambda n: tf.random.uniform_candidate_sampler(TRUE, 1, n, False, 10)[0],
        [0.1] * 10,
    ),
    "logarithmic candidates": (
        lambda n: tf.random.log_uniform_candidate_sampler(TRUE, 1, n, False, 10)[0],
        LOGARITHMIC,
    ),
    "unigram candidates": (
        lambda n: tf.random.fixed_unigram_candidate_sampler(
            TRUE, 1, n, False, 4, unigrams=[1.0, 5.0, 2.0, 2.0]
        )[0],
        [0.1, 0.5, 0.2, 0.2],
    ),
    "learned candidates": (
        lambda n: [
            tf.random.learned_unigram_candidate_sampler(TRUE, 1, n, False, 3, seed=4)[0]
            for _ in range(2)
        ][-1],
        [0.25, 0.5, 0.25],
    ),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_numbers_have_their_distribution(name):
    tf.random.set_seed(0)
    draw, cdf = CONTINUOUS[name]
    numbers = np.asarray(draw(COUNT)).reshape(-1)
    assert distance(numbers, cdf) < 1.95  # it is larger for one of a thousand seeds
    neighbours = np.corrcoef(numbers[1:].astype(float), numbers[:-1].astype(float))[0, 1]
    assert abs(neighbours) < 4 / math.sqrt(COUNT)


@pytest.mark.parametrize("name", DISCRETE)
def test_classes_have_their_probabilities(name):
    tf.random.set_seed(0)
    draw, shares = DISCRETE[name]
    assert surprise(draw(COUNT), shares) < 4


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_short_floats_have_their_moments(dtype):
    tf.random.set_seed(0)
    for draw, mean, deviation in (
        (tf.random.uniform, 0.5, 12**-0.5),
        (tf.random.normal, 0, 1),
        (tf.random.truncated_normal, 0, 0.8796),
    ):
        numbers = draw([COUNT], dtype=dtype).numpy().astype(float)
        assert abs(numbers.mean() - mean) < 0.02
        assert abs(numbers.std() - deviation) < 0.02


def test_all_orders_are_as_probable():
    tf.random.set_seed(0)
    orders = {}
    for _ in range(1200):
        order = tuple(tf.random.shuffle([0, 1, 2]).numpy().tolist())
        orders[order] = orders.get(order, 0) + 1
    assert len(orders) == 6
    assert sum((n - 200) ** 2 / 200 for n in orders.values()) < 20


def test_a_large_shuffle_is_a_permutation():
    tf.random.set_seed(0)
    order = tf.random.shuffle(np.arange(50000)).numpy()
    np.testing.assert_array_equal(np.sort(order), np.arange(50000))
    assert abs(np.corrcoef(order, np.arange(50000))[0, 1]) < 0.02


def test_sampling_without_repetition_gives_expected_counts():
    tf.random.set_seed(0)
    drawn = np.zeros(10)
    expected = np.zeros(10)
    every = np.arange(10).reshape(10, 1)
    for _ in range(300):
        sample, true, _ = tf.random.log_uniform_candidate_sampler(every, 1, 4, True, 10)
        assert len(set(sample.numpy().tolist())) == 4
        drawn[sample.numpy()] += 1
        expected += true.numpy().reshape(-1)
    # What TensorFlow expects of the number of draws is an estimate.
    np.testing.assert_allclose(drawn / 300, expected / 300, atol=0.16)


def step(g, w):
    """Draws in every way, on a tape."""
    with tf.GradientTape() as tape:
        x = tf.random.normal([4, 3]) * w + tf.random.uniform([4, 3], seed=1)
        x = tf.nn.dropout(x, 0.5) + tf.random.truncated_normal([3]) + g.normal([4, 3], stddev=w)
        x += tf.random.shuffle(tf.range(4.0)[:, None]) + tf.random.gamma([3], 2.0) + g.uniform([3])
        x = tf.gather(x, tf.random.categorical(tf.zeros([1, 4]), 4)[0])
        loss = tf.nn.sampled_softmax_loss(tf.ones([9, 3]), tf.zeros([9]), [[1]] * 4, x, 3, 9)
        y = tf.reduce_sum(loss) + tf.reduce_sum(x) + tf.cast(g.binomial([], 9.0, 0.5), tf.float32)
    w.assign_sub(0.01 * tape.gradient(y, w))
    return float(y)


def test_draws_of_equal_steps_compile_nothing():
    g, w = tf.random.Generator.from_seed(1), tf.Variable(2.0)
    for _ in range(6):  # it may run in pieces until it is known to repeat
        step(g, w)
    before = STATISTICS.compiled, STATISTICS.recorded
    values = {step(g, w) for _ in range(5)}
    assert (STATISTICS.compiled, STATISTICS.recorded) == before
    assert len(values) == 5


def test_generators_of_a_seed_agree_and_go_on_when_copied():
    first, second = (tf.random.Generator.from_seed(5) for _ in range(2))
    for _ in range(3):
        np.testing.assert_array_equal(first.normal([3]), second.normal([3]))
    assert not np.array_equal(first.normal([3]), first.normal([3]))
    third = tf.random.Generator.from_state(second.state.numpy(), "philox")
    np.testing.assert_array_equal(second.uniform([2]), third.uniform([2]))


def test_what_a_generator_has_drawn_need_not_be_looked_at_in_order():
    g, again = (tf.random.Generator.from_seed(5) for _ in range(2))
    a, b = g.normal([2]), g.normal([2])
    late, early = b.numpy(), a.numpy()
    np.testing.assert_array_equal(early, again.normal([2]))
    np.testing.assert_array_equal(late, again.normal([2]))


def test_second_derivatives_of_ctc_loss_are_numbers():
    x = tf.Variable(np.sin(np.arange(12.0)).reshape(4, 1, 3))
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = tf.nn.ctc_loss([[1, 1]], x, [2], [4])
        gradient = inner.gradient(loss, x)
        slope = tf.reduce_sum(gradient**2)
    second = outer.gradient(slope, x).numpy()
    moved = tf.Variable(x + 1e-6 * second)
    with tf.GradientTape() as tape:
        loss = tf.nn.ctc_loss([[1, 1]], moved, [2], [4])
    change = tf.reduce_sum(tape.gradient(loss, moved) ** 2) - slope
    np.testing.assert_allclose(change / 1e-6, (second**2).sum(), rtol=1e-3)


def test_narrow_beams_find_the_best_labels():
    logits = np.zeros([6, 1, 4], np.float32)
    for frame, label in enumerate([0, 3, 1, 1, 3, 1]):
        logits[frame, 0, label] = 5
    (labels,), score = tf.nn.ctc_beam_search_decoder(logits, [6], beam_width=3)
    assert labels.values.numpy().tolist() == [0, 1, 1]
    assert -0.5 < score.numpy()[0, 0] < 0


def test_weights_of_candidates_come_from_a_file(tmp_path):
    path = tmp_path / "vocabulary.csv"
    path.write_text("a,0\nb,3.5\nc,0\n")
    sampled = tf.nn.fixed_unigram_candidate_sampler([[1]], 1, 3, False, 3, vocab_file=str(path))
    assert sampled.sampled_candidates.numpy().tolist() == [1, 1, 1]
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        tf.nn.fixed_unigram_candidate_sampler([[1]], 1, 3, False, 3, vocab_file=str(tmp_path / "x"))


@pytest.mark.parametrize(
    "lines",
    [b"1\n2\n3\n", b"a,1\n\nb,2\nc,3", b"a,1\r\nb,2\r\nc,3\r\n", b"\xe4,1\na:b,x, 2\nc,\t3 \n"],
    ids=["numbers", "empty line", "carriage returns", "spaces"],
)
def test_weights_of_candidates_stand_behind_the_last_comma(lines, tmp_path):
    """The draws are TensorFlow's: a sampler of another file begins its own sequence."""
    path = tmp_path / "vocabulary.csv"
    path.write_bytes(lines)
    found = tf.random.fixed_unigram_candidate_sampler(
        [[0], [1], [2]], 1, 4, False, 3, vocab_file=str(path), seed=1
    )
    assert found.sampled_candidates.numpy().tolist() == [2, 1, 2, 2]
    np.testing.assert_allclose(found.true_expected_count, [[2 / 3], [4 / 3], [2]], rtol=1e-6)


@pytest.mark.parametrize("line", ["a,x", "a,1,", "  ", "a,1f", "a,1_0"])
def test_a_line_without_a_weight_is_named(line, tmp_path):
    path = tmp_path / "vocabulary.csv"
    path.write_text(f"{line}\nb,2\nc,3\n")
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"vocabulary format at line: {line}"):
        tf.nn.fixed_unigram_candidate_sampler([[1]], 1, 3, False, 3, vocab_file=str(path))


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
