"""The modules `tensorflow.python...` and `tensorflow.__internal__...`, made when imported."""

import difflib
import functools
import importlib
import pathlib
import sys
import types
from typing import Any

from tapefacade._core.missing_names import is_import, root_module
from tapefacade._port.tensorflow_python.name_sources import MODULES, NAMES

PYTHON, INTERNAL, CORE = "tensorflow.python", "tensorflow.__internal__", "tensorflow.core"
PREFIXES = {PYTHON: "", INTERNAL: "__internal__", CORE: "core"}
TABLE = pathlib.Path(__file__).with_name("public_names.txt")
MESSAGE_MODULE = (
    "tapefacade has no module {name!r}{nearest}. It is private to TensorFlow: write `import "
    "tensorflow as tf` and use the public name."
)
MESSAGE_NAME = (
    "tapefacade's {module!r} has no {name!r}{nearest}. It is private to TensorFlow: write `import "
    "tensorflow as tf` and use the public name."
)
_MISSING = object()


class PrivateModule(types.ModuleType):
    """A module of TensorFlow's that libraries import; its names are found when asked for.

    Attributes:
        path: its name below `tensorflow.python`, or below `tf` for `__internal__` and `core`.
    """

    path: str

    def __init__(self, name: str, path: str) -> None:
        super().__init__(name, f"`{name}`, on the public names of `tf`.")
        self.path = path
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__internal__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        text = None
        try:
            value = _find(self.path, name)
        except AttributeError as error:  # the public name is not there
            value, text = _MISSING, str(error)
        if value is _MISSING and f"{self.path}.{name}".lstrip(".") in module_paths():
            value = importlib.import_module(f"{self.__name__}.{name}")
        if value is _MISSING:
            text = text or _missing_text(self, name)
            if is_import(sys._getframe(1)):
                raise ImportError(text, name=self.__name__)
            raise AttributeError(text, name=name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *_names_of(self.path)})


def private_module(fullname: str) -> PrivateModule:
    """Makes a module of TensorFlow's.

    Args:
        fullname: its name, which begins with one of `PREFIXES`.

    Returns:
        The module.

    Raises:
        ModuleNotFoundError: if libraries are not known to import it.

    >>> private_module("tensorflow.python.util.nest").flatten([1, [2]])
    [1, 2]
    """
    prefix = next(prefix for prefix in PREFIXES if fullname.startswith(prefix))
    path = f"{PREFIXES[prefix]}{fullname.removeprefix(prefix)}".lstrip(".")
    if path not in ("", "__internal__") and path not in module_paths():
        found = difflib.get_close_matches(path, module_paths(), n=1)
        nearest = f"; the nearest it has is '{PYTHON}.{found[0]}'" if found else ""
        raise ModuleNotFoundError(
            MESSAGE_MODULE.format(name=fullname, nearest=nearest), name=fullname
        )
    return PrivateModule(fullname, path)


def is_private(fullname: str) -> bool:
    """Tells whether a module of TensorFlow's is made by `private_module`, or refused there.

    Args:
        fullname: its name.

    >>> is_private("tensorflow.python.util.nest"), is_private("tensorflow.core.framework")
    (True, False)
    """
    if fullname == CORE or fullname.startswith(f"{CORE}."):
        return fullname.removeprefix("tensorflow.") in module_paths()
    return fullname == PYTHON or fullname.startswith((f"{PYTHON}.", f"{INTERNAL}."))


@functools.cache
def public_names() -> dict[str, dict[str, str]]:
    """Reads which public names TensorFlow's modules hold.

    Returns:
        For each module its names, and their paths below `tf`.

    >>> public_names()["framework.constant_op"]["constant"]
    'constant'
    """
    found: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    namespace = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        if not line.startswith(" "):
            names = found.setdefault(line, {})
            continue
        head, colon, rest = line.partition(":")
        if colon:
            namespace = head.strip()
            namespace = "" if namespace == "tf" else f"{namespace}."
        for word in (rest if colon else line).split():
            own, _, public = word.partition("=")
            names[own] = f"{namespace}{public or own}"
    return found


