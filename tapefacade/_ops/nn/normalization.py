"""Moments, batch and other normalizations, and biases of neural networks."""

from typing import Annotated, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import (
    invalid,
    reduction_axis_out_of_range,
    reduction_axis_twice,
    shape_text,
    wrong_input,
)
from tapefacade._core.kernel_dtypes import FLOATS_EXCEPT_DOUBLE, NUMBERS
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import broadcast_shape, require_type
from tapefacade._definition.op import (
    Differentiable,
    FreeTensor,
    TensorLike,
    function,
    op,
)
from tapefacade._ops.math.arithmetic import add, multiply
from tapefacade._ops.math.elementary import reciprocal, square
from tapefacade._ops.math.reduction import reduce_sum

OptionalFree = Annotated[Any, "free", "optional"]
CHANNELS_FIRST = ("NC", "NCW", "NCHW", "NCDHW")


@op("nn.moments", kernel="Mean")
def moments(
    x: TensorLike, axes: Any, shift: None = None, keepdims: bool = False
) -> tuple[jax.Array, jax.Array]:
    """Computes the mean and the variance, without Bessel's correction.

    Args:
        x: a numeric tensor.
        axes: the dimension or dimensions to reduce.
        shift: ignored.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        The mean and the variance, of the type of `x`.

    Raises:
        InvalidArgumentError: if `x` has no such dimension.

    >>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), axes=[0])
    >>> mean.numpy(), variance.numpy()
    (np.float32(2.0), np.float32(1.0))
    """
    positions = _positions(axes, x.ndim)
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    mean = _mean(wide, positions)
    difference = wide - lax.stop_gradient(mean)
    variance = _mean(difference * jnp.conj(difference), positions)
    if not keepdims:
        mean, variance = jnp.squeeze(mean, positions), jnp.squeeze(variance, positions)
    return mean.astype(x.dtype), variance.astype(x.dtype)


def _mean(x: jax.Array, axes: tuple[int, ...]) -> jax.Array:
    """Divides the sum by the number of elements; integers are rounded towards zero."""
    count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
    total = jnp.sum(x, axes, keepdims=True, dtype=x.dtype)
    if jnp.issubdtype(x.dtype, jnp.integer):
        return lax.div(total, jnp.asarray(count, x.dtype))
    return total / jnp.asarray(count, x.dtype)


def _positions(axes: Any, rank: int) -> tuple[int, ...]:
    given = axes if isinstance(axes, tuple) else (axes,)
    for axis in given:
        if not -rank <= axis < rank:
            raise reduction_axis_out_of_range(axis, rank)
    found = tuple(axis % rank for axis in given)
    for axis in found:
        if found.count(axis) > 1:
            raise reduction_axis_twice(axis)
    return found


@op("nn.weighted_moments", kernel="Mul")
def weighted_moments(
    x: TensorLike, axes: Any, frequency_weights: FreeTensor, keepdims: bool = False
) -> tuple[jax.Array, jax.Array]:
    """Computes the mean and the variance of elements that count as often as their weights say.

    Args:
        x: a floating tensor.
        axes: the dimension or dimensions to reduce.
        frequency_weights: weights that broadcast to `x`.
        keepdims: keep the reduced dimensions with size 1.

    Returns:
        The mean and the variance, of the type of `x`; 0 where the weights sum to 0.

    Raises:
        InvalidArgumentError: if `x` has no such dimension.

    >>> mean, _ = tf.nn.weighted_moments(tf.constant([1.0, 3.0]), [0], [3.0, 1.0])
    >>> mean.numpy()
    np.float32(1.5)
    """
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    weights = frequency_weights.astype(wide.dtype)
    positions = _positions(axes, wide.ndim)
    spread = weights + jnp.zeros_like(wide)
    total = jnp.sum(spread, positions, keepdims=True)
    mean = _quotient(jnp.sum(weights * wide, positions, keepdims=True), total)
    difference = wide - mean
    squares = weights * difference * difference
    variance = _quotient(jnp.sum(squares, positions, keepdims=True), total)
    if not keepdims:
        mean, variance = jnp.squeeze(mean, positions), jnp.squeeze(variance, positions)
    return mean.astype(x.dtype), variance.astype(x.dtype)


def _quotient(x: jax.Array, y: jax.Array) -> jax.Array:
    """Divides; 0 where `y` is 0."""
    zero = y == 0
    return jnp.where(zero, jnp.zeros((), x.dtype), x / jnp.where(zero, jnp.ones((), x.dtype), y))


