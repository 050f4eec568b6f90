"""Tracebacks, classes and texts of errors as users see them."""

import gc
import inspect
import pickle
import subprocess
import sys
import traceback
import weakref

import numpy as np
import pytest
from steps import close_everything, settle

import tapefacade as tf
from tapefacade._core import optional_imports
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tracebacks import is_own

InvalidArgument = tf.errors.InvalidArgumentError


@pytest.fixture(autouse=True)
def nothing_pending():
    settle()
    yield
    close_everything()
    tf.debugging.enable_traceback_filtering()


def raised(call):
    """Returns what a call raises, and how many lines of its traceback are not the user's."""
    try:
        call()
    except Exception as error:
        files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        return error, sum(map(is_own, files)), files.count(__file__)
    pytest.fail("nothing was raised")


@tf.function
def wrong(x):
    return tf.matmul(x, tf.ones((7, 2)))


@tf.function
def outer(x):
    return wrong(x * 2.0)


def pending(*values):
    return tf.cast(tf.constant(values, tf.float32) * 1.0, tf.int32)


def step(x):
    return x @ tf.ones((3, 3))


def differentiated(function):
    with tf.GradientTape():
        return function(tf.Variable(tf.ones((2, 2))))


# A call, and how many lines of the user its traceback has beside the one in `raised`.
CALLS = {
    "op": (lambda: tf.matmul(tf.ones((2, 3)), tf.ones((2, 3))), 1),
    "operator": (lambda: tf.ones((2, 3)) @ tf.ones((2, 3)), 1),
    "list": (lambda: tf.concat([tf.ones((2, 3)), tf.ones((2, 4))], 0), 1),
    "function": (lambda: wrong(tf.ones((2, 3))), 2),
    "nested functions": (lambda: outer(tf.ones((2, 3))), 3),
    "late": (lambda: tf.gather([1.0], pending(5)).numpy(), 1),
    "late in float": (lambda: float(tf.gather([1.0], pending(5))[0]), 1),
    "assertion": (lambda: tf.debugging.assert_less(pending(5), 3), 1),
    "map_fn": (lambda: tf.map_fn(step, tf.ones((4, 2, 2))), 2),
    "while_loop": (
        lambda: tf.while_loop(lambda x: x[0, 0] < 9, lambda x: [step(x)], [tf.ones((2, 2))]), 3
    ),
    "custom_gradient": (lambda: tf.custom_gradient(lambda x: (step(x), None))(tf.ones((2, 2))), 3),
    "recompute_grad": (lambda: differentiated(tf.recompute_grad(step)), 3),
    "dataset": (lambda: list(tf.data.Dataset.range(3).map(lambda i: step(tf.ones((2, 2))))), 3),
}  # fmt: skip


@pytest.mark.parametrize(("call", "lines"), CALLS.values(), ids=CALLS.keys())
def test_tracebacks_show_the_users_lines_and_one_of_ours(call, lines):
    error, own, users = raised(call)
    assert isinstance(error, InvalidArgument | ValueError)
    assert own <= 1
    assert users == lines + 1
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__
    tf.debugging.disable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()
    assert raised(call)[1] > own + 1


VARIABLE = tf.Variable([1.0, 2.0])
# What users call otherwise, and get wrong.
WRONG_CALLS = {
    "constant": lambda: tf.constant([[1.0], [2.0, 3.0]]),
    "convert": lambda: tf.convert_to_tensor("a", tf.float32),
    "variable": lambda: tf.Variable("a", dtype=tf.float32),
    "assign": lambda: VARIABLE.assign([1.0]),
    "assign_add": lambda: VARIABLE.assign_add([1.0]),
    "scatter": lambda: VARIABLE.scatter_nd_add([[0]], [1.0, 2.0, 3.0]),
    "part of a variable": lambda: VARIABLE[5],
    "assigned part": lambda: VARIABLE[0].assign("a"),
    "index": lambda: tf.ones([2])[5],
    "half": lambda: tf.ones([2])[0.5],
    "mask": lambda: tf.ones([2])[tf.constant([True])],
    "loop": lambda: list(tf.constant(1.0)),
    "watch": lambda: tf.GradientTape().watch("x"),
    "split": lambda: tf.split(tf.ones([7]), 3),
    "normal": lambda: tf.random.normal("a"),
    "rows": lambda: tf.RaggedTensor.from_row_splits([1.0], [0, 5]),
    "ragged": lambda: tf.ragged.constant([[1.0], 2.0]),
    "sparse": lambda: tf.SparseTensor([[0.5]], [1.0], [1]),
    "array": lambda: tf.TensorArray(tf.float32, 2).write(0, "a"),
    "slices": lambda: tf.data.Dataset.from_tensor_slices((np.ones(2), np.ones(3))),
    "batch": lambda: tf.data.Dataset.range(3).batch(0),
    "generator": lambda: tf.random.Generator.from_seed("a"),
    "checkpoint": lambda: tf.train.Checkpoint(v=3).save("unused"),
    "device": lambda: tf.device(3.0).__enter__(),
}


