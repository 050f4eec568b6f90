"""Files of records: `TFRecordWriter` and the reading of what it writes.

A record is its length (eight bytes), the check of the length, the data, and the check of the data.
"""

import gzip
import io
import struct
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import Any, BinaryIO, ClassVar

from tapefacade._core import errors
from tapefacade._core.error_texts import no_text
from tapefacade._definition.op import function
from tapefacade._io.checksums import masked_crc
from tapefacade._io.file_errors import translating
from tapefacade._io.storage import storage_of

HEADER, CHECKSUM = struct.Struct("<QI"), struct.Struct("<I")
DEFAULT_LEVEL = -1


@function("compat.v1.io.TFRecordCompressionType", "compat.v1.python_io.TFRecordCompressionType")
class TFRecordCompressionType:
    """The kinds of compression of files of records, by numbers.

    >>> tf.compat.v1.io.TFRecordCompressionType.GZIP
    2
    """

    NONE = 0
    ZLIB = 1
    GZIP = 2


@function(
    "io.TFRecordOptions", "compat.v1.io.TFRecordOptions", "compat.v1.python_io.TFRecordOptions"
)
class TFRecordOptions:
    """How a file of records is compressed.

    Args:
        compression_type: "GZIP", "ZLIB", "" or None.
        flush_mode: accepted for TensorFlow's sake.
        input_buffer_size: accepted for TensorFlow's sake.
        output_buffer_size: accepted for TensorFlow's sake.
        window_bits: accepted for TensorFlow's sake.
        compression_level: from 0 (none) to 9 (best).
        compression_method: accepted for TensorFlow's sake.
        mem_level: accepted for TensorFlow's sake.
        compression_strategy: accepted for TensorFlow's sake.

    Raises:
        ValueError: if `compression_type` is another.

    >>> tf.io.TFRecordOptions("GZIP").compression_type
    'GZIP'
    """

    compression_type_map: ClassVar[dict[int, str]] = {0: "", 1: "ZLIB", 2: "GZIP"}

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """Returns the kind of compression that options, a text or a number name.

        >>> tf.io.TFRecordOptions.get_compression_type_string(None)
        ''
        """
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if isinstance(options, int):
            return cls.compression_type_map.get(options, "")
        if options in cls.compression_type_map.values():
            return options
        raise ValueError(f'Not a valid compression_type: "{options}"')


@function("io.TFRecordWriter", "compat.v1.io.TFRecordWriter", "compat.v1.python_io.TFRecordWriter")
class TFRecordWriter:
    """Writes records to a file, whose former contents are lost.

    Args:
        path: the file.
        options: a `TFRecordOptions`, or the name of a compression.

    Raises:
        NotFoundError: if there is no such directory.

    >>> import pathlib, tempfile
    >>> path = str(pathlib.Path(tempfile.mkdtemp()) / "records")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"first")
    >>> list(tf.compat.v1.io.tf_record_iterator(path))
    [b'first']
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        if not isinstance(path, str | bytes):
            raise no_text(path)
        path = path if isinstance(path, str) else path.decode()
        with translating(path):
            self._file: BinaryIO | None = storage_of(path).open(path, "wb")
        kind = options.get_compression_type_string(options)
        level = options.compression_level
        self._compressor: Any = None
        if kind:
            window = zlib.MAX_WBITS + (16 if kind == "GZIP" else 0)
            chosen = DEFAULT_LEVEL if level is None else level
            self._compressor = zlib.compressobj(chosen, zlib.DEFLATED, window)

    def __enter__(self) -> "TFRecordWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()

    def write(self, record: Any) -> None:
        """Writes a record.

        Args:
            record: bytes, or a text.

        Raises:
            FailedPreconditionError: if the writer is closed.
            TypeError: if `record` is something else.
        """
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, bytes | bytearray):
            raise TypeError(
                "write(): incompatible function arguments. The following argument types are "
                f"supported:\n    record: bytes or str; but it is {type(record).__name__}"
            )
        length = len(record).to_bytes(8, "little")
        file = self._open_file()
        data = length + CHECKSUM.pack(masked_crc(length)) + record
        data += CHECKSUM.pack(masked_crc(bytes(record)))
        file.write(self._compressor.compress(data) if self._compressor else data)

    def flush(self) -> None:
        """Writes out what has not reached the file yet.

        Raises:
            FailedPreconditionError: if the writer is closed.
        """
        file = self._open_file()
        if self._compressor:
            file.write(self._compressor.flush(zlib.Z_SYNC_FLUSH))
        file.flush()

    def close(self) -> None:
        """Closes the file."""
        if self._file is None:
            return
        if self._compressor:
            self._file.write(self._compressor.flush())
        self._file.close()
        self._file = None

    def _open_file(self) -> BinaryIO:
        if self._file is None:
            raise errors.FailedPreconditionError(None, None, "Writer is closed.")
        return self._file


@function("compat.v1.io.tf_record_iterator", "compat.v1.python_io.tf_record_iterator")
def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Reads the records of a file.

    Args:
        path: the file.
        options: a `TFRecordOptions`, or the name of a compression.

    Returns:
        An iterator of bytes.

    Raises:
        NotFoundError: if there is no such file.
        DataLossError: if the file ends within a record, or a check is wrong.

    >>> list(tf.compat.v1.io.tf_record_iterator("/no/such/file"))
    Traceback (most recent call last):
    tapefacade.errors.NotFoundError: /no/such/file; No such file or directory
    """
    return read_records(path, TFRecordOptions.get_compression_type_string(options))


