"""How alike two images look: the index of structural similarity, at one scale and at several."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import incompatible_shapes, invalid, rank_too_low, refused_input
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import as_integer
from tapefacade._definition.op import TensorLike, function, op
from tapefacade._definition.parameters import frozen_value
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.joining import stack
from tapefacade._ops.image.geometry import convert_image_dtype
from tapefacade._ops.math.elementary import pow as pow_op
from tapefacade._ops.math.reduction import reduce_mean, reduce_prod
from tapefacade._ops.nn.activation import relu as relu_op
from tapefacade._ops.nn.convolution import MESSAGE_EMPTY_FILTER

SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


@function("image.ssim")
def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> EagerTensor:
    """Computes the structural similarity of images, the mean over pixels and channels.

    The index compares means, variances and covariances of the pixels around each pixel, with the
    weights of a Gaussian: Wang, Bovik, Sheikh and Simoncelli, "Image Quality Assessment: From Error
    Visibility to Structural Similarity", 2004.

    Args:
        img1: a tensor of shape `[..., H, W, C]`.
        img2: another one of the same type; the dimensions before `H` may be broadcast.
        max_val: the largest value that the images can have, such as 255 or 1.0.
        filter_size: the height and width of the Gaussian.
        filter_sigma: its standard deviation.
        k1: stabilizes the comparison of means.
        k2: stabilizes the comparison of variances.
        return_index_map: return the index of each pixel.

    Returns:
        A float32 tensor of shape `[...]` with values in (-1, 1], or, with `return_index_map`, of
        shape `[..., H - filter_size + 1, W - filter_size + 1]`.

    Raises:
        ValueError: if the shapes do not fit, or an image has fewer than three dimensions.
        InvalidArgumentError: if the types differ, or an image is smaller than the filter.

    >>> image = tf.random.uniform([16, 16, 3])
    >>> tf.image.ssim(image, image, max_val=1.0).numpy().round(4)
    np.float32(1.0)
    """
    first, second = convert_to_tensor(img1), convert_to_tensor(img2)
    size = as_integer(frozen_value(filter_size))
    first, second, limit = _prepared(first, second, max_val)
    similarity, _ = _ssim(first, second, limit, size, filter_sigma, k1, k2, return_index_map)
    return reduce_mean(similarity, -1)


@function("image.ssim_multiscale")
def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: Any,
    power_factors: Any = SCALES,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> EagerTensor:
    """Computes the structural similarity of images at several scales.

    Each scale has half of the size of the one before: Wang, Simoncelli and Bovik, "Multiscale
    Structural Similarity for Image Quality Assessment", 2003.

    Args:
        img1: a tensor of shape `[..., H, W, C]`.
        img2: another one of the same type; the dimensions before `H` may be broadcast.
        max_val: the largest value that the images can have, such as 255 or 1.0.
        power_factors: the exponents of the scales, the largest scale first.
        filter_size: the height and width of the Gaussian.
        filter_sigma: its standard deviation.
        k1: stabilizes the comparison of means.
        k2: stabilizes the comparison of variances.

    Returns:
        A float32 tensor of shape `[...]` with values in [0, 1].

    Raises:
        ValueError: if the shapes do not fit, or an image has fewer than three dimensions.
        InvalidArgumentError: if the types differ, or an image is smaller than the filter at one of
            the scales.

    >>> image = tf.random.uniform([1, 32, 32, 3])
    >>> tf.image.ssim_multiscale(image, image, 1.0, power_factors=(0.5, 0.5)).numpy().round(4)
    array([1.], dtype=float32)
    """
    first, second = convert_to_tensor(img1), convert_to_tensor(img2)
    size = as_integer(frozen_value(filter_size))
    first, second, limit = _prepared(first, second, max_val)
    powers = frozen_value(power_factors)
    relu, parts, similarity = relu_op, [], None
    for scale in range(len(powers)):
        if scale > 0:
            first, second = _halved(first), _halved(second)
        similarity, structure = _ssim(first, second, limit, size, filter_sigma, k1, k2, False)
        parts.append(relu(structure))
    parts.pop()  # the smallest scale counts with its means
    parts = stack([*parts, relu(similarity)], -1)
    combined = reduce_prod(pow_op(parts, powers), -1)
    return reduce_mean(combined, -1)


def _prepared(first: Any, second: Any, max_val: Any) -> tuple[Any, Any, Any]:
    """Checks two images; returns them and the largest value in single precision."""
    if first.dtype is not second.dtype:
        raise refused_input("ShapeN", 1, first.dtype.kernel_name, second.dtype.kernel_name)
    shapes = first.shape, second.shape
    for shape in shapes:
        if len(shape) < 3:
            raise ValueError(rank_too_low(shape, 3))
    if shapes[0][-3:] != shapes[1][-3:]:
        raise ValueError(incompatible_shapes(shapes[0][-3:], shapes[1][-3:]))
    for one, other in zip(*(reversed(shape[:-3]) for shape in shapes), strict=False):
        if one != other and 1 not in (one, other):
            raise ValueError(f"Two images are not compatible: {shapes[0]} and {shapes[1]}")
    limit = convert_image_dtype(cast(max_val, first.dtype), "float32")
    return convert_image_dtype(first, "float32"), convert_image_dtype(second, "float32"), limit


def _gaussian(size: int, sigma: float) -> np.ndarray:
    places = np.arange(size, dtype=np.float64) - (size - 1) / 2
    weights = np.exp(-0.5 * (places / sigma) ** 2)
    return (weights / weights.sum()).astype(np.float32)


def _averaged(images: Any, size: int, sigma: float) -> jax.Array:
    """Averages around each pixel with the weights of a Gaussian, along one axis after the other."""
    height, width, channels = images.shape[-3:]
    flat = jnp.moveaxis(images.reshape((-1, height, width, channels)), -1, 1)
    flat = flat.reshape((-1, 1, height, width))
    weights = _gaussian(size, sigma)
    for shape in ((1, 1, size, 1), (1, 1, 1, size)):
        # Variances are small differences of averages, so that these must not be rounded.
        precise = lax.Precision.HIGHEST
        kernel = jnp.asarray(weights.reshape(shape))
        flat = lax.conv_general_dilated(flat, kernel, (1, 1), "VALID", precision=precise)
    rows = flat.reshape((-1, channels, *flat.shape[2:]))
    return jnp.moveaxis(rows, 1, -1).reshape((*images.shape[:-3], *flat.shape[2:], channels))


@op("_ssim", kernel="DepthwiseConv2dNative")
def _ssim(
    first: TensorLike,
    second: TensorLike,
    max_val: TensorLike,
    size: int,
    sigma: float,
    k1: float,
    k2: float,
    index_map: bool,
) -> tuple[jax.Array, jax.Array]:
    """Computes the similarity of each channel, and its part without the means."""
    for image in (first, second):
        if min(image.shape[-3:-1]) < size:
            shown = ", ".join(map(str, image.shape))
            raise invalid(
                "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
                f"{shown}\n{size}"
            )
    if size < 1:
        raise invalid(MESSAGE_EMPTY_FILTER)
    c1, c2 = ((np.float32(k) * max_val) ** 2 for k in (k1, k2))
    mean1, mean2 = _averaged(first, size, sigma), _averaged(second, size, sigma)
    product, squares = mean1 * mean2 * 2, mean1 * mean1 + mean2 * mean2
    means = (product + c1) / (squares + c1)
    products = _averaged(first * second, size, sigma) * 2
    both = _averaged(first * first + second * second, size, sigma)
    structure = (products - product + c2) / (both - squares + c2)
    similarity = means * structure
    if index_map:
        return similarity, structure
    return jnp.mean(similarity, (-3, -2)), jnp.mean(structure, (-3, -2))


@op("_halved_image", kernel="AvgPool")
def _halved(images: TensorLike) -> jax.Array:
    """Averages squares of four pixels; the last row or column counts twice if it has no partner."""
    height, width, channels = images.shape[-3:]
    edges = [(0, 0)] * (images.ndim - 3)
    even = jnp.pad(images, [*edges, (0, height % 2), (0, width % 2), (0, 0)], mode="symmetric")
    rows, columns = even.shape[-3] // 2, even.shape[-2] // 2
    squares = even.reshape((*images.shape[:-3], rows, 2, columns, 2, channels))
    return jnp.mean(squares, (-4, -2))
