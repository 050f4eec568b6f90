"""`tf.sysconfig`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.execution import get_build_info as get_build_info

__getattr__ = _missing_attribute(__name__)
