"""`tf.autograph.experimental`."""

from tapefacade._autograph.public_functions import (
    Feature as Feature,
    do_not_convert as do_not_convert,
    set_loop_options as set_loop_options,
)
from tapefacade._core.missing_names import missing_attribute as _missing_attribute

__getattr__ = _missing_attribute(__name__)
