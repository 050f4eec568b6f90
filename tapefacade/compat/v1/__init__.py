"""Names of older versions: `tf.compat.v1`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.graphs import Graph as Graph, placeholder as placeholder
from tapefacade._state.machine import (
    enable_eager_execution as enable_eager_execution,
    enable_v2_behavior as enable_v2_behavior,
)
from tapefacade.compat.v1 import io as io, python_io as python_io

__getattr__ = _missing_attribute(__name__)