@pytest.mark.parametrize("call", WRONG_CALLS.values(), ids=WRONG_CALLS.keys())
def test_a_call_is_one_line_of_ours(call):
    error, own, _ = raised(call)
    assert own <= 1
    assert str(error).strip()
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__


# What changes the settings of the process, or takes nothing that could be wrong.
SETTINGS = (
    "autograph.", "compat.", "config.", "debugging.disable", "debugging.enable", "distribute.",
    "experimental.numpy.", "io.gfile.", "profiler.", "random.experimental.set", "random.set",
    "summary.", "sysconfig.", "test.", "tpu.", "xla.",
)  # fmt: skip


def test_functions_that_are_given_objects_show_one_line_of_ours():
    shown = {}
    for name, function in FUNCTIONS.items():
        if isinstance(function, type) or name.startswith(("_", *SETTINGS)):
            continue
        parameters = inspect.signature(function).parameters.values()
        count = sum(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
        try:
            if count:
                function(*[object()] * count)
        except Exception as error:
            lines = traceback.extract_tb(error.__traceback__)
            is_chained = bool(error.__cause__) or not (
                error.__context__ is None or error.__suppress_context__
            )
            own = sum(is_own(line.filename) for line in lines)
            shown[name] = own > 1, is_chained, str(error) == ""
    assert len(shown) > 600
    assert not [name for name, wrong in shown.items() if any(wrong)]


def test_the_line_of_ours_names_what_was_called():
    error, _, _ = raised(lambda: tf.split(tf.ones([7]), 3))
    assert traceback.extract_tb(error.__traceback__)[-1].name == "split"


def test_an_exception_that_the_user_handles_is_shown():
    def call():
        try:
            raise KeyError("mine")
        except KeyError:
            tf.matmul(tf.ones((2, 3)), tf.ones((2, 3)))

    error, _, _ = raised(call)
    assert isinstance(error.__context__, KeyError)
    assert not error.__suppress_context__


@pytest.mark.parametrize("args", [(), (1.0, 2.0)])
def test_exceptions_that_a_library_has_handled_are_hidden(args):
    function = tf.function(lambda x: x)
    with pytest.raises(TypeError, match="Binding inputs") as raised:  # inspect meets StopIteration
        function(*args)
    assert raised.value.__context__ is None or raised.value.__suppress_context__
    try:
        raise KeyError("mine")
    except KeyError:
        with pytest.raises(TypeError, match="Binding inputs") as raised:
            function(*args)
    assert isinstance(raised.value.__context__, KeyError)


def test_exceptions_of_the_user_keep_their_lines():
    @tf.function
    def fails(x):
        return {}[x.shape[0]]

    error, own, users = raised(lambda: fails(tf.ones([3])))
    assert isinstance(error, KeyError)
    assert (own <= 1, users) == (True, 3)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.nn.softmax_cross_entropy_with_logits(tf.ones((2, 3)), tf.ones((2, 4))),
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([5], tf.ones((1, 3))).numpy(),
        lambda: tf.nn.sigmoid_cross_entropy_with_logits(tf.ones((2, 3)), tf.ones((2, 4))),
    ],
)
def test_functions_of_several_ops_are_one_line(call):
    _, own, users = raised(call)
    assert (own, users) == (1, 2)


# Keras.


