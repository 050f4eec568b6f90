"""Lists of tensors that grow and are read by index: `TensorArray`, its storage and its spec."""

import contextlib
import copy
import itertools
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn, Self

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.error_texts import invalid
from tapefacade._core.missing_members import lacks
from tapefacade._core.operands import is_operand
from tapefacade._core.tensor import EagerTensor, from_host, host_value
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tensor_spec import HandleSpec
from tapefacade._core.thread_state import ThreadState
from tapefacade._core.tracebacks import with_short_tracebacks
from tapefacade._core.type_spec import register_spec
from tapefacade._definition.op import Check, FreeTensor, op, register
from tapefacade._definition.parameters import frozen_value
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.creation import zeros
from tapefacade._ops.array.joining import concat, split, stack, unstack
from tapefacade._trace.open_sizes import (
    ACCOUNTS,
    with_axes_along,
    with_open_axes,
    with_unknown_axes,
)
from tapefacade._trace.recording import THREAD, EmptyLoopError

MESSAGE_SHAPE = "Incompatible shape for value ({}), expected ({})"
# Numbers for arrays and for blocks of `unchanged_arrays`, in the order they are made in.
SERIAL = itertools.count()


class Journal:
    """What has changed in a block of `unchanged_arrays`.

    Attributes:
        serial: its number.
        before: the arrays that were changed, and what they were before.
    """

    def __init__(self) -> None:
        self.serial = next(SERIAL)
        self.before: dict[int, tuple[Any, ...]] = {}


class _Journals(ThreadState):
    """The blocks of `unchanged_arrays` that are open, the innermost last."""

    def __init__(self) -> None:
        self.open: list[Journal] = []


JOURNALS = _Journals()


@contextlib.contextmanager
def unchanged_arrays() -> Iterator[dict[int, tuple[Any, ...]]]:
    """Makes a block after which all arrays that were there before hold what they did.

    Yields:
        Those that were changed in it, when it has ended.
    """
    journal = Journal()
    JOURNALS.open.append(journal)
    try:
        yield journal.before
    finally:
        JOURNALS.open.pop()
        for array, *before in journal.before.values():
            array._go_back(*before)


def _read_test(whole: Any, index: Any, in_function: bool) -> tuple[Any, ...]:
    size, place = jnp.asarray(whole.shape[0], np.int64), jnp.asarray(index, np.int64)
    return jnp.logical_and(place >= 0, place < size), index, size


def _read_error(index: Any, size: Any, in_function: bool) -> Exception:
    if in_function:
        return invalid(f"Trying to access element {index} in a list with {size} elements.")
    if index < 0:
        return out_of_range(f"Reading from negative indices (index {index}) is not allowed.")
    return out_of_range(f"Tried to read from index {index} but array size is: {size} ")


def _write_test(whole: Any, value: Any, index: Any, in_function: bool) -> tuple[Any, ...]:
    return _read_test(whole, index, in_function)


def _write_error(index: Any, size: Any, in_function: bool) -> Exception:
    if in_function:
        return invalid(f"Trying to modify element {index} in a list with {size} elements.")
    if index < 0:
        return out_of_range(f"Writing to negative indices (index {index}) is not allowed.")
    return out_of_range(
        f"Tried to write to index {index} but array is not resizeable and size is: {size} "
    )


@op("_array_read", kernel="TensorListGetItem", check=Check(("index",), _read_test, _read_error))
def _array_read(whole: FreeTensor, index: FreeTensor, in_function: bool) -> jax.Array:
    """Reads an element of a stacked array."""
    return jax.lax.dynamic_index_in_dim(whole, index, 0, keepdims=False)


@op("_array_write", kernel="TensorListSetItem", check=Check(("index",), _write_test, _write_error))
def _array_write(
    whole: FreeTensor, value: FreeTensor, index: FreeTensor, in_function: bool
) -> jax.Array:
    """Writes an element of a stacked array."""
    return jax.lax.dynamic_update_index_in_dim(whole, value, index, 0)


@op("_array_put", kernel="TensorListSetItem")
def put_element(whole: FreeTensor, value: FreeTensor, index: FreeTensor) -> jax.Array:
    """Writes an element of a stacked array, which is known to be there."""
    return jax.lax.dynamic_update_index_in_dim(whole, value, index, 0)


def _in_function() -> bool:
    """Whether an array is a list of TensorFlow's functions, whose kernels say otherwise."""
    return bool(THREAD.functions)


