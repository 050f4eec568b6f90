"""Python's garbage collector: pauses, and when it looks through everything for the first time."""

import atexit
import contextlib
import gc
import math
import sys
import time
from collections.abc import Iterator
from typing import Any

# With Keras imported there are 400,000 objects. To look through them takes the collector 0.2 to
# 0.4 s, while all threads wait. In a program's first minute it does so only if asked to.
SECONDS_OF_START = 60.0
# From this version on it looks through a part at a time.
FIRST_INCREMENTAL = (3, 14)
# From Python 3.12 on those that never die count as frozen: some 400. Who freezes has thousands.
MOST_IMMORTAL = 2_000
OLDEST = 2  # the generation that is looked through when everything is

# When the pauses began that are going on, of all threads.
_PAUSES: dict[int, float] = {}
# One that Ctrl-C has left here, and a traceback that somebody keeps, keeps nobody from collecting
# for ever.
LONGEST_PAUSE = 60.0  # seconds


class _Pause:
    def __init__(self) -> None:
        if _PAUSES or gc.isenabled():  # else the user sees to it himself
            _PAUSES[id(self)] = time.monotonic()
            gc.disable()

    def end(self) -> None:
        if _PAUSES.pop(id(self), None) is not None:
            oldest = time.monotonic() - LONGEST_PAUSE
            if all(began < oldest for began in list(_PAUSES.values())):
                gc.enable()

    __del__ = end  # Ctrl-C may come just before


@contextlib.contextmanager
def no_collection(counts_as_old: bool = False) -> Iterator[None]:
    """Keeps the collector from looking for cycles while many objects are made that stay.

    Measured on a program of 30,000 steps: half of the time to prepare it. There is one collector
    for all threads: it goes on when the last of several pauses ends.

    Args:
        counts_as_old: whether all that is there counts as old then.
    """
    pause = _Pause()
    try:
        yield
    finally:
        try:
            if counts_as_old and id(pause) in _PAUSES:
                OLD_OBJECTS.add_all()
        finally:
            pause.end()


class YoungObjects:
    """How many objects there may be that the collector has not looked at.

    A step that takes and gives 800 values makes 4,300 objects, which are gone when it ends. By
    Python's rule, 700, the collector would look for cycles five times a step, find none, and count
    what is there as old, of which it would soon look through all again. Measured on Adam's step
    over 200 variables: 11 ms instead of 15.
    """

    PER_VALUE = 8
    MOST = 50_000

    def __init__(self) -> None:
        self._at_start = self._now = gc.get_threshold()

    def make_room(self, values: int) -> None:
        """Lets the objects of a step go by themselves, unless the user has set the number.

        The collector looks through everything after as many objects as before: models that refer
        to themselves go as early.

        Args:
            values: how many a program of the step takes and gives.
        """
        wanted = min(self.PER_VALUE * values, self.MOST)
        if gc.get_threshold() == self._now and 0 < self._now[0] < wanted:
            first, *older = self._at_start
            rarer = math.sqrt(wanted / first)
            self._now = wanted, *[max(int(number / rarer), min(number, 1)) for number in older]
            gc.set_threshold(*self._now)


YOUNG_OBJECTS = YoungObjects()


class OldObjects:
    """What counts as old; the collector leaves it out while the program starts."""

    def __init__(self) -> None:
        self._end = -1.0  # of the start
        # Made after the others were frozen: the collector knows it, unless somebody froze since.
        self._newer: list[object] | None = None

    def add_all(self) -> None:
        """Has all that is there count as old."""
        newer, frozen = self._newer, gc.get_freeze_count()
        if frozen > MOST_IMMORTAL if newer is None else self._is_frozen(newer):
            return  # what the user has frozen stays so
        now = time.monotonic()
        if self._end < 0.0:
            self._end = now + SECONDS_OF_START
            gc.callbacks.append(self._before_collection)
        gc.freeze()
        self._newer = [object()]
        if now > self._end or sys.version_info >= FIRST_INCREMENTAL:
            self.release()

    def release(self) -> None:
        """Lets the collector look through everything."""
        newer, self._newer = self._newer, None
        if newer is not None and not self._is_frozen(newer):
            gc.unfreeze()

    def _is_frozen(self, newer: list[object]) -> bool:
        return not any(found is newer for found in gc.get_referrers(newer[0]))

    def _before_collection(self, phase: str, information: dict[str, Any]) -> None:
        if self._newer is not None and phase == "start" and information["generation"] == OLDEST:
            is_asked_for = gc.get_count()[OLDEST] <= gc.get_threshold()[OLDEST]
            if is_asked_for or time.monotonic() > self._end:
                self.release()


OLD_OBJECTS = OldObjects()
atexit.register(OLD_OBJECTS.release)  # cycles end with the process as in any other one
