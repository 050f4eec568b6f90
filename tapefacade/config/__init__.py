"""Devices and switches: `tf.config`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.configuration import (
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    ops_run_immediately as ops_run_immediately,
    run_ops_immediately as run_ops_immediately,
)
from tapefacade._state.machine import (
    get_soft_device_placement as get_soft_device_placement,
    set_soft_device_placement as set_soft_device_placement,
)
from tapefacade.config import experimental as experimental

__getattr__ = _missing_attribute(__name__)
