"""What the candidate samplers draw, computed on the host: the ids that TensorFlow's kernels draw.

A sampler that must not repeat itself draws until it has enough different ids. Each result ends with
how many ids were drawn in all, which the expected counts depend on.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._ops.choosing import words

Draws = Callable[[int, int], Any]  # of the first and the number of the ids to draw
Ids = np.ndarray[Any, Any]


def taken(draws: Draws, count: int, unique: bool) -> Ids:
    """Takes ids, and adds how many were drawn.

    Args:
        draws: makes ids, given where to start and how many.
        count: how many ids to take.
        unique: whether each id is taken once only.

    Returns:
        An int64 array of shape `[count + 1]`.
    """
    ids = draws(0, count)
    if not unique:
        return np.append(ids, count).astype(np.int64)
    while True:
        _, first = np.unique(ids, return_index=True)
        if len(first) >= count:
            places = np.sort(first)[:count]
            return np.append(ids[places], places[-1] + 1).astype(np.int64)
        ids = np.append(ids, draws(len(ids), len(ids)))


def _pairs(state: Ids, start: int, count: int) -> Ids:
    """Draws words of 64 bits."""
    return words(state, 2 * (start + count)).astype(np.uint32).view(np.uint64)[start:]


def _fractions(state: Ids, start: int, count: int) -> Ids:
    """Draws float64 numbers below 1, as `philox.uniform`."""
    parts = words(state, 2 * (start + count)).astype(np.uint64).reshape(-1, 2)[start:]
    bits = (parts[:, 0] & np.uint64(0xFFFFF)) << np.uint64(32) | parts[:, 1]
    return (bits | np.uint64(0x3FF0000000000000)).view(np.float64) - 1


def uniform(state: Ids, count: int, unique: bool, size: int) -> Ids:
    """Draws ids below `size` that are all as probable."""
    return taken(lambda at, n: _pairs(state, at, n) % np.uint64(size), count, unique)


def log_uniform(state: Ids, count: int, unique: bool, size: int) -> Ids:
    """Draws ids below `size`, the smaller the more probable."""

    def draws(start: int, number: int) -> Ids:
        powers = np.exp(_fractions(state, start, number) * np.log1p(size))
        return (powers.astype(np.int64) - 1) % size

    return taken(draws, count, unique)


def counted(state: Ids, count: int, unique: bool, weights: Ids) -> Ids:
    """Draws ids whose probabilities are proportional to integers."""
    limits = np.cumsum(weights)

    def draws(start: int, number: int) -> Ids:
        found = words(state, start + number)[start:] % limits[-1]
        return np.searchsorted(limits, found, side="right")

    return taken(draws, count, unique)


def weighted(state: Ids, count: int, unique: bool, table: tuple[Ids, Ids]) -> Ids:
    """Draws ids with any probabilities, with the table that `alias_table` makes."""
    limits, others = table

    def draws(start: int, number: int) -> Ids:
        parts = words(state, 2 * (start + number)).reshape(-1, 2)[start:]
        fractions = ((parts[:, 0] & 0x7FFFFF) | 0x3F800000).astype(np.uint32).view(np.float32) - 1
        places = parts[:, 1] % len(limits)
        return np.where(fractions < limits[places], places, others[places])

    return taken(draws, count, unique)


def alias_table(weights: Ids) -> tuple[Ids, Ids]:
    """Makes Walker's table: each place holds an id up to a limit, and another one beyond it.

    M. D. Vose, "A linear algorithm for generating random numbers with a given distribution", 1991.
    """
    shares = (weights * (len(weights) / weights.sum())).tolist()
    large = [place for place, share in enumerate(shares) if share > 1]
    small = [place for place, share in enumerate(shares) if share <= 1]
    limits, others = np.ones(len(shares)), np.arange(len(shares))
    while small and large:
        place, other = small.pop(), large[-1]
        limits[place], others[place] = shares[place], other
        shares[other] -= 1 - shares[place]
        if shares[other] < 1:
            small.append(large.pop())
    return limits, others
