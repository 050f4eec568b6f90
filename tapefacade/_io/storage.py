"""Where files are: on this machine, or, for paths with `://`, where fsspec finds them."""

import contextlib
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

from tapefacade._core import errors
from tapefacade._core.optional_imports import optional_module

SEPARATOR = "://"


class LocalStorage:
    """The files of this machine; the methods raise what those of `os` raise."""

    def open(self, path: str, mode: str) -> Any:
        """Opens a file of bytes."""
        return open(path, mode)

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory."""
        return os.path.exists(path)

    def isdir(self, path: str) -> bool:
        """Whether there is a directory."""
        return os.path.isdir(path)

    def isfile(self, path: str) -> bool:
        """Whether there is a file."""
        return os.path.isfile(path)

    def listdir(self, path: str) -> list[str]:
        """Lists the names in a directory."""
        return os.listdir(path)

    def mkdir(self, path: str) -> None:
        """Makes a directory."""
        os.mkdir(path)

    def makedirs(self, path: str) -> None:
        """Makes a directory and those it lies in; they may be there."""
        os.makedirs(path, exist_ok=True)

    def remove(self, path: str) -> None:
        """Deletes a file."""
        os.remove(path)

    def rmtree(self, path: str) -> None:
        """Deletes a directory with what is in it."""
        shutil.rmtree(path)

    def replace(self, source: str, target: str) -> None:
        """Moves a file or directory within the storage."""
        os.replace(source, target)

    def status(self, path: str) -> tuple[int, int]:
        """Returns the size of a file, and when it was changed, in nanoseconds since 1970."""
        found = os.stat(path)
        return found.st_size, found.st_mtime_ns


class RemoteStorage(LocalStorage):
    """The files that one of fsspec's file systems has; paths are those that users give."""

    def __init__(self, system: Any) -> None:
        self._system = system

    def open(self, path: str, mode: str) -> Any:
        """Opens a file of bytes."""
        return self._system.open(path, mode)

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory."""
        return self._system.exists(path)

    def isdir(self, path: str) -> bool:
        """Whether there is a directory."""
        return self._system.isdir(path)

    def isfile(self, path: str) -> bool:
        """Whether there is a file."""
        return self._system.isfile(path)

    def listdir(self, path: str) -> list[str]:
        """Lists the names in a directory."""
        found = self._system.ls(path, detail=False)
        return [inner.rstrip("/").rpartition("/")[2] for inner in found]

    def mkdir(self, path: str) -> None:
        """Makes a directory."""
        self._system.mkdir(path, create_parents=False)

    def makedirs(self, path: str) -> None:
        """Makes a directory and those it lies in; they may be there."""
        self._system.makedirs(path, exist_ok=True)

    def remove(self, path: str) -> None:
        """Deletes a file."""
        if self._system.isdir(path):
            raise IsADirectoryError(path)
        self._system.rm_file(path)

    def rmtree(self, path: str) -> None:
        """Deletes a directory with what is in it."""
        self._system.rm(path, recursive=True)

    def replace(self, source: str, target: str) -> None:
        """Moves a file or directory within the storage."""
        self._system.mv(source, target, recursive=self._system.isdir(source))

    def status(self, path: str) -> tuple[int, int]:
        """Returns the size of a file, and when it was changed, in nanoseconds since 1970."""
        size = int(self._system.info(path).get("size") or 0)
        try:
            changed = self._system.modified(path)
        except (NotImplementedError, IsADirectoryError, FileNotFoundError, KeyError):
            return size, 0  # not every storage knows, nor of directories
        return size, int(changed.timestamp() * 1e9)

    def fetch(self, path: str, local: str) -> None:
        """Copies a file to one of this machine."""
        self._system.get_file(path, local)

    def send(self, local: str, path: str) -> None:
        """Copies a file of this machine here."""
        self._system.put_file(local, path)

    def glob(self, pattern: str) -> list[str]:
        """Lists the paths that match a pattern."""
        scheme, _, inner = pattern.partition(SEPARATOR)
        start = f"{scheme}{SEPARATOR}{'/' if inner.startswith('/') else ''}"
        return [start + path.lstrip("/") for path in self._system.glob(pattern)]


LOCAL = LocalStorage()


def is_remote(path: str) -> bool:
    """Whether a path names a storage: it has `://`."""
    return SEPARATOR in path


def storage_of(path: str) -> LocalStorage:
    """Returns where a file is.

    Raises:
        ImportError: if that needs fsspec, or one of its file systems, that is not installed.
        UnimplementedError: if fsspec does not know such a storage.
    """
    return remote_storage(path) if is_remote(path) else LOCAL


def remote_storage(path: str) -> RemoteStorage:
    """Returns the storage of a path with `://`; see `storage_of`."""
    scheme = path.partition(SEPARATOR)[0]
    library = optional_module("fsspec", "remote", f"Paths with `{scheme}://`")
    try:
        return RemoteStorage(library.filesystem(scheme))
    except ValueError as error:
        if "Protocol not known" not in str(error):
            raise
        raise errors.UnimplementedError(
            None, None, f"File system scheme '{scheme}' not implemented (file: '{path}')"
        ) from error


@contextlib.contextmanager
def local_copy(path: str) -> Iterator[str]:
    """Gives the path of a local file to read: the file itself, or a copy of it for the block."""
    if not is_remote(path):
        yield path
        return
    with tempfile.TemporaryDirectory() as directory:
        local = os.path.join(directory, path.rpartition("/")[2])
        remote_storage(path).fetch(path, local)
        yield local


@contextlib.contextmanager
def local_target(path: str) -> Iterator[str]:
    """Gives the path of a local file to write: the file itself, or one that is sent afterwards."""
    if not is_remote(path):
        yield path
        return
    with tempfile.TemporaryDirectory() as directory:
        local = os.path.join(directory, path.rpartition("/")[2])
        yield local
        remote_storage(path).send(local, path)


def schemes() -> list[str]:
    """Lists what may stand before `://`: the storages whose packages are installed."""
    found = ["file", ""]
    if importlib.util.find_spec("fsspec") is None:
        return found
    known = optional_module("fsspec.registry", "remote", "Other schemes").known_implementations
    installed = {
        scheme
        for scheme, made in known.items()
        if importlib.util.find_spec(made["class"].partition(".")[0]) is not None
    }
    return [*found, *sorted(installed - set(found))]
