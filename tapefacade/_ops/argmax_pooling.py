"""Maxima over windows together with their places: `tf.nn.max_pool_with_argmax`."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, errors
from tapefacade._core.convert import convert_to_tensor
from tapefacade._ops.arguments import INDEX_TYPES, SEGMENT_ORDERED, invalid, require_type
from tapefacade._ops.convolution import Layout, sequence_of
from tapefacade._ops.op import TensorLike, function, op
from tapefacade._ops.parameters import frozen_value
from tapefacade._ops.patches import check_padding, positions

LAYOUT = Layout(2, False)


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
        raise invalid(f"ksize must be a positive int32 value, got:{min(window)}")
    if min(steps) <= 0:
        raise invalid(f"Stride must be > 0, but got {min(steps)}")
    if window[0] != 1 or steps[0] != 1:
        message = "Pooling is not yet supported on the batch dimension."
        raise errors.UnimplementedError(None, None, message)
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


@op("_max_pool_with_argmax", kernel="MaxPoolWithArgmax", dtypes=SEGMENT_ORDERED)
def _max_pool_with_argmax(
    input: TensorLike, ksize: Any, strides: Any, padding: str, kind: Any, with_batch: bool
) -> tuple[jax.Array, jax.Array]:
    """Takes maxima, and their places."""
    check_padding(padding)
    window = sequence_of(ksize, LAYOUT, "ksize")
    steps = sequence_of(strides, LAYOUT, "strides")
    _check(input, window, steps)
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
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. Received: {data_format=!s}"
        )
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
    tensor = convert_to_tensor(input)
    kind = require_type("Targmax", output_dtype, INDEX_TYPES)
    window, steps = frozen_value(ksize), frozen_value(strides)
    found = _max_pool_with_argmax(tensor, window, steps, padding, kind, include_batch_in_index)
    return MaxPoolWithArgmax(*found)
