"""`tf.debugging.compare`: a function here and under TensorFlow, and the first op that differs."""

import importlib.util
import inspect
import json
import os
import pathlib
import sys
import textwrap

import numpy as np
import pytest

import tapefacade as tf
from tapefacade._port import function_comparison
from tapefacade._port.function_parcel import FunctionParcel
from tapefacade._port.tensorflow_recorder import MAX_ELEMENTS, Parcel, run_definition, sample

# What stands for TensorFlow: a few ops on NumPy, one of which may be wrong, and what they tell.
TENSORFLOW = """
import os
import numpy as np
from tensorflow.python.framework import op_callbacks

__version__ = "2.0-of-tests"
FAULT = os.environ.get("FAULT", "")


class Tensor:
    def __init__(self, value):
        self.value = np.asarray(value)

    dtype = property(lambda self: self.value.dtype)
    shape = property(lambda self: self.value.shape)

    def numpy(self):
        return self.value

    def __add__(self, other):
        return op("AddV2", self, other)

    def __mul__(self, other):
        return op("Mul", self, other)

    __rmul__ = __mul__


class Variable(Tensor):
    def __init__(self, value, trainable=True, name=None):
        super().__init__(value.numpy())

    def assign_sub(self, delta):
        self.value = self.value - op("Identity", delta).value


KERNELS = {
    "AddV2": np.add, "Mul": np.multiply, "Sqrt": np.sqrt, "Exp": np.exp, "Sum": np.sum,
    "Identity": lambda x: x, "SqrtGrad": lambda y, up: up / (2 * y), "ExpGrad": np.multiply,
}


def op(kernel, *operands):
    arrays = [x.value if isinstance(x, Tensor) else np.float32(x) for x in operands]
    value = KERNELS[kernel](*arrays)
    result = Tensor(np.asarray(value) * (1.5 if kernel == FAULT else 1.0))
    result.value = result.value.astype(np.float32)
    for callback in op_callbacks.CALLBACKS:
        callback(kernel, operands, (), [result])
    return result


def constant(value, dtype=None):
    return Tensor(np.asarray(value, dtype))


def as_dtype(name):
    return np.dtype(name)


def sqrt(x):
    return op("Sqrt", x)


def exp(x):
    return op("Exp", x)


def reduce_sum(x):
    return op("Sum", x)


def root_of_exponentials(x):
    "The gradient of reduce_sum(sqrt(exp(x))), as a tape would compute it."
    inner = exp(x)
    outer = sqrt(inner)
    reduce_sum(outer)
    return op("ExpGrad", inner, op("SqrtGrad", outer, Tensor(np.ones(x.shape, np.float32))))


class GradientTape:
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def watch(self, x):
        self.x = x

    def gradient(self, target, x):
        return root_of_exponentials(x)


class Module:
    def __init__(self, name=None):
        self._name = name


class nest:
    @staticmethod
    def flatten(value, expand_composites):
        return list(value) if isinstance(value, (list, tuple)) else [value]


class config:
    run_functions_eagerly = staticmethod(lambda on: None)


class random:
    set_seed = staticmethod(lambda seed: None)
"""
OP_CALLBACKS = """
CALLBACKS = []
add_op_callback = CALLBACKS.append
remove_op_callback = CALLBACKS.remove
"""
WEIGHT = tf.Variable([4.0, 9.0], name="weight")
FACTOR = 3.0
HAS_TENSORFLOW = (
    importlib.util.find_spec("tensorflow") is not None or "TENSORFLOW_PYTHON" in os.environ
)
LINES = pathlib.Path(__file__).read_text(encoding="utf-8").splitlines()


def line_of(text):
    """The number of the line that ends so."""
    (found,) = [n for n, line in enumerate(LINES, 1) if line.endswith(f"# {text}")]
    return found


@pytest.fixture
def compared(tmp_path, monkeypatch):
    """Compares with what stands for TensorFlow, one kernel of which may be wrong."""
    root = tmp_path / "site-packages"
    folder = root / "tensorflow" / "python" / "framework"
    folder.mkdir(parents=True)
    for path in (folder, folder.parent, folder.parent.parent):
        (path / "__init__.py").write_text("")
    (folder / "op_callbacks.py").write_text(OP_CALLBACKS)
    (root / "tensorflow" / "__init__.py").write_text(TENSORFLOW)
    monkeypatch.setenv("PYTHONPATH", str(root))
    monkeypatch.setattr(function_comparison, "tensorflow_version", lambda python: "TensorFlow 2.21")

    def run(f, *args, fault="", **options):
        monkeypatch.setenv("FAULT", fault)
        return tf.debugging.compare(f, args, **options)

    return run


