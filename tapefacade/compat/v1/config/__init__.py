"""Names of older versions: `tf.compat.v1.config`."""

from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade.compat.v1.config import (
    experimental as experimental,
    optimizer as optimizer,
    threading as threading,
)

_SAME = """
LogicalDevice LogicalDeviceConfiguration PhysicalDevice experimental_connect_to_cluster
experimental_connect_to_host experimental_functions_run_eagerly experimental_run_functions_eagerly
functions_run_eagerly get_logical_device_configuration get_soft_device_placement
get_visible_devices list_logical_devices list_physical_devices run_functions_eagerly
set_logical_device_configuration set_soft_device_placement set_visible_devices
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
