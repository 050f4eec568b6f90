"""Sorted tables of keys and values, as LevelDB writes them: the index of TensorFlow's checkpoints.

LevelDB, format: https://github.com/google/leveldb/blob/main/doc/table_format.md
"""

import struct
from collections.abc import Iterator

from tapefacade._core import errors
from tapefacade._core.tensor import hinted
from tapefacade._io.checksums import masked_crc
from tapefacade._io.varints import VarintError, read_varint

MAGIC = struct.pack("<Q", 0xDB4775248B80FB57)
FOOTER = 48
SNAPPY = 1  # a kind of block
TRAILER = 5  # how a block is compressed, and its check


def read_table(path: str, data: bytes) -> dict[bytes, bytes]:
    """Reads all entries.

    Args:
        path: the file, for messages.
        data: its content.

    Raises:
        DataLossError: if this is no such table, or it is damaged.
        UnimplementedError: if it is compressed by Snappy.
    """
    if len(data) < FOOTER:
        raise _error(path, "file is too short to be an sstable")
    if not data.endswith(MAGIC):
        raise _error(path, "not an sstable (bad magic number)")
    try:
        at = len(data) - FOOTER
        for _ in range(2):  # the handle of the block about blocks, which nothing is needed from
            _, at = read_varint(data, at)
        offset, at = read_varint(data, at)
        size, _ = read_varint(data, at)
        found: dict[bytes, bytes] = {}
        for _, handle in _entries(_block(path, data, offset, size)):
            offset, at = read_varint(handle, 0)
            size, _ = read_varint(handle, at)
            found.update(_entries(_block(path, data, offset, size)))
    except (VarintError, struct.error) as error:
        raise _error(path, f"the table is damaged: {error}") from None
    return found


def _error(path: str, what: str) -> errors.OpError:
    return errors.DataLossError(None, None, f"{what}: {path}")


def _block(path: str, data: bytes, offset: int, size: int) -> bytes:
    """Returns the content of a block."""
    end = offset + size
    if end + TRAILER > len(data):
        raise _error(path, "truncated block read")
    (check,) = struct.unpack_from("<I", data, end + 1)
    if masked_crc(data[offset : end + 1]) != check:
        raise _error(path, "block checksum mismatch")
    kind = data[end]
    if kind == SNAPPY:
        raise hinted(
            errors.UnimplementedError(None, None, f"{path} is compressed by Snappy"),
            "TensorFlow compresses no checkpoint of its own. Save it anew with "
            "`tf.train.Checkpoint` in TensorFlow.",
        )
    if kind:
        raise _error(path, "bad block type")
    return data[offset:end]


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields what is in a block; keys share beginnings with those before them."""
    (restarts,) = struct.unpack_from("<I", block, len(block) - 4)
    end = len(block) - 4 * (restarts + 1)
    if end < 0:
        raise VarintError("a block does not end")
    at, key = 0, b""
    while at < end:
        shared, at = read_varint(block, at)
        own, at = read_varint(block, at)
        length, at = read_varint(block, at)
        if shared > len(key) or at + own + length > end:
            raise VarintError("an entry does not end")
        key = key[:shared] + block[at : at + own]
        at += own
        yield key, block[at : at + length]
        at += length
