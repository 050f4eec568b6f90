"""`tf.tpu`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._distribute.strategies import XLAOptions as XLAOptions
from tapefacade.tpu import experimental as experimental

__getattr__ = _missing_attribute(__name__)
