"""Decoding of image files: `decode_image` and the functions for single formats."""

from typing import Any

import numpy as np

from tapefacade._core.conversion import convert
from tapefacade._core.dtypes import as_dtype, int32, uint8, uint16
from tapefacade._core.error_texts import invalid, refused_type, shape_text
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._ops.image import bmp_files, gif_files, jpeg_files, png_files
from tapefacade._ops.image.files import Array, contents_of, errors_of_kernel, format_of, open_image
from tapefacade._ops.image.geometry import convert_image_dtype
from tapefacade._trace.open_sizes import with_unknown_axes

RATIOS = (1, 2, 4, 8)
METHODS = ("", "INTEGER_FAST", "INTEGER_ACCURATE")


def _image(pixels: Array, channels: int | None) -> EagerTensor:
    """Makes the tensor of an image, or of several: the file decides its sizes, maybe channels."""
    return with_unknown_axes(from_host(pixels), *range(pixels.ndim - bool(channels)))


@function("io.decode_image", "image.decode_image", on_values=True)
@errors_of_kernel("DecodeImage")
def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = uint8,
    name: None = None,
    expand_animations: bool = True,
) -> EagerTensor:
    """Decodes an image file in JPEG, PNG, GIF, BMP or WebP, whichever it is.

    Unlike TensorFlow, JPEG XL is not known; about JPEG see `tf.io.decode_jpeg`.

    Args:
        contents: a scalar string.
        channels: how many channels the result has; 0 or None for those of the file. JPEG can be
            decoded to 1 or 3, PNG to 1, 3 or 4, BMP to 3 or 4; GIF has 3, WebP 3 or 4.
        dtype: uint8, uint16, or any other, to whose range values are scaled (floats lie between 0
            and 1); WebP is uint8.
        name: ignored.
        expand_animations: return all frames of GIF and WebP files; else the first one.

    Returns:
        A tensor of shape `[H, W, C]`, or `[frames, H, W, C]` of a GIF or WebP file.

    Raises:
        InvalidArgumentError: if the file is broken, of no known format, or an argument does not
            suit the format.
        ImportError: if Pillow is not installed.

    >>> contents = tf.io.encode_png(tf.fill([2, 3, 1], tf.cast(255, tf.uint8)))
    >>> tf.io.decode_image(contents, channels=3, dtype=tf.float32)[0, 0].numpy()
    array([1., 1., 1.], dtype=float32)
    """
    wanted = as_dtype(dtype)
    # Values of other types are made of 16 bits, as TensorFlow does.
    read = wanted if wanted.name in ("uint8", "uint16", "float32") else uint16
    pixels = _decoded("DecodeImage", contents, channels or 0, read.name, expand=expand_animations)
    image = _image(pixels, channels)
    return image if read is wanted else convert_image_dtype(image, wanted)


@function("io.decode_jpeg", "image.decode_jpeg", on_values=True)
@errors_of_kernel("DecodeJpeg")
def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: None = None,
) -> EagerTensor:
    """Decodes a JPEG file.

    Unlike TensorFlow, `acceptable_fraction` has no effect. The pixels are TensorFlow's, but for
    images with four inks and those of up to four pixels a side that are made smaller: these may
    differ by a few units of 255.

    Args:
        contents: a scalar string. PNG files and GIF files of one frame are decoded, too.
        channels: 0 for those of the file, 1 (grey) or 3 (red, green, blue).
        ratio: 1, 2, 4 or 8, by which the image is made smaller.
        fancy_upscaling: whether colours that are stored at half of the size are interpolated.
        try_recover_truncated: decode a file that ends too early, grey where it is missing.
        acceptable_fraction: ignored.
        dct_method: `"INTEGER_FAST"`, which `""` stands for, or `"INTEGER_ACCURATE"`.
        name: ignored.

    Returns:
        A uint8 tensor of shape `[H, W, C]`.

    Raises:
        InvalidArgumentError: if the file is broken, or an argument is wrong.
        ImportError: if simplejpeg or Pillow is not installed.

    >>> contents = tf.io.encode_jpeg(tf.zeros([16, 16, 3], tf.uint8))
    >>> tf.io.decode_jpeg(contents, channels=1, ratio=2).shape
    TensorShape([8, 8, 1])
    """
    _check_jpeg(ratio, dct_method)
    options = _jpeg_options(ratio, try_recover_truncated, dct_method, fancy_upscaling)
    return _image(_decoded("DecodeJpeg", contents, channels or 0, frame=True, **options), channels)


