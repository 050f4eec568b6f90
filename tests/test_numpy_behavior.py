"""Tensors that behave like NumPy's arrays against TensorFlow's stored answers, and the way back."""

import functools
import json
import math
import pathlib
from typing import Any

import numpy as np
import pytest
from cases_numpy_behavior import ARGUMENTS, TABLES, answers, expressions

import tapefacade as tf
from tapefacade._core.tensor import NUMPY_NAMES
from tapefacade._numpy.behaviour import ATTRIBUTES, undo

tnp = tf.experimental.numpy
GOLDENS = pathlib.Path(__file__).parent / "goldens" / "numpy_behavior.json"
COMMAND = "python tests/goldens/generate_numpy_behavior.py (in an environment with TensorFlow)"

# Where we differ on purpose, and why.
DIFFERENT = {
    # The dtypes of the vectors have nothing to do with each other.
    ("prefer_float32", "tnp.meshgrid([1, 2], [3.0])"),
}


@pytest.fixture(autouse=True)
def taken_back():
    yield
    undo()


@functools.cache
def goldens() -> dict[str, Any]:
    return json.loads(GOLDENS.read_text())


@functools.cache
def ours(mode: str) -> dict[str, Any]:
    tnp.experimental_enable_numpy_behavior(**ARGUMENTS[mode])
    return json.loads(json.dumps(answers(tf, mode)))


def same(got: Any, want: Any) -> bool:
    if isinstance(want, dict) and isinstance(got, dict):
        if list(want) == ["raises", "text"] == list(got):
            return got["raises"] == want["raises"] and got["text"].startswith(want["text"])
        return want.keys() == got.keys() and all(same(got[k], want[k]) for k in want)
    if isinstance(want, list) and isinstance(got, list):
        return len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, float) and isinstance(got, int | float):
        return math.isclose(got, want, rel_tol=2e-5, abs_tol=1e-6)
    return type(got) is type(want) and got == want


@pytest.mark.parametrize(
    ("mode", "text"), [(mode, text) for mode in TABLES for text in expressions(mode)]
)
def test_expression(mode, text):
    got, want = ours(mode)[text], goldens()[mode][text]
    assert same(got, want) != ((mode, text) in DIFFERENT), (
        f"\nTensorFlow: {want}\ntapefacade: {got}"
    )


def test_goldens_hold_these_expressions_and_no_others():
    stored = {mode: list(table) for mode, table in goldens().items()}
    assert stored == {mode: list(dict.fromkeys(expressions(mode))) for mode in TABLES}, COMMAND


def test_nothing_is_left_after_undo():
    before = {name: getattr(tf.constant(1).__class__, name, None) for name in ATTRIBUTES}
    tnp.experimental_enable_numpy_behavior(prefer_float32=True)
    assert tf.constant([1, 2]).T.dtype == tf.int32
    undo()
    assert before == {name: getattr(tf.constant(1).__class__, name, None) for name in ATTRIBUTES}
    assert tnp.asarray(1.5).dtype == tf.float64
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a int32 tensor"):
        tf.constant(1) + tf.constant(1.0)


@pytest.mark.parametrize("name", sorted(NUMPY_NAMES))
def test_the_error_without_it_names_the_call(name):
    with pytest.raises(AttributeError, match="experimental_enable_numpy_behavior"):
        getattr(tf.constant(1.0), name)
    tnp.experimental_enable_numpy_behavior()
    assert hasattr(tf.constant(1.0), name)


def test_modes():
    with pytest.raises(ValueError, match="The provided promotion mode foo does not exist"):
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="foo")
    for mode in ("safe", "all"):
        with pytest.raises(ValueError, match="no weakly typed tensors"):
            tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
    assert not hasattr(tf.constant(1.0), "T")


def test_the_last_call_counts():
    tnp.experimental_enable_numpy_behavior()
    assert (tf.constant(1) + 1.5).dtype == tf.float64
    tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="off")
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(1) + 1.5


