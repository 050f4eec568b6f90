"""`tf.train.experimental`."""

from tapefacade._checkpoint.tracking import PythonState as PythonState
from tapefacade._core.missing_names import missing_attribute as _missing_attribute

__getattr__ = _missing_attribute(__name__)