class Model:
    """Makes a model with a bug, when Keras is asked for first."""

    def __new__(cls, call):
        pytest.importorskip("keras")

        class Made(tf.keras.Model):
            def call(self, x):
                return call(x)

        return Made()


def test_errors_in_layers_keep_class_and_text():
    model = Model(lambda x: x @ tf.ones((5, 2)))
    error, own, users = raised(lambda: model(tf.ones((2, 3))))
    assert type(error) is InvalidArgument
    assert str(error) == (
        "Exception encountered when calling Made.call().\n\n\x1b[1mMatrix size-incompatible: "
        "In[0]: [2,3], In[1]: [5,2] [Op:MatMul] name: \n{{function_node __wrapped__"
        "MatMul_device_/job:localhost/replica:0/task:0/device:CPU:0}}\x1b[0m\n\nArguments "
        "received by Made.call():\n  • x=tf.Tensor(shape=(2, 3), dtype=float32)"
    )
    assert error.message == str(error)
    assert error.error_code == tf.errors.INVALID_ARGUMENT
    assert own <= 1
    assert users == 4
    error, _, _ = raised(lambda: tf.keras.layers.Embedding(3, 2)(tf.constant([[9]])))
    assert type(error) is InvalidArgument
    assert "indices[0,0] = 9 is not in [0, 3)" in str(error)


def test_other_errors_in_layers():
    def key(x):
        raise KeyError("mine")

    error, _, _ = raised(lambda: Model(key)(tf.ones((2, 3))))
    assert type(error) is KeyError
    assert "mine" in str(error)
    error, _, _ = raised(lambda: Model(lambda x: Model(lambda y: y @ y)(x))(tf.ones((2, 3))))
    assert type(error) is InvalidArgument
    assert str(error).count("Exception encountered") == 1


def test_errors_of_symbolic_calls_are_those_of_tracing():
    wide = Model(lambda x: x @ tf.ones((7, 7)))
    error, own, _ = raised(lambda: wide(tf.keras.Input((3,))))
    assert type(error) is ValueError
    assert "Dimensions must be equal, but are 3 and 7, for input shapes: [?,3] and [7,7]" in str(
        error
    )
    assert own <= 1
    joined = Model(lambda x: tf.concat([x, tf.ones((3, 4))], 0))
    error, _, _ = raised(lambda: joined(tf.keras.Input((3,), 2)))
    assert type(error) is ValueError
    assert "Dimension 1 in both shapes must be equal, but are 3 and 4" in str(error)


def test_errors_of_metrics():
    mean = tf.keras.metrics.MeanSquaredError()
    error, own, _ = raised(lambda: mean.update_state(tf.ones((2,)), tf.ones((3,))))
    assert type(error) is InvalidArgument
    assert own <= 1


def test_errors_in_fit():
    model = Model(lambda x: x @ tf.ones((5, 2)))
    model.compile("sgd", "mse")
    data = np.ones((8, 3), np.float32)
    error, own, users = raised(lambda: model.fit(data, data[:, :2], verbose=0))
    assert type(error) is ValueError
    assert own <= 1
    assert users == 4


# The classes.


def test_errors_have_the_attributes_of_tensorflows():
    error = tf.errors.NotFoundError("node", None, "no such file", {"key": b"value"})
    assert type(error).__module__ == tf.errors.OpError.__module__ == "tapefacade.errors"
    assert (error.message, error.op, error.node_def) == ("no such file", None, "node")
    assert error.error_code == tf.errors.NOT_FOUND
    assert error.experimental_payloads == {"key": b"value"}
    assert repr(error) == "NotFoundError()"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.message, again.node_def) == (type(error), "no such file", "node")
    base = tf.errors.OpError(None, None, "text", tf.errors.ABORTED)
    assert pickle.loads(pickle.dumps(base)).error_code == tf.errors.ABORTED
    late, _, _ = raised(lambda: tf.gather([1.0], pending(5)).numpy())
    assert pickle.loads(pickle.dumps(late)).message == late.message


# Sizes.

