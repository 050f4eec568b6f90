"""Writes the pages of the reference: one for each public namespace, from its docstrings."""

import inspect
import pathlib
import sys
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

import tapefacade

# Names of TensorFlow 1 and of kernels: other names of what has a page.
OTHER_NAMES = ("tf.compat", "tf.raw_ops")
# Where names are looked for last when something has several.
LATE = (*OTHER_NAMES, "tf.experimental.numpy")
# What modules of ours say they are.
OWN = ("tapefacade", "tensorflow")
# Classes of Python, whose methods are described elsewhere.
FOREIGN = "dict, int, list, object, str, tuple, Enum, Exception, TestCase"
INDEX = """\
Reference
=========

A function that has several names is described under the shortest; `tf.raw_ops` and `tf.compat` are
other names of what is here. `tf.keras` is Keras 3, see https://keras.io/api/.

.. toctree::
   :maxdepth: 1

"""


class Entry(NamedTuple):
    """A public object and its names."""

    found: Any
    paths: list[str]

    @property
    def path(self) -> str:
        """The name it is described under."""
        return min(self.paths, key=lambda p: (p.startswith(LATE), p.count("."), p))


def namespaces(module: Any, path: str, seen: set[str]) -> Iterator[tuple[str, Any]]:
    """Yields the path and the module of each public namespace."""
    seen.add(module.__name__)
    sys.modules[path] = module  # so that Sphinx finds it under the name that programs use
    yield path, module
    for name in sorted(dir(module)):
        found = getattr(module, name)
        is_own = isinstance(found, types.ModuleType) and found.__name__.startswith("tapefacade.")
        if is_own and not name.startswith("_") and found.__name__ not in seen:
            yield from namespaces(found, f"{path}.{name}", seen)


def entries(modules: dict[str, Any]) -> list[Entry]:
    """Returns the functions and classes in the namespaces."""
    found: dict[int, Entry] = {}
    for path, module in modules.items():
        for name in sorted(dir(module)):
            value = getattr(module, name)
            if callable(value) and not name.startswith("_"):
                found.setdefault(id(value), Entry(value, [])).paths.append(f"{path}.{name}")
    return list(found.values())


def described(entry: Entry) -> str:
    """Returns the directive that describes an object, and its other names."""
    path, found = entry.path, entry.found
    if found.__module__.partition(".")[0] not in OWN:
        return f"``{path}`` is ``{found.__module__}.{found.__qualname__}``.\n"
    if inspect.isclass(found):
        kind = "autoexception" if issubclass(found, BaseException) else "autoclass"
        options = [":show-inheritance:"]
        if kind == "autoclass":
            options = [":members:", f":inherited-members: {FOREIGN}"]
    else:
        kind, options = "autofunction", []
    others = sorted(p for p in entry.paths if p != path and not p.startswith(OTHER_NAMES))
    lines = [f".. {kind}:: {path}", *(f"   {option}" for option in options), ""]
    if others:
        lines += [f"   Also {', '.join(f'``{other}``' for other in others)}.", ""]
    return "\n".join(lines)


def write(folder: pathlib.Path) -> None:
    """Writes the pages.

    Args:
        folder: where to; files that do not change keep their time.
    """
    folder.mkdir(exist_ok=True)
    modules = dict(namespaces(tapefacade, "tf", set()))
    pages: dict[str, list[Entry]] = {}
    for entry in entries(modules):
        home = entry.path.rpartition(".")[0]
        if not home.startswith(OTHER_NAMES):
            pages.setdefault(home, []).append(entry)
    for path, content in pages.items():
        title = (modules[path].__doc__ or "").split("\n")[0]
        content.sort(key=lambda entry: entry.path.lower())
        names = ", ".join(f":py:obj:`~{entry.path}`" for entry in content)
        body = "\n".join(map(described, content))
        _put(folder / f"{path}.rst", f"{path}\n{'=' * len(path)}\n\n{title}\n\n{names}\n\n{body}")
    _put(folder / "index.rst", INDEX + "".join(f"   {path}\n" for path in sorted(pages)))


def anchor(heading: str) -> str:
    """Returns the anchor of a heading, as Jupyter has it.

    Args:
        heading: its text.

    Returns:
        What follows the `#` in a link.
    """
    return heading.replace(" ", "-")


def _put(path: pathlib.Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
