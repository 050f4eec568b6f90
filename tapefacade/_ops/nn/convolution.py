"""Convolutions over one, two and three spatial dimensions."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax

from tapefacade._core import errors
from tapefacade._core.error_texts import invalid, refused_choice, shape_text, stride_too_small
from tapefacade._core.kernel_dtypes import FLOATS_HALF_FIRST
from tapefacade._definition.argument_checks import require_room
from tapefacade._definition.op import TensorLike, op
from tapefacade._ops.nn.convolution_forms import in_other_form

MESSAGE_EMPTY_FILTER = "filter must not have zero elements (i.e. all dimensions must be non-zero)"
MESSAGE_STRIDES = "Row and column strides should be larger than 0."
SPATIAL = {1: "W", 2: "HW", 3: "DHW"}
PADDINGS = ("SAME", "VALID", "EXPLICIT")


def only_nhwc(data_format: Any) -> str:
    """Words that channels have to come last; the two blanks are TensorFlow's."""
    return (
        "`data_format` values other  than 'NHWC' are not supported. Received: "
        f"data_format={data_format}"
    )


def depths_differ(depth: int, filter_depth: int) -> str:
    """Words that an input has more or fewer channels than a filter."""
    return f"input and filter must have the same depth: {depth} vs {filter_depth}"


def strides_and_dilations(strides: Any, rates: Any) -> str:
    """Words that a window cannot have both strides and holes."""
    return (
        "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
        f"strides={strides} and dilation_rate={rates}"
    )


class DataFormat(NamedTuple):
    """Which axis of an input is which: its number of spatial dimensions and channel axis."""

    spatial: int
    channels_first: bool

    @property
    def channels(self) -> int:
        """The axis of the channels."""
        return 1 if self.channels_first else self.spatial + 1

    @property
    def axes(self) -> range:
        """The spatial axes."""
        return range(2, self.spatial + 2) if self.channels_first else range(1, self.spatial + 1)

    @property
    def text(self) -> str:
        """The layout in the words of `jax.lax`."""
        letters = SPATIAL[self.spatial]
        return f"NC{letters}" if self.channels_first else f"N{letters}C"

    def all_axes(self, spatial: Sequence[Any], other: Any) -> tuple[Any, ...]:
        """Puts what belongs to the spatial axes in place, and `other` at the rest."""
        first, last = ((other, other), ()) if self.channels_first else ((other,), (other,))
        return (*first, *spatial, *last)


def layout_of(data_format: str | None, spatial: int, message: bool = False) -> DataFormat:
    """Reads a data format such as `"NHWC"`; None is the one with the channels last.

    Raises:
        InvalidArgumentError: if it is none for so many dimensions.
    """
    last, first = f"N{SPATIAL[spatial]}C", f"NC{SPATIAL[spatial]}"
    if data_format not in (None, last, first):
        if message or spatial == 1:
            raise ValueError(
                f"`data_format` must be '{last}' or '{first}'. Received: {data_format=!s}"
            )
        raise invalid(refused_choice("data_format", data_format, (last, first)))
    return DataFormat(spatial, data_format == first)


def sequence_of(value: Any, layout: DataFormat, name: str) -> tuple[int, ...]:
    """Returns a number for each axis, given one, one for each spatial axis, or all.

    Raises:
        ValueError: if there are so many as none of these.
    """
    n = layout.spatial
    given = (1,) if value is None else value if isinstance(value, tuple) else (value,)
    if len(given) == n + 2:
        return given
    if len(given) == 1:
        given = given * n
    if len(given) != n:
        raise ValueError(
            f"{name} should be of length 1, {n} or {n + 2}. Received: {name}={list(given)} of "
            f"length {len(given)}"
        )
    return layout.all_axes(given, 1)