BIG = 5191549470
SIZES = {
    "zeros": (lambda: tf.zeros([BIG, BIG]), InvalidArgument),
    "one dimension": (lambda: tf.zeros([2**62]), tf.errors.ResourceExhaustedError),
    "more than there is": (lambda: tf.ones([2**46]), tf.errors.ResourceExhaustedError),
    "pad": (
        lambda: tf.image.pad_to_bounding_box(tf.ones((1, 2, 2, 1)), 0, 0, BIG, BIG), InvalidArgument
    ),
    "fill": (lambda: tf.fill([BIG, BIG], 1.0), InvalidArgument),
    "broadcast": (lambda: tf.broadcast_to(1.0, [BIG, BIG]), InvalidArgument),
    "tile": (lambda: tf.tile(tf.ones((2, 2)), [BIG, BIG]), InvalidArgument),
    "eye": (lambda: tf.eye(BIG), InvalidArgument),
    "one_hot": (lambda: tf.one_hot([1, 2], 2**62), InvalidArgument),
    "range": (lambda: tf.range(2**62), tf.errors.ResourceExhaustedError),
    "repeat": (lambda: tf.repeat([1.0, 2.0], 2**60), tf.errors.ResourceExhaustedError),
    "sampler": (
        lambda: tf.random.learned_unigram_candidate_sampler([[1]], 1, 5, True, 2**46),
        tf.errors.ResourceExhaustedError,
    ),
    "rows": (
        lambda: tf.ragged.constant([[1.0]]).to_tensor(shape=[2**24, 2**24]),
        tf.errors.ResourceExhaustedError,
    ),
    "random": (lambda: tf.random.normal([BIG, BIG]), InvalidArgument),
    "resize": (
        lambda: tf.image.resize(tf.ones((1, 2, 2, 1)), [2**30, 2**30]),
        tf.errors.ResourceExhaustedError,
    ),
    "strides": (
        lambda: tf.nn.conv2d_transpose(
            tf.ones((1, 1, 1, 1)), tf.ones((1, 1, 1, 1)), [1, 2**20, 2**20, 1], 2**20
        ),
        tf.errors.ResourceExhaustedError,
    ),
    "sparse": (
        lambda: tf.sparse.to_dense(tf.SparseTensor([[0, 0]], [1.0], [BIG, BIG])), InvalidArgument
    ),
    "scatter": (lambda: tf.scatter_nd([[0, 0]], [1.0], [BIG, BIG]), InvalidArgument),
    "mask": (lambda: tf.sequence_mask([1, 2], 2**62), InvalidArgument),
    "outer": (
        lambda: tf.ones([2**24, 1]) * tf.ones([1, 2**24]), tf.errors.ResourceExhaustedError
    ),
    "diagonal": (lambda: tf.linalg.diag(tf.ones([2**24])), tf.errors.ResourceExhaustedError),
}  # fmt: skip


@pytest.mark.parametrize(("call", "kind"), SIZES.values(), ids=SIZES.keys())
def test_sizes_that_nothing_has_room_for(call, kind):
    error, _, _ = raised(call)
    assert type(error) is kind
    assert len(str(error)) > 30


# Versions of Keras.


