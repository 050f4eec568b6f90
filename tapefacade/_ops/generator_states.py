"""What `tf.random.Generator` does with its state, three words of 64 bits: a counter and a key."""

from typing import Any

import jax
import numpy as np
from jax import lax

from tapefacade._core import dtypes
from tapefacade._ops import philox
from tapefacade._ops.arguments import invalid
from tapefacade._ops.op import FreeTensor, NotDifferentiable, op
from tapefacade._ops.sampling import dimensions, require

INTEGERS = ("int32", "int64", "uint32", "uint64")


@op("_rng_skip", kernel="RngReadAndSkip", gradient=NotDifferentiable())
def skipped(state: FreeTensor, delta: FreeTensor) -> jax.Array:
    """Computes the state that lies `delta` numbers ahead."""
    if delta.ndim:
        given = ",".join(map(str, delta.shape))
        raise invalid(f"input 2 (0-based) must have shape [], not [{given}]")
    steps = delta.astype(np.int64).astype(np.uint64) * np.uint64(philox.RESERVED)
    words = philox.skipped(_words(state), steps)
    return lax.bitcast_convert_type(words.reshape(3, 2), np.int64)


@op("_rng_words", kernel="RngReadAndSkip", gradient=NotDifferentiable())
def words(state: FreeTensor) -> jax.Array:
    """Takes a state apart for the ops that draw."""
    return _words(state)


def _words(state: jax.Array) -> jax.Array:
    return lax.bitcast_convert_type(state, np.uint32).reshape(-1)


@op("_rng_seed", kernel="StatefulRandomBinomial", gradient=NotDifferentiable())
def seed(state: FreeTensor) -> jax.Array:
    """Makes the seed for a stateless op."""
    return philox.bits(_words(state), (2,), np.int64)


@op("_rng_integers", kernel="StatelessRandomUniformFullIntV2", gradient=NotDifferentiable())
def full_integers(state: FreeTensor, shape: Any, dtype: dtypes.DType) -> jax.Array:
    """Draws integers of the whole range of their type."""
    require(dtype, INTEGERS)
    return philox.bits(_words(state), dimensions(shape), dtype.as_numpy_dtype)
