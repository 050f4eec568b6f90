"""Datasets in files: `cache(filename)`, `save`, `load` and `snapshot`.

A stored dataset is a file of records, in which each tensor is a record, and a file of JSON that
says of what types they are. The file of types is written last: without it there is nothing.
"""

import json
import os
from collections.abc import Iterator
from typing import Any

from tapefacade._core import dtypes, errors
from tapefacade._core.tensor_spec import NoneTensorSpec, TensorSpec
from tapefacade._core.type_spec import TypeSpec
from tapefacade._data.element_structures import (
    kernel_error,
    leaves,
    merged_spec,
    packed,
    spec_of_element,
)
from tapefacade._data.node import Node, SameNode
from tapefacade._io.file_errors import as_path
from tapefacade._io.records import TFRecordOptions, TFRecordWriter, read_records
from tapefacade._io.tensor_protos import parse_tensor, serialize_tensor
from tapefacade._ragged.spec import RaggedTensorSpec
from tapefacade._sparse.spec import SparseTensorSpec

ELEMENTS, TYPES = "elements.tfrecord", "types.json"
COMPRESSIONS = {None: "", "": "", "NONE": "", "AUTO": "", "GZIP": "GZIP", "SNAPPY": ""}


class Stored(Node):
    """The elements in a directory."""

    name = "_LoadDataset"

    def __init__(self, path: Any) -> None:
        super().__init__()
        self._path = as_path(path)
        about = os.path.join(self._path, TYPES)
        if not os.path.exists(about):
            raise errors.NotFoundError(None, None, f"Could not find metadata file. [Op:LoadDataset] {self._path}")  # fmt: skip
        with open(about, encoding="utf-8") as file:
            self._about = json.load(file)

    def known_spec(self) -> Any:
        return _read_spec(self._about["spec"])

    def cardinality(self) -> int:
        return self._about["count"]

    def elements(self) -> Iterator[Any]:
        return read(self._path, self._about)


class FileCache(SameNode):
    """The elements, kept in files from the first time they are all read."""

    name = "CacheDataset"

    def __init__(self, node: Node, path: str) -> None:
        super().__init__(node)
        self._path = f"{path}.cache"

    def elements(self) -> Iterator[Any]:
        if is_stored(self._path):
            return Stored(self._path).elements()
        return self._filling()

    def _filling(self) -> Iterator[Any]:
        lock = os.path.join(self._path, "lock")
        os.makedirs(self._path, exist_ok=True)
        try:
            with open(lock, "x"):
                pass
        except FileExistsError:
            raise kernel_error(
                "There appears to be a concurrent caching iterator running - cache lockfile already "
                f"exists ('{lock}'). If you are sure no other running TF computations are using "
                "this cache prefix, delete the lockfile and re-initialize the iterator.",
                errors.AlreadyExistsError,
            ) from None
        try:
            writer = Writer(self._path, "")
            for element in self.input.elements():
                writer.write(element)
                yield element
            writer.finish(self.input.known_spec())
        finally:
            os.remove(lock)


class Snapshot(SameNode):
    """The elements, written to a directory as they are read, and read from there later on."""

    name = "_MapDataset"  # as TensorFlow shows it

    def __init__(self, node: Node, path: Any, compression: Any) -> None:
        super().__init__(node)
        self._path = as_path(path)
        self._compression = COMPRESSIONS[compression]

    def cardinality(self) -> int:
        return self.input.cardinality()

    def elements(self) -> Iterator[Any]:
        if is_stored(self._path):
            return Stored(self._path).elements()
        return self._filling()

    def _filling(self) -> Iterator[Any]:
        writer = Writer(self._path, self._compression)
        for element in self.input.elements():
            writer.write(element)
            yield element
        writer.finish(self.input.known_spec())


def is_stored(path: str) -> bool:
    """Whether there is a dataset in a directory."""
    return os.path.exists(os.path.join(path, TYPES))


