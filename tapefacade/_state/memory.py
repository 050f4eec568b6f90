"""The memory of devices, and what else is known of them."""

from typing import Any

from tapefacade._core.tensor import hinted
from tapefacade._ops.op import function
from tapefacade._state.devices import NAME, PhysicalDevice, jax_devices, list_physical_devices


def _device(name: str) -> Any:
    """Finds JAX's device by TensorFlow's name of it.

    Raises:
        ValueError: if it is no name, or there is no such device.
    """
    parts = NAME.match(name)
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
