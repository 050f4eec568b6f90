r"""RE2's regular expressions in Python's syntax.

The syntax is that of https://github.com/google/re2/wiki/Syntax. Bytes that are not UTF-8 are lone
surrogates here (Python's "surrogateescape"), which nothing but `\C` matches.

Where this differs: `\C` matches a whole character; case is folded by Python's tables, categories
are those of Python's version of Unicode; and the time of a match has no bound, for Python goes
back where RE2 follows all ways at once.
"""

import functools
import re
from typing import NamedTuple

from tapefacade._strings.ranges import LAST, PERL, POSIX, Ranges, merged, named, without

MAX_REPEAT = 1000
RAW = (0xDC80, 0xDCFF)
SIMPLE = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
WORD = "[0-9A-Za-z_]"
EDGE = f"(?:(?<={WORD})(?!{WORD})|(?<!{WORD})(?={WORD}))"
INNER = f"(?:(?<={WORD})(?={WORD})|(?<!{WORD})(?!{WORD}))"
REPEAT = re.compile(r"\{(\d+)(,(\d*))?\}")
NAME = re.compile(r"\(\?P<(\w*)>", re.ASCII)
NO_NAME = re.compile(r"\(\?P<[^>]*>?")
FLAGS = re.compile(r"\(\?([imsU]*)(-[imsU]+)?([:)])")
BAD_ESCAPE = "invalid escape sequence"
BAD_RANGE = "invalid character class range"


class PatternError(ValueError):
    """Says what is wrong with a pattern, in RE2's words."""


class Flags(NamedTuple):
    """What changes the meaning of a pattern."""

    i: bool = False
    m: bool = False
    s: bool = False
    U: bool = False


@functools.lru_cache(maxsize=512)
def compiled(pattern: bytes) -> re.Pattern[str]:
    """Compiles a pattern.

    Args:
        pattern: in RE2's syntax and in UTF-8.

    Returns:
        Python's pattern of the same meaning.

    Raises:
        PatternError: if it is none.

    >>> compiled(b"[[:alpha:]]+").sub("-", "ab12")
    '-12'
    """
    try:
        text = pattern.decode()
    except UnicodeDecodeError:
        raise PatternError("invalid UTF-8") from None
    return re.compile(_Translator(text).translated())


