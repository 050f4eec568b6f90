"""Datasets in files: `cache(filename)`, `save`, `load` and `snapshot`.

A stored dataset is a file with the arrays of its tensors one after another, each as `numpy.save`
writes it, and a file of JSON that says of what types they are. The file of types is written last:
without it there is nothing.
"""

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from tokenize import TokenError
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert
from tapefacade._core.string_arrays import string_tensor
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._data.element_structures import (
    kernel_error,
    leaves,
    merged_spec,
    packed,
    spec_of_element,
)
from tapefacade._data.node import DatasetNode, SameTypesNode
from tapefacade._io.file_errors import as_path
from tapefacade._io.spec_json import decoded, encoded
from tapefacade._io.storage import is_remote, storage_of
from tapefacade._strings.arguments import object_array

ELEMENTS, TYPES = "elements.npy", "elements.json"
# What NumPy and zlib raise where the header or the data of an array is damaged.
DAMAGE = (
    ValueError, TypeError, OSError, EOFError, zlib.error, SyntaxError, TokenError, MemoryError,
    OverflowError,
)  # fmt: skip
Array = np.ndarray[Any, Any]
COMPRESSIONS = {None: "", "": "", "NONE": "", "AUTO": "", "GZIP": "GZIP", "SNAPPY": ""}


class StoredDataset(DatasetNode):
    """The elements in a directory."""

    name = "_LoadDataset"

    def __init__(self, path: Any) -> None:
        super().__init__()
        self._path = as_path(path)
        about = os.path.join(self._path, TYPES)
        files = storage_of(about)
        if not files.exists(about):
            message = f"Could not find metadata file. [Op:LoadDataset] {self._path}"
            raise errors.NotFoundError(None, None, message)
        try:
            with files.open(about, "rb") as file:
                self._about = json.load(file)
            self._element_spec = decoded(self._about["spec"])
            self._count, self._check = int(self._about["count"]), int(self._about["crc32"])
            self._compression = COMPRESSIONS[self._about["compression"]]
        except (ValueError, TypeError, KeyError, AttributeError) as error:  # what damage leads to
            message = f"corrupted metadata file: {about}: {error}"
            raise errors.DataLossError(None, None, message) from None

    def known_spec(self) -> Any:
        return self._element_spec

    def cardinality(self) -> int:
        return self._count

    def elements(self) -> Iterator[Any]:
        """Yields the elements.

        Raises:
            DataLossError: if they are not what was written.
        """
        if not self._count:
            return
        path = os.path.join(self._path, ELEMENTS)
        flat = leaves(self._element_spec)
        parts = [[spec.dtype for spec in leaf.flatten()] for leaf in flat]
        with _opened(path, self._compression, "rb") as file:
            arrays = _Arrays(path, file)
            for _ in range(self._count):
                values = []
                for spec, kinds in zip(flat, parts, strict=True):
                    values.append(spec.from_tensors(iter([arrays.tensor(kind) for kind in kinds])))
                yield packed(self._element_spec, values)
            if arrays.check != self._check:
                raise errors.DataLossError(None, None, f"corrupted elements: {path}")


class FileCache(SameTypesNode):
    """The elements, kept in files from the first time they are all read."""

    name = "CacheDataset"

    def __init__(self, node: DatasetNode, path: str) -> None:
        super().__init__(node)
        self._path = f"{path}.cache"

    def elements(self) -> Iterator[Any]:
        if is_stored(self._path):
            return StoredDataset(self._path).elements()
        return self._filling()

    def _filling(self) -> Iterator[Any]:
        lock = os.path.join(self._path, "lock")
        files = storage_of(lock)
        files.makedirs(self._path)
        try:
            files.create(lock)
        except FileExistsError:
            raise kernel_error(
                "There appears to be a concurrent caching iterator running - cache lockfile "
                f"already exists ('{lock}'). If you are sure no other running TF computations "
                "are using this cache prefix, delete the lockfile and re-initialize the iterator.",
                errors.AlreadyExistsError,
            ) from None
        try:
            yield from _kept(self.input, self._path, "")
        finally:
            files.remove(lock)


class Snapshot(SameTypesNode):
    """The elements, written to a directory as they are read, and read from there later on."""

    name = "_MapDataset"  # as TensorFlow shows it

    def __init__(self, node: DatasetNode, path: Any, compression: Any) -> None:
        super().__init__(node)
        self._path = as_path(path)
        self._compression = COMPRESSIONS[compression]

    def cardinality(self) -> int:
        return self.input.cardinality()

    def elements(self) -> Iterator[Any]:
        if is_stored(self._path):
            return StoredDataset(self._path).elements()
        return _kept(self.input, self._path, self._compression)


