"""Retracing rules: which arguments record a `tf.function` anew, and what sizes may be unknown."""

import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from tapefacade._core import dtypes, nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor, parts
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._core.type_spec import TypeSpec, spec_of
from tapefacade._extension.extension_type import (
    ExtensionType,
    ExtensionTypeSpec,
    StaticFields,
    is_dense,
    spec_with_components,
)
from tapefacade._function.function.trace_types import trace_type_of
from tapefacade._state.variable import Variable

BY_VALUE = (bool, int, float, complex, str, bytes, type(None), type(...))
MESSAGE_NO_KEY = (
    "Could not generate a generic TraceType for {}.Please verify that it is immutable/hashable. "
    "Otherwise, consider implementing the Tracing Protocol for it."
)


class IdentityKey:
    """Stands for an object in a key; equal only to what stands for the same, living object."""

    __slots__ = ("_hash", "_reference", "attributes", "kind", "shown")

    def __init__(self, value: Any) -> None:
        self._hash = id(value)
        self.kind = type(value)
        self.attributes: dict[str, Any] = {}  # plain ones, as they were when it was recorded
        try:
            self._reference: Any = weakref.ref(value)
        except TypeError:
            self._reference = lambda: value  # kept alive: its place is never another's
        self.shown = value.name if isinstance(value, Variable) else type(value).__name__

    @property
    def value(self) -> Any:
        """The object; None if it is gone."""
        return self._reference()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IdentityKey):
            return NotImplemented
        mine = self._reference()
        return mine is not None and mine is other._reference()

    def __repr__(self) -> str:
        return f"the {self.kind.__name__} {self.shown}"


def key_of(value: Any, tensors: list[EagerTensor]) -> Any:
    """Returns what a function depends on in an argument, and takes the tensors out of it.

    Args:
        value: a nest of anything.
        tensors: the tensors in it are added here, in the order of `tf.nest.flatten`.

    Returns:
        Something hashable: for a tensor its shape and dtype, for Python values the value and its
        class, for other objects their identity.
    """
    kind = type(value)
    if kind is EagerTensor:
        tensors.append(value)
        return value._type
    if kind in BY_VALUE:
        return (kind, value if value == value else "nan")
    if isinstance(value, Variable):
        return IdentityKey(value._root)
    if isinstance(value, EagerTensor):  # strings
        return (kind, value._type.dtype, value.shape.rank)
    if isinstance(value, CompositeTensor):
        components = [key_of(part, tensors) for part in value._components()]
        return (kind, *components, *value._static_parts())
    if isinstance(value, TypeSpec):
        return _spec_key(value)
    if is_array(value):
        return key_of(convert(value), tensors)
    return _nest_key(value, tensors)


def _nest_key(value: Any, tensors: list[EagerTensor]) -> Any:
    kind = type(value)
    if (given := trace_type_of(value)) is not None:
        return (kind, given)
    if isinstance(value, Mapping):
        return (dict, *[(name, key_of(value[name], tensors)) for name in sorted(value)])
    if nest.is_nested(value) and kind is not bytearray:
        parts = value if isinstance(value, Sequence) else nest.flatten(value)
        return (kind, *[key_of(item, tensors) for item in parts])
    return _object_key(value)


def _spec_key(spec: TypeSpec) -> Any:
    """Returns the key of the tensors that a spec describes."""
    if isinstance(spec, TensorSpec) and spec.shape.is_fully_defined() and spec.dtype._numpy:
        return type_of(tuple([size or 0 for size in spec.shape.as_list()]), spec.dtype._numpy)
    if (
        isinstance(spec, ExtensionTypeSpec)
        and is_dense(spec)
        and all(part.shape.is_fully_defined() for part in parts(spec))
    ):
        components = [_spec_key(part) for part in nest.flatten(spec._component_specs)]
        return (spec.value_type, *components, *spec._static_parts())
    return (type(spec), spec)


def _object_key(value: Any) -> Any:
    """Returns the key of a Python object: itself if it is compared by value, or its identity."""
    try:
        hash(value)
    except TypeError:
        raise TypeError(MESSAGE_NO_KEY.format(value)) from None
    if type(value).__eq__ is object.__eq__ or callable(value):
        return IdentityKey(value)
    return (type(value), value)


