"""Random generators whose state is a variable: `tf.random.Generator`."""

import os
import threading
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.convert import convert, is_tensor
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops import generator_states
from tapefacade._ops.algorithms import Algorithm, known
from tapefacade._ops.op import function
from tapefacade._state.drawing import Drawing
from tapefacade._state.random_state import WORDS, checked, create_rng_state, joined
from tapefacade._state.variable import Variable

MESSAGE_THREEFRY = (
    "{{function_node __wrapped__RngReadAndSkip_device_/job:localhost/replica:0/task:0/device:CPU:0}"
    "} Non-XLA devices don't support the ThreeFry algorithm. [Op:RngReadAndSkip] name: "
)


@function("random.Generator", "random.experimental.Generator")
class Generator(Drawing):
    """Draws random numbers, and keeps how far it has come in a variable.

    Make one with `from_seed`, `from_state`, `from_non_deterministic_state`, `from_key_counter` or
    `split`. The numbers are TensorFlow's, but for binomial ones.

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
                raise AssertionError
            self._alg: int = copy_from.algorithm
            self._state_var = self._variable(copy_from.state)
            return
        if alg is None or state is None:
            raise AssertionError
        self._alg = known(alg)
        if isinstance(state, Variable):
            checked(state, [WORDS[self._alg]])
            self._state_var = state
        else:
            self._state_var = self._variable(checked(state, [WORDS[self._alg]]))

    def _variable(self, state: Any) -> Variable:
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
        number = known(Algorithm.PHILOX if alg is None else alg)
        words = np.frombuffer(os.urandom(8 * WORDS[number]), np.int64)
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
        number = known(alg)
        return cls(state=joined(key, counter, number), alg=number)

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
        self._state_var.assign(checked(state, [WORDS[self._alg]]))

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
        self._state_var.assign(joined(key, counter, self._alg))

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
            self._state_var.assign(generator_states.skipped(before, delta))
        return before

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
        return FUNCTIONS["stack"]([keys, FUNCTIONS["zeros_like"](keys)])

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
        counter = np.zeros(WORDS[self._alg] - 1, np.int64)
        return [self.from_key_counter(keys[i], counter, self._alg) for i in range(count)]


class _Global:
    """The generator that programs share."""

    def __init__(self) -> None:
        self.generator: Generator | None = None
        self.lock = threading.Lock()


_GLOBAL = _Global()


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
