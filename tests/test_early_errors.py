"""What exists in order to raise raises at its own call; no error surfaces in an unrelated value."""

import inspect

import numpy as np
import pytest
from steps import close_everything, counted, nothing_open, settle

import tapefacade as tf

InvalidArgument = tf.errors.InvalidArgumentError


@pytest.fixture(autouse=True)
def nothing_pending():
    settle()
    yield
    close_everything()


def computed(values, dtype=tf.float32):
    """A tensor whose value is pending."""
    return tf.cast(tf.constant(values, tf.float32) * 1.0, dtype)


def here(offset=0):
    """The place of the caller's line, as a note gives it."""
    frame = inspect.currentframe().f_back
    return f"{__file__}:{frame.f_lineno + offset}"


ASSERTIONS = {
    "assert_positive": lambda x: tf.debugging.assert_positive(x),
    "assert_negative": lambda x: tf.debugging.assert_negative(x),
    "assert_equal": lambda x: tf.debugging.assert_equal(x, 3.0 * x),
    "assert_none_equal": lambda x: tf.debugging.assert_none_equal(x, x),
    "assert_less": lambda x: tf.debugging.assert_less(x, x),
    "assert_near": lambda x: tf.debugging.assert_near(x, x + 1.0),
    "Assert": lambda x: tf.debugging.Assert(tf.reduce_all(x > 0.0), [x]),
    "check_numerics": lambda x: tf.debugging.check_numerics(1.0 / (x + 1.0), "x"),
    "assert_all_finite": lambda x: tf.debugging.assert_all_finite(1.0 / (x + 1.0), "x"),
    "inv": lambda x: tf.linalg.inv(tf.reshape(tf.concat([x, x], 0), [2, 2])),
    "solve": lambda x: tf.linalg.solve(tf.zeros([2, 2]) * x, tf.ones([2, 1])),
    "eigh": lambda x: tf.linalg.eigh(tf.reshape(tf.concat([x, x], 0), [2, 2]) / 0.0),
    "eigvals": lambda x: tf.linalg.eigvals(tf.reshape(tf.concat([x, x], 0), [2, 2]) / 0.0),
    "in a branch": lambda x: tf.cond(
        x[0] < 0, lambda: tf.debugging.assert_positive(x), lambda: None
    ),
    "in a loop": lambda x: tf.map_fn(
        lambda row: (tf.debugging.assert_positive(row), row)[1], tf.stack([x, x])
    ),
}


@pytest.mark.parametrize("call", ASSERTIONS.values(), ids=ASSERTIONS.keys())
def test_it_is_raised_at_the_call(call):
    v, other = tf.Variable(1.0), computed([7.0])
    v.assign_add(1.0)
    with pytest.raises(InvalidArgument):
        call(computed([-1.0, 2.0]))
    v.assign_add(1.0)
    assert v.numpy() == 3.0  # what was assigned before stays
    assert other.numpy() == [7.0]
    with tf.GradientTape() as tape:
        y = v * v
        with pytest.raises(InvalidArgument):
            call(computed([-1.0, 2.0]) + 0.0 * y)
        y = y * v
    assert tape.gradient(y, v).numpy() == 27.0
    settle()
    assert nothing_open()


def test_within_a_function_it_is_part_of_the_program():
    @tf.function
    def root(x):
        y = x * 2.0
        tf.debugging.assert_positive(y)
        return tf.sqrt(y)

    assert root(tf.constant(2.0)).numpy() == 2.0
    with counted() as count:
        root(tf.constant(8.0)).numpy()
    assert (count.dispatched, count.compiled) == (1, 0)
    with pytest.raises(InvalidArgument, match="x > 0"):
        root(tf.constant(-2.0))
    v = tf.Variable(-2.0)
    for _ in range(3):
        with tf.GradientTape() as tape, pytest.raises(InvalidArgument, match="x > 0"):
            root(v)
    v.assign(2.0)
    with tf.GradientTape() as tape:
        y = root(v)
    assert tape.gradient(y, v).numpy() == 0.5