def _jpeg_options(ratio: int, recover: Any, dct_method: str, fancy: Any) -> dict[str, Any]:
    """Returns the arguments for `jpeg_files.decode`."""
    fast = dct_method != "INTEGER_ACCURATE"
    return {"ratio": ratio, "recover": bool(recover), "fast": fast, "fancy": bool(fancy)}


def _check_jpeg(ratio: int, dct_method: str) -> None:
    if ratio not in RATIOS:
        raise invalid(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if dct_method not in METHODS:
        allowed = ", ".join(f"'{method}'" for method in METHODS)
        raise invalid(f"dct_method must be one of {{{allowed}}}")


@function("io.decode_and_crop_jpeg", "image.decode_and_crop_jpeg", on_values=True)
@errors_of_kernel("DecodeAndCropJpeg")
def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: None = None,
) -> EagerTensor:
    """Decodes a JPEG file and cuts a rectangle out of the image.

    Unlike TensorFlow, the whole image is decoded, which takes longer, and colours at the edges of
    the rectangle are interpolated with those outside; see also `tf.io.decode_jpeg`.

    Args:
        contents: a scalar string.
        crop_window: four integers: the first row, the first column, height and width.
        channels: 0 for those of the file, 1 (grey) or 3 (red, green, blue).
        ratio: 1, 2, 4 or 8, by which the image is made smaller before.
        fancy_upscaling: whether colours that are stored at half of the size are interpolated.
        try_recover_truncated: decode a file that ends too early, grey where it is missing.
        acceptable_fraction: ignored.
        dct_method: `"INTEGER_FAST"`, which `""` stands for, or `"INTEGER_ACCURATE"`.
        name: ignored.

    Returns:
        A uint8 tensor of shape `[height, width, C]`.

    Raises:
        InvalidArgumentError: if the file is broken or no JPEG, or the rectangle is not within it.
        ImportError: if simplejpeg or Pillow is not installed.

    >>> contents = tf.io.encode_jpeg(tf.zeros([16, 16, 3], tf.uint8))
    >>> tf.io.decode_and_crop_jpeg(contents, [1, 2, 3, 4]).shape
    TensorShape([3, 4, 3])
    """
    _check_jpeg(ratio, dct_method)
    window = convert(crop_window, int32).numpy()
    file = contents_of(contents)
    kind = format_of(file)
    if kind != "JPEG":
        raise invalid(f"DecodeAndCropJpeg operation can run on JPEG only, but detected {kind}.")
    if window.ndim != 1:
        raise invalid(f"crop_window must be 1-D, got shape {shape_text(window.shape)}")
    if window.size != 4:
        raise invalid(f"crop_size must have four elements {shape_text(window.shape)}")
    options = _jpeg_options(ratio, try_recover_truncated, dct_method, fancy_upscaling)
    pixels = _decoded("DecodeAndCropJpeg", file, channels or 0, **options)
    top, left, height, width = window.tolist()
    bottom, right = top + height, left + width
    inside = 0 <= top < bottom <= pixels.shape[0] and 0 <= left < right <= pixels.shape[1]
    if not inside:
        raise invalid(jpeg_files.MESSAGE_BROKEN)
    return _image(np.ascontiguousarray(pixels[top:bottom, left:right]), channels)