def padding_of(padding: Any, layout: DataFormat, explicit: bool = True) -> Any:
    """Returns `"SAME"`, `"VALID"`, or a pair of numbers for each spatial axis.

    Raises:
        ValueError: if a list has the wrong form.
        InvalidArgumentError: if there is no such padding.
    """
    if isinstance(padding, tuple):
        if len(padding) != layout.spatial + 2 or any(len(pair) != 2 for pair in padding):
            shown = [list(pair) for pair in padding]
            raise ValueError(
                f"When padding is a list, it must be of size {layout.spatial + 2}. Received: "
                f"padding={shown} of size {len(padding)}"
            )
        outer = [padding[axis] for axis in (0, layout.channels)]
        if any(pair != (0, 0) for pair in outer):
            raise invalid(
                "Nonzero explicit padding in the batch or depth dimensions is not supported"
            )
        if any(length < 0 for pair in padding for length in pair):
            raise invalid("All elements of explicit_paddings must be nonnegative")
        return tuple(padding[axis] for axis in layout.axes)
    if padding == "EXPLICIT" and explicit:
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` "
            "must be a list."
        )
    if padding not in ("SAME", "VALID"):
        raise invalid(refused_choice("padding", padding, PADDINGS if explicit else PADDINGS[:2]))
    return padding


def check_input(input: jax.Array, filters: jax.Array, layout: DataFormat) -> None:
    """Raises if the input or the filters have the wrong rank."""
    rank = layout.spatial + 2
    if input.ndim != rank:
        if layout.spatial == 3:
            raise invalid("input must be 5-dimensional")
        shape = (1, *input.shape) if layout.spatial == 1 else input.shape
        raise invalid(f"convolution input must be 4-dimensional: {shape_text(shape)}")
    if filters.ndim != rank:
        raise invalid(f"filter must be {rank}-dimensional: {shape_text(filters.shape)}")


def _check_depths(depth: int, filters: jax.Array) -> None:
    inner, outer = filters.shape[-2:]
    if 0 in filters.shape[:-1]:
        raise invalid(MESSAGE_EMPTY_FILTER)
    if depth % inner:
        raise invalid(f"input depth must be evenly divisible by filter depth: {depth} vs {inner}")
    if outer % (depth // inner):
        raise invalid(
            "output depth must be evenly divisible by number of groups: "
            f"{outer} vs {depth // inner}"
        )


def _check_steps(strides: Sequence[int], dilations: Sequence[int], layout: DataFormat) -> None:
    if strides[0] != 1 or strides[layout.channels] != 1:
        raise errors.UnimplementedError(
            None,
            None,
            "Current implementation does not yet support strides in the batch and depth "
            "dimensions.",
        )
    if any(strides[axis] <= 0 for axis in layout.axes):
        raise invalid(MESSAGE_STRIDES)
    if any(dilations[axis] <= 0 for axis in layout.axes):
        raise invalid("Dilated rates should be larger than 0.")


def convolve(
    input: jax.Array,
    filters: jax.Array,
    strides: Any,
    padding: Any,
    dilations: Any,
    layout: DataFormat,
) -> jax.Array:
    """Convolves after checking all arguments."""
    batches = input.shape[: -layout.spatial - 1]
    if len(batches) > 1:  # several batch dimensions are convolved as one
        flat = input.reshape(-1, *input.shape[-layout.spatial - 1 :])
        result = convolve(flat, filters, strides, padding, dilations, layout)
        return result.reshape(*batches, *result.shape[1:])
    strides = sequence_of(strides, layout, "strides")
    dilations = sequence_of(dilations, layout, "dilations")
    padding = padding_of(padding, layout)
    check_input(input, filters, layout)
    _check_steps(strides, dilations, layout)
    depth = input.shape[layout.channels]
    _check_depths(depth, filters)
    return apply_filters(input, filters, strides, padding, dilations, layout)


def apply_filters(
    input: jax.Array,
    filters: jax.Array,
    strides: Sequence[int],
    padding: Any,
    dilations: Sequence[int],
    layout: DataFormat,
) -> jax.Array:
    """Convolves with checked arguments, a number for each axis of the input."""
    steps, rates = ([numbers[axis] for axis in layout.axes] for numbers in (strides, dilations))
    require_room([input.shape[axis] for axis in layout.axes], filters.shape, steps, rates, padding)
    groups = input.shape[layout.channels] // max(filters.shape[-2], 1)
    if layout.channels == layout.spatial + 1:
        found = in_other_form(input, filters, steps, padding, rates, groups)
        if found is not None:
            return found
    return lax.conv_general_dilated(
        input,
        filters,
        steps,
        padding,
        rhs_dilation=rates,
        dimension_numbers=(layout.text, f"{SPATIAL[layout.spatial]}IO", layout.text),
        feature_group_count=groups,
    )


@op("nn.conv1d", kernel="Conv2D", dtypes=(*FLOATS_HALF_FIRST, "int32"))
def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: Any,
    padding: Any,
    data_format: str | None = "NWC",
    dilations: Any = None,
) -> jax.Array:
    """Convolves sequences, or correlates them rather: the filter is not mirrored.

    Beyond TensorFlow, every data format works on every device.

    Args:
        input: a tensor of shape `[..., W, C]`.
        filters: a tensor of shape `[K, C, D]`; C may be divided by the number of groups.
        stride: how far the filter moves.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension of `input`.
        data_format: `"NWC"` or `"NCW"`.
        dilations: the distance of the elements that the filter touches.

    Returns:
        A tensor of shape `[..., W', D]` and the type of `input`.

    Raises:
        ValueError: if an argument has another form.
        InvalidArgumentError: if the shapes do not fit together.

    >>> tf.nn.conv1d(tf.ones([1, 3, 1]), tf.ones([2, 1, 1]), 1, "VALID").numpy().ravel()
    array([2., 2.], dtype=float32)
    """
    layout = layout_of(data_format or "NWC", 1)
    return convolve(input, filters, stride, padding, dilations, layout)


@op("nn.conv2d", kernel="Conv2D", dtypes=(*FLOATS_HALF_FIRST, "int32"))
def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
) -> jax.Array:
    """Convolves images, or correlates them rather: the filter is not mirrored.

    Beyond TensorFlow, every data format works on every device.

    Args:
        input: a tensor of shape `[..., H, W, C]`.
        filters: a tensor of shape `[K, L, C, D]`; C may be divided by the number of groups.
        strides: how far the filter moves: a number, or one for each dimension.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension of `input`.
        data_format: `"NHWC"` or `"NCHW"`.
        dilations: the distance of the pixels that the filter touches, in the form of `strides`.

    Returns:
        A tensor of shape `[..., H', W', D]` and the type of `input`.

    Raises:
        ValueError: if an argument has another form.
        InvalidArgumentError: if the shapes do not fit together.

    >>> tf.nn.conv2d(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID").numpy().ravel()
    array([4.], dtype=float32)
    """
    return convolve(input, filters, strides, padding, dilations, layout_of(data_format, 2))


@op("nn.conv3d", kernel="Conv3D", dtypes=FLOATS_HALF_FIRST)
def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
) -> jax.Array:
    """Convolves volumes, or correlates them rather: the filter is not mirrored.

    Beyond TensorFlow, every data format and dilation works on every device.

    Args:
        input: a tensor of shape `[..., D, H, W, C]`.
        filters: a tensor of shape `[K, L, M, C, E]`.
        strides: how far the filter moves, a number for each dimension of `input`.
        padding: `"SAME"` or `"VALID"`.
        data_format: `"NDHWC"` or `"NCDHW"`.
        dilations: the distance of the elements that the filter touches, in the form of `strides`.

    Returns:
        A tensor of shape `[..., D', H', W', E]` and the type of `input`.

    Raises:
        TypeError: if `strides` is no list.
        InvalidArgumentError: if the shapes do not fit together.

    >>> ones = tf.ones([1, 2, 2, 2, 1])
    >>> tf.nn.conv3d(ones, tf.ones([2, 2, 2, 1, 1]), [1] * 5, "VALID").numpy().ravel()
    array([8.], dtype=float32)
    """
    if not isinstance(strides, tuple):
        raise TypeError(f"Expected list for 'strides' argument to 'conv3d' Op, not {strides}.")
    return convolve(input, filters, strides, padding, dilations, layout_of(data_format, 3))


@op("nn.convolution", kernel="Conv2D", dtypes=(*FLOATS_HALF_FIRST, "int32"))
def convolution(
    input: TensorLike,
    filters: TensorLike,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
) -> jax.Array:
    """Convolves over one, two or three spatial dimensions, as many as `input` has.

    Args:
        input: a tensor of shape `[..., *spatial, C]`.
        filters: a tensor of shape `[*spatial, C, D]`.
        strides: how far the filter moves: a number, or one for each spatial dimension.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension of `input`.
        data_format: a format with the channels first, such as `"NCHW"`, or last.
        dilations: the distance of the elements that the filter touches, in the form of `strides`.

    Returns:
        A tensor of shape `[..., *spatial', D]` and the type of `input`.

    Raises:
        ValueError: if both `strides` and `dilations` are greater than 1.
        InvalidArgumentError: if the shapes do not fit together.

    >>> tf.nn.convolution(tf.ones([1, 3, 1]), tf.ones([2, 1, 1])).numpy().ravel()
    array([2., 2.], dtype=float32)
    """
    spatial = filters.ndim - 2
    if spatial not in SPATIAL:
        raise ValueError(
            f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={spatial}."
        )
    first = data_format is not None and data_format.startswith("NC")
    layout = DataFormat(spatial, first)
    steps = sequence_of(strides, layout, "strides")
    rates = sequence_of(dilations, layout, "dilations")
    if max(steps) > 1 and max(rates) > 1:
        shown = [np.array([x[axis] for axis in layout.axes]) for x in (steps, rates)]
        raise ValueError(strides_and_dilations(shown[0], shown[1]))
    return convolve(input, filters, steps, padding, rates, layout)


@op("nn.depthwise_conv2d", kernel="DepthwiseConv2dNative", dtypes=FLOATS_HALF_FIRST)
def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
) -> jax.Array:
    """Convolves each channel of images with filters of its own.

    Beyond TensorFlow, the strides may differ.

    Args:
        input: a tensor of shape `[B, H, W, C]`.
        filter: a tensor of shape `[K, L, C, D]`.
        strides: how far the filter moves, a number for each dimension of `input`.
        padding: `"SAME"`, `"VALID"`, or a pair of numbers for each dimension of `input`.
        data_format: `"NHWC"` or `"NCHW"`.
        dilations: the distance of the pixels that the filter touches, two numbers.

    Returns:
        A tensor of shape `[B, H', W', C * D]` and the type of `input`.

    Raises:
        TypeError: if `strides` or `dilations` is no list.
        InvalidArgumentError: if the shapes do not fit together.

    >>> x, filters = tf.ones([1, 2, 2, 2]), tf.ones([2, 2, 2, 1])
    >>> tf.nn.depthwise_conv2d(x, filters, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([4., 4.], dtype=float32)
    """
    if not isinstance(strides, tuple):
        raise TypeError(
            f"Expected list for 'strides' argument to 'depthwise_conv2d_native' Op, not {strides}."
        )
    if dilations is not None and not isinstance(dilations, tuple):
        raise TypeError("'int' object is not iterable")
    layout = layout_of(data_format, 2)
    steps = sequence_of(strides, layout, "strides")
    rates = sequence_of(dilations, layout, "dilations")
    pads = padding_of(padding, layout)
    if min(steps) <= 0:
        raise stride_too_small(min(steps))
    check_input(input, filter, layout)
    depth = input.shape[layout.channels]
    if depth != filter.shape[2]:
        raise invalid(depths_differ(depth, filter.shape[2]))
    merged = filter.reshape(*filter.shape[:2], 1, depth * filter.shape[3])
    return apply_filters(input, merged, steps, pads, rates, layout)
