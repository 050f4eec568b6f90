"""Mistakes of the first hour: what is said of them, and that it says what to write."""

import functools
import re
from collections.abc import Callable
from pathlib import Path
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


def test_a_gradient_that_is_none_in_an_op() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    text = said(lambda: tape.gradient(y, x) + y, ValueError)
    assert text.startswith("Attempt to convert a value (None)")
    assert "`tape.explain(target, sources)`" in text
    assert "watch" in repr(tape.explain(y, x))


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


@pytest.mark.parametrize("data", [X, tf.data.Dataset.from_tensor_slices(X).batch(2)])
def test_no_targets(data: Any) -> None:
    for call in (lambda: model().fit(data, verbose=0), lambda: model().evaluate(data, verbose=0)):
        text = said(call, ValueError)
        assert text.startswith("None values not supported: the loss compares with targets")
        assert "`model.fit(x, y)`" in text


def test_batches_of_four_parts() -> None:
    data = tf.data.Dataset.from_tensor_slices((X, Y, Y, Y)).batch(4)
    assert "`(x, y, sample_weight)`, found: (" in said(
        lambda: model().fit(data, verbose=0), ValueError
    )


def test_gradients_and_variables_that_are_not_zipped() -> None:
    variables = model().trainable_variables
    apply = functools.partial(tf.keras.optimizers.SGD().apply_gradients, variables, variables)
    assert "apply_gradients(zip(gradients, variables))" in said(apply, TypeError)


def test_the_gradient_for_a_model() -> None:
    made = model()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(made(X))
    text = said(lambda: tape.gradient(loss, made), AttributeError)
    assert text.endswith("Write `model.trainable_variables` for those of a model.")


def test_a_layer_that_forgets_its_base() -> None:
    class Forgetful(tf.keras.layers.Layer):
        def __init__(self) -> None:
            self.size = 3

        def call(self, x: Any) -> Any:
            return x

    assert "super().__init__()" in said(lambda: Forgetful()(X), RuntimeError)


def test_layers_of_words_that_have_none() -> None:
    pytest.importorskip("re2")
    for layer in (tf.keras.layers.TextVectorization, tf.keras.layers.StringLookup):
        text = said(functools.partial(layer(), ["a b"]), tf.errors.FailedPreconditionError)
        assert "Table not initialized. [Op:LookupTableFindV2]" in text
        assert "`layer.adapt(data)`" in text


@pytest.mark.parametrize("name", ["GRU", "LSTM"])
def test_a_state_of_another_size(name: str) -> None:
    state = np.ones((2, 5), np.float32)
    call = functools.partial(
        getattr(tf.keras.layers, name)(3),
        np.ones((2, 3, 4), np.float32),
        initial_state=state if name == "GRU" else [state, state],
    )
    assert "tensor" not in said(call, tf.errors.InvalidArgumentError).partition("\n\nArguments")[0]


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


def test_windows_that_are_batched_as_they_are() -> None:
    windows = tf.data.Dataset.range(4).window(2).batch(2)
    assert "flat_map(lambda window: window.batch(size))" in said(lambda: list(windows), ValueError)


@pytest.mark.parametrize("name", ["py_function", "numpy_function"])
def test_errors_of_python_calls_show_lines_of_the_user_alone(name: str) -> None:
    def outer(x: Any) -> Any:
        return tf.reshape(x, [3])

    def python(x: Any) -> Any:
        return outer(x)

    # In a function `numpy_function` raises the error of a graph.
    call = tf.function(lambda x: getattr(tf, name)(python, [x], tf.float32))
    text = said(lambda: call(tf.ones([2])), tf.errors.UnknownError)
    assert "InvalidArgumentError: Input to reshape is a tensor with 2 values" in text
    assert re.findall(r"line \d+, in (\w+)", text) == ["python", "outer"]
    without = tf.function(lambda x: getattr(tf, name)(lambda: x, [x], tf.float32))
    assert "Traceback" not in said(lambda: without(tf.ones([2])), tf.errors.InvalidArgumentError)


@pytest.mark.parametrize("strategy", [tf.distribute.get_strategy, tf.distribute.MirroredStrategy])
def test_an_argument_of_replicas_that_stands_alone(strategy: Callable[[], Any]) -> None:
    text = said(lambda: strategy().run(lambda x: x, args=tf.ones([1])), ValueError)
    assert text.startswith("positional args must be a list or tuple, got <class ")
    assert "args=(x,)" in text


