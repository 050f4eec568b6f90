"""Sets of characters as sorted ranges of code points, and the sets that RE2 has names for."""

import functools
import unicodedata

from tapefacade._strings.scripts import SCRIPT_NAMES, script_ranges

LAST = 0x10FFFF
Ranges = list[tuple[int, int]]

DIGITS: Ranges = [(0x30, 0x39)]
UPPER: Ranges = [(0x41, 0x5A)]
LOWER: Ranges = [(0x61, 0x7A)]
PERL: dict[str, Ranges] = {
    "d": DIGITS,
    "s": [(0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20)],
    "w": [*DIGITS, *UPPER, (0x5F, 0x5F), *LOWER],
}
POSIX: dict[str, Ranges] = {
    "alnum": [*DIGITS, *UPPER, *LOWER],
    "alpha": [*UPPER, *LOWER],
    "ascii": [(0, 0x7F)],
    "blank": [(0x09, 0x09), (0x20, 0x20)],
    "cntrl": [(0, 0x1F), (0x7F, 0x7F)],
    "digit": DIGITS,
    "graph": [(0x21, 0x7E)],
    "lower": LOWER,
    "print": [(0x20, 0x7E)],
    "punct": [(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)],
    "space": [(0x09, 0x0D), (0x20, 0x20)],
    "upper": UPPER,
    "word": PERL["w"],
    "xdigit": [*DIGITS, (0x41, 0x46), (0x61, 0x66)],
}


def merged(ranges: Ranges) -> Ranges:
    """Sorts ranges and joins those that touch.

    >>> merged([(5, 6), (1, 2), (3, 4)])
    [(1, 6)]
    """
    found: Ranges = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found


def without(ranges: Ranges) -> Ranges:
    """Returns all other characters.

    >>> without([(1, LAST)])
    [(0, 0)]
    """
    found, start = [], 0
    for low, high in merged(ranges):
        if low > start:
            found.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        found.append((start, LAST))
    return found


@functools.cache
def named(name: str) -> Ranges | None:
    """Returns the characters of a category or a script, or None if there is no such name.

    >>> named("Greek")[:2]
    [(880, 883), (885, 887)]
    """
    if name == "Any":
        return [(0, LAST)]
    if name in SCRIPT_NAMES:
        return script_ranges(name)
    categories = _categories()
    parts = [r for category, r in categories.items() if category.startswith(name)]
    if len(name) > 2 or not name or not parts:
        return None
    return merged([r for part in parts for r in part])


@functools.cache
def _categories() -> dict[str, Ranges]:
    """Returns the characters of every general category that RE2 knows: not those of no use."""
    found: dict[str, Ranges] = {}
    for code in range(LAST + 1):
        category = unicodedata.category(chr(code))
        ranges = found.setdefault(category, [])
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = ranges[-1][0], code
        else:
            ranges.append((code, code))
    found.pop("Cn", None)
    return found
