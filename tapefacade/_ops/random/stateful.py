"""Random numbers from the global generator."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes, random_keys, random_seeds
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.error_texts import (
    dtype_of_numbers,
    invalid,
    negative_dimension,
    refused_type,
    shape_text,
    unsupported_value,
)
from tapefacade._core.kernel_dtypes import FLOATS_HALF_FIRST, INDICES
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import type_of
from tapefacade._definition.argument_checks import broadcast_shape
from tapefacade._definition.op import (
    Check,
    FreeTensor,
    NotDifferentiable,
    OptionalTensor,
    TensorLike,
    function,
    op,
)
from tapefacade._ops.random import philox
from tapefacade._ops.random.philox import blocks_of_classes, classes, order
from tapefacade._trace.open_sizes import ACCOUNTS, with_axes_along

MESSAGE_SAMPLE_SHAPE = "Shape passed in must end with broadcasted shape."
POISSON = ("half", "float", "double", "int32", "int64")
UNIFORM = ("float16", "bfloat16", "float32", "float64", "int32", "int64")


def dimensions(shape: Any) -> tuple[int, ...]:
    """Checks the shape of random numbers, which an op has made static.

    Raises:
        InvalidArgumentError: if it is no vector of integers that are not negative.
        ValueError: if it is None or has None in it.
    """
    if shape is None or (isinstance(shape, tuple) and None in shape):
        raise unsupported_value(None)
    if not isinstance(shape, tuple) or any(isinstance(n, tuple) for n in shape):
        given = shape_text(np.shape(shape))
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {given}")
    for n in shape:
        if not isinstance(n, int):
            raise refused_type("T", "float", INDICES)
        if n < 0:
            raise invalid(negative_dimension(n))
    type_of(shape, np.dtype(np.float16))  # refuses what there is no memory for
    return shape


def require(dtype: dtypes.DType, allowed: tuple[str, ...]) -> None:
    """Raises TensorFlow's error if random numbers cannot have a dtype."""
    if dtype.kernel_name not in allowed:
        raise refused_type("dtype", dtype.kernel_name, allowed)


def parameter(value: Any, default: Any, dtype: dtypes.DType) -> Any:
    """Converts a parameter of a distribution; None if it is the default and `dtype` is floating."""
    if dtype.is_floating and type(value) in (int, float) and value == default:
        return None
    return convert(value, dtype)


def scaled_noise(noise: jax.Array, mean: Any, stddev: Any) -> jax.Array:
    """Returns `noise * stddev + mean`, where None stands for 1 and 0."""
    for other in (stddev, mean):
        if other is not None:
            broadcast_shape(noise.shape, other.shape)
    result = noise if stddev is None else noise * stddev
    return result if mean is None else result + mean


set_seed = function("random.set_seed")(random_seeds.set_seed)


@function("random.normal")
def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: None = None,
) -> EagerTensor:
    """Draws numbers from a normal distribution.

    Args:
        shape: the shape of the result.
        mean: the mean, a number or a tensor that broadcasts to `shape`.
        stddev: the standard deviation, likewise.
        dtype: a floating dtype.
        seed: makes the numbers repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        A tensor of `shape` and `dtype`, different at each call. Gradients flow to `mean` and
        `stddev`.

    Raises:
        InvalidArgumentError: if `shape` is no vector of sizes, or `dtype` is not floating.

    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = parameter(mean, 0, dtype), parameter(stddev, 1, dtype)
    state = random_keys.next_state("RandomStandardNormal", dtype, seed, shape)
    return _random_normal(state, mean, stddev, shape, dtype)


@op("_random_normal", kernel="RandomStandardNormal")
def _random_normal(
    state: FreeTensor,
    mean: OptionalTensor,
    stddev: OptionalTensor,
    shape: Any,
    dtype: dtypes.DType,
) -> jax.Array:
    """Draws for `tf.random.normal`."""
    require(dtype, FLOATS_HALF_FIRST)
    return scaled_noise(philox.normal(state, dimensions(shape), dtype.as_numpy_dtype), mean, stddev)


@function("random.truncated_normal")
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: None = None,
) -> EagerTensor:
    """Draws from a normal distribution without what lies beyond two standard deviations.

    Args:
        shape: the shape of the result.
        mean: the mean, a number or a tensor that broadcasts to `shape`.
        stddev: the standard deviation of the whole distribution, likewise.
        dtype: a floating dtype.
        seed: makes the numbers repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        A tensor of `shape` and `dtype`, different at each call. Gradients flow to `mean` and
        `stddev`.

    Raises:
        InvalidArgumentError: if `shape` is no vector of sizes, or `dtype` is not floating.

    >>> bool(tf.reduce_all(tf.abs(tf.random.truncated_normal([9])) <= 2.0))
    True
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = parameter(mean, 0, dtype), parameter(stddev, 1, dtype)
    state = random_keys.next_state("TruncatedNormal", dtype, seed, shape)
    return _truncated_normal(state, mean, stddev, shape, dtype)


