"""Functions that call an op under TensorFlow's raw name, with arguments by name only."""

import functools
import inspect
import json
import re
from typing import Any, NamedTuple

from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import hinted
from tapefacade._raw.table import RAW_OPS


class RawOp(NamedTuple):
    """How a raw op is called."""

    path: str  # of the public function
    ours: dict[str, str]  # the raw op's names of the arguments, and the function's
    defaults: dict[str, Any]
    absent: frozenset[str]  # arguments that have no counterpart


@functools.cache
def table() -> dict[str, RawOp]:
    """Reads the table of raw ops."""
    lines = RAW_OPS.strip().replace("\n    ", " ").splitlines()
    return dict(_read(line) for line in lines)


def _read(line: str) -> tuple[str, RawOp]:
    name, path, *words = line.split(" ")
    ours, defaults, absent = {}, {}, set()
    for word in words:
        if word.startswith("-"):
            absent.add(word[1:])
            continue
        names, given, default = word.partition("=")
        raw, _, own = names.partition(":")
        ours[raw] = own or raw
        if given:
            defaults[raw] = json.loads(default)
    return name, RawOp(path, ours, defaults, frozenset(absent))


def raw_function(name: str) -> Any:
    """Makes the function for a raw op.

    Args:
        name: one of the names in the table.

    Returns:
        A function with keyword-only arguments.
    """
    raw = table()[name]
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    keys = [*raw.ours, *sorted(raw.absent), "name"]

    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(
                f"{snake} only takes keyword args (possible keys: {keys}). Please pass these args "
                "as kwargs instead."
            )
        kwargs.pop("name", None)
        given = raw.defaults | kwargs
        if unknown := [key for key in given if key not in raw.ours]:
            error = TypeError(f"{snake}() got an unexpected keyword argument {unknown[0]!r}")
            raise hinted(error, f"Write tf.{raw.path}, which this package has for it.")
        if missing := [key for key in raw.ours if key not in given]:
            raise TypeError(f"{snake}() missing a required argument: {missing[0]!r}")
        return FUNCTIONS[raw.path](**{raw.ours[key]: value for key, value in given.items()})

    parameters = [
        inspect.Parameter(
            key,
            inspect.Parameter.KEYWORD_ONLY,
            default=raw.defaults.get(key, inspect.Parameter.empty),
        )
        for key in raw.ours
    ]
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Calls `tf.{raw.path}` with arguments by name.\n\nSee `help(tf.{raw.path})`."
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [*parameters, inspect.Parameter("name", inspect.Parameter.KEYWORD_ONLY, default=None)]
    )
    return call
