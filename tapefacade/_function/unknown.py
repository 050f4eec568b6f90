"""Signatures with unknown sizes: one program for each shape, one signature for the user."""

from collections.abc import Mapping, Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.convert import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.types import TensorType, type_of
from tapefacade._function.signatures import is_array, is_tensor
from tapefacade._state.variable import Variable

# In the place of an unknown size while nothing is computed. Results of this size are unknown, too.
UNKNOWN = 1009


def has_unknown_sizes(arguments: Any) -> bool:
    """Whether there is a spec among the arguments that leaves sizes open."""
    return any(
        isinstance(leaf, TensorSpec) and not leaf.shape.is_fully_defined()
        for leaf in nest.flatten(arguments)
    )


def abstract_types(arguments: Any) -> list[TensorType]:
    """Returns a type for each tensor, or spec of one, among the arguments."""
    types = []
    for leaf in nest.flatten(arguments, expand_composites=True):
        if isinstance(leaf, TensorSpec):
            sizes = leaf.shape.as_list() if leaf.shape.rank is not None else []
            shape = tuple(UNKNOWN if size is None else size for size in sizes)
            assert leaf.dtype._numpy is not None
            types.append(type_of(shape, leaf.dtype._numpy))
        elif type(leaf) is EagerTensor:
            types.append(leaf._type)
        elif is_tensor(leaf):
            types.append(type_of(leaf.shape, leaf.dtype))
    return types


def known_spec(type_: TensorType) -> TensorSpec:
    """Returns the spec of a result."""
    return TensorSpec([None if size == UNKNOWN else size for size in type_.shape], type_.dtype)


def with_specs(
    args: Sequence[Any], kwargs: Mapping[str, Any], names: Sequence[str]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments with a named spec in the place of each tensor."""
    rest = iter(names)

    def spec_of(name: str, leaf: Any) -> Any:
        if isinstance(leaf, TensorSpec):
            return TensorSpec(leaf.shape, leaf.dtype, leaf.name or name)
        value: Any = convert(leaf) if is_array(leaf) else leaf
        ours: Any = EagerTensor | Variable | CompositeTensor
        if isinstance(value, ours) and hasattr(value, "dtype"):
            return TensorSpec(value.shape, value.dtype, name)
        return leaf

    def described(value: Any) -> Any:
        name = next(rest)
        if not nest.is_nested(value):
            return spec_of(name, value)
        leaves = nest.flatten(value)
        names = _paths(name, value)
        return nest.pack_sequence_as(value, list(map(spec_of, names, leaves)))

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


def wide_key(args: Any, kwargs: Any) -> Any:
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
    if isinstance(wide, EagerTensor):
        return isinstance(leaf, EagerTensor) and leaf._type is wide._type
    return type(wide) is type(leaf) and bool(wide == leaf)


def relaxed(key: Any) -> Any:
    """Returns the key of arguments without the sizes of tensors."""
    if isinstance(key, TensorType):
        return (key.dtype, len(key.shape))
    return tuple(relaxed(part) for part in key) if isinstance(key, tuple) else key