class _Translator:
    """Reads a pattern from left to right; `at` is the place of the next character."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.flags = Flags()

    def translated(self) -> str:
        result = self.alternatives()
        if self.at < len(self.pattern):
            raise PatternError(f"unexpected ): {self.pattern}")
        return result

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def alternatives(self) -> str:
        """Reads up to the end of a group."""
        flags = self.flags
        branches = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            branches.append(self.sequence())
        self.flags = flags
        return "|".join(branches)

    def sequence(self) -> str:
        parts: list[str] = []
        repeatable = False
        last = ""  # the operator of the repetition that was read last
        while (letter := self.peek()) not in ("", "|", ")"):
            operator = self.repetition()
            if operator is not None:
                written, quantifier = operator
                if last:
                    raise PatternError(f"bad repetition operator: {last}{written}")
                if not repeatable:
                    raise PatternError(f"no argument for repetition operator: {written}")
                parts[-1] = f"(?:{parts[-1]}){quantifier}"
                last = written
                continue
            last = ""
            part = self.group() if letter == "(" else self.atom()
            if part is not None:
                parts.append(part)
                repeatable = True
        return "".join(parts)

    def repetition(self) -> tuple[str, str] | None:
        """Reads `*` and the like; returns how it is written there and in Python."""
        letter = self.peek()
        start = self.at
        if letter in ("*", "+", "?"):
            self.at += 1
            quantifier = letter
        elif letter == "{" and (match := REPEAT.match(self.pattern, self.at)):
            self.at = match.end()
            least, most = int(match[1]), int(match[3] or 0)
            if max(least, most) > MAX_REPEAT or (match[3] and most < least):
                raise PatternError(f"invalid repetition size: {match[0]}")
            quantifier = match[0]
        else:
            return None
        lazy = self.peek() == "?"
        if lazy:
            self.at += 1
        return self.pattern[start : self.at], quantifier + ("?" if lazy != self.flags.U else "")

    def group(self) -> str | None:
        """Reads a group; None for one that only sets flags."""
        rest = self.pattern[self.at :]
        if not rest.startswith("(?"):
            self.at += 1
            return self.closed("(")
        if match := NAME.match(rest):
            if not match[1]:
                raise PatternError(f"invalid named capture group: {match[0]}")
            self.at += match.end()
            return self.closed("(")
        match = FLAGS.match(rest)
        if match is None:
            raise PatternError(self.bad_group(rest))
        self.at += match.end()
        outer = self.flags
        self.flags = outer._replace(
            **dict.fromkeys(match[1], True), **dict.fromkeys((match[2] or "-")[1:], False)
        )
        if match[3] == ")":
            return None
        result = self.closed("(?:")
        self.flags = outer
        return result

    def bad_group(self, rest: str) -> str:
        if rest.startswith("(?P<"):
            match = NO_NAME.match(rest)
            return f"invalid named capture group: {match[0] if match else rest}"
        if rest.startswith("(?P"):
            return "invalid perl operator: (?P"
        end = 2
        while end < len(rest) and rest[end] in "imsU-":
            end += 1
        return f"invalid perl operator: {rest[: end + 1]}"

    def closed(self, opening: str) -> str:
        result = self.alternatives()
        if self.peek() != ")":
            raise PatternError(f"missing ): {self.pattern}")
        self.at += 1
        return f"{opening}{result})"

    def atom(self) -> str | None:
        letter = self.peek()
        if letter == "[":
            return self.char_class()
        if letter == "\\":
            return self.escape()
        self.at += 1
        if letter == "^":
            return "(?m:^)" if self.flags.m else r"\A"
        if letter == "$":
            return "(?m:$)" if self.flags.m else r"\Z"
        if letter == ".":
            return self.set_of([] if self.flags.s else [(10, 10)], negated=True)
        return self.literal(letter)

    def literal(self, letter: str) -> str:
        escaped = re.escape(letter)
        return f"(?i:{escaped})" if self.flags.i else escaped

    def set_of(self, ranges: Ranges, negated: bool = False) -> str:
        """Writes a set of characters."""
        listed = [*ranges, RAW] if negated else ranges
        if not listed:
            return "(?!)"
        inner = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in merged(listed))
        written = f"[{'^' if negated else ''}{inner}]"
        return f"(?i:{written})" if self.flags.i else written

    def escape(self) -> str | None:
        """Reads what begins with a backslash, outside of brackets."""
        rest = self.pattern[self.at :]
        if rest == "\\":
            raise PatternError("trailing \\")
        letter = rest[1]
        anchors = {"A": r"\A", "z": r"\Z", "b": EDGE, "B": INNER, "C": r"(?s:.)"}
        if letter in anchors:
            self.at += 2
            return anchors[letter]
        if letter == "Q":
            end = rest.find("\\E")
            inner = rest[2:] if end < 0 else rest[2:end]
            self.at += len(rest) if end < 0 else end + 2
            return "".join(map(self.literal, inner)) or None
        ranges = self.named_set()
        if ranges is not None:
            return self.set_of(*ranges)
        return self.literal(chr(self.code()))

    def named_set(self) -> tuple[Ranges, bool] | None:
        r"""Reads `\d`, `\pN` and the like; returns the characters, and whether to negate them."""
        rest = self.pattern[self.at :]
        letter = rest[1:2]
        if letter.lower() in PERL and letter:
            self.at += 2
            return PERL[letter.lower()], letter.isupper()
        if letter not in ("p", "P") or not letter:
            return None
        match = re.match(r"\\[pP](?:\{(\^?)([^}]*)\}|(.))", rest, re.S)
        ranges = named(match[2] or match[3] or "") if match and match[3] != "{" else None
        if match is None or ranges is None:
            raise PatternError(f"{BAD_RANGE}: {match[0] if match else rest}")
        self.at += match.end()
        return ranges, (letter == "P") != bool(match[1])

    def code(self) -> int:
        """Reads an escape that stands for one character."""
        rest = self.pattern[self.at :]
        patterns = (
            r"\\x([0-9A-Fa-f]{2})",
            r"\\x\{([0-9A-Fa-f]+)\}",
            r"\\(0[0-7]{0,2}|[1-7][0-7]+)",
        )
        for pattern, base in zip(patterns, (16, 16, 8), strict=True):
            if match := re.match(pattern, rest):
                code = int(match[1][:3] if base == 8 else match[1], base)
                if code > LAST:
                    raise PatternError(f"{BAD_ESCAPE}: {match[0].removesuffix('}')}")
                self.at += match.end() if base == 16 else 1 + len(match[1][:3])
                return code
        letter = rest[1:2]
        if letter in SIMPLE:
            self.at += 2
            return ord(SIMPLE[letter])
        if not letter or letter.isalnum() or ord(letter) > 0x7F:
            shown = re.match(r"\\x(\{[0-9A-Fa-f]*\}?|[0-9A-Fa-f]?.?)|\\.?", rest, re.S)
            raise PatternError(f"{BAD_ESCAPE}: {shown[0] if shown else rest}")
        self.at += 2
        return ord(letter)

    def char_class(self) -> str:
        """Reads a set in brackets."""
        start = self.at
        self.at += 1
        negated = self.peek() == "^"
        self.at += negated
        ranges: Ranges = []
        first = True
        while first or self.peek() != "]":
            if self.at >= len(self.pattern):
                raise PatternError(f"missing ]: {self.pattern[start:]}")
            ranges += self.class_item(start)
            first = False
        self.at += 1
        return self.set_of(ranges, negated)

    def class_item(self, start: int) -> Ranges:
        rest = self.pattern[self.at :]
        if rest.startswith("[:") and ":]" in rest[2:]:
            end = rest.index(":]", 2)
            name = rest[2:end].removeprefix("^")
            if name not in POSIX:
                raise PatternError(f"{BAD_RANGE}: {rest[: end + 2]}")
            self.at += end + 2
            return without(POSIX[name]) if rest[2] == "^" else POSIX[name]
        if rest[0] == "\\":
            found = self.named_set()
            if found is not None:
                ranges, negated = found
                return without(ranges) if negated else ranges
        place = self.at
        low = self.class_code(start)
        if self.peek() != "-" or self.pattern[self.at + 1 : self.at + 2] in ("]", ""):
            return [(low, low)]
        self.at += 1
        high = self.class_code(start)
        if high < low:
            raise PatternError(f"{BAD_RANGE}: {self.pattern[place : self.at]}")
        return [(low, high)]

    def class_code(self, start: int) -> int:
        letter = self.peek()
        if not letter:
            raise PatternError(f"missing ]: {self.pattern[start:]}")
        if letter == "\\":
            return self.code()
        self.at += 1
        return ord(letter)
