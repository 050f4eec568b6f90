"""Python's errors about files as TensorFlow's."""

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import Any

from tapefacade._core import errors
from tapefacade._core.error_texts import kernel_prefix, no_text

ERROR_CLASSES: dict[int, type[errors.OpError]] = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.EINVAL: errors.InvalidArgumentError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
}
# What packages raise without a number.
ERROR_NUMBERS: dict[type[OSError], int] = {
    FileNotFoundError: errno.ENOENT,
    FileExistsError: errno.EEXIST,
    IsADirectoryError: errno.EISDIR,
    NotADirectoryError: errno.ENOTDIR,
    PermissionError: errno.EACCES,
}


def tensorflow_error(error: OSError, path: str, kernel: str | None = None) -> errors.OpError:
    """Makes TensorFlow's error of one of Python's.

    Args:
        error: Python's.
        path: what it is about.
        kernel: the kernel that meets it, if it is one.

    Returns:
        The exception.
    """
    number = error.errno or next((n for k, n in ERROR_NUMBERS.items() if isinstance(error, k)), 0)
    kind: Any = ERROR_CLASSES.get(number, errors.UnknownError)
    text = f"{path}; {os.strerror(number) if number else error}"
    if kernel is None:
        return kind(None, None, text)
    return kind(None, None, f"{kernel_prefix(kernel)}{text} [Op:{kernel}]")


@contextlib.contextmanager
def translating(path: str, kernel: str | None = None) -> Iterator[None]:
    """Raises TensorFlow's errors in place of Python's."""
    try:
        yield
    except OSError as error:
        raise tensorflow_error(error, path, kernel) from None
    except NotImplementedError as error:  # of a storage that cannot be written, as archives
        text = f"{path}; this storage cannot do it: {error}"
        raise errors.UnimplementedError(None, None, text) from None


def as_path(path: Any) -> str:
    """Returns a path as text.

    Raises:
        TypeError: if it is no text, bytes or path.
    """
    if isinstance(path, str):
        return path
    if isinstance(path, bytes):
        return path.decode()
    if isinstance(path, os.PathLike):
        return os.fsdecode(path)
    if hasattr(path, "numpy"):
        return as_path(path.numpy())
    raise no_text(path)
