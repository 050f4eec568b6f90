"""The distributions that a random generator draws from."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.convert import convert
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops import generator_states
from tapefacade._ops.sampling import FLOATS, parameter, require

# TensorFlow's kernel for binomial numbers passes over so many for each, and for three more.
BINOMIAL, MORE = 50, 3


def _size(shape: Any) -> int:
    try:
        return int(np.prod(np.asarray(shape, np.int64)))
    except (TypeError, ValueError):  # the op will say what is wrong with it
        return 0


class Drawing(ABC):
    """Draws with a state that `skip` returns and moves on."""

    @abstractmethod
    def skip(self, delta: Any) -> EagerTensor:
        """Passes over numbers and returns the state before."""

    def _words(self, shape: Any) -> EagerTensor:
        return generator_states.words(self.skip(_size(shape)))

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
        return FUNCTIONS["_random_normal"](self._words(shape), mean, stddev, shape, dtype)

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
        return FUNCTIONS["_truncated_normal"](self._words(shape), mean, stddev, shape, dtype)

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
            return FUNCTIONS["_random_integers"](words, low, high, shape)
        low = parameter(minval, 0, dtype)
        high = parameter(1 if maxval is None else maxval, 1, dtype)
        words = self._words(shape)
        require(dtype, FLOATS)
        return FUNCTIONS["_random_uniform"](words, low, high, shape, dtype)

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
        return generator_states.full_integers(self.skip(_size(shape)), shape, dtype)

    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = dtypes.int32, name: None = None
    ) -> EagerTensor:
        """Draws how many of `counts` trials succeed, see `tf.random.stateless_binomial`.

        Unlike TensorFlow, the numbers are those of JAX's generator.

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
        seed = generator_states.seed(self.skip(BINOMIAL * (size + MORE * inner)))
        stateless: Callable[..., EagerTensor] = FUNCTIONS["random.stateless_binomial"]
        return stateless(shape, seed, counts, probs, dtype)