def test_strategies_of_other_things() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    distribute = functools.partial(strategy.experimental_distribute_dataset, [1, 2])
    assert "takes a tf.data.Dataset" in said(distribute, AttributeError)
    workers = tf.distribute.MultiWorkerMirroredStrategy
    text = said(lambda: workers(cluster_resolver="local"), ValueError)
    assert text.startswith("cluster_resolver must be an instance of tf.distribute.cluster_resolver")


@pytest.mark.parametrize(
    ("target", "class_"),
    [("y", TypeError), (object(), TypeError), ("float32", AttributeError), (1.0, AttributeError)],
)
def test_targets_that_are_no_tensors(target: Any, class_: type[BaseException]) -> None:
    with tf.GradientTape() as tape:
        x = tf.Variable(1.0)
    said(lambda: tape.gradient(target, x), class_)


def test_functions_have_a_line_in_messages() -> None:
    @tf.function
    def returns_an_object() -> Any:
        return object()

    place = rf"returns_an_object \(\S*{Path(__file__).name}:\d+\)"
    assert re.search(f"in compilation of {place}, found", said(returns_an_object, TypeError))
    save = functools.partial(tf.saved_model.save, tf.Module(), "unused")
    text = said(lambda: save(returns_an_object.python_function), ValueError)
    assert re.search(f"got {place}. Only", text)


@pytest.mark.parametrize("seed", ["a", [1, 2]])
def test_seeds_that_are_no_number(seed: Any) -> None:
    text = said(lambda: tf.random.set_seed(seed), TypeError)
    assert text == f"A seed must be an integer, not {seed!r}."


def test_images_of_negative_size() -> None:
    text = said(lambda: tf.image.resize(tf.ones([1, 3, 3, 1]), [-2, 2]), ValueError)
    assert text == "Dimension -2 must be >= 0"


def test_rows_of_different_number() -> None:
    rows = (tf.ones([3]), tf.ones([4]))
    text = said(lambda: tf.vectorized_map(lambda x: x[0], rows), tf.errors.InvalidArgumentError)
    assert "different numbers of rows: [3, 4]" in text


def test_metrics_that_a_model_makes_after_it_is_compiled() -> None:
    """As in Keras's example of a GAN: `metrics` is a property, `compile` makes what it names."""

    class Custom(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = tf.keras.layers.Dense(1)

        def compile(self, optimizer: Any) -> None:
            super().compile(optimizer=optimizer)
            self.mean = tf.keras.metrics.Mean(name="mean")

        @property
        def metrics(self) -> list[Any]:
            return [self.mean]

        def train_step(self, data: Any) -> dict[str, Any]:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self.dense(data[0]) - data[1]) ** 2)
            weights = self.trainable_variables
            self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            self.mean.update_state(loss)
            return {"mean": self.mean.result()}

    custom = Custom()
    custom.compile("sgd")
    history = custom.fit(X, Y, verbose=0, epochs=3).history["mean"]
    assert history[2] < history[0]


@pytest.mark.parametrize("array", [np.ones, tf.ones])
def test_what_jax_refuses_in_functions_of_keras(array: Callable[[Any], Any]) -> None:
    ops, x = tf.keras.ops, array((2, 3))
    for mistake in (
        lambda: ops.matmul(x, np.ones((2, 3))),
        lambda: ops.reshape(x, (4,)),
        lambda: ops.stack([x, np.ones(3)]),
        lambda: ops.split(x, 2, axis=1),
        lambda: ops.broadcast_to(x, (2, 4)),
        lambda: ops.slice(x, [1, 0], [4, 1]),
        lambda: ops.add(x, np.ones(2)),
    ):
        assert "JAX" not in said(mistake, tf.errors.InvalidArgumentError)


def test_blocks_of_sparse_tensors_of_another_rank() -> None:
    matrix = tf.sparse.eye(2)
    for start, size, name in (([0], [1, 1], "start"), ([0, 0], [1], "size")):
        mistake = functools.partial(tf.sparse.slice, matrix, start, size)
        text = said(mistake, tf.errors.InvalidArgumentError)
        assert text == f"Expected {name} to be a vector of length 2 but got length 1"


def test_windows_longer_than_their_series() -> None:
    windows = tf.keras.utils.timeseries_dataset_from_array([1, 2, 3], None, 5)
    assert list(windows) == []
