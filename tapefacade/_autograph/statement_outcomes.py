"""What has become of the statements of a function: instructions, or Python, and why."""

import contextlib
import linecache
import os
import sys
from typing import NamedTuple

from tapefacade._core.logging import get_logger
from tapefacade._core.thread_state import ThreadState
from tapefacade._trace.program_listing import CELL, MAX_SOURCE

AN_INSTRUCTION = "an instruction"
WITH_CALLS = "compiled up to each call of Python"
# A loop that has had so many lengths has others again and again.
MIN_LENGTHS = 4
VERBOSE_ABOUT_PYTHON, VERBOSE_ABOUT_ALL = 1, 3  # levels of `tf.autograph.set_verbosity`


class Site(NamedTuple):
    """Where a statement is.

    Attributes:
        file: the name of the file.
        line: the number of its line.
        kind: "if", "while", "for" and so on.
    """

    file: str
    line: int
    kind: str

    @property
    def place(self) -> str:
        """The file and line, as messages show them."""
        if CELL.search(self.file):
            return f"cell line {self.line}"
        return f"{os.path.basename(self.file)}:{self.line}"

    @property
    def text(self) -> str:
        """What stands in the line."""
        return linecache.getline(self.file, self.line).strip()[:MAX_SOURCE]


class StatementOutcomes:
    """What has become of the statements on tensors in one function.

    Attributes:
        staged: those that are compiled, and as what.
        refused: those that run as Python, and why.
        show_lengths: loops whose bodies depend on how long they are.
        is_too_early: whether one runs as Python only until it is known what Python in it returns.
    """

    def __init__(self) -> None:
        self.staged: dict[Site, str] = {}
        self.refused: dict[Site, str] = {}
        self.show_lengths: set[Site] = set()
        self.is_too_early = False
        self._lengths: dict[Site, set[int]] = {}

    def varies(self, site: Site, length: int) -> bool:
        """Notes how long a loop is; returns whether it should be recorded for all lengths."""
        known = self._lengths.setdefault(site, set())
        if len(known) < MIN_LENGTHS:
            known.add(length)
            return False
        return site not in self.show_lengths

    def stage(self, site: Site, what: str = AN_INSTRUCTION) -> None:
        """Notes that a statement is compiled, and as what."""
        if site not in self.staged and VERBOSITY.level >= VERBOSE_ABOUT_ALL:
            VERBOSITY.tell(f"{site.place}: {site.text}  # {what}")
        self.staged[site] = what

    def refuse(self, site: Site, why: str) -> None:
        """Notes that a statement runs as Python."""
        self.refused[site] = why
        self.staged.pop(site, None)
        if VERBOSITY.level >= VERBOSE_ABOUT_PYTHON:
            VERBOSITY.tell(f"{site.place}: {site.text}  # Python, because {why}")

    def lines(self) -> list[str]:
        """Returns a line for each statement, in the order of the text."""
        found = dict(self.staged)
        found.update((site, f"Python, because {why}") for site, why in self.refused.items())
        return [f"{site.place}: {site.text}  # {found[site]}" for site in sorted(found)]


class _Verbosity:
    """What `tf.autograph.set_verbosity` sets."""

    level = 0
    is_printed = False

    def tell(self, text: str) -> None:
        """Logs a text, and prints it if that is wanted."""
        get_logger().info(text)
        if self.is_printed:
            sys.stdout.write(f"{text}\n")


VERBOSITY = _Verbosity()


class _Current(ThreadState):
    """Where this thread notes what becomes of statements; None where all of them are Python."""

    outcomes: StatementOutcomes | None = None


CURRENT = _Current()


def noting_outcomes(
    outcomes: StatementOutcomes | None,
) -> contextlib.AbstractContextManager[None]:
    """Makes a block whose statements are noted, and may be instructions; None: all are Python."""
    return CURRENT.temporarily(outcomes=outcomes)
