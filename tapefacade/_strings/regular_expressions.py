"""Regular expressions: regex_replace, regex_full_match."""

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapefacade._core.optional_imports import optional_module
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._strings.arguments import each, failed, text_scalar, texts

REFERENCE = re.compile(rb"\\(\d)")


@function("strings.regex_replace", dispatch=True, elementwise=1, on_values=True)
def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> EagerTensor:
    r"""Replaces what matches a regular expression.

    This is RE2, as in TensorFlow: the time of a match grows with the text only.

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
        ImportError: if google-re2 is not installed.

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


@function("strings.regex_full_match", dispatch=True, elementwise=1, on_values=True)
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
        ImportError: if google-re2 is not installed.

    >>> tf.strings.regex_full_match(["TF lib", "lib TF"], ".*lib$").numpy()
    array([ True, False])
    """
    kernel = _kernel("RegexFullMatch", pattern)
    array = texts(input, kernel)
    expression = _compiled(pattern, kernel)
    matches = [expression.fullmatch(text) is not None for text in array.flat]
    return from_host(np.array(matches, bool).reshape(array.shape))


def _kernel(name: str, *given: Any) -> str:
    """Returns the name of the kernel, of which there is one for patterns that are attributes."""
    return f"Static{name}" if all(isinstance(g, str | bytes) for g in given) else name


def _compiled(pattern: Any, kernel: str) -> Any:
    text = text_scalar(pattern, kernel, 1, "Pattern")
    library = optional_module("re2", "text", "Regular expressions", "google-re2")
    try:
        return _expression(library, text)
    except library.error as error:
        shown, reason = text.decode(errors="replace"), error.args[0]
        reason = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
        raise failed(kernel, f"Invalid pattern: {shown}, error: {reason}") from None


@functools.lru_cache(maxsize=256)
def _expression(library: Any, pattern: bytes) -> Any:
    options = library.Options()
    options.log_errors = False
    expression = library.compile(pattern, options)
    # Later releases of RE2 than TensorFlow's know `(?<name>...)` for `(?P<name>...)`.
    if any(b"(?P<%s>" % name not in pattern for name in expression.groupindex):
        raise library.error("invalid perl operator: (?<")
    return expression


def _rewritten(rewrite: bytes) -> tuple[list[bytes | int], bool]:
    """Takes a replacement apart: texts and numbers of groups, up to what has no meaning."""
    parts: list[bytes | int] = []
    at = 0
    while at < len(rewrite):
        letter = rewrite[at : at + 1]
        at += 1
        if letter != b"\\":
            end = rewrite.find(b"\\", at)
            parts.append(rewrite[at - 1 : end if end >= 0 else None])
            at = end if end >= 0 else len(rewrite)
            continue
        following = rewrite[at : at + 1]
        at += 1
        if following.isdigit():
            parts.append(int(following))
        elif following == b"\\":
            parts.append(following)
        else:
            return parts, False
    return parts, True


def _replaced(text: bytes, expression: Any, parts: Sequence[Any], everywhere: bool) -> bytes:
    """Replaces matches as RE2 does: an empty one right behind another match does not count.

    The `sub` of the package is Python's: there it counts.
    """
    written, at, last = [], 0, -1
    matches = expression.finditer(text)  # right until one is empty: it goes on by a byte then
    while at <= len(text):
        match = next(matches, None)
        if match is None:
            break
        start, end = match.span()
        if start == end:
            if start == last:
                at = _letter_end(text, last)
                written.append(text[last:at])
                matches = expression.finditer(text, at)
                continue
            matches = expression.finditer(text, end)
        written.append(text[at:start])
        written += [part if isinstance(part, bytes) else match[part] or b"" for part in parts]
        at = last = end
        if not everywhere:
            break
    return b"".join(written) + text[at:]


def _letter_end(text: bytes, at: int) -> int:
    """Returns where a letter in UTF-8 ends; a byte that begins none stands for itself."""
    for end in range(at + 1, min(at + 4, len(text)) + 1):
        try:
            text[at:end].decode()
        except UnicodeDecodeError:
            continue
        return end
    return at + 1
