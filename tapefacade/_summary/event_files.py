"""Events as TensorBoard reads them, written by tensorboardX."""

import os
import tempfile
import time
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.optional_imports import optional_module
from tapefacade._core.string_arrays import OBJECT
from tapefacade._io.storage import is_remote, remote_storage, storage_of
from tapefacade._io.tensor_protos import TENSORS, shape_proto

Array = np.ndarray[Any, Any]


class SummaryMetadata(NamedTuple):
    """What TensorBoard shows a summary with.

    Attributes:
        plugin: the name of the plugin.
        content: what the plugin is told.
        description: a text in Markdown.
        message: all of it as bytes, if that is what was given.
    """

    plugin: str = ""
    content: bytes = b""
    description: str = ""
    message: bytes | None = None


def library(name: str) -> Any:
    """Returns a module of tensorboardX.

    Raises:
        ImportError: if it is not installed.
    """
    return optional_module(name, "summary", "Summaries")


class EventFile:
    """A file of events.

    That of a directory with `://` is written on this machine, and sent when it is flushed.

    Args:
        directory: where it is made.
        end: the end of its name.
    """

    def __init__(self, directory: str, end: str) -> None:
        self._directory = directory
        self._beside = tempfile.TemporaryDirectory() if is_remote(directory) else None
        local = directory if self._beside is None else self._beside.name
        storage_of(directory).makedirs(directory or ".")
        module = library("tensorboardX.event_file_writer")
        self._events = library("tensorboardX.proto.event_pb2")
        self._summaries = library("tensorboardX.proto.summary_pb2")
        self._tensors = library("tensorboardX.proto.tensor_pb2")
        self._file = module.EventsWriter(os.path.join(local, "events"), end)
        if self._beside is not None:
            self.flush()  # the file is there at once, as on this machine

    def write(self, tag: str, array: Array, step: int, metadata: SummaryMetadata | None) -> None:
        """Writes a summary."""
        value = self._summaries.Summary.Value(
            tag=tag, tensor=self._tensors.TensorProto.FromString(tensor_bytes(array))
        )
        if metadata is not None:
            value.metadata.CopyFrom(self._metadata(metadata))
        self._write(self._summaries.Summary(value=[value]), step)

    def write_bytes(self, summary: bytes, step: int) -> None:
        """Writes a summary that is a message as bytes."""
        self._write(self._summaries.Summary.FromString(summary), step)

    def _write(self, summary: Any, step: int) -> None:
        event = self._events.Event(wall_time=time.time(), step=step, summary=summary)
        self._file.write_event(event)

    def _metadata(self, metadata: SummaryMetadata) -> Any:
        kind = self._summaries.SummaryMetadata
        if metadata.message is not None:
            return kind.FromString(metadata.message)
        made = kind(summary_description=metadata.description)
        made.plugin_data.plugin_name = metadata.plugin
        made.plugin_data.content = metadata.content
        return made

    def flush(self) -> None:
        """Hands everything to the system."""
        self._file.flush()
        self._send()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
        self._send()
        if self._beside is not None:
            self._beside.cleanup()

    def _send(self) -> None:
        if self._beside is not None:
            storage = remote_storage(self._directory)
            for name in os.listdir(self._beside.name):
                local = os.path.join(self._beside.name, name)
                storage.send(local, os.path.join(self._directory, name))


def tensor_bytes(array: Array) -> bytes:
    """Writes an array as a `TensorProto`, its numbers as bytes."""
    proto = TENSORS["TensorProto"](
        dtype=dtypes.from_numpy(array.dtype).as_datatype_enum,
        tensor_shape=shape_proto(array.shape),
    )
    if array.dtype == OBJECT:
        proto.string_val.extend(array.reshape(-1).tolist())
    else:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    return proto.SerializeToString()
