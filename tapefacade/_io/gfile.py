"""What programs do with files and directories: `tf.io.gfile`."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tapefacade._core import errors
from tapefacade._definition.op import function
from tapefacade._io.file_errors import as_path, tensorflow_error, translating
from tapefacade._io.glob_patterns import matching_paths
from tapefacade._io.storage import SEPARATOR, is_remote, joined_path, schemes, storage_of

ALREADY_THERE = "file already exists"


class FileStatistics(NamedTuple):
    """What is known about a file.

    Attributes:
        length: its size in bytes.
        mtime_nsec: when it was last changed, in nanoseconds since 1970.
        is_directory: whether it is a directory.
    """

    length: int
    mtime_nsec: int
    is_directory: bool


@function("io.gfile.exists", "compat.v1.gfile.Exists")
def exists(path: Any) -> bool:
    """Returns whether there is a file or directory.

    >>> tf.io.gfile.exists("/no/such/file")
    False
    """
    path = as_path(path)
    return storage_of(path).exists(path)


@function("io.gfile.isdir", "compat.v1.gfile.IsDirectory")
def isdir(path: Any) -> bool:
    """Returns whether there is such a directory.

    >>> tf.io.gfile.isdir("/")
    True
    """
    path = as_path(path)
    return storage_of(path).isdir(path)


@function("io.gfile.join")
def join(path: Any, *paths: Any) -> str:
    """Joins the parts of a path.

    >>> tf.io.gfile.join("directory", "file.txt")
    'directory/file.txt'
    """
    return os.path.join(as_path(path), *[as_path(part) for part in paths])


@function("io.gfile.listdir", "compat.v1.gfile.ListDirectory")
def listdir(path: Any) -> list[str]:
    """Lists the names in a directory, in no particular order.

    Raises:
        NotFoundError: if there is no such directory.

    >>> import tempfile
    >>> tf.io.gfile.listdir(tempfile.mkdtemp())
    []
    """
    path = as_path(path)
    files = storage_of(path)
    if not files.isdir(path):
        raise errors.NotFoundError(None, None, f"Could not find directory {path}")
    with translating(path):
        return files.listdir(path)


@function("io.gfile.glob", "compat.v1.gfile.Glob")
def glob(pattern: Any) -> list[str]:
    """Lists the paths that match one of the patterns.

    Args:
        pattern: a pattern or a list of them; `*`, `?` and `[...]` as in the shell.

    Returns:
        The paths, in no particular order.

    >>> tf.io.gfile.glob("/no/such/*")
    []
    """
    patterns = pattern if isinstance(pattern, list | tuple) else [pattern]
    return [path for one in patterns for path in matching_paths(as_path(one))]


@function("io.gfile.mkdir", "compat.v1.gfile.MkDir")
def mkdir(path: Any) -> None:
    """Makes a directory; one that is there stays.

    Raises:
        NotFoundError: if there is no directory for it.

    >>> import tempfile
    >>> tf.io.gfile.mkdir(tempfile.mkdtemp() + "/inner")
    """
    path = as_path(path)
    files = storage_of(path)
    with translating(path):
        try:
            files.mkdir(path)
        except FileExistsError:
            if not files.isdir(path):
                raise


@function("io.gfile.makedirs", "compat.v1.gfile.MakeDirs")
def makedirs(path: Any) -> None:
    """Makes a directory and those it lies in; what is there stays.

    Raises:
        FailedPreconditionError: if there is a file in the way.

    >>> import tempfile
    >>> tf.io.gfile.makedirs(tempfile.mkdtemp() + "/some/where")
    """
    path = as_path(path)
    files = storage_of(path)
    part = path
    while part and not part.endswith(":") and not files.exists(part):
        part = os.path.dirname(part)
    if part and not part.endswith(":") and not files.isdir(part):
        raise errors.FailedPreconditionError(None, None, f"{part} is not a directory")
    with translating(path):
        files.makedirs(path)


@function("io.gfile.copy", "compat.v1.gfile.Copy")
def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file.

    Unlike TensorFlow, which empties it, a file that is copied to itself stays as it is.

    Args:
        src: the file.
        dst: the path of the copy.
        overwrite: whether it may take the place of another file.

    Raises:
        NotFoundError: if there is no `src`.
        AlreadyExistsError: if there is a `dst` and it may not be replaced.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/file"
    >>> tf.io.write_file(path, "text")
    >>> tf.io.gfile.copy(path, path + "2")
    """
    source, target = as_path(src), as_path(dst)
    if not overwrite and storage_of(target).exists(target):
        raise errors.AlreadyExistsError(None, None, ALREADY_THERE)
    try:
        if is_remote(source) or is_remote(target):
            _copy_between(source, target)
        else:
            shutil.copyfile(source, target)
    except shutil.SameFileError:
        return
    except OSError as error:
        raise tensorflow_error(error, os.fsdecode(error.filename or source)) from None