def _text_of_dtype(own: dtypes.DType, given: dtypes.DType) -> str:
    if _in_function():
        return (
            f"Invalid data types; op elements {given.kernel_name} but list elements "
            f"{own.kernel_name}"
        )
    return f"TensorArray dtype is {own.name} but Op is trying to write dtype {given.name} "


def read_element(whole: EagerTensor, index: EagerTensor) -> EagerTensor:
    """Returns an element of a stacked array `[n, ...]`, `index` a scalar.

    Raises:
        OutOfRangeError: if there is no such element, when that is known; in a function
            InvalidArgumentError.
    """
    return _array_read(whole, index, _in_function())


def write_element(whole: EagerTensor, value: EagerTensor, index: EagerTensor) -> EagerTensor:
    """Returns a stacked array `[n, ...]` with another element, `index` a scalar.

    Raises:
        OutOfRangeError: if there is no such element, when that is known; in a function
            InvalidArgumentError.
    """
    return _array_write(whole, value, index, _in_function())


class Storage:
    """The tensors of an array: in a list, or stacked."""

    def __init__(
        self, dtype: dtypes.DType, size: int, dynamic_size: bool, clear_after_read: bool,
        infer_shape: bool, element_shape: TensorShape,
    ) -> None:  # fmt: skip
        self._dtype = dtype
        self._dynamic_size = dynamic_size
        self._clear_after_read = clear_after_read
        self._infer_shape = infer_shape
        self._element_shape = element_shape
        # None in the place of a tensor that was not written, or was dropped.
        self._items: list[EagerTensor | None] = [None] * size
        # All tensors, stacked, instead of the list: in functions, and after loops that are one
        # instruction.
        self._whole: EagerTensor | None = None
        self._frame = THREAD.recording.frame  # in which `_whole` came to be
        self._dropped: set[int] = set()
        self._serial = next(SERIAL)

    @property
    def _tensors(self) -> list[EagerTensor | None]:
        if self._whole is None:
            return self._items
        if THREAD.recording.frame is not self._frame and not JOURNALS.open:
            return list(unstack(self._whole))  # which other programs than this cannot keep
        self._take_apart()
        return self._items

    def _take_apart(self) -> None:
        """Lists the tensors, as is needed before the list is changed."""
        if self._whole is not None:
            self._changes()
            self._items, self._whole = list(unstack(self._whole)), None

    def _changes(self) -> None:
        """Takes note that the array is going to change."""
        for journal in JOURNALS.open:
            if self._serial < journal.serial and id(self) not in journal.before:
                before = (list(self._items), self._whole, self._element_shape, set(self._dropped))
                journal.before[id(self)] = (self, *before)

    def _go_back(
        self, items: list[EagerTensor | None], whole: EagerTensor | None, shape: TensorShape,
        dropped: set[int],
    ) -> None:  # fmt: skip
        """Undoes what has changed."""
        self._items, self._whole, self._element_shape, self._dropped = items, whole, shape, dropped

    def _copy(self, whole: EagerTensor | None) -> Self:
        """Returns an array like this one, for the body of a loop; `whole` are its tensors."""
        made = copy.copy(self)
        made._items, made._whole = [None] * self._length, whole
        made._dropped, made._serial = set(), next(SERIAL)
        made._frame = THREAD.recording.frame
        return made

    def _put(self, whole: EagerTensor) -> None:
        """Fills the array with the tensors of a stacked one."""
        self._changes()
        self._items, self._whole, self._dropped = [], whole, set()
        self._frame = THREAD.recording.frame
        if self._infer_shape:
            self._element_shape = as_shape(whole._type.shape[1:])

    @property
    def _length(self) -> int:
        return len(self._items) if self._whole is None else self._whole._type.shape[0]

    def _write_pending(self, index: EagerTensor, value: Any) -> None:
        """Writes where nobody knows yet."""
        tensor = self._fitting(value)
        if not self._length:
            raise _write_error(index, 0, _in_function())
        whole = self._stacked(tensor)
        if whole is None:
            self._write(integer_of(index), tensor)
            return
        self._changes()
        self._whole = write_element(whole, tensor, index)
        self._items, self._dropped = [], set()
        self._frame = THREAD.recording.frame

    def _stacked(self, like: EagerTensor | None = None) -> EagerTensor | None:
        """Returns all tensors as one, zeros where there is none; None if they do not fit.

        Args:
            like: a tensor that has the shape of the others.
        """
        if self._whole is not None:
            whole = self._whole
        else:
            shapes = {t._type.shape for t in self._items if t is not None}
            if like is not None:
                shapes.add(like._type.shape)
            elif self._element_shape.is_fully_defined():
                shapes.add(tuple(self._element_shape.as_list()))  # type: ignore[arg-type]
            if len(shapes) != 1 or not self._items:
                return None
            (shape,) = shapes
            if all(t is None for t in self._items):
                return zeros([len(self._items), *shape], self._dtype)
            blank = zeros(list(shape), self._dtype)
            whole = stack([blank if t is None else t for t in self._items])
        if like is not None and whole._type.shape[1:] != like._type.shape:
            return None
        return whole

    def _write(self, index: int, value: Any) -> None:
        self._take_apart()
        size = len(self._tensors)
        if index < 0 or (index >= size and not self._dynamic_size):
            raise _write_error(index, size, _in_function())
        if index >= size:
            self._changes()
            self._tensors.extend([None] * (index + 1 - size))
        tensor = self._fitting(value)
        self._changes()
        self._tensors[index] = tensor

    def _fitting(self, value: Any) -> EagerTensor:
        """Converts a value that is written."""
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        if tensor.dtype is not self._dtype:
            raise invalid(_text_of_dtype(self._dtype, tensor.dtype))
        if not self._element_shape.is_compatible_with(tensor.shape):
            texts = "Inconsistent shapes: saw {} but expected {}", MESSAGE_SHAPE
            raise ValueError(texts[not _in_function()].format(tensor.shape, self._element_shape))
        if self._infer_shape:
            merged = self._element_shape.merge_with(tensor.shape)
            self._changes()
            self._element_shape = merged
        return tensor

    def _element(self, index: int) -> EagerTensor:
        """Returns the tensor at an index, which may be negative; zeros if there is none."""
        tensor = self._tensors[index]
        if tensor is None:  # an array that is stacked has no gaps
            if _in_function() and not self._element_shape.is_fully_defined():
                self._raise_unknown(
                    "Trying to read an uninitialized tensor but element_shape is not fully "
                    "defined: {} and no list element is set."
                )
            shape = convert(self._element_shape)  # raises if it is not fully known
            tensor = self._tensors[index] = zeros(shape, self._dtype)
        return tensor

    def _raise_unknown(self, message: str) -> NoReturn:
        """Raises that the shape of elements is unknown, but if a loop over nothing may tell it."""
        call = THREAD.functions[-1]
        error = invalid(message.format(self._element_shape))
        raise EmptyLoopError(error) if call.may_run_again and call.has_empty_loop else error

    def _require_shape(self, message: str) -> None:
        """Refuses, in a function, to join no tensors of an unknown shape."""
        if not _in_function() or self._whole is not None or self._element_shape.is_fully_defined():
            return
        if any(tensor is not None for tensor in self._items):
            return
        # A loop whose Python calls NumPy, and that has run over nothing, would have told the shape.
        if THREAD.functions[-1].may_run_again or not self._infer_shape:
            self._raise_unknown(message)

    def _joined(self, indices: Iterable[Any]) -> EagerTensor:
        indices = list(indices)
        if any(is_pending(index) for index in indices) and (whole := self._stacked()) is not None:
            return stack([read_element(whole, convert(index)) for index in indices])
        tensors = [self._element(index) for index in indices]
        if not tensors:
            return zeros([0], self._dtype)
        same = [t if t.dtype is self._dtype else cast(t, self._dtype) for t in tensors]
        return stack(same)


