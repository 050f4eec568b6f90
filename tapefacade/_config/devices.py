"""Devices: which there are, their memory, how a machine is divided into them, and `tf.device`."""

import collections
import os
import re
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.extend
import numpy as np

from tapefacade._core.annotations import described
from tapefacade._core.tensor import EagerTensor, from_host, hinted
from tapefacade._definition.op import function, register
from tapefacade._trace import execution
from tapefacade._trace.recording import need_python

PhysicalDevice = collections.namedtuple("PhysicalDevice", ["name", "device_type"])
PhysicalDevice.__doc__ = """A device of the machine: its `name` and `device_type`.

>>> tf.config.list_physical_devices("CPU")
[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
"""
LogicalDevice = collections.namedtuple("LogicalDevice", ["name", "device_type"])
LogicalDevice.__doc__ = """A device that programs run on: its `name` and `device_type`.

>>> tf.config.list_logical_devices("CPU")[0]
LogicalDevice(name='/device:CPU:0', device_type='CPU')
"""
JAX_CONFIG: Any = jax.config  # its attributes are not declared
DEVICE_TYPES = {"cuda": "GPU", "rocm": "GPU"}
DEVICE_NAME = re.compile(r"(?i)^(?:/?(?:job|replica|task):\w+)*/?(?:device:)?(CPU|GPU|TPU):(\d+)$")
MESSAGE_VISIBLE = "Visible devices cannot be modified after being initialized"
MESSAGE_VIRTUAL = "Virtual devices cannot be modified after being initialized"
HINT_VIRTUAL = "JAX divides the CPU only, and before it starts: configure it before the first op."
MESSAGE_PHYSICAL = "Physical devices cannot be modified after being initialized"
HINT_PHYSICAL = (
    "Set it before the first op, or set the environment variable {}={} before the program starts: "
    "JAX reads it when it starts the devices."
)
MESSAGE_NO_GPU = "Cannot set memory growth on non-GPU and non-Pluggable devices"
# What JAX reads when it starts the GPUs: https://docs.jax.dev/en/latest/gpu_memory_allocation.html
PREALLOCATE, FRACTION = "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_MEM_FRACTION"
USUAL_FRACTION = 0.75


class LogicalDeviceConfiguration(NamedTuple):
    """What one of the devices that a physical device is divided into is like.

    Args:
        memory_limit: how many megabytes it has.
        experimental_priority: how urgent its work is.
        experimental_device_ordinal: its place among those of one priority.

    >>> tf.config.LogicalDeviceConfiguration(memory_limit=1024).memory_limit
    1024
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


class _Choices:
    """What programs have chosen."""

    def __init__(self) -> None:
        self.visible: dict[str, list[PhysicalDevice]] = {}  # by the kind of the device
        self.divided: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}
        self.growth: dict[PhysicalDevice, bool] = {}
        self.listed = False  # whether the logical devices were looked at, which makes them final


CHOICES = _Choices()


def devices_in_use() -> bool:
    """Returns whether programs use the devices already."""
    return CHOICES.listed or execution.STATISTICS.dispatched > 0


def _platforms() -> str:
    """Returns the platforms that JAX was told to use, an empty text if it may use any."""
    return JAX_CONFIG.jax_platforms or ""


def _kind(device: Any) -> str:
    platform = str(device.platform)
    return DEVICE_TYPES.get(platform, platform.upper())


def _accelerators() -> list[Any]:
    """Lists what is no CPU; this starts JAX, unless it was told to use CPUs only."""
    if _platforms() == "cpu":
        return []
    return [device for device in jax.local_devices() if _kind(device) != "CPU"]


def jax_devices(device_type: str) -> list[Any]:
    """Returns JAX's devices of a kind in this process, in the order of the logical devices."""
    if device_type != "CPU":
        return [device for device in _accelerators() if _kind(device) == device_type]
    return jax.local_devices(backend="cpu") if "cpu" in (_platforms() or "cpu") else []


