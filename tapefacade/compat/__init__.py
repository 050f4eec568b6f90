"""Names of older versions: `tf.compat`."""

import tapefacade as _root
from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade.compat import v1 as v1

v2 = _root

__getattr__ = _missing_attribute(__name__)
