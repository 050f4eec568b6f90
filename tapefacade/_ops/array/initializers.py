"""Callables that make the first values of variables."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import constant
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import as_shape
from tapefacade._definition.op import function
from tapefacade._ops.random.stateful import normal, uniform
from tapefacade._ops.random.stateless import stateless_normal, stateless_uniform

PARTITION = ("partition_shape", "partition_offset")


class Initializer(ABC):
    """The base of the callables that make a tensor of a given shape and dtype.

    >>> tf.zeros_initializer()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    @abstractmethod
    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> EagerTensor:
        """Makes the tensor.

        Args:
            shape: its shape.
            dtype: its dtype.
            **kwargs: `partition_shape`, the shape to make instead, and `partition_offset`.

        Returns:
            A tensor.
        """

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments the initializer was made with."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Makes an initializer of what `get_config` returned.

        Args:
            config: the arguments.

        Returns:
            An initializer.
        """
        config.pop("dtype", None)
        return cls(**config)


def _dimensions(shape: Any, kwargs: dict[str, Any]) -> tuple[int, ...]:
    for name in kwargs:
        if name not in PARTITION:
            raise TypeError(
                f"Keyword argument should be one of {list(PARTITION)}. Received: {name}"
            )
    sizes = as_shape(kwargs.get("partition_shape", shape)).as_list()
    return tuple(int(size) for size in sizes if size is not None)


def floating(dtype: Any) -> dtypes.DType:
    """Returns a dtype.

    Raises:
        ValueError: if it is no floating one.
    """
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
    return dtype


def _numeric(dtype: Any) -> dtypes.DType:
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_numpy_compatible or dtype.name == "string":
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
    return dtype


class zeros_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """Makes zeros.

    >>> tf.zeros_initializer()([2], tf.int32).numpy()
    array([0, 0], dtype=int32)
    """

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> EagerTensor:
        """Makes a tensor of zeros; see `Initializer`."""
        return constant(np.zeros(_dimensions(shape, kwargs), _numeric(dtype).as_numpy_dtype))


class ones_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """Makes ones.

    >>> tf.ones_initializer()([2], tf.int32).numpy()
    array([1, 1], dtype=int32)
    """

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> EagerTensor:
        """Makes a tensor of ones; see `Initializer`."""
        return constant(np.ones(_dimensions(shape, kwargs), _numeric(dtype).as_numpy_dtype))


class constant_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """Makes tensors with given values.

    Args:
        value: a number for all elements, or a list or array with as many as the tensor has.
        support_partition: whether parts of the tensor may be asked for.

    Raises:
        TypeError: if `value` is of another kind.

    >>> tf.constant_initializer(3.0)([2]).numpy()
    array([3., 3.], dtype=float32)
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, list | tuple | np.ndarray)):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, "
                "list or tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> EagerTensor:
        """Makes the tensor, by default of the dtype of the values; see `Initializer`."""
        dimensions = _dimensions(shape, kwargs)
        if kwargs and not self.support_partition:
            raise ValueError("Constant initializer doesn't support partition-related arguments")
        return constant(self.value, dtype, dimensions)

    def get_config(self) -> dict[str, Any]:
        """Returns the value."""
        return {"value": self.value}


class random_normal_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """Draws normal numbers.

    Args:
        mean: the mean.
        stddev: the standard deviation.
        seed: an integer, with which every call gives the same numbers; None for others each time.

    >>> tf.random_normal_initializer()([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> EagerTensor:
        """Draws a tensor of a floating dtype; see `Initializer`."""
        dtype = floating(dtype)
        shape = _dimensions(shape, kwargs)
        if self.seed is None:
            return normal(shape, self.mean, self.stddev, dtype)
        return stateless_normal(shape, [self.seed, 0], self.mean, self.stddev, dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the parameters of the distribution and the seed."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


class random_uniform_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """Draws uniformly distributed numbers.

    Args:
        minval: the lower limit, which is included.
        maxval: the upper limit, which is excluded.
        seed: an integer, with which every call gives the same numbers; None for others each time.

    >>> tf.random_uniform_initializer()([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(
        self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> EagerTensor:
        """Draws a tensor of a floating or integer dtype; see `Initializer`."""
        dtype = dtypes.as_dtype(dtype)
        if not (dtype.is_floating or dtype.is_integer):
            raise ValueError(
                f"Argument `dtype` is expected to be numeric or boolean. Received: {dtype}."
            )
        shape = _dimensions(shape, kwargs)
        if self.seed is None:
            return uniform(shape, self.minval, self.maxval, dtype)
        return stateless_uniform(shape, [self.seed, 0], self.minval, self.maxval, dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the limits and the seed."""
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


# Under TensorFlow's names of the classes, Keras finds its own where a layer is made of a config.
for _initializer, _name in {
    zeros_initializer: "Zeros", ones_initializer: "Ones", constant_initializer: "Constant",
    random_normal_initializer: "RandomNormal", random_uniform_initializer: "RandomUniform",
}.items():  # fmt: skip
    function(_initializer.__name__)(_initializer)
    _initializer.__name__ = _initializer.__qualname__ = _name
    globals()[_name] = _initializer
