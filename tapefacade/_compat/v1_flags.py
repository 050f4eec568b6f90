"""Flags and programs of TensorFlow 1, absl's: `tf.compat.v1.flags`, `tf.compat.v1.app`."""

import functools
import sys
from collections.abc import Callable
from typing import Any

from tapefacade._core.logging import get_logger
from tapefacade._core.optional_imports import optional_module
from tapefacade._definition.op import function

# The functions that take these old names of arguments as well.
WITH_OLD_ARGUMENTS = (
    "DEFINE_string", "DEFINE_boolean", "DEFINE_bool", "DEFINE_float", "DEFINE_integer",
)  # fmt: skip
NEW_ARGUMENTS = {"flag_name": "name", "default_value": "default", "docstring": "help"}
MESSAGE_OLD_ARGUMENTS = (
    "Use of the keyword argument names (flag_name, default_value, docstring) is deprecated, please "
    "use (name, default, help) instead."
)


def absl(name: str) -> Any:
    """Returns a module of absl.

    Raises:
        ImportError: if absl-py is not installed.
    """
    return optional_module(f"absl.{name}", "testing", "Flags of programs", "absl-py")


@functools.cache
def _flags() -> Any:
    flags = absl("flags")
    flags.disclaim_key_flags()  # a flag belongs to the module that calls the function below
    return flags


def flag_names() -> list[str]:
    """Lists the names in `tf.compat.v1.flags`; none if absl-py is not installed."""
    try:
        return [name for name in dir(_flags()) if name[0] != "_"]
    except ImportError:
        return []


@functools.cache
def flag_name(name: str) -> Any:
    """Returns what a name in `tf.compat.v1.flags` means.

    Raises:
        AttributeError: if there is no such name.
        ImportError: if absl-py is not installed.
    """
    if name == "FLAGS":
        return ParsedFlags(_flags().FLAGS)
    found = getattr(_flags(), name)
    return _with_old_arguments(found) if name in WITH_OLD_ARGUMENTS else found


def _with_old_arguments(define: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(define)
    def defined(*args: Any, **kwargs: Any) -> Any:
        if not NEW_ARGUMENTS.keys().isdisjoint(kwargs):
            get_logger().warning(MESSAGE_OLD_ARGUMENTS)
            kwargs = {NEW_ARGUMENTS.get(key, key): value for key, value in kwargs.items()}
        return define(*args, **kwargs)

    return defined


class ParsedFlags:
    """The flags of a program, `tf.compat.v1.flags.FLAGS`.

    They are absl's; unlike those they are read from the command line when the value of one is
    first asked for, if nobody has done so before.
    """

    def __init__(self, flags: Any) -> None:
        object.__setattr__(self, "_flags", flags)

    def __getattr__(self, name: str) -> Any:
        flags = self._flags
        if name in flags and not flags.is_parsed():
            flags(sys.argv)
        return getattr(flags, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._flags, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._flags, name)

    def __dir__(self) -> list[str]:
        return dir(self._flags)

    def __getitem__(self, name: str) -> Any:
        return self._flags[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        self._flags[name] = flag

    def __contains__(self, name: str) -> bool:
        return name in self._flags

    def __len__(self) -> int:
        return len(self._flags)

    def __iter__(self) -> Any:
        return iter(self._flags)

    def __str__(self) -> str:
        return str(self._flags)

    def __call__(self, *args: Any, **kwargs: Any) -> list[str]:
        return self._flags(*args, **kwargs)


@function("compat.v1.app.run")
def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> None:
    """Reads the flags from the command line, calls a function and ends the program.

    Args:
        main: the function, which is given what is no flag; by default `main` of the program.
        argv: the command line, by default `sys.argv`.

    >>> tf.compat.v1.app.run(lambda argv: print(argv[1:]), ["program", "--unknown=1", "file"])
    Traceback (most recent call last):
    SystemExit
    """
    called: Any = main or vars(sys.modules["__main__"])["main"]
    absl("app").run(main=called, argv=argv, flags_parser=_known_flags)


def _known_flags(argv: list[str] | None) -> list[str]:
    """Reads flags and leaves alone those that nobody has defined."""
    return _flags().FLAGS(sys.argv if argv is None else argv, known_only=True)