@function("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Lists the devices that JAX sees.

    Args:
        device_type: "CPU", "GPU" or "TPU"; all by default.

    Returns:
        A list of devices with `name` and `device_type`.

    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    found = []
    if device_type in (None, "CPU") and "cpu" in (_platforms() or "cpu"):
        found.append(PhysicalDevice("/physical_device:CPU:0", "CPU"))
    if device_type != "CPU":
        pairs = [(_kind(device), device.id) for device in _accelerators()]
        found += [
            PhysicalDevice(f"/physical_device:{kind}:{index}", kind)
            for kind, index in pairs
            if device_type in (None, kind)
        ]
    return found


@function("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Lists the devices that programs run on: what is visible, divided as it was configured.

    Args:
        device_type: "CPU", "GPU" or "TPU"; all by default.

    >>> tf.config.list_logical_devices("CPU")[0]
    LogicalDevice(name='/device:CPU:0', device_type='CPU')
    """
    visible = get_visible_devices(device_type)
    CHOICES.listed = True
    found = []
    for kind in dict.fromkeys(device.device_type for device in visible):
        count = sum(device.device_type == kind for device in visible)
        count = len(jax_devices("CPU")) if kind == "CPU" else count
        found += [LogicalDevice(f"/device:{kind}:{index}", kind) for index in range(count)]
    return found


def _checked(devices: Any, device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns a list of devices.

    Raises:
        ValueError: if one of them does not exist or has another type.
    """
    given: list[Any] = list(devices) if type(devices) in (list, tuple) else [devices]
    for device in given:
        known = isinstance(device, PhysicalDevice) and device in list_physical_devices(
            device.device_type  # no other kind: JAX would start
        )
        if not known or device_type not in (None, device.device_type):
            raise ValueError(f"Unrecognized device: {device!r}")
    return given


@function("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Lists the devices that programs may use: all, unless `set_visible_devices` was called.

    Args:
        device_type: "CPU", "GPU" or "TPU"; all by default.

    >>> tf.config.get_visible_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return [
        device
        for device in list_physical_devices(device_type)
        if device in CHOICES.visible.get(device.device_type, [device])
    ]


@function("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Says which devices programs may use. It has to be said before the first op.

    Programs then run on the first visible accelerator, or on the CPU if there is none.

    Args:
        devices: a device, or a list of devices, of `list_physical_devices`.
        device_type: the kind of devices that is meant, all by default.

    Raises:
        ValueError: if there is no such device.
        RuntimeError: if programs use the devices already.

    >>> tf.config.set_visible_devices(tf.config.get_visible_devices("CPU"), "CPU")
    """
    given = _checked(devices, device_type)
    every = list_physical_devices(device_type)
    chosen = {d.device_type: [g for g in given if g.device_type == d.device_type] for d in every}
    if all(get_visible_devices(kind) == visible for kind, visible in chosen.items()):
        return
    if devices_in_use():
        raise RuntimeError(MESSAGE_VISIBLE)
    CHOICES.visible.update(chosen)
    _use_first_visible()


def _use_first_visible() -> None:
    """Makes JAX use the first visible device, accelerators first."""
    visible = get_visible_devices()
    first = next((d for d in visible if d.device_type != "CPU"), None)
    kind = first.device_type if first else "CPU"
    index = int(first.name.rsplit(":", 1)[1]) if first else 0
    found = next((device for device in jax_devices(kind) if device.id == index), None)
    JAX_CONFIG.update("jax_default_device", found)


@function(
    "config.get_logical_device_configuration",
    "config.experimental.get_virtual_device_configuration",
)
def get_logical_device_configuration(device: Any) -> list[LogicalDeviceConfiguration] | None:
    """Returns what `set_logical_device_configuration` was told about a device, None if nothing.

    Args:
        device: a device of `list_physical_devices`.

    Raises:
        ValueError: if there is no such device.

    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> tf.config.get_logical_device_configuration(cpu)
    """
    (device,) = _checked(device)
    return CHOICES.divided.get(device)


@function(
    "config.set_logical_device_configuration",
    "config.experimental.set_virtual_device_configuration",
)
def set_logical_device_configuration(
    device: Any, logical_devices: Sequence[LogicalDeviceConfiguration]
) -> None:
    """Divides a device into several. It has to be done before the first op.

    Unlike TensorFlow, a GPU cannot be divided; the memory limit of its one part is that of all
    GPUs, as a fraction of what this one has.

    Args:
        device: a device of `list_physical_devices("CPU")`.
        logical_devices: a `tf.config.LogicalDeviceConfiguration` for each part.

    Raises:
        ValueError: if there is no such device, or parts of a CPU are to have limits.
        RuntimeError: if a GPU is to have several parts, or programs use the devices already.

    >>> [cpu] = tf.config.list_physical_devices("CPU")
    >>> part = tf.config.LogicalDeviceConfiguration()
    >>> tf.config.set_logical_device_configuration(cpu, [part] * len(jax.devices("cpu")))
    """
    (device,) = _checked(device)
    parts = list(logical_devices)
    if device.device_type == "CPU":
        _check_parts_of_cpu(parts)
    if CHOICES.divided.get(device) == parts:
        return
    if device.device_type == "CPU":
        _divide_cpu(max(len(parts), 1))
    elif len(parts) > 1 or devices_in_use():
        raise hinted(RuntimeError(MESSAGE_VIRTUAL), HINT_VIRTUAL)
    elif parts and parts[0].memory_limit is not None:
        _limit_memory(device, parts[0].memory_limit)
    CHOICES.divided[device] = parts


def _check_parts_of_cpu(parts: list[LogicalDeviceConfiguration]) -> None:
    for part in parts:
        if part.memory_limit is not None:
            raise ValueError(
                "Setting memory limit on CPU virtual devices is currently not supported"
            )
        if part.experimental_priority is not None:
            raise ValueError(
                "Setting experimental_priority on CPU virtual  devices is currently not supported"
            )
        if part.experimental_device_ordinal is not None:
            raise ValueError(
                "Setting experimental_device_ordinal on CPU virtual  devices is currently not "
                "supported"
            )


def _divide_cpu(count: int) -> None:
    try:
        JAX_CONFIG.update("jax_num_cpu_devices", count)
    except RuntimeError:  # JAX has started
        if len(jax.devices("cpu")) == count:
            return
        if devices_in_use() or jax.live_arrays():
            raise hinted(RuntimeError(MESSAGE_VIRTUAL), HINT_VIRTUAL) from None
        jax.extend.backend.clear_backends()  # devices have been listed, no more
        JAX_CONFIG.update("jax_num_cpu_devices", count)


def _limit_memory(device: PhysicalDevice, megabytes: int) -> None:
    """Sets how much of its memory JAX takes."""
    found = next(
        each for each in jax_devices("GPU") if device.name.endswith(f":{each.id}")
    ).memory_stats()  # fmt: skip
    before = _start_options().get("memory_fraction") or os.environ.get(FRACTION, USUAL_FRACTION)
    fraction = megabytes * 2**20 / (found["bytes_limit"] / float(before))
    _start_with("memory_fraction", fraction, FRACTION)


def _start_options() -> dict[str, Any]:
    """Returns what JAX hands to the drivers of accelerators when it starts them."""
    options = JAX_CONFIG.jax_pjrt_client_create_options or {}
    if isinstance(options, str):
        return dict(option.split(":") for option in options.split(";") if option)
    return dict(options)


def _start_with(option: str, value: Any, variable: str) -> None:
    """Sets how JAX starts the GPUs, which it does anew if they have been listed already.

    Args:
        option: the name of the option.
        value: its value.
        variable: the environment variable that says the same before a program starts.

    Raises:
        RuntimeError: if programs use the devices already.
    """
    options = _start_options()
    if options.get(option) == value:
        return
    if devices_in_use() or jax.live_arrays():
        text = HINT_PHYSICAL.format(variable, str(value).lower())
        raise hinted(RuntimeError(MESSAGE_PHYSICAL), text)
    JAX_CONFIG.update("jax_pjrt_client_create_options", {**options, option: value})
    jax.extend.backend.clear_backends()


@function("config.experimental.set_memory_growth")
def set_memory_growth(device: Any, enable: bool) -> None:
    """Says whether JAX takes a GPU's memory as it is needed, or at the start.

    Unlike TensorFlow, JAX does the same on all GPUs.

    Args:
        device: a GPU of `list_physical_devices()`.
        enable: whether memory is taken as it is needed.

    Raises:
        ValueError: if `device` is not one of `list_physical_devices()`, is divided, or is no GPU.
        RuntimeError: if programs use the devices already.

    >>> for gpu in tf.config.list_physical_devices("GPU"):
    ...     tf.config.experimental.set_memory_growth(gpu, True)
    """
    (device,) = _checked(device)
    if device in CHOICES.divided:
        raise ValueError("Cannot set memory growth on device when virtual devices configured")
    if device.device_type != "GPU":
        raise ValueError(MESSAGE_NO_GPU)
    if CHOICES.growth.get(device) != enable:
        _start_with("preallocate", not enable, PREALLOCATE)
    CHOICES.growth[device] = bool(enable)


@function("config.experimental.get_memory_growth")
def get_memory_growth(device: Any) -> bool | None:
    """Returns what `set_memory_growth` was told about a device, None if nothing.

    Raises:
        ValueError: if `device` is not one of `list_physical_devices()`.

    >>> tf.config.experimental.get_memory_growth(tf.config.list_physical_devices()[0])
    """
    (device,) = _checked(device)
    return CHOICES.growth.get(device)


register(("config.PhysicalDevice",), PhysicalDevice)
register(("config.LogicalDevice",), LogicalDevice)
register(
    ("config.LogicalDeviceConfiguration", "config.experimental.VirtualDeviceConfiguration"),
    LogicalDeviceConfiguration,
)


def _device(name: str) -> Any:
    """Finds JAX's device by TensorFlow's name of it.

    Raises:
        ValueError: if it is no name, or there is no such device.
    """
    parts = DEVICE_NAME.match(name)
    if parts is None:
        raise ValueError(
            f"Failed parsing device name: '{name}'. Note a valid device string should at least "
            'contain a device type and a device index, like "GPU:0".'
        )
    devices = jax_devices(parts[1].upper())
    if int(parts[2]) >= len(devices):
        raise ValueError(f"No matching devices found for '{name}'")
    return devices[int(parts[2])]


@function("config.experimental.get_memory_info")
def get_memory_info(device: str) -> dict[str, int]:
    """Returns how much memory of a device is in use.

    Args:
        device: the name of the device, such as "GPU:0".

    Returns:
        The bytes that are in use, "current", and the most that ever were, "peak".

    Raises:
        ValueError: if there is no such device, or if it is a CPU, whose memory is not counted.

    >>> tf.config.experimental.get_memory_info("CPU:0")
    Traceback (most recent call last):
    ValueError: Allocator stats not available for device 'CPU:0'
    """
    statistics = _device(device).memory_stats()
    if statistics is None:
        raise ValueError(f"Allocator stats not available for device '{device}'")
    return {"current": statistics["bytes_in_use"], "peak": statistics["peak_bytes_in_use"]}


@function("config.experimental.get_memory_usage")
def get_memory_usage(device: str) -> int:
    """Returns how many bytes of a device's memory are in use.

    Args:
        device: the name of the device, such as "GPU:0".

    Raises:
        ValueError: if there is no such device, or if it is a CPU, whose memory is not counted.

    >>> tf.config.experimental.get_memory_usage("CPU:0")
    Traceback (most recent call last):
    ValueError: Allocator stats not available for device 'CPU:0'
    """
    return get_memory_info(device)["current"]


@function("config.experimental.reset_memory_stats")
def reset_memory_stats(device: str) -> None:
    """Would start to count the peak of a device's memory anew.

    Unlike TensorFlow, JAX counts a GPU's peak from the start of the process, and no CPU's.

    Args:
        device: the name of the device, such as "GPU:0".

    Raises:
        ValueError: always.

    >>> tf.config.experimental.reset_memory_stats("CPU:0")
    Traceback (most recent call last):
    ValueError: Cannot reset memory stats for device 'CPU:0'...
    """
    _device(device)
    raise hinted(
        ValueError(f"Cannot reset memory stats for device '{device}'"),
        "JAX counts the peak from the start of the process.",
    )


@function("config.experimental.get_device_details")
def get_device_details(device: Any) -> dict[str, Any]:
    """Returns what is known of a device.

    Args:
        device: a device of `list_physical_devices`.

    Returns:
        For a GPU, its "device_name" and its "compute_capability"; for a CPU, nothing.

    Raises:
        ValueError: if it is no such device.

    >>> tf.config.experimental.get_device_details(tf.config.list_physical_devices("CPU")[0])
    {}
    """
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")
    if device not in list_physical_devices(device.device_type):
        raise ValueError(
            "The PhysicalDevice must be one obtained from calling "
            f"`tf.config.list_physical_devices`, but got: {device}"
        )
    if device.device_type != "GPU":
        return {}
    found = _device(device.name.replace("/physical_device:", ""))
    details: dict[str, Any] = {"device_name": found.device_kind}
    if capability := getattr(found, "compute_capability", None):
        details["compute_capability"] = tuple(int(part) for part in capability.split("."))
    return details


_WISHES = {"log placement": False}


@described
def timestamp(name: str | None = None) -> EagerTensor:
    """Returns the time since 1970 in seconds.

    Returns:
        A float64 scalar.

    >>> tf.timestamp().dtype
    tf.float64
    """
    need_python("it asks for the time")
    return from_host(np.array(time.time()))


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Returns whether JAX sees a GPU.

    Args:
        cuda_only: accepted for TensorFlow's sake.
        min_cuda_compute_capability: accepted for TensorFlow's sake.

    >>> tf.test.is_gpu_available() == bool(tf.config.list_physical_devices("GPU"))
    True
    """
    return bool(list_physical_devices("GPU"))


def gpu_device_name() -> str:
    """Returns the name of the first GPU, or an empty string.

    >>> tf.test.gpu_device_name() in ("", "/device:GPU:0")
    True
    """
    return "/device:GPU:0" if list_physical_devices("GPU") else ""


def is_built_with_cuda() -> bool:
    """Returns whether programs run on an NVIDIA GPU.

    >>> tf.test.is_built_with_cuda() == (jax.default_backend() in ("gpu", "cuda"))
    True
    """
    return jax.default_backend() in ("gpu", "cuda")


def set_log_device_placement(enabled: bool) -> None:
    """Takes note of a wish to log devices.

    Unlike TensorFlow, this logs nothing: a program runs on one device, which `tensor.device` names.

    >>> tf.debugging.set_log_device_placement(False)
    """
    _WISHES["log placement"] = bool(enabled)


def get_log_device_placement() -> bool:
    """Returns what `set_log_device_placement` was told, False at first.

    >>> tf.debugging.get_log_device_placement()
    False
    """
    return _WISHES["log placement"]


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Does nothing: there is no other kind.

    Args:
        config: ignored.
        device_policy: ignored.
        execution_mode: ignored.

    >>> tf.compat.v1.enable_eager_execution()
    """


def enable_v2_behavior() -> None:
    """Does nothing: there is no other behaviour.

    >>> tf.compat.v1.enable_v2_behavior()
    """
