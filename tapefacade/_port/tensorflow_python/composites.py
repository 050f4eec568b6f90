"""`CompositeTensor` and its specs, for libraries that make values of several tensors."""

import abc
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from tapefacade._core import dispatch, nest
from tapefacade._core.type_spec import TypeSpec, register_spec
from tapefacade._extension.extension_type import REGISTERED, register_named
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._sparse.tensor import SparseTensor
from tapefacade._state.indexed_slices import IndexedSlices

T = TypeVar("T")
NAME_TO_TYPE_SPEC = REGISTERED
TYPE_SPEC_TO_NAME: dict[type, str] = {}


class CompositeTensor(dispatch.CompositeTensor, metaclass=abc.ABCMeta):
    """The base class of a library's values that are made of several tensors.

    A subclass says what its type is, by the property `_type_spec`. Functions, loops, nests and
    tapes then take such a value apart and put it together, by the methods of its spec.
    """

    _is_tensor = False
    # In `structured_outputs` it stays what it is: libraries read its attributes there.
    _is_shown_as_value = True

    @property
    @abc.abstractmethod
    def _type_spec(self) -> Any:
        """The spec of the value."""

    def _components(self) -> Sequence[Any]:
        spec = self._type_spec
        return _flat(spec._component_specs, spec._to_components(self))

    def _with_components(self, components: Sequence[Any]) -> Any:
        spec = self._type_spec
        return spec._from_components(nest.pack_sequence_as(spec._component_specs, list(components)))

    def _shape_invariant_to_type_spec(self, shape: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__}._shape_invariant_to_type_spec: give shape invariants as specs."
        )

    def _consumers(self) -> list[Any]:
        return []


for _kind in (RaggedTensor, SparseTensor, IndexedSlices):
    CompositeTensor.register(_kind)


class BatchableTypeSpec(TypeSpec):
    """The base class of specs whose values can be rows of a larger value."""

    __slots__ = ()

    @abc.abstractmethod
    def _batch(self, batch_size: int | None) -> TypeSpec:
        """Returns the spec of values that are made of `batch_size` of these."""

    @abc.abstractmethod
    def _unbatch(self) -> TypeSpec:
        """Returns the spec of one row."""

    @property
    def _flat_tensor_specs(self) -> list[TypeSpec]:
        return self.flatten()

    def _to_tensor_list(self, value: Any) -> list[Any]:
        return self.to_tensors(value)

    def _to_batched_tensor_list(self, value: Any) -> list[Any]:
        return self.to_tensors(value)

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Any:
        return self.from_tensors(iter(tensor_list))


def register_type_spec_from_value_converter(
    type_object: type, converter_fn: Callable[[Any], TypeSpec], allow_subclass: bool = False
) -> None:
    """Says how the spec of a class of values is made.

    Args:
        type_object: the class; subclasses have the same specs.
        converter_fn: a function of a value.
        allow_subclass: accepted for TensorFlow's sake.
    """
    register_spec(type_object, converter_fn)


def register(name: str) -> Callable[[T], T]:
    """Makes a decorator that gives a class of specs a name, for files.

    Args:
        name: the name, with that of the package in front.

    Returns:
        The decorator.

    Raises:
        TypeError: if the name is no text, or the class is no spec.
        ValueError: if the name has no package in front, or one of the two is registered.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")

    def decorate(cls: Any) -> Any:
        if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
            raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
        if cls in TYPE_SPEC_TO_NAME:
            raise ValueError(
                f"Class {cls.__module__}.{cls.__name__} has already been registered with name "
                f"{TYPE_SPEC_TO_NAME[cls]}."
            )
        register_named(name, cls)
        TYPE_SPEC_TO_NAME[cls] = name
        return cls

    return decorate


def lookup(name: str) -> type:
    """Finds the class of specs that has a name.

    Raises:
        ValueError: if there is none.
    """
    if name not in NAME_TO_TYPE_SPEC:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return NAME_TO_TYPE_SPEC[name]


def get_name(cls: type) -> str:
    """Returns the name of a class of specs.

    Raises:
        ValueError: if it has none.
    """
    if cls not in TYPE_SPEC_TO_NAME:
        raise ValueError(f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered.")
    return TYPE_SPEC_TO_NAME[cls]


def _flat(specs: Any, components: Any) -> list[Any]:
    """Lists what the components are where their specs have leaves."""
    return list(_yield_flat(specs, components))


def _yield_flat(specs: Any, components: Any) -> Iterator[Any]:
    if not nest.is_nested(specs):
        yield components
    elif isinstance(specs, dict):
        for key in sorted(specs):
            yield from _yield_flat(specs[key], components[key])
    else:
        for spec, component in zip(specs, components, strict=True):
            yield from _yield_flat(spec, component)
