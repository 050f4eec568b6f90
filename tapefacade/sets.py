"""Sets: `tf.sets`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._sparse.sets import (
    difference as difference,
    intersection as intersection,
    size as size,
    union as union,
)

__getattr__ = _missing_attribute(__name__)
