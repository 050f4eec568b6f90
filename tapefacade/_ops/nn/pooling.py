"""Maxima and averages over windows, also with the places of the maxima."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid, stride_too_small, wrong_rank
from tapefacade._core.kernel_dtypes import FLOATS_HALF_FIRST, INDICES, REALS
from tapefacade._definition.argument_checks import require_countable, require_room, require_type
from tapefacade._definition.op import TensorLike, function, op
from tapefacade._definition.parameters import frozen_value
from tapefacade._ops.image.patches import check_padding, positions
from tapefacade._ops.nn.convolution import (
    DataFormat,
    layout_of,
    only_nhwc,
    padding_of,
    sequence_of,
    strides_and_dilations,
)
from tapefacade._ops.nn.windows import WindowPlaces, maxima, sums

MESSAGE_BATCH = "Pooling is not yet supported on the batch dimension."
MAXIMA = (*FLOATS_HALF_FIRST, "int32", "int64", "uint8", "int16", "int8", "uint16", "qint8")


def _window_too_small(size: int) -> str:
    return f"ksize must be a positive int32 value, got:{size}"


def _pooled(
    input: jax.Array, ksize: Any, strides: Any, padding: Any, layout: DataFormat, kind: str
) -> jax.Array:
    """Pools after checking all arguments."""
    window = sequence_of(ksize, layout, "ksize")
    steps = sequence_of(strides, layout, "strides")
    pads = padding_of(padding, layout, explicit=kind == "MAX")
    _check_window(input, window, steps, layout, kind)
    if not isinstance(pads, str):
        pads = layout.all_axes(pads, (0, 0))
    return reduce_windows(input, window, steps, pads, kind)


def _check_window(
    input: jax.Array, window: Sequence[int], steps: Sequence[int], layout: DataFormat, kind: str
) -> None:
    if input.ndim != layout.spatial + 2:
        if layout.spatial == 3:
            raise invalid("tensor_in must be 5-dimensional")
        rank = input.ndim + (layout.spatial == 1)
        raise invalid(f"tensor_in_shape must have 2 spatial dimensions. {rank} 0")
    if min(window) <= 0:
        if kind == "AVG":
            raise invalid(_window_too_small(min(window)))
        raise invalid(
            "Sliding window ksize must be positive. The specified or inferred ksize is: "
            f"{','.join(map(str, window))}"
        )
    if min(steps) <= 0:
        raise stride_too_small(min(steps))
    if window[0] != 1 or steps[0] != 1:
        raise errors.UnimplementedError(None, None, MESSAGE_BATCH)
    deep, depth = window[layout.channels], input.shape[layout.channels]
    if deep > 1 and depth % deep:
        raise errors.UnimplementedError(
            None,
            None,
            "Depthwise max pooling requires the depth window to evenly divide the input depth",
        )


def reduce_windows(
    input: jax.Array,
    window: Sequence[int],
    steps: Sequence[int],
    pads: Any,
    kind: str,
    rates: Sequence[int] | None = None,
) -> jax.Array:
    """Takes the maxima or averages of windows, a number for each axis of the input."""
    window, steps = tuple(window), tuple(steps)
    rates = (1,) * input.ndim if rates is None else tuple(rates)
    require_room(input.shape, window, steps, rates, pads)
    require_countable(window)
    if isinstance(pads, str):
        stretched = [(k - 1) * rate + 1 for k, rate in zip(window, rates, strict=True)]
        pads = lax.padtype_to_pads(input.shape, stretched, steps, pads)
    windows = WindowPlaces(window, steps, tuple(pads), rates)
    if kind == "MAX":
        return maxima(input, windows)
    total = sums(input, windows)
    if not any(map(any, pads)):
        return total / jnp.asarray(math.prod(window), input.dtype)
    return total / sums(jnp.ones((1, *input.shape[1:]), input.dtype), windows)


@op("nn.max_pool2d", kernel="MaxPool", dtypes=MAXIMA)
def max_pool2d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC"
) -> jax.Array:
    """Takes the greatest value of each window of images.

    The gradient goes to the first of equal values. Unlike TensorFlow, nan is the greatest value,
    and every data format works on every device.

    Args:
        input: a tensor of shape `[B, H, W, C]`.
        ksize: the size of the window: a number, or one for each dimension.
        strides: how far the window moves, likewise.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension of `input`.
        data_format: `"NHWC"` or `"NCHW"`.

    Returns:
        A tensor of shape `[B, H', W', C]` and the type of `input`.

    Raises:
        ValueError: if an argument has another form.
        InvalidArgumentError: if `input` has another rank, or an argument is unsuitable.

    >>> tf.nn.max_pool2d([[[[1.0], [2.0]], [[3.0], [4.0]]]], 2, 2, "VALID").numpy().ravel()
    array([4.], dtype=float32)
    """
    return _pooled(input, ksize, strides, padding, layout_of(data_format, 2), "MAX")


@op("nn.avg_pool2d", kernel="AvgPool", dtypes=FLOATS_HALF_FIRST)
def avg_pool2d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC"
) -> jax.Array:
    """Takes the average of each window of images; what lies outside of the image does not count.

    Beyond TensorFlow, every data format works on every device.

    Args:
        input: a floating tensor of shape `[B, H, W, C]`.
        ksize: the size of the window: a number, or one for each dimension.
        strides: how far the window moves, likewise.
        padding: `"SAME"` or `"VALID"`.
        data_format: `"NHWC"` or `"NCHW"`.

    Returns:
        A tensor of shape `[B, H', W', C]` and the type of `input`.

    Raises:
        ValueError: if an argument has another form.
        InvalidArgumentError: if `input` has another rank, or an argument is unsuitable.

    >>> tf.nn.avg_pool2d([[[[1.0], [2.0]], [[3.0], [4.0]]]], 2, 2, "VALID").numpy().ravel()
    array([2.5], dtype=float32)
    """
    return _pooled(input, ksize, strides, padding, layout_of(data_format, 2), "AVG")


@op("nn.max_pool1d", kernel="MaxPool", dtypes=MAXIMA)
def max_pool1d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC"
) -> jax.Array:
    """Takes the greatest value of each window of sequences; see `tf.nn.max_pool2d`.

    Args:
        input: a tensor of shape `[B, W, C]`.
        ksize: the size of the window.
        strides: how far the window moves.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension of `input`.
        data_format: `"NWC"` or `"NCW"`.

    Returns:
        A tensor of shape `[B, W', C]` and the type of `input`.

    Raises:
        InvalidArgumentError: if `input` has another rank, or an argument is unsuitable.

    >>> tf.nn.max_pool1d([[[1.0], [2.0]]], 2, 2, "VALID").numpy().ravel()
    array([2.], dtype=float32)
    """
    return _pooled(input, ksize, strides, padding, layout_of(data_format, 1), "MAX")


@op("nn.avg_pool1d", kernel="AvgPool", dtypes=FLOATS_HALF_FIRST)
def avg_pool1d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC"
) -> jax.Array:
    """Takes the average of each window of sequences; see `tf.nn.avg_pool2d`.

    Args:
        input: a floating tensor of shape `[B, W, C]`.
        ksize: the size of the window.
        strides: how far the window moves.
        padding: `"SAME"` or `"VALID"`.
        data_format: `"NWC"` or `"NCW"`.

    Returns:
        A tensor of shape `[B, W', C]` and the type of `input`.

    Raises:
        InvalidArgumentError: if `input` has another rank, or an argument is unsuitable.

    >>> tf.nn.avg_pool1d([[[1.0], [2.0]]], 2, 2, "VALID").numpy().ravel()
    array([1.5], dtype=float32)
    """
    return _pooled(input, ksize, strides, padding, layout_of(data_format, 1), "AVG")


@op("nn.max_pool3d", kernel="MaxPool3D", dtypes=FLOATS_HALF_FIRST, raw_op=True)
def max_pool3d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = "NDHWC"
) -> jax.Array:
    """Takes the greatest value of each window of volumes; see `tf.nn.max_pool2d`.

    Beyond TensorFlow, float64 works too.

    Args:
        input: a tensor of shape `[B, D, H, W, C]`.
        ksize: the size of the window: a number, or one for each dimension.
        strides: how far the window moves, likewise.
        padding: `"SAME"` or `"VALID"`.
        data_format: `"NDHWC"` or `"NCDHW"`.

    Returns:
        A tensor of shape `[B, D', H', W', C]` and the type of `input`.

    Raises:
        InvalidArgumentError: if `input` has another rank, or an argument is unsuitable.

    >>> tf.nn.max_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().ravel()
    array([1.], dtype=float32)
    """
    return _pooled(input, ksize, strides, padding, layout_of(data_format, 3), "MAX")


@op("nn.avg_pool3d", kernel="AvgPool3D", dtypes=FLOATS_HALF_FIRST, raw_op=True)
def avg_pool3d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = "NDHWC"
) -> jax.Array:
    """Takes the average of each window of volumes; see `tf.nn.avg_pool2d`.

    Args:
        input: a floating tensor of shape `[B, D, H, W, C]`.
        ksize: the size of the window: a number, or one for each dimension.
        strides: how far the window moves, likewise.
        padding: `"SAME"` or `"VALID"`.
        data_format: `"NDHWC"` or `"NCDHW"`.

    Returns:
        A tensor of shape `[B, D', H', W', C]` and the type of `input`.

    Raises:
        InvalidArgumentError: if `input` has another rank, or an argument is unsuitable.

    >>> tf.nn.avg_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().ravel()
    array([1.], dtype=float32)
    """
    return _pooled(input, ksize, strides, padding, layout_of(data_format, 3), "AVG")


def _any_layout(input: jax.Array, data_format: str | None) -> DataFormat:
    if input.ndim not in (3, 4, 5):
        raise ValueError(
            f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={input.shape} of rank "
            f"{input.ndim}."
        )
    return DataFormat(input.ndim - 2, data_format is not None and data_format.startswith("NC"))


@op("nn.max_pool", kernel="MaxPool", dtypes=MAXIMA)
def max_pool(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str | None = None
) -> jax.Array:
    """Takes the greatest value of each window; see `tf.nn.max_pool2d`.

    Args:
        input: a tensor of shape `[B, *spatial, C]` with one, two or three spatial dimensions.
        ksize: the size of the window: a number, or one for each dimension.
        strides: how far the window moves, likewise.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension of `input`.
        data_format: a format with the channels first, such as `"NCHW"`, or last.

    Returns:
        A tensor of shape `[B, *spatial', C]` and the type of `input`.

    Raises:
        ValueError: if `input` has another rank.

    >>> tf.nn.max_pool([[[1.0], [2.0]]], 2, 2, "VALID").numpy().ravel()
    array([2.], dtype=float32)
    """
    return _pooled(input, ksize, strides, padding, _any_layout(input, data_format), "MAX")


@op("nn.avg_pool", kernel="AvgPool", dtypes=FLOATS_HALF_FIRST)
def avg_pool(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str | None = None
) -> jax.Array:
    """Takes the average of each window; see `tf.nn.avg_pool2d`.

    Args:
        input: a floating tensor of shape `[B, *spatial, C]` with one, two or three spatial
            dimensions.
        ksize: the size of the window: a number, or one for each dimension.
        strides: how far the window moves, likewise.
        padding: `"SAME"` or `"VALID"`.
        data_format: a format with the channels first, such as `"NCHW"`, or last.

    Returns:
        A tensor of shape `[B, *spatial', C]` and the type of `input`.

    Raises:
        ValueError: if `input` has another rank.

    >>> tf.nn.avg_pool([[[1.0], [2.0]]], 2, 2, "VALID").numpy().ravel()
    array([1.5], dtype=float32)
    """
    return _pooled(input, ksize, strides, padding, _any_layout(input, data_format), "AVG")


@op("nn.pool", kernel="MaxPool", dtypes=MAXIMA)
def pool(
    input: TensorLike,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
) -> jax.Array:
    """Takes the greatest value or the average of each window.

    Args:
        input: a tensor of shape `[B, *spatial, C]`.
        window_shape: the size of the window, a number for each spatial dimension.
        pooling_type: `"MAX"` or `"AVG"`.
        strides: how far the window moves, a number for each spatial dimension.
        padding: `"SAME"` or `"VALID"`.
        data_format: a format with the channels first, such as `"NCHW"`, or last.
        dilations: the distance of the elements in a window, a number for each spatial dimension.

    Returns:
        A tensor of shape `[B, *spatial', C]` and the type of `input`.

    Raises:
        ValueError: if the arguments do not fit together.

    >>> tf.nn.pool([[[1.0], [2.0]]], [2], "MAX").numpy().ravel()
    array([2.], dtype=float32)
    """
    for given in (window_shape, strides, dilations):
        if isinstance(given, int):
            raise TypeError("object of type 'int' has no len()")
    spatial = len(window_shape)
    if input.ndim != spatial + 2:
        raise ValueError(wrong_rank(input.shape, spatial + 2))
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"{spatial}-D {pooling_type} pooling is not supported.")
    steps = strides or (1,) * spatial
    rates = dilations or (1,) * spatial
    if any(step > size for step, size in zip(steps, window_shape, strict=False)):
        raise ValueError(
            "`strides` > `window_shape` not supported due to inconsistency between CPU and GPU "
            f"implementations. Received: strides={np.array(steps)} and window_shape="
            f"{list(window_shape)}"
        )
    if max(rates) > 1:
        _check_rates(steps, rates, padding)
    layout = DataFormat(spatial, data_format is not None and data_format.startswith("NC"))
    pads = padding_of(padding, layout, explicit=pooling_type == "MAX")
    if not isinstance(pads, str):
        pads = layout.all_axes(pads, (0, 0))
    window, steps, rates = (layout.all_axes(x, 1) for x in (window_shape, steps, rates))
    return reduce_windows(input, window, steps, pads, pooling_type, rates)


def _check_rates(steps: Sequence[int], rates: Sequence[int], padding: Any) -> None:
    if max(steps) > 1:
        raise ValueError(strides_and_dilations(np.array(steps), np.array(rates)))
    if padding == "SAME":
        raise ValueError(
            "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: "
            f"padding=SAME and dilation_rate={np.array(rates)}"
        )


LAYOUT = DataFormat(2, False)


class MaxPoolWithArgmax(NamedTuple):
    """What `tf.nn.max_pool_with_argmax` returns."""

    output: Any
    argmax: Any


def _check(input: Any, window: Any, steps: Any) -> None:
    if input.ndim != 4:
        raise invalid("tensor_in must be 4-dimensional (2)")
    if input.size == 0:
        raise invalid("tensor_in must not be empty (2)")
    if min(window) <= 0:
        raise invalid(_window_too_small(min(window)))
    if min(steps) <= 0:
        raise stride_too_small(min(steps))
    if window[0] != 1 or steps[0] != 1:
        raise errors.UnimplementedError(None, None, MESSAGE_BATCH)
    if window[3] != 1 or steps[3] != 1:
        raise errors.UnimplementedError(
            None,
            None,
            "MaxPooling supports exactly one of pooling across depth or pooling across "
            "width/height.",
        )


def _places(x: jax.Array, window: Any, steps: Any, padding: str) -> jax.Array:
    """Finds the place of each window's first maximum among all elements of an image."""
    floating = jnp.issubdtype(x.dtype, jnp.floating)
    low = -jnp.inf if floating else jnp.iinfo(x.dtype).min
    keys = lax.stop_gradient(x)
    if floating:
        keys = jnp.where(jnp.isnan(keys), jnp.asarray(low, x.dtype), keys)
    per_image = jnp.arange(int(np.prod(x.shape[1:])), dtype=np.int64)
    numbers = jnp.broadcast_to(per_image.reshape(1, *x.shape[1:]), x.shape)
    last = np.iinfo(np.int64).max

    def better(first: tuple[Any, Any], second: tuple[Any, Any]) -> tuple[Any, Any]:
        equal = (second[0] == first[0]) & (second[1] < first[1])
        wins = (second[0] > first[0]) | equal
        return jnp.where(wins, second[0], first[0]), jnp.where(wins, second[1], first[1])

    start = (np.asarray(low, x.dtype), np.asarray(last))
    found = lax.reduce_window((keys, numbers), start, better, window, steps, padding)
    return found[1]


