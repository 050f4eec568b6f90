"""The spec of a `TensorArray`."""

from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.shapes import as_shape
from tapefacade._core.specs import register_spec
from tapefacade._core.tensor_spec import HandleSpec
from tapefacade._ops.op import register
from tapefacade._ops.tensor_array import TensorArray


class TensorArraySpec(HandleSpec):
    """The type of a `tf.TensorArray`.

    Args:
        element_shape: the shape of the tensors.
        dtype: the dtype of the tensors.
        dynamic_size: whether the array grows.
        infer_shape: whether all tensors have the shape of the first one written.

    >>> tf.TensorArraySpec([2])
    TensorArraySpec(TensorShape([2]), tf.float32, False, True)
    """

    __slots__ = ("_dtype", "_dynamic_size", "_element_shape", "_infer_shape")

    def __init__(
        self,
        element_shape: Any = None,
        dtype: Any = dtypes.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape = as_shape(element_shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @staticmethod
    def from_value(value: Any) -> "TensorArraySpec":
        """Makes the spec of an array.

        Args:
            value: the array.

        Raises:
            TypeError: if it is none.

        >>> tf.TensorArraySpec.from_value(tf.TensorArray(tf.int32, size=2))
        TensorArraySpec(TensorShape(None), tf.int32, False, True)
        """
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but got: `{type(value)}`")
        return TensorArraySpec(
            value._element_shape, value._dtype, value._dynamic_size, value._infer_shape
        )

    @property
    def value_type(self) -> type:
        """`tf.TensorArray`."""
        return TensorArray

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape


register_spec(TensorArray, TensorArraySpec.from_value)
register(("TensorArraySpec",), TensorArraySpec)
