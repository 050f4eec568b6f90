"""Random numbers that depend only on a seed given with the call: `tf.random.stateless_*`."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import ndtr

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import (
    dtype_of_numbers,
    invalid,
    negative_dimension,
    shape_text,
)
from tapefacade._core.jax_keys import checked_seed
from tapefacade._core.kernel_dtypes import FLOATS_EXCEPT_BFLOAT16, FLOATS_HALF_FIRST
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import (
    Check,
    FreeTensor,
    NoGradient,
    NotDifferentiable,
    OptionalTensor,
    TensorLike,
    function,
    op,
)
from tapefacade._ops.random import philox, truncated_normal
from tapefacade._ops.random.generator_states import require_philox
from tapefacade._ops.random.philox import classes
from tapefacade._ops.random.stateful import (
    MESSAGE_SAMPLE_SHAPE,
    RANGE_CHECK,
    UNIFORM as UNIFORM_STATEFUL,
    dimensions,
    index_type,
    integers,
    noise_between,
    parameter,
    require,
    scaled_noise,
)

UNIFORM = (*UNIFORM_STATEFUL, "uint32", "uint64")


@function("random.stateless_normal")
def stateless_normal(
    shape: Any,
    seed: FreeTensor,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: None = None,
    alg: str = "auto_select",
) -> EagerTensor:
    """Draws numbers from a normal distribution, the same for the same `seed`.

    The numbers are TensorFlow's, see `tf.random.set_seed`.

    Args:
        shape: the shape of the result.
        seed: two integers.
        mean: the mean, a number or a tensor that broadcasts to `shape`.
        stddev: the standard deviation, likewise.
        dtype: a floating dtype.
        name: ignored.
        alg: the algorithm, a `tf.random.Algorithm` or its name: only Philox makes numbers.

    Returns:
        A tensor of `shape` and `dtype`. Gradients flow to `mean` and `stddev`.

    Raises:
        InvalidArgumentError: if `seed` is no pair of integers.

    >>> first, second = (tf.random.stateless_normal([2], [1, 2]) for _ in range(2))
    >>> bool(tf.reduce_all(first == second))
    True
    """
    require_philox(alg, "StatelessRandomNormalV2")
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = parameter(mean, 0, dtype), parameter(stddev, 1, dtype)
    return _stateless_normal(seed, mean, stddev, shape, dtype)


@op("_stateless_normal", kernel="StatelessRandomNormalV2")
def _stateless_normal(
    seed: FreeTensor,
    mean: OptionalTensor,
    stddev: OptionalTensor,
    shape: Any,
    dtype: dtypes.DType,
) -> jax.Array:
    """Draws for `tf.random.stateless_normal`."""
    require(dtype, FLOATS_HALF_FIRST)
    noise = philox.normal(philox.seeded_state(seed), dimensions(shape), dtype.as_numpy_dtype)
    return scaled_noise(noise, mean, stddev)


@function("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: Any,
    seed: FreeTensor,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: None = None,
    alg: str = "auto_select",
) -> EagerTensor:
    """Draws normal numbers within two standard deviations, the same for the same `seed`.

    Args:
        shape: the shape of the result.
        seed: two integers.
        mean: the mean, a number or a tensor that broadcasts to `shape`.
        stddev: the standard deviation of the whole distribution, likewise.
        dtype: a floating dtype.
        name: ignored.
        alg: see `tf.random.stateless_normal`.

    Returns:
        A tensor of `shape` and `dtype`. Gradients flow to `mean` and `stddev`.

    Raises:
        InvalidArgumentError: if `seed` is no pair of integers.

    >>> tf.random.stateless_truncated_normal([2, 3], [1, 2]).shape
    TensorShape([2, 3])
    """
    require_philox(alg, "StatelessTruncatedNormalV2")
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = parameter(mean, 0, dtype), parameter(stddev, 1, dtype)
    return _stateless_truncated_normal(seed, mean, stddev, shape, dtype)


@op("_stateless_truncated_normal", kernel="StatelessTruncatedNormalV2")
def _stateless_truncated_normal(
    seed: FreeTensor,
    mean: OptionalTensor,
    stddev: OptionalTensor,
    shape: Any,
    dtype: dtypes.DType,
) -> jax.Array:
    """Draws for `tf.random.stateless_truncated_normal`."""
    require(dtype, FLOATS_HALF_FIRST)
    state = philox.seeded_state(seed)
    noise = philox.truncated_normal(state, dimensions(shape), dtype.as_numpy_dtype)
    return scaled_noise(noise, mean, stddev)


@function("random.stateless_uniform")
def stateless_uniform(
    shape: Any,
    seed: FreeTensor,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: None = None,
    alg: str = "auto_select",
) -> EagerTensor:
    """Draws numbers uniformly between two limits, the same for the same `seed`.

    Args:
        shape: the shape of the result.
        seed: two integers.
        minval: the lower limit, which is included. None for integers of the whole range.
        maxval: the upper limit, which is excluded; by default 1.
        dtype: a floating dtype, int32, int64, uint32 or uint64.
        name: ignored.
        alg: see `tf.random.stateless_normal`.

    Returns:
        A tensor of `shape` and `dtype`. Gradients flow to the limits.

    Raises:
        ValueError: if only one limit of integers is given, or the dtype is unsuitable.
        InvalidArgumentError: if `seed` is no pair of integers, or there is no integer between the
            limits.

    >>> tf.random.stateless_uniform([2, 3], [1, 2]).shape
    TensorShape([2, 3])
    """
    require_philox(alg, "StatelessRandomUniformV2")
    dtype = dtypes.as_dtype(dtype)
    if dtype.name not in UNIFORM:
        raise dtype_of_numbers(dtype, UNIFORM)
    if not dtype.is_integer:
        minval, maxval = (
            parameter(minval, 0, dtype),
            parameter(1 if maxval is None else maxval, 1, dtype),
        )
        return _stateless_uniform(seed, minval, maxval, shape, dtype)
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both "
            f"None or not None. Got `minval`={minval} and `maxval`={maxval}."
        )
    if minval is None:
        return _stateless_bits(seed, shape, dtype)
    if dtype.is_unsigned:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None. "
            "Please don't use unsigned integers in this case."
        )
    return _stateless_integers(seed, convert(minval, dtype), convert(maxval, dtype), shape)


@op("_stateless_uniform", kernel="StatelessRandomUniformV2")
def _stateless_uniform(
    seed: FreeTensor,
    minval: OptionalTensor,
    maxval: OptionalTensor,
    shape: Any,
    dtype: dtypes.DType,
) -> jax.Array:
    """Draws floating numbers for `tf.random.stateless_uniform`."""
    noise = philox.uniform(philox.seeded_state(seed), dimensions(shape), dtype.as_numpy_dtype)
    return noise_between(noise, minval, maxval)


@op(
    "_stateless_integers",
    kernel="StatelessRandomUniformIntV2",
    gradient=NotDifferentiable(),
    check=RANGE_CHECK,
)
def _stateless_integers(
    seed: FreeTensor, minval: TensorLike, maxval: TensorLike, shape: Any
) -> jax.Array:
    """Draws integers between limits for `tf.random.stateless_uniform`."""
    return integers(philox.seeded_state(seed), minval, maxval, shape)


@op("_stateless_bits", kernel="StatelessRandomUniformFullIntV2", gradient=NotDifferentiable())
def _stateless_bits(seed: FreeTensor, shape: Any, dtype: dtypes.DType) -> jax.Array:
    """Draws integers of the whole range for `tf.random.stateless_uniform`."""
    return philox.bits(philox.seeded_state(seed), dimensions(shape), dtype.as_numpy_dtype)


@function("random.stateless_categorical")
def stateless_categorical(
    logits: TensorLike,
    num_samples: int,
    seed: FreeTensor,
    dtype: Any = dtypes.int64,
    name: None = None,
) -> EagerTensor:
    """Draws numbers of classes from categorical distributions, the same for the same `seed`.

    Args:
        logits: the logarithms of the odds, a tensor of shape `[B, C]`.
        num_samples: how many numbers to draw from each row.
        seed: two integers.
        dtype: int32 or int64.
        name: ignored.

    Returns:
        A tensor of shape `[B, num_samples]`. No gradient flows to `logits`.

    Raises:
        InvalidArgumentError: if `logits` is no matrix, or `seed` no pair of integers.

    >>> tf.random.stateless_categorical([[0.0, -np.inf]], 3, [1, 2]).numpy()
    array([[0, 0, 0]])
    """
    return _stateless_categorical(seed, logits, num_samples, index_type(dtype))


@op("_stateless_categorical", kernel="StatelessMultinomial", gradient=NotDifferentiable())
def _stateless_categorical(
    seed: FreeTensor, logits: TensorLike, num_samples: int, dtype: dtypes.DType
) -> jax.Array:
    """Draws for `tf.random.stateless_categorical`."""
    return classes(philox.seeded_state(seed), logits, num_samples, dtype)


@op(
    "random.experimental.stateless_shuffle",
    kernel="StatelessShuffle",
    gradient=NoGradient("StatelessShuffle"),
)
def stateless_shuffle(value: FreeTensor, seed: FreeTensor, alg: str = "auto_select") -> jax.Array:
    """Puts the rows of a tensor into a random order, the same for the same `seed`.

    Args:
        value: a tensor; its first dimension is shuffled.
        seed: two integers.
        alg: see `tf.random.stateless_normal`.

    Returns:
        A tensor of the shape and type of `value`.

    Raises:
        InvalidArgumentError: if `seed` is no pair of integers.

    >>> sorted(tf.random.experimental.stateless_shuffle([1, 2, 3], [1, 2]).numpy().tolist())
    [1, 2, 3]
    """
    require_philox(alg, "StatelessShuffle")
    key = checked_seed(seed)
    return value if value.ndim == 0 else jax.random.permutation(key, value)


@op("random.split", "random.experimental.stateless_split", gradient=NotDifferentiable())
def split(seed: FreeTensor, num: int = 2, alg: str = "auto_select") -> jax.Array:
    """Makes independent seeds of one.

    Args:
        seed: two integers.
        num: how many seeds to make.
        alg: see `tf.random.stateless_normal`.

    Returns:
        A tensor of shape `[num, 2]` and the type of `seed`.

    Raises:
        InvalidArgumentError: if `seed` is no pair of integers.

    >>> tf.random.split([1, 2], 3).shape
    TensorShape([3, 2])
    """
    require_philox(alg, "StatelessRandomUniformFullIntV2")
    if num < 0:
        raise invalid(negative_dimension(num))
    return philox.bits(philox.seeded_state(seed), (num, 2), seed.dtype)


@op("random.fold_in", "random.experimental.stateless_fold_in", gradient=NotDifferentiable())
def fold_in(seed: FreeTensor, data: FreeTensor, alg: str = "auto_select") -> jax.Array:
    """Makes a new seed of a seed and a number, such as that of a step.

    Args:
        seed: two integers.
        data: an integer scalar.
        alg: see `tf.random.stateless_normal`.

    Returns:
        A tensor of shape `[2]` and the type of `data`.

    Raises:
        InvalidArgumentError: if `seed` is no pair of integers.

    >>> tf.random.fold_in([1, 2], 3).shape
    TensorShape([2])
    """
    require_philox(alg, "StatelessRandomUniformFullIntV2")
    return jnp.stack([philox.bits(philox.seeded_state(seed), (), data.dtype), data])


@function("random.stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(
    shape: Any, seed: Any, means: Any = 0.0, stddevs: Any = 1.0, minvals: Any = -2.0,
    maxvals: Any = 2.0, name: None = None,
) -> EagerTensor:  # fmt: skip
    """Draws normal numbers between limits, the same for the same `seed`.

    The parameters broadcast; the last dimensions of `shape` are those of the parameters. The
    numbers are TensorFlow's; of some thousands, which it divides among its threads, those that it
    draws with one thread. Unlike TensorFlow, which raises an error where no candidate fits, as
    where a mean is NaN, the number is NaN then.

    Args:
        shape: the shape of the result.
        seed: two integers.
        means: the means of the whole distributions.
        stddevs: their standard deviations, positive.
        minvals: the lower limits.
        maxvals: the upper limits.
        name: ignored.

    Returns:
        A tensor of `shape` and the dtype of `means`. Gradients flow to the parameters: those of
        `means` and `stddevs` leave the limits in units of `stddevs` alone, as in TensorFlow.

    Raises:
        InvalidArgumentError: if a standard deviation is not positive, a lower limit not below the
            upper one, both are infinite, `seed` no pair of integers, or the shapes do not fit
            together.

    >>> drawn = tf.random.stateless_parameterized_truncated_normal([99], [1, 2], 0.0, 1.0, 3.0, 4.0)
    >>> bool(tf.reduce_all((drawn >= 3) & (drawn <= 4)))
    True
    """
    return _draw(seed, means, stddevs, minvals, maxvals, shape)


def _valid(stddevs: Any, minvals: Any, maxvals: Any, **_: Any) -> tuple[Any, ...]:
    limited = jnp.all(jnp.isfinite(minvals) | jnp.isfinite(maxvals))
    return (jnp.all(stddevs > 0) & jnp.all(minvals < maxvals) & limited,)


def _invalid(**_: Any) -> Exception:
    return invalid("Invalid parameters")


@op(
    "_stateless_parameterized_truncated_normal",
    kernel="StatelessParameterizedTruncatedNormal",
    dtypes=FLOATS_EXCEPT_BFLOAT16,
    check=Check(("stddevs", "minvals", "maxvals"), test=_valid, error=_invalid),
)
def _draw(
    seed: FreeTensor, means: TensorLike, stddevs: TensorLike, minvals: TensorLike,
    maxvals: TensorLike, shape: Any,
) -> jax.Array:  # fmt: skip
    """Draws for `tf.random.stateless_parameterized_truncated_normal`."""
    if not isinstance(shape, tuple):
        raise invalid("Input shape should be a vector, got shape: []")
    shape = dimensions(shape)
    parameters = (means, stddevs, minvals, maxvals)
    try:
        inner = np.broadcast_shapes(*(x.shape for x in parameters))
    except ValueError:
        given = " vs. ".join(f"{shape_text(x.shape)}" for x in parameters)
        raise invalid(
            f"means, stddevs, minvals, maxvals must have compatible batch dimensions: {given}"
        ) from None
    if shape[len(shape) - len(inner) :] != inner or len(inner) > len(shape):
        raise invalid(MESSAGE_SAMPLE_SHAPE)
    state = philox.seeded_state(seed)
    return _cut_draws(state, *(jnp.broadcast_to(x, inner) for x in parameters), shape)


@functools.partial(jax.custom_jvp, nondiff_argnums=(5,))
def _cut_draws(
    state: jax.Array, mean: jax.Array, stddev: jax.Array, low: jax.Array, high: jax.Array,
    shape: tuple[int, ...],
) -> jax.Array:  # fmt: skip
    samples = int(np.prod(shape[: len(shape) - mean.ndim], dtype=np.int64))
    parameters = (x.reshape(-1) for x in (mean, stddev, low, high))
    return truncated_normal.numbers_between(state, *parameters, samples=samples).reshape(shape)


@_cut_draws.defjvp
def _cut_draws_jvp(
    shape: tuple[int, ...], primals: Any, tangents: Any
) -> tuple[jax.Array, jax.Array]:
    """Differentiates as TensorFlow does, with the limits in units of the standard deviation.

    The distribution function says how much of the distribution lies below a number. It is precise
    below the mean: what lies above is mirrored.
    """
    drawn = _cut_draws(*primals, shape)
    by_mean, by_stddev, by_low, by_high = (x.astype(np.float64) for x in tangents[1:])
    mean, stddev, low, high = (x.astype(np.float64) for x in primals[1:])
    z, low, high = ((x - mean) / stddev for x in (drawn.astype(np.float64), low, high))
    is_above = low > 0
    start, end = jnp.where(is_above, -high, low), jnp.where(is_above, -low, high)
    part = ndtr(jnp.where(is_above, -z, z)) - ndtr(start)
    part = part / (ndtr(end) - ndtr(start))
    fraction = jnp.where(is_above, 1 - part, part)
    rest = jnp.where(is_above, part, 1 - part)
    slope = (
        by_mean
        + z * by_stddev
        + jnp.exp((z * z - low * low) / 2) * rest * by_low
        + jnp.exp((z * z - high * high) / 2) * fraction * by_high
    )
    return drawn, slope.astype(drawn.dtype)
