"""The devices of replicas: their names, and the mesh that they make."""

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.sharding import Mesh

from tapefacade._config.devices import jax_devices, list_logical_devices
from tapefacade._core.logging import get_logger
from tapefacade._core.value_text import DEVICE as FULL_DEVICE_NAME
from tapefacade._distribute.collectives import AXIS

DEVICE = re.compile(r"(?i)^(?:/?(?:job|replica|task):\w+)*/?(?:device:)?(CPU|GPU|TPU)(?::(\d+))?$")
MESSAGE_SHARED = (
    "%s has %d replicas on one device, as there is no %s here: they compute what they would on "
    "devices of their own. For several virtual devices on a CPU, call "
    "tf.config.set_logical_device_configuration before the first op."
)


def default_devices() -> list[str]:
    """Returns the names of all devices of the best kind that there is."""
    for kind in ("GPU", "TPU", "CPU"):
        found = list_logical_devices(kind)
        if found:
            return [full_name(device.name) for device in found]
    return [FULL_DEVICE_NAME.format("CPU", 0)]


def full_name(device: Any) -> str:
    """Returns TensorFlow's full name of a device, given a name or a `LogicalDevice`.

    Raises:
        ValueError: if it is no name of a device.
    """
    found = DEVICE.match(str(getattr(device, "name", device)))
    if found is None:
        raise ValueError(f"Unknown attribute: '{device}' is not the name of a device.")
    return FULL_DEVICE_NAME.format(found[1].upper(), int(found[2] or 0))


def mesh_of(names: Sequence[str], strategy: str) -> Mesh | None:
    """Returns the devices as a mesh of one axis; None if replicas have to share one.

    Args:
        names: the full names of the devices.
        strategy: the name of the strategy, for the message that they share one.
    """
    found = []
    for name in names:
        kind, index = name.rsplit("/device:", 1)[1].split(":")
        known = jax_devices(kind)
        if int(index) >= len(known):
            get_logger().warning(MESSAGE_SHARED, strategy, len(names), f"{kind}:{index}")
            return None
        found.append(known[int(index)])
    return _mesh(tuple(found))


def mesh_of_devices(devices: Sequence[Any]) -> Mesh:
    """Returns devices, also those of other processes, as a mesh of one axis."""
    return _mesh(tuple(devices))


@functools.lru_cache(maxsize=64)
def _mesh(devices: tuple[Any, ...]) -> Mesh:
    return Mesh(np.array(devices), (AXIS,))
