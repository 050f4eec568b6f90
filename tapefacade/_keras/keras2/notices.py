"""How spellings of Keras 2 are reported: one notice for each, or an error that says what to do."""

import functools
import importlib
import inspect
import sys
from collections.abc import Callable
from typing import Any

from tapefacade._core.logging import get_logger

_NOTICES_GIVEN: set[str] = set()


class RefusedError(TypeError, ValueError, AttributeError):
    """Something of Keras 2 that cannot be done; the message says what to do instead."""


def notice(spelling: str, today: str) -> None:
    """Says that a spelling is one of Keras 2, once in a process.

    Args:
        spelling: what the program wrote.
        today: what is written in Keras 3.
    """
    if spelling not in _NOTICES_GIVEN:
        _NOTICES_GIVEN.add(spelling)
        get_logger().warning("%s is Keras 2; write %s.", spelling, today)


def refusal(spelling: str, instead: str) -> RefusedError:
    """Makes the error for what cannot be done.

    Args:
        spelling: what the program wrote.
        instead: what to do.
    """
    return RefusedError(f"{spelling} is Keras 2 and has no counterpart in Keras 3: {instead}")


class Attribute:
    """An attribute that objects of Keras 2 had; what an instance sets itself goes before it.

    Keras does not see it: it asks for some of them to tell kinds of layers apart.
    """

    def __init__(self, name: str, today: str, get: Callable[[Any], Any]) -> None:
        self._name = name
        self._today = today
        self._get = get

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        if sys._getframe(1).f_globals.get("__name__", "").startswith("keras."):
            raise AttributeError(f"{owner.__name__!r} object has no attribute {self._name!r}")
        value = self._get(instance)
        notice(f"{owner.__name__}.{self._name}", self._today)
        return value


def like(original: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a function the name, text and signature of the one it takes the place of.

    Keras looks at the signatures of constructors.

    Args:
        original: that one.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        made = functools.wraps(original)(function)
        made.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]
        return made

    return decorate


def renamed_method(old: str, new: Callable[..., Any], today: str) -> Callable[..., Any]:
    """Makes a method or function of an older name.

    Args:
        old: the spelling, for the notice.
        new: what is called.
        today: what to write.
    """

    def function(*args: Any, **kwargs: Any) -> Any:
        notice(old, today)
        return new(*args, **kwargs)

    function.__name__ = old.rpartition(".")[2].strip("()")
    function.__doc__ = f"Does what `{today}` does, under its name in Keras 2."
    return function


def source(name: str) -> Any:
    """Returns a module of Keras's sources."""
    return importlib.import_module(f"keras.src.{name}")
