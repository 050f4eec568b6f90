"""Devices and switches: what `tf.config` and `tf.device` set."""

import collections
import contextlib
import re
from collections.abc import Iterator
from typing import Any

import jax

from tapefacade._trace.recording import THREAD
from tapefacade._trace.tree import TREE

PhysicalDevice = collections.namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = collections.namedtuple("LogicalDevice", ["name", "device_type"])
KINDS = {"cuda": "GPU", "rocm": "GPU"}
DEVICE_NAME = re.compile(r"(?i)^(?:/?(?:job|replica|task):\w+)*/?(?:device:)?(\w+)(?::(\d+|\*))?$")
_GROWTH: dict[str, bool] = {}


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


def _devices() -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    with contextlib.suppress(RuntimeError):
        found += [("CPU", device.id) for device in jax.devices("cpu")[:1]]
    for device in jax.devices():
        platform = str(device.platform)
        kind = KINDS.get(platform, platform.upper())
        if kind != "CPU":
            found.append((kind, device.id))
    return found


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Lists the devices that JAX sees.

    Args:
        device_type: "CPU", "GPU" or "TPU"; all by default.

    Returns:
        A list of devices with `name` and `device_type`.

    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return [
        PhysicalDevice(f"/physical_device:{kind}:{index}", kind)
        for kind, index in _devices()
        if device_type in (None, kind)
    ]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Lists the devices that programs run on: one for each physical device.

    Args:
        device_type: "CPU", "GPU" or "TPU"; all by default.

    >>> tf.config.list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """
    return [
        LogicalDevice(f"/device:{kind}:{index}", kind)
        for kind, index in _devices()
        if device_type in (None, kind)
    ]


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Takes note of a wish about a GPU's memory.

    Unlike TensorFlow, this changes nothing: JAX reserves memory as the environment variable
    XLA_PYTHON_CLIENT_PREALLOCATE says, which has to be set before the program starts.

    Raises:
        ValueError: if `device` is not one of `list_physical_devices()`.

    >>> for gpu in tf.config.list_physical_devices("GPU"):
    ...     tf.config.experimental.set_memory_growth(gpu, True)
    """
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")
    _GROWTH[device.name] = bool(enable)


def get_memory_growth(device: PhysicalDevice) -> bool | None:
    """Returns what `set_memory_growth` was told about a device, None if nothing.

    Raises:
        ValueError: if `device` is not one of `list_physical_devices()`.

    >>> tf.config.experimental.get_memory_growth(tf.config.list_physical_devices()[0])
    """
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")
    return _GROWTH.get(device.name)


@contextlib.contextmanager
def device(device_name: Any) -> Iterator[None]:
    """Names the device that the ops of a block should run on.

    Args:
        device_name: a name such as "CPU:0", "/GPU:1" or "/device:GPU:0"; None for any.

    Unlike TensorFlow, a program is one unit and runs on JAX's default device: the name is checked,
    and otherwise has no effect (as with TensorFlow's soft placement on a machine without the
    device). To choose the device of everything, set the environment variable JAX_PLATFORMS.

    Raises:
        ValueError: if the name is no device's name.

    >>> with tf.device("CPU:0"):
    ...     x = tf.constant(1.0)
    """
    if device_name is not None and not DEVICE_NAME.match(str(device_name)) and device_name != "":
        raise ValueError(
            f"Could not parse the device specification {device_name!r}: write 'CPU:0'."
        )
    yield


def executing_eagerly() -> bool:
    """Returns True: there are no graphs.

    >>> tf.executing_eagerly()
    True
    """
    return True
