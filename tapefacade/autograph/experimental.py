"""`tf.autograph.experimental`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.autograph import (
    Feature as Feature,
    do_not_convert as do_not_convert,
    set_loop_options as set_loop_options,
)

__getattr__ = _missing_attribute(__name__)
