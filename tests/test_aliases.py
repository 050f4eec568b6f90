"""The names of older versions: every one is there, and is what it was."""

import importlib
import pkgutil

import pytest

import tapefacade as tf
import tapefacade.compat.v1

MODULES = ["tapefacade.compat.v1"] + [
    module.name
    for module in pkgutil.walk_packages(tapefacade.compat.v1.__path__, "tapefacade.compat.v1.")
]


@pytest.mark.parametrize("name", MODULES)
def test_every_name_is_there(name):
    module = importlib.import_module(name)
    assert dir(module)
    for public in dir(module):
        assert hasattr(module, public)


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
