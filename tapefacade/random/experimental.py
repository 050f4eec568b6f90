"""Random numbers: `tf.random.experimental`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._ops.stateless import (
    fold_in as stateless_fold_in,
    split as stateless_split,
    stateless_shuffle as stateless_shuffle,
)

__getattr__ = _missing_attribute(__name__)
