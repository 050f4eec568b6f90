"""How images change from pixel to pixel: edges, differences, and their sum."""

import jax
import jax.numpy as jnp

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid, reshape_sizes, shape_text
from tapefacade._core.kernel_dtypes import FLOATS_HALF_FIRST
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import TensorLike, function, op
from tapefacade._ops.math.arithmetic import SUBTRACT
from tapefacade._ops.math.elementary import abs as abs_op
from tapefacade._ops.math.reduction import reduce_sum


@function("image.total_variation")
def total_variation(images: TensorLike, name: None = None) -> EagerTensor:
    """Sums the absolute differences of neighbouring pixels, a measure of the noise of images.

    Args:
        images: a tensor of shape `[B, H, W, C]` or `[H, W, C]`.
        name: ignored.

    Returns:
        A tensor of shape `[B]`, or a scalar, of the type of `images` (real for complex ones).

    Raises:
        ValueError: if `images` has another rank.
        InvalidArgumentError: if the images are unsigned or bool.

    >>> tf.image.total_variation(tf.constant([[[1.0], [3.0]], [[0.0], [3.0]]])).numpy()
    np.float32(6.0)
    """
    images = convert_to_tensor(images)
    rank = len(images.shape)
    if rank not in (3, 4):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    down = images[..., 1:, :, :] - images[..., :-1, :, :]
    right = images[..., 1:, :] - images[..., :-1, :]
    axes = (-3, -2, -1)
    return reduce_sum(abs_op(down), axes) + reduce_sum(abs_op(right), axes)


@op("image.image_gradients", kernel="Sub", dtypes=SUBTRACT)
def image_gradients(image: TensorLike) -> tuple[jax.Array, jax.Array]:
    """Computes the differences to the pixel below and to the pixel at the right.

    Args:
        image: a tensor of shape `[B, H, W, C]`.

    Returns:
        The pair `(dy, dx)`, both of the shape and type of `image`. The last row of `dy` and the
        last column of `dx` are 0.

    Raises:
        ValueError: if `image` has another rank.
        InvalidArgumentError: if `image` is bool or has a height or width of 0.

    >>> dy, dx = tf.image.image_gradients(tf.constant([[[[1.0], [2.0]], [[5.0], [9.0]]]]))
    >>> dy.numpy()[0, :, :, 0], dx.numpy()[0, :, :, 0]
    (array([[4., 7.],
           [0., 0.]], dtype=float32), array([[1., 0.],
           [4., 0.]], dtype=float32))
    """
    if image.ndim != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}."
        )
    batch, height, width, depth = image.shape
    for size, padded in ((height, batch * width * depth), (width, batch * height * depth)):
        if size == 0 and padded:
            raise invalid(reshape_sizes(padded, 0) + " [Op:Reshape]")
    return (
        jnp.concatenate([jnp.diff(image, axis=1), jnp.zeros_like(image[:, :1])], 1),
        jnp.concatenate([jnp.diff(image, axis=2), jnp.zeros_like(image[:, :, :1])], 2),
    )


@op("image.sobel_edges", kernel="DepthwiseConv2dNative", dtypes=FLOATS_HALF_FIRST)
def sobel_edges(image: TensorLike) -> jax.Array:
    """Computes the derivatives of images with Sobel's filters, at the edges of mirrored images.

    Args:
        image: a floating tensor of shape `[B, H, W, C]`, with a height and a width of at least 2.

    Returns:
        A tensor of shape `[B, H, W, C, 2]`: the derivatives along the height and the width.

    Raises:
        InvalidArgumentError: if `image` has another rank or type, or is too small.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.sobel_edges(image)[0, 1, 1, 0].numpy()
    array([24.,  8.], dtype=float32)
    """
    if image.ndim != 4:
        raise invalid(
            "The first dimension of paddings must be the rank of inputs[4,2], "
            f"{shape_text(image.shape)} [Op:MirrorPad]"
        )
    for size, padding in zip(image.shape, (0, 1, 1, 0), strict=True):
        if padding >= size:
            raise invalid(
                "paddings must be less than the dimension size: "
                f"{padding}, {padding} not less than {size} [Op:MirrorPad]"
            )
    padded = jnp.pad(image, [(0, 0), (1, 1), (1, 1), (0, 0)], mode="reflect")
    above, middle, below = padded[:, :-2], padded[:, 1:-1], padded[:, 2:]
    down, smooth = below - above, above + 2 * middle + below
    return jnp.stack(
        [
            down[:, :, :-2] + 2 * down[:, :, 1:-1] + down[:, :, 2:],
            smooth[:, :, 2:] - smooth[:, :, :-2],
        ],
        -1,
    )
