"""Checkpoints as TensorFlow reads them: the values in one file, and a sorted table of them.

The files are written beside and renamed, the index last, as our own checkpoints are; `bundle` reads
them.
"""

import os
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from tapefacade._checkpoint.array_files import Array
from tapefacade._checkpoint.object_graph import GRAPH_KEY
from tapefacade._checkpoint.tensorflow_files.bundle import LARGEST_SHORT
from tapefacade._checkpoint.tensorflow_files.messages import CHECKPOINTS
from tapefacade._checkpoint.tensorflow_files.sorted_table import written_table
from tapefacade._core import dtypes
from tapefacade._core.string_arrays import OBJECT, as_bytes, text_tensor
from tapefacade._io.checksums import masked_crc
from tapefacade._io.storage import storage_of
from tapefacade._io.tensor_protos import shape_proto
from tapefacade._io.varints import varint
from tapefacade._io.whole_files import write_beside, write_bytes

DATA = ".data-00000-of-00001"


def write_bundle(prefix: str, graph: Any, arrays: Mapping[str, Any]) -> None:
    """Writes a checkpoint.

    Args:
        prefix: the path, without the ends of the names of the files.
        graph: describes the objects.
        arrays: their values by key.
    """
    described = text_tensor(as_bytes(graph.SerializeToString()))._value
    header = CHECKPOINTS["BundleHeaderProto"](num_shards=1)
    header.version.producer = 1
    entries = {b"": header.SerializeToString()}
    storage_of(prefix).makedirs(os.path.dirname(prefix) or ".")

    def write(beside: str) -> None:
        place = 0
        with storage_of(prefix).open(beside, "wb") as file:
            for key, value in sorted({**arrays, GRAPH_KEY: described}.items()):
                array = np.asarray(value)
                stored, check = _stored(array)
                file.write(stored)
                entries[key.encode()] = CHECKPOINTS["BundleEntryProto"](
                    dtype=dtypes.from_numpy(array.dtype).as_datatype_enum,
                    shape=shape_proto(array.shape), offset=place, size=len(stored),
                    crc32c=masked_crc(check),
                ).SerializeToString()  # fmt: skip
                place += len(stored)

    write_beside(prefix + DATA, write)
    write_bytes(f"{prefix}.index", written_table(entries))


def _stored(array: Array) -> tuple[bytes, bytes]:
    """Returns the bytes of a value, and those that its check is of."""
    if array.dtype != OBJECT:
        data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        return data, data
    texts = array.reshape(-1).tolist()
    packed = b"".join(
        struct.pack("<I" if len(text) <= LARGEST_SHORT else "<Q", len(text)) for text in texts
    )
    rest = struct.pack("<I", masked_crc(packed)) + b"".join(texts)
    return b"".join(varint(len(text)) for text in texts) + rest, packed + rest
