"""Names of older versions: `tf.compat`."""

import sys

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade.compat import v1 as v1

__getattr__ = _missing_attribute(__name__)

v2 = sys.modules["tapefacade"]
