"""`python -m tapefacade compare`: what a program prints under TensorFlow and here, and how fast.

The program runs twice, one after the other, each time in a process of its own. Nothing is put into
it: what is compared are the lines that it prints (`printed_lines.py`). Meanwhile standard error
says which run it is, how long it has taken and what it has printed last.
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
# What seeds Keras, whose first weights and dropout draw from Python's generator.
KERAS_SEED = re.compile(r"set_random_seed|(?<!np\.)(?<!numpy\.)\brandom\.seed\(")
SAME, DIFFERENT, FAILED = 0, 1, 2
SECONDS_BETWEEN_REPORTS = 20.0
SECONDS_TO_END = 5.0  # for a program that is asked to
FACTOR_TO_EXPLAIN, MIN_SECONDS_TO_EXPLAIN = 1.5, 1.0
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
NO_KERAS_SEED = (
    "Keras draws first weights and dropout from Python's generator, which `tf.random.set_seed` "
    "does not seed: write `tf.keras.utils.set_random_seed(0)`."
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
        status: its exit status; 0 if it was ended.
        errors: what it wrote to standard error.
        was_ended: whether it had run as long as it may.
    """

    title: str
    lines: list[PrintedLine]
    seconds: float
    status: int
    errors: list[PrintedLine]
    was_ended: bool = False

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


@dataclasses.dataclass
class Comparison:
    """The two runs, and their lines side by side.

    Attributes:
        script: the program.
        theirs: its run under TensorFlow.
        ours: its run here.
        pairs: what they have printed.
        advice: what to write for the same random numbers at every run, if the program does not.
        setting: versions and machine.
    """

    script: str
    theirs: ProgramRun
    ours: ProgramRun
    pairs: list[LinePair]
    advice: str = ""
    setting: str = ""

    @property
    def runs(self) -> tuple[ProgramRun, ProgramRun]:
        """Both runs."""
        return self.theirs, self.ours

    @property
    def later(self) -> tuple[float | None, float | None]:
        """The seconds from the first line to the last that both have printed: the steps."""
        both = [(pair.theirs, pair.ours) for pair in self.pairs if pair.theirs and pair.ours]
        if len(both) < 2:
            return None, None
        (a, b), (c, d) = both[0], both[-1]
        return c.seconds - a.seconds, d.seconds - b.seconds

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
    script: str, arguments: list[str], python: str, setting: str, html: str | None = None,
    limit: float | None = None,
) -> int:  # fmt: skip
    """Runs a program under TensorFlow and here, and prints both side by side.

    Args:
        script: the program.
        arguments: its arguments.
        python: an interpreter that has TensorFlow.
        setting: versions and machine, for the page.
        html: a file that the same goes into, as a page.
        limit: after how many seconds a run is ended; None to wait for its end.

    Returns:
        The exit status: 0 if both have printed the same, 1 if not, 2 if one of them has failed.
    """
    theirs = run("TensorFlow", [python, script, *arguments], limit)
    ours = run("tapefacade", [sys.executable, "-m", "tapefacade", "run", script, *arguments], limit)
    program = pathlib.Path(script).read_text(encoding="utf-8", errors="replace")
    pairs = compared_lines(theirs, ours)
    comparison = Comparison(script, theirs, ours, pairs, seed_advice(program), setting)
    sys.stdout.write(report(comparison))
    if html:
        pathlib.Path(html).write_text(page(comparison), encoding="utf-8")
        sys.stdout.write(f"\nAs a page: {html}\n")
    return comparison.status


def seed_advice(program: str) -> str:
    """Says what to write for the same random numbers at every run, if a program does not.

    Args:
        program: its text.

    >>> seed_advice("tf.random.set_seed(0)")
    ''
    >>> print(seed_advice("tf.random.set_seed(0); tf.keras.layers.Dense(3)"))
    Keras draws first weights and dropout from Python's generator, ...
    """
    if not SEED.search(program):
        return NO_SEED
    return NO_KERAS_SEED if "keras" in program and not KERAS_SEED.search(program) else ""


def compared_lines(theirs: ProgramRun, ours: ProgramRun) -> list[LinePair]:
    """Returns what two runs have printed side by side, in the order of the first.

    What went to standard error belongs to it where both have written it, as `tf.print` does: the
    other lines there are notices of TensorFlow and of the system.

    Args:
        theirs: a run.
        ours: the other.
    """
    pairs = list(paired_lines(theirs.lines, ours.lines))
    while pairs and _is_beyond(pairs[-1], theirs, ours):
        pairs.pop()
    if not theirs.status and not ours.status:
        noted = paired_lines(theirs.errors, ours.errors)
        pairs += (pair for pair in noted if math.isfinite(pair.difference))
    moment, moments = 0.0, []
    for pair in pairs:  # a line that only the other has printed comes where that did it
        moment = pair.theirs.seconds if pair.theirs else moment
        moments.append(moment)
    order = sorted(range(len(pairs)), key=moments.__getitem__)
    return [pairs[place] for place in order]


