"""Random generators whose state is a variable, and what they draw: `tf.random.Generator`."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors, random_seeds, replica_places
from tapefacade._core.conversion import convert, is_tensor
from tapefacade._core.error_texts import incompatible_shapes
from tapefacade._core.kernel_dtypes import FLOATS_HALF_FIRST
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import zeros_like
from tapefacade._ops.array.joining import concat, stack
from tapefacade._ops.array.shaping import reshape as reshape_op
from tapefacade._ops.random import generator_states
from tapefacade._ops.random.gamma_poisson import binomial
from tapefacade._ops.random.generator_states import Algorithm, algorithm_number
from tapefacade._ops.random.stateful import (
    _random_integers,
    _random_normal,
    _random_uniform,
    _truncated_normal,
    parameter,
    require,
)
from tapefacade._state.variable import Variable

# TensorFlow's kernel for binomial numbers passes over so many for each, and for three more.
NUMBERS_PER_BINOMIAL, MORE_BINOMIALS = 50, 3


def _size(shape: Any) -> int:
    try:
        return int(np.prod(np.asarray(shape, np.int64)))
    except (TypeError, ValueError):  # the op will say what is wrong with it
        return 0


# Of 64 bits, in a state; `AUTO_SELECT` is Philox on all devices.
WORDS_OF_STATE = {
    Algorithm.PHILOX.value: 3,
    Algorithm.THREEFRY.value: 2,
    Algorithm.AUTO_SELECT.value: 3,
}


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
    size = WORDS_OF_STATE[algorithm_number(alg)]
    if isinstance(seed, int):
        words = [seed >> 64 * place & random_seeds.MAX_WORD for place in range(size)]
        return convert(np.array(words, np.uint64).view(np.int64))
    words = _integers(seed).numpy().reshape(-1)[:size]
    return convert(np.concatenate([np.zeros(size - len(words), np.int64), words]))


def _integers(value: Any) -> EagerTensor:
    if isinstance(value, int) and value >= 2**63:
        value = np.uint64(value)
    return cast(value, dtypes.int64)


def int64_part(value: Any, wanted: list[int]) -> EagerTensor:
    """Converts a part of a state to int64.

    Raises:
        ValueError: if it has another shape.
    """
    tensor = _integers(value)
    if tensor.shape != wanted:
        raise ValueError(incompatible_shapes(tensor.shape, wanted))
    return tensor


def joined_state(key: Any, counter: Any, algorithm: int) -> EagerTensor:
    """Makes a state of a key and a counter.

    Raises:
        ValueError: if one of them has another shape.
    """
    counter = int64_part(counter, [WORDS_OF_STATE[algorithm] - 1])
    return concat([counter, reshape_op(int64_part(key, []), [1])], 0)


MESSAGE_THREEFRY = (
    "{{function_node __wrapped__RngReadAndSkip_device_/job:localhost/replica:0/task:0/device:CPU:0}"
    "} Non-XLA devices don't support the ThreeFry algorithm. [Op:RngReadAndSkip] name: "
)


MESSAGE_ARGUMENTS_OF_GENERATOR = (
    "A generator is made of another one, or of a state and an algorithm. Write "
    "tf.random.Generator.from_seed(seed), or tf.random.Generator.from_non_deterministic_state()."
)


@function("random.Generator", "random.experimental.Generator")
class Generator:
    """Draws random numbers, and keeps how far it has come in a variable.

    Make one with `from_seed`, `from_state`, `from_non_deterministic_state`, `from_key_counter` or
    `split`. The numbers are TensorFlow's.

    Args:
        copy_from: a generator, whose state and algorithm are copied.
        state: the state, a vector of three integers; a variable is used itself.
        alg: the algorithm, a `tf.random.Algorithm` or its name. Only Philox can draw.

    Raises:
        AssertionError: if there is neither another generator nor a state and an algorithm, or both.

    >>> generator = tf.random.Generator.from_seed(1)
    >>> generator.uniform([2], maxval=10, dtype=tf.int32).numpy()
    array([4, 9], dtype=int32)
    """

    def __init__(self, copy_from: Any = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is not None:
            if alg is not None or state is not None:
                raise AssertionError(MESSAGE_ARGUMENTS_OF_GENERATOR)
            self._alg: int = copy_from.algorithm
            self._state_var = self._variable(copy_from.state)
            return
        if alg is None or state is None:
            raise AssertionError(MESSAGE_ARGUMENTS_OF_GENERATOR)
        self._alg = algorithm_number(alg)
        if isinstance(state, Variable):
            int64_part(state, [WORDS_OF_STATE[self._alg]])
            self._state_var = state
        else:
            self._state_var = self._variable(int64_part(state, [WORDS_OF_STATE[self._alg]]))

    _is_distributed = False

    def _variable(self, state: Any) -> Variable:
        self._is_distributed = bool(replica_places.THREAD.places)
        return Variable(state, trainable=False, name="StateVar", dtype=dtypes.int64)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> "Generator":
        """Makes a generator with a state.

        Args:
            state: a vector of three integers; a variable is used itself.
            alg: the algorithm.

        Returns:
            A generator.

        Raises:
            ValueError: if `state` has another shape, or there is no such algorithm.
        """
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> "Generator":
        """Makes a generator of a seed; equal seeds make generators that draw the same.

        Args:
            seed: an integer, see `tf.random.create_rng_state`.
            alg: the algorithm, by default Philox.

        Returns:
            A generator.
        """
        alg = Algorithm.PHILOX if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> "Generator":
        """Makes a generator that draws other numbers in every run of a program.

        Args:
            alg: the algorithm, by default Philox.

        Returns:
            A generator.
        """
        number = algorithm_number(Algorithm.PHILOX if alg is None else alg)
        words = np.frombuffer(random_seeds.entropy(8 * WORDS_OF_STATE[number]), np.int64)
        return cls(state=words, alg=number)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> "Generator":
        """Makes a generator of a key and a counter.

        Args:
            key: an integer.
            counter: a vector of two integers, the lower first.
            alg: the algorithm.

        Returns:
            A generator.

        Raises:
            ValueError: if one of them has another shape, or there is no such algorithm.
        """
        number = algorithm_number(alg)
        return cls(state=joined_state(key, counter, number), alg=number)

    # The state.

    @property
    def state(self) -> Variable:
        """The variable with the state."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self) -> EagerTensor:
        """The key: the last word of the state."""
        return self._state_var.value()[-1]

    def reset(self, state: Any) -> None:
        """Sets the state.

        Args:
            state: a vector of three integers.

        Raises:
            ValueError: if it has another shape.
        """
        self._state_var.assign(int64_part(state, [WORDS_OF_STATE[self._alg]]))

    def reset_from_seed(self, seed: Any) -> None:
        """Sets the state to that of a seed.

        Args:
            seed: an integer, see `tf.random.create_rng_state`.
        """
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Sets the state to a key and a counter.

        Args:
            key: an integer.
            counter: a vector of two integers, the lower first.

        Raises:
            ValueError: if one of them has another shape.
        """
        self._state_var.assign(joined_state(key, counter, self._alg))

    def skip(self, delta: Any) -> EagerTensor:
        """Passes over numbers.

        Args:
            delta: how many numbers to pass over, a scalar.

        Returns:
            The state before, an int64 vector.

        Raises:
            InvalidArgumentError: if `delta` is no scalar.
        """
        if self._alg == Algorithm.THREEFRY.value:
            raise errors.UnimplementedError(None, None, MESSAGE_THREEFRY)
        delta = delta if is_tensor(delta) else convert(delta)
        with self._state_var._lock:
            before = self._state_var.value()
            self._state_var.assign(generator_states.generator_state_ahead(before, delta))
        return before

    def _skipped(self, delta: Any) -> EagerTensor:
        """Passes over numbers; returns the state before, in a replica with the key of its own."""
        state = self.skip(delta)
        places = replica_places.THREAD.places
        if not (self._is_distributed and places and places[-1].replica is not None):
            return state
        return generator_states.of_replica(state, places[-1].replica.replica_id_in_sync_group)

    # Numbers.

    def _words(self, shape: Any) -> EagerTensor:
        return generator_states.words(self._skipped(_size(shape)))

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
        name: None = None,
    ) -> EagerTensor:  # fmt: skip
        """Draws from a normal distribution, see `tf.random.normal`.

        Args:
            shape: the shape of the result.
            mean: the mean, a number or a tensor that broadcasts to `shape`.
            stddev: the standard deviation, likewise.
            dtype: a floating dtype.
            name: ignored.

        Returns:
            A tensor of `shape` and `dtype`. Gradients flow to `mean` and `stddev`.

        >>> tf.random.Generator.from_seed(1).normal([2, 3]).shape
        TensorShape([2, 3])
        """
        dtype = dtypes.as_dtype(dtype)
        mean, stddev = parameter(mean, 0, dtype), parameter(stddev, 1, dtype)
        return _random_normal(self._words(shape), mean, stddev, shape, dtype)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
        name: None = None,
    ) -> EagerTensor:  # fmt: skip
        """Draws normal numbers within two standard deviations, see `tf.random.truncated_normal`.

        Args:
            shape: the shape of the result.
            mean: the mean, a number or a tensor that broadcasts to `shape`.
            stddev: the standard deviation of the whole distribution, likewise.
            dtype: a floating dtype.
            name: ignored.

        Returns:
            A tensor of `shape` and `dtype`. Gradients flow to `mean` and `stddev`.

        >>> tf.random.Generator.from_seed(1).truncated_normal([2, 3]).shape
        TensorShape([2, 3])
        """
        dtype = dtypes.as_dtype(dtype)
        mean, stddev = parameter(mean, 0, dtype), parameter(stddev, 1, dtype)
        return _truncated_normal(self._words(shape), mean, stddev, shape, dtype)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32,
        name: None = None,
    ) -> EagerTensor:  # fmt: skip
        """Draws numbers that are uniformly distributed, see `tf.random.uniform`.

        Args:
            shape: the shape of the result.
            minval: the lower limit, which is included. None for integers of the whole range.
            maxval: the upper limit, which is excluded; 1 by default, needed for integers.
            dtype: a floating dtype, int32 or int64; without limits also uint32 or uint64.
            name: ignored.

        Returns:
            A tensor of `shape` and `dtype`. Gradients flow to the limits.

        Raises:
            ValueError: if only one limit of integers is given.

        >>> tf.random.Generator.from_seed(1).uniform([2, 3]).shape
        TensorShape([2, 3])
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype.is_integer:
            if (minval is None) != (maxval is None):
                raise ValueError(
                    f"For integer dtype {dtype}, minval and maxval must be both `None` or both "
                    f"non-`None`; got minval={minval} and maxval={maxval}"
                )
            if minval is None:
                return self.uniform_full_int(shape, dtype)
            low, high = convert(minval, dtype), convert(maxval, dtype)
            words = self._words(shape)
            require(dtype, generator_states.INTEGERS)
            return _random_integers(words, low, high, shape)
        low = parameter(minval, 0, dtype)
        high = parameter(1 if maxval is None else maxval, 1, dtype)
        words = self._words(shape)
        require(dtype, FLOATS_HALF_FIRST)
        return _random_uniform(words, low, high, shape, dtype)

    def uniform_full_int(
        self, shape: Any, dtype: Any = dtypes.uint64, name: None = None
    ) -> EagerTensor:
        """Draws integers of the whole range of their type.

        Args:
            shape: the shape of the result.
            dtype: int32, int64, uint32 or uint64.
            name: ignored.

        Returns:
            A tensor of `shape` and `dtype`.

        Raises:
            InvalidArgumentError: if `dtype` is unsuitable.

        >>> tf.random.Generator.from_seed(1).uniform_full_int([2, 3]).dtype
        tf.uint64
        """
        dtype = dtypes.as_dtype(dtype)
        return generator_states.full_integers(self._skipped(_size(shape)), shape, dtype)

    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = dtypes.int32, name: None = None
    ) -> EagerTensor:
        """Draws how many of `counts` trials succeed, see `tf.random.stateless_binomial`.

        Args:
            shape: the shape of the result, to which `counts` and `probs` broadcast.
            counts: the numbers of trials.
            probs: the probabilities of a success.
            dtype: float16, float32, float64, int32 or int64.
            name: ignored.

        Returns:
            A tensor of `shape` and `dtype`. No gradient flows to the parameters.

        Raises:
            InvalidArgumentError: if the shapes do not fit together, or `dtype` is unsuitable.

        >>> tf.random.Generator.from_seed(1).binomial([2], 10.0, 1.0).numpy()
        array([10, 10], dtype=int32)
        """
        counts = convert(counts)
        probs = convert(probs, counts.dtype)
        size = _size(shape)
        inner = int(np.prod(np.broadcast_shapes(tuple(counts.shape), tuple(probs.shape))))
        state = self.skip(NUMBERS_PER_BINOMIAL * (size + MORE_BINOMIALS * inner))
        draw: Callable[..., EagerTensor] = binomial
        return draw(generator_states.words(state), counts, probs, shape, dtypes.as_dtype(dtype))

    # Further generators.

    def make_seeds(self, count: Any = 1) -> EagerTensor:
        """Draws seeds for stateless ops.

        Args:
            count: how many seeds to draw.

        Returns:
            An int64 tensor of shape `[2, count]`, a seed in each column.

        >>> tf.random.Generator.from_seed(1).make_seeds(3).shape
        TensorShape([2, 3])
        """
        keys = self.uniform_full_int([count], dtypes.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list["Generator"]:
        """Makes further generators, independent of this one and of one another.

        Args:
            count: how many generators to make.

        Returns:
            A list of generators.

        >>> len(tf.random.Generator.from_seed(1).split(3))
        3
        """
        keys = self.uniform_full_int([count], dtypes.int64)
        counter = np.zeros(WORDS_OF_STATE[self._alg] - 1, np.int64)
        return [self.from_key_counter(keys[i], counter, self._alg) for i in range(count)]


class _GlobalGenerator:
    """The generator that programs share."""

    def __init__(self) -> None:
        self.generator: Generator | None = None
        self.lock = threading.RLock()


_GLOBAL = _GlobalGenerator()


@function("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """Returns the generator that programs share, made when it is first asked for.

    Returns:
        A generator. `tf.random.set_seed` does not touch it.

    >>> tf.random.get_global_generator().normal([2]).shape
    TensorShape([2])
    """
    with _GLOBAL.lock:
        if _GLOBAL.generator is None:
            _GLOBAL.generator = Generator.from_non_deterministic_state()
        return _GLOBAL.generator


@function("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Replaces the generator that programs share.

    Args:
        generator: the generator that `tf.random.get_global_generator` returns from now on.

    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    """
    _GLOBAL.generator = generator
