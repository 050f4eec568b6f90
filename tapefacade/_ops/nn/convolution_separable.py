"""Depthwise convolutions: followed by pointwise ones, and their two transposes."""

from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid
from tapefacade._core.kernel_dtypes import FLOATS_HALF_FIRST
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import as_sizes
from tapefacade._definition.op import TensorLike, function, op
from tapefacade._ops.nn.convolution import (
    DataFormat,
    apply_filters,
    conv2d,
    depthwise_conv2d,
    layout_of,
    padding_of,
    sequence_of,
)


@function("nn.separable_conv2d")
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> EagerTensor:
    """Convolves each channel of images with filters of its own, then combines the channels.

    Args:
        input: a tensor of shape `[B, H, W, C]`.
        depthwise_filter: a tensor of shape `[K, L, C, M]`.
        pointwise_filter: a tensor of shape `[1, 1, C * M, D]`.
        strides: how far the filter moves, a number for each dimension of `input`.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension of `input`.
        data_format: `"NHWC"` or `"NCHW"`.
        dilations: the distance of the pixels that the depthwise filter touches, two numbers.
        name: ignored.

    Returns:
        A tensor of shape `[B, H', W', D]` and the type of `input`.

    Raises:
        TypeError: if `strides` is no list.
        ValueError: if `pointwise_filter` has another form.
        InvalidArgumentError: if the shapes do not fit together.

    >>> x, depthwise = tf.ones([1, 2, 2, 2]), tf.ones([2, 2, 2, 1])
    >>> pointwise = tf.ones([1, 1, 2, 1])
    >>> tf.nn.separable_conv2d(x, depthwise, pointwise, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([8.], dtype=float32)
    """
    pointwise = convert_to_tensor(pointwise_filter)
    shape: Any = pointwise.shape
    shape.assert_has_rank(4)
    for size in shape[:2]:
        if size != 1:
            raise ValueError(f"Dimensions {size} and 1 are not compatible")
    middle = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(middle, pointwise, 1, "VALID", data_format or "NHWC")


def _check_sizes(
    sizes: tuple[int, ...],
    filter_sizes: tuple[int, ...],
    given: tuple[int, ...],
    computed: tuple[int, ...],
    layout: DataFormat,
    start: str,
) -> None:
    """Checks the shapes of the input, the filter and the gradient of the output."""
    named = (("input", sizes), ("filter", filter_sizes), ("out_backprop", given))
    for name, shape in named:
        if len(shape) != 4:
            raise invalid(f"{start}: {name} must be 4-dimensional")
    if sizes[0] != given[0]:
        raise invalid(f"{start}: input and out_backprop must have the same batch size")
    if sizes[layout.channels] != filter_sizes[2]:
        raise invalid(f"{start}: input and filter must have the same in_depth")
    if given[layout.channels] != filter_sizes[2] * filter_sizes[3]:
        raise invalid(f"{start}: depth_multiplier * in_depth not equal to out_depth")
    for name, axis in zip(("rows", "cols"), layout.axes, strict=True):
        if given[axis] != computed[axis]:
            raise invalid(
                f"{start}: Number of {name} of out_backprop doesn't match computed: actual = "
                f"{given[axis]}, computed = {computed[axis]}"
            )


def _steps_of(strides: Any, name: str) -> None:
    if not isinstance(strides, tuple):
        raise TypeError(
            f"Expected list for 'strides' argument to 'depthwise_conv2d_native_backprop_{name}' "
            f"Op, not {strides}."
        )


def _forward(strides: Any, padding: Any, rates: Any, layout: DataFormat) -> Any:
    """Returns the depthwise convolution of which the functions below are transposes."""
    steps = sequence_of(strides, layout, "strides")
    dilations = sequence_of(rates, layout, "dilations")
    pads = padding_of(padding, layout)

    def convolve(x: jax.Array, filter: jax.Array) -> jax.Array:
        depth = filter.shape[2]
        merged = filter.reshape(*filter.shape[:2], 1, depth * filter.shape[3])
        return apply_filters(x, merged, steps, pads, dilations, layout)

    return convolve


