"""`tf.TensorArray`s that grow by an element in each iteration of a loop, as one stacked tensor."""

from typing import Any, NoReturn

from tapefacade._autograph.state import NotStagedError
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.array.creation import zeros
from tapefacade._ops.array.tensor_array import TensorArray, write_element
from tapefacade._trace.recording import THREAD

WHY_GROWS = "a tf.TensorArray may grow in another way than by an element in each iteration"


class GrowingArray(TensorArray):
    """An array in the body of a loop that writes element `i` in iteration `i`.

    There is room for all iterations. Whatever would show that is refused.
    """

    _index: EagerTensor
    _room: int
    _is_written: bool
    _recording: Any

    def write(self, index: Any, value: Any, name: str | None = None) -> "GrowingArray":
        """Writes the element of this iteration."""
        if self._is_written or THREAD.recording is not self._recording or not self._is_own(index):
            raise NotStagedError(WHY_GROWS)
        tensor = self._fitting(value)
        whole = self._whole
        if whole is None:
            whole = zeros([self._room, *tensor._type.shape], self._dtype)
        if whole._type.shape[1:] != tensor._type.shape:
            raise NotStagedError("the elements of a tf.TensorArray have different shapes")
        self._whole = write_element(whole, tensor, self._index)
        self._is_written = True
        return self

    def _is_own(self, index: Any) -> bool:
        own = self._index
        return index is own or (
            type(index) is EagerTensor
            and index._recording is own._recording
            and index._slot == own._slot
        )

    def grown(self) -> EagerTensor:
        """Returns all elements, stacked; those of later iterations are zeros.

        Raises:
            NotStagedError: if this iteration has written none.
        """
        if not self._is_written or self._whole is None:
            raise NotStagedError(WHY_GROWS)
        return self._whole

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuses what depends on how long the array is."""
        raise NotStagedError(WHY_GROWS)

    size = read = stack = gather = concat = unstack = scatter = split = close = _refuse
    _stacked = _refuse


def growing(array: TensorArray, whole: EagerTensor | None, index: EagerTensor, room: int) -> Any:
    """Returns what stands for an array that grows, in an iteration.

    Args:
        array: the array before the loop, which is empty.
        whole: the elements of all iterations; None where their shape is not known yet.
        index: the number of the iteration.
        room: how many iterations there are at most.
    """
    made = array._copy(whole)
    made.__class__ = GrowingArray
    assert isinstance(made, GrowingArray)
    made._index, made._room, made._is_written = index, room, False
    made._recording = THREAD.recording
    return made
