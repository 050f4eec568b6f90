"""`tf.nn.experimental`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._ops.dropouts import (
    general_dropout as general_dropout,
    stateless_dropout as stateless_dropout,
)

__getattr__ = _missing_attribute(__name__)
