"""Every public name of TensorFlow is there, or its absence has a reason and advice."""

import inspect
import json
import operator
import pathlib
import re

import pytest

import tapefacade as tf
from tapefacade._core.missing_names import HINTS, hint_for, missing_message

NAMES = json.loads((pathlib.Path(__file__).parent / "goldens" / "names.json").read_text())
OLDER_NAMES = json.loads((pathlib.Path(__file__).parent / "goldens" / "names_v1.json").read_text())
# Parameters of TensorFlow's that are not there; what is more than TensorFlow has is allowed.
FEWER_PARAMETERS = {
    "tf.data.experimental.parallel_interleave": "those of Dataset.interleave",
}


def namespace(path):
    try:
        return operator.attrgetter(path.removeprefix("tf."))(tf) if path != "tf" else tf
    except (AttributeError, ImportError):
        return None


def is_there(path, name):
    held = namespace(path)
    return held is not None and (name in dir(held) or hasattr(held, name))


@pytest.mark.parametrize("path", NAMES)
def test_what_is_missing_has_advice(path):
    missing = [name for name in NAMES[path] if not is_there(path, name)]
    unexplained = [name for name in missing if not hint_for(f"{path}.{name}")]
    assert not unexplained


@pytest.mark.parametrize("path", NAMES)
def test_missing_names_raise_with_advice(path):
    for name in NAMES[path]:
        held = namespace(path)
        if held is None or is_there(path, name):
            continue
        with pytest.raises(AttributeError) as caught:
            getattr(held, name)
        assert hint_for(f"{path}.{name}") in str(caught.value)
        assert not hasattr(held, name)  # as programs ask before they use it
        assert name not in dir(held)
        with pytest.raises(ImportError) as caught:
            exec(f"from {held.__name__} import {name}")
        assert hint_for(f"{path}.{name}") in str(caught.value)


@pytest.mark.parametrize("path", [path for path in NAMES if path != "tf.raw_ops"])
def test_parameters(path):
    different = {}
    for name, wanted in NAMES[path].items():
        full = f"{path}.{name}"
        if not isinstance(wanted, list) or not is_there(path, name) or full in FEWER_PARAMETERS:
            continue
        try:
            own = list(inspect.signature(getattr(namespace(path), name)).parameters)
        except (TypeError, ValueError):
            continue
        if wanted != ["args", "kwargs"] and [p for p in own if p in wanted] != wanted:
            different[full] = wanted, own
    assert not different


def test_advice_is_about_what_is_missing():
    there = []
    for path in HINTS:
        outer, _, name = path.rpartition(".")
        if name in NAMES.get(outer, ()) and is_there(outer, name):
            there.append(path)
    # A namespace may be there and lack most of what TensorFlow has in it.
    assert not [path for path in there if path not in NAMES]


@pytest.mark.parametrize("path", OLDER_NAMES)
def test_older_names_have_advice(path):
    held = namespace(path)
    for name in OLDER_NAMES[path]:
        if held is None:
            assert hint_for(path) or namespace(path.replace("compat.v1.", "")) is not None
        elif not is_there(path, name):
            text = missing_message(held.__name__, name)
            assert hint_for(f"{path}.{name}") or re.search(rf"has is `[\w.]*\b{name}`", text), text


MEMBERS = {
    "Write `strategy.run`.": lambda: tf.distribute.get_strategy().experimental_run,
    "There are no graphs": lambda: tf.SparseTensor([[0]], [1], [1]).op,
    "Hand the queue itself on": lambda: tf.queue.FIFOQueue(1, tf.int32).queue_ref,
    "Differentiate with": lambda: tf.TensorArray(tf.float32, 1).grad,
    "It belongs to TensorFlow's tracing": lambda: tf.TensorSpec([]).placeholder_value,
    "pickle it, or write what makes it": lambda: tf.float32.experimental_as_proto,
    "Write `as_list": lambda: tf.TensorShape([1]).as_proto,
    "Write `assign`": lambda: tf.Variable(1.0).load,
    "There is no resource behind a variable": lambda: tf.Variable(1.0).handle,
    "structured_input_signature": lambda: tf.function(abs).function_type,
    "Read `element_spec`": lambda: iter(tf.data.Dataset.range(1)).output_types,
    "has no attribute 'other'$": lambda: tf.SparseTensor([[0]], [1], [1]).other,
}


@pytest.mark.parametrize(("text", "member"), MEMBERS.items())
def test_members_that_are_missing_say_what_to_write(text, member):
    with pytest.raises(AttributeError, match=text):
        member()
