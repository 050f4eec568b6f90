"""`tf.test.experimental`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._testing.test_case import sync_devices as sync_devices

__getattr__ = _missing_attribute(__name__)
