"""Devices and switches: `tf.config`."""

from tapefacade._config.device_placement import (
    get_soft_device_placement as get_soft_device_placement,
    set_soft_device_placement as set_soft_device_placement,
)
from tapefacade._config.devices import (
    LogicalDevice as LogicalDevice,
    LogicalDeviceConfiguration as LogicalDeviceConfiguration,
    PhysicalDevice as PhysicalDevice,
    get_logical_device_configuration as get_logical_device_configuration,
    get_visible_devices as get_visible_devices,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    set_logical_device_configuration as set_logical_device_configuration,
    set_visible_devices as set_visible_devices,
)
from tapefacade._config.settings import (
    compiled_programs_folder as compiled_programs_folder,
    experimental_connect_to_cluster as experimental_connect_to_cluster,
    experimental_connect_to_host as experimental_connect_to_host,
    keep_compiled_programs as keep_compiled_programs,
    ops_run_immediately as ops_run_immediately,
    run_ops_immediately as run_ops_immediately,
)
from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._function.function.eager_mode import (
    functions_run_eagerly as experimental_functions_run_eagerly,
    functions_run_eagerly as functions_run_eagerly,
    run_functions_eagerly as experimental_run_functions_eagerly,
    run_functions_eagerly as run_functions_eagerly,
)
from tapefacade.config import (
    experimental as experimental,
    optimizer as optimizer,
    threading as threading,
)

__getattr__ = _missing_attribute(__name__)
