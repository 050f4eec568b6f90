"""Bytes that stand for numbers or other bytes: decode_raw, base64, compressed data."""

import base64
import gzip
import re
import zlib
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._strings.arguments import each, failed, not_allowed, texts
from tapefacade._trace.open_sizes import with_unknown_axes

RAW_TYPES = (
    "half", "float", "double", "int32", "uint16", "uint8", "int16", "int8", "int64", "complex64",
    "complex128", "bool", "bfloat16",
)  # fmt: skip
WEB_SAFE = re.compile(rb"[A-Za-z0-9_-]*=?=?")


@function("io.decode_raw", on_values=True)
def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> EagerTensor:
    """Takes the bytes of texts for numbers.

    Args:
        input_bytes: texts of one length, of any shape.
        out_type: the dtype of the numbers.
        little_endian: whether the least significant byte comes first.
        fixed_length: how many bytes of each text are read; shorter texts end in zeros.
        name: ignored.

    Returns:
        A tensor of `out_type`, with one more axis than `input_bytes`.

    Raises:
        InvalidArgumentError: if the lengths differ, or are no multiple of the size of a number.

    >>> tf.io.decode_raw("abcd", tf.uint8).numpy()
    array([ 97,  98,  99, 100], dtype=uint8)
    """
    kernel = "DecodeRaw" if fixed_length is None else "DecodePaddedRaw"
    array = texts(input_bytes, kernel)
    dtype = dtypes.as_dtype(out_type)
    if dtype.kernel_name not in RAW_TYPES:
        raise not_allowed(kernel, "out_type", dtype.kernel_name, RAW_TYPES)
    size = _text_size(array, dtype) if fixed_length is None else _fixed_size(fixed_length, dtype)
    data = b"".join([text[:size].ljust(size, b"\0") for text in array.flat])
    numpy_dtype = np.dtype(dtype.as_numpy_dtype)
    words = np.frombuffer(data, np.uint8).copy()
    if not little_endian:
        word = numpy_dtype.itemsize // (2 if dtype.is_complex else 1)
        words = words.reshape(-1, word)[:, ::-1].reshape(-1).copy()
    numbers = words.astype(bool) if dtype.is_bool else words.view(numpy_dtype)
    made = from_host(numbers.reshape(*array.shape, size // numpy_dtype.itemsize))
    return made if fixed_length is not None else with_unknown_axes(made, -1)


def _text_size(array: Any, dtype: Any) -> int:
    size = len(array.flat[0]) if array.size else 0
    for place, text in enumerate(array.flat):
        if len(text) != size:
            raise failed(
                "DecodeRaw",
                "DecodeRaw requires input strings to all be the same size, but element "
                f"{place} has size {size} != {len(text)}",
            )
    if size % dtype.size:
        raise failed(
            "DecodeRaw",
            f"Input to DecodeRaw has length {size} that is not a multiple of {dtype.size}, the "
            f"size of {dtype.kernel_name}",
        )
    return size


def _fixed_size(length: Any, dtype: Any) -> int:
    size = int(convert(length)._numpy_array())
    if size <= 0:
        raise failed("DecodePaddedRaw", f"fixed_length ({size}) must be greater than zero.")
    if size % dtype.size:
        raise failed(
            "DecodePaddedRaw",
            f"fixed_length ({size}) must be a multiple of the size of out_type ({dtype.size})",
        )
    return size


@function("io.encode_base64", dispatch=True, elementwise=1, on_values=True)
def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> EagerTensor:
    """Writes bytes in letters that are safe in URLs.

    RFC 4648, section 5.

    Args:
        input: texts of any shape.
        pad: fills up to a multiple of four letters with "=".
        name: ignored.

    Returns:
        A string tensor of the shape of `input`.

    >>> tf.io.encode_base64("hello").numpy()
    b'aGVsbG8'
    """

    def encode(text: bytes) -> bytes:
        written = base64.urlsafe_b64encode(text)
        return written if pad else written.rstrip(b"=")

    return each(encode, texts(input, "EncodeBase64"))


@function("io.decode_base64", dispatch=True, elementwise=1, on_values=True)
def decode_base64(input: Any, name: str | None = None) -> EagerTensor:
    """Reads what `tf.io.encode_base64` writes.

    Args:
        input: texts of any shape.
        name: ignored.

    Returns:
        A string tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if a text has other letters, or an impossible length.

    >>> tf.io.decode_base64("aGVsbG8").numpy()
    b'hello'
    """

    def decode(text: bytes) -> bytes:
        if not WEB_SAFE.fullmatch(text):
            raise failed("DecodeBase64", "Invalid character found in base64.")
        letters = text.rstrip(b"=")
        if len(letters) % 4 == 1:
            raise failed("DecodeBase64", "Base64 string length cannot be 1 modulo 4.")
        return base64.urlsafe_b64decode(letters + b"=" * (-len(letters) % 4))

    return each(decode, texts(input, "DecodeBase64"))


@function("io.decode_compressed", dispatch=True, elementwise=1, on_values=True)
def decode_compressed(
    bytes: Any, compression_type: str = "", name: str | None = None
) -> EagerTensor:
    """Decompresses each text.

    Unlike TensorFlow, this knows no "ZSTD".

    Args:
        bytes: texts of any shape.
        compression_type: "ZLIB", "GZIP", or empty for texts that are not compressed.
        name: ignored.

    Returns:
        A string tensor of the shape of `bytes`.

    Raises:
        InvalidArgumentError: if `compression_type` is another.
        DataLossError: if a text is no such data.

    >>> import zlib
    >>> tf.io.decode_compressed(zlib.compress(b"hello"), "ZLIB").numpy()
    b'hello'
    """
    array = texts(bytes, "DecodeCompressed")
    if compression_type not in ("", "ZLIB", "GZIP"):
        raise failed("DecodeCompressed", "Only ZLIB, ZSTD, GZIP or NONE are supported compressions")
    if compression_type == "":
        return each(lambda text: text, array)
    decompress = zlib.decompress if compression_type == "ZLIB" else gzip.decompress

    def decode(text: Any) -> Any:
        try:
            return decompress(text)
        except (zlib.error, OSError, EOFError) as error:
            reason = str(error).partition(": ")[2] or "incorrect header check"
            message = f"inflate() failed with error -3: {reason}"
            raise failed("DecodeCompressed", message, errors.DataLossError) from None

    return each(decode, array)
