"""`tf.linalg.experimental`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._linear.conjugate_gradient import conjugate_gradient as conjugate_gradient

__getattr__ = _missing_attribute(__name__)
