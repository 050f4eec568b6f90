"""What a `TensorArray` holds, and how it is read and written at indices known or not."""

import copy
from collections.abc import Iterable, Sequence
from typing import Any, Self

from tapefacade._core import dtypes, errors
from tapefacade._core.convert import convert, convert_to_tensor
from tapefacade._core.shapes import TensorShape, as_shape
from tapefacade._core.tensor import EagerTensor, host_value, invalid_argument
from tapefacade._ops.array_elements import JOURNALS, SERIAL, write_element
from tapefacade._ops.casting import cast
from tapefacade._ops.creation import zeros
from tapefacade._ops.joining import stack, unstack
from tapefacade._trace.recording import THREAD


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
        # All tensors, stacked, instead of the list: after loops that are one instruction.
        self._whole: EagerTensor | None = None
        self._dropped: set[int] = set()
        self._serial = next(SERIAL)

    @property
    def _tensors(self) -> list[EagerTensor | None]:
        if self._whole is not None:
            self._items, self._whole = list(unstack(self._whole)), None
        return self._items

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
        return made

    def _put(self, whole: EagerTensor) -> None:
        """Fills the array with the tensors of a stacked one."""
        self._changes()
        self._items, self._whole, self._dropped = [], whole, set()
        if self._infer_shape:
            self._element_shape = as_shape(whole._type.shape[1:])

    @property
    def _length(self) -> int:
        return len(self._items) if self._whole is None else self._whole._type.shape[0]

    def _write_pending(self, index: EagerTensor, value: Any) -> None:
        """Writes where nobody knows yet."""
        tensor = self._fitting(value)
        if not self._length:
            raise out_of_range(
                f"Tried to write to index {index} but array is not resizeable and size is: 0 "
            )
        whole = self._stacked(tensor)
        if whole is None:
            self._write(integer_of(index), tensor)
            return
        self._changes()
        self._whole = write_element(whole, tensor, index)
        self._items, self._dropped = [], set()

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
        size = len(self._tensors)
        if index < 0:
            raise out_of_range(f"Writing to negative indices (index {index}) is not allowed.")
        if index >= size:
            if not self._dynamic_size:
                raise out_of_range(
                    f"Tried to write to index {index} but array is not resizeable and size is: "
                    f"{size} "
                )
            self._changes()
            self._tensors.extend([None] * (index + 1 - size))
        tensor = self._fitting(value)
        self._changes()
        self._tensors[index] = tensor

    def _fitting(self, value: Any) -> EagerTensor:
        """Converts a value that is written."""
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        if tensor.dtype is not self._dtype:
            raise invalid_argument(
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype "
                f"{tensor.dtype.name} "
            )
        if not self._element_shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Incompatible shape for value ({tensor.shape}), expected ({self._element_shape})"
            )
        if self._infer_shape:
            merged = self._element_shape.merge_with(tensor.shape)
            self._changes()
            self._element_shape = merged
        return tensor

    def _element(self, index: int) -> EagerTensor:
        """Returns the tensor at an index, which may be negative; zeros if there is none."""
        tensor = self._tensors[index]
        if tensor is None:
            shape = convert(self._element_shape)  # raises if it is not fully known
            tensor = self._tensors[index] = zeros(shape, self._dtype)
        return tensor

    def _joined(self, indices: Iterable[Any]) -> EagerTensor:
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
    return indices.numpy() if isinstance(indices, EagerTensor) else indices


def out_of_range(message: str) -> errors.OutOfRangeError:
    return errors.OutOfRangeError(None, None, message)
