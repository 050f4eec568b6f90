"""`check --fix`: replaces names that TensorFlow has changed, and shows the diff first."""

import difflib
import re
import tokenize
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tapefacade._port.name_status import MISSING, look_up, name_today
from tapefacade._port.name_uses import NameUse
from tapefacade._port.value_members import look_up_detail

# The alias of the module, and what follows it.
CHAIN = re.compile(r"(\w+)((?:\.\w+)+)")


class SpellingFix(NamedTuple):
    """A piece of a line, by its bytes, and what to write there."""

    line: int
    start: int
    end: int
    text: str


def fixes(code: str, uses: Iterable[NameUse], details: Iterable[NameUse]) -> list[SpellingFix]:
    """Finds what to write otherwise in a script.

    Args:
        code: the script.
        uses: the names of TensorFlow in it.
        details: the members and arguments in it.
    """
    lines = code.encode().splitlines()
    found = []
    for use in uses:
        first, start, last, end = use.span
        if first != last or use.guarded or look_up(use.name).status != MISSING:
            continue
        written = CHAIN.fullmatch(lines[first - 1][start:end].decode())
        today = name_today(use.name)
        # A name that an import has bound (`from tensorflow import log`) is left as it is.
        if written and today and f"tf{written[2]}" == use.name:
            found.append(SpellingFix(first, start, end, written[1] + today.removeprefix("tf")))
    for use in details:
        detail = look_up_detail(use.name)
        if detail is not None and detail.spelling:
            keyword = use.name.rpartition("(")[2].removesuffix("=)")
            line, start = use.span[:2]
            found.append(SpellingFix(line, start, start + len(keyword), detail.spelling))
    return sorted(set(found))


def fixed_code(code: str, found: Iterable[SpellingFix]) -> str:
    r"""Returns a script with the fixes in it.

    Args:
        code: the script.
        found: the fixes.

    >>> fixed_code("y = tf.log(x)\n", [SpellingFix(1, 4, 10, "tf.math.log")])
    'y = tf.math.log(x)\n'
    """
    lines = code.encode().splitlines(keepends=True)
    for fix in sorted(found, reverse=True):
        line = lines[fix.line - 1]
        lines[fix.line - 1] = line[: fix.start] + fix.text.encode() + line[fix.end :]
    return b"".join(lines).decode()


def diff(path: str, before: str, after: str) -> Iterator[str]:
    """Yields the lines of the difference between two states of a file."""
    yield from difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), path, f"{path} (fixed)"
    )


def write(path: str, text: str) -> None:
    """Writes a script in the encoding that it has had, and with its ends of lines."""
    with open(path, "rb") as file:
        encoding, _ = tokenize.detect_encoding(file.readline)
        file.seek(0)
        newline = "\r\n" if b"\r\n" in file.read() else "\n"
    with open(path, "w", encoding=encoding, newline=newline) as file:
        file.write(text)
