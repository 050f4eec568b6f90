"""Random numbers: `tf.experimental.numpy.random`."""

from typing import Any

import numpy as np

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.random_seeds import set_seed
from tapefacade._definition.op import function
from tapefacade._numpy.creation import sizes
from tapefacade._numpy.promotion import as_tensor
from tapefacade._ops.array.shapes import broadcast_static_shape
from tapefacade._ops.random import gamma_poisson, stateful


@function("experimental.numpy.random.seed")
def seed(s: Any) -> None:
    """Sets the global seed, as `tf.random.set_seed` does.

    Args:
        s: an integer.

    Raises:
        ValueError: if `s` is none.

    >>> tf.experimental.numpy.random.seed(1)
    """
    try:
        number = int(s)
    except TypeError:
        raise ValueError(
            f"Argument `s` got an invalid value {s}. Only integers are supported."
        ) from None
    set_seed(number)


@function("experimental.numpy.random.randn")
def randn(*args: Any) -> Any:
    """Draws from the normal distribution of mean 0 and variance 1.

    Args:
        *args: the sizes of the dimensions.

    Returns:
        A float64 tensor.

    >>> tf.experimental.numpy.random.randn(2, 3).shape
    TensorShape([2, 3])
    """
    return standard_normal(args)


@function("experimental.numpy.random.standard_normal")
def standard_normal(size: Any = None) -> Any:
    """Draws from the normal distribution of mean 0 and variance 1.

    Args:
        size: the shape, by default a scalar.

    Returns:
        A float64 tensor.

    >>> tf.experimental.numpy.random.standard_normal([2]).dtype
    tf.float64
    """
    return stateful.normal(() if size is None else sizes(size), dtype="float64")


@function("experimental.numpy.random.rand")
def rand(*size: Any) -> Any:
    """Draws from the uniform distribution between 0 and 1.

    Args:
        *size: the sizes of the dimensions.

    Returns:
        A float64 tensor.

    >>> tf.experimental.numpy.random.rand(2, 3).shape
    TensorShape([2, 3])
    """
    return uniform(0.0, 1.0, size)


@function("experimental.numpy.random.random")
def random(size: Any = None) -> Any:
    """Draws from the uniform distribution between 0 and 1.

    Args:
        size: the shape, by default a scalar.

    Returns:
        A float64 tensor.

    >>> tf.experimental.numpy.random.random([2]).dtype
    tf.float64
    """
    return uniform(0.0, 1.0, size)


@function("experimental.numpy.random.uniform")
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Draws from the uniform distribution between two limits.

    Beyond TensorFlow's, which takes a list only, `size` may be an integer.

    Args:
        low: the lower limit, which broadcasts with `high`.
        high: the upper limit, which is not drawn.
        size: the shape, by default the common one of the limits.

    Returns:
        A float64 tensor.

    >>> tf.experimental.numpy.random.uniform(0, 1, [2]).dtype
    tf.float64
    """
    first, last = as_tensor(low, "float64"), as_tensor(high, "float64")
    if size is None:
        size = broadcast_static_shape(first.shape, last.shape)
    return first + stateful.uniform(sizes(size), dtype="float64") * (last - first)


@function("experimental.numpy.random.randint")
def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
    """Draws integers between two limits.

    Args:
        low: the lower limit; without `high` the upper one, and the lower one is 0.
        high: the upper limit, which is not drawn.
        size: the shape, by default a scalar.
        dtype: int32 or int64.

    Returns:
        A tensor.

    Raises:
        ValueError: if `dtype` is another one.
        InvalidArgumentError: if the upper limit is not above the lower one.

    >>> tf.experimental.numpy.random.randint(1, 7, [2]).dtype
    tf.int64
    """
    first, last = (0, int(low)) if high is None else (int(low), int(high))
    if dtype not in (np.int32, np.int64):
        raise ValueError(
            f"Argument `dtype` got an invalid value {dtype}. Only those convertible to "
            f"{(np.int32, np.int64)} are supported."
        )
    return stateful.uniform(() if size is None else sizes(size), first, last, dtype=dtype)


@function("experimental.numpy.random.poisson")
def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Draws from Poisson distributions.

    Args:
        lam: their means.
        size: how many to draw of each, a shape; by default one.

    Returns:
        An int64 tensor of the shape `size + lam.shape`.

    >>> tf.experimental.numpy.random.poisson([1.0, 2.0], [3]).shape
    TensorShape([3, 2])
    """
    means = as_tensor(lam) if hasattr(lam, "dtype") else convert_to_tensor(lam)
    return gamma_poisson.poisson(() if size is None else sizes(size), means, dtype=np.int64)
