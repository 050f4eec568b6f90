"""Sound in WAV files: `tf.audio.decode_wav` and `tf.audio.encode_wav`."""

import struct
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core.conversion import convert
from tapefacade._core.dtypes import float32, int32, string
from tapefacade._core.error_texts import invalid, refused_input, shape_text
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._ops.image.files import errors_of_kernel
from tapefacade._trace.open_sizes import with_unknown_axes

PCM = 1
SCALE = 1 << 15
HEADERS = {16: "<HHIIHH", 18: "<HHIIHHH"}
LARGEST_INT32 = 2**31 - 1


class DecodeWav(NamedTuple):
    """What `tf.audio.decode_wav` returns."""

    audio: EagerTensor
    sample_rate: EagerTensor


class _Reader:
    """Reads the parts of a file one after the other."""

    def __init__(self, contents: bytes) -> None:
        self.contents = contents
        self.place = 0

    def take(self, count: int) -> bytes:
        """Returns the next bytes.

        Raises:
            InvalidArgumentError: if there are not so many.
        """
        end = self.place + count
        if end > len(self.contents):
            raise invalid("Data too short when trying to read string")
        taken = self.contents[self.place : end]
        self.place = end
        return taken

    def number(self) -> int:
        """Returns the next four bytes as a number."""
        return struct.unpack("<I", self.take(4))[0]

    def expect(self, text: str) -> None:
        """Reads a text that has to be there."""
        found = self.take(4).decode("latin-1")
        if found != text:
            raise invalid(f"Header mismatch: Expected {text} but found {found}")


@function("audio.decode_wav", on_values=True)
@errors_of_kernel("DecodeWav")
def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: None = None
) -> DecodeWav:
    """Decodes a WAV file with 16 bits for a sample.

    Args:
        contents: a scalar string.
        desired_channels: the number of channels of the result: some are left out, or the last one
            is repeated; -1 for those of the file.
        desired_samples: the length of the result: the end is left out, or zeros follow; -1 for
            that of the file.
        name: ignored.

    Returns:
        A named tuple: `audio`, float32 `[samples, channels]` with values in [-1, 1), and
        `sample_rate`, int32.

    Raises:
        InvalidArgumentError: if the file is broken or in another format, or an argument is wrong.

    >>> contents = tf.audio.encode_wav([[0.0], [0.5]], sample_rate=8000)
    >>> sound = tf.audio.decode_wav(contents)
    >>> sound.audio.numpy(), sound.sample_rate.numpy()
    (array([[0. ],
           [0.5]], dtype=float32), np.int32(8000))
    """
    for argument, value in (("channels", desired_channels), ("samples", desired_samples)):
        if value < -1:
            raise invalid(f"desired_{argument} must be >= -1, got {value}")
    text = convert(contents, None if hasattr(contents, "_type") else string)
    if len(text.shape):
        raise invalid(f"contents must be scalar, got shape {text.shape.as_list()}")
    samples, rate = _read(_Reader(text.numpy()))
    decided = [axis for axis, size in enumerate((desired_samples, desired_channels)) if size == -1]
    audio = from_host(_fitted(samples, desired_channels, desired_samples))
    return DecodeWav(with_unknown_axes(audio, *decided), from_host(np.array(rate, np.int32)))


