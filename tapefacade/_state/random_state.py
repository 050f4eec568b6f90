"""The states of random generators: vectors of words of 64 bits."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes, seeds
from tapefacade._core.convert import convert
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.algorithms import Algorithm, known
from tapefacade._ops.op import function

# Of 64 bits, in a state; `AUTO_SELECT` is Philox on all devices.
WORDS = {Algorithm.PHILOX.value: 3, Algorithm.THREEFRY.value: 2, Algorithm.AUTO_SELECT.value: 3}


@function("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed: Any, alg: Any) -> EagerTensor:
    """Makes the state of a generator of a seed.

    Args:
        seed: an integer of any size, whose lowest 64 bits come first; or a tensor, whose elements
            come last.
        alg: the algorithm, a `tf.random.Algorithm` or its name.

    Returns:
        An int64 vector: the two words of a counter, and a key.

    Raises:
        ValueError: if there is no such algorithm.

    >>> tf.random.create_rng_state(1, "philox").numpy()
    array([1, 0, 0])
    """
    size = WORDS[known(alg)]
    if isinstance(seed, int):
        words = [seed >> 64 * place & seeds.WORD for place in range(size)]
        return convert(np.array(words, np.uint64).view(np.int64))
    words = _integers(seed).numpy().reshape(-1)[:size]
    return convert(np.concatenate([np.zeros(size - len(words), np.int64), words]))


def _integers(value: Any) -> EagerTensor:
    if isinstance(value, int) and value >= 2**63:
        value = np.uint64(value)
    return FUNCTIONS["cast"](value, dtypes.int64)


def checked(value: Any, wanted: list[int]) -> EagerTensor:
    """Converts a part of a state to int64.

    Raises:
        ValueError: if it has another shape.
    """
    tensor = _integers(value)
    if tensor.shape != wanted:
        raise ValueError(f"Shapes {tensor.shape} and {wanted} are incompatible")
    return tensor


def joined(key: Any, counter: Any, algorithm: int) -> EagerTensor:
    """Makes a state of a key and a counter.

    Raises:
        ValueError: if one of them has another shape.
    """
    counter = checked(counter, [WORDS[algorithm] - 1])
    return FUNCTIONS["concat"]([counter, FUNCTIONS["reshape"](checked(key, []), [1])], 0)
