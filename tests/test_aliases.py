"""The names of older versions: every one is there, and is what it was."""

import importlib
import logging
import pydoc
import sys

import pytest

import tapefacade as tf

MODULES = [name for name in sys.modules if f"{name}.".startswith("tapefacade.compat.v1.")]


@pytest.mark.parametrize("name", MODULES)
def test_every_name_is_there(name):
    module = importlib.import_module(name)
    assert dir(module)
    for public in dir(module):
        assert hasattr(module, public)


def test_namespaces_are_modules_that_can_be_imported():
    import tapefacade.compat.v1.nn as nn
    from tapefacade.compat.v1.math import special

    assert nn is tf.compat.v1.nn
    assert special.dawsn is tf.math.special.dawsn
    assert len(MODULES) > 50
    assert "Names of older versions: `tf.compat.v1.nn`." in pydoc.plain(pydoc.render_doc(nn))
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'tapefacade.compat.v1.quux'"):
        importlib.import_module("tapefacade.compat.v1.quux")


def test_a_namespace_shows_what_tf_has_but_for_exceptions():
    assert {name for name in dir(tf.math) if name[0] != "_"} <= set(dir(tf.compat.v1.math))
    assert "undo_keras" not in dir(tf.compat.v1)  # no name of TensorFlow 1
    assert not hasattr(tf.compat.v1, "autodiff")  # a module is no other name of one
    assert tf.compat.v1.nn.conv2d is not tf.nn.conv2d  # it has other arguments


def test_aliases_are_the_functions_themselves():
    assert tf.compat.v1.math.abs is tf.math.abs
    assert tf.compat.v1.log is tf.math.log
    assert tf.compat.v1.nn.relu is tf.nn.relu
    assert "abs" in dir(tf.compat.v1)


def test_unknown_names_say_what_there_is():
    with pytest.raises(AttributeError, match=r"tapefacade has no `tf.compat.v1.math.logg`"):
        _ = tf.compat.v1.math.logg
    with pytest.raises(ImportError, match="tapefacade has no"):
        exec("from tapefacade.compat.v1 import quux")


class Kept(logging.Handler):
    """Keeps what is logged."""

    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)


def test_older_logging(monkeypatch):
    older, kept = tf.compat.v1.logging, Kept()
    # A handler of its own: other tests change whether the logger propagates.
    monkeypatch.setattr(tf.get_logger(), "handlers", [kept])
    monkeypatch.setattr(tf.get_logger(), "propagate", False)
    before = older.get_verbosity()
    try:
        older.set_verbosity(older.INFO)
        older.debug("not shown")
        older.info("step %d", 1)
        older.warn("careful")
        older.warning("careful")
        older.error("wrong")
        older.fatal("very wrong")
        older.log(older.INFO, "logged")
        older.vlog(older.DEBUG, "not shown")
        older.log_if(older.INFO, "not shown", False)
        for number in range(5):
            older.log_every_n(older.INFO, "every %d", 2, number)
            older.log_first_n(older.INFO, "first %d", 2, number)
        older.flush()
    finally:
        older.set_verbosity(before)
    assert [r.getMessage() for r in kept.records] == [
        "step 1", "careful", "careful", "wrong", "very wrong", "logged",
        "every 0", "first 0", "first 1", "every 2", "every 4",
    ]  # fmt: skip
    assert kept.records[0].levelname == "INFO"


def test_what_is_left_of_graphs_says_what_to_do():
    with pytest.raises(RuntimeError, match=r"call `numpy\(\)` instead of `run`"):
        tf.compat.v1.Session()
    with pytest.raises(RuntimeError, match=r"Nodes of graphs cannot be made"):
        tf.Operation()


def test_sparse_tensors_of_values_of_tensorflow_1():
    value = tf.compat.v1.SparseTensorValue([[0], [1]], [1.0, 2.0], [3])
    assert tf.sparse.to_dense(tf.SparseTensor.from_value(value)).numpy().tolist() == [1.0, 2.0, 0.0]
