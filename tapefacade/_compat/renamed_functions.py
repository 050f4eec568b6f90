"""Functions under other names and with other names of their arguments, made from tables.

A line of a table names the function, the path below `tf` of the one that does the work, and the
arguments in their order: `theirs:ours` where the names differ, `=` and a default in JSON where one
is given, `-` before one that has no counterpart. An indented line goes on with the one before.
"""

import inspect
import json
import operator
import re
from typing import Any, NamedTuple

from tapefacade._core.error_texts import MESSAGE_BOTH
from tapefacade._core.missing_names import root_module
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import hinted


class RenamedFunction(NamedTuple):
    """How a function of a table is called."""

    path: str  # of the function that does the work
    names: list[str]  # of the arguments, in order
    ours: dict[str, str]  # what that function calls them; without those it does not have
    defaults: dict[str, Any]


def read(table: str) -> dict[str, RenamedFunction]:
    """Reads a table; returns what its lines say by their names."""
    return dict(_read_line(line) for line in table.strip().replace("\n    ", " ").splitlines())


def _read_line(line: str) -> tuple[str, RenamedFunction]:
    name, path, *words = line.split(" ")
    order, ours, defaults = [], {}, {}
    for word in words:
        names, given, default = word.removeprefix("-").partition("=")
        theirs, _, own = names.partition(":")
        order.append(theirs)
        if not word.startswith("-"):
            ours[theirs] = own or theirs
        if given:
            defaults[theirs] = json.loads(default)
    return name, RenamedFunction(path, order, ours, defaults)


def public_function(path: str) -> Any:
    """Returns the public function at a path below `tf`."""
    return FUNCTIONS.get(path) or operator.attrgetter(path)(root_module())


def keyword_function(name: str, renamed: RenamedFunction) -> Any:
    """Makes a function whose arguments are given by name only, as TensorFlow's raw ops."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    keys = [*renamed.names, "name"]

    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(
                f"{snake} only takes keyword args (possible keys: {keys}). Please pass these args "
                "as kwargs instead."
            )
        kwargs.pop("name", None)
        given = renamed.defaults | kwargs
        if unknown := [key for key in given if key not in renamed.ours]:
            error = TypeError(f"{snake}() got an unexpected keyword argument {unknown[0]!r}")
            raise hinted(error, f"Write tf.{renamed.path}, which this package has for it.")
        if missing := [key for key in renamed.ours if key not in given]:
            raise TypeError(f"{snake}() missing a required argument: {missing[0]!r}")
        return public_function(renamed.path)(
            **{renamed.ours[k]: value for k, value in given.items()}
        )

    return _described(call, name, renamed, inspect.Parameter.KEYWORD_ONLY)


def older_function(name: str, renamed: RenamedFunction) -> Any:
    """Makes a function as older versions had it: arguments that are None keep their defaults."""

    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        given: dict[str, Any] = {}
        for key, value in (renamed.defaults | bound.arguments).items():
            if value is None or key not in renamed.ours:
                continue
            own = renamed.ours[key]
            if own in given and key in bound.arguments:
                first = next(k for k, o in renamed.ours.items() if o == own)
                if first in bound.arguments:
                    raise ValueError(MESSAGE_BOTH.format(key, first))
            given[own] = value
        return public_function(renamed.path)(**given)

    described = _described(call, name, renamed, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.signature(described)
    return described


def _described(call: Any, name: str, renamed: RenamedFunction, kind: Any) -> Any:
    """Gives a function its name, signature and docstring."""
    keys = renamed.names
    parameters = [
        inspect.Parameter(key, kind, default=renamed.defaults.get(key, inspect.Parameter.empty))
        for key in keys
    ]
    if "name" not in keys:
        parameters.append(inspect.Parameter("name", kind, default=None))
    how = "with arguments by name" if kind is inspect.Parameter.KEYWORD_ONLY else "as it once was"
    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__doc__ = f"Calls `tf.{renamed.path}`, {how}.\n\nSee `help(tf.{renamed.path})`."
    call.__signature__ = inspect.Signature(parameters)
    return call
