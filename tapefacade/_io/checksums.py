"""The cyclic redundancy check CRC-32C (Castagnoli), RFC 3720, appendix B.4."""

from functools import lru_cache
from typing import Any

import numpy as np

POLYNOMIAL = 0x82F63B78
ALL = 0xFFFFFFFF
MASK_DELTA = 0xA282EAD8
SHORT = 2048  # bytes; below this a loop in Python is faster

Array = np.ndarray[Any, Any]


def _make_table() -> Array:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, table >> 1 ^ POLYNOMIAL, table >> 1).astype(np.uint32)
    return table


TABLE = _make_table()
NUMBERS: list[int] = TABLE.tolist()


def masked_crc(data: bytes) -> int:
    """Returns the check of data as records store it: rotated, and moved by a constant.

    >>> hex(masked_crc(b"123456789"))
    '0xc78ab0e5'
    """
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + MASK_DELTA) & ALL


def crc32c(data: bytes) -> int:
    """Returns the check of data.

    Long data is cut into pieces whose checks are computed side by side.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    if len(data) < SHORT:
        return _extended(ALL, data) ^ ALL
    steps = int(len(data) ** 0.5)
    lanes = len(data) // steps
    columns = np.frombuffer(data, np.uint8, lanes * steps).reshape(lanes, steps).T
    crcs = np.zeros(lanes, np.uint32)
    crcs[0] = ALL
    for column in np.ascontiguousarray(columns):
        crcs = TABLE[(crcs ^ column) & 0xFF] ^ crcs >> 8
    crc = 0
    moved = _moved_tables(steps)
    for lane in crcs.tolist():
        crc = _moved(moved, crc) ^ lane
    return _extended(crc, data[lanes * steps :]) ^ ALL


def _extended(crc: int, data: bytes) -> int:
    for byte in data:
        crc = NUMBERS[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc


def _moved(tables: list[list[int]], crc: int) -> int:
    return (
        tables[0][crc & 0xFF]
        ^ tables[1][crc >> 8 & 0xFF]
        ^ tables[2][crc >> 16 & 0xFF]
        ^ tables[3][crc >> 24]
    )


@lru_cache(maxsize=16)
def _moved_tables(zeros: int) -> list[list[int]]:
    """Returns what each byte of a check becomes when so many zeros follow: moving is linear."""
    values = np.arange(256, dtype=np.uint32)
    crcs = np.stack([values << np.uint32(8 * place) for place in range(4)])
    for _ in range(zeros):
        crcs = TABLE[crcs & 0xFF] ^ crcs >> 8
    return crcs.tolist()
