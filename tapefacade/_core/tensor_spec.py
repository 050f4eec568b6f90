"""Specs of tensors: `TensorSpec`, `NoneTensorSpec`, and `type_spec_from_value`."""

from collections.abc import Iterator, Sequence
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor, Tensor
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tracebacks import with_short_tracebacks
from tapefacade._core.type_spec import TypeSpec, register_spec, spec_of

MESSAGE_UNBATCH = "Unbatching a tensor is only supported for rank >= 1"


class DenseSpec(TypeSpec):
    """A shape, a dtype and a name: what the specs of tensors and of variables share."""

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """The `tf.TensorShape`, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The `tf.DType` of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._serialize() == other._serialize()

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


@with_short_tracebacks
class TensorSpec(DenseSpec):
    """The type of a tensor: its shape, as far as it is known, its dtype, and perhaps a name.

    Args:
        shape: a `tf.TensorShape` or what makes one; None for an unknown rank.
        dtype: the dtype.
        name: a name, such as that of an argument.

    >>> tf.TensorSpec([None, 3], tf.int32)
    TensorSpec(shape=(None, 3), dtype=tf.int32, name=None)

    See https://www.tensorflow.org/api_docs/python/tf/TensorSpec.
    """

    __slots__ = ()

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> "TensorSpec":
        """Makes a spec with the shape and dtype of another one.

        Args:
            spec: a `tf.TensorSpec`.
            name: the new name, by default that of `spec`.

        >>> tf.TensorSpec.from_spec(tf.TensorSpec([2]), name="x")
        TensorSpec(shape=(2,), dtype=tf.float32, name='x')
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> "TensorSpec":
        """Makes the spec of a tensor.

        Args:
            tensor: a tensor.
            name: a name.

        Raises:
            ValueError: if `tensor` is none.

        >>> tf.TensorSpec.from_tensor(tf.constant([1, 2]))
        TensorSpec(shape=(2,), dtype=tf.int32, name=None)
        """
        if not isinstance(tensor, EagerTensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        return cls(tensor.shape, tensor.dtype, name)

    @property
    def value_type(self) -> type:
        """`tf.Tensor`."""
        return Tensor

    def is_compatible_with(  # pyright: ignore[reportIncompatibleMethodOverride]  # TensorFlow's name
        self, spec_or_tensor: Any
    ) -> bool:
        """Tells whether a tensor could have both types; names do not matter.

        Args:
            spec_or_tensor: another spec, or a tensor. Other values are not converted.

        >>> tf.TensorSpec([None]).is_compatible_with(tf.constant([1.0, 2.0]))
        True
        """
        return (
            isinstance(spec_or_tensor, TensorSpec | EagerTensor)
            and self._dtype is spec_or_tensor.dtype
            and self._shape.is_compatible_with(spec_or_tensor.shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Tells whether every tensor of this type is one of `other`.

        Args:
            other: another spec; if this spec has a name, `other` must have it, too.

        >>> tf.TensorSpec([None]).is_subtype_of(tf.TensorSpec([2]))
        False
        """
        return (
            type(self) is type(other)
            and (not self._name or self._name == other._name)
            and self._shape.is_subtype_of(other._shape)
            and self._dtype is other._dtype
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> "TensorSpec | None":
        """Finds the narrowest type that has all tensors of this type and of `others`.

        Args:
            others: a sequence of specs.

        Returns:
            A spec; None if the dtypes or the names differ.

        >>> tf.TensorSpec([2]).most_specific_common_supertype([tf.TensorSpec([3])])
        TensorSpec(shape=(None,), dtype=tf.float32, name=None)
        """
        if any(type(other) is not type(self) for other in others):
            return None
        if any((o._dtype, o._name) != (self._dtype, self._name) for o in others):
            return None
        shape = self._shape.most_specific_common_supertype([other._shape for other in others])
        return type(self)(shape, self._dtype, self._name)

    @property
    def _component_specs(self) -> "TensorSpec":
        return self

    def _to_components(self, value: Any) -> EagerTensor:
        return convert(value, self._dtype)

    def _from_components(self, components: Any) -> Any:
        return components

    def flatten(self) -> list["TensorSpec"]:
        """Lists the specs of the tensors that a value is made of: this one.

        >>> tf.TensorSpec([2]).flatten()
        [TensorSpec(shape=(2,), dtype=tf.float32, name=None)]
        """
        return [self]

    def to_tensors(self, value: Any) -> list[Any]:
        """Lists the tensors that a value is made of: the value.

        Args:
            value: a tensor of this type.

        Raises:
            TypeError: if the tensor is of another type.

        >>> [x.numpy() for x in tf.TensorSpec([]).to_tensors(tf.constant(1.0))]
        [np.float32(1.0)]
        """
        tensor = convert(value)
        if not self.is_compatible_with(tensor):
            raise TypeError(f"Can not cast {TensorSpec.from_tensor(tensor)} to {self}")
        return [tensor]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Takes the next tensor.

        Args:
            tensors: an iterator.

        >>> tf.TensorSpec([]).from_tensors(iter([tf.constant(1.0)])).numpy()
        np.float32(1.0)
        """
        return next(tensors)

    def _batch(self, batch_size: int | None) -> "TensorSpec":
        return type(self)(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> "TensorSpec":
        if self._shape.rank == 0:
            raise ValueError(MESSAGE_UNBATCH)
        return type(self)(self._shape[1:], self._dtype)


class HandleSpec(TypeSpec):
    """A type whose values are handed on as they are, instead of as the tensors they are made of."""

    __slots__ = ()

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec([], dtypes.variant)

    def _to_components(self, value: Any) -> Any:
        return value

    def _from_components(self, components: Any) -> Any:
        return components

    def _parts(self) -> list[Any]:
        return [self]

    def _assembled(self, rest: Iterator[Any]) -> Any:
        return next(rest)

    def to_tensors(self, value: Any) -> list[Any]:
        """Lists the value in the place of its tensors.

        Args:
            value: a value of this type.
        """
        return [value]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Takes the next value.

        Args:
            tensors: an iterator.
        """
        return next(tensors)


class NoneTensorSpec(TypeSpec):
    """The type of None in the place of a tensor.

    >>> tf.NoneTensorSpec()
    NoneTensorSpec()
    """

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """The class of None."""
        return type(None)

    @staticmethod
    def from_value(value: Any) -> "NoneTensorSpec":
        """Makes the spec of None.

        Args:
            value: None.

        >>> tf.NoneTensorSpec.from_value(None)
        NoneTensorSpec()
        """
        return NoneTensorSpec()

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Tells whether a value could have both types.

        Args:
            spec_or_value: another spec, or None.

        >>> tf.NoneTensorSpec().is_compatible_with(None)
        True
        """
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def most_specific_compatible_shape(self, other: Any) -> "NoneTensorSpec":
        """Finds what two of these specs have in common: all.

        Args:
            other: another one of these specs.

        Raises:
            ValueError: if it is another type.

        >>> tf.NoneTensorSpec().most_specific_compatible_shape(tf.NoneTensorSpec())
        NoneTensorSpec()
        """
        if type(self) is not type(other):
            raise ValueError(
                f"No `TypeSpec` is compatible with both {self} and {other}. {type(other)} is not "
                f"the same as {type(self)}."
            )
        return self

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    @property
    def _component_specs(self) -> list[Any]:
        return []

    def _to_components(self, value: Any) -> list[Any]:
        return []

    def _from_components(self, components: Any) -> None:
        return None


register_spec(EagerTensor, TensorSpec.from_tensor)
register_spec(type(None), NoneTensorSpec.from_value)


def type_spec_from_value(value: Any) -> TypeSpec:
    """Returns the type of a value, as specs tell it.

    Args:
        value: a tensor, a variable, another value made of tensors, or what makes a tensor.

    Returns:
        A `tf.TypeSpec`; a `tf.TensorSpec` for what makes a tensor.

    Raises:
        TypeError: if `value` makes no tensor.

    >>> tf.type_spec_from_value([1.0, 2.0])
    TensorSpec(shape=(2,), dtype=tf.float32, name=None)
    """
    if (spec := spec_of(value) or _spec_of_list(value)) is not None:
        return spec
    try:
        tensor = convert(value)
    except (ValueError, TypeError):
        raise TypeError(
            f"Could not build a TypeSpec for {value} of unsupported type {type(value)}."
        ) from None
    return TensorSpec(as_shape(tensor.shape), tensor.dtype)


def _spec_of_list(value: Any) -> TypeSpec | None:
    """Returns the spec of a list of values of one kind that can be batched, as a batch."""
    if not isinstance(value, list) or not value:
        return None
    first, *others = [spec_of(item) or _spec_of_list(item) for item in value]
    if not hasattr(first, "_batch"):
        return None
    merged: Any = first and first.most_specific_common_supertype(others)
    return None if merged is None else merged._batch(len(value))