class Scaled(tf.Module):
    def __init__(self, factors):
        super().__init__(name="scaled")
        self.factors = tf.Variable(factors)
        self.shift = 1.0

    def __call__(self, x):
        return self.factors * x + self.shift  # scaled


def rooted(x):
    return tf.sqrt(x)  # rooted


def loss(x):
    y = rooted(x + WEIGHT) * FACTOR  # sum of both
    return tf.reduce_sum(y)


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.exp(x)  # exponential
        z = tf.reduce_sum(tf.sqrt(y))  # root
    return tape.gradient(z, x)


X = tf.constant([1.0, 7.0])


def test_functions_that_agree(compared):
    found = compared(loss, X)
    assert found.agrees
    assert found.first is None
    assert found.ops == 4
    assert repr(found).startswith("The same as under TensorFlow 2.0-of-tests: 4 ops, results")


@pytest.mark.parametrize(
    ("fault", "op", "line"),
    [
        ("Sqrt", "tf.math.sqrt", "rooted"),
        ("AddV2", "tf.math.add", "sum of both"),
        ("Mul", "tf.math.multiply", "sum of both"),
    ],
)
def test_the_first_op_that_differs_is_named_with_its_line(compared, fault, op, line):
    found = compared(loss, X, fault=fault)
    assert not found.agrees
    assert (found.first.op, found.first.direction) == (op, "forward")
    assert found.first.line == f"{__file__}:{line_of(line)}"
    assert found.first.difference == pytest.approx(1 / 3, rel=1e-3)
    assert found.first.operands < 1e-6
    assert f"The first op that differs: {op}, at test_function_comparison.py:" in repr(found)
    assert fault in found.first.kernels


@pytest.mark.parametrize(
    ("fault", "op", "line", "direction"),
    [
        ("SqrtGrad", "tf.math.sqrt", "root", "backward"),
        ("ExpGrad", "tf.math.exp", "exponential", "backward"),
        ("Exp", "tf.math.exp", "exponential", "forward"),
    ],
)
def test_a_gradient_that_differs_names_the_op_that_it_is_of(compared, fault, op, line, direction):
    found = compared(gradient, X, fault=fault)
    assert not found.agrees
    assert (found.first.op, found.first.direction) == (op, direction)
    assert found.first.line.endswith(f":{line_of(line)}")
    assert ("the gradient of tf.math" in repr(found)) == (direction == "backward")


def test_what_functions_name_is_sent_with_them(compared):
    net = Scaled([2.0, 3.0])
    parts = {"more": [np.float32([1.0, 2.0]), (2.0, None, "text", 1j)]}

    def around(x):
        return net(x) + parts["more"][0]  # around

    assert compared(around, X).agrees
    found = compared(around, X, fault="AddV2")
    assert found.first.line.endswith(f":{line_of('scaled')}")
    assert compared(net, X).agrees
    assert compared(tf.function(around), X).agrees
    assert compared(lambda x: tf.sqrt(x) * FACTOR, X).agrees


def test_lines_are_those_of_the_function_that_is_compared(compared):
    """Programs that begin alike share what was recorded, and so the lines of it."""

    def one(x):
        return tf.sqrt(x) * 2.0  # one

    def other(x):
        return tf.sqrt(x) * 3.0  # other

    for f, line in ((one, "one"), (other, "other")):
        found = compared(f, X, fault="Mul")
        assert found.first.line.endswith(f":{line_of(line)}")


def test_variables_are_compared_after_the_call(compared):
    variable = tf.Variable([4.0, 9.0], name="state")

    def step(x):
        variable.assign_sub(rooted(x))
        return x

    found = compared(step, X, fault="Sqrt")
    (text,) = found.differences
    assert text.startswith(
        "variable state:0: here float32[2] 3, 6.35425, TensorFlow float32[2] 2.5"
    )
    assert found.first.op == "tf.math.sqrt"
    assert compared(step, X).agrees


def test_exceptions_are_compared(compared):
    def fails(x):
        if tf.__name__ == "tapefacade":
            return rooted(x)
        raise KeyError("no such key")

    found = compared(fails, X)
    assert "here no exception; TensorFlow KeyError at " in repr(found)
    assert "raise KeyError" in repr(found)

    def both(x):
        raise KeyError("no such key")

    found = compared(both, X)
    assert found.agrees
    assert "both raise KeyError at test_function_comparison.py:" in repr(found)


