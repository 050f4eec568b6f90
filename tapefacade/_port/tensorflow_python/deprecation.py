"""`tensorflow.python.util.deprecation`: functions and arguments that a library will drop."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from tapefacade._core.error_texts import MESSAGE_BOTH
from tapefacade._core.logging import get_logger
from tapefacade._port.tensorflow_python.decorators import make_decorator
from tapefacade._port.tensorflow_python.inspection import getfullargspec

T = TypeVar("T")
_silent = False
_said: set[Any] = set()
MESSAGE_FUNCTION = (
    "%s (from %s) is deprecated and will be removed %s.\nInstructions for updating:\n%s"
)
MESSAGE_ARGUMENT = (
    "calling %s (from %s) with %s is deprecated and will be removed %s.\n"
    "Instructions for updating:\n%s"
)
MESSAGE_ALIAS = "The name %s is deprecated. Please use %s instead.\n"


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Has nothing said about what is deprecated, while the context is entered."""
    global _silent
    before, _silent = _silent, True
    try:
        yield
    finally:
        _silent = before


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[T], T]:
    """Makes a decorator for a function or class that will be dropped: a warning says so.

    Args:
        date: when, as "2026-12-31"; None for an unknown date.
        instructions: what to write instead.
        warn_once: says so only once.

    Returns:
        The decorator.
    """
    _check(date, instructions)

    def decorate(func_or_class: Any) -> Any:
        function = func_or_class.__init__ if isinstance(func_or_class, type) else func_or_class
        name = getattr(func_or_class, "__qualname__", str(func_or_class))

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            _say(
                (func_or_class,) if warn_once else None,
                MESSAGE_FUNCTION,
                name, func_or_class.__module__, _when(date), instructions,
            )  # fmt: skip
            return function(*args, **kwargs)

        if isinstance(func_or_class, type):
            func_or_class.__init__ = make_decorator(function, call, "deprecated")
            return func_or_class
        return make_decorator(function, call, "deprecated", _notice(function, date, instructions))

    return decorate


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Callable[[T], T]:
    """Makes a decorator for a function some of whose arguments will be dropped.

    Args:
        date: when, as "2026-12-31"; None for an unknown date.
        instructions: what to write instead.
        *deprecated_arg_names_or_tuples: names of arguments, or tuples of a name and a value that
            may be given still.
        **kwargs: `warn_once`.

    Returns:
        The decorator.

    Raises:
        ValueError: if no argument is named.
    """
    _check(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError("Specify which argument is deprecated.")
    once = kwargs.get("warn_once", True)
    names = dict(
        (item, ()) if isinstance(item, str) else (item[0], tuple(item[1:]))
        for item in deprecated_arg_names_or_tuples
    )

    def is_used(given: dict[str, Any], name: str) -> bool:
        allowed = names[name]
        return name in given and not any(_equal(given[name], value) for value in allowed)

    return _of_arguments(list(names), is_used, lambda name, value: name, date, instructions, once)


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[T], T]:
    """Makes a decorator for a function that will refuse some values of arguments.

    Args:
        date: when, as "2026-12-31"; None for an unknown date.
        instructions: what to write instead.
        warn_once: says so only once.
        **deprecated_kwargs: arguments and the values that will be refused.

    Returns:
        The decorator.

    Raises:
        ValueError: if no argument is named.
    """
    _check(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def is_used(given: dict[str, Any], name: str) -> bool:
        return name in given and _equal(given[name], deprecated_kwargs[name])

    return _of_arguments(
        list(deprecated_kwargs), is_used, lambda name, value: f"{name}={value}",
        date, instructions, warn_once,
    )  # fmt: skip


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True
) -> Any:
    """Makes an old name for a function or class.

    Args:
        deprecated_name: the old name.
        name: the new one.
        func_or_class: what both mean.
        warn_once: says so only once.

    Returns:
        A function, or a subclass, that says what the new name is.
    """
    key = (deprecated_name, name) if warn_once else None
    if isinstance(func_or_class, type):

        def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
            _say(key, MESSAGE_ALIAS, deprecated_name, name)
            super(found, self).__init__(*args, **kwargs)

        found = type(func_or_class)(
            func_or_class.__name__,
            (func_or_class,),
            {
                "__init__": initialize,
                "__doc__": func_or_class.__doc__,
                "__module__": func_or_class.__module__,
            },
        )
        return found

    @functools.wraps(func_or_class)
    def call(*args: Any, **kwargs: Any) -> Any:
        _say(key, MESSAGE_ALIAS, deprecated_name, name)
        return func_or_class(*args, **kwargs)

    return make_decorator(func_or_class, call, "deprecated")


