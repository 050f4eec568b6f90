"""`tensorflow.python.util.tf_export` and `all_util`: what a library shows of itself."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from tapefacade._core.missing_names import public_names, root_module

T = TypeVar("T")


class api_export:  # noqa: N801 - a decorator
    """Notes the names under which a function or class is public, and changes nothing else.

    Args:
        *args: the names.
        **kwargs: `v1`, the names in TensorFlow 1; others are kept for the reader.
    """

    def __init__(self, *args: str, **kwargs: Any) -> None:
        self._names = args
        self._names_v1 = tuple(kwargs.get("v1", args))

    def __call__(self, func: T) -> T:
        try:
            func._tf_api_names = self._names  # type: ignore[attr-defined]
            func._tf_api_names_v1 = self._names_v1  # type: ignore[attr-defined]
        except (AttributeError, TypeError):
            pass  # builtins have no attributes of others
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Takes note of a constant: nothing needs to be done."""


def get_v2_names(symbol: Any) -> Sequence[str]:
    """Lists the names that `tf_export` has noted."""
    return getattr(symbol, "_tf_api_names", ())


def get_v1_names(symbol: Any) -> Sequence[str]:
    """Lists the names in TensorFlow 1 that `tf_export` has noted."""
    return getattr(symbol, "_tf_api_names_v1", ())


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> str | None:
    """Finds the public name of a function or class.

    Args:
        symbol: the function or class.
        api_name: accepted for TensorFlow's sake.
        add_prefix_to_v1_names: accepted for TensorFlow's sake.

    Returns:
        The name that `tf_export` has noted, or one below `tf`, without `tf`; None if there is none.
    """
    if names := get_v2_names(symbol):
        return names[0]
    for name in public_names(root_module()):
        found: Any = root_module()
        for part in name.split(".")[1:]:
            found = vars(found).get(part)
        if found is symbol:
            return name.removeprefix("tf.")
    return None


def make_all(module_name: str, doc_string_modules: Iterable[Any] | None = None) -> list[str]:
    """Lists the names that a module and others mention in their docstrings as `@@name`.

    Args:
        module_name: the name of the module.
        doc_string_modules: the modules whose docstrings are read; by default the module itself.
    """
    modules = doc_string_modules or [sys.modules[module_name]]
    words = [word for module in modules for word in (module.__doc__ or "").split()]
    return sorted({word[2:] for word in words if word.startswith("@@")})


def reveal_undocumented(symbol_name: str, target_module: Any = None) -> None:
    """Does nothing: `remove_undocumented` hides nothing."""


def remove_undocumented(
    module_name: str,
    allowed_exception_list: Sequence[str] | None = None,
    doc_string_modules: Iterable[Any] | None = None,
) -> None:
    """Removes from a module the public names that are neither listed nor in its docstring.

    Args:
        module_name: the name of the module.
        allowed_exception_list: the names that stay.
        doc_string_modules: modules whose docstrings are read, too.
    """
    module = sys.modules[module_name]
    kept = {*make_all(module_name, doc_string_modules), *(allowed_exception_list or ())}
    for name in list(vars(module)):
        if not name.startswith("_") and name not in kept:
            delattr(module, name)