def is_stored(path: str) -> bool:
    """Whether there is a dataset in a directory."""
    return storage_of(path).exists(os.path.join(path, TYPES))


def save(node: DatasetNode, path: Any, compression: str | None) -> None:
    """Writes all elements to a directory."""
    if compression not in COMPRESSIONS:
        raise ValueError(
            f"Invalid `compression`. Supported values are GZIP, SNAPPY and NONE, got {compression}."
        )
    for _ in _kept(node, as_path(path), COMPRESSIONS[compression]):
        pass


def _kept(node: DatasetNode, path: str, compression: str) -> Iterator[Any]:
    """Yields all elements, and writes them to a directory meanwhile."""
    storage_of(path).makedirs(path)
    writer = Writer(path, compression)
    try:
        for element in node.elements():
            writer.write(element)
            yield element
        writer.finish(node.known_spec())
    finally:
        writer.close()


class Writer:
    """Writes elements to a directory."""

    def __init__(self, path: str, compression: str) -> None:
        self._path = path
        self._compression = compression
        self._file = _opened(os.path.join(path, ELEMENTS), compression, "wb")
        self._count = self._check = 0
        self._spec: Any = None

    def write(self, element: Any) -> None:
        """Writes an element."""
        spec = spec_of_element(element)
        self._spec = spec if self._spec is None else merged_spec(self._spec, spec)
        self._count += 1
        for leaf, leaf_spec in zip(leaves(element), leaves(spec), strict=True):
            for tensor in leaf_spec.to_tensors(leaf):
                for array in _stored(convert(tensor)):
                    np.lib.format.write_array(self._file, array, allow_pickle=False)
                    self._check = _extended_check(self._check, array)

    def finish(self, spec: Any) -> None:
        """Says that these were all."""
        self.close()
        about = {
            "count": self._count,
            "compression": self._compression,
            "crc32": self._check,
            "spec": encoded(self._spec if spec is None else spec, composites=True),
        }
        path = os.path.join(self._path, TYPES)
        files = storage_of(path)
        with files.open(path + ".new", "wb") as file:
            file.write(json.dumps(about).encode())
        files.replace(path + ".new", path)

    def close(self) -> None:
        """Closes the file; without `finish` there is nothing in the directory."""
        self._file.close()


def _opened(path: str, compression: str, mode: str) -> Any:
    if compression and not is_remote(path):
        return gzip.open(path, mode)  # which closes the file itself
    file = storage_of(path).open(path, mode)
    return _CompressedFile(file, mode) if compression else file


class _CompressedFile(gzip.GzipFile):
    """A compressed file in a storage, which is closed with it."""

    def __init__(self, file: Any, mode: str) -> None:
        super().__init__(fileobj=file, mode=mode)
        self._held = file

    def close(self) -> None:
        """Closes both."""
        try:
            super().close()
        finally:
            self._held.close()


def _stored(tensor: EagerTensor) -> list[Array]:
    """Returns the arrays that a tensor is kept as: of texts their lengths, and all of them."""
    array = tensor._numpy_array()
    if tensor.dtype is dtypes.string:
        texts = array.reshape(-1).tolist()
        lengths = np.array(list(map(len, texts)), np.int64).reshape(array.shape)
        return [lengths, np.frombuffer(b"".join(texts), np.uint8)]
    array = np.asarray(array, order="C")
    # NumPy's format knows only NumPy's own types: not bfloat16 and its like.
    return [array if array.dtype.isbuiltin == 1 else array.view(f"u{array.itemsize}")]


def _extended_check(check: int, array: Array) -> int:
    return zlib.crc32(array.reshape(-1).view(np.uint8).data, check)


class _Arrays:
    """Reads the arrays of a file one after another, and adds up their check."""

    def __init__(self, path: str, file: Any) -> None:
        self._path = path
        self._file = file
        self.check = 0

    def tensor(self, dtype: dtypes.DType) -> EagerTensor:
        """Returns the next tensor, which is of a dtype."""
        try:
            first: Any = self._next()
            if dtype is not dtypes.string:
                array: Any = first.view(dtype.as_numpy_dtype)
                return from_host(array)
            data, ends = self._next().tobytes(), np.cumsum(first).tolist()
            texts = [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]
            return string_tensor(object_array(texts, first.shape))
        except DAMAGE as error:
            message = f"corrupted elements: {self._path}: {error}"
            raise errors.DataLossError(None, None, message) from None

    def _next(self) -> Array:
        array = np.lib.format.read_array(self._file, allow_pickle=False)
        self.check = _extended_check(self.check, array)
        return array