def _computed(convolve: Any, sizes: tuple[int, ...], filter_sizes: tuple[int, ...]) -> Any:
    """Returns the shape that a convolution gives, if one of these shapes is possible at all."""
    if len(sizes) != 4 or len(filter_sizes) != 4:
        return (0, 0, 0, 0)
    shapes = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in (sizes, filter_sizes)]
    try:
        return jax.eval_shape(convolve, *shapes).shape
    except (TypeError, ValueError):
        return (0, 0, 0, 0)  # the depths differ, which is told first


@op(
    "nn.depthwise_conv2d_backprop_input",
    kernel="DepthwiseConv2dNativeBackpropInput",
    dtypes=FLOATS_HALF_FIRST,
)
def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> jax.Array:
    """Computes the gradient of a depthwise convolution for its input.

    Unlike TensorFlow, dilations count.

    Args:
        input_sizes: the shape of the input, `[B, H, W, C]`.
        filter: a tensor of shape `[K, L, C, M]`.
        out_backprop: the gradient of the output, `[B, H', W', C * M]`.
        strides: how far the filter moves, a number for each dimension of the input.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension.
        data_format: `"NHWC"` or `"NCHW"`.
        dilations: the distance of the pixels that the filter touches, four numbers.

    Returns:
        A tensor of shape `input_sizes`.

    Raises:
        TypeError: if `strides` is no list.
        InvalidArgumentError: if the shapes do not fit together.

    >>> grads, filters = tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.depthwise_conv2d_backprop_input(
    ...     [1, 2, 2, 1], filters, grads, [1, 1, 1, 1], "VALID"
    ... ).numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    _steps_of(strides, "input")
    layout, sizes = layout_of(data_format, 2), as_sizes(input_sizes)
    convolve = _forward(strides, padding, dilations, layout)
    computed = _computed(convolve, sizes, filter.shape)
    start = "DepthwiseConv2DBackpropInput"
    _check_sizes(sizes, filter.shape, out_backprop.shape, computed, layout, start)
    forward = jax.ShapeDtypeStruct(sizes, filter.dtype)
    transpose = jax.linear_transpose(lambda x: convolve(x, filter), forward)
    return transpose(out_backprop)[0]


@op(
    "nn.depthwise_conv2d_backprop_filter",
    kernel="DepthwiseConv2dNativeBackpropFilter",
    dtypes=FLOATS_HALF_FIRST,
)
def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> jax.Array:
    """Computes the gradient of a depthwise convolution for its filter.

    Unlike TensorFlow, dilations count.

    Args:
        input: a tensor of shape `[B, H, W, C]`.
        filter_sizes: the shape of the filter, `[K, L, C, M]`.
        out_backprop: the gradient of the output, `[B, H', W', C * M]`.
        strides: how far the filter moves, a number for each dimension of `input`.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension.
        data_format: `"NHWC"` or `"NCHW"`.
        dilations: the distance of the pixels that the filter touches, four numbers.

    Returns:
        A tensor of shape `filter_sizes`.

    Raises:
        TypeError: if `strides` is no list.
        InvalidArgumentError: if the shapes do not fit together.

    >>> x, grads = tf.reshape(tf.range(4.0), [1, 2, 2, 1]), tf.ones([1, 1, 1, 1])
    >>> tf.nn.depthwise_conv2d_backprop_filter(
    ...     x, [2, 2, 1, 1], grads, [1, 1, 1, 1], "VALID"
    ... ).numpy().ravel()
    array([0., 1., 2., 3.], dtype=float32)
    """
    _steps_of(strides, "filter")
    layout, sizes = layout_of(data_format, 2), as_sizes(filter_sizes)
    convolve = _forward(strides, padding, dilations, layout)
    computed = _computed(convolve, input.shape, sizes)
    start = "DepthwiseConv2DBackpropFilter"
    _check_sizes(input.shape, sizes, out_backprop.shape, computed, layout, start)
    forward = jax.ShapeDtypeStruct(sizes, input.dtype)
    transpose = jax.linear_transpose(lambda filter: convolve(input, filter), forward)
    return transpose(out_backprop)[0]
