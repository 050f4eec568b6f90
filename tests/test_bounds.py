"""What is kept of programs is bounded, and what is dropped comes back by itself."""

import gc
import sys
import tracemalloc

import numpy as np
import pytest
from steps import counted, settle

import tapefacade as tf
from tapefacade._core import interned_objects
from tapefacade._definition import op as op_module
from tapefacade._trace import executables, execution, tree
from tapefacade._trace.garbage_collection import no_collection
from tapefacade._trace.recording import THREAD


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
    monkeypatch.setattr(execution, "EXECUTABLES", found)
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
    ("module", "name"), [(interned_objects, "MAX_OBJECTS_OF_A_KIND"), (op_module, "MAX_INFERRED")]
)
def test_other_caches_may_be_emptied_at_any_time(v, monkeypatch, module, name):
    want = step(v, 5)
    monkeypatch.setattr(module, name, 0)
    np.testing.assert_array_equal(step(v, 5), want)
    np.testing.assert_array_equal(step(v, 6).shape, want.shape)
    np.testing.assert_array_equal(step(v, 5), want)


def chain(length):
    """Records a chain that nobody wants the end of."""
    y = tf.constant(2.0)
    for _ in range(length):
        y = tf.tanh(y)


def nodes():
    return sum(type(found) is tree.Node for found in gc.get_objects())


def lines(op, argument):
    """The lines of the package that a call runs, those in a loop each time."""
    ran = []

    def trace(frame, event, _):
        if event == "line" and frame.f_code.co_filename.startswith(tree.PACKAGE):
            ran.append((frame.f_code.co_name, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        op(argument)
    finally:
        sys.settrace(before)
    return ran


@pytest.mark.alone
def test_recording_an_op_costs_the_same_at_any_depth(monkeypatch):
    # No walk over what was recorded before: the lines that run are compared, loops and all.
    monkeypatch.setattr(tree, "MAX_NODES", 10**6)
    settle()
    x, rows, v = tf.constant(2.0), tf.constant([1.0, 2.0]), tf.Variable(0.5)

    ops = {
        "tensor": lambda y: tf.tanh(y),
        "two tensors": lambda y: y + x,
        "Python number": lambda y: y * 0.3,
        "static parameters": lambda y: tf.reshape(y, (1, 1)),
        "list": lambda y: tf.stack([y, y]),
        "new leaf": lambda y: y + tf.constant(3.0),
        "read": lambda y: y + v,
        "assignment": lambda y: v.assign_add(x),
        "check": lambda y: tf.gather(rows, tf.cast(y, tf.int32)),
    }

    def recorded(depths):
        found = []
        with tf.GradientTape():
            y = x
            for depth in depths:
                while THREAD.recording.at.depth < depth:
                    y = tf.sin(y)
                found.append({name: lines(op, y) for name, op in ops.items()})
        return found

    depths = (20, 150, 50_000)  # at the first some caches are filled; none is a multiple of 256
    with counted() as count, no_collection():  # the collector would call what is none of an op's
        _, near, far = recorded(depths)
    assert count.recorded > 50_000
    assert near == far
    THREAD.recording.effects.clear()
    settle()
    with counted() as count, no_collection():
        _, near_again, far_again = recorded(depths)
    assert count.recorded == 0
    assert near_again == far_again
    assert all(len(near_again[name]) <= len(near[name]) for name in ops)
    THREAD.recording.effects.clear()
    settle()


def test_a_new_instruction_takes_little_memory():
    settle()
    chain(200)  # what exists once
    settle()
    with tf.GradientTape():
        chain(1000)
        tracemalloc.start()
        try:
            chain(10_000)
            taken, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert taken / 10_000 < 750  # bytes


def test_a_dropped_tree_is_freed_without_the_garbage_collector(monkeypatch):
    settle()
    gc.collect()
    gc.disable()
    try:
        with tf.GradientTape():
            chain(3000)
        grown = nodes()
        monkeypatch.setattr(tree, "MAX_NODES", 0)
        settle()  # the next recording starts in a new tree
        chain(1)
        settle()
        assert nodes() < grown - 2900
    finally:
        gc.enable()


def test_functions_that_ran_once_go_before_those_that_run_again_and_again(v, monkeypatch):
    found = executables._Executables()
    monkeypatch.setattr(executables, "EXECUTABLES", found)
    monkeypatch.setattr(execution, "EXECUTABLES", found)
    monkeypatch.setattr(executables, "MAX_FLEETING_EXECUTABLES", 4)
    monkeypatch.setattr(executables, "MAX_DISPATCHES_OF_FLEETING", 8)
    for length in (41, 42, 43):
        step(v, length)
    for _ in range(9):
        for length in (41, 42, 43):
            step(v, length)  # these are no longer fleeting
    for length in range(51, 61):
        step(v, length)
        assert len(found._found) <= 3 + 4
    with counted() as count:
        for length in (41, 42, 43, 60, 59):
            step(v, length)
    assert count.compiled == 0
    with counted() as count:
        step(v, 51)
    assert count.compiled == 1


def test_the_tree_forgets_when_it_holds_many_programs(v, monkeypatch):
    monkeypatch.setattr(tree, "MAX_PROGRAMS", 10)
    want, held = step(v, 5), []
    for length in range(71, 95):
        step(v, length)
        held.append(tree.TREE.programs)
    assert max(held) <= 10 + 8
    with counted() as count:
        np.testing.assert_array_equal(step(v, 5), want)
    assert count.compiled == 0  # what it forgets is no compiled function
