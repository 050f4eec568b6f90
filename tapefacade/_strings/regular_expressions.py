"""Regular expressions: regex_replace, regex_full_match."""

import re
from typing import Any

import numpy as np

from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._strings.arguments import each, failed, text_scalar, texts
from tapefacade._strings.re2 import PatternError, compiled

ESCAPED = "surrogateescape"
REFERENCE = re.compile(rb"\\(\d)")


@function("strings.regex_replace", dispatch=True)
def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> EagerTensor:
    r"""Replaces what matches a regular expression.

    Unlike TensorFlow, the time of a match has no bound, `\C` matches a whole character, and
    categories of characters (`\pL`) are those of Python's version of Unicode.

    Args:
        input: texts of any shape, in UTF-8.
        pattern: a text, in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax).
        rewrite: a text; `\1` to `\9` stand for what the groups match, `\0` for the whole.
        replace_global: whether all matches are replaced, or the first only.
        name: ignored.

    Returns:
        A string tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if `pattern` is no regular expression.

    >>> tf.strings.regex_replace("two words", r"(\w+) (\w+)", r"\2 \1").numpy()
    b'words two'
    """
    if not isinstance(replace_global, bool):
        raise TypeError(f"Expected bool for argument 'replace_global' not {replace_global!r}.")
    kernel = _kernel("RegexReplace", pattern, rewrite)
    array = texts(input, kernel)
    expression = _compiled(pattern, kernel)
    replacement = text_scalar(rewrite, kernel, 2, "Rewrite")
    groups = [int(digit) for digit in REFERENCE.findall(replacement.replace(rb"\\", b""))]
    if max(groups, default=0) > expression.groups:
        return each(lambda text: text, array)
    parts, valid = _rewritten(replacement)
    if not (valid or replace_global):
        return each(lambda text: text, array)
    return each(lambda text: _replaced(text, expression, parts, replace_global), array)


@function("strings.regex_full_match", dispatch=True)
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> EagerTensor:
    """Tells which texts match a regular expression as a whole.

    Args:
        input: texts of any shape, in UTF-8.
        pattern: a text, as for `tf.strings.regex_replace`.
        name: ignored.

    Returns:
        A bool tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if `pattern` is no regular expression.

    >>> tf.strings.regex_full_match(["TF lib", "lib TF"], ".*lib$").numpy()
    array([ True, False])
    """
    kernel = _kernel("RegexFullMatch", pattern)
    array = texts(input, kernel)
    expression = _compiled(pattern, kernel)
    matches = [expression.fullmatch(_decoded(text)) is not None for text in array.flat]
    return from_host(np.array(matches, bool).reshape(array.shape))


def _kernel(name: str, *given: Any) -> str:
    """Returns the name of the kernel, of which there is one for patterns that are attributes."""
    return f"Static{name}" if all(isinstance(g, str | bytes) for g in given) else name


def _compiled(pattern: Any, kernel: str) -> re.Pattern[str]:
    text = text_scalar(pattern, kernel, 1, "Pattern")
    try:
        return compiled(text)
    except PatternError as error:
        shown = text.decode(errors="replace")
        raise failed(kernel, f"Invalid pattern: {shown}, error: {error}") from None


def _decoded(text: bytes) -> str:
    return text.decode(errors=ESCAPED)


def _rewritten(rewrite: bytes) -> tuple[list[str | int], bool]:
    """Takes a replacement apart: texts and numbers of groups, up to what has no meaning."""
    text = _decoded(rewrite)
    parts: list[str | int] = []
    at = 0
    while at < len(text):
        letter = text[at]
        at += 1
        if letter != "\\":
            parts.append(letter)
            continue
        following = text[at : at + 1]
        at += 1
        if following.isdecimal() and following.isascii():
            parts.append(int(following))
        elif following == "\\":
            parts.append(following)
        else:
            return parts, False
    return parts, True


def _replaced(
    text: bytes, expression: re.Pattern[str], parts: list[str | int], everywhere: bool
) -> bytes:
    """Replaces matches; an empty one right behind another match does not count."""
    given = _decoded(text)
    written, at, last = "", 0, -1
    while at <= len(given):
        match = expression.search(given, at)
        if match is None:
            break
        written += given[at : match.start()]
        if match.start() == match.end() == last:
            written += given[last : last + 1]
            at = last + 1
            last = -1
            continue
        written += "".join([p if isinstance(p, str) else match[p] or "" for p in parts])
        at = last = match.end()
        if not everywhere:
            break
    return (written + given[at:]).encode(errors=ESCAPED)
