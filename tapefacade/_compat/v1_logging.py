"""Logging of TensorFlow 1, to the package's logger: `tf.compat.v1.logging`."""

import logging
from collections import Counter
from typing import Any

from tapefacade._core.logging import get_logger
from tapefacade._definition.op import function

DEBUG, INFO, WARN, ERROR, FATAL = (
    logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL,
)  # fmt: skip
_COUNTS: Counter[Any] = Counter()


def _level(name: str, level: int) -> Any:
    def log_at(msg: Any, *args: Any, **kwargs: Any) -> None:
        get_logger().log(level, msg, *args, **kwargs)

    log_at.__name__ = log_at.__qualname__ = name
    log_at.__doc__ = f"""Logs a message with the level {logging.getLevelName(level)}.

    Args:
        msg: the message, with places for the arguments as in `logging`.
        *args: the arguments.
        **kwargs: those of `logging.Logger.log`.

    >>> tf.compat.v1.logging.{name}("step %d", 3)  # doctest: +SKIP
    """
    return function(f"compat.v1.logging.{name}")(log_at)


debug = _level("debug", DEBUG)
info = _level("info", INFO)
warn = _level("warn", WARN)
warning = _level("warning", WARN)
error = _level("error", ERROR)
fatal = _level("fatal", FATAL)


@function("compat.v1.logging.log", "compat.v1.logging.vlog")
def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message with a level.

    Args:
        level: such as `tf.compat.v1.logging.INFO`.
        msg: the message, with places for the arguments as in `logging`.
        *args: the arguments.
        **kwargs: those of `logging.Logger.log`.

    >>> tf.compat.v1.logging.log(tf.compat.v1.logging.DEBUG, "step %d", 3)
    """
    get_logger().log(level, msg, *args, **kwargs)


@function("compat.v1.logging.TaskLevelStatusMessage")
def TaskLevelStatusMessage(msg: Any) -> None:  # noqa: N802 - TensorFlow's name
    """Logs a message with the level of errors.

    Args:
        msg: the message.

    >>> tf.compat.v1.logging.TaskLevelStatusMessage("ready")  # doctest: +SKIP
    """
    error(msg)


@function("compat.v1.logging.log_if")
def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Logs a message if a condition holds.

    Args:
        level: such as `tf.compat.v1.logging.INFO`.
        msg: the message.
        condition: whether to log it.
        *args: the arguments of the message.

    >>> tf.compat.v1.logging.log_if(tf.compat.v1.logging.ERROR, "no", False)
    """
    if condition:
        log(level, msg, *args)


@function("compat.v1.logging.log_every_n")
def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs a message the first and then every n-th time.

    Args:
        level: such as `tf.compat.v1.logging.INFO`.
        msg: the message; equal ones are counted together.
        n: how often it has to come once more.
        *args: the arguments of the message.

    >>> tf.compat.v1.logging.log_every_n(tf.compat.v1.logging.DEBUG, "again", 10)
    """
    count = _COUNTS["every", msg]
    _COUNTS["every", msg] += 1
    log_if(level, msg, count % n == 0, *args)


@function("compat.v1.logging.log_first_n")
def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs a message only the first n times.

    Args:
        level: such as `tf.compat.v1.logging.INFO`.
        msg: the message; equal ones are counted together.
        n: how often.
        *args: the arguments of the message.

    >>> tf.compat.v1.logging.log_first_n(tf.compat.v1.logging.DEBUG, "once", 1)
    """
    count = _COUNTS["first", msg]
    _COUNTS["first", msg] += 1
    log_if(level, msg, count < n, *args)


@function("compat.v1.logging.flush")
def flush() -> None:
    """Writes out what handlers hold back.

    >>> tf.compat.v1.logging.flush()
    """
    for handler in get_logger().handlers:
        handler.flush()


@function("compat.v1.logging.get_verbosity")
def get_verbosity() -> int:
    """Returns the level from which on messages are logged.

    >>> tf.compat.v1.logging.get_verbosity() >= 0
    True
    """
    return get_logger().getEffectiveLevel()


@function("compat.v1.logging.set_verbosity")
def set_verbosity(v: Any) -> None:
    """Sets the level from which on messages are logged.

    Args:
        v: such as `tf.compat.v1.logging.WARN`.

    >>> level = tf.compat.v1.logging.get_verbosity()
    >>> tf.compat.v1.logging.set_verbosity(level)
    """
    get_logger().setLevel(v)
