"""Extension types where TensorFlow has no answer to compare with: costs, hints, and files."""

import inspect

import pytest

import tapefacade as tf
from tapefacade._extension.extension_type import REGISTERED

api = tf.experimental.dispatch_for_api


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Saved(tf.experimental.ExtensionType):
    __name__ = "tests.Saved"
    values: tf.Tensor


X = Masked([1.0, -2.0], [True, False])


@pytest.mark.parametrize("function", [tf.exp, tf.add, tf.matmul, tf.reduce_sum])
def test_the_code_of_an_op_stays_what_it_is_while_a_target_is_registered(function):
    code, first = function.__code__, next(iter(inspect.signature(function).parameters))
    target = api(function, {first: Masked})(lambda *args, **kwargs: "mine")
    try:
        assert function.__code__ is code
        assert function(X, *_others(function)) == "mine"
    finally:
        tf.experimental.unregister_dispatch_for(target)


def _others(function):
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [0] * sum(p.default is p.empty for p in parameters)


@pytest.mark.parametrize("function", [tf.cast, tf.zeros_like, tf.convert_to_tensor])
def test_other_functions_are_what_they_were_once_nothing_is_registered(function):
    before = (
        function.__code__, function.__defaults__, function.__kwdefaults__,
        inspect.signature(function),
    )  # fmt: skip
    first = next(iter(before[3].parameters))
    targets = [
        api(function, {first: kind})(lambda *args, **kwargs: "mine")
        for kind in (Masked, tf.experimental.BatchableExtensionType)
    ]
    assert function.__code__ is not before[0]
    assert inspect.signature(function) == before[3]
    assert function(X, *_others(function)) == "mine"
    for target in targets:
        tf.experimental.unregister_dispatch_for(target)
    after = (
        function.__code__, function.__defaults__, function.__kwdefaults__,
        inspect.signature(function),
    )  # fmt: skip
    assert after == before
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        function(X, *([tf.float32] if function is tf.cast else []))


def test_errors_of_targets_are_their_own():
    @api(tf.negative, {"x": Masked})
    def failing(x):
        return tf.negative("a text")

    @api(tf.cast, {"x": Masked})
    def recursive(x, dtype):
        return Masked(tf.cast(x.values, dtype), x.mask)

    try:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.negative(X)
        assert tf.cast(X, tf.int32).values.numpy().tolist() == [1, -2]
        assert tf.cast(tf.cast(X, tf.int32), tf.float64).values.dtype == tf.float64
    finally:
        tf.experimental.unregister_dispatch_for(failing)
        tf.experimental.unregister_dispatch_for(recursive)


def test_what_cannot_be_batched_says_what_to_derive_from():
    with pytest.raises(AttributeError) as caught:
        tf.data.Dataset.from_tensor_slices(X)
    assert "BatchableExtensionType" in "".join(caught.value.__notes__)


def test_what_has_no_gradient_says_what_to_differentiate():
    with tf.GradientTape() as tape:
        tape.watch(X.values)
        y = X.values**2
    with pytest.raises(ValueError, match="not supported as a gradient source") as caught:
        tape.gradient(y, X)
    assert "fields" in "".join(caught.value.__notes__)


def test_a_saved_model_names_the_class_that_is_missing(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: Saved(x.values * 2.0))
    module.f(Saved([1.0]))
    tf.saved_model.save(module, str(tmp_path))
    assert tf.saved_model.load(str(tmp_path)).f(Saved([3.0])).values.numpy() == [6.0]
    kind = REGISTERED.pop("tests.Saved.Spec")
    try:
        with pytest.raises(ValueError, match=r"No TypeSpec has been .* Define the extension type"):
            tf.saved_model.load(str(tmp_path))
    finally:
        REGISTERED["tests.Saved.Spec"] = kind


def test_a_model_without_a_name_for_its_type_cannot_be_saved(tmp_path):
    module = tf.Module()
    spec = Masked.Spec(tf.TensorSpec([2]), tf.TensorSpec([2], tf.bool))
    module.f = tf.function(lambda x: x.values, input_signature=[spec])
    with pytest.raises(TypeError, match="give the class an attribute `__name__`"):
        tf.saved_model.save(module, str(tmp_path))


def test_equal_calls_with_values_of_one_type_record_once():
    f = tf.function(lambda x: Masked(x.values * 2.0, x.mask))
    for k in range(5):
        result = f(Masked([1.0 * k, 2.0], [True, False]))
    assert result.values.numpy().tolist() == [8.0, 4.0]
    assert f.experimental_get_tracing_count() == 1
