"""The logger that TensorFlow's messages go to."""

import logging
from typing import Any

MAX_WARNINGS = 5
_WARNED: dict[str, int] = {}


def get_logger() -> logging.Logger:
    """Returns the logger named "tensorflow", which all warnings of the library go to.

    >>> tf.get_logger().name
    'tensorflow'
    """
    return logging.getLogger("tensorflow")


def own_logger() -> logging.Logger:
    """Returns the logger named "tapefacade", for what TensorFlow would not say."""
    return logging.getLogger("tapefacade")


def warn(message: str, *arguments: Any) -> None:
    """Logs a warning; each text at most `MAX_WARNINGS` times, as TensorFlow does.

    >>> warn("This is not well.")
    """
    if _WARNED.setdefault(message, 0) < MAX_WARNINGS:
        _WARNED[message] += 1
        get_logger().warning(message, *arguments)