def test_what_cannot_be_sent_is_refused(compared, monkeypatch):
    file = open(os.devnull)  # noqa: SIM115
    try:
        with pytest.raises(TypeError, match=r"'file' \(of _io.TextIOWrapper\) cannot be sent"):
            compared(lambda x: file and x, X)
    finally:
        file.close()
    made = eval("lambda x: x")
    with pytest.raises(TypeError, match="its source is not to be found"):
        compared(made, X)
    with pytest.raises(ValueError, match="`backend` is 'tensorflow', the only one"):
        compared(loss, X, backend="torch")
    with pytest.raises(ValueError, match="`args` must be a list or tuple"):
        tf.debugging.compare(loss, X)
    with pytest.raises(RuntimeError, match="could not be made under TensorFlow: AttributeError"):
        compared(lambda x: KIND(x), X)
    monkeypatch.setattr(function_comparison, "tensorflow_version", lambda python: None)
    with pytest.raises(ModuleNotFoundError, match="TensorFlow is not installed for"):
        compared(loss, X)


KIND = tf.optimizers.LBFGS  # which TensorFlow does not have


def test_settings_are_left_as_they_were(compared):
    tf.random.set_seed(5)
    first = tf.random.uniform([2]).numpy()
    tf.random.set_seed(5)
    compared(loss, X)
    assert np.array_equal(tf.random.uniform([2]).numpy(), first)
    assert not tf.config.functions_run_eagerly()


def decorated_by(times):
    def decorator(f):
        def wrapper(x):
            return f(x) * times

        return wrapper

    return decorator


@decorated_by(2.0)
def doubled(x):
    return tf.sqrt(x)


def count_down(n):
    return n if n == 0 else count_down(n - 1)


def unpacked(f):
    """What arrives in the other process, if that has this package for TensorFlow."""
    import tempfile

    parcel = FunctionParcel(f, (), {}, None)
    with tempfile.TemporaryDirectory() as folder:
        parcel.write(folder)
        content = json.loads((pathlib.Path(folder) / "parcel.json").read_text())
        with np.load(pathlib.Path(folder) / "values.npz") as stored:
            values = dict(stored)
    with tf.install_as_tensorflow():
        return Parcel(content, values).unpacked(content["f"])


def test_functions_arrive_as_they_are():
    assert unpacked(doubled)(tf.constant(9.0)).numpy() == 6.0
    assert unpacked(count_down)(3) == 0
    assert unpacked(tf.function(count_down))(3) == 0
    code = unpacked(rooted).__code__
    assert (code.co_filename, code.co_firstlineno) == (
        inspect.getsourcefile(rooted), rooted.__code__.co_firstlineno,
    )  # fmt: skip
    assert unpacked(tf.sqrt) is tf.sqrt
    assert unpacked(Scaled([1.0]).__call__)(2.0).numpy() == 3.0
    assert unpacked(lambda: (slice(1, 2), {1: {2}}, b"x", tf.float32, np.float32(1)))()[1] == {
        1: {2}
    }


def test_models_of_keras_arrive_with_their_weights():
    pytest.importorskip("keras")
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    x = tf.ones([1, 3])
    wanted = model(x).numpy()

    def call(y):
        return model(y)

    assert np.array_equal(unpacked(call)(x).numpy(), wanted)


def test_long_values_are_compared_by_a_sample():
    assert sample(np.zeros(MAX_ELEMENTS * 3 + 5)).size <= MAX_ELEMENTS
    assert sample(np.zeros((2, 3))).size == 6
    content = {"source": "lambda x: x + a", "line": 7, "file": "f.py", "name": ""}
    assert run_definition(content, {}, [("a", 2)])(1) == 3


@pytest.mark.skipif(not HAS_TENSORFLOW, reason="compares with TensorFlow itself")
def test_with_tensorflow_itself():
    python = os.environ.get("TENSORFLOW_PYTHON", sys.executable)
    assert tf.debugging.compare(loss, [X], python=python).agrees
    assert tf.debugging.compare(gradient, [X], python=python).agrees

    def other(x):
        y = tf.cumsum(x, axis=0 if tf.__name__ == "tapefacade" else 1)  # other axis
        return tf.reduce_sum(tf.sqrt(y))

    found = tf.debugging.compare(other, [np.ones((2, 3), np.float32)], python=python)
    assert found.first.op == "tf.math.cumsum"
    assert found.first.line.endswith(f":{line_of('other axis')}")


def test_the_text_of_a_comparison_has_no_path_of_the_package(compared):
    found = compared(loss, X, fault="Sqrt")
    assert textwrap.dedent(repr(found)).count("tapefacade/") == 0
