"""Our checkpoints: an index in JSON, and the values in safetensors files.

The values are written first, under a name that no other checkpoint uses; then the index takes its
place in one step, and the values it had before go. Whenever a program is killed, and whoever else
saves to the same place, the index that is there belongs to values that are complete.

Values that are divided among devices are in a file of their own, part by part. If some lie on
devices of several processes, each process writes its parts, and the chief writes all else.
"""

import json
import os
import zlib
from typing import Any

from tapefacade._checkpoint.array_files import (
    Array,
    Arrays,
    write_arrays,
)
from tapefacade._checkpoint.divided_values import (
    DividedValue,
    PartsRead,
    assembled,
    write_parts,
)
from tapefacade._checkpoint.errors import damaged_file, missing_value
from tapefacade._checkpoint.object_graph import GRAPH_KEY, mark_values
from tapefacade._checkpoint.tensorflow_files.messages import CHECKPOINTS
from tapefacade._core import dtypes
from tapefacade._core.process_group import PROCESSES, exchanged
from tapefacade._core.string_arrays import as_bytes, text_tensor
from tapefacade._io.storage import storage_of
from tapefacade._io.whole_files import remove, unused_name, write_bytes

FORMAT = "tapefacade checkpoint"
VERSION = 1
VERSION_WITH_PARTS = 2  # that of checkpoints with values in parts
INDEX = ".index"
MESSAGE_PATHS = (
    "A variable is divided among the devices of several processes: all of them save it to the same "
    "path, but got {}."
)


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
    if content["version"] > VERSION_WITH_PARTS:
        raise damaged_file(path, f"the file was written by a newer version ({content['version']})")
    return content


def write_checkpoint(prefix: str, graph: Any, arrays: dict[str, Any]) -> None:
    """Writes a checkpoint.

    Args:
        prefix: the path, without the ends of the names of the files.
        graph: describes the objects.
        arrays: their values by key; some may be divided among devices.

    Raises:
        ValueError: if processes that share a value write to different places.
    """
    storage_of(prefix).makedirs(os.path.dirname(prefix) or ".")
    divided = {key: value for key, value in arrays.items() if isinstance(value, DividedValue)}
    whole = {key: value for key, value in arrays.items() if key not in divided}
    is_shared = any(value.is_shared for value in divided.values())
    parts = _written_parts(prefix, divided, is_shared) if divided else {}
    if not is_shared or PROCESSES.is_chief:
        tensors = {
            key: {"dtype": dtypes.from_numpy(value.dtype).name, "shape": list(value.shape)}
            for key, value in divided.items()
        }
        _write_index(prefix, graph, whole, tensors, parts)
    if is_shared:
        exchanged(b"")  # nobody reads it before it is complete


def _written_parts(
    prefix: str, divided: dict[str, DividedValue], is_shared: bool
) -> dict[str, dict[str, Any]]:
    """Writes the parts that this process has of values.

    Returns:
        What the index says of the parts that all processes have written, by the files' ends.

    Raises:
        ValueError: if the processes write to different places.
    """
    end = _unused_end()
    found = {end: write_parts(prefix + end, divided)}
    if not is_shared:
        return found
    told = [json.loads(text) for text in exchanged(json.dumps([prefix, found]).encode())]
    paths = sorted({path for path, _ in told})
    if len(paths) > 1:
        remove(prefix + end)
        raise ValueError(MESSAGE_PATHS.format(paths))
    return {end: described for _, own in told for end, described in own.items()}


def _unused_end() -> str:
    return f".data-{unused_name()}.safetensors"


def _write_index(
    prefix: str, graph: Any, whole: dict[str, Array], tensors: dict[str, Any],
    parts: dict[str, dict[str, Any]],
) -> None:  # fmt: skip
    """Writes the values that are in one piece, and then the index of all."""
    before, end = data_files(prefix), _unused_end()
    try:
        content = {
            "format": FORMAT, "version": VERSION_WITH_PARTS if parts else VERSION, "data": end,
            "tensors": tensors | write_arrays(prefix + end, whole), "objects": _described(graph),
        }  # fmt: skip
        if parts:
            content["parts"] = parts
        write_bytes(prefix + INDEX, checked_json(content))
        for path in before or ():
            remove(path)
    except BaseException:  # also Ctrl-C: no values without their index stay behind
        is_placed = data_files(prefix) != before
        for path in (before or ()) if is_placed else [prefix + each for each in (end, *parts)]:
            remove(path)
        raise


def data_files(prefix: str) -> list[str] | None:
    """Returns the files with the values of one of our checkpoints, if there is an index."""
    try:
        with storage_of(prefix).open(prefix + INDEX, "rb") as file:
            content = read_json(prefix + INDEX, file.read(), FORMAT)
        return [prefix + end for end in (content["data"], *content.get("parts", ()))]
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
        self._parts = PartsRead(prefix, content.get("parts", {}))
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
        entry = self._entry(key)
        if key == GRAPH_KEY:
            assert self.graph is not None
            return text_tensor(as_bytes(self.graph.SerializeToString()))._value
        if "crc32" in entry:
            return self._arrays.get(key)
        return self._part(key, [0] * len(entry["shape"]), entry["shape"])

    def _part(self, key: str, start: list[int], shape: list[int]) -> Array:
        return self._parts.get(key, start, shape, self.dtype(key)._numpy)

    def divided(self, key: str, sharding: Any) -> Any:
        """Reads a value that was written in parts, those that the devices of this process need.

        Args:
            key: its key.
            sharding: how it is to be divided.

        Returns:
            An array of JAX; None if the value was written in one piece.

        Raises:
            DataLossError: if it is not what was written.
        """
        entry = self._entry(key)
        if "crc32" in entry:
            return None
        return assembled(tuple(entry["shape"]), sharding, lambda *at: self._part(key, *at))
