"""`tensorflow.python.trackable`: what an attribute of a module is to its checkpoints.

A `tf.Module` finds variables in the lists and dictionaries that its attributes hold, as they are:
nothing is wrapped, so nothing has to be unwrapped.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from tapefacade._checkpoint.tracking import TrackableReference as TrackableReference

F = TypeVar("F", bound=Callable[..., Any])


class NoDependency:
    """Returns a value as it is: TensorFlow marks so what no wrapper is to be put around.

    >>> NoDependency([1])
    [1]
    """

    def __new__(cls, value: Any) -> Any:
        return value


class TrackableDataStructure:
    """What `isinstance` asks for the wrappers of TensorFlow: there are none."""


def wrap_or_unwrap(value: Any) -> Any:
    """Returns a value as it is: there are no wrappers."""
    return value


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """Returns what an attribute is set to: the value itself.

    Args:
        trackable: the object.
        name: the attribute.
        value: the value.
    """
    return value


def no_automatic_dependency_tracking(method: F) -> F:
    """Returns the method: attributes are looked at when a checkpoint is written, not when set."""
    return method


@contextlib.contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """A block of assignments; attributes are looked at when a checkpoint is written."""
    yield
