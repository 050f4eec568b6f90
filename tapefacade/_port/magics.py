"""What notebooks contain that is not Python: magics, shell commands and questions.

They are replaced line by line, so that the lines of a cell keep their numbers.
"""

import ast
import re
import tokenize
import warnings
from collections.abc import Iterable
from typing import NamedTuple

# Cell magics under which the cell is Python all the same.
PYTHON_CELLS = {"time", "timeit", "capture", "prun", "python", "python3"}
# Line magics that take Python.
PYTHON_LINES = {"time", "timeit", "prun"}
# What changes nothing in a process without a notebook's front end.
HARMLESS = {
    "matplotlib", "config", "load_ext", "reload_ext", "autoreload", "tensorflow_version", "reset",
    "precision", "xmode", "colors", "pdb", "who", "whos", "capture", "time", "timeit", "prun",
    "html", "HTML", "javascript", "js", "latex", "markdown", "svg", "python", "python3",
}  # fmt: skip
MESSAGE_ASSIGNED = "{text!r} needs a notebook's kernel: write it in Python"

_MAGIC = re.compile(r"\s*(%{1,2}|!{1,2}|\?{1,2}|#(?=!))")
_ASSIGNED = re.compile(r"(\s*)[\w., \[\]*]+=\s*(?:![^=]|%[a-zA-Z])")
_QUESTION = re.compile(r"\s*%{0,2}[\w.*]+\?{1,2}\s*$")
_OPTIONS = re.compile(r"(\s*-\w+(\s+\d+)?)*\s*")
_QUOTES = re.compile(r"\"\"\"|'''|\"|'|#|[()\[\]{}]|\\.|\\$")
_OPEN = "([{"
_CLOSE = ")]}"


class Cell(NamedTuple):
    """The Python of a notebook's cell, and what it leaves out: lines and texts."""

    code: str
    left_out: list[tuple[int, str]]


def python_of(text: str) -> Cell:
    """Replaces what is no Python in a cell.

    Args:
        text: the cell.

    Returns:
        Code with as many lines, and what was left out of it though it may have had an effect.

    >>> python_of("%matplotlib inline\\n!pip install tensorflow\\nx = 1")
    Cell(code='pass\\npass\\nx = 1', left_out=[(2, '!pip install tensorflow')])
    """
    if _is_python(text):
        return Cell(text, [])
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    left_out: list[tuple[int, str]] = []
    if lines[first].startswith("%%"):
        name, rest = _word(lines[first][2:])
        lines[first] = _python_line(name, rest) if name in PYTHON_LINES else "pass"
        if name not in HARMLESS:
            left_out.append((first + 1, f"%%{name}"))
        if name not in PYTHON_CELLS:
            return Cell("\n" * (len(lines) - 1), left_out)
    places = _statements(lines)
    for index in places:
        _replace(lines, index, left_out)
    return Cell("\n".join(lines), left_out)


def _is_python(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" and the like: not what is asked
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _statements(lines: list[str]) -> Iterable[int]:
    """Lists the lines at which a statement may begin, while the lines are being replaced."""
    inside, depth = "", 0
    for index in range(len(lines)):
        if not inside and not depth:
            yield index  # which may replace the line
        inside, depth = _after(lines[index], inside, depth)


def _after(line: str, inside: str, depth: int) -> tuple[str, int]:
    """Returns the open string and how many brackets are open after a line."""
    continued = line.endswith("\\")
    for match in _QUOTES.finditer(line):
        found = match[0]
        if inside:
            if found == inside or (len(found) == 3 and found[0] == inside):
                inside = ""
        elif found == "#":
            return "", depth
        elif found[0] in "\"'":
            inside = found
        else:
            depth += (found in _OPEN) - (found in _CLOSE)
    if len(inside) == 1:
        inside = inside if continued else ""
    elif continued and not inside:
        inside = "\\"  # the next line goes on; nothing in it closes this, so it lasts one line
    return ("" if inside == "\\" and not continued else inside), max(depth, 0)


def _replace(lines: list[str], index: int, left_out: list[tuple[int, str]]) -> None:
    """Replaces one line, if it is none of Python."""
    line = lines[index]
    indent = line[: len(line) - len(line.lstrip())]
    text = line.strip()
    if assigned := _ASSIGNED.match(line):
        lines[index] = f"{assigned[1]}raise RuntimeError({MESSAGE_ASSIGNED.format(text=text)!r})"
    elif _QUESTION.match(line) or text.startswith("?"):
        lines[index] = f"{indent}pass"
    elif text.startswith("!"):
        left_out.append((index + 1, text))
        lines[index] = f"{indent}pass"
        _drop_continuation(lines, index)
    elif text.startswith("%"):
        name, rest = _word(text.lstrip("%"))
        lines[index] = indent + (_python_line(name, rest) if name in PYTHON_LINES else "pass")
        if name not in HARMLESS:
            left_out.append((index + 1, text))
        if name not in PYTHON_LINES:
            _drop_continuation(lines, index, text)


def _drop_continuation(lines: list[str], index: int, text: str = "") -> None:
    """Removes the lines that a shell command goes on in."""
    while text.endswith("\\") and index + 1 < len(lines):
        index += 1
        text, lines[index] = lines[index], ""


def _python_line(name: str, rest: str) -> str:
    """Returns the code that a line magic takes."""
    return rest[_OPTIONS.match(rest).end() :] or "pass"  # type: ignore[union-attr]


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
