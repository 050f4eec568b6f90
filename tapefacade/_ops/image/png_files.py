"""PNG files, see the specification at https://www.w3.org/TR/png-3: `encode_png`, and decoding."""

import itertools
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapefacade._core import errors
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import invalid, refused_type, shape_text
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import TensorLike, function
from tapefacade._ops.image.files import Array, errors_of_kernel, open_image, with_channels

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, COLOUR, PALETTE, GREY_ALPHA, COLOUR_ALPHA = 0, 2, 3, 4, 6
COLOUR_TYPES = {1: GREY, 2: GREY_ALPHA, 3: COLOUR, 4: COLOUR_ALPHA}
CHANNELS = {kind: count for count, kind in COLOUR_TYPES.items()}
# The passes of an interlaced image: the first row and column, and the steps.
ONE_PASS = ((0, 0, 1, 1),)
PASSES = (
    (0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2),
    (1, 0, 2, 1),
)  # fmt: skip


def decode(contents: bytes, channels: int, bits: int) -> Array:
    """Decodes a PNG file.

    Args:
        contents: the file.
        channels: 0 for those of the file, 1, 3 or 4.
        bits: how many each value of the result has, 8 or 16.

    Returns:
        An array of shape `[H, W, C]`.

    Raises:
        InvalidArgumentError: if the file is broken.
    """
    if b"IDAT" not in contents:
        raise invalid("Invalid PNG. Failed to initialize decoder.")
    try:
        depth, kind = contents[24], contents[25]
        pixels = (
            _decode_deep(contents) if depth == 16 else _decode_shallow(contents, channels, depth)
        )
    except (OSError, SyntaxError, ValueError, IndexError, struct.error, zlib.error):
        raise invalid(f"Invalid PNG data, size {len(contents)}") from None
    had_alpha = pixels.shape[2] in (2, 4)
    if depth == 16 and channels != 4 and kind in (GREY, COLOUR) and had_alpha:
        pixels = pixels[..., :-1]  # a transparent colour counts only where alpha is asked for
    pixels = with_channels(pixels, channels)
    if kind in (GREY, PALETTE) and depth < 8 and channels == 4 and not had_alpha:
        pixels[..., 3] = (1 << depth) - 1  # as libpng fills it
    if bits == 16:
        return pixels if depth == 16 else pixels.astype(np.uint16) * np.uint16(257)
    return (pixels >> 8).astype(np.uint8) if depth == 16 else pixels


def _decode_shallow(contents: bytes, channels: int, depth: int) -> Array:
    """Decodes values of up to 8 bits: with Pillow, which is written in C."""
    image = open_image(contents)
    transparent = image.info.get("transparency")
    if image.mode == "P":
        image = image.convert("RGB" if transparent is None else "RGBA")
    elif image.mode == "RGB" and channels == 4 and transparent is not None:
        image = image.convert("RGBA")
    elif image.mode == "1":
        image = image.convert("L")
    pixels = np.array(image)
    if pixels.ndim == 3:
        return pixels
    if channels == 4 and transparent is not None:
        hidden = transparent * 255 // ((1 << depth) - 1)  # is given in the bits of the file
        return np.stack([pixels, np.where(pixels == hidden, 0, 255).astype(np.uint8)], axis=2)
    return pixels[..., None]