def test_a_keras_that_is_newer_than_the_tested_ones_runs():
    pytest.importorskip("keras")
    code = (
        "import keras, logging; logging.basicConfig(); keras.__version__ = '99.1.0'; "
        "import tapefacade as tf; "
        "[print(tf.keras.layers.Dense(1)(tf.ones((2, 3))).shape) for _ in range(2)]"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False,
        env={**__import__("os").environ, "KERAS_BACKEND": "jax"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["(2,", "1)"] * 2
    assert done.stderr.count("Keras 99.1.0 is newer than 3.15") == 1


def generated():
    return list(
        tf.data.Dataset.from_generator(lambda: iter([1, "a"]), output_types=tf.int32)
    )  # fmt: skip


class Point(tf.experimental.ExtensionType):
    x: tf.Tensor


# Mistakes that no table of cases has: what is raised, a piece of the text, a piece of a note.
MISTAKES = {
    "loss of None": (
        lambda: tf.keras.losses.BinaryCrossentropy()(None, tf.ones((2, 3))),
        ValueError, "value (None) with an unsupported type", "",
    ),
    "a rate that is a text": (
        lambda: tf.keras.optimizers.Adam("a"), ValueError, "`learning_rate` should be float", "",
    ),
    "no rate": (
        lambda: tf.keras.optimizers.SGD(learning_rate=None),
        ValueError, "`learning_rate` should be float", "",
    ),
    "generator": (generated, InvalidArgument, "TypeError: `generator` yielded an element", ""),
    "spec": (lambda: tf.TensorSpec("a"), TypeError, "Failed to convert ''a'' to a shape", ""),
    "tangent": (
        lambda: tf.autodiff.ForwardAccumulator(tf.ones(2), tf.ones(3)),
        ValueError, "The tangent has shape (3,), its primal has shape (2,).", "",
    ),
    "field": (lambda: Point(object()), TypeError, "x", ""),
    "shape of None": (lambda: tf.ones(None), ValueError, "Attempt to convert a value (None)", ""),
    "mixed dtypes": (
        lambda: tf.ones(2) + tf.constant([1, 2]),
        InvalidArgument, "cannot compute AddV2", "Write tf.cast(x, tf.float32)",
    ),
    "root of integers": (
        lambda: tf.sqrt(3), InvalidArgument, "Value for attr 'T' of int32",
        "Write tf.cast(x, tf.float32)",
    ),
    "root of a text": (
        lambda: tf.sqrt("3"), InvalidArgument, "Value for attr 'T' of string",
        "Write tf.strings.to_number(x, tf.float32)",
    ),
    "a number for a text": (
        lambda: tf.convert_to_tensor(tf.ones(2), tf.string), ValueError, "requested dtype string",
        "Write tf.strings.as_string(x)",
    ),
    "stream": (
        lambda: tf.print(1, output_stream=3), ValueError, "output_stream 3 is neither a stream", "",
    ),
    "range of a text": (
        lambda: tf.range("a"), AssertionError,
        "tf.range counts in numbers; start, limit and delta are int32, string, int32.", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text", "note"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes_show_no_exception_from_within(call, kind, text, note):
    if "keras" in call.__code__.co_names:
        pytest.importorskip("keras")
    error, _, _ = raised(call)
    assert type(error) is kind
    assert text in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__
    notes = getattr(error, "__notes__", [])
    assert all("JAX" not in note for note in notes)
    assert (not note) or any(note in found for found in notes)


def test_a_missing_package_shows_no_import_error_from_within(monkeypatch):
    """A package that is there and broken shows why."""
    for name, shown in (("fsspec", None), ("fsspec_inner", ModuleNotFoundError)):

        def fail(_, missing=name):
            raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)

        monkeypatch.setattr(optional_imports.importlib, "import_module", fail)
        with pytest.raises(ImportError, match="need fsspec") as found:
            optional_imports.optional_module("fsspec.core", "remote", "Paths")
        assert found.value.__suppress_context__
        assert (type(found.value.__cause__) if shown else found.value.__cause__) is shown


@pytest.mark.parametrize("index", [np.array([1, 0]), tf.constant([1, 0]), [True, False]])
def test_several_indices_are_refused_with_what_to_write(index):
    with pytest.raises(TypeError, match="are valid indices, got") as caught:
        tf.ones([2, 3])[index,]
    assert "tf.gather(x, indices)" in caught.value.__notes__[0]


def test_a_missing_keras_is_told_in_one_line_of_ours(monkeypatch):
    monkeypatch.setitem(sys.modules, "keras", None)  # what makes an import fail
    monkeypatch.delitem(sys.modules, "tapefacade.keras", raising=False)
    monkeypatch.delitem(vars(tf), "keras", raising=False)
    error, own, users = raised(lambda: tf.keras)
    assert isinstance(error, ImportError)
    assert "tf.keras needs Keras 3, which is not installed." in str(error)
    assert (own, users) == (1, 2)


def test_an_error_that_a_function_handles_keeps_nothing_alive():
    class Kept:
        pass

    references, lines = [], []

    @tf.function
    def f(x):
        kept = Kept()
        references.append(weakref.ref(kept))
        try:
            tf.matmul(x, x)
        except ValueError as error:
            lines[:] = [line.name for line in traceback.extract_tb(error.__traceback__)]

    gc.disable()
    try:
        f(tf.ones([2, 3]))
        assert references[0]() is None
    finally:
        gc.enable()
    assert lines[:2] == ["f", "matmul"]
    assert len(lines) <= 3
