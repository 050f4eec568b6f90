"""Transposes of convolutions, which lead from small images to large ones."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core.error_texts import invalid
from tapefacade._core.kernel_dtypes import FLOATS_HALF_FIRST
from tapefacade._definition.op import TensorLike, op
from tapefacade._ops.nn.convolution import (
    MESSAGE_STRIDES,
    SPATIAL,
    DataFormat,
    apply_filters,
    check_input,
    layout_of,
    padding_of,
    sequence_of,
)
from tapefacade._ops.nn.convolution_forms import transposed_in_other_form


def apply_transposed_filters(
    input: jax.Array,
    filters: jax.Array,
    output_shape: Any,
    strides: Any,
    padding: Any,
    dilations: Any,
    layout: DataFormat,
) -> jax.Array:
    """Applies the transpose of a convolution: its gradient for the input."""
    steps = sequence_of(strides, layout, "strides")
    rates = sequence_of(dilations, layout, "dilations")
    pads = padding_of(padding, layout)
    check_input(input, filters, layout)
    shape = tuple(output_shape)
    if len(shape) == layout.spatial:
        shape = layout.all_axes(shape, 0)
        shape = (input.shape[0], *shape[1:])
        outer = filters.shape[-2]
        shape = tuple(outer if axis == layout.channels else n for axis, n in enumerate(shape))
    _check_transposed(input, filters, shape, steps, pads, rates, layout)
    if jnp.issubdtype(input.dtype, jnp.integer):
        return _transposed_integers(input, filters, shape, steps, pads, rates, layout)
    found = _in_other_form(input, filters, shape, steps, pads, rates, layout)
    if found is not None:
        return found
    forward = jax.ShapeDtypeStruct(shape, input.dtype)
    transpose = jax.linear_transpose(
        lambda x: apply_filters(x, filters, steps, pads, rates, layout), forward
    )
    return transpose(input)[0]


def _in_other_form(
    input: jax.Array,
    filters: jax.Array,
    shape: tuple[int, ...],
    steps: Sequence[int],
    pads: Any,
    rates: Sequence[int],
    layout: DataFormat,
) -> jax.Array | None:
    if layout.channels_first or max(rates) > 1 or shape[-1] != filters.shape[-2]:
        return None
    strides, sizes = steps[1:-1], shape[1:-1]
    if isinstance(pads, str):
        pads = jax.lax.padtype_to_pads(sizes, filters.shape[:-2], strides, pads)
    return transposed_in_other_form(input, filters, strides, [b for b, _ in pads], sizes)


def _transposed_integers(
    input: jax.Array,
    filters: jax.Array,
    shape: tuple[int, ...],
    steps: Sequence[int],
    pads: Any,
    rates: Sequence[int],
    layout: DataFormat,
) -> jax.Array:
    """Spreads the input and convolves it with the mirrored filter: JAX transposes no integers."""
    spatial, groups = range(layout.spatial), shape[layout.channels] // filters.shape[-2]
    margins = []
    for place, axis in enumerate(layout.axes):
        reach = (filters.shape[place] - 1) * rates[axis]
        if isinstance(pads, str):
            needed = (input.shape[axis] - 1) * steps[axis] + reach + 1 - shape[axis]
            before = max(needed, 0) // 2 if pads == "SAME" else 0
        else:
            before = pads[place][0]
        spread = (input.shape[axis] - 1) * steps[axis] + 1
        margins.append((reach - before, shape[axis] + before - spread))
    inner, outer = filters.shape[-2:]
    mirrored = jnp.flip(filters, spatial).reshape(
        *filters.shape[:-2], inner, groups, outer // groups
    )
    mirrored = jnp.swapaxes(mirrored, -3, -1).reshape(
        *filters.shape[:-2], outer // groups, groups * inner
    )
    letters = SPATIAL[layout.spatial]
    return jax.lax.conv_general_dilated(
        input,
        mirrored,
        [1] * layout.spatial,
        margins,
        lhs_dilation=[steps[axis] for axis in layout.axes],
        rhs_dilation=[rates[axis] for axis in layout.axes],
        dimension_numbers=(layout.text, f"{letters}IO", layout.text),
        feature_group_count=groups,
    )


def _check_transposed(
    input: jax.Array,
    filters: jax.Array,
    shape: tuple[int, ...],
    steps: Sequence[int],
    pads: Any,
    rates: Sequence[int],
    layout: DataFormat,
) -> None:
    start = f"Conv{layout.spatial}DCustomBackpropInput: "
    start = start.replace("1D", "2D")
    if len(shape) != layout.spatial + 2:
        raise invalid(f"{start}input_sizes must have {layout.spatial + 2} elements")
    if filters.shape[-1] != input.shape[layout.channels]:
        raise invalid(f"{start}filter and out_backprop must have the same out_depth")
    if min(steps) <= 0:
        raise invalid(MESSAGE_STRIDES)
    if shape[0] != input.shape[0]:
        raise invalid(
            f"{start}input and out_backprop must have the same batch size. Input batch: "
            f"{shape[0]}, outbackprop batch: {input.shape[0]}, batch_dim: 0"
        )
    if shape[layout.channels] % filters.shape[-2]:
        raise invalid(f"{start}input depth must be evenly divisible by filter depth")
    for place, axis in enumerate(layout.axes):
        window = (filters.shape[place] - 1) * rates[axis] + 1
        extra = 0 if isinstance(pads, str) else sum(pads[place])
        if pads == "SAME":
            computed = -(-shape[axis] // steps[axis])
        else:
            computed = max(0, (shape[axis] + extra - window) // steps[axis] + 1)
        if computed != input.shape[axis]:
            raise invalid(
                f"{start}Size of out_backprop doesn't match computed: actual = "
                f"{input.shape[axis]}, computed = {computed} spatial_dim: {axis} input: "
                f"{shape[axis]} filter: {filters.shape[place]} output: {input.shape[axis]} stride: "
                f"{steps[axis]} dilation: {rates[axis]}"
            )


@op("nn.conv2d_transpose", kernel="Conv2DBackpropInput", dtypes=(*FLOATS_HALF_FIRST, "int32"))
def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
) -> jax.Array:
    """Applies the transpose of `tf.nn.conv2d`, which makes images larger if it strides.

    Beyond TensorFlow, every data format and dilation works on every device.

    Args:
        input: a tensor of shape `[B, H, W, C]`.
        filters: a tensor of shape `[K, L, D, C]`.
        output_shape: the shape `[B, H', W', D]` of the result, from which the convolution would
            lead to that of `input`; or `[H', W']`.
        strides: how far the filter moves: a number, or one for each dimension.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension of the result.
        data_format: `"NHWC"` or `"NCHW"`.
        dilations: the distance of the pixels that the filter touches, in the form of `strides`.

    Returns:
        A tensor of shape `output_shape` and the type of `input`.

    Raises:
        InvalidArgumentError: if the shapes do not fit together.

    >>> x, filters = tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.conv2d_transpose(x, filters, [1, 2, 2, 1], 2).numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    layout = layout_of(data_format, 2)
    return apply_transposed_filters(
        input, filters, output_shape, strides, padding, dilations, layout
    )