def is_pending(index: Any) -> bool:
    """Whether an index is not known yet, and must not be looked at: in functions and bodies."""
    if THREAD.recording.frame is None or not isinstance(index, EagerTensor):
        return False
    return host_value(index) is None and index.dtype.is_integer and not index._type.shape


def integer_of(index: Any) -> Any:
    """Returns the value of an index; what is no integer is refused by the list."""
    return index.numpy() if isinstance(index, EagerTensor) else index


def integers_of(indices: Any) -> Sequence[Any]:
    """Lists the values of a vector of indices; in functions and bodies those that are known."""
    if not isinstance(indices, EagerTensor):
        return indices
    if THREAD.recording.frame is not None and indices.ndim == 1 and host_value(indices) is None:
        return unstack(indices)
    return indices.numpy()


def out_of_range(message: str) -> errors.OutOfRangeError:
    return errors.OutOfRangeError(None, None, message)


@with_short_tracebacks
@lacks(
    {
        "grad": "Differentiate with a `tf.GradientTape`.",
    }
)
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
            read it twice is then an error, but for functions.
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
            dtypes.as_dtype(dtype).base_dtype,
            operator.index(frozen_value(size) if is_operand(size) else size), bool(dynamic_size),
            clear_after_read is None or bool(clear_after_read), infer_shape,
            as_shape(element_shape),
        )  # fmt: skip
        self._given_size = size

    def __repr__(self) -> str:
        return f"<tf.TensorArray dtype={self._dtype.name} element_shape={self._element_shape}>"

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
            OutOfRangeError: if there is no such index; in a function
                InvalidArgumentError.
            InvalidArgumentError: if the tensor was read before.

        >>> tf.TensorArray(tf.float32, size=1).write(0, 2.0).read(0).numpy()
        np.float32(2.0)
        """
        if is_pending(index) and (stacked := self._stacked()) is not None:
            return read_element(stacked, index)
        index = integer_of(index)
        clears = self._clear_after_read and not _in_function()
        if clears:
            self._take_apart()
        if not 0 <= index < len(self._tensors):
            raise _read_error(index, len(self._tensors), _in_function())
        if self._tensors[index] is None and index in self._dropped:
            raise invalid(
                f"Could not read index {index} twice because it was cleared after a previous read "
                "(perhaps try setting clear_after_read = false?)"
            )
        tensor = self._element(index)
        if clears:
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
            OutOfRangeError: if there is no such index and the array does not grow; in a function
                InvalidArgumentError.
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
        none = "list which only contains uninitialized tensors and has a"
        what = none if self._length else "elements of an empty list with"
        self._require_shape(f"Tried to stack {what} non-fully-defined element_shape: {{}}")
        if self._whole is not None:
            found = self._whole
        elif not self._tensors and self._element_shape.is_fully_defined():
            found = zeros([0, *self._element_shape], self._dtype)
        else:
            found = self._joined(range(len(self._tensors)))
        if not ACCOUNTS:
            return found
        if self._dynamic_size:
            return with_unknown_axes(found, 0)
        return with_open_axes(found, {0: self._given_size})

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
        self._require_shape(
            "Tried to gather uninitialized tensors from a list with non-fully-defined "
            "element_shape: {}"
        )
        found = self._joined(integers_of(indices))
        return with_axes_along(found, {0: convert_to_tensor(indices)}) if ACCOUNTS else found

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
        self._require_shape(
            "All except the first dimension must be fully defined when concating an empty tensor "
            "list. element_shape: {}"
        )
        tensors = [self._element(index) for index in range(len(self._tensors))]
        if not tensors and self._element_shape.rank:
            return with_unknown_axes(zeros([0, *self._element_shape[1:]], self._dtype), 0)
        ranks = [tensor.ndim for tensor in tensors]
        if len(tensors) > 1 and 0 in ranks:
            raise invalid(
                f"Concat saw a scalar shape at index {ranks.index(0)} but requires at least "
                "vectors."
            )
        joined = concat(tensors, 0)
        return with_unknown_axes(joined, 0) if ACCOUNTS else joined

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
        recorded = THREAD.recording.frame is not None
        tensor = convert_to_tensor(value, dtype_hint=self._dtype if recorded else None)
        # In functions, where reading is an op as well, it need not be taken apart.
        is_whole = recorded and tensor.dtype is self._dtype and bool(tensor._type.shape)
        parts = None if is_whole else list(unstack(value))
        count = tensor._type.shape[0] if parts is None else len(parts)
        if count > self._length and not self._dynamic_size:
            raise ValueError(
                f"Cannot unstack {count} tensors into a TensorArray of static size {self._length} "
            )
        self._changes()
        if parts is None:
            self._items, self._whole, self._dropped = [], tensor, set()
            self._frame = THREAD.recording.frame
        else:
            self._items[:], self._whole = parts, None
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
            OutOfRangeError: if there is no such index and the array does not grow; in a function
                InvalidArgumentError.

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
        sizes = convert(lengths)._numpy_array()
        if sizes.ndim != 1:
            raise invalid(f"Expected lengths to be a vector, received shape: {list(sizes.shape)} ")
        if tensor.ndim == 0:
            raise invalid(
                f"Expected value to be at least a vector, but received shape: {list(tensor.shape)} "
            )
        if sizes.sum() != tensor.shape[0]:
            raise invalid(
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{sizes.sum()} and value's shape is: {tensor.shape.as_list()} "
            )
        if not self._dynamic_size and len(sizes) != len(self._tensors):
            raise invalid(
                "TensorArray's size is not equal to the size of lengths "
                f"({len(self._tensors)} vs. {len(sizes)}), and the TensorArray is not marked as "
                "dynamically resizeable."
            )
        self._changes()
        self._items[:], self._whole = split(tensor, sizes), None
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
        self._items, self._whole = [], None


register(("TensorArray",), TensorArray)


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
