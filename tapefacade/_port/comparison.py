"""`python -m tapefacade compare`: what a program prints under TensorFlow and here, and how fast.

The program runs twice, one after the other, each time in a process of its own. Nothing is put into
it: what is compared are the lines that it prints (`printed_lines.py`).
"""

import dataclasses
import html
import math
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator, Sequence
from typing import IO

from tapefacade._port.printed_lines import LinePair, PrintedLine, losses, paired_lines, shown

# What makes the random numbers of a program the same at every run.
SEED = re.compile(
    r"set_seed|set_random_seed|random\.seed|default_rng\(\s*\w|RandomState\(\s*\w|from_seed"
)
SAME, DIFFERENT, FAILED = 0, 1, 2
ERROR_LINES = 12
RAISED = re.compile(r"(?:\w+\.)*(\w*(?:Error|Exception|KeyboardInterrupt)\b.*)")
MAX_WIDTH = 200  # of the message of an exception
MESSAGE_NO_TENSORFLOW = (
    "TensorFlow is not installed for {}: name a Python that has it, "
    "`--tensorflow-python PATH/TO/python`"
)
MAX_LINES = 12
MAX_ROWS = 1000  # of a page
MAX_LOSSES = 4
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
<p>{versions}</p>
{chart}
<h2>What was printed</h2>
<div class="wide"><table><tr><th></th><th>TensorFlow</th><th>tapefacade</th></tr>
{lines}
</table></div>
</body></html>
"""
# Asks an interpreter for its version and TensorFlow's, without importing that.
ASK_VERSIONS = """
import importlib.metadata as metadata, importlib.util, platform, sys
if importlib.util.find_spec("tensorflow") is None:
    sys.exit(1)
