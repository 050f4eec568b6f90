"""Looking for infinite and missing numbers, and what it must not change."""

import jax
import numpy as np
import pytest

import tapefacade as tf
from tapefacade._trace import execution


@pytest.fixture
def checked():
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


def test_a_gradient_that_is_infinite_is_found(checked):
    x = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = tf.sqrt(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match='op "SqrtGrad"'):
        tape.gradient(y, x).numpy()


def test_the_error_comes_from_the_line_of_the_op(checked):
    lines = []
    with pytest.raises(tf.errors.InvalidArgumentError, match='op "Log"'):
        lines.append(tf.math.log(tf.constant([0.0])))
    assert not lines


def test_programs_that_were_compiled_before_are_checked_too():
    x = tf.constant([0.0, 1.0])
    assert np.isinf(tf.math.log(x).numpy()[0])
    tf.config.run_ops_immediately(True)
    try:
        assert np.isinf(tf.math.log(x).numpy()[0])
        tf.debugging.enable_check_numerics()
        with pytest.raises(tf.errors.InvalidArgumentError, match="-Inf"):
            tf.math.log(x)
        tf.debugging.disable_check_numerics()
        assert tf.config.ops_run_immediately()  # as before
        assert np.isinf(tf.math.log(x).numpy()[0])
    finally:
        tf.config.run_ops_immediately(False)


def test_nothing_is_left_of_it():
    tf.debugging.enable_check_numerics()
    tf.debugging.enable_check_numerics()
    tf.debugging.disable_check_numerics()
    tf.debugging.disable_check_numerics()
    assert not execution.WRAPPERS
    assert not tf.config.ops_run_immediately()
    assert np.isnan((tf.constant(0.0) / 0.0).numpy())


def test_what_jax_traces_is_not_looked_at(checked):
    assert np.isneginf(jax.jit(tf.math.log)(np.float32(0.0)).numpy())


def test_a_variable_keeps_its_value_when_an_update_fails(checked):
    v = tf.Variable(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        v.assign(v / 0.0)
    assert v.numpy() == 1.0
