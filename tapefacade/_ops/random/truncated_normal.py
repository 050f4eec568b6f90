"""Normal numbers between any limits, from the same words as TensorFlow's kernel.

One distribution after the other takes the next blocks of four words, and makes candidates of them;
those that fit are the numbers, in their order. (Where there are some thousands, TensorFlow divides
them among its threads, so that they depend on how many threads there are.) In float16 and float64
they are TensorFlow's to the last bit, in float32 up to three units in the last place away.

Which candidates there are depends on the limits: normal, uniform or exponential ones. See Robert,
"Simulation of truncated normal variables" (1995).

Measured on a 2-core x86 machine: 100,000 numbers of one distribution take 7 ms, one number each of
10,000 distributions 21 ms.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._ops.random.philox import blocks, fractions, normal_candidates, wide_words

# How far beyond the mean a limit lies, in standard deviations, for normal candidates to pay.
INSIDE_FOR_NORMAL = 1.3
ROUNDS_AT_ONCE = 4096  # of candidates: what is held in memory at once
TRIES = 1000  # after which there is no number, as where the mean is NaN or infinite


@functools.partial(jax.jit, static_argnames="samples")
def numbers_between(
    state: jax.Array, mean: jax.Array, stddev: jax.Array, low: jax.Array, high: jax.Array,
    samples: int,
) -> jax.Array:  # fmt: skip
    """Draws normal numbers between limits.

    Args:
        state: six words, see `philox`.
        mean: the means of the whole distributions, `[N]`.
        stddev: their standard deviations.
        low: the lower limits.
        high: the upper limits.
        samples: how many numbers to draw for each.

    Returns:
        An array of shape `[samples, N]` and the dtype of `mean`; NaN where there is no number.
    """
    # What has one limit, or lies below the mean, is mirrored: the lower limit counts then.
    mirrored = ((low < 0) & jnp.isinf(low)) | (high < mean)
    low, high = jnp.where(mirrored, high, low), jnp.where(mirrored, low, high)
    stddev = jnp.where(mirrored, -stddev, stddev)
    low, high = (low - mean) / stddev, (high - mean) / stddev
    root = jnp.sqrt(low * low + 4)
    cutoff = 2 * jnp.exp(0.5 + low * (low - root) / 4) / (low + root)
    is_normal = ((low < -INSIDE_FOR_NORMAL) & (high >= 0)) | (
        (high > INSIDE_FOR_NORMAL) & (low <= 0)
    )
    proposal = jnp.where(is_normal, 0, jnp.where(high - low < cutoff, 1, 2))
    group = 2 if mean.dtype.itemsize == 8 else 4
    rounds = min(-(-samples // group) or 1, ROUNDS_AT_ONCE)
    tries_allowed = TRIES + 4 * (samples // (rounds * group))
    proposals = [functools.partial(make, rounds=rounds) for make in PROPOSALS]

    def one_distribution(start: jax.Array, given: Any) -> Any:
        proposal, low, high = given

        def some_more(carry: Any) -> Any:
            tries, step, taken, row = carry
            made = lax.switch(proposal, proposals, state, step, low, high)
            numbers, fits, blocks_of_round = made
            place = taken + jnp.cumsum(fits.ravel()) - 1
            is_taken = fits.ravel() & (place < samples)
            row = row.at[jnp.where(is_taken, place, samples)].set(numbers.ravel(), mode="drop")
            last = jnp.argmax(is_taken & (place == samples - 1)) // fits.shape[1] + 1
            taken = place[-1] + 1
            used = jnp.where(taken >= samples, last, rounds).astype(np.uint64)
            return tries + 1, step + used * blocks_of_round, taken, row

        def waits(carry: Any) -> Any:
            return (carry[2] < samples) & (carry[0] < tries_allowed)

        none = jnp.zeros((), jnp.int64)
        carry = (none, start, none, jnp.full(samples, np.nan, low.dtype))
        _, end, _, row = lax.while_loop(waits, some_more, carry)
        return end, row

    start = jnp.zeros((), np.uint64)
    _, numbers = lax.scan(one_distribution, start, (proposal, low, high))
    return numbers.T * stddev + mean


def _uniform_group(state: jax.Array, steps: jax.Array, dtype: Any) -> jax.Array:
    """Makes the numbers below 1 of blocks: four of each, or two in float64."""
    a, b, c, d = blocks(state, steps)
    is_wide = np.dtype(dtype).itemsize == 8
    words = (wide_words(b, a), wide_words(d, c)) if is_wide else (a, b, c, d)
    return fractions(jnp.stack(words, -1), dtype)


def _steps_from(start: jax.Array, rounds: int, blocks_of_round: int) -> jax.Array:
    return start + lax.iota(np.uint64, rounds) * np.uint64(blocks_of_round)


def _normal_proposals(state: Any, start: Any, low: Any, high: Any, rounds: int) -> Any:
    x = normal_candidates(state, _steps_from(start, rounds, 1), low.dtype)
    return x, (x >= low) & (x <= high), np.uint64(1)


def _uniform_proposals(state: Any, start: Any, low: Any, high: Any, rounds: int) -> Any:
    steps = _steps_from(start, rounds, 2)
    x = _uniform_group(state, steps, low.dtype) * (high - low) + low
    peak = jnp.where(low < 0, 0, low * low)
    bound = _uniform_group(state, steps + np.uint64(1), low.dtype)
    return x, bound <= jnp.exp((peak - x * x) / 2), np.uint64(2)


def _exponential_proposals(state: Any, start: Any, low: Any, high: Any, rounds: int) -> Any:
    """Makes half as many candidates: each takes two numbers of a block."""
    uniform = _uniform_group(state, _steps_from(start, rounds, 1), low.dtype)
    rate = (low + jnp.sqrt(low * low + 4)) / 2
    x = -jnp.log(uniform) / rate + low
    distance = jnp.where(low < rate, rate - x, low - rate)
    fits = (jnp.roll(uniform, -1, axis=1) <= jnp.exp(-distance * distance / 2)) & (x < high)
    is_candidate = lax.broadcasted_iota(np.int32, x.shape, 1) % 2 == 0
    return x, fits & is_candidate, np.uint64(1)


PROPOSALS = (_normal_proposals, _uniform_proposals, _exponential_proposals)
