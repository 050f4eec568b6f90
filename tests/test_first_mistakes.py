"""Mistakes of the first hour: what is said of them, and that it says what to write."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapefacade as tf
from tapefacade._core.tensor import OTHER_NAMES

pytest.importorskip("keras")

X, Y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)


def said(mistake: Callable[[], Any], class_: type[BaseException]) -> str:
    with pytest.raises(class_) as caught:
        mistake()
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


@pytest.mark.parametrize("k", ["a", 1.5, (0, "a"), None])
def test_a_diagonal_that_is_no_number(k: Any) -> None:
    assert "EagerTensor of dtype int32" in said(lambda: tf.linalg.diag([1.0, 2.0], k=k), TypeError)


@pytest.mark.parametrize("lengths", [(3, "a"), ("a", 3)])
def test_frames_whose_length_is_a_text(lengths: Any) -> None:
    text = said(lambda: tf.signal.stft(tf.ones([8]), *lengths), TypeError)
    assert text == "Cannot convert 'a' to EagerTensor of dtype int32"


@pytest.mark.parametrize("name", sorted(OTHER_NAMES))
def test_names_of_arrays_and_tensors_elsewhere(name: str) -> None:
    text = said(lambda: getattr(tf.ones([2]), name), AttributeError)
    assert f"\nWrite {OTHER_NAMES[name]}." in text
    written = OTHER_NAMES[name].partition("(")[0].split(".")
    if written[0] == "tf":
        assert callable(functools.reduce(getattr, written[1:], tf))


def test_an_output_gradient_of_another_shape() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    text = said(lambda: tape.gradient(y, x, tf.ones([3])), tf.errors.InvalidArgumentError)
    assert "The output gradient has the shape [3], its target [2]." in text


def test_a_batch_jacobian_of_a_scalar() -> None:
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    text = said(lambda: tape.batch_jacobian(y, x), IndexError)
    assert text.startswith("list index out of range: the target is a scalar")


def model(cls: Any = None, optimizer: Any = "sgd") -> Any:
    made = (cls or tf.keras.Sequential)([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    made.compile(optimizer, "mse")
    return made


@pytest.mark.parametrize(
    ("size", "class_"), [(-1, ValueError), ("8", TypeError), (2.5, TypeError), ([4], TypeError)]
)
def test_sizes_of_batches(size: Any, class_: type[BaseException]) -> None:
    for call in (lambda: model().fit(X, Y, size, verbose=0), lambda: model().predict(X, size)):
        assert said(call, class_).startswith("`batch_size` must be a whole number of examples.")


def test_batches_of_size_0_are_of_keras_size() -> None:
    made = model()
    before = made.get_weights()[0]
    made.fit(X, Y, batch_size=0, verbose=0)
    assert (made.get_weights()[0] != before).all()


def test_no_examples() -> None:
    assert said(lambda: model().fit(X[:0], Y[:0], verbose=0), ValueError).startswith("There are no")


def test_no_optimizer() -> None:
    text = said(lambda: model(optimizer=None).fit(X, Y, verbose=0), AttributeError)
    assert text.startswith("'NoneType' object has no attribute 'apply_gradients'")
    assert "the model has no optimizer" in text


@pytest.mark.parametrize("result", [None, 3.0])
def test_steps_that_return_no_metrics(result: Any) -> None:
    class Custom(tf.keras.Sequential):
        def train_step(self, data: Any) -> Any:
            return result

        def test_step(self, data: Any) -> Any:
            return result

    for name, call in (("train", "fit"), ("test", "evaluate")):
        text = said(lambda: getattr(model(Custom), call)(X, Y, verbose=0), ValueError)  # noqa: B023
        assert text.startswith(f"`{name}_step` of Custom returned ")
        assert "`return {" in text


def test_a_gradient_of_another_shape_than_its_variable() -> None:
    variable = tf.Variable([1.0, 2.0], name="w")
    for optimizer in (tf.keras.optimizers.Adam(), tf.keras.optimizers.SGD()):
        pairs = [(tf.ones([3]), variable)]
        call = functools.partial(optimizer.apply_gradients, pairs)
        text = said(call, tf.errors.InvalidArgumentError)
        assert text.startswith(
            "Cannot update variable with shape [2] using a Tensor with shape [3]"
        )
        assert text.endswith("It is the gradient for w:0.")


def test_a_name_of_keras_that_comes_near() -> None:
    assert "`tf.optimizers.Adam`" in said(lambda: tf.optimizers.Adm, AttributeError)


def test_errors_of_keras_have_no_note_of_jax() -> None:
    loss = tf.keras.losses.BinaryCrossentropy()
    text = said(lambda: loss(np.ones((2, 3)), np.ones((2, 2))), ValueError)
    assert text.endswith("output.shape=(2, 2)")
