"""Timing side by side: the contestants take turns, so that they share the machine's noise."""

import dataclasses
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

ROUND_SECONDS = 0.1  # of one contestant in one round
WARM_UP_SECONDS = 0.15
MAX_STEPS = 20_000

Results = list[list[np.ndarray[Any, Any]]]


@dataclasses.dataclass
class Contestant:
    """One way to do a piece of work.

    Attributes:
        name: whose way it is.
        step: does the work once; returns what it computed, perhaps not finished yet.
        look: turns what `step` returned into NumPy arrays, waiting for them.
        every: whether each result is looked at, or only the last one of a round.
    """

    name: str
    step: Callable[[], Any]
    look: Callable[[Any], Any]
    every: bool = True

    def results(self, steps: int) -> Results:
        """Does the work some times; returns the arrays of each time."""
        return [self.look(self.step()) for _ in range(steps)]

    def run(self, count: int) -> float:
        """Does the work `count` times; returns the seconds."""
        step, look = self.step, self.look
        start = time.perf_counter()
        if self.every:
            for _ in range(count):
                look(step())
        else:
            for _ in range(count):
                result = step()
            look(result)
        return time.perf_counter() - start


def compare(name: str, results: Results, expected: Results, tolerance: float) -> None:
    """Compares what the first steps gave with what they have to give.

    Raises:
        AssertionError: if they differ.
    """
    for number, (found, wanted) in enumerate(zip(results, expected, strict=True)):
        assert len(found) == len(wanted), f"{name} gives {len(found)} results, not {len(wanted)}"
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(
                a, b, rtol=tolerance, atol=tolerance * (np.abs(b).max() + 1e-30),
                err_msg=f"{name} differs in step {number}",
            )  # fmt: skip


def side_by_side(contestants: Sequence[Contestant], rounds: int) -> dict[str, dict[str, float]]:
    """Times the contestants in turns.

    Args:
        contestants: who takes part; the first is what the others are compared with.
        rounds: how often each has its turn. Who begins changes from round to round.

    Returns:
        For each name the median, fastest and slowest time of one step in microseconds, and the
        median over the rounds of the first contestant's time divided by its own.
    """
    counts = {}
    for contestant in contestants:
        contestant.run(2)
        count, seconds = 1, 0.0
        while seconds < WARM_UP_SECONDS and count < MAX_STEPS:
            seconds = contestant.run(count)
            each = seconds / count
            count = min(MAX_STEPS, max(2 * count, int(WARM_UP_SECONDS / each)))
        counts[contestant.name] = max(2, min(MAX_STEPS, int(ROUND_SECONDS / each)))
    times: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    for number in range(rounds):
        shift = number % len(contestants)
        for contestant in [*contestants[shift:], *contestants[:shift]]:
            count = counts[contestant.name]
            times[contestant.name].append(contestant.run(count) / count * 1e6)
    first = times[contestants[0].name]
    return {
        name: {
            "median_us": round(statistics.median(values), 2),
            "fastest_us": round(min(values), 2),
            "slowest_us": round(max(values), 2),
            "ratio": round(statistics.median(a / b for a, b in zip(first, values, strict=True)), 4),
        }
        for name, values in times.items()
    }
