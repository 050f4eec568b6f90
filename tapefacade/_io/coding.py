"""Whole messages as bytes and as text."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapefacade._io import wire

ESCAPES = {0x22: '\\"', 0x27: "\\'", 0x5C: "\\\\", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"}


def written(message: Any, deterministic: bool) -> Iterator[bytes]:
    """Writes the fields of a message that are set, in the order of their numbers."""
    for field, value in message.ListFields():
        if field.kind == "map":
            items = sorted(value.items()) if deterministic else value.items()
            for key, item in items:
                entry = wire.tag(1, wire.BYTES) + wire.delimited(key.encode())
                entry += wire.tag(2, wire.BYTES) + _inner(item, deterministic)
                yield wire.tag(field.number, wire.BYTES) + wire.delimited(entry)
        elif field.kind == "message":
            for item in value if field.repeated else [value]:
                yield wire.tag(field.number, wire.BYTES) + _inner(item, deterministic)
        else:
            yield _scalars(field, wire.KINDS[field.kind], value)


def _inner(message: Any, deterministic: bool) -> bytes:
    return wire.delimited(message.SerializeToString(deterministic=deterministic))


def _scalars(field: Any, kind: wire.Kind, value: Any) -> bytes:
    if not field.repeated:
        return wire.tag(field.number, kind.wire) + kind.encode(value)
    if kind.wire == wire.BYTES:
        prefix = wire.tag(field.number, wire.BYTES)
        return b"".join([prefix + kind.encode(item) for item in value])
    packed = wire.encode_packed(kind, list(value))
    return wire.tag(field.number, wire.BYTES) + wire.delimited(packed)


def read(message: Any, data: bytes) -> None:
    """Sets the fields of a message to what bytes hold.

    Raises:
        WireError: if they hold no such message.
    """
    known = {field.number: field for field in message.FIELDS}
    for number, wire_type, value, whole in wire.fields(data):
        field = known.get(number)
        if field is None or not _set(message, field, wire_type, value):
            message._unknown += whole


def _set(message: Any, field: Any, wire_type: int, value: Any) -> bool:
    """Sets a field to what was read; returns False if it is of another type."""
    if field.kind in ("map", "message"):
        if wire_type != wire.BYTES:
            return False
        if field.kind == "map":
            _set_entry(message._get(field), value)
        elif field.repeated:
            read(message._get(field).add(), value)
        else:
            part = message._get(field)
            part.SetInParent()
            read(part, value)
        return True
    kind = wire.KINDS[field.kind]
    if field.repeated:
        return _extend(message._get(field), kind, wire_type, value)
    if wire_type != kind.wire:
        return False
    message._set(field, kind.decode(value))
    return True


def _extend(values: Any, kind: wire.Kind, wire_type: int, value: Any) -> bool:
    if wire_type == kind.wire:
        values.take([kind.decode(value)])
    elif wire_type == wire.BYTES:
        values.take(wire.decode_packed(kind, value))
    else:
        return False
    return True


def _set_entry(entries: Any, data: bytes) -> None:
    key, parts = "", []
    for number, wire_type, value, _ in wire.fields(data):
        if number == 1 and wire_type == wire.BYTES:
            key = wire.KINDS["string"].decode(value)
        elif number == 2 and wire_type == wire.BYTES:
            parts.append(value)
    item = entries.fresh(key)
    for part in parts:
        read(item, part)


def lines(message: Any) -> Iterator[str]:
    """Writes a message for people, in Protocol Buffers' text format."""
    for field, value in message.ListFields():
        if field.kind == "map":
            for key, item in sorted(value.items()):
                yield f"{field.name} {{"
                yield f"  key: {_quoted(key.encode())}"
                yield "  value {"
                yield from (f"    {line}" for line in lines(item))
                yield "  }"
                yield "}"
        elif field.kind == "message":
            for item in value if field.repeated else [value]:
                yield f"{field.name} {{"
                yield from (f"  {line}" for line in lines(item))
                yield "}"
        else:
            for item in value if field.repeated else [value]:
                yield f"{field.name}: {_shown(field, item)}"


def _shown(field: Any, value: Any) -> str:
    if field.kind == "enum":
        return (field.enum or {}).get(value, str(value))
    if field.kind == "bool":
        return "true" if value else "false"
    if field.kind == "bytes":
        return _quoted(value)
    if field.kind == "string":
        return _quoted(value.encode())
    if field.kind in ("float", "double"):
        return _number(value, field.kind == "double")
    return str(value)


def _number(value: float, wide: bool) -> str:
    """Writes as few digits as give the number back, but at least six (or fifteen)."""
    kind = float if wide else np.float32
    short = f"{value:.{15 if wide else 6}g}"
    return short if kind(short) == value or value != value else f"{value:.{17 if wide else 9}g}"


def _quoted(data: bytes) -> str:
    return '"' + "".join(map(_escaped, data)) + '"'


def _escaped(byte: int) -> str:
    if byte in ESCAPES:
        return ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
