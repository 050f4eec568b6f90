"""Texts, types and dimensions alike in all versions: `tf.compat`."""

import contextlib
import datetime
import numbers
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapefacade._core import string_arrays
from tapefacade._core.dimension import Dimension
from tapefacade._core.error_texts import no_text
from tapefacade._core.logging import get_logger
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._definition.op import function

bytes_or_text_types = (bytes, str)
complex_types = (numbers.Complex, np.number)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
# The date of the release whose behaviour this package follows.
RELEASED = datetime.date(2026, 3, 1)
_HORIZON = [RELEASED]


@function("compat.as_bytes")
def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Converts a text to bytes.

    Args:
        bytes_or_text: a `str`, `bytes` or `bytearray`.
        encoding: how to encode a `str`.

    Returns:
        The bytes.

    Raises:
        TypeError: if it is something else.

    >>> tf.compat.as_bytes("abc")
    b'abc'
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    return string_arrays.as_bytes(bytes_or_text, encoding)


@function("compat.as_text", "compat.as_str")
def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Converts bytes to a text.

    Args:
        bytes_or_text: a `str` or `bytes`.
        encoding: how to decode `bytes`.

    Returns:
        The text.

    Raises:
        TypeError: if it is something else.

    >>> tf.compat.as_text(b"abc")
    'abc'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise no_text(bytes_or_text)


@function("compat.as_str_any")
def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Converts anything to a text: bytes are decoded, other values shown.

    Args:
        value: any value.
        encoding: how to decode `bytes`.

    Returns:
        The text.

    >>> tf.compat.as_str_any(5)
    '5'
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


@function("compat.path_to_str")
def path_to_str(path: Any) -> Any:
    """Converts a path object to a text; other values are returned as they are.

    Args:
        path: a `pathlib.Path`, or a text.

    >>> tf.compat.path_to_str("folder/file")
    'folder/file'
    """
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


@function("compat.dimension_value")
def dimension_value(dimension: Any) -> Any:
    """Returns the size of a dimension, an integer or None.

    Args:
        dimension: an element of a `tf.TensorShape`.

    >>> tf.compat.dimension_value(tf.TensorShape([3])[0])
    3
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


@function("compat.dimension_at_index")
def dimension_at_index(shape: Any, index: int) -> Dimension:
    """Returns a dimension of a shape as an object, also where the rank is unknown.

    Args:
        shape: a `tf.TensorShape`.
        index: which dimension.

    >>> tf.compat.dimension_at_index(tf.TensorShape([3, None]), 0)
    Dimension(3)
    """
    known = TensorShape(shape)
    return Dimension(None) if known.rank is None else Dimension(known[index])


@function("compat.forward_compatible")
def forward_compatible(year: int, month: int, day: int) -> bool:
    """Tells whether behaviour that was announced for a day may be relied on.

    Args:
        year: the year.
        month: the month, 1 to 12.
        day: the day, 1 to 31.

    >>> tf.compat.forward_compatible(2020, 1, 1)
    True
    """
    return _HORIZON[-1] > datetime.date(year, month, day)


@function("compat.forward_compatibility_horizon")
@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Makes a block in which `forward_compatible` answers as on another day.

    Args:
        year: the year.
        month: the month, 1 to 12.
        day: the day, 1 to 31. A date before the release's own changes nothing.

    >>> with tf.compat.forward_compatibility_horizon(2099, 2, 1):
    ...     tf.compat.forward_compatible(2099, 1, 1)
    True
    """
    wanted = datetime.date(year, month, day)
    if wanted < RELEASED:
        get_logger().warning(
            f"Trying to set the forward compatibility date to the past date {wanted}. This will "
            "be ignored by TensorFlow."
        )
        wanted = _HORIZON[-1]
    _HORIZON.append(wanted)
    try:
        yield
    finally:
        _HORIZON.pop()
