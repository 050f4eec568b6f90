"""Running notebooks as scripts: their code cells in order, in this process, in one namespace.

This needs no kernel, and nothing installed: `nbclient` would run the cells in another process, in
which `tensorflow` would have to be given its meaning again, whose output would go into a file, and
of which `--report` could say nothing.
"""

import __future__

import ast
import builtins
import linecache
import os
import sys
import traceback
import types
import warnings
from collections.abc import Callable
from typing import Any

from tapefacade._port.magics import is_silent
from tapefacade._port.program_files import NotebookCell, read_notebook

FUTURE_FLAGS = sum(
    {getattr(__future__, name).compiler_flag for name in __future__.all_feature_names}
)
# Cells that may fail, and cells that are not meant to run, as nbclient has them.
MAY_FAIL, SKIP = "raises-exception", "skip-execution"
MESSAGE_LEFT_OUT = "tapefacade: {}:{}: left out `{}`\n"
BACKEND = "MPLBACKEND"


class Notebook:
    """A notebook that runs as a program.

    Values of cells are printed by `sys.displayhook`, as at Python's prompt, but for those of cells
    that end with a semicolon. Magics and shell commands are left out; standard error says so,
    unless they would have had no effect on the program. `%time` and `%timeit` run their code once.

    Args:
        path: the file.

    Raises:
        UnreadableError: if the file is no notebook in Python.
    """

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(path)
        self._cells = read_notebook(path)
        self._flags = 0  # of `from __future__ import`, which holds for later cells too
        self.module = types.ModuleType("__main__")
        vars(self.module).update(__builtins__=builtins, display=display, get_ipython=lambda: None)

    def run(self, trim: Callable[[BaseException], Any]) -> None:
        """Runs the cells.

        Args:
            trim: removes from the traceback of an error what is not the program's; it is called
                before the error of a cell that may fail is printed.

        Raises:
            Exception: what a cell raises, unless it is tagged with "raises-exception".
        """
        # As in a notebook, where figures are no windows.
        if BACKEND not in os.environ:
            os.environ[BACKEND] = "agg"
            warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
        for number, cell in self._cells:
            if SKIP in cell.tags:
                continue
            try:
                self._run_cell(number, cell)
            except Exception as error:  # a cell may raise anything, if its tag says so
                if MAY_FAIL not in cell.tags:
                    raise
                trim(error)
                traceback.print_exception(error)

    def _run_cell(self, number: int, cell: NotebookCell) -> None:
        filename = f"{self._path}[{number}]"
        code, left_out = cell.python
        lines = cell.text.splitlines(keepends=True)
        linecache.cache[filename] = len(cell.text), None, lines, filename  # for tracebacks
        for line, text in left_out:
            shown = os.path.relpath(filename)
            sys.stderr.write(MESSAGE_LEFT_OUT.format(shown, line, text))
        tree = self._compiled(code, filename, "exec", ast.PyCF_ONLY_AST)
        last: list[ast.stmt] = []
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not is_silent(code):
            last = [tree.body.pop()]
        exec(self._compiled(tree, filename, "exec"), vars(self.module))
        if last:
            exec(self._compiled(ast.Interactive(last), filename, "single"), vars(self.module))

    def _compiled(self, source: Any, filename: str, mode: str, flags: int = 0) -> Any:
        code = compile(source, filename, mode, self._flags | flags, dont_inherit=True)
        if isinstance(code, types.CodeType):
            self._flags |= code.co_flags & FUTURE_FLAGS
        return code


def display(*objects: Any, **options: Any) -> None:
    """Prints objects, as a notebook without a front end shows them.

    Args:
        *objects: what to print.
        **options: ignored.

    >>> display(1, "text")
    1
    'text'
    """
    for shown in objects:
        sys.stdout.write(f"{shown!r}\n")