def _is_beyond(last: LinePair, theirs: ProgramRun, ours: ProgramRun) -> bool:
    """Whether a run was ended before it could print what the other has printed last."""
    return (theirs.was_ended and last.theirs is None) or (ours.was_ended and last.ours is None)


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


def run(title: str, command: list[str], limit: float | None = None) -> ProgramRun:
    """Runs a program and notes what it prints, and when.

    Who waits sees on standard error which run it is. Ctrl-C ends the program as the limit does.

    Args:
        title: under what it runs.
        command: the words of the command.
        limit: after how many seconds it is ended; None to wait for its end.
    """
    environment = {
        "TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONIOENCODING": "utf-8", **os.environ,
        "PYTHONUNBUFFERED": "1",
    }  # fmt: skip
    _tell(f"runs under {title}; Ctrl-C or `--timeout SECONDS` ends it, and compares what there is")
    began = time.perf_counter()
    lines: list[PrintedLine] = []
    errors: list[PrintedLine] = []
    rest: list[PrintedLine] = []  # half a line: what a program that is ended was about to print
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        readers = [
            threading.Thread(target=_read, args=(stream, began, found, after), daemon=True)
            for stream, found, after in (
                (process.stdout, lines, rest), (process.stderr, errors, errors),
            )
        ]  # fmt: skip
        for reader in readers:
            reader.start()
        was_ended = not _wait(process, began, lines, limit)
        for reader in readers:
            reader.join()
    lines += () if was_ended else rest
    status = 0 if was_ended else process.returncode
    return ProgramRun(title, lines, time.perf_counter() - began, status, errors, was_ended)


def _read(
    stream: IO[bytes], began: float, lines: list[PrintedLine], rest: list[PrintedLine]
) -> None:
    for line in stream:  # ends at "\n" only: a progress bar is one line
        text = shown(line.decode("utf-8", "replace"))
        found = lines if line.endswith(b"\n") else rest
        found.append(PrintedLine(text, time.perf_counter() - began))


def _wait(
    process: subprocess.Popen[bytes], began: float, lines: list[PrintedLine], limit: float | None
) -> bool:
    """Waits for a program, and tells of it; returns whether it came to its own end."""
    end = math.inf if limit is None else began + limit
    try:
        while True:
            left = max(0.0, end - time.perf_counter())
            try:
                process.wait(min(SECONDS_BETWEEN_REPORTS, left))
                return True
            except subprocess.TimeoutExpired:
                if left <= SECONDS_BETWEEN_REPORTS:
                    break
            last = f", the last: {lines[-1].text}" if lines else ""
            _tell(f"{time.perf_counter() - began:.0f} s, {len(lines):,} lines{last}")
    except KeyboardInterrupt:
        pass
    process.terminate()
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
    return False


def _tell(text: str) -> None:
    sys.stderr.write(f"compare: {textwrap.shorten(text, MAX_WIDTH, placeholder=' ...')}\n")
    sys.stderr.flush()


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
    for run in comparison.runs:
        if run.was_ended:
            text += f"Under {run.title} it was ended after {run.seconds:.0f} s. "
    return text + _lines_verdict(comparison) + _slowness(comparison)


def _slowness(comparison: Comparison) -> str:
    """Says who tells where the time goes, if there is more of it than under TensorFlow."""
    theirs, ours = comparison.later
    if theirs is None or ours is None or ours < MIN_SECONDS_TO_EXPLAIN:
        return ""
    if ours < FACTOR_TO_EXPLAIN * theirs:
        return ""
    command = f"python -m tapefacade run --report {comparison.script}"
    return f" `{command}` says where the time goes; what is compiled is kept for the next start."


def _lines_verdict(comparison: Comparison) -> str:
    number = comparison.first_difference
    if number is None:
        count = len(comparison.pairs)
        if not count:
            if any(run.was_ended for run in comparison.runs):
                return "By then there is no line of both to compare: let them run longer."
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
    if comparison.advice and math.isfinite(first.difference):
        text += f" {comparison.advice}"
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
    theirs, ours = comparison.runs
    is_whole = not any(run.was_ended for run in comparison.runs)
    whole = [("whole program", theirs.seconds, ours.seconds)] if is_whole else []
    for title, a, b in (
        *whole,
        ("until its first line", theirs.first, ours.first),
        ("from the first line to the last", *comparison.later),
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
    return [run for run in comparison.runs if run.status]


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
