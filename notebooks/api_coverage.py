"""Counts what there is of TensorFlow's public API, and which signatures differ.

python notebooks/api_coverage.py    stores the counts that tests/test_public_api.py holds them to

TensorFlow's answers are in tests/goldens/public_api.json.
"""

import inspect
import json
import operator
import pathlib
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import tapefacade

GOLDENS = pathlib.Path(__file__).parents[1] / "tests" / "goldens"
API, COUNTS = GOLDENS / "public_api.json", GOLDENS / "public_api_counts.json"
UNTOLD = ("*args", "**kwargs")  # of these, a signature tells nothing


class Row(NamedTuple):
    """A namespace.

    Attributes:
        path: its name, such as `tf.math`.
        there: how many of TensorFlow's names it has.
        missing: the others.
        different: the names of functions and classes that lack a parameter of TensorFlow's, or
            give it another default. What can be given beyond that is no difference, nor is a name.
    """

    path: str
    there: int
    missing: list[str]
    different: list[str]

    @property
    def counts(self) -> list[int]:
        """How many names are there, how many missing, how many different."""
        return [self.there, len(self.missing), len(self.different)]


def rows() -> Iterator[Row]:
    """Yields a row for each namespace."""
    known = json.loads(API.read_text(encoding="utf-8")) if API.exists() else {}
    for path, names in sorted(known.items()):
        held = namespace(path)
        has = {name: held is not None and is_there(held, name) for name in names}
        missing = [name for name in names if not has[name]]
        different = [
            name
            for name, wanted in names.items()
            if has[name] and isinstance(wanted, list) and differs(getattr(held, name), wanted)
        ]
        yield Row(path, len(names) - len(missing), missing, different)


def namespace(path: str) -> Any:
    """Returns a namespace; None if there is none of the name."""
    try:
        below = path.removeprefix("tf").removeprefix(".")
        return operator.attrgetter(below)(tapefacade) if below else tapefacade
    except (AttributeError, ImportError):
        return None


def is_there(held: Any, name: str) -> bool:
    """Whether a namespace has a name."""
    return name in dir(held) or hasattr(held, name)


def differs(found: Any, wanted: list[str]) -> bool:
    """Whether a signature has less than TensorFlow's.

    Args:
        found: our function or class.
        wanted: TensorFlow's parameters, with their defaults.
    """
    try:
        own = inspect.signature(found).parameters
    except (TypeError, ValueError):
        return False  # nothing is known of it
    free = any(parameter.kind is parameter.VAR_KEYWORD for parameter in own.values())
    for text in wanted:
        name, _, default = text.partition("=")
        if text in UNTOLD or name == "name":
            continue
        if name.lstrip("*") not in own:
            if free:
                continue
            return True
        given = own[name.lstrip("*")].default
        if default and default != "..." and alike(shown(given)) != alike(default):
            return True
    return False


def shown(default: Any) -> str:
    """Returns a default as TensorFlow's are stored."""
    if default is inspect.Parameter.empty:
        return ""
    if isinstance(default, type) or callable(default):
        default = getattr(default, "__name__", "...")
    return repr(default)


def alike(default: str) -> str:
    """Returns a default without what makes no difference: lists and tuples, dtypes and names."""
    return re.sub(r"<dtype: ('\w+')>|tf\.(\w+)", r"\1\2", default.translate({91: "(", 93: ")"}))


def main() -> None:
    """Stores the counts, and prints the sums."""
    counted = {row.path: row.counts for row in rows()}
    lines = (f"{json.dumps(path)}: {counts}" for path, counts in counted.items())
    COUNTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print("there, missing, different:", *map(sum, zip(*counted.values(), strict=True)))


if __name__ == "__main__":
    main()
