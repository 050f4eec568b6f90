"""Names of files that match patterns, with TensorFlow's meaning of the patterns."""

import os
import re
from collections.abc import Iterator

from tapefacade._io.storage import SEPARATOR, LocalStorage, links, storage_of

MAGIC = re.compile(r"[*?\[\\]")


def matching_paths(pattern: str) -> list[str]:
    r"""Returns the paths that match a pattern.

    Args:
        pattern: a path in which `*` stands for any letters but "/", `?` for one, `[...]` for one
            of a set, and `\` takes the meaning from what follows. `**` is no more than `*`.

    Returns:
        The paths, in the order in which the system lists them.
    """
    files = storage_of(pattern)
    if not MAGIC.search(pattern):
        return [pattern] if files.exists(pattern) else []
    path, end = links(pattern)
    scheme, separator, inner = path.rpartition(SEPARATOR)
    parts = inner.split("/")
    found = [scheme + separator + ("/" if inner.startswith("/") else "")]
    for place, part in enumerate(parts):
        if part == "" and (place == 0 or place < len(parts) - 1):
            continue
        found = [path for base in found for path in _below(files, base, part, end)]
    return [path + end for path in found]


def _below(files: LocalStorage, base: str, part: str, end: str) -> Iterator[str]:
    """Gives what matches a part of a pattern; `end` follows each path in a chain of storages."""
    if not MAGIC.search(part):
        path = os.path.join(base, part)
        if files.exists(path + end):
            yield path
        return
    wanted = re.compile(_translated(part), re.S)
    base = base or "."
    try:
        names = files.listdir(base + end)
    except OSError:
        return
    yield from (os.path.join(base, name) for name in names if wanted.fullmatch(name))


def _translated(part: str) -> str:
    """Writes a pattern as a regular expression."""
    written, at = "", 0
    while at < len(part):
        letter = part[at]
        at += 1
        if letter == "*":
            written += ".*"
        elif letter == "?":
            written += "."
        elif letter == "\\" and at < len(part):
            written += re.escape(part[at])
            at += 1
        elif letter == "[" and "]" in part[at + 1 :]:
            end = part.index("]", at + 1)
            inner = part[at:end]
            negated = inner[0] in "!^"
            body = inner[1:] if negated else inner
            written += f"[{'^' if negated else ''}{body.replace(chr(92), chr(92) * 2)}]"
            at = end + 1
        else:
            written += re.escape(letter)
    return written
