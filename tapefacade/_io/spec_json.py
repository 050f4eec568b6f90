"""Nests of specs and Python values as JSON: of saved functions, and of stored data sets."""

import base64
import collections
from collections.abc import Callable, Mapping
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import NoneTensorSpec, TensorSpec
from tapefacade._core.type_spec import TypeSpec
from tapefacade._extension.extension_type import REGISTERED, ExtensionTypeSpec
from tapefacade._ragged.spec import RaggedTensorSpec
from tapefacade._sparse.spec import SparseTensorSpec

PLAIN_TYPES = (bool, int, float, str, type(None))


class NotEncodedError(TypeError):
    """Says that a value cannot be written down."""


def not_encoded(value: Any) -> NotEncodedError:
    """Makes the error for a value that no file can hold."""
    return NotEncodedError(f"{value!r} of {type(value)} cannot be written down")


def encoded(value: Any, composites: bool = False) -> Any:
    """Writes a nest down.

    Args:
        value: the nest.
        composites: whether specs of ragged and sparse tensors and of None may be in it.

    Raises:
        NotEncodedError: if there is something in it that is no plain Python value or spec.

    >>> encoded((tf.TensorSpec([None, 2]), {"k": 1}))
    {'tuple': [{'spec': [[None, 2], 'float32', None]}, {'dict': [['k', 1]]}]}
    """
    kind: Any = type(value)
    if kind in PLAIN_TYPES:
        return value
    if isinstance(value, TensorSpec):
        return {"spec": [_sizes(value), value.dtype.name, value.name]}
    if isinstance(value, ExtensionTypeSpec):
        return _extension(value)
    if composites and isinstance(value, TypeSpec):
        return _composite(value)
    fields = getattr(kind, "_fields", None)
    if fields is not None and isinstance(value, tuple):
        return {
            "named": [kind.__name__, list(fields), [encoded(item, composites) for item in value]]
        }
    if kind in (list, tuple):
        return {kind.__name__: [encoded(item, composites) for item in value]}
    if isinstance(value, Mapping):
        return {"dict": [[key, encoded(item, composites)] for key, item in value.items()]}
    return _encoded_leaf(value)


def _encoded_leaf(value: Any) -> Any:
    if type(value) is bytes:
        return {"bytes": base64.b64encode(value).decode()}
    if type(value) is complex:
        return {"complex": [value.real, value.imag]}
    if isinstance(value, dtypes.DType):
        return {"dtype": value.name}
    if isinstance(value, TensorShape):
        return {"shape": None if value.rank is None else value.as_list()}
    raise not_encoded(value)


def _sizes(spec: Any) -> list[int | None] | None:
    return None if spec.shape.rank is None else spec.shape.as_list()


def _composite(spec: TypeSpec) -> Any:
    if isinstance(spec, RaggedTensorSpec):
        splits = spec.row_splits_dtype.name
        return {"ragged": [_sizes(spec), spec.dtype.name, spec.ragged_rank, splits]}
    if isinstance(spec, SparseTensorSpec):
        return {"sparse": [_sizes(spec), spec.dtype.name]}
    if isinstance(spec, NoneTensorSpec):
        return {"none": []}
    raise NotEncodedError(f"{spec!r} cannot be written down")


def _extension(spec: ExtensionTypeSpec) -> Any:
    """Writes the spec of an extension type down, if its class has a name in files."""
    name = vars(spec.value_type).get("__name__")
    if name is None:
        raise NotEncodedError(
            f"{spec!r} cannot be written down: give the class an attribute `__name__`, such as "
            f"'my_project.{spec.value_type.__name__}'"
        )
    fields = [[key, encoded(part, composites=True)] for key, part in spec._serialize()]
    return {"extension": [f"{name}.Spec", fields]}


def _extension_of(content: Any) -> Any:
    name, fields = content
    kind: Any = REGISTERED.get(name)
    if kind is None:
        name = name.removesuffix(".Spec")
        raise ValueError(
            f"No TypeSpec has been registered with name {name!r}. Define the extension type with "
            f"__name__ = {name!r} before its values are loaded."
        )
    return kind._deserialize([(key, decoded(part)) for key, part in fields])


def decoded(value: Any) -> Any:
    """Reads what `encoded` has written.

    >>> decoded({"tuple": [1, {"list": [True]}]})
    (1, [True])
    """
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    return READERS[kind](content)


def _named(content: Any) -> Any:
    name, fields, items = content
    return collections.namedtuple(name, fields)(*map(decoded, items))


def _spec(content: Any) -> TensorSpec:
    shape, dtype, name = content
    return TensorSpec(shape, dtypes.as_dtype(dtype), name)


def _ragged(content: Any) -> RaggedTensorSpec:
    shape, dtype, rank, splits = content
    return RaggedTensorSpec(shape, dtypes.as_dtype(dtype), rank, dtypes.as_dtype(splits))


READERS: dict[str, Callable[[Any], Any]] = {
    "spec": _spec,
    "ragged": _ragged,
    "sparse": lambda content: SparseTensorSpec(content[0], dtypes.as_dtype(content[1])),
    "extension": _extension_of,
    "shape": TensorShape,
    "none": lambda content: NoneTensorSpec(),
    "named": _named,
    "tuple": lambda content: tuple(map(decoded, content)),
    "list": lambda content: list(map(decoded, content)),
    "dict": lambda content: {key: decoded(item) for key, item in content},
    "bytes": base64.b64decode,
    "complex": lambda content: complex(*content),
    "dtype": dtypes.as_dtype,
}
