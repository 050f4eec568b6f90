"""`tf.xla`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade.xla import experimental as experimental

__getattr__ = _missing_attribute(__name__)
