"""`tf.profiler.experimental.server`."""

from tapefacade._config.profiler import start_server as start
from tapefacade._core.missing_names import missing_attribute as _missing_attribute

__all__ = ["start"]
__getattr__ = _missing_attribute(__name__)
