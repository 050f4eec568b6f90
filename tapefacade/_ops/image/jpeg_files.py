"""JPEG files: `encode_jpeg`, `is_jpeg`, `extract_jpeg_shape`, and decoding."""

import io
import struct
from typing import Any

import numpy as np

from tapefacade._core.conversion import convert
from tapefacade._core.dtypes import as_dtype, int32, string
from tapefacade._core.error_texts import invalid, refused_input, refused_type, shape_text
from tapefacade._core.kernel_dtypes import INDICES
from tapefacade._core.optional_imports import optional_module
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import TensorLike, function
from tapefacade._ops.image.files import Array, contents_of, errors_of_kernel, open_image, pillow

START = b"\xff\xd8\xff"
END = b"\xff\xd9"
UNITS = {"in": 1, "cm": 2}
FORMATS = {"": 0, "grayscale": 1, "rgb": 3}
INKS = ("CMYK", "YCCK")
ENDS_EARLY = "Premature end"  # in what libjpeg says
MESSAGE_BROKEN = "jpeg::Uncompress failed. Invalid JPEG data or crop window."


def decode(
    contents: bytes,
    channels: int,
    ratio: int = 1,
    recover: bool = False,
    fast: bool = True,
    fancy: bool = True,
) -> Array:
    """Decodes a JPEG file, to the same pixels as TensorFlow.

    The decoder is libjpeg-turbo, TensorFlow's own. What it does not decode, files with four inks
    and those that end too early, Pillow does.

    Args:
        contents: the file.
        channels: 0 for those of the file, 1 or 3.
        ratio: 1, 2, 4 or 8, by which the image is made smaller.
        recover: whether an image that ends too early is decoded, grey where it is missing.
        fast: whether the cosine transform is the fast one rather than the accurate one.
        fancy: whether colours are interpolated.

    Returns:
        A uint8 array of shape `[H, W, C]`.

    Raises:
        InvalidArgumentError: if the file is broken.
        ImportError: if simplejpeg is not installed, or Pillow if it is needed.
    """
    library = optional_module("simplejpeg", "image", "Images in JPEG files")
    try:
        height, width, space, _ = library.decode_jpeg_header(contents)
    except ValueError:
        return _decoded_by_pillow(contents, channels, ratio, recover)
    if space in INKS:
        return _decoded_by_pillow(contents, channels, ratio, recover)
    options: dict[str, Any] = {"fastdct": fast, "fastupsample": not fancy}
    if ratio > 1:
        options.update(min_height=-(-height // ratio), min_width=-(-width // ratio))
    grey = channels == 1 or (channels == 0 and space == "Gray")
    for strict in (True, False):
        try:
            return library.decode_jpeg(
                contents, "GRAY" if grey else "RGB", strict=strict, **options
            )
        except ValueError as error:
            if ENDS_EARLY in str(error):
                break  # other flaws TensorFlow puts up with
    return _decoded_by_pillow(contents, channels, ratio, recover)


def _decoded_by_pillow(contents: bytes, channels: int, ratio: int, recover: bool) -> Array:
    try:
        image = open_image(contents + END if recover else contents)
        if image.mode == "CMYK" and channels == 1:
            raise invalid(MESSAGE_BROKEN)
        width, height = image.size
        # The decoder makes an image smaller, and grey, for less than it takes to do so afterwards.
        smaller = (max(1, width // ratio), max(1, height // ratio))
        image.draft("L" if channels == 1 else None, smaller)
        wanted = (-(-width // ratio), -(-height // ratio))
        if image.size != wanted:  # an image of a few pixels
            image = image.reduce(ratio * image.size[0] // width or 1)
        pixels = np.array(image)
    except (OSError, SyntaxError, ValueError, struct.error):
        raise invalid(MESSAGE_BROKEN) from None
    if image.mode == "CMYK":
        inks = 255 - pixels.astype(np.uint16)
        pixels = (inks[..., :3] * inks[..., 3:] // 255).astype(np.uint8)
    pixels = pixels[..., None] if pixels.ndim == 2 else pixels
    if channels == 3 and pixels.shape[2] == 1:
        pixels = np.repeat(pixels, 3, axis=2)
    return pixels


@function("io.is_jpeg", "image.is_jpeg", on_values=True)
def is_jpeg(contents: Any, name: None = None) -> EagerTensor:
    """Tells whether strings begin as JPEG files do.

    Args:
        contents: a string, or a tensor of strings.
        name: ignored.

    Returns:
        A bool tensor of the shape of `contents`.

    >>> tf.io.is_jpeg(b"GIF89a").numpy()
    np.False_
    """
    texts = np.asarray(convert(contents, string).numpy(), object)
    found = [text.startswith(START) for text in texts.ravel()]
    return from_host(np.array(found, np.bool_).reshape(texts.shape))


@function("io.extract_jpeg_shape", "image.extract_jpeg_shape", on_values=True)
@errors_of_kernel("ExtractJpegShape")
def extract_jpeg_shape(contents: Any, output_type: Any = int32, name: None = None) -> EagerTensor:
    """Reads the height, the width and the number of channels of a JPEG file.

    Args:
        contents: a scalar string.
        output_type: int32 or int64.
        name: ignored.

    Returns:
        A tensor of shape `[3]`.

    Raises:
        InvalidArgumentError: if it is no JPEG file.
        ImportError: if Pillow is not installed.

    >>> contents = tf.io.encode_jpeg(tf.zeros([2, 3, 1], tf.uint8))
    >>> tf.io.extract_jpeg_shape(contents).numpy()
    array([2, 3, 1], dtype=int32)
    """
    kind = as_dtype(output_type)
    if kind.name not in INDICES:
        raise refused_type("output_type", kind.kernel_name, INDICES)
    file = contents_of(contents)
    try:
        if not file.startswith(START):
            raise OSError("no JPEG")
        image = open_image(file)
    except OSError:
        raise invalid(f"Invalid JPEG data, size {len(file)}") from None
    shape = (image.height, image.width, len(image.getbands()))
    return from_host(np.array(shape, kind.as_numpy_dtype))


@function("io.encode_jpeg", "image.encode_jpeg")
@errors_of_kernel("EncodeJpeg")
def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: None = None,
) -> EagerTensor:
    """Encodes an image as JPEG.

    Unlike TensorFlow, the bytes may differ, and by a unit or so the pixels that are decoded.

    Args:
        image: a uint8 tensor of shape `[H, W, C]`, where `C` is 1 (grey) or 3 (red, green, blue).
        format: `"grayscale"` or `"rgb"`, or empty: what the number of channels says.
        quality: from 0 to 100.
        progressive: write a file that is shown coarsely first.
        optimize_size: look for the shortest codes.
        chroma_downsampling: keep colours at half of the size.
        density_unit: `"in"` or `"cm"`.
        x_density: how many pixels there are in one unit of the width.
        y_density: how many pixels there are in one unit of the height.
        xmp_metadata: text to be written into the file.
        name: ignored.

    Returns:
        A scalar string tensor.

    Raises:
        InvalidArgumentError: if the shape, the type or an argument is wrong.
        ImportError: if Pillow is not installed.

    >>> contents = tf.io.encode_jpeg(tf.zeros([2, 3, 3], tf.uint8))
    >>> tf.io.decode_jpeg(contents).shape
    TensorShape([2, 3, 3])
    """
    _check_choice("format", format, FORMATS)
    _check_choice("density_unit", density_unit, UNITS)
    pixels = _pixels(image, "EncodeJpeg")
    if FORMATS[format] not in (0, pixels.shape[2]):
        shape = shape_text(pixels.shape)
        raise invalid(f"format {format} expects {FORMATS[format]} channels, got {shape}")
    file = encoded_pixels(
        pixels, quality,
        progressive=bool(progressive), optimize=bool(optimize_size),
        subsampling=2 if chroma_downsampling else 0,
        dpi=(x_density, y_density), xmp=_as_bytes(xmp_metadata) or None,
    )  # fmt: skip
    return convert(_with_unit(file, UNITS[density_unit]))


def _as_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _check_choice(argument: str, value: str, choices: dict[str, int]) -> None:
    if value not in choices:
        given, allowed = f'"{value}"', [f'"{choice}"' for choice in choices]
        raise invalid(f"{refused_type(argument, given, allowed).message} [Op:EncodeJpeg] name: ")


def _pixels(image: Any, kernel: str) -> Array:
    """Checks an image that shall be encoded; Python and NumPy values become uint8."""
    if not hasattr(image, "_type"):
        image = convert(image, as_dtype("uint8"))
    if image.dtype.name != "uint8":
        raise refused_input(kernel, 0, "uint8", image.dtype.kernel_name)
    pixels = image.numpy()
    if pixels.ndim != 3:
        raise invalid(f"image must be 3-dimensional{shape_text(pixels.shape)}")
    if pixels.shape[2] not in (1, 3):
        shape = shape_text(pixels.shape)
        raise invalid(f"image must have 1 or 3 channels, got {shape}")
    return pixels


def encoded_pixels(pixels: Array, quality: int, **options: Any) -> bytes:
    """Encodes a uint8 array of shape `[H, W, 1]` or `[H, W, 3]`.

    Raises:
        InvalidArgumentError: if there is no such quality.
    """
    if not 0 <= quality <= 100:
        raise invalid(f"quality must be in [0,100], got {quality}")
    image = pillow().fromarray(pixels[..., 0] if pixels.shape[2] == 1 else pixels)
    file = io.BytesIO()
    # Pillow takes a quality of 0 for the usual one.
    image.save(file, "JPEG", quality=max(1, quality), **options)
    return file.getvalue()


def _with_unit(file: bytes, unit: int) -> bytes:
    """Writes the unit of the densities, which Pillow believes to be inches."""
    place = len(START) + 10
    return file[:place] + bytes([unit]) + file[place + 1 :]


@errors_of_kernel("EncodeJpegVariableQuality")
def quality_adjusted(image: EagerTensor, quality: int) -> EagerTensor:
    """Encodes a uint8 image and decodes it again."""
    pixels = _pixels(image, "EncodeJpegVariableQuality")
    return from_host(decode(encoded_pixels(pixels, quality, subsampling=2), pixels.shape[2]))
