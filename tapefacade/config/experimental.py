"""Devices and switches: `tf.config.experimental`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.configuration import (
    get_memory_growth as get_memory_growth,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    set_memory_growth as set_memory_growth,
)

__getattr__ = _missing_attribute(__name__)
