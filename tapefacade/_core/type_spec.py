"""The types of values that are made of tensors: `TypeSpec`, and the spec of a value."""

import abc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes, nest
from tapefacade._core.dispatch import Composite, parts, with_parts
from tapefacade._core.missing_members import OF_TYPES, lacks
from tapefacade._core.tensor_shape import TensorShape

# Class of a value -> what makes its spec, for classes without `_type_spec`.
_MAKERS: dict[type, Callable[[Any], "TypeSpec"]] = {}


@lacks(OF_TYPES)
class TypeSpec(Composite, abc.ABC):
    """What is known of a value made of tensors before it is there: the base of all specs.

    A subclass says what a spec holds (`_serialize`), what tensors a value is made of
    (`_component_specs`), and how to take a value apart and put it together (`_to_components`,
    `_from_components`). Comparison, hashing, pickling and the repr follow from `_serialize`.

    Unlike TensorFlow, there are no protocol buffers (`experimental_as_proto`) and no placeholders.

    >>> isinstance(tf.TensorSpec([2]), tf.TypeSpec)
    True

    See https://www.tensorflow.org/api_docs/python/tf/TypeSpec.
    """

    __slots__ = ("__weakref__",)

    @property
    @abc.abstractmethod
    def value_type(self) -> Any:
        """The class of the values."""

    @abc.abstractmethod
    def _serialize(self) -> tuple[Any, ...]:
        """Returns what the constructor takes."""

    @property
    @abc.abstractmethod
    def _component_specs(self) -> Any:
        """A nest of the specs of the tensors that a value is made of."""

    @abc.abstractmethod
    def _to_components(self, value: Any) -> Any:
        """Takes a value apart, into a nest as that of `_component_specs`."""

    @abc.abstractmethod
    def _from_components(self, components: Any) -> Any:
        """Puts a value together."""

    def _parts(self) -> list[Any]:
        components = self._component_specs
        if components is self:
            return [self]
        return [part for component in nest.flatten(components) for part in parts(component)]

    def _assembled(self, rest: Iterator[Any]) -> Any:
        components = self._component_specs
        if components is self:
            return next(rest)
        values = [with_parts(component, rest) for component in nest.flatten(components)]
        return self._from_components(nest.pack_sequence_as(components, values))

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        return cls(*serialization)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Tells whether a value could have both types.

        Args:
            spec_or_value: another spec, or a value whose spec is compared.

        >>> tf.TensorSpec([2]).is_compatible_with(tf.TensorSpec([None]))
        True
        """
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else spec_of(spec_or_value)
        if other is None or type(self) is not type(other):
            return False
        return _compatible(self._serialize(), other._serialize())

    def is_subtype_of(self, other: Any) -> bool:
        """Tells whether every value of this type is one of `other`.

        Args:
            other: another spec.

        >>> tf.TensorSpec([2]).is_subtype_of(tf.TensorSpec([None]))
        True
        """
        return type(self) is type(other) and _subtype(self._serialize(), other._serialize())

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Finds the narrowest type that has all values of this type and of `others`.

        Args:
            others: a sequence of specs.

        Returns:
            A spec, or None if there is none.

        >>> tf.TensorSpec([2]).most_specific_common_supertype([tf.TensorSpec([3])])
        TensorSpec(shape=(None,), dtype=tf.float32, name=None)
        """
        if any(type(other) is not type(self) for other in others):
            return None
        try:
            merged = _merged(self._serialize(), [other._serialize() for other in others])
        except _UnlikeError:
            return None
        return self._deserialize(merged)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """Finds the narrowest type that has all values of this type and of `other`.

        Args:
            other: another spec.

        Returns:
            A spec.

        Raises:
            ValueError: if there is none.

        >>> tf.TensorSpec([2]).most_specific_compatible_type(tf.TensorSpec([3]))
        TensorSpec(shape=(None,), dtype=tf.float32, name=None)
        """
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    def flatten(self) -> list[Any]:
        """Lists the specs of the tensors that a value is made of.

        >>> tf.TensorSpec([2]).flatten()
        [TensorSpec(shape=(2,), dtype=tf.float32, name=None)]
        """
        parts = nest.flatten(self._component_specs)
        return [spec for part in parts for spec in part.flatten()]

    def to_tensors(self, value: Any) -> list[Any]:
        """Lists the tensors that a value is made of.

        Args:
            value: a value of this type.

        >>> [x.numpy() for x in tf.TensorSpec([]).to_tensors(tf.constant(1.0))]
        [np.float32(1.0)]
        """
        specs = nest.flatten(self._component_specs)
        parts = zip(specs, nest.flatten(self._to_components(value)), strict=True)
        return [tensor for spec, part in parts for tensor in spec.to_tensors(part)]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Makes a value of the tensors that `to_tensors` lists.

        Args:
            tensors: an iterator, from which as many tensors are taken as are needed.

        >>> tf.TensorSpec([]).from_tensors(iter([tf.constant(1.0)])).numpy()
        np.float32(1.0)
        """
        specs = self._component_specs
        parts = [spec.from_tensors(tensors) for spec in nest.flatten(specs)]
        return self._from_components(nest.pack_sequence_as(specs, parts))

    def __make_cmp_key(self, value: Any) -> Any:
        """Returns `comparable(value)`; specs of libraries call it by its mangled name."""
        return comparable(value)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return comparable(self._serialize()) == comparable(other._serialize())

    def __hash__(self) -> int:
        return hash((type(self), comparable(self._serialize())))

    def __reduce__(self) -> Any:
        return _restored, (type(self), self._serialize())

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


def _restored(cls: Any, serialization: Any) -> Any:
    return cls._deserialize(serialization)


# Comparison of what specs hold: tuples, lists and dictionaries of specs, shapes, dtypes and others.


class _UnlikeError(Exception):
    """Two specs have nothing in common."""


def _same_structure(value: Any, other: Any) -> bool:
    if type(value) is not type(other):
        return False
    if isinstance(value, dict):
        return value.keys() == other.keys()
    return not isinstance(value, list | tuple) or len(value) == len(other)


def _paired(value: Any, other: Any, test: Callable[[Any, Any], bool]) -> bool:
    """Whether `test` holds of all parts of two values of the same structure."""
    if not _same_structure(value, other):
        return False
    if isinstance(value, dict):
        return all(_paired(value[key], other[key], test) for key in value)
    if isinstance(value, list | tuple):
        return all(_paired(v, o, test) for v, o in zip(value, other, strict=True))
    return test(value, other)


def _is_type(value: Any) -> bool:
    return isinstance(value, TypeSpec | TensorShape | dtypes.DType)


def _compatible(value: Any, other: Any) -> bool:
    return _paired(
        value, other, lambda v, o: v.is_compatible_with(o) if _is_type(v) else _equal(v, o)
    )


def _subtype(value: Any, other: Any) -> bool:
    return _paired(value, other, lambda v, o: v.is_subtype_of(o) if _is_type(v) else _equal(v, o))


def _equal(value: Any, other: Any) -> bool:
    return bool(np.all(np.equal(value, other))) if _is_array(value) else bool(value == other)


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _merged(value: Any, others: Sequence[Any]) -> Any:
    if not all(_same_structure(value, other) for other in others):
        raise _UnlikeError
    if isinstance(value, dict):
        return {key: _merged(value[key], [other[key] for other in others]) for key in value}
    if isinstance(value, list | tuple):
        merged = [_merged(part, [o[i] for o in others]) for i, part in enumerate(value)]
        return type(value)(*merged) if hasattr(value, "_fields") else type(value)(merged)
    if _is_type(value):
        if (found := value.most_specific_common_supertype(others)) is None:
            raise _UnlikeError
        return found
    if not all(_equal(value, other) for other in others):
        raise _UnlikeError
    return value


def comparable(value: Any) -> Any:
    """Returns a hashable value that is equal for equal specs."""
    if isinstance(value, dict):
        return dict, tuple((key, comparable(part)) for key, part in sorted(value.items()))
    if isinstance(value, list | tuple):
        return type(value), tuple(comparable(part) for part in value)
    if _is_array(value):
        return np.ndarray, value.shape, tuple(value.ravel().tolist())
    return value


# The spec of a value.


def register_spec(kind: type, maker: Callable[[Any], TypeSpec]) -> None:
    """Says how the spec of a class of values is made.

    Args:
        kind: the class; its subclasses have the same specs.
        maker: a function of a value.
    """
    _MAKERS[kind] = maker


def spec_of(value: Any) -> TypeSpec | None:
    """Returns the spec of a value that has one of its own, None for Python and NumPy values."""
    found = getattr(value, "_type_spec", None)
    if isinstance(found, TypeSpec):
        return found
    for kind in type(value).__mro__:
        if kind in _MAKERS:
            return _MAKERS[kind](value)
    return None
