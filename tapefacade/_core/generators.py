"""Seeds, and the keys that random ops draw with: host data, never part of a program."""

import contextlib
import copy
import hashlib
import os
import random
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapefacade._core.tensor import EagerTensor, from_host

# What TensorFlow uses in the place of a global seed if only the op has one.
DEFAULT_SEED = 87654321
LARGEST_SEED = 2**31 - 1
WORD = 2**64 - 1
NO_STATE = np.zeros(6, np.uint32)
BLOCKS = 256  # of Philox, which a kernel of TensorFlow's passes over for each number it has drawn
# Three words of 64 bits, low bits first: how far a kernel has come, the seed of the op (together
# they are the counter of Philox), the global seed (its key).
_STATE = struct.Struct("<QQQ")


class _Seeds:
    """The global seed, and what has been drawn since it was set."""

    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        self.key = DEFAULT_SEED if seed is None else seed % LARGEST_SEED
        self.fresh = random.Random(seed)  # makes seeds for ops without one, as TensorFlow
        # Blocks of Philox that were used, by the kernel, its dtype and the seed of the op.
        self.passed: dict[tuple[str, Any, int], int] = {}
        self.kept: dict[Any, Any] = {}


class _Thread(threading.local):
    """The lists that record the draws of this thread, the innermost last."""

    def __init__(self) -> None:
        self.lists: list[list[Draw]] = []
        self.is_rehearsing = False
        self.functions: list[list[int]] = []  # how many seeds each function that runs has given


class Draw:
    """A key that was drawn, and how to draw the next one in its place.

    Attributes:
        key: the key.
        is_spare: whether it was drawn for a run that did not take place, and is still to be used.
    """

    def __init__(self, source: "_Source | _Rows") -> None:
        self.source = source
        self.key = from_host(source.blank() if _THREAD.is_rehearsing else source.next())
        self.is_spare = False

    def again(self) -> EagerTensor:
        """Draws the next key."""
        if self.is_spare:
            self.is_spare = False
            return self.key
        return from_host(self.source.next())

    def follow(self, other: "Draw") -> None:
        """Goes on where another draw is: the function of both was recorded for several shapes."""
        self.source.follow(other.source)
        self.is_spare = False

    def elsewhere(self) -> "Draw":
        """Draws for another function, in which the op counts for itself."""
        return Draw(self.source.copy())


class _Count:
    """How many blocks a random op in a function has used since the global seed was set."""

    def __init__(self) -> None:
        self._seeds = _seeds
        self._passed = 0

    def next(self, blocks: int) -> int:
        """Uses blocks; returns how many were used before."""
        if self._seeds is not _seeds:
            self._seeds, self._passed = _seeds, 0
        passed = self._passed
        self._passed += blocks
        return passed


class _Source:
    """Where the keys of one random op come from, at one place of a program."""

    def __init__(
        self, kernel: str, dtype: Any, seed: int | None, blocks: int,
        make: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]] | None,
    ) -> None:  # fmt: skip
        self._arguments = (kernel, dtype, seed, blocks, make)
        self._blocks = blocks
        self._make = make
        self._count = _Count()
        self._fixed: tuple[int, int] | None = None  # the seeds of an op in a function
        if _THREAD.functions and (seed is not None or _seeds.seed is not None):
            number = seed
            if number is None:
                number = _THREAD.functions[-1][0]
                _THREAD.functions[-1][0] += 1
            self._fixed = (number % LARGEST_SEED, _seeds.key)

    def copy(self) -> "_Source":
        """Returns a source that begins anew."""
        made = copy.copy(self)
        made._count = _Count()
        return made

    def follow(self, other: Any) -> None:
        """Goes on where another source is, and with it from then on."""
        if isinstance(other, _Source):
            self._count = other._count

    def next(self) -> np.ndarray[Any, Any]:
        """Draws a key."""
        kernel, dtype, seed, blocks, make = self._arguments
        if self._fixed is None:
            state = _state(kernel, dtype, seed, blocks)
        else:
            state = _packed(self._count.next(blocks), *self._fixed)
        return state if make is None else make(state)

    def blank(self) -> np.ndarray[Any, Any]:
        """Returns what stands for a key that is never used."""
        return NO_STATE if self._make is None else self._make(NO_STATE)


