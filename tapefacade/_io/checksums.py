"""The cyclic redundancy check CRC-32C (Castagnoli), as it stands in records and checkpoints."""

from tapefacade._core.optional_imports import optional_module

MASK_DELTA = 0xA282EAD8


def masked_crc(data: bytes) -> int:
    """Returns the check of data as records store it: rotated, and moved by a constant.

    Raises:
        ImportError: if google-crc32c is not installed.

    >>> hex(masked_crc(b"123456789"))
    '0xc78ab0e5'
    """
    use = "Records and TensorFlow's checkpoints"
    crc = optional_module("google_crc32c", "records", use, "google-crc32c").value(data)
    return ((crc >> 15 | crc << 17) + MASK_DELTA) & 0xFFFFFFFF
