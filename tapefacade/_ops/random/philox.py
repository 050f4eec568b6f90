"""Philox4x32-10 and what TensorFlow's kernels make of its words: the same numbers as TensorFlow's.

The generator is published (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
1, 2, 3", 2011): ten rounds of multiplications turn a counter of 128 bits and a key of 64 bits into
four words. A *state* is here six words of 32 bits: the counter, its lowest word first, and the key.

Uniform numbers and integers are those of TensorFlow to the last bit. Normal numbers come from the
formula of Box and Muller, whose logarithm, sine and cosine differ between mathematical libraries:
98.5 of 100 float32 numbers are equal, the others are 3 units in the last place away at most.

Measured on a 2-core x86 machine, against JAX's Threefry generator, in a program of a million
float32 numbers: uniform 1.1 ms (Threefry 1.6 ms), normal 2.7 ms (2.3 ms), truncated normal 11 ms
(2.3 ms: JAX inverts the distribution and rejects nothing), integers 1.2 ms (3.4 ms); a hundred
numbers take 7 to 8 us with either, if truncated 27 us. The rounds are a loop of two times five: XLA
would compute straight code once more for each of the four words (9 ms for uniform numbers), since
it does not break up what is joined into one tensor.

Numbers that are drawn by rejection otherwise are in `rejection.py` and `truncated_normal.py`.
`stateless_shuffle` orders by a small block cipher.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes
from tapefacade._core.error_texts import inconvertible_argument, invalid, shape_text
from tapefacade._core.jax_keys import require_seed

PHILOX_FACTORS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
KEY_STEPS = (np.uint32(0x9E3779B9), np.uint32(0xBB67AE85))  # from the key of a round to the next
ROUND_LOOPS, ROUNDS_PER_LOOP = 2, 5
# The key with which TensorFlow turns two integers of the user's into a state.
SEEDING_KEY = (np.uint32(0x3EC8F720), np.uint32(0x02461E29))
RESERVED_BLOCKS = 256  # blocks that four numbers have, since some candidates are rejected
HALF_WORD_BITS = np.uint64(32)
SMALLEST_UNIFORM = 1e-7  # stands for 0 in the logarithm of Box and Muller's formula
TRUNCATION = 2.0  # TensorFlow's truncated normal distribution ends here

Words = tuple[jax.Array, jax.Array, jax.Array, jax.Array]
# Of each float type: its unsigned type, the bits of its fraction, the bits of 1.0.
FLOAT_PARTS: dict[str, tuple[Any, Any, Any]] = {
    "float16": (np.uint16, np.uint16(0x3FF), np.uint16(0x3C00)),
    "bfloat16": (np.uint16, np.uint16(0x7F), np.uint16(0x3F80)),
    "float32": (np.uint32, np.uint32(0x7FFFFF), np.uint32(0x3F800000)),
    "float64": (np.uint64, np.uint64(0xFFFFFFFFFFFFF), np.uint64(0x3FF0000000000000)),
}

# To trace the rounds takes several milliseconds: it is done once for each shape, not for each draw.
traced_once = functools.partial(jax.jit, static_argnames=("shape", "dtype"))


# The generator.


def blocks(state: jax.Array, steps: jax.Array) -> Words:
    """Computes the blocks of four words that lie some steps ahead of a state.

    Args:
        state: six uint32 words.
        steps: uint64 numbers of steps, of any shape.

    Returns:
        Four uint32 arrays of the shape of `steps`.
    """
    low = wide_words(state[0], state[1]) + steps
    high = wide_words(state[2], state[3]) + (low < steps).astype(np.uint64)
    return _enciphered((_low(low), _high(low), _low(high), _high(high)), (state[4], state[5]))


def _enciphered(counter: Words, key: tuple[Any, Any]) -> Words:
    def rounds(_: Any, state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        a, b, c, d, first, second = state
        for _ in range(ROUNDS_PER_LOOP):
            left, right = (
                a.astype(np.uint64) * PHILOX_FACTORS[0],
                c.astype(np.uint64) * PHILOX_FACTORS[1],
            )
            a, b, c, d = _high(right) ^ b ^ first, _low(right), _high(left) ^ d ^ second, _low(left)
            first, second = first + KEY_STEPS[0], second + KEY_STEPS[1]
        return a, b, c, d, first, second

    return lax.fori_loop(0, ROUND_LOOPS, rounds, (*counter, *map(jnp.asarray, key)))[:4]


def state_ahead(state: jax.Array, steps: jax.Array) -> jax.Array:
    """Returns the state some steps ahead, a uint64 scalar; steps back are large numbers of steps.

    As in TensorFlow, steps back that stay within the two lower words leave the upper ones alone.
    """
    low = wide_words(state[0], state[1]) + steps
    back = (_high(steps) == np.uint32(2**32 - 1)) & (_low(low) < _low(steps))
    high = wide_words(state[2], state[3]) + ((low < steps) & ~back).astype(np.uint64)
    return jnp.concatenate([jnp.stack([_low(low), _high(low), _low(high), _high(high)]), state[4:]])


def wide_words(low: jax.Array, high: jax.Array) -> jax.Array:
    return low.astype(np.uint64) | (high.astype(np.uint64) << HALF_WORD_BITS)


def _low(pair: jax.Array) -> jax.Array:
    return pair.astype(np.uint32)


def _high(pair: jax.Array) -> jax.Array:
    return (pair >> HALF_WORD_BITS).astype(np.uint32)


# States.


@jax.jit
def seeded_state(seed: jax.Array) -> jax.Array:
    """Makes a state of the two integers that stateless ops take as their seed.

    Raises:
        InvalidArgumentError: if `seed` is no pair of 32- or 64-bit integers.
    """
    require_seed(seed)
    words = lax.bitcast_convert_type(seed.astype(np.int64), np.uint32)
    a, b, c, d = _enciphered(tuple(words.reshape(4)), SEEDING_KEY)
    zero = jnp.zeros((), np.uint32)
    return jnp.stack([zero, zero, c, d, a, b])


# Bits and integers.


@traced_once
def bits(state: jax.Array, shape: tuple[int, ...], dtype: Any) -> jax.Array:
    """Draws integers of the whole range of a 32- or 64-bit type."""
    wide = np.dtype(dtype).itemsize == 8
    count = int(np.prod(shape, dtype=np.int64))
    words = blocks(state, _steps(count, 2 if wide else 4))
    if wide:
        a, b, c, d = words
        words = (wide_words(a, b), wide_words(c, d))
    return lax.bitcast_convert_type(_interleaved(words, shape), dtype)


def _steps(count: int, group: int) -> jax.Array:
    return lax.iota(np.uint64, -(-count // group))


def _interleaved(parts: Any, shape: tuple[int, ...]) -> jax.Array:
    """Joins what came of blocks; the last block may be used in part."""
    count = int(np.prod(shape, dtype=np.int64))
    return jnp.stack(list(parts), -1).reshape(-1)[:count].reshape(shape)


def integers(
    state: jax.Array, low: jax.Array, high: jax.Array, shape: tuple[int, ...]
) -> jax.Array:
    """Draws integers from `low` to below `high`, scalars of a 32- or 64-bit type."""
    unsigned = np.uint64 if low.dtype.itemsize == 8 else np.uint32
    start = lax.bitcast_convert_type(low, unsigned)
    span = lax.bitcast_convert_type(high, unsigned) - start
    drawn = lax.rem(bits(state, shape, unsigned), jnp.broadcast_to(span, shape))
    return lax.bitcast_convert_type(start + drawn, low.dtype)


# Floating numbers.


@traced_once
def uniform(state: jax.Array, shape: tuple[int, ...], dtype: Any) -> jax.Array:
    """Draws floating numbers from 0 to below 1."""
    if np.dtype(dtype).itemsize == 8:
        count = int(np.prod(shape, dtype=np.int64))
        a, b, c, d = blocks(state, _steps(count, 2))
        return fractions(_interleaved((wide_words(b, a), wide_words(d, c)), shape), dtype)
    return fractions(bits(state, shape, np.uint32), dtype)


def fractions(words: jax.Array, dtype: Any) -> jax.Array:
    """Makes numbers below 1 of random bits."""
    unsigned, fraction, one = FLOAT_PARTS[np.dtype(dtype).name]
    shifted = lax.bitcast_convert_type((words.astype(unsigned) & fraction) | one, dtype)
    return shifted - jnp.ones((), dtype)


@traced_once
def normal(state: jax.Array, shape: tuple[int, ...], dtype: Any) -> jax.Array:
    """Draws standard normal numbers."""
    count = int(np.prod(shape, dtype=np.int64))
    group = 2 if np.dtype(dtype).itemsize == 8 else 4
    candidates = normal_candidates(state, _steps(count, group), dtype)
    return candidates.reshape(-1)[:count].reshape(shape)


def normal_candidates(state: jax.Array, steps: jax.Array, dtype: Any) -> jax.Array:
    """Makes normal numbers of each block by Box and Muller's formula, two of each two uniform ones.

    Both numbers of a pair are computed alike, so that the whole is one loop of vector instructions.
    """
    a, b, c, d = blocks(state, steps)
    if np.dtype(dtype).itemsize == 8:
        first, second = wide_words(b, a), wide_words(d, c)
        radius, angle = jnp.stack([first, first], -1), jnp.stack([second, second], -1)
        length = jnp.sqrt(
            -2 * jnp.log(jnp.maximum(fractions(radius, np.float64), SMALLEST_UNIFORM))
        )
        turned = 2 * np.pi * fractions(angle, np.float64)
        odd = lax.broadcasted_iota(np.int32, turned.shape, turned.ndim - 1)
        return jnp.where(odd == 0, jnp.sin(turned), jnp.cos(turned)) * length
    radius, angle = jnp.stack([a, a, c, c], -1), jnp.stack([b, b, d, d], -1)
    start = jnp.maximum(fractions(radius, np.float32), np.float32(SMALLEST_UNIFORM))
    length = jnp.sqrt(-2 * _logarithm(start))
    turned = (2 * np.pi * fractions(angle, np.float32).astype(np.float64)).astype(np.float32)
    odd = lax.broadcasted_iota(np.int32, turned.shape, turned.ndim - 1) & 1
    return (_wave(turned, odd) * length).astype(dtype)


def _wave(angle: jax.Array, odd: jax.Array) -> jax.Array:
    """Computes the sine, where `odd` is 1 the cosine, of float32 angles from 0 to 2 pi.

    By their series in float64, to float32's last bit: XLA calls a function for each number, which
    takes three times as long.
    """
    wide = angle.astype(np.float64)
    quarter = jnp.round(wide * (2 / np.pi))
    x = wide - quarter * (np.pi / 2)
    z = x * x
    sine = x * (1 + z * (-1 / 6 + z * (1 / 120 + z * (-1 / 5040 + z / 362880))))
    cosine = 1 + z * (-1 / 2 + z * (1 / 24 + z * (-1 / 720 + z * (1 / 40320 - z / 3628800))))
    turn = quarter.astype(np.int32) + odd
    value = jnp.where(turn & 1 == 1, cosine, sine)
    return jnp.where(turn & 2 == 2, -value, value).astype(np.float32)


def _logarithm(x: jax.Array) -> jax.Array:
    """Computes the logarithm of positive float32 numbers by its series, to the last bit."""
    root_half = np.int32(0x3F3504F3)
    number = lax.bitcast_convert_type(x, np.int32)
    exponent = (number - root_half) >> 23
    fraction = lax.bitcast_convert_type(number - (exponent << 23), np.float32).astype(np.float64)
    s = (fraction - 1) / (fraction + 1)
    z = s * s
    series = 1 / 3 + z * (1 / 5 + z * (1 / 7 + z * (1 / 9 + z / 11)))
    whole = exponent.astype(np.float64) * np.log(2)
    return (whole + 2 * s * (1 + z * series)).astype(np.float32)


@traced_once
def truncated_normal(state: jax.Array, shape: tuple[int, ...], dtype: Any) -> jax.Array:
    """Draws standard normal numbers between -2 and 2: others are drawn again.

    Each group of numbers has blocks of its own, and takes the first candidates that fit.
    """
    count = int(np.prod(shape, dtype=np.int64))
    group, precise = (2, np.float64) if np.dtype(dtype).itemsize == 8 else (4, np.float32)
    starts = _steps(count, group) * np.uint64(RESERVED_BLOCKS // 4 * group)

    def unfinished(carry: Any) -> jax.Array:
        return jnp.any(carry[1] < group)

    def one_more_block(carry: Any) -> Any:
        # The candidates come from the iteration before: XLA would compute them for each use.
        step, taken, candidates, numbers = carry
        for place in range(group):
            candidate = candidates[:, place]
            fits = jnp.abs(candidate) < TRUNCATION
            numbers = [
                jnp.where(fits & (taken == k), candidate, number)
                for k, number in enumerate(numbers)
            ]
            taken = taken + fits.astype(np.int32)
        step = step + np.uint64(1)
        return step, taken, normal_candidates(state, starts + step, precise), numbers

    zero = jnp.zeros((), np.uint64)
    numbers = [jnp.zeros(starts.shape, precise)] * group
    taken = jnp.zeros(starts.shape, np.int32)
    start = (zero, taken, normal_candidates(state, starts, precise), numbers)
    numbers = lax.while_loop(unfinished, one_more_block, start)[-1]
    return _interleaved(numbers, shape).astype(dtype)


SKIPPED_ROUNDS = ROUND_LOOPS * ROUNDS_PER_LOOP
MASK = np.uint64(2**32 - 1)
# Rows of more numbers than these are searched by halving.
NUMBERS_COMPARED_AT_ONCE = 32


def order(state: np.ndarray[Any, Any], count: int) -> np.ndarray[Any, Any]:
    """Shuffles the numbers below `count`, as Fisher and Yates do: each place takes a later one.

    On the host, since each exchange depends on the one before: 0.1 us for each number, and 30 us.

    Args:
        state: six words, see `philox`.
        count: how many numbers there are.

    Returns:
        An int32 array of shape `[count]`.
    """
    places = np.arange(count, dtype=np.int64)
    others = (places + words(state, count) % (count - places)).tolist()
    numbers = places.tolist()
    for place, other in enumerate(others):
        numbers[place], numbers[other] = numbers[other], numbers[place]
    return np.array(numbers, np.int32)


def words(state: np.ndarray[Any, Any], count: int) -> np.ndarray[Any, Any]:
    """Computes what `philox.bits` computes, with NumPy."""
    steps = np.arange(-(-count // 4), dtype=np.uint64)
    low, high, key = np.asarray(state).view(np.uint64)
    first = low + steps
    second = high + (first < steps)
    # The words that are multiplied, and those that are mixed in.
    a, b = np.stack([first & MASK, second & MASK]), np.stack([first >> 32, second >> 32])
    factors = np.array(PHILOX_FACTORS, np.uint64)[:, None]
    keys = np.array([key & MASK, key >> 32], np.uint64)[:, None]
    increments = np.array(KEY_STEPS, np.uint64)[:, None]
    for _ in range(SKIPPED_ROUNDS):
        product = (a * factors)[::-1]
        a, b = (product >> 32) ^ b ^ keys, product & MASK
        keys = (keys + increments) & MASK
    return np.stack([a[0], b[0], a[1], b[1]], -1).reshape(-1)[:count].astype(np.int64)


def blocks_of_classes(logits: Any, count: Any) -> int:
    """Returns how far the kernel that chooses classes comes with one call."""
    if len(logits.shape) != 2 or not isinstance(count, int):
        return 0  # the op will say what is wrong
    return logits.shape[0] * -(-count // 4) * 4 * 2 * RESERVED_BLOCKS


def classes(state: jax.Array, logits: jax.Array, count: Any, dtype: dtypes.DType) -> jax.Array:
    """Chooses `count` numbers of classes for each row of `logits`, by its cumulative distribution.

    TensorFlow gives the rows to its threads where there are many, so that its choices depend on
    how many threads there are; here they are those of a single thread.

    Args:
        state: six words, see `philox`.
        logits: the logarithms of the odds, `[B, C]`; what is not finite is never chosen.
        count: how many numbers to choose.
        dtype: an integer dtype.

    Returns:
        An array of shape `[B, count]`.

    Raises:
        InvalidArgumentError: if `logits` is no matrix or has no columns, or `count` is negative.
    """
    if logits.ndim != 2:
        given = shape_text(logits.shape)
        raise invalid(f"logits should be a matrix, got shape {given}")
    if isinstance(count, tuple):
        raise invalid(f"num_samples should be a scalar, got shape [{len(count)}]")
    if not isinstance(count, int):
        raise inconvertible_argument(count)
    if count < 0:
        raise invalid(f"num_samples should be non-negative, got {count}")
    rows, columns = logits.shape
    if columns == 0:
        raise invalid("num_classes should be positive, got 0")
    wide = logits.astype(np.float64)
    finite = jnp.isfinite(wide)
    largest = jnp.max(jnp.where(finite, wide, -jnp.inf), axis=1, keepdims=True)
    limits = jnp.cumsum(jnp.where(finite, jnp.exp(wide - largest), 0), axis=1)
    drawn = uniform(state, (rows, count), np.float64) * limits[:, -1:]
    method = "compare_all" if count <= NUMBERS_COMPARED_AT_ONCE else "scan"

    def chosen(limits: jax.Array, drawn: jax.Array) -> jax.Array:
        return jnp.searchsorted(limits, drawn, side="right", method=method)

    return jax.vmap(chosen)(limits, drawn).astype(dtype.as_numpy_dtype)
