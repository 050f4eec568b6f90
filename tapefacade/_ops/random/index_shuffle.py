"""Permutations of ranges, computed index by index: `tf.random.experimental.index_shuffle`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid, shape_text
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import first_bad, require_type
from tapefacade._definition.op import Check, FreeTensor, NoGradient, TensorLike, function, op
from tapefacade._ops.array.padding import pad

MESSAGE_INDEX = "Index bust be a scalar or vector."
INTEGERS = ("int32", "uint32", "int64", "uint64")
# The multipliers of SplitMix64 (Steele, Lea and Flood, 2014), whose finalizer mixes the bits.
SPLITMIX_INCREMENT, SPLITMIX_FIRST, SPLITMIX_SECOND = (
    0x9E3779B97F4A7C15,
    0xBF58476D1CE4E5B9,
    0x94D049BB133111EB,
)
ROUNDS = 6  # an unbalanced network of few bits needs more than the usual four


def _mixed(x: jax.Array) -> jax.Array:
    """Mixes the bits of 64-bit integers."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(SPLITMIX_FIRST)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(SPLITMIX_SECOND)
    return x ^ (x >> np.uint64(31))


def _absorbed(seed: jax.Array) -> jax.Array:
    """Makes one 64-bit key of the last dimension of seeds."""
    words = seed.astype(np.int64).astype(np.uint64)
    key = jnp.zeros(seed.shape[:-1], np.uint64)
    for i in range(seed.shape[-1]):
        key = _mixed((key ^ words[..., i]) + np.uint64(SPLITMIX_INCREMENT))
    return key


def _encrypted(x: jax.Array, key: jax.Array, half: jax.Array, rounds: int) -> jax.Array:
    """Permutes numbers of `2 * half` bits by a Feistel network."""
    mask = (np.uint64(1) << half) - np.uint64(1)
    left, right = x >> half, x & mask
    for number in range(max(rounds, ROUNDS)):
        salt = key + np.uint64((number + 1) * SPLITMIX_INCREMENT % 2**64)
        left, right = right, left ^ (_mixed(right ^ _mixed(salt)) & mask)
    return (left << half) | right


def _shuffled(index: Any, seed: Any, limit: Any, rounds: int) -> jax.Array:
    key = jnp.broadcast_to(_absorbed(seed), index.shape)
    bits = np.uint64(64) - lax.clz(limit)
    half = jnp.maximum((bits + np.uint64(1)) >> np.uint64(1), np.uint64(1))

    def walk(x: jax.Array) -> jax.Array:
        # Whoever leaves the range walks on: its cycle comes back into it.
        return jnp.where(x > limit, _encrypted(x, key, half, rounds), x)

    start = _encrypted(index, key, half, rounds)
    return lax.while_loop(lambda x: (x > limit).any(), walk, start)


def _check_shapes(index: Any, seed: Any, max_index: Any) -> int:
    """Checks the shapes and dtypes; returns how many results there are, 0 for a scalar."""
    require_type("dtype", index.dtype, INTEGERS)
    require_type("Tseed", seed.dtype, INTEGERS)
    if index.ndim > 1:
        raise invalid(MESSAGE_INDEX)
    if max_index.ndim > 1:
        raise invalid(
            "Maxval must be a scalar or a vector of the same size as index but got "
            f"{shape_text(max_index.shape)}"
        )
    sizes = {x.shape[0] for x in (index, max_index) if x.ndim} | (
        {seed.shape[0]} if seed.ndim == 2 else set()
    )
    count = max(index.size, max_index.size)
    if seed.ndim not in (1, 2) or seed.shape[-1] != 3 or (seed.ndim == 2 and len(sizes) > 1):
        raise invalid(
            f"Seed must be a vector of size [3] or a matrix of size [{count}, 3] but got "
            f"{shape_text(seed.shape)}."
        )
    if len(sizes) > 1:
        raise invalid(MESSAGE_INDEX)
    return sizes.pop() if sizes else 0


def _test(index: Any, seed: Any, max_index: Any, rounds: Any) -> tuple[Any, ...]:
    _check_shapes(index, seed, max_index)
    shape = np.broadcast_shapes(index.shape, max_index.shape)
    pairs = [jnp.broadcast_to(x, shape) for x in (index, max_index)]
    low, high = pairs
    bad = (low < 0) | (high < 0) | (high < low)
    return first_bad(bad, jnp.stack(pairs, axis=-1))


def _error(position: Any, values: Any, rounds: Any) -> Exception:
    index, limit = (int(value) for value in values)
    if index < 0:
        return invalid(f"index must be >= 0 but was {index}")
    if limit < 0:
        return invalid(f"max_index must be >= 0 but was {limit}")
    return invalid(f"max_index must be >= index, but {limit} < {index}")


@op(
    "random_index_shuffle",
    kernel="RandomIndexShuffle",
    gradient=NoGradient("RandomIndexShuffle"),
    check=Check(("index", "max_index"), _test, _error),
)
def random_index_shuffle(
    index: TensorLike, seed: FreeTensor, max_index: TensorLike, rounds: int = 4
) -> jax.Array:
    """Says where a permutation of the numbers from 0 to `max_index` puts `index`.

    Only the permuted numbers that are asked for are computed. Unlike TensorFlow, the permutation
    comes from a Feistel network of JAX operations, the same on every device.

    Args:
        index: the number, a scalar or a vector.
        seed: three integers, or as many for each index.
        max_index: the greatest number, a scalar or one for each index.
        rounds: the number of rounds of the network, at least.

    Returns:
        A number for each index, of the type of `index`.

    Raises:
        InvalidArgumentError: if `index` is negative or greater than `max_index`, or `seed` has
            another shape.

    >>> found = tf.random_index_shuffle(tf.range(4), [1, 2, 3], 3)
    >>> sorted(found.numpy().tolist())
    [0, 1, 2, 3]
    """
    count = _check_shapes(index, seed, max_index)
    shape = (count,) if count or index.ndim or max_index.ndim or seed.ndim == 2 else ()
    places = jnp.broadcast_to(index, shape).astype(np.uint64)
    limits = jnp.broadcast_to(max_index, shape).astype(np.uint64)
    return _shuffled(places, seed, limits, rounds).astype(index.dtype)


@function("random.experimental.index_shuffle")
def index_shuffle(index: Any, seed: Any, max_index: Any) -> EagerTensor:
    """Says where a permutation of the numbers from 0 to `max_index` puts `index`.

    Each pair of `seed` and `max_index` has a permutation of its own, of which only the numbers
    that are asked for are computed: so data of any size can be shuffled. Unlike TensorFlow, the
    permutation comes from a Feistel network of JAX operations, the same on every device.

    Args:
        index: the number, a scalar or a vector.
        seed: two integers, or as many for each index.
        max_index: the greatest number, a scalar or one for each index.

    Returns:
        A number for each index, of the type of `index`.

    Raises:
        InvalidArgumentError: if `index` is negative or greater than `max_index`, or `seed` has
            another shape.

    >>> found = tf.random.experimental.index_shuffle(tf.range(4), [1, 2], 3)
    >>> sorted(found.numpy().tolist())
    [0, 1, 2, 3]
    """
    pair = convert_to_tensor(seed)
    rank = len(pair.shape)
    if pair.dtype in (dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64) and rank:
        pair = pad(pair, [[0, 0]] * (rank - 1) + [[0, 1]])
    return random_index_shuffle(index, pair, max_index)
