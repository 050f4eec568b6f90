"""Random numbers of datasets: the words of TensorFlow's generator, one after the other.

See `_ops/random/philox.py` for the generator; here it runs on the host, on NumPy arrays.
"""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapefacade._core.random_keys import next_made
from tapefacade._core.thread_state import ThreadState
from tapefacade._ops.random.philox import HALF_WORD_BITS, PHILOX_FACTORS

LOW_32_BITS = np.uint64(0xFFFFFFFF)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
WORD = 0xFFFFFFFF
ROUNDS = 10
WORDS_PER_BLOCK = 4


def words(seed: int, seed2: int, start: int, count: int) -> np.ndarray[Any, Any]:
    """Computes words of Philox.

    Args:
        seed: the key, 64 bits.
        seed2: the upper half of the counter.
        start: the place of the first word.
        count: how many words.

    Returns:
        A uint32 vector.
    """
    first, last = start // WORDS_PER_BLOCK, -(-(start + count) // WORDS_PER_BLOCK)
    a = np.arange(first, last, dtype=np.uint64)
    a, b = a & LOW_32_BITS, a >> HALF_WORD_BITS
    c = np.full(len(a), seed2 & WORD, np.uint64)
    d = np.full(len(a), seed2 >> 32 & WORD, np.uint64)
    key, key2 = seed & WORD, seed >> 32 & WORD
    for _ in range(ROUNDS):
        left, right = a * PHILOX_FACTORS[0], c * PHILOX_FACTORS[1]
        a = (right >> HALF_WORD_BITS) ^ b ^ np.uint64(key)
        c = (left >> HALF_WORD_BITS) ^ d ^ np.uint64(key2)
        b, d = right & LOW_32_BITS, left & LOW_32_BITS
        key, key2 = (key + KEY_STEPS[0]) & WORD, (key2 + KEY_STEPS[1]) & WORD
    drawn = np.stack([a, b, c, d], 1).reshape(-1).astype(np.uint32)
    skip = start - first * WORDS_PER_BLOCK
    return drawn[skip : skip + count]


class RandomWords:
    """A stream of the words of one seed."""

    def __init__(self, seed: int, seed2: int) -> None:
        self._seeds = (seed, seed2)
        self._at = 0

    def take(self, count: int) -> np.ndarray[Any, Any]:
        """Returns the next words, a uint32 vector."""
        found = words(*self._seeds, self._at, count)
        self._at += count
        return found

    def stream(self, at_once: int = 256) -> Iterator[int]:
        """Yields the next words as Python integers; some are drawn ahead."""
        while True:
            yield from self.take(at_once).tolist()


def seeds_of(seed: Any) -> tuple[int, int]:
    """Returns the two seeds of a dataset: of the global seed and of its own.

    Args:
        seed: the dataset's own seed, or None.
    """
    state = next_made("Dataset", None, seed, 0)._numpy_array().tolist()
    return state[4] | state[5] << 32, state[2] | state[3] << 32


class _ProbingState(ThreadState):
    """Whether this thread only looks what types elements have: nothing is drawn then."""

    on = False


PROBING_STATE = _ProbingState()


class SeedGenerator:
    """Gives the seeds for each iteration over a dataset.

    Args:
        seeds: those of the dataset.
        renew: whether each iteration has seeds of its own.
    """

    def __init__(self, seeds: tuple[int, int], renew: bool) -> None:
        self._seeds = seeds
        self._words = RandomWords(*seeds)
        self._renew = renew
        self._lock = threading.Lock()

    def next(self) -> tuple[int, int]:
        """Returns the seeds of the next iteration."""
        if not self._renew or PROBING_STATE.on:
            return self._seeds
        with self._lock:
            first, second = self._words.take(2).tolist()
        return first, second
