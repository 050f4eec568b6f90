"""Arrays in files: safetensors with a check of every array.

safetensors, format: https://huggingface.co/docs/safetensors
"""

import contextlib
import os
import secrets
import weakref
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from tapefacade._checkpoint.errors import damaged_file
from tapefacade._core import dtypes
from tapefacade._core.optional_imports import optional_module
from tapefacade._core.string_arrays import OBJECT
from tapefacade._io.storage import is_remote, local_copy, local_target, storage_of

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


def unused_name() -> str:
    """Returns a part of a file name that nobody else uses."""
    return secrets.token_hex(8)


def sync(path: str) -> None:
    """Waits until a file, or the entries of a directory, are on the disk."""
    with contextlib.suppress(OSError):  # some file systems cannot, nor Windows for directories
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def replace(written: str, path: str) -> None:
    """Gives a file that is complete its name."""
    if is_remote(path):
        storage_of(path).replace(written, path)
        return
    sync(written)
    os.replace(written, path)
    sync(os.path.dirname(path) or ".")


def write_bytes(path: str, data: bytes) -> None:
    """Writes a file beside and renames it: at no time is it there in part."""
    beside = f"{path}.{unused_name()}.part"
    try:
        with storage_of(path).open(beside, "wb") as file:
            file.write(data)
        replace(beside, path)
    except BaseException:  # also Ctrl-C: no half a file stays behind
        remove(beside)
        raise


def remove(path: str) -> None:
    """Removes a file if it is there."""
    with contextlib.suppress(FileNotFoundError):
        storage_of(path).remove(path)


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
    beside = f"{path}.{unused_name()}.part"
    try:
        with local_target(beside) as local:
            _library("safetensors.numpy").save_file(held, local)
        replace(beside, path)
    except BaseException:  # also Ctrl-C: no half a file stays behind
        remove(beside)
        raise
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