@op("nn.conv1d_transpose", kernel="Conv2DBackpropInput", dtypes=(*FLOATS_HALF_FIRST, "int32"))
def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
) -> jax.Array:
    """Applies the transpose of `tf.nn.conv1d`; see `tf.nn.conv2d_transpose`.

    Args:
        input: a tensor of shape `[B, W, C]`.
        filters: a tensor of shape `[K, D, C]`.
        output_shape: the shape `[B, W', D]` of the result.
        strides: how far the filter moves.
        padding: `"SAME"` or `"VALID"`.
        data_format: `"NWC"` or `"NCW"`.
        dilations: the distance of the elements that the filter touches.

    Returns:
        A tensor of shape `output_shape` and the type of `input`.

    Raises:
        InvalidArgumentError: if the shapes do not fit together.

    >>> x, filters = tf.ones([1, 1, 1]), tf.ones([2, 1, 1])
    >>> tf.nn.conv1d_transpose(x, filters, [1, 2, 1], 2).numpy().ravel()
    array([1., 1.], dtype=float32)
    """
    layout = layout_of(data_format, 1)
    return apply_transposed_filters(
        input, filters, output_shape, strides, padding, dilations, layout
    )


@op("nn.conv3d_transpose", kernel="Conv3DBackpropInputV2", dtypes=FLOATS_HALF_FIRST)
def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
) -> jax.Array:
    """Applies the transpose of `tf.nn.conv3d`; see `tf.nn.conv2d_transpose`.

    Args:
        input: a tensor of shape `[B, D, H, W, C]`.
        filters: a tensor of shape `[K, L, M, E, C]`.
        output_shape: the shape `[B, D', H', W', E]` of the result.
        strides: how far the filter moves: a number, or one for each dimension.
        padding: `"SAME"` or `"VALID"`.
        data_format: `"NDHWC"` or `"NCDHW"`.
        dilations: the distance of the elements that the filter touches.

    Returns:
        A tensor of shape `output_shape` and the type of `input`.

    Raises:
        InvalidArgumentError: if the shapes do not fit together.

    >>> x, filters = tf.ones([1, 1, 1, 1, 1]), tf.ones([2, 1, 1, 1, 1])
    >>> tf.nn.conv3d_transpose(x, filters, [1, 2, 1, 1, 1], [2, 1, 1]).numpy().ravel()
    array([1., 1.], dtype=float32)
    """
    layout = layout_of(data_format, 3)
    return apply_transposed_filters(
        input, filters, output_shape, strides, padding, dilations, layout
    )
