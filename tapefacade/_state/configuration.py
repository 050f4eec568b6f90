"""Devices and switches: what `tf.config` and `tf.device` set."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from tapefacade._core.device_spec import DeviceSpec
from tapefacade._core.tensor import invalid_argument
from tapefacade._trace.compilation_cache import CACHE, absolute
from tapefacade._trace.recording import THREAD
from tapefacade._trace.tree import TREE

LOCAL = DeviceSpec("localhost", 0, 0, "CPU", 0)


def run_ops_immediately(enable: bool = True) -> None:
    """Switches deferral off: every op then runs at its own call, for debugging.

    Results are the same either way. Errors that depend on values come from the line of their op,
    and a debugger sees values, at the price of speed. (TensorFlow's
    `tf.config.run_functions_eagerly` is about functions, this is about ops.)

    Args:
        enable: whether ops run at once.

    >>> tf.config.run_ops_immediately(True)
    >>> tf.config.ops_run_immediately()
    True
    >>> tf.config.run_ops_immediately(False)
    """
    THREAD.recording.flush()
    TREE.eager = bool(enable)
    if not THREAD.recording.is_held:
        THREAD.recording.close()


def ops_run_immediately() -> bool:
    """Returns whether every op runs at its own call.

    >>> tf.config.ops_run_immediately()
    False
    """
    return TREE.eager


def keep_compiled_programs(where: str | os.PathLike[str] | bool | None = True) -> None:
    """Says where compiled programs are kept, so that the next process need not compile them again.

    At first they are kept in a folder of the user's, such as `~/.cache/tapefacade`, unless the
    environment variable TAPEFACADE_COMPILATION_CACHE names another one or is "off". A program that
    has set JAX's `jax_compilation_cache_dir` keeps everything there. (Not in TensorFlow.)

    Args:
        where: a folder, which only this user may write to: what is in it will run; True for the
            user's; False to keep nothing; None for what holds at first.

    >>> tf.config.keep_compiled_programs(False)
    >>> tf.config.compiled_programs_folder() is None
    True
    >>> tf.config.keep_compiled_programs(None)
    """
    if where is None or isinstance(where, bool):
        CACHE.choose(where)
    else:
        CACHE.choose(absolute(os.fspath(where)))


def compiled_programs_folder() -> str | None:
    """Returns the folder in which compiled programs are kept; None if they are not, or JAX's is used.

    See `tf.config.keep_compiled_programs`.
    """
    folder = CACHE.folder()
    return None if folder is None else str(folder)


@contextlib.contextmanager
def device(device_name: Any) -> Iterator[None]:
    """Names the device that the ops of a block should run on.

    Unlike TensorFlow, a program is one unit and runs on JAX's default device: the name is checked,
    and otherwise has no effect (as with TensorFlow's soft placement on a machine without the
    device). To choose the device of everything, write `tf.config.set_visible_devices` before the
    first op, or set the environment variable JAX_PLATFORMS.

    Args:
        device_name: a name such as "CPU:0", "/GPU:1" or "/device:GPU:0", or a `tf.DeviceSpec`;
            None for any.

    Raises:
        ValueError: if the name is no device's name.
        InvalidArgumentError: if it is one of another process.
        RuntimeError: if it is a function.

    >>> with tf.device("CPU:0"):
    ...     x = tf.constant(1.0)
    """
    if device_name is not None:
        _check_name(device_name)
    yield


def _check_name(name: Any) -> None:
    if callable(name):
        raise RuntimeError("tf.device does not support functions.")
    if not isinstance(name, str | DeviceSpec):
        raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")
    spec = DeviceSpec.from_string(name) if isinstance(name, str) else name
    if spec.job not in (None, "localhost") or spec.task or spec.replica:
        whole = LOCAL.make_merged_spec(spec).to_string()
        raise invalid_argument(f"{whole} unknown device.")


def executing_eagerly() -> bool:
    """Returns False within a `tf.function`, else True.

    >>> tf.executing_eagerly()
    True
    """
    return not THREAD.functions
