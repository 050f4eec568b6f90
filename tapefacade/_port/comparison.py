"""`python -m tapefacade compare`: what a program prints under TensorFlow and here, and how fast.

The program runs twice, one after the other, each time in a process of its own. Nothing is put into
it: what is compared are the lines that it prints, text to the letter and numbers about.
"""

import dataclasses
import importlib.util
import itertools
import math
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import IO, NamedTuple

from tapefacade._port.comparison_text import page, report

NUMBER = re.compile(r"[-+]?(?:(?:\d+(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
# A number before one of these is a time or a speed, which may be any.
UNIT = re.compile(r"\s?(?:ns|us|\u00b5s|ms|s|sec|seconds|min|minutes|it/s|steps?/s|s/it)\b(?!\w)")
# What is another at every run, wherever it runs: the time, and places in memory.
VOLATILE_TEXT = re.compile(
    r"\d{4}-\d\d-\d\d(?:[ T_]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?|\d{8}[-_]\d{6}"
    r"|\b\d\d:\d\d:\d\d(?:[.,]\d+)?|0x[0-9a-f]{6,}"
)
# Sums are added in another order: results of float32 differ by about this much after some steps.
RELATIVE, ABSOLUTE = 1e-3, 1e-6
# What makes a number of a line the loss.
LOSS = re.compile(r"loss\D{0,12}?(" + NUMBER.pattern + ")", re.IGNORECASE)
SAME, DIFFERENT, FAILED = 0, 1, 2
ERROR_LINES = 12
MESSAGE_NO_TENSORFLOW = (
    "TensorFlow is not installed for {}: name a Python that has it, "
    "`--tensorflow-python PATH/TO/python`"
)
HAS_TENSORFLOW = "import importlib.util as u, sys; sys.exit(u.find_spec('tensorflow') is None)"


class PrintedLine(NamedTuple):
    """A line that a program has printed, and how many seconds after its start."""

    text: str
    seconds: float


@dataclasses.dataclass
class ProgramRun:
    """One run of the program.

    Attributes:
        title: under what it ran.
        lines: what it printed.
        seconds: how long it took.
        status: its exit status.
        errors: the end of what it wrote to standard error.
    """

    title: str
    lines: list[PrintedLine]
    seconds: float
    status: int
    errors: list[str]

    @property
    def first(self) -> float | None:
        """The seconds until it printed its first line: start, imports, and mostly compiling."""
        return self.lines[0].seconds if self.lines else None

    @property
    def later(self) -> float | None:
        """The seconds from its first line to its last: the steps."""
        return self.lines[-1].seconds - self.lines[0].seconds if len(self.lines) > 1 else None


class LinePair(NamedTuple):
    """Lines of the two runs in the same place; None where a run has printed no more.

    Attributes:
        theirs: TensorFlow's.
        ours: the other.
        difference: the largest relative difference of their numbers; infinite if texts differ.
    """

    theirs: str | None
    ours: str | None
    difference: float

    @property
    def is_same(self) -> bool:
        """Whether they say the same."""
        return self.difference <= RELATIVE


@dataclasses.dataclass
class Comparison:
    """The two runs, and their lines side by side.

    Attributes:
        script: the program.
        theirs: its run under TensorFlow.
        ours: its run here.
        pairs: what they have printed.
        has_seed: whether the program sets a seed, so far as one can see.
    """

    script: str
    theirs: ProgramRun
    ours: ProgramRun
    pairs: list[LinePair]
    has_seed: bool = True

    @property
    def first_difference(self) -> int | None:
        """The number of the first line that differs, from 1 on; None if none does."""
        return next((n for n, pair in enumerate(self.pairs, 1) if not pair.is_same), None)

    @property
    def largest(self) -> float:
        """The largest relative difference of numbers in lines that say the same."""
        return max((pair.difference for pair in self.pairs if pair.is_same), default=0.0)

    @property
    def losses(self) -> tuple[list[float], list[float]]:
        """The losses that the two have printed."""
        theirs, ours = (
            [_number(found[1]) for line in run.lines if (found := LOSS.search(line.text))]
            for run in (self.theirs, self.ours)
        )
        return theirs, ours

    @property
    def status(self) -> int:
        """The exit status of the command."""
        if self.theirs.status or self.ours.status:
            return FAILED
        return DIFFERENT if self.first_difference else SAME


def compare(script: str, arguments: list[str], python: str, html: str | None = None) -> int:
    """Runs a program under TensorFlow and here, and prints both side by side.

    Args:
        script: the program.
        arguments: its arguments.
        python: an interpreter that has TensorFlow.
        html: a file that the same goes into, as a page.

    Returns:
        The exit status: 0 if both have printed the same, 1 if not, 2 if one of them has failed.
    """
    theirs = run("TensorFlow", [python, script, *arguments])
    ours = run("tapefacade", [sys.executable, "-m", "tapefacade", "run", script, *arguments])
    pairs = list(paired_lines([p.text for p in theirs.lines], [p.text for p in ours.lines]))
    path = pathlib.Path(script)
    has_seed = not path.is_file() or "seed" in path.read_text(encoding="utf-8", errors="replace")
    comparison = Comparison(script, theirs, ours, pairs, has_seed)
    sys.stdout.write(report(comparison))
    if html:
        pathlib.Path(html).write_text(page(comparison), encoding="utf-8")
        sys.stdout.write(f"\nAs a page: {html}\n")
    return comparison.status


def has_tensorflow(python: str) -> bool:
    """Whether an interpreter has TensorFlow.

    Args:
        python: the interpreter; our own is not started for that.
    """
    if os.path.abspath(python) == os.path.abspath(sys.executable):
        return importlib.util.find_spec("tensorflow") is not None
    try:
        return subprocess.run([python, "-c", HAS_TENSORFLOW], capture_output=True).returncode == 0
    except OSError:
        return False


def run(title: str, command: list[str]) -> ProgramRun:
    """Runs a program and notes what it prints, and when.

    Args:
        title: under what it runs.
        command: the words of the command.
    """
    environment = {"TF_CPP_MIN_LOG_LEVEL": "2", **os.environ, "PYTHONUNBUFFERED": "1"}
    began = time.perf_counter()
    errors: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        env=environment,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        reader = threading.Thread(target=_read, args=(process.stderr, errors), daemon=True)
        reader.start()
        lines = [PrintedLine(t.rstrip("\n"), time.perf_counter() - began) for t in process.stdout]
        reader.join()
        status = process.wait()
    return ProgramRun(title, lines, time.perf_counter() - began, status, errors[-ERROR_LINES:])


def _read(stream: IO[str], lines: list[str]) -> None:
    lines.extend(line.rstrip("\n") for line in stream)


def paired_lines(theirs: list[str], ours: list[str]) -> Iterator[LinePair]:
    """Puts the lines of two runs side by side.

    Args:
        theirs: what one has printed.
        ours: what the other has.

    >>> [pair.is_same for pair in paired_lines(["loss 0.50001", "a"], ["loss 0.5", "b"])]
    [True, False]
    """
    for one, other in itertools.zip_longest(theirs, ours):
        yield LinePair(one, other, difference(one, other))


def difference(one: str | None, other: str | None) -> float:
    """Returns the largest relative difference of the numbers of two lines; times may be any.

    So may dates, times of the day and places in memory.

    Args:
        one: a line; None if there is none.
        other: another one.

    Returns:
        The difference, infinite if the texts around the numbers differ.

    >>> difference("step 3: 12 ms", "step 3: 345 ms"), difference("step 3", "steps 3")
    (0.0, inf)
    """
    if one is None or other is None:
        return math.inf
    one, other = VOLATILE_TEXT.sub("<>", one), VOLATILE_TEXT.sub("<>", other)
    if one == other:
        return 0.0
    forms = [" ".join(NUMBER.sub("#", line).split()) for line in (one, other)]
    if forms[0] != forms[1]:
        return math.inf
    numbers = zip(NUMBER.finditer(one), NUMBER.finditer(other), strict=True)
    return max((_apart(a, b) for a, b in numbers if not UNIT.match(one, a.end())), default=0.0)


def _apart(a: re.Match[str], b: re.Match[str]) -> float:
    one, other = _number(a[0]), _number(b[0])
    apart = abs(one - other)
    return 0.0 if apart <= ABSOLUTE else apart / max(abs(one), abs(other))


def _number(text: str) -> float:
    return float(text.replace(",", ""))
