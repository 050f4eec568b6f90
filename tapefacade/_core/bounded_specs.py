"""`BoundedTensorSpec` of `tensorflow.python.framework.tensor_spec`."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.tensor_spec import TensorSpec


class BoundedTensorSpec(TensorSpec):
    """The type of tensors whose elements lie between a smallest and a largest value.

    Args:
        shape: a `tf.TensorShape` or what makes one.
        dtype: the dtype.
        minimum: the smallest value, a number or what broadcasts to the shape.
        maximum: the largest value, likewise.
        name: a name.

    Raises:
        ValueError: if a bound is None, or does not broadcast to the shape.

    >>> BoundedTensorSpec([2], "int32", 0, 5)
    BoundedTensorSpec(shape=(2,), dtype=tf.int32, name=None, minimum=array(0, ...), maximum=...)
    """

    __slots__ = ("_maximum", "_minimum")

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        self._minimum = self._bound("minimum", minimum)
        self._maximum = self._bound("maximum", maximum)

    def _bound(self, name: str, value: Any) -> np.ndarray[Any, Any]:
        if value is None:
            raise ValueError(f"`{name}` can not be None.")
        sizes = () if self.shape.rank is None else self.shape
        try:
            np.broadcast_shapes(np.shape(value), tuple([1 if n is None else n for n in sizes]))
        except ValueError:
            text = f"`{name}` {value} is not compatible with shape {self.shape}."
            raise ValueError(text) from None
        bound = np.array(value, self.dtype.as_numpy_dtype)
        bound.setflags(write=False)
        return bound

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> "BoundedTensorSpec":
        """Makes a spec with the shape and dtype of another one, and its bounds if it has any.

        Args:
            spec: a `tf.TensorSpec`.
            name: the new name, by default that of `spec`.
        """
        dtype = dtypes.as_dtype(spec.dtype)  # specs of other libraries have NumPy's
        minimum = getattr(spec, "minimum", dtype.min)
        maximum = getattr(spec, "maximum", dtype.max)
        return cls(spec.shape, dtype, minimum, maximum, name or spec.name)

    @property
    def minimum(self) -> np.ndarray[Any, Any]:
        """The smallest value."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray[Any, Any]:
        """The largest value."""
        return self._maximum

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundedTensorSpec):
            return NotImplemented
        bounds = ((self.minimum, other.minimum), (self.maximum, other.maximum))
        same = (self.shape, self.dtype, self.name) == (other.shape, other.dtype, other.name)
        return same and all(np.allclose(*pair) for pair in bounds)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, minimum={self.minimum!r}, maximum={self.maximum!r})"

    def _serialize(self) -> tuple[Any, ...]:
        return (self.shape, self.dtype, self.minimum, self.maximum, self.name)