@function("io.decode_png", "image.decode_png", on_values=True)
@errors_of_kernel("DecodePng")
def decode_png(
    contents: Any, channels: int = 0, dtype: Any = uint8, name: None = None
) -> EagerTensor:
    """Decodes a PNG file.

    Args:
        contents: a scalar string. JPEG files and GIF files of one frame are decoded, too.
        channels: 0 for those of the file, 1 (grey), 3 (red, green, blue) or 4 (these and alpha).
        dtype: uint8, or uint16 for all 16 bits that a file may have.
        name: ignored.

    Returns:
        A tensor of shape `[H, W, C]` and type `dtype`.

    Raises:
        InvalidArgumentError: if the file is broken, or an argument is wrong.
        ImportError: if Pillow is not installed.

    >>> contents = tf.io.encode_png(tf.constant([[[0], [255]]], tf.uint8))
    >>> tf.io.decode_png(contents)[0, :, 0].numpy()
    array([  0, 255], dtype=uint8)
    """
    wanted = as_dtype(dtype)
    if wanted.name not in ("uint8", "uint16"):
        raise refused_type("dtype", wanted.kernel_name, ("uint8", "uint16"))
    pixels = _decoded("DecodePng", contents, channels or 0, wanted.name, frame=True)
    return _image(pixels, channels)


@function("io.decode_gif", "image.decode_gif", on_values=True)
@errors_of_kernel("DecodeGif")
def decode_gif(contents: Any, name: None = None) -> EagerTensor:
    """Decodes the frames of a GIF file.

    Args:
        contents: a scalar string. JPEG and PNG files are decoded, too, as one frame.
        name: ignored.

    Returns:
        A uint8 tensor of shape `[frames, H, W, 3]`. What is transparent shows the frame before, or
        black in the first one.

    Raises:
        InvalidArgumentError: if the file is broken.
        ImportError: if Pillow is not installed.

    >>> tf.io.decode_gif(tf.io.encode_png(tf.zeros([2, 3, 1], tf.uint8))).shape
    TensorShape([1, 2, 3, 3])
    """
    pixels = _decoded("DecodeGif", contents, 3)
    return _image(pixels[None] if pixels.ndim == 3 else pixels, pixels.shape[-1])


@function("io.decode_bmp", "image.decode_bmp", on_values=True)
@errors_of_kernel("DecodeBmp")
def decode_bmp(contents: Any, channels: int = 0, name: None = None) -> EagerTensor:
    r"""Decodes a BMP file.

    Args:
        contents: a scalar string.
        channels: 0 for those of the file, 3 (red, green, blue) or 4 (these and alpha).
        name: ignored.

    Returns:
        A uint8 tensor of shape `[H, W, C]`. Numbers of colours in a palette stay numbers.

    Raises:
        InvalidArgumentError: if the file is broken, compressed, or in another format.

    >>> header = b"BM" + bytes([58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1])
    >>> header += bytes([0, 0, 0, 1, 0, 24, 0]).ljust(31, b"\0")
    >>> tf.io.decode_bmp(header + bytes([1, 2, 3, 0])).numpy()
    array([[[3, 2, 1]]], dtype=uint8)
    """
    return _image(_decoded("DecodeBmp", contents, channels or 0), channels)


@function("io.decode_webp", "image.decode_webp", on_values=True)
@errors_of_kernel("DecodeWebP")
def decode_webp(
    contents: Any, channels: int = 0, dtype: Any = uint8, name: None = None
) -> EagerTensor:
    """Decodes the frames of a WebP file.

    Args:
        contents: a scalar string. JPEG and PNG files are decoded, too.
        channels: 0 or the number of channels of the file, 3 or 4.
        dtype: uint8.
        name: ignored.

    Returns:
        A uint8 tensor of shape `[frames, H, W, C]`; `[H, W, C]` of another format.

    Raises:
        InvalidArgumentError: if the file is broken, or an argument is wrong.
        ImportError: if Pillow is not installed.

    >>> tf.io.decode_webp(tf.io.encode_png(tf.zeros([2, 3, 1], tf.uint8))).shape
    TensorShape([2, 3, 1])
    """
    wanted = as_dtype(dtype)
    if wanted.name != "uint8":
        raise refused_type("dtype", wanted.kernel_name, ("uint8",))
    return _image(_decoded("DecodeWebP", contents, channels or 0), channels)


