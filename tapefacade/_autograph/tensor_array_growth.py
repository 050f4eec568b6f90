"""`tf.TensorArray`s in loops that have an element for each iteration, as one stacked tensor."""

from typing import Any, NoReturn

from tapefacade._autograph.state import NotStagedError
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.array.creation import zeros
from tapefacade._ops.array.indexing import row_at
from tapefacade._ops.array.loop_rows import is_same
from tapefacade._ops.array.tensor_array import TensorArray, put_element
from tapefacade._trace.recording import THREAD

WHY_GROWS = "a tf.TensorArray may grow in another way than by an element in each iteration"


class LoopArray(TensorArray):
    """An array in the body of a loop, of which iteration `i` reads and writes element `i`.

    There is room for more elements than there are. Whatever would show that is refused.
    """

    _index: EagerTensor
    _room: int
    _recording: Any

    def write(self, index: Any, value: Any, name: str | None = None) -> "LoopArray":
        """Writes the element of this iteration."""
        self._require_own(index)
        tensor = self._fitting(value)
        whole = self._whole
        if whole is None:
            whole = zeros([self._room, *tensor._type.shape], self._dtype)
        if whole._type.shape[1:] != tensor._type.shape:
            raise NotStagedError("the elements of a tf.TensorArray have different shapes")
        self._whole = put_element(whole, tensor, self._index)
        return self

    def read(self, index: Any, name: str | None = None) -> EagerTensor:
        """Reads the element of this iteration."""
        self._require_own(index)
        if self._whole is None:
            raise NotStagedError(WHY_GROWS)
        return row_at(self._whole, self._index)

    def stacked_with_room(self) -> EagerTensor:
        """Returns all elements, stacked; those of later iterations are zeros.

        Raises:
            NotStagedError: if nothing has been written.
        """
        if self._whole is None:
            raise NotStagedError(WHY_GROWS)
        return self._whole

    def _require_own(self, index: Any) -> None:
        if THREAD.recording is not self._recording or not is_same(index, self._index):
            raise NotStagedError(WHY_GROWS)

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuses what depends on how long the array is."""
        raise NotStagedError(WHY_GROWS)

    size = stack = gather = concat = unstack = scatter = split = close = _refuse
    _stacked = _refuse


class GrowingArray(LoopArray):
    """An array that gets one element in each iteration."""

    _is_written = False

    def write(self, index: Any, value: Any, name: str | None = None) -> "GrowingArray":
        """Writes the element of this iteration."""
        if self._is_written:
            raise NotStagedError(WHY_GROWS)
        self._is_written = True
        super().write(index, value)
        return self

    def stacked_with_room(self) -> EagerTensor:
        """Returns all elements, stacked; those of later iterations are zeros.

        Raises:
            NotStagedError: if this iteration has written none.
        """
        if not self._is_written:
            raise NotStagedError(WHY_GROWS)
        return super().stacked_with_room()

    read = LoopArray._refuse


def loop_array(
    array: TensorArray, whole: EagerTensor | None, index: EagerTensor, room: int
) -> LoopArray:
    """Returns what stands for an array in an iteration.

    Args:
        array: the array before the loop; one that grows is empty.
        whole: the elements of all iterations; None where their shape is not known yet.
        index: the number of the iteration.
        room: how many elements there is room for.
    """
    made: Any = array._copy(whole)
    made.__class__ = GrowingArray if array.dynamic_size else LoopArray
    made._index, made._room, made._recording = index, room, THREAD.recording
    return made