def _copy_between(source: str, target: str) -> None:
    """Copies a file from one storage to another."""
    if source == target and storage_of(source).isfile(source):
        raise shutil.SameFileError(source)
    with storage_of(source).open(source, "rb") as old, storage_of(target).open(target, "wb") as new:
        shutil.copyfileobj(old, new)


@function("io.gfile.rename", "compat.v1.gfile.Rename")
def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Renames or moves a file or directory.

    Args:
        src: the old path.
        dst: the new path.
        overwrite: whether it may take the place of another file.

    Raises:
        NotFoundError: if there is no `src`.
        AlreadyExistsError: if there is a `dst` and it may not be replaced.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/file"
    >>> tf.io.write_file(path, "text")
    >>> tf.io.gfile.rename(path, path + "2")
    """
    source, target = as_path(src), as_path(dst)
    old, new = storage_of(source), storage_of(target)
    if not overwrite and new.exists(target):
        raise errors.AlreadyExistsError(None, None, ALREADY_THERE)
    if _scheme(source) != _scheme(target):
        raise errors.UnimplementedError(
            None, None, f"Renaming {source} to {target} not implemented: copy it"
        )
    with translating(source):
        if is_remote(source) and not old.exists(source):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), source)
        old.replace(source, target)


def _scheme(path: str) -> str:
    return path.partition(SEPARATOR)[0] if is_remote(path) else ""


@function("io.gfile.remove", "compat.v1.gfile.Remove")
def remove(path: Any) -> None:
    """Deletes a file.

    Raises:
        NotFoundError: if there is no such file.
        FailedPreconditionError: if it is a directory.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/file"
    >>> tf.io.write_file(path, "text")
    >>> tf.io.gfile.remove(path)
    """
    path = as_path(path)
    with translating(path):
        storage_of(path).remove(path)


@function("io.gfile.rmtree", "compat.v1.gfile.DeleteRecursively")
def rmtree(path: Any) -> None:
    """Deletes a directory with all that is in it.

    Raises:
        NotFoundError: if there is no such directory.

    >>> import tempfile
    >>> tf.io.gfile.rmtree(tempfile.mkdtemp())
    """
    path = as_path(path)
    files = storage_of(path)
    if not files.exists(path):
        raise errors.NotFoundError(None, None, f"{path} not found")
    with translating(path):
        if files.isdir(path):
            files.rmtree(path)
        else:
            files.remove(path)


@function("io.gfile.stat", "compat.v1.gfile.Stat")
def stat(path: Any) -> FileStatistics:
    """Looks at a file.

    Returns:
        An object with `length`, `mtime_nsec` and `is_directory`.

    Raises:
        NotFoundError: if there is no such file.

    >>> tf.io.gfile.stat("/").is_directory
    True
    """
    path = as_path(path)
    files = storage_of(path)
    with translating(path):
        size, changed = files.status(path)
    return FileStatistics(size, changed, files.isdir(path))


@function("io.gfile.walk", "compat.v1.gfile.Walk")
def walk(
    top: Any, topdown: bool = True, onerror: Callable[[errors.OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walks through a directory and those in it.

    Args:
        top: the directory.
        topdown: whether a directory comes before those in it.
        onerror: called with the error for a directory that cannot be read.

    Yields:
        The path of a directory, the names of the directories in it, and those of the files.

    >>> import tempfile
    >>> [names for _, _, names in tf.io.gfile.walk(tempfile.mkdtemp())]
    [[]]
    """
    top = as_path(top)
    try:
        names = listdir(top)
    except errors.NotFoundError as error:
        if onerror is not None:
            onerror(error)
        return
    directories = [name for name in names if isdir(joined_path(top, name))]
    here = top, directories, [name for name in names if name not in set(directories)]
    if topdown:
        yield here
    for name in directories:
        yield from walk(joined_path(top, name), topdown, onerror)
    if not topdown:
        yield here


@function("io.gfile.get_registered_schemes")
def get_registered_schemes() -> list[str]:
    """Lists the kinds of paths there are, by what stands before `://`.

    Unlike TensorFlow, storages other than the machine's are those of the package fsspec (extra
    `remote`) and of packages for it, such as gcsfs for `gs://` and s3fs for `s3://`.

    >>> tf.io.gfile.get_registered_schemes()[:2]
    ['file', '']
    """
    return schemes()
