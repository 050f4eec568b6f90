"""`python -m tapefacade check`: which names of TensorFlow programs use, and what there is of them.

With `--json` the answer is one object, whose form stays as it is while `schema` is 1:

    {"schema": 1, "tapefacade": "0.1.0", "status": 1,
     "files": [{"path": "train.py",
                "names": [{"name": "tf.log", "status": "missing", "guarded": false,
                           "text": "The nearest name is `tf.math.log`.",
                           "places": [{"cell": null, "line": 3}]}],
                "notes": [{"text": "...", "cell": null, "line": 1}],
                "errors": [{"text": "...", "cell": null, "line": 9}]}],
     "summary": {"files": 1, "lines": 12, "there": 0, "more": 0, "different": 0, "missing": 1,
                 "errors": 0}}

`status` of the whole is the exit status: 0 if every name is there, 1 if some are missing, 2 if
something could not be read. That of a name is "there", "different" (which may change results or
speed) or "missing"; it is `guarded` where the program provides for its absence, which does not
count. `more` counts the names that are there and do something that TensorFlow's do not, which
their text says. Members of tensors and models, and arguments, are named if they are missing, where
it is clear what they belong to. `cell` is the number of the
notebook's code cell, from 1 on, or null; `line` is null where a file as a whole is meant. Files
that use no TensorFlow are listed, with no names. `summary` counts names once for each file;
`missing` leaves out the guarded ones.
"""

import ast
import json
import pathlib
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Set
from importlib import metadata
from typing import Any, TextIO

from tapefacade._core.optional_imports import how_to_install
from tapefacade._port.check_results import CheckedProgram, Remark, SourcePlace, UsedName, summary
from tapefacade._port.check_text import Styles, file_lines, summary_line
from tapefacade._port.name_extras import lacking
from tapefacade._port.name_status import MISSING, look_up
from tapefacade._port.name_uses import NameUse, Reader
from tapefacade._port.program_files import UnreadableError, programs, read_program
from tapefacade._port.spelling_fixes import diff, fixed_code, fixes, write
from tapefacade._port.value_members import look_up_detail

SCHEMA = 1
ALL_THERE, SOME_MISSING, UNREADABLE = 0, 1, 2
# Seconds between two reports of progress.
SECONDS_PER_REPORT = 0.1
NOWHERE = SourcePlace(None, None)
MESSAGE_EMPTY = "there is no Python file and no notebook"
MESSAGE_NOTHING_TO_FIX = "Nothing is only called otherwise today: there is nothing to fix.\n"
MESSAGE_LACKING = "{} need{} what is not installed. {}"
MESSAGE_SHOWN = "\nNothing has been written. This writes it: check --fix --write\n"
MESSAGE_WRITTEN = "\nWritten: {:,} spelling{} in {:,} file{}.\n"


def check(paths: list[str], as_json: bool = False, quiet: bool = False) -> int:
    """Checks programs and prints what it finds.

    Args:
        paths: scripts, notebooks, and folders of them.
        as_json: print one JSON object.
        quiet: say nothing of files in which all is there, nor of names that are.

    Returns:
        The exit status.
    """
    styles = Styles(sys.stdout)
    files: list[CheckedProgram] = []
    said, told = quiet, set[str]()
    for checked in _all_checked(paths, sys.stderr):
        files.append(checked)
        if not as_json:
            for line in file_lines(checked, styles, told, quiet):
                said = True
                sys.stdout.write(f"{line}\n")
    status = _status(files)
    if as_json:
        json.dump(_as_json(files, status), sys.stdout, indent=1)
        sys.stdout.write("\n")
    elif len(files) > 1 or not said:
        sys.stdout.write(f"{summary_line(files, styles)}\n")
    return status


