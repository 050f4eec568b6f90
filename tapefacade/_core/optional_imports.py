"""Imports of optional dependencies: at their first use, with an error that names the extra."""

import importlib
from typing import Any

from tapefacade._core.tensor import hinted


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
    ImportError: Records need no_such_module. Install it: pip install 'tapefacade[records]'
    no_such_module is an optional dependency.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise missing_package(extra, use, package or name.partition(".")[0]) from error


def missing_package(extra: str, use: str, package: str) -> Exception:
    """Makes the error for an optional dependency that is not installed; see `optional_module`."""
    message = f"{use} need {package}. Install it: pip install 'tapefacade[{extra}]'"
    return hinted(ImportError(message), f"{package} is an optional dependency.")
