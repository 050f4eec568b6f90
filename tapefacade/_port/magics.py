"""What notebooks contain that is not Python: magics, shell commands and questions.

They are replaced line by line, so that the lines of a cell keep their numbers.
"""

import ast
import re
import tokenize
import warnings
from typing import NamedTuple

# CellCode magics under which the cell is Python all the same.
PYTHON_CELLS = {"time", "timeit", "capture", "prun"}
# Line magics that take Python.
PYTHON_LINES = {"time", "timeit", "prun"}
# What changes nothing in a process without a notebook's front end.
HARMLESS_MAGICS = {
    "matplotlib", "config", "load_ext", "reload_ext", "autoreload", "tensorflow_version", "reset",
    "precision", "xmode", "colors", "pdb", "who", "whos", "capture", "time", "timeit", "prun",
    "html", "HTML", "javascript", "js", "latex", "markdown", "svg",
}  # fmt: skip
MESSAGE_ASSIGNED = "{text!r} needs a notebook's kernel: write it in Python"

# Assignments of what a magic or a command gives, and questions about a name.
_ASSIGNMENT = re.compile(r"(\s*)[\w., \[\]*]+=\s*(?:![^=]|%[a-zA-Z])")
_QUESTION = re.compile(r"\?|%{0,2}[\w.*]+\?{1,2}$")
_OPTIONS = re.compile(r"(-\w+(\s+\d+)?(\s+|$))*")
_QUOTE = re.compile(r"\"\"\"|'''|\"|'")


class CellCode(NamedTuple):
    """The Python of a notebook's cell, and what it leaves out: lines and texts."""

    code: str
    left_out: list[tuple[int, str]]


def python_of(text: str) -> CellCode:
    r"""Replaces what is no Python in a cell.

    Args:
        text: the cell.

    Returns:
        Code with as many lines, and what was left out of it though it may have had an effect.

    >>> python_of("%matplotlib inline\n!pip install tensorflow\nx = 1")
    CellCode(code='pass\npass\nx = 1', left_out=[(2, '!pip install tensorflow')])
    """
    if _is_python(text):
        return CellCode(text, [])
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    left_out: list[tuple[int, str]] = []
    if lines[first].startswith("%%"):
        name, rest = _word(lines[first][2:])
        lines[first] = _python_line(name, rest) if name in PYTHON_LINES else "pass"
        if name not in HARMLESS_MAGICS:
            left_out.append((first + 1, f"%%{name}"))
        if name not in PYTHON_CELLS:
            return CellCode("\n" * (len(lines) - 1), left_out)
    scanner = _Scanner()
    for index in range(len(lines)):
        if scanner.at_statement:
            _replace(lines, index, left_out)
        scanner.read(lines[index])
    return CellCode("\n".join(lines), left_out)


def _is_python(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" and the like: not what is asked
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


class _Scanner:
    """Reads lines of Python, and knows whether the next one begins a statement."""

    def __init__(self) -> None:
        self._quote = ""  # of the string that is open
        self._depth = 0  # of brackets
        self._continued = False

    @property
    def at_statement(self) -> bool:
        """Whether a statement begins at the next line."""
        return not (self._quote or self._depth or self._continued)

    def read(self, line: str) -> None:
        """Reads a line."""
        self._continued = False
        at = 0
        while at < len(line):
            at = self._in_string(line, at) if self._quote else self._in_code(line, at)
        if len(self._quote) == 1 and not line.endswith("\\"):
            self._quote = ""

    def _in_string(self, line: str, at: int) -> int:
        if line[at] == "\\":
            return at + 2
        if line.startswith(self._quote, at):
            at += len(self._quote)
            self._quote = ""
            return at
        return at + 1

    def _in_code(self, line: str, at: int) -> int:
        if line[at] == "#":
            return len(line)
        if found := _QUOTE.match(line, at):
            self._quote = found[0]
            return found.end()
        self._continued = line[at:] == "\\"
        self._depth = max(0, self._depth + (line[at] in "([{") - (line[at] in ")]}"))
        return at + 1


def _replace(lines: list[str], index: int, left_out: list[tuple[int, str]]) -> None:
    """Replaces one line, if it is none of Python."""
    line = lines[index]
    indent = line[: len(line) - len(line.lstrip())]
    text = line.strip()
    if assigned := _ASSIGNMENT.match(line):
        lines[index] = f"{assigned[1]}raise RuntimeError({MESSAGE_ASSIGNED.format(text=text)!r})"
    elif _QUESTION.match(text):
        lines[index] = f"{indent}pass"
    elif text.startswith("!"):
        left_out.append((index + 1, text))
        lines[index] = f"{indent}pass"
        _drop_continuation(lines, index, text)
    elif text.startswith("%"):
        name, rest = _word(text.lstrip("%"))
        lines[index] = indent + (_python_line(name, rest) if name in PYTHON_LINES else "pass")
        if name not in HARMLESS_MAGICS:
            left_out.append((index + 1, text))
        if name not in PYTHON_LINES:
            _drop_continuation(lines, index, text)


def _drop_continuation(lines: list[str], index: int, text: str) -> None:
    """Removes the lines that a shell command goes on in."""
    while text.endswith("\\") and index + 1 < len(lines):
        index += 1
        text, lines[index] = lines[index], ""


def _python_line(name: str, rest: str) -> str:
    """Returns the code that a line magic takes."""
    return _OPTIONS.sub("", rest, count=1) or "pass"


def _word(text: str) -> tuple[str, str]:
    name, _, rest = text.strip().partition(" ")
    return name, rest.strip()


def is_silent(code: str) -> bool:
    """Tells whether a cell ends with a semicolon, which says that nothing is to be shown.

    Args:
        code: the Python of the cell.

    >>> is_silent("plot()  ;  # no text"), is_silent("plot()")
    (True, False)
    """
    last = ""
    skipped = {
        tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.DEDENT,
    }  # fmt: skip
    lines = iter(code.splitlines(keepends=True))
    for token in tokenize.generate_tokens(lambda: next(lines, "")):
        if token.type not in skipped:
            last = token.string
    return last == ";"
