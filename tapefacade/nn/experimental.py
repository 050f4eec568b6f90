"""`tf.nn.experimental`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._ops.nn.dropout import (
    general_dropout as general_dropout,
    stateless_dropout as stateless_dropout,
)

__getattr__ = _missing_attribute(__name__)