def _decoded(
    kernel: str,
    contents: Any,
    channels: int,
    kind: str = "uint8",
    *,
    expand: bool = True,
    frame: bool = False,
    **jpeg: Any,
) -> Array:
    """Decodes a file of any format.

    Args:
        kernel: TensorFlow's name of the kernel.
        contents: the file.
        channels: how many channels the result has, 0 for those of the file.
        kind: the type of the values: "uint8", "uint16" or "float32".
        expand: whether all frames are returned of formats that may have several.
        frame: whether a GIF file must have one frame, which is returned.
        jpeg: arguments for JPEG files.

    Raises:
        InvalidArgumentError: if the file is broken, of no known format, or does not suit.
    """
    file = contents_of(contents)
    if channels not in (0, 1, 3, 4):
        raise invalid(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    found = format_of(file)
    _check_format(kernel, found, channels)
    if found == "PNG":
        pixels = png_files.decode(file, channels, 8 if kind == "uint8" else 16)
        return pixels if kind != "float32" else pixels.astype(np.float32) * np.float32(1 / 65535)
    if found == "WebP":
        return _webp(file, channels, kind, expand)
    if found == "JPEG":
        pixels = jpeg_files.decode(file, channels, **jpeg)
    elif found == "BMP":
        pixels = bmp_files.decode(file, channels)
    else:
        pixels = _gif(file, expand, frame)
    if kind == "uint16":
        return pixels.astype(np.uint16) << 8
    return pixels if kind == "uint8" else pixels.astype(np.float32) * np.float32(1 / 255)


def _check_format(kernel: str, found: str, channels: int) -> None:
    """Raises if a kernel does not decode files of a format, or not with so many channels."""
    if found == "JPEG" and channels == 4:
        raise invalid("JPEG does not support 4 channels")
    if found == "GIF" and channels not in (0, 3):
        raise invalid(f"channels must be 0 or 3 for GIF, got {channels}")
    if found == "BMP" and channels == 1:
        raise invalid("`channels` must be 0, 3 or 4 for BMP, but got 1")
    if found == "WebP" and channels == 1:
        raise invalid("WebP only supports 3 or 4 channels")
    if kernel == "DecodeBmp" and found in ("JPEG", "PNG", "GIF"):
        raise invalid(
            f"Trying to decode {found} format using DecodeBmp op. Use `decode_{found.lower()}` or "
            "`decode_image` instead."
        )
    if found == "BMP" and kernel not in ("DecodeBmp", "DecodeImage"):
        raise invalid(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            f"instead. Op used: {kernel}"
        )
    if found == "GIF" and kernel == "DecodeWebP":
        raise invalid("Bad op type DecodeWebP")


def _gif(file: bytes, expand: bool, frame: bool) -> Array:
    frames = gif_files.decode(file)
    if frame and len(frames) > 1:
        raise invalid(
            f"Got {len(frames)} frames, but animated gifs can only be decoded by tf.io.decode_gif "
            "or tf.io.decode_image"
        )
    return frames if expand and not frame else frames[0]


def _webp(file: bytes, channels: int, kind: str, expand: bool) -> Array:
    if kind != "uint8":
        raise invalid("WebP only supports uint8 for dtype")
    try:
        image = open_image(file)
        have = len(image.getbands())
        if channels not in (0, have):
            raise invalid("Number of channels requested does not match input")
        frames = []
        for number in range(getattr(image, "n_frames", 1) if expand else 1):
            image.seek(number)
            frames.append(np.array(image))
    except (OSError, SyntaxError, ValueError, EOFError):
        raise invalid("Failed to decode WebP image.") from None
    return np.stack(frames) if expand else frames[0]
