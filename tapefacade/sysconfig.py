"""`tf.sysconfig`."""

from tapefacade._config.tpu import get_build_info as get_build_info
from tapefacade._core.missing_names import missing_attribute as _missing_attribute

__getattr__ = _missing_attribute(__name__)