def read_records(path: Any, compression: str = "") -> Iterator[bytes]:
    """Reads the records of a file.

    Args:
        path: the file.
        compression: "GZIP", "ZLIB" or empty.

    Yields:
        The records, as bytes.

    Raises:
        OpError: as `tf_record_iterator` says.
    """
    path = path if isinstance(path, str) else path.decode()
    with translating(path), storage_of(path).open(path, "rb") as raw:
        file: Any = raw
        if compression == "GZIP":
            file = gzip.GzipFile(fileobj=raw)
        elif compression == "ZLIB":
            file = io.BufferedReader(_DecompressedFile(raw))
        yield from _records(file)


def _records(file: Any) -> Iterator[bytes]:
    at = 0
    while True:
        header = _read(file, HEADER.size, at)
        if len(header) < HEADER.size:
            return
        length, check = HEADER.unpack(header)
        if masked_crc(header[:8]) != check:
            hint = " (Is this even a TFRecord file?)" if at == 0 else ""
            raise errors.DataLossError(None, None, f"corrupted record at {at}{hint}")
        data = _read(file, length + CHECKSUM.size, at)
        if len(data) < length + CHECKSUM.size:
            raise errors.DataLossError(
                None, None, f"truncated record at {at}' failed with Read less bytes than requested"
            )
        if CHECKSUM.unpack(data[length:])[0] != masked_crc(data[:length]):
            raise errors.DataLossError(None, None, f"corrupted record at {at + HEADER.size}")
        yield data[:length]
        at += HEADER.size + length + CHECKSUM.size


def _read(file: Any, size: int, at: int) -> bytes:
    try:
        return file.read(size)
    except (zlib.error, gzip.BadGzipFile, EOFError) as error:
        raise errors.DataLossError(
            None, None, f"inflate() failed with error -3: {error}; record at {at}"
        ) from None


class _DecompressedFile(io.RawIOBase):
    """A file that decompresses what another holds."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decompressor = zlib.decompressobj()

    def readable(self) -> bool:
        """Returns True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills a buffer, or a part of it; returns how much, 0 at the end."""
        data = b""
        while not data and not self._decompressor.eof:
            chunk = self._decompressor.unconsumed_tail or self._file.read(1 << 16)
            if not chunk:
                break
            data = self._decompressor.decompress(chunk, len(buffer))
        buffer[: len(data)] = data
        return len(data)
