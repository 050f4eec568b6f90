"""`tf.saved_model.experimental`."""

from tapefacade._checkpoint.saving import save as save
from tapefacade._core.missing import missing_attribute as _missing_attribute

__getattr__ = _missing_attribute(__name__)
