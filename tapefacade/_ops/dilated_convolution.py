"""Operations with gaps between the elements they touch: `tf.nn.atrous_conv2d` and its means."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._ops.arguments import as_sizes, invalid
from tapefacade._ops.convolution import conv2d
from tapefacade._ops.op import function
from tapefacade._ops.padding import batch_to_space, space_to_batch


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
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
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
                raise ValueError(f"Shapes {given.shape} and {shape} are incompatible")
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
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
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
