"""Keys for JAX's generator: made of two words that were drawn, or of a seed that was given."""

import jax
import numpy as np

from tapefacade._core import errors
from tapefacade._core.dtypes import as_dtype

IMPLEMENTATION = "threefry2x32"
SEED_TYPES = ("int32", "int64")


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
