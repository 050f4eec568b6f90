"""Orders and classes at random, as TensorFlow's kernels choose them."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes
from tapefacade._ops import philox
from tapefacade._ops.arguments import invalid

ROUNDS = philox.LOOPS * philox.ROUNDS
MASK = np.uint64(2**32 - 1)
# Rows of more numbers than these are searched by halving.
FEW = 32


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
    factors = np.array(philox.FACTORS, np.uint64)[:, None]
    keys = np.array([key & MASK, key >> 32], np.uint64)[:, None]
    increments = np.array(philox.STEPS, np.uint64)[:, None]
    for _ in range(ROUNDS):
        product = (a * factors)[::-1]
        a, b = (product >> 32) ^ b ^ keys, product & MASK
        keys = (keys + increments) & MASK
    return np.stack([a[0], b[0], a[1], b[1]], -1).reshape(-1)[:count].astype(np.int64)


def blocks_of_classes(logits: Any, count: Any) -> int:
    """Returns how far the kernel that chooses classes comes with one call."""
    if len(logits.shape) != 2 or not isinstance(count, int):
        return 0  # the op will say what is wrong
    return logits.shape[0] * -(-count // 4) * 4 * 2 * philox.RESERVED


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
        given = ",".join(map(str, logits.shape))
        raise invalid(f"logits should be a matrix, got shape [{given}]")
    if isinstance(count, tuple):
        raise invalid(f"num_samples should be a scalar, got shape [{len(count)}]")
    if not isinstance(count, int):
        raise TypeError(f"Cannot convert {count!r} to EagerTensor of dtype int32")
    if count < 0:
        raise invalid(f"num_samples should be non-negative, got {count}")
    rows, columns = logits.shape
    if columns == 0:
        raise invalid("num_classes should be positive, got 0")
    wide = logits.astype(np.float64)
    finite = jnp.isfinite(wide)
    largest = jnp.max(jnp.where(finite, wide, -jnp.inf), axis=1, keepdims=True)
    limits = jnp.cumsum(jnp.where(finite, jnp.exp(wide - largest), 0), axis=1)
    drawn = philox.uniform(state, (rows, count), np.float64) * limits[:, -1:]
    method = "compare_all" if count <= FEW else "scan"

    def chosen(limits: jax.Array, drawn: jax.Array) -> jax.Array:
        return jnp.searchsorted(limits, drawn, side="right", method=method)

    return jax.vmap(chosen)(limits, drawn).astype(dtype.as_numpy_dtype)
