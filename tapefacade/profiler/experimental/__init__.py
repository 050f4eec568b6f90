"""`tf.profiler.experimental`."""

from tapefacade._config.profiler import (
    Profile as Profile,
    ProfilerOptions as ProfilerOptions,
    Trace as Trace,
    start as start,
    stop as stop,
)
from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade.profiler.experimental import server as server

__getattr__ = _missing_attribute(__name__)
