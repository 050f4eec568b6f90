"""Where tensors come from that no instruction computes, for messages."""

import weakref
from collections.abc import Mapping
from typing import Any

NOTHING: dict[int, str] = {}  # stays empty
_ORIGINS: dict[int, tuple[weakref.ref[Any], str]] = {}


def note_origin(tensor: Any, text: str) -> None:
    """Takes note of where a tensor comes from, as long as it lives.

    Args:
        tensor: the tensor.
        text: a line, and what happened there.
    """
    key = id(tensor)
    _ORIGINS[key] = weakref.ref(tensor, lambda _: _ORIGINS.pop(key, None)), text


def origin_of(tensor: Any) -> str:
    """Returns where a tensor comes from; "" if nobody has said it."""
    found = _ORIGINS.get(id(tensor))
    return "" if found is None or found[0]() is not tensor else found[1]


def origins_of(tensors: Mapping[int, Any]) -> dict[int, str]:
    """Returns where tensors come from, by their keys; of nearly all nobody has said it."""
    if not _ORIGINS:
        return NOTHING
    return {key: text for key, tensor in tensors.items() if (text := origin_of(tensor))}
