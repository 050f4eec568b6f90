"""Writes a summary: at once in eager code, as an op of the program in a `tf.function`."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._function.function.recorded_program import slot_in
from tapefacade._ops.array.printing import QUIET
from tapefacade._summary.event_files import EventFile, SummaryMetadata
from tapefacade._summary.writers import FileWriter
from tapefacade._trace.named_axes import EFFECT_ORDER
from tapefacade._trace.operation import Operation
from tapefacade._trace.recording import THREAD

Array = np.ndarray[Any, Any]


@dataclasses.dataclass(frozen=True)
class SummaryWrite:
    """What is written, but for what is known only when the program runs.

    Attributes:
        writer: where to.
        tag: the name of the summary.
        metadata: what TensorBoard shows it with; None for a message as bytes.
        finish: makes what is written of the values, on the host.
        held: values that are no part of a program: texts.
        is_message: whether the value is a summary as a message.
    """

    writer: FileWriter
    tag: str
    metadata: SummaryMetadata | None
    finish: Callable[..., Array]
    held: "HeldTexts | None" = None
    is_message: bool = False

    def now(self, condition: Any, step: Any, *values: Any) -> None:
        """Writes the summary if the condition holds."""
        if not bool(condition):
            return
        given = values if self.held is None else (self.held.array,)
        array = self.finish(*given)
        number = int(step)

        def write(file: EventFile) -> None:
            if self.is_message:
                file.write_bytes(array.item(), number)
            else:
                file.write(self.tag, array, number, self.metadata)

        self.writer.put(write)


class HeldTexts:
    """An array of texts; equal if the texts are, so that nothing is compiled anew."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self._key = (array.shape, tuple(array.reshape(-1).tolist()))

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeldTexts) and self._key == other._key


class _WriteSummary(Operation):
    """Writes a summary, whenever the program that it is part of runs."""

    name = "write_summary"
    kernel = "WriteSummary"
    acts = True

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return (type_of((), np.dtype(np.bool_)),), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        (writing,) = static
        if not QUIET.on:
            jax.debug.callback(
                lambda *values: writing.now(*map(np.asarray, values)),
                *arrays,
                ordered=EFFECT_ORDER.is_kept,
            )
        return [jnp.ones((), bool)]


_WRITE = _WriteSummary()


def perform(
    writing: SummaryWrite, condition: EagerTensor, step: EagerTensor, values: Sequence[EagerTensor]
) -> EagerTensor:
    """Writes a summary now, or records that it is written when the function runs.

    Returns:
        Whether it is written.
    """
    recording = THREAD.recording
    tensors = [condition, step, *values]
    if recording.frame is None:
        writing.now(*[tensor._numpy_array() for tensor in tensors])
        return condition
    slots = tuple([slot_in(recording, tensor) for tensor in tensors])
    recording.apply(_WRITE, (writing,), slots, [tensor._type for tensor in tensors])
    return condition
