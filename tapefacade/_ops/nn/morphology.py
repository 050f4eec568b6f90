"""Grayscale dilation and erosion of images: maxima of sums, minima of differences."""

from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core import errors
from tapefacade._core.error_texts import invalid, no_batch_of_images, shape_text, stride_too_small
from tapefacade._core.kernel_dtypes import REALS
from tapefacade._definition.op import TensorLike, op
from tapefacade._ops.image.patches import check_padding, positions, windows_of
from tapefacade._ops.nn.convolution import depths_differ, only_nhwc


def _check(input: Any, filters: Any, strides: Any, padding: Any, rates: Any) -> None:
    for name, given in (("strides", strides), ("rates", rates)):
        if not isinstance(given, tuple):
            raise TypeError(f"Expected list for '{name}' argument to 'dilation2d' Op, not {given}.")
        if len(given) < 4:
            raise invalid(f"Length for attr '{name}' of {len(given)} must be at least minimum 4")
    check_padding(padding)
    for name, given in (("Stride", strides), ("Rate", rates)):
        if given[0] != 1 or given[3] != 1:
            message = f"{name} is only supported across spatial dimensions."
            raise errors.UnimplementedError(None, None, message)
    if input.ndim != 4:
        raise invalid(no_batch_of_images(input.shape))
    if filters.ndim != 3:
        raise invalid(f"filter must be 3-dimensional: {shape_text(filters.shape)}")
    if input.shape[3] != filters.shape[2]:
        raise invalid(depths_differ(input.shape[3], filters.shape[2]))
    if min(strides) <= 0:
        raise stride_too_small(min(strides))


def _check_format(data_format: Any) -> None:
    if data_format != "NHWC":
        raise ValueError(only_nhwc(data_format))


def _dilated(
    input: jax.Array, filters: jax.Array, strides: Any, padding: Any, rates: Any
) -> jax.Array:
    """Takes the greatest sum in each window, the first of equal ones; nan does not count."""
    _check(input, filters, strides, padding, rates)
    places = [
        positions(input.shape[axis], filters.shape[axis - 1], strides[axis], rates[axis], padding)
        for axis in (1, 2)
    ]
    floating = jnp.issubdtype(input.dtype, jnp.floating)
    lowest = (jnp.finfo if floating else jnp.iinfo)(input.dtype).min
    inside = [
        (indices >= 0) & (indices < input.shape[axis])
        for axis, indices in zip((1, 2), places, strict=True)
    ]
    both = inside[0][:, :, None, None] & inside[1]
    sums = windows_of(input, 1, places) + filters[:, None]
    known = jnp.asarray(both)[None, ..., None] & (sums > lowest)
    sums = jnp.where(known, sums, jnp.asarray(lowest, input.dtype))
    batch, rows, height, columns, width, depth = sums.shape
    moved = jnp.moveaxis(sums, 2, 3).reshape(batch, rows, columns, height * width, depth)
    if height * width == 0:
        return jnp.full((batch, rows, columns, depth), lowest, input.dtype)
    best = jnp.argmax(moved, axis=3, keepdims=True)
    return jnp.take_along_axis(moved, best, axis=3)[:, :, :, 0]


@op("nn.dilation2d", kernel="Dilation2D", dtypes=REALS)
def dilation2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
) -> jax.Array:
    """Computes the grayscale dilation: the greatest sum of pixels and filter in each window.

    The gradient goes to the first of equal sums. Beyond TensorFlow, it can be differentiated more
    than once.

    Args:
        input: a tensor of shape `[B, H, W, C]`.
        filters: a tensor of shape `[K, L, C]`.
        strides: how far the filter moves, `[1, rows, columns, 1]`.
        padding: `"SAME"` or `"VALID"`.
        data_format: `"NHWC"`.
        dilations: the distance of the pixels that the filter touches, `[1, rows, columns, 1]`.

    Returns:
        A tensor of shape `[B, H', W', C]` and the type of `input`.

    Raises:
        ValueError: for another format.
        TypeError: if a list is none.
        InvalidArgumentError: if the shapes do not fit together.

    >>> x = tf.reshape(tf.range(4), [1, 2, 2, 1])
    >>> ones = [1, 1, 1, 1]
    >>> tf.nn.dilation2d(x, [[[0], [5]]], ones, "VALID", "NHWC", ones).numpy().ravel()
    array([6, 8], dtype=int32)
    """
    _check_format(data_format)
    return _dilated(input, filters, strides, padding, dilations)


@op("nn.erosion2d", kernel="Dilation2D", dtypes=REALS)
def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
) -> jax.Array:
    """Computes the grayscale erosion: the smallest difference of pixels and mirrored filter.

    It is the negative dilation of the negative image by the mirrored filter.

    Args:
        value: a tensor of shape `[B, H, W, C]`.
        filters: a tensor of shape `[K, L, C]`.
        strides: how far the filter moves, `[1, rows, columns, 1]`.
        padding: `"SAME"` or `"VALID"`.
        data_format: `"NHWC"`.
        dilations: the distance of the pixels that the filter touches, `[1, rows, columns, 1]`.

    Returns:
        A tensor of shape `[B, H', W', C]` and the type of `value`.

    Raises:
        ValueError: for another format.
        TypeError: if a list is none.
        InvalidArgumentError: if the shapes do not fit together.

    >>> x = tf.reshape(tf.range(4), [1, 2, 2, 1])
    >>> ones = [1, 1, 1, 1]
    >>> tf.nn.erosion2d(x, [[[5], [0]]], ones, "VALID", "NHWC", ones).numpy().ravel()
    array([-4, -2], dtype=int32)
    """
    _check_format(data_format)
    mirrored = jnp.flip(filters, (0, 1)) if filters.ndim == 3 else filters
    return -_dilated(-value, mirrored, strides, padding, dilations)
