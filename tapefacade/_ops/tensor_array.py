"""Lists of tensors that grow and are read by index: `TensorArray`."""

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.convert import convert, convert_to_tensor
from tapefacade._core.shapes import TensorShape, as_shape
from tapefacade._core.tensor import EagerTensor, from_host, host_value, invalid_argument
from tapefacade._ops.array_elements import read_element
from tapefacade._ops.array_storage import (
    Storage,
    integer_of,
    integers_of,
    is_pending,
    out_of_range,
)
from tapefacade._ops.creation import zeros
from tapefacade._ops.joining import concat, split, stack, unstack
from tapefacade._ops.op import register
from tapefacade._trace.recording import THREAD


class TensorArray(Storage):
    """A list of tensors, to be written and read by index, as in loops.

    Gradients flow through the tensors: a tensor that is read is the tensor that was written.

    Unlike TensorFlow, an array whose writes are dropped is not reported, and there are neither
    handles nor `grad`, which TensorFlow has for graphs only.

    Args:
        dtype: the dtype of the tensors.
        size: how many there are at first.
        dynamic_size: whether a write beyond the end makes the array longer.
        clear_after_read: whether a tensor is dropped when it is read, which is the default: to
            read it twice is then an error.
        tensor_array_name: ignored.
        handle: must be None.
        flow: ignored.
        infer_shape: whether all tensors have the shape of the first one written.
        element_shape: the shape of the tensors, as far as it is known.
        colocate_with_first_write_call: ignored.
        name: ignored.

    Raises:
        ValueError: if there is no `size`.

    >>> array = tf.TensorArray(tf.float32, size=3)
    >>> for i in range(3):
    ...     array = array.write(i, float(i * i))
    >>> array.stack().numpy()
    array([0., 1., 4.], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/TensorArray.
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: None = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None:
            raise ValueError(
                "TensorArray handles are not supported when eager execution is enabled."
            )
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution is enabled."
            )
        super().__init__(
            dtypes.as_dtype(dtype).base_dtype, operator.index(size), bool(dynamic_size),
            clear_after_read is None or bool(clear_after_read), infer_shape,
            as_shape(element_shape),
        )  # fmt: skip

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the tensors."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether the array grows when it is written to."""
        return self._dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the tensors, as far as it is known."""
        return self._element_shape

    @property
    def flow(self) -> EagerTensor:
        """A zero: in TensorFlow's graphs, what orders the operations."""
        return from_host(np.array(0, np.int32))

    @property
    def handle(self) -> None:
        """None: there are no handles."""
        return None

    def identity(self) -> "TensorArray":
        """Returns the array itself.

        >>> tf.TensorArray(tf.float32, size=1).identity().size().numpy()
        np.int32(1)
        """
        return self

    def size(self, name: str | None = None) -> EagerTensor:
        """Returns the number of tensors.

        Args:
            name: ignored.

        >>> int(tf.TensorArray(tf.float32, size=3).size())
        3
        """
        return from_host(np.array(self._length, np.int32))

    def read(self, index: Any, name: str | None = None) -> EagerTensor:
        """Returns a tensor, and drops it unless the array was made with `clear_after_read=False`.

        Args:
            index: the index, an integer.
            name: ignored.

        Returns:
            The tensor; zeros if none was written and the shape is known.

        Raises:
            OutOfRangeError: if there is no such index.
            InvalidArgumentError: if the tensor was read before.

        >>> tf.TensorArray(tf.float32, size=1).write(0, 2.0).read(0).numpy()
        np.float32(2.0)
        """
        if is_pending(index) and (stacked := self._stacked()) is not None:
            return read_element(stacked, index)
        index = integer_of(index)
        if index < 0:
            raise out_of_range(f"Reading from negative indices (index {index}) is not allowed.")
        if index >= len(self._tensors):
            raise out_of_range(
                f"Tried to read from index {index} but array size is: {len(self._tensors)} "
            )
        if self._tensors[index] is None and index in self._dropped:
            raise invalid_argument(
                f"Could not read index {index} twice because it was cleared after a previous read "
                "(perhaps try setting clear_after_read = false?)"
            )
        tensor = self._element(index)
        if self._clear_after_read:
            self._changes()
            self._tensors[index] = None
            self._dropped.add(index)
        return tensor

    def write(self, index: Any, value: Any, name: str | None = None) -> "TensorArray":
        """Puts a tensor into the array.

        Args:
            index: the index, an integer.
            value: the tensor, or what makes one.
            name: ignored.

        Returns:
            The array.

        Raises:
            OutOfRangeError: if there is no such index and the array does not grow.
            InvalidArgumentError: if the tensor has another dtype than the array.
            ValueError: if the tensor has another shape than those before.

        >>> tf.TensorArray(tf.float32, 0, dynamic_size=True).write(1, 2.0).stack().numpy()
        array([0., 2.], dtype=float32)
        """
        if is_pending(index) and not self._dynamic_size:
            self._write_pending(index, value)
        else:
            self._write(integer_of(index), value)
        return self

    def stack(self, name: str | None = None) -> EagerTensor:
        """Joins the tensors along a new first dimension.

        Args:
            name: ignored.

        Returns:
            A tensor, `[size, ...]`; zeros are in the place of tensors that were not written.

        Raises:
            ValueError: if a tensor was not written and the shape is not known.

        >>> tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0]).stack().numpy()
        array([1., 2.], dtype=float32)
        """
        if self._whole is not None:
            return self._whole
        if not self._tensors and self._element_shape.is_fully_defined():
            return zeros([0, *self._element_shape], self._dtype)
        return self._joined(range(len(self._tensors)))

    def gather(self, indices: Any, name: str | None = None) -> EagerTensor:
        """Joins some of the tensors along a new first dimension.

        Args:
            indices: the indices, `[n]`.
            name: ignored.

        Returns:
            A tensor, `[n, ...]`.

        Raises:
            IndexError: if there is no such index.

        >>> tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0]).gather([1, 1]).numpy()
        array([2., 2.], dtype=float32)
        """
        return self._joined(integers_of(indices))

    def concat(self, name: str | None = None) -> EagerTensor:
        """Joins the tensors along their first dimension.

        Args:
            name: ignored.

        Raises:
            InvalidArgumentError: if the tensors have no dimensions, or others that do not fit.

        >>> array = tf.TensorArray(tf.float32, size=2, infer_shape=False)
        >>> array.write(0, [1.0]).write(1, [2.0, 3.0]).concat().numpy()
        array([1., 2., 3.], dtype=float32)
        """
        tensors = [self._element(index) for index in range(len(self._tensors))]
        ranks = [tensor.ndim for tensor in tensors]
        if len(tensors) > 1 and 0 in ranks:
            raise invalid_argument(
                f"Concat saw a scalar shape at index {ranks.index(0)} but requires at least "
                "vectors."
            )
        return concat(tensors, 0)

    def unstack(self, value: Any, name: str | None = None) -> "TensorArray":
        """Takes a tensor apart along its first dimension, and fills the array with the parts.

        Args:
            value: the tensor, `[size, ...]`.
            name: ignored.

        Returns:
            The array.

        Raises:
            ValueError: if the tensor has more parts than the array, which does not grow.

        >>> tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0]).read(1).numpy()
        np.float32(2.0)
        """
        parts = list(unstack(value))
        if len(parts) > len(self._tensors) and not self._dynamic_size:
            raise ValueError(
                f"Cannot unstack {len(parts)} tensors into a TensorArray of static size "
                f"{len(self._tensors)} "
            )
        self._changes()
        self._tensors[:] = parts
        return self

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> "TensorArray":
        """Takes a tensor apart along its first dimension, and writes the parts to given indices.

        Args:
            indices: the indices, `[n]`.
            value: the tensor, `[n, ...]`.
            name: ignored.

        Returns:
            The array.

        Raises:
            OutOfRangeError: if there is no such index and the array does not grow.

        >>> tf.TensorArray(tf.float32, size=2).scatter([1, 0], [1.0, 2.0]).stack().numpy()
        array([2., 1.], dtype=float32)
        """
        for index, part in zip(integers_of(indices), unstack(value), strict=False):
            self._write(index, part)
        return self

    def split(self, value: Any, lengths: Any, name: str | None = None) -> "TensorArray":
        """Splits a tensor along its first dimension, and fills the array with the parts.

        Args:
            value: the tensor, `[n, ...]`.
            lengths: the lengths of the parts, which sum to `n`.
            name: ignored.

        Returns:
            The array.

        Raises:
            InvalidArgumentError: if the lengths do not sum to `n`, or are not as many as the array
                has tensors.

        >>> array = tf.TensorArray(tf.float32, size=2, infer_shape=False)
        >>> array.split([1.0, 2.0, 3.0], [1, 2]).read(1).numpy()
        array([2., 3.], dtype=float32)
        """
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        sizes = convert(lengths)._numpy()
        if sizes.ndim != 1:
            raise invalid_argument(
                f"Expected lengths to be a vector, received shape: {list(sizes.shape)} "
            )
        if tensor.ndim == 0:
            raise invalid_argument(
                f"Expected value to be at least a vector, but received shape: {list(tensor.shape)} "
            )
        if sizes.sum() != tensor.shape[0]:
            raise invalid_argument(
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{sizes.sum()} and value's shape is: {tensor.shape.as_list()} "
            )
        if not self._dynamic_size and len(sizes) != len(self._tensors):
            raise invalid_argument(
                "TensorArray's size is not equal to the size of lengths "
                f"({len(self._tensors)} vs. {len(sizes)}), and the TensorArray is not marked as "
                "dynamically resizeable."
            )
        self._changes()
        self._tensors[:] = split(tensor, sizes)
        return self

    def close(self, name: str | None = None) -> None:
        """Drops all tensors.

        Args:
            name: ignored.

        >>> array = tf.TensorArray(tf.float32, size=3)
        >>> array.close()
        >>> int(array.size())
        0
        """
        self._changes()
        self._tensors.clear()


register(("TensorArray",), TensorArray)