class _Rows:
    """Where the keys for all iterations of a loop come from, in the order of a Python loop."""

    def __init__(self, sources: "list[_Source | _Rows]", count: int) -> None:
        self._sources = sources
        self._count = count

    def copy(self) -> "_Rows":
        """Returns a source that begins anew."""
        return _Rows([source.copy() for source in self._sources], self._count)

    def follow(self, other: Any) -> None:
        """Goes on where another source is, and with it from then on."""
        if isinstance(other, _Rows) and len(self._sources) == len(other._sources):
            for source, before in zip(self._sources, other._sources, strict=True):
                source.follow(before)

    def next(self) -> np.ndarray[Any, Any]:
        """Draws the keys: in every row the bytes of those of one iteration, `[count, words]`."""
        rows = [[_words(source.next()) for source in self._sources] for _ in range(self._count)]
        return np.stack([np.concatenate(row) for row in rows]) if rows else self.blank()

    def blank(self) -> np.ndarray[Any, Any]:
        """Returns what stands for keys that are never used."""
        words = sum(_words(source.blank()).size for source in self._sources)
        return np.zeros((self._count, words), np.uint32)


def _words(key: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    data = np.ascontiguousarray(key).tobytes()
    return np.frombuffer(data + bytes(-len(data) % 4), np.uint32)


def words_of(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """Returns the number of 32-bit words that a key takes among those of one iteration."""
    return -(-int(np.prod(shape, dtype=np.int64)) * dtype.itemsize // 4)


_THREAD = _Thread()
_LOCK = threading.Lock()
_seeds = _Seeds(None)


def set_seed(seed: Any) -> None:
    """Sets the global seed, from which all random ops without a seed of their own draw.

    After it the same calls give the same numbers again. An op with a seed of its own depends on
    both, and on how often that kind of op was called with that seed since.

    `tf.random.uniform`, `normal`, `truncated_normal`, `categorical` and `shuffle`, the candidate
    samplers, `tf.nn.dropout`, and what is made of these draw the numbers that TensorFlow draws when
    it runs eagerly, or in a `tf.function` that is one program. Unlike TensorFlow, gamma, Poisson and
    binomial numbers come from JAX's Threefry generator.

    Args:
        seed: an integer, or None for numbers that cannot be repeated.

    Raises:
        TypeError: if `seed` is no number.

    >>> tf.random.set_seed(1)
    >>> tf.random.uniform([2], maxval=100, dtype=tf.int32).numpy()
    array([62, 49], dtype=int32)
    """
    global _seeds
    _seeds = _Seeds(None if seed is None else _integer(seed))


def next_state(kernel: str, dtype: Any, seed: Any, shape: Any) -> EagerTensor:
    """Draws the state with which a kernel of TensorFlow's makes its next numbers.

    Args:
        kernel: the name of the kernel.
        dtype: its dtype; both together count what was drawn with a seed of an op.
        seed: the op's own seed, or None.
        shape: the shape of the numbers that will be drawn.

    Returns:
        A tensor of shape `[6]` and type uint32, different at each call, for `_ops/philox.py`.
    """
    if seed is None and not _THREAD.functions:
        return next_made(kernel, dtype, None, 0)
    try:
        size = int(np.prod(np.asarray(shape, np.int64)))
    except (TypeError, ValueError):  # the op will say what is wrong with it
        size = 0
    return next_made(kernel, dtype, seed, BLOCKS * size)


def next_made(
    kernel: str,
    dtype: Any,
    seed: Any,
    blocks: int,
    make: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]] | None = None,
) -> EagerTensor:
    """Draws a state, and what is made of it on the host.

    Args:
        kernel: the name of the kernel.
        dtype: its dtype; both together count what was drawn with a seed of an op.
        seed: the op's own seed, or None.
        blocks: how far the kernel comes with this draw.
        make: a function of the state, six uint32 words; None gives the state itself.

    Returns:
        A tensor, different at each call.
    """
    number = None if seed is None else _integer(seed)
    if not _THREAD.lists:
        state = _state(kernel, dtype, number, blocks)
        return from_host(state if make is None else make(state))
    return _drawn(Draw(_Source(kernel, dtype, number, blocks, make)))


def drawn_again(draw: Draw) -> EagerTensor:
    """Draws once more what was drawn in a function."""
    return _drawn(draw.elsewhere()) if _THREAD.lists else draw.again()


def drawn_for_rows(draws: Sequence[Draw], count: int) -> EagerTensor:
    """Draws keys for all iterations of a loop.

    Args:
        draws: the draws of one iteration.
        count: the number of iterations.

    Returns:
        A uint32 tensor, `[count, words]`: in every row the bytes of the keys, see `words_of`.
    """
    return _drawn(Draw(_Rows([draw.source for draw in draws], count)))


@contextlib.contextmanager
def rehearsing() -> Iterator[None]:
    """Makes a block in which keys stand for others, and nothing is drawn.

    What is recorded in it takes keys of its own wherever it runs.
    """
    before, _THREAD.is_rehearsing = _THREAD.is_rehearsing, True
    try:
        yield
    finally:
        _THREAD.is_rehearsing = before


def used(key: EagerTensor) -> EagerTensor:
    """Returns the key to use in the place of one that stands for others; any other tensor as is."""
    for draw in _THREAD.lists[0] if _THREAD.is_rehearsing and _THREAD.lists else ():
        if draw.key is key:
            return from_host(draw.source.next())
    return key


def _drawn(draw: Draw) -> EagerTensor:
    for draws in _THREAD.lists:
        draws.append(draw)
    return draw.key


def _state(kernel: str, dtype: Any, seed: int | None, blocks: int) -> np.ndarray[Any, Any]:
    seeds = _seeds
    passed = 0
    if seed is None:
        if seeds.seed is None:
            return np.frombuffer(os.urandom(_STATE.size), np.uint32)
        seed = seeds.fresh.randint(0, LARGEST_SEED) % LARGEST_SEED
    else:
        seed %= LARGEST_SEED
        with _LOCK:
            passed = seeds.passed.get((kernel, dtype, seed), 0)
            seeds.passed[kernel, dtype, seed] = passed + blocks
    return _packed(passed, seed, seeds.key)


def _packed(passed: int, seed: int, key: int) -> np.ndarray[Any, Any]:
    if not seed and not key:
        seed = LARGEST_SEED
    return np.frombuffer(_STATE.pack(passed & WORD, seed, key), np.uint32)


def next_key(kind: str, seed: Any = None) -> EagerTensor:
    """Draws a key for JAX's generator: a host tensor of two 32-bit words.

    Args:
        kind: the kind of the random op; each kind counts its own draws for a seed.
        seed: the op's own seed, or None.

    Returns:
        A tensor of shape `[2]` and type uint32, different at each call.
    """
    return next_made(kind, None, seed, 1, _hashed)


def kept() -> dict[Any, Any]:
    """Returns what samplers keep from call to call, until a global seed is set."""
    return _seeds.kept


def _hashed(state: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.frombuffer(hashlib.blake2b(state.tobytes(), digest_size=8).digest(), np.uint32)


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
        _THREAD.lists.pop()  # not by value: empty lists are equal


@contextlib.contextmanager
def function_draws() -> Iterator[list[Draw]]:
    """Records the keys that a function draws; with a global seed each op has one of its own.

    As in TensorFlow, this is its place among the random ops of the function, and it counts for
    itself what it has drawn.

    Yields:
        The list of the draws, as `recorded_draws`.
    """
    _THREAD.functions.append([0])
    try:
        with recorded_draws() as draws:
            yield draws
    finally:
        _THREAD.functions.pop()