def fix(paths: list[str], writes: bool = False) -> int:
    """Shows how scripts are written today, where nothing but the spelling of a name has changed.

    Args:
        paths: scripts, and folders of them. Notebooks are left as they are.
        writes: change the files, too.

    Returns:
        The exit status: 0, or 2 if something could not be read.
    """
    files = spellings = 0
    status = ALL_THERE
    for path in programs(paths):
        if path.endswith(".ipynb"):
            continue
        reader = Reader()
        try:
            ((_, code),) = read_program(path)
            reader.read(_parsed(code))
            reader.finish()
        except (UnreadableError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            sys.stderr.write(f"{path}: {error}\n")
            status = UNREADABLE
            continue
        found = fixes(code, reader.uses, reader.details)
        if found:
            files, spellings = files + 1, spellings + len(found)
            after = fixed_code(code, found)
            sys.stdout.writelines(diff(path, code, after))
            if writes:
                write(path, after)
    if not files:
        sys.stdout.write(MESSAGE_NOTHING_TO_FIX)
    elif writes:
        plurals = "s" * (spellings != 1), "s" * (files != 1)
        sys.stdout.write(MESSAGE_WRITTEN.format(spellings, plurals[0], files, plurals[1]))
    else:
        sys.stdout.write(MESSAGE_SHOWN)
    return status


def _all_checked(paths: list[str], progress: TextIO) -> Iterator[CheckedProgram]:
    """Checks one file after the other, and shows how far it has come on a terminal."""
    shows, last = progress.isatty(), time.monotonic()
    count = lines = 0
    found = list(programs(paths))
    own = {_module_name(pathlib.Path(path)) for path in found}
    for path in found:
        checked = check_file(path, own)
        count, lines = count + 1, lines + checked.lines
        if shows:
            progress.write("\r\033[K")
        yield checked
        if shows and time.monotonic() - last > SECONDS_PER_REPORT:
            last = time.monotonic()
            progress.write(f"\r\033[K{count:,} files, {lines:,} lines")
            progress.flush()
    if shows:
        progress.write("\r\033[K")
    if not count:
        yield CheckedProgram(paths[0], errors=[Remark(MESSAGE_EMPTY, NOWHERE)])


def _module_name(path: pathlib.Path) -> str:
    """Returns what programs say that import a file, or its folder if that is a package."""
    return path.resolve().parent.name if path.stem == "__init__" else path.stem


def check_file(path: str, own: Set[str] = frozenset()) -> CheckedProgram:
    """Reads a program, without running it, and looks its names up.

    Args:
        path: a script or a notebook.
        own: the names of modules and packages that are looked into, too.

    Returns:
        What was found.
    """
    checked = CheckedProgram(path)
    reader = Reader(own)
    try:
        pieces = read_program(path)
    except UnreadableError as error:
        checked.errors.append(Remark(str(error), NOWHERE))
        return checked
    for cell, code in pieces:
        checked.lines += code.count("\n") + 1
        try:
            reader.read(_parsed(code), cell)
        except SyntaxError as error:
            checked.errors.append(
                Remark(f"syntax error: {error.msg}", SourcePlace(cell, error.lineno))
            )
        except (ValueError, RecursionError, MemoryError) as error:
            checked.errors.append(Remark(f"it cannot be parsed: {error}", SourcePlace(cell, None)))
    try:
        reader.finish()
    except RecursionError as error:
        checked.errors.append(Remark(f"it cannot be parsed: {error}", NOWHERE))
    checked.names = _names(reader.uses, reader.details)
    checked.notes = [Remark(note.text, SourcePlace(note.cell, note.line)) for note in reader.notes]
    checked.notes += _lacking(checked.names)
    return checked


def _lacking(names: list[UsedName]) -> Iterator[Remark]:
    """Says which extras the program will miss when it has run for a while."""
    found: dict[str, list[UsedName]] = {}
    for name in names:
        if name.status != MISSING and (extra := lacking(name.name)):
            found.setdefault(extra, []).append(name)
    for extra, users in found.items():
        who = ", ".join(name.name for name in users)
        text = MESSAGE_LACKING.format(who, "s" * (len(users) == 1), how_to_install(extra))
        yield Remark(text, users[0].places[0])


def _parsed(code: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "\d" and the like
        return ast.parse(code)


def _known(uses: Iterable[NameUse], details: Iterable[NameUse]) -> Iterator[tuple[Any, NameUse]]:
    """Yields the name, status and text of what is used, and the use."""
    for use in uses:
        status, text = look_up(use.name)
        if not use.doubtful or status != MISSING:
            yield (use.name, status, text), use
    for use in details:
        detail = look_up_detail(use.name)
        if detail is not None:
            yield (detail.name, MISSING, detail.text), use


def _names(uses: Iterable[NameUse], details: Iterable[NameUse]) -> list[UsedName]:
    """Looks up what is used, in the order of names."""
    found: dict[str, UsedName] = {}
    for (shown, status, text), use in _known(uses, details):
        name = found.setdefault(shown, UsedName(shown, status, use.guarded, text))
        name.guarded = name.guarded and use.guarded
        place = SourcePlace(use.cell, use.line)
        if place not in name.places:
            name.places.append(place)
    for name in found.values():
        name.guarded = name.guarded and name.status == MISSING
        name.places.sort(key=lambda place: (place.cell or 0, place.line or 0))
    return sorted(found.values(), key=lambda name: name.name)


def _status(files: list[CheckedProgram]) -> int:
    if any(file.errors for file in files):
        return UNREADABLE
    return SOME_MISSING if any(file.count(MISSING) for file in files) else ALL_THERE


def _as_json(files: list[CheckedProgram], status: int) -> dict[str, Any]:
    try:
        version = metadata.version("tapefacade")
    except metadata.PackageNotFoundError:  # a checkout that nobody has installed
        version = None
    return {
        "schema": SCHEMA,
        "tapefacade": version,
        "status": status,
        "files": [_file(checked) for checked in files],
        "summary": summary(files),
    }


def _file(checked: CheckedProgram) -> dict[str, Any]:
    return {
        "path": checked.path,
        "names": [
            {
                "name": name.name,
                "status": name.status,
                "guarded": name.guarded,
                "text": name.text,
                "places": [place._asdict() for place in name.places],
            }
            for name in checked.names
        ],
        "notes": [{"text": note.text, **note.place._asdict()} for note in checked.notes],
        "errors": [{"text": error.text, **error.place._asdict()} for error in checked.errors],
    }
