"""The states of `tf.random.Generator`, three words of 64 bits, and the algorithms' names."""

import enum
import numbers
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import is_tensor
from tapefacade._core.error_texts import invalid, kernel_prefix, shape_text
from tapefacade._definition.op import FreeTensor, NotDifferentiable, function, op
from tapefacade._ops.random import philox
from tapefacade._ops.random.stateful import dimensions, require

INTEGERS = ("int32", "int64", "uint32", "uint64")


@op("_rng_skip", kernel="RngReadAndSkip", gradient=NotDifferentiable())
def generator_state_ahead(state: FreeTensor, delta: FreeTensor) -> jax.Array:
    """Computes the state that lies `delta` numbers ahead."""
    if delta.ndim:
        given = shape_text(delta.shape)
        raise invalid(f"input 2 (0-based) must have shape [], not {given}")
    steps = delta.astype(np.int64).astype(np.uint64) * np.uint64(philox.RESERVED_BLOCKS)
    words = philox.state_ahead(_words(state), steps)
    return lax.bitcast_convert_type(words.reshape(3, 2), np.int64)


@op("_rng_words", kernel="RngReadAndSkip", gradient=NotDifferentiable())
def words(state: FreeTensor) -> jax.Array:
    """Takes a state apart for the ops that draw."""
    return _words(state)


def _words(state: jax.Array) -> jax.Array:
    return lax.bitcast_convert_type(state, np.uint32).reshape(-1)


@op("_rng_of_replica", kernel="StatelessRandomUniformFullIntV2", gradient=NotDifferentiable())
def of_replica(state: FreeTensor, replica: FreeTensor) -> jax.Array:
    """Gives a state the key of a replica: what the key draws there."""
    counter = jnp.stack([replica.astype(np.int64), jnp.zeros((), np.int64)])
    key = philox.bits(_words(jnp.concatenate([counter, state[2:]])), (1,), np.int64)
    return jnp.concatenate([state[:2], key])


@op("_rng_seed", kernel="StatefulRandomBinomial", gradient=NotDifferentiable())
def seed(state: FreeTensor) -> jax.Array:
    """Makes the seed for a stateless op."""
    return philox.bits(_words(state), (2,), np.int64)


@op("_rng_integers", kernel="StatelessRandomUniformFullIntV2", gradient=NotDifferentiable())
def full_integers(state: FreeTensor, shape: Any, dtype: dtypes.DType) -> jax.Array:
    """Draws integers of the whole range of their type."""
    require(dtype, INTEGERS)
    return philox.bits(_words(state), dimensions(shape), dtype.as_numpy_dtype)


@function("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.Enum):
    """The algorithms that `alg=` names: Philox, Threefry, and whichever suits the device.

    Numbers come from Philox on all devices, and nothing is drawn with Threefry, as TensorFlow on
    CPU and GPU.

    >>> tf.random.Algorithm.PHILOX.value
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


BY_NAME = {algorithm.name.lower(): algorithm.value for algorithm in Algorithm}


def number_of(alg: Any) -> int:
    """Converts what names an algorithm: its number, name or member of `tf.random.Algorithm`.

    Raises:
        ValueError: if there is no such algorithm.
        TypeError: if `alg` is of another kind.
    """
    if isinstance(alg, Algorithm):
        return alg.value
    if isinstance(alg, str):
        if (found := BY_NAME.get(alg.lower())) is None:
            raise ValueError(
                f"Argument `alg` got unsupported value {alg}. Supported values are philox for the "
                "Philox algorithm, threefry for the ThreeFry algorithm, and auto_select for "
                "auto-selection."
            )
        return found
    if is_tensor(alg) and alg.dtype.is_integer:
        return int(np.asarray(alg))
    if not isinstance(alg, numbers.Integral):
        raise TypeError(
            f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int."
        )
    return int(alg)


def algorithm_number(alg: Any) -> int:
    """Returns the number of an algorithm.

    Raises:
        ValueError: if there is no such algorithm.
        TypeError: if `alg` is None, or of another kind.
    """
    number = number_of(alg)
    if number not in BY_NAME.values():
        raise ValueError(
            f"Argument `alg` got unsupported value {number}. Supported values are 1 for the Philox "
            "algorithm, 2 for the ThreeFry algorithm, and 3 for auto-selection."
        )
    return number


def require_philox(alg: Any, kernel: str) -> None:
    """Raises TensorFlow's error for a stateless op with another algorithm.

    Raises:
        InvalidArgumentError: if it is Threefry.
        ValueError: if there is no such algorithm.
    """
    if alg not in ("auto_select", None) and algorithm_number(alg) == Algorithm.THREEFRY.value:
        message = (
            "counter must be a vector with length at least 2; got shape: [1]. (Note that batched "
            "counters are not supported yet.)"
        )
        text = f"{kernel_prefix(kernel)}{message} [Op:{kernel}] name: "
        raise errors.InvalidArgumentError(None, None, text)
