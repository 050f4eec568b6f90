"""Finding and reading programs: scripts, notebooks, and folders of them."""

import json
import os
import pathlib
import tokenize
from collections.abc import Iterator
from typing import Any, NamedTuple

from tapefacade._port.magics import CellCode, python_of

SUFFIXES = (".py", ".ipynb")
# Folders whose programs are not the user's own; so are all that begin with a dot.
SKIPPED = {
    "__pycache__", "__pypackages__", "node_modules", "site-packages", "dist-packages", "venv",
}  # fmt: skip
# What marks the folder of an environment, whatever its name.
ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")
MESSAGE_NO_NOTEBOOK = "it is no notebook: {}"
MESSAGE_LANGUAGE = "it is a notebook in {}, not in Python"


class UnreadableError(Exception):
    """A file that is no program; the text says why."""


class ProgramPiece(NamedTuple):
    """A script, or one code cell of a notebook; cells are counted from 1."""

    cell: int | None
    code: str


def programs(paths: list[str]) -> Iterator[str]:
    """Finds the scripts and notebooks in folders, which are searched through and through.

    Args:
        paths: files, which are taken whatever their names, and folders.

    Yields:
        The paths of files, in order.
    """
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, inner, files in os.walk(path):
            inner[:] = sorted(name for name in inner if not _is_skipped(folder, name))
            yield from (
                os.path.join(folder, name) for name in sorted(files) if name.endswith(SUFFIXES)
            )


def _is_skipped(folder: str, name: str) -> bool:
    if name.startswith(".") or name in SKIPPED:
        return True
    return any(os.path.exists(os.path.join(folder, name, mark)) for mark in ENVIRONMENTS)


def read_program(path: str) -> list[ProgramPiece]:
    """Reads a script or a notebook.

    Args:
        path: the file; one whose name ends with `.ipynb` is a notebook.

    Returns:
        Its code, without magics.

    Raises:
        UnreadableError: if the file is no program.
    """
    if path.endswith(".ipynb"):
        return [
            ProgramPiece(number, python_of(cell.text).code) for number, cell in read_notebook(path)
        ]
    try:
        with tokenize.open(path) as file:
            return [ProgramPiece(None, file.read())]
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise UnreadableError(_reason(error)) from error


class NotebookCell(NamedTuple):
    """A code cell of a notebook, as it was written, and its tags."""

    text: str
    tags: tuple[str, ...]

    @property
    def python(self) -> CellCode:
        """The Python of the cell."""
        return python_of(self.text)


def read_notebook(path: str) -> list[tuple[int, NotebookCell]]:
    """Reads the code cells of a notebook.

    Args:
        path: a file in one of the formats 3 and 4 of notebooks.

    Returns:
        The cells and their numbers, from 1 on.

    Raises:
        UnreadableError: if the file is no notebook, or not one in Python.
    """
    try:
        content = json.loads(pathlib.Path(path).read_text(encoding="utf-8-sig"))
        language = _language(content)
        cells = [_cell(cell) for cell in _cells(content) if cell["cell_type"] == "code"]
    except OSError as error:
        raise UnreadableError(_reason(error)) from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise UnreadableError(MESSAGE_NO_NOTEBOOK.format(_reason(error))) from error
    if not language.lower().startswith(("python", "ipython")):
        raise UnreadableError(MESSAGE_LANGUAGE.format(language))
    return list(enumerate(cells, start=1))


def _cells(content: dict[str, Any]) -> list[dict[str, Any]]:
    if "worksheets" in content:  # format 3
        return [cell for sheet in content["worksheets"] for cell in sheet["cells"]]
    return content["cells"]


def _cell(cell: dict[str, Any]) -> NotebookCell:
    text = cell["source"] if "source" in cell else cell["input"]
    text = text if isinstance(text, str) else "".join(text)
    return NotebookCell(text, tuple(cell.get("metadata", {}).get("tags", ())))


def _language(content: dict[str, Any]) -> str:
    metadata = content.get("metadata", {})
    kernel = metadata.get("kernelspec", {}).get("language")
    return str(kernel or metadata.get("language_info", {}).get("name") or "python")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    if isinstance(error, KeyError):
        return f"it has no {error.args[0]!r}"
    return str(error)
