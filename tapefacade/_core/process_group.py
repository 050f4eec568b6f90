"""The processes that run one program together: how many there are, and which one this is."""

import contextlib
import math
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.experimental import multihost_utils


class ProcessGroup:
    """What a process knows of those that run the same program.

    Attributes:
        count: how many there are; 1 unless a strategy has joined them.
        index: the number of this one; that of the chief is 0.
        ended: the names of those whose programs have ended, and how many such programs (as in
            `meetings`) each has started.
        meetings: how many programs this one has started in which all have to take part.
        has_failed: whether one of them has raised, as it does where another process is lost.
        notes: what this one has done together with the others, in order, until somebody compares
            it with theirs; None if nobody does.
        together: what the last of these programs does together with the others.
        seconds_to_wait: how long one of them may wait for the others.
    """

    def __init__(self) -> None:
        self.count = 1
        self.index = 0
        self.ended: dict[str, int] = {}
        self.meetings = 0
        self.has_failed = False
        self.notes: deque[str] | None = None
        self.together = ""
        self.seconds_to_wait = math.inf
        self._is_meeting = False
        self._last: Callable[[], Any] = lambda: None  # what the last of these programs gives
        self._kept: Any = None  # the same, if that takes little memory

    @property
    def is_chief(self) -> bool:
        """Whether this process writes what all of them would write."""
        return self.index == 0

    def require_all(self) -> None:
        """Raises if a process does not take part in what all do together next: its program is over.

        One that has taken part and needed nothing of the others may have ended since.

        Raises:
            RuntimeError: if so.
        """
        missing = [name for name, meetings in self.ended.items() if meetings <= self.meetings]
        if missing:
            raise RuntimeError(MESSAGE_ENDED.format(" and ".join(missing)))

    def note(self, together: str) -> None:
        """Takes note of what all processes do, in the same order."""
        if together and self.notes is not None:
            self.notes.append(together)

    def meet(self, together: str, call: Callable[..., Any], *arguments: Any) -> Any:
        """Calls what all processes have to take part in.

        Args:
            together: what it does with the others, which is the same in all of them; "" if that is
                not known.
            call: does it.
            *arguments: its arguments.

        Raises:
            RuntimeError: if the program of one of them has ended.
        """
        self.require_all()
        self.note(together)
        self.together = together
        self.meetings += 1
        self._is_meeting = True
        try:
            result = call(*arguments)
        except Exception:  # noted, whatever it is, and raised
            self.has_failed = True
            raise
        finally:
            self._is_meeting = False
        arrays = [leaf for leaf in jax.tree.leaves(result) if isinstance(leaf, jax.Array)]
        if arrays:
            smallest = min(arrays, key=lambda array: array.nbytes)
            self._last = weakref.ref(smallest)
            self._kept = smallest if smallest.nbytes <= MAX_BYTES_KEPT else None
        return result

    @property
    def is_waiting(self) -> bool:
        """Whether a program in which all have to take part has been started and is not done."""
        last = self._last()
        with contextlib.suppress(RuntimeError):  # it is deleted now
            return self._is_meeting or not (last is None or last.is_deleted() or last.is_ready())
        return False


PROCESSES = ProcessGroup()
MAX_BYTES_KEPT = 4096
EXCHANGE = "an exchange of plain values or of sizes"
MESSAGE_ENDED = (
    "The program of {} has ended, while that of this process goes on and needs all of them. "
    "`strategy.run`, `reduce`, `gather`, `fit` and loops over the strategy's datasets are for all "
    "processes, equally often; only files may be written by one of them."
)


def barrier(name: str) -> None:
    """Waits until all processes have come here.

    Args:
        name: tells this place from others.

    Raises:
        AssertionError: if one of them has come to another place.
    """
    if PROCESSES.count > 1:
        PROCESSES.meet(f"the barrier {name!r}", multihost_utils.sync_global_devices, name)


def exchanged(data: bytes) -> list[bytes]:
    """Returns what each process gives.

    Raises:
        RuntimeError: if the program of one of them has ended.
    """
    gather, size = multihost_utils.process_allgather, np.asarray([len(data)], np.int32)
    sizes = PROCESSES.meet(EXCHANGE, gather, size)
    sizes = [int(size) for size in np.asarray(sizes).reshape(-1)]
    words = _words_of_bytes(data, _rounded_words(max(sizes)))
    rows = np.asarray(PROCESSES.meet("", gather, words), np.uint32)
    rows = rows.reshape(len(sizes), -1)
    return [row.tobytes()[:size] for row, size in zip(rows, sizes, strict=True)]


def told_by_chief(data: bytes) -> bytes:
    """Returns what the chief gives, in all processes.

    Raises:
        RuntimeError: if the program of one of them has ended.
    """
    size = int.from_bytes(bytes_of_chief(len(data).to_bytes(4, "little")), "little")
    return bytes_of_chief(data[:size].ljust(size, b"\0"))


def bytes_of_chief(data: bytes) -> bytes:
    """Returns what the chief gives; each process gives as much.

    Sizes are rounded up, so that few programs are compiled for many messages.

    Raises:
        RuntimeError: if the program of one of them has ended.
    """
    words = _words_of_bytes(data, _rounded_words(len(data)))
    what = f"{len(data)} bytes of the chief"
    found = np.asarray(PROCESSES.meet(what, multihost_utils.broadcast_one_to_all, words), np.uint32)
    return found.tobytes()[: len(data)]


def _rounded_words(count: int) -> int:
    """Returns the size of a message in words of 4 bytes: a power of two, or a whole megabyte."""
    words = -(-count // 4)
    if words > 2**20:
        return -(-words // 2**18) * 2**18
    return max(4, 1 << (words - 1).bit_length()) if words else 4


def _words_of_bytes(data: bytes, count: int) -> np.ndarray:
    """Returns bytes as so many words of 4 bytes, zeros at their end."""
    found = np.zeros(count * 4, np.uint8)
    found[: len(data)] = np.frombuffer(data, np.uint8)
    return found.view(np.uint32)
