"""Values that may be missing: `tf.experimental.Optional` and its spec."""

import abc
from typing import Any

import numpy as np

from tapefacade._core import errors
from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_spec import HandleSpec, type_spec_from_value
from tapefacade._core.type_spec import spec_of


class OptionalSpec(HandleSpec):
    """The type of a `tf.experimental.Optional`.

    Args:
        element_spec: a nest of the specs of what the value is made of.

    >>> tf.OptionalSpec(tf.TensorSpec([2]))
    OptionalSpec(TensorSpec(shape=(2,), dtype=tf.float32, name=None),)
    """

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: "Optional") -> "OptionalSpec":
        """Makes the spec of an optional value.

        Args:
            value: the optional value.

        >>> tf.OptionalSpec.from_value(tf.experimental.Optional.from_value(1.0))
        OptionalSpec(TensorSpec(shape=(), dtype=tf.float32, name=None),)
        """
        return OptionalSpec(value.element_spec)

    @property
    def value_type(self) -> type:
        """The class of the optional values."""
        return _Optional

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)


class Optional(abc.ABC):
    """A value made of tensors that may be missing, as the end of an iterator leaves it.

    Made by `Optional.from_value` and `Optional.empty`.

    >>> value = tf.experimental.Optional.from_value(42)
    >>> bool(value.has_value()), int(value.get_value())
    (True, 42)

    See https://www.tensorflow.org/api_docs/python/tf/experimental/Optional.
    """

    @abc.abstractmethod
    def has_value(self, name: str | None = None) -> EagerTensor:
        """Tells whether there is a value, as a boolean scalar."""

    @abc.abstractmethod
    def get_value(self, name: str | None = None) -> Any:
        """Returns the value.

        Raises:
            InvalidArgumentError: if there is none.
        """

    @property
    @abc.abstractmethod
    def element_spec(self) -> Any:
        """A nest of the specs of what the value is made of."""

    @staticmethod
    def from_value(value: Any) -> "Optional":
        """Makes an optional value that is there.

        Args:
            value: a nest of tensors, or of what makes tensors. Lists are tensors, too.

        Raises:
            TypeError: if `value` holds something else.

        >>> tf.experimental.Optional.from_value((1, [2.0])).element_spec
        (TensorSpec(shape=(), dtype=tf.int32, name=None),
         TensorSpec(shape=(1,), dtype=tf.float32, name=None))
        """
        made = _mapped(_element, value)
        return _Optional(made, _mapped(type_spec_from_value, made))

    @staticmethod
    def empty(element_spec: Any) -> "Optional":
        """Makes an optional value that is missing.

        Args:
            element_spec: a nest of the specs of what the value would be made of.

        >>> bool(tf.experimental.Optional.empty(tf.TensorSpec([])).has_value())
        False
        """
        return _Optional(None, element_spec, missing=True)


class _Optional(Optional):
    """The only kind of optional values."""

    def __init__(self, value: Any, element_spec: Any, missing: bool = False) -> None:
        self._value = value
        self._element_spec = element_spec
        self._missing = missing

    def has_value(self, name: str | None = None) -> EagerTensor:
        return from_host(np.array(not self._missing))

    def get_value(self, name: str | None = None) -> Any:
        if self._missing:
            raise errors.InvalidArgumentError(
                None, None, "The given optional does not have a value. [Op:OptionalGetValue] name: "
            )
        return self._value

    @property
    def element_spec(self) -> Any:
        return self._element_spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._element_spec)


def _mapped(function: Any, value: Any) -> Any:
    """Maps the leaves of a nest of tuples and dictionaries; a list is a tensor."""
    if isinstance(value, dict):
        return type(value)((key, _mapped(function, part)) for key, part in value.items())
    if isinstance(value, tuple):
        parts = [_mapped(function, part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return function(value)


def _element(value: Any) -> Any:
    if spec_of(value) is not None:
        return value
    try:
        return convert(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"Could not build a `TypeSpec` for {value} with type {type(value).__name__}"
        ) from None
