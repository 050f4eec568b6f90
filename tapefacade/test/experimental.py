"""`tf.test.experimental`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.unit_testing import sync_devices as sync_devices

__getattr__ = _missing_attribute(__name__)
