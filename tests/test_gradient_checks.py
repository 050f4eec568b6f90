"""`tf.debugging.check_gradients`: recorded derivatives against differences, and planted faults."""

import numpy as np
import pytest

import tapefacade as tf

X = np.array([0.3, 0.7, 1.1])


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize(
    "function",
    [tf.sinh, tf.math.log1p, lambda x: tf.reduce_sum(x**3 * tf.sin(x)), lambda x: x[::-1] * x],
)
def test_right_derivatives(function, order):
    found = tf.debugging.check_gradients(function, [X], order=order)
    assert [check.order for check in found.checks] == list(range(1, order + 1))
    assert all(check.passed and check.error < 1e-6 for check in found.checks)
    assert repr(found).count("agrees") == order


def test_single_precision_and_several_arguments():
    w = tf.Variable([[0.5, -0.25], [1.0, 2.0]])
    found = tf.debugging.check_gradients(
        lambda x, w: tf.tanh(x @ w), [tf.constant([[1.0, 2.0]]), w], order=2
    )
    assert [(check.order, check.argument) for check in found.checks] == [
        (1, 0), (1, 1), (2, 0), (2, 1),
    ]  # fmt: skip


def test_a_wrong_gradient_has_its_line():
    @tf.custom_gradient
    def cube(x):
        def gradient(upstream):
            return upstream * 3.0 * x**2 * tf.constant([1.0, 1.5, 1.0], x.dtype)

        return x**3, gradient

    def model(x):
        scaled = x * 2.0
        return cube(scaled)  # the fault

    with pytest.raises(AssertionError, match="order 1, argument 0") as caught:
        tf.debugging.check_gradients(model, [X])
    text = str(caught.value)
    assert "argument 0[1]" in text  # the worst element
    assert "return cube(scaled)  # the fault: its gradient function gradient (" in text


@pytest.mark.parametrize("order", [2, 3])
def test_a_gradient_that_is_wrong_at_a_higher_order(order):
    """The gradient is right, and a part of it is held constant when it is differentiated."""

    @tf.custom_gradient
    def power(x):
        def gradient(upstream):
            if order == 2:
                return upstream * 4.0 * x * x * tf.stop_gradient(x)
            return upstream * slope(x)

        return x**4, gradient

    @tf.custom_gradient
    def slope(x):
        return 4.0 * x**3, lambda upstream: upstream * 12.0 * x * tf.stop_gradient(x)

    tf.debugging.check_gradients(power, [X], order=order - 1)
    with pytest.raises(AssertionError, match=f"order {order}, argument 0"):
        tf.debugging.check_gradients(power, [X], order=order)


def test_a_kink_and_a_gradient_that_is_none():
    with pytest.raises(AssertionError, match="recorded 0"):
        tf.debugging.check_gradients(lambda x: tf.stop_gradient(x) * 2.0, [X])
    assert tf.debugging.check_gradients(tf.nn.relu, [X]).checks[0].passed
    tf.debugging.check_gradients(lambda x, y: x * 2.0, [X, X])  # nothing depends on y


def test_nan_is_no_agreement():
    with pytest.raises(AssertionError, match="recorded"):
        tf.debugging.check_gradients(lambda x: tf.norm(x - X), [X])


def test_functions_and_empty_arguments():
    @tf.function
    def model(x):
        return tf.reduce_sum(tf.exp(x) * x)

    assert tf.debugging.check_gradients(model, [X], order=2).checks[1].passed
    assert tf.debugging.check_gradients(tf.square, [np.zeros((0,))]).checks[0].error == 0.0


def test_refusals():
    for order in (0, 4, 1.5):
        with pytest.raises(ValueError, match="`order` must be 1, 2 or 3"):
            tf.debugging.check_gradients(tf.sinh, [X], order=order)
    with pytest.raises(ValueError, match="`args` must be a list or tuple"):
        tf.debugging.check_gradients(tf.sinh, X)
    with pytest.raises(ValueError, match="int32"):
        tf.debugging.check_gradients(tf.square, [np.arange(3, dtype=np.int32)])


def test_lines_are_those_of_the_function_that_is_checked():
    """Programs that begin alike share what was recorded, and so the lines of it."""

    def right(x):
        return tf.sinh(x)  # right

    @tf.custom_gradient
    def wrong(x):
        return tf.identity(x), lambda upstream: upstream * 3.0

    def other(x):
        y = tf.sinh(x)  # other
        return wrong(y) * tf.sinh(x)

    tf.debugging.check_gradients(right, [np.array([0.5])])
    with pytest.raises(AssertionError) as refused:
        tf.debugging.check_gradients(other, [np.array([0.5])])
    assert "# right" not in str(refused.value)