found = {}
for name in "tensorflow", "tensorflow-cpu", "tensorflow-macos", "tf-nightly", "tf-nightly-cpu":
    try:
        found[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
print(f"TensorFlow {next(iter(found.values()), '')} on Python {platform.python_version()}")
"""


@dataclasses.dataclass
class ProgramRun:
    """One run of the program.

    Attributes:
        title: under what it ran.
        lines: what it printed.
        seconds: how long it took.
        status: its exit status.
        errors: what it wrote to standard error.
    """

    title: str
    lines: list[PrintedLine]
    seconds: float
    status: int
    errors: list[PrintedLine]

    @property
    def raised(self) -> str:
        """The exception that ended it, in brackets and cut; empty if none is seen."""
        found = (RAISED.match(line.text) for line in reversed(self.errors))
        text = next((match[1] for match in found if match), "") if self.status else ""
        return f" ({textwrap.shorten(text, MAX_WIDTH, placeholder=' ...')})" if text else ""

    @property
    def kind(self) -> str:
        """The class of that exception, with a bracket."""
        return self.raised.partition(":")[0]

    @property
    def first(self) -> float | None:
        """The seconds until it printed its first line: start, imports, and mostly compiling."""
        return self.lines[0].seconds if self.lines else None

    @property
    def later(self) -> float | None:
        """The seconds from its first line to its last: the steps."""
        return self.lines[-1].seconds - self.lines[0].seconds if len(self.lines) > 1 else None


@dataclasses.dataclass
class Comparison:
    """The two runs, and their lines side by side.

    Attributes:
        script: the program.
        theirs: its run under TensorFlow.
        ours: its run here.
        pairs: what they have printed.
        has_seed: whether the program sets a seed, so far as one can see.
        setting: versions and machine.
    """

    script: str
    theirs: ProgramRun
    ours: ProgramRun
    pairs: list[LinePair]
    has_seed: bool = True
    setting: str = ""

    @property
    def first_difference(self) -> int | None:
        """The number of the first line that differs, from 1 on; None if none does."""
        return next((n for n, pair in enumerate(self.pairs, 1) if not pair.is_same), None)

    @property
    def largest(self) -> float:
        """The largest relative difference of numbers in lines that say the same."""
        return max((pair.difference for pair in self.pairs if pair.is_same), default=0.0)

    @property
    def losses(self) -> dict[str, tuple[list[float], list[float]]]:
        """The losses that both have printed, by name: TensorFlow's, and the others."""
        theirs = losses([pair.theirs for pair in self.pairs if pair.theirs])
        ours = losses([pair.ours for pair in self.pairs if pair.ours])
        return {name: (theirs[name], ours[name]) for name in theirs if name in ours}

    @property
    def status(self) -> int:
        """The exit status of the command."""
        if self.theirs.status or self.ours.status:
            return FAILED
        return DIFFERENT if self.first_difference else SAME


def compare(
    script: str, arguments: list[str], python: str, setting: str, html: str | None = None
) -> int:
    """Runs a program under TensorFlow and here, and prints both side by side.

    Args:
        script: the program.
        arguments: its arguments.
        python: an interpreter that has TensorFlow.
        setting: versions and machine, for the page.
        html: a file that the same goes into, as a page.

    Returns:
        The exit status: 0 if both have printed the same, 1 if not, 2 if one of them has failed.
    """
    theirs = run("TensorFlow", [python, script, *arguments])
    ours = run("tapefacade", [sys.executable, "-m", "tapefacade", "run", script, *arguments])
    program = pathlib.Path(script).read_text(encoding="utf-8", errors="replace")
    pairs = compared_lines(theirs, ours)
    comparison = Comparison(script, theirs, ours, pairs, bool(SEED.search(program)), setting)
    sys.stdout.write(report(comparison))
    if html:
        pathlib.Path(html).write_text(page(comparison), encoding="utf-8")
        sys.stdout.write(f"\nAs a page: {html}\n")
    return comparison.status


def compared_lines(theirs: ProgramRun, ours: ProgramRun) -> list[LinePair]:
    """Returns what two runs have printed side by side, in the order of the first.

    What went to standard error belongs to it where both have written it, as `tf.print` does: the
    other lines there are notices of TensorFlow and of the system.

    Args:
        theirs: a run.
        ours: the other.
    """
    pairs = list(paired_lines(theirs.lines, ours.lines))
    if not theirs.status and not ours.status:
        noted = paired_lines(theirs.errors, ours.errors)
        pairs += (pair for pair in noted if math.isfinite(pair.difference))
    moment, moments = 0.0, []
    for pair in pairs:  # a line that only the other has printed comes where that did it
        moment = pair.theirs.seconds if pair.theirs else moment
        moments.append(moment)
    order = sorted(range(len(pairs)), key=moments.__getitem__)
    return [pairs[place] for place in order]


def tensorflow_version(python: str) -> str | None:
    """Returns the versions of an interpreter and of the TensorFlow that it has, None without one.

    Args:
        python: the interpreter.
    """
    try:
        asked = subprocess.run([python, "-c", ASK_VERSIONS], capture_output=True, text=True)
    except OSError:
        return None
    return asked.stdout.strip() if asked.returncode == 0 else None


def run(title: str, command: list[str]) -> ProgramRun:
    """Runs a program and notes what it prints, and when.

    Args:
        title: under what it runs.
        command: the words of the command.
    """
    environment = {
        "TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONIOENCODING": "utf-8", **os.environ,
        "PYTHONUNBUFFERED": "1",
    }  # fmt: skip
    began = time.perf_counter()
    errors: list[PrintedLine] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        reader = threading.Thread(target=_read, args=(process.stderr, began, errors), daemon=True)
        reader.start()
        lines: list[PrintedLine] = []
        _read(process.stdout, began, lines)
        reader.join()
        status = process.wait()
    return ProgramRun(title, lines, time.perf_counter() - began, status, errors)


def _read(stream: IO[bytes], began: float, lines: list[PrintedLine]) -> None:
    for line in stream:  # ends at "\n" only: a progress bar is one line
        text = shown(line.decode("utf-8", "replace"))
        lines.append(PrintedLine(text, time.perf_counter() - began))


def verdict(comparison: Comparison) -> str:
    """Says in a sentence what has come out.

    Args:
        comparison: the two runs.
    """
    theirs, ours = comparison.theirs, comparison.ours
    # The same class is the same error: its text begins with a kernel's name under TensorFlow.
    if theirs.status and (theirs.status, theirs.kind) == (ours.status, ours.kind):
        text = f"The program ended with status {ours.status}{ours.raised}, under both. "
    else:
        ends = (
            f"Under {run.title} the program ended with status {run.status}{run.raised}. "
            for run in _failed(comparison)
        )
        text = "".join(ends)
    return text + _lines_verdict(comparison)


def _lines_verdict(comparison: Comparison) -> str:
    number = comparison.first_difference
    if number is None:
        count = len(comparison.pairs)
        if not count:
            return "Neither has printed anything."
        text = f"Both have printed the same {count:,} line{'s' * (count != 1)}"
        if not comparison.largest:
            return f"{text}, with the same numbers."
        return f"{text}; numbers differ by {comparison.largest:.1e} of their size at most."
    first = comparison.pairs[number - 1]
    text = f"Line {number:,} is the first that differs"
    if first.theirs is None or first.ours is None:
        text += f": only {'TensorFlow' if first.theirs else 'tapefacade'} has printed it"
    elif math.isfinite(first.difference):
        text += f", its numbers by up to {first.difference:.1e} of their size"
    different = sum(not pair.is_same for pair in comparison.pairs)
    text += f". {different:,} of {len(comparison.pairs):,} lines differ."
    if not comparison.has_seed and math.isfinite(first.difference):
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
    for name, (a, b) in list(comparison.losses.items())[:MAX_LOSSES]:
        yield f"first {name}", f"{a[0]:.6g}", f"{b[0]:.6g}"
        yield f"last {name}", f"{a[-1]:.6g}", f"{b[-1]:.6g}"
        apart = max(abs(x - y) / (max(abs(x), abs(y)) or 1.0) for x, y in zip(a, b, strict=False))
        yield f"largest difference of {name}", "", f"{apart:.1e} of its size"


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
    for place, pair in list(enumerate(comparison.pairs, 1))[max(0, last - MAX_LINES) : last]:
        theirs, ours = pair.texts
        if pair.is_same:
            yield f"  {place:>5}    {ours}"
        else:
            yield f"  {place:>5} TF {'(nothing)' if theirs is None else theirs}"
            yield f"  {'':>5} -> {'(nothing)' if ours is None else ours}"
    for run in _failed(comparison):
        lines = (f"    {error.text}" for error in run.errors[-ERROR_LINES:])
        yield from ("", f"  standard error under {run.title}:", *lines)


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
        + html.escape("\n".join(error.text for error in run.errors[-ERROR_LINES:]))
        + "</pre>"
        for run in _failed(comparison)
    )
    return PAGE.format(
        title=html.escape(f"{comparison.script}: TensorFlow and tapefacade"),
        verdict=html.escape(verdict(comparison)),
        speeds="\n".join(f"<tr>{''.join(f'<td>{html.escape(c)}</td>' for c in r)}</tr>"
                         for r in speeds),
        versions=html.escape(comparison.setting),
        chart="".join(_charts(comparison)) + errors,
        lines="\n".join(_rows(comparison.pairs)),
    )  # fmt: skip


