"""Datasets of files: records, lines of text, records of one length, and lines of CSV."""

import gzip
import io
import itertools
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert
from tapefacade._core.string_arrays import OBJECT, string_tensor
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._data.dataset import Dataset
from tapefacade._data.element_structures import kernel_error
from tapefacade._data.map import workers_of
from tapefacade._data.node import UNKNOWN, DatasetNode
from tapefacade._data.sources import FromTensorSlices
from tapefacade._definition.op import function
from tapefacade._io.file_errors import translating
from tapefacade._io.records import read_records
from tapefacade._io.storage import is_remote, storage_of
from tapefacade._ops.array.shaping import reshape

COMPRESSIONS = ("", "ZLIB", "GZIP")


class FileRecords(DatasetNode):
    """What is in files, one after the other or several by turns."""

    def __init__(self, names: Any, compression: Any, parallel: Any) -> None:
        node = names._node if isinstance(names, Dataset) else FromTensorSlices(_vector(names))
        super().__init__(node)
        self._compression = "" if compression is None else str(_text(compression))
        self._by_turns = workers_of(parallel)

    def known_spec(self) -> Any:
        return TensorSpec([], dtypes.string)

    def cardinality(self) -> int:
        return UNKNOWN

    def elements(self) -> Iterator[Any]:
        if self._compression not in COMPRESSIONS:
            raise kernel_error(f"Unsupported compression_type: {self._compression}.")
        names = (_text(name) for name in self.input.elements())
        contents = self._together(names) if self._by_turns > 1 else self._in_turn(names)
        return map(self.as_element, contents)

    def as_element(self, data: Any) -> Any:
        """Makes an element of what `read` yields."""
        return _string(data)

    def _in_turn(self, names: Iterator[str]) -> Iterator[Any]:
        for name in names:
            yield from self._marked(name)

    def _together(self, names: Iterator[str]) -> Iterator[Any]:
        """Reads some files by turns, a piece of each; the next file takes the place of an ended."""
        places: list[Any] = [self._marked(n) for n in itertools.islice(names, self._by_turns)]
        while places:
            for place, current in enumerate(places):
                while current is not None:
                    data = next(current, None)
                    if data is not None:
                        yield data
                        break
                    name = next(names, None)
                    current = places[place] = None if name is None else self._marked(name)
            places = [current for current in places if current is not None]

    def _marked(self, name: str) -> Iterator[Any]:
        try:
            yield from self.read(name)
        except errors.OpError as error:
            raise kernel_error(error.message, type(error)) from None

    def read(self, name: str) -> Iterator[Any]:
        """Yields what is in a file."""
        raise NotImplementedError

    def _open(self, name: str) -> Any:
        """Opens a file, decompressed."""
        with translating(name):
            if self._compression == "GZIP" and not is_remote(name):
                return gzip.open(name, "rb")  # which closes the file itself
            file = storage_of(name).open(name, "rb")
            if self._compression == "GZIP":
                return gzip.open(file, "rb")
            if self._compression == "ZLIB":
                with file:
                    return io.BytesIO(zlib.decompress(file.read()))
            return file


class TFRecords(FileRecords):
    """The records of files."""

    name = "TFRecordDatasetV2"

    def read(self, name: str) -> Iterator[bytes]:
        return read_records(name, self._compression)


class TextLines(FileRecords):
    """The lines of files."""

    name = "TextLineDatasetV2"

    def read(self, name: str) -> Iterator[bytes]:
        with self._open(name) as file:
            for line in file:
                yield line.rstrip(b"\n").replace(b"\r", b"")


