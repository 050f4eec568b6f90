"""Assignments to parts of a variable: slices, rows and single elements."""

import contextlib
import threading
from typing import Any

import numpy as np

from tapefacade._core.convert import convert
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._state.indexed_slices import IndexedSlices


class Scatter:
    """The methods of a variable that change or read some of its elements."""

    _tensor: EagerTensor
    _lock: "threading.RLock | contextlib.AbstractContextManager[Any]"

    def _unread(self) -> Any: ...

    def _put(self, tensor: EagerTensor) -> None: ...

    def value(self) -> EagerTensor:
        """Returns the value as a tensor."""
        return self._tensor

    def _assign_part(
        self, key: Any, value: Any, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Replaces the part that `variable[key]` reads."""
        with self._lock:
            value = convert(value, self._tensor.dtype)
            self._put(FUNCTIONS["_strided_slice_update"](self.value(), key, value))
        return self._unread()

    def _scatter(self, path: str, indices: Any, updates: Any) -> Any:
        with self._lock:
            updates = convert(updates, self._tensor.dtype)
            self._put(FUNCTIONS[path](self.value(), indices, updates))
        return self._unread()

    def _scatter_rows(self, path: str, sparse_delta: Any) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: "
                f"{sparse_delta}"
            )
        rows = FUNCTIONS["expand_dims"](convert(sparse_delta.indices), -1)
        shape = rows.shape.as_list()[:-1] + self._tensor.shape.as_list()[1:]
        updates = FUNCTIONS["broadcast_to"](convert(sparse_delta.values, self._tensor.dtype), shape)
        return self._scatter(path, rows, updates)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Adds `updates` to the elements or slices at `indices` (`[..., depth]`).

        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> v.scatter_nd_add([[0], [2]], [10.0, 20.0]).numpy()
        array([11.,  2., 23.], dtype=float32)
        """
        return self._scatter("tensor_scatter_nd_add", indices, updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Subtracts `updates` from the elements or slices at `indices` (`[..., depth]`)."""
        return self._scatter("tensor_scatter_nd_sub", indices, updates)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Replaces the elements or slices at `indices` (`[..., depth]`) by `updates`."""
        return self._scatter("tensor_scatter_nd_update", indices, updates)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Takes the maximum of `updates` and the elements or slices at `indices`."""
        return self._scatter("tensor_scatter_nd_max", indices, updates)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Takes the minimum of `updates` and the elements or slices at `indices`."""
        return self._scatter("tensor_scatter_nd_min", indices, updates)

    def scatter_add(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Adds the rows of a `tf.IndexedSlices`.

        Raises:
            TypeError: if `sparse_delta` is none.

        >>> v = tf.Variable([1.0, 2.0])
        >>> v.scatter_add(tf.IndexedSlices(tf.constant([5.0]), tf.constant([1]))).numpy()
        array([1., 7.], dtype=float32)
        """
        return self._scatter_rows("tensor_scatter_nd_add", sparse_delta)

    def scatter_sub(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Subtracts the rows of a `tf.IndexedSlices`."""
        return self._scatter_rows("tensor_scatter_nd_sub", sparse_delta)

    def scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replaces rows by those of a `tf.IndexedSlices`."""
        return self._scatter_rows("tensor_scatter_nd_update", sparse_delta)

    def scatter_max(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Takes the maximum of rows and those of a `tf.IndexedSlices`."""
        return self._scatter_rows("tensor_scatter_nd_max", sparse_delta)

    def scatter_min(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Takes the minimum of rows and those of a `tf.IndexedSlices`."""
        return self._scatter_rows("tensor_scatter_nd_min", sparse_delta)

    def scatter_mul(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Multiplies rows by those of a `tf.IndexedSlices`, one after the other."""
        return self._scatter_each("multiply", sparse_delta)

    def scatter_div(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Divides rows by those of a `tf.IndexedSlices`, one after the other."""
        return self._scatter_each("divide", sparse_delta)

    def _scatter_each(self, path: str, sparse_delta: Any) -> Any:
        """Combines with factors whose product (for equal rows) is computed first."""
        ones = FUNCTIONS["ones_like"](self.value())
        factors = FUNCTIONS["math.unsorted_segment_prod"](
            convert(sparse_delta.values, self._tensor.dtype), sparse_delta.indices, ones.shape[0]
        )
        with self._lock:
            self._put(FUNCTIONS[path](self.value(), factors))
        return self._unread()

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replaces rows of each example: indices and values have the same leading dimensions."""
        indices = np.asarray(convert(sparse_delta.indices).numpy())
        grid = np.stack([*np.indices(indices.shape)[:-1], indices], axis=-1)
        return self._scatter("tensor_scatter_nd_update", grid, sparse_delta.values)

    def sparse_read(self, indices: Any, name: str | None = None) -> EagerTensor:
        """Returns the rows at `indices`, as `tf.gather`.

        >>> tf.Variable([1.0, 2.0]).sparse_read([1]).numpy()
        array([2.], dtype=float32)
        """
        return FUNCTIONS["gather"](self, indices)

    def gather_nd(self, indices: Any, name: str | None = None) -> EagerTensor:
        """Returns the elements or slices at `indices`, as `tf.gather_nd`."""
        return FUNCTIONS["gather_nd"](self, indices)
