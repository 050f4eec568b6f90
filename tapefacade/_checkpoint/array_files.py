"""Arrays in files: safetensors with a check of every array.

safetensors, format: https://huggingface.co/docs/safetensors
"""

import contextlib
import weakref
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from tapefacade._checkpoint.errors import damaged_file
from tapefacade._core import dtypes
from tapefacade._core.optional_imports import optional_module
from tapefacade._core.string_arrays import OBJECT
from tapefacade._io.storage import local_copy, local_target
from tapefacade._io.whole_files import write_beside

Array = np.ndarray[Any, Any]
PURPOSE = "Checkpoints and saved models"

# What safetensors stores as it is; the elements of other dtypes are stored as bytes.
NATIVE = {
    "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint64",
    "uint32", "uint16", "uint8", "bool", "complex64",
}  # fmt: skip


def _library(name: str) -> Any:
    """Returns a module of safetensors.

    Raises:
        ImportError: if it is not installed.
    """
    return optional_module(name, "checkpoint", PURPOSE)


def write_arrays(path: str, arrays: Mapping[str, Array]) -> dict[str, Any]:
    """Writes arrays beside and renames the file.

    Args:
        path: the file.
        arrays: the arrays; those of texts have the dtype object.

    Returns:
        What an index says of them: dtype, shape and check of each.
    """
    held: dict[str, Array] = {}
    described: dict[str, Any] = {}
    for key, array in arrays.items():
        entry: dict[str, Any] = {
            "dtype": dtypes.from_numpy(array.dtype).name,
            "shape": list(array.shape),
        }
        if array.dtype == OBJECT:
            texts = array.reshape(-1).tolist()
            entry["lengths"] = list(map(len, texts))
            stored = np.frombuffer(b"".join(texts), np.uint8)
        else:
            stored = np.ascontiguousarray(array).reshape(array.shape)
            if array.dtype.name not in NATIVE:
                stored = stored.reshape(-1).view(np.uint8)
        entry["crc32"] = zlib.crc32(_bytes(stored))
        held[key], described[key] = stored, entry

    def write(beside: str) -> None:
        with local_target(beside) as local:
            _library("safetensors.numpy").save_file(held, local)

    write_beside(path, write)
    return described


def _bytes(array: Array) -> Any:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


class Arrays:
    """The arrays in a file, which are read and checked one by one.

    Args:
        path: the file.
        described: what the index says of them.

    Raises:
        DataLossError: if the file is missing or none of this format.
    """

    def __init__(self, path: str, described: Mapping[str, Any]) -> None:
        self.path = path
        self._described = described
        library = _library("safetensors")
        self._failure: Any = library.SafetensorError
        copies = contextlib.ExitStack()
        weakref.finalize(self, copies.close)
        try:
            self._file = library.safe_open(copies.enter_context(local_copy(path)), "np")
        except FileNotFoundError:
            raise damaged_file(
                path, "the file with the values of the checkpoint is missing"
            ) from None
        except (self._failure, OSError) as error:
            raise damaged_file(path, f"the file is damaged, or none with values: {error}") from None

    def get(self, key: str) -> Array:
        """Reads an array.

        Raises:
            DataLossError: if it is not what was written.
        """
        entry = self._described[key]
        try:
            stored = self._file.get_tensor(key)
        except (self._failure, OSError) as error:
            raise damaged_file(self.path, f"{key} cannot be read: {error}") from None
        if zlib.crc32(_bytes(stored)) != entry["crc32"]:
            raise damaged_file(self.path, f"the values of {key} are not those that were written")
        shape = tuple(entry["shape"])
        if "lengths" in entry:
            return texts_of(stored.tobytes(), entry["lengths"], shape)
        wanted: Any = dtypes.as_dtype(entry["dtype"])._numpy
        if stored.dtype != wanted:
            stored = np.frombuffer(stored.tobytes(), wanted)
        if stored.size != int(np.prod(shape, dtype=np.int64)):
            raise damaged_file(self.path, f"the shape of {key} is not what was written")
        return np.array(stored).reshape(shape)


def texts_of(data: bytes, lengths: list[int], shape: tuple[int, ...]) -> Array:
    """Cuts bytes into texts."""
    array = np.empty(len(lengths), OBJECT)
    at = 0
    for place, length in enumerate(lengths):
        array[place] = data[at : at + length]
        at += length
    return array.reshape(shape)
