"""`tf.autograph`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.autograph import (
    set_verbosity as set_verbosity,
    to_code as to_code,
    to_graph as to_graph,
    trace as trace,
)
from tapefacade.autograph import experimental as experimental

__getattr__ = _missing_attribute(__name__)
