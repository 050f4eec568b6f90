"""How values show themselves: the texts of arrays, and the names of devices."""

from typing import Any

import jax
import numpy as np

DEVICE = "/job:localhost/replica:0/task:0/device:{}:{}"


def lines(text: str) -> str:
    """Begins a text of several lines on a line of its own."""
    return "\n" + text if "\n" in text else text


def value_repr(array: Any) -> str:
    """Returns how TensorFlow shows a value within a repr; JAX's tracers show themselves."""
    if not isinstance(array, np.ndarray):
        return repr(array)
    return lines(repr(array.item() if array.ndim == 0 else array))


def device_of(value: Any) -> str:
    """Returns TensorFlow's name of the device that holds `value`."""
    devices = value.devices() if isinstance(value, jax.Array) else ()
    device = next(iter(devices), None)
    if device is None:
        return DEVICE.format("CPU", 0)
    return DEVICE.format(device.platform.upper().replace("CUDA", "GPU"), device.id)
