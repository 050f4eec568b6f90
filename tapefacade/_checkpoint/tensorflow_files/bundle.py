"""TensorFlow's checkpoints, read without TensorFlow.

The index is a sorted table: a header under the empty key, and for every tensor where it is in the
data files. See TensorFlow's `tensor_bundle.proto`.
"""

import errno
import os
import struct
from typing import Any

import numpy as np

from tapefacade._checkpoint.array_files import Array, texts_of
from tapefacade._checkpoint.errors import damaged_file, missing_value
from tapefacade._checkpoint.object_graph import GRAPH_KEY
from tapefacade._checkpoint.tensorflow_files.messages import CHECKPOINTS
from tapefacade._checkpoint.tensorflow_files.sorted_table import read_table
from tapefacade._core import dtypes, errors
from tapefacade._core.tensor import hinted
from tapefacade._io.checksums import masked_crc
from tapefacade._io.storage import storage_of
from tapefacade._io.varints import VarintError, read_varint

LARGEST_SHORT = 2**32 - 1


class BundleReader:
    """Reads a checkpoint that TensorFlow has made.

    Args:
        prefix: the path.
        data: the content of the index.

    Raises:
        DataLossError: if the index is damaged.
    """

    def __init__(self, prefix: str, data: bytes) -> None:
        self._prefix = prefix
        path = f"{prefix}.index"
        table = read_table(path, data)
        try:
            header = CHECKPOINTS["BundleHeaderProto"].FromString(table.pop(b"", b""))
            entry = CHECKPOINTS["BundleEntryProto"]
            self._entries: dict[str, Any] = {
                key.decode(): entry.FromString(value)
                for key, value in table.items()
                if not key.startswith(b"\x00")  # a part of a tensor
            }
        except (CHECKPOINTS.decode_error(), UnicodeDecodeError) as error:
            raise damaged_file(path, f"the index is damaged: {error}") from None
        self._order: Any = ">" if header.endianness else "<"
        self._shards = header.num_shards
        self.graph: Any = None
        if GRAPH_KEY in self._entries:
            graph = CHECKPOINTS["TrackableObjectGraph"]
            self.graph = graph.FromString(self.get(GRAPH_KEY).item())

    def names(self) -> list[str]:
        """Lists the keys of the values."""
        return sorted(self._entries)

    def has(self, key: str) -> bool:
        """Whether there is a value with a key."""
        return key in self._entries

    def _entry(self, key: str) -> Any:
        if key not in self._entries:
            raise missing_value(key)
        return self._entries[key]

    def dtype(self, key: str) -> dtypes.DType:
        """Returns the dtype of a value."""
        return dtypes.as_dtype(self._entry(key).dtype)

    def shape(self, key: str) -> list[int]:
        """Returns the shape of a value."""
        return [dim.size for dim in self._entry(key).shape.dim]

    def divided(self, key: str, sharding: Any) -> Any:
        """Returns None: what is divided among devices is read in one piece first."""
        return None

    def get(self, key: str) -> Array:
        """Reads a value.

        Raises:
            NotFoundError: if there is none with this key.
            DataLossError: if it is not what was written.
            UnimplementedError: if it is stored in parts.
        """
        entry = self._entry(key)
        if entry.slices:
            raise hinted(
                errors.UnimplementedError(
                    None, None, f"{self._prefix}: {key} is stored in {len(entry.slices)} parts"
                ),
                "Variables that are partitioned are not put together. Save the checkpoint anew in "
                "TensorFlow, without a partitioner.",
            )
        path = f"{self._prefix}.data-{entry.shard_id:05d}-of-{self._shards:05d}"
        data = self._read(path, entry)
        shape = tuple(self.shape(key))
        dtype: Any = self.dtype(key)
        if dtype is dtypes.string:
            return self._texts(path, data, entry, shape)
        self._check(data, entry)
        if dtype._numpy is None:
            raise errors.UnimplementedError(
                None, None, f"{self._prefix}: {key} is of dtype {dtype.name}, which is not read"
            )
        array = np.frombuffer(data, np.dtype(dtype._numpy).newbyteorder(self._order))
        if array.size != int(np.prod(shape, dtype=np.int64)):
            raise damaged_file(path, f"{key} has another size than its shape")
        return array.astype(dtype._numpy).reshape(shape)

    def _read(self, path: str, entry: Any) -> bytes:
        try:
            with storage_of(path).open(path, "rb") as file:
                file.seek(entry.offset)
                data = file.read(entry.size)
        except OSError as error:
            raise errors.NotFoundError(
                None, None, f"{path}; {error.strerror or os.strerror(errno.ENOENT)}"
            ) from None
        if len(data) < entry.size:
            raise damaged_file(path, "Read less bytes than requested")
        return data

    def _check(self, data: bytes, entry: Any) -> None:
        found = masked_crc(data)
        if found != entry.crc32c:
            raise errors.DataLossError(
                None,
                None,
                f"TensorBundle at {self._prefix} shard {entry.shard_id} ({entry.size} bytes): "
                f"Checksum does not match: stored {entry.crc32c} vs. calculated on the restored "
                f"bytes {found}",
            )

    def _texts(self, path: str, data: bytes, entry: Any, shape: tuple[int, ...]) -> Array:
        """Reads texts: their lengths, a check of these, and the texts one after another."""
        lengths, at = [], 0
        try:
            for _ in range(int(np.prod(shape, dtype=np.int64))):
                length, at = read_varint(data, at)
                lengths.append(length)
        except VarintError as error:
            raise damaged_file(path, str(error)) from None
        packed = b"".join(
            struct.pack("<I" if length <= LARGEST_SHORT else "<Q", length) for length in lengths
        )
        if masked_crc(packed) != int.from_bytes(data[at : at + 4], "little"):
            raise damaged_file(path, "the lengths of texts are not those that were written")
        texts = data[at + 4 :]
        if len(texts) != sum(lengths):
            raise damaged_file(path, "texts are cut off")
        self._check(packed + data[at:], entry)
        return texts_of(texts, lengths, shape)
