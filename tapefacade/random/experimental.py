"""Random numbers: `tf.random.experimental`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._ops.stateless import (
    fold_in as stateless_fold_in,  # noqa: F401
    split as stateless_split,  # noqa: F401
    stateless_shuffle as stateless_shuffle,
)

__getattr__ = _missing_attribute(__name__)
