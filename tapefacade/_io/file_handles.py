"""Open files: `tf.io.gfile.GFile`."""

from collections.abc import Iterator
from types import TracebackType
from typing import Any

from tapefacade._core import errors
from tapefacade._core.error_texts import no_text
from tapefacade._definition.op import function
from tapefacade._io.file_errors import as_path, translating
from tapefacade._io.storage import storage_of

MODES = ("r", "w", "a", "r+", "w+", "a+")
START, HERE, END = range(3)


@function(
    "io.gfile.GFile", "compat.v1.gfile.GFile", "compat.v1.gfile.Open", "compat.v1.gfile.FastGFile"
)
class GFile:
    r"""A file of texts or, with "b" in its mode, of bytes.

    It is opened by the first reading or writing.

    Args:
        name: the path.
        mode: "r" to read, "w" to write, "a" to append; with "+" for both, with "b" for bytes.

    Raises:
        InvalidArgumentError: if there is no such mode.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/file"
    >>> with tf.io.gfile.GFile(path, "w") as file:
    ...     file.write("one\ntwo\n")
    >>> with tf.io.gfile.GFile(path) as file:
    ...     print(file.readlines())
    ['one\n', 'two\n']
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        self._name = name
        self._mode = mode
        self._binary = "b" in mode
        kind = mode.replace("b", "")
        if kind not in MODES:
            raise errors.InvalidArgumentError(
                None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'"
            )
        self._can_read = kind in ("r", "r+", "w+", "a+")
        self._can_write = kind != "r"
        self._reader: Any = None
        self._writer: Any = None

    @property
    def name(self) -> Any:
        """The path."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode."""
        return self._mode

    @property
    def closed(self) -> bool:
        """Whether the file is not open: closed, or neither read nor written yet.

        TensorFlow's files lack it; `csv` and callbacks of Keras ask for it.
        """
        return self._reader is None and self._writer is None

    def _reading(self) -> Any:
        if self._reader is None:
            if not self._can_read:
                raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
            path = as_path(self._name)
            with translating(path):
                self._reader = storage_of(path).open(path, "rb")
        return self._reader

    def _writing(self) -> Any:
        if self._writer is None:
            if not self._can_write:
                raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
            path = as_path(self._name)
            with translating(path):
                kind = "ab" if "a" in self._mode else "wb"
                self._writer = storage_of(path).open(path, kind)
        return self._writer

    def _read_form(self, data: bytes) -> Any:
        return data if self._binary else data.decode()

    def size(self) -> int:
        """Returns the number of bytes in the file."""
        path = as_path(self._name)
        with translating(path):
            return storage_of(path).status(path)[0]

    def write(self, file_content: Any) -> None:
        """Writes a text or bytes.

        Args:
            file_content: a `str`, which is written in UTF-8, or `bytes`.
        """
        writer = self._writing()
        if isinstance(file_content, str):
            file_content = file_content.encode()
        elif not isinstance(file_content, bytes):
            raise no_text(file_content)
        with translating(as_path(self._name)):
            writer.write(file_content)

    def read(self, n: int = -1) -> Any:
        """Reads the rest of the file, or `n` bytes of it.

        Args:
            n: how many bytes; all by default.

        Returns:
            A `str`, or `bytes` for a file of bytes.
        """
        reader = self._reading()
        with translating(as_path(self._name)):
            return self._read_form(reader.read(n))

    def seek(self, offset: int | None = None, whence: int = 0, position: Any = None) -> None:
        """Goes to another place for reading.

        Args:
            offset: how far it is, in bytes.
            whence: from where: 0 for the start of the file, 1 for this place, 2 for the end.
            position: an old name of `offset`.

        Raises:
            OutOfRangeError: if it is behind the end.
            InvalidArgumentError: if it is before the start, or `whence` is another.
        """
        reader = self._reading()
        offset = position if offset is None else offset
        if offset is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (START, HERE, END):
            raise errors.InvalidArgumentError(
                None, None, f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            )
        size = self.size()
        place = offset + (0, reader.tell(), size)[whence]
        if place < 0:
            raise errors.InvalidArgumentError(
                None, None, f"Seeking to a negative position: {place}"
            )
        if place > size:
            reader.seek(size)
            raise errors.OutOfRangeError(None, None, "reached end of file")
        reader.seek(place)

    def seekable(self) -> bool:
        """Returns True."""
        return True

    def readline(self) -> Any:
        """Reads the rest of a line, with its end."""
        reader = self._reading()
        with translating(as_path(self._name)):
            return self._read_form(reader.readline())

    def readlines(self) -> list[Any]:
        """Reads the lines that are left."""
        return list(self)

    def tell(self) -> int:
        """Returns the place of reading or, in a file that is only written, of writing."""
        return self._reading().tell() if self._can_read else self._writing().tell()

    def __enter__(self) -> "GFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self) -> Any:
        """Reads a line.

        Raises:
            StopIteration: at the end.
        """
        return self.__next__()

    def __del__(self) -> None:
        if hasattr(self, "_writer"):
            self.close()

    def flush(self) -> None:
        """Writes out what has not reached the file yet."""
        if self._writer is not None:
            with translating(as_path(self._name)):
                self._writer.flush()

    def close(self) -> None:
        """Closes the file; the next reading or writing opens it again."""
        files = (self._reader, self._writer)
        self._reader = self._writer = None
        for file in files:
            if file is not None:
                with translating(as_path(self._name)):  # some storages write only now
                    file.close()
