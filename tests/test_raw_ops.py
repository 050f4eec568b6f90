"""The raw ops: each calls its public function, with TensorFlow's names of the arguments."""

import inspect
import operator

import numpy as np
import pytest
from cases import CASES
from cases.answer import taken_apart
from cases.case import tensors

import tapefacade as tf
from tapefacade._compat.raw_ops import raw_ops
from tapefacade._core.registry import FUNCTIONS

TABLE = raw_ops()
NAMES = sorted(TABLE)


@pytest.mark.parametrize("name", NAMES)
def test_arguments_are_those_of_the_function(name):
    raw = TABLE[name]
    known = inspect.signature(FUNCTIONS[raw.path]).parameters
    assert set(raw.ours.values()) <= set(known)
    assert set(raw.defaults) <= set(raw.ours)
    assert getattr(tf.raw_ops, name).__doc__.startswith(f"Calls `tf.{raw.path}`")


def rows():
    """For each raw op with names of its own the first row of the function that it can express."""
    for name in NAMES:
        raw = TABLE[name]
        if all(own == key for key, own in raw.ours.items()):
            continue
        theirs = {own: key for key, own in raw.ours.items()}
        for case in CASES:
            if (
                case.raises
                or not case.values
                or FUNCTIONS.get(case.path) is not FUNCTIONS[raw.path]
            ):
                continue
            named = dict(
                zip(inspect.signature(FUNCTIONS[raw.path]).parameters, case.inputs, strict=False)
            )
            given = {*named, *case.static}
            optional = {raw.ours[key] for key in raw.defaults}
            if given <= set(theirs) and set(theirs) - optional <= given:
                yield pytest.param(name, case, theirs, id=name)
                break


@pytest.mark.parametrize(("name", "case", "theirs"), list(rows()))
def test_result_is_that_of_the_function(name, case, theirs):
    arguments, _ = tensors(tf, case)
    names = list(inspect.signature(FUNCTIONS[TABLE[name].path]).parameters)
    named = dict(zip(names, arguments, strict=False)) | case.static
    _, got = taken_apart(tf, getattr(tf.raw_ops, name)(**{theirs[k]: v for k, v in named.items()}))
    _, want = taken_apart(tf, operator.attrgetter(case.path)(tf)(*arguments, **case.static))
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g.numpy(), w.numpy())


def test_calls_that_are_refused():
    with pytest.raises(TypeError, match="abs only takes keyword args"):
        tf.raw_ops.Abs([1.0])
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        tf.raw_ops.Abs(x=1.0, y=2.0)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        tf.raw_ops.Abs()
    with pytest.raises(AttributeError, match=r"no `tf.raw_ops.Quux`"):
        _ = tf.raw_ops.Quux
    assert "MatMul" in dir(tf.raw_ops)


def test_gradient_flows():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.raw_ops.Mul(x=v, y=v)
    assert tape.gradient(y, v).numpy() == 6.0
