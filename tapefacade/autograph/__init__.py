"""`tf.autograph`."""

from tapefacade._autograph.public_functions import (
    set_verbosity as set_verbosity,
    to_code as to_code,
    to_graph as to_graph,
    trace as trace,
)
from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade.autograph import experimental as experimental

__getattr__ = _missing_attribute(__name__)
