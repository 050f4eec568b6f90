"""The members of TensorFlow's classes are there, or their absence has advice."""

import functools
import inspect
import json
import operator
import pathlib
import re

import pytest

import tapefacade as tf

MEMBERS = json.loads(
    (pathlib.Path(__file__).parent / "goldens" / "public_members.json").read_text(encoding="utf-8")
)


OF_OBJECTS = {
    tf.Tensor: type(tf.constant(1)),
    tf.types.experimental.PolymorphicFunction: type(tf.function(abs)),
}


def class_at(path):
    """Our class, or None; that of the objects where it is a base only."""
    try:
        kind = operator.attrgetter(path.removeprefix("tf."))(tf)
    except (AttributeError, ImportError):
        return None
    return OF_OBJECTS.get(kind, kind)


CLASSES = {path: class_at(path) for path in MEMBERS}
CLASSES = {
    path: kind
    for path, kind in CLASSES.items()
    if isinstance(kind, type) and not hasattr(kind, "DESCRIPTOR")  # those of protobuf's
}
# Parameters of TensorFlow's that a method lacks.
FEWER_PARAMETERS = {
    "tf.TensorArraySpec.is_compatible_with": "named as in the base class",
}
of_all_classes = pytest.mark.parametrize("path", CLASSES)


@functools.cache
def assigned(kind):
    """The attributes that the methods of a class assign."""
    own = kind.__module__.startswith("tapefacade")
    return set(re.findall(r"self\.(\w+)\b[^=\n]*=[^=]", inspect.getsource(kind))) if own else set()


def has(kind, name):
    """Whether objects of a class have a member; some are made to see."""
    if hasattr(kind, name):
        return True
    if kind.__name__.endswith("Options"):
        return hasattr(kind(), name)
    annotated = any(name in vars(one).get("__annotations__", ()) for one in kind.__mro__)
    return annotated or any(name in assigned(one) for one in kind.__mro__)


@of_all_classes
def test_members_that_are_missing_have_advice(path):
    kind = CLASSES[path]
    advice = getattr(kind, "_lacking", {})
    assert not [name for name in MEMBERS[path] if name not in advice and not has(kind, name)]


@of_all_classes
def test_parameters_of_methods(path):
    kind, different = CLASSES[path], {}
    for name, wanted in MEMBERS[path].items():
        full = f"{path}.{name}"
        if wanted is None or not hasattr(kind, name) or full in FEWER_PARAMETERS:
            continue
        try:
            own = list(inspect.signature(getattr(kind, name)).parameters)
        except (TypeError, ValueError):
            continue
        wanted = [parameter.lstrip("*") for parameter in wanted.split()]
        if {"args", "kwargs"} <= {*wanted, *own}:
            continue
        if [parameter for parameter in own if parameter in wanted] != wanted:
            different[full] = wanted, own
    assert not different


def test_advice_is_about_what_is_missing():
    held = {
        path: [name for name in getattr(kind, "_lacking", ()) if name in vars(kind)]
        for path, kind in CLASSES.items()
    }
    assert not {path: names for path, names in held.items() if names}
