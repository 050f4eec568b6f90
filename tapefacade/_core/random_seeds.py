"""The global seed, and the states that random ops draw with: host data, never part of a program."""

import os
import random
import struct
import threading
from typing import Any

import numpy as np

# What TensorFlow uses in the place of a global seed if only the op has one.
DEFAULT_SEED = 87654321
LARGEST_SEED = 2**31 - 1
MAX_WORD = 2**64 - 1
# Three words of 64 bits, low bits first: how far a kernel has come, the seed of the op (together
# they are the counter of Philox), the global seed (its key).
_STATE = struct.Struct("<QQQ")
_LOCK = threading.RLock()


class Seeds:
    """The global seed, and what has been drawn since it was set."""

    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        self.key = DEFAULT_SEED if seed is None else seed % LARGEST_SEED
        self.fresh = random.Random(seed)  # makes seeds for ops without one, as TensorFlow
        # Blocks of Philox that were used, by the kernel, its dtype and the seed of the op.
        self.passed: dict[tuple[str, Any, int], int] = {}
        self.kept: dict[Any, Any] = {}


class _GlobalSeeds:
    """Holds what is global: another object after each `set_seed`."""

    seeds = Seeds(None)


GLOBAL = _GlobalSeeds()


class _Entropy:
    """Where numbers come from that nobody has seeded.

    Attributes:
        agreed: what draws them alike in all processes of a program; None in a single one.
    """

    agreed: random.Random | None = None


def entropy(count: int) -> bytes:
    """Returns bytes that nobody has seeded, the same in all processes of a program."""
    return os.urandom(count) if _Entropy.agreed is None else _Entropy.agreed.randbytes(count)


def agree(seed: int) -> None:
    """Lets this process draw what others draw, that have been told the same number."""
    _Entropy.agreed = random.Random(seed)
    if GLOBAL.seeds.seed is None:
        GLOBAL.seeds.fresh = random.Random(seed)


def set_seed(seed: Any) -> None:
    """Sets the global seed, from which all random ops without a seed of their own draw.

    After it the same calls give the same numbers again. An op with a seed of its own depends on
    both, and on how often that kind of op was called with that seed since.

    `tf.random.uniform`, `normal`, `truncated_normal`, `gamma`, `poisson`, `categorical` and
    `shuffle`, the candidate samplers, `tf.nn.dropout`, and what is made of these draw the numbers
    that TensorFlow draws, in a `tf.function` as well.

    Args:
        seed: an integer, or None for numbers that cannot be repeated.

    Raises:
        TypeError: if `seed` is no number; in TensorFlow the first draw fails.

    >>> tf.random.set_seed(1)
    >>> tf.random.uniform([2], maxval=100, dtype=tf.int32).numpy()
    array([62, 49], dtype=int32)
    """
    GLOBAL.seeds = Seeds(None if seed is None else as_integer(seed))


def sampler_memory() -> dict[Any, Any]:
    """Returns what samplers keep from call to call, until a global seed is set."""
    return GLOBAL.seeds.kept


def next_state(kernel: str, dtype: Any, seed: int | None, blocks: int) -> np.ndarray[Any, Any]:
    """Returns the six words with which a kernel draws outside of functions."""
    seeds = GLOBAL.seeds
    passed = 0
    if seed is None:
        if seeds.seed is None:
            return np.frombuffer(entropy(_STATE.size), np.uint32)
        seed = seeds.fresh.randint(0, LARGEST_SEED) % LARGEST_SEED
    else:
        seed %= LARGEST_SEED
        with _LOCK:
            passed = seeds.passed.get((kernel, dtype, seed), 0)
            seeds.passed[kernel, dtype, seed] = passed + blocks
    return packed_state(passed, seed, seeds.key)


def packed_state(passed: int, seed: int, key: int) -> np.ndarray[Any, Any]:
    """Returns the six words of a state: how far it has come, the seed of the op, the global one."""
    if not seed and not key:
        seed = LARGEST_SEED
    return np.frombuffer(_STATE.pack(passed & MAX_WORD, seed, key), np.uint32)


def as_integer(seed: Any) -> int:
    """Returns a seed as an integer; texts and lists are refused."""
    if isinstance(seed, str | bytes | list | tuple):
        raise TypeError(f"A seed must be an integer, not {seed!r}.")
    return int(seed)
