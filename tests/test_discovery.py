"""What completion offers, and how functions and tapes show themselves."""

import functools
import importlib
import re
import rlcompleter
import types

import pytest
from test_architecture import NAMESPACES

import tapefacade as tf

PLACE = rf"\({re.escape(__file__)}:\d+\)"


def test_completion_offers_keras():
    offered = rlcompleter.Completer({"tf": tf})
    assert offered.complete("tf.ker", 0) == "tf.keras"


@pytest.mark.parametrize("path", NAMESPACES)
def test_lazy_names_are_listed(path):
    namespace = NAMESPACES[path]
    late = vars(namespace).get("_LATE", ())
    assert {*late, *(name for name in vars(namespace) if name[0] != "_")} <= {*dir(namespace)}


def test_namespaces_with_lazy_names_are_known():
    # A namespace that makes names late keeps them in `_LATE`, where this file finds them.
    for path in ("tf", "tf.test", "tf.train"):
        module = importlib.import_module(NAMESPACES[path].__name__)
        assert vars(module)["_LATE"]
        assert isinstance(module, types.ModuleType)


def test_functions_show_their_name_and_line():
    @tf.function
    def double(x):
        return 2.0 * x

    class Model:
        @tf.function
        def call(self, x):
            return x

    assert re.fullmatch(rf"<tf\.function double {PLACE}>", repr(double))
    assert re.fullmatch(rf"<tf\.function Model\.call {PLACE}>", repr(Model().call))
    partial = tf.function(functools.partial(lambda a, b: a, 1.0))
    assert re.fullmatch(rf"<tf\.function <lambda> {PLACE}>", repr(partial))
    assert repr(tf.function(len)) == "<tf.function len>"


def test_warnings_of_retraces_name_the_line(caplog):
    @tf.function
    def triple(x, n):
        return 3.0 * x

    for n in range(6):
        triple(tf.constant(1.0), n)
    (first, *_) = [r.getMessage() for r in caplog.records if "retracing" in r.getMessage()]
    assert re.search(rf"calls to triple {PLACE} triggered", first)
    assert " at 0x" not in caplog.text


def test_the_message_of_python_at_every_call_names_the_line(caplog):
    class Sign:
        def __call__(self, x):
            return x if x > 0 else "negative"

    function = tf.function(Sign())
    assert re.fullmatch(rf"<tf\.function Sign {PLACE}>", repr(function))
    function(tf.constant(1.0))
    function(tf.constant(1.0))
    (told,) = [r.getMessage() for r in caplog.records if "runs its Python" in r.getMessage()]
    assert re.match(rf"Sign {PLACE} runs its Python at every call", told)
    assert " at 0x" not in told


def test_tapes_show_what_they_recorded():
    x = tf.Variable(2.0)
    tape = tf.GradientTape()
    assert repr(tape) == "<tf.GradientTape: its block has not been entered>"
    with tape:
        assert repr(tape) == "<tf.GradientTape: 0 ops; recording>"
        y = tf.sinh(x)
        z = y * y
        text = rf"<tf\.GradientTape: 2 ops, the first at {re.escape(__file__)}:\d+; {{}}>"
        assert re.fullmatch(text.format("recording"), repr(tape))
    assert re.fullmatch(text.format("ready"), repr(tape))
    tape.gradient(z, x)
    assert re.fullmatch(text.format("used"), repr(tape))


def test_a_persistent_tape_leaves_out_what_it_did_not_record():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        with tape.stop_recording():
            tf.exp(y)
            assert repr(tape).startswith("<tf.GradientTape: 1 op, ")
        tape.reset()
        assert repr(tape) == "<tf.GradientTape: 0 ops; recording>"
    assert repr(tape) == "<tf.GradientTape: 0 ops; ready>"


def test_objects_show_what_they_were_made_with():
    for name in ("LBFGS", "GaussNewton", "LevenbergMarquardt", "NaturalGradient"):
        optimizer = getattr(tf.optimizers, name)(max_iterations=7)
        assert repr(optimizer).startswith(f"tf.optimizers.{name}(max_iterations=7, ")
        assert repr(eval(repr(optimizer))) == repr(optimizer)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    assert repr(strategy) == "<tf.distribute.MirroredStrategy of 2 replicas on CPU:0, CPU:1>"
    default = repr(tf.distribute.get_strategy())
    assert default == "<tf.distribute.DefaultDistributionStrategy of 1 replica>"
    numbers = tf.data.Dataset.range(3).as_numpy_iterator()
    assert repr(numbers).startswith("NumpyIterator(iterator=<tf.data.Iterator element_spec=")
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0), w=tf.Variable(1.0))
    assert repr(checkpoint) == "<tf.train.Checkpoint of v, w>"
    manager = tf.train.CheckpointManager(checkpoint, "unused", max_to_keep=3)
    shown = "<tf.train.CheckpointManager directory='unused', max_to_keep=3>"
    assert repr(manager) == shown
    array = tf.TensorArray(tf.float32, 2, element_shape=[3])
    assert repr(array) == "<tf.TensorArray dtype=float32 element_shape=(3,)>"
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    assert repr(table) == "<MutableHashTable of string to int64>"


def test_optimizers_show_their_name():
    pytest.importorskip("keras")
    assert repr(tf.keras.optimizers.Adam(name="mine")) == "<Adam name=mine, built=False>"
