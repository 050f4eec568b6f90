"""`tf.lookup.experimental`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._io.mutable_tables import (
    DenseHashTable as DenseHashTable,
    MutableHashTable as MutableHashTable,
)

__getattr__ = _missing_attribute(__name__)
