"""The API of TensorFlow 2 under the name of its version: `tf.compat`."""

import tapefacade as _root
from tapefacade._core.missing import missing_attribute as _missing_attribute

v2 = _root

__getattr__ = _missing_attribute(__name__)
