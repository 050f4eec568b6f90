"""Specs of variables and of `tf.IndexedSlices`."""

from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tensor_spec import DenseSpec, TensorSpec
from tapefacade._core.type_spec import TypeSpec, register_spec
from tapefacade._definition.op import register
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._state.variable import Variable


class IndexedSlicesSpec(TypeSpec):
    """The type of a `tf.IndexedSlices`.

    Args:
        shape: the shape of the whole tensor.
        dtype: the dtype of the values.
        indices_dtype: the dtype of the places.
        dense_shape_dtype: the dtype of `dense_shape`, None if it is not given.
        indices_shape: the shape of the places, `[n]`.

    >>> tf.IndexedSlicesSpec([4, 3], indices_dtype=tf.int32)
    IndexedSlicesSpec(TensorShape([4, 3]), tf.float32, tf.int32, None, TensorShape([None]))
    """

    __slots__ = ("_dense_shape_dtype", "_dtype", "_indices_dtype", "_indices_shape", "_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        indices_dtype: Any = dtypes.int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        known = dense_shape_dtype is not None
        self._dense_shape_dtype = dtypes.as_dtype(dense_shape_dtype) if known else None
        self._indices_shape = as_shape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> type:
        """`tf.IndexedSlices`."""
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return (
            self._shape,
            self._dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape,
        )

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        values = TensorSpec(self._indices_shape.concatenate(self._shape[1:]), self._dtype)
        indices = TensorSpec(self._indices_shape, self._indices_dtype)
        if self._dense_shape_dtype is None:
            return values, indices
        return values, indices, TensorSpec([self._shape.rank], self._dense_shape_dtype)

    def _to_components(self, value: IndexedSlices) -> tuple[Any, ...]:
        if value.dense_shape is None:
            return value.values, value.indices
        return value.values, value.indices, value.dense_shape

    def _from_components(self, components: Any) -> IndexedSlices:
        return IndexedSlices(*components)


def _spec_of_slices(value: IndexedSlices) -> IndexedSlicesSpec:
    values, indices = convert(value.values), convert(value.indices)
    if value.dense_shape is None:
        shape = TensorShape([None]).concatenate(values.shape[1:])
        return IndexedSlicesSpec(shape, values.dtype, indices.dtype, None, indices.shape)
    whole = convert(value.dense_shape)
    return IndexedSlicesSpec(value.shape, values.dtype, indices.dtype, whole.dtype, indices.shape)


class VariableSpec(DenseSpec):
    """The type of a variable, as `tf.type_spec_from_value` gives it.

    Args:
        shape: the shape of the value.
        dtype: the dtype of the value.
        trainable: whether tapes watch the variable by themselves.
        alias_id: a number that is the same for specs of the same variable.

    >>> tf.type_spec_from_value(tf.Variable([1.0, 2.0]))
    VariableSpec(shape=(2,), dtype=tf.float32, trainable=True, alias_id=None)
    """

    __slots__ = ("alias_id", "trainable")

    def __init__(
        self,
        shape: Any,
        dtype: Any = dtypes.float32,
        trainable: bool = True,
        alias_id: int | None = None,
    ) -> None:
        super().__init__(shape, dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    @classmethod
    def from_value(cls, value: Variable) -> "VariableSpec":
        """Makes the spec of a variable.

        Args:
            value: the variable.
        """
        return cls(value.shape, value.dtype, value.trainable)

    @property
    def value_type(self) -> type:
        """`tf.Variable`."""
        return Variable

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self.trainable, self.alias_id

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec(self._shape, self._dtype)

    def _to_components(self, value: Variable) -> Any:
        return value.read_value()

    def _from_components(self, components: Any) -> Variable:
        return Variable(components, trainable=self.trainable)

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self._shape}, dtype={self._dtype!r}, "
            f"trainable={self.trainable}, alias_id={self.alias_id})"
        )


IndexedSlices._type_spec = property(_spec_of_slices)
register_spec(Variable, VariableSpec.from_value)

register(("IndexedSlicesSpec",), IndexedSlicesSpec)
