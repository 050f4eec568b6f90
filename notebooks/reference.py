"""Writes the pages of the reference: of each public namespace, from its docstrings."""

import html
import inspect
import pathlib
import sys
import types
from collections.abc import Iterator, Set
from typing import Any, NamedTuple

import api_coverage

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

"""
TREE = """
.. toctree::
   :hidden:

"""
COVERAGE = """\
Coverage of TensorFlow
======================

The public names of TensorFlow 2.21 that are there, in each namespace. Asking for one that is not
tells what to write instead; ``tf.compat``, ``tf.raw_ops`` and ``tf.keras`` are left out. A
signature is another one if it lacks a parameter of TensorFlow's, or gives it another default.

.. list-table::
   :header-rows: 1

   * - namespace
     - there
     - missing
     - another signature
     - names
"""
# Objects on a page: what has more is split by the first letter, so that no page is a book.
MAX_ENTRIES = 25
MAX_MISSING = 8


class Entry(NamedTuple):
    """A public object and its names."""

    found: Any
    paths: list[str]

    @property
    def path(self) -> str:
        """The name it is described under."""
        return min(self.paths, key=lambda p: (p.startswith(LATE), p.count("."), p))

    @property
    def is_own(self) -> bool:
        """Whether it is described here."""
        return self.found.__module__.partition(".")[0] in OWN

    @property
    def anchor(self) -> str:
        """The anchor of its description, or else of its heading."""
        return self.path if self.is_own else self.path.replace(".", "-").lower()


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


def described(entry: Entry, known: Set[Any] = frozenset()) -> str:
    """Returns the directive that describes an object, and its other names.

    Args:
        entry: the object.
        known: classes that are described themselves: what others inherit of them is not repeated.
    """
    path, found = entry.path, entry.found
    if not entry.is_own:
        return f"``{path}`` is ``{found.__module__}.{found.__qualname__}``.\n"
    if inspect.isclass(found):
        kind = "autoexception" if issubclass(found, BaseException) else "autoclass"
        options = [":show-inheritance:"]
        if kind == "autoclass":
            is_repeated = any(base in known for base in found.__mro__[1:])
            inherited = [] if is_repeated else [f":inherited-members: {FOREIGN}"]
            options = [":members:", *inherited]
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
    index = []
    all_found = [entry.found for found in pages.values() for entry in found]
    known = {found for found in all_found if inspect.isclass(found)}
    for path, content in sorted(pages.items()):
        content.sort(key=lambda entry: entry.path.lower())
        parts = list(in_parts(content))
        for number, part in enumerate(parts):
            file = path if len(parts) == 1 else f"{path}-{number + 1}"
            title = path if len(parts) == 1 else f"{path}: {_range(part)}"
            _put(folder / f"{file}.rst", page(title, path, modules, part, known))
            index.append((file, title, modules[path], part))
    names = [file for file, *_ in index]
    lines = "".join(map(_in_index, index))
    _put(folder / "coverage.rst", coverage())
    tree = "".join(f"   {name}\n" for name in ["coverage", *names])
    _put(folder / "index.rst", f"{INDEX}:doc:`coverage`\n\n{lines}{TREE}{tree}")


def in_parts(content: list[Entry]) -> Iterator[list[Entry]]:
    """Splits the objects of a namespace into pages of about the same length.

    Args:
        content: the objects, sorted.
    """
    count = -(-len(content) // MAX_ENTRIES)
    for number in range(count):
        yield content[number * len(content) // count : (number + 1) * len(content) // count]


def page(
    title: str, path: str, modules: dict[str, Any], content: list[Entry], known: Set[Any]
) -> str:
    """Returns a page: what it is about, a table of contents, and the descriptions."""
    about = (modules[path].__doc__ or "").split("\n")[0]
    lines = "".join(f"* :py:obj:`~{e.path}`: {_escaped(summary(e.found))}\n" for e in content)
    body = "\n".join(
        f"{entry.path}\n{'-' * len(entry.path)}\n\n{described(entry, known)}" for entry in content
    )
    return f"{title}\n{'=' * len(title)}\n\n{about}\n\n{lines}\n{body}"


def summary(found: Any) -> str:
    """Returns the first paragraph of a docstring, as text without marks."""
    text = (inspect.getdoc(found) or "").strip().split("\n\n")[0].replace("\n", " ")
    return text.replace("`", "").replace("$", "")


def _escaped(text: str) -> str:
    """Returns a text as reStructuredText that shows it as it is."""
    for mark in "\\*_|":
        text = text.replace(mark, f"\\{mark}")
    return text


def _range(content: list[Entry]) -> str:
    first, last = (entry.path.rpartition(".")[2] for entry in (content[0], content[-1]))
    return f"{first} to {last}"


def _in_index(found: tuple[str, str, Any, list[Entry]]) -> str:
    """Returns what the index says of a page: a line for each name.

    The lines are HTML, as short as can be: Sphinx writes three times as much for each link.
    """
    file, title, module, content = found
    about = (module.__doc__ or "").split("\n")[0]
    heading = f"{title}\n{'-' * len(title)}\n\n:doc:`{file}`: {about}\n\n"
    lines = "".join(
        f'   <li><a href="{file}.html#{e.anchor}">{e.path}</a>: {html.escape(summary(e.found))}\n'
        for e in content
    )
    return f"{heading}.. raw:: html\n\n   <ul>\n{lines}   </ul>\n\n"


def coverage() -> str:
    """Returns the page that counts, for each namespace, what there is of TensorFlow."""
    lines = []
    for row in api_coverage.rows():
        texts = [f"missing {_some(row.missing)}"] if row.missing else []
        texts += [f"another signature {_some(row.different)}"] if row.different else []
        cells = f"``{row.path}``", *row.counts, "; ".join(texts) or "\\-"
        lines.append("   * - " + "\n     - ".join(map(str, cells)) + "\n")
    return COVERAGE + "".join(lines)


def _some(names: list[str]) -> str:
    """Returns names as a text, so many that they can be read."""
    shown = ", ".join(f"``{name}``" for name in names[:MAX_MISSING])
    more = f" and {len(names) - MAX_MISSING} more" if len(names) > MAX_MISSING else ""
    return shown + more


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
