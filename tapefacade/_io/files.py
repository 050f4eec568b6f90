"""Whole files: read_file, write_file, matching_files."""

import os
from typing import Any

from tapefacade._core.error_texts import shape_text
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._io.file_errors import translating
from tapefacade._io.glob_patterns import matching_paths
from tapefacade._io.storage import storage_of
from tapefacade._state.variable import Variable
from tapefacade._strings.arguments import failed, text_array, texts
from tapefacade._trace.open_sizes import with_unknown_axes
from tapefacade._trace.recording import need_python


def scalar_text(value: Any, kernel: str, place: int, what: str) -> bytes:
    """Returns a text that must be a scalar."""
    array: Any = texts(value, kernel, place)
    if array.ndim:
        shape = shape_text(array.shape)
        raise failed(kernel, f"{what} tensor must be scalar, but had shape: {shape}")
    return array[()]


@function("io.read_file", on_values=True)
def read_file(filename: Any, name: str | None = None) -> EagerTensor:
    """Reads a whole file.

    Args:
        filename: a text, the path of the file.
        name: ignored.

    Returns:
        The bytes of the file, a string scalar.

    Raises:
        NotFoundError: if there is no such file.
        FailedPreconditionError: if it is a directory.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "file"
    >>> tf.io.write_file(str(path), "text")
    >>> tf.io.read_file(str(path))
    <tf.Tensor: shape=(), dtype=string, numpy=b'text'>
    """
    path = os.fsdecode(scalar_text(filename, "ReadFile", 0, "Input filename"))
    with translating(path, "ReadFile"), storage_of(path).open(path, "rb") as file:
        return text_array([file.read()], ())


@function("io.write_file")
def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Writes a file, and makes the directories it needs.

    Args:
        filename: a text, the path of the file; what it held is lost.
        contents: a text.
        name: ignored.

    Raises:
        FailedPreconditionError: if `filename` is a directory.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "inner" / "file"
    >>> tf.io.write_file(str(path), "text")
    >>> path.read_text()
    'text'
    """
    need_python("it writes a file")
    path = os.fsdecode(scalar_text(filename, "WriteFile", 0, "Input filename"))
    data = scalar_text(contents, "WriteFile", 1, "Contents")
    with translating(path, "WriteFile"):
        files = storage_of(path)
        files.makedirs(os.path.dirname(path) or ".")
        with files.open(path, "wb") as file:
            file.write(data)


@function("io.matching_files", on_values=True)
def matching_files(pattern: Any, name: str | None = None) -> EagerTensor:
    """Lists the files that match one of the patterns.

    Args:
        pattern: a text, or a vector of texts, in which `*`, `?` and `[...]` have the meaning of
            the shell, within one directory.
        name: ignored.

    Returns:
        A string vector of the paths, sorted; empty if there are none.

    >>> import pathlib, tempfile
    >>> directory = pathlib.Path(tempfile.mkdtemp())
    >>> (directory / "a.txt").touch()
    >>> len(tf.io.matching_files(str(directory / "*.txt")))
    1
    """
    patterns = texts(pattern, "MatchingFiles")
    if patterns.ndim > 1:
        shape = shape_text(patterns.shape)
        raise failed(
            "MatchingFiles",
            f"Input patterns tensor must be scalar or vector, but had shape: {shape}",
        )
    found = [path for text in patterns.flat for path in matching_paths(os.fsdecode(text))]
    paths = text_array([os.fsencode(path) for path in sorted(found)], (len(found),))
    return with_unknown_axes(paths, 0)


@function("io.match_filenames_once")
def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """Makes a variable of the files that match one of the patterns.

    Args:
        pattern: as for `tf.io.matching_files`.
        name: the name of the variable.

    Returns:
        A variable with the paths as they are now.

    >>> tf.io.match_filenames_once("/no/such/*").shape
    TensorShape([0])
    """
    return Variable(matching_files(pattern), trainable=False, name=name)
