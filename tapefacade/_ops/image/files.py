"""Contents of image files: what they are, how they are opened, and numbers of channels."""

import contextlib
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapefacade._core.conversion import convert
from tapefacade._core.dtypes import string
from tapefacade._core.error_texts import inconvertible_argument, invalid, kernel_prefix, shape_text
from tapefacade._core.errors import OpError
from tapefacade._core.optional_imports import optional_module

Array = np.ndarray[Any, Any]

# The first bytes of each format that TensorFlow knows.
SIGNATURES = {
    "JPEG": (b"\xff\xd8\xff",),
    "PNG": (b"\x89PNG\r\n\x1a\n",),
    "GIF": (b"GIF8",),
    "BMP": (b"BM",),
}


@contextlib.contextmanager
def errors_of_kernel(kernel: str) -> Iterator[None]:
    """Puts the name of a kernel into the errors that are raised within, as TensorFlow does."""
    try:
        yield
    except OpError as error:
        if "[Op:" in error.message:
            raise
        kind: Any = type(error)
        prefix = kernel_prefix(kernel)
        raise kind(None, None, f"{prefix}{error.message} [Op:{kernel}]") from error.__cause__


def pillow() -> Any:
    """Returns the module `PIL.Image`.

    Raises:
        ImportError: if Pillow is not installed.
    """
    return optional_module(
        "PIL.Image", "image", "Images in JPEG, PNG, GIF and WebP files", "Pillow"
    )


def open_image(contents: bytes) -> Any:
    """Opens an image with Pillow.

    Raises:
        OSError: if the contents are of no format that Pillow knows.
    """
    return pillow().open(io.BytesIO(contents))


def contents_of(value: Any) -> bytes:
    """Returns the bytes of a scalar string: of a tensor, of Python or of NumPy.

    Raises:
        TypeError: if `value` is no string.
        InvalidArgumentError: if it is not a scalar.
    """
    if isinstance(value, bytes):
        return value
    array = np.asarray(convert(value, None if hasattr(value, "dtype") else string).numpy())
    if array.ndim:
        raise invalid(f"`contents` must be scalar but got shape{shape_text(array.shape)}")
    found = array.item()
    if not isinstance(found, bytes):
        raise inconvertible_argument(value, "string")
    return found


def format_of(contents: bytes) -> str:
    """Returns the format of an image: "JPEG", "PNG", "GIF", "BMP" or "WebP".

    Raises:
        InvalidArgumentError: if it is none of them.
    """
    if not contents:
        raise invalid("Input is empty.")
    for name, signatures in SIGNATURES.items():
        if contents.startswith(signatures):
            return name
    if contents[:4] == b"RIFF" and contents[8:12] == b"WEBP":
        return "WebP"
    raise invalid("Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.")


def with_channels(pixels: Array, channels: int) -> Array:
    """Returns an image with 1, 3 or 4 channels; 0 keeps those it has.

    Grey becomes red, green and blue; an alpha channel is left out, or is full where there is none.

    Args:
        pixels: an array of shape `[H, W, C]` of unsigned integers: grey, grey and alpha, red green
            and blue, or these and alpha.
        channels: how many channels the result has.
    """
    have = pixels.shape[2]
    if channels in (0, have):
        return pixels
    colours, alpha = (pixels, None) if have % 2 else (pixels[..., :-1], pixels[..., -1:])
    if channels == 1:
        return grey(colours)
    if colours.shape[2] == 1:
        colours = np.repeat(colours, 3, axis=2)
    if channels == 3:
        return colours
    if alpha is None:
        alpha = np.full_like(colours[..., :1], np.iinfo(pixels.dtype).max)
    return np.concatenate([colours, alpha], axis=2)


def grey(colours: Array) -> Array:
    """Returns the brightness of red, green and blue, in the fixed point numbers of libpng."""
    if colours.shape[2] == 1:
        return colours
    wide = colours.astype(np.uint32)
    red, green, blue = (wide[..., channel] for channel in range(3))
    total = 9797 * red + 19234 * green + 3737 * blue
    if colours.dtype == np.uint16:
        total += 1 << 14
    same = (red == green) & (red == blue)
    return np.where(same, red, total >> 15).astype(colours.dtype)[..., None]
