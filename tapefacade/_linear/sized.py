"""Linear operators that are given by their size."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._linear.arguments import common_batch, not_reference
from tapefacade._linear.operator import LinearOperator
from tapefacade._ops.array.shaping import broadcast_to


def size(value: Any, name: str) -> int:
    """Returns the number of rows or columns.

    Raises:
        TypeError: if it is no integer.
        ValueError: if it is no scalar, or negative.
    """
    not_reference(value, name)
    tensor = convert_to_tensor(value)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {tensor!s}")
    number = tensor.numpy()
    if number.ndim != 0:
        raise ValueError(f"Argument {name} must be a 0-D Tensor.  Found: {number}")
    if number < 0:
        raise ValueError(f"Argument {name} must be non-negative.  Found: {number}")
    return int(number)


def batch(value: Any) -> TensorShape:
    """Returns the batch shape that was given."""
    not_reference(value, "batch_shape")
    if value is None:
        return TensorShape([])
    if isinstance(value, TensorShape):
        return value
    empty = isinstance(value, list | tuple) and not value
    tensor = convert_to_tensor(value, dtypes.int32 if empty else None)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument batch_shape must be integer type.  Found: {tensor!s}")
    sizes = tensor.numpy()
    if sizes.ndim != 1:
        raise ValueError(f"Argument batch_shape must be a 1-D Tensor.  Found: {sizes}")
    if (sizes < 0).any():
        raise ValueError(f"Argument batch_shape must be non-negative.  Found:{sizes}")
    return TensorShape(sizes.tolist())


class Sized(LinearOperator, shown="linear_operator_identity"):
    """An operator that is given by its size: the base of identities and zeros."""

    _rows: int
    _columns: int
    _batch: TensorShape

    def _shape(self) -> TensorShape:
        return TensorShape([*self._batch, self._rows, self._columns])

    def _sizes(self) -> list[int | None]:
        return self.batch_shape.as_list()

    def _broadcast(self, x: Any) -> Any:
        """Returns `x` with the batch dimensions of this operator."""
        batch = common_batch([x.shape[:-2], self.batch_shape])
        return x if batch == x.shape[:-2] else broadcast_to(x, [*batch, *x.shape[-2:]])

    def _sliced(self, slices: tuple[Any, ...], batch: TensorShape) -> Any:
        sizes: Any = batch.as_list()
        shape = np.empty(sizes)[slices].shape
        return type(self)(**{**self.parameters, "batch_shape": list(shape)})
