"""Warnings about functions whose Python runs again and again."""

import weakref
from collections.abc import Callable
from typing import Any

from tapefacade._core.logging import get_logger
from tapefacade._trace.program_listing import function_in_sentence

# As in TensorFlow: so many of the last calls have to be recordings, and so many warnings are given.
MANY_TRACINGS, LAST_CALLS, MAX_WARNINGS = 5, 10, 2
MESSAGE = (
    "%s out of the last %s calls to %s triggered tf.function retracing. Tracing is expensive and "
    "the excessive number of tracings could be due to (1) creating @tf.function repeatedly in a "
    "loop, (2) passing tensors with different shapes, (3) passing Python objects instead of "
    "tensors. For (1), please define your @tf.function outside of the loop. For (2), @tf.function "
    "has reduce_retracing=True option that can avoid unnecessary retracing. For (3), please refer "
    "to https://www.tensorflow.org/guide/function#controlling_retracing and "
    "https://www.tensorflow.org/api_docs/python/tf/function for  more details."
)


class RetracingDetector:
    """Counts the calls of a function's code, and those that recorded it."""

    def __init__(self) -> None:
        self._calls_per_tracing: list[int] = []
        self._calls = 0
        self._warnings = 0
        self.counts: weakref.WeakSet[CallCount] = weakref.WeakSet()

    def traced(self, function: Callable[..., Any]) -> bool:
        """Takes note of a call that recorded; warns if there have been many, and says whether."""
        tracings = self._calls_per_tracing
        self._calls += 1
        tracings.append(1)
        while tracings and self._calls - tracings[0] > LAST_CALLS:
            self._calls -= tracings.pop(0)
        if len(tracings) >= MANY_TRACINGS and self._warnings < MAX_WARNINGS:
            self._warnings += 1
            shown = function_in_sentence(function)
            get_logger().warning(MESSAGE, len(tracings), self._calls, shown)
            return True
        return False

    def called(self, count: int) -> None:
        """Takes note of calls that did not record."""
        if not count:
            return
        if not self._calls_per_tracing:
            self._calls_per_tracing = [0]
        self._calls_per_tracing[-1] += count
        self._calls += count

    def collect(self) -> None:
        """Takes note of the calls that the functions have counted."""
        for count in list(self.counts):
            self.called(count.number)
            count.number = 0


class CallCount:
    """Counts the calls of one function that did not record since the last one that did.

    They count for all functions of its code, also if this one is gone.

    Args:
        detector: what is told of them.
    """

    __slots__ = ("__weakref__", "_detector", "number")

    def __init__(self, detector: RetracingDetector) -> None:
        self.number = 0
        self._detector = detector
        detector.counts.add(self)

    def __del__(self) -> None:
        self._detector.called(self.number)


_DETECTORS: dict[Any, RetracingDetector] = {}


def detector_of(function: Callable[..., Any]) -> RetracingDetector:
    """Returns the detector of a function's code, which all functions made of it share."""
    code = getattr(function, "__code__", None)
    return RetracingDetector() if code is None else _DETECTORS.setdefault(code, RetracingDetector())