@op("nn.batch_normalization", kernel="Mul")
def batch_normalization(
    x: FreeTensor,
    mean: TensorLike,
    variance: TensorLike,
    offset: OptionalFree,
    scale: OptionalFree,
    variance_epsilon: TensorLike,
) -> jax.Array:
    """Normalizes with a given mean and variance, then scales and shifts.

    Args:
        x: a floating tensor.
        mean: the mean, which broadcasts to `x`.
        variance: the variance, likewise.
        offset: what is added to the normalized tensor, or None.
        scale: what it is multiplied with before, or None.
        variance_epsilon: a small number that is added to the variance.

    Returns:
        A tensor of the type of `x`.

    Raises:
        InvalidArgumentError: if the shapes or types do not fit together.

    >>> tf.nn.batch_normalization([[3.0]], [1.0], [4.0], None, None, 0.0).numpy()
    array([[1.]], dtype=float32)
    """
    if not jnp.issubdtype(variance.dtype, jnp.inexact):
        raise invalid(wrong_input("AddV2", 1, str(variance.dtype), "float"))
    _check_broadcast(mean, variance, x)
    inverse = lax.rsqrt(variance + variance_epsilon)
    if scale is not None:
        inverse = inverse * scale
    shift = -mean * inverse if offset is None else offset - mean * inverse
    return x * inverse.astype(x.dtype) + shift.astype(x.dtype)


def _check_broadcast(first: jax.Array, *others: jax.Array) -> None:
    shape = first.shape
    for other in others:
        shape = broadcast_shape(shape, other.shape)


@op("nn.bias_add", kernel="BiasAdd", dtypes=NUMBERS)
def bias_add(value: TensorLike, bias: TensorLike, data_format: str | None = None) -> jax.Array:
    """Adds a vector along the channels.

    Args:
        value: a tensor of at least two dimensions.
        bias: a vector with a number for each channel, of the type of `value`.
        data_format: `"N...C"` (the default) if the channels are last, `"NC..."` if they are
            second.

    Returns:
        A tensor of the shape and type of `value`.

    Raises:
        InvalidArgumentError: if `bias` is no vector, or has another size than there are channels.
        ValueError: if there is no such format.

    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy()
    array([[11., 22.]], dtype=float32)
    """
    first = data_format is not None and data_format.startswith("NC")
    if (
        data_format is not None
        and not first
        and not (data_format.startswith("N") and data_format.endswith("C"))
    ):
        raise ValueError(
            f"`data_format` must be of the form `N...C` or `NC...`. Received: {data_format=!s}"
        )
    if value.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {shape_text(value.shape)}")
    if bias.ndim != 1:
        raise invalid(f"Biases must be 1D: {shape_text(bias.shape)}")
    axis = 1 if first else value.ndim - 1
    if bias.shape[0] != value.shape[axis]:
        raise invalid(
            f"Must provide as many biases as the {'channel' if first else 'last'} dimension of "
            f"the input tensor: {shape_text(bias.shape)} vs. {shape_text(value.shape)}"
        )
    return value + lax.broadcast_in_dim(bias, value.shape, (axis,))


@op(
    "nn.local_response_normalization",
    "nn.lrn",
    kernel="LRN",
    dtypes=FLOATS_EXCEPT_DOUBLE,
    raw_op=True,
)
def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
) -> jax.Array:
    """Divides by a power of the sum of squares over the neighbouring channels.

    Beyond TensorFlow, it can be differentiated more than once.

    Args:
        input: a floating tensor of four dimensions, the channels last.
        depth_radius: how many channels to either side are neighbours.
        bias: is added to the sum.
        alpha: multiplies the sum of squares.
        beta: the exponent.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if `input` has not four dimensions.

    >>> tf.nn.local_response_normalization(tf.ones([1, 1, 1, 3])).numpy()
    array([[[[0.5, 0.5, 0.5]]]], dtype=float32)
    """
    if input.ndim != 4:
        raise invalid("in must be 4-dimensional")
    if not 0 <= depth_radius < np.iinfo(np.int32).max:
        raise invalid(f"depth_radius = {depth_radius} larger than int max")
    squares = jnp.pad(input * input, ((0, 0),) * 3 + ((depth_radius, depth_radius),))
    zero = np.zeros((), input.dtype)  # a sum can be differentiated if this is known to be 0
    total = lax.reduce_window(
        squares, zero, lax.add, (1, 1, 1, 2 * depth_radius + 1), (1, 1, 1, 1), "VALID"
    )
    scale, start, power = (jnp.asarray(x, input.dtype) for x in (alpha, bias, beta))
    return input / (start + scale * total) ** power


