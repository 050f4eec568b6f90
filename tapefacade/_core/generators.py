"""Seeds, and the keys that random ops draw with: host data, never part of a program."""

import contextlib
import hashlib
import itertools
import os
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np

from tapefacade._core import errors
from tapefacade._core.dtypes import as_dtype
from tapefacade._core.tensor import EagerTensor, from_host

# What TensorFlow uses in the place of a global seed if only the op has one.
DEFAULT_SEED = 87654321
IMPLEMENTATION = "threefry2x32"
SEED_TYPES = ("int32", "int64")
WORD = 2**64 - 1


class _Seeds:
    """The global seed and how many keys each kind of op has drawn since it was set."""

    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        self.fresh = itertools.count()  # next() on it is atomic
        self.drawn: dict[tuple[str, int], Iterator[int]] = {}


class _Thread(threading.local):
    """The lists that record the draws of this thread, the innermost last."""

    def __init__(self) -> None:
        self.lists: list[list[Draw]] = []


class Draw(NamedTuple):
    """A key that was drawn, and how to draw the next one in its place."""

    key: EagerTensor
    again: Callable[[], np.ndarray[Any, Any]]


_THREAD = _Thread()
_seeds = _Seeds(None)


def set_seed(seed: Any) -> None:
    """Sets the global seed, from which all random ops without a seed of their own draw.

    After it the same calls give the same numbers again. An op with a seed of its own depends on
    both, and on how often that kind of op was called with that seed since.

    Unlike TensorFlow, the numbers are those of JAX's Threefry generator, the same on every device.

    Args:
        seed: an integer, or None for numbers that cannot be repeated.

    Raises:
        TypeError: if `seed` is no number.

    >>> tf.random.set_seed(1)
    >>> first = tf.random.normal([2])
    >>> tf.random.set_seed(1)
    >>> bool(tf.reduce_all(first == tf.random.normal([2])))
    True
    """
    global _seeds
    _seeds = _Seeds(None if seed is None else _integer(seed))


def next_key(kind: str, seed: Any = None) -> EagerTensor:
    """Draws a key: a host tensor of two 32-bit words.

    Args:
        kind: the kind of the random op; each kind counts its own draws for a seed.
        seed: the op's own seed, or None.

    Returns:
        A tensor of shape `[2]` and type uint32, different at each call.
    """
    number = None if seed is None else _integer(seed)
    key = from_host(_draw(kind, number))
    for draws in _THREAD.lists:
        draws.append(Draw(key, lambda: _draw(kind, number)))
    return key


def _draw(kind: str, seed: int | None) -> np.ndarray[Any, Any]:
    seeds = _seeds
    if seed is None:
        if seeds.seed is None:
            return np.frombuffer(os.urandom(8), np.uint32).copy()
        return _mixed(seeds.seed, 0, next(seeds.fresh), "")
    counter = seeds.drawn.get((kind, seed))
    if counter is None:
        counter = seeds.drawn.setdefault((kind, seed), itertools.count())
    start = DEFAULT_SEED if seeds.seed is None else seeds.seed
    return _mixed(start, seed, next(counter), kind)


def _mixed(first: int, second: int, count: int, kind: str) -> np.ndarray[Any, Any]:
    words = struct.pack("<QQQ", first & WORD, second & WORD, count)
    digest = hashlib.blake2b(words, digest_size=8, person=kind.encode()[:16]).digest()
    return np.frombuffer(digest, np.uint32).copy()


def _integer(seed: Any) -> int:
    if isinstance(seed, str | bytes):
        raise TypeError(f"A seed must be an integer, not {seed!r}.")
    return int(seed)


@contextlib.contextmanager
def recorded_draws() -> Iterator[list[Draw]]:
    """Records the keys that this thread draws, so that a function can draw others when it is
    called again.

    Yields:
        The list of the draws, in order, which grows while the context is open.
    """  # noqa: D205 - one sentence
    draws: list[Draw] = []
    _THREAD.lists.append(draws)
    try:
        yield draws
    finally:
        _THREAD.lists.remove(draws)


def unwrap(key: jax.Array) -> jax.Array:
    """Makes JAX's key of the two words, inside an implementation."""
    return jax.random.wrap_key_data(key, impl=IMPLEMENTATION)


def checked_seed(seed: jax.Array) -> jax.Array:
    """Makes JAX's key of the two integers that stateless ops take as their seed.

    Raises:
        InvalidArgumentError: if `seed` is no pair of 32- or 64-bit integers.
    """
    kind = as_dtype(seed.dtype).kernel_name
    if kind not in SEED_TYPES:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Value for attr 'Tseed' of {kind} is not in the list of allowed values: int32, int64",
        )
    if seed.shape != (2,):
        given = ",".join(map(str, seed.shape))
        raise errors.InvalidArgumentError(None, None, f"seed must have shape [2], not [{given}]")
    words = jax.lax.bitcast_convert_type(seed.astype(np.int64), np.uint32)
    key = unwrap(words[:, 0])
    return jax.random.fold_in(jax.random.fold_in(key, words[0, 1]), words[1, 1])
