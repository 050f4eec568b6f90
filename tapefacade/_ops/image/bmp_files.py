"""BMP files without compression: decoding."""

import struct

import numpy as np

from tapefacade._core.error_texts import invalid
from tapefacade._ops.image.files import Array, with_channels

MIN_BYTES = 32  # bytes of the headers that are read


def decode(contents: bytes, channels: int) -> Array:
    """Decodes a BMP file with 8, 24 or 32 bits for a pixel.

    Args:
        contents: the file. A palette is ignored, as TensorFlow does: the image is then grey.
        channels: 0 for those of the file, 3 or 4.

    Returns:
        A uint8 array of shape `[H, W, C]`.

    Raises:
        InvalidArgumentError: if the file is broken, or has other pixels.
    """
    if len(contents) < MIN_BYTES:
        raise invalid(
            f"Incomplete bmp content, requires at least {MIN_BYTES} bytes to find the header size, "
            f"width, height, and bpp, got {len(contents)} bytes"
        )
    start, _, width, height, _, bits = struct.unpack_from("<IIiiHH", contents, 10)
    have = bits // 8
    if have not in (1, 3, 4):
        raise invalid(f"Number of channels inherent in the image must be 1, 3 or 4, was {have}")
    if width <= 0 or height == 0:
        raise invalid("Width must be positive" if width <= 0 else "Height must be nonzero")
    rows = abs(height)
    stride = (bits * width + 31) // 32 * 4
    if excess := len(contents) - start - rows * stride:
        raise invalid(
            "Input size should match (header_size + row_size * abs_height) but they differ by "
            f"{excess}"
        )
    lines = np.frombuffer(contents, np.uint8, rows * stride, start).reshape(rows, stride)
    pixels = lines[:, : width * have].reshape(rows, width, have)
    if height > 0:  # the lowest row comes first
        pixels = pixels[::-1]
    if have > 1:
        pixels = pixels[..., [2, 1, 0, 3][:have]]
    return with_channels(pixels, channels)
