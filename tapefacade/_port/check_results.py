"""What was found in a program that was checked."""

import dataclasses
from typing import NamedTuple

from tapefacade._port.name_status import MISSING, THERE


class SourcePlace(NamedTuple):
    """A line of a script, or of a cell of a notebook; cells are counted from 1."""

    cell: int | None
    line: int | None

    def __str__(self) -> str:
        cell = "" if self.cell is None else f"[{self.cell}]"
        return f"{cell}{':' if self.cell and self.line else ''}{self.line or ''}"


@dataclasses.dataclass
class UsedName:
    """A name that a program uses.

    Attributes:
        name: the dotted name, such as `tf.math.log`.
        status: whether it is there.
        guarded: whether the program provides for its absence.
        text: how it differs, or what to write instead; of what is there, what it does beyond
            TensorFlow.
        places: where it is used.
    """

    name: str
    status: str
    guarded: bool
    text: str
    places: list[SourcePlace] = dataclasses.field(default_factory=list)

    @property
    def counts(self) -> bool:
        """Whether the program will miss it."""
        return self.status == MISSING and not self.guarded


@dataclasses.dataclass
class Remark:
    """A note or an error, and the place it is about."""

    text: str
    place: SourcePlace


@dataclasses.dataclass
class CheckedProgram:
    """What was found in one file.

    Attributes:
        path: the file.
        lines: how many lines of code it has.
        names: the names of TensorFlow in it.
        notes: what else is to be said.
        errors: why it could not be read, or not all of it.
    """

    path: str
    lines: int = 0
    names: list[UsedName] = dataclasses.field(default_factory=list)
    notes: list[Remark] = dataclasses.field(default_factory=list)
    errors: list[Remark] = dataclasses.field(default_factory=list)

    def count(self, status: str) -> int:
        """Counts the names of a status, but for those whose absence is provided for."""
        return sum(n.status == status and (status != MISSING or n.counts) for n in self.names)

    @property
    def does_more(self) -> int:
        """Counts the names that are there, and do something that TensorFlow's do not."""
        return sum(n.status == THERE and bool(n.text) for n in self.names)


def summary(files: list[CheckedProgram]) -> dict[str, int]:
    """Counts what was found in all files; a name counts once in each.

    Args:
        files: what was found.

    Returns:
        The numbers of files, lines, names of each status, and errors.

    >>> summary([])["missing"]
    0
    """
    return {
        "files": len(files),
        "lines": sum(file.lines for file in files),
        "there": sum(file.count("there") for file in files),
        "more": sum(file.does_more for file in files),
        "different": sum(file.count("different") for file in files),
        "missing": sum(file.count("missing") for file in files),
        "errors": sum(len(file.errors) for file in files),
    }
