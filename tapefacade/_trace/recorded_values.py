"""The values that a recording refers to: leaves, numbers, what has been computed."""

import weakref
from collections.abc import Iterable
from typing import Any

from tapefacade._core.tensor import EagerTensor

_NO_LINES: dict[int, str] = {}
_NOTHING_REFUSED: dict[int, frozenset[int]] = {}


class RecordedValues:
    """The values that a recording's slots refer to; kept alive by the tapes that need them."""

    __slots__ = (
        "captured", "custom", "end", "failed", "foreseen", "is_rehearsal", "leaves", "lines",
        "looked", "recomputed", "refused", "runs", "scalars", "slots", "taped",
    )  # fmt: skip

    def __init__(self) -> None:
        self.leaves: dict[int, EagerTensor] = {}  # leaves, and what has been computed
        # What has been computed again after the recording, as long as it is in use.
        self.recomputed: dict[int, weakref.ref[EagerTensor]] = {}
        self.scalars: dict[int, Any] = {}
        self.slots: dict[int, int] = {}  # id of a tensor from outside -> its leaf
        # Tensors from outside, and what stands for them, by the ids of both; `Recording.captured`.
        self.captured: dict[int, tuple[EagerTensor, EagerTensor]] = {}
        self.failed: dict[int, Exception] = {}  # errors of checks, by the slot of the op
        self.lines = _NO_LINES  # of the ops that may fail, by their slots; a dict of its own if any
        self.custom: dict[int, Any] = {}  # gradients made by hand, by the slot they begin at
        # Instructions whose gradient is made by hand, and the inputs for which that was None last.
        self.refused = _NOTHING_REFUSED
        self.taped = False  # whether a tape has been opened
        self.runs = 0  # how often some of it has been computed
        self.is_rehearsal = False  # whether a function has run that is recorded by its next call
        self.end: Any = None  # where the recording was closed, if it can be opened again
        # The program that has given values last, and the end of the recording then; see
        # `speculative_gradients`.
        self.looked: tuple[Any, int] | None = None
        self.foreseen: Any = None

    def note_line(self, slot: int, line: str) -> None:
        """Takes note of the line that has called an op which may fail."""
        if self.lines is _NO_LINES:
            self.lines = {}
        self.lines[slot] = line

    def note_refused(self, slot: int, inputs: Iterable[int]) -> None:
        """Takes note of the inputs for which a gradient made by hand was None."""
        if self.refused is _NOTHING_REFUSED:
            self.refused = {}
        self.refused[slot] = frozenset(inputs)

    def raise_failed(self, slots: Iterable[int]) -> None:
        """Raises the error of the first op among `slots` whose check has failed."""
        if self.failed:
            for slot in slots:
                if slot in self.failed:
                    raise self.failed[slot].with_traceback(None)

    def __contains__(self, slot: object) -> bool:
        """Whether the value in `slot` needs no computation."""
        return slot in self.leaves or slot in self.scalars
