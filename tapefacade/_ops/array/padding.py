"""Margins and blocks: `pad`, `space_to_depth`, `space_to_batch`, `reverse_sequence`."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.conversion import convert_to_tensor, is_tensor
from tapefacade._core.error_texts import (
    below_minimum,
    invalid,
    refused_choice,
    refused_input,
    refused_type,
    shape_text,
)
from tapefacade._core.kernel_dtypes import INDICES
from tapefacade._definition.argument_checks import as_integer, first_bad, is_integer, require_type
from tapefacade._definition.op import Check, Differentiable, IndexLike, TensorLike, function, op
from tapefacade._ops.array.copying import identity

MODES = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}


def _margins(tensor: Any, paddings: Any, mode: str) -> list[tuple[int, int]]:
    """Returns the margins before and after each dimension."""
    shape = np.shape(paddings)
    if len(shape) != 2 or shape[1] != 2:
        raise invalid(f"paddings must be a matrix with 2 columns: {shape_text(shape)}")
    if not all(is_integer(n) for pair in paddings for n in pair):
        raise refused_type("Tpaddings", "float", INDICES)
    if shape[0] != tensor.ndim:
        comma = "" if mode == "CONSTANT" else ","
        raise invalid(
            f"The first dimension of paddings must be the rank of inputs{shape_text(shape)}{comma} "
            f"{shape_text(tensor.shape)}"
        )
    for size, (before, after) in zip(tensor.shape, paddings, strict=True):
        if before < 0 or after < 0:
            which = "Paddings" if mode == "CONSTANT" else "paddings"
            raise invalid(f"{which} must be non-negative: {before} {after}")
        if mode == "REFLECT" and max(before, after) >= size:
            raise invalid(
                "paddings must be less than the dimension size: "
                f"{before}, {after} not less than {size}"
            )
        if mode == "SYMMETRIC" and max(before, after) > size:
            raise invalid(
                "paddings must be no greater than the dimension size: "
                f"{before}, {after} greater than {size}"
            )
    return [tuple(pair) for pair in paddings]


@op(
    "_pad",
    kernel="Pad",
    host=lambda tensor, paddings: np.pad(tensor, _margins(tensor, paddings, "CONSTANT")),
    moves=True,
)
def _pad(tensor: TensorLike, paddings: Any) -> jax.Array:
    """Adds margins of zeros."""
    margins = _margins(tensor, paddings, "CONSTANT")
    # Texts come here as types only, where one is as good as another.
    is_text = tensor.dtype == object
    zero = tensor[(0,) * tensor.ndim] if is_text else jnp.zeros((), tensor.dtype)
    return jax.lax.pad(tensor, zero, [(*pair, 0) for pair in margins])


@op("_pad_with", kernel="PadV2", gradient=Differentiable(except_for=("value",)), moves=True)
def _pad_with(tensor: TensorLike, value: TensorLike, paddings: Any) -> jax.Array:
    """Adds margins that hold a value."""
    margins = _margins(tensor, paddings, "CONSTANT")
    if value.ndim:
        raise invalid(f"constant_values must be a scalar. Found: {shape_text(value.shape)}")
    return jax.lax.pad(tensor, value, [(*pair, 0) for pair in margins])


@op("_mirror_pad", kernel="MirrorPad", moves=True)
def _mirror_pad(tensor: TensorLike, paddings: Any, mode: str) -> jax.Array:
    """Adds margins that mirror the tensor."""
    return jnp.pad(tensor, _margins(tensor, paddings, mode), mode=MODES[mode])


@function("pad")
def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Any:
    """Adds margins to a tensor.

    Args:
        tensor: a tensor of rank n.
        paddings: the sizes of the margins before and after each dimension, integers `[n, 2]`.
        mode: "CONSTANT" fills the margins with a value; "REFLECT" mirrors the tensor at its first
            and last elements, and "SYMMETRIC" just outside them.
        constant_values: the value, a scalar; its gradient is None.
        name: ignored.

    Returns:
        A larger tensor.

    Raises:
        ValueError: for another mode.
        InvalidArgumentError: if the margins are negative, too large to be mirrored, or not as many
            as the dimensions.

    >>> tf.pad([1, 2], [[1, 2]]).numpy()
    array([0, 1, 2, 0, 0], dtype=int32)
    """
    kind = mode.upper()
    if getattr(paddings, "shape", None) == (0, 2):
        tensor = convert_to_tensor(tensor)
        if tensor.shape.rank == 0 and (kind in MODES or kind == "CONSTANT"):
            return identity(tensor)  # a scalar has no margins
    if kind in MODES:
        return _mirror_pad(tensor, paddings, kind)
    if kind != "CONSTANT":
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or '
            f'"SYMMETRIC". Received `mode` = {mode}'
        )
    if isinstance(constant_values, int | float) and constant_values == 0:
        return _pad(tensor, paddings)
    if not isinstance(constant_values, int | float) and is_tensor(constant_values):
        tensor = convert_to_tensor(tensor)
        if constant_values.dtype != tensor.dtype:
            names = tensor.dtype.kernel_name, constant_values.dtype.kernel_name
            raise refused_input("PadV2", 2, *names)
    return _pad_with(tensor, constant_values, paddings)


def _check_blocks(input: Any, block_size: int, data_format: str, message: str) -> None:
    if block_size < 2:
        raise invalid(below_minimum("block_size", block_size, 2))
    if data_format not in ("NHWC", "NCHW"):
        formats = ("NHWC", "NCHW", "NCHW_VECT_C")
        raise invalid(refused_choice("data_format", data_format, formats))
    if input.ndim != 4:
        raise invalid(message.format(input.ndim))


@op("nn.space_to_depth", raw_op=True)
def space_to_depth(input: TensorLike, block_size: int, data_format: str = "NHWC") -> jax.Array:
    """Moves square blocks of pixels into the channels.

    Beyond TensorFlow, "NCHW" works on the CPU too.

    Args:
        input: images, `[batch, height, width, channels]`.
        block_size: the height and width of a block.
        data_format: "NHWC", or "NCHW" for images `[batch, channels, height, width]`.

    Returns:
        A tensor `[batch, height / block_size, width / block_size, channels * block_size ** 2]`.

    Raises:
        InvalidArgumentError: if height or width cannot be divided, or `input` has not 4
            dimensions.

    >>> tf.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy()
    array([[[[1, 2, 3, 4]]]], dtype=int32)
    """
    _check_blocks(input, block_size, data_format, "Input rank should be 4 instead of {}")
    images = input if data_format == "NHWC" else jnp.transpose(input, (0, 2, 3, 1))
    batch, height, width, channels = images.shape
    if height % block_size or width % block_size:
        raise invalid(
            f"Image width {width} and height {height} should be divisible by block_size: "
            f"{block_size}"
        )
    rows, columns = height // block_size, width // block_size
    images = jnp.reshape(images, (batch, rows, block_size, columns, block_size, channels))
    images = jnp.transpose(images, (0, 1, 3, 2, 4, 5))
    images = jnp.reshape(images, (batch, rows, columns, block_size**2 * channels))
    return images if data_format == "NHWC" else jnp.transpose(images, (0, 3, 1, 2))


@op("nn.depth_to_space", raw_op=True)
def depth_to_space(input: TensorLike, block_size: int, data_format: str = "NHWC") -> jax.Array:
    """Spreads channels over square blocks of pixels; the inverse of `tf.nn.space_to_depth`.

    Beyond TensorFlow, "NCHW" works on the CPU too.

    Args:
        input: images, `[batch, height, width, channels]`.
        block_size: the height and width of a block.
        data_format: "NHWC", or "NCHW" for images `[batch, channels, height, width]`.

    Returns:
        A tensor `[batch, height * block_size, width * block_size, channels / block_size ** 2]`.

    Raises:
        InvalidArgumentError: if the channels cannot be divided, or `input` has not 4 dimensions.

    >>> tf.nn.depth_to_space([[[[1, 2, 3, 4]]]], 2).numpy()[0, :, :, 0]
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    _check_blocks(input, block_size, data_format, "Input rank should be: 4 instead of: {}")
    images = input if data_format == "NHWC" else jnp.transpose(input, (0, 2, 3, 1))
    batch, height, width, channels = images.shape
    if channels % block_size**2:
        raise invalid(f"Input depth dimension {channels} should be divisible by: {block_size**2}")
    depth = channels // block_size**2
    images = jnp.reshape(images, (batch, height, width, block_size, block_size, depth))
    images = jnp.transpose(images, (0, 1, 3, 2, 4, 5))
    images = jnp.reshape(images, (batch, height * block_size, width * block_size, depth))
    return images if data_format == "NHWC" else jnp.transpose(images, (0, 3, 1, 2))


