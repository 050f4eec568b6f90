"""`tf.lookup.experimental`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._lookup.mutable_tables import (
    DenseHashTable as DenseHashTable,
    MutableHashTable as MutableHashTable,
)

__getattr__ = _missing_attribute(__name__)
