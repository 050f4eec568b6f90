"""A tape keeps what was given to the computation, not what was computed on the way."""

import gc
import subprocess
import sys

import jax
import numpy as np
import pytest
from steps import settle

import tapefacade as tf
from tapefacade._trace import speculative_gradients

SIZE = 1 << 16


class Large:
    """Counts the large arrays on the device since it was made."""

    def __init__(self):
        settle()
        gc.collect()
        self.before = 0
        self.before = self.count()

    def count(self):
        # No cycle keeps anything: nothing has to wait for the garbage collector.
        return sum(a.nbytes >= 4 * SIZE for a in jax.live_arrays()) - self.before


@pytest.fixture
def large(monkeypatch):
    # A gradient that is foreseen is kept until somebody asks for it.
    monkeypatch.setattr(speculative_gradients, "TIMES_BEFORE_GUESS", 1_000_000)
    return Large()


def variable():
    """A variable whose value is on the device."""
    v = tf.Variable(tf.ones([SIZE]) * 0.5)
    v.numpy()
    return v


def chain(y, length=10):
    for _ in range(length):
        y = tf.sin(y) * 1.1
    return y


@pytest.mark.alone
@pytest.mark.parametrize("rematerialize", [False, True])
def test_persistent_tape_keeps_inputs_and_not_intermediates(large, rematerialize):
    v = variable()
    with tf.GradientTape(persistent=True, rematerialize=rematerialize) as tape:
        loss = tf.reduce_sum(chain(v))
    assert large.count() == 1
    loss.numpy()
    assert large.count() == 1
    gradient = tape.gradient(loss, v)
    gradient.numpy()
    assert large.count() == 2
    for _ in range(2):
        gradient = tape.gradient(loss, v)
        gradient.numpy()
        assert large.count() == 2
    del gradient
    assert large.count() == 1
    v.assign(v * 2.0)
    v.numpy()
    assert large.count() == 2  # the value that was read, and the new one
    del tape
    assert large.count() == 1
    del v, loss
    settle()
    assert large.count() == 0


def test_looking_within_the_block_keeps_nothing_that_has_been_dropped(large):
    v = variable()
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_sum(chain(v))
        loss.numpy()
        assert large.count() == 1
        loss = tf.reduce_sum(chain(v)) * loss
        loss.numpy()
    tape.gradient(loss, v).numpy()
    assert large.count() == 1


def test_nested_tapes_keep_inputs(large):
    v = variable()
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape(persistent=True) as inner:
            loss = tf.reduce_sum(chain(v))
        penalty = tf.reduce_sum(inner.gradient(loss, v) ** 2)
    penalty.numpy()
    assert large.count() == 1
    for _ in range(2):
        outer.gradient(penalty, v).numpy()
        inner.gradient(loss, v).numpy()
        assert large.count() == 1
    del inner, outer, v
    settle()
    assert large.count() == 0


def test_what_a_gradient_has_computed_again_is_let_go(large):
    """It stayed with a persistent tape, as if it had been given to the computation."""
    v, c = variable(), variable()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(c)
        middle = chain(v)
        with tape.stop_recording():
            constant = chain(c)
        loss = tf.reduce_sum(chain(middle) * constant)
    del constant
    loss.numpy()
    assert large.count() == 3
    want = tape.gradient(loss, middle).numpy()
    assert large.count() == 3
    first, second = tape.gradient(loss, middle), tape.gradient(loss, v)
    np.testing.assert_array_equal(first.numpy(), want)
    assert second.numpy().shape == (SIZE,)
    del middle, first, second
    assert large.count() == 2
    del tape
    assert large.count() == 2


def test_tape_on_a_function_keeps_inputs(large):
    v = variable()
    function = tf.function(lambda: tf.reduce_sum(chain(v)))
    for _ in range(3):
        with tf.GradientTape(persistent=True) as tape:
            loss = function() * function()
        loss.numpy()
        assert large.count() == 1
        tape.gradient(loss, v).numpy()
        assert large.count() == 1


NO_MEMORY = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
import tapefacade as tf
try:
    tf.random.categorical([[1.0]], 2**31 - 1).numpy()
except tf.errors.ResourceExhaustedError:
    print("raised", tf.reduce_sum([1.0, 2.0]).numpy())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits are those of Linux")
def test_python_survives_a_value_that_ran_out_of_memory():
    done = subprocess.run(
        [sys.executable, "-c", NO_MEMORY], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "raised 3.0\n", done.stderr[-500:]


TOO_LARGE = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
import tapefacade as tf
n = 2**40
CALLS = {
    "dct": lambda: tf.signal.dct(tf.ones([4]), n=n),
    "mel": lambda: tf.signal.linear_to_mel_weight_matrix(num_spectrogram_bins=n),
    "as_string": lambda: tf.strings.as_string(1.5, width=n),
    "TensorArray": lambda: tf.TensorArray(tf.float32, n),
    "write": lambda: tf.TensorArray(tf.float32, 0, dynamic_size=True).write(n, 1.0),
    "decode_raw": lambda: tf.io.decode_raw("abcd", tf.uint8, fixed_length=n),
    "fill": lambda: tf.fill([n], "a"),
    "zeros": lambda: tf.zeros([n], tf.string),
    "repeat": lambda: tf.repeat([1, 2], [n, 1]),
    "sampler": lambda: tf.random.uniform_candidate_sampler([[1]], 1, n, False, 5),
    "rows": lambda: tf.RaggedTensor.from_value_rowids([1, 2], [0, 1], n),
    "range": lambda: tf.ragged.range([0], [n]),
    "eye": lambda: tf.sparse.eye(n),
    "fill_empty_rows": lambda: tf.sparse.fill_empty_rows(
        tf.SparseTensor([[0, 0]], [1.0], [n, 2]), 0.0
    ),
    "to_indicator": lambda: tf.sparse.to_indicator(tf.SparseTensor([[0, 0]], [1], [1, 2]), n),
    "audio": lambda: tf.audio.decode_wav(tf.audio.encode_wav([[0.5]], 8000), desired_samples=n),
    "no elements": lambda: tf.zeros([n, n, 0]),
    "in a function": lambda: tf.function(lambda: tf.signal.dct(tf.ones([4]), n=n))(),
    "bytes": lambda: tf.zeros([2**62, 2], tf.int8),
}
for name, call in CALLS.items():
    try:
        call().numpy()
    except (tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError):
        pass
    else:
        print(name)
print(tf.reduce_sum([1.0, 2.0]).numpy())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits are those of Linux")
def test_python_survives_whatever_a_size_says():
    done = subprocess.run(
        [sys.executable, "-c", TOO_LARGE], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.stdout == "3.0\n", done.stderr[-500:]


@pytest.mark.parametrize("pool", [tf.nn.max_pool2d, tf.nn.avg_pool2d])
def test_windows_that_cannot_be_counted_are_refused(pool):
    with pytest.raises(tf.errors.InvalidArgumentError, match="is too large"):
        pool(tf.ones([1, 2, 2, 1]), 2**31 - 1, 1, "SAME").numpy()