def _rows(pairs: Sequence[LinePair]) -> Iterator[str]:
    """Yields the rows of the page: of many lines the first, and all that differ."""
    room, left_out = MAX_ROWS, 0
    for number, pair in enumerate(pairs, 1):
        if (number > MAX_ROWS // 2 and pair.is_same) or not room:
            left_out += 1
            continue
        room -= 1
        kind = "" if pair.is_same else ' class="different"'
        cells = (f"<td><code>{html.escape(text or '')}</code></td>" for text in pair.texts)
        yield f"<tr{kind}><td>{number}</td>{''.join(cells)}</tr>"
    if left_out:
        yield f'<tr><td></td><td colspan="2">and {left_out:,} lines more</td></tr>'


def _charts(comparison: Comparison) -> Iterator[str]:
    for name, series in list(comparison.losses.items())[:MAX_LOSSES]:
        yield _chart(name, series)


def _chart(name: str, series: Sequence[list[float]]) -> str:
    """Draws the losses of one name, if there are some."""
    known = [[loss for loss in one if math.isfinite(loss)] for one in series]
    if min(map(len, known)) < 2:
        return ""
    every = [*known[0], *known[1]]
    low, high = min(every), max(every)
    longest = max(map(len, known))
    drawn = ""
    for one, colour, dash in zip(known, COLOURS, ("", "6 4"), strict=True):
        points = " ".join(
            f"{10 + (WIDTH - 20) * n / (longest - 1):.1f},"
            f"{HEIGHT - 20 - (HEIGHT - 40) * (loss - low) / ((high - low) or 1.0):.1f}"
            for n, loss in enumerate(one)
        )
        drawn += (
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{dash}"/>'
        )
    title = html.escape(name)
    return (
        f'<h2>{title}</h2><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{title} of both runs" width="{WIDTH}" height="{HEIGHT}">{drawn}'
        f'<text x="10" y="12" font-size="12">{high:.4g}</text>'
        f'<text x="10" y="{HEIGHT - 4}" font-size="12">{low:.4g}</text></svg>'
        f'<p><span style="color:{COLOURS[0]}">TensorFlow</span>, '
        f'<span style="color:{COLOURS[1]}">tapefacade (dashed)</span></p>'
    )
