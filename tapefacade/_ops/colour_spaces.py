"""Colours as brightness and two differences: YIQ and YUV, of analogue television."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.dtypes import as_dtype
from tapefacade._ops.arguments import inconvertible, invalid
from tapefacade._ops.op import TensorLike, op

Matrix = list[list[float]]

# What a colour (a row) is multiplied with, as TensorFlow rounds it.
RGB_TO_YIQ: Matrix = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
YIQ_TO_RGB: Matrix = [
    [1, 1, 1],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
RGB_TO_YUV: Matrix = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
YUV_TO_RGB: Matrix = [
    [1, 1, 1],
    [0, -0.394642334, 2.03206185],
    [1.13988303, -0.58062185, 0],
]


def _converted(images: Any, matrix: Matrix) -> jax.Array:
    kind = as_dtype(images.dtype)
    if not (kind.is_floating or kind.is_complex):
        raise inconvertible(matrix, kind.kernel_name)
    if images.ndim == 0:
        raise IndexError("list index out of range")
    if images.shape[-1] != 3:
        pixels = int(np.prod(images.shape[:-1], dtype=np.int64))
        raise invalid(
            f"Matrix size-incompatible: In[0]: [{pixels},{images.shape[-1]}], In[1]: [3,3]"
        )
    weights = jnp.asarray(matrix, images.dtype)
    # A sum of three products, which no accelerator rounds as it may round those of a matmul.
    return sum(images[..., c, None] * weights[c] for c in range(3))  # pyright: ignore[reportReturnType]


@op("image.rgb_to_yiq", kernel="MatMul")
def rgb_to_yiq(images: TensorLike) -> jax.Array:
    """Converts red, green and blue to brightness, in-phase and quadrature (YIQ, as in NTSC).

    Args:
        images: a floating tensor of shape `[..., 3]` with values in [0, 1].

    Returns:
        A tensor of the shape and type of `images`.

    Raises:
        TypeError: if `images` is not floating.
        InvalidArgumentError: if there are not three channels.

    >>> tf.image.rgb_to_yiq([1.0, 0.0, 0.0]).numpy()
    array([0.299    , 0.5959006, 0.2115   ], dtype=float32)
    """
    return _converted(images, RGB_TO_YIQ)


@op("image.yiq_to_rgb", kernel="MatMul")
def yiq_to_rgb(images: TensorLike) -> jax.Array:
    """Converts brightness, in-phase and quadrature (YIQ, as in NTSC) to red, green and blue.

    Args:
        images: a floating tensor of shape `[..., 3]`.

    Returns:
        A tensor of the shape and type of `images`.

    Raises:
        TypeError: if `images` is not floating.
        InvalidArgumentError: if there are not three channels.

    >>> tf.image.yiq_to_rgb([0.5, 0.0, 0.0]).numpy()
    array([0.5, 0.5, 0.5], dtype=float32)
    """
    return _converted(images, YIQ_TO_RGB)


@op("image.rgb_to_yuv", kernel="MatMul")
def rgb_to_yuv(images: TensorLike) -> jax.Array:
    """Converts red, green and blue to brightness and two colour differences (YUV, as in PAL).

    Args:
        images: a floating tensor of shape `[..., 3]` with values in [0, 1].

    Returns:
        A tensor of the shape and type of `images`.

    Raises:
        TypeError: if `images` is not floating.
        InvalidArgumentError: if there are not three channels.

    >>> tf.image.rgb_to_yuv([0.0, 0.0, 1.0]).numpy()
    array([ 0.114     ,  0.43601036, -0.10001026], dtype=float32)
    """
    return _converted(images, RGB_TO_YUV)


@op("image.yuv_to_rgb", kernel="MatMul")
def yuv_to_rgb(images: TensorLike) -> jax.Array:
    """Converts brightness and two colour differences (YUV, as in PAL) to red, green and blue.

    Args:
        images: a floating tensor of shape `[..., 3]`.

    Returns:
        A tensor of the shape and type of `images`.

    Raises:
        TypeError: if `images` is not floating.
        InvalidArgumentError: if there are not three channels.

    >>> tf.image.yuv_to_rgb([0.5, 0.0, 0.0]).numpy()
    array([0.5, 0.5, 0.5], dtype=float32)
    """
    return _converted(images, YUV_TO_RGB)
