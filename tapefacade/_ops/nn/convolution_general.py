"""Convolutions for any number of dimensions: `tf.nn.convolution`, `tf.nn.conv_transpose`."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import errors
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import incompatible_shapes, invalid, refused_choice
from tapefacade._core.kernel_dtypes import FLOATS_HALF_FIRST
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.argument_checks import as_sizes
from tapefacade._definition.op import NoGradient, TensorLike, function, op
from tapefacade._ops.array.padding import batch_to_space, space_to_batch
from tapefacade._ops.nn.convolution import PADDINGS, DataFormat, apply_filters, conv2d
from tapefacade._ops.nn.convolution_transposed import (
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


def _wrong_padding(padding: Any) -> str:
    return f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}"


def _choice(name: str, given: Any, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise invalid(refused_choice(name, given, allowed))


def _steps(strides: Any, layout: DataFormat) -> tuple[int, ...]:
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


def _margins(padding: Any, explicit: Any, layout: DataFormat) -> Any:
    _choice("padding", padding, PADDINGS)
    if padding != "EXPLICIT":
        return padding
    wanted = 2 * (layout.spatial + 2)
    if len(explicit) != wanted:
        raise invalid(
            f"explicit_paddings attribute must contain {wanted} values, but got: {len(explicit)}"
        )
    return tuple((explicit[2 * axis], explicit[2 * axis + 1]) for axis in layout.axes)


@op("conv", kernel="Conv", gradient=NoGradient("Conv"), dtypes=(*FLOATS_HALF_FIRST, "int32"))
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
    layout = DataFormat(spatial, data_format == "CHANNELS_FIRST")
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


@function("nn.atrous_conv2d")
def atrous_conv2d(
    value: Any, filters: Any, rate: Any, padding: str, name: str | None = None
) -> EagerTensor:
    """Convolves images with a filter that touches pixels at a distance, "with holes".

    Args:
        value: a tensor of shape `[B, H, W, C]`.
        filters: a tensor of shape `[K, L, C, D]`.
        rate: the distance, a number or one for rows and one for columns.
        padding: `"SAME"` or `"VALID"`.
        name: ignored.

    Returns:
        A tensor of shape `[B, H', W', D]` and the type of `value`.

    Raises:
        ValueError: if `rate` is not positive, or an argument has another form.
        InvalidArgumentError: if the shapes do not fit together.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.nn.atrous_conv2d(x, tf.ones([2, 2, 1, 1]), 2, "VALID").numpy().ravel()
    array([16.], dtype=float32)
    """
    value = convert_to_tensor(value)
    rates = np.broadcast_to(convert_to_tensor(rate, "int32").numpy(), (2,))
    if padding not in ("SAME", "VALID"):
        raise ValueError(_wrong_padding(padding))
    _check_rank(value, 2)
    if (rates < 1).any():
        raise ValueError(
            f"all values of `dilation_rate` must be positive. Received: dilation_rate={rates}"
        )
    return conv2d(value, filters, 1, padding, dilations=rates.tolist())


def _check_rank(value: Any, spatial: int) -> None:
    if len(value.shape) < spatial + 2:
        raise ValueError(
            "`input.shape.rank` must be >= than `num_spatial_dims + 2`. Received: "
            f"input.shape={value.shape} of rank {len(value.shape)} and num_spatial_dims={spatial}"
        )


def _vector(value: Any) -> list[int]:
    tensor = convert_to_tensor(value, "int32")
    tensor.shape.assert_has_rank(1)
    return tensor.numpy().tolist()


@function("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[EagerTensor, EagerTensor]:
    """Computes the margins with which a shape can be divided into blocks.

    Args:
        input_shape: the sizes of N dimensions.
        block_shape: the size of a block along each of them.
        base_paddings: the least margins before and after each of them, `[N, 2]`; by default 0.
        name: ignored.

    Returns:
        The margins for `tf.space_to_batch`, and the crops for `tf.batch_to_space` that undo what
        was added to `base_paddings`: two int32 tensors `[N, 2]`.

    Raises:
        ValueError: if the shapes do not fit together.

    >>> paddings, crops = tf.required_space_to_batch_paddings([5], [2])
    >>> paddings.numpy(), crops.numpy()
    (array([[0, 1]], dtype=int32), array([[0, 1]], dtype=int32))
    """
    blocks = np.array(_vector(block_shape), np.int32)
    count = len(blocks)
    if count == 0:
        empty = np.zeros((0, 2), np.int32)
        return from_host(empty), from_host(empty)
    sizes = convert_to_tensor(input_shape, "int32")
    base = np.zeros((count, 2), np.int32)
    for value, shape in ((sizes, [count]), (base_paddings, [count, 2])):
        if value is not None:
            given = convert_to_tensor(value, "int32")
            if list(given.shape) != shape:
                raise ValueError(incompatible_shapes(given.shape, shape))
    if base_paddings is not None:
        base = convert_to_tensor(base_paddings, "int32").numpy()
    whole = sizes.numpy() + base.sum(axis=1, dtype=np.int32)
    extra = np.where(blocks == 0, 0, (-whole) % np.maximum(blocks, 1)).astype(np.int32)
    zeros = np.zeros_like(extra)
    paddings = np.stack([base[:, 0], base[:, 1] + extra], axis=1)
    return from_host(paddings), from_host(np.stack([zeros, extra], axis=1))


@function("space_to_batch_nd")
def space_to_batch_nd(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> EagerTensor:
    """Moves blocks of places into the batch; see `tf.space_to_batch`.

    Args:
        input: a tensor `[batch, spatial..., rest...]`.
        block_shape: the size of a block along each of the M spatial dimensions, a vector.
        paddings: the sizes of the margins before and after each of them, `[M, 2]`.
        name: ignored.

    Returns:
        A tensor `[batch * product of block_shape, smaller spatial..., rest...]`.

    Raises:
        InvalidArgumentError: if a dimension with its margins cannot be divided into blocks.

    >>> tf.space_to_batch_nd([[[1], [2]]], [2], [[0, 0]]).numpy().ravel()
    array([1, 2], dtype=int32)
    """
    if not len(convert_to_tensor(block_shape).shape):
        raise invalid("block_shape rank should be 1 instead of 0 [Op:SpaceToBatchND] name: ")
    return space_to_batch(input, block_shape, paddings)


def _spatial_axes(spatial_dims: Any, count: int, channels_first: bool) -> list[int]:
    if spatial_dims is None:
        start = 2 if channels_first else 1
        return list(range(start, start + count))
    axes = [int(axis) for axis in spatial_dims]
    if axes != sorted(set(axes)) or axes[0] < 1:
        raise ValueError(
            "`spatial_dims` must be a monotonically increasing sequence of positive integers. "
            f"Received: spatial_dims={list(spatial_dims)}"
        )
    return axes


def _base_paddings(padding: Any, filter_shape: Any, rates: Any) -> np.ndarray[Any, Any]:
    """Returns the margins that the operation would add itself, were there no gaps."""
    if padding == "VALID":
        return np.zeros((len(rates), 2), np.int32)
    if padding != "SAME":
        raise ValueError(_wrong_padding(padding))
    if filter_shape is None:
        raise ValueError(
            "`filter_shape` must be specified for `padding='SAME'`. Received: "
            f"filter_shape={filter_shape} and padding={padding}"
        )
    extra = (np.array(as_sizes(tuple(_vector(filter_shape)))[: len(rates)]) - 1) * rates
    return np.stack([extra // 2, extra - extra // 2], axis=1).astype(np.int32)


@function("nn.with_space_to_batch")
def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: str,
    op: Callable[..., EagerTensor],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
) -> EagerTensor:
    """Applies a sliding operation with gaps: to the blocks of the input that the gaps leave.

    Args:
        input: a tensor of shape `[B, *spatial, rest...]`.
        dilation_rate: the distance of the elements that the operation touches, a number for each
            spatial dimension.
        padding: `"SAME"` or `"VALID"`.
        op: the operation; it is called with a tensor, the number of spatial dimensions and a
            padding.
        filter_shape: the size of its windows, for `"SAME"`.
        spatial_dims: the spatial dimensions, by default those after the first one.
        data_format: a format with the channels second, such as `"NCHW"`, or last.

    Returns:
        What the operation returns, its blocks put together.

    Raises:
        ValueError: if an argument has another form.

    >>> x = tf.reshape(tf.range(4.0), [1, 4, 1])
    >>> def sums(blocks, dimensions, padding):
    ...     return tf.nn.conv1d(blocks, tf.ones([2, 1, 1]), 1, padding)
    >>> tf.nn.with_space_to_batch(x, [2], "VALID", sums).numpy().ravel()
    array([2., 4.], dtype=float32)
    """
    tensor = convert_to_tensor(input)
    rates = convert_to_tensor(dilation_rate, "int32").numpy()
    if rates.ndim != 1:
        raise ValueError(
            f"`dilation_rate.shape.rank` must be 1. Received: dilation_rate={dilation_rate} of "
            f"rank {rates.ndim}"
        )
    count = len(rates)
    first = data_format is not None and data_format.startswith("NC")
    axes = _spatial_axes(spatial_dims, count, first)
    if len(tensor.shape) <= axes[-1]:
        raise ValueError(
            f"`input.shape.rank` must be at least {axes[-1] + 1}. Received: input.shape="
            f"{tensor.shape} with rank {len(tensor.shape)}"
        )
    if (rates < 1).any():
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={rates}")
    if (rates == 1).all():
        return op(tensor, count, padding)
    base = _base_paddings(padding, filter_shape, rates)
    sizes = [tensor.shape[axis] for axis in axes]
    margins, crops = required_space_to_batch_paddings(sizes, rates, base)
    # Blocks are counted over all dimensions from the first to the last spatial one.
    blocks = np.ones(axes[-1], np.int32)
    before, after = np.zeros((2, axes[-1], 2), np.int32)
    places = [axis - 1 for axis in axes]
    blocks[places], before[places], after[places] = rates, margins.numpy(), crops.numpy()
    inner = op(space_to_batch(tensor, blocks, before), count, "VALID")
    return batch_to_space(inner, blocks, after)