@function("nn.sufficient_statistics")
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[EagerTensor, EagerTensor, EagerTensor, EagerTensor | None]:
    """Computes the number, the sum and the sum of squares of elements.

    Args:
        x: a numeric tensor.
        axes: the dimensions to reduce, a list.
        shift: is subtracted before, which keeps the sums exact if it is near the mean; or None.
        keepdims: keep the reduced dimensions with size 1.
        name: ignored.

    Returns:
        The number of the elements, their sum, the sum of their squares, and the shift, for
        `tf.nn.normalize_moments`.

    Raises:
        TypeError: if `axes` is no list.
        IndexError: if there is no such dimension.

    >>> count, total, squares, _ = tf.nn.sufficient_statistics([1.0, 3.0], [0])
    >>> count.numpy(), total.numpy(), squares.numpy()
    (np.float32(2.0), np.float32(4.0), np.float32(10.0))
    """
    tensor = convert_to_tensor(x)
    places = tuple(set(axes))
    count, shape = 1, tensor.shape.as_list()
    for axis in places:
        count *= shape[axis]
    shifted = tensor
    if shift is not None:
        shift = convert_to_tensor(shift, tensor.dtype)
        shifted = tensor - shift
    total = reduce_sum(shifted, places, keepdims)
    squares = reduce_sum(square(shifted), places, keepdims)
    return convert_to_tensor(count, tensor.dtype), total, squares, shift


@function("nn.normalize_moments")
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[EagerTensor, EagerTensor]:
    """Computes the mean and the variance from what `tf.nn.sufficient_statistics` returns.

    Args:
        counts: the number of the elements.
        mean_ss: their sum.
        variance_ss: the sum of their squares.
        shift: what was subtracted from them before, or None.
        name: ignored.

    Returns:
        The mean and the variance.

    >>> mean, variance = tf.nn.normalize_moments(2.0, 4.0, 10.0, None)
    >>> mean.numpy(), variance.numpy()
    (np.float32(2.0), np.float32(1.0))
    """
    inverse = reciprocal(counts)
    shifted = multiply(mean_ss, inverse)
    squares = multiply(variance_ss, inverse)
    mean = shifted if shift is None else add(shifted, shift)
    return mean, squares - square(shifted)


