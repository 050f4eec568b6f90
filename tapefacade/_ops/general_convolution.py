"""Convolutions and their transposes for any number of dimensions: `tf.conv`, dilated ones."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core import errors
from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import as_sizes, invalid
from tapefacade._ops.convolution import FLOATS, PADDINGS, Layout, apply_filters
from tapefacade._ops.op import NoGradient, TensorLike, function, op
from tapefacade._ops.transposed_convolution import (
    conv1d_transpose,
    conv2d_transpose,
    conv3d_transpose,
)

TRANSPOSES: dict[int, tuple[Callable[..., EagerTensor], str]] = {
    3: (conv1d_transpose, "NWC"),
    4: (conv2d_transpose, "NHWC"),
    5: (conv3d_transpose, "NDHWC"),
}
FORMATS = ("CHANNELS_FIRST", "CHANNELS_LAST")


def _choice(name: str, given: Any, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        shown = ", ".join(f'"{value}"' for value in allowed)
        raise invalid(
            f"Value for attr '{name}' of \"{given}\" is not in the list of allowed values: {shown}"
        )


def _steps(strides: Any, layout: Layout) -> tuple[int, ...]:
    rank = layout.spatial + 2
    if len(strides) != rank:
        raise invalid(f"Sliding window strides field must specify {rank} dimensions")
    if strides[0] != 1 or strides[layout.channels] != 1:
        raise invalid(
            "Current implementation does not support strides in the batch and depth dimensions."
        )
    if min(strides[axis] for axis in layout.axes) <= 0:
        raise invalid("Spatial strides should be larger than 0.")
    return tuple(strides)


def _margins(padding: Any, explicit: Any, layout: Layout) -> Any:
    _choice("padding", padding, PADDINGS)
    if padding != "EXPLICIT":
        return padding
    wanted = 2 * (layout.spatial + 2)
    if len(explicit) != wanted:
        raise invalid(
            f"explicit_paddings attribute must contain {wanted} values, but got: {len(explicit)}"
        )
    return tuple((explicit[2 * axis], explicit[2 * axis + 1]) for axis in layout.axes)


@op("conv", kernel="Conv", gradient=NoGradient("Conv"), dtypes=(*FLOATS, "int32"))
def conv(
    input: TensorLike,
    filter: TensorLike,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "CHANNELS_LAST",
    dilations: Any = (),
    batch_dims: int = 1,
    groups: int = 1,
) -> jax.Array:
    """Convolves images or volumes that may have several batch dimensions.

    It has no gradient, as in TensorFlow; `tf.nn.convolution` has one.

    Args:
        input: a tensor of shape `[batch..., *spatial, C]`, of two or three spatial dimensions.
        filter: a tensor of shape `[*spatial, C, D]`.
        strides: how far the filter moves, `[1, *spatial, 1]`.
        padding: `"SAME"`, `"VALID"` or `"EXPLICIT"`.
        explicit_paddings: for `"EXPLICIT"` two numbers for each dimension, one after the other.
        data_format: `"CHANNELS_LAST"` or `"CHANNELS_FIRST"`.
        dilations: the distance of the elements that the filter touches, in the form of `strides`.
        batch_dims: the number of batch dimensions.
        groups: 1.

    Returns:
        A tensor of shape `[batch..., *spatial', D]` and the type of `input`.

    Raises:
        InvalidArgumentError: if the arguments do not fit together.
        UnimplementedError: for another number of groups.

    >>> tf.conv(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "VALID").numpy().ravel()
    array([4.], dtype=float32)
    """
    _choice("data_format", data_format, FORMATS)
    if groups != 1:
        message = "Grouped/Depthwise Convolutions are not supported yet."
        raise errors.UnimplementedError(None, None, message)
    spatial = input.ndim - batch_dims - 1
    if spatial not in (2, 3):
        raise invalid(f"The input must have 2 or 3 spatial dimensions but got {spatial}")
    layout = Layout(spatial, data_format == "CHANNELS_FIRST")
    pads = _margins(padding, explicit_paddings, layout)
    steps = _steps(strides, layout)
    merged = jnp.reshape(input, (-1, *input.shape[batch_dims:]))
    depth = merged.shape[layout.channels]
    if filter.ndim != spatial + 2 or depth != filter.shape[-2]:
        raise invalid(f"Input depth must be equal to filter depth: {depth} vs {filter.shape[-2]}")
    rates = tuple(dilations) or (1,) * (spatial + 2)
    result = apply_filters(merged, filter, steps, pads, rates, layout)
    return jnp.reshape(result, (*input.shape[:batch_dims], *result.shape[1:]))


@function("nn.conv_transpose")
def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> EagerTensor:
    """Applies the transpose of a convolution over one, two or three spatial dimensions.

    Args:
        input: a tensor of shape `[B, *spatial, C]`.
        filters: a tensor of shape `[*spatial, D, C]`.
        output_shape: the shape `[B, *spatial', D]` of the result.
        strides: how far the filter moves: a number, or one for each dimension.
        padding: `"SAME"` or `"VALID"`.
        data_format: a format with the channels first, such as `"NCHW"`, or last.
        dilations: the distance of the elements that the filter touches, in the form of `strides`.
        name: ignored.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        ValueError: if `output_shape` has another length.
        InvalidArgumentError: if the shapes do not fit together.

    >>> x, filters = tf.ones([1, 1, 1]), tf.ones([2, 1, 1])
    >>> tf.nn.conv_transpose(x, filters, [1, 2, 1], 2).numpy().ravel()
    array([1., 1.], dtype=float32)
    """
    if isinstance(output_shape, int | float):
        raise ValueError(
            "`output_shape` must be a tensor or sized collection. Received: "
            f"output_shape={output_shape}"
        )
    length = len(output_shape)
    if length not in TRANSPOSES:
        raise ValueError(
            f"`output_shape` must be of length 3, 4 or 5. Received: output_shape={output_shape} "
            f"of length {length}."
        )
    transpose, last = TRANSPOSES[length]
    return transpose(input, filters, output_shape, strides, padding, data_format or last, dilations)


def _check_atrous(value: Any, filters: Any, shape: Any, rate: Any, padding: Any) -> None:
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}")
    if rate < 1:
        raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
    outer, inner = filters.shape[2:]
    if value.shape[3] != inner:
        raise ValueError(
            "`value` channel count must be compatible with `filters` input channel count. "
            f"Received: value.shape={value.shape} with channel count {value.shape[3]} and "
            f"filters.shape={filters.shape} with input channel count {inner}."
        )
    if rate > 1 and len(shape) != 4:
        raise ValueError(
            f"`output_shape` must have shape (4,). Received: output_shape={(len(shape),)}"
        )
    if shape[-1] != outer:
        raise ValueError(
            "`output_shape` channel count must be compatible with `filters` output channel count. "
            f"Received: output_shape={list(shape)} with channel count {shape[-1]} and "
            f"filters.shape={filters.shape} with output channel count {outer}."
        )


@function("nn.atrous_conv2d_transpose")
def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: int, padding: str, name: str | None = None
) -> EagerTensor:
    """Applies the transpose of `tf.nn.atrous_conv2d`.

    Args:
        value: a tensor of shape `[B, H, W, C]`.
        filters: a tensor of shape `[K, L, D, C]`.
        output_shape: the shape `[B, H', W', D]` of the result.
        rate: the distance of the pixels that the filter touches.
        padding: `"SAME"` or `"VALID"`.
        name: ignored.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        ValueError: if an argument has another form.
        InvalidArgumentError: if the shapes do not fit together.

    >>> x, filters = tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1])
    >>> y = tf.nn.atrous_conv2d_transpose(x, filters, [1, 3, 3, 1], 2, "VALID")
    >>> y.numpy()[0, :, :, 0]
    array([[1., 0., 1.],
           [0., 0., 0.],
           [1., 0., 1.]], dtype=float32)
    """
    value, filters = convert_to_tensor(value), convert_to_tensor(filters)
    shape = as_sizes(tuple(convert_to_tensor(output_shape).numpy().tolist()))
    _check_atrous(value, filters, shape, rate, padding)
    return conv2d_transpose(value, filters, shape, 1, padding, dilations=rate)
