"""GIF files, see the specification at https://www.w3.org/Graphics/GIF/spec-gif89a.txt: decoding."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tapefacade._core.error_texts import invalid
from tapefacade._ops.image.files import Array, open_image

FIRST_BLOCK = 13  # where the parts of a file begin
EXTENSION, CONTROL, IMAGE, END = 0x21, 0xF9, 0x2C, 0x3B


class GifImage(NamedTuple):
    """One image of a file: its place, its colours, which of them is transparent, and its data."""

    left: int
    top: int
    width: int
    height: int
    interlaced: bool
    palette: bytes
    transparent: int | None
    data: bytes


def decode(contents: bytes) -> Array:
    """Decodes a GIF file, every frame drawn over the one before.

    Args:
        contents: the file.

    Returns:
        A uint8 array of shape `[frames, H, W, 3]`.

    Raises:
        InvalidArgumentError: if the file is broken.
    """
    size = len(contents)
    if size < FIRST_BLOCK:
        raise invalid(
            f"Invalid GIF data (size {size}), failed to open gif file: No screen descriptor "
            "detected"
        )
    try:
        width, height = struct.unpack_from("<HH", contents, 6)
        frames = list(_frames(contents))
        drawn = []
        canvas = np.zeros((height, width, 3), np.uint8)
        for frame in frames:
            canvas = _drawn(canvas, frame)
            drawn.append(canvas)
    except (OSError, SyntaxError, ValueError, IndexError, struct.error):
        raise invalid(
            f"Invalid GIF data (size {size}), failed to slurp gif file: Failed to read from given "
            "file"
        ) from None
    if not drawn:
        raise invalid(f"Invalid GIF data (size {size}), cannot find any gif frame")
    return np.stack(drawn)


def _palette(contents: bytes, flags: int, place: int) -> tuple[bytes, int]:
    """Returns the colours that `flags` announce, and where they end."""
    end = place + (3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0)
    return contents[place:end], end


def _blocks_end(contents: bytes, place: int) -> int:
    """Returns where blocks of data that begin at `place` end."""
    while contents[place]:
        place += contents[place] + 1
    return place + 1


def _frames(contents: bytes) -> Iterator[GifImage]:
    common, place = _palette(contents, contents[10], FIRST_BLOCK)
    transparent = None
    while place < len(contents) and contents[place] != END:
        if contents[place] == EXTENSION:
            if contents[place + 1] == CONTROL:
                flags, _, index = struct.unpack_from("<BHB", contents, place + 3)
                transparent = index if flags & 1 else None
            place = _blocks_end(contents, place + 2)
        elif contents[place] == IMAGE:
            left, top, width, height, flags = struct.unpack_from("<HHHHB", contents, place + 1)
            own, start = _palette(contents, flags, place + 10)
            place = _blocks_end(contents, start + 1)
            data = contents[start:place]
            interlaced = bool(flags & 0x40)
            yield GifImage(left, top, width, height, interlaced, own or common, transparent, data)
            transparent = None
        else:
            raise ValueError("unknown block")


def _drawn(canvas: Array, frame: GifImage) -> Array:
    """Draws a frame over the one before; that is seen where the frame is transparent."""
    indices = _indices(frame)
    canvas = canvas.copy()
    part = canvas[frame.top : frame.top + frame.height, frame.left : frame.left + frame.width]
    indices = indices[: part.shape[0], : part.shape[1]]
    table = np.zeros((256, 3), np.uint8)
    colours = np.frombuffer(frame.palette, np.uint8).reshape(-1, 3)
    table[: len(colours)] = colours
    if frame.transparent is None:
        part[...] = table[indices]
    else:
        part[...] = np.where((indices == frame.transparent)[..., None], part, table[indices])
    return canvas


def _indices(frame: GifImage) -> Array:
    """Returns the numbers of the colours of a frame, which Pillow decodes as a file of its own."""
    ramp = bytes(value for index in range(256) for value in (index, index, index))
    size = struct.pack("<HH", frame.width, frame.height)
    flags = 0x40 if frame.interlaced else 0
    image = struct.pack("<BHHHHB", IMAGE, 0, 0, frame.width, frame.height, flags)
    file = b"GIF89a" + size + b"\xf7\x00\x00" + ramp + image + frame.data + bytes([END])
    return np.asarray(open_image(file).convert("L"))
