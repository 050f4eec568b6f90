"""The logger of the library, which has TensorFlow's name."""

import logging
from typing import Any

MAX_WARNINGS = 5
_WARNING_COUNTS: dict[str, int] = {}


def get_logger() -> logging.Logger:
    """Returns the logger that all messages of the library go to, named "tensorflow".

    The name is TensorFlow's, so that programs that make TensorFlow quieter, or write what it says
    to a file, need no change. Unlike TensorFlow, this adds no handler and sets no level: Python
    writes warnings to standard error, and `logging.basicConfig` decides how they look.

    Returns:
        The `logging.Logger`.

    Source: https://www.tensorflow.org/api_docs/python/tf/get_logger

    >>> tf.get_logger().name
    'tensorflow'
    >>> tf.get_logger().setLevel("ERROR")  # no warnings any more
    >>> tf.get_logger().setLevel("NOTSET")
    """
    return logging.getLogger("tensorflow")


def warn(message: str, *arguments: Any) -> None:
    """Logs a warning; each text at most `MAX_WARNINGS` times, as TensorFlow does.

    >>> warn("This is not well.")
    """
    if _WARNING_COUNTS.setdefault(message, 0) < MAX_WARNINGS:
        _WARNING_COUNTS[message] += 1
        get_logger().warning(message, *arguments)
