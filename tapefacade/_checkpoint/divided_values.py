"""Values that are divided among devices: written part by part, and read as the devices need them.

No process holds more of a value than its own devices do, and at a time one part more. The parts are
arrays of a safetensors file of each process, see `checkpoint_files`.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import jax
import numpy as np

from tapefacade._checkpoint.array_files import NATIVE, Array, Arrays
from tapefacade._checkpoint.errors import damaged_file
from tapefacade._core import dtypes
from tapefacade._io.storage import storage_of
from tapefacade._io.whole_files import write_beside

# What safetensors calls dtypes.
LETTERS = {"bfloat": "BF", "complex": "C", "float": "F", "uint": "U", "int": "I"}
BYTES_OF_LENGTH = 8


class DividedValue:
    """A value whose parts lie on several devices, maybe those of several processes.

    Args:
        array: the value.
    """

    def __init__(self, array: jax.Array) -> None:
        self._array = array
        self.dtype = np.dtype(array.dtype)
        self.shape = tuple(array.shape)

    @property
    def is_shared(self) -> bool:
        """Whether other processes have parts of it."""
        return not self._array.is_fully_addressable

    def parts(self) -> "list[_DividedPart]":
        """Lists the parts that this process writes, each of which no other process does."""
        found = [shard for shard in self._array.addressable_shards if shard.replica_id == 0]
        return [
            _DividedPart([place.start or 0 for place in shard.index], shard.data.shape, shard)
            for shard in found
        ]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self._array, dtype)


class _DividedPart(NamedTuple):
    """A part of a value.

    Attributes:
        start: where it begins, on each axis.
        shape: its shape.
        shard: what holds it.
    """

    start: list[int]
    shape: tuple[int, ...]
    shard: Any


def divided_value(value: Any) -> DividedValue | None:
    """Returns a value that several devices have parts of; None if one has the whole."""
    is_divided = isinstance(value, jax.Array) and not value.is_fully_replicated
    return DividedValue(value) if is_divided else None


def write_parts(path: str, values: Mapping[str, DividedValue]) -> dict[str, dict[str, Any]]:
    """Writes the parts that this process has beside, one at a time, and renames the file.

    Args:
        path: the file.
        values: the values by key.

    Returns:
        What an index says of each part: the key of its value, where it begins, and what it says of
        arrays.
    """
    parts, described, header, place = [], {}, {}, 0
    for key, value in values.items():
        name = dtypes.from_numpy(value.dtype).name
        for number, part in enumerate(value.parts()):
            size = int(np.prod(part.shape, dtype=np.int64)) * value.dtype.itemsize
            shape = list(part.shape) if name in NATIVE else [size]
            own = f"{key}/{number}"
            header[own] = {
                "dtype": _letters(name), "shape": shape, "data_offsets": [place, place + size],
            }  # fmt: skip
            described[own] = {"of": key, "start": part.start, "dtype": name,
                              "shape": list(part.shape)}  # fmt: skip
            parts.append((own, part))
            place += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % BYTES_OF_LENGTH)

    def write(beside: str) -> None:
        with storage_of(beside).open(beside, "wb") as file:
            file.write(len(text).to_bytes(BYTES_OF_LENGTH, "little") + text)
            for own, part in parts:
                data = np.ascontiguousarray(part.shard.data).reshape(-1).view(np.uint8).data
                described[own]["crc32"] = zlib.crc32(data)
                file.write(data)

    write_beside(path, write)
    return described


def _letters(name: str) -> str:
    """Returns what safetensors calls a dtype."""
    if name == "bool":
        return "BOOL"
    if name not in NATIVE:
        return "U8"
    kind = name.rstrip("0123456789")
    return LETTERS[kind] + name.removeprefix(kind)


class PartsRead:
    """The parts of values in files, of which the one that was read last is kept.

    Args:
        prefix: what the names of the files begin with.
        files: what the index says of the parts, by the ends of these names.
    """

    def __init__(self, prefix: str, files: Mapping[str, Mapping[str, Any]]) -> None:
        self._files = {end: Arrays(prefix + end, described) for end, described in files.items()}
        self._prefix = prefix
        self._last: tuple[tuple[str, str], Array] | None = None
        self._parts: dict[str, list[tuple[str, str, list[int], list[int]]]] = {}
        for end, described in files.items():
            for own, part in described.items():
                found = self._parts.setdefault(part["of"], [])
                found.append((end, own, part["start"], part["shape"]))

    def _get(self, end: str, own: str) -> Array:
        if self._last is None or self._last[0] != (end, own):
            self._last = None  # before the next one is there
            self._last = (end, own), self._files[end].get(own)
        return self._last[1]

    def get(self, key: str, start: Iterable[int], shape: Iterable[int], dtype: Any) -> Array:
        """Reads some of a value.

        Args:
            key: its key.
            start: where it begins, on each axis.
            shape: its shape.
            dtype: the dtype of the value.

        Raises:
            DataLossError: if there are no such numbers, or not those that were written.
        """
        start, shape = list(start), list(shape)
        found, missing = np.empty(shape, dtype), int(np.prod(shape, dtype=np.int64))
        for end, own, begin, size in self._parts.get(key, ()):
            common = [
                (max(a, b), min(a + m, b + n))
                for a, m, b, n in zip(start, shape, begin, size, strict=True)
            ]
            if all(first < last for first, last in common):
                into = tuple(slice(f - a, t - a) for (f, t), a in zip(common, start, strict=True))
                taken = tuple(slice(f - b, t - b) for (f, t), b in zip(common, begin, strict=True))
                found[into] = self._get(end, own)[taken]
                missing -= found[into].size
        if missing:
            raise damaged_file(self._prefix, f"parts of {key} are missing")
        return found


def assembled(shape: tuple[int, ...], sharding: Any, read: Callable[..., Array]) -> jax.Array:
    """Makes a value of what each device of this process needs, read for one after the other.

    Args:
        shape: its shape.
        sharding: how it is divided.
        read: called with where a part begins and its shape, returns it.
    """
    held, last = [], None
    places = sharding.addressable_devices_indices_map(shape)
    with jax.enable_x64(True):
        for device, index in sorted(places.items(), key=lambda pair: _start(pair[1])):
            ends = [
                n if place.stop is None else place.stop
                for place, n in zip(index, shape, strict=True)
            ]
            start = _start(index)
            if last is None or last[0] != start:
                size = [end - begin for begin, end in zip(start, ends, strict=True)]
                last = start, read(start, size)
            held.append(jax.device_put(last[1], device))
        return jax.make_array_from_single_device_arrays(shape, sharding, held)


def _start(index: Any) -> list[int]:
    return [place.start or 0 for place in index]
