"""Compares what the processes of a program have done together, and in which order."""

import threading
from collections import deque
from collections.abc import Sequence

MESSAGE_UNLIKE = (
    "tapefacade: the processes do different things where all have to do the same: as number {:,} "
    "of what they do together, worker 0, the chief, does {}, and worker {} does {}.{} What all do "
    "together they must do in the same order, with the same shapes (strategy.run, reduce, gather, "
    "fit, loops over the strategy's datasets)."
)


class WorkerOrder:
    """What each process has done with the others, as far as not all have told of it.

    Args:
        count: how many processes there are.
    """

    def __init__(self, count: int) -> None:
        self._told: list[deque[str]] = [deque() for _ in range(count)]
        self._compared = 0
        self._lock = threading.Lock()

    def take(self, index: int, texts: Sequence[str]) -> tuple[int, str, int, str] | None:
        """Takes what a process tells.

        Args:
            index: the number of the process.
            texts: what it has done since it told last.

        Returns:
            The first difference: its number in the order, what the chief has done, which process
            has done something else, and what; None if there is none.
        """
        with self._lock:
            self._told[index].extend(texts)
            while all(self._told):
                self._compared += 1
                first, *others = [told.popleft() for told in self._told]
                for other, text in enumerate(others, 1):
                    if text != first:
                        return self._compared, first, other, text
        return None