def deprecated_endpoints(*args: str) -> Callable[[T], T]:
    """Makes a decorator that notes under which names a function will be dropped."""

    def decorate(func: Any) -> Any:
        func._tf_deprecated_api_names = args
        return func

    return decorate


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """Chooses between an argument and its older name.

    Raises:
        ValueError: if both were given.

    >>> deprecated_argument_lookup("axis", None, "dim", 1)
    1
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(MESSAGE_BOTH.format(old_name, new_name))
    return old_value


def rewrite_argument_docstring(old_doc: str, old_argument: str, new_argument: str) -> str:
    r"""Renames an argument in a docstring.

    >>> rewrite_argument_docstring("Args:\n  dim: of `dim`.", "dim", "axis")
    'Args:\n  axis: of `axis`.'
    """
    text = old_doc.replace(f"`{old_argument}`", f"`{new_argument}`")
    return text.replace(f"{old_argument}:", f"{new_argument}:")


def _of_arguments(
    names: list[str],
    is_used: Callable[[dict[str, Any], str], bool],
    text: Callable[[str, Any], str],
    date: str | None,
    instructions: str,
    once: bool,
) -> Callable[[T], T]:
    """Makes a decorator that warns where one of `names` is used."""

    def decorate(func: Any) -> Any:
        spec = getfullargspec(func)
        known = {*spec.args, *spec.kwonlyargs, spec.varkw and "**"}
        if missing := [name for name in names if name not in known and not spec.varkw]:
            raise ValueError(
                f"The following deprecated arguments are not present in the function signature: "
                f"{missing}. Expected arguments from the following list: {spec.args}."
            )

        @functools.wraps(func)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not _silent:
                given = {**dict(zip(spec.args, args, strict=False)), **kwargs}
                for name in names:
                    if is_used(given, name):
                        _say(
                            (func, name) if once else None,
                            MESSAGE_ARGUMENT,
                            func.__qualname__, func.__module__, text(name, given[name]),
                            _when(date), instructions,
                        )  # fmt: skip
            return func(*args, **kwargs)

        return make_decorator(func, call, "deprecated", _notice(func, date, instructions))

    return decorate


def _say(key: Any, message: str, *args: Any) -> None:
    """Warns, once for each key that is not None."""
    if _silent or (key is not None and key in _said):
        return
    _said.add(key)
    get_logger().warning(message, *args)


def _when(date: str | None) -> str:
    return "in a future version" if date is None else f"after {date}"


def _notice(func: Any, date: str | None, instructions: str) -> str:
    return f"{func.__doc__ or ''}\n\nDeprecated, removed {_when(date)}: {instructions}"


def _equal(value: Any, other: Any) -> bool:
    try:
        return bool(value == other)
    except (TypeError, ValueError):
        return value is other


def _check(date: str | None, instructions: str) -> None:
    if date is not None and (len(date) != 10 or date[4] != "-"):
        raise ValueError(f"Date must be in format YYYY-MM-DD. Received: {date}")
    if not instructions:
        raise ValueError(
            "Don't deprecate things without conversion instructions! Specify the `instructions` "
            "argument."
        )
