"""Names of older versions: `tf.compat.v1`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.graphs import Graph as Graph, placeholder as placeholder

__getattr__ = _missing_attribute(__name__)
