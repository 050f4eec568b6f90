"""Names of older versions: `tf.compat`."""

from tapefacade._core.missing import missing_attribute
from tapefacade.compat import v1 as v1

__getattr__ = missing_attribute(__name__)
