"""Element-wise functions of ragged tensors: they work on the flat values."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tapefacade._core.dispatch import handles
from tapefacade._core.registry import FUNCTIONS
from tapefacade._definition.facts import Facts, for_each
from tapefacade._ragged.broadcasting import combined
from tapefacade._ragged.tensor import RaggedTensor

# TensorFlow takes no ragged tensors of these, although they are element-wise.
NOT_RAGGED = {"_complex", "math.igamma", "math.igammac", "math.polygamma"}


@functools.cache
def _parameters(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


def taken(function: Any, count: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Takes the first arguments of a call out of it, however they were given.

    Args:
        function: what was called.
        count: how many arguments.
        args: the positional arguments.
        kwargs: the keyword arguments, without those that are taken afterwards.
    """
    names = _parameters(function)[:count]
    return [args[i] if i < len(args) else kwargs.pop(n) for i, n in enumerate(names)]


def _unary(name: str) -> Callable[..., Any]:
    def handler(*args: Any, **kwargs: Any) -> Any:
        function = FUNCTIONS[name]
        (value,) = taken(function, 1, args, kwargs)
        if not isinstance(value, RaggedTensor):
            return NotImplemented
        return value.with_flat_values(function(value.flat_values, *args[1:], **kwargs))

    return handler


def _binary(name: str) -> Callable[..., Any]:
    def handler(*args: Any, **kwargs: Any) -> Any:
        function = FUNCTIONS[name]
        x, y = taken(function, 2, args, kwargs)
        return combined(x, y, lambda a, b: function(a, b, *args[2:], **kwargs))

    return handler


@for_each
def _take_ragged(path: str, facts: Facts) -> None:
    """Has an element-wise function take ragged tensors."""
    if facts.elementwise == 1:
        handles(RaggedTensor, path)(_unary(path))
    elif facts.elementwise == 2 and path not in NOT_RAGGED:
        handles(RaggedTensor, path)(_binary(path))