class FixedLengthRecords(FileRecords):
    """The pieces of files, all of one length."""

    name = "FixedLengthRecordDatasetV2"

    def __init__(
        self, names: Any, sizes: tuple[int, int, int], compression: Any, parallel: Any
    ) -> None:
        super().__init__(names, compression, parallel)
        self._sizes = sizes

    def read(self, name: str) -> Iterator[bytes]:
        size, header, footer = self._sizes
        with self._open(name) as file:
            data = file.read()
        length = len(data) - header - footer
        if length % size:
            raise kernel_error(
                f"Excluding the header ({header} bytes) and footer ({footer} bytes), input file "
                f'"{name}" has body length {length} bytes, which is not an exact multiple of the '
                f"record length ({size} bytes)."
            )
        for start in range(header, header + length, size):
            yield data[start : start + size]


def _vector(names: Any) -> Any:
    if hasattr(names, "__fspath__"):
        names = str(names)
    if isinstance(names, list | tuple):
        names = [str(n) if hasattr(n, "__fspath__") else n for n in names]
    empty = isinstance(names, list) and not names
    found = convert([], dtypes.string) if empty else convert(names)
    if found.dtype is not dtypes.string:
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements. Got "
            f"`{found.dtype!r}` elements."
        )
    return reshape(found, [-1])


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    found: Any = value if isinstance(value, bytes) else convert(value)._numpy_array()[()]
    return found.decode()


def _string(data: bytes) -> Any:
    held = np.empty((), OBJECT)
    held[()] = data
    return string_tensor(held)


@function("data.TFRecordDataset")
class TFRecordDataset(Dataset):
    """A dataset of the records of files, each a string scalar.

    Args:
        filenames: a path, several, or a dataset of paths.
        compression_type: "GZIP", "ZLIB", "" or None.
        buffer_size: ignored.
        num_parallel_reads: how many files are read by turns; None for one after the other.
        name: ignored.

    Raises:
        TypeError: if the paths are no texts.
        NotFoundError: while it is read, if there is no such file.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/records"
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"first")
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'first']

    See https://www.tensorflow.org/api_docs/python/tf/data/TFRecordDataset.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        self._node = TFRecords(filenames, compression_type, num_parallel_reads)


@function("data.TextLineDataset")
class TextLineDataset(Dataset):
    r"""A dataset of the lines of files, each a string scalar without the end of the line.

    Args:
        filenames: a path, several, or a dataset of paths.
        compression_type: "GZIP", "ZLIB", "" or None.
        buffer_size: ignored.
        num_parallel_reads: how many files are read by turns; None for one after the other.
        name: ignored.

    Raises:
        TypeError: if the paths are no texts.
        NotFoundError: while it is read, if there is no such file.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/text"
    >>> tf.io.write_file(path, "one\ntwo\n")
    >>> list(tf.data.TextLineDataset(path).as_numpy_iterator())
    [b'one', b'two']

    See https://www.tensorflow.org/api_docs/python/tf/data/TextLineDataset.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        self._node = TextLines(filenames, compression_type, num_parallel_reads)


@function("data.FixedLengthRecordDataset")
class FixedLengthRecordDataset(Dataset):
    """A dataset of the pieces of files, all of one length, each a string scalar.

    Args:
        filenames: a path, several, or a dataset of paths.
        record_bytes: the length of a piece.
        header_bytes: how much is left out at the start of a file.
        footer_bytes: how much is left out at its end.
        buffer_size: ignored.
        compression_type: "GZIP", "ZLIB", "" or None.
        num_parallel_reads: how many files are read by turns; None for one after the other.
        name: ignored.

    Raises:
        TypeError: if the paths are no texts.
        InvalidArgumentError: while it is read, if a file does not consist of whole pieces.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/pieces"
    >>> tf.io.write_file(path, "abcdef")
    >>> list(tf.data.FixedLengthRecordDataset(path, 2).as_numpy_iterator())
    [b'ab', b'cd', b'ef']

    See https://www.tensorflow.org/api_docs/python/tf/data/FixedLengthRecordDataset.
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        sizes = (int(record_bytes), int(header_bytes or 0), int(footer_bytes or 0))
        self._node = FixedLengthRecords(filenames, sizes, compression_type, num_parallel_reads)
