"""Keys for JAX's generator: made of two words that were drawn, or of a seed that was given."""

import jax
import numpy as np

from tapefacade._core.dtypes import as_dtype
from tapefacade._core.error_texts import invalid, refused_type, shape_text
from tapefacade._core.kernel_dtypes import INDICES

IMPLEMENTATION = "threefry2x32"


def unwrap(key: jax.Array) -> jax.Array:
    """Makes JAX's key of the two words, inside an implementation."""
    return jax.random.wrap_key_data(key, impl=IMPLEMENTATION)


def require_seed(seed: jax.Array) -> None:
    """Refuses what is no seed of a stateless op.

    Raises:
        InvalidArgumentError: if `seed` is no pair of 32- or 64-bit integers.
    """
    kind = as_dtype(seed.dtype).kernel_name
    if kind not in INDICES:
        raise refused_type("Tseed", kind, INDICES)
    if seed.shape != (2,):
        raise invalid(f"seed must have shape [2], not {shape_text(seed.shape)}")


def checked_seed(seed: jax.Array) -> jax.Array:
    """Makes JAX's key of the two integers that stateless ops take as their seed.

    Raises:
        InvalidArgumentError: if `seed` is no pair of 32- or 64-bit integers.
    """
    require_seed(seed)
    words = jax.lax.bitcast_convert_type(seed.astype(np.int64), np.uint32)
    key = unwrap(words[:, 0])
    return jax.random.fold_in(jax.random.fold_in(key, words[0, 1]), words[1, 1])