@op("_max_pool_with_argmax", kernel="MaxPoolWithArgmax", dtypes=REALS)
def _max_pool_with_argmax(
    input: TensorLike, ksize: Any, strides: Any, padding: str, kind: Any, with_batch: bool
) -> tuple[jax.Array, jax.Array]:
    """Takes maxima, and their places."""
    check_padding(padding)
    window = sequence_of(ksize, LAYOUT, "ksize")
    steps = sequence_of(strides, LAYOUT, "strides")
    _check(input, window, steps)
    require_countable(window)
    for axis in (1, 2):
        positions(input.shape[axis], window[axis], steps[axis], 1, padding)
    places = _places(input, window, steps, padding)
    batch, size = input.shape[0], int(np.prod(input.shape[1:]))
    flat = jnp.reshape(places, (batch, -1))
    values = jnp.take_along_axis(jnp.reshape(input, (batch, size)), flat, axis=1)
    if with_batch:
        flat = flat + jnp.arange(batch, dtype=np.int64)[:, None] * size
    return jnp.reshape(values, places.shape), jnp.reshape(flat, places.shape).astype(kind)


@function("nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    output_dtype: Any = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> MaxPoolWithArgmax:
    """Takes the greatest value of each window of images, and says where it is.

    The place is that of the first of equal values; nan is taken only where there is nothing else.

    Args:
        input: a tensor of shape `[B, H, W, C]`.
        ksize: the size of the window: a number, or one for each dimension.
        strides: how far the window moves, likewise.
        padding: `"SAME"` or `"VALID"`.
        data_format: `"NHWC"`.
        output_dtype: the dtype of the places, int32 or int64.
        include_batch_in_index: whether the elements of all images are counted, instead of those
            of each image.
        name: ignored.

    Returns:
        The values, a tensor of shape `[B, H', W', C]`, and the places, integers of that shape.

    Raises:
        ValueError: for another format.
        InvalidArgumentError: if `input` has another rank, or an argument is unsuitable.

    >>> x = [[[[1.0], [2.0]], [[4.0], [3.0]]]]
    >>> values, places = tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")
    >>> values.numpy().ravel(), places.numpy().ravel()
    (array([4.], dtype=float32), array([2]))
    """
    if data_format != "NHWC":
        raise ValueError(only_nhwc(data_format))
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
    tensor = convert_to_tensor(input)
    kind = require_type("Targmax", output_dtype, INDICES)
    window, steps = frozen_value(ksize), frozen_value(strides)
    found = _max_pool_with_argmax(tensor, window, steps, padding, kind, include_batch_in_index)
    return MaxPoolWithArgmax(*found)