def test_steps_with_an_assertion_compile_nothing_and_dispatch_twice():
    w, x = tf.Variable(tf.ones([3, 1])), tf.constant(np.ones((4, 3), np.float32))

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w))
            tf.debugging.assert_all_finite(loss, "loss")
        w.assign_sub(0.01 * tape.gradient(loss, w))

    for _ in range(4):
        step()
    settle()
    with counted() as count:
        for _ in range(5):
            step()
        settle()
    assert count.compiled == 0
    assert count.dispatched == 10  # the loss, as for somebody who prints it, and the update


def test_an_unrelated_value_has_no_error():
    good, other = computed([1.0, 2.0]), tf.Variable(1.0)
    bad = tf.gather(good, computed([5], tf.int32))
    worse = bad * 2.0
    other.assign_add(1.0)
    assert (good + 1.0).numpy().tolist() == [2.0, 3.0]
    assert other.numpy() == 2.0
    for tensor in (bad, worse):
        with pytest.raises(InvalidArgument, match="= 5 is not in"):
            tensor.numpy()
    settle()  # it has been seen


def test_an_unrelated_value_in_a_tape_has_no_error():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
        bad = tf.gather(v, computed([5], tf.int32))
        with pytest.raises(InvalidArgument, match="= 5 is not in"):
            bad.numpy()
        worse = bad * 2.0
        assert (y + 1.0).numpy().tolist() == [2.0, 5.0]
        z = y * v
    assert tape.gradient(z, v).numpy().tolist() == [3.0, 12.0]
    with pytest.raises(InvalidArgument, match="= 5 is not in"):
        worse.numpy()


def test_an_assertion_does_not_raise_the_error_of_another_op():
    good = computed([1.0, 2.0])
    bad = tf.gather(good, computed([5], tf.int32))
    tf.debugging.assert_positive(good)
    with pytest.raises(InvalidArgument, match="= 5 is not in"):
        bad.numpy()


def test_an_error_that_nobody_wants_is_raised_where_the_step_ends():
    tf.gather(computed([1.0]), computed([5], tf.int32))
    assert computed([3.0]).numpy() == [3.0]
    with pytest.raises(InvalidArgument, match="= 5 is not in"), tf.GradientTape():
        pass
    with tf.GradientTape():
        pass


# The line of the call.


def test_the_line_is_that_of_this_recording():
    m = tf.Variable([[2.0]])

    def fine():
        return tf.math.log(tf.linalg.inv(m))

    def fails():
        return tf.math.log(tf.linalg.inv(m))

    line = here(-2)
    fine().numpy()
    m.assign([[0.0]])
    with pytest.raises(InvalidArgument) as raised:
        fails()
    assert line in raised.value.__notes__[0]


def test_the_line_of_a_late_error_is_that_of_this_recording():
    x = tf.constant([1.0, 2.0])

    def first(i):
        return tf.gather(x, tf.cast(i * 1.0, tf.int32)) * 2.0

    def second(i):
        return tf.gather(x, tf.cast(i * 1.0, tf.int32)) * 2.0

    line = here(-2)
    first(tf.constant([1.0])).numpy()
    for _ in range(2):
        with pytest.raises(InvalidArgument) as raised:
            second(tf.constant([7.0])).numpy()
        assert raised.value.__notes__ == [f"The op is gather (GatherV2), called at {line}."]


def test_the_line_in_a_function_is_that_of_the_function():
    def make():
        @tf.function
        def function(x, i):
            return tf.gather(x, i)

        return function

    x = tf.constant([1.0, 2.0])

    @tf.function
    def other(x, i):
        return tf.gather(x, i)

    line = here(-2)
    make()(x, tf.constant([1]))
    other(x, tf.constant([1]))
    for _ in range(2):
        with pytest.raises(InvalidArgument) as raised:
            other(x, tf.constant([7])).numpy()
        assert line in raised.value.__notes__[0]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = other(x, tf.constant([9]))
    with pytest.raises(InvalidArgument) as raised:
        y.numpy()
    assert line in raised.value.__notes__[0]
