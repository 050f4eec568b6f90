"""What a check has found, as text for people: aligned, short, and in colours on a terminal."""

import itertools
import os
import shutil
import textwrap
from collections.abc import Iterator
from typing import TextIO

from tapefacade._port.check_results import CheckedProgram, Remark, SourcePlace, UsedName, summary
from tapefacade._port.name_status import DIFFERENT, MISSING, THERE

# Widths: of the first column, and of lines that go to a file.
FIRST_COLUMN_WIDTH, LINE_WIDTH = 11, 100
MAX_NAME, MAX_PLACES = 44, 6
MIN_FOLDED = 5  # names of which the same is said
COLOURS = {"error": "31", MISSING: "31", DIFFERENT: "33", "note": "36", THERE: "32", "head": "1"}
DIFFERENCE_PREFIX = "Unlike TensorFlow, "
INSTALL = "pip install"  # what is done once, for all files


class Styles:
    """How wide lines are, and whether words have colours."""

    def __init__(self, stream: TextIO) -> None:
        terminal = stream.isatty()
        self._coloured = terminal and "NO_COLOR" not in os.environ
        self.width = shutil.get_terminal_size().columns if terminal else LINE_WIDTH

    def paint(self, text: str, kind: str) -> str:
        """Gives a text the colour of its kind."""
        return f"\033[{COLOURS[kind]}m{text}\033[0m" if self._coloured else text


def file_lines(
    checked: CheckedProgram, styles: Styles, told: set[str], quiet: bool = False
) -> Iterator[str]:
    """Describes what was found in a file.

    Args:
        checked: what was found.
        styles: how to write it.
        told: what has been said of differences in other files, and of what is to be installed,
            which is not said again; what is said here is added.
        quiet: leave out the names that are there, and files that have no others.

    Yields:
        Lines, none if the file uses no TensorFlow.
    """
    names, errors = checked.names, checked.errors
    others = [name for name in names if name.status != THERE]
    if not (errors or others or ((names or checked.notes) and not quiet)):
        return
    yield f"{styles.paint(checked.path, 'head')}  {_counts(checked)}"
    for remark in errors:
        yield from _remark("error", remark, styles)
    others = _folded(others)
    longest = min(MAX_NAME, max((len(name.name) for name in others), default=0))
    for status in (MISSING, DIFFERENT):
        rows = [name for name in others if name.status == status]
        yield from _table(status, rows, longest, styles, told)
    for remark in checked.notes:
        yield from _remark("note", remark, styles)
    there = [] if quiet else [name.name for name in names if name.status == THERE]
    for word, line in _first_words(
        THERE, _wrapped(", ".join(there), styles.width - FIRST_COLUMN_WIDTH - 2)
    ):
        yield _row(word, line, styles)


def summary_line(files: list[CheckedProgram], styles: Styles) -> str:
    """Describes what was found in all files, in a line.

    Args:
        files: what was found.
        styles: how to write it.
    """
    counts = summary(files)
    users = sum(bool(file.names) for file in files)
    text = f"{counts['files']:,} file{'s' * (len(files) != 1)}, {users:,} with TensorFlow"
    if users:
        text += f"  {_numbers(counts)}"
    if counts["errors"]:
        text += f", {counts['errors']:,} errors"
    return styles.paint(text, "head")


def _counts(checked: CheckedProgram) -> str:
    if not checked.names:
        return "no names of TensorFlow"
    return _numbers(summary([checked]))


def _numbers(counts: dict[str, int]) -> str:
    more = f" ({counts['more']:,} with more)" if counts["more"] else ""
    different = f"{counts['different']:,} may change results or speed"
    return f"{counts['there']:,} there{more}, {counts['missing']:,} missing, {different}"


def _folded(names: list[UsedName]) -> list[UsedName]:
    """Joins what one thing is lacking for: with Keras, all that a program uses of it."""
    rows: list[UsedName] = []
    for _, same in itertools.groupby(names, key=lambda n: (n.text, n.name.split(".")[:2])):
        group = list(same)
        if len(group) < MIN_FOLDED:
            rows += group
            continue
        places = sorted({place for name in group for place in name.places}, key=_order)
        shown = f"{'.'.join(group[0].name.split('.')[:2])}, {len(group)} names"
        guarded = all(name.guarded for name in group)
        rows.append(UsedName(shown, group[0].status, guarded, group[0].text, places))
    return rows


def _order(place: SourcePlace) -> tuple[int, int]:
    return place.cell or 0, place.line or 0


def _table(
    status: str, names: list[UsedName], longest: int, styles: Styles, told: set[str]
) -> Iterator[str]:
    """Writes names, their places, and below them what is said of them."""
    for index, name in enumerate(names):
        places = _places(name.places) + (", guarded" if name.guarded else "")
        yield _row(status, f"{name.name:<{longest}}  {places}", styles)
        if index + 1 < len(names) and names[index + 1].text == name.text:
            continue  # it is said once, below the last of them
        if status == DIFFERENT or INSTALL in name.text:
            if name.text in told:
                continue
            told.add(name.text)
        text = name.text
        if text.startswith(DIFFERENCE_PREFIX):
            text = text[len(DIFFERENCE_PREFIX)].upper() + text[len(DIFFERENCE_PREFIX) + 1 :]
        for line in _wrapped(text, styles.width - FIRST_COLUMN_WIDTH - 4):
            yield _row("", f"  {line}", styles)


def _remark(kind: str, remark: Remark, styles: Styles) -> Iterator[str]:
    place = _places([remark.place]) if any(remark.place) else ""
    text = f"{place}: {remark.text}" if place else remark.text
    for word, line in _first_words(kind, _wrapped(text, styles.width - FIRST_COLUMN_WIDTH - 2)):
        yield _row(word, line, styles)


def _first_words(word: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        yield word, line
        word = ""


def _row(word: str, text: str, styles: Styles) -> str:
    padding = " " * (FIRST_COLUMN_WIDTH - len(word))
    return f"  {styles.paint(word, word) if word else ''}{padding}{text}"


def _places(places: list[SourcePlace]) -> str:
    shown = ", ".join(str(place) for place in places[:MAX_PLACES])
    more = len(places) - MAX_PLACES
    word = "line" if len(places) == 1 and not places[0].cell else "lines"
    if any(place.cell for place in places):
        word = "cell" if len(places) == 1 else "cells"
    return f"{word} {shown}" + (f" and {more} more" if more > 0 else "")


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, 20), break_long_words=False, break_on_hyphens=False)
