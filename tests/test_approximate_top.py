"""Approximately greatest and smallest elements where TensorFlow has no kernel on a CPU."""

import numpy as np
import pytest

import tapefacade as tf

M = [[1.0, 5.0, 3.0, 2.0], [4.0, 4.5, 1.0, 9.0]]


def test_smallest_elements():
    values, places = tf.nn.approx_min_k(M, 2)
    np.testing.assert_array_equal(values, [[1.0, 2.0], [1.0, 4.0]])
    np.testing.assert_array_equal(places, [[0, 3], [2, 0]])
    assert places.dtype == tf.int32


def test_other_dimensions():
    values, places = tf.nn.approx_max_k(M, 1, reduction_dimension=0)
    np.testing.assert_array_equal(values, [[4.0, 5.0, 3.0, 9.0]])
    np.testing.assert_array_equal(places, [[1, 0, 0, 1]])


def test_the_gradient_goes_to_the_elements():
    x = tf.constant(M)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.approx_min_k(x, 1).values
    np.testing.assert_array_equal(tape.gradient(y, x), [[1, 0, 0, 0], [0, 0, 1, 0]])


def test_a_missing_dimension_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="The input has no dimension 2"):
        tf.nn.approx_max_k(M, 1, reduction_dimension=2)