def specs_of_key(key: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments that a key was made of, with specs in the place of tensors.

    Raises:
        LookupError: if a key does not tell what an argument was.
    """
    args, kwargs = _value_of_key(key)
    return tuple(args), kwargs


def _value_of_key(key: Any) -> Any:
    if isinstance(key, TensorType):
        return TensorSpec(key.shape, key.dtype)
    if not isinstance(key, tuple) or not isinstance(key[0], type):
        raise LookupError(str(key))
    kind, *parts = key
    if issubclass(kind, ExtensionType):
        return _extension_spec(kind, parts)
    if kind is dict:
        return {name: _value_of_key(part) for name, part in parts}
    if kind in (list, tuple):
        return kind(map(_value_of_key, parts))
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind(*map(_value_of_key, parts))
    if kind in BY_VALUE and kind is not type(...) and len(parts) == 1:
        return parts[0]
    raise LookupError(str(key))


def _extension_spec(kind: type[ExtensionType], parts: list[Any]) -> Any:
    if parts and isinstance(parts[-1], StaticFields):
        return parts[-1].spec._with_component_specs(list(map(_value_of_key, parts[:-1])))
    return spec_with_components(kind, list(map(_value_of_key, parts)))


def shared_key_of(arguments: Any) -> Any:
    """Returns a key that all arguments of the same specs have: other rows, another dataset.

    Args:
        arguments: positional arguments and those by name.

    Returns:
        The key, None if there is nothing but dense tensors and Python values among the arguments.
    """
    leaves = nest.flatten(arguments)
    specs = [_spec_of_object(leaf) for leaf in leaves]
    specs = [None if is_dense(spec) else spec for spec in specs]
    if not any(specs):
        return None
    flat = [leaf if spec is None else spec for spec, leaf in zip(specs, leaves, strict=True)]
    return key_of(nest.pack_sequence_as(arguments, flat), [])


def _spec_of_object(value: Any) -> TypeSpec | None:
    """Returns the spec of an argument that is no dense tensor, if it is known without a look."""
    if isinstance(value, TypeSpec):
        return None if isinstance(value, TensorSpec) else value
    if isinstance(value, CompositeTensor):
        return spec_of(value)
    if getattr(value, "_is_element", False) is True and value._node.is_known:
        return spec_of(value)
    return None


def is_textual(key: Any) -> bool:
    """Whether a key contains texts in tensors, which are known on the host only."""
    if isinstance(key, tuple):
        if len(key) == 3 and isinstance(key[0], type) and issubclass(key[0], EagerTensor):
            return True
        return any(is_textual(part) for part in key)
    return False


def with_tensors(value: Any, tensors: Sequence[EagerTensor]) -> Any:
    """Returns a nest like `value`, with other tensors in the place of those in it."""
    rest = iter(tensors)

    leaves = [
        next(rest) if is_tensor(leaf) else _text(leaf)
        for leaf in nest.flatten(value, expand_composites=True)
    ]
    return nest.pack_sequence_as(value, leaves, expand_composites=True)


def is_tensor(leaf: Any) -> bool:
    """Whether a leaf of an argument is a tensor of numbers, or becomes one, or describes one."""
    kind = type(leaf)
    if kind is EagerTensor or kind in BY_VALUE:
        return kind is EagerTensor
    if isinstance(leaf, np.ndarray | np.generic):
        return leaf.dtype.kind not in "USO"
    if isinstance(leaf, jax.Array | TensorSpec):
        return True
    return is_array(leaf) and type(convert(leaf)) is EagerTensor


def is_array(value: Any) -> bool:
    """Whether an argument is an array, or gives one, as variables of Keras do: a tensor for us."""
    if isinstance(value, np.ndarray | np.generic | jax.Array):
        return True
    ours = type | EagerTensor | Variable | CompositeTensor | TypeSpec
    return hasattr(value, "__array__") and not isinstance(value, ours)


def _text(leaf: Any) -> Any:
    """Returns an array of texts as a tensor, and anything else as it is."""
    return convert(leaf) if is_array(leaf) else leaf


def has_unknown_sizes(arguments: Any) -> bool:
    """Whether there is a spec among the arguments that leaves sizes open."""
    return any(
        isinstance(leaf, TensorSpec) and not leaf.shape.is_fully_defined()
        for leaf in _leaves_and_parts(arguments)
    )


def has_composite_specs(arguments: Any) -> bool:
    """Whether there is a spec among the arguments of what is not made of dense tensors."""
    return any(
        isinstance(leaf, TypeSpec) and not isinstance(leaf, TensorSpec)
        for leaf in _leaves_and_parts(arguments)
    )


def has_text_specs(arguments: Any) -> bool:
    """Whether there is a spec of a tensor of texts among the arguments."""
    return any(map(_is_text_spec, nest.flatten(arguments)))


def _is_text_spec(leaf: Any) -> bool:
    return (
        isinstance(leaf, TensorSpec) and leaf.dtype is dtypes.string and leaf.shape.rank is not None
    )


def with_examples(arguments: Any, size: int) -> Any:
    """Returns arguments with values in the place of specs of ragged and sparse tensors, and texts.

    Args:
        arguments: a nest of anything.
        size: in the place of sizes that the specs leave open.

    Returns:
        The nest; None if there is a spec that has no such value.
    """
    leaves = nest.flatten(arguments)
    for place, leaf in enumerate(leaves):
        if has_composite_specs(leaf):
            if not hasattr(leaf, "_example"):
                return None
            leaves[place] = leaf._example(size)
        elif _is_text_spec(leaf):
            shape = [size if known is None else known for known in leaf.shape]
            numbers = 10**size + np.arange(
                np.prod(shape, dtype=int)
            )  # their lengths differ as well
            leaves[place] = convert(numbers.astype(np.bytes_).reshape(shape))
    return nest.pack_sequence_as(arguments, leaves)


def known_parts(arguments: Any) -> list[EagerTensor | None]:
    """Lists the tensors that say where values are; None in the place of those that hold them."""
    found: list[EagerTensor | None] = []
    for leaf in nest.flatten(arguments):
        values = leaf
        while isinstance(values, CompositeTensor):
            values = values._differentiated()
        found += [None if part is values else part for part in parts(leaf) if is_tensor(part)]
    return found


def _leaves_and_parts(arguments: Any) -> list[Any]:
    """Lists the leaves of arguments, specs of values made of dense tensors taken apart."""
    return [
        part
        for leaf in nest.flatten(arguments)
        for part in (parts(leaf) if is_dense(leaf) else [leaf])
    ]


def tensor_specs(arguments: Any) -> list[TensorSpec]:
    """Returns a spec for each tensor, or spec of one, among the arguments."""
    return [
        leaf if isinstance(leaf, TensorSpec) else TensorSpec(leaf.shape, leaf.dtype)
        for leaf in nest.flatten(arguments, expand_composites=True)
        if is_tensor(leaf)
    ]


def with_specs(
    args: Sequence[Any], kwargs: Mapping[str, Any], names: Sequence[str]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments with a named spec in the place of each tensor."""
    rest = iter(names)

    def described_leaf(name: str, leaf: Any) -> Any:
        if isinstance(leaf, TensorSpec):
            return TensorSpec(leaf.shape, leaf.dtype, leaf.name or name)
        spec = _spec_of_object(leaf)
        if spec is not None:
            return spec
        value: Any = convert(leaf) if is_array(leaf) else leaf
        ours: Any = EagerTensor | Variable | CompositeTensor
        if isinstance(value, ours) and hasattr(value, "dtype"):
            return TensorSpec(value.shape, value.dtype, name)
        return leaf

    def described(value: Any) -> Any:
        name = next(rest)
        if not nest.is_nested(value):
            return described_leaf(name, value)
        leaves = nest.flatten(value)
        names = _paths(name, value)
        return nest.pack_sequence_as(value, list(map(described_leaf, names, leaves)))

    return tuple(described(value) for value in args), {
        key: described(value) for key, value in kwargs.items()
    }


def _paths(name: str, value: Any) -> list[str]:
    """Returns a name for each leaf: where it is."""
    if isinstance(value, Mapping):
        parts = [(key, value[key]) for key in sorted(value)]
    elif isinstance(value, list | tuple):
        parts = list(enumerate(value))
    else:
        return [name] * len(nest.flatten(value))
    return [leaf for key, part in parts for leaf in _paths(f"{name}_{key}", part)]


def open_signature(args: Any, kwargs: Any) -> Any:
    """Returns the leaves of arguments with unknown sizes, for `covers`."""
    return nest.flatten((list(args), dict(kwargs)))


def covers(wide: Sequence[Any], args: Any, kwargs: Any) -> bool:
    """Whether arguments are among those that specs with unknown sizes describe."""
    leaves = nest.flatten((list(args), dict(kwargs)))
    if len(leaves) != len(wide):
        return False
    return all(_covered(*pair) for pair in zip(wide, leaves, strict=True))


def _covered(wide: Any, leaf: Any) -> bool:
    if isinstance(wide, TensorSpec):
        return is_tensor(leaf) and wide.is_compatible_with(TensorSpec(leaf.shape, leaf.dtype))
    if isinstance(wide, TypeSpec):
        return wide.is_compatible_with(leaf)
    if isinstance(wide, EagerTensor):
        return isinstance(leaf, EagerTensor) and leaf._type is wide._type
    return type(wide) is type(leaf) and bool(wide == leaf)


def relaxed(key: Any) -> Any:
    """Returns the key of arguments without the sizes of tensors."""
    if isinstance(key, TensorType):
        return (key.dtype, len(key.shape))
    return tuple(relaxed(part) for part in key) if isinstance(key, tuple) else key


def types_in(key: Any) -> list[TensorType]:
    """Returns the types of the tensors in a key, in their order."""
    if isinstance(key, TensorType):
        return [key]
    return [type_ for part in key for type_ in types_in(part)] if isinstance(key, tuple) else []
