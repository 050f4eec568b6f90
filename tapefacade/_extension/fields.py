"""Fields of extension types: which annotations there are, and what values become of them."""

import typing
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.tensor import Tensor
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.type_spec import TypeSpec

RESERVED_PREFIX = "_tf_extension_type"
RESERVED_NAMES = frozenset((
    "self", "Spec", "value_type", "is_compatible_with", "most_specific_compatible_type",
    "_type_spec", "_shape_invariant_to_type_spec", "_consumers", "_with_tensor_ranks_only",
    "_to_components", "_from_components", "_component_specs", "_to_tensor_list",
    "_from_tensor_list", "_from_compatible_tensor_list", "_flat_tensor_specs", "_serialize",
    "_deserialize", "_to_legacy_output_types", "_to_legacy_output_shapes",
    "_to_legacy_output_classes", "_keras_mask",
))  # fmt: skip
NONE_TYPE = type(None)
PLAIN_TYPES = (int, float, str, bytes, bool, NONE_TYPE)


class NoDefault:
    """Stands for the default of a field that has none."""

    def __repr__(self) -> str:
        return "ExtensionTypeField.NO_DEFAULT"


NO_DEFAULT = NoDefault()


class ImmutableDict(Mapping[Any, Any]):
    """A mapping that does not change: what fields annotated with `Mapping` hold."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._dict = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._dict[key]

    def __contains__(self, key: object) -> bool:
        return key in self._dict

    def __iter__(self) -> Any:
        return iter(self._dict)

    def __len__(self) -> int:
        return len(self._dict)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._dict})"


class ConversionPurpose(Enum):
    """What a value is converted for: a field, the field of a spec, or a default."""

    VALUE = 1
    SPEC = 2
    DEFAULT = 3


class Field(NamedTuple):
    """A field of an extension type."""

    name: str
    value_type: Any
    default: Any = NO_DEFAULT


def is_reserved(name: str) -> bool:
    """Whether no field may have this name."""
    return name in RESERVED_NAMES or name.lower().startswith(RESERVED_PREFIX)


def field_of(name: str, value_type: Any, default: Any = NO_DEFAULT) -> Field:
    """Makes a field.

    Raises:
        TypeError: if its annotation is none of those supported, or the default does not fit.
    """
    try:
        check_annotation(value_type)
    except TypeError as error:
        raise TypeError(f"In field {name!r}: {error}") from None
    if default is not NO_DEFAULT:
        default = _converted(
            default, value_type, f"default value for {name}", ConversionPurpose.DEFAULT
        )
    return Field(name, value_type, default)


def check_annotation(value_type: Any, in_key: bool = False) -> None:
    """Refuses an annotation that fields cannot have; names of classes to come are accepted.

    Raises:
        TypeError: if it is refused.
    """
    if isinstance(value_type, str | typing.ForwardRef):
        return
    if value_type is None or value_type is dtypes.DType or _is_plain(value_type):
        return
    if value_type is Tensor or value_type is TensorShape or _is_composite(value_type):
        if in_key:
            raise TypeError(
                f"Mapping had a key {value_type.__name__!r} with type {type(value_type).__name__!r}"
            )
        return
    if is_tuple(value_type) or is_union(value_type):
        for part in typing.get_args(value_type):
            if part is not Ellipsis or not _is_of_any_length(value_type):
                check_annotation(part, in_key)
    elif is_mapping(value_type):
        key_type, item_type = typing.get_args(value_type)
        check_annotation(key_type, in_key=True)
        check_annotation(item_type, in_key)
    else:
        shown = value_type.__name__ if isinstance(value_type, type) else value_type
        raise TypeError(f"Unsupported type annotation {shown!r}")


def _is_plain(value_type: Any) -> bool:
    return any(value_type is plain for plain in PLAIN_TYPES)


def _is_composite(value_type: Any) -> bool:
    is_class = isinstance(value_type, type) and typing.get_origin(value_type) is None
    return is_class and issubclass(value_type, CompositeTensor)


def is_tuple(value_type: Any) -> bool:
    """Whether an annotation is one of tuples with certain elements."""
    return typing.get_origin(value_type) is tuple and value_type is not typing.Tuple  # noqa: UP006


def is_union(value_type: Any) -> bool:
    """Whether an annotation is one of several; as in TensorFlow, `X | Y` is none before 3.14."""
    return typing.get_origin(value_type) is typing.Union


def is_mapping(value_type: Any) -> bool:
    """Whether an annotation is one of mappings from and to certain types."""
    return typing.get_origin(value_type) is Mapping and bool(typing.get_args(value_type))


def _is_of_any_length(value_type: Any) -> bool:
    parts = typing.get_args(value_type)
    return is_tuple(value_type) and len(parts) == 2 and parts[1] is Ellipsis


def convert_fields(
    fields: Sequence[Field], values: dict[str, Any], purpose: ConversionPurpose
) -> None:
    """Checks and converts the values of fields, in place.

    Raises:
        ValueError: if a field has no value, or a value no field.
        TypeError: if a value is not of its field's type.
    """
    names = {field.name for field in fields}
    if extra := set(values) - names:
        raise ValueError(f"Got unexpected fields: {extra}")
    if missing := names - set(values):
        raise ValueError(f"Missing required fields: {missing}")
    converted = {f.name: _converted(values[f.name], f.value_type, f.name, purpose) for f in fields}
    values.update(converted)


def _converted(value: Any, value_type: Any, path: str, purpose: ConversionPurpose) -> Any:
    """Checks and converts a value.

    Args:
        value: the value.
        value_type: the annotation.
        path: where the value is, for messages.
        purpose: what it is converted for.

    Raises:
        TypeError: if it is not of the type.
    """
    if value_type is None or _is_plain(value_type):
        kind = value_type or NONE_TYPE
        if not isinstance(value, kind):
            raise _unexpected(path, repr(kind.__name__), value)
        return value
    if value_type is Tensor:
        return _tensor(value, path, purpose)
    if _is_composite(value_type):
        return _composite(value, value_type, path, purpose)
    for test, conversion in _CONVERSIONS:
        if test(value_type):
            return conversion(value, value_type, path, purpose)
    raise TypeError(f"{path}: Unsupported type annotation {value_type!r}")


def _unexpected(path: str, expected: str, value: Any) -> TypeError:
    return TypeError(f"{path}: expected {expected}, got {type(value).__name__!r}")


def _tensor(value: Any, path: str, purpose: ConversionPurpose) -> Any:
    if purpose is ConversionPurpose.SPEC:
        if not (isinstance(value, TypeSpec) and value.value_type is Tensor):
            raise _unexpected(path, "a TensorSpec", value)
        return value
    if isinstance(value, Tensor) or purpose is ConversionPurpose.DEFAULT:
        return value
    try:
        return convert(value)
    except (ValueError, TypeError):
        raise _unexpected(path, "a Tensor", value) from None


def _composite(value: Any, value_type: type, path: str, purpose: ConversionPurpose) -> Any:
    if purpose is ConversionPurpose.SPEC:
        if not (isinstance(value, TypeSpec) and issubclass(value.value_type, value_type)):
            raise _unexpected(path, f"a TypeSpec for {value_type.__name__!r}", value)
    elif not isinstance(value, value_type):
        raise _unexpected(path, repr(value_type.__name__), value)
    return value


def _shape(value: Any, value_type: Any, path: str, purpose: ConversionPurpose) -> Any:
    try:
        return as_shape(value)
    except TypeError:
        raise _unexpected(path, "'tf.TensorShape'", value) from None


def _dtype(value: Any, value_type: Any, path: str, purpose: ConversionPurpose) -> Any:
    try:
        return dtypes.as_dtype(value)
    except TypeError:
        raise _unexpected(path, "'tf.DType'", value) from None


def _tuple(value: Any, value_type: Any, path: str, purpose: ConversionPurpose) -> Any:
    if not isinstance(value, Sequence):
        raise _unexpected(path, "tuple", value)
    parts = typing.get_args(value_type)
    if _is_of_any_length(value_type):
        parts = (parts[0],) * len(value)
    elif len(value) != len(parts):
        raise TypeError(
            f"{path}: expected tuple with length {len(parts)}, got {type(value).__name__!r})"
        )
    pairs = enumerate(zip(value, parts, strict=True))
    return tuple([_converted(v, kind, f"{path}[{i}]", purpose) for i, (v, kind) in pairs])


def _mapping(value: Any, value_type: Any, path: str, purpose: ConversionPurpose) -> Any:
    if not isinstance(value, Mapping):
        raise _unexpected(path, "mapping", value)
    key_type, item_type = typing.get_args(value_type)
    return ImmutableDict([
        (
            _converted(key, key_type, f"{path}[<key>]", purpose),
            _converted(item, item_type, f"{path}[{key!r}]", purpose),
        )
        for key, item in value.items()
    ])  # fmt: skip


def _union(value: Any, value_type: Any, path: str, purpose: ConversionPurpose) -> Any:
    for option in typing.get_args(value_type):
        try:
            return _converted(value, option, path, purpose)
        except TypeError:
            continue
    raise _unexpected(path, repr(value_type), value)


_CONVERSIONS: tuple[tuple[Callable[[Any], bool], Callable[..., Any]], ...] = (
    (lambda kind: kind is TensorShape, _shape),
    (lambda kind: kind is dtypes.DType, _dtype),
    (is_tuple, _tuple),
    (is_mapping, _mapping),
    (is_union, _union),
)