def _read(file: _Reader) -> tuple[np.ndarray, int]:
    """Returns the samples of a file and how many there are in a second."""
    file.expect("RIFF")
    file.number()
    file.expect("WAVE")
    found = file.take(4).decode("latin-1")
    if found != "fmt ":
        raise invalid(f"Unexpected field {found}")
    channels, rate = _read_header(file)
    data = None
    while file.place < len(file.contents):
        kind, size = file.take(4), file.number()
        if size > LARGEST_INT32:
            raise invalid(
                f"WAV data chunk '{kind.decode('latin-1')}' is too large: {size} bytes, but the "
                f"limit is {LARGEST_INT32}"
            )
        if kind != b"data":
            file.take(size)
            continue
        if data is not None:
            raise invalid("More than one data chunk found in WAV")
        data = np.frombuffer(file.take(size // (2 * channels) * 2 * channels), "<i2")
    if data is None:
        raise invalid("No data chunk found in WAV")
    samples = data.reshape(-1, channels).astype(np.float32)
    return samples * np.float32(1 / SCALE), rate


def _read_header(file: _Reader) -> tuple[int, int]:
    size = file.number()
    if size not in HEADERS:
        raise invalid(f"Bad format chunk size for WAV: Expected 16 or 18, but got{size}")
    fields = struct.unpack(HEADERS[size], file.take(size))
    kind, channels, rate, per_second, per_sample, bits = fields[:6]
    if kind != PCM:
        raise invalid(f"Bad audio format for WAV: Expected 1 (PCM), but got{kind}")
    expected = (bits * channels + 7) // 8
    if per_sample != expected:
        raise invalid(
            f"Bad bytes per sample in WAV header: Expected {expected} but got {per_sample}"
        )
    if per_second != per_sample * rate:
        raise invalid(
            f"Bad bytes per second in WAV header: Expected {per_sample * rate} but got "
            f"{per_second} (sample_rate={rate}, bytes_per_sample={per_sample})"
        )
    if bits != 16:
        raise invalid(f"Can only read 16-bit WAV files, but received {bits}")
    return channels, rate


def _fitted(samples: np.ndarray, channels: int, count: int) -> np.ndarray:
    """Changes the number of channels and samples; -1 keeps it."""
    if channels != -1:
        last = samples.shape[1] - 1
        samples = samples[:, np.minimum(np.arange(channels), last)]
    if count != -1:
        samples = samples[:count]
        samples = np.pad(samples, [(0, count - len(samples)), (0, 0)])
    return np.ascontiguousarray(samples)


@function("audio.encode_wav")
@errors_of_kernel("EncodeWav")
def encode_wav(audio: Any, sample_rate: Any, name: None = None) -> EagerTensor:
    """Encodes sound as a WAV file with 16 bits for a sample.

    Args:
        audio: float32 `[samples, channels]`; values outside of [-1, 1] become -1 or 1.
        sample_rate: how many samples there are in a second, a scalar integer.
        name: ignored.

    Returns:
        A scalar string tensor.

    Raises:
        InvalidArgumentError: if the shape, the type or the rate is wrong.

    >>> contents = tf.audio.encode_wav([[0.0], [0.5]], sample_rate=8000)
    >>> contents.numpy()[:4], len(contents.numpy())
    (b'RIFF', 48)
    """
    if not hasattr(audio, "_type"):
        audio = convert(audio, float32)
    if audio.dtype is not float32:
        raise refused_input("EncodeWav", 0, "float", audio.dtype.kernel_name)
    samples, rate = audio.numpy(), convert(sample_rate, int32).numpy()
    if samples.ndim != 2:
        raise invalid(f"audio must be 2-dimensional{shape_text(samples.shape)}")
    if rate.ndim:
        raise invalid(
            f"Input sample_rate should be a scalar tensor, got {list(rate.shape)} instead."
        )
    if samples.shape[1] == 0:
        raise invalid("audio is null")
    if rate <= 0:
        raise invalid(f"sample_rate must be in (0, 2^32), got: {int(rate) % 2**64}")
    # Halves are rounded away from zero.
    scaled = np.nan_to_num(samples.astype(np.float64) * SCALE)
    rounded = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)
    data = np.clip(rounded, -SCALE, SCALE - 1).astype("<i2").tobytes()
    channels = samples.shape[1]
    header = struct.pack(
        "<HHIIHH", PCM, channels, int(rate), int(rate) * channels * 2, channels * 2, 16
    )
    parts = b"WAVEfmt " + struct.pack("<I", len(header)) + header
    parts += b"data" + struct.pack("<I", len(data)) + data
    return convert(b"RIFF" + struct.pack("<I", len(parts)) + parts)
