"""`tf.tpu.experimental`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.execution import (
    initialize_tpu_system as initialize_tpu_system,
    shutdown_tpu_system as shutdown_tpu_system,
)

__getattr__ = _missing_attribute(__name__)
