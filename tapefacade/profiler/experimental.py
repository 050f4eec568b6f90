"""`tf.profiler.experimental`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.profiling import (
    Profile as Profile,
    ProfilerOptions as ProfilerOptions,
    Trace as Trace,
    start as start,
    stop as stop,
)

__getattr__ = _missing_attribute(__name__)
