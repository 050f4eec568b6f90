"""Programs of TensorFlow 1: `tf.compat.v1.app`."""

from tapefacade._compat.v1_flags import run as run
from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade.compat.v1 import flags as flags

__getattr__ = _missing_attribute(__name__)
