"""Our checkpoints: an index in JSON, and the values in a safetensors file.

The values are written first, under a name that no other checkpoint uses; then the index takes its
place in one step, and the values it had before go. Whenever a program is killed, and whoever else
saves to the same place, the index that is there belongs to values that are complete.
"""

import json
import os
import zlib
from typing import Any

from tapefacade._checkpoint.array_files import (
    Arrays,
    remove,
    unused_name,
    write_arrays,
    write_bytes,
)
from tapefacade._checkpoint.errors import damaged_file, missing_value
from tapefacade._checkpoint.object_graph import GRAPH_KEY, mark_values
from tapefacade._checkpoint.tensorflow_files.messages import CHECKPOINTS
from tapefacade._checkpoint.tracking import Array
from tapefacade._core import dtypes
from tapefacade._core.string_arrays import as_bytes, text_tensor
from tapefacade._io.storage import storage_of

FORMAT = "tapefacade checkpoint"
VERSION = 1
INDEX = ".index"


def checked_json(content: dict[str, Any]) -> bytes:
    """Writes an index, with a check of its own."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    check = zlib.crc32(text.encode())
    return f'{{"crc32":{check},\n"content":{text}}}\n'.encode()


def read_json(path: str, data: bytes, format_: str) -> dict[str, Any]:
    """Reads an index.

    Raises:
        DataLossError: if it is damaged, or of another format.
    """
    try:
        read = json.loads(data)
        content, check = read["content"], read["crc32"]
    except (ValueError, TypeError, KeyError):
        raise damaged_file(path, f"the file is damaged, or no index of a {format_}") from None
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    if zlib.crc32(text.encode()) != check:
        raise damaged_file(path, "the index is not what was written")
    if content.get("format") != format_:
        raise damaged_file(path, f"the file is no index of a {format_}")
    if content["version"] > VERSION:
        raise damaged_file(path, f"the file was written by a newer version ({content['version']})")
    return content


def write_checkpoint(prefix: str, graph: Any, arrays: dict[str, Array]) -> None:
    """Writes a checkpoint.

    Args:
        prefix: the path, without the ends of the names of the files.
        graph: describes the objects.
        arrays: their values by key.
    """
    storage_of(prefix).makedirs(os.path.dirname(prefix) or ".")
    end = f".data-{unused_name()}.safetensors"
    described = write_arrays(prefix + end, arrays)
    content = {
        "format": FORMAT, "version": VERSION, "data": end, "tensors": described,
        "objects": _described(graph),
    }  # fmt: skip
    before = data_file(prefix)
    try:
        write_bytes(prefix + INDEX, checked_json(content))
    except BaseException:  # also Ctrl-C: no values without their index stay behind
        remove(prefix + end)
        raise
    if before is not None:
        remove(before)


def data_file(prefix: str) -> str | None:
    """Returns the file with the values of one of our checkpoints, if there is an index."""
    try:
        with storage_of(prefix).open(prefix + INDEX, "rb") as file:
            content = read_json(prefix + INDEX, file.read(), FORMAT)
        return prefix + content["data"]
    except Exception:  # there is none, or it is somebody else's
        return None


def _described(graph: Any) -> list[Any]:
    return [
        {
            "children": {child.local_name: child.node_id for child in node.children},
            "values": [[own.name, own.full_name, own.checkpoint_key] for own in node.attributes],
        }
        for node in graph.nodes
    ]


class OwnReader:
    """Reads one of our checkpoints.

    Args:
        prefix: the path.
        data: the content of the index.

    Raises:
        DataLossError: if the index is damaged, or the values are missing.
    """

    def __init__(self, prefix: str, data: bytes) -> None:
        content = read_json(prefix + INDEX, data, FORMAT)
        self._entries: dict[str, Any] = content["tensors"]
        self._arrays = Arrays(prefix + content["data"], self._entries)
        graph = CHECKPOINTS["TrackableObjectGraph"]()
        for described in content["objects"]:
            node = graph.nodes.add()
            for name, place in described["children"].items():
                node.children.add(node_id=place, local_name=name)
            for name, full_name, key in described["values"]:
                node.attributes.add(name=name, full_name=full_name, checkpoint_key=key)
        mark_values(graph)
        self.graph: Any = graph

    def names(self) -> list[str]:
        """Lists the keys of the values."""
        return sorted([*self._entries, GRAPH_KEY])

    def has(self, key: str) -> bool:
        """Whether there is a value with a key."""
        return key in self._entries or key == GRAPH_KEY

    def _entry(self, key: str) -> Any:
        if key == GRAPH_KEY:
            return {"dtype": "string", "shape": []}
        if key not in self._entries:
            raise missing_value(key)
        return self._entries[key]

    def dtype(self, key: str) -> dtypes.DType:
        """Returns the dtype of a value."""
        return dtypes.as_dtype(self._entry(key)["dtype"])

    def shape(self, key: str) -> list[int]:
        """Returns the shape of a value."""
        return list(self._entry(key)["shape"])

    def get(self, key: str) -> Array:
        """Reads a value.

        Raises:
            NotFoundError: if there is none with this key.
            DataLossError: if it is not what was written.
        """
        self._entry(key)
        if key == GRAPH_KEY:
            assert self.graph is not None
            return text_tensor(as_bytes(self.graph.SerializeToString()))._value
        return self._arrays.get(key)