def test_a_position_out_of_range_in_one_of_two_dimensions_is_an_error():
    """TensorFlow adds the positions up first, and takes another element."""
    tnp.experimental_enable_numpy_behavior()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 3 is not in \[0, 4"):
        tf.constant([[1.0, 2.0], [3.0, 4.0]])[[0], [3]].numpy()


@pytest.mark.parametrize("name", ["around", "round"])
def test_rounding_without_the_behaviour(name):
    """TensorFlow's own fail then, for they ask the tensor for an attribute it does not have."""
    np.testing.assert_allclose(getattr(tnp, name)([2.567, 1.25], 1), [2.6, 1.2], rtol=1e-15)


def test_a_seed_repeats_the_numbers():
    tnp.random.seed(7)
    first = tnp.random.randn(3).numpy()
    tnp.random.seed(7)
    assert (tnp.random.randn(3).numpy() == first).all()


def test_draws_lie_within_their_limits():
    draws = tnp.random.randint(2, 5, [200]).numpy()
    assert set(draws) == {2, 3, 4}
    uniform = tnp.random.uniform([0.0, 10.0], [1.0, 20.0], [100, 2]).numpy()
    assert (uniform >= [0.0, 10.0]).all()
    assert (uniform < [1.0, 20.0]).all()


def test_an_integer_that_no_dtype_holds():
    with pytest.raises(ValueError, match="out-of-range integer"):
        tnp.asarray(2**70)


VARIABLES = {
    "matmul": lambda v: tnp.matmul(v, v),
    "dot": lambda v: tnp.dot(v, [1.0, 2.0]),
    "einsum": lambda v: tnp.einsum("ij,jk->", v, v),
    "tensordot": lambda v: tnp.tensordot(v, v),
    "kron": lambda v: tnp.kron(v, v),
    "sum": lambda v: tnp.sum(v, 0),
    "cumsum": tnp.cumsum,
    "average": lambda v: tnp.average(v, weights=v),
    "nanmean": tnp.nanmean,
    "reshape": lambda v: tnp.reshape(v, 4, "F"),
    "transpose": tnp.transpose,
    "moveaxis": lambda v: tnp.moveaxis(v, 0, 1),
    "concatenate": lambda v: tnp.concatenate([v, v]),
    "stack": lambda v: tnp.stack([v, v], 1),
    "hstack": lambda v: tnp.hstack([v, v])[:, 0],
    "split": lambda v: tnp.split(v, [1])[0],
    "flip": tnp.flip,
    "where": lambda v: tnp.where(v > 1, v, 0.0),
    "take": lambda v: tnp.take(v, [3, 0]),
    "diag": tnp.diag,
    "tril": tnp.tril,
    "maximum": lambda v: tnp.maximum(v, 2),
    "sqrt": tnp.sqrt,
    "clip": lambda v: tnp.clip(v, 2, 3),
    "diff": tnp.diff,
    "asarray": tnp.asarray,
    "linspace": lambda v: tnp.linspace(v, 5.0, 3),
}


@pytest.mark.parametrize("name", VARIABLES)
def test_variables_are_values_with_a_gradient(name):
    function, values = VARIABLES[name], np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    found = []
    for source in (tf.Variable(values), tf.constant(values)):
        with tf.GradientTape() as tape:
            tape.watch(source)
            value = function(source)
        found.append((value, tape.gradient(value, source)))
    for got, want in zip(*found, strict=True):
        np.testing.assert_array_equal(got, want)


def test_constants_and_types():
    assert tnp.newaxis is None
    assert tnp.pi == math.pi
    assert tnp.e == math.e
    assert tnp.inf == math.inf
    assert tnp.float32 is np.float32
    assert tnp.complex_ is np.complex128
    assert tnp.iinfo(tnp.int8).max == 127
    assert isinstance(tf.constant(1), tnp.ndarray)