def _block_arguments(block_shape: Any, margins: Any, name: str) -> tuple[Any, Any]:
    if isinstance(block_shape, int):
        block_shape = (block_shape,) * len(margins)
    if np.shape(margins) != (len(block_shape), 2):
        raise invalid(
            f"{name} should have shape [{len(block_shape)}, 2] instead of "
            f"{shape_text(np.shape(margins))}"
        )
    for i, size in enumerate(block_shape):
        if size < 1:
            raise invalid(
                f"All values in block_shape must be positive, got value, {size} at index {i}."
            )
    if any(n < 0 for pair in margins for n in pair):
        raise invalid(f"{name.capitalize()} must be non-negative")
    return block_shape, margins


@op("space_to_batch", "nn.space_to_batch", kernel="SpaceToBatchND", raw_op=True)
def space_to_batch(input: TensorLike, block_shape: Any, paddings: Any) -> jax.Array:
    """Moves blocks of places into the batch, after adding margins of zeros.

    Args:
        input: a tensor `[batch, spatial..., rest...]`.
        block_shape: the size of a block along each of the M spatial dimensions.
        paddings: the sizes of the margins before and after each of them, `[M, 2]`.

    Returns:
        A tensor `[batch * product of block_shape, smaller spatial..., rest...]`.

    Raises:
        InvalidArgumentError: if a dimension with its margins cannot be divided into blocks.

    >>> tf.space_to_batch([[[[1], [2]], [[3], [4]]]], [2, 2], [[0, 0], [0, 0]]).numpy()[:, 0, 0, 0]
    array([1, 2, 3, 4], dtype=int32)
    """
    blocks, paddings = _block_arguments(block_shape, paddings, "paddings")
    count = len(blocks)
    widths = [(0, 0), *paddings] + [(0, 0)] * (input.ndim - 1 - count)
    padded = jnp.pad(input, widths)
    split: list[int] = []
    for i, block in enumerate(blocks):
        size = padded.shape[1 + i]
        if size % block:
            raise invalid(f"padded_shape[{i}]={size} is not divisible by block_shape[{i}]={block}")
        split += [size // block, block]
    rest = padded.shape[1 + count :]
    cut = jnp.reshape(padded, (padded.shape[0], *split, *rest))
    inner, outer = range(2, 2 * count + 1, 2), range(1, 2 * count + 1, 2)
    moved = jnp.transpose(cut, (*inner, 0, *outer, *range(2 * count + 1, cut.ndim)))
    return jnp.reshape(moved, (padded.shape[0] * int(np.prod(blocks)), *split[::2], *rest))


@op("batch_to_space", kernel="BatchToSpaceND", raw_op=True)
def batch_to_space(input: TensorLike, block_shape: Any, crops: Any) -> jax.Array:
    """Spreads the batch over blocks of places, then crops; the inverse of `tf.space_to_batch`.

    Args:
        input: a tensor `[batch, spatial..., rest...]`.
        block_shape: the size of a block along each of the M spatial dimensions.
        crops: how much is cut off before and after each of them, `[M, 2]`.

    Returns:
        A tensor `[batch / product of block_shape, larger spatial..., rest...]`.

    Raises:
        InvalidArgumentError: if the batch cannot be divided into blocks.

    >>> x = tf.reshape([1, 2, 3, 4], [4, 1, 1, 1])
    >>> tf.batch_to_space(x, [2, 2], [[0, 0], [0, 0]]).numpy()[0, :, :, 0]
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    blocks, crops = _block_arguments(block_shape, crops, "crops")
    count, product = len(blocks), math.prod(blocks)
    if input.shape[0] % product:
        raise invalid(
            f"Input batch dimension ({input.shape[0]}) is not divisible by product of block sizes "
            f"({product})"
        )
    batch, spatial = input.shape[0] // product, input.shape[1 : 1 + count]
    rest = input.shape[1 + count :]
    cut = jnp.reshape(input, (*blocks, batch, *spatial, *rest))
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    moved = jnp.transpose(cut, (*order, *range(2 * count + 1, cut.ndim)))
    sizes = [size * block for size, block in zip(spatial, blocks, strict=True)]
    whole = jnp.reshape(moved, (batch, *sizes, *rest))
    for i, (before, after) in enumerate(crops):
        end = sizes[i] - after
        if end < before:
            raise invalid(f"cropped_shape[{i}]={end - before} must be non-negative")
        whole = jax.lax.slice_in_dim(whole, before, end, axis=1 + i)
    return whole


def _length_test(input: Any, seq_lengths: Any, seq_axis: Any, batch_axis: Any) -> tuple[Any, ...]:
    size = input.shape[seq_axis]
    return first_bad((seq_lengths < 0) | (seq_lengths > size), seq_lengths)


def _length_error(position: Any, value: Any, seq_axis: Any, batch_axis: Any) -> Exception:
    where = f"seq_lens({int(position[0])})"
    return invalid(f"{where} < 0" if value < 0 else f"{where} > input.dims({seq_axis})")


@op("reverse_sequence", check=Check(("seq_lengths",), _length_test, _length_error), moves=True)
def reverse_sequence(
    input: TensorLike, seq_lengths: IndexLike, seq_axis: Any = None, batch_axis: Any = None
) -> jax.Array:
    """Reverses the beginning of each sequence of a batch.

    Args:
        input: a tensor.
        seq_lengths: how many places of each sequence are reversed, a vector of integers.
        seq_axis: the dimension along which the sequences run.
        batch_axis: the dimension that counts the sequences, by default the first.

    Returns:
        A tensor of the same shape.

    Raises:
        InvalidArgumentError: if a length is negative or too large, or the dimensions do not fit.

    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy()
    array([[2, 1, 3],
           [6, 5, 4]], dtype=int32)
    """
    require_type("Tlen", seq_lengths.dtype, INDICES)
    if seq_axis is None:
        raise TypeError("Expected int for argument 'seq_dim' not None.")
    along, across = as_integer(seq_axis), 0 if batch_axis is None else as_integer(batch_axis)
    if along == across:
        raise invalid(f"batch_dim == seq_dim == {along}")
    if along >= input.ndim:
        raise invalid(f"seq_dim must be < input rank ( {along} vs. {input.ndim})")
    if seq_lengths.shape != (input.shape[across],):
        raise invalid(
            f"Length of seq_lengths != input.dims({across}), ({seq_lengths.size} vs. "
            f"{input.shape[across]})"
        )
    places = jnp.arange(input.shape[along]).astype(seq_lengths.dtype)
    lengths = seq_lengths[:, None]
    places = jnp.where(places < lengths, lengths - 1 - places, places)
    moved = jnp.moveaxis(input, (across, along), (0, 1))
    taken = jax.vmap(lambda row, at: jnp.take(row, at, axis=0, mode="clip"))(moved, places)
    return jnp.moveaxis(taken, (0, 1), (across, along))
