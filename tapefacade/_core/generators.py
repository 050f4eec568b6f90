"""Seeds, and the keys that random ops draw with: host data, never part of a program."""

import contextlib
import hashlib
import os
import random
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
LARGEST_SEED = 2**31 - 1
IMPLEMENTATION = "threefry2x32"
SEED_TYPES = ("int32", "int64")
WORD = 2**64 - 1
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


class Draw(NamedTuple):
    """A key that was drawn, and how to draw the next one in its place."""

    key: EagerTensor
    again: Callable[[], np.ndarray[Any, Any]]


_THREAD = _Thread()
_LOCK = threading.Lock()
_seeds = _Seeds(None)


def set_seed(seed: Any) -> None:
    """Sets the global seed, from which all random ops without a seed of their own draw.

    After it the same calls give the same numbers again. An op with a seed of its own depends on
    both, and on how often that kind of op was called with that seed since.

    `tf.random.uniform`, `normal`, `truncated_normal`, `categorical` and `shuffle`, the candidate
    samplers, `tf.nn.dropout`, and what is made of these draw the numbers that TensorFlow draws when
    it runs eagerly. Unlike TensorFlow, a `tf.function` draws what its body would eagerly, and gamma,
    Poisson and binomial numbers come from JAX's Threefry generator.

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
    if seed is None:
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

    def draw() -> np.ndarray[Any, Any]:
        state = _state(kernel, dtype, number, blocks)
        return state if make is None else make(state)

    made = from_host(draw())
    for draws in _THREAD.lists:
        draws.append(Draw(made, draw))
    return made


def drawn_again(draw: Draw) -> EagerTensor:
    """Draws once more what was drawn in a function."""
    made = from_host(draw.again())
    for draws in _THREAD.lists:
        draws.append(Draw(made, draw.again))
    return made


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
    if not seed and not seeds.key:
        seed = LARGEST_SEED
    return np.frombuffer(_STATE.pack(passed & WORD, seed, seeds.key), np.uint32)


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
        _THREAD.lists.remove(draws)


def unwrap(key: jax.Array) -> jax.Array:
    """Makes JAX's key of the two words, inside an implementation."""
    return jax.random.wrap_key_data(key, impl=IMPLEMENTATION)


def require_seed(seed: jax.Array) -> None:
    """Refuses what is no seed of a stateless op.

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


def checked_seed(seed: jax.Array) -> jax.Array:
    """Makes JAX's key of the two integers that stateless ops take as their seed.

    Raises:
        InvalidArgumentError: if `seed` is no pair of 32- or 64-bit integers.
    """
    require_seed(seed)
    words = jax.lax.bitcast_convert_type(seed.astype(np.int64), np.uint32)
    key = unwrap(words[:, 0])
    return jax.random.fold_in(jax.random.fold_in(key, words[0, 1]), words[1, 1])