@function("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> EagerTensor:
    """Normalizes images by the mean and variance of each channel; see `tf.nn.batch_normalization`.

    Args:
        input: a tensor of four dimensions, the channels last.
        mean: the mean of each channel.
        variance: the variance of each channel.
        beta: what is added to the normalized channel.
        gamma: what it is multiplied with before, if `scale_after_normalization`.
        variance_epsilon: a small number that is added to the variance.
        scale_after_normalization: whether `gamma` counts.
        name: ignored.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if the shapes or types do not fit together.

    >>> zero, one = tf.constant([0.0]), tf.constant([1.0])
    >>> x = [[[[3.0]]]]
    >>> tf.nn.batch_norm_with_global_normalization(x, one, one, zero, one, 0.0, False).numpy()
    array([[[[2.]]]], dtype=float32)
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


CHANNELS = {"NHWC": (4, -1), "NCHW": (4, 1), "NDHWC": (5, -1), "NCDHW": (5, 1)}
GIVEN_STATISTICS = ("mean", "variance")


class FusedBatchNorm(NamedTuple):
    """The result of `tf.raw_ops.FusedBatchNormV2`."""

    y: jax.Array
    batch_mean: jax.Array
    batch_variance: jax.Array
    reserve_space_1: jax.Array
    reserve_space_2: jax.Array


class FusedBatchNormV3(NamedTuple):
    """The result of `tf.raw_ops.FusedBatchNormV3`, whose last part is always empty."""

    y: jax.Array
    batch_mean: jax.Array
    batch_variance: jax.Array
    reserve_space_1: jax.Array
    reserve_space_2: jax.Array
    reserve_space_3: jax.Array


@op(
    "_fused_batch_norm",
    kernel="FusedBatchNormV2",
    gradient=Differentiable(except_for=GIVEN_STATISTICS),
    raw_op=True,
)
def _fused_batch_norm(
    x: FreeTensor, scale: TensorLike, offset: TensorLike, mean: TensorLike, variance: TensorLike,
    epsilon: float = 1e-4, exponential_avg_factor: float = 1.0, data_format: str = "NHWC",
    is_training: bool = True,
) -> FusedBatchNorm:  # fmt: skip
    """Normalizes each channel with the mean and the variance of the batch, or with given ones.

    Only `y` has a gradient that is not 0, for `x`, `scale` and `offset`.

    Args:
        x: a float32, float16 or bfloat16 tensor of rank 4, or 5 for the formats with "D".
        scale: a float32 vector with a number for each channel.
        offset: likewise.
        mean: likewise; may be empty in training.
        variance: likewise.
        epsilon: what is added to the variance.
        exponential_avg_factor: the weight of the batch in the second and third result, which
            beside it have `mean` and `variance` in them.
        data_format: "NHWC", "NCHW", "NDHWC" or "NCDHW".
        is_training: whether the batch is normalized with its own statistics.

    Returns:
        The normalized tensor, the mean and the variance (with Bessel's correction in training), and
        those that it was normalized with.

    Raises:
        InvalidArgumentError: if the shapes or dtypes do not fit.

    >>> x = tf.constant([1.0, 3.0], shape=[2, 1, 1, 1])
    >>> one, none = tf.ones([1]), tf.constant([], tf.float32)
    >>> norm = tf.raw_ops.FusedBatchNormV2
    >>> norm(x=x, scale=one, offset=one, mean=none, variance=none).batch_mean.numpy()
    array([2.], dtype=float32)
    """
    return FusedBatchNorm(*_normalized(
        x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training
    ))  # fmt: skip


@op(
    "_fused_batch_norm_v3",
    kernel="FusedBatchNormV3",
    gradient=Differentiable(except_for=GIVEN_STATISTICS),
    raw_op=True,
)
def _fused_batch_norm_v3(
    x: FreeTensor, scale: TensorLike, offset: TensorLike, mean: TensorLike, variance: TensorLike,
    epsilon: float = 1e-4, exponential_avg_factor: float = 1.0, data_format: str = "NHWC",
    is_training: bool = True,
) -> FusedBatchNormV3:  # fmt: skip
    """Does what `tf.raw_ops.FusedBatchNormV2` does, and gives an empty tensor as well.

    Args:
        x: a float32, float16 or bfloat16 tensor of rank 4, or 5 for the formats with "D".
        scale: a float32 vector with a number for each channel.
        offset: likewise.
        mean: likewise; may be empty in training.
        variance: likewise.
        epsilon: what is added to the variance.
        exponential_avg_factor: the weight of the batch in the second and third result.
        data_format: "NHWC", "NCHW", "NDHWC" or "NCDHW".
        is_training: whether the batch is normalized with its own statistics.

    Returns:
        What `tf.raw_ops.FusedBatchNormV2` does, and an empty tensor.

    Raises:
        InvalidArgumentError: if the shapes or dtypes do not fit.

    >>> x = tf.constant([1.0, 3.0], shape=[2, 1, 1, 1])
    >>> one, none = tf.ones([1]), tf.constant([], tf.float32)
    >>> norm = tf.raw_ops.FusedBatchNormV3
    >>> norm(x=x, scale=one, offset=one, mean=none, variance=none).batch_variance.numpy()
    array([2.], dtype=float32)
    """
    found = _normalized(
        x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training
    )
    return FusedBatchNormV3._make((*found, jnp.zeros((0,), np.float32)))


def _normalized(
    x: jax.Array, scale: jax.Array, offset: jax.Array, mean: jax.Array, variance: jax.Array,
    epsilon: float, exponential_avg_factor: float, data_format: str, is_training: bool,
) -> tuple[jax.Array, ...]:  # fmt: skip
    rank, place = CHANNELS.get(data_format, (0, 0))
    if not rank:
        raise invalid(f"Value for attr 'data_format' of \"{data_format}\" is not allowed")
    require_type("T", x.dtype, FLOATS_EXCEPT_DOUBLE)
    if x.ndim != rank:
        raise invalid(f"input must be 4 or 5-dimensional{shape_text(x.shape)}")
    channels = x.shape[place]
    weighted = exponential_avg_factor != 1.0
    _check_sizes(channels, {"scale": scale, "offset": offset})
    if weighted or not is_training:
        why = "exponential_avg_factor != 1" if is_training else "is_training=false"
        _check_sizes(channels, {"mean": mean, "variance": variance}, f"When {why}, ")
    axes = tuple(axis for axis in range(rank) if axis != place % rank)
    wide = x.astype(np.float32)
    first, second = mean, variance
    unbiased = variance
    if is_training:
        first = jnp.mean(wide, axes)
        second = jnp.mean(jnp.square(wide - jnp.expand_dims(first, axes)), axes)
        count = max(x.size // max(channels, 1), 1)
        unbiased = second * np.float32(count / max(count - 1, 1))
    factor = lax.rsqrt(second + np.float32(epsilon)) * scale
    y = (wide - jnp.expand_dims(first, axes)) * jnp.expand_dims(factor, axes)
    y = (y + jnp.expand_dims(offset, axes)).astype(x.dtype)
    rest = lax.stop_gradient((first, unbiased, first, second))
    if is_training and weighted:
        new = np.float32(exponential_avg_factor)
        running = [(1 - new) * a + new * b for a, b in zip((mean, variance), rest, strict=False)]
        rest = lax.stop_gradient((*running, *rest[2:]))
    return y, *rest


def _check_sizes(channels: int, given: dict[str, jax.Array], when: str = "") -> None:
    for name, array in given.items():
        if array.shape != (channels,):
            raise invalid(
                f"{when}{name} must have the same number of elements as the channels of x, got "
                f"{array.size} and {channels}"
            )