def save(node: Node, path: Any, compression: str | None) -> None:
    """Writes all elements to a directory."""
    if compression not in COMPRESSIONS:
        raise ValueError(f"Invalid `compression`. Supported values are GZIP, SNAPPY and NONE, got {compression}.")  # fmt: skip
    writer = Writer(as_path(path), COMPRESSIONS[compression])
    for element in node.elements():
        writer.write(element)
    writer.finish(node.known_spec())


class Writer:
    """Writes elements to a directory."""

    def __init__(self, path: str, compression: str) -> None:
        os.makedirs(path, exist_ok=True)
        self._path = path
        self._compression = compression
        options = TFRecordOptions(compression or None)
        self._records = TFRecordWriter(os.path.join(path, ELEMENTS), options)
        self._count = 0
        self._spec: Any = None

    def write(self, element: Any) -> None:
        """Writes an element."""
        spec = spec_of_element(element)
        self._spec = spec if self._spec is None else merged_spec(self._spec, spec)
        self._count += 1
        for leaf, leaf_spec in zip(leaves(element), leaves(spec), strict=True):
            for tensor in leaf_spec.to_tensors(leaf):
                text: Any = serialize_tensor(tensor)
                self._records.write(text.numpy())

    def finish(self, spec: Any) -> None:
        """Says that these were all."""
        self._records.close()
        found = self._spec if spec is None else spec
        about = {
            "count": self._count,
            "compression": self._compression,
            "spec": None if found is None else _written_spec(found),
        }
        path = os.path.join(self._path, TYPES)
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(about, file)
        os.replace(path + ".new", path)


def read(path: str, about: Any) -> Iterator[Any]:
    """Yields the elements in a directory."""
    records = read_records(os.path.join(path, ELEMENTS), about["compression"])
    if not about["count"]:
        return
    form = _read_spec(about["spec"])
    flat = leaves(form)
    parts = [[spec.dtype for spec in leaf.flatten()] for leaf in flat]
    parse: Any = parse_tensor
    for _ in range(about["count"]):
        values = []
        for spec, kinds in zip(flat, parts, strict=True):
            tensors = iter([parse(next(records), kind) for kind in kinds])
            values.append(spec.from_tensors(tensors))
        yield packed(form, values)


# Specs as JSON.


def _written_spec(spec: Any) -> Any:
    if isinstance(spec, dict):
        return {"dict": {key: _written_spec(spec[key]) for key in spec}}
    if isinstance(spec, tuple):
        return {"tuple": [_written_spec(part) for part in spec]}
    if isinstance(spec, NoneTensorSpec):
        return {"none": None}
    if not isinstance(spec, TensorSpec | RaggedTensorSpec | SparseTensorSpec):
        raise TypeError(f"elements of the type {spec!r} cannot be stored")
    shape = None if spec.shape.rank is None else spec.shape.as_list()
    made: dict[str, Any] = {"kind": type(spec).__name__, "shape": shape, "dtype": spec.dtype.name}
    if isinstance(spec, RaggedTensorSpec):
        made.update(rank=spec.ragged_rank, splits=spec.row_splits_dtype.name)
    return made


def _read_spec(written: Any) -> Any:
    if "dict" in written:
        return {key: _read_spec(part) for key, part in written["dict"].items()}
    if "tuple" in written:
        return tuple([_read_spec(part) for part in written["tuple"]])
    if "none" in written:
        return NoneTensorSpec()
    shape, dtype = written["shape"], dtypes.as_dtype(written["dtype"])
    made: TypeSpec
    if written["kind"] == "RaggedTensorSpec":
        made = RaggedTensorSpec(shape, dtype, written["rank"], dtypes.as_dtype(written["splits"]))
    elif written["kind"] == "SparseTensorSpec":
        made = SparseTensorSpec(shape, dtype)
    else:
        made = TensorSpec(shape, dtype)
    return made
