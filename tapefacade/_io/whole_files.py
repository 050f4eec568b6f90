"""Files that are there wholly or not at all: written beside their place, then renamed."""

import contextlib
import os
import secrets
from collections.abc import Callable

from tapefacade._io.storage import is_remote, storage_of


def unused_name() -> str:
    """Returns a part of a file name that nobody else uses."""
    return secrets.token_hex(8)


def _sync(path: str) -> None:
    """Waits until a file, or the entries of a directory, are on the disk."""
    with contextlib.suppress(OSError):  # some file systems cannot, nor Windows for directories
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def remove(path: str) -> None:
    """Removes a file if it is there."""
    with contextlib.suppress(FileNotFoundError):
        storage_of(path).remove(path)


def write_beside(path: str, write: Callable[[str], None], end: str = "") -> None:
    """Has a file written beside its place, and gives it its name once it is complete.

    Args:
        path: the place, where a file may be.
        write: writes the file; takes its path.
        end: what that path ends with.
    """
    beside = f"{path}.{unused_name()}.part{end}"
    try:
        write(beside)
        if is_remote(path):
            storage_of(path).replace(beside, path)
            return
        _sync(beside)
        os.replace(beside, path)
        _sync(os.path.dirname(path) or ".")
    except BaseException:  # also Ctrl-C: no half a file stays behind
        remove(beside)
        raise


def write_bytes(path: str, data: bytes) -> None:
    """Writes a file; see `write_beside`."""

    def write(beside: str) -> None:
        with storage_of(beside).open(beside, "wb") as file:
            file.write(data)

    write_beside(path, write)
