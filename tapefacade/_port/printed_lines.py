"""The printed lines of two runs of a program: which belong together, what they differ in."""

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

NUMBER = re.compile(r"[-+]?(?:(?:\d+(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
# A number before one of these is a time or a speed, which may be any; so is one behind TIME_NAME.
UNIT = re.compile(r"\s?(?:ns|us|\u00b5s|ms|s|sec|seconds|min|minutes|it/s|steps?/s|s/it)\b(?!\w)")
TIME = re.compile(f"(?i:{NUMBER.pattern}){UNIT.pattern}")
TIME_NAME = re.compile(
    r"(?<![a-z])(?:time|elapsed|took|duration|eta|speed|fps)"
    r"(?:[ _-](?:taken|used|spent|elapsed?|total|per|for|of|in|is|was|training|epoch|step|s"
    r"|the|this|current|each|one|iteration|batch|seconds))*\W{0,4}$",
    re.IGNORECASE,
)
# What is another at every run, wherever it runs: the time, places in memory, temporary files.
VOLATILE_TEXT = re.compile(
    r"\d{4}-\d\d-\d\d(?:[ T_]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?|\d{8}[-_]\d{6}"
    r"|\b\d\d:\d\d:\d\d(?:[.,]\d+)?|0x[0-9a-f]{6,}|(?<=/)tmp\w{6,10}\b"
)
# Progress bars write over their line, and colour it.
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
OVERWRITING = re.compile(r"\r|\x08+")
# Sums are added in another order: results of float32 differ by about this much after some steps.
RELATIVE, ABSOLUTE = 1e-3, 1e-6
# With fewer digits than that behind the point, the last one is not taken for rounding.
MIN_DIGITS = 3
# How far is looked for where two runs go on alike, in lines.
MAX_SKIPPED = 50
LOSS_NAME = re.compile(r"(?:\b[a-z]\w* )?\w*loss(?:es)?(?:_\w+)?", re.IGNORECASE)
LOSS_END = re.compile(r", | - |[|;]")
DIRECT_VALUE = re.compile(r"[\s:=(\[]*(" + NUMBER.pattern + ")", re.IGNORECASE)


class PrintedLine(NamedTuple):
    """A line that a program has printed, and how many seconds after its start."""

    text: str
    seconds: float


class LinePair(NamedTuple):
    """Lines of the two runs that belong together; None where one run has not printed it.

    Attributes:
        theirs: TensorFlow's.
        ours: the other.
        difference: the largest relative difference of their numbers; infinite if texts differ.
    """

    theirs: PrintedLine | None
    ours: PrintedLine | None
    difference: float

    @property
    def is_same(self) -> bool:
        """Whether they say the same."""
        return self.difference <= RELATIVE

    @property
    def texts(self) -> tuple[str | None, str | None]:
        """What the two say."""
        return self.theirs and self.theirs.text, self.ours and self.ours.text


def shown(line: str) -> str:
    """Returns what is seen of a line in the end: progress bars write over it, and colour it.

    Args:
        line: what was written, up to the end of the line.

    >>> shown("1/2 - loss: 3" + 3 * chr(8) + chr(13) + "2/2 - loss: 1" + chr(10))
    '2/2 - loss: 1'
    """
    written = OVERWRITING.split(COLOUR.sub("", line.rstrip("\r\n")))
    return next((part for part in reversed(written) if part), "").rstrip()


def paired_lines(theirs: Sequence[PrintedLine], ours: Sequence[PrintedLine]) -> Iterator[LinePair]:
    """Puts the lines of two runs side by side, those together that differ in numbers at most.

    Args:
        theirs: what one has printed.
        ours: what the other has.
    """
    forms = [[form(line.text) for line in lines] for lines in (theirs, ours)]
    i = j = 0
    while i < len(theirs) or j < len(ours):
        skipped, added = _to_next_equal(forms[0], i, forms[1], j)
        for n in range(max(skipped, added)):
            one = theirs[i + n] if n < skipped else None
            other = ours[j + n] if n < added else None
            yield LinePair(one, other, math.inf)
        i, j = i + skipped, j + added
        if i < len(theirs) and j < len(ours):
            one, other = theirs[i], ours[j]
            yield LinePair(one, other, difference(one.text, other.text))
            i, j = i + 1, j + 1


def _to_next_equal(one: list[str], i: int, other: list[str], j: int) -> tuple[int, int]:
    """Returns how many lines of each come before the next that are equal: as few as can be."""
    left, right = len(one) - i, len(other) - j
    for count in range(min(left + right, MAX_SKIPPED)):
        for skipped in range(max(0, count - right + 1), min(count, left - 1) + 1):
            if one[i + skipped] == other[j + count - skipped]:
                return skipped, count - skipped
    if left and right and left + right > MAX_SKIPPED:
        return 1, 1
    return left, right


def form(line: str) -> str:
    """Returns a line without its numbers, units of time, dates and places in memory.

    Args:
        line: the line.

    >>> form("step 3: [ 0.5 -1. ]")
    'step # : [ # # ]'
    """
    text = TIME.sub(" # s ", VOLATILE_TEXT.sub("<>", line))
    return " ".join(NUMBER.sub(" # ", text).split())


def difference(one: str, other: str) -> float:
    """Returns the largest relative difference of the numbers of two lines; times may be any.

    So may dates, times of the day and places in memory.

    Args:
        one: a line.
        other: another one.

    Returns:
        The difference, infinite if the texts around the numbers differ.

    >>> difference("step 3: 12 ms", "step 3: 345 ms"), difference("step 3", "steps 3")
    (0.0, inf)
    """
    one, other = VOLATILE_TEXT.sub("<>", one), VOLATILE_TEXT.sub("<>", other)
    if one == other:
        return 0.0
    if form(one) != form(other):
        return math.inf
    numbers = zip(NUMBER.finditer(one), NUMBER.finditer(other), strict=True)
    return max((_apart(a, b) for a, b in numbers if not _is_time(one, a)), default=0.0)


def _is_time(line: str, number: re.Match[str]) -> bool:
    return bool(UNIT.match(line, number.end()) or TIME_NAME.search(line[: number.start()]))


def _apart(a: re.Match[str], b: re.Match[str]) -> float:
    one, other = number_of(a[0]), number_of(b[0])
    apart = abs(one - other)
    digits = [len(text[0].partition(".")[2]) for text in (a, b)]
    if "e" not in (a[0] + b[0]).lower() and digits[0] == digits[1] >= MIN_DIGITS:
        apart -= 10.0 ** -digits[0]  # what rounding to so many digits makes
    return 0.0 if apart <= ABSOLUTE else apart / max(abs(one), abs(other))


def number_of(text: str) -> float:
    """Reads a number, as `NUMBER` finds it.

    >>> number_of("1,234.5")
    1234.5
    """
    return float(text.replace(",", ""))


def losses(lines: Sequence[PrintedLine]) -> dict[str, list[float]]:
    """Returns the losses that lines tell, by their names.

    Args:
        lines: what was printed.

    >>> losses([PrintedLine("step 3: G loss: 0.5 | D loss (mean) at 12: 1.5", 0.0)])
    {'G loss': [0.5], 'D loss': [1.5]}
    """
    found: dict[str, list[float]] = {}
    for line in lines:
        names = list(LOSS_NAME.finditer(line.text))
        for name, following in itertools.zip_longest(names, names[1:]):
            rest = line.text[name.end() : following and following.start()]
            value = _value(LOSS_END.split(rest)[0])
            if value is not None:
                found.setdefault(name[0], []).append(value)
    return found


def _value(text: str) -> float | None:
    """Returns the number that follows, or else the first with a point or an exponent."""
    if direct := DIRECT_VALUE.match(text):
        return number_of(direct[1])
    numbers = (number[0] for number in NUMBER.finditer(text))
    return next((number_of(n) for n in numbers if "." in n or "e" in n.lower()), None)
