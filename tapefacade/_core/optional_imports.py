"""Imports of optional dependencies: at their first use, with an error that names the extra."""

import importlib
import re
from importlib import metadata
from typing import Any

from tapefacade._core.tensor import hinted


def broken(error: ImportError, name: str) -> ImportError | None:
    """Returns the error of an import, None if there just is no such package.

    Args:
        error: the error.
        name: what was imported.

    >>> broken(ModuleNotFoundError(name="keras"), "keras.ops")
    >>> broken(ModuleNotFoundError(name="optree"), "keras.ops")
    ModuleNotFoundError()
    """
    return None if error.name == name.partition(".")[0] else error


def optional_module(name: str, extra: str, use: str, package: str = "") -> Any:
    """Imports a module that comes with an extra of this package.

    Args:
        name: the dotted name of the module.
        extra: the extra that installs it.
        use: what needs it, in the plural: the beginning of the error.
        package: how people call the package, by default the first part of `name`.

    Returns:
        The module.

    Raises:
        ImportError: if it is not installed.

    >>> optional_module("no_such_module", "records", "Records")
    Traceback (most recent call last):
    ImportError: Records need no_such_module. Install what the extra `records` brings: ...
    no_such_module is an optional dependency.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        told = missing_package(extra, use, package or name.partition(".")[0])
        raise told from broken(error, name)


def missing_package(extra: str, use: str, package: str) -> Exception:
    """Makes the error for an optional dependency that is not installed; see `optional_module`."""
    message = f"{use} need {package}. {how_to_install(extra)}"
    return hinted(ImportError(message), f"{package} is an optional dependency.")


def how_to_install(extra: str) -> str:
    """Says how to install what an extra brings.

    It names the packages themselves: that works wherever this package came from, a clone or an
    index, and leaves it as it is.

    Args:
        extra: its name.

    >>> how_to_install("keras")
    "Install what the extra `keras` brings: pip install '...keras...'"
    """
    return f"Install what the extra `{extra}` brings: pip install {requirements_of(extra)}"


def requirements_of(extra: str) -> str:
    """Returns what an extra requires, as a shell takes it."""
    marked = re.compile(rf"(.+?)\s*;\s*extra\s*==\s*['\"]{extra}['\"]")
    try:
        found = metadata.requires("tapefacade") or []
    except metadata.PackageNotFoundError:  # a checkout that nobody has installed
        found = []
    texts = [match[1] for requirement in found if (match := marked.fullmatch(requirement))]
    return " ".join(f"'{text}'" for text in texts) or f"'tapefacade[{extra}]'"