@op("_truncated_normal", kernel="TruncatedNormal")
def _truncated_normal(
    state: FreeTensor,
    mean: OptionalTensor,
    stddev: OptionalTensor,
    shape: Any,
    dtype: dtypes.DType,
) -> jax.Array:
    """Draws for `tf.random.truncated_normal`."""
    require(dtype, FLOATS_HALF_FIRST)
    noise = philox.truncated_normal(state, dimensions(shape), dtype.as_numpy_dtype)
    return scaled_noise(noise, mean, stddev)


@function("random.uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: None = None,
) -> EagerTensor:
    """Draws numbers that are uniformly distributed between `minval` and `maxval`.

    Args:
        shape: the shape of the result.
        minval: the lower limit, which is included; a number or tensor, scalar for integers.
        maxval: the upper limit, which is excluded; by default 1, needed for integers.
        dtype: float16, bfloat16, float32, float64, int32 or int64.
        seed: makes the numbers repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        A tensor of `shape` and `dtype`, different at each call. Gradients flow to the limits.

    Raises:
        ValueError: if `maxval` is missing for integers, or `dtype` is unsuitable.
        InvalidArgumentError: if `shape` is no vector of sizes, or there is no integer between the
            limits.

    >>> bool(tf.reduce_all(tf.random.uniform([9], maxval=3, dtype=tf.int32) < 3))
    True
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype.name not in UNIFORM:
        raise dtype_of_numbers(dtype, UNIFORM)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    if dtype.is_integer:
        state = random_keys.next_state("RandomUniformInt", dtype, seed, shape)
        return _random_integers(state, convert(minval, dtype), convert(maxval, dtype), shape)
    minval, maxval = parameter(minval, 0, dtype), parameter(maxval, 1, dtype)
    state = random_keys.next_state("RandomUniform", dtype, seed, shape)
    return _random_uniform(state, minval, maxval, shape, dtype)


@op("_random_uniform", kernel="RandomUniform")
def _random_uniform(
    state: FreeTensor,
    minval: OptionalTensor,
    maxval: OptionalTensor,
    shape: Any,
    dtype: dtypes.DType,
) -> jax.Array:
    """Draws floating numbers for `tf.random.uniform`."""
    noise = philox.uniform(state, dimensions(shape), dtype.as_numpy_dtype)
    return noise_between(noise, minval, maxval)


def noise_between(noise: jax.Array, minval: Any, maxval: Any) -> jax.Array:
    """Spreads numbers between 0 and 1 over another range; None stands for 0 and 1."""
    if maxval is None and minval is None:
        return noise
    high = jnp.ones((), noise.dtype) if maxval is None else maxval
    return scaled_noise(noise, minval, high if minval is None else high - minval)


def _range_is_not_empty(minval: Any, maxval: Any, shape: Any, **_: Any) -> tuple[Any, ...]:
    empty = isinstance(shape, tuple) and 0 in shape
    if empty or minval.shape or maxval.shape:
        return (np.bool_(True), minval, maxval)
    return (minval < maxval, minval, maxval)


def _empty_range(minval: np.ndarray, maxval: np.ndarray, **_: Any) -> Exception:
    return invalid(f"Need minval < maxval, got {minval} >= {maxval}")


RANGE_CHECK = Check(values=("minval", "maxval"), test=_range_is_not_empty, error=_empty_range)


@op("_random_integers", kernel="RandomUniformInt", gradient=NotDifferentiable(), check=RANGE_CHECK)
def _random_integers(
    state: FreeTensor, minval: TensorLike, maxval: TensorLike, shape: Any
) -> jax.Array:
    """Draws integers for `tf.random.uniform`."""
    return integers(state, minval, maxval, shape)


def integers(state: jax.Array, minval: jax.Array, maxval: jax.Array, shape: Any) -> jax.Array:
    """Draws integers between two limits, which must be scalars."""
    for name, limit in (("minval", minval), ("maxval", maxval)):
        if limit.ndim:
            given = shape_text(limit.shape)
            raise invalid(f"{name} must be 0-D, got shape {given}")
    return philox.integers(state, minval, maxval, dimensions(shape))


@function("random.categorical")
def categorical(
    logits: TensorLike, num_samples: int, dtype: Any = None, seed: Any = None, name: None = None
) -> EagerTensor:
    """Draws numbers of classes from categorical distributions.

    Beyond TensorFlow, the logits may be integers.

    Args:
        logits: the logarithms of the odds, a tensor of shape `[B, C]`.
        num_samples: how many numbers to draw from each row.
        dtype: int32 or int64 (the default).
        seed: makes the numbers repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        A tensor of shape `[B, num_samples]`. No gradient flows to `logits`.

    Raises:
        InvalidArgumentError: if `logits` is no matrix or has no columns, or `num_samples` is
            negative.

    >>> tf.random.categorical([[0.0, -np.inf]], 3).numpy()
    array([[0, 0, 0]])
    """
    logits = convert_to_tensor(logits)
    kind, blocks = index_type(dtype), blocks_of_classes(logits, num_samples)
    state = random_keys.next_made("Multinomial", (logits.dtype, kind), seed, blocks)
    return _categorical(state, logits, num_samples, kind)


def index_type(dtype: Any) -> dtypes.DType:
    """Checks the dtype of numbers of classes."""
    found = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    if found not in (dtypes.int32, dtypes.int64):
        raise dtype_of_numbers(found, ("int32", "int64"))
    return found


@op("_categorical", kernel="Multinomial", gradient=NotDifferentiable())
def _categorical(
    state: FreeTensor, logits: TensorLike, num_samples: int, dtype: dtypes.DType
) -> jax.Array:
    """Draws for `tf.random.categorical`."""
    return classes(state, logits, num_samples, dtype)


@function("random.shuffle")
def shuffle(value: FreeTensor, seed: Any = None, name: None = None) -> EagerTensor:
    """Puts the rows of a tensor into a random order.

    Args:
        value: a tensor; its first dimension is shuffled.
        seed: makes the order repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        A tensor of the shape and type of `value`. No gradient flows to it.

    >>> sorted(tf.random.shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    value = convert_to_tensor(value)
    count = value.shape[0] if value.shape.rank else 0
    blocks = -(-(count - 1) // 4)  # the last row has no choice
    made = partial(order, count=count)
    key = random_keys.next_made("RandomShuffle", value.dtype, seed, blocks, made)
    shuffled = _shuffle(key, value)
    return with_axes_along(shuffled, {0: value}) if ACCOUNTS and value.shape.rank else shuffled


@op("_shuffle", kernel="RandomShuffle", gradient=NotDifferentiable(), moves=True)
def _shuffle(order: FreeTensor, value: FreeTensor) -> jax.Array:
    """Shuffles for `tf.random.shuffle`."""
    return value[order] if value.ndim else value
