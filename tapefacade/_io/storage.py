"""Where files are: on this machine, or, for paths with `://`, where fsspec finds them."""

import contextlib
import errno
import importlib.util
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

from tapefacade._core import errors
from tapefacade._core.optional_imports import optional_module

SEPARATOR = "://"
# Paths of fsspec that name several storages: `simplecache::gs://bucket/file`, which keeps copies,
# or `zip://name::gs://bucket/archive.zip`, which looks into a file.
LINK = "::"
CHAIN = re.compile(r"^\w+::|::\w+://")


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

    def create(self, path: str) -> None:
        """Makes an empty file, where there must be none."""
        with open(path, "xb"):
            pass

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

    def _inner(self, path: str) -> str:
        """Returns the path within the storage; of storages in a chain only the first is this."""
        if not CHAIN.search(path):
            return path
        return self._system._strip_protocol(links(path)[0].rpartition(LINK)[2])

    def open(self, path: str, mode: str) -> Any:
        """Opens a file of bytes."""
        file = self._system.open(self._inner(path), mode)
        if CHAIN.search(path):
            file.storage = self  # an archive is closed when nobody holds it
        return file

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory."""
        return self._system.exists(self._inner(path))

    def isdir(self, path: str) -> bool:
        """Whether there is a directory."""
        return self._system.isdir(self._inner(path))

    def isfile(self, path: str) -> bool:
        """Whether there is a file."""
        return self._system.isfile(self._inner(path))

    def listdir(self, path: str) -> list[str]:
        """Lists the names in a directory."""
        found = self._system.ls(self._inner(path), detail=True)
        if len(found) == 1 and found[0]["type"] == "file" and not self.isdir(path):
            raise NotADirectoryError(path)
        return [inner["name"].rstrip("/").rpartition("/")[2] for inner in found]

    def mkdir(self, path: str) -> None:
        """Makes a directory."""
        self._system.mkdir(self._inner(path), create_parents=False)

    def makedirs(self, path: str) -> None:
        """Makes a directory and those it lies in; they may be there."""
        self._system.makedirs(self._inner(path), exist_ok=True)

    def create(self, path: str) -> None:
        """Makes an empty file, where there must be none; another process may do so meanwhile."""
        if self.exists(path):
            raise FileExistsError(path)
        self._system.pipe_file(self._inner(path), b"")

    def remove(self, path: str) -> None:
        """Deletes a file."""
        if self.isdir(path):
            raise IsADirectoryError(path)
        self._system.rm_file(self._inner(path))

    def rmtree(self, path: str) -> None:
        """Deletes a directory with what is in it."""
        self._system.rm(self._inner(path), recursive=True)

    def replace(self, source: str, target: str) -> None:
        """Moves a file or directory within the storage.

        fsspec moves into a directory that is there; this refuses what `os.replace` refuses.
        """
        if source == target:
            return
        is_directory = self.isdir(source)
        if self.isdir(target):
            if not is_directory:
                raise IsADirectoryError(target)
            if self.listdir(target):
                raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), target)
            self._system.rmdir(self._inner(target))
        elif is_directory and self.exists(target):
            raise NotADirectoryError(target)
        self._system.mv(self._inner(source), self._inner(target), recursive=is_directory)

    def status(self, path: str) -> tuple[int, int]:
        """Returns the size of a file, and when it was changed, in nanoseconds since 1970."""
        inner = self._inner(path)
        size = int(self._system.info(inner).get("size") or 0)
        try:
            changed = self._system.modified(inner)
        except (NotImplementedError, IsADirectoryError, FileNotFoundError, KeyError):
            return size, 0  # not every storage knows, nor of directories
        return size, int(changed.timestamp() * 1e9)

    def fetch(self, path: str, local: str) -> None:
        """Copies a file to one of this machine."""
        self._system.get_file(self._inner(path), local)

    def send(self, local: str, path: str) -> None:
        """Copies a file of this machine here."""
        self._system.put_file(local, self._inner(path))


LOCAL = LocalStorage()


def is_remote(path: str) -> bool:
    """Whether a path names a storage: it has `://`."""
    return SEPARATOR in path


def links(path: str) -> tuple[str, str]:
    """Cuts a path of several storages after the one that it is in.

    >>> links("zip://name::memory://archive.zip")
    ('zip://name', '::memory://archive.zip')
    >>> links("simplecache::memory://bucket/file")
    ('simplecache::memory://bucket/file', '')
    """
    if not CHAIN.search(path):
        return path, ""
    end = path.find(LINK, path.index(SEPARATOR))
    return (path, "") if end < 0 else (path[:end], path[end:])


def joined_path(directory: str, name: str) -> str:
    """Returns the path of what a directory holds."""
    path, end = links(directory)
    return os.path.join(path, name) + end


def storage_of(path: str) -> LocalStorage:
    """Returns where a file is.

    Raises:
        ImportError: if that needs fsspec, or one of its file systems, that is not installed.
        NotFoundError: if the storage is a file, such as an archive, that is not there.
        UnimplementedError: if fsspec does not know such a storage, or it needs more than the path.
    """
    return remote_storage(path) if is_remote(path) else LOCAL


def remote_storage(path: str) -> RemoteStorage:
    """Returns the storage of a path with `://`; see `storage_of`."""
    scheme = path.partition(SEPARATOR)[0]
    library = optional_module("fsspec", "remote", f"Paths with `{scheme}://`")
    try:
        if CHAIN.search(path):
            return RemoteStorage(library.core.url_to_fs(path)[0])
        return RemoteStorage(library.filesystem(scheme))
    except FileNotFoundError as error:
        raise errors.NotFoundError(
            None, None, f"{path}; {error.strerror}: {error.filename}"
        ) from None
    except (
        OSError,
        TypeError,
        ValueError,
    ) as error:  # what systems raise that are given too little
        why = "" if "Protocol not known" in str(error) else f": {error}"
        raise errors.UnimplementedError(
            None, None, f"File system scheme '{scheme}' not implemented (file: '{path}'){why}"
        ) from None


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
