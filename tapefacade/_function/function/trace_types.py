"""Trace types: how classes of users say which arguments record a `tf.function` anew."""

import abc
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from tapefacade._core.type_spec import TypeSpec
from tapefacade._definition.op import function


@function("types.experimental.TraceType")
class TraceType(abc.ABC):
    """What arguments of a class have in common for a function: one is recorded for equal types.

    The class of the arguments has a method `__tf_tracing_type__(self, context)` that returns it.

    Unlike TensorFlow, a function is recorded with the arguments themselves, not with
    `placeholder_value`, and again for each type that is equal to none before, also if it is a
    subtype.

    >>> class FruitType(tf.types.experimental.TraceType):
    ...     def __init__(self, fruit):
    ...         self.kind = type(fruit)
    ...     def is_subtype_of(self, other):
    ...         return self == other
    ...     def most_specific_common_supertype(self, others):
    ...         return self if all(self == other for other in others) else None
    ...     def placeholder_value(self, placeholder_context):
    ...         return self.kind()
    ...     def __eq__(self, other):
    ...         return isinstance(other, FruitType) and self.kind is other.kind
    ...     def __hash__(self):
    ...         return hash(self.kind)
    >>> class Apple:
    ...     def __tf_tracing_type__(self, context):
    ...         return FruitType(self)
    >>> f = tf.function(lambda fruit, x: x + 1)
    >>> [f(Apple(), tf.constant(n)).numpy() for n in (1, 2)]
    [np.int32(2), np.int32(3)]
    >>> f.experimental_get_tracing_count()
    1

    See https://www.tensorflow.org/api_docs/python/tf/types/experimental/TraceType.
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: Any) -> bool:
        """Tells whether every value of this type is one of `other`.

        Args:
            other: another type.
        """

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Returns the narrowest type that has all values of this type and of `others`, or None.

        Args:
            others: other types.
        """

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Returns a value that stands for all of this type.

        Args:
            placeholder_context: nothing that is of use.
        """

    def to_tensors(self, value: Any) -> list[Any]:
        """Lists the tensors that a value is made of: none.

        Args:
            value: a value of this type.
        """
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Makes a value of the tensors that `to_tensors` lists.

        Args:
            tensors: an iterator.
        """
        return self.placeholder_value(None)

    def flatten(self) -> list[Any]:
        """Lists the types of the tensors that a value is made of: none."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """Returns a value as one of this type: itself, if it is the one that stands for all.

        Args:
            value: a value.
            cast_context: nothing that is of use.

        Raises:
            AssertionError: if it is another one.
        """
        if value != self.placeholder_value(None):
            raise AssertionError(f"Can not cast {value!r} to type {self!r}")
        return value

    @abc.abstractmethod
    def __hash__(self) -> int:
        """Returns the same number for equal types."""

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool:
        """Tells whether what is recorded for one type serves the other."""


TraceType.register(TypeSpec)


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """An object that says what its type is for functions.

    See https://www.tensorflow.org/api_docs/python/tf/types/experimental/SupportsTracingProtocol.
    """

    @abc.abstractmethod
    def __tf_tracing_type__(self, context: Any) -> Any:
        """Returns the type.

        Args:
            context: nothing that is of use.
        """


def trace_type_of(value: Any) -> Hashable | None:
    """Returns the type that an object gives itself, None if it gives none."""
    given = getattr(type(value), "__tf_tracing_type__", None)
    found = None if given is None else given(value, None)
    return None if found is NotImplemented else found
