"""`python -m tapefacade compare`: what a program prints under TensorFlow and here, and how fast.

The program runs twice, one after the other, each time in a process of its own. Nothing is put into
it: what is compared are the lines that it prints, text to the letter and numbers about.
"""

import dataclasses
import html
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
from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple

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
MAX_LINES = 12
MIN_SECONDS_FOR_FACTOR = 0.05  # what is shorter is chance
NO_SEED = (
    "The program sets no seed, so its random numbers are others at every run: "
    "`tf.random.set_seed(0)`, `np.random.seed(0)`."
)
WIDTH, HEIGHT = 640, 220
COLOURS = "#c2410c", "#1d4ed8"
PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem }}
body {{ padding: 0 1rem }}
table {{ border-collapse: collapse; width: 100%; font-size: .9rem }}
td, th {{ border-bottom: 1px solid #ddd; padding: .2rem .6rem }}
td, th {{ text-align: left; vertical-align: top }}
.wide {{ overflow-x: auto }} code {{ white-space: pre-wrap }}
tr.different {{ background: #fee2e2 }} svg {{ max-width: 100%; height: auto }}
</style></head><body>
<h1>{title}</h1>
<p><strong>{verdict}</strong></p>
<div class="wide"><table>{speeds}</table></div>
{chart}
<h2>What was printed</h2>
<div class="wide"><table><tr><th></th><th>TensorFlow</th><th>tapefacade</th></tr>
{lines}
</table></div>
</body></html>
"""
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


def verdict(comparison: Comparison) -> str:
    """Says in a sentence what has come out.

    Args:
        comparison: the two runs.
    """
    runs = comparison.theirs, comparison.ours
    ends = [f"under {run.title} the program ended with status {run.status}" for run in runs]
    if runs[0].status != runs[1].status:
        ended = ", ".join(end for end, run in zip(ends, runs, strict=True) if run.status)
        return f"{ended[0].upper()}{ended[1:]}."
    text = f"The program ended with status {runs[0].status}, under both. " * bool(runs[0].status)
    return text + _lines_verdict(comparison)


def _lines_verdict(comparison: Comparison) -> str:
    number = comparison.first_difference
    if number is None:
        count = len(comparison.pairs)
        if not count:
            return "Neither has printed anything."
        return (
            f"Both have printed the same {count:,} line{'s' * (count != 1)}; numbers differ by "
            f"{comparison.largest:.1e} of their size at most."
        )
    text = f"Line {number:,} is the first that differs."
    if not comparison.has_seed and math.isfinite(comparison.pairs[number - 1].difference):
        text += f" {NO_SEED}"
    return text


def report(comparison: Comparison) -> str:
    """Returns the comparison as text.

    Args:
        comparison: the two runs.
    """
    rows = [("", "TensorFlow", "tapefacade"), *_speeds(comparison)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    table = [
        "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    lines = [f"{comparison.script}: {verdict(comparison)}", "", *(f"  {row}" for row in table), ""]
    return "\n".join([*lines, *_shown(comparison)]) + "\n"


def _speeds(comparison: Comparison) -> Iterator[tuple[str, str, str]]:
    theirs, ours = comparison.theirs, comparison.ours
    for title, a, b in (
        ("whole program", theirs.seconds, ours.seconds),
        ("until its first line", theirs.first, ours.first),
        ("from the first line to the last", theirs.later, ours.later),
    ):
        yield title, _seconds(a), _seconds(b) + _factor(a, b)
    losses = comparison.losses
    if all(losses):
        a, b = losses
        yield "first loss", f"{a[0]:.6g}", f"{b[0]:.6g}"
        yield "last loss", f"{a[-1]:.6g}", f"{b[-1]:.6g}"


def _factor(theirs: float | None, ours: float | None) -> str:
    if not theirs or not ours or max(theirs, ours) < MIN_SECONDS_FOR_FACTOR:
        return ""
    faster = theirs >= ours
    factor = theirs / ours if faster else ours / theirs
    return f" ({factor:.1f} times as {'fast' if faster else 'long'})"


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.2f} s"


def _shown(comparison: Comparison) -> Iterator[str]:
    """Yields the lines around the first difference, or the last ones, and errors."""
    number = comparison.first_difference
    last = len(comparison.pairs) if number is None else number + 2
    shown = list(enumerate(comparison.pairs, 1))[max(0, last - MAX_LINES) : last]
    for place, pair in shown:
        if pair.is_same:
            yield f"  {place:>5}    {pair.ours}"
        else:
            yield f"  {place:>5} TF {'(nothing)' if pair.theirs is None else pair.theirs}"
            yield f"  {'':>5} -> {'(nothing)' if pair.ours is None else pair.ours}"
    for run in _failed(comparison):
        yield from ("", f"  standard error under {run.title}:", *(f"    {e}" for e in run.errors))


def _failed(comparison: Comparison) -> "list[ProgramRun]":
    return [run for run in (comparison.theirs, comparison.ours) if run.status]


def page(comparison: Comparison) -> str:
    """Returns the comparison as a page in HTML, which refers to nothing outside.

    Args:
        comparison: the two runs.
    """
    speeds = [("", "TensorFlow", "tapefacade"), *_speeds(comparison)]
    errors = "".join(
        f"<h2>Standard error under {run.title}</h2><pre class='wide'>"
        + html.escape("\n".join(run.errors))
        + "</pre>"
        for run in _failed(comparison)
    )
    return PAGE.format(
        title=html.escape(f"{comparison.script}: TensorFlow and tapefacade"),
        verdict=html.escape(verdict(comparison)),
        speeds="\n".join(f"<tr>{''.join(f'<td>{html.escape(c)}</td>' for c in r)}</tr>"
                         for r in speeds),
        chart=_chart(comparison.losses) + errors,
        lines="\n".join(_row(number, pair) for number, pair in enumerate(comparison.pairs, 1)),
    )  # fmt: skip


def _row(number: int, pair: "tuple[str | None, str | None, float]") -> str:
    theirs, ours, difference = pair
    kind = "" if difference <= 1e-3 else ' class="different"'
    cells = (f"<td><code>{html.escape(text or '')}</code></td>" for text in (theirs, ours))
    return f"<tr{kind}><td>{number}</td>{''.join(cells)}</tr>"


def _chart(losses: Sequence[list[float]]) -> str:
    """Draws the losses, if there are some."""
    known = [[loss for loss in series if math.isfinite(loss)] for series in losses]
    if min(map(len, known)) < 2:
        return ""
    every = [*known[0], *known[1]]
    low, high = min(every), max(every)
    longest = max(map(len, known))
    drawn = ""
    for series, colour, dash in zip(known, COLOURS, ("", "6 4"), strict=True):
        points = " ".join(
            f"{10 + (WIDTH - 20) * n / (longest - 1):.1f},"
            f"{HEIGHT - 20 - (HEIGHT - 40) * (loss - low) / ((high - low) or 1.0):.1f}"
            for n, loss in enumerate(series)
        )
        drawn += (
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{dash}"/>'
        )
    return (
        f'<h2>Losses</h2><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="losses of both runs" width="{WIDTH}" height="{HEIGHT}">{drawn}'
        f'<text x="10" y="12" font-size="12">{high:.4g}</text>'
        f'<text x="10" y="{HEIGHT - 4}" font-size="12">{low:.4g}</text></svg>'
        f'<p><span style="color:{COLOURS[0]}">TensorFlow</span>, '
        f'<span style="color:{COLOURS[1]}">tapefacade (dashed)</span></p>'
    )
