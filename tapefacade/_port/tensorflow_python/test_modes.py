"""Decorators of `tensorflow.python.framework.test_util`: tests run once, as there are no graphs."""

from collections.abc import Callable
from typing import Any


def run_in_graph_and_eager_modes(
    func: Callable[..., Any] | None = None, *args: Any, **kwargs: Any
) -> Any:
    """Returns a test as it is, also for a call with options.

    Args:
        func: the test; None for a call that returns the decorator.
        *args: ignored.
        **kwargs: ignored.

    >>> run_in_graph_and_eager_modes()(len) is run_in_graph_and_eager_modes(len) is len
    True
    """
    return func if func is not None else run_in_graph_and_eager_modes


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Returns a class of tests as it is.

    Args:
        cls: the class.

    >>> run_all_in_graph_and_eager_modes(int)
    <class 'int'>
    """
    return cls


run_v2_only = run_in_graph_and_eager_modes