def _chunks(contents: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the kind and the data of each part of a PNG file."""
    place = len(SIGNATURE)
    while place < len(contents):
        (size,) = struct.unpack_from(">I", contents, place)
        yield contents[place + 4 : place + 8], contents[place + 8 : place + 8 + size]
        place += size + 12


def _decode_deep(contents: bytes) -> Array:
    """Decodes values of 16 bits, of which Pillow keeps only 8 where there are colours."""
    parts: dict[bytes, bytes] = {}
    for kind, data in _chunks(contents):
        parts[kind] = parts.get(kind, b"") + data
    width, height, _, kind, _, _, interlaced = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    values = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8)
    channels, place = CHANNELS[kind], 0
    pixels = np.zeros((height, width, channels), np.uint16)
    for top, left, down, right in PASSES if interlaced else ONE_PASS:
        some = pixels[top::down, left::right]
        rows, columns = some.shape[:2]
        if some.size == 0:
            continue
        end = place + rows * (1 + columns * channels * 2)
        lines = values[place:end].reshape(rows, 1 + columns * channels * 2)
        some[...] = _unfiltered(lines, channels * 2).view(">u2").reshape(some.shape)
        place = end
    if b"tRNS" in parts:
        hidden = np.frombuffer(parts[b"tRNS"], ">u2")
        alpha = np.where((pixels == hidden).all(-1, keepdims=True), 0, 0xFFFF)
        pixels = np.concatenate([pixels, alpha.astype(np.uint16)], axis=2)
    return pixels


def _unfiltered(lines: Array, step: int) -> Array:
    """Undoes the filters of rows of bytes, pixels of `step` bytes.

    A pixel depends on those at its left, above it, and left above it: the pixels on a diagonal are
    found together.
    """
    filters = lines[:, 0]
    rows, columns = len(lines), (lines.shape[1] - 1) // step
    # Row `y` is shifted right by `y`. The row above and the column at the left stay 0.
    found = np.zeros((rows + 1, columns + rows + 1, step), np.int16)
    given = lines[:, 1:].reshape(rows, columns, step)
    for diagonal in range(rows + columns - 1):
        y = np.arange(max(0, diagonal - columns + 1), min(rows, diagonal + 1))
        x = diagonal - y
        left, above, corner = found[y + 1, diagonal], found[y, diagonal], found[y, diagonal - 1]
        guess = np.select(
            [(filters[y] == kind)[:, None] for kind in range(1, 5)],
            [left, above, (left + above) >> 1, _paeth(left, above, corner)],
            0,
        )
        found[y + 1, diagonal + 1] = (given[y, x] + guess) & 0xFF
    shifted = [found[y + 1, y + 1 : y + 1 + columns] for y in range(rows)]
    return np.ascontiguousarray(np.array(shifted, np.uint8).reshape(rows, columns * step))


def _paeth(left: Array, above: Array, corner: Array) -> Array:
    """Returns the neighbour that is nearest to `left + above - corner`."""
    to_left, to_above = abs(above - corner), abs(left - corner)
    to_corner = abs(left + above - 2 * corner)
    nearest = np.where(to_above <= to_corner, above, corner)
    return np.where((to_left <= to_above) & (to_left <= to_corner), left, nearest)


@function("io.encode_png", "image.encode_png")
@errors_of_kernel("EncodePng")
def encode_png(image: TensorLike, compression: int = -1, name: None = None) -> EagerTensor:
    r"""Encodes images as PNG.

    Unlike TensorFlow, the bytes of the files may differ; the decoded images are the same.

    Args:
        image: a uint8 or uint16 tensor of shape `[..., H, W, C]`, where `C` is 1 (grey), 2 (grey
            and alpha), 3 (red, green, blue) or 4 (these and alpha).
        compression: from 0, none, to 9, the smallest file; -1 for what is usual.
        name: ignored.

    Returns:
        A string tensor of shape `[...]`.

    Raises:
        InvalidArgumentError: if the type, the shape or `compression` is wrong.

    >>> contents = tf.io.encode_png(tf.zeros([2, 3, 3], tf.uint8))
    >>> contents.numpy()[:4]
    b'\x89PNG'
    """
    image = convert(image)
    if image.dtype.name not in ("uint8", "uint16"):
        message = refused_type("T", image.dtype.kernel_name, ("uint8", "uint16")).message
        raise invalid(f"{message} [Op:EncodePng] name: ")
    pixels = image.numpy()
    if pixels.ndim < 3:
        raise invalid(f"images must be at least rank 3{shape_text(pixels.shape)}")
    if pixels.shape[-1] not in COLOUR_TYPES:
        raise invalid(f"image must have 1, 2, 3, or 4 channels, got {pixels.shape[-1]}")
    if not -1 <= compression <= 9:
        raise invalid(f"compression should be in [-1,9], got {compression}")
    if 0 in pixels.shape[-3:]:
        raise errors.InternalError(
            None, None, "PNG encoding failed at the following flattened batch indices: 0"
        )
    batch = pixels.shape[:-3]
    files = [_encoded(one, compression) for one in pixels.reshape(-1, *pixels.shape[-3:])]
    return convert(np.array(files, object).reshape(batch) if batch else files[0])


def _encoded(pixels: Array, compression: int) -> bytes:
    height, width, channels = pixels.shape
    size = pixels.dtype.itemsize
    bytes_ = pixels.astype(pixels.dtype.newbyteorder(">")).tobytes()
    rows = np.frombuffer(bytes_, np.uint8).reshape(height, width * channels * size)
    lines = _filtered(rows, channels * size) if compression else np.pad(rows, [(0, 0), (1, 0)])
    header = struct.pack(">IIBBBBB", width, height, 8 * size, COLOUR_TYPES[channels], 0, 0, 0)
    data = zlib.compress(lines.tobytes(), compression)
    parts = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return SIGNATURE + b"".join(itertools.starmap(_chunk, parts))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _filtered(rows: Array, step: int) -> Array:
    """Replaces each row by differences from its neighbours, by those whose sum is the smallest."""
    wide: Any = np.pad(rows.astype(np.int16), [(1, 0), (step, 0)])
    given, left = wide[1:, step:], wide[1:, :-step]
    above, corner = wide[:-1, step:], wide[:-1, :-step]
    guesses = (np.zeros_like(given), left, above, (left + above) >> 1, _paeth(left, above, corner))
    lines = np.stack([(given - guess).astype(np.uint8) for guess in guesses])
    sums = np.abs(lines.view(np.int8).astype(np.int32)).sum(-1)
    best = sums.argmin(0)
    chosen = lines[best, np.arange(len(rows))]
    return np.concatenate([best.astype(np.uint8)[:, None], chosen], axis=1)
