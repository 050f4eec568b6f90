"""Sorted tables of keys and values, as LevelDB writes them: the index of TensorFlow's checkpoints.

LevelDB, format: https://github.com/google/leveldb/blob/main/doc/table_format.md
"""

import struct
from collections.abc import Iterator, Mapping

from tapefacade._core import errors
from tapefacade._core.tensor import hinted
from tapefacade._io.checksums import masked_crc
from tapefacade._io.varints import VarintError, read_varint, varint

MAGIC = struct.pack("<Q", 0xDB4775248B80FB57)
FOOTER = 48
UNCOMPRESSED, SNAPPY = 0, 1  # kinds of blocks
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


def written_table(entries: Mapping[bytes, bytes]) -> bytes:
    """Writes a table: one block with all entries, and those that say where it is.

    >>> read_table("index", written_table({b"": b"1", b"key": b"2"}))
    {b'': b'1', b'key': b'2'}
    """
    data = bytearray()

    def added(block: Mapping[bytes, bytes]) -> bytes:
        """Adds a block; returns where it is."""
        handle = varint(len(data)) + varint(len(content := _written_block(block)))
        ending = bytes([UNCOMPRESSED])
        data.extend(content + ending + struct.pack("<I", masked_crc(content + ending)))
        return handle

    ordered = dict(sorted(entries.items()))
    all_of_them = added(ordered)
    about_blocks = added({})
    handles = about_blocks + added({next(reversed(ordered)): all_of_them})
    return bytes(data) + handles.ljust(FOOTER - len(MAGIC), b"\0") + MAGIC


def _written_block(entries: Mapping[bytes, bytes]) -> bytes:
    """Writes entries, none of which shares the beginning of its key: a search may start at each."""
    block, starts = bytearray(), []
    for key, value in entries.items():
        starts.append(len(block))
        block += varint(0) + varint(len(key)) + varint(len(value)) + key + value
    starts = starts or [0]
    return bytes(block) + struct.pack(f"<{len(starts) + 1}I", *starts, len(starts))
