"""`tensorflow.python.trackable`: what an attribute of a module is to its checkpoints.

A `tf.Module` finds variables in the lists and dictionaries that its attributes hold, as they are:
nothing is wrapped, so nothing has to be unwrapped.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class TrackableReference(NamedTuple):
    """What an object holds, by the name that checkpoints know it by.

    Attributes:
        name: the name.
        ref: the object.
    """

    name: str
    ref: Any


class NoDependency:
    """Marks the value of an attribute that checkpoints leave out; `value` is the value."""

    def __init__(self, value: Any) -> None:
        self.value = value


class TrackableDataStructure:
    """What `isinstance` asks for the wrappers of TensorFlow: there are none."""


def wrap_or_unwrap(value: Any) -> Any:
    """Returns a value as it is, without a `NoDependency` around it."""
    return value.value if isinstance(value, NoDependency) else value


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """Returns what an attribute is set to: the value itself.

    Args:
        trackable: the object.
        name: the attribute.
        value: the value, maybe a `NoDependency`.
    """
    return wrap_or_unwrap(value)


def no_automatic_dependency_tracking(method: F) -> F:
    """Returns the method: attributes are looked at when a checkpoint is written, not when set."""
    return method


@contextlib.contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """A block of assignments; attributes are looked at when a checkpoint is written."""
    yield
