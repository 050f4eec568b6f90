"""Questions about the machine: `tf.test`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.machine import (
    gpu_device_name as gpu_device_name,
    is_built_with_cuda as is_built_with_cuda,
    is_gpu_available as is_gpu_available,
)

__getattr__ = _missing_attribute(__name__)
