"""The features in the bytes of an example, without making the messages."""

from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import dtypes
from tapefacade._io import wire

# The numbers of the fields of a feature, and what is in them.
KINDS = {1: dtypes.string, 2: dtypes.float32, 3: dtypes.int64}
LISTS = {dtypes.string: "bytes_list", dtypes.float32: "float_list", dtypes.int64: "int64_list"}
SIGN, FULL = 1 << 63, 1 << 64


class Values(NamedTuple):
    """The values of a feature: their dtype, and a list of them."""

    dtype: dtypes.DType
    items: list[Any]


def read_example(data: bytes) -> dict[str, Values]:
    """Reads an `Example`.

    Args:
        data: its bytes.

    Returns:
        The features that have values, by name.

    Raises:
        WireError: if it is none.
    """
    found: dict[str, Values] = {}
    for features in _inner(data, 1):
        found.update(read_features(features))
    return found


def read_features(data: bytes) -> dict[str, Values]:
    """Reads a `Features`; see `read_example`."""
    found: dict[str, Values] = {}
    for key, value in _entries(data):
        values = _read_feature(value)
        if values is not None:
            found[key] = values
    return found


def read_sequence_example(data: bytes) -> tuple[dict[str, Values], dict[str, list[Values | None]]]:
    """Reads a `SequenceExample`.

    Args:
        data: its bytes.

    Returns:
        The features of its context, and the lists of features; None for one without values.

    Raises:
        WireError: if it is none.
    """
    context: dict[str, Values] = {}
    lists: dict[str, list[Values | None]] = {}
    for features in _inner(data, 1):
        context.update(read_features(features))
    for feature_lists in _inner(data, 2):
        for key, value in _entries(feature_lists):
            lists[key] = [_read_feature(feature) for feature in _inner(value, 1)]
    return context, lists


def _inner(data: bytes, wanted: int) -> list[bytes]:
    return [v for n, w, v, _ in wire.fields(data) if n == wanted and w == wire.BYTES]


def _entries(data: bytes) -> list[tuple[str, bytes]]:
    """Reads a map."""
    found = []
    for entry in _inner(data, 1):
        key, value = b"", b""
        for number, kind, inner, _ in wire.fields(entry):
            if kind == wire.BYTES and number == 1:
                key = inner
            elif kind == wire.BYTES and number == 2:
                value = inner
        found.append((wire.KINDS["string"].decode(key), value))
    return found


def _read_feature(data: bytes) -> Values | None:
    found = None
    for number, kind, inner, _ in wire.fields(data):
        if kind == wire.BYTES and number in KINDS:
            found = number, inner
    if found is None:
        return None
    number, inner = found
    if number == 1:
        return Values(KINDS[1], _inner(inner, 1))
    return Values(KINDS[number], _read_floats(inner) if number == 2 else _read_integers(inner))


def _read_floats(data: bytes) -> list[float]:
    packed = b"".join([v for n, _, v, _ in wire.fields(data) if n == 1 and isinstance(v, bytes)])
    if len(packed) % 4:
        raise wire.WireError("a number does not end")
    return np.frombuffer(packed, "<f4").tolist()


def _read_integers(data: bytes) -> list[int]:
    numbers: list[int] = []
    for number, kind, inner, _ in wire.fields(data):
        if number == 1 and kind == wire.BYTES:
            numbers += wire.read_varints(inner)
        elif number == 1 and kind == wire.VARINT:
            numbers.append(inner)
    return [n - FULL if n >= SIGN else n for n in numbers]
