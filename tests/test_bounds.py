"""What is kept of programs is bounded, and what is dropped comes back by itself."""

import numpy as np
import pytest
from steps import counted, settle

import tapefacade as tf
from tapefacade._ops import op as op_module
from tapefacade._tape import derivative
from tapefacade._trace import executables, running, tree


def step(v, length):
    """A program that differs for every length."""
    with tf.GradientTape() as tape:
        y = v
        for _ in range(length):
            y = tf.sin(y) + 0.5
        loss = tf.reduce_sum(y)
    return tape.gradient(loss, v).numpy()


@pytest.fixture
def v():
    settle()
    return tf.Variable([0.1, 0.2])


def test_a_full_tree_is_dropped_and_nothing_compiles_again(v, monkeypatch):
    before = step(v, 3)
    monkeypatch.setattr(tree, "MAX_NODES", 20)
    for length in range(4, 9):
        step(v, length)
    settle()
    assert tree.TREE.size <= 20 + 60  # what the recordings since the last drop have added
    with counted() as count:
        after = step(v, 3)
    assert count.compiled == 0
    np.testing.assert_array_equal(before, after)


def test_the_tree_forgets_programs_that_never_repeat(v, monkeypatch):
    monkeypatch.setattr(tree, "MAX_NODES", 100)
    sizes = []
    for length in range(1, 25):
        tf.sin(tf.ones([length])).numpy()
        sizes.append(tree.TREE.size)
    assert max(sizes) < 100 + 20


def test_compiled_functions_are_bounded_the_least_recently_used_goes_first(v, monkeypatch):
    found = executables._Executables()
    monkeypatch.setattr(executables, "EXECUTABLES", found)
    monkeypatch.setattr(running, "EXECUTABLES", found)
    monkeypatch.setattr(executables, "MAX_EXECUTABLES", 3)
    kept = step(v, 30)  # lengths that no other test has asked for
    for length in range(31, 37):
        step(v, length)
        step(v, 30)
        assert len(found._found) <= 3
    with counted() as count:
        np.testing.assert_array_equal(step(v, 30), kept)
    assert count.compiled == 0
    with counted() as count:
        step(v, 31)
    assert count.compiled == 1  # it was dropped, and is made anew
    assert len(found._found) <= 3


@pytest.mark.parametrize(
    ("module", "name"), [(derivative, "MAX_DERIVATIVES"), (op_module, "MAX_INFERRED")]
)
def test_other_caches_may_be_emptied_at_any_time(v, monkeypatch, module, name):
    want = step(v, 5)
    monkeypatch.setattr(module, name, 0)
    np.testing.assert_array_equal(step(v, 5), want)
    np.testing.assert_array_equal(step(v, 6).shape, want.shape)
    np.testing.assert_array_equal(step(v, 5), want)
