"""Nests of specs and Python values as JSON: the arguments and results of saved functions."""

import base64
import collections
from collections.abc import Mapping
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.tensor_spec import TensorSpec

PLAIN = (bool, int, float, str, type(None))


class NotEncodedError(TypeError):
    """Says that a value cannot be written down."""


def encoded(value: Any) -> Any:
    """Writes a nest down.

    Raises:
        NotEncodedError: if there is something in it that is no plain Python value or spec.

    >>> encoded((tf.TensorSpec([None, 2]), {"k": 1}))
    {'tuple': [{'spec': [[None, 2], 'float32', None]}, {'dict': [['k', 1]]}]}
    """
    kind: Any = type(value)
    if kind in PLAIN:
        return value
    if isinstance(value, TensorSpec):
        shape = None if value.shape.rank is None else value.shape.as_list()
        return {"spec": [shape, value.dtype.name, value.name]}
    fields = getattr(kind, "_fields", None)
    if fields is not None and isinstance(value, tuple):
        return {"named": [kind.__name__, list(fields), list(map(encoded, value))]}
    if kind in (list, tuple):
        return {kind.__name__: list(map(encoded, value))}
    if isinstance(value, Mapping):
        return {"dict": [[key, encoded(item)] for key, item in value.items()]}
    if kind is bytes:
        return {"bytes": base64.b64encode(value).decode()}
    if kind is complex:
        return {"complex": [value.real, value.imag]}
    if isinstance(value, dtypes.DType):
        return {"dtype": value.name}
    raise NotEncodedError(f"{value!r} of {kind} cannot be written down")


def decoded(value: Any) -> Any:
    """Reads what `encoded` has written.

    >>> decoded({"tuple": [1, {"list": [True]}]})
    (1, [True])
    """
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    match kind:
        case "spec":
            shape, dtype, name = content
            return TensorSpec(shape, dtypes.as_dtype(dtype), name)
        case "named":
            name, fields, items = content
            return collections.namedtuple(name, fields)(*map(decoded, items))
        case "tuple":
            return tuple(map(decoded, content))
        case "list":
            return list(map(decoded, content))
        case "dict":
            return {key: decoded(item) for key, item in content}
        case "bytes":
            return base64.b64decode(content)
        case "complex":
            return complex(*content)
        case "dtype":
            return dtypes.as_dtype(content)
    raise ValueError(f"there is no kind {kind!r}")
