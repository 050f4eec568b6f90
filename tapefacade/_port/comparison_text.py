"""What a comparison has found, as text and as a page that needs nothing else."""

import html
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapefacade._port.comparison import Comparison, ProgramRun

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


def verdict(comparison: "Comparison") -> str:
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


def _lines_verdict(comparison: "Comparison") -> str:
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


def report(comparison: "Comparison") -> str:
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


def _speeds(comparison: "Comparison") -> Iterator[tuple[str, str, str]]:
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


def _shown(comparison: "Comparison") -> Iterator[str]:
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


def _failed(comparison: "Comparison") -> "list[ProgramRun]":
    return [run for run in (comparison.theirs, comparison.ours) if run.status]


def page(comparison: "Comparison") -> str:
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
