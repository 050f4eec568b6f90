"""Where a public name is defined, and in a checkout where its rows of tests are."""

import ast
import functools
import inspect
import pathlib
import re
import sys
import types
from typing import Any

from tapefacade._core.missing_names import root_module
from tapefacade._definition.op import Op

UNKNOWN_NAME = 1  # exit status


def where(names: list[str]) -> int:
    """Prints the places of names as FILE:LINE, the definition first.

    Args:
        names: dotted names such as `tf.nn.relu`, or `nn.relu`.

    Returns:
        The exit status: 1 if a name is missing.
    """
    status = 0
    for name in names:
        try:
            for place in places(name):
                print(place)  # noqa: T201 - it is what the command is for
        except (AttributeError, TypeError) as error:
            print(f"{name}: {error}")  # noqa: T201
            status = UNKNOWN_NAME
    return status


def places(name: str) -> list[str]:
    """Finds where a name is defined and tested.

    Args:
        name: a dotted name, with or without `tf.` in front.

    Returns:
        Texts FILE:LINE, the definition first.

    Raises:
        AttributeError: if there is no such name; it names the nearest.
        TypeError: if its source is not here.

    >>> places("tf.nn.conv2d_transpose")[0]
    '...convolution_transposed.py:...'
    """
    path = name.removeprefix("tf.")
    *namespaces, last = path.split(".")
    owner: Any = functools.reduce(getattr, namespaces, root_module())
    value = getattr(owner, last)
    definition = _definition(value)
    if definition is None:
        return [_assignment(owner, last)]
    op = getattr(value, "op", None)
    names_of_op = op.names if isinstance(op, Op) else ()
    return [definition, *_rows({path, *names_of_op}, definition)]


def _definition(value: Any) -> str | None:
    """Returns the place of a function, class or module; None for other values."""
    if isinstance(value, types.ModuleType):
        return f"{_shown(pathlib.Path(inspect.getfile(value)))}:1"
    value = inspect.unwrap(value) if callable(value) else value
    # A class that is made at its first use, as `tf.test.TestCase`, is where its parent is.
    for part in value.__mro__ if inspect.isclass(value) else [value]:
        try:
            file, line = inspect.getsourcefile(part), inspect.getsourcelines(part)[1]
        except (TypeError, OSError):
            continue
        if file is not None:
            return f"{_shown(pathlib.Path(file))}:{line}"
    return None


def _assignment(owner: Any, name: str) -> str:
    """Returns the place where a module, or the one that it imports a name from, assigns it.

    Raises:
        TypeError: if it is assigned nowhere.
    """
    if isinstance(owner, types.ModuleType):
        module = owner.__name__
        for node in ast.parse(inspect.getsource(owner)).body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if alias.asname == name:
                        module, name = node.module or module, alias.name
        file = pathlib.Path(inspect.getfile(sys.modules[module]))
        if found := _lines([file], rf"^{re.escape(name)}\b[^=]*="):
            return found[0]
    raise TypeError("its source is not here")


def _rows(paths: set[str], definition: str) -> list[str]:
    """Returns the places in tests/cases, if that is beside the package, that name a function."""
    package = pathlib.Path(root_module().__file__ or "").parent
    cases = package.parent / "tests" / "cases"
    found = _lines(sorted(cases.rglob("*.py")), "|".join(f'"{re.escape(p)}"' for p in paths))
    if found:
        return found
    # Some files put the name together; the file of the same place has it without its namespace.
    file = pathlib.Path(definition.rpartition(":")[0]).resolve()
    if not file.is_relative_to(package / "_ops"):
        return []
    mirror = cases / file.relative_to(package / "_ops")
    words = {path.rpartition(".")[2] for path in paths}
    return _lines([mirror] if mirror.is_file() else [], rf"\b({'|'.join(words)})\b")[:1]


def _lines(files: list[pathlib.Path], pattern: str) -> list[str]:
    """Returns the places of the lines that have a pattern."""
    return [
        f"{_shown(file)}:{number}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line)
    ]


def _shown(path: pathlib.Path) -> str:
    """Returns a path as it is written in the working directory."""
    here = pathlib.Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