@functools.cache
def internal_names() -> dict[str, str]:
    """Finds where the names of `tf.__internal__` are defined.

    Returns:
        For each path below `tf` the module and name below `tensorflow.python`.

    >>> internal_names()["__internal__.nest.flatten_up_to"]
    'util.nest.flatten_up_to'
    """
    found: dict[str, str] = {}
    for module, names in public_names().items():
        for own, public in names.items():
            if public.startswith("__internal__."):
                known = found.get(public)
                if known is None or (module in MODULES and known.rpartition(".")[0] not in MODULES):
                    found[public] = f"{module}.{own}"
    return found


@functools.cache
def module_paths() -> frozenset[str]:
    """Lists the modules that can be imported, packages included.

    Returns:
        Their names below `tensorflow.python`; those of `tf.__internal__` begin so.
    """
    leaves = {*public_names(), *MODULES, *(name.rpartition(".")[0] for name in NAMES)}
    leaves.update(name.rpartition(".")[0] for name in internal_names())
    found = {"", "__internal__"}
    for path in leaves:
        parts = path.split(".")
        found.update(".".join(parts[: n + 1]) for n in range(len(parts)))
    return frozenset(found)


def _find(path: str, name: str) -> Any:
    """Finds what a name of a module is, or returns `_MISSING`."""
    full = f"{path}.{name}".lstrip(".")
    if path.startswith("__internal__"):
        own = internal_names().get(full)
        return _MISSING if own is None else _find(*_split(own))
    if full in NAMES:
        place, _, attribute = NAMES[full].partition(":")
        return getattr(_source(place), attribute)
    public = public_names().get(path, {}).get(name)
    for place in MODULES.get(path, "").split():
        value = _defined(place, name)
        if value is not _MISSING:
            return value
    return _MISSING if public is None or public.startswith("__internal__") else _public(public)


def _defined(place: str, name: str) -> Any:
    """What a file of this folder defines, or a namespace of `tf` has."""
    if not place.startswith("."):
        return _MISSING if name.startswith("_") else getattr(_source(place), name, _MISSING)
    source = _source(place)
    if name in (named := vars(source).get("NAMES", {})):
        return named[name]
    return getattr(source, name) if _defined_in(source, name) else _MISSING


def _defined_in(file: types.ModuleType, name: str) -> bool:
    """Whether a file of this folder has a name that is not imported from another package."""
    module = getattr(vars(file).get(name), "__module__", None) or ""
    return not name.startswith("_") and module.partition(".")[0] == file.__name__.partition(".")[0]


def _source(place: str) -> Any:
    if place.startswith("."):
        return importlib.import_module(f"{__package__}{place}")
    if place.startswith(("tapefacade.", "contextlib")):
        return importlib.import_module(place)
    return root_module() if place == "tf" else _public(place)


def _public(path: str) -> Any:
    """What a path below `tf` is; an AttributeError says what to write if we do not have it."""
    found: Any = root_module()
    for part in path.split("."):
        found = getattr(found, part)
    return found


def _split(path: str) -> tuple[str, str]:
    module, _, name = path.rpartition(".")
    return module, name


def _names_of(path: str) -> set[str]:
    """Names that a module is known to have."""
    if path.startswith("__internal__"):
        return {name[len(path) + 1 :].partition(".")[0] for name in internal_names()
                if name.startswith(f"{path}.")}  # fmt: skip
    own = {name.rpartition(".")[2] for name in NAMES if name.rpartition(".")[0] == path}
    below = {name.rpartition(".")[2] for name in module_paths() if name.rpartition(".")[0] == path}
    files = [_source(place) for place in MODULES.get(path, "").split() if place[0] == "."]
    defined = {name for file in files for name in dir(file) if _defined_in(file, name)}
    return {*public_names().get(path, ()), *own, *below, *defined}


def _missing_text(module: PrivateModule, name: str) -> str:
    found = difflib.get_close_matches(name, _names_of(module.path), n=1)
    nearest = f"; the nearest it has is {found[0]!r}" if found else ""
    return MESSAGE_NAME.format(module=module.__name__, name=name, nearest=nearest)
